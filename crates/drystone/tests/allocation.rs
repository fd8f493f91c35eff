//! A warm step allocates nothing.

use drystone::prelude::*;
use drystone::{ModuleChoice, ModuleKind};

#[test]
fn a_warm_step_allocates_nothing() {
    for paradigm in Paradigm::ALL {
        let awake = ModuleChoice { kind: ModuleKind::SleepPolicy, name: Some("never".to_owned()), settings: vec![] };
        let mut world = World::builder().paradigm(*paradigm).choose(awake).build().unwrap();
        world.add(Body::fixed(Shape::plane(Vec3::Y, 0.0).unwrap())).unwrap();
        // These presets get their columns 5 cm apart. Columns that just touch gain and lose contacts by rounding error, and a
        // sparse direct solver analyses each pattern that is new to it. Under springs they lean on each other as they sink,
        // and the number of contacts grows for longer than the warm-up. In presets that go back to an instant, contacts
        // between such cubes come and go long after that. And a dense elimination of all of them takes seconds per step.
        let moving = [
            Paradigm::ACCELERATION_LCP,
            Paradigm::ACCELERATION_LP,
            Paradigm::COLLISION_SYNCHRONIZATION,
            Paradigm::POSITION_NCP,
            Paradigm::MECHANISM,
            Paradigm::PENALTY,
            Paradigm::RETROACTIVE,
            Paradigm::TIMEWARP,
        ];
        let moves = moving.iter().any(|p| p.name == paradigm.name);
        // the direct solver of accelerations meets new sets of contacts that part up to step 120
        let (apart, warming) = if moves { (1.05, 140) } else { (1.0, 100) };
        for i in 0..30 {
            let place = [f64::from(i % 6) * apart, 0.5 + f64::from(i / 6), 0.0];
            world.add(Body::dynamic(Shape::cuboid(0.5, 0.5, 0.5).unwrap()).at(place)).unwrap();
        }
        for i in 0..5 {
            let ball = Body::dynamic(Shape::sphere(0.3).unwrap());
            world.add(ball.at([f64::from(i) * 1.1, 5.8, 0.0])).unwrap();
        }
        for _ in 0..warming {
            world.advance(0.01).unwrap();
        }
        let info = allocation_counter::measure(|| {
            for _ in 0..20 {
                world.advance(0.01).unwrap();
            }
        });
        assert_eq!(info.count_total, 0, "{}: {} allocations in 20 steps", paradigm.name, info.count_total);
    }
}

#[test]
fn nor_does_one_with_joints_and_friction_by_the_cone() {
    use drystone_core::catalogue::Value;
    use drystone_joints::JointDescription;
    let choice = |kind, name: Option<&str>, settings: &[(&str, Value)]| ModuleChoice {
        kind,
        name: name.map(str::to_owned),
        settings: settings.iter().map(|(k, v)| ((*k).to_owned(), v.clone())).collect(),
    };
    for (friction, solver) in [
        ("cone", None),
        ("scaled-box", None),
        ("disc", None),
        ("scaled-box", Some("sparse-principal-pivoting")),
        ("disc", Some("sparse-principal-pivoting")),
    ] {
        let mut world = World::builder()
            .paradigm(Paradigm::VELOCITY_LCP)
            .choose(choice(ModuleKind::ConstraintSolver, None, &[("friction", Value::Text(friction.to_owned()))]))
            .choose(choice(ModuleKind::Lcp, solver, &[]))
            .build()
            .unwrap();
        let rolls = Material { rolling: 0.01, spinning: 0.01, ..Material::default() };
        let rolls = world.add_material(rolls).unwrap();
        world.add(Body::fixed(Shape::plane(Vec3::Y, 0.0).unwrap())).unwrap();
        let mut last: Option<BodyId> = None;
        for i in 0..8 {
            let body =
                Body::dynamic(Shape::capsule(0.1, 0.4).unwrap()).at([0.0, 8.0 - f64::from(i), 0.0]).material(rolls);
            let body = world.add(body).unwrap();
            let description =
                JointDescription { anchor: Some(Vec3::Y * (8.5 - f64::from(i))), ..JointDescription::new("ball") };
            let pose = |b: Option<BodyId>| b.map_or(Pose::IDENTITY, |b| world.pose(b).unwrap());
            let joint = drystone_joints::build(&description, &pose(last), &pose(Some(body))).unwrap();
            world.add_joint([last, Some(body)], joint).unwrap();
            // a sparse factor is analysed anew whenever the group before it had another pattern, so the sparse cases have a single group
            if solver.is_none() {
                let ball = Body::dynamic(Shape::sphere(0.5).unwrap()).at([3.0 + f64::from(i), 0.5, 0.0]);
                world.add(ball.material(rolls)).unwrap();
            }
            last = Some(body);
        }
        for _ in 0..100 {
            world.advance(0.01).unwrap();
        }
        let info = allocation_counter::measure(|| {
            for _ in 0..20 {
                world.advance(0.01).unwrap();
            }
        });
        assert_eq!(info.count_total, 0, "{friction}, {solver:?}: {} allocations in 20 steps", info.count_total);
    }
}

