//! What can be changed about bodies while a world runs, against closed forms; and collision groups, names and user data.

use drystone::core::{BodyKind, JointStrength};
use drystone::prelude::*;
use drystone::{ModuleChoice, ModuleKind, WorldError};
use drystone_joints::{JointDescription, build};

const G: f64 = 9.81;

fn with_inertia() -> impl Iterator<Item = Paradigm> {
    Paradigm::ALL.iter().copied().filter(|p| p.name != "first-order")
}

fn ball(radius: f64) -> Body {
    Body::dynamic(Shape::sphere(radius).unwrap())
}

fn floor() -> Body {
    Body::fixed(Shape::plane(Vec3::Y, 0.0).unwrap())
}

fn free(paradigm: Paradigm) -> World {
    World::builder().paradigm(paradigm).build().unwrap()
}

fn near(found: f64, wanted: f64, part: f64) {
    assert!((found - wanted).abs() <= part * wanted.abs().max(1e-3), "{found}, not {wanted}");
}

#[test]
fn damped_bodies_follow_the_exponential_whatever_the_step() {
    for paradigm in with_inertia() {
        for dt in [0.001, 0.05] {
            let mut world = free(paradigm);
            let (c, w) = (3.0, 1.5);
            let body = ball(0.2).at([0.0, 9.0, 0.0]).linear_velocity([4.0, 0.0, 0.0]).angular_velocity([0.0, 6.0, 0.0]);
            let body = world.add(body.damping(c, w)).unwrap();
            let steps = (0.5 / dt) as i32;
            for _ in 0..steps {
                world.advance(dt).unwrap();
            }
            let t = f64::from(steps) * dt;
            let velocity = world.velocity(body).unwrap();
            // exact over a step; presets that put a step together from rates use the mean of the damping over it, which is of first order
            let part = if paradigm.name.starts_with("acceleration") { c * c * t * dt } else { 1e-9 };
            let wanted = [4.0 * (-c * t).exp(), -G / c * (1.0 - (-c * t).exp()), 6.0 * (-w * t).exp()];
            let found = [velocity.linear.x, velocity.linear.y, velocity.angular.y];
            for (found, wanted) in found.into_iter().zip(wanted) {
                let off = (found - wanted).abs() / wanted.abs();
                assert!(off < part, "{} at {dt}: {found}, not {wanted}: {off:.1e}", paradigm.name);
            }
            // without damping the velocity stays
            world.set_damping(body, 0.0, 0.0).unwrap();
            let before = world.velocity(body).unwrap().linear.x;
            world.advance(dt).unwrap();
            near(world.velocity(body).unwrap().linear.x, before, 1e-9);
        }
    }
}

#[test]
fn forces_and_torques_act_over_one_step() {
    for paradigm in with_inertia() {
        let mut world = free(paradigm);
        world.set_gravity([0.0; 3]).unwrap();
        let cube = Body::dynamic(Shape::cuboid(0.5, 0.5, 0.5).unwrap()).mass(2.0);
        let body = world.add(cube).unwrap();
        let inertia = 2.0 / 6.0;
        let (dt, name) = (0.01, paradigm.name);
        world.apply_force(body, Vec3::X * 3.0, Vec3::Y * 0.5).unwrap();
        world.apply_force(body, Vec3::X * 3.0, Vec3::ZERO).unwrap();
        world.apply_torque(body, Vec3::Y * 0.7).unwrap();
        for _ in 0..3 {
            world.advance(dt).unwrap();
        }
        let velocity = world.velocity(body).unwrap();
        assert!((velocity.linear - Vec3::X * (6.0 * dt / 2.0)).length() < 1e-12, "{name}: {velocity:?}");
        let spin = Vec3::new(0.0, 0.7, -1.5) * (dt / inertia);
        assert!((velocity.angular - spin).length() < 1e-12, "{name}: {velocity:?}");
        // impulses
        let mut world = free(paradigm);
        let body = world.add(Body::dynamic(Shape::cuboid(0.5, 0.5, 0.5).unwrap()).mass(2.0)).unwrap();
        world.apply_torque_impulse(body, Vec3::Z).unwrap();
        world.apply_impulse(body, Vec3::X, Vec3::Y * 0.5).unwrap();
        let velocity = world.velocity(body).unwrap();
        assert_eq!(velocity.linear, Vec3::X * 0.5);
        near(velocity.angular.z, 1.0 / inertia - 0.5 / inertia, 1e-12);
    }
}

