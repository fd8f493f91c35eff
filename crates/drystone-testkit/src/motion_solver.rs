use crate::Random;
use drystone_core::{BodyIndex, BodyProperties, Configuration, MotionSolver, State};
use drystone_geometry::Shape;
use drystone_math::{Pose, Real, Twist, Vec3, Wrench};

/// The contract of [`MotionSolver`]: free fall (velocities proportional to forces if there is no inertia), uniform motion, unit quaternions through a thousand fast
/// turns, the turn of a ball, spins at the end of a drift, immovable and unlisted bodies, the clock, and the same bits for the same state.
///
/// # Panics
/// If the solver violates its contract.
pub fn check_motion_solver(motion: &dyn MotionSolver) {
    let name = motion.name();
    let (configuration, mut state) = scene();
    let listed = [BodyIndex(0), BodyIndex(1), BodyIndex(3)];
    let h = 0.01;

    if motion.is_first_order() {
        check_kick_without_inertia(motion, &configuration, &state, &listed);
    } else {
        check_kick(motion, &configuration, &state, &listed, h);
    }

    // drift
    let before = state.clone();
    for _ in 0..1000 {
        motion.drift(&configuration, &mut state, &listed, h);
    }
    assert_eq!(state.time, before.time, "{name}: the clock is not the motion solver's");
    for body in [0, 1, 3].map(BodyIndex) {
        let i = body.at();
        assert!((state.orientation[i].length() - 1.0).abs() < 1e-12, "{name}: not a unit quaternion");
        let expected = before.position[i] + before.linear_velocity[i] * (1000.0 * h);
        assert!((state.position[i] - expected).length() < 1e-9, "{name}: uniform motion");
        assert_eq!(state.linear_velocity[i], before.linear_velocity[i], "{name}: drift changes a velocity");
    }
    assert_eq!(state.pose(BodyIndex(2)), before.pose(BodyIndex(2)), "{name}: a body that is not listed moved");

    // a ball turns by w h, to the order of accuracy of the scheme
    let mut ball = before.clone();
    motion.drift(&configuration, &mut ball, &listed, 1e-3);
    let turn = ball.orientation[0] * before.orientation[0].conjugate();
    let angle = 2.0 * Vec3::new(turn.x, turn.y, turn.z).length();
    let expected = before.angular_velocity[0].length() * 1e-3;
    assert!((angle - expected).abs() < expected * 1e-2, "{name}: turned by {angle} instead of {expected}");

    // the part left for the end of the drift: it is everything that a drift does to velocities, and it leaves unlisted bodies alone
    for body in listed {
        let (properties, w) = (configuration.body(body), before.angular_velocity[body.at()]);
        let mut moved = before.clone();
        motion.drift(&configuration, &mut moved, &listed, h);
        let by = motion.spin_change(properties, moved.orientation[body.at()], w, h);
        assert!(by == Vec3::ZERO || properties.is_dynamic(), "{name}: an immovable body is turned");
        let off = (moved.angular_velocity[body.at()] - (w + by)).length();
        assert!(by == Vec3::ZERO || off <= 1e-12 * w.length(), "{name}: a drift ends {off} rad/s off");
    }

    // the same bits
    let (mut one, mut other) = (before.clone(), before.clone());
    motion.drift(&configuration, &mut one, &listed, h);
    motion.drift(&configuration, &mut other, &listed, h);
    assert_eq!(one, other, "{name}: not the same bits");
}

/// Force over mass, no change for immovable bodies.
fn check_kick(motion: &dyn MotionSolver, configuration: &Configuration, state: &State, listed: &[BodyIndex], h: Real) {
    let (name, n) = (motion.name(), state.len());
    let wrenches: Vec<_> =
        configuration.bodies.iter().map(|b| Wrench::new(Vec3::NEG_Y * (9.81 * b.mass), Vec3::ZERO)).collect();
    let still = State { angular_velocity: vec![Vec3::ZERO; n], ..state.clone() };
    let mut change = vec![Twist::ZERO; n];
    motion.kick(configuration, &still, listed, &wrenches, h, &mut change);
    for body in [0, 1] {
        let error = change[body].linear - Vec3::NEG_Y * (9.81 * h);
        assert!(error.length() < 1e-12, "{name}: free fall gains {}", change[body].linear);
        assert!(change[body].angular.length() < 1e-12, "{name}: a force through the centre turns a body");
    }
    assert_eq!(change[3], Twist::ZERO, "{name}: an immovable body is kicked");
    assert_eq!(change[2], Twist::ZERO, "{name}: a body that is not listed is kicked");
}

/// Without inertia the velocity after a kick is the force over the mass times a fixed time, whatever the velocity was before and however long the step is: zero without a force.
fn check_kick_without_inertia(
    motion: &dyn MotionSolver,
    configuration: &Configuration,
    state: &State,
    listed: &[BodyIndex],
) {
    let (name, n) = (motion.name(), state.len());
    let after = |wrench: &dyn Fn(&BodyProperties) -> Wrench, h: Real| {
        let wrenches: Vec<_> = configuration.bodies.iter().map(wrench).collect();
        let mut change = vec![Twist::ZERO; n];
        motion.kick(configuration, state, listed, &wrenches, h, &mut change);
        assert_eq!(change[2], Twist::ZERO, "{name}: a body that is not listed is kicked");
        [0, 1, 3].map(|b| state.velocity(BodyIndex::new(b)) + change[b])
    };
    for velocity in after(&|_| Wrench::default(), 0.01) {
        let left = velocity.linear.length().max(velocity.angular.length());
        assert!(left < 1e-12, "{name}: moves at {velocity:?} without a force");
    }
    let push = |b: &BodyProperties| Wrench::new(Vec3::X * (2.0 * b.mass), Vec3::ZERO);
    let ([ball, block, fixed], later) = (after(&push, 0.01), after(&push, 0.5));
    assert_eq!([ball, block, fixed], later, "{name}: a velocity depends on the step");
    assert!(fixed.linear.length() < 1e-12, "{name}: an immovable body is kicked");
    assert!(
        ball.linear.x > 0.0 && ball.linear.y.abs().max(ball.linear.z.abs()) < 1e-12,
        "{name}: pushed along x, moves at {ball:?}"
    );
    let off = (ball.linear - block.linear).length();
    assert!(off < 1e-12 * ball.linear.x, "{name}: the same force over mass moves {ball:?} and {block:?}");
}

/// A ball, a flat box, another ball that will not be listed, and a fixed ball; all but the last move and rotate.
fn scene() -> (Configuration, State) {
    let (mut configuration, mut state) = (Configuration::default(), State::default());
    let mut random = Random::new(41);
    let ball = || Shape::sphere(0.5).expect("a radius above zero");
    let flat = Shape::cuboid(1.0, 0.1, 0.5).expect("positive extents");
    for shape in [ball(), flat, ball()] {
        let mass = shape.mass_properties(100.0).expect("a volume");
        configuration.bodies.push(BodyProperties::dynamic(shape, &mass).expect("a mass"));
        let velocity = Twist::new(random.vector(2.0), random.direction() * random.range(5.0, 20.0) as Real);
        state.push(Pose::new(random.vector(5.0), random.rotation()), velocity);
    }
    configuration.bodies.push(BodyProperties::fixed(ball()));
    state.push(Pose::IDENTITY, Twist::ZERO);
    (configuration, state)
}