// only presets without a stage that would be called for the first time here: a collision solver, a corrector, a search for the time of impact
#[test]
fn nor_does_the_first_impact_after_a_long_rest() {
    for paradigm in [
        Paradigm::REAL_TIME,
        Paradigm::VELOCITY_LCP,
        Paradigm::IMPULSE,
        Paradigm::ODE,
        Paradigm::PENALTY,
        Paradigm::SUBSTEP_SOFT,
        Paradigm::NONLINEAR_GAUSS_SEIDEL,
        Paradigm::XPBD,
        Paradigm::AVBD,
        Paradigm::CONVEX_NEWTON,
        Paradigm::POSITION_NCP,
    ] {
        for restitution in [0.0, 0.5] {
            let awake =
                ModuleChoice { kind: ModuleKind::SleepPolicy, name: Some("never".to_owned()), settings: vec![] };
            let mut world = World::builder().paradigm(paradigm).choose(awake).build().unwrap();
            let material = world.add_material(Material { restitution, ..Material::default() }).unwrap();
            world.add(Body::fixed(Shape::plane(Vec3::Y, 0.0).unwrap()).material(material)).unwrap();
            let block = Body::dynamic(Shape::cuboid(0.25, 1.0, 0.25).unwrap()).at([0.0, 1.0, 0.0]).material(material);
            let block = world.add(block).unwrap();
            for _ in 0..100 {
                world.advance(0.01).unwrap();
            }
            // from now on it rocks from edge to edge: the supporting corners change, and corners bounce
            world.set_velocity(block, Twist::new(Vec3::new(-0.5, 0.125, 0.0), Vec3::Z * 0.5)).unwrap();
            let mut side = 1.0;
            let mut swings = 0;
            let info = allocation_counter::measure(|| {
                for _ in 0..300 {
                    world.advance(0.01).unwrap();
                    if world.velocity(block).unwrap().angular.z * side < -0.05 {
                        (side, swings) = (-side, swings + 1);
                    }
                }
            });
            assert!(swings >= 3, "{}: {swings} swings", paradigm.name);
            assert_eq!(info.count_total, 0, "{}, {restitution}: {} allocations", paradigm.name, info.count_total);
        }
    }
}

#[test]
fn nor_does_one_that_asks_a_slow_motor_whether_it_may_sleep() {
    use drystone_joints::{JointDescription, Motor};
    // a policy that counts slow wheels as calm, so that the motor is asked whether its wheel may sleep
    let calm = ModuleChoice { kind: ModuleKind::SleepPolicy, name: Some("velocities".to_owned()), settings: vec![] };
    let builder = World::builder().paradigm(Paradigm::LOAD_PROPAGATION).gravity([0.0; 3]);
    let mut world = builder.choose(calm).build().unwrap();
    let wheel = world.add(Body::dynamic(Shape::cuboid(0.5, 0.5, 0.5).unwrap())).unwrap();
    let motor = Some(Motor::Velocity { velocity: 0.01, max_force: 1e3 });
    let hinge =
        JointDescription { anchor: Some(Vec3::ZERO), axis: Some(Vec3::Y), motor, ..JointDescription::new("hinge") };
    let source = drystone_joints::build(&hinge, &Pose::IDENTITY, &Pose::IDENTITY).unwrap();
    world.add_joint([None, Some(wheel)], source).unwrap();
    for _ in 0..100 {
        world.advance(0.01).unwrap();
    }
    assert!(world.is_sleepy(wheel).unwrap() && world.velocity(wheel).unwrap().angular.y != 0.0);
    let info = allocation_counter::measure(|| world.advance(0.01).map(|_| ()).unwrap());
    assert_eq!(info.count_total, 0);
}

/// Contact patches and joints solved in turn: cubes that have come to rest on each other,
/// every second one joined to its neighbour, and a ball that swings from the last one.
#[test]
fn nor_does_a_pile_with_joints_in_it() {
    let mut world = World::builder().paradigm(Paradigm::REAL_TIME).build().unwrap();
    world.add(Body::fixed(Shape::plane(Vec3::Y, 0.0).unwrap())).unwrap();
    let cube = Shape::cuboid(0.2, 0.2, 0.2).unwrap();
    let mut last = None;
    for i in 0..32 {
        let place = Vec3::new(f64::from(i % 4) * 0.41, 0.3 + f64::from(i / 4) * 0.5, 0.0);
        let body = world.add(Body::dynamic(cube.clone()).at(place)).unwrap();
        if let Some(last) = last.replace(body).filter(|_| i % 2 == 1) {
            world.join(Joint::ball(last, body).anchor(place - Vec3::X * 0.205)).unwrap();
        }
    }
    let bob = world.add(Body::dynamic(Shape::sphere(0.1).unwrap()).at([3.0, 3.0, 0.0])).unwrap();
    world.join(Joint::ball(last.unwrap(), bob).anchor(Vec3::new(1.23, 3.8, 0.0))).unwrap();
    let mut contacts = 0;
    for _ in 0..200 {
        contacts = world.advance(0.01).unwrap().contacts;
    }
    let info = allocation_counter::measure(|| {
        for _ in 0..20 {
            world.advance(0.01).unwrap();
        }
    });
    assert!(contacts > 60, "{contacts}");
    assert_eq!(info.count_total, 0);
}
