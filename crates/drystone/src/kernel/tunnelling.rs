//! What goes through others unseen.

use super::data::WorldData;
use super::derived::Derived;
use crate::Stages;
use drystone_core::{BodyIndex, BodyPair, PosedShape, State};
use drystone_geometry::Shape;
use drystone_math::{Pose, Real, Vec3};

/// Radius of the probe that stands for a body's middle, in half thicknesses of the body.
const PROBE: Real = 1e-3;
/// Steps along a body's way until it is known whether something is on it.
const STEPS: u32 = 64;

/// What moves by more than its own thickness in a drift, and from where.
#[derive(Default)]
pub(crate) struct FastBodies {
    /// Half the least extent of each body's box in its own frame (m).
    half_thickness: Vec<Real>,
    /// Whether the last detection looked ahead: what is on the way of a body then has an edge with it.
    pub(super) looked_ahead: bool,
    /// Where they were before the last drift, ascending by body, until it is counted what they went through.
    pub(super) starts: Vec<(BodyIndex, Vec3)>,
    /// Whether ways of a body are swept, as of the last edit.
    pub(super) has_continuous: bool,
    /// Whether bodies were placed or given velocities from outside since the last step.
    pub(super) disturbed: bool,
}

impl FastBodies {
    /// After an edit: what the bodies' shapes say.
    pub(super) fn measure<'a>(&mut self, shapes: impl Iterator<Item = &'a Shape>) {
        let thickness = |s: &Shape| 0.5 * s.aabb(&Pose::IDENTITY).size().min_element();
        self.half_thickness.clear();
        self.half_thickness.extend(shapes.map(thickness));
    }

    /// Whether a body moves by more than half its thickness in `h` seconds.
    fn is_fast(&self, state: &State, i: usize, h: Real) -> bool {
        let reach = self.half_thickness[i];
        state.linear_velocity[i].length_squared() * h * h > reach * reach
    }

    /// Whether an awake body does.
    pub(super) fn any(&self, state: &State, h: Real) -> bool {
        (0..state.len()).any(|i| !state.sleeping[i] && self.is_fast(state, i, h))
    }

    /// Before a drift: from where those come that will have moved that far.
    pub(super) fn note_starts(&mut self, state: &State, bodies: &[BodyIndex], h: Real) {
        for &body in bodies {
            if self.is_fast(state, body.at(), h) {
                self.starts.push((body, state.position[body.at()]));
            }
        }
    }

    /// After it: so that they are found by body.
    pub(super) fn sort(&mut self) {
        self.starts.sort_unstable_by_key(|s| s.0);
    }

    pub(super) fn forget_starts(&mut self) {
        self.starts.clear();
    }

    fn start(&self, body: BodyIndex) -> Option<Vec3> {
        self.starts.binary_search_by_key(&body, |s| s.0).ok().map(|k| self.starts[k].1)
    }

    /// How many pairs there are of which one went through the other since the last drift.
    pub(super) fn tunnelled(&self, data: &WorldData, derived: &Derived, stages: &Stages) -> u64 {
        if self.starts.is_empty() {
            return 0;
        }
        let through = |pair: BodyPair| u64::from(self.has_tunnelled(data, derived, stages, pair));
        if self.looked_ahead {
            // whatever is on the way of a body has an edge with it
            return data.graph.iter().filter(|e| e.overlapping).map(|e| through(e.pair)).sum();
        }
        let mut count = 0;
        for &(body, _) in &self.starts {
            for other in (0..data.configuration.bodies.len()).map(BodyIndex::new) {
                let pair = BodyPair::new(body, other);
                // two fast bodies are one pair
                let first = other > body || self.start(other).is_none();
                if let Some(pair) = pair.filter(|p| first && derived.may_meet(&data.configuration, *p)) {
                    count += through(pair);
                }
            }
        }
        count
    }

    /// Whether the middle of one body of a pair went through the other one and came out again since before the last drift.
    fn has_tunnelled(&self, data: &WorldData, derived: &Derived, stages: &Stages, pair: BodyPair) -> bool {
        let moved = |b: BodyIndex| self.start(b).map_or(Vec3::ZERO, |from| data.state.position[b.at()] - from);
        let way = moved(pair.a) - moved(pair.b);
        let length = way.length();
        // where the way is shorter than the other body is thick, nothing can have come out of it
        let through = |one: BodyIndex, other: BodyIndex, way: Vec3| {
            length > 2.0 * self.half_thickness[other.at()] && self.crosses((data, derived), stages, one, way, other)
        };
        length > 0.0 && (through(pair.a, pair.b, way) || through(pair.b, pair.a, -way))
    }

    /// Whether the middle of `one` on its straight way, which ends where it is, entered and left `other`, which stands still.
    fn crosses(
        &self,
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
        let Ok(probe) = Shape::sphere(PROBE * self.half_thickness[one.at()]) else { return false };
        let (mut seeds, mut cache) = (Vec::new(), Default::default());
        let mut distance = |at: Vec3| {
            let probe = PosedShape { shape: &probe, pose: Pose::from_position(at) };
            let found = stages.narrow_phase.query(probe, solid, Real::INFINITY, &mut cache, &mut seeds);
            found.map_or(Real::INFINITY, |p| p.distance)
        };
        if distance(end) <= 0.0 {
            return false;
        }
        // never further than the distance: nothing is passed over
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
}
