//! The closest features of two convex polyhedra, by walking from feature to feature (Lin-Canny in Mirtich's form).

mod clip;
mod march;

use crate::gap::Gap;
use crate::gjk_epa;
use crate::minkowski::Difference;
use crate::primitives::unsupported;
use crate::solid::{Solid, is_solid};
use drystone_core::catalogue::{Implementation, Settings};
use drystone_core::{ContactSeed, Feature, NarrowCache, NarrowPhase, PosedShape, Proximity, UnsupportedPair};
use drystone_geometry::Shape;
use drystone_math::{Pose, Real, Vec3};
use march::{March, closest};

/// The closest features of two boxes or convex polyhedra, starting from those of last time: for a pair that moves
/// little this takes a step or two, whatever the number of vertices. Overlapping pairs are reported as such by the
/// walk, and get their depth from the expanding polytope.
///
/// `iterations` in the answer counts the steps from feature to feature (plus, if they overlap, those for the depth).
///
/// # Source
/// Mirtich 1998 (V-Clip), after Lin and Canny 1991 (J-12). Differs in: if a face's region excludes an edge, the walk goes on
/// to the face's nearest edge, found by comparing all; the points found are verified by their support planes, and the few
/// that rounding spoils go to GJK, as does a walk that does not end.
#[derive(Debug, Clone, Copy, Default)]
pub struct VClip;

impl VClip {
    /// For catalogues.
    pub const DESCRIPTION: Implementation = Implementation {
        name: "v-clip",
        summary: "closest features, cached from frame to frame; overlaps go to the expanding polytope; takes any two of box, convex",
        source: "Mirtich 1998; Lin and Canny 1991",
        parameters: &[],
    };

    /// There is nothing to set.
    pub fn from_settings(_: &Settings) -> Self {
        Self
    }
}

/// Points this much farther apart than their support planes (as a fraction of the size) are rejected.
const PROVEN: Real = 1e-9;

/// For a pair closer than this fraction of its size, the difference of the points gives no usable direction.
const CLOSE: Real = 1e-7;

impl NarrowPhase for VClip {
    fn name(&self) -> &'static str {
        Self::DESCRIPTION.name
    }

    fn supports(&self, a: &Shape, b: &Shape) -> bool {
        is_solid(a) && is_solid(b)
    }

    fn query(
        &self,
        a: PosedShape<'_>,
        b: PosedShape<'_>,
        envelope: Real,
        cache: &mut NarrowCache,
        seeds: &mut Vec<ContactSeed>,
    ) -> Result<Proximity, UnsupportedPair> {
        seeds.clear();
        let no = || unsupported(self.name(), a.shape, b.shape);
        let (steps, found) = walked(a, b, cache).ok_or_else(no)?;
        if let Outcome::Apart(gap) = found {
            return Ok(gap.proximity(envelope));
        }
        // overlapping, or touching in all digits, or not proven
        let gap = gjk_epa::convex_gap(a, b, envelope, &mut NarrowCache::default()).ok_or_else(no)?;
        Ok(Gap { iterations: steps + gap.iterations, ..gap }.proximity(envelope))
    }
}

/// The outcome of a walk.
#[derive(Debug, Clone, Copy)]
enum Outcome {
    /// The distance, proven by its support planes.
    Apart(Gap),
    /// They overlap, or are too close for a direction.
    Overlap,
    /// Rounding spoiled the walk or its end.
    Lost,
}

