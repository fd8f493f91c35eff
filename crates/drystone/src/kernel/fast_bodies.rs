//! Bodies that move far in a drift, where they started from, and whether a detection looked ahead for them.

use super::data::WorldData;
use super::derived::Derived;
use drystone_core::{BodyIndex, Configuration, State, make_room};
use drystone_geometry::{Aabb, Shape};
use drystone_math::{Pose, Real, Vec3};

/// Bodies that move by more than half their own thickness in a drift.
#[derive(Default)]
pub(crate) struct FastBodies {
    /// Half the least extent of each body's box in its own frame (m).
    pub(super) half_thickness: Vec<Real>,
    /// True if the last detection looked ahead: any obstacle on the path of a body then has an edge with it, as long as
    /// no impact throws the body.
    pub(super) looked_ahead: bool,
    /// The ways of the last drift, until the bodies that they passed through have been counted.
    pub(super) ways: FastWays,
    /// Rest of the time that the last detection of this frame looked ahead (s); `None` if none has looked ahead yet.
    seen_for: Option<Real>,
    /// The bodies that have been stopped on their way since that detection, ascending.
    pub(super) standing: Vec<BodyIndex>,
    /// True if bodies were placed or given velocities from outside since the last step, or were left by it where no
    /// detection looked ahead for them.
    pub(super) disturbed: bool,
}

/// Which bodies moved that far in a drift, which others got deep into something, and from where.
#[derive(Default)]
pub(super) struct FastWays {
    /// The bodies that moved that far, ascending.
    pub(super) bodies: Vec<BodyIndex>,
    /// Bodies with an overlap deeper than half their thickness at some time of the drift, ascending: slow ones too may pass the middle of what they are in.
    pub(super) deep: Vec<BodyIndex>,
    /// The bodies that may have moved since before the drift, if any moved that far.
    noted: Vec<BodyIndex>,
    /// By body: whether it is among these, and its pose before the drift if it is.
    is_noted: Vec<bool>,
    before: Vec<Pose>,
}

impl FastWays {
    /// Makes room for this many bodies: nothing is known of them.
    pub(super) fn make_room(&mut self, bodies: usize) {
        make_room(&mut self.bodies, bodies);
        make_room(&mut self.deep, bodies);
        make_room(&mut self.noted, bodies);
        self.is_noted.clear();
        self.is_noted.resize(bodies, false);
        self.before.resize(bodies, Pose::IDENTITY);
    }

    /// Becomes a copy of another one.
    pub(super) fn copy(&mut self, other: &Self) {
        if self.before.len() != other.before.len() {
            self.make_room(other.before.len());
        }
        self.bodies.clone_from(&other.bodies);
        self.deep.clone_from(&other.deep);
        if !other.is_empty() {
            self.note(other.noted.iter().map(|body| (*body, other.before[body.at()])));
        }
    }

    /// True if no body went far or deep.
    pub(super) fn is_empty(&self) -> bool {
        self.bodies.is_empty() && self.deep.is_empty()
    }

    /// True if this body went far or deep.
    pub(super) fn has(&self, body: BodyIndex) -> bool {
        self.bodies.binary_search(&body).is_ok() || self.is_deep(body)
    }

    /// True if this body is among those that got deep.
    pub(super) fn is_deep(&self, body: BodyIndex) -> bool {
        self.deep.binary_search(&body).is_ok()
    }

    /// Keeps bodies for which a condition holds.
    pub(super) fn retain(&mut self, keep: impl Fn(BodyIndex) -> bool) {
        self.bodies.retain(|b| keep(*b));
        self.deep.retain(|b| keep(*b));
    }

    /// Notes where bodies are.
    fn note(&mut self, poses: impl Iterator<Item = (BodyIndex, Pose)>) {
        for body in self.noted.drain(..) {
            self.is_noted[body.at()] = false;
        }
        for (body, pose) in poses {
            self.noted.push(body);
            self.is_noted[body.at()] = true;
            self.before[body.at()] = pose;
        }
    }

