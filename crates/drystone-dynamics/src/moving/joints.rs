use super::{MovingBody, way};
use core::ops::Range;
use drystone_core::{ConstraintRow, GroupAnswer, GroupProblem, Line, RowLimits};
use drystone_math::{Pose, Real, Twist, Vec3};

/// Stands for a row that the problem does not have.
const NO_PLACE: u32 = u32::MAX;

/// A row of a joint at the present poses.
#[derive(Debug, Clone, Copy)]
pub(crate) struct MovingRow {
    /// Local bodies A and B.
    pub(crate) bodies: [u32; 2],
    /// The row.
    pub(crate) row: ConstraintRow,
    /// Multiplier, in whatever measure the solver has it.
    pub(crate) x: Real,
    /// The rate that a limit which is run into is left at (m/s or rad/s).
    pub(crate) rebound: Real,
    /// Approach speed of a limit that bounces, when it was noted (m/s or rad/s); infinite for one that came near since.
    pub(crate) approach: Real,
    /// Stiffness (N/m or N m/rad), for solvers that build it up.
    pub(crate) stiffness: Real,
    /// The part of its error that is left as it is, for solvers that take out a part only (m or rad).
    pub(crate) spared: Real,
    /// Its place in the problem, or [`NO_PLACE`]: a limit that came near within the step.
    place: u32,
}

impl MovingRow {
    /// J u at the present velocities.
    pub(crate) fn rate(&self, bodies: &[MovingBody]) -> Real {
        self.row.rate(self.bodies.map(|i| bodies[i as usize].velocity))
    }

    /// The curvature of its constraint as its bodies turn freely, with the angular accelerations `turning` of all bodies (m/s^2 or rad/s^2): that of the row is for
    /// steady spins.
    pub(crate) fn free_curvature(&self, turning: &[Vec3]) -> Real {
        // a motor's row concerns only its speed: curvature plays no part in it
        if !self.row.correctable && self.row.curvature == 0.0 {
            return self.row.curvature;
        }
        let own = |k: usize| self.row.jacobian[k].angular.dot(turning[self.bodies[k] as usize]);
        self.row.curvature + own(0) + own(1)
    }

    /// `J W K^T` for the row of another one between the same bodies.
    pub(crate) fn coupling(&self, bodies: &[MovingBody], other: &Self) -> Real {
        (0..2)
            .map(|k| {
                let (j, change) =
                    (self.row.jacobian[k], bodies[self.bodies[k] as usize].response(other.row.jacobian[k]));
                j.linear.dot(change.linear) + j.angular.dot(change.angular)
            })
            .sum()
    }

    /// Acts on the velocities with a multiplier.
    pub(crate) fn push(&self, bodies: &mut [MovingBody], x: Real) {
        for k in 0..2 {
            let body = &mut bodies[self.bodies[k] as usize];
            body.velocity += body.response(self.row.jacobian[k]) * x;
        }
    }

    /// Brings a row that nothing can be asked for to the present poses. Along a line it goes with its points; the error of any other changes as its rate says.
    fn carry(&mut self, problem: &GroupProblem, bodies: &[MovingBody]) {
        let start = &problem.rows[self.place as usize].row;
        let starts = self.bodies.map(|i| &problem.bodies[i as usize].pose);
        if let Some(along) = along_line(start, starts, self.bodies.map(|i| &bodies[i as usize])) {
            self.row = along;
            return;
        }
        let ways: [Twist; 2] = self.bodies.map(|i| way(&problem.bodies[i as usize].pose, &bodies[i as usize].pose));
        self.row.error = start.error + start.rate(ways);
    }

    /// True if the row is unilateral: it comes and goes.
    pub(crate) fn is_limit(&self) -> bool {
        self.row.limits == RowLimits::UNILATERAL
    }
}

/// The rows of a group's joints at the present poses.
#[derive(Debug, Default)]
pub(crate) struct MovingJoints {
    /// All rows.
    pub(crate) rows: Vec<MovingRow>,
    /// Those of each joint; a force that acts by rows is one of its own.
    pub(crate) joints: Vec<Range<u32>>,
    before: Vec<MovingRow>,
    joints_before: Vec<Range<u32>>,
    fresh: Vec<ConstraintRow>,
}

impl MovingJoints {
    /// As at the start of the step, with the last multipliers times `scale`.
    pub(crate) fn start(&mut self, problem: &GroupProblem, scale: Real) {
        self.rows.clear();
        self.joints.clear();
        self.rows.extend(problem.rows.iter().enumerate().map(|(place, r)| MovingRow {
            bodies: r.bodies,
            row: r.row,
            x: r.impulse * scale,
            rebound: 0.0,
            approach: 0.0,
            stiffness: problem.row_stiffness.get(place).copied().unwrap_or_default(),
            spared: 0.0,
            place: place as u32,
        }));
        let mut next = 0;
        for joint in &problem.joints {
            self.joints.extend((next..joint.rows.start).map(|i| i..i + 1));
            self.joints.push(joint.rows.clone());
            next = joint.rows.end;
        }
        self.joints.extend((next..problem.rows.len() as u32).map(|i| i..i + 1));
    }