#[test]
fn a_rocket_is_no_diverging_run_and_a_snapshot_keeps_what_pushes() {
    let mut world = free(Paradigm::VELOCITY_LCP);
    let body = world.add(ball(0.1).mass(1.0)).unwrap();
    for _ in 0..200 {
        world.apply_force(body, Vec3::Y * 500.0, world.position(body).unwrap()).unwrap();
        world.advance(0.01).unwrap();
    }
    near(world.velocity(body).unwrap().linear.y, 2.0 * (500.0 - G), 1e-9);
    world.apply_torque(body, Vec3::X).unwrap();
    let before = world.snapshot();
    world.advance(0.01).unwrap();
    let first = world.state().clone();
    world.restore(&before).unwrap();
    world.advance(0.01).unwrap();
    assert_eq!(*world.state(), first);
}

#[test]
fn gravity_mass_and_shape_change_while_it_falls() {
    let mut world = free(Paradigm::VELOCITY_LCP);
    let body = world.add(ball(0.5).mass(3.0)).unwrap();
    let steps = |world: &mut World, n: usize| {
        for _ in 0..n {
            world.advance(0.01).unwrap();
        }
    };
    steps(&mut world, 50);
    world.set_gravity_scale(body, 0.0).unwrap();
    steps(&mut world, 50);
    near(world.velocity(body).unwrap().linear.y, -G * 0.5, 1e-12);
    world.set_gravity_scale(body, -2.0).unwrap();
    steps(&mut world, 50);
    near(world.velocity(body).unwrap().linear.y, G * 0.5, 1e-12);

    world.set_mass(body, 12.0).unwrap();
    let p = world.properties(body).unwrap();
    near(p.inertia.diagonal.x, 0.4 * 12.0 * 0.25, 1e-12);
    world.set_shape(body, Shape::cuboid(0.5, 1.0, 1.5).unwrap()).unwrap();
    let p = world.properties(body).unwrap();
    assert_eq!(p.mass, 12.0);
    near(p.inertia.diagonal.x, 12.0 / 12.0 * (4.0 + 9.0), 1e-12);
    near(p.inverse_inertia.diagonal.z, 1.0 / (1.0 + 4.0), 1e-12);

    // a shape with its centre of mass elsewhere: the body frame stays in place, and its points keep their velocities
    let cone = Shape::cone(0.5, 1.0).unwrap();
    world.set_velocity(body, Twist::new(Vec3::X, Vec3::Z * 2.0)).unwrap();
    let (pose, before) = (world.pose(body).unwrap(), world.velocity(body).unwrap());
    world.set_shape(body, cone.clone()).unwrap();
    assert!((world.position(body).unwrap() - pose.position).length() < 1e-12);
    let center = cone.mass_properties(1.0).unwrap().center;
    assert!(center.length() > 0.1);
    let after = world.velocity(body).unwrap();
    assert!((after.at(-pose.direction(center)) - before.linear).length() < 1e-12 && after.angular == before.angular);
}

#[test]
fn a_block_on_a_slope_starts_to_slide_when_its_surface_does_not_hold_it() {
    let mut world = free(Paradigm::VELOCITY_LCP);
    let slope = 0.4_f64;
    world.set_gravity([G * slope.sin(), -G * slope.cos(), 0.0]).unwrap();
    let rough = world.add_material(Material { friction: 2.0, ..Material::default() }).unwrap();
    let ice = world.add_material(Material { friction: 0.0, ..Material::default() }).unwrap();
    world.add(floor().material(rough)).unwrap();
    let block = Body::dynamic(Shape::cuboid(0.5, 0.25, 0.5).unwrap()).at([0.0, 0.25, 0.0]).material(rough);
    let block = world.add(block).unwrap();
    for _ in 0..100 {
        world.advance(0.01).unwrap();
    }
    assert!(world.velocity(block).unwrap().linear.length() < 1e-6);
    world.set_material(block, ice).unwrap();
    for _ in 0..100 {
        world.advance(0.01).unwrap();
    }
    near(world.velocity(block).unwrap().linear.x, G * slope.sin(), 1e-3);
}