    /// The former pose of a body; of one that does not move, the present one.
    fn before(&self, state: &State, body: BodyIndex) -> Pose {
        if self.is_noted[body.at()] { self.before[body.at()] } else { state.pose(body) }
    }

    /// The former pose of a body, moved on by a fraction of its way.
    pub(super) fn part(&self, state: &State, body: BodyIndex, fraction: Real) -> Pose {
        let Pose { position, orientation } = self.before(state, body);
        Pose::new(position + (state.position[body.at()] - position) * fraction, orientation)
    }

    /// The pose of a body after a fraction of its way, turned by the same fraction.
    pub(super) fn stop(&self, state: &State, body: BodyIndex, fraction: Real) -> Pose {
        let there = self.part(state, body, fraction);
        Pose::new(there.position, there.orientation.lerp(state.orientation[body.at()], fraction))
    }

    /// The way of any body, if there are fast ones.
    pub(super) fn of(&self, state: &State, body: BodyIndex) -> Vec3 {
        state.position[body.at()] - self.before(state, body).position
    }
}

impl FastBodies {
    /// To be called after an edit: measures the bodies' shapes.
    pub(super) fn measure<'a>(&mut self, shapes: impl Iterator<Item = &'a Shape>) {
        let thickness = |s: &Shape| 0.5 * s.aabb(&Pose::IDENTITY).size().min_element();
        self.half_thickness.clear();
        self.half_thickness.extend(shapes.map(thickness));
        self.ways.make_room(self.half_thickness.len());
        make_room(&mut self.standing, self.half_thickness.len());
    }

    /// Returns true if a movable body moves by more than half its thickness in `h` seconds.
    pub(super) fn any(&self, state: &State, derived: &Derived, h: Real) -> bool {
        derived.movers(&state.sleeping).any(|body| is_fast(state, body.at(), self.half_thickness[body.at()], h))
    }

    /// To be called when a frame begins: no detection has looked ahead in it yet.
    pub(super) fn begin_frame(&mut self) {
        self.seen_for = None;
        self.standing.clear();
    }

    /// To be called when a detection of all bodies looks ahead, by this much time (s) or not at all.
    pub(super) fn look(&mut self, ahead: Real) {
        self.looked_ahead = ahead > 0.0;
        self.seen_for = self.looked_ahead.then_some(ahead);
        self.standing.clear();
    }

    /// Notes that bodies were stopped on their way. If several drifts share a detection, they stay there in those that follow, since it is not known what is behind it.
    pub(super) fn note_stops(&mut self, bodies: &[BodyIndex]) {
        if self.seen_for.is_some() {
            self.standing.extend_from_slice(bodies);
            self.standing.sort_unstable();
        }
    }

    /// Brings some bodies, which are in ascending order, back to whether they were among those that had been stopped at an instant.
    pub(super) fn restore_stops(&mut self, then: &[BodyIndex], bodies: &[BodyIndex]) {
        if self.standing.is_empty() && then.is_empty() {
            return;
        }
        self.standing.retain(|b| bodies.binary_search(b).is_err());
        self.standing.extend(then.iter().filter(|b| bodies.binary_search(b).is_ok()));
        self.standing.sort_unstable();
    }

    /// To be called when a drift of `h` seconds was made.
    pub(super) fn go_on(&mut self, h: Real) {
        self.seen_for = self.seen_for.map(|left| (left - h).max(0.0));
    }

    /// To be called before a drift: notes which bodies will have moved that far or been that deep, and from where; if several drifts share a detection, in all drifts that remain.
    pub(super) fn note_starts(&mut self, data: &WorldData, derived: &Derived, bodies: &[BodyIndex], h: Real) {
        let WorldData { configuration, state, graph, .. } = data;
        let Self { half_thickness, ways, seen_for, standing, .. } = self;
        let h = seen_for.map_or(h, |left| left.max(h));
        ways.bodies.extend(bodies.iter().filter(|body| is_fast(state, body.at(), half_thickness[body.at()], h)));
        ways.bodies.sort_unstable();
        for entry in graph.moving_edges() {
            let depth = -graph.edges[entry.slot as usize].manifold.least_separation();
            let gets_deep = |body: &BodyIndex| {
                let reach = half_thickness[body.at()] - depth;
                reach < 0.0 || is_fast(state, body.at(), reach, h)
            };
            let pair = [entry.pair.a, entry.pair.b];
            if depth > 0.0 && pair.iter().any(gets_deep) {
                let may_go = |b: &&BodyIndex| configuration.body(**b).is_dynamic() && !state.sleeping[b.at()];
                ways.deep.extend(pair.iter().filter(may_go));
            }
        }
        ways.deep.sort_unstable();
        ways.deep.dedup();
        if !ways.is_empty() || !standing.is_empty() {
            ways.note(derived.movers(&state.sleeping).map(|body| (body, state.pose(body))));
        }
    }

    /// To be called when it is known what the bodies passed through.
    pub(super) fn forget_starts(&mut self) {
        self.ways.bodies.clear();
        self.ways.deep.clear();
    }

    /// Returns true if a dynamic body is where the last detection of this frame did not look ahead for it, because
    /// something has changed its velocity since. Bodies that are linked to others are pulled off their way a little in
    /// each step: for these only more than half the thickness counts.
    pub(super) fn is_unseen(&self, data: &WorldData, derived: &Derived, body: BodyIndex) -> bool {
        let configuration = &data.configuration;
        let leaves_by = |slack| has_left(data, derived, body, (Vec3::ZERO, slack));
        // most are where they were expected: only for the few others is it necessary to check whether they are linked
        self.seen_for.is_some()
            && configuration.body(body).is_dynamic()
            && leaves_by(0.0)
            && (!is_linked(configuration, body) || leaves_by(self.half_thickness[body.at()]))
    }

    /// Bodies that may be in a box at present, some of them twice. Bodies that were looked ahead for are in their own boxes; thrown ones are added.
    pub(super) fn near<'a>(&'a self, derived: &'a Derived, bounds: &'a Aabb) -> impl Iterator<Item = BodyIndex> + 'a {
        let is_near = |i: &usize| self.seen_for.is_none() || derived.boxes[*i].overlaps(bounds);
        let near = (0..derived.boxes.len()).filter(is_near).map(BodyIndex::new);
        near.chain(self.ways.bodies.iter().copied())
    }

    /// Returns true if a fast body will leave its swept bounds by more than half its thickness in the rest of the
    /// look-ahead time.
    pub(super) fn any_leaves(&self, data: &WorldData, derived: &Derived) -> bool {
        let Some(left) = self.seen_for else { return false };
        let leaves = |b: &BodyIndex| {
            let way = data.state.linear_velocity[b.at()] * left;
            has_left(data, derived, *b, (way, self.half_thickness[b.at()]))
        };
        self.ways.bodies.iter().any(|b| data.configuration.body(*b).is_dynamic() && leaves(b))
    }
}

/// Returns true if a body moves by more than a reach (m) in `h` seconds.
fn is_fast(state: &State, i: usize, reach: Real, h: Real) -> bool {
    state.linear_velocity[i].length_squared() * h * h > reach * reach
}

/// Returns true if a body, displaced by `way`, sticks out of its box by more than a slack (m).
pub(super) fn has_left(data: &WorldData, derived: &Derived, body: BodyIndex, (way, slack): (Vec3, Real)) -> bool {
    let frame = derived.frames[body.at()];
    let there = Pose::new(frame.position + way, frame.orientation);
    !derived.boxes[body.at()].grown(slack).contains(&data.configuration.body(body).shape.aabb(&there))
}

/// Returns true if a joint, or a force that acts by rows, influences the motion of a body.
pub(super) fn is_linked(configuration: &Configuration, body: BodyIndex) -> bool {
    let holds = |link: usize| configuration.link_bodies(link).is_some_and(|ends| ends.contains(&Some(body)));
    (0..configuration.link_count()).any(holds)
}