    /// Evaluates the rows at the present poses; multipliers stay with their rows.
    pub(crate) fn follow(&mut self, problem: &GroupProblem, bodies: &[MovingBody]) {
        if self.joints.is_empty() || self.follow_in_place(problem, bodies) {
            return;
        }
        core::mem::swap(&mut self.rows, &mut self.before);
        core::mem::swap(&mut self.joints, &mut self.joints_before);
        self.rows.clear();
        self.joints.clear();
        let Self { rows, joints, before, joints_before, fresh } = self;
        let mut now = Followed { rows, joints, before };
        walk(problem, bodies, (joints_before, fresh), |own, rows| {
            match rows {
                Some((rows, bodies)) => now.take(rows, bodies, own),
                None => now.carry(problem, bodies, own),
            }
            true
        });
    }

    /// The same as long as each joint has the rows that it had; false once one has others, with those before it followed.
    fn follow_in_place(&mut self, problem: &GroupProblem, bodies: &[MovingBody]) -> bool {
        let Self { rows, joints, fresh, .. } = self;
        let same = |(old, row): (&MovingRow, &ConstraintRow)| {
            old.is_limit() == (row.limits == RowLimits::UNILATERAL) && (!old.is_limit() || is_along(&old.row, row))
        };
        walk(problem, bodies, (joints, fresh), |own, now| {
            let own = &mut rows[own.start as usize..own.end as usize];
            let Some((now, _)) = now else {
                for row in own {
                    row.carry(problem, bodies);
                }
                return true;
            };
            let stay = own.len() == now.len() && own.iter().zip(now).all(same);
            if stay {
                own.iter_mut().zip(now).for_each(|(old, row)| old.row = *row);
            }
            stay
        })
    }

    /// Notes at what rate limits that are run into within `h` seconds are to be left.
    pub(crate) fn note_rebounds(&mut self, bodies: &[MovingBody], h: Real) {
        for r in self.rows.iter_mut().filter(|r| r.row.restitution > 0.0) {
            let rate = r.rate(bodies);
            r.approach = -rate;
            let arrives = r.is_limit() && rate < 0.0 && r.row.error.max(0.0) + rate * h <= 0.0;
            r.rebound = if arrives { -r.row.restitution * rate } else { 0.0 };
        }
    }

    /// Writes how stiff the rows are that the problem has.
    pub(crate) fn write_stiffness(&self, stiffness: &mut [Real]) {
        for r in &self.rows {
            if let Some(known) = stiffness.get_mut(r.place as usize) {
                *known = r.stiffness;
            }
        }
    }

    /// Adds the multipliers, times `scale`, to those of the answer.
    pub(crate) fn add_to(&self, answer: &mut GroupAnswer, scale: Real) {
        for r in &self.rows {
            if let Some(x) = answer.rows.get_mut(r.place as usize) {
                *x += r.x * scale;
            }
        }
    }
}

/// Rows at the present poses, as they are made from those of before.
struct Followed<'a> {
    rows: &'a mut Vec<MovingRow>,
    joints: &'a mut Vec<Range<u32>>,
    before: &'a [MovingRow],
}

impl Followed<'_> {
    /// Rows that nothing can be asked for.
    fn carry(&mut self, problem: &GroupProblem, bodies: &[MovingBody], range: Range<u32>) {
        let first = self.rows.len() as u32;
        for k in range {
            let mut row = self.before[k as usize];
            row.carry(problem, bodies);
            self.rows.push(row);
        }
        self.joints.push(first..self.rows.len() as u32);
    }

    /// The fresh rows of a joint, with the multipliers that they had. Limits come and go, and are known by the direction that they push in; all else keeps its order.
    fn take(&mut self, fresh: &[ConstraintRow], bodies: [u32; 2], before: Range<u32>) {
        let first = self.rows.len() as u32;
        let mut old = &self.before[before.start as usize..before.end as usize];
        for row in fresh {
            let limits = old.iter().take_while(|o| o.is_limit()).count();
            let known = if row.limits == RowLimits::UNILATERAL {
                old[..limits].iter().find(|o| is_along(&o.row, row))
            } else {
                let known = old.get(limits);
                old = &old[(limits + 1).min(old.len())..];
                known
            };
            let approach = if row.restitution > 0.0 { Real::INFINITY } else { 0.0 };
            self.rows.push(known.map_or(
                MovingRow {
                    bodies,
                    row: *row,
                    x: 0.0,
                    rebound: 0.0,
                    approach,
                    stiffness: 0.0,
                    spared: 0.0,
                    place: NO_PLACE,
                },
                |known| MovingRow { row: *row, bodies, ..*known },
            ));
        }
        self.joints.push(first..self.rows.len() as u32);
    }
}

