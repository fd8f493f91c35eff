use super::group::Unsolved;
use super::target::target;
use crate::convex::{Goal, ProximalNewton};
use crate::formulation::{write_multipliers, write_velocity};
use crate::row_solver::{share_of, twist};
use crate::{ConstraintRows, FrictionModel, RowParameters, assemble};
use drystone_core::{GroupAnswer, GroupProblem, LcpSummary, SolveReport, Step};
use drystone_lcp::{Budget, LcpOperator};
use drystone_math::Real;

/// Most Newton steps of a solve: an arch of 300 stones takes 160 when it is loaded first, and three from then on.
const MOST: usize = 200;
/// Multiplications that take as long as a visit of a contact in a sweep, and visits that take as long as a contact's part in a Newton step.
const VISIT: Real = 125.0;
const VISITS_OF_CONTACT: Real = 4.3;

/// Newton's method for groups of contacts that sweeps leave unsolved: load that goes sideways through many contacts takes as many sweeps as the square of
/// their number.
///
/// Taken where a Newton step costs no more than a few sweeps: in stacks, arches, rows and small heaps, whose matrix has a narrow envelope.
#[derive(Debug, Default)]
pub(super) struct ContactNewton {
    rows: ConstraintRows,
    newton: ProximalNewton,
    /// Velocity changes, six numbers per body.
    changes: Vec<Real>,
    start: Vec<Real>,
}

impl ContactNewton {
    /// Goes on from the answer of sweeps, or from the impulses before them if these are better. Returns a report and true; or, with nothing written, false and a report of the
    /// work alone: if the group is too wide, if nothing better was found, or if the frame's work is spent.
    pub(super) fn solve(
        &mut self,
        problem: &GroupProblem,
        rows: &RowParameters,
        step: Step,
        left: Unsolved,
        answer: &mut GroupAnswer,
    ) -> (SolveReport, bool) {
        let friction = if rows.friction == FrictionModel::None { FrictionModel::None } else { FrictionModel::Cone };
        let own = RowParameters { friction, ..*rows };
        assemble(problem, &own, step.h, step.horizon, &mut self.rows);
        if self.rows.is_empty() {
            return <_>::default();
        }
        self.aim(problem, rows, step);
        self.newton.pose(&problem.bodies, &self.rows);
        let contacts = problem.contacts.len() as Real;
        let work_of_step = VISIT * VISITS_OF_CONTACT * contacts + self.newton.work();
        if work_of_step > left.worth * VISIT * contacts {
            return <_>::default();
        }
        let paid_for = ((share_of(problem).most(Budget::USUAL) - problem.spent) / work_of_step).max(0.0) as usize;
        let most = step.iterations(MOST).min(paid_for);
        self.choose_start(answer);
        let goal = Goal { off: left.off, residual: left.goal, enough: left.enough };
        let reached = self.newton.run(&self.rows, goal, most);
        let work = work_of_step * reached.newton_steps as Real;
        let exhausted = u64::from(reached.newton_steps >= paid_for);
        let spent = SolveReport { work, exhausted, ..SolveReport::default() };
        if most == 0 || reached.residual > left.off || !self.newton.f.iter().all(|x| x.is_finite()) {
            return (spent, false);
        }
        self.write(problem, answer);
        let lcp = LcpSummary {
            solves: reached.problems,
            iterations: reached.newton_steps as u64,
            residual_sum: reached.residual,
            residuals: 1,
            residual_max: reached.residual,
            variables_max: self.newton.variables(),
        };
        (SolveReport { lcp, ..spent }, true)
    }

    /// Makes normals ask for the same as in sweeps.
    fn aim(&mut self, problem: &GroupProblem, rows: &RowParameters, step: Step) {
        let free = |i: u32| {
            let body = &problem.bodies[i as usize];
            (body.velocity + body.external, body.pose.position)
        };
        for (own, c) in self.rows.contacts.iter().zip(&problem.contacts) {
            let [a, b] = c.bodies.map(|i| {
                let (velocity, position) = free(i);
                velocity.at(c.position - position)
            });
            self.rows.b[own.normal as usize] = c.normal.dot(b - a) - target(problem, c, rows, step);
        }
    }

