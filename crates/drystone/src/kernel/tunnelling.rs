use super::data::WorldData;
use super::engine::Engine;
use super::motion::Motion;
use crate::Stages;
use drystone_core::{BodyIndex, BodyKind, BodyPair, PosedShape};
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
    pub(super) half_thickness: Vec<Real>,
    /// Whether the last detection looked ahead: what is on the way of a body then has an edge with it.
    pub(super) looked_ahead: bool,
    /// Where they were before the last drift, ascending by body, until it is counted what they went through.
    pub(super) starts: Vec<(BodyIndex, Vec3)>,
    /// Whether ways of a body are swept, as of the last edit.
    pub(super) has_continuous: bool,
    /// Whether bodies were placed or given velocities from outside since the last step.
    pub(crate) disturbed: bool,
}

impl FastBodies {
    /// After an edit: what the bodies' shapes say.
    pub(super) fn measure<'a>(&mut self, shapes: impl Iterator<Item = &'a Shape>) {
        let thickness = |s: &Shape| 0.5 * s.aabb(&Pose::IDENTITY).size().min_element();
        self.half_thickness.clear();
        self.half_thickness.extend(shapes.map(thickness));
    }

    fn start(&self, body: BodyIndex) -> Option<Vec3> {
        self.starts.binary_search_by_key(&body, |s| s.0).ok().map(|k| self.starts[k].1)
    }
}

impl Engine {
    /// Whether an awake body moves by more than half its thickness in `h` seconds.
    pub(super) fn has_fast_bodies(&self, h: Real) -> bool {
        let fast = |i: usize| {
            let reach = self.motion.fast.half_thickness[i];
            self.data.state.linear_velocity[i].length_squared() * h * h > reach * reach
        };
        (0..self.data.state.len()).any(|i| !self.data.state.sleeping[i] && fast(i))
    }

    /// Moves the listed bodies by the motion solver, lets joints remember where they are, and notes from where fast ones came.
    pub(super) fn drift_and_note(&mut self, stages: &Stages, h: Real) -> Result<(), drystone_core::StepFailure> {
        self.count_tunnelled(stages);
        let Self { motion: Motion { fast, listed, .. }, data: WorldData { state, .. }, .. } = self;
        for &body in listed.iter() {
            let reach = fast.half_thickness[body.at()];
            if state.linear_velocity[body.at()].length_squared() * h * h > reach * reach {
                fast.starts.push((body, state.position[body.at()]));
            }
        }
        self.drift_listed(stages, h)?;
        if self.motion.fast.has_continuous {
            self.stop_continuous();
        }
        self.data.state.remember_joints(&self.data.configuration.joints);
        self.motion.fast.starts.sort_unstable_by_key(|s| s.0);
        Ok(())
    }

    /// Counts the bodies that went through others since the last drift.
    ///
    /// That is known once the correction has been: what turns as it arrives may drift into a thin wall by more than its middle, and is brought back.
    pub(crate) fn count_tunnelled(&mut self, stages: &Stages) {
        if self.motion.fast.starts.is_empty() {
            return;
        }
        let mut count = 0;
        if self.motion.fast.looked_ahead {
            // whatever is on the way of a body has an edge with it
            for edge in self.data.graph.iter().filter(|e| e.overlapping) {
                count += u64::from(self.has_tunnelled(stages, edge.pair));
            }
        } else {
            for &(body, _) in &self.motion.fast.starts {
                for other in (0..self.data.configuration.bodies.len()).map(BodyIndex::new) {
                    let pair = BodyPair::new(body, other);
                    // two fast bodies are one pair
                    let first = other > body || self.motion.fast.start(other).is_none();
                    if let Some(pair) = pair.filter(|p| first && self.may_meet(*p)) {
                        count += u64::from(self.has_tunnelled(stages, pair));
                    }
                }
            }
        }
        self.motion.tunnelled += count;
        self.motion.fast.starts.clear();
    }

    /// Whether a pair is one that detection looks at.
    pub(super) fn may_meet(&self, pair: BodyPair) -> bool {
        let passive = |b: BodyIndex| self.data.configuration.body(b).kind == BodyKind::Passive;
        let [a, b] = [pair.a, pair.b].map(|b| self.derived.filters[b.at()]);
        a.admits(&b) && !self.data.configuration.ignores(pair) && !passive(pair.a) && !passive(pair.b)
    }

    /// Whether the middle of one body of a pair went through the other one and came out again since before the last drift.
    fn has_tunnelled(&self, stages: &Stages, pair: BodyPair) -> bool {
        let moved =
            |b: BodyIndex| self.motion.fast.start(b).map_or(Vec3::ZERO, |from| self.data.state.position[b.at()] - from);
        let way = moved(pair.a) - moved(pair.b);
        let length = way.length();
        // where the way is shorter than the other body is thick, nothing can have come out of it
        let through = |one: BodyIndex, other: BodyIndex, way: Vec3| {
            length > 2.0 * self.motion.fast.half_thickness[other.at()] && self.crosses(stages, one, way, other)
        };
        length > 0.0 && (through(pair.a, pair.b, way) || through(pair.b, pair.a, -way))
    }

    /// Whether the middle of `one` on its straight way, which ends where it is, entered and left `other`, which stands still.
    fn crosses(&self, stages: &Stages, one: BodyIndex, way: Vec3, other: BodyIndex) -> bool {
        let end = self.data.state.position[one.at()];
        let solid =
            PosedShape { shape: &self.data.configuration.body(other).shape, pose: self.derived.frames[other.at()] };
        // far from the line: not worth a query
        let to_line = {
            let d = solid.pose.position - end;
            let along = (d.dot(way) / way.length_squared()).clamp(-1.0, 0.0);
            (d - way * along).length()
        };
        if to_line > solid.shape.bounding_radius() {
            return false;
        }
        let Ok(probe) = Shape::sphere(PROBE * self.motion.fast.half_thickness[one.at()]) else { return false };
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
