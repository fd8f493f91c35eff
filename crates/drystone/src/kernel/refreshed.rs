//! Contacts at poses other than those at which they were found.

use super::curvature::TouchingPoint;
use drystone_core::{BodyIndex, Configuration, ContactPoint, Edge, TOUCHING};
use drystone_geometry::Shape;
use drystone_math::{Pose, Real};

/// By how much more than the sum of the radii, relative to it, two centres must be apart for balls not to meet: more than rounding.
const APART: Real = 1e-6;

/// Re-evaluates the separations of an edge at the given frames of its bodies; returns the smallest (m).
///
/// If something round rolls, its contact is where it touches now, and gets its anchors and its normal there. All other separations are those of the anchors and
/// normals, which turn with their bodies. For a contact that was found ahead, between bodies that turn by radians in a step, such a separation can be anything:
/// bodies that had parted by metres appeared metres deep, and were projected, or ended the run. So if the balls around both bodies do not meet, no point counts as
/// nearer than the balls are.
pub(super) fn refresh(edge: &mut Edge, configuration: &Configuration, [a, b]: [&Pose; 2]) -> Real {
    if is_round(edge, configuration) {
        let shapes = shapes(edge, configuration);
        for p in &mut edge.manifold.points {
            *p = rolled(p, [a, b], shapes);
        }
    } else {
        edge.manifold.refresh(a, b);
    }
    let least = edge.manifold.least_separation();
    if least >= -TOUCHING {
        return least;
    }
    let radius = |body: BodyIndex| configuration.body(body).shape.bounding_radius();
    let apart = a.position.distance(b.position) - (radius(edge.pair.a) + radius(edge.pair.b)) * (1.0 + APART);
    if apart <= 0.0 || apart.is_nan() {
        return least;
    }
    edge.manifold.points.iter_mut().for_each(|p| p.separation = p.separation.max(apart));
    edge.manifold.least_separation()
}

/// Re-evaluates the separations of an edge with its bodies in frames other than their own; its points stay where they are.
pub(super) fn refresh_gaps(edge: &mut Edge, configuration: &Configuration, [a, b]: [&Pose; 2]) {
    if !is_round(edge, configuration) {
        return edge.manifold.refresh(a, b);
    }
    let shapes = shapes(edge, configuration);
    for p in &mut edge.manifold.points {
        p.separation = rolled(p, [a, b], shapes).separation;
    }
}

/// Contacts of round bodies stay with their anchors unless the touching point moves by more than this fraction of the radius, or its normal turns by more than this
/// (rad): a correction along such a normal is off by no more than this fraction of itself.
const STAYS: Real = 1e-3;
/// The same limit for contacts that have not moved: all their values are those of the anchors, to the bit.
const RESTS: Real = 1e-6;

/// A contact point with the bodies in these frames: where the surfaces touch now. One that has hardly moved stays where it is.
#[inline]
fn rolled(p: &ContactPoint, [a, b]: [&Pose; 2], shapes: [&Shape; 2]) -> ContactPoint {
    let (normal, middle, by_anchors) = p.world(a, b);
    let (now, separation, radius) = match shapes {
        [Shape::Sphere(x), Shape::Sphere(y)] => {
            let between = b.position - a.position;
            let Some(n) = between.try_normalize() else { return ContactPoint { separation: by_anchors, ..*p } };
            let gap = n.dot(between) - x.radius() - y.radius();
            ((n, a.position + n * (x.radius() + 0.5 * gap)), gap, x.radius().max(y.radius()))
        }
        _ => match TouchingPoint::rolled(p, [a, b], shapes) {
            Some(touching) => ((touching.normal, touching.position), touching.gap(), touching.radius()),
            None => return ContactPoint { separation: by_anchors, ..*p },
        },
    };
    let moved = now.0.distance(normal).max(now.1.distance(middle) / radius);
    if moved <= STAYS {
        return ContactPoint { separation: if moved <= RESTS { by_anchors } else { separation }, ..*p };
    }
    let anew = ContactPoint::from_world(a, b, now.1, now.0, separation, p.key, p.owner);
    ContactPoint { impulse: p.impulse, ..anew }
}