    /// Starts from the impulses of the answer if they leave less energy than those before them.
    fn choose_start(&mut self, answer: &GroupAnswer) {
        let before = self.energy();
        self.start.clone_from(&self.rows.x);
        for (own, x) in self.rows.contacts.iter().zip(&answer.contacts) {
            let first = own.normal as usize;
            self.rows.x[first] = x.normal;
            if own.has_tangents {
                self.rows.x[first + 1..first + 3].copy_from_slice(&x.along(own.tangents));
            }
        }
        if before <= self.energy() {
            core::mem::swap(&mut self.rows.x, &mut self.start);
        }
    }

    /// The kinetic energy that the impulses of the rows add (J), with the right-hand side as the velocities before.
    fn energy(&mut self) -> Real {
        self.apply();
        let Self { rows, changes, .. } = self;
        let operator = &rows.operator;
        rows.x.iter().enumerate().map(|(i, x)| x * (0.5 * operator.row_dot(i, &rows.x, changes) + rows.b[i])).sum()
    }

    /// The velocity changes by the impulses of the rows.
    fn apply(&mut self) {
        let Self { rows, changes, .. } = self;
        changes.clear();
        changes.resize(6 * rows.operator.bodies(), 0.0);
        rows.operator.start(&rows.x, changes);
    }

