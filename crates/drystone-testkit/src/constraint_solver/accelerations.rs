use super::{ConstraintExpectations, HORIZON};
use crate::Random;
use crate::collision_solver::check_momentum_within;
use crate::problem::{Group, block_on_floor, evaluate_joints, floating_pair, jointed_pair, relative_velocity};
use drystone_core::{ConstraintSolver, GroupRow, Level, Step};
use drystone_math::{Real, Twist, Vec3};

/// The time for which external forces are given (s).
const H: Real = 1e-3;

/// Forces at one instant: they push, and only where accelerations would close a contact; joints accelerate as their curvature demands.
pub(super) fn check_accelerations(make: &mut dyn FnMut() -> Box<dyn ConstraintSolver>, expect: ConstraintExpectations) {
    let mut random = Random::new(37);
    for round in 0..20 {
        let what = format!("{}: accelerations, round {round}", make().name());
        check_touching_pair(make, &mut random, expect, &what);
        if expect.joints {
            check_joint(make, &mut random, expect, &what);
        }
    }
    check_bent_contacts(make, expect);
}

fn solve(make: &mut dyn FnMut() -> Box<dyn ConstraintSolver>, group: &mut Group) {
    group.solve_step(make().as_mut(), Step { level: Level::Acceleration, ..Step::new(H, HORIZON) });
}

/// Two cubes that move as one and are pulled at random: at each contact the normal force or the normal acceleration is zero, and neither is negative.
// E-02
fn check_touching_pair(
    make: &mut dyn FnMut() -> Box<dyn ConstraintSolver>,
    random: &mut Random,
    expect: ConstraintExpectations,
    what: &str,
) {
    let mut problem = floating_pair(random);
    let velocity = Twist::new(random.vector(1.0), Vec3::ZERO);
    for body in &mut problem.bodies {
        body.velocity = velocity;
        body.external = Twist::new(random.vector(10.0) * H, random.vector(10.0) * H);
    }
    let before = Group::from(problem);
    let mut after = before.clone();
    solve(make, &mut after);
    check_momentum_within([expect.momentum, expect.angular_momentum], &before, &after, what);
    for (c, impulse) in after.contacts.iter().zip(&after.answer.contacts) {
        let acceleration = relative_velocity(&after.problem, &after.answer.acceleration, c).dot(c.normal);
        let force = impulse.normal / H;
        assert!(force >= 0.0, "{what}: a contact pulls by {force} N");
        assert!(acceleration >= -expect.speed, "{what}: a contact closes at {acceleration} m/s2");
        let product = force * acceleration;
        assert!(product.abs() <= expect.speed * (1.0 + force), "{what}: {force} N where {acceleration} m/s2 open");
    }
}

/// `J u' = -J' u`: the second derivative of the constraint is zero, whatever the velocities.
// G-02
fn check_joint(
    make: &mut dyn FnMut() -> Box<dyn ConstraintSolver>,
    random: &mut Random,
    expect: ConstraintExpectations,
    what: &str,
) {
    let mut group = Group::from(jointed_pair(random));
    let joint_velocity = random.vector(1.0);
    for body in &mut group.problem.bodies {
        body.velocity.angular = random.vector(3.0);
        // the anchors move as one: the constraint is satisfied, and so is its rate
        body.velocity.linear = joint_velocity - body.velocity.angular.cross(-body.pose.position);
        body.external = Twist::new(random.vector(10.0) * H, random.vector(10.0) * H);
    }
    evaluate_joints(&mut group.problem);
    let curvatures = bend(&mut group);
    solve(make, &mut group);
    for (r, curvature) in group.rows.iter().zip(curvatures) {
        let [a, b] = r.bodies.map(|i| group.answer.acceleration[i as usize]);
        let [j, k] = &r.row.jacobian;
        let found =
            j.linear.dot(a.linear) + j.angular.dot(a.angular) + k.linear.dot(b.linear) + k.angular.dot(b.angular);
        let bends = found + curvature;
        assert!(bends.abs() <= expect.speed * (1.0 + curvature.abs()), "{what}: a joint bends at {bends} m/s2");
    }
}

/// Gives the rows of a satisfied pin the curvature that the spins of its bodies cause, as for a rate of motion: the target at the end of the step is what the
/// present rate and `-h C''` add up to. Returns `C''` in the absence of accelerations, by row.
fn bend(group: &mut Group) -> Vec<Real> {
    // the anchor points are at the origin
    let steady = [0, 1].map(|i| {
        let body = &group.problem.bodies[i];
        let spin = body.velocity.angular;
        spin.cross(spin.cross(-body.pose.position))
    });
    let velocities = [0, 1].map(|i| group.problem.bodies[i].velocity);
    let told = |r: &mut GroupRow| {
        let curvature = r.row.jacobian[1].linear.dot(steady[1] - steady[0]);
        r.row.target += r.row.rate(velocities) - H * curvature;
        curvature
    };
    group.problem.rows.iter_mut().map(told).collect()
}

/// The acceleration that a contact has from the bodies' motion alone is borne like a load: a block whose corners close in by steady motion is pushed harder.
fn check_bent_contacts(make: &mut dyn FnMut() -> Box<dyn ConstraintSolver>, expect: ConstraintExpectations) {
    let (mass, closes) = (10.0, 3.0);
    let mut group = Group::from(block_on_floor(mass, H));
    group.problem.contact_curvature = vec![Vec3::NEG_Y * closes; 4];
    solve(make, &mut group);
    let force: Real = group.answer.contacts.iter().map(|c| c.normal).sum::<Real>() / H;
    let (weight, what) = (mass * (9.81 + closes), make().name());
    assert!((force - weight).abs() <= mass * expect.speed, "{what}: contacts that bend bear {force} N of {weight} N");
}
