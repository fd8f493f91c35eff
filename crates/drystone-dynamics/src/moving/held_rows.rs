use super::{Elimination, MOST, MovingBody, MovingJoints, MovingRow, row_error, shift_row};
use core::ops::Range;
use drystone_core::{ConstraintRow, RowLimits};
use drystone_math::{Real, Twist, bounded};
use smallvec::SmallVec;

/// A response below this fraction of what it would be without the held rows is rounding: they hold the row too.
const ROUNDING: Real = 1e-9;

/// Rigid rows of a joint, solved at once; its limits, motors and springs act on what they leave to move.
///
/// A limit of a door acts about the hinge that way, not about the door's centre: with the multiplier of the limit come those of the hinge that leave it where it is, and one
/// visit stops the door however far its centre is from the hinge.
#[derive(Debug, Clone, Copy)]
pub(crate) struct HeldRows {
    rows: [u32; MOST],
    count: usize,
    response: Elimination,
}

/// Response of a row while the held rows of its joint are satisfied.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Beside {
    /// Change of its own rate by a unit of its multiplier; zero where the held rows leave it no freedom.
    pub(crate) response: Real,
    /// The multipliers of the held rows that come with it, per unit.
    pub(crate) with: [Real; MOST],
}

/// Returns true if a row holds a position without yielding and without bounds.
pub(crate) fn is_held(row: &ConstraintRow) -> bool {
    row.correctable && row.limits == RowLimits::BILATERAL && !row.softness.is_soft()
}

impl HeldRows {
    /// The rigid rows of a joint, six at a time; other rows of it are beside the last ones, of which there may be none.
    pub(crate) fn of_joint(rows: &[MovingRow], joint: &Range<u32>, bodies: &[MovingBody]) -> SmallVec<[Self; 1]> {
        let mut blocks = SmallVec::new();
        let (mut held, mut count) = ([0; MOST], 0);
        for i in joint.clone().filter(|i| is_held(&rows[*i as usize].row)) {
            if count == MOST {
                blocks.push(Self::of(rows, (held, count), bodies));
                count = 0;
            }
            held[count] = i;
            count += 1;
        }
        blocks.push(Self::of(rows, (held, count), bodies));
        blocks
    }

    fn of(rows: &[MovingRow], (held, count): ([u32; MOST], usize), bodies: &[MovingBody]) -> Self {
        let mut response = [[0.0; MOST]; MOST];
        for (i, &k) in held[..count].iter().enumerate() {
            for (j, &l) in held[..=i].iter().enumerate() {
                response[i][j] = rows[k as usize].coupling(bodies, &rows[l as usize]);
            }
        }
        Self { rows: held, count, response: Elimination::of(response, count) }
    }

    /// Response of another row of the joint.
    pub(crate) fn beside(&self, rows: &[MovingRow], row: u32, bodies: &[MovingBody]) -> Beside {
        let own = &rows[row as usize];
        let alone = own.coupling(bodies, own);
        let mut coupling = [0.0; MOST];
        for (to, &k) in coupling.iter_mut().zip(self.rows()) {
            *to = -own.coupling(bodies, &rows[k as usize]);
        }
        let mut with = coupling;
        self.response.solve(&mut with);
        let taken: Real = coupling.iter().zip(with).take(self.count).map(|(c, x)| c * x).sum();
        let left = alone - taken;
        Beside { response: if left > ROUNDING * alone { left } else { 0.0 }, with }
    }

    /// Gives rows of joints the rates that are wanted of them, within their bounds over `h` seconds, with the rigid rows of each joint holding; `measure` makes impulses their multipliers.
    pub(crate) fn give_rates(
        joints: &mut MovingJoints,
        bodies: &mut [MovingBody],
        [h, measure]: [Real; 2],
        wanted: impl Fn(&MovingRow) -> Option<Real>,
    ) {
        let MovingJoints { rows, joints, .. } = joints;
        for joint in joints.iter() {
            if !joint.clone().any(|i| wanted(&rows[i as usize]).is_some()) {
                continue;
            }
            let blocks = Self::of_joint(rows, joint, bodies);
            let Some(last) = blocks.last() else { continue };
            for i in joint.clone() {
                let r = &rows[i as usize];
                let Some(wanted) = wanted(r) else { continue };
                let beside = last.beside(rows, i, bodies);
                if beside.response > 0.0 {
                    let borne = r.x / measure;
                    let [lo, hi] = [r.row.limits.lo, r.row.limits.hi].map(|f| if f == 0.0 { 0.0 } else { f * h });
                    let after = bounded(borne + (wanted - r.rate(bodies)) / beside.response, lo, hi);
                    last.push((rows, measure), i, bodies, &beside, after - borne);
                }
            }
        }
    }

