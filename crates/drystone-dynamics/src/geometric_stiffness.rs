use crate::formulation::Formulation;
use crate::joint_pull::{outer, pulls};
use crate::kinetic_energy::{energy_by_inertia, inertia_of};
use crate::line_stiffness::Taut;
use crate::passive::{Effort, Passive};
use crate::stiffness_weight::{IMPLICIT, weight};
use drystone_core::settings;
use drystone_core::{GroupAnswer, GroupBody, GroupProblem, GroupRow, SolveReport, Step};
use drystone_lcp::Share;
use drystone_math::{Mat3, Real, Registers, SymmetricMat3, Vec3};
use pulp::{Simd, WithSimd};

settings! {
    /// Fraction of the joints' geometric stiffness that counts as inertia, see [`stiffen`].
    #[derive(Debug, Clone, Copy, PartialEq)]
    pub struct GeometricStiffness {
        /// fraction of the joints' geometric stiffness h^2 K that is added to the inertia if the step does not resolve it: 0.25 is the trapezoidal
        /// rule, 0.5 is safe when tensions change fast, 0: none
        factor "geometric_stiffness": Real = real(0.5, 0.0, 1e6),
        /// fraction of that inertia that resists turning itself: damps stiff modes
        damping "geometric_damping": Real = real(0.1, 0.0, 10.0),
    }
}

impl GeometricStiffness {
    /// None of it.
    pub(crate) const NONE: Self = Self { factor: 0.0, damping: 0.0 };

    /// True if the stiffness acts on the whole velocity instead of only its change: implicit Euler, for bodies without
    /// inertia.
    fn is_implicit(&self) -> bool {
        self.damping >= IMPLICIT
    }
}

/// A solver with joints stiffened by the impulses of the last solve; if these have changed suddenly, solved again with the impulses of a plain solve.
#[derive(Debug)]
pub(crate) struct Stiffened {
    pub(crate) stiffness: GeometricStiffness,
    inner: Passive,
    stiff: GroupProblem,
    inertia: Vec<SymmetricMat3>,
    /// The inertias of the stiffened bodies.
    stiff_inertia: Vec<SymmetricMat3>,
    /// By body: true if a joint holds it to another one that moves.
    linked: Vec<bool>,
    /// The largest kinetic energy (J) with which the current problem may end.
    most: Real,
    /// True if the impulses that the last problem began with gave the right stiffness: `stiff` is then that problem.
    held: bool,
}

impl Stiffened {
    pub(crate) fn new(inner: Passive) -> Self {
        let (stiff, inertia, stiff_inertia, linked) = Default::default();
        let stiffness = GeometricStiffness::NONE;
        Self { stiffness, inner, stiff, inertia, stiff_inertia, linked, most: 0.0, held: false }
    }

    pub(crate) fn formulation(&self) -> &dyn Formulation {
        self.inner.formulation.as_ref()
    }

    /// Begins a solve of a group ([`Formulation::begin`]).
    pub(crate) fn begin(&mut self, share: Share) {
        self.inner.formulation.begin(share);
    }

    pub(crate) fn solve(
        &mut self,
        problem: &GroupProblem,
        step: Step,
        effort: Effort,
        answer: &mut GroupAnswer,
    ) -> SolveReport {
        let GeometricStiffness { factor, damping } = self.stiffness;
        let was_held = core::mem::take(&mut self.held);
        if factor == 0.0 || step.h == 0.0 || problem.rows.is_empty() {
            return self.inner.solve(problem, step, effort, answer);
        }
        if self.stiffness.is_implicit() {
            return self.solve_implicit(problem, step, effort, answer);
        }
        let again = was_held && step.again && has_beginnings(problem);
        let stiffened = again || self.stiffen_anew(problem, step);
        let Self { stiff, inner, inertia, stiff_inertia, linked, most, held, .. } = self;
        let solved = |answer: &GroupAnswer| energy_by_inertia(problem, inertia, |i, _| answer.velocity[i]);
        let mut report = SolveReport::default();
        if stiffened {
            for (row, own) in stiff.rows.iter_mut().zip(&problem.rows) {
                // the solve starts where the last one ended
                row.impulse = own.impulse;
                row.row.curvature = own.row.curvature;
            }
            report.merge(&solve_longer(inner, stiff, Step { again, ..step }, effort, answer));
            answer.rows.truncate(problem.rows.len());
            // inertia that changes with the forces can add energy
            let keeps = solved(answer) <= *most;
            *held = keeps && !step.struck && pulls_alike(&problem.rows, &answer.rows);
            if *held || keeps && (step.struck || effort == Effort::Once) {
                return report;
            }
        }
        let step = Step { again: false, ..step };
        if step.struck || effort == Effort::Once {
            // what a blow asks of joints is not stiffness
            report.merge(&inner.solve(problem, step, effort, answer));
            return report;
        }
        // the forces have changed suddenly: use the stiffness given by the multipliers of a plain solve
        report.merge(&inner.solve(problem, step, effort, answer));
        let most = most.max(solved(answer));
        stiff.copy_without_joints(problem);
        stiff.start_from(answer);
        stiff_inertia.clone_from(inertia);
        if stiffen_bodies(stiff, (stiff_inertia, linked), [factor, damping], step.h) {
            report.merge(&solve_longer(inner, stiff, step, effort, answer));
            answer.rows.truncate(problem.rows.len());
            // if that adds energy, the plain solution is used
            if solved(answer) > most {
                stiff.copy_without_joints(problem);
                stiff.start_from(answer);
                report.merge(&inner.solve(stiff, step, effort, answer));
            }
        }
        report
    }

