//! The closed forms: known distances, and a certificate of exactness on random pairs.

use drystone_core::{NarrowPhase, PosedShape, Proximity, Relation};
use drystone_geometry::Shape;
use drystone_math::{Pose, Quat, Real, Vec3};
use drystone_narrow_phase::{Primitives, PrimitivesOld};

/// Distances come out of some hundred operations on numbers around one.
const EXACT: Real = 1e-12;

fn ask(n: &dyn NarrowPhase, a: (&Shape, Pose), b: (&Shape, Pose), envelope: Real) -> Proximity {
    let (a, b) = (PosedShape { shape: a.0, pose: a.1 }, PosedShape { shape: b.0, pose: b.1 });
    n.query(a, b, envelope, &mut [0; 4], &mut Vec::new()).unwrap()
}

fn at(x: Real, y: Real, z: Real) -> Pose {
    Pose::from_position(Vec3::new(x, y, z))
}

#[test]
fn known_distances() {
    let s = Shape::sphere(0.5).unwrap();
    let b = Shape::cuboid(1.0, 0.5, 0.25).unwrap();
    let c = Shape::capsule(0.25, 0.5).unwrap();
    let p = Shape::plane(Vec3::Y, 0.0).unwrap();
    let o = Pose::IDENTITY;
    let turned = Pose::new(Vec3::new(0.0, 0.0, 0.6), Quat::from_rotation_z(30.0_f64.to_radians()));
    let root2 = Real::sqrt(2.0);
    for (a, pose, d) in [
        ((&s, &s), at(0.0, 3.0, 4.0), 4.0),
        ((&s, &s), at(0.6, 0.0, 0.0), -0.4),
        ((&b, &s), at(2.0, 0.0, 0.0), 0.5),
        ((&b, &s), at(2.0, 1.5, 0.0), root2 - 0.5),
        ((&c, &c), at(1.0, 0.0, 0.0), 0.5),
        ((&p, &s), at(7.0, 2.0, 3.0), 1.5),
        ((&p, &b), at(0.0, 0.4, 0.0), -0.1),
        ((&b, &b), at(1.9, 0.0, 0.0), -0.1),
        ((&b, &b), at(3.0, 2.0, 0.0), root2),
        ((&b, &b), turned, 0.1),
        ((&b, &c), at(0.0, 1.0, 0.0), -0.25),
        ((&p, &c), at(0.0, 0.7, 0.0), -0.05),
    ] {
        let n: [&dyn NarrowPhase; 2] = [&Primitives, &PrimitivesOld];
        for n in n {
            let r = ask(n, (a.0, o), (a.1, pose), Real::INFINITY);
            assert!(
                (r.distance - d).abs() < EXACT,
                "{} {} {}: {} not {d}",
                n.name(),
                a.0.kind(),
                a.1.kind(),
                r.distance
            );
            let swapped = ask(n, (a.1, pose), (a.0, o), Real::INFINITY);
            assert!((swapped.distance - d).abs() < EXACT && (swapped.normal + r.normal).length() < EXACT);
        }
    }
    assert!(!Primitives.supports(&p, &p));
}

/// Numbers in [0, 1) from a seed (SplitMix64).
struct Random(u64);

