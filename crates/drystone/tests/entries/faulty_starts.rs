//! Starts that no careful user would make: bodies inside each other, joints whose ends are far apart. Runs go on, and errors become small.

use drystone::prelude::*;

/// Numbers from zero to one.
fn uniform(seed: &mut u64) -> f64 {
    *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    (*seed >> 11) as f64 / (1_u64 << 53) as f64
}

struct Start {
    world: World,
    bodies: Vec<BodyId>,
    /// The two bodies of each joint, and its anchors in their frames.
    joints: Vec<([BodyId; 2], [Vec3; 2])>,
}

impl Start {
    /// Boxes and balls at random places in a space so small that they overlap,
    /// and pairs of bars whose ends should meet and are up to half a metre apart.
    fn drawn(paradigm: Paradigm, number: u64) -> Self {
        let mut seed = number;
        let mut draw = |from: f64, to: f64| from + (to - from) * uniform(&mut seed);
        let mut world = World::builder().paradigm(paradigm).build().unwrap();
        let m = world.add_material(Material { friction: 0.5, restitution: 0.0, ..Material::default() }).unwrap();
        world.add(Body::fixed(Shape::plane(Vec3::Y, 0.0).unwrap()).material(m)).unwrap();
        let mut bodies = Vec::new();
        for k in 0..8 {
            let shape = if k % 2 == 0 { Shape::cuboid(0.3, 0.2, 0.25) } else { Shape::sphere(0.25) }.unwrap();
            let at = [draw(-0.5, 0.5), draw(0.1, 0.9), draw(-0.5, 0.5)];
            bodies.push(world.add(Body::dynamic(shape).at(at).mass(draw(0.5, 2.0)).material(m)).unwrap());
        }
        let mut joints = Vec::new();
        for k in 0..3 {
            let z = 4.0 + 2.0 * f64::from(k);
            let bar = |x: f64, y: f64| {
                Body::dynamic(Shape::cuboid(0.3, 0.05, 0.05).unwrap()).at([x, y, z]).mass(1.0).material(m)
            };
            let one = world.add(bar(-0.3, 0.5)).unwrap();
            let other = world.add(bar(0.3, 0.5)).unwrap();
            world.join(Joint::ball(one, other).anchor([0.0, 0.5, z])).unwrap();
            let away = Vec3::new(0.3 + draw(-0.2, 0.5), 0.5 + draw(-0.3, 0.3), z);
            world.set_pose(other, away, Quat::IDENTITY).unwrap();
            let (a, b) = (Vec3::new(0.3, 0.0, 0.0), Vec3::new(-0.3, 0.0, 0.0));
            joints.push(([one, other], [a, b]));
            bodies.extend([one, other]);
        }
        Self { world, bodies, joints }
    }

    /// The largest distance (m) between the ends of a joint.
    fn gap(&self) -> f64 {
        let end = |body: BodyId, anchor: Vec3| self.world.pose(body).unwrap().point(anchor);
        self.joints.iter().map(|([a, b], [p, q])| (end(*a, *p) - end(*b, *q)).length()).fold(0.0, f64::max)
    }
}

#[test]
fn errors_of_a_faulty_start_become_small_and_nothing_breaks_off() {
    for paradigm in [Paradigm::REAL_TIME, Paradigm::VELOCITY_LCP, Paradigm::LOAD_PROPAGATION] {
        for number in 1..=8 {
            let mut start = Start::drawn(paradigm, number);
            let name = format!("{} {number}", paradigm.name);
            let gap = start.gap();
            let mut depths = Vec::new();
            for _ in 0..300 {
                depths.push(start.world.advance(0.01).unwrap_or_else(|e| panic!("{name}: {e}")).penetration);
                for body in &start.bodies {
                    let (at, v) = (start.world.position(*body).unwrap(), start.world.velocity(*body).unwrap());
                    assert!(at.is_finite() && v.linear.length() < 30.0, "{name}: at {at}, {} m/s", v.linear);
                }
            }
            let (deep, left) = (depths[0], depths[250..].iter().copied().fold(0.0, f64::max));
            assert!(deep > 0.05 && gap > 0.02, "{name}: no faulty start, {deep} m deep, {gap} m apart");
            assert!(left < 0.05 * deep, "{name}: {deep} m deep at first, {left} m in the end");
            assert!(start.gap() < 0.05 * gap, "{name}: {gap} m apart at first, {} m in the end", start.gap());
        }
    }
}