    /// Makes the problem with the stiffness of the impulses that joints had before the step, and computes its energies. Returns whether there is any stiffness.
    fn stiffen_anew(&mut self, problem: &GroupProblem, Step { h, struck, .. }: Step) -> bool {
        let Self { stiffness, stiff, inertia, stiff_inertia, linked, most, .. } = self;
        inertia.clear();
        inertia.extend(problem.bodies.iter().map(inertia_of));
        stiff_inertia.clone_from(inertia);
        let before = energy_by_inertia(problem, inertia, |_, b| b.velocity);
        *most = before.max(energy_by_inertia(problem, inertia, |_, b| b.velocity + b.external));
        stiff.copy_without_joints(problem);
        if has_beginnings(problem) || struck && problem.row_beginnings.len() == problem.rows.len() {
            for (row, impulse) in stiff.rows.iter_mut().zip(&problem.row_beginnings) {
                row.impulse = *impulse;
            }
        }
        stiffen_bodies(stiff, (stiff_inertia, linked), [stiffness.factor, stiffness.damping], h)
    }

    /// Solves with the stiffness of the resulting forces themselves, as implicit Euler does: more stiffness than that only makes it slower, less makes it unstable.
    fn solve_implicit(
        &mut self,
        problem: &GroupProblem,
        step: Step,
        effort: Effort,
        answer: &mut GroupAnswer,
    ) -> SolveReport {
        let Self { stiffness: GeometricStiffness { factor, damping }, stiff, stiff_inertia, linked, inner, .. } = self;
        let mut report = SolveReport::default();
        stiff.copy_without_joints(problem);
        for _ in 0..ROUNDS {
            stiff_inertia.clear();
            stiff_inertia.extend(problem.bodies.iter().map(inertia_of));
            stiffen_bodies(stiff, (stiff_inertia, linked), [*factor, *damping], step.h);
            report.merge(&solve_longer(inner, stiff, step, effort, answer));
            answer.rows.truncate(problem.rows.len());
            if effort == Effort::Once || pulls_alike(&stiff.rows[..problem.rows.len()], &answer.rows) {
                break;
            }
            stiff.copy_without_joints(problem);
            stiff.start_from(answer);
        }
        report
    }
}

/// Largest number of rounds in which implicit Euler looks for the stiffness of its own forces. In a bridge that takes a load, two rounds are stable and four settle.
const ROUNDS: usize = 4;

/// Solves a problem with rows for which the answer has no place yet.
fn solve_longer(
    inner: &mut Passive,
    problem: &GroupProblem,
    step: Step,
    effort: Effort,
    answer: &mut GroupAnswer,
) -> SolveReport {
    answer.rows.resize(problem.rows.len(), 0.0);
    inner.solve(problem, step, effort, answer)
}

/// Returns true if the joint forces of a step that is solved again are about those of its first solve: it then has the
/// same stiffness, and thus the same matrix.
fn has_beginnings(problem: &GroupProblem) -> bool {
    let first = &problem.row_beginnings;
    !first.is_empty() && first.len() == problem.rows.len() && pulls_alike(&problem.rows, first)
}

/// By which fraction a joint's impulse may change in a solve whose stiffness is that of the previous impulse.
const ALIKE: Real = 0.25;
/// Impulses of joints below this fraction of the largest one in the group do not count.
const SMALL: Real = 0.01;

