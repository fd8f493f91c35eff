//! Contacts held in distances at the end of the step, without friction: a nonlinear complementarity problem in the forces.
// Index loops over several arrays at once read as the equations do.
#![allow(clippy::needless_range_loop)]

mod elimination;
mod gaps;

use crate::row_solver::summary;
use drystone_core::catalogue::{Implementation, Parameter, Settings};
use drystone_core::{
    Configuration, ConstraintSolver, ContactImpulse, Executor, GroupAnswer, GroupProblem, Levels, Resolves,
    SolveReport, Step,
};
use drystone_lcp::{LcpReport, LcpStatus};
use drystone_math::{Real, Vec3};
use elimination::Elimination;
use gaps::Gaps;

pub(crate) const DESCRIPTION: Implementation = Implementation {
    name: "position-ncp",
    summary: "contact distances at the end of the step complementary to forces, by Newton's method; no friction, no bounce, no joints",
    source: "Lennerz, Schömer and Warken 1999, section 3; Fischer 1992",
    parameters: &[
        Parameter::choice(
            "method",
            "complementary",
            &["complementary", "bilateral"],
            "contacts push or are open, or (naive) hold on both sides and are let go a step after they have pulled",
        ),
        Parameter::integer("iterations", 50, 1, 1_000_000, "most steps of Newton's method"),
        Parameter::real("tolerance", 1e-11, 0.0, 1.0, "distance at which it stops (m)"),
    ],
};

/// Added to the diagonal of the scaled matrix, at most and at least: contacts that depend on each other leave it regular.
const DAMPING: [Real; 2] = [1e-10, 1e-2];
/// Halvings of a step, and the part of the predicted decrease that is asked for.
const HALVINGS: usize = 12;
const SUFFICIENT: Real = 1e-4;

/// The method of SiLVIA: forces such that the distances of contacts at the end of the step are zero or the forces are, `delta(sigma(f)) >= 0`
/// complementary to `f >= 0`.
///
/// The end of the step `sigma(f)` is where bodies come with these forces, and delta its distances, not linearised: errors do not add up. With Fischer's function
/// `sqrt(a^2 + b^2) - a - b` of both sides it is a system of equations, solved by Newton's method with damped steps. Bodies go where the solve saw them.
///
/// The naive method takes contacts for bilateral: those that pushed in the last step, and those that would go in, have distance zero, so that a body which is to leave sticks for one step, and is
/// let go when its contact has pulled.
///
/// # Source
/// E-29 … E-31, Lennerz, Schömer and Warken 1999, equations (3) to (7). Differs in: torque arms r x n, orientations turned by h times the angular velocity instead
/// of a sum of quaternions, Newton's steps damped.
#[derive(Debug, Clone, Default)]
pub struct PositionNcp {
    /// Whether contacts hold on both sides.
    pub bilateral: bool,
    /// Most Newton steps.
    pub iterations: usize,
    /// Distance at which they end (m).
    pub tolerance: Real,
    gaps: Gaps,
    elimination: Elimination,
    /// Forces as distances: each the impulse times h times the response of its contact.
    x: Vec<Real>,
    trial: Vec<Real>,
    distance: Vec<Real>,
    /// Fischer's function, then the step.
    phi: Vec<Real>,
    /// By contact: whether it takes part.
    held: Vec<bool>,
}

impl PositionNcp {
    /// From its parameters.
    pub fn new(bilateral: bool, iterations: usize, tolerance: Real) -> Self {
        Self { bilateral, iterations, tolerance, ..Self::default() }
    }

    /// From checked settings.
    pub fn from_settings(s: &Settings) -> Self {
        Self::new(s.text("method") == "bilateral", s.integer("iterations") as usize, s.real("tolerance"))
    }

    /// Which contacts take part, and where the forces start.
    fn begin(&mut self, problem: &GroupProblem) {
        let Self { gaps, x, held, distance, .. } = self;
        x.clear();
        x.resize(problem.contacts.len(), 0.0);
        gaps.move_by(problem, x);
        gaps.distances(distance);
        held.clear();
        for (k, c) in problem.contacts.iter().enumerate() {
            let pushed = c.impulse.normal > 0.0;
            held.push(gaps.scale(k) > 0.0 && (!self.bilateral || pushed || distance[k] < 0.0));
            x[k] = if held[k] { c.impulse.normal.max(0.0) * gaps.scale(k) } else { 0.0 };
        }
    }