#[test]
fn kinds_change_and_sleepers_sleep_until_they_are_met() {
    let mut world = free(Paradigm::LOAD_PROPAGATION);
    world.add(floor()).unwrap();
    let body = world.add(ball(0.2).at([0.0, 5.0, 0.0]).mass(2.0)).unwrap();
    let steps = |world: &mut World, n: usize| {
        for _ in 0..n {
            world.advance(0.01).unwrap();
        }
    };
    steps(&mut world, 10);
    world.set_kind(body, BodyKind::Fixed).unwrap();
    let place = world.position(body).unwrap();
    steps(&mut world, 50);
    assert_eq!(world.position(body), Some(place));
    assert_eq!(world.apply_impulse(body, Vec3::X, Vec3::ZERO).unwrap_err().cause(), &WorldError::NotDynamic);
    world.set_kind(body, BodyKind::Scripted).unwrap();
    world.set_velocity(body, Twist::new(Vec3::X, Vec3::ZERO)).unwrap();
    steps(&mut world, 100);
    near(world.position(body).unwrap().x, 1.0, 1e-9);
    world.set_kind(body, BodyKind::Dynamic).unwrap();
    // the density of water, as for any body that was given no mass
    near(world.properties(body).unwrap().mass, 1000.0 * 4.0 / 3.0 * std::f64::consts::PI * 0.008, 1e-12);
    steps(&mut world, 20);
    near(world.velocity(body).unwrap().linear.y, -G * 0.2, 1e-9);
    // one body of a joint has to stay dynamic
    let pose = world.pose(body).unwrap();
    let hook = JointDescription { anchor: Some(pose.position), ..JointDescription::new("ball") };
    world.add_joint([None, Some(body)], build(&hook, &Pose::IDENTITY, &pose).unwrap()).unwrap();
    assert_eq!(world.set_kind(body, BodyKind::Fixed).unwrap_err().cause(), &WorldError::JointBodies);

    // a body put to sleep in the air stays there until something hits it
    let mut world = free(Paradigm::LOAD_PROPAGATION);
    let hanging = world.add(ball(0.2).at([0.0, 5.0, 0.0])).unwrap();
    world.sleep(hanging).unwrap();
    steps(&mut world, 50);
    assert!(world.is_asleep(hanging).unwrap() && world.position(hanging).unwrap().y == 5.0);
    let shot = world.add(ball(0.2).at([-2.0, 5.0, 0.0]).gravity_scale(0.0).linear_velocity([10.0, 0.0, 0.0])).unwrap();
    steps(&mut world, 30);
    assert!(!world.is_asleep(hanging).unwrap() && world.velocity(hanging).unwrap().linear.x > 1.0);
    world.remove(shot).unwrap();
    world.sleep(hanging).unwrap();
    world.wake(hanging).unwrap();
    steps(&mut world, 10);
    near(world.velocity(hanging).unwrap().linear.y, -G * 0.1, 1e-9);
}

#[test]
fn a_body_whose_ways_are_swept_goes_through_nothing() {
    let shot = |continuous: bool, speed: f64, angle: f64| {
        let settings = vec![("predictive".to_owned(), drystone::core::catalogue::Value::Bool(false))];
        let blind = ModuleChoice { kind: ModuleKind::TimeControl, name: None, settings };
        let mut world = World::builder().choose(blind).gravity(Vec3::ZERO).build().unwrap();
        world.add(Body::fixed(Shape::cuboid(0.01, 5.0, 5.0).unwrap())).unwrap();
        let velocity = Vec3::new(angle.cos(), angle.sin(), 0.0) * speed;
        let body = ball(0.05).at([-3.0, -3.0 * angle.tan(), 0.0]).linear_velocity(velocity).continuous(continuous);
        let body = world.add(body).unwrap();
        for _ in 0..40 {
            world.advance(0.01).unwrap();
        }
        world.position(body).unwrap().x > 0.0
    };
    let mut through = 0;
    for k in 0..40 {
        let (speed, angle) = (50.0 * f64::from(k + 1), 0.02 * f64::from(k % 20));
        assert!(!shot(true, speed, angle), "{speed} m/s at {angle}");
        through += u32::from(shot(false, speed, angle));
    }
    assert!(through > 30, "the control: {through} of 40 go through");
}

