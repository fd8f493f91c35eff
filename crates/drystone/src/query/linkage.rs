//! Which bodies are connected by joints, and how their points can move.

use drystone_core::{
    BodyIndex, BodyKind, BodyProperties, Configuration, ConstraintRow, Joint, LinkageBound, MotionBound, RowLimits,
    Softness, State,
};
use drystone_math::{Real, Twist, Vec3};
use std::collections::BTreeSet;

/// Tolerance of the length of a direction about one.
const UNIT: Real = 1e-9;

/// Motion bound for the points of a body, whatever the forces of its joints, as long as it hits nothing else. `None` if
/// no bound is known: for bodies that a script moves, or that hang on one so moved; for drives without a limit, or that
/// push along a line; and if forces other than gravity act.
pub(super) fn bound_of(c: &Configuration, state: &State, ends: &JointEnds, body: BodyIndex) -> Option<MotionBound> {
    let properties = c.body(body);
    match properties.kind {
        BodyKind::Fixed | BodyKind::Passive => return Some(MotionBound::default()),
        BodyKind::Scripted => {
            let scripted = c.scripts.iter().any(|s| s.body == body);
            let bound = || MotionBound::of(properties, state.orientation[body.at()], state.velocity(body), Vec3::ZERO);
            return (!scripted).then(bound);
        }
        BodyKind::Dynamic => {}
    }
    if !c.forces.is_empty() {
        return None;
    }
    let linkage = Linkage::around(c, ends, body);
    if linkage.joints.is_empty() {
        let gravity = c.gravity * properties.gravity_scale;
        return Some(MotionBound::of(properties, state.orientation[body.at()], state.velocity(body), gravity));
    }
    Some(linkage.bound(c, state)?.body(properties))
}

/// The joints of each body that are whole, sorted by body.
#[derive(Debug, Clone, Default)]
pub(super) struct JointEnds(Vec<(BodyIndex, usize)>);

impl JointEnds {
    pub(super) fn new(c: &Configuration, state: &State) -> Self {
        let whole = |(k, joint): &(usize, &Joint)| !state.is_broken(*k) && joint.bodies[0] != joint.bodies[1];
        let ends = |(k, joint): (usize, &Joint)| joint.bodies.map(|b| b.map(|b| (b, k)));
        let mut ends: Vec<_> = c.joints.iter().enumerate().filter(whole).flat_map(ends).flatten().collect();
        ends.sort_unstable();
        Self(ends)
    }

    /// The joints of a body, ascending.
    fn of(&self, body: BodyIndex) -> impl Iterator<Item = usize> {
        let first = self.0.partition_point(|end| end.0 < body);
        self.0[first..].iter().take_while(move |end| end.0 == body).map(|end| end.1)
    }
}

/// Everything that can be reached from a start, in the order of a breadth-first search; `next` lists what is next to an item.
///
/// # Cost
/// O(m log n) for n items with m neighbours in all.
fn reached<K: Copy + Ord>(start: K, mut next: impl FnMut(K, &mut Vec<K>)) -> Vec<K> {
    let (mut found, mut known, mut near) = (vec![start], BTreeSet::from([start]), Vec::new());
    let mut at = 0;
    while let Some(&item) = found.get(at) {
        at += 1;
        near.clear();
        next(item, &mut near);
        found.extend(near.iter().copied().filter(|item| known.insert(*item)));
    }
    found
}

/// Dynamic bodies that are connected by joints, and all joints that involve one of them.
struct Linkage {
    bodies: Vec<BodyIndex>,
    joints: Vec<usize>,
    /// Other bodies that the joints lead to; `None` is the world.
    holders: Vec<Option<BodyIndex>>,
}

impl Linkage {
    /// The linkage around a dynamic body.
    fn around(c: &Configuration, ends: &JointEnds, body: BodyIndex) -> Self {
        let (mut joints, mut holders) = (Vec::new(), Vec::new());
        let bodies = reached(body, |at, near| {
            for k in ends.of(at) {
                joints.push(k);
                for end in c.joints[k].bodies {
                    match end.filter(|b| c.body(*b).is_dynamic()) {
                        Some(b) => near.push(b),
                        None => holders.push(end),
                    }
                }
            }
        });
        joints.sort_unstable();
        joints.dedup();
        Self { bodies, joints, holders }
    }