    /// Fischer's function of all contacts at the forces `x`, or their distances; the largest, and half the sum of squares.
    fn evaluate(&mut self, problem: &GroupProblem, trial: bool) -> (Real, Real) {
        let Self { gaps, x, trial: other, distance, phi, held, bilateral, .. } = self;
        let x = if trial { other } else { x };
        gaps.move_by(problem, x);
        gaps.distances(distance);
        phi.clear();
        phi.extend(x.iter().zip(&*distance).zip(&*held).map(|((&a, &b), held)| match (held, &bilateral) {
            (false, _) => 0.0,
            (true, true) => b,
            (true, false) => fischer(a, b),
        }));
        phi.iter().fold((0.0, 0.0), |(most, sum): (Real, Real), p| (most.max(p.abs()), sum + 0.5 * p * p))
    }

    /// Newton's steps; how many, and the largest distance that is left (m).
    fn iterate(&mut self, problem: &GroupProblem) -> (usize, Real) {
        let (mut error, mut merit) = self.evaluate(problem, false);
        let first = error;
        for step in 0..self.iterations {
            if error <= self.tolerance {
                return (step, error);
            }
            // Newton's method where it is near, of Levenberg and Marquardt where it is far
            let damping = (DAMPING[1] * error / first).clamp(DAMPING[0], DAMPING[1]);
            if !self.direction(damping) {
                return (step, error);
            }
            let mut length = 1.0;
            for halving in 0..=HALVINGS {
                self.trial.clear();
                self.trial.extend(self.x.iter().zip(&self.elimination.rhs).map(|(x, d)| x + length * d));
                let (e, m) = self.evaluate(problem, true);
                // the bilateral equations are nearly linear, and have no minimum to miss
                if m <= (1.0 - 2.0 * SUFFICIENT * length) * merit || halving == HALVINGS {
                    (error, merit) = (e, m);
                    break;
                }
                length *= 0.5;
            }
            core::mem::swap(&mut self.x, &mut self.trial);
        }
        (self.iterations, error)
    }

    /// Solves for the step at the present forces; false where it is not finite.
    fn direction(&mut self, damping: Real) -> bool {
        let Self { gaps, x, distance, phi, held, elimination, bilateral, .. } = self;
        elimination.reset(x.len());
        for k in 0..x.len() {
            elimination.rhs[k] = -phi[k];
            if !held[k] {
                elimination.row(k)[k] = 1.0;
                continue;
            }
            let [of_force, of_distance] = if *bilateral { [0.0, 1.0] } else { fischer_slopes(x[k], distance[k]) };
            let row = elimination.row(k);
            gaps.slopes(k, row);
            for (entry, held) in row.iter_mut().zip(&*held) {
                *entry = if *held { *entry * of_distance } else { 0.0 };
            }
            row[k] += of_force + damping * of_distance;
        }
        elimination.solve();
        elimination.rhs.iter().all(|d| d.is_finite())
    }
}

/// `sqrt(a^2 + b^2) - a - b`: zero where both are at least zero and one of them is.
fn fischer(a: Real, b: Real) -> Real {
    let length = (a * a + b * b).sqrt();
    // the difference of nearly equal numbers, without cancellation
    if a + b > 0.0 { -2.0 * a * b / (length + a + b) } else { length - a - b }
}

/// Its derivatives; one of many at the origin.
fn fischer_slopes(a: Real, b: Real) -> [Real; 2] {
    let length = (a * a + b * b).sqrt();
    if length > 0.0 { [a / length - 1.0, b / length - 1.0] } else { [core::f64::consts::FRAC_1_SQRT_2 - 1.0; 2] }
}

