use super::brute_force::least_depth;
use drystone_core::{NarrowPhase, PosedShape, Proximity, Relation};
use drystone_geometry::Shape;
use drystone_math::{Pose, Quat, Real, Vec3};
use drystone_narrow_phase::{GjkEpa, Primitives, PrimitivesImproved, PrimitivesOld, SeparatingAxes, VClip};

/// Distances of shapes with corners agree to this part of the size.
const EXACT: Real = 1e-7;

/// The same of cylinders and cones: GJK creeps along them.
const CREEPING: Real = 1e-6;

/// Depths of round shapes that are neither spheres nor capsules: the polytope is refined no further.
const ROUND: Real = 1e-6;

/// Depths of shapes that just touch, where the polytope has the origin in its border.
const TOUCH: Real = 5e-6;

/// Witnesses of round shapes that overlap lie on the chords of the polytope.
const CHORD: Real = 1e-3;

/// Boxes tilted by 1e-7 are level to the closed form of two boxes, which a corner may be off by that.
const LEVEL: Real = 1e-6;

/// Numbers in [0, 1) from a seed (SplitMix64).
pub(crate) struct Random(pub u64);

impl Random {
    pub(crate) fn unit(&mut self) -> Real {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ z >> 31) >> 11) as Real / (1_u64 << 53) as Real
    }

    fn within(&mut self, lo: Real, hi: Real) -> Real {
        lo + (hi - lo) * self.unit()
    }

    pub(crate) fn pick(&mut self, n: u32) -> u32 {
        (Real::from(n) * self.unit()) as u32
    }

    fn vector(&mut self) -> Vec3 {
        Vec3::new(self.within(-1.0, 1.0), self.within(-1.0, 1.0), self.within(-1.0, 1.0))
    }

    pub(crate) fn pose(&mut self, scale: Real) -> Pose {
        let q = match self.pick(4) {
            0 => Quat::IDENTITY,
            1 => Quat::from_scaled_axis(self.vector() * 1e-7),
            2 => Quat::from_rotation_y(Real::from(self.pick(8)) * core::f64::consts::FRAC_PI_4),
            _ => Quat::from_scaled_axis(self.vector() * 4.0),
        };
        // on a lattice now and then, so that faces and edges line up
        let p = if self.unit() < 0.3 { (self.vector() * 4.0).round() * 0.5 } else { self.vector() * 1.5 };
        Pose::new(p * scale, q)
    }

    pub(crate) fn shape(&mut self, scale: Real) -> Shape {
        let thin = self.unit() < 0.1;
        let mut size = || {
            let s = if self.unit() < 0.5 { 0.5 } else { self.within(0.05, 1.5) };
            scale * if thin && self.unit() < 0.3 { 1e-3 * s } else { s }
        };
        let (x, y, z) = (size(), size(), size());
        let built = match self.pick(7) {
            0 => Shape::sphere(x),
            1 => Shape::capsule(x, y),
            2 => Shape::cylinder(x, y),
            3 => Shape::cone(x, y),
            4 => {
                // doubled points, points inside, and one on an edge
                let mut points: Vec<Vec3> = (0..12).map(|_| self.vector() * Vec3::new(x, y, z)).collect();
                points.push(points[0]);
                points.push((points[0] + points[1]) * 0.5);
                Shape::convex(&points)
            }
            _ => Shape::cuboid(x, y, z),
        };
        built.unwrap_or_else(|_| Shape::sphere(scale).expect("a positive radius"))
    }
}

/// How far the shape reaches along a world direction.
fn reach(s: &Shape, pose: &Pose, n: Vec3) -> Real {
    s.support(pose.local_direction(n)).map_or(Real::INFINITY, |p| n.dot(pose.point(p)))
}

pub(crate) fn ask(n: &dyn NarrowPhase, a: PosedShape<'_>, b: PosedShape<'_>, envelope: Real) -> Option<Proximity> {
    n.query(a, b, envelope, &mut [0; 4], &mut Vec::new()).ok()
}

