//! The curvature of contacts: where surfaces touch at poses other than those at which contacts were found, and how steady motion changes their gaps.

use super::touching_side::{Feature, TouchingSide};
use drystone_core::{ContactPoint, GroupBody, NormalOwner};
use drystone_geometry::Shape;
use drystone_math::{Pose, Real, Twist, Vec3};

/// Sine of the angle below which two lines count as parallel.
const PARALLEL: Real = 1e-6;

/// Sine of the angle below which two lines cross so flatly that their crossing says nothing about a contact that was found at other frames.
const FLAT: Real = 0.1;

/// A contact of two surfaces as they touch now: a corner stays with its body and slides over the other's face; a ball rolls on a face, over an edge or on another
/// ball; edges slide along each other.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct TouchingPoint {
    /// Midpoint between the surfaces (m).
    pub(super) position: Vec3,
    /// Unit normal from A to B.
    pub(super) normal: Vec3,
    sides: [TouchingSide; 2],
    /// The closest points of the two sides' centres or lines (m).
    feet: [Vec3; 2],
}

impl TouchingPoint {
    /// The touching point of a contact point, at the present frames of the bodies.
    pub(super) fn of(point: &ContactPoint, frames: [&Pose; 2], shapes: [&Shape; 2], normal: Vec3) -> Self {
        Self::between(touching_sides(point, frames, shapes), point, frames, [normal; 2])
    }

    /// The touching point of a contact point after the bodies have moved to other frames, if one of them is round, however far they have turned since the point was
    /// found; `None` if neither is round.
    pub(super) fn rolled(point: &ContactPoint, frames: [&Pose; 2], shapes: [&Shape; 2]) -> Option<Self> {
        let mut sides = touching_sides(point, frames, shapes);
        if let [Feature::Line(d), Feature::Line(e)] = sides.map(|s| s.feature)
            && d.cross(e).length() < FLAT
        {
            // side by side as before, though they may have turned a little against each other
            sides[1] = sides[1].as_point();
        }
        let [a, b] = &sides;
        let is_round = a.radius + b.radius > 0.0;
        // an overlap that is deeper than the radii: the centres have passed each other
        let passed = point.separation < -(a.radius + b.radius);
        let between = if passed { a.centre - b.centre } else { b.centre - a.centre };
        // centres on one spot say nothing of the direction: it stays
        let known = [between, frames[0].direction(point.normal[0])];
        is_round.then(|| Self::between(sides, point, frames, known))
    }

    /// The radius of the rounder side, zero if neither is round (m).
    pub(super) fn radius(&self) -> Real {
        self.sides[0].radius.max(self.sides[1].radius)
    }

    /// Signed distance of the surfaces along the normal (m).
    pub(super) fn gap(&self) -> Real {
        self.normal.dot(self.feet[1] - self.feet[0]) - self.sides[0].radius - self.sides[1].radius
    }

    /// The touching point of two sides. The first known vector points roughly from A's side to B's; the second is the normal where the sides meet in a point.
    fn between(sides: [TouchingSide; 2], point: &ContactPoint, frames: [&Pose; 2], known: [Vec3; 2]) -> Self {
        let from_face = |k: usize| frames[k].direction(point.normal[k]);
        let (normal, feet) = match sides.map(|s| s.feature) {
            [Feature::Face, _] => (from_face(0), sides.map(|s| s.centre)),
            [_, Feature::Face] => (from_face(1), sides.map(|s| s.centre)),
            _ => closest(&sides, known),
        };
        let touch = [feet[0] + normal * sides[0].radius, feet[1] - normal * sides[1].radius];
        let half = normal * (0.5 * normal.dot(touch[1] - touch[0]));
        let position = match sides.map(|s| s.feature) {
            [Feature::Face, _] => touch[1] - half,
            [_, Feature::Face] => touch[0] + half,
            _ => (touch[0] + touch[1]) * 0.5,
        };
        Self { position, normal, sides, feet }
    }

