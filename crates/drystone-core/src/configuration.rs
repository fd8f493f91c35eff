use crate::{
    BodyIndex, BodyPair, BodyProperties, ConstraintRow, IgnoredPairs, Joint, Materials, ScriptedMotion, State,
};
use drystone_math::{Vec3, Wrench};
use std::any::Any;
use std::sync::Arc;

/// A body's scripted motion.
#[derive(Clone)]
pub struct Script {
    /// The body that follows it, of kind [`crate::BodyKind::Scripted`].
    pub body: BodyIndex,
    /// Position as a function of time.
    pub motion: Arc<dyn ScriptedMotion>,
}

/// The user's bodies, joints, forces and their properties; constant during a step.
#[derive(Default)]
pub struct Configuration {
    /// One entry per body, in the column order of [`crate::State`].
    pub bodies: Vec<BodyProperties>,
    /// Surfaces.
    pub materials: Materials,
    /// Uniform gravitational acceleration (m/s^2).
    pub gravity: Vec3,
    /// Joints, limits and motors.
    pub joints: Vec<Joint>,
    /// Forces other than uniform gravity.
    pub forces: Vec<Box<dyn ForceField>>,
    /// Scripted motions.
    pub scripts: Vec<Script>,
    /// Pairs that never meet: the logical rules of the contact graph (H-06).
    pub ignored_pairs: IgnoredPairs,
}

impl Configuration {
    /// A body's properties.
    #[inline]
    pub fn body(&self, index: BodyIndex) -> &BodyProperties {
        &self.bodies[index.at()]
    }

    /// Upper bound on the number of links: the joints come first, then the forces, of which only those that act by rows are links.
    pub fn link_count(&self) -> usize {
        self.joints.len() + self.forces.len()
    }

    /// The bodies of a link; `None` for a force that acts only by wrenches, or names a body that does not exist.
    pub fn link_bodies(&self, link: usize) -> Option<[Option<BodyIndex>; 2]> {
        if let Some(joint) = self.joints.get(link) {
            return Some(joint.bodies);
        }
        let bodies = self.forces.get(link - self.joints.len())?.linked_bodies()?;
        bodies.iter().flatten().all(|b| b.at() < self.bodies.len()).then_some(bodies)
    }

    /// Returns true if a rule keeps the pair from meeting.
    #[inline]
    pub fn ignores(&self, pair: BodyPair) -> bool {
        self.ignored_pairs.contains(pair)
    }

    /// Keeps a pair from meeting.
    pub fn ignore(&mut self, pair: BodyPair) {
        self.ignored_pairs.add_rule(pair);
    }

    /// Adds a joint that keeps its two bodies from meeting, until it is removed.
    pub fn add_insulating_joint(&mut self, mut joint: Joint) {
        if let Some(pair) = joint.pair() {
            self.ignored_pairs.add_joint(pair);
            joint.insulates = true;
        }
        self.joints.push(joint);
    }
}

/// An external force (C-18): known at any instant from the state alone.
pub trait ForceField: Send + Sync {
    /// Adds the wrenches it exerts (world frame, about the centres of mass), in column order.
    fn accumulate(&self, configuration: &Configuration, state: &State, wrenches: &mut [Wrench]);

    /// True if the force depends on velocities. Such a force is evaluated again at the velocities after the step, and
    /// taken there if it would reverse within the step (a resistance at a step that is too large for it).
    fn depends_on_velocity(&self) -> bool {
        true
    }

    /// Called when a body is taken out of the columns: the indices of the bodies after it move up ([`BodyIndex::without`]). Returns whether the field still
    /// acts; a field that does not, because the body was the one it acted on, is dropped.
    ///
    /// A field that names bodies by their columns must update these here; the default is right for fields that name none.
    fn remove_body(&mut self, _removed: BodyIndex) -> bool {
        true
    }

    /// The bodies that it links by rows of the constraint problem: it then acts through [`Self::rows`], or through [`Self::accumulate`] if the constraint
    /// solver takes no rows. `None`, the default, means a field that acts only by wrenches.
    ///
    /// Linked bodies are in one contact group. `None` among the two is the world frame; at least one of them must be a body.
    fn linked_bodies(&self) -> Option<[Option<BodyIndex>; 2]> {
        None
    }

    /// Appends the soft rows that stand for the force, over whatever step they are solved with; compare [`crate::ConstraintSource::rows`].
    fn rows(&self, _configuration: &Configuration, _state: &State, _rows: &mut Vec<ConstraintRow>) {}

    /// A copy of it, which a history of the world keeps; `None`, the default, if it cannot be copied.
    fn copied(&self) -> Option<Box<dyn ForceField>> {
        None
    }

    /// The field itself, for whoever knows its type and writes it to a file; `None`, the default, if it cannot be written.
    fn as_any(&self) -> Option<&dyn Any> {
        None
    }

    /// True if the force is conservative or dissipative: a spring, a damper, a field of gravity. If all forces of a
    /// world are, its energy must not grow ([`StepFailure`](crate::StepFailure)); the default is that it may.
    fn gives_potential_only(&self) -> bool {
        false
    }

    /// Its potential energy (J), if it has one; else zero.
    fn potential(&self, _configuration: &Configuration, _state: &State) -> f64 {
        0.0
    }
}
