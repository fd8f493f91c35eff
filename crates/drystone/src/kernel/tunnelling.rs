//! Bodies that pass through others unnoticed.

use super::data::WorldData;
use super::derived::Derived;
use super::fast_bodies::{FastBodies, has_left};
use drystone_broad_phase::BoxTree;
use drystone_core::{BodyIndex, BodyPair, make_room};
use drystone_geometry::{Aabb, Ray};
use drystone_math::{Real, Vec3};
use drystone_narrow_phase::point_distance;

/// Margin of the box of a way, relative to the way and to half the body's thickness.
const MARGIN: Real = 2e-3;

/// Search for pairs of bodies whose paths cross, kept from drift to drift.
#[derive(Debug, Default)]
pub(super) struct Crossings {
    /// The bodies that are looked after, ascending.
    sought: Vec<BodyIndex>,
    /// Their boxes, and the tree over these.
    boxes: Vec<Aabb>,
    tree: BoxTree,
}

impl Crossings {
    /// Reserves room for this many bodies.
    pub(super) fn make_room(&mut self, bodies: usize) {
        make_room(&mut self.sought, bodies);
        make_room(&mut self.boxes, bodies);
    }

    /// Calls `visit` once with each pair of different bodies, one of them sought, whose boxes overlap. There are `count` bodies.
    ///
    /// # Cost
    /// O(n log k) for n bodies of which k are sought, if their boxes are spread out.
    fn each(&mut self, count: usize, box_of: impl Fn(BodyIndex) -> Aabb, mut visit: impl FnMut(BodyPair)) {
        let Self { sought, boxes, tree } = self;
        if sought.is_empty() {
            return;
        }
        boxes.clear();
        boxes.extend(sought.iter().map(|body| box_of(*body)));
        tree.update(boxes);
        let mut own = 0;
        for other in (0..count).map(BodyIndex::new) {
            let is_sought = sought.get(own) == Some(&other);
            tree.overlapping(boxes, &box_of(other), |k| {
                // two sought bodies find each other
                if !is_sought || sought[k as usize] < other {
                    BodyPair::new(sought[k as usize], other).into_iter().for_each(&mut visit);
                }
            });
            own += usize::from(is_sought);
        }
    }
}

/// Adds the pairs of which one body has passed through the other since the last drift.
pub(super) fn list_tunnelled(
    crossings: &mut Crossings,
    fast: &FastBodies,
    data: &WorldData,
    derived: &Derived,
    into: &mut Vec<BodyPair>,
) {
    if fast.ways.is_empty() {
        return;
    }
    let through = |pair: BodyPair| has_tunnelled(fast, data, derived, pair);
    // what a body is deep in has an edge with it; so has what is on its way, if it was looked for there, and if it stays where it was looked for
    let is_near = |body| fast.ways.has(body);
    let near = data.graph.iter().filter(|e| e.overlapping && (is_near(e.pair.a) || is_near(e.pair.b)));
    into.extend(near.map(|e| e.pair).filter(|pair| through(*pair)));
    let is_sought = |body: &&BodyIndex| !fast.looked_ahead || has_left(data, derived, **body, (Vec3::ZERO, 0.0));
    crossings.sought.clear();
    crossings.sought.extend(fast.ways.bodies.iter().filter(is_sought));
    let has_edge = |pair: BodyPair| data.graph.edge(pair.a, pair.b).is_some_and(|e| e.overlapping);
    let bodies = data.configuration.bodies.len();
    crossings.each(
        bodies,
        |body| way_box(fast, data, derived, body),
        |pair| {
            let is_near = passes(fast, data, derived, pair) && derived.may_meet(&data.configuration, pair);
            if is_near && !has_edge(pair) && through(pair) {
                into.push(pair);
            }
        },
    );
}

/// The box of the ball around a body, and of its centre of mass, on the way of the last drift.
fn way_box(fast: &FastBodies, data: &WorldData, derived: &Derived, body: BodyIndex) -> Aabb {
    let radius = Vec3::splat(data.configuration.body(body).shape.bounding_radius());
    let (place, center) = (derived.frames[body.at()].position, data.state.position[body.at()]);
    let ball = Aabb { min: (place - radius).min(center), max: (place + radius).max(center) };
    let way = fast.ways.of(&data.state, body);
    // rounding of the way must not part boxes that touch
    ball.grown(MARGIN * (way.abs().max_element() + fast.half_thickness[body.at()].min(1.0))).swept(-way)
}

/// Returns true if bodies may have passed each other in the last drift, judging by the balls around them.
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
pub(super) fn crosses(data: &WorldData, derived: &Derived, (one, way): (BodyIndex, Vec3), other: BodyIndex) -> bool {
    let (shape, pose) = (&data.configuration.body(other).shape, &derived.frames[other.at()]);
    let start = data.state.position[one.at()] - way;
    let ray = Ray { origin: start, direction: way, length: 1.0 }.seen_from(pose);
    let Some(hit) = shape.cast_ray(&ray) else { return false };
    let [first, last] = [start, start + way].map(|at| point_distance(shape, pose, at));
    let (Some(first), Some(last)) = (first, last) else { return false };
    let came_out = hit.t > 0.0 && last.distance > 0.0;
    came_out || first.normal.dot(way) < 0.0 && first.normal.dot(last.normal) < 0.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use drystone_testkit::Random;

    /// Boxes at random places in a cube that grows with their number, so that each has about as many neighbours.
    fn scattered(count: usize, random: &mut Random) -> Vec<Aabb> {
        let room = (count as Real).cbrt();
        let corner = |random: &mut Random| random.vector(room);
        (0..count).map(|_| Aabb::from_center(corner(random), Vec3::splat(random.range(0.1, 0.8)))).collect()
    }

    /// Each pair of overlapping boxes with a sought one is visited once; their number grows as that of the bodies, where testing each sought body with all takes n^2.
    #[test]
    fn crossing_ways_are_found_without_testing_all_pairs() {
        let mut random = Random::new(11);
        for count in [100, 400, 1600, 6400] {
            let boxes = scattered(count, &mut random);
            let share = random.range(0.1, 1.0);
            let mut crossings = Crossings::default();
            crossings.sought.extend((0..count).filter(|_| random.unit() < share).map(BodyIndex::new));
            let is_sought = |b: usize| crossings.sought.binary_search(&BodyIndex::new(b)).is_ok();
            let mut expected = Vec::new();
            for (a, one) in boxes.iter().enumerate() {
                for b in (a + 1..count).filter(|b| is_sought(a) || is_sought(*b)) {
                    expected
                        .extend(one.overlaps(&boxes[b]).then(|| BodyPair::new(BodyIndex::new(a), BodyIndex::new(b))));
                }
            }
            let (mut found, asked) = (Vec::new(), core::cell::Cell::new(0));
            let box_of = |b: BodyIndex| {
                asked.set(asked.get() + 1);
                boxes[b.at()]
            };
            crossings.each(count, box_of, |pair| found.push(Some(pair)));
            found.sort_unstable();
            assert_eq!(found, expected);
            assert!(asked.get() <= 2 * count && found.len() < 20 * count, "{} of {count}", found.len());
        }
    }
}
