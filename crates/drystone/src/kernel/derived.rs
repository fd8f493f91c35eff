//! Data derived from the world, stored so that they need not be computed in each step.

use super::data::WorldData;
use super::evaluated::EvaluatedAt;
use super::moved::MovedBodies;
use drystone_core::{BodyIndex, BodyKind, BodyPair, Configuration, Module, ProxyFilter, State, StepFailure, make_room};
use drystone_geometry::Aabb;
use drystone_math::{Pose, Real};

/// Largest contact envelope that is chosen by default (m).
const LARGEST_ENVELOPE: Real = 0.01;
/// The default envelope as a fraction of the smallest dynamic body's diameter.
const RELATIVE_ENVELOPE: Real = 0.02;

/// Columns that follow from configuration and state.
pub(crate) struct Derived {
    /// Body frames in the world; always those of the state.
    pub(super) frames: Vec<Pose>,
    /// Bodies that were moved since a query looked.
    pub(super) moved: MovedBodies,
    /// Poses of bodies when the separations of their contacts were evaluated.
    pub(super) evaluated: EvaluatedAt,
    /// Boxes of the last detection, grown by half the envelope.
    pub(super) boxes: Vec<Aabb>,
    pub(super) filters: Vec<ProxyFilter>,
    pub(super) kinds: Vec<BodyKind>,
    /// The dynamic bodies, ascending.
    pub(super) dynamic: Vec<BodyIndex>,
    /// The bodies that are moved from outside, ascending.
    scripted: Vec<BodyIndex>,
    /// All dynamic bodies that are awake, ascending; among them may be some that sleep through the frame.
    pub(super) awake: Vec<BodyIndex>,
    /// Those that fall asleep: scratch.
    pub(super) fallen: Vec<BodyIndex>,
    /// Number of times that list was made.
    pub(super) lists: u64,
    /// Bodies without a script that keep the velocity that they were given.
    pub(super) unscripted: Vec<BodyIndex>,
    /// True if a body is passive, as of the last edit.
    pub(super) has_passive: bool,
    asked_envelope: Option<Real>,
    /// The distance within which surfaces count as in contact (m).
    pub(super) envelope: Real,
    /// True if the shape, pose or kind of bodies was edited: boxes and frames are stale.
    pub(super) edited: bool,
    /// True if surfaces were edited: the properties of their pairs are stale.
    pub(super) surfaces_edited: bool,
}

impl Derived {
    pub(super) fn new(asked_envelope: Option<Real>) -> Self {
        Self {
            frames: Vec::new(),
            moved: MovedBodies::default(),
            evaluated: EvaluatedAt::default(),
            boxes: Vec::new(),
            filters: Vec::new(),
            kinds: Vec::new(),
            dynamic: Vec::new(),
            scripted: Vec::new(),
            awake: Vec::new(),
            fallen: Vec::new(),
            lists: 0,
            unscripted: Vec::new(),
            has_passive: false,
            asked_envelope,
            envelope: 0.0,
            edited: true,
            surfaces_edited: false,
        }
    }

    /// The envelope that was asked for (m); `None` if it follows from the bodies.
    pub(super) fn asked_envelope(&self) -> Option<Real> {
        self.asked_envelope
    }

    /// To be called after edits: rebuilds all columns.
    pub(super) fn update(&mut self, configuration: &Configuration, state: &State) {
        self.frames.clear();
        self.moved.begin(configuration.bodies.len());
        self.filters.clear();
        self.unscripted.clear();
        self.kinds.clear();
        self.kinds.extend(configuration.bodies.iter().map(|body| body.kind));
        self.dynamic.clear();
        let dynamic = |i: &usize| self.kinds[*i] == BodyKind::Dynamic;
        self.dynamic.extend((0..self.kinds.len()).filter(dynamic).map(BodyIndex::new));
        self.scripted.clear();
        let scripted = |i: &usize| self.kinds[*i] == BodyKind::Scripted;
        self.scripted.extend((0..self.kinds.len()).filter(scripted).map(BodyIndex::new));
        self.has_passive = configuration.bodies.iter().any(|b| b.kind == BodyKind::Passive);
        let mut smallest = Real::INFINITY;
        for (i, body) in configuration.bodies.iter().enumerate() {
            self.frames.push(body.frame(&state.pose(BodyIndex::new(i))));
            self.filters.push(ProxyFilter { groups: body.groups, ..ProxyFilter::new(body.is_dynamic(), body.layer) });
            if body.is_dynamic() {
                smallest = smallest.min(body.shape.bounding_radius());
            }
            if body.kind == BodyKind::Scripted && !configuration.scripts.iter().any(|s| s.body.at() == i) {
                self.unscripted.push(BodyIndex::new(i));
            }
        }
        let chosen = (RELATIVE_ENVELOPE * 2.0 * smallest).min(LARGEST_ENVELOPE);
        self.envelope = self.asked_envelope.unwrap_or(chosen);
        self.boxes.clear();
        let grown = 0.5 * self.envelope;
        self.boxes.extend(configuration.bodies.iter().zip(&self.frames).map(|(b, f)| b.shape.aabb(f).grown(grown)));
        self.evaluated.settle(&self.frames);
        self.edited = false;
    }