/// Draws a pair and asks all narrow phases about it.
///
/// # Errors
/// What is wrong with an answer.
pub(crate) fn check(random: &mut Random) -> Result<(), String> {
    let scale = [1.0, 1.0, 1.0, 1e-3, 1e3][random.pick(5) as usize];
    let (a, b) = (random.shape(scale), random.shape(scale));
    let (pa, pb) = (random.pose(scale), random.pose(scale));
    let (a, b) = (PosedShape { shape: &a, pose: pa }, PosedShape { shape: &b, pose: pb });
    let all: [&dyn NarrowPhase; 6] =
        [&Primitives, &PrimitivesImproved, &PrimitivesOld, &SeparatingAxes, &VClip, &GjkEpa];
    let mut least = None;
    let mut first: Option<Proximity> = None;
    for n in all.into_iter().filter(|n| n.supports(a.shape, b.shape)) {
        let Some(r) = ask(n, a, b, Real::INFINITY) else {
            return Err(format!("{} does not take what it says it takes", n.name()));
        };
        let say = |what: &str| {
            Err(format!("{}: {} - {}: {what}: {r:?} {a:?} {b:?}", n.name(), a.shape.kind(), b.shape.kind()))
        };
        let round = |s: &Shape| matches!(s, Shape::Cylinder(_) | Shape::Cone(_));
        let any_round = round(a.shape) || round(b.shape);
        let exact = scale * if any_round { CREEPING } else { EXACT };
        if !(r.distance.is_finite() && r.witness_a.is_finite() && r.witness_b.is_finite()) {
            return say("not finite");
        }
        if (r.normal.length() - 1.0).abs() > 1e-10 {
            return say("not a unit normal");
        }
        let gap = -reach(b.shape, &b.pose, -r.normal) - reach(a.shape, &a.pose, r.normal);
        if (gap - r.distance).abs() > exact {
            return say(&format!("the support planes are {gap} apart"));
        }
        let Some(swapped) = ask(n, b, a, Real::INFINITY) else { return say("swapped it is not taken") };
        let deep = if any_round { ROUND * scale } else { exact };
        let tolerance = if r.distance < 0.0 { deep } else { exact };
        if (swapped.distance - r.distance).abs() > tolerance {
            return say(&format!("swapped {swapped:?}"));
        }
        // the text's two rules for boxes: the old one's witnesses are midpoints, the improved one's depth may be that of a far face
        let of_text = [PrimitivesOld.name(), PrimitivesImproved.name()].contains(&n.name());
        if r.distance < 0.0 && !of_text {
            least = least.or_else(|| least_depth(a, b));
            if let Some(found) = least.filter(|e| !e.agrees(&r, exact, scale)) {
                return say(&format!("brute force says {found:?}"));
            }
        }
        if !of_text || r.relation != Relation::Penetrating && n.name() != PrimitivesOld.name() {
            // the witnesses lie on the surfaces, and apart as told
            let beside = scale * if any_round && r.relation == Relation::Penetrating { CHORD } else { TOUCH };
            for (s, w) in [(a, r.witness_a), (b, r.witness_b)] {
                let point = Shape::sphere(1e-9 * scale).map_err(|e| e.to_string())?;
                let at = PosedShape { shape: &point, pose: Pose::from_position(w) };
                let off = ask(&GjkEpa, s, at, Real::INFINITY).map_or(0.0, |p| p.distance);
                if off.abs() > beside {
                    return say(&format!("a witness is off by {off}"));
                }
            }
            if (r.witness_b - r.witness_a - r.normal * r.distance).length() > exact {
                return say("the witnesses are not the distance apart");
            }
        }
        match first {
            None => first = Some(r),
            Some(f) if f.distance >= 0.0 || r.distance >= 0.0 => {
                let boxes = matches!((a.shape, b.shape), (Shape::Box(_), Shape::Box(_)));
                let tolerance = if boxes { LEVEL * scale } else { tolerance };
                if (f.distance - r.distance).abs() > tolerance {
                    return say(&format!("another says {f:?}"));
                }
            }
            Some(f) => {
                let deeper = r.distance < f.distance - tolerance;
                if !of_text && (deeper || r.distance > f.distance + tolerance) {
                    return say(&format!("another says {f:?}"));
                }
            }
        }
    }
    Ok(())
}
