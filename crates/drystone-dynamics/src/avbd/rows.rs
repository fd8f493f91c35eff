use super::block::{Block, System};
use super::contacts::secant;
use super::parameters::{AvbdParameters, Scale};
use crate::moving::{HeldRows, MovingBody, MovingJoints, MovingRow};
use drystone_core::{GroupAnswer, GroupProblem, Softness};
use drystone_math::{Mat3, Real, Twist, Vec3};

/// The rows of a group's joints, as constraints on where bodies are at the end of the step.
#[derive(Debug, Default)]
pub(super) struct DescentRows {
    moving: MovingJoints,
    /// The displacements of the bodies at which the rows were evaluated.
    at: Vec<Twist>,
    /// Loads of each joint in the last step, along and about its axes (N, N m): rows that share a point share their
    /// stiffness.
    loads: Vec<[Real; 2]>,
}

impl Clone for DescentRows {
    /// Buffers are not copied: each instance has its own.
    fn clone(&self) -> Self {
        Self::default()
    }
}

/// The effect of a row: its force, the stiffness that stands for its change, and whether it is within its bounds.
struct Pull {
    force: Real,
    stiffness: Real,
    within: bool,
    error: Real,
}

impl DescentRows {
    /// Sets them up for the start of a step of `h` seconds, with the multipliers of the last one as forces.
    pub(super) fn start(
        &mut self,
        problem: &GroupProblem,
        bodies: &[MovingBody],
        parameters: &AvbdParameters,
        h: Real,
    ) {
        let Self { moving, loads, .. } = self;
        moving.start(problem, 1.0 / h);
        loads.clear();
        loads.extend(moving.joints.iter().map(|joint| {
            let mut squares = [0.0; 2];
            for r in &moving.rows[joint.start as usize..joint.end as usize] {
                squares[usize::from(turns(r))] += r.x * r.x;
            }
            squares.map(Real::sqrt)
        }));
        moving.note_rebounds(bodies, h);
        for r in &mut moving.rows {
            r.stiffness *= parameters.kept_stiffness();

            r.x = (r.x * parameters.kept()).clamp(r.row.limits.lo, r.row.limits.hi);
            if is_hard(r) {
                r.spared = parameters.spared() * if r.is_limit() { r.row.error.min(0.0) } else { r.row.error };
            }
        }
    }

    /// Evaluates the rows at the current placements of the bodies.
    pub(super) fn follow(
        &mut self,
        problem: &GroupProblem,
        bodies: &[MovingBody],
        blocks: &[Block],
        parameters: &AvbdParameters,
        h: Real,
    ) {
        let Self { moving, at, .. } = self;
        moving.follow(problem, bodies);
        at.clear();
        at.extend(blocks.iter().map(|b| b.way));
        for r in &mut moving.rows {
            let least = parameters.stiffness_start * unit(r, bodies, h);
            r.stiffness = r.stiffness.max(least);
        }
    }