/// A ball thrown at a plate 2 cm thick has stopped in front of it after half a second, under every preset that sweeps the paths of bodies.
#[test]
fn nothing_swept_goes_through_a_plate_under_any_preset() {
    let shot = |builder: drystone::WorldBuilder, continuous: bool| {
        let mut world = builder.gravity(Vec3::ZERO).build().unwrap();
        if !world.modules().sweeps_ways() || world.modules().is_first_order() {
            return None;
        }
        world.add(Body::fixed(Shape::cuboid(0.01, 5.0, 5.0).unwrap())).unwrap();
        let thrown = ball(0.05).at([-3.0, 0.0, 0.0]).linear_velocity([200.0, 10.0, 0.0]).continuous(continuous);
        let body = world.add(thrown).unwrap();
        for _ in 0..50 {
            world.advance(0.01).unwrap();
        }
        Some((world.position(body).unwrap().x, world.velocity(body).unwrap().linear.x))
    };
    let (mut swept, mut through) = (0, 0);
    for paradigm in Paradigm::ALL {
        let builder = || World::builder().paradigm(*paradigm);
        let Some((place, speed)) = shot(builder(), true) else { continue };
        assert!(place < 0.0 && speed < 1.0, "{}: at {place} with {speed} m/s", paradigm.name);
        swept += 1;
        through += u32::from(shot(builder(), false).unwrap().0 > 0.0);
    }
    // and under the time controls that try a motion first and belong to no preset
    for name in ["semi-implicit", "explicit-euler", "fixed-point"] {
        let control = ModuleChoice { kind: ModuleKind::TimeControl, name: Some(name.to_owned()), settings: Vec::new() };
        let (place, speed) = shot(World::builder().paradigm(Paradigm::VELOCITY_LCP).choose(control), true).unwrap();
        assert!(place < 0.0 && speed < 1.0, "{name}: at {place} with {speed} m/s");
    }
    assert!(swept > 15 && through > 3, "the control: {through} of {swept} go through");
}

#[test]
fn bodies_meet_as_their_groups_say() {
    let groups: Vec<(u32, u32)> = (0..12)
        .map(|i: u32| ((1 << (i % 4)) | (1 << (i * 7 % 5)), 0b1_0011 ^ (i.wrapping_mul(2_654_435_761) >> 27)))
        .chain([(0, u32::MAX), (u32::MAX, 0)])
        .collect();
    let mut world = World::builder().gravity(Vec3::ZERO).build().unwrap();
    let bodies: Vec<BodyId> = groups
        .iter()
        .enumerate()
        .map(|(i, g)| world.add(ball(0.5).at([0.01 * i as f64, 0.0, 0.0]).groups(g.0, g.1)).unwrap())
        .collect();
    let check = |world: &mut World, groups: &[(u32, u32)]| {
        // one very short step from the places where they were put, since overlapping bodies are pushed apart
        for (i, body) in bodies.iter().enumerate() {
            world.set_pose(*body, Vec3::X * (0.01 * i as f64), Quat::IDENTITY).unwrap();
            world.set_velocity(*body, Twist::ZERO).unwrap();
        }
        world.advance(1e-9).unwrap();
        let mut met: Vec<[BodyId; 2]> = world.contacts().map(|c| c.bodies).collect();
        met.dedup();
        let mut wanted = Vec::new();
        for i in 0..bodies.len() {
            for j in i + 1..bodies.len() {
                if groups[i].0 & groups[j].1 != 0 && groups[j].0 & groups[i].1 != 0 {
                    wanted.push([bodies[i], bodies[j]]);
                }
            }
        }
        assert!(wanted.len() > 5 && wanted.len() < bodies.len() * (bodies.len() - 1) / 2);
        assert_eq!(met, wanted);
    };
    check(&mut world, &groups);
    // groups are changed while the world runs
    let mut changed = groups.clone();
    changed[3] = (u32::MAX, u32::MAX);
    changed[12] = (1, u32::MAX);
    for i in [3, 12] {
        world.set_groups(bodies[i], changed[i].0, changed[i].1).unwrap();
    }
    check(&mut world, &changed);
    for body in &bodies {
        world.set_pose(*body, Vec3::ZERO, Quat::IDENTITY).unwrap();
    }
    let query = |own: CollisionGroups| {
        let place = Pose::from_position(Vec3::ZERO);
        world.query().meeting(own).overlapping(&Shape::sphere(0.4).unwrap(), place).unwrap().len()
    };
    let own = CollisionGroups { membership: 2, mask: 1 };
    let wanted = changed.iter().filter(|g| g.0 & 1 != 0 && g.1 & 2 != 0).count();
    assert_eq!(query(own), wanted);
}

