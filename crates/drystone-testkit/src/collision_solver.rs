use crate::Random;
use crate::problem::{Group, block_on_floor, floating_pair};
use drystone_core::CollisionSolver;
use drystone_math::{Real, Vec3};

/// Error allowed in momentum and in the speed at which contacts still approach (relative to speeds of 1 m/s and masses of 10 kg): sequential solvers stop at a
/// threshold of their own.
const TOLERANCE: Real = 1e-3;

/// Time until the next solve (s): within it gravity adds as much as the tolerance.
const HORIZON: Real = 1e-4;

/// The contract of [`CollisionSolver`]: the momentum of free groups is conserved; energy does not grow; afterwards no contact approaches (unless the report says
/// that a cap stopped the solver); separating contacts and immovable bodies are left alone; and the same problem gives the same bits, from a fork too.
///
/// # Panics
/// If the solver violates its contract.
pub fn check_collision_solver(make: &mut dyn FnMut() -> Box<dyn CollisionSolver>) {
    let mut random = Random::new(21);
    for round in 0..40 {
        let mut solver = make();
        let what = format!("{}: round {round}", solver.name());
        let before = Group::from(floating_pair(&mut random));
        let mut after = before.clone();
        let report = after.resolve(solver.as_mut(), HORIZON);
        check_momentum(&before, &after, &what);
        let (e0, e1) = (before.energy(), after.energy());
        assert!(e1 <= e0 * (1.0 + 1e-9), "{what}: energy grew from {e0} to {e1}");
        for c in &after.contacts {
            let approach = -after.relative_velocity(c).dot(c.normal);
            assert!(report.truncated || approach <= TOLERANCE, "{what}: still approaching at {approach} m/s");
        }
        assert!(report.impacts > 0, "{what}: head-on, but no impact in the report");

        // the same bits, from the used instance and from a fork
        for again in [&mut solver, &mut make().fork()] {
            let mut other = before.clone();
            other.resolve(again.as_mut(), HORIZON);
            assert_eq!(other, after, "{what}: not the same bits");
        }
    }

    let mut solver = make();
    let name = solver.name();
    // bodies that part
    let mut parting = Group::from(floating_pair(&mut random));
    for (b, x) in parting.problem.bodies.iter_mut().zip([-1.0, 1.0]) {
        b.velocity.linear = Vec3::X * x;
        b.velocity.angular = Vec3::ZERO;
    }
    let before = Group::from(parting.problem.clone());
    let report = parting.resolve(solver.as_mut(), HORIZON);
    assert_eq!((report.impacts, &parting.answer), (0, &before.answer), "{name}: bodies that part are left alone");

    // onto an immovable floor
    let mut block = Group::from(block_on_floor(10.0, 0.0));
    block.bodies[1].velocity.linear = Vec3::NEG_Y;
    block.resolve(solver.as_mut(), HORIZON);
    assert_eq!(block.answer.velocity[0], block.bodies[0].velocity, "{name}: an immovable body was moved");
    assert!(block.answer.velocity[1].linear.y >= -TOLERANCE, "{name}: falls through the floor");

    // nothing at all
    assert_eq!(Group::default().resolve(solver.as_mut(), HORIZON).impacts, 0);
}

pub(crate) fn check_momentum(before: &Group, after: &Group, what: &str) {
    check_momentum_within([1e-9; 2], before, after, what);
}

/// Linear and angular momentum stay what they were, to within these fractions of the momentum that there is.
pub(crate) fn check_momentum_within(parts: [Real; 2], before: &Group, after: &Group, what: &str) {
    let (p0, l0) = before.momentum();
    let (p1, l1) = after.momentum();
    let [linear, angular] = parts.map(|part| part * (1.0 + p0.length() + l0.length()));
    assert!((p1 - p0).length() <= linear, "{what}: momentum went from {p0} to {p1}");
    assert!((l1 - l0).length() <= angular, "{what}: angular momentum went from {l0} to {l1}");
}