    /// The bodies of each joint.
    pub(super) fn ends(&self) -> impl Iterator<Item = [u32; 2]> + Clone + '_ {
        // a joint without rows acts on no body
        let rows = &self.moving.rows;
        self.moving
            .joints
            .iter()
            .map(|j| rows.get(j.start as usize).filter(|_| !j.is_empty()).map_or([0; 2], |r| r.bodies))
    }

    /// Returns true if there is no row.
    pub(super) fn is_empty(&self) -> bool {
        self.moving.joints.is_empty()
    }

    /// Adds the forces of the last step to those on each body (N).
    pub(super) fn add_forces(&self, forces: &mut [Vec3]) {
        for r in &self.moving.rows {
            for (i, jacobian) in r.bodies.into_iter().zip(&r.row.jacobian) {
                forces[i as usize] += jacobian.linear * r.x;
            }
        }
    }

    /// Adds one joint to the system of one of its bodies.
    pub(super) fn add_to(&self, joint: usize, side: usize, blocks: &[Block], h: Real, system: &mut System) {
        let range = &self.moving.joints[joint];
        // sum e x c = sum (1 - e e^T) b determines the arm b as soon as two of the directions differ
        let (mut matrix, mut moment, mut force) = (Mat3::ZERO, Vec3::ZERO, Vec3::ZERO);
        for r in &self.moving.rows[range.start as usize..range.end as usize] {
            let pull = self.pull(r, blocks, h);
            let j = &r.row.jacobian[side];
            system.add(j, pull.force, pull.stiffness);
            let e = j.linear;
            matrix += Mat3::from_diagonal(Vec3::splat(e.length_squared())) - Mat3::from_cols(e * e.x, e * e.y, e * e.z);
            moment += e.cross(j.angular);
            force += e * pull.force;
        }
        if force != Vec3::ZERO && matrix.determinant() > ARM_KNOWN {
            system.stiffen(turning_stiffness(matrix.inverse() * moment, force));
        }
    }

    /// Multipliers and stiffness after a sweep.
    pub(super) fn update(
        &mut self,
        blocks: &[Block],
        bodies: &[MovingBody],
        parameters: &AvbdParameters,
        (scale, h): (Scale, Real),
    ) {
        for joint in 0..self.moving.joints.len() {
            let range = self.moving.joints[joint].start as usize..self.moving.joints[joint].end as usize;
            // from everything that the joint bears: rows that share a point share their stiffness
            let mut squares = [0.0; 2];
            for r in &self.moving.rows[range.clone()] {
                squares[usize::from(turns(r))] += self.pull(r, blocks, h).force.powi(2);
            }
            let known = self.loads[joint];
            let loads = [0, 1].map(|k| known[k].min(squares[k].sqrt()));
            for i in range {
                let pull = self.pull(&self.moving.rows[i], blocks, h);
                let r = &mut self.moving.rows[i];
                let scale = scale.under(parameters.stiffness_start * unit(r, bodies, h), loads[usize::from(turns(r))]);
                if pull.within {
                    r.stiffness = parameters.grown(r.stiffness, pull.error, scale);
                }
                r.stiffness = r.stiffness.min(scale.most(parameters));
                if parameters.dual_update || r.row.softness.is_soft() {
                    r.x = pull.force;
                }
            }
        }
    }

    /// From now on errors are removed completely.
    pub(super) fn spare_nothing(&mut self) {
        for r in &mut self.moving.rows {
            r.spared = 0.0;
        }
    }

    /// Records the forces at the end, if there are no multipliers that give them.
    pub(super) fn conclude(&mut self, blocks: &[Block], h: Real) {
        for i in 0..self.moving.rows.len() {
            let force = self.pull(&self.moving.rows[i], blocks, h).force;
            self.moving.rows[i].x = force;
        }
    }

    /// Lets limits bounce, at the end of a step of `h` seconds.
    pub(super) fn rebound(&mut self, bodies: &mut [MovingBody], h: Real) {
        let wanted = |r: &MovingRow| (r.rebound > 0.0 && r.x > 0.0).then_some(r.rebound);
        HeldRows::give_rates(&mut self.moving, bodies, [h, 1.0 / h], wanted);
    }

    /// Writes impulses and stiffness.
    pub(super) fn write(&self, problem: &GroupProblem, h: Real, answer: &mut GroupAnswer) {
        self.moving.add_to(answer, h);
        answer.row_stiffness.resize(problem.rows.len(), 0.0);
        self.moving.write_stiffness(&mut answer.row_stiffness);
    }

    /// The force that a row's error asks for, within its bounds.
    fn pull(&self, r: &MovingRow, blocks: &[Block], h: Real) -> Pull {
        let [lo, hi] = [r.row.limits.lo, r.row.limits.hi];
        let ways = r.bodies.map(|i| blocks[i as usize].way);
        if let Some([erp, cfm]) = servo(r) {
            // by a fraction of the error at the start, whatever resists it: through a multiplier, because a spring as stiff as this would act as a brake
            let way = r.row.rate(ways);
            let error = way + erp * (self.moved(r, ways) - way) - r.row.target * h;
            let yields = 1.0 / (1.0 + r.stiffness * cfm);
            let force = (r.x - r.stiffness * error) * yields;
            let (bound, within) = (force.clamp(lo, hi), lo < force && force < hi);
            let stiffness = if within { r.stiffness * yields } else { secant(r.x - bound, error, r.stiffness) };
            return Pull { force: bound, stiffness, within, error };
        }
        if let Some(Softness::Spring { stiffness, damping }) = r.row.softness.as_spring(h) {
            // a soft constraint is a force at the end of the step, as stiff as it has become
            let error = self.moved(r, ways);
            let open = r.is_limit() && error > 0.0;
            let (k, c) = if open { (0.0, 0.0) } else { (stiffness.min(r.stiffness), damping / h) };
            let force = -k * error - c * r.row.rate(ways);
            let within = lo < force && force < hi;
            return Pull { force: force.clamp(lo, hi), stiffness: k + c, within, error };
        }
        let error = if is_hard(r) { self.moved(r, ways) - r.spared } else { r.row.rate(ways) - r.row.target * h };
        let force = r.x - r.stiffness * error;
        let bound = force.clamp(lo, hi);
        let within = lo < force && force < hi;
        let stiffness = if within { r.stiffness } else { secant(r.x - bound, error, r.stiffness) };
        Pull { force: bound, stiffness, within, error }
    }

    /// A row's error at the current placements, to first order in the displacements since it was evaluated.
    fn moved(&self, r: &MovingRow, ways: [Twist; 2]) -> Real {
        let [a, b] = [0, 1].map(|k| ways[k] - self.at[r.bodies[k] as usize]);
        r.row.error + r.row.rate([a, b])
    }
}

/// The arm of a joint is known if the determinant of the directions of its rows is at least this; it is 2 for two unit vectors at right angles.
const ARM_KNOWN: Real = 1e-3;

/// Returns true if a row constrains positions and does not yield; motors and friction of joints constrain velocities.
fn is_hard(r: &MovingRow) -> bool {
    r.row.correctable && !r.row.softness.is_soft()
}

/// Error reduction and force mixing of a servo, which drives its error to zero as far as its force allows.
fn servo(r: &MovingRow) -> Option<[Real; 2]> {
    match r.row.softness {
        Softness::Fixed { erp, cfm } if !r.row.correctable && cfm > 0.0 => Some([erp, cfm]),
        _ => None,
    }
}

/// Returns true if a row acts on rotations alone.
fn turns(r: &MovingRow) -> bool {
    r.row.jacobian.iter().all(|j| j.linear == Vec3::ZERO)
}

/// The stiffness that halves a row's error in one visit; zero if nothing moves it.
fn unit(r: &MovingRow, bodies: &[MovingBody], h: Real) -> Real {
    let response = r.coupling(bodies, r);
    if response > 0.0 { 1.0 / (h * h * response) } else { 0.0 }
}

/// A diagonal matrix for what a force at the end of an arm adds to the stiffness of turning, `(b . f) 1 - (b f^T + f b^T) / 2`, made of the lengths of its columns:
/// positive for any force.
fn turning_stiffness(arm: Vec3, force: Vec3) -> Vec3 {
    let along = arm.dot(force);
    let column = |k: usize| {
        let mut column = (arm * force[k] + force * arm[k]) * -0.5;
        column[k] += along;
        column.length()
    };
    Vec3::new(column(0), column(1), column(2))
}