impl Random {
    fn unit(&mut self) -> Real {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ z >> 31) >> 11) as Real / (1_u64 << 53) as Real
    }

    fn within(&mut self, lo: Real, hi: Real) -> Real {
        lo + (hi - lo) * self.unit()
    }

    fn vector(&mut self) -> Vec3 {
        Vec3::new(self.within(-1.0, 1.0), self.within(-1.0, 1.0), self.within(-1.0, 1.0))
    }

    fn pose(&mut self, reach: Real) -> Pose {
        let q = match (4.0 * self.unit()) as u32 {
            0 => Quat::IDENTITY,
            1 => Quat::from_scaled_axis(self.vector() * 1e-7),
            2 => Quat::from_rotation_y((8.0 * self.unit()).floor() * core::f64::consts::FRAC_PI_4),
            _ => Quat::from_scaled_axis(self.vector() * 4.0),
        };
        // on a lattice now and then, so that faces and edges line up
        let p = if self.unit() < 0.3 { (self.vector() * 4.0).round() * 0.5 } else { self.vector() * reach };
        Pose::new(p, q)
    }

    fn shape(&mut self) -> Shape {
        let size = |r: &mut Self| if r.unit() < 0.5 { 0.5 } else { r.within(0.05, 1.5) };
        match (4.0 * self.unit()) as u32 {
            0 => Shape::sphere(size(self)),
            1 => Shape::capsule(size(self), size(self)),
            _ => Shape::cuboid(size(self), size(self), size(self)),
        }
        .unwrap()
    }
}

/// How far the shape reaches along a world direction.
fn reach(s: &Shape, pose: &Pose, n: Vec3) -> Real {
    n.dot(pose.point(s.support(pose.local_direction(n)).unwrap()))
}

/// Moving along the normal by the distance just parts or joins the shapes: the gap between the support planes is
/// the distance. For separated shapes that and witnesses on the shapes prove the distance exact.
#[test]
fn the_support_planes_certify_every_answer() {
    let mut random = Random(7);
    for k in 0..40_000 {
        let (a, b) = (random.shape(), random.shape());
        let (pa, pb) = (random.pose(1.5), random.pose(1.5));
        let r = ask(&Primitives, (&a, pa), (&b, pb), Real::INFINITY);
        let say = || format!("{k}: {a:?} {pa:?} {b:?} {pb:?} {r:?}");
        assert!(r.distance.is_finite() && r.witness_a.is_finite() && r.witness_b.is_finite(), "{}", say());
        assert!((r.normal.length() - 1.0).abs() < 1e-12, "{}", say());
        let gap = -reach(&b, &pb, -r.normal) - reach(&a, &pa, r.normal);
        assert!((gap - r.distance).abs() < 1e-7, "gap {gap} {}", say());
        assert!((r.witness_a + r.normal * r.distance - r.witness_b).length() < 1e-7, "{}", say());
        let swapped = ask(&Primitives, (&b, pb), (&a, pa), Real::INFINITY);
        assert!((swapped.distance - r.distance).abs() < 1e-7, "{} swapped {swapped:?}", say());
        if r.relation != Relation::Penetrating {
            // the witnesses lie in the shapes
            for (s, p, w) in [(&a, pa, r.witness_a), (&b, pb, r.witness_b)] {
                let point = Shape::sphere(1e-9).unwrap();
                let d = ask(&Primitives, (s, p), (&point, Pose::from_position(w)), 0.0).distance;
                assert!(d.abs() < 1e-8, "witness off by {d}: {}", say());
            }
        }
    }
}

#[test]
fn the_cached_axis_gives_the_same_answer_far_and_near() {
    let b = Shape::cuboid(0.5, 0.5, 0.5).unwrap();
    let mut cache = [0; 4];
    let mut seeds = Vec::new();
    let posed = |x: Real| PosedShape { shape: &b, pose: Pose::new(Vec3::new(x, 0.1, 0.0), Quat::from_rotation_y(0.5)) };
    let still = PosedShape { shape: &b, pose: Pose::IDENTITY };
    let r = Primitives.query(still, posed(3.0), 0.01, &mut cache, &mut seeds).unwrap();
    assert!(r.relation == Relation::Separated && r.distance > 0.01 && cache[0] != 0);
    let again = Primitives.query(still, posed(3.0), 0.01, &mut cache, &mut seeds).unwrap();
    assert_eq!(r, again);
    let near = Primitives.query(still, posed(1.1), 0.01, &mut cache, &mut seeds).unwrap();
    assert_eq!(near.relation, Relation::Penetrating);
}