    /// The held rows.
    pub(crate) fn rows(&self) -> &[u32] {
        &self.rows[..self.count]
    }

    /// Makes a right-hand side by held row the multipliers.
    pub(crate) fn solve(&self, right: &mut [Real; MOST]) {
        self.response.solve(right);
    }

    /// Acts on the velocities with an impulse of another row, and with those that come with it; `measure` makes impulses the multipliers of rows.
    pub(crate) fn push(
        &self,
        (rows, measure): (&mut [MovingRow], Real),
        row: u32,
        bodies: &mut [MovingBody],
        beside: &Beside,
        impulse: Real,
    ) {
        self.add((rows, measure), row, beside, impulse, |r, x| r.push(bodies, x));
    }

    /// Displaces the bodies by a multiplier of another row, and by what comes with it.
    pub(crate) fn shift(
        &self,
        rows: &mut [MovingRow],
        row: u32,
        (bodies, shifts): (&mut [MovingBody], &mut [Twist]),
        beside: &Beside,
        x: Real,
    ) {
        self.add((rows, 1.0), row, beside, x, |r, x| shift_row(r, bodies, shifts, x));
    }

    fn add(
        &self,
        (rows, measure): (&mut [MovingRow], Real),
        row: u32,
        beside: &Beside,
        x: Real,
        mut act: impl FnMut(&MovingRow, Real),
    ) {
        if x == 0.0 {
            return;
        }
        let own = core::iter::once((row, x));
        let held = self.rows().iter().zip(beside.with).map(|(&k, with)| (k, with * x));
        for (k, x) in own.chain(held) {
            let row = &mut rows[k as usize];
            row.x += measure * x;
            act(row, x);
        }
    }

    /// Puts the held rows right, each by `limit` (m or rad) at most.
    pub(crate) fn hold(&self, rows: &mut [MovingRow], bodies: &mut [MovingBody], shifts: &mut [Twist], limit: Real) {
        let mut step = [0.0; MOST];
        for (to, &k) in step.iter_mut().zip(self.rows()) {
            *to = -bounded(row_error(&rows[k as usize], shifts), -limit, limit);
        }
        self.solve(&mut step);
        for (&k, change) in self.rows().iter().zip(step) {
            let row = &mut rows[k as usize];
            row.x += change;
            shift_row(row, bodies, shifts, change);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::moving::start;
    use drystone_core::{GroupProblem, GroupRow};
    use drystone_math::Vec3;
    use drystone_testkit::problem::{cube, pin, rigid_row};

    /// A cube pinned at two metres from its centre turns about the pin: `1 / (I + m r^2)` per unit of torque, and the pin stays in place.
    #[test]
    fn a_limit_acts_about_the_joint() {
        let (mass, arm) = (3.0, 2.0);
        let bodies = vec![cube(0, 0.0, Vec3::ZERO), cube(1, mass, Vec3::X * arm)];
        let mut p = GroupProblem { bodies, ..GroupProblem::default() };
        pin(&mut p, [0, 1], Vec3::ZERO);
        let turn = |sign: Real| Twist::new(Vec3::ZERO, Vec3::Z * sign);
        let row = ConstraintRow { limits: RowLimits::UNILATERAL, ..rigid_row([turn(-1.0), turn(1.0)]) };
        p.rows.push(GroupRow { bodies: [0, 1], row, impulse: 0.0, joint: 0, place: 3 });
        let (mut bodies, mut joints) = (Vec::new(), MovingJoints::default());
        start(&p, &mut bodies);
        joints.start(&p, 0.0);
        let rows = &mut joints.rows;
        let blocks = HeldRows::of_joint(rows, &(0..4), &bodies);
        assert_eq!((blocks.len(), blocks[0].rows()), (1, &[0, 1, 2][..]));
        let beside = blocks[0].beside(rows, 3, &bodies);
        let wanted = 1.0 / (mass / 6.0 + mass * arm * arm);
        assert!((beside.response - wanted).abs() < 1e-12 * wanted, "{} for {wanted}", beside.response);
        blocks[0].push((rows, 1.0), 3, &mut bodies, &beside, 5.0);
        let rates: Vec<Real> = rows.iter().map(|r| r.rate(&bodies)).collect();
        assert!(rates[..3].iter().all(|rate| rate.abs() < 1e-12), "{rates:?}");
        assert!((rates[3] - 5.0 * wanted).abs() < 1e-12 && rows[3].x == 5.0, "{rates:?}");
        // without the held rows it would act about the centre, and move the pin
        assert!(rows[3].coupling(&bodies, &rows[3]) > 20.0 * wanted);
        // a row that the held rows hold completely has no response
        rows[3].row = rows[0].row;
        assert_eq!(blocks[0].beside(rows, 3, &bodies).response, 0.0);
    }
}
