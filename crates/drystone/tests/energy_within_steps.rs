//! What happens within a step adds no energy: impacts at different times in it, spins that change at a surface, warm starts that no longer fit.

use drystone::prelude::*;

const G: f64 = 9.81;
const H: f64 = 1.0 / 60.0;

fn world(paradigm: Paradigm, friction: f64, restitution: f64) -> (World, drystone_core::MaterialIndex) {
    let mut world = World::builder().paradigm(paradigm).gravity([0.0, -G, 0.0]).build().unwrap();
    let surface = world.add_material(Material { friction, restitution, ..Material::default() }).unwrap();
    world.add(Body::fixed(Shape::plane(Vec3::Y, 0.0).unwrap()).material(surface)).unwrap();
    (world, surface)
}

/// The largest relative energy gain of a spinning box that bounces for four seconds.
fn gain(paradigm: Paradigm, number: u32) -> f64 {
    let (mut world, surface) = world(paradigm, 0.3, 1.0);
    let t = f64::from(number);
    let half = Vec3::new(0.2 + 0.15 * (1.3 * t).sin(), 0.2 + 0.15 * (2.1 * t).cos(), 0.2 + 0.1 * (0.7 * t).sin());
    let turned = Quat::from_rotation_x(2.9 * t) * Quat::from_rotation_z(1.7 * t);
    let spin = Vec3::new((3.3 * t).sin(), (1.1 * t).cos(), (0.9 * t).sin()) * 15.0;
    let cuboid = Body::dynamic(Shape::cuboid(half.x, half.y, half.z).unwrap()).mass(1.0).material(surface);
    let cuboid = cuboid.at([0.0, 1.0, 0.0]).oriented(turned).angular_velocity(spin);
    world.add(cuboid).unwrap();
    gained(&mut world, 240)
}

/// The largest energy gain over some steps, relative to the energy at their start.
fn gained(world: &mut World, steps: u32) -> f64 {
    let start = world.energy().total();
    let mut most = start;
    for _ in 0..steps {
        world.advance(H).unwrap();
        most = most.max(world.energy().total());
    }
    most / start - 1.0
}

#[test]
fn spinning_boxes_that_bounce_gain_next_to_nothing() {
    let gains: Vec<f64> = (0..200).map(|n| gain(Paradigm::VELOCITY_LCP, n)).collect();
    let worst = gains.iter().copied().fold(0.0, f64::max);
    let above = gains.iter().filter(|g| **g > 0.01).count();
    println!("worst {worst:.2e}, above a hundredth {above}");
    // when impacts were solved each for its own time and velocities turned at the first one, 26 were above, the worst by 123 %
    assert!(above <= 10 && worst < 0.1, "{above} above a hundredth, the worst by {worst}");
}

/// A frame of `mechanism` may end between the solve of an impact and the impact itself. The spin that it shows then is that of free flight.
#[test]
fn spinning_boxes_keep_their_energy_until_they_turn() {
    let gains: Vec<f64> = (0..200).map(|n| gain(Paradigm::MECHANISM, n)).collect();
    let worst = gains.iter().copied().fold(0.0, f64::max);
    let above = gains.iter().filter(|g| **g > 1e-3).count();
    println!("worst {worst:.2e}, above a thousandth {above}");
    // when the change of the spin after the impact was added to the one before it, 62 were above a thousandth
    assert!(above == 0, "{above} above a thousandth, the worst by {worst}");
}

/// Two balls joined by a rod fall level, bounce and rise. The joint gives them nothing that they do not give each other, so after the bounce
/// they fly as freely as one ball does. When their velocities stayed half a step off, the energy was m v g h / 2 too high for one step.
#[test]
fn what_is_joined_keeps_its_energy_as_it_bounces() {
    for paradigm in [Paradigm::VELOCITY_LCP, Paradigm::LOAD_PROPAGATION] {
        let (mut world, surface) = world(paradigm, 0.0, 1.0);
        let ball = |x: f64, spin: f64| {
            let ball = Body::dynamic(Shape::sphere(0.1).unwrap()).mass(1.0).material(surface).at([x, 1.0, 0.0]);
            // they circle each other about the vertical, so that the joint always bears a load
            ball.linear_velocity([0.0, 0.0, spin])
        };
        let pair = [ball(-0.5, 1.0), ball(0.5, -1.0)].map(|b| world.add(b).unwrap());
        let rod = Joint::new(JointKind::Distance, pair[0], pair[1]);
        world.join(rod.anchor([-0.5, 1.0, 0.0]).second_anchor([0.5, 1.0, 0.0])).unwrap();
        let start = world.energy().total();
        let (mut off, mut bounces, mut down) = (0.0_f64, 0, true);
        for _ in 0..120 {
            world.advance(H).unwrap();
            off = off.max((world.energy().total() / start - 1.0).abs());
            let falls = world.velocity(pair[0]).unwrap().linear.y < 0.0;
            bounces += u32::from(down && !falls);
            down = falls;
        }
        assert!(bounces >= 2, "{}: {bounces}", paradigm.name);
        // m v g h / 2 at 4.2 m/s is 3.5 % of the energy, and that was the error
        assert!(off < 5e-3, "{}: {off:e}", paradigm.name);
    }
}

