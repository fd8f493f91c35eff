//! A body that an impact drives further than its own speed would have taken it
//! hits what stands in its way, also under domains with clocks of their own.

use drystone::prelude::*;

/// A heavy ball at 10 m/s hits a light one at rest elastically and drives it into a third one, which no ball could
/// reach within the frame at its initial speed. The light ball gets `2 M v / (M + m)` and passes it on to the third
/// one, which has the same mass. Along a slanted line the bounding boxes overlap although the balls do not touch.
#[test]
fn what_is_driven_on_within_a_frame_hits_what_stands_in_its_way() {
    let slanted = Vec3::new(0.6, 0.64, 0.48);
    let cases = [0.05, 0.1, 0.2].into_iter().flat_map(|gap| [Vec3::X, slanted].map(|along| (gap, along)));
    for ((gap, along), backwards) in cases.flat_map(|case| [false, true].map(|backwards| (case, backwards))) {
        let mut world = World::builder().paradigm(Paradigm::TIMEWARP).gravity(Vec3::ZERO).build().unwrap();
        let surface = world.add_material(Material { friction: 0.0, restitution: 1.0, ..Material::default() }).unwrap();
        let ball =
            |mass: f64, x: f64| Body::dynamic(Shape::sphere(0.5).unwrap()).mass(mass).at(along * x).material(surface);
        let mut balls = [ball(1000.0, -1.05).linear_velocity(along * 10.0), ball(1.0, 0.0), ball(1.0, 1.0 + gap)];
        // in either order of body numbers
        if backwards {
            balls.reverse();
        }
        let mut balls = balls.map(|ball| world.add(ball).unwrap());
        if backwards {
            balls.reverse();
        }
        world.advance(0.02).unwrap();
        let [x, y, z] = balls.map(|b| along.dot(world.position(b).unwrap()));
        // to within the tolerance of the search, or what is left of it by the end of the frame
        assert!(y - x > 1.0 - 1e-3 && z - y > 1.0 - 1e-3, "gap {gap} along {along}: at {x}, {y} and {z} m, 1 m wide");
        let driven = 2.0 * 1000.0 * 10.0 / 1001.0;
        let speed = along.dot(world.velocity(balls[2]).unwrap().linear);
        assert!((speed - driven).abs() < 1e-6, "gap {gap} along {along}: {speed} m/s, not {driven}");
        let momentum = along.dot(world.momentum().linear);
        assert!((momentum - 1e4).abs() < 1e-8, "{momentum}");
    }
}