impl ConstraintSolver for PositionNcp {
    fn name(&self) -> &'static str {
        DESCRIPTION.name
    }

    fn levels(&self) -> Levels {
        Levels::VELOCITY
    }

    /// Distances are kept at the end of the step; nothing bounces.
    fn resolves(&self) -> Resolves {
        Resolves { restitution: true, positions: true }
    }

    fn solve(
        &mut self,
        problem: &GroupProblem,
        step: Step,
        _executor: &dyn Executor,
        answer: &mut GroupAnswer,
    ) -> SolveReport {
        if problem.contacts.is_empty() {
            return SolveReport::default();
        }
        self.gaps.load(problem, step.h);
        self.begin(problem);
        let (steps, error) = self.iterate(problem);
        for (k, impulse) in answer.contacts.iter_mut().enumerate() {
            let scale = self.gaps.scale(k);
            let least = if self.bilateral { Real::NEG_INFINITY } else { 0.0 };
            self.x[k] = if self.held[k] { self.x[k].max(least) } else { 0.0 };
            let normal = if scale > 0.0 { self.x[k] / scale } else { 0.0 };
            *impulse = ContactImpulse { normal, friction: Vec3::ZERO };
        }
        self.gaps.move_by(problem, &self.x);
        answer.displacement.clear();
        for (i, body) in problem.bodies.iter().enumerate() {
            if body.is_movable() {
                answer.velocity[i] = self.gaps.velocity(i);
            }
            answer.displacement.push(answer.velocity[i] * step.h);
        }
        let status = if error <= self.tolerance { LcpStatus::Converged } else { LcpStatus::IterationLimit };
        let report = LcpReport { status, iterations: steps, residual: Some(error / step.h), change: 0.0 };
        summary(&report, problem.contacts.len() as u64, 0)
    }

    fn cannot(&self, configuration: &Configuration) -> Option<&'static str> {
        (!configuration.joints.is_empty()).then_some("joints")
    }

    fn fork(&self) -> Box<dyn ConstraintSolver> {
        Box::new(Self::new(self.bilateral, self.iterations, self.tolerance))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use drystone_core::OneThread;
    use drystone_testkit::problem::block_on_floor;

    const H: Real = 0.01;

    #[test]
    fn fischers_function_is_zero_where_one_is_and_none_is_negative() {
        for (a, b) in [(0.0, 0.0), (0.0, 2.0), (3.0, 0.0), (1e-30, 0.0)] {
            assert_eq!(fischer(a, b), 0.0);
        }
        for (a, b) in [(1.0, 1.0), (-1.0, 0.0), (0.0, -1e-12), (-1.0, 2.0), (1e-9, 3.0), (-2.0, -1.0)] {
            assert!(fischer(a, b) != 0.0, "{a} {b}");
            let [da, db] = fischer_slopes(a, b);
            let step = 1e-7 * (a.abs() + b.abs());
            let slope = |d: [Real; 2]| (fischer(a + d[0], b + d[1]) - fischer(a - d[0], b - d[1])) / (2.0 * step);
            assert!((slope([step, 0.0]) - da).abs() < 1e-5 && (slope([0.0, step]) - db).abs() < 1e-5, "{a} {b}");
        }
    }

    /// Velocities upwards of a block on the floor that is pulled up at 0.1 m/s a step, for three steps; the contacts bore it before.
    fn lifted(bilateral: bool) -> [Real; 3] {
        let mut solver = PositionNcp::new(bilateral, 50, 1e-12);
        let mut problem = block_on_floor(2.0, H);
        for c in &mut problem.contacts {
            c.impulse.normal = 0.05;
        }
        problem.bodies[1].external.linear = Vec3::Y * 0.1;
        [0; 3].map(|_| {
            let mut answer = GroupAnswer::default();
            answer.start(&problem);
            solver.solve(&problem, Step::new(H, H), &OneThread, &mut answer);
            problem.start_from(&answer);
            problem.bodies[1].velocity = answer.velocity[1];
            let gap = answer.displacement[1].linear.y;
            problem.bodies[1].pose.position.y += gap;
            for c in &mut problem.contacts {
                c.separation += gap;
                c.position.y += 0.5 * gap;
            }
            answer.velocity[1].linear.y
        })
    }

    #[test]
    fn the_naive_method_sticks_for_one_step() {
        let close = |found: [Real; 3], wanted: [Real; 3]| found.iter().zip(wanted).all(|(f, w)| (f - w).abs() < 1e-9);
        let (naive, complementary) = (lifted(true), lifted(false));
        assert!(close(naive, [0.0, 0.1, 0.2]), "{naive:?}");
        assert!(close(complementary, [0.1, 0.2, 0.3]), "{complementary:?}");
    }
}
