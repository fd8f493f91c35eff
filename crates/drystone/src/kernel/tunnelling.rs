//! Bodies that pass through others unnoticed.

use super::data::WorldData;
use super::derived::Derived;
use super::fast_bodies::{FastBodies, has_left};
use crate::Stages;
use drystone_core::{BodyIndex, BodyPair, PosedShape};
use drystone_geometry::Shape;
use drystone_math::{Pose, Real, Vec3};

/// Radius of the probe that stands for the centre of a body, in half thicknesses of the body.
const PROBE: Real = 1e-3;
/// Largest number of steps along a body's way to find out whether something is on it.
const STEPS: u32 = 64;

/// The number of pairs of which one body has passed through the other since the last drift.
pub(super) fn tunnelled(fast: &FastBodies, data: &WorldData, derived: &Derived, stages: &Stages) -> u64 {
    if fast.ways.bodies.is_empty() {
        return 0;
    }
    let through = |pair: BodyPair| u64::from(has_tunnelled(fast, data, derived, stages, pair));
    let mut count = 0;
    if fast.looked_ahead {
        // whatever is on the way of a body has an edge with it, if the body stays where it was looked for
        count = data.graph.iter().filter(|e| e.overlapping).map(|e| through(e.pair)).sum();
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

/// Whether the centre of one body of a pair has entered the other and come out again since before the last drift.
fn has_tunnelled(fast: &FastBodies, data: &WorldData, derived: &Derived, stages: &Stages, pair: BodyPair) -> bool {
    let way = fast.ways.of(&data.state, pair.a) - fast.ways.of(&data.state, pair.b);
    let length = way.length();
    // if the way is shorter than the other body is thick, nothing can have come out of it
    let through = |one: BodyIndex, other: BodyIndex, way: Vec3| {
        length > 2.0 * fast.half_thickness[other.at()] && crosses(fast, (data, derived), stages, one, way, other)
    };
    length > 0.0 && (through(pair.a, pair.b, way) || through(pair.b, pair.a, -way))
}

/// Whether the centre of `one`, on its straight way that ends at its present position, entered and left `other`, which is taken to stand still.
fn crosses(
    fast: &FastBodies,
    (data, derived): (&WorldData, &Derived),
    stages: &Stages,
    one: BodyIndex,
    way: Vec3,
    other: BodyIndex,
) -> bool {
    let end = data.state.position[one.at()];
    let solid = PosedShape { shape: &data.configuration.body(other).shape, pose: derived.frames[other.at()] };
    // far from the line: not worth a query
    let to_line = {
        let d = solid.pose.position - end;
        let along = (d.dot(way) / way.length_squared()).clamp(-1.0, 0.0);
        (d - way * along).length()
    };
    if to_line > solid.shape.bounding_radius() {
        return false;
    }
    let Ok(probe) = Shape::sphere(PROBE * fast.half_thickness[one.at()]) else { return false };
    let (mut seeds, mut cache) = (Vec::new(), Default::default());
    let mut distance = |at: Vec3| {
        let probe = PosedShape { shape: &probe, pose: Pose::from_position(at) };
        let found = stages.narrow_phase.query(probe, solid, Real::INFINITY, &mut cache, &mut seeds);
        found.map_or(Real::INFINITY, |p| p.distance)
    };
    if distance(end) <= 0.0 {
        return false;
    }
    // steps never exceed the distance, so that nothing is passed over
    let (length, mut gone) = (way.length(), 0.0);
    for _ in 0..STEPS {
        let d = distance(end - way * (1.0 - gone / length));
        if d <= 0.0 {
            // at the start it was in the other body already
            return gone > 0.0;
        }
        gone += d.max(1e-9 * length);
        if gone >= length {
            return false;
        }
    }
    false
}