    /// To be called when bodies may have fallen asleep or woken: lists those that are awake.
    pub(super) fn list_awake(&mut self, state: &State) {
        make_room(&mut self.awake, self.dynamic.len());
        self.awake.extend(self.dynamic.iter().filter(|b| !state.sleeping[b.at()]));
        self.lists += 1;
    }

    /// To be called when bodies have woken that may not be listed.
    pub(super) fn list_woken(&mut self, woken: impl Iterator<Item = BodyIndex>) {
        let known = self.awake.len();
        self.awake.extend(woken);
        if self.awake.len() > known {
            self.awake.sort_unstable();
            self.awake.dedup();
            self.lists += 1;
        }
    }

    /// To be called when bodies have fallen asleep.
    pub(super) fn drop_asleep(&mut self, state: &State) {
        self.awake.retain(|b| !state.sleeping[b.at()]);
        self.lists += 1;
    }

    /// The bodies that may move, ascending: those that are awake, and those that are moved from outside.
    pub(super) fn movers<'a>(&'a self, sleeping: &'a [bool]) -> impl Iterator<Item = BodyIndex> + 'a {
        let mut awake = self.awake.iter().copied().filter(|b| !sleeping[b.at()]).peekable();
        let mut scripted = self.scripted.iter().copied().peekable();
        core::iter::from_fn(move || match (awake.peek(), scripted.peek()) {
            (Some(a), Some(b)) if b < a => scripted.next(),
            (None, _) => scripted.next(),
            _ => awake.next(),
        })
    }

    /// Returns true if the separations of a pair that count as fresh are those of the present poses.
    pub(super) fn are_separations_of_now(&self, pair: BodyPair) -> bool {
        self.evaluated.restored || (!self.edited && self.evaluated.is_at(&self.frames, pair))
    }

    /// Returns true if nothing was edited since the columns were made.
    pub(super) fn is_current(&self, state: &State) -> bool {
        !self.edited && !self.surfaces_edited && self.filters.len() == state.len()
    }

    /// Updates the frames of bodies after their poses changed, and checks that they are finite.
    pub(super) fn settle(
        &mut self,
        data: &WorldData,
        bodies: impl IntoIterator<Item = BodyIndex>,
        module: Module,
    ) -> Result<(), StepFailure> {
        for body in bodies {
            let pose = data.state.pose(body);
            self.frames[body.at()] = data.configuration.body(body).frame(&pose);
            self.moved.note(body);
            data.state.check_body(body).map_err(|kind| data.failure(Some(body), module, kind))?;
        }
        Ok(())
    }

    /// Gives a body that has fallen asleep the box of its present pose: the detection leaves sleeping bodies out, and its last box contained the room to move.
    pub(super) fn lay_down(&mut self, configuration: &Configuration, body: BodyIndex) {
        let i = body.at();
        self.boxes[i] = configuration.body(body).shape.aabb(&self.frames[i]).grown(0.5 * self.envelope);
    }

    /// Returns true if detection considers a pair.
    pub(super) fn may_meet(&self, configuration: &Configuration, pair: BodyPair) -> bool {
        let passive = |b: BodyIndex| configuration.body(b).kind == BodyKind::Passive;
        let [a, b] = [pair.a, pair.b].map(|b| self.filters[b.at()]);
        a.admits(&b) && !configuration.ignores(pair) && !passive(pair.a) && !passive(pair.b)
    }
}