/// The largest relative energy gain, at the end of any frame, of a ball and a box on a universal joint that fall spinning and bounce.
fn gain_of_pair(paradigm: Paradigm, number: u32) -> f64 {
    let (mut world, surface) = world(paradigm, 0.0, 0.85);
    let t = f64::from(number);
    let random = |scale: f64| Vec3::new((3.3 * t).sin(), (1.1 * t).cos(), (0.9 * t).sin()) * scale;
    let ball = Body::dynamic(Shape::sphere(0.11).unwrap()).mass(6.0).material(surface).at([0.0, 1.4, 0.0]);
    let ball = world.add(ball.linear_velocity([0.0, -3.0, 0.0]).angular_velocity(random(10.0))).unwrap();
    let cuboid = Body::dynamic(Shape::cuboid(0.15, 0.13, 0.2).unwrap()).mass(30.0).material(surface);
    let cuboid = cuboid.at([1.6, 1.4, 0.0]).oriented(Quat::from_rotation_x(2.9 * t));
    let cuboid = world.add(cuboid.linear_velocity([0.0, -2.0, 0.0]).angular_velocity(random(-15.0))).unwrap();
    world
        .join(Joint::new(JointKind::Universal, ball, cuboid).anchor([0.8, 1.4, 0.0]).axis(Vec3::X).second_axis(Vec3::Y))
        .unwrap();
    // the first step removes the velocities that the joint does not allow
    world.advance(H).unwrap();
    gained(&mut world, 60)
}

/// The end of a step may lie between the solve of an impact and the impact itself. Motion against a projection of
/// joints is not ended there, since its velocities are those after the impact, which some bodies do not have yet.
/// And the energy that an impact takes is no credit for the joint: when bodies turned by half a radian, which
/// asked for velocities that no step can resolve, the joint gave back up to half of what the impact had stopped.
#[test]
fn pairs_on_a_joint_that_bounce_gain_next_to_nothing() {
    // pairs 70, 1675 and 2866 to 2969 were the worst of three thousand: gains of 2 % for a
    // frame and 12 % for good under `real-time`, and of 18 % for a frame under `velocity-lcp`
    let pairs = || (0..400).chain([1675, 2829, 2866, 2946, 2969]);
    // the worst of these now gain 1.9e-3 and 3.4e-3
    for (paradigm, most) in [(Paradigm::REAL_TIME, 3e-3), (Paradigm::VELOCITY_LCP, 5e-3)] {
        let worst = pairs().map(|n| gain_of_pair(paradigm, n)).fold(0.0, f64::max);
        println!("{}: worst {worst:.2e}", paradigm.name);
        assert!(worst <= most, "{}: a gain of {worst}", paradigm.name);
    }
}

#[test]
fn before_it_turns_a_body_has_the_velocity_of_its_approach() {
    let (mut world, surface) = world(Paradigm::MECHANISM, 0.0, 0.5);
    world.set_gravity(Vec3::ZERO).unwrap();
    let ball = Body::dynamic(Shape::sphere(0.1).unwrap()).at([0.0, 1.1, 0.0]).linear_velocity([0.0, -7.0, 0.0]);
    let ball = world.add(ball.material(surface)).unwrap();
    for n in 1..30 {
        world.advance(H).unwrap();
        let (at, speed) = (world.position(ball).unwrap().y - 0.1, world.velocity(ball).unwrap().linear.y);
        let flown = 7.0 * H * f64::from(n);
        // 1 m down at 7 m/s, then up at half of that
        let (want, going) = if flown < 1.0 { (1.0 - flown, -7.0) } else { (0.5 * (flown - 1.0), 3.5) };
        assert!((at - want).abs() < 1e-9 && (speed - going).abs() < 1e-9, "step {n}: {at} m at {speed} m/s");
    }
}

