use super::linkage::JointEnds;
use crate::World;
use drystone_broad_phase::BoxTree;
use drystone_core::{BodyIndex, BodyKind, BodyProperties, OneThread};
use drystone_geometry::Aabb;
use drystone_math::{Pose, Real};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// Boxes are grown by this fraction of their coordinates, so that the exact test decides and not the rounding of the box.
const ROUNDING: Real = 1e-13;

/// When an index was made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Made {
    /// The count of edits.
    edits: u64,
    /// The count of placements of all bodies by the engine.
    placements: u64,
    /// The count of steps.
    steps: u64,
}

/// Frames and boxes of all bodies at one moment, and the tree over the boxes.
#[derive(Debug, Clone, Default)]
pub(super) struct PlacedBodies {
    /// `None` before the first time.
    made: Option<Made>,
    /// Body frames in the world, in column order.
    pub(super) frames: Vec<Pose>,
    /// The bodies' boxes; empty for passive bodies and sensors.
    pub(super) boxes: Vec<Aabb>,
    pub(super) tree: BoxTree,
    /// The joints of each body, listed by the first query that asks for them.
    pub(super) ends: OnceLock<JointEnds>,
}

/// The index in which queries look up bodies. After steps it follows the bodies that moved; after an edit it is made anew.
#[derive(Debug, Default)]
pub(crate) struct QueryIndex {
    edits: u64,
    steps: u64,
    /// The step since which the engine has listed the bodies that moved.
    listed_since: u64,
    placed: Mutex<Arc<PlacedBodies>>,
}

impl QueryIndex {
    /// Notes that any body may have been placed, changed, added or removed.
    pub(crate) fn changed(&mut self) {
        self.edits += 1;
    }

    /// Notes that a step begins. Returns whether the list of moved bodies can be emptied before it: the index has followed them all.
    pub(crate) fn begin_step(&mut self) -> bool {
        let placed = self.placed.get_mut().unwrap_or_else(PoisonError::into_inner);
        let followed = placed.made.is_none_or(|made| made.edits != self.edits || made.steps == self.steps);
        if followed {
            self.listed_since = self.steps;
        }
        self.steps += 1;
        followed
    }

    /// The bodies as they stand now.
    pub(super) fn placed(&self, world: &World) -> Arc<PlacedBodies> {
        // what a panic elsewhere left behind is either rebuilt or complete
        let mut placed = self.placed.lock().unwrap_or_else(PoisonError::into_inner);
        let moved = world.engine.moved_bodies();
        let now = Made { edits: self.edits, placements: moved.placements(), steps: self.steps };
        if placed.made != Some(now) {
            // a query that is still alive keeps the index that it was made with
            let placed = Arc::make_mut(&mut placed);
            let made = placed.made.take();
            let known =
                |m: Made| (m.edits, m.placements) == (now.edits, now.placements) && m.steps >= self.listed_since;
            if made.is_some_and(known) {
                placed.follow(world, moved.bodies());
            } else {
                placed.place_all(world);
            }
            placed.made = Some(now);
        }
        placed.clone()
    }
}

impl PlacedBodies {
    /// Places all bodies.
    fn place_all(&mut self, world: &World) {
        let data = world.engine.data();
        self.ends = OnceLock::new();
        self.frames.clear();
        self.boxes.clear();
        for (i, body) in data.configuration.bodies.iter().enumerate() {
            let frame = body.frame(&data.state.pose(BodyIndex::new(i)));
            self.frames.push(frame);
            self.boxes.push(box_of(body, &frame));
        }
        self.tree.update(&self.boxes);
    }

    /// Places the bodies that moved, when the others are where they were.
    fn follow(&mut self, world: &World, moved: &[BodyIndex]) {
        let data = world.engine.data();
        // joints may have broken
        self.ends = OnceLock::new();
        for &b in moved {
            let body = data.configuration.body(b);
            self.frames[b.at()] = body.frame(&data.state.pose(b));
            self.boxes[b.at()] = box_of(body, &self.frames[b.at()]);
        }
        self.tree.update_some(&self.boxes, moved.iter().map(|b| b.at()), &OneThread);
    }
}

/// The box in which queries look for a body.
fn box_of(body: &BodyProperties, frame: &Pose) -> Aabb {
    if body.kind == BodyKind::Passive || body.sensor {
        return Aabb::EMPTY;
    }
    let exact = body.shape.aabb(frame);
    let size = exact.min.abs().max(exact.max.abs()).max_element();
    if size.is_finite() { exact.grown(ROUNDING * size) } else { exact }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Body, Paradigm};
    use drystone_geometry::Shape;
    use drystone_math::Vec3;
    use drystone_testkit::Random;

    /// Fixed boxes, and some balls that fall onto them.
    fn rain(paradigm: Paradigm, fixed: usize, balls: usize, random: &mut Random) -> World {
        let mut world = World::builder().paradigm(paradigm).build().unwrap();
        world.add(Body::fixed(Shape::plane(Vec3::Y, 0.0).unwrap())).unwrap();
        for k in 0..fixed + balls {
            let place = random.vector(8.0);
            let at = Vec3::new(place.x, 0.5 + place.y.abs(), place.z);
            let shape = Shape::sphere(0.2).unwrap();
            world.add(if k < fixed { Body::fixed(shape).at(at) } else { Body::dynamic(shape).at(at) }).unwrap();
        }
        world
    }

    /// An index that follows steps and edits is the one that is made of the world as it stands.
    #[test]
    fn an_index_that_follows_is_one_that_is_made_anew() {
        let mut random = Random::new(5);
        for &paradigm in Paradigm::ALL {
            let mut world = rain(paradigm, 20, 12, &mut random);
            for step in 0..60 {
                if world.advance(0.02).is_err() {
                    break;
                }
                if random.unit() < 0.1 {
                    let ids = world.bodies().to_vec();
                    let place = random.vector(5.0);
                    world.set_pose(ids[1 + step % 30], place, random.rotation()).unwrap();
                }
                if random.unit() < 0.4 {
                    let mut anew = PlacedBodies::default();
                    anew.place_all(&world);
                    let followed = world.queries.placed(&world);
                    let name = paradigm.name;
                    assert_eq!((&followed.frames, &followed.boxes), (&anew.frames, &anew.boxes), "{name} {step}");
                }
            }
        }
    }

    /// The bodies that a query places after a step are those that moved, however many stand still.
    #[test]
    fn a_query_after_a_step_places_what_moved() {
        for fixed in [100, 1000, 10_000] {
            let mut world = rain(Paradigm::REAL_TIME, fixed, 10, &mut Random::new(9));
            world.advance(0.01).unwrap();
            let _ = world.query();
            for _ in 0..5 {
                world.advance(0.01).unwrap();
            }
            let moved = world.engine.moved_bodies().bodies().len();
            assert_eq!(moved, 10, "of {fixed}");
            let _ = world.query();
            world.advance(0.01).unwrap();
            assert_eq!(world.engine.moved_bodies().bodies().len(), 10);
        }
    }
}