    /// Writes impulses and, so that momentum is conserved to rounding, the velocities that they leave.
    fn write(&mut self, problem: &GroupProblem, answer: &mut GroupAnswer) {
        self.rows.x.clone_from(&self.newton.f);
        self.apply();
        for (i, change) in self.changes.as_chunks::<6>().0.iter().enumerate() {
            write_velocity(problem, answer, i, twist(change));
        }
        write_multipliers(problem, &mut self.rows, answer);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use drystone_math::Vec3;
    use drystone_testkit::Random;
    use drystone_testkit::problem::{block_on_floor, contact, cube, relative_velocity};

    const H: Real = 1.0 / 60.0;

    /// A stack of cubes of different masses, each of which is thrown and pulled sideways.
    fn stack(random: &mut Random) -> GroupProblem {
        let mut problem = block_on_floor(random.range(0.5, 5.0), H);
        let count = 2 + random.below(5) as u32;
        for k in 2..=count {
            let at = Vec3::Y * (Real::from(k) - 0.5);
            let mut body = cube(k, 10.0_f64.powf(random.range(-0.5, 0.5)), at);
            body.external.linear = Vec3::NEG_Y * (9.81 * H);
            problem.bodies.push(body);
            for (i, (x, z)) in [(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)].into_iter().enumerate() {
                let at = Vec3::new(x, Real::from(k) - 1.0, z);
                problem.contacts.push(contact([k - 1, k], at, Vec3::Y, k - 1, i as u32));
            }
        }
        for body in problem.bodies.iter_mut().skip(1) {
            let aside = random.vector(1.0);
            body.velocity.linear = Vec3::new(aside.x, 0.0, aside.z) * random.range(0.0, 0.5);
            body.velocity.angular = Vec3::Y * random.range(-0.5, 0.5);
            let pull = random.vector(0.1);
            body.external.linear += Vec3::new(pull.x, 0.0, pull.z);
        }
        let friction = random.range(0.1, 1.0);
        problem.contacts.iter_mut().for_each(|c| c.friction = friction);
        problem
    }

    /// By how much an answer breaks the law of contact (m/s): approach, bearing while opening, and slip that friction at its bound does not oppose.
    fn broken(problem: &GroupProblem, answer: &GroupAnswer) -> Real {
        let mut most: Real = 0.0;
        for (c, x) in problem.contacts.iter().zip(&answer.contacts) {
            let velocity = relative_velocity(problem, &answer.velocity, c);
            let normal = c.normal.dot(velocity);
            let slip = velocity - c.normal * normal;
            assert!(x.normal >= 0.0 && x.friction.length() <= c.friction * x.normal * (1.0 + 1e-9) + 1e-12);
            most = most.max(-normal);
            if x.normal > 1e-9 {
                most = most.max(normal);
                // at its bound against the slip; less only where nothing slips
                let short = c.friction * x.normal * slip.length() + x.friction.dot(slip);
                most = most.max(short / (c.friction * x.normal));
            }
        }
        most
    }

    /// Solved stacks obey Coulomb's law; stacks thrown apart so violently are solved to the end in about half of the
    /// cases. The control is the answer with all friction turned by a tenth of a radian.
    #[test]
    fn random_stacks_obey_coulombs_law() {
        let mut random = Random::new(52);
        let (mut solved, mut turned) = (0, 0);
        for member in 0..60 {
            let problem = stack(&mut random);
            let mut answer = GroupAnswer::default();
            answer.start(&problem);
            let unit = 9.81 * H;
            let left = Unsolved { off: unit, goal: 1e-6 * unit, enough: 1e-6 * unit, worth: Real::INFINITY };
            let rows = RowParameters::default();
            let mut newton = ContactNewton::default();
            let (report, went_on) = newton.solve(&problem, &rows, Step::new(H, H), left, &mut answer);
            assert!(went_on, "{member}");
            if report.lcp.residual_max > left.goal {
                continue;
            }
            solved += 1;
            let off = broken(&problem, &answer);
            assert!(off < 1e-5, "{member}: off by {off} m/s");
            for (c, x) in problem.contacts.iter().zip(&mut answer.contacts) {
                x.friction = x.friction * 0.1_f64.cos() + c.normal.cross(x.friction) * 0.1_f64.sin();
            }
            turned += usize::from(broken(&problem, &answer) > 1e-4);
        }
        assert!(solved >= 25, "solved {solved} of 60");
        assert!(turned > 15, "the control was noticed in {turned}");
    }

    /// The steps of all solves of a frame are paid from its work. The control is the same group with all of that work before it.
    #[test]
    fn steps_are_paid_from_the_work_of_the_frame() {
        let mut random = Random::new(18);
        let (mut cut, mut refused) = (0, 0);
        for member in 0..40 {
            let mut problem = stack(&mut random);
            let unit = 9.81 * H;
            let left = Unsolved { off: unit, goal: 0.0, enough: 0.0, worth: Real::INFINITY };
            let solve = |problem: &GroupProblem| {
                let mut answer = GroupAnswer::default();
                answer.start(problem);
                let (report, went_on) = ContactNewton::default().solve(
                    problem,
                    &RowParameters::default(),
                    Step::new(H, H),
                    left,
                    &mut answer,
                );
                (report.work, report.lcp.iterations, report.exhausted, went_on)
            };
            let (work, steps, exhausted, _) = solve(&problem);
            assert!(work > 0.0 && work <= Budget::USUAL && exhausted == 0, "{member}: {work} {exhausted}");
            // what is left pays for some of the steps, and others may take half of it
            problem.others = 0.5 * random.below(2) as Real;
            let left_over = work * random.unit();
            problem.spent = Budget::USUAL - left_over;
            let (paid, fewer, exhausted, went_on) = solve(&problem);
            assert!(paid <= left_over * (1.0 - problem.others) * (1.0 + 1e-6), "{member}: {paid} of {left_over}");
            assert_eq!(exhausted, 1, "{member}: {paid} of {work}");
            assert!(!went_on || fewer < steps, "{member}: {fewer} of {steps} steps");
            cut += usize::from(paid > 0.0);
            refused += usize::from(paid == 0.0);
        }
        assert!(cut > 20 && refused > 0, "{cut} {refused}");
    }
}
