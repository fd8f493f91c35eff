//! What goes through others unseen.

use super::data::WorldData;
use super::derived::Derived;
use crate::Stages;
use drystone_core::{BodyIndex, BodyPair, Configuration, PosedShape, State, make_room};
use drystone_geometry::Shape;
use drystone_math::{Pose, Quat, Real, Vec3};

/// Radius of the probe that stands for a body's middle, in half thicknesses of the body.
const PROBE: Real = 1e-3;
/// Steps along a body's way until it is known whether something is on it.
const STEPS: u32 = 64;

/// What moves by more than its own thickness in a drift.
#[derive(Default)]
pub(crate) struct FastBodies {
    /// Half the least extent of each body's box in its own frame (m).
    half_thickness: Vec<Real>,
    /// Whether the last detection looked ahead: what is on the way of a body then has an edge with it, for as long as no blow throws it.
    pub(super) looked_ahead: bool,
    /// The ways of the last drift, until it is counted what they went through.
    pub(super) ways: FastWays,
    /// How long what the last detection of this frame looked ahead for is still to come (s); nothing where there was none yet that did.
    pub(super) seen_for: Option<Real>,
    /// Whether bodies were placed or given velocities from outside since the last step, or left by it where nobody looked ahead for them.
    pub(super) disturbed: bool,
}

/// Who moved that far in a drift, and from where.
#[derive(Default)]
pub(super) struct FastWays {
    /// Ascending.
    pub(super) bodies: Vec<BodyIndex>,
    /// By body: where all were before it, if there are such, and how they were turned.
    before: Vec<Vec3>,
    turned: Vec<Quat>,
}

impl FastWays {
    /// Becomes a copy of other ones.
    pub(super) fn copy(&mut self, other: &Self) {
        self.bodies.clone_from(&other.bodies);
        if !other.bodies.is_empty() {
            self.note(&other.before, &other.turned);
        }
    }

    fn note(&mut self, positions: &[Vec3], orientations: &[Quat]) {
        self.before.clear();
        self.before.extend_from_slice(positions);
        self.turned.clear();
        self.turned.extend_from_slice(orientations);
    }

    /// Where a body was, moved on by a fraction of its way.
    pub(super) fn part(&self, state: &State, body: BodyIndex, fraction: Real) -> Pose {
        let position = self.before[body.at()] + self.of(state, body) * fraction;
        Pose::new(position, self.turned[body.at()])
    }

    /// The way of any body, where there are such.
    pub(super) fn of(&self, state: &State, body: BodyIndex) -> Vec3 {
        state.position[body.at()] - self.before[body.at()]
    }
}

