//! All of a world that no step changes, kept so that it can be brought back.

use super::World;
use super::tags::Tags;
use crate::Snapshot;
use drystone_core::{BodyId, BodyIndex, Configuration, ForceId, JointId, JointMemory, Script};
use slotmap::SlotMap;
use std::any::Any;
use std::sync::Arc;

/// The bodies, joints, forces, scripts, surfaces and names of a world at an instant, with the keys that they had.
pub(crate) struct Whole {
    configuration: Configuration,
    bodies: SlotMap<BodyId, BodyIndex>,
    body_ids: Vec<BodyId>,
    joints: SlotMap<JointId, u32>,
    joint_ids: Vec<JointId>,
    forces: Vec<ForceId>,
    force_ids: SlotMap<ForceId, ()>,
    body_tags: Tags<BodyId>,
    joint_tags: Tags<JointId>,
}

/// A copy of a configuration; `None` if it has a force that cannot be copied.
fn copied(of: &Configuration) -> Option<Configuration> {
    let Configuration { bodies, materials, gravity, joints, forces, scripts, ignored_pairs } = of;
    let script = |s: &Script| Script { body: s.body, motion: s.motion.clone() };
    Some(Configuration {
        bodies: bodies.clone(),
        materials: materials.clone(),
        gravity: *gravity,
        joints: joints.clone(),
        forces: forces.iter().map(|force| force.copied()).collect::<Option<_>>()?,
        scripts: scripts.iter().map(script).collect(),
        ignored_pairs: ignored_pairs.clone(),
    })
}

impl World {
    /// All that no step changes, as it is now; `None` if there is a force that cannot be copied. The copy is made once after each edit.
    pub(crate) fn whole(&self) -> Option<Arc<Whole>> {
        let make = || {
            let whole: Arc<dyn Any + Send + Sync> = Arc::new(Whole {
                configuration: copied(self.configuration())?,
                bodies: self.bodies.clone(),
                body_ids: self.body_ids.clone(),
                joints: self.joints.clone(),
                joint_ids: self.joint_ids.clone(),
                forces: self.forces.clone(),
                force_ids: self.force_ids.clone(),
                body_tags: self.body_tags.clone(),
                joint_tags: self.joint_tags.clone(),
            });
            Some(whole)
        };
        self.engine.kept().whole.get_or_init(make).clone().and_then(|whole| whole.downcast().ok())
    }

    /// Returns to an instant as a whole: with the bodies, joints, forces, scripts, surfaces and names that the world then had. Returns whether it could.
    pub(crate) fn bring_back(&mut self, whole: &Arc<Whole>, snapshot: &Snapshot) -> bool {
        let Some(configuration) = copied(&whole.configuration) else { return false };
        let data = self.engine.edit();
        data.configuration = configuration;
        data.state.joint_memory = JointMemory::of_joints(&data.configuration.joints);
        self.bodies.clone_from(&whole.bodies);
        self.body_ids.clone_from(&whole.body_ids);
        self.joints.clone_from(&whole.joints);
        self.joint_ids.clone_from(&whole.joint_ids);
        self.forces.clone_from(&whole.forces);
        self.force_ids.clone_from(&whole.force_ids);
        self.body_tags.clone_from(&whole.body_tags);
        self.joint_tags.clone_from(&whole.joint_tags);
        self.lineage.go_back(snapshot);
        self.go_on_from(snapshot);
        let _ = self.engine.kept().whole.set(Some(whole.clone()));
        true
    }
}