/// Visits the joints of a group, each with the range of its rows, and with those that it has at the present poses and
/// their bodies; rows of which there are no others, with `None`. Ends, and returns false, where a visit returns false.
fn walk(
    problem: &GroupProblem,
    bodies: &[MovingBody],
    (joints, fresh): (&[Range<u32>], &mut Vec<ConstraintRow>),
    mut visit: impl FnMut(Range<u32>, Option<(&[ConstraintRow], [u32; 2])>) -> bool,
) -> bool {
    let mut own = joints.iter().cloned();
    let mut next = 0;
    for joint in &problem.joints {
        while next < joint.rows.start {
            if !visit(own.next().unwrap_or_default(), None) {
                return false;
            }
            next += 1;
        }
        let before = own.next().unwrap_or_default();
        let frames = joint.bodies.map(|i| bodies[i as usize].frame());
        fresh.clear();
        problem.rows_at(joint, [&frames[0], &frames[1]], fresh);
        if !visit(before, Some((fresh, joint.bodies))) {
            return false;
        }
        next = joint.rows.end;
    }
    own.all(|range| visit(range, None))
}

/// A row along a line, from how it was with its bodies at other poses; `None` if it is along none.
fn along_line(start: &ConstraintRow, starts: [&Pose; 2], bodies: [&MovingBody; 2]) -> Option<ConstraintRow> {
    let line = start.line?;
    let arms = [0, 1].map(|k| bodies[k].pose.orientation * (starts[k].orientation.conjugate() * line.arms[k]));
    let [a, b] = [0, 1].map(|k| (bodies[k].pose.position - starts[k].position) + (arms[k] - line.arms[k]));
    let gap = line.gap + (b - a);
    let n = gap.try_normalize()?;
    let now = Line { arms, gap };
    Some(ConstraintRow {
        jacobian: [Twist::new(-n, -arms[0].cross(n)), Twist::new(n, arms[1].cross(n))],
        error: start.error + (gap.length() - line.gap.length()),
        curvature: now.curvature(bodies.map(|b| b.velocity)),
        line: Some(now),
        ..*start
    })
}

/// Returns true if two rows of a joint push in nearly the same direction: the two limits of one coordinate push in
/// opposite ones, those of others aside.
fn is_along(a: &ConstraintRow, b: &ConstraintRow) -> bool {
    let dot = |a: &ConstraintRow, b: &ConstraintRow| -> Real {
        let pairs = a.jacobian.iter().zip(&b.jacobian);
        pairs.map(|(a, b)| a.linear.dot(b.linear) + a.angular.dot(b.angular)).sum()
    };
    let along = dot(a, b);
    along > 0.0 && along * along > 0.5 * dot(a, a) * dot(b, b)
}

#[cfg(test)]
mod tests {
    use super::*;
    use drystone_math::Vec3;
    use drystone_testkit::problem::rigid_row;

    fn limit(axis: Vec3) -> ConstraintRow {
        let turn = |sign: Real| Twist::new(Vec3::ZERO, axis * sign);
        ConstraintRow { limits: RowLimits::UNILATERAL, ..rigid_row([turn(-1.0), turn(1.0)]) }
    }

    /// The lower limit of a hinge bears when the upper one comes near too, before it in the order of rows: the multiplier stays with the lower one, and a rigid row
    /// between limits of two coordinates keeps its own.
    #[test]
    fn multipliers_stay_with_limits_that_come_and_go() {
        let [lower, upper, other] = [Vec3::Z, -Vec3::Z, Vec3::X].map(limit);
        let rigid = rigid_row([Twist::ZERO, Twist::new(Vec3::Y, Vec3::ZERO)]);
        let follow = |before: &[(ConstraintRow, Real)], fresh: &[ConstraintRow]| -> Vec<Real> {
            let (mut rows, mut joints) = (Vec::new(), Vec::new());
            Followed { rows: &mut rows, joints: &mut joints, before: &[] }.take(
                &before.iter().map(|(row, _)| *row).collect::<Vec<_>>(),
                [0, 1],
                0..0,
            );
            rows.iter_mut().zip(before).for_each(|(row, (_, x))| row.x = *x);
            let (before, mut rows, mut joints) = (rows, Vec::new(), Vec::new());
            let all = 0..before.len() as u32;
            Followed { rows: &mut rows, joints: &mut joints, before: &before }.take(fresh, [0, 1], all);
            rows.iter().map(|row| row.x).collect()
        };
        assert_eq!(follow(&[(lower, 3.0), (rigid, 5.0)], &[upper, lower, rigid]), [0.0, 3.0, 5.0]);
        assert_eq!(follow(&[(upper, 1.0), (lower, 3.0), (rigid, 5.0)], &[lower, rigid]), [3.0, 5.0]);
        assert_eq!(follow(&[(lower, 3.0), (rigid, 5.0), (other, 7.0)], &[upper, rigid, other]), [0.0, 5.0, 7.0]);
        assert_eq!(follow(&[(rigid, 5.0), (other, 7.0)], &[lower, rigid, lower, other]), [0.0, 5.0, 0.0, 7.0]);
    }
}