    /// The rate of the relative velocity at the contact while the bodies continue their motion, including the turn of the normal (m/s^2).
    ///
    /// The gap's rate is `n . V` at the point p where the surfaces touch, whatever their shapes. Its second derivative is therefore `n . dV/dt + dn/dt . V`, where p
    /// moves with the contact, not with either body. For a corner on a face this is Baraff's `n . (a - b) + 2 dn/dt . (u - v)`.
    pub(super) fn curvature(&self, bodies: [&GroupBody; 2]) -> Vec3 {
        let motions = bodies.map(|body| Motion { velocity: body.velocity, centre: body.pose.position });
        let (turn, moves) = self.turn(&motions);
        let [a, b] = motions;
        let slip = b.at(self.position) - a.at(self.position);
        let bend =
            b.velocity.angular.cross(moves - b.velocity.linear) - a.velocity.angular.cross(moves - a.velocity.linear);
        bend + self.normal * turn.dot(slip)
    }

    /// The rates of the normal (1/s) and of the point at which the surfaces touch (m/s).
    fn turn(&self, motions: &[Motion; 2]) -> (Vec3, Vec3) {
        let n = self.normal;
        match self.sides.map(|s| s.feature) {
            [Feature::Face, _] => self.followed(1, motions, motions[0].velocity.angular.cross(n)),
            [_, Feature::Face] => self.followed(0, motions, motions[1].velocity.angular.cross(n)),
            [Feature::Line(along), Feature::Line(other)] => self.crossed([along, other], motions),
            [_, Feature::Line(along)] => self.followed(0, motions, -self.about(1, Some(along), motions)),
            [Feature::Line(along), _] => self.followed(1, motions, self.about(0, Some(along), motions)),
            [Feature::Point, Feature::Point] => self.followed(1, motions, self.about(0, None, motions)),
        }
    }

    /// For a given turn of the normal, the rate of the touching point that follows the centre of a side.
    fn followed(&self, side: usize, motions: &[Motion; 2], turn: Vec3) -> (Vec3, Vec3) {
        let centre = self.sides[side].centre;
        (turn, motions[side].at(centre) + turn * self.normal.dot(self.position - centre))
    }

    /// The rate of the unit vector from a side, a point or a line, to the other side's point.
    fn about(&self, side: usize, along: Option<Vec3>, motions: &[Motion; 2]) -> Vec3 {
        let other = self.sides[1 - side].centre;
        let away = other - self.feet[side];
        let n = if side == 0 { self.normal } else { -self.normal };
        // as seen from the side's body
        let seen = motions[1 - side].at(other) - motions[side].at(other);
        let across = seen - n * n.dot(seen);
        let across = along.map_or(across, |d| across - d * d.dot(across));
        // two centres on one spot turn nothing
        let turn = Some(across / away.dot(n)).filter(|turn| turn.is_finite());
        motions[side].velocity.angular.cross(n) + turn.unwrap_or_default()
    }

    /// For two lines: the normal is perpendicular to both, and the point moves with their crossing.
    fn crossed(&self, [d, e]: [Vec3; 2], motions: &[Motion; 2]) -> (Vec3, Vec3) {
        let (n, cross) = (self.normal, d.cross(e));
        let size = cross.dot(n);
        let [a, b] = motions;
        let rate = a.velocity.angular.cross(d).cross(e) + d.cross(b.velocity.angular.cross(e));
        let turn = (rate - n * n.dot(rate)) / size;
        let apart = n.dot(self.feet[1] - self.feet[0]);
        let parting = b.at(self.feet[1]) - a.at(self.feet[0]) - turn * apart;
        let slides = d * (parting.cross(e).dot(n) / size);
        (turn, a.at(self.feet[0]) + slides + turn * n.dot(self.position - self.feet[0]))
    }
}

/// The sides that meet at a contact point, at the present frames of the bodies.
fn touching_sides(point: &ContactPoint, frames: [&Pose; 2], shapes: [&Shape; 2]) -> [TouchingSide; 2] {
    let anchors = [point.anchor_a, point.anchor_b];
    // the outward direction is along the normal for A, against it for B
    let outward = [point.normal[0], -point.normal[1]];
    paired([0, 1].map(|k| TouchingSide::of(shapes[k], frames[k], anchors[k], outward[k])), point.owner)
}