fn shapes<'a>(edge: &Edge, configuration: &'a Configuration) -> [&'a Shape; 2] {
    [edge.pair.a, edge.pair.b].map(|body| &configuration.body(body).shape)
}

/// Returns true if one of the bodies is round, and so may roll.
fn is_round(edge: &Edge, configuration: &Configuration) -> bool {
    let rolls =
        |shape: &Shape| matches!(shape, Shape::Sphere(_) | Shape::Capsule(_) | Shape::Cylinder(_) | Shape::Cone(_));
    shapes(edge, configuration).into_iter().any(rolls)
}

#[cfg(test)]
mod tests {
    use super::*;
    use drystone_core::{BodyPair, BodyProperties, FeatureKey, NormalOwner, PairMaterial};
    use drystone_math::elementary::hypot;
    use drystone_math::{Quat, Vec3};

    /// Two boxes that meet ahead, evaluated again after the one that owns the normal has made half a turn.
    fn seen_after_half_a_turn(distance: Real) -> Real {
        let mut configuration = Configuration::default();
        for _ in 0..2 {
            let shape = Shape::cuboid(0.3, 0.3, 0.3).unwrap();
            let mass = shape.mass_properties(1000.0).unwrap();
            configuration.bodies.push(BodyProperties::dynamic(shape, &mass).unwrap());
        }
        let pair = BodyPair { a: BodyIndex(0), b: BodyIndex(1) };
        let (a, b) = (Pose::IDENTITY, Pose::from_position(Vec3::X * distance));
        let mut edge = Edge::new(pair, PairMaterial::default());
        let (middle, gap) = (Vec3::X * (0.5 * distance), distance - 0.6);
        edge.manifold.points.push(ContactPoint::from_world(
            &a,
            &b,
            middle,
            Vec3::X,
            gap,
            FeatureKey(1),
            NormalOwner::A,
        ));
        refresh(&mut edge, &configuration, [&Pose::new(Vec3::ZERO, Quat::from_rotation_y(core::f64::consts::PI)), &b])
    }

    /// Two cylinders that lie side by side along z, overlapping by 0.1 mm at both ends, evaluated again after both have rolled by a radian and the second one has
    /// turned by `yaw` about the vertical through its middle: the depths of their ends (m).
    fn seen_side_by_side(yaw: Real) -> [ContactPoint; 2] {
        let mut configuration = Configuration::default();
        for _ in 0..2 {
            let shape = Shape::cylinder(0.1, 0.2).unwrap();
            let mass = shape.mass_properties(1000.0).unwrap();
            configuration.bodies.push(BodyProperties::dynamic(shape, &mass).unwrap());
        }
        let pair = BodyPair { a: BodyIndex(0), b: BodyIndex(1) };
        let lying = Quat::from_rotation_x(core::f64::consts::FRAC_PI_2);
        let (a, b) = (Vec3::ZERO, Vec3::X * 0.1999);
        let mut edge = Edge::new(pair, PairMaterial::default());
        for (key, z) in [(1, -0.2), (2, 0.2)] {
            let [a, b] = [a, b].map(|place| Pose::new(place, lying));
            let middle = Vec3::new(0.09995, 0.0, z);
            let point = ContactPoint::from_world(&a, &b, middle, Vec3::X, -1e-4, FeatureKey(key), NormalOwner::A);
            edge.manifold.points.push(point);
        }
        let rolled = Quat::from_rotation_z(-1.0) * lying;
        let frames = [Pose::new(a, rolled), Pose::new(b, Quat::from_rotation_y(yaw) * rolled)];
        refresh(&mut edge, &configuration, [&frames[0], &frames[1]]);
        let [first, second] = edge.manifold.points.as_slice() else { panic!("two ends") };
        for p in [first, second] {
            let (normal, _, _) = p.world(&frames[0], &frames[1]);
            assert!(normal.distance(Vec3::X) < 1.1 * yaw.abs() + 1e-12, "{yaw}: {normal}");
        }
        [*first, *second]
    }

