//! Reports and impulses are the sums of their parts.

use drystone_core::{
    BodyFrame, ConstraintRow, ConstraintSource, ContactImpulse, GroupAnswer, GroupBody, GroupJoint, GroupProblem,
    Guesses, JointError, LcpSummary, SolveReport,
};
use drystone_math::{Pose, Real, SymmetricMat3, Twist, Vec3};
use std::sync::Arc;

#[test]
fn an_impulse_is_its_normal_part_and_friction_across() {
    let n = Vec3::new(2.0, -1.0, 2.0) / 3.0;
    let whole = Vec3::new(0.3, 0.7, -0.2);
    let parts = ContactImpulse::of_impulse(whole, n);
    assert!(n.dot(parts.friction).abs() < 1e-15 && (parts.total(n) - whole).length() < 1e-15, "{parts:?}");
    let squares = parts.normal * parts.normal + parts.friction.length_squared();
    assert!((squares - whole.length_squared()).abs() < 1e-15);
}

/// A report whose numbers are all different and not products of one another.
fn report(k: u64) -> SolveReport {
    let real = |n: u64| (n + k) as Real;
    let lcp = LcpSummary {
        solves: 2 + k,
        iterations: 3 + k,
        residual_sum: real(5),
        residuals: 2,
        residual_max: real(7),
        variables_max: 11 + k,
    };
    let guesses =
        Guesses { none_vanish: 13 + k, predicted: 17 + k, wrong: 19 + k, undecided: 23 + k, energy: real(29) };
    SolveReport {
        lcp,
        fallbacks: 31 + k,
        work: real(37),
        exhausted: 41 + k,
        inconsistent: 43 + k,
        jammed: 61 + k,
        guesses,
        lifted: real(47),
        paid: real(53),
        finished: 59 + k,
    }
}

#[test]
fn merged_reports_add_what_is_counted_and_keep_the_largest() {
    let mut both = report(0);
    both.merge(&report(100));
    let sum = |n: u64| 2 * n + 100;
    assert_eq!((both.lcp.solves, both.lcp.iterations, both.lcp.residuals), (sum(2), sum(3), 4));
    assert_eq!((both.lcp.mean_residual(), both.lcp.largest_residual()), (Some(110.0 / 4.0), Some(107.0)));
    assert_eq!(both.lcp.variables_max, 111);
    let counts = [both.fallbacks, both.exhausted, both.inconsistent, both.jammed, both.finished];
    assert_eq!(counts, [31, 41, 43, 61, 59].map(sum));
    assert_eq!([both.work, both.lifted, both.paid, both.guesses.energy], [37, 47, 53, 29].map(|n| sum(n) as Real));
    let g = both.guesses;
    assert_eq!([g.none_vanish, g.predicted, g.wrong, g.undecided], [13, 17, 19, 23].map(sum));
    // no residual was asked for: none is the largest; if the sum is NaN, the largest counts as infinite
    assert_eq!(LcpSummary::default().largest_residual(), None);
    let odd = LcpSummary { residual_sum: Real::NAN, residuals: 1, ..LcpSummary::default() };
    assert_eq!(odd.largest_residual(), Some(Real::INFINITY));
}

/// A solve starts from velocities that include the external forces; impacts and corrections from velocities without them.
#[test]
fn an_answer_starts_from_the_velocities_that_it_is_about() {
    let (velocity, external) = (Twist::new(Vec3::X, Vec3::Y), Twist::new(Vec3::Z * 0.5, Vec3::X * 0.25));
    let body = GroupBody {
        index: drystone_core::BodyIndex(0),
        inverse_mass: 1.0,
        inverse_inertia: SymmetricMat3::ZERO,
        pose: Pose::IDENTITY,
        velocity,
        external,
    };
    let problem = GroupProblem { bodies: vec![body], ..GroupProblem::default() };
    let mut answer = GroupAnswer::default();
    answer.start(&problem);
    assert_eq!(answer.velocity, [Twist::new(Vec3::new(1.0, 0.0, 0.5), Vec3::new(0.25, 1.0, 0.0))]);
    answer.start_impacts(&problem);
    assert_eq!(answer.velocity, [velocity]);
    answer.start_correction(&problem);
    assert_eq!((&*answer.velocity, &*answer.correction), (&[velocity][..], &[Twist::ZERO][..]));
}

struct Free;

impl ConstraintSource for Free {
    fn kind(&self) -> &'static str {
        "free"
    }
    fn rows(&self, _: [&BodyFrame; 2], _: &[Real], _: &mut Vec<ConstraintRow>) {}
    fn error(&self, _: [&BodyFrame; 2], _: &[Real]) -> JointError {
        JointError::default()
    }
}

#[test]
fn a_joint_of_a_group_is_itself_and_no_other() {
    let source: Arc<dyn ConstraintSource> = Arc::new(Free);
    let joint = GroupJoint { bodies: [0, 1], joint: 4, source: Arc::clone(&source), rows: 0..2, memory: 1..3 };
    assert_eq!(joint, joint.clone());
    for other in [
        GroupJoint { bodies: [1, 0], ..joint.clone() },
        GroupJoint { joint: 5, ..joint.clone() },
        GroupJoint { rows: 0..1, ..joint.clone() },
        GroupJoint { memory: 0..3, ..joint.clone() },
        GroupJoint { source: Arc::new(Free), ..joint.clone() },
    ] {
        assert_ne!(joint, other);
    }
}
