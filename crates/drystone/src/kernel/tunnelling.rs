//! Bodies that pass through others unnoticed.

use super::data::WorldData;
use super::derived::Derived;
use super::fast_bodies::{FastBodies, has_left};
use drystone_core::{BodyIndex, BodyPair};
use drystone_geometry::Ray;
use drystone_math::Vec3;
use drystone_narrow_phase::point_distance;

/// The number of pairs of which one body has passed through the other since the last drift.
pub(super) fn tunnelled(fast: &FastBodies, data: &WorldData, derived: &Derived) -> u64 {
    if fast.ways.bodies.is_empty() {
        return 0;
    }
    let through = |pair: BodyPair| u64::from(has_tunnelled(fast, data, derived, pair));
    let mut count = 0;
    if fast.looked_ahead {
        // whatever is on the way of a body has an edge with it, if the body stays where it was looked for
        let is_fast = |body| fast.ways.bodies.binary_search(&body).is_ok();
        let near = data.graph.iter().filter(|e| e.overlapping && (is_fast(e.pair.a) || is_fast(e.pair.b)));
        count = near.map(|e| through(e.pair)).sum();
    }
    let is_sought = |body| !fast.looked_ahead || has_left(data, derived, body, (Vec3::ZERO, 0.0));
    let has_edge = |pair: BodyPair| data.graph.edge(pair.a, pair.b).is_some_and(|e| e.overlapping);
    for &body in fast.ways.bodies.iter().filter(|body| is_sought(**body)) {
        for other in (0..data.configuration.bodies.len()).map(BodyIndex::new) {
            let Some(pair) = BodyPair::new(body, other).filter(|pair| passes(fast, data, derived, *pair)) else {
                continue;
            };
            // two fast bodies make only one pair
            let first = other > body || fast.ways.bodies.binary_search(&other).is_err() || !is_sought(other);
            let counted = || fast.looked_ahead && has_edge(pair);
            if first && derived.may_meet(&data.configuration, pair) && !counted() {
                count += through(pair);
            }
        }
    }
    count
}

/// Whether bodies may have passed each other in the last drift, judging by the balls around them.
fn passes(fast: &FastBodies, data: &WorldData, derived: &Derived, pair: BodyPair) -> bool {
    let way = fast.ways.of(&data.state, pair.a) - fast.ways.of(&data.state, pair.b);
    let apart = derived.frames[pair.b.at()].position - derived.frames[pair.a.at()].position;
    let [a, b] = [pair.a, pair.b].map(|body| data.configuration.body(body).shape.bounding_radius());
    let reach = way.length() + a + b;
    let out_of_reach = apart.length_squared() > reach * reach;
    // unbounded shapes count as near
    !out_of_reach
}

/// True if the centre of one body of a pair has passed through the other since before the last drift.
fn has_tunnelled(fast: &FastBodies, data: &WorldData, derived: &Derived, pair: BodyPair) -> bool {
    let way = fast.ways.of(&data.state, pair.a) - fast.ways.of(&data.state, pair.b);
    way != Vec3::ZERO
        && (crosses(data, derived, (pair.a, way), pair.b) || crosses(data, derived, (pair.b, -way), pair.a))
}

/// True if the centre of `one`, on its straight way (m) that ends at its present position, passed through `other`, which is taken to stand still: it went in and came out again, it
/// went past the middle between two sides of the solid, or it went through a surface without an inside. A body that goes through in several drifts is counted when it passes
/// the middle: from then on its contacts push it out on the far side.
fn crosses(data: &WorldData, derived: &Derived, (one, way): (BodyIndex, Vec3), other: BodyIndex) -> bool {
    let (shape, pose) = (&data.configuration.body(other).shape, &derived.frames[other.at()]);
    let start = data.state.position[one.at()] - way;
    let ray = Ray { origin: start, direction: way, length: 1.0 }.seen_from(pose);
    let Some(hit) = shape.cast_ray(&ray) else { return false };
    let [first, last] = [start, start + way].map(|at| point_distance(shape, pose, at));
    let (Some(first), Some(last)) = (first, last) else { return false };
    let came_out = hit.t > 0.0 && last.distance > 0.0;
    came_out || first.normal.dot(way) < 0.0 && first.normal.dot(last.normal) < 0.0
}