    #[test]
    fn cylinders_side_by_side_touch_at_both_ends_also_where_they_are_hardly_parallel() {
        for yaw in [0.0, 1e-7, 1e-5, 1e-3, 2e-2] {
            let [first, second] = seen_side_by_side(yaw);
            // the ends of the second one move by 0.2 yaw, one towards the first cylinder and one away from it
            assert!(
                (first.separation + 1e-4 + 0.2 * yaw).abs() < 1e-4 * yaw.abs() + 1e-12,
                "{yaw}: {}",
                first.separation
            );
            assert!(
                (second.separation + 1e-4 - 0.2 * yaw).abs() < 1e-4 * yaw.abs() + 1e-12,
                "{yaw}: {}",
                second.separation
            );
        }
    }

    /// A corner inside a cone, on either side of its axis: where nothing has moved, the depth is the one that was found.
    #[test]
    fn a_corner_deeper_than_a_side_is_round_keeps_its_depth() {
        let mut random = drystone_testkit::Random::new(54);
        let mut beyond = 0;
        for round in 0..300 {
            let (radius, half_height) = (random.range(0.2, 0.6), random.range(0.2, 0.6));
            let mut configuration = Configuration::default();
            let shapes = [Shape::cone(radius, half_height), Shape::cuboid(0.3, 0.3, 0.3)];
            for shape in shapes.map(Result::unwrap) {
                let mass = shape.mass_properties(1000.0).unwrap();
                configuration.bodies.push(BodyProperties::dynamic(shape, &mass).unwrap());
            }
            let slant = hypot(radius, 2.0 * half_height);
            let normal = Vec3::new(2.0 * half_height, radius, 0.0) / slant;
            let down = random.range(0.1, 0.9);
            let on_side = Vec3::new(down * radius, half_height - 2.0 * down * half_height, 0.0);
            let rounding = on_side.x / normal.x;
            let depth = random.range(0.1, 3.0) * rounding;
            let a = Pose::new(random.vector(2.0), random.rotation());
            let turned = random.rotation();
            let corner = a.point(on_side - normal * depth);
            let b = Pose::new(corner - turned * Vec3::splat(0.3), turned);
            if a.position.distance(b.position) > hypot(radius, half_height) + 0.3 * Real::sqrt(3.0) {
                // so deep that it is out on the other side
                continue;
            }
            beyond += usize::from(depth > rounding);
            let pair = BodyPair { a: BodyIndex(0), b: BodyIndex(1) };
            let mut edge = Edge::new(pair, PairMaterial::default());
            let middle = a.point(on_side - normal * (0.5 * depth));
            let (normal, key) = (a.direction(normal), FeatureKey(1));
            let point = ContactPoint::from_world(&a, &b, middle, normal, -depth, key, NormalOwner::A);
            edge.manifold.points.push(point);
            let found = refresh(&mut edge, &configuration, [&a, &b]);
            assert!((found + depth).abs() < 1e-9, "{round}: {found} m of {depth} below a radius of {rounding}");
        }
        // the control: others are less deep
        assert!((50..250).contains(&beyond), "{beyond}");
    }

    #[test]
    fn what_is_further_apart_than_both_are_large_is_not_deep() {
        let reach = 0.6 * 3.0_f64.sqrt();
        assert!((seen_after_half_a_turn(4.0) - (4.0 - reach)).abs() < 1e-5);
        // if the balls meet, anchors are all that is known
        assert!((seen_after_half_a_turn(1.0) + 1.0).abs() < 0.31);
    }
}
