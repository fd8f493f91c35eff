use crate::Random;
use crate::problem::{block_on_floor, energy, floating_pair, momentum, relative_velocity};
use drystone_core::{CollisionSolver, GroupProblem};
use drystone_math::{Real, Vec3};

/// Error allowed in momentum and in the speed with which contacts still approach (relative to speeds of 1 m/s and
/// masses of 10 kg): sequential solvers stop at a threshold of their own.
const TOLERANCE: Real = 1e-3;

/// Time until the next solve (s): gravity adds as much as the tolerance in it.
const HORIZON: Real = 1e-4;

/// The contract of [`CollisionSolver`]: momentum of free groups is kept, energy does not grow, contacts do not approach
/// afterwards (unless the report says that a cap stopped it), separating contacts and immovable bodies are left alone, and
/// the same problem gives the same bits, from a fork too.
///
/// # Panics
/// Where the solver breaks its contract.
pub fn check_collision_solver(make: &mut dyn FnMut() -> Box<dyn CollisionSolver>) {
    let mut random = Random::new(21);
    for round in 0..40 {
        let mut solver = make();
        let what = format!("{}: round {round}", solver.name());
        let before = floating_pair(&mut random);
        let mut after = before.clone();
        let report = solver.resolve(&mut after, HORIZON);
        check_momentum(&before, &after, &what);
        let (e0, e1) = (energy(&before, |b| b.solved), energy(&after, |b| b.solved));
        assert!(e1 <= e0 * (1.0 + 1e-9), "{what}: energy grew from {e0} to {e1}");
        for c in &after.contacts {
            let approach = -relative_velocity(&after, c).dot(c.normal);
            assert!(report.truncated || approach <= TOLERANCE, "{what}: still approaching at {approach} m/s");
        }
        assert!(report.impacts > 0, "{what}: head-on, but no impact in the report");

        // the same bits, from the used instance and from a fork
        for again in [&mut solver, &mut make().fork()] {
            let mut other = before.clone();
            again.resolve(&mut other, HORIZON);
            assert_eq!(other, after, "{what}: not the same bits");
        }
    }

    let mut solver = make();
    let name = solver.name();
    // bodies that part
    let mut parting = floating_pair(&mut random);
    for (b, x) in parting.bodies.iter_mut().zip([-1.0, 1.0]) {
        b.velocity.linear = Vec3::X * x;
        b.velocity.angular = Vec3::ZERO;
        b.solved = b.velocity;
    }
    let before = parting.clone();
    let report = solver.resolve(&mut parting, HORIZON);
    assert_eq!((report.impacts, &parting.bodies), (0, &before.bodies), "{name}: bodies that part are left alone");

    // onto an immovable floor
    let mut block = block_on_floor(10.0, 0.0);
    block.bodies[1].velocity.linear = Vec3::NEG_Y;
    block.bodies[1].solved = block.bodies[1].velocity;
    let floor = block.bodies[0];
    solver.resolve(&mut block, HORIZON);
    assert_eq!(block.bodies[0], floor, "{name}: an immovable body was moved");
    assert!(block.bodies[1].solved.linear.y >= -TOLERANCE, "{name}: falls through the floor");

    // nothing at all
    let mut empty = GroupProblem::default();
    assert_eq!(solver.resolve(&mut empty, HORIZON).impacts, 0);
}

pub(crate) fn check_momentum(before: &GroupProblem, after: &GroupProblem, what: &str) {
    let (p0, l0) = momentum(before, |b| b.solved);
    let (p1, l1) = momentum(after, |b| b.solved);
    let scale = 1e-9 * (1.0 + p0.length() + l0.length());
    assert!((p1 - p0).length() <= scale, "{what}: momentum went from {p0} to {p1}");
    assert!((l1 - l0).length() <= scale, "{what}: angular momentum went from {l0} to {l1}");
}
