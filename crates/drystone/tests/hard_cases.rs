//! Cases in which a method once broke off or gave nonsense: sliding cubes under Dantzig's method, stiff chains under explicit steps,
//! contacts that roll away from where they were found, and sleepers that wake.

use drystone::core::catalogue::Value;
use drystone::prelude::*;
use drystone::{ModuleChoice, ModuleKind};

const G: f64 = 9.81;

fn world(paradigm: Paradigm, choices: &[ModuleChoice]) -> World {
    let builder = World::builder().paradigm(paradigm).gravity([0.0, -G, 0.0]);
    choices.iter().fold(builder, |builder, choice| builder.choose(choice.clone())).build().unwrap()
}

fn rough(world: &mut World, friction: f64) -> drystone_core::MaterialIndex {
    world.add_material(Material { friction, restitution: 0.0, ..Material::default() }).unwrap()
}

fn choice(kind: ModuleKind, name: Option<&str>, settings: &[(&str, Value)]) -> ModuleChoice {
    let settings = settings.iter().map(|(k, v)| ((*k).to_owned(), v.clone())).collect();
    ModuleChoice { kind, name: name.map(str::to_owned), settings }
}

/// A block thrown along the floor at 4 m/s: its way relative to `v^2 / (2 mu g)`,
/// its height relative to that at rest, and how many solves were handed over.
fn slide(half: Vec3, mu: f64, heading: f64, choices: &[ModuleChoice]) -> (f64, f64, u64) {
    let mut world = world(Paradigm::ACCELERATION_LCP, choices);
    let surface = rough(&mut world, mu);
    world.add(Body::fixed(Shape::plane(Vec3::Y, 0.0).unwrap()).material(surface)).unwrap();
    let block = Body::dynamic(Shape::cuboid(half.x, half.y, half.z).unwrap()).at([0.0, half.y, 0.0]).material(surface);
    let speed = 4.0;
    let id = world.add(block.linear_velocity([speed * heading.cos(), 0.0, speed * heading.sin()])).unwrap();
    let mut handed_over = 0;
    for _ in 0..((speed / (mu * G) + 0.2) / 0.01) as usize {
        handed_over += world.advance(0.01).unwrap().calls.solve.fallbacks;
    }
    let at = world.position(id).unwrap();
    (at.x.hypot(at.z) / (speed * speed / (2.0 * mu * G)), at.y / half.y, handed_over)
}

#[test]
fn a_block_stops_where_coulomb_says_at_each_friction_and_heading() {
    for mu in [0.2, 0.5, 0.8, 1.2] {
        // flat enough not to tip over
        let half = Vec3::new(0.5, if mu < 1.0 { 0.5 } else { 0.25 }, 0.5);
        for heading in (0..8).map(|k| (8.0 + 45.0 * f64::from(k)).to_radians()) {
            let (way, height, handed_over) = slide(half, mu, heading, &[]);
            // Dantzig's method finds the forces itself, even if normals depend on each other
            assert_eq!(handed_over, 0, "mu {mu}, heading {heading}");
            assert!((way - 1.0).abs() < 3e-3, "mu {mu}, heading {heading}: {way} of the way");
            assert!((height - 1.0).abs() < 1e-5, "mu {mu}, heading {heading}: {height} of the height");
        }
    }
}

#[test]
fn a_solver_that_finds_no_forces_hands_over_to_one_that_does() {
    // one sweep is no solution, so the forces are those of Lemke's method
    let sweep = choice(ModuleKind::Lcp, Some("projected-gauss-seidel"), &[("iterations", Value::Integer(1))]);
    let (way, height, handed_over) = slide(Vec3::splat(0.5), 0.8, 0.9, &[sweep]);
    assert!((way - 1.0).abs() < 3e-3 && (height - 1.0).abs() < 1e-5, "{way} of the way, {height} of the height");
    assert!(handed_over > 0);
}