impl FastBodies {
    /// After an edit: what the bodies' shapes say.
    pub(super) fn measure<'a>(&mut self, shapes: impl Iterator<Item = &'a Shape>) {
        let thickness = |s: &Shape| 0.5 * s.aabb(&Pose::IDENTITY).size().min_element();
        self.half_thickness.clear();
        self.half_thickness.extend(shapes.map(thickness));
        make_room(&mut self.ways.before, self.half_thickness.len());
        make_room(&mut self.ways.turned, self.half_thickness.len());
    }

    /// Whether an awake body moves by more than half its thickness in `h` seconds.
    pub(super) fn any(&self, state: &State, h: Real) -> bool {
        let mut awake = (0..state.len()).filter(|i| !state.sleeping[*i]);
        awake.any(|i| is_fast(state, i, self.half_thickness[i], h))
    }

    /// A detection of all looks ahead so far (s), if at all.
    pub(super) fn look(&mut self, ahead: Real) {
        self.looked_ahead = ahead > 0.0;
        self.seen_for = self.looked_ahead.then_some(ahead);
    }

    /// A drift of so many seconds was made.
    pub(super) fn go_on(&mut self, h: Real) {
        self.seen_for = self.seen_for.map(|left| (left - h).max(0.0));
    }

    /// Before a drift: who will have moved that far, and from where.
    pub(super) fn note_starts(&mut self, state: &State, bodies: &[BodyIndex], h: Real) {
        let Self { half_thickness, ways, .. } = self;
        ways.bodies.extend(bodies.iter().filter(|body| is_fast(state, body.at(), half_thickness[body.at()], h)));
        if !ways.bodies.is_empty() {
            ways.bodies.sort_unstable();
            ways.note(&state.position, &state.orientation);
        }
    }

    /// It is known what they went through.
    pub(super) fn forget_starts(&mut self) {
        self.ways.bodies.clear();
    }

    /// How many pairs there are of which one went through the other since the last drift.
    pub(super) fn tunnelled(&self, data: &WorldData, derived: &Derived, stages: &Stages) -> u64 {
        if self.ways.bodies.is_empty() {
            return 0;
        }
        let through = |pair: BodyPair| u64::from(self.has_tunnelled(data, derived, stages, pair));
        let mut count = 0;
        if self.looked_ahead {
            // whatever is on the way of a body has an edge with it, if it stays where it was looked for
            count = data.graph.iter().filter(|e| e.overlapping).map(|e| through(e.pair)).sum();
        }
        let is_sought = |body| !self.looked_ahead || self.is_unseen(data, derived, body);
        let has_edge = |pair: BodyPair| data.graph.edge(pair.a, pair.b).is_some_and(|e| e.overlapping);
        for &body in self.ways.bodies.iter().filter(|body| is_sought(**body)) {
            for other in (0..data.configuration.bodies.len()).map(BodyIndex::new) {
                let pair = BodyPair::new(body, other);
                // two fast bodies are one pair
                let first = other > body || self.ways.bodies.binary_search(&other).is_err() || !is_sought(other);
                let counted = |pair| self.looked_ahead && has_edge(pair);
                if let Some(pair) = pair.filter(|p| first && derived.may_meet(&data.configuration, *p) && !counted(*p))
                {
                    count += through(pair);
                }
            }
        }
        count
    }

    /// Whether a body is where the last detection of this frame has not looked ahead for it: something has changed its velocity since.
    pub(super) fn is_unseen(&self, data: &WorldData, derived: &Derived, body: BodyIndex) -> bool {
        self.seen_for.is_some() && has_left(data, derived, body, (Vec3::ZERO, 0.0))
    }

    /// Whether a fast body that nothing links to others is on its way out of its room, by more than half its thickness, in the time that is left of what was looked ahead.
    pub(super) fn any_leaves(&self, data: &WorldData, derived: &Derived) -> bool {
        let Some(left) = self.seen_for else { return false };
        let leaves = |b: &BodyIndex| {
            let way = data.state.linear_velocity[b.at()] * left;
            has_left(data, derived, *b, (way, self.half_thickness[b.at()]))
        };
        self.ways.bodies.iter().any(|b| leaves(b) && may_be_thrown(&data.configuration, *b))
    }

    /// Whether the middle of one body of a pair went through the other one and came out again since before the last drift.
    fn has_tunnelled(&self, data: &WorldData, derived: &Derived, stages: &Stages, pair: BodyPair) -> bool {
        let way = self.ways.of(&data.state, pair.a) - self.ways.of(&data.state, pair.b);
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

/// Whether a body moves by more than a reach (m) in `h` seconds.
fn is_fast(state: &State, i: usize, reach: Real, h: Real) -> bool {
    state.linear_velocity[i].length_squared() * h * h > reach * reach
}

/// Whether a body, moved on by a way, is out of its box by more than a slack (m).
fn has_left(data: &WorldData, derived: &Derived, body: BodyIndex, (way, slack): (Vec3, Real)) -> bool {
    let frame = derived.frames[body.at()];
    let there = Pose::new(frame.position + way, frame.orientation);
    !derived.boxes[body.at()].grown(slack).contains(&data.configuration.body(body).shape.aabb(&there))
}

/// Whether a body goes where a blow throws it: no joint, and no force that acts by rows, has a say in it.
pub(super) fn may_be_thrown(configuration: &Configuration, body: BodyIndex) -> bool {
    let holds = |link: usize| configuration.link_bodies(link).is_some_and(|ends| ends.contains(&Some(body)));
    configuration.body(body).is_dynamic() && !(0..configuration.link_count()).any(holds)
}
