//! Members in drystone.

use crate::run::{Engine, Verdict};
use drystone::World;
use drystone::core::{BodyId, BodyIndex, ForceId, PairMaterial};
use drystone::math::{Pose, Real, Twist, Vec3};
use drystone_motion::force::SpringDamper;
use drystone_scene::Document;
use drystone_session::{Overrides, prepare};

/// A world made from a scene.
pub(crate) struct Ours {
    world: World,
    names: Vec<String>,
    ids: Vec<BodyId>,
    /// Where removed bodies were last.
    left: Vec<(Pose, Twist)>,
    pull: Option<ForceId>,
}

impl Ours {
    /// Builds a scene (JSON) under a preset.
    pub(crate) fn new(scene: &str, preset: &str) -> Result<Self, String> {
        let document = Document::from_json_str(scene).map_err(|e| format!("not a scene: {e}"))?;
        let overrides = Overrides { paradigm: Some(preset.to_owned()), ..Overrides::default() };
        let prepared = prepare(document, &overrides).map_err(|e| format!("not a scene: {e}"))?;
        let loaded = prepared.finish().map_err(|e| e.to_string())?;
        let ids = loaded.world.bodies().to_vec();
        let left = vec![(Pose::IDENTITY, Twist::ZERO); ids.len()];
        Ok(Self { world: loaded.world, names: loaded.names, ids, left, pull: None })
    }
}

impl Engine for Ours {
    fn advance(&mut self, dt: Real) -> Verdict {
        self.world.advance(dt).map(|_| ()).map_err(|e| e.to_string())
    }

    fn names(&self) -> &[String] {
        &self.names
    }

    fn pose(&self, body: usize) -> Pose {
        self.world.pose(self.ids[body]).unwrap_or(self.left[body].0)
    }

    fn velocity(&self, body: usize) -> Twist {
        self.world.velocity(self.ids[body]).unwrap_or(self.left[body].1)
    }

    fn asleep(&self, body: usize) -> bool {
        self.world.is_asleep(self.ids[body]).unwrap_or(true)
    }

    fn energy(&self) -> [Real; 2] {
        let energy = self.world.energy();
        [energy.kinetic, energy.potential]
    }

    fn gap(&self) -> Real {
        self.world.configuration().largest_joint_error(self.world.state()).linear
    }

    fn depth(&mut self) -> Real {
        self.world.penetration().unwrap_or(Real::NAN)
    }

    fn set_pose(&mut self, body: usize, pose: Pose) {
        self.world.set_pose(self.ids[body], pose.position, pose.orientation).expect("the body is there");
    }

    fn set_velocity(&mut self, body: usize, velocity: Twist) {
        self.world.set_velocity(self.ids[body], velocity).expect("the body is there");
    }

    fn remove(&mut self, body: usize) {
        self.left[body] = (self.pose(body), self.velocity(body));
        self.world.remove(self.ids[body]).expect("the body is there");
    }

    fn set_gravity(&mut self, gravity: Vec3) {
        self.world.set_gravity(gravity).expect("a number");
    }

    fn set_friction(&mut self, friction: Real) {
        let material = self.world.configuration().body(BodyIndex::new(0)).material;
        let materials = self.world.materials_mut();
        let pair = PairMaterial { friction, ..materials.pair(material, material) };
        materials.set_pair(material, material, pair).expect("a coefficient");
    }

    fn cut(&mut self, joint: &str) {
        let joint = self.world.joint_named(joint).expect("a joint of the scene");
        self.world.remove_joint(joint).expect("it is there");
    }

    fn drag(&mut self, body: usize, target: Vec3, [stiffness, damping]: [Real; 2]) {
        let index = self.world.body_index(self.ids[body]).expect("the body is there");
        let spring = SpringDamper::mouse(index, Vec3::ZERO, target, stiffness, damping, Real::INFINITY);
        match self.pull {
            Some(force) => self.world.set_force(force, spring).expect("it is there"),
            None => self.pull = Some(self.world.add_force(spring)),
        }
        self.world.wake(self.ids[body]).expect("the body is there");
    }
}
