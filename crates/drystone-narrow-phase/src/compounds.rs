//! Compounds: the tree of the parts of one is searched for each part of the other, nearest first.

use crate::gap::Gap;
use crate::single_pair::{as_polyhedra, simple};
use drystone_core::{ContactSeed, FeatureKey, NarrowCache, PartPair, PosedShape};
use drystone_geometry::Shape;
use drystone_geometry::bvh::AxisBox;
use drystone_math::{Real, Vec3};
use std::cell::Cell;

thread_local! {
    /// Scratch for the contacts of one pair of parts: the caller's list already holds those of the other pairs.
    static OF_PARTS: Cell<Vec<ContactSeed>> = const { Cell::new(Vec::new()) };
}

/// Two shapes, at least one a compound: the gap of the nearest or deepest parts; each pair of parts within the envelope gives its own contacts, or the seed of a pair for the contact
/// determination. Beyond the envelope the distance is a lower bound. `None` if a pair of parts is not supported.
///
/// # Cost
/// Per part of the compound with fewer parts, a descent of the tree of the other.
pub(crate) fn nearest_parts(
    a: PosedShape<'_>,
    b: PosedShape<'_>,
    envelope: Real,
    cache: &mut NarrowCache,
    seeds: &mut Vec<ContactSeed>,
) -> Option<Gap> {
    let count = |s: &Shape| if let Shape::Compound(c) = s { c.parts().len() } else { 0 };
    let [in_a, in_b] = [a, b].map(|s| count(s.shape));
    let (few, many, flipped) = if in_a > in_b { (b, a, true) } else { (a, b, false) };
    let Shape::Compound(compound) = many.shape else { return None };
    let reach = if envelope.is_finite() { envelope } else { 0.0 };
    let mut search = Search { envelope, reach, cache, seeds, own: OF_PARTS.take(), best: None, iterations: 0 };
    let mut all = Some(());
    for i in 0..in_a.min(in_b).max(1) as u32 {
        let Some((x, _)) = few.part(i) else { break };
        let around: AxisBox = x.shape.aabb(&x.pose.relative_to(&many.pose)).into();
        let apart = |v: &AxisBox| v.apart(&around).max(Vec3::ZERO).length();
        compound.tree().nearest_first(search.limit(), apart, |j| {
            if let Some((y, _)) = many.part(j as u32) {
                let met = if flipped { search.meet([j as u32, i], [y, x]) } else { search.meet([i, j as u32], [x, y]) };
                all = all.and(met);
            }
            search.limit()
        });
    }
    OF_PARTS.set(core::mem::take(&mut search.own));
    let best = all.and(search.best)?;
    Some(Gap { iterations: search.iterations, ..best })
}

struct Search<'s> {
    envelope: Real,
    /// Pairs of parts up to this distance give contacts (m).
    reach: Real,
    /// Of the first parts of both.
    cache: &'s mut NarrowCache,
    seeds: &'s mut Vec<ContactSeed>,
    own: Vec<ContactSeed>,
    best: Option<Gap>,
    /// Of all pairs tested.
    iterations: u32,
}

impl Search<'_> {
    /// Parts farther apart than this (m) change nothing.
    fn limit(&self) -> Real {
        self.best.map_or(Real::INFINITY, |g| g.distance.max(self.reach))
    }

    /// Tests a pair of parts, given their numbers; `None` if it is not supported.
    fn meet(&mut self, [i, j]: [u32; 2], [x, y]: [PosedShape<'_>; 2]) -> Option<()> {
        self.own.clear();
        let [x, y] = as_polyhedra(x, y).unwrap_or([x, y]);
        let (mut others, first) = (NarrowCache::default(), i == 0 && j == 0);
        let limit = self.envelope.min(self.limit());
        let cache = if first { &mut *self.cache } else { &mut others };
        let gap = simple(x, y, limit, cache, &mut self.own)?;
        if gap.distance <= self.reach {
            if self.own.is_empty() {
                let parts = PartPair { part_a: i, part_b: j, feature_a: gap.feature_a, feature_b: gap.feature_b };
                let (position, separation) = ((gap.on_a + gap.on_b) * 0.5, gap.distance);
                let key = FeatureKey::default().of_parts(i, j);
                self.seeds.push(ContactSeed { position, normal: gap.normal, separation, key, parts: Some(parts) });
            }
            self.seeds.extend(self.own.iter().map(|s| ContactSeed { key: s.key.of_parts(i, j), ..*s }));
        }
        self.iterations += gap.iterations;
        if self.best.is_none_or(|g| gap.distance < g.distance) {
            self.best = Some(gap);
        }
        Some(())
    }
}
