//! A warm step allocates nothing.

use drystone::prelude::*;
use drystone::{ModuleChoice, ModuleKind};

#[test]
fn a_warm_step_allocates_nothing() {
    for paradigm in Paradigm::ALL {
        let awake = ModuleChoice { kind: ModuleKind::SleepPolicy, name: Some("never".to_owned()), settings: vec![] };
        let mut world = World::builder().paradigm(*paradigm).choose(awake).build().unwrap();
        world.add(Body::fixed(Shape::plane(Vec3::Y, 0.0).unwrap())).unwrap();
        for i in 0..30 {
            let place = [f64::from(i % 6) * 1.0, 0.5 + f64::from(i / 6), 0.0];
            world.add(Body::dynamic(Shape::cuboid(0.5, 0.5, 0.5).unwrap()).at(place)).unwrap();
        }
        for i in 0..5 {
            let ball = Body::dynamic(Shape::sphere(0.3).unwrap());
            world.add(ball.at([f64::from(i) * 1.1, 5.8, 0.0])).unwrap();
        }
        for _ in 0..100 {
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
