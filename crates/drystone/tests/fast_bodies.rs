//! A bullet and a thin wall: potential contacts stop it; plain detection lets it through if it moves far enough in one step (B-01).

use drystone::prelude::*;
use drystone::{ModuleChoice, ModuleKind};
use drystone_core::catalogue::Value;

/// Where (x, in m) a ball of radius 5 cm that flies at `speed` towards a wall 2 cm thick is after half a second.
fn shoot(speed: f64, predictive: bool) -> f64 {
    let settings = vec![("predictive".to_owned(), Value::Bool(predictive))];
    let choice = ModuleChoice { kind: ModuleKind::TimeControl, name: None, settings };
    let mut world = World::builder().gravity([0.0; 3]).choose(choice).build().unwrap();
    let dull = world.add_material(Material { friction: 0.0, restitution: 0.0, ..Material::default() }).unwrap();
    world.add(Body::fixed(Shape::cuboid(0.01, 1.0, 1.0).unwrap()).material(dull)).unwrap();
    let ball = Body::dynamic(Shape::sphere(0.05).unwrap()).at([-1.2, 0.0, 0.0]).material(dull);
    let ball = world.add(ball.linear_velocity([speed, 0.0, 0.0])).unwrap();
    for _ in 0..50 {
        world.advance(0.01).unwrap();
    }
    world.position(ball).unwrap().x
}

#[test]
fn potential_contacts_stop_a_bullet_at_the_wall() {
    for speed in [5.0, 50.0, 400.0] {
        let x = shoot(speed, true);
        // its surface rests on that of the wall: one step closes the gap and no more
        assert!((x + 0.06).abs() < 1e-6, "{speed} m/s: at {x}");
    }
}

#[test]
fn without_them_it_tunnels_from_a_speed_on() {
    let x = shoot(5.0, false);
    assert!(x < -0.05, "5 cm a step: caught at {x}");
    let x = shoot(50.0, false);
    assert!(x > 0.0, "half a metre a step: it went through, and is at {x}");
}