/// A cube flies corner first at another one, off centre: both spin after the impact, and neither before
/// it. A frame that ends between the solve of the impact and the impact itself shows the velocities and
/// spins from before it. With the spins from after it, one frame had 3 % more energy than all others.
#[test]
fn before_a_blow_off_centre_bodies_have_their_old_spins() {
    for k in 0..12 {
        let (mut world, smooth) = world(Paradigm::MECHANISM, 0.0, 1.0);
        world.set_gravity(Vec3::ZERO).unwrap();
        let cube = || Body::dynamic(Shape::cuboid(0.5, 0.5, 0.5).unwrap()).material(smooth);
        let target = world.add(cube().at([10.0, 9.0, 0.0])).unwrap();
        let tilt = Quat::from_xyzw(0.116, 0.28, 0.365, 0.88).normalize();
        let flying = cube().at([8.0 - 0.03 * f64::from(k), 9.1, 0.03]).oriented(tilt).linear_velocity([8.0, 0.0, 0.0]);
        world.add(flying).unwrap();
        let start = world.energy().total();
        for _ in 0..10 {
            world.advance(0.05).unwrap();
            let energy = world.energy().total();
            assert!((energy / start - 1.0).abs() < 1e-9, "flight {k}: {energy} J of {start}");
        }
        assert!(world.velocity(target).unwrap().angular.length() > 0.5, "flight {k} misses, or hits the centre");
    }
}

/// The largest upward speed (m/s) of any cube in a column that falls by a metre and lands without a bounce.
fn thrown_up(cubes: u32) -> f64 {
    let (mut world, surface) = world(Paradigm::VELOCITY_LCP, 0.5, 0.0);
    let bodies: Vec<_> = (0..cubes)
        .map(|i| {
            let cube = Body::dynamic(Shape::cuboid(0.5, 0.5, 0.5).unwrap()).material(surface);
            world.add(cube.at([0.0, 1.5 + f64::from(i), 0.0])).unwrap()
        })
        .collect();
    let mut most: f64 = 0.0;
    for _ in 0..90 {
        world.advance(H).unwrap();
        most = bodies.iter().map(|b| world.velocity(*b).unwrap().linear.y).fold(most, f64::max);
    }
    most
}

#[test]
fn what_bore_a_hard_landing_throws_nothing_up() {
    for (cubes, most) in [(3, 0.02), (5, 0.25), (10, 0.15)] {
        let up = thrown_up(cubes);
        assert!(up < most, "{cubes} cubes: {up} m/s");
    }
}

/// A capsule spins and wobbles on a smooth floor: the largest rise of its energy above an earlier value, as a fraction of the energy at the start.
fn gain_of_wobbling_capsule(paradigm: Paradigm, number: u32) -> f64 {
    let (mut world, smooth) = world(paradigm, 0.0, 0.0);
    let t = f64::from(number);
    let axis = Vec3::new((3.3 * t).sin(), (1.1 * t).cos(), (0.9 * t).sin()).normalize();
    let capsule = Body::dynamic(Shape::capsule(0.07, 0.26).unwrap()).material(smooth).mass(10.0).at([0.0, 0.6, 0.0]);
    let capsule = capsule
        .oriented(Quat::from_axis_angle(axis, 2.0 * t))
        .angular_velocity(Vec3::new(axis.z, axis.x, axis.y) * 45.0);
    world.add(capsule).unwrap();
    let start = world.energy().total();
    let (mut least, mut most) = (start, 0.0_f64);
    for _ in 0..240 {
        world.advance(H).unwrap();
        let energy = world.energy().total();
        most = most.max(energy - least);
        least = least.min(energy);
    }
    most / start
}

/// A correction that turns a body changes its kinetic energy if the spin stays as it is in world coordinates. These capsules turn by 0.75 rad per
/// step and dip into the floor in each step: their energy rose by 48 % of that at the start under `real-time`, and by 54 to 63 % under the others.
#[test]
fn what_is_turned_out_of_the_floor_keeps_its_energy() {
    for paradigm in [Paradigm::REAL_TIME, Paradigm::MECHANISM] {
        let most = (0..12).map(|number| gain_of_wobbling_capsule(paradigm, number)).fold(0.0, f64::max);
        assert!(most < 0.01, "{}: {most}", paradigm.name);
    }
    // semi-implicit Euler keeps the angular momentum of so fast a spin to order one only, so the bound is on the mean (which was
    // half of this when the contacts of capsules were taken to turn with them, and left their ends up to 19 mm in the floor)
    for paradigm in [Paradigm::VELOCITY_LCP, Paradigm::LOAD_PROPAGATION] {
        let mean = (0..60).map(|number| gain_of_wobbling_capsule(paradigm, number)).sum::<f64>() / 60.0;
        assert!(mean < 0.12, "{}: {mean}", paradigm.name);
    }
}
