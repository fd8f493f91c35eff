//! What follows from the world, and is kept so that it need not be computed in each step.

use super::data::WorldData;
use super::evaluated::EvaluatedAt;
use super::moved::MovedBodies;
use drystone_core::{BodyIndex, BodyKind, BodyPair, Configuration, Module, ProxyFilter, State, StepFailure};
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
    /// Where bodies were when the separations of their contacts were evaluated.
    pub(super) evaluated: EvaluatedAt,
    /// Boxes of the last detection, grown by half the envelope.
    pub(super) boxes: Vec<Aabb>,
    pub(super) filters: Vec<ProxyFilter>,
    pub(super) kinds: Vec<BodyKind>,
    /// Number of bodies that move by forces or are moved from outside.
    pub(super) movable: usize,
    /// Bodies without a script that keep the velocity that they were given.
    pub(super) unscripted: Vec<BodyIndex>,
    /// Whether a body is passive, as of the last edit.
    pub(super) has_passive: bool,
    asked_envelope: Option<Real>,
    /// The distance within which surfaces count as in contact (m).
    pub(super) envelope: Real,
    /// Whether the shape, pose or kind of bodies was edited: boxes and frames are stale.
    pub(super) edited: bool,
    /// Whether surfaces were edited: the properties of their pairs are stale.
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
            movable: 0,
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
        let movable = |kind: &&BodyKind| matches!(kind, BodyKind::Dynamic | BodyKind::Scripted);
        self.movable = self.kinds.iter().filter(movable).count();
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

    /// Whether the separations of a pair that count as fresh are those of the present poses.
    pub(super) fn are_separations_of_now(&self, pair: BodyPair) -> bool {
        self.evaluated.restored || (!self.edited && self.evaluated.is_at(&self.frames, pair))
    }

    /// Whether nothing was edited since the columns were made.
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
            data.state.check_body(body).map_err(|kind| data.failure(Some(body), module, kind))?;
            self.moved.note(body);
        }
        Ok(())
    }

    /// Gives a body that has fallen asleep the box of its present pose: the detection leaves sleeping bodies out, and its last box contained the room to move.
    pub(super) fn lay_down(&mut self, configuration: &Configuration, body: BodyIndex) {
        let i = body.at();
        self.boxes[i] = configuration.body(body).shape.aabb(&self.frames[i]).grown(0.5 * self.envelope);
    }

    /// Whether detection considers a pair.
    pub(super) fn may_meet(&self, configuration: &Configuration, pair: BodyPair) -> bool {
        let passive = |b: BodyIndex| configuration.body(b).kind == BodyKind::Passive;
        let [a, b] = [pair.a, pair.b].map(|b| self.filters[b.at()]);
        a.admits(&b) && !configuration.ignores(pair) && !passive(pair.a) && !passive(pair.b)
    }
}
