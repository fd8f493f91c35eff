use super::step_of;
use crate::problem::{Group, block_on_floor};
use drystone_core::ConstraintSolver;
use drystone_math::{Real, Twist, Vec3};

/// Length of a step (s).
const H: Real = 0.01;
const MASS: Real = 10.0;
/// Number of steps in which a solver may find out that something rests.
const STEPS: usize = 40;

/// A block that lies on the floor, pulled sideways by less than friction holds, and one that slides. If an answer says that the group rests, it does rest, and the
/// next step has the same answer.
pub(super) fn check_rest(make: &mut dyn FnMut() -> Box<dyn ConstraintSolver>) {
    for (pull, speed) in [(0.0, 0.0), (0.02, 0.0), (0.0, 1.0)] {
        let mut solver = make();
        let step = step_of(solver.levels(), H);
        let what = format!("{}: a block pulled by {pull} m/s per step, at {speed} m/s", solver.name());
        let mut group = Group::from(block_on_floor(MASS, H));
        group.bodies[1].external.linear += Vec3::X * pull;
        group.bodies[1].velocity.linear = Vec3::X * speed;
        for _ in 0..STEPS {
            group.solve_step(solver.as_mut(), step);
            check_claim(&group, &what);
            let before = group.clone();
            group.go_on();
            if before.answer.rests {
                group.solve_step(solver.as_mut(), step);
                assert_eq!(group.answer, before.answer, "{what}: it rests, and its next step has another answer");
            }
        }
    }
}

/// A group that rests has no velocity, and its multipliers are passed on as they were given.
pub(super) fn check_claim(after: &Group, what: &str) {
    if !after.answer.rests {
        return;
    }
    let moving = after.bodies.iter().zip(&after.answer.velocity).find(|(b, v)| b.is_movable() && **v != Twist::ZERO);
    assert_eq!(moving, None, "{what}: the group rests, and a body moves");
    for (given, taken) in after.contacts.iter().zip(&after.answer.contacts) {
        assert_eq!(given.impulse, *taken, "{what}: the group rests, and an impulse changes");
    }
    for (given, taken) in after.rows.iter().zip(&after.answer.rows) {
        assert_eq!(given.impulse, *taken, "{what}: the group rests, and a multiplier changes");
    }
}
