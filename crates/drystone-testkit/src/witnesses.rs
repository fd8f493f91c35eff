use crate::{Random, from_surface};
use drystone_core::{NarrowCache, NarrowPhase, PosedShape, Proximity};
use drystone_geometry::Shape;
use drystone_math::{Pose, Real, Vec3};

/// Errors of the witnesses of a narrow phase (m): the largest over a number of queries, or the largest allowed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct WitnessErrors {
    /// Distance of a witness from the surface of its own shape.
    pub off: Real,
    /// Deviation of the witnesses' difference along the normal from the distance.
    pub along: Real,
    /// Offset of the witnesses from each other, seen along the normal.
    pub beside: Real,
}

/// Measurements of [`measure_witnesses`] for one pair of shapes.
#[derive(Debug, Clone)]
pub struct WitnessReport {
    /// The largest errors.
    pub worst: WitnessErrors,
    /// The number of answers that were examined, and the number of overlaps among them.
    pub asked: [u32; 2],
    /// The deepest overlap (m).
    pub deepest: Real,
    /// Descriptions of the answers that are worst in `off`, `along` and `beside`.
    pub told: [String; 3],
}

/// Queries a narrow phase for two shapes of about unit size at `rounds` seeded pairs of poses, from coinciding centres to well apart, a third of them moved until
/// they just about touch. Each pair is queried once with an empty cache and once more, moved a little, with what was remembered. Answers beyond the envelope (m) are
/// ignored: their witnesses mean nothing.
///
/// # Panics
/// If the narrow phase does not support the pair.
pub fn measure_witnesses(
    narrow_phase: &dyn NarrowPhase,
    [x, y]: [&Shape; 2],
    envelope: Real,
    rounds: u32,
) -> WitnessReport {
    let mut random = Random::new(5);
    let worst = WitnessErrors { off: 0.0, along: 0.0, beside: 0.0 };
    let mut report = WitnessReport { worst, asked: [0; 2], deepest: 0.0, told: <[String; 3]>::default() };
    for round in 0..rounds {
        let a = PosedShape { shape: x, pose: Pose::new(random.vector(1.0), random.rotation()) };
        let far = if round % 4 == 0 { random.range(0.0, 0.2) } else { random.range(0.0, 1.5) };
        let mut b =
            PosedShape { shape: y, pose: Pose::new(a.pose.position + random.direction() * far, random.rotation()) };
        let mut cache = NarrowCache::default();
        let ask = |b: PosedShape<'_>, envelope: Real, cache: &mut NarrowCache| {
            let answer = narrow_phase.query(a, b, envelope, cache, &mut Vec::new());
            answer.unwrap_or_else(|e| panic!("said to be supported, but {e}"))
        };
        if round % 3 == 0 {
            let found = ask(b, Real::INFINITY, &mut NarrowCache::default());
            let wanted = [0.01, -1e-6, -0.02][random.below(3)];
            b.pose.position -= found.normal * (found.distance - wanted);
        }
        report.look_at([a, b], ask(b, envelope, &mut cache), envelope, round);
        b.pose = Pose::new(b.pose.position + random.vector(0.003), b.pose.orientation);
        report.look_at([a, b], ask(b, envelope, &mut cache), envelope, round);
    }
    report
}

impl WitnessReport {
    fn look_at(&mut self, [a, b]: [PosedShape<'_>; 2], p: Proximity, envelope: Real, round: u32) {
        if p.distance > envelope {
            return;
        }
        self.asked[0] += 1;
        self.asked[1] += u32::from(p.distance < 0.0);
        self.deepest = self.deepest.max(-p.distance);
        let off = |s: PosedShape<'_>, w: Vec3| from_surface(s.shape, s.pose.local_point(w));
        let between = p.witness_b - p.witness_a;
        let along = between.dot(p.normal);
        let errors = [
            off(a, p.witness_a).max(off(b, p.witness_b)),
            (along - p.distance).abs(),
            (between - p.normal * along).length(),
        ];
        let worst = &mut self.worst;
        let kept = [&mut worst.off, &mut worst.along, &mut worst.beside];
        for ((kept, error), told) in kept.into_iter().zip(errors).zip(&mut self.told) {
            if error > *kept || error.is_nan() {
                *kept = error;
                *told = format!("round {round}: {p:?}, a at {:?}, b at {:?}", a.pose, b.pose);
            }
        }
    }
}

/// The contract of [`NarrowPhase`] on witnesses, for one pair of shapes that it supports: each lies on its own shape's surface, they are the distance apart along
/// the normal, and opposite each other, all within `allowed`.
///
/// # Panics
/// If the narrow phase violates its contract, or if fewer than a tenth of the queries were about overlaps.
pub fn check_witnesses(
    narrow_phase: &dyn NarrowPhase,
    shapes: [&Shape; 2],
    envelope: Real,
    rounds: u32,
    allowed: WitnessErrors,
) -> WitnessReport {
    let report = measure_witnesses(narrow_phase, shapes, envelope, rounds);
    let what = format!("{}: {} - {}, envelope {envelope}", narrow_phase.name(), shapes[0].kind(), shapes[1].kind());
    let worst = report.worst;
    for (what_is, found, limit, told) in [
        ("off its surface", worst.off, allowed.off, &report.told[0]),
        ("from one distance apart", worst.along, allowed.along, &report.told[1]),
        ("beside the other", worst.beside, allowed.beside, &report.told[2]),
    ] {
        assert!(found <= limit, "{what}: a witness is {found:.2e} m {what_is}, {told}");
    }
    assert!(report.asked[1] * 10 >= rounds, "{what}: {:?} overlaps", report.asked);
    report
}