/// Returns true if the forces of all joints of a group are about those of the last solve.
fn pulls_alike(rows: &[GroupRow], multipliers: &[Real]) -> bool {
    let largest = multipliers.iter().fold(0.0, |m: Real, x| m.max(x.abs()));
    let mut first = 0;
    rows.chunk_by(|a, b| a.joint == b.joint).all(|rows| {
        let now = &multipliers[first..first + rows.len()];
        first += rows.len();
        let (mut change, mut size) = (0.0, (SMALL * largest).powi(2));
        for (row, x) in rows.iter().zip(now) {
            change += (x - row.impulse).powi(2);
            size += x * x;
        }
        change <= ALIKE * ALIKE * size
    })
}

/// Adds `factor h^2` times the geometric stiffness of its joints to the inertia of each body, in this problem alone, if the step does not
/// resolve it. Returns whether there was such a joint.
///
/// A joint's force F that acts on a body at the end of an arm b exerts a torque: when the body turns by a small angle, so does b, and the
/// torque `b x F` changes by `-K` times the angle, `K = (b . F) 1 - b F^T`. A link under tension T is a pendulum of that stiffness, and a
/// method that takes the direction of the force from the start of the step is unstable if `h sqrt(K / I) > 2`, as is every chain with a
/// heavy end at the usual steps. With `I + h^2 K / 4` in place of I the step is that of the trapezoidal rule for these modes, which is
/// stable at any step and loses no energy; it only makes the stiff ones slower. `K` is estimated from the last multipliers (they are
/// impulses: `h^2 K(F) = h K(F h)`). A turn about b moves no arm, and the effect of a turn across it on the torque about b acts back on
/// nothing: K has the eigenvalue `b . F`, twice, and zero. So it is replaced by `(b . F) (1 - b b^T / b^2)` if `b . F` is positive.
///
/// The external velocity change is scaled with the inertia, so that torques are unchanged. `damping` times the same
/// inertia resists the angular velocity itself: a little of it removes the energy that the changing estimate of K adds.
/// A body that hangs from the world alone is not slowed: it swings as a whole, with `I + m b^2` about its pivot, which is no stiff mode.
///
/// A rope or rod under tension T has both its ends as arms, and its direction turns as they move across it: `T / L` both ways, between two
/// points of two bodies, which is an inertia of neither. It is appended as two yielding rows.
///
/// All of it is weighted joint by joint, by y / (1 + y), y = (h^2 K / 2 I)^4, and left out if h^2 K / I is below a half: a mechanism whose links the step
/// resolves is solved as it is, and what the step does not resolve is stiffened in full before it becomes unstable. From `damping` 1 on, where the whole
/// velocity is affected as it is without inertia, the weight is one: explicit Euler is unstable from 2 on, and what several joints leave out of one body adds up.
///
/// # Source
/// M. Tournier, M. Nesme, B. Gilles, F. Faure, "Stable constrained dynamics", 2015; S. Andrews, M. Teichmann, P. Kry,
/// "Geometric stiffness for real-time constrained multibody dynamics", 2017. Differs in: the stiffness acts on the change of the angular velocity
/// and only `damping` of the velocity (near the trapezoidal rule, instead of implicit Euler); joints that need no stiffness have none.
pub fn stiffen(problem: &mut GroupProblem, factor: Real, damping: Real, h: Real) -> bool {
    let mut inertia: Vec<_> = problem.bodies.iter().map(inertia_of).collect();
    stiffen_bodies(problem, (&mut inertia, &mut Vec::new()), [factor, damping], h)
}

/// [`stiffen`] of bodies whose inertia is known.
fn stiffen_bodies(
    problem: &mut GroupProblem,
    (inertia, linked): (&mut [SymmetricMat3], &mut Vec<bool>),
    [factor, damping]: [Real; 2],
    h: Real,
) -> bool {
    if factor * h == 0.0 {
        return false;
    }
    note_links(problem, linked);
    Registers::new().dispatch(Stiffening { problem, inertia, linked, factors: [factor, damping], h })
}

/// Notes by body whether a joint holds it to another one that moves.
fn note_links(problem: &GroupProblem, linked: &mut Vec<bool>) {
    linked.clear();
    linked.resize(problem.bodies.len(), false);
    for r in &problem.rows {
        let ends = r.bodies.map(|i| i as usize);
        for side in 0..2 {
            linked[ends[side]] |= problem.bodies[ends[1 - side]].is_movable() && ends[0] != ends[1];
        }
    }
}

/// [`stiffen_bodies`] with whatever registers the processor has. Nothing is reordered or fused: the bits are the same on all of them.
struct Stiffening<'a> {
    problem: &'a mut GroupProblem,
    inertia: &'a mut [SymmetricMat3],
    linked: &'a [bool],
    factors: [Real; 2],
    h: Real,
}