/// Which features of the two sides meet. For polyhedra these are a face of the normal's owner and a corner of the other, or two edges; a ball or the side of a
/// cylinder meets whatever is there.
fn paired([a, b]: [TouchingSide; 2], owner: NormalOwner) -> [TouchingSide; 2] {
    let sharp = a.radius == 0.0 && b.radius == 0.0;
    match [a.feature, b.feature] {
        [Feature::Line(d), Feature::Line(e)]
            if (!sharp || owner == NormalOwner::Edges) && d.cross(e).length() > PARALLEL =>
        {
            [a, b]
        }
        _ if sharp && owner == NormalOwner::B => [a.as_point(), b.as_face()],
        _ if sharp => [a.as_face(), b.as_point()],
        [Feature::Face, _] | [Feature::Line(_), Feature::Line(_)] => [a, b.as_point()],
        [_, Feature::Face] => [a.as_point(), b],
        _ => [a, b],
    }
}

/// The normal between two sides without a face, points or lines, and the points on them that are closest to each other.
fn closest([a, b]: &[TouchingSide; 2], [known, otherwise]: [Vec3; 2]) -> (Vec3, [Vec3; 2]) {
    let between = b.centre - a.centre;
    let feet = match [a.feature, b.feature] {
        [Feature::Line(d), Feature::Line(e)] => {
            let cross = d.cross(e);
            let size = cross.length_squared();
            let s = between.cross(e).dot(cross) / size;
            let r = between.cross(d).dot(cross) / size;
            let normal = cross.normalize() * if cross.dot(known) < 0.0 { -1.0 } else { 1.0 };
            return (normal, [a.centre + d * s, b.centre + e * r]);
        }
        [Feature::Line(d), _] => [a.centre + d * d.dot(between), b.centre],
        [_, Feature::Line(e)] => [a.centre, b.centre - e * e.dot(between)],
        _ => [a.centre, b.centre],
    };
    // centres of round sides may have passed each other; of two sharp ones the direction may be rounding
    let back = |n: Vec3| a.radius + b.radius > 0.0 && n.dot(known) < 0.0;
    let normal = (feet[1] - feet[0]).try_normalize().map(|n| if back(n) { -n } else { n });
    (normal.filter(|n| n.dot(known) > 0.0).unwrap_or(otherwise), feet)
}

/// The motion of a body.
#[derive(Clone, Copy)]
struct Motion {
    velocity: Twist,
    centre: Vec3,
}