/// A chain of ten light beads with a ball of ten thousand times their mass at its end, let go from level. After half a
/// second: the widest gap of a joint (m), and the change of energy relative to the kinetic energy; `None` if a step fails.
fn heavy_pendulum(choices: &[ModuleChoice]) -> Option<(f64, f64)> {
    let mut world = world(Paradigm::ACCELERATION_LCP, choices);
    let (mut last, mut joints) = (None, Vec::new());
    for k in 0..=10 {
        let heavy = k == 10;
        let shape = Shape::sphere(0.1).unwrap();
        let at = 0.25 * f64::from(k + 1);
        let body = Body::dynamic(shape).mass(if heavy { 1e4 } else { 1.0 }).at([at, 0.0, 0.0]);
        let id = world.add(body).unwrap();
        let anchor = [at - 0.25, 0.0, 0.0];
        joints.push(world.join(Joint::ball(last, id).anchor(anchor)).unwrap());
        last = Some(id);
    }
    let before = world.energy().total();
    let mut widest = 0.0_f64;
    for _ in 0..30 {
        world.advance(1.0 / 60.0).ok()?;
        widest = joints.iter().map(|j| world.joint_error(*j).unwrap().linear).fold(widest, f64::max);
    }
    let energy = world.energy();
    Some((widest, (energy.total() - before) / energy.kinetic))
}

#[test]
fn explicit_steps_are_cut_where_light_beads_are_under_tension() {
    let (gap, gain) = heavy_pendulum(&[]).unwrap();
    assert!(gap < 1e-5 && gain.abs() < 1e-4, "gap {gap} m, gain {gain}");
    // the control: a tableau without two stages at the same time has no such estimate, and the chain is thrown about
    let method = [("method", Value::Text("bogacki-shampine".to_owned()))];
    let thrown = heavy_pendulum(&[choice(ModuleKind::TimeControl, None, &method)]);
    assert!(thrown.is_none_or(|(gap, gain)| gap > 1e-3 || gain.abs() > 1e-2), "{thrown:?}");
}

/// A small ball rolls over a large fixed one, under `runge-kutta` with a solver of velocities: how deep it goes into it at most (m).
fn roll_over(steps: u32) -> f64 {
    let mut world = world(Paradigm::VELOCITY_LCP, &[choice(ModuleKind::TimeControl, Some("runge-kutta"), &[])]);
    let surface = rough(&mut world, 2.0);
    let (large, small, angle, speed) = (1.0, 0.1, 0.1_f64, 1.0);
    world.add(Body::fixed(Shape::sphere(large).unwrap()).material(surface)).unwrap();
    let at = Vec3::new(angle.sin(), angle.cos(), 0.0) * (large + small);
    let along = Vec3::new(angle.cos(), -angle.sin(), 0.0) * speed;
    let ball = Body::dynamic(Shape::sphere(small).unwrap()).material(surface).at(at).linear_velocity(along);
    let id = world.add(ball.angular_velocity([0.0, 0.0, -speed / small])).unwrap();
    let mut deepest = 0.0_f64;
    for _ in 0..steps {
        world.advance(0.4 / f64::from(steps)).unwrap();
        deepest = deepest.max(large + small - world.position(id).unwrap().length());
    }
    deepest
}

#[test]
fn projection_takes_place_where_bodies_touch() {
    // at contact points that had rolled away it left 8.8 and 1.8 mm
    for steps in [20, 40] {
        let deep = roll_over(steps);
        assert!(deep < 1e-4, "{steps} steps: {deep} m deep");
    }
}

/// A frictionless ball runs into a box that sleeps on the floor: whatever happens along the floor, the floor bears the box in each step.
#[test]
fn a_sleeper_is_borne_in_the_step_that_wakes_it() {
    let h = 1.0 / 60.0;
    for paradigm in [Paradigm::REAL_TIME, Paradigm::LOAD_PROPAGATION] {
        let mut world = world(paradigm, &[]);
        let surface = rough(&mut world, 0.0);
        world.add(Body::fixed(Shape::plane(Vec3::Y, 0.0).unwrap()).material(surface)).unwrap();
        let cube = Body::dynamic(Shape::cuboid(0.5, 0.5, 0.5).unwrap()).mass(10.0).material(surface);
        let cube = world.add(cube.at([0.0, 0.5, 0.0])).unwrap();
        let ball = Body::dynamic(Shape::sphere(0.5).unwrap()).mass(1.0).material(surface).at([-12.0, 0.5, 0.0]);
        world.add(ball.linear_velocity([3.0, 0.0, 0.0])).unwrap();
        let (mut slept, mut woken) = (false, 0);
        for step in 0..360 {
            world.advance(h).unwrap();
            let asleep = world.is_asleep(cube).unwrap();
            slept |= asleep;
            if !slept || asleep {
                continue;
            }
            woken += 1;
            let of_cube = |c: &drystone::ContactView| c.position.y < 0.1 && c.bodies.contains(&cube);
            let borne: f64 = world.contacts().filter(of_cube).map(|c| c.impulse.normal).sum();
            let share = borne / (10.0 * G * h);
            assert!(
                (share - 1.0).abs() < 0.05,
                "{}, step {step}: the floor bears {share} of the weight",
                paradigm.name
            );
        }
        assert!(slept && woken > 10, "{}: woken for {woken} steps", paradigm.name);
    }
}

