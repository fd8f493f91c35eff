//! A rolling body touches where it is now, not where the surface point that touched before has moved to.

use drystone::prelude::*;

const RADIUS: f64 = 0.1;
const H: f64 = 1.0 / 120.0;

/// Two bodies roll one behind the other on a smooth floor, and meet in the first steps. Returns their heights (m) and velocities (m/s) after a
/// tenth of a second, and their deepest overlap or largest departure from the floor (m).
fn rolled(paradigm: Paradigm, shape: &Shape, speeds: [f64; 2]) -> ([f64; 2], [f64; 2], f64) {
    let mut world = World::builder().paradigm(paradigm).build().unwrap();
    let smooth = world.add_material(Material { friction: 0.0, restitution: 0.0, ..Material::default() }).unwrap();
    world.add(Body::fixed(Shape::plane(Vec3::Y, 0.0).unwrap()).material(smooth)).unwrap();
    let upright = Quat::from_rotation_x(std::f64::consts::FRAC_PI_2);
    let bodies = [0, 1].map(|i| {
        let place = [0.201 * f64::from(i), RADIUS, 0.0];
        let body = Body::dynamic(shape.clone()).at(place).oriented(upright).material(smooth);
        let v = speeds[i as usize];
        world.add(body.linear_velocity([v, 0.0, 0.0]).angular_velocity([0.0, 0.0, -v / RADIUS])).unwrap()
    });
    let mut deepest = 0.0_f64;
    for _ in 0..12 {
        world.advance(H).unwrap();
        deepest =
            bodies.iter().fold(deepest, |deepest, b| deepest.max((world.pose(*b).unwrap().position.y - RADIUS).abs()));
        let [a, b] = bodies.map(|b| world.pose(b).unwrap().position);
        deepest = deepest.max(2.0 * RADIUS - a.distance(b));
    }
    let of = |i: usize| (world.pose(bodies[i]).unwrap().position.y, world.velocity(bodies[i]).unwrap().linear.x);
    let [(y0, v0), (y1, v1)] = [of(0), of(1)];
    ([y0, y1], [v0, v1], deepest)
}

/// Without friction only the motion of the centres matters: both bodies go on at their mean speed, on the floor. They used to climb by 4 cm in the
/// step in which they met, at a radian and more per step, and by half a millimetre at a tenth of that.
#[test]
fn bodies_that_roll_behind_each_other_stay_on_the_floor() {
    let shapes =
        [Shape::sphere(RADIUS).unwrap(), Shape::cylinder(RADIUS, 0.2).unwrap(), Shape::capsule(RADIUS, 0.2).unwrap()];
    for paradigm in [Paradigm::REAL_TIME, Paradigm::VELOCITY_LCP, Paradigm::LOAD_PROPAGATION, Paradigm::MECHANISM] {
        for shape in &shapes {
            for speeds in [[2.4, 2.0], [24.0, 23.0]] {
                let (heights, velocities, deepest) = rolled(paradigm, shape, speeds);
                let mean = 0.5 * (speeds[0] + speeds[1]);
                let what = format!("{}, {shape:?}, {speeds:?}", paradigm.name);
                assert!(velocities.iter().all(|v| (v - mean).abs() < 1e-3), "{what}: {velocities:?}");
                assert!(heights.iter().all(|y| (y - RADIUS).abs() < 1e-5), "{what}: {heights:?}");
                assert!(deepest < 1e-4, "{what}: {deepest} m");
            }
        }
    }
}