impl Motion {
    /// The velocity of the body's point at a location (m/s).
    fn at(&self, place: Vec3) -> Vec3 {
        self.velocity.at(place - self.centre)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use drystone_core::{BodyIndex, FeatureKey};
    use drystone_math::{Quat, SymmetricMat3};

    /// A small deterministic sequence in [-1, 1).
    struct Numbers(u64);

    impl Numbers {
        fn next(&mut self) -> Real {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (self.0 >> 11) as Real / (1_u64 << 52) as Real - 1.0
        }

        fn vector(&mut self) -> Vec3 {
            Vec3::new(self.next(), self.next(), self.next())
        }
    }

    /// The pose after some seconds of a steady motion.
    fn later(pose: &Pose, u: &Twist, t: Real) -> Pose {
        let turned = Quat::from_scaled_axis(u.angular * t) * pose.orientation;
        Pose::new(pose.position + u.linear * t, turned)
    }

    fn body(pose: Pose, velocity: Twist) -> GroupBody {
        GroupBody {
            index: BodyIndex::new(0),
            inverse_mass: 1.0,
            inverse_inertia: SymmetricMat3::from_diagonal(Vec3::ONE),
            pose,
            velocity,
            external: Twist::ZERO,
        }
    }

    /// Touching surfaces in the bodies' frames; `gap` computes their distance with the bodies at two poses.
    struct Case {
        name: &'static str,
        shapes: [Shape; 2],
        poses: [Pose; 2],
        /// The touching points, and the normal.
        touch: [Vec3; 2],
        normal: Vec3,
        owner: NormalOwner,
        gap: fn([&Pose; 2]) -> Real,
    }

    /// The distance of two lines along unit vectors.
    fn between_lines(p: Vec3, d: Vec3, q: Vec3, e: Vec3) -> Real {
        (q - p).dot(d.cross(e).normalize()).abs()
    }

    fn corners_and_balls() -> Vec<Case> {
        let cuboid = || Shape::cuboid(1.0, 1.0, 1.0).unwrap();
        let ball = |r| Shape::sphere(r).unwrap();
        let at = |x, y, z| Pose::new(Vec3::new(x, y, z), Quat::IDENTITY);
        let slant = Vec3::new(0.6, 0.8, 0.0);
        let three = Vec3::new(2.0, 2.0, 1.0) / 3.0;
        vec![
            Case {
                name: "ball on ball",
                shapes: [ball(1.0), ball(0.5)],
                poses: [at(0.0, 0.0, 0.0), Pose::new(slant * 1.5, Quat::IDENTITY)],
                touch: [slant, slant],
                normal: slant,
                owner: NormalOwner::A,
                gap: |[a, b]| a.position.distance(b.position) - 1.5,
            },
            Case {
                name: "ball on an edge",
                shapes: [cuboid(), ball(0.5)],
                poses: [at(-1.0, -1.0, 0.0), Pose::new(slant * 0.51 + Vec3::Z * 0.2, Quat::IDENTITY)],
                touch: [Vec3::Z * 0.2, slant * 0.01 + Vec3::Z * 0.2],
                normal: slant,
                owner: NormalOwner::A,
                gap: |[a, b]| {
                    let away = b.position - a.point(Vec3::new(1.0, 1.0, 0.0));
                    away.cross(a.direction(Vec3::Z)).length() - 0.5
                },
            },
            Case {
                name: "a corner on a ball",
                shapes: [ball(0.5), cuboid()],
                poses: [at(0.0, 0.0, 0.0), Pose::new(three * 0.5 + Vec3::ONE, Quat::IDENTITY)],
                touch: [three * 0.5; 2],
                normal: three,
                owner: NormalOwner::B,
                gap: |[a, b]| a.position.distance(b.point(-Vec3::ONE)) - 0.5,
            },
        ]
    }

    fn axes() -> Vec<Case> {
        let capsule = |r| Shape::capsule(r, 2.0).unwrap();
        let at = |x, y, z| Pose::new(Vec3::new(x, y, z), Quat::IDENTITY);
        let slant = Vec3::new(0.6, 0.8, 0.0);
        let skew = Quat::from_axis_angle(Vec3::Z, 1.0);
        vec![
            Case {
                name: "capsules across each other",
                shapes: [capsule(0.3), capsule(0.2)],
                poses: [at(0.0, 0.3, 0.0), Pose::new(Vec3::Z * 0.51, skew)],
                touch: [Vec3::Z * 0.3, Vec3::Z * 0.31],
                normal: Vec3::Z,
                owner: NormalOwner::A,
                gap: |[a, b]| between_lines(a.position, a.direction(Vec3::Y), b.position, b.direction(Vec3::Y)) - 0.5,
            },
            Case {
                name: "a cylinder on an edge",
                shapes: [Shape::cuboid(1.0, 1.0, 1.0).unwrap(), Shape::cylinder(0.5, 2.0).unwrap()],
                poses: [
                    at(-1.0, -1.0, 0.0),
                    Pose::new(slant * 0.5, Quat::from_rotation_arc(Vec3::Y, Vec3::new(-0.48, 0.36, 0.8))),
                ],
                touch: [Vec3::ZERO, Vec3::ZERO],
                normal: slant,
                owner: NormalOwner::A,
                gap: |[a, b]| {
                    let corner = a.point(Vec3::new(1.0, 1.0, 0.0));
                    between_lines(corner, a.direction(Vec3::Z), b.position, b.direction(Vec3::Y)) - 0.5
                },
            },
        ]
    }

    fn edges_and_faces() -> Vec<Case> {
        let cuboid = || Shape::cuboid(1.0, 1.0, 1.0).unwrap();
        let at = |p: Vec3| Pose::new(p, Quat::IDENTITY);
        // a box that stands on its edge along z, and above it one that stands on its edge along a slanted line
        let rolled = Quat::from_axis_angle(Vec3::Z, core::f64::consts::FRAC_PI_4);
        let leaning = Quat::from_axis_angle(Vec3::Y, 1.0) * rolled;
        let high = core::f64::consts::SQRT_2;
        vec![
            Case {
                name: "edge across edge",
                shapes: [cuboid(), cuboid()],
                poses: [Pose::new(Vec3::Y * -high, rolled), Pose::new(Vec3::Y * high, leaning)],
                touch: [Vec3::ZERO, Vec3::ZERO],
                normal: Vec3::Y,
                owner: NormalOwner::Edges,
                gap: |[a, b]| {
                    let (p, q) = (a.point(Vec3::new(1.0, 1.0, 0.0)), b.point(Vec3::new(-1.0, -1.0, 0.0)));
                    let n = a.direction(Vec3::Z).cross(b.direction(Vec3::Z)).normalize();
                    let n = if n.y < 0.0 { -n } else { n };
                    n.dot(q - p)
                },
            },
            Case {
                name: "a corner on a face",
                shapes: [cuboid(), cuboid()],
                poses: [at(Vec3::NEG_Y), at(Vec3::new(1.2, 1.0, 0.9))],
                touch: [Vec3::new(0.2, 0.0, -0.1), Vec3::new(0.2, 0.0, -0.1)],
                normal: Vec3::Y,
                owner: NormalOwner::A,
                gap: |[a, b]| a.direction(Vec3::Y).dot(b.point(-Vec3::ONE) - a.point(Vec3::Y)),
            },
            Case {
                name: "a ball on a face",
                shapes: [Shape::sphere(0.5).unwrap(), cuboid()],
                poses: [at(Vec3::NEG_Y * 0.5), at(Vec3::Y)],
                touch: [Vec3::ZERO, Vec3::ZERO],
                normal: Vec3::Y,
                owner: NormalOwner::B,
                gap: |[a, b]| b.direction(Vec3::Y).dot(b.point(Vec3::NEG_Y) - a.position) - 0.5,
            },
        ]
    }

    /// The second derivative of the gap for every kind of contact, along steady motions.
    #[test]
    fn the_gap_bends_as_the_difference_of_its_rates_says() {
        const H: Real = 1e-4;
        let mut numbers = Numbers(5);
        for case in corners_and_balls().into_iter().chain(axes()).chain(edges_and_faces()) {
            for _ in 0..20 {
                let motions = [0, 1].map(|_| Twist::new(numbers.vector(), numbers.vector() * 2.0));
                let gap = |t: Real| {
                    let poses = [0, 1].map(|k| later(&case.poses[k], &motions[k], t));
                    (case.gap)([&poses[0], &poses[1]])
                };
                let expected = (gap(H) - 2.0 * gap(0.0) + gap(-H)) / (H * H);
                let [a, b] = &case.poses;
                let (middle, separation) = ((case.touch[0] + case.touch[1]) * 0.5, gap(0.0));
                let point =
                    ContactPoint::from_world(a, b, middle, case.normal, separation, FeatureKey::default(), case.owner);
                let touching = TouchingPoint::of(&point, [a, b], [&case.shapes[0], &case.shapes[1]], case.normal);
                let bodies = [0, 1].map(|k| body(case.poses[k], motions[k]));
                let found = touching.curvature([&bodies[0], &bodies[1]]).dot(touching.normal);
                let close = (found - expected).abs() < 1e-5 * (1.0 + expected.abs());
                assert!(close, "{}: {found}, expected {expected}", case.name);
            }
        }
    }
}