/// A pyramid of ten boxes that start a quarter of their size deep in each other and in the ground, as in Catto 2024, *Solver2D*.
#[test]
fn what_is_deep_in_something_does_not_sleep() {
    for paradigm in [Paradigm::REAL_TIME, Paradigm::LOAD_PROPAGATION] {
        let mut world = world(paradigm, &[]);
        let surface = rough(&mut world, 0.6);
        world.add(Body::fixed(Shape::plane(Vec3::Y, 0.0).unwrap()).material(surface)).unwrap();
        let mut boxes = Vec::new();
        for row in 0..4 {
            for k in 0..4 - row {
                let at = [0.75 * f64::from(k) + 0.375 * f64::from(row) - 1.125, 0.25 + 0.75 * f64::from(row), 0.0];
                let cube = Body::dynamic(Shape::cuboid(0.5, 0.5, 0.5).unwrap()).mass(1.0).material(surface);
                boxes.push(world.add(cube.at(at)).unwrap());
            }
        }
        for _ in 0..600 {
            world.advance(1.0 / 60.0).unwrap();
            let deepest = world.contacts().map(|c| -c.separation).fold(0.0, f64::max);
            let asleep = boxes.iter().filter(|b| world.is_asleep(**b).unwrap()).count();
            assert!(asleep == 0 || deepest < 2e-3, "{}: {asleep} sleep, {deepest} m deep", paradigm.name);
        }
        assert!(boxes.iter().all(|b| world.is_asleep(*b).unwrap()), "{}: never at rest", paradigm.name);
    }
}

/// A bar made of two boxes lies across two rails at places where neither has a corner: it rests there, and does not rock on one point per rail.
#[test]
fn a_compound_bar_rests_across_two_rails() {
    let presets = [Paradigm::REAL_TIME, Paradigm::VELOCITY_LCP, Paradigm::LOAD_PROPAGATION, Paradigm::MECHANISM];
    for paradigm in presets {
        let mut world = world(paradigm, &[]);
        let surface = rough(&mut world, 0.5);
        for x in [-0.6, 0.6] {
            let rail = Shape::cuboid(0.1, 0.2, 1.0).unwrap();
            world.add(Body::fixed(rail).at([x, 0.2, 0.0]).material(surface)).unwrap();
        }
        let part = |x: f64, y: f64| (Shape::cuboid(x, 0.05, 0.1).unwrap(), Pose::from_position(Vec3::Y * y));
        let bar = Body::dynamic(Shape::compound(vec![part(1.0, 0.0), part(0.1, 0.1)]).unwrap());
        let bar = bar.at([0.0, 0.46, 0.05]).angular_velocity([0.5, 0.0, 0.0]).material(surface);
        let bar = world.add(bar).unwrap();
        for _ in 0..90 {
            world.advance(1.0 / 60.0).unwrap();
            assert!(world.penetration().unwrap() < 1e-4, "{}", paradigm.name);
        }
        let (pose, velocity) = (world.pose(bar).unwrap(), world.velocity(bar).unwrap());
        let level = (pose.orientation * Vec3::Y).y;
        // the position of a compound is the origin of its parts' frames
        assert!((pose.position.y - 0.45).abs() < 1e-4 && level > 1.0 - 1e-8, "{}: {pose:?}", paradigm.name);
        assert!(velocity.angular.length() < 1e-6 && velocity.linear.length() < 1e-6, "{}", paradigm.name);
    }
}
