//! Bodies prepared in advance and brought into the world later (H-07).

use drystone::prelude::*;

#[test]
fn a_passive_body_meets_nobody_until_it_is_brought_in() {
    let mut world = World::builder().build().unwrap();
    let ground = world.add(Body::fixed(Shape::plane(Vec3::Y, 0.0).unwrap())).unwrap();
    let low = world.add(Body::dynamic(Shape::cuboid(0.5, 0.5, 0.5).unwrap()).at([0.0, 0.5, 0.0])).unwrap();
    let high = world.add(Body::dynamic(Shape::cuboid(0.5, 0.5, 0.5).unwrap()).at([0.0, 1.5, 0.0])).unwrap();
    world.set_passive(low, true).unwrap();
    assert_eq!(world.set_passive(ground, true).unwrap_err().cause(), &WorldError::NotDynamic);
    for _ in 0..20 {
        let report = world.advance(0.01).unwrap();
        assert_eq!(report.contacts, 0);
    }
    // the upper box falls through the passive one
    assert_eq!(world.position(low).unwrap(), Vec3::Y * 0.5);
    assert!(world.position(high).unwrap().y < 1.4);
    world.set_pose(high, Vec3::Y * 1.5, Quat::IDENTITY).unwrap();
    world.set_velocity(high, Twist::ZERO).unwrap();
    world.set_passive(low, false).unwrap();
    for _ in 0..100 {
        world.advance(0.01).unwrap();
    }
    assert!((world.position(high).unwrap().y - 1.5).abs() < 1e-3, "it carries its neighbour now");
    // and made passive again
    world.set_passive(low, true).unwrap();
    for _ in 0..10 {
        world.advance(0.01).unwrap();
    }
    assert!(world.position(high).unwrap().y < 1.49);
}