#[test]
fn the_bodies_of_a_joint_meet_where_it_says_so() {
    let mut world = World::builder().gravity(Vec3::ZERO).build().unwrap();
    let (a, b) = (world.add(ball(0.5)).unwrap(), world.add(ball(0.5).at([0.9, 0.0, 0.0])).unwrap());
    let rope = JointDescription {
        anchor: Some(Vec3::ZERO),
        anchor2: Some(Vec3::X * 0.9),
        length: Some(5.0),
        ..JointDescription::new("rope")
    };
    let poses = [a, b].map(|b| world.pose(b).unwrap());
    let rope = world.add_joint([Some(a), Some(b)], build(&rope, &poses[0], &poses[1]).unwrap()).unwrap();
    world.set_strength(rope, JointStrength::UNBREAKABLE).unwrap();
    for (collide, met) in [(false, 0), (true, 1), (true, 1), (false, 0)] {
        world.set_collide(rope, collide).unwrap();
        world.advance(1e-9).unwrap();
        assert_eq!((world.contacts().count(), world.is_pair_ignored(a, b)), (met, Some(!collide)));
    }
    world.set_collide(rope, true).unwrap();
    world.remove_joint(rope).unwrap();
    assert_eq!(world.is_pair_ignored(a, b), Some(false));
    assert_eq!(world.set_collide(rope, true), Err(WorldError::Missing("joint")));
}

type Edit<'a> = Box<dyn Fn(&mut World) -> Result<(), WorldError> + 'a>;

#[test]
fn what_is_no_number_is_refused_and_changes_nothing() {
    let mut world = free(Paradigm::VELOCITY_LCP);
    let ground = world.add(floor()).unwrap();
    let body = world.add(ball(0.2).at([0.0, 5.0, 0.0])).unwrap();
    let (nan, inf) = (f64::NAN, f64::INFINITY);
    let before = world.snapshot();
    let plane = Shape::plane(Vec3::Y, 0.0).unwrap();
    let mass = drystone::geometry::MassProperties {
        mass: 1.0,
        center: Vec3::X * nan,
        inertia: drystone::math::SymmetricMat3::from_diagonal(Vec3::ONE),
    };
    let edits: Vec<Edit<'_>> = vec![
        Box::new(|w| w.set_mass(body, nan)),
        Box::new(|w| w.set_mass(body, 0.0)),
        Box::new(|w| w.set_mass(body, -1.0)),
        Box::new(|w| w.set_mass(ground, 1.0)),
        Box::new(|w| w.set_mass_properties(body, &mass)),
        Box::new(|w| w.set_damping(body, nan, 0.0)),
        Box::new(|w| w.set_damping(body, 0.0, -1.0)),
        Box::new(|w| w.set_gravity_scale(body, inf)),
        Box::new(|w| w.set_shape(body, plane.clone())),
        Box::new(|w| w.set_kind(ground, BodyKind::Dynamic)),
        Box::new(|w| w.set_material(body, drystone::core::MaterialIndex(77))),
        Box::new(|w| w.apply_force(body, Vec3::X * nan, Vec3::ZERO)),
        Box::new(|w| w.apply_force(body, Vec3::X * 1e300, Vec3::Y * 1e300)),
        Box::new(|w| w.apply_force(ground, Vec3::X, Vec3::ZERO)),
        Box::new(|w| w.apply_torque(body, Vec3::X * inf)),
        Box::new(|w| w.apply_torque_impulse(body, Vec3::X * nan)),
        Box::new(|w| w.sleep(ground)),
    ];
    for (k, edit) in edits.iter().enumerate() {
        assert!(edit(&mut world).is_err(), "edit {k}");
    }
    world.advance(0.01).unwrap();
    let first = world.state().clone();
    world.restore(&before).unwrap();
    world.advance(0.01).unwrap();
    assert_eq!(*world.state(), first);
    world.remove(body).unwrap();
    assert_eq!(world.wake(body), Err(WorldError::MissingBody(body)));
    assert_eq!(world.set_name(body, "gone"), Err(WorldError::MissingBody(body)));
}

