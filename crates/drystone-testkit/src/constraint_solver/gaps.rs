use super::{ConstraintExpectations, HORIZON};
use crate::problem::{Group, block_on_floor};
use drystone_core::ConstraintSolver;
use drystone_math::{Real, Vec3};

/// Length of the step (s).
const H: Real = 0.01;
const MASS: Real = 10.0;

/// Bodies that are apart may come together within a step, but no further; bodies that are far apart fall freely.
// E-18, E-19
pub(super) fn check_gaps(make: &mut dyn FnMut() -> Box<dyn ConstraintSolver>, expect: ConstraintExpectations) {
    let name = make().name();
    let (fallen, carried) = fall(make, 1.0, 0.0);
    assert_eq!(carried, 0.0, "{name}: a floor 1 m below carries {carried} N s");
    let free = -9.81 * H * H;
    // sub-steps go less far: half as far in the limit
    let part = 0.5 + 0.5 / Real::from(make().sub_steps());
    assert!(
        (fallen - part * free).abs() < 1e-9 * free.abs(),
        "{name}: falls {fallen} m above a floor, not {part} of {free}"
    );
    if expect.complementarity {
        let (gap, speed) = (5e-3, 1.0);
        let (fallen, _) = fall(make, gap, speed);
        let left = gap + fallen;
        assert!(
            left.abs() <= expect.speed * H,
            "{name}: a gap of {gap} m that closes at {speed} m/s is {left} m after"
        );
    }
}

/// Distance that a block falling towards the floor goes in a step (m), and the impulse on the floor (N s).
fn fall(make: &mut dyn FnMut() -> Box<dyn ConstraintSolver>, gap: Real, speed: Real) -> (Real, Real) {
    let mut group = Group::from(block_on_floor(MASS, H));
    group.problem.bodies[1].pose.position.y += gap;
    group.problem.bodies[1].velocity.linear = Vec3::NEG_Y * speed;
    for c in &mut group.problem.contacts {
        c.separation = gap;
        // half on each body, as detection has it
        c.position.y += 0.5 * gap;
    }
    group.solve(make().as_mut(), H, HORIZON);
    let answer = &group.answer;
    let way = answer.displacement.get(1).map_or(answer.velocity[1].linear.y * H, |d| d.linear.y);
    (way, answer.contacts.iter().map(|c| c.normal).sum())
}
