//! Motors under augmented vertex block descent quickly reach their full force or their target speed.

use drystone_core::{ConstraintRow, GroupProblem, GroupRow, RowLimits};
use drystone_dynamics::{Avbd, AvbdParameters};
use drystone_math::{Twist, Vec3};
use drystone_testkit::problem::{Group, cube, rigid_row};

const H: f64 = 0.01;
const MASS: f64 = 2.0;

/// A body after this many sweeps, driven along x by a row.
fn driven(row: ConstraintRow, iterations: u32) -> Group {
    let mut p = GroupProblem { gravity: 9.81, ..GroupProblem::default() };
    p.bodies = vec![cube(0, 0.0, Vec3::ZERO), cube(1, MASS, Vec3::Y)];
    p.rows.push(GroupRow { bodies: [0, 1], row, impulse: 0.0, joint: 0, place: 0 });
    let mut group = Group::from(p);
    group.solve(&mut Avbd::new(AvbdParameters { iterations, ..AvbdParameters::default() }), H, H);
    group
}

fn along_x() -> ConstraintRow {
    rigid_row([Twist::ZERO, Twist::new(Vec3::X, Vec3::ZERO)])
}

fn motor(wished: f64, limit: f64) -> ConstraintRow {
    let limits = RowLimits { lo: -limit, hi: limit };
    ConstraintRow { target: wished, limits, correctable: false, ..along_x() }
}

/// A force at its bound does not depend on the motion: once the multiplier is at the bound, Newton's method is exact after one more visit.
#[test]
fn a_motor_at_its_limit_gives_its_whole_force_in_two_sweeps() {
    let limit = 3.0;
    // far beyond what the force can reach in a step (0.015 m/s), and slightly beyond: then the multiplier takes some sweeps to reach its bound
    for (wished, sweeps) in [(1000.0, 2), (-1000.0, 2), (0.02, 20), (-0.02, 20)] {
        let group = driven(motor(wished, limit), sweeps);
        let (speed, expected) = (group.answer.velocity[1].linear.x, wished.signum() * limit * H / MASS);
        assert!((speed - expected).abs() < 1e-12, "{speed} m/s, not {expected}");
        assert!((group.answer.rows[0] - wished.signum() * limit * H).abs() < 1e-12, "{:?}", group.answer.rows);
    }
}

/// At the least stiffness each sweep halves what is missing, together with its multiplier; at any other it leaves less. Twenty leave a millionth.
#[test]
fn a_motor_with_force_to_spare_has_its_speed() {
    for wished in [0.5, -3.0] {
        let speed = driven(motor(wished, 1e6), 20).answer.velocity[1].linear.x;
        assert!((speed / wished - 1.0).abs() < 1e-6, "{speed} m/s, not {wished}");
    }
}