impl WithSimd for Stiffening<'_> {
    type Output = bool;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _simd: S) -> bool {
        let Self { problem, inertia, linked, factors, h } = self;
        let (mut any, mut first, own) = (false, 0, problem.rows.len());
        while first < own {
            let joint = problem.rows[first].joint;
            let count = problem.rows[first..own].iter().take_while(|r| r.joint == joint).count();
            let rows = &problem.rows[first..first + count];
            let taut = Taut::of(rows);
            let pulls = taut.map_or_else(|| pulls(rows), |taut| taut.pulls().map(Some));
            for (side, pull) in pulls.into_iter().enumerate() {
                if let Some((arm, impulse)) = pull {
                    let body = rows_body(&problem.rows[first], side);
                    // what hangs from the world alone swings as a whole: that is no stiff mode
                    let damping = if linked[body] || factors[1] >= IMPLICIT { factors[1] } else { 0.0 };
                    let both = (&mut problem.bodies[body], &mut inertia[body]);
                    any |= add(both, positive_part(arm, impulse), [factors[0], damping], h);
                }
            }
            any |= taut.is_some_and(|taut| taut.push_across(problem, factors, h));
            first += count;
        }
        any
    }
}

fn rows_body(row: &GroupRow, side: usize) -> usize {
    row.bodies[side] as usize
}

/// `max(b . F, 0) (1 - b b^T / b^2)`.
#[inline(always)]
fn positive_part(b: Vec3, f: Vec3) -> SymmetricMat3 {
    let Some(n) = b.try_normalize() else { return SymmetricMat3::ZERO };
    SymmetricMat3::from_mat3(&((Mat3::IDENTITY - outer(n, n)) * b.dot(f).max(0.0)))
}

