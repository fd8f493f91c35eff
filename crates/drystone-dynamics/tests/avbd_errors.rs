//! Augmented vertex block descent corrects the fraction of an error that it is told to.

use drystone_core::{ConstraintRow, GroupProblem, GroupRow};
use drystone_dynamics::{Avbd, AvbdParameters};
use drystone_math::{Twist, Vec3};
use drystone_testkit::problem::{Group, cube, rigid_row};

/// Of an error at the start of a step the fraction alpha is left; with alpha zero the error is gone after the step.
#[test]
fn the_part_alpha_of_an_error_is_left() {
    let (h, error) = (0.01, 0.02);
    for alpha in [0.95, 0.5, 0.0] {
        let mut p = GroupProblem { gravity: 9.81, ..GroupProblem::default() };
        p.bodies = vec![cube(0, 0.0, Vec3::ZERO), cube(1, 2.0, Vec3::Y)];
        let row = ConstraintRow { error, ..rigid_row([Twist::ZERO, Twist::new(Vec3::X, Vec3::ZERO)]) };
        p.rows.push(GroupRow { bodies: [0, 1], row, impulse: 0.0, joint: 0, place: 0 });
        let mut group = Group::from(p);
        let parameters = AvbdParameters { regularization: alpha, iterations: 40, ..AvbdParameters::default() };
        group.solve(&mut Avbd::new(parameters), h, h);
        let (way, expected) = (group.answer.displacement[1].linear.x, -(1.0 - alpha) * error);
        // each visit leaves at most half of it
        assert!((way - expected).abs() < 1e-9, "alpha {alpha}: {way} m, not {expected}");
    }
}
