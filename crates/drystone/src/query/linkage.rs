//! Which bodies are connected by joints, and how their points can move.

use drystone_core::{
    BodyIndex, BodyKind, BodyProperties, Configuration, ConstraintRow, Joint, LinkageBound, MotionBound, RowLimits,
    Softness, State,
};
use drystone_math::{Real, Twist, Vec3};

/// How far the length of a direction may differ from one.
const UNIT: Real = 1e-9;

/// How the points of a body can move, whatever the forces of its joints, as long as it hits nothing else. `None` if no bound is known: for bodies that a script
/// moves, or that hang on one so moved; for drives without a limit, or that push along a line; and if forces other than gravity act.
pub(super) fn bound_of(c: &Configuration, state: &State, body: BodyIndex) -> Option<MotionBound> {
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
    let linkage = Linkage::around(c, state, body);
    if linkage.joints.is_empty() {
        let gravity = c.gravity * properties.gravity_scale;
        return Some(MotionBound::of(properties, state.orientation[body.at()], state.velocity(body), gravity));
    }
    Some(linkage.bound(c, state)?.body(properties))
}

/// Dynamic bodies that are connected by joints, and all joints that involve one of them.
struct Linkage {
    bodies: Vec<BodyIndex>,
    joints: Vec<usize>,
    /// What else the joints lead to; `None` is the world.
    holders: Vec<Option<BodyIndex>>,
}

impl Linkage {
    /// The linkage around a dynamic body.
    fn around(c: &Configuration, state: &State, body: BodyIndex) -> Self {
        let whole = |(k, joint): &(usize, &Joint)| !state.is_broken(*k) && joint.bodies[0] != joint.bodies[1];
        let ends =
            |(k, joint): (usize, &Joint)| joint.bodies.into_iter().flatten().map(move |b| (b, k)).collect::<Vec<_>>();
        let mut places: Vec<(BodyIndex, usize)> = c.joints.iter().enumerate().filter(whole).flat_map(ends).collect();
        places.sort_unstable();
        let mut found = Self { bodies: vec![body], joints: Vec::new(), holders: Vec::new() };
        let mut next = 0;
        while let Some(&at) = found.bodies.get(next) {
            next += 1;
            let first = places.partition_point(|p| p.0 < at);
            for (_, k) in places[first..].iter().take_while(|p| p.0 == at) {
                found.joints.push(*k);
                for end in c.joints[*k].bodies {
                    match end.filter(|b| c.body(*b).is_dynamic()) {
                        Some(b) if !found.bodies.contains(&b) => found.bodies.push(b),
                        Some(_) => {}
                        None => found.holders.push(end),
                    }
                }
            }
        }
        found.joints.sort_unstable();
        found.joints.dedup();
        found
    }

    /// How its points can move; `None` if it is not known what acts on it.
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
