//! All classes of bodies in one scene, and the levels of a simulation that can be turned off one by one.

use drystone::prelude::*;
use drystone::{Limits, ModuleChoice, ModuleKind};
use drystone_core::ScriptedState;
use drystone_core::catalogue::Value;
use drystone_motion::script::FunctionOfTime;

const H: f64 = 0.005;
const G: f64 = 9.81;

#[test]
fn rigid_fixed_scripted_composite_linked_bodies_and_a_trigger_in_one_scene() {
    for paradigm in [Paradigm::REAL_TIME, Paradigm::VELOCITY_LCP, Paradigm::MECHANISM] {
        let mut world = World::builder().paradigm(paradigm).gravity([0.0, -G, 0.0]).build().unwrap();
        let m = world.add_material(Material { friction: 0.8, restitution: 0.0, ..Material::default() }).unwrap();
        world.add(Body::fixed(Shape::plane(Vec3::Y, 0.0).unwrap()).material(m)).unwrap();
        // a belt at 0.5 m/s, and a box on it
        let belt =
            world.add(Body::scripted(Shape::cuboid(4.0, 0.5, 1.0).unwrap()).at([0.0, 0.5, 0.0]).material(m)).unwrap();
        let speed = Vec3::X * 0.5;
        let motion = FunctionOfTime(move |t: f64| ScriptedState {
            pose: Pose::from_position(Vec3::Y * 0.5 + speed * t),
            velocity: Twist::new(speed, Vec3::ZERO),
            acceleration: Twist::ZERO,
        });
        world.add_script(belt, motion).unwrap();
        let cube = || Shape::cuboid(0.2, 0.2, 0.2).unwrap();
        let carried = Body::dynamic(cube()).at([0.0, 1.2, 0.0]).material(m).linear_velocity(speed);
        let carried = world.add(carried).unwrap();
        // a dumbbell of three parts
        let part = |x: f64| (Shape::sphere(0.2).unwrap(), Pose::from_position(Vec3::X * x));
        let bar = (Shape::cuboid(0.5, 0.05, 0.05).unwrap(), Pose::IDENTITY);
        let dumbbell = Shape::compound(vec![part(-0.5), bar, part(0.5)]).unwrap();
        let dumbbell = world.add(Body::dynamic(dumbbell).at([0.0, 0.2, 5.0]).material(m)).unwrap();
        // three hanging links
        let mut above = None;
        let links: Vec<BodyId> = (0..3)
            .map(|k| {
                let top = Vec3::new(8.0, 4.0 - 0.5 * f64::from(k), 0.0);
                let link = Body::dynamic(Shape::cuboid(0.05, 0.25, 0.05).unwrap()).at(top - Vec3::Y * 0.25).mass(1.0);
                let link = world.add(link).unwrap();
                let joint = drystone_joints::JointDescription {
                    anchor: Some(top),
                    ..drystone_joints::JointDescription::new("ball")
                };
                let poses =
                    [above, Some(link)].map(|b: Option<BodyId>| b.map_or(Pose::IDENTITY, |b| world.pose(b).unwrap()));
                let source = drystone_joints::build(&joint, &poses[0], &poses[1]).unwrap();
                world.add_joint([above, Some(link)], source).unwrap();
                above = Some(link);
                link
            })
            .collect();
        // without a surface: a trigger in the box's path, and a timer
        let gate = Body::fixed(Shape::cuboid(0.1, 1.0, 1.0).unwrap()).at([0.6, 1.5, 0.0]).sensor(true);
        world.add(gate).unwrap();
        world.add_timer(1.0, None).unwrap();
        let (mut entered, mut ticked) = (None, 0);
        for _ in 0..300 {
            world.advance(H).unwrap();
            for event in world.drain_events() {
                match event {
                    Event::Entered { body, time, .. } if body == carried => entered = Some(time),
                    Event::Tick { count, .. } => ticked += count,
                    _ => {}
                }
            }
        }
        let name = paradigm.name;
        let at = |b| world.position(b).unwrap();
        assert!((at(carried) - Vec3::new(0.75, 1.2, 0.0)).length() < 2e-3, "{name}: {}", at(carried));
        assert!((at(dumbbell) - Vec3::new(0.0, 0.2, 5.0)).length() < 2e-3, "{name}: {}", at(dumbbell));
        assert!((at(links[2]) - Vec3::new(8.0, 2.75, 0.0)).length() < 2e-3, "{name}: {}", at(links[2]));
        // the front of the box is at 0.2 + t / 2, that of the gate at 0.5
        assert!((entered.unwrap() - 0.6).abs() < 0.02 && ticked == 1, "{name}: {entered:?} {ticked}");
    }
}

/// A cube that cannot turn is thrown horizontally over the floor: its velocity after a second, under a choice of what is simulated.
fn after_a_second(settings: &[(&str, Value)], gravity: f64, surface: Material, solver: Option<&str>) -> Vec3 {
    let settings = settings.iter().map(|(k, v)| ((*k).to_owned(), v.clone())).collect();
    let choice = ModuleChoice { kind: ModuleKind::ConstraintSolver, name: solver.map(str::to_owned), settings };
    let builder = World::builder().paradigm(Paradigm::VELOCITY_LCP).gravity([0.0, -gravity, 0.0]);
    // no limits, since the fall through the floor is intended
    let mut world = builder.choose(choice).limits(Limits::NONE).build().unwrap();
    let m = world.add_material(surface).unwrap();
    world.add(Body::fixed(Shape::plane(Vec3::Y, 0.0).unwrap()).material(m)).unwrap();
    let cube = Body::dynamic(Shape::cuboid(0.1, 0.1, 0.1).unwrap()).at([0.0, 0.6, 0.0]).material(m).locked(false, true);
    let cube = world.add(cube.linear_velocity([2.0, 0.0, 0.0])).unwrap();
    for _ in 0..100 {
        world.advance(0.01).unwrap();
    }
    world.velocity(cube).unwrap().linear
}

#[test]
fn each_level_of_abstraction_can_be_turned_off() {
    let surface = Material { friction: 0.05, restitution: 1.0, ..Material::default() };
    let off = [("friction", Value::Text("none".to_owned())), ("restitution", Value::Bool(false))];
    // non-penetration alone: in free space nothing changes
    assert!((after_a_second(&off, 0.0, surface, None) - Vec3::X * 2.0).length() < 1e-12);
    // with forces and contact: it lies, and slides on
    let lying = after_a_second(&off, G, surface, None);
    assert!((lying - Vec3::X * 2.0).length() < 1e-6, "{lying}");
    // with elastic impact: it bounces, and its velocity along the floor stays as it was
    let bounced = after_a_second(&off[..1], G, surface, None);
    assert!((bounced.x - 2.0).abs() < 1e-9 && bounced.y.abs() > 0.5, "{bounced}");
    // with friction but no bounce: the impact takes mu times its momentum, and the weight takes the rest, together mu g
    let rubbed = after_a_second(&off[1..], G, surface, None);
    assert!((rubbed.x - (2.0 - 0.05 * G)).abs() < 0.01 && rubbed.y.abs() < 1e-6, "{rubbed}");
    // without contact forces it falls through
    let fell = after_a_second(&[], G, surface, Some("none"));
    assert!((fell - Vec3::new(2.0, -G, 0.0)).length() < 1e-9, "{fell}");
}
