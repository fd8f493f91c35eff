use crate::Random;
use drystone_core::{NarrowCache, NarrowPhase, PosedShape, Proximity, Relation};
use drystone_geometry::Shape;
use drystone_math::{Pose, Real, Vec3};

/// Contact envelope of the suite (m): large, so that all distances are exact by contract.
const ENVELOPE: Real = 100.0;

/// Expectations of [`check_narrow_phase`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NarrowPhaseTolerance {
    /// Error allowed in distances and witness points (m), for shapes of about unit size.
    pub distance: Real,
    /// True if `-distance` must be a length by which overlapping shapes can be separated along the normal.
    pub depth: bool,
    /// True if witnesses of overlapping shapes must be opposite each other; false if they may be offset: a method that
    /// takes a longer way out than necessary has no witnesses that are opposite.
    pub opposite: bool,
}

impl Default for NarrowPhaseTolerance {
    fn default() -> Self {
        Self { distance: 1e-6, depth: true, opposite: true }
    }
}

/// The contract of [`NarrowPhase`] on all supported pairs of the given shapes, of about unit size, at seeded poses that overlap, touch and are apart: finite
/// numbers, unit normals, witnesses one distance apart, a relation that fits the distance, the same distance for swapped bodies and in another frame, and surfaces
/// that meet when moved by the distance.
///
/// # Panics
/// If the narrow phase violates its contract.
pub fn check_narrow_phase(narrow_phase: &dyn NarrowPhase, shapes: &[Shape], tolerance: NarrowPhaseTolerance) {
    let mut random = Random::new(11);
    for a in shapes {
        for b in shapes {
            assert_eq!(narrow_phase.supports(a, b), narrow_phase.supports(b, a), "support is symmetric");
            if !narrow_phase.supports(a, b) {
                continue;
            }
            for round in 0..60 {
                let pose_a = Pose::new(random.vector(1.0), random.rotation());
                // from deep overlap to well apart
                let away = random.direction() * random.range(0.05, 3.0);
                let pose_b = Pose::new(pose_a.position + away, random.rotation());
                let what = format!("{}: {} - {}, round {round}", narrow_phase.name(), a.kind(), b.kind());
                let (a, b) = (PosedShape { shape: a, pose: pose_a }, PosedShape { shape: b, pose: pose_b });
                check_pair(narrow_phase, a, b, &mut random, tolerance, &what);
            }
        }
    }
}

fn query(narrow_phase: &dyn NarrowPhase, a: PosedShape<'_>, b: PosedShape<'_>, what: &str) -> Proximity {
    let mut seeds = Vec::new();
    let answer = narrow_phase.query(a, b, ENVELOPE, &mut NarrowCache::default(), &mut seeds);
    for s in &seeds {
        assert!(s.position.is_finite() && s.separation.is_finite(), "{what}: a seed is not finite");
        assert!((s.normal.length() - 1.0).abs() < 1e-9, "{what}: a seed's normal is not a unit vector");
    }
    answer.unwrap_or_else(|e| panic!("{what}: said to be supported, but {e}"))
}

fn check_pair(
    narrow_phase: &dyn NarrowPhase,
    a: PosedShape<'_>,
    b: PosedShape<'_>,
    random: &mut Random,
    tolerance: NarrowPhaseTolerance,
    what: &str,
) {
    let tol = tolerance.distance;
    let p = query(narrow_phase, a, b, what);
    assert!(p.distance.is_finite() && p.witness_a.is_finite() && p.witness_b.is_finite(), "{what}: not finite: {p:?}");
    assert!((p.normal.length() - 1.0).abs() < 1e-9, "{what}: normal is not a unit vector: {p:?}");
    let between = p.witness_b - p.witness_a - p.normal * p.distance;
    assert!(between.dot(p.normal).abs() <= tol, "{what}: witnesses are not one distance apart: {p:?}");
    let opposite = tolerance.opposite || p.distance > 0.0;
    assert!(!opposite || between.length() <= tol, "{what}: witnesses are not opposite each other: {p:?}");
    assert_eq!(p.relation, Proximity::relation_of(p.distance, ENVELOPE), "{what}: relation");

    // swapped bodies
    let q = query(narrow_phase, b, a, what);
    assert!((p.distance - q.distance).abs() <= tol, "{what}: swapped: {} and {}", p.distance, q.distance);
    if p.distance > tol {
        assert!((p.normal + q.normal).length() <= 1e-3, "{what}: swapped: normals {} and {}", p.normal, q.normal);
    }

    // another frame: distances do not depend on it
    let frame = Pose::new(random.vector(2.0), random.rotation());
    let placed = |s: PosedShape<'_>| frame * s.pose;
    let moved = query(narrow_phase, PosedShape { pose: placed(a), ..a }, PosedShape { pose: placed(b), ..b }, what);
    assert!((p.distance - moved.distance).abs() <= tol, "{what}: elsewhere: {} and {}", p.distance, moved.distance);

    // the same answer with a warm cache
    let mut cache = NarrowCache::default();
    for _ in 0..2 {
        let warm = narrow_phase.query(a, b, ENVELOPE, &mut cache, &mut Vec::new());
        assert!(warm.is_ok_and(|w| (w.distance - p.distance).abs() <= tol), "{what}: warm");
    }

    // moved by the distance, the surfaces meet
    let shifted = |by: Vec3| PosedShape { pose: Pose::new(b.pose.position + by, b.pose.orientation), ..b };
    if p.distance > 0.0 {
        let met = query(narrow_phase, a, shifted(-p.normal * (p.distance + 2.0 * tol)), what);
        assert!(met.distance <= tol, "{what}: moved by {} they are still {} apart", p.distance, met.distance);
        let nearly = query(narrow_phase, a, shifted(-p.normal * (0.5 * p.distance)), what);
        assert!(nearly.relation != Relation::Penetrating || p.distance < tol, "{what}: meet before their distance");
    } else if tolerance.depth {
        let parted = query(narrow_phase, a, shifted(p.normal * (2.0 * tol - p.distance)), what);
        assert!(parted.distance >= -tol, "{what}: moved by {} they overlap by {}", -p.distance, -parted.distance);
    }
}