    /// Motion bound for its points; `None` if not all forces on it are known.
    fn bound(&self, c: &Configuration, state: &State) -> Option<LinkageBound> {
        if self.holders.iter().flatten().any(|b| c.body(*b).kind == BodyKind::Scripted) {
            return None;
        }
        let mut bound = LinkageBound::of(c, state, &self.bodies, !self.holders.is_empty());
        let mut rows = Vec::new();
        for &k in &self.joints {
            let joint = &c.joints[k];
            let [a, b] = joint.bodies.map(|b| state.body_frame(b));
            rows.clear();
            joint.source.rows([&a, &b], state.joint_memory.of(k), &mut rows);
            let bodies = joint.bodies.map(|b| b.map(|b| c.body(b)));
            for row in &rows {
                bound = with_row(bound, row, bodies)?;
            }
        }
        Some(bound)
    }
}

/// The bound, extended by what a row of a joint may do.
fn with_row(bound: LinkageBound, row: &ConstraintRow, bodies: [Option<&BodyProperties>; 2]) -> Option<LinkageBound> {
    if row.target == 0.0 {
        // without a target speed it only holds or brakes; a spring gives back the energy that it holds
        return Some(bound.with_energy(held_energy(row)));
    }
    let RowLimits { lo, hi } = row.limits;
    let torque = lo.abs().max(hi.abs());
    let turns = |j: &Twist| j.linear == Vec3::ZERO && (j.angular.length() - 1.0).abs() < UNIT;
    (torque.is_finite() && row.jacobian.iter().all(turns)).then(|| bound.driven(torque, bodies))
}

/// The energy that a row holds if it is a spring (J).
fn held_energy(row: &ConstraintRow) -> Real {
    let stiffness = match row.softness {
        Softness::Spring { stiffness, .. } => stiffness,
        Softness::Fixed { erp, cfm } if cfm > 0.0 => erp / cfm,
        Softness::Fixed { .. } => return 0.0,
    };
    // a positive error of a row that only pushes is a gap
    let error = if row.limits == RowLimits::UNILATERAL { row.error.min(0.0) } else { row.error };
    0.5 * stiffness * error * error
}

#[cfg(test)]
mod tests {
    use super::*;
    use core::cell::Cell;
    use core::cmp::Ordering;

    /// A number that counts its comparisons.
    #[derive(Clone, Copy)]
    struct Counted<'a>(u32, &'a Cell<usize>);

    impl Ord for Counted<'_> {
        fn cmp(&self, other: &Self) -> Ordering {
            self.1.set(self.1.get() + 1);
            self.0.cmp(&other.0)
        }
    }

    impl PartialOrd for Counted<'_> {
        fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
            Some(self.cmp(other))
        }
    }

    impl PartialEq for Counted<'_> {
        fn eq(&self, other: &Self) -> bool {
            self.cmp(other) == Ordering::Equal
        }
    }

    impl Eq for Counted<'_> {}

    /// A chain is searched in n log n comparisons; looking each link up among those before it takes n^2 / 2.
    #[test]
    fn a_chain_is_searched_in_n_log_n() {
        for n in [100_u32, 1000, 10_000] {
            let compared = Cell::new(0);
            let found = reached(Counted(0, &compared), |Counted(k, by), near| {
                near.extend(k.checked_sub(1).map(|k| Counted(k, by)));
                near.extend((k + 1 < n).then(|| Counted(k + 1, by)));
            });
            assert!(found.iter().map(|c| c.0).eq(0..n));
            // a node of the set has up to eleven entries
            let bound = 2 * 12 * n as usize * (n.ilog(6) as usize + 1);
            assert!(compared.get() < bound, "{} of {bound}", compared.get());
        }
    }
}