/// `stiffness` is K h, computed from impulses. Returns whether the step needs it.
#[inline(always)]
fn add(
    (body, inertia): (&mut GroupBody, &mut SymmetricMat3),
    stiffness: SymmetricMat3,
    [factor, damping]: [Real; 2],
    h: Real,
) -> bool {
    // the two directions in which K acts, on average
    let (k, w) = (stiffness, body.inverse_inertia);
    let trace = k.diagonal.dot(w.diagonal) + 2.0 * k.off_diagonal.dot(w.off_diagonal);
    let weight = weight(0.5 * h * trace, damping);
    if weight == 0.0 || *inertia == SymmetricMat3::ZERO {
        return false;
    }
    let scale = factor * h * weight;
    let stiffened = SymmetricMat3 {
        diagonal: inertia.diagonal + k.diagonal * scale,
        off_diagonal: inertia.off_diagonal + k.off_diagonal * scale,
    };
    let Some(inverse) = stiffened.inverse() else { return false };
    let torque = inertia.mul_vec(body.external.angular) - k.mul_vec(body.velocity.angular) * (damping * scale);
    *inertia = stiffened;
    body.inverse_inertia = inverse;
    body.external.angular = inverse.mul_vec(torque);
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::RowParameters;
    use crate::formulation::Outcome;
    use drystone_core::BodyIndex;
    use drystone_lcp::{LcpSolver, ProjectedGaussSeidel};
    use drystone_math::{Pose, Twist};
    use drystone_testkit::problem::rigid_row;

    /// A rod that hangs from the world by three rows with the given impulse.
    fn hanging(impulse: Vec3, arm: Vec3) -> GroupProblem {
        let body = GroupBody {
            index: BodyIndex(0),
            inverse_mass: 1.0,
            inverse_inertia: SymmetricMat3::from_diagonal(Vec3::new(10.0, 100.0, 10.0)),
            pose: Pose::IDENTITY,
            velocity: Twist::ZERO,
            external: Twist::new(Vec3::ZERO, Vec3::new(1.0, 2.0, 3.0)),
        };
        let rows = Vec3::AXES.map(|e| GroupRow {
            bodies: [0, 0],
            row: rigid_row([Twist::ZERO, Twist::new(e, arm.cross(e))]),
            impulse: impulse.dot(e),
            joint: 0,
            place: 0,
        });
        GroupProblem { bodies: vec![body], rows: rows.to_vec(), ..GroupProblem::default() }
    }

    #[test]
    fn a_rod_under_tension_turns_as_if_it_were_heavier_and_spins_as_before() {
        let (h, tension, arm) = (0.01, 5000.0, Vec3::new(0.0, 0.3, 0.0));
        let mut p = hanging(Vec3::Y * (tension * h), arm);
        assert!(stiffen(&mut p, 0.25, 0.0, h));
        let inertia = p.bodies[0].inverse_inertia.inverse().unwrap().to_mat3();
        // h^2 K / I is 1.5
        let added = 0.25 * h * h * tension * 0.3 * weight(1.5, 0.0);
        assert!((inertia.x_axis.x - (0.1 + added)).abs() < 1e-12 && (inertia.z_axis.z - (0.1 + added)).abs() < 1e-12);
        assert!((inertia.y_axis.y - 0.01).abs() < 1e-12);
        // the torque stays the same
        let torque = inertia * p.bodies[0].external.angular;
        assert!((torque - Vec3::new(0.1, 0.02, 0.3)).length() < 1e-12);
    }

    /// Answers with one spin for the plain problem, with another if the rod is heavier.
    #[derive(Debug)]
    struct Told {
        plain: Vec3,
        stiffened: Vec3,
        parameters: RowParameters,
    }

    impl Formulation for Told {
        fn name(&self) -> &'static str {
            "told"
        }

        fn parameters(&self) -> &RowParameters {
            &self.parameters
        }

        fn begin(&mut self, _: Share) {}

        fn solve(&mut self, problem: &GroupProblem, _: Step, _: Real, answer: &mut GroupAnswer) -> Outcome {
            let heavier = problem.bodies[0].inverse_inertia.diagonal.x < 9.99;
            answer.velocity[0] = Twist::new(Vec3::ZERO, if heavier { self.stiffened } else { self.plain });
            for (row, r) in answer.rows.iter_mut().zip(&problem.rows) {
                *row = r.impulse;
            }
            Outcome::default()
        }

        fn lcp(&self) -> Box<dyn LcpSolver> {
            Box::new(ProjectedGaussSeidel::default())
        }

        fn fork(&self) -> Box<dyn Formulation> {
            Box::new(Self { parameters: self.parameters, ..*self })
        }
    }

    #[test]
    fn a_stiffened_solution_with_more_energy_than_any_other_is_not_taken() {
        let h = 0.01;
        let problem = hanging(Vec3::Y * (5000.0 * h), Vec3::new(0.0, 0.3, 0.0));
        let spin = |stiffened: Vec3| {
            let told = Told { plain: Vec3::X, stiffened, parameters: RowParameters::default() };
            let mut solver = Stiffened::new(Passive::new(Box::new(told)));
            solver.stiffness = GeometricStiffness { factor: 0.25, damping: 0.0 };
            let mut answer = GroupAnswer::default();
            answer.start(&problem);
            solver.solve(&problem, Step::new(h, h), Effort::Whole, &mut answer);
            answer.velocity[0].angular
        };
        // the forces alone would turn it at most as fast as (1, 2, 3)
        assert_eq!(spin(Vec3::X * 1.5), Vec3::X * 1.5);
        assert_eq!(spin(Vec3::X * 50.0), Vec3::X);
    }

    #[test]
    fn a_rod_under_pressure_is_left_alone() {
        let mut p = hanging(Vec3::Y * -5.0, Vec3::new(0.0, 0.3, 0.0));
        let before = p.clone();
        assert!(!stiffen(&mut p, 0.25, 0.1, 0.01));
        assert!((p.bodies[0].inverse_inertia.diagonal - before.bodies[0].inverse_inertia.diagonal).length() < 1e-12);
    }

    #[test]
    fn what_the_step_resolves_and_what_pulls_across_the_arm_is_left_alone() {
        let arm = Vec3::new(0.0, 0.3, 0.0);
        for impulse in [Vec3::Y * 10.0, Vec3::new(1e4, 0.0, 1e4)] {
            let mut p = hanging(impulse, arm);
            let before = p.clone();
            assert!(!stiffen(&mut p, 0.25, 0.1, 0.01));
            assert_eq!(p, before);
        }
    }

    #[test]
    fn the_stiffness_is_that_of_the_torque_when_the_arm_turns() {
        let b = Vec3::new(0.3, -0.2, 0.5);
        for f in [Vec3::new(1.0, 2.0, 4.0), Vec3::new(3.0, -2.0, 5.0), Vec3::new(-3.0, 2.0, -4.9)] {
            for v in [Vec3::X, Vec3::new(0.2, 0.7, -0.3), b] {
                // across the arm, which is where it acts back on itself
                let across = |v: Vec3| v - b * (b.dot(v) / b.length_squared());
                let found = -across(positive_part(b, f).mul_vec(across(v)));
                let wanted = if b.dot(f) > 0.0 { across(across(v).cross(b).cross(f)) } else { Vec3::ZERO };
                assert!((found - wanted).length() < 1e-12, "{found} {wanted}");
            }
        }
    }
}