/// Walks from the features in the cache, or from corners that face each other; returns the steps taken and the outcome.
fn walked(a: PosedShape<'_>, b: PosedShape<'_>, cache: &mut NarrowCache) -> Option<(u32, Outcome)> {
    let rel = b.pose.relative_to(&a.pose);
    let x = Solid::new(a.shape, &Pose::IDENTITY)?;
    let y = Solid::new(b.shape, &rel)?;
    let shape = Difference::new(a, b)?;
    let way = if rel.position.length_squared() > 0.0 { rel.position } else { Vec3::X };
    let (from, to) = match (decode(cache[0], &x), decode(cache[1], &y)) {
        (Some(f), Some(g)) => (f, g),
        _ => (Feature::Vertex(x.support(way, 0)), Feature::Vertex(y.support(-way, 0))),
    };
    let walk = March::new(&x, &y).run(from, to);
    (cache[0], cache[1]) = (encode(walk.feature_a), encode(walk.feature_b));
    if walk.overlap || !walk.ended {
        return Some((walk.steps, if walk.overlap { Outcome::Overlap } else { Outcome::Lost }));
    }
    let (on_a, on_b) = closest(&x, walk.feature_a, &y, walk.feature_b);
    let d = on_b - on_a;
    let distance = d.length();
    if distance <= CLOSE * shape.size {
        return Some((walk.steps, Outcome::Overlap));
    }
    let n = d / distance;
    shape.begin_at(corner_of(&x, walk.feature_a), corner_of(&y, walk.feature_b));
    if distance - shape.separation(n) > PROVEN * shape.size {
        return Some((walk.steps, Outcome::Lost));
    }
    let gap = Gap {
        feature_a: x.feature(walk.feature_a, on_a),
        feature_b: y.feature(walk.feature_b, on_b),
        iterations: walk.steps,
        ..Gap::smooth(distance, a.pose.direction(n), a.pose.point(on_a), a.pose.point(on_b))
    };
    Some((walk.steps, Outcome::Apart(gap)))
}

/// A vertex of a feature, from which to begin a search for the farthest one.
fn corner_of(s: &Solid<'_>, f: Feature) -> u32 {
    match f {
        Feature::Vertex(v) => v,
        Feature::Edge(e) => s.poly().edges()[e as usize][0],
        Feature::Face(f) => s.poly().face_corners(f as usize)[0],
        Feature::Surface => 0,
    }
}

/// A feature as a word: its kind in the upper two bits, never zero.
fn encode(f: Feature) -> u32 {
    match f {
        Feature::Vertex(i) => 1 << 30 | i,
        Feature::Edge(i) => 2 << 30 | i,
        Feature::Face(i) => 3 << 30 | i,
        Feature::Surface => 0,
    }
}

fn decode(word: u32, s: &Solid<'_>) -> Option<Feature> {
    let i = word & 0x3fff_ffff;
    match word >> 30 {
        1 if (i as usize) < s.poly().vertices().len() => Some(Feature::Vertex(i)),
        2 if (i as usize) < s.poly().edges().len() => Some(Feature::Edge(i)),
        3 if (i as usize) < s.poly().face_count() => Some(Feature::Face(i)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use drystone_math::Quat;

    #[test]
    fn hardly_a_walk_is_lost() {
        // boxes and hulls at level, tilted and turned poses, on a lattice and off it
        let ball: Vec<Vec3> = (0..60)
            .map(|i| {
                let (w, y) = (2.4 * Real::from(i), 1.0 - (Real::from(i) + 0.5) / 30.0);
                let r = (1.0 - y * y).sqrt();
                Vec3::new(r * w.cos(), y, r * w.sin()) * 0.6
            })
            .collect();
        let shapes = [
            Shape::cuboid(0.5, 0.5, 0.5).unwrap(),
            Shape::cuboid(0.2, 0.7, 0.4).unwrap(),
            Shape::convex(&ball).unwrap(),
            Shape::convex(&ball[20..35]).unwrap(),
        ];
        let (mut lost, mut apart) = (0, 0);
        for k in 0..40_000_u32 {
            let w = Real::from(k);
            let lattice = Vec3::new((w * 0.37).sin(), (w * 0.73).sin(), (w * 1.31).sin()) * 1.5;
            let at = if k % 3 == 0 { (lattice * 2.0).round() * 0.5 } else { lattice };
            let turn = [0.0, 1e-7, 1.0][k as usize / 3 % 3];
            let pose = Pose::new(at, Quat::from_scaled_axis(Vec3::new(w.sin(), 0.3, w.cos()) * turn));
            let (a, b) = (&shapes[k as usize % 4], &shapes[k as usize / 4 % 4]);
            let (a, b) = (PosedShape { shape: a, pose: Pose::IDENTITY }, PosedShape { shape: b, pose });
            match walked(a, b, &mut [0; 4]).unwrap().1 {
                Outcome::Apart(_) => apart += 1,
                Outcome::Overlap => {}
                Outcome::Lost => lost += 1,
            }
        }
        assert!(apart > 10_000 && lost * 1000 < apart, "{lost} lost, {apart} apart");
    }
}