#[test]
fn names_and_data_stay_with_their_bodies() {
    let mut world = free(Paradigm::VELOCITY_LCP);
    let ids: Vec<BodyId> = (0..4).map(|i| world.add(ball(0.2).at([f64::from(i), 0.0, 0.0])).unwrap()).collect();
    for (i, id) in (0_u128..).zip(&ids) {
        world.set_name(*id, format!("ball {i}")).unwrap();
        world.set_user_data(*id, u128::MAX - i).unwrap();
    }
    world.remove(ids[1]).unwrap();
    assert_eq!((world.name(ids[1]), world.user_data(ids[1]), world.body_named("ball 1")), (None, None, None));
    let new = world.add(ball(0.2)).unwrap();
    assert_eq!((world.name(new), world.user_data(new)), (Some(""), Some(0)));
    let seen: Vec<_> = world.iter_bodies().map(|b| (b.id, b.name.to_owned(), b.user_data, b.pose.position.x)).collect();
    assert_eq!(seen[1], (ids[2], "ball 2".to_owned(), u128::MAX - 2, 2.0));
    assert_eq!(world.body_named("ball 3"), Some(ids[3]));
    let pose = world.pose(new).unwrap();
    let hook = JointDescription { anchor: Some(Vec3::ZERO), ..JointDescription::new("ball") };
    let hook = world.add_joint([None, Some(new)], build(&hook, &Pose::IDENTITY, &pose).unwrap()).unwrap();
    world.tag_joint(hook, "hook", 7).unwrap();
    let joints: Vec<_> = world.iter_joints().map(|j| (j.id, j.name, j.user_data, j.kind, j.bodies)).collect();
    assert_eq!(joints, [(hook, "hook", 7, "ball", [None, Some(new)])]);
    assert_eq!(world.joint_named("hook"), Some(hook));
}

/// The column of a body changes when others are removed; its name and key do not. Errors give the latter.
#[test]
fn errors_of_control_name_the_body() {
    let mut world = free(Paradigm::VELOCITY_LCP);
    let gone = world.add(ball(0.2)).unwrap();
    let ground = world.add(floor()).unwrap();
    let plain = world.add(ball(0.2).at([0.0, 5.0, 0.0])).unwrap();
    let named = world.add(ball(0.2).at([3.0, 5.0, 0.0])).unwrap();
    world.set_name(named, "box[3]").unwrap();
    world.set_name(ground, "ground").unwrap();
    world.remove(gone).unwrap();
    let said = |done: Result<(), WorldError>| done.unwrap_err().to_string();
    let label = format!("body 'box[3]' ({named:?}): ");
    let nan = Twist::new(Vec3::NAN, Vec3::ZERO);
    assert_eq!(said(world.set_velocity(named, nan)), format!("{label}velocity must be finite"));
    assert_eq!(said(world.set_pose(named, Vec3::NAN, Quat::IDENTITY)), format!("{label}position must be finite"));
    let turned = said(world.set_pose(named, Vec3::ZERO, Quat::from_xyzw(0.0, 0.0, 0.0, 0.0)));
    assert_eq!(turned, format!("{label}an orientation must be a quaternion of length above zero"));
    let damped = said(world.set_damping(named, -1.0, 0.0));
    assert!(damped.starts_with(&label) && damped.contains("damping"), "{damped}");
    for refused in [
        world.set_mass(named, -1.0),
        world.set_shape(named, Shape::plane(Vec3::Y, 0.0).unwrap()),
        world.set_material(named, drystone::core::MaterialIndex(77)),
        world.apply_force(named, Vec3::NAN, Vec3::ZERO),
        world.apply_impulse(named, Vec3::NAN, Vec3::ZERO),
    ] {
        let text = said(refused);
        assert!(text.starts_with(&label), "{text}");
    }
    // without a name the key is all there is
    assert_eq!(said(world.set_velocity(plain, nan)), format!("body {plain:?}: velocity must be finite"));
    let fixed = said(world.apply_impulse(ground, Vec3::X, Vec3::ZERO));
    assert_eq!(fixed, format!("body 'ground' ({ground:?}): it is not dynamic; allowed: a dynamic body"));
    assert_eq!(said(world.wake(gone)), format!("no such body: {gone:?} was removed, or is another world's"));
    // the error also carries the body as a value
    let Err(WorldError::OfBody { body, error }) = world.set_velocity(named, nan) else { panic!("it was taken") };
    assert_eq!((body.id, body.name.as_str()), (named, "box[3]"));
    assert_eq!(*error, WorldError::NotFinite { what: "velocity" });
}
