use crate::kernel::{Engine, StepKernel};
use crate::profile::Stopwatch;
use crate::{Body, ModuleChoice, Modules, Paradigm, PhaseTimes, Snapshot, StepReport, WorldBuilder, WorldError};
use drystone_core::{
    BodyId, BodyIndex, BodyKind, BodyPair, Configuration, ContactGraph, Energy, ForceField, ForceId, Joint, JointError,
    JointId, JointReaction, JointStrength, Material, MaterialIndex, Materials, Module, Momentum, State, StepObserver,
};
use drystone_core::{ConstraintSource, Script, ScriptedMotion};
use drystone_math::{Pose, Quat, Real, Twist, Vec3};
use slotmap::SlotMap;

/// Bodies, joints and forces, and the modules that move them.
pub struct World {
    engine: Engine,
    modules: Modules,
    paradigm: Paradigm,
    bodies: SlotMap<BodyId, BodyIndex>,
    body_ids: Vec<BodyId>,
    joints: SlotMap<JointId, u32>,
    joint_ids: Vec<JointId>,
    forces: Vec<ForceId>,
    force_ids: SlotMap<ForceId, ()>,
    /// Counts structural edits, so that a snapshot is not restored into a world it does not fit.
    edits: u64,
}

/// A contact between two bodies as of the last step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ContactView {
    /// The bodies; the normal points from the first to the second.
    pub bodies: [BodyId; 2],
    /// Midpoint between the surfaces (m).
    pub position: Vec3,
    /// Unit normal.
    pub normal: Vec3,
    /// Signed distance (m).
    pub separation: Real,
    /// Impulses of the last solve on the second body: normal and the two tangents (N s).
    pub impulse: [Real; 3],
}

impl World {
    /// Starts to put a world together.
    pub fn builder() -> WorldBuilder {
        WorldBuilder::default()
    }

    pub(crate) fn from_engine(engine: Engine, modules: Modules, paradigm: Paradigm) -> Self {
        let mut world = Self {
            engine,
            modules,
            paradigm,
            bodies: SlotMap::with_key(),
            body_ids: Vec::new(),
            joints: SlotMap::with_key(),
            joint_ids: Vec::new(),
            forces: Vec::new(),
            force_ids: SlotMap::with_key(),
            edits: 0,
        };
        for i in 0..world.engine.state.len() {
            let id = world.bodies.insert(BodyIndex::new(i));
            world.body_ids.push(id);
        }
        for i in 0..world.engine.configuration.joints.len() {
            let id = world.joints.insert(i as u32);
            world.joint_ids.push(id);
        }
        for _ in 0..world.engine.configuration.forces.len() {
            let id = world.force_ids.insert(());
            world.forces.push(id);
        }
        world
    }

    // ---- bodies, joints, forces

    /// Adds a body.
    ///
    /// # Errors
    /// [`WorldError`] where a number is not finite, the mass is not positive, or a dynamic body has no volume.
    pub fn add(&mut self, body: Body) -> Result<BodyId, WorldError> {
        let (properties, center, velocity) = body.build()?;
        let index = BodyIndex::new(self.engine.state.len());
        self.engine.configuration.bodies.push(properties);
        self.engine.state.push(center, velocity);
        let id = self.bodies.insert(index);
        self.body_ids.push(id);
        self.edited();
        Ok(id)
    }

    /// Removes a body; the joints on it go with it, and what touched it wakes up.
    ///
    /// # Errors
    /// [`WorldError::Missing`].
    pub fn remove(&mut self, body: BodyId) -> Result<(), WorldError> {
        let index = self.bodies.remove(body).ok_or(WorldError::Missing("body"))?;
        let held = |j: &Joint| j.bodies.contains(&Some(index));
        while let Some(i) = self.engine.configuration.joints.iter().position(held) {
            let joint = self.joint_ids[i];
            self.remove_joint(joint)?;
        }
        self.engine.forget_body(index);
        self.body_ids.remove(index.at());
        for (i, id) in self.body_ids.iter().enumerate() {
            if let Some(b) = self.bodies.get_mut(*id) {
                *b = BodyIndex::new(i);
            }
        }
        self.edited();
        Ok(())
    }

    /// Adds a joint between two bodies, or a body and the world (`None`). Its bodies no longer meet.
    ///
    /// # Errors
    /// [`WorldError::JointBodies`], [`WorldError::Missing`].
    pub fn add_joint(
        &mut self,
        bodies: [Option<BodyId>; 2],
        source: Box<dyn ConstraintSource>,
    ) -> Result<JointId, WorldError> {
        let mut indices = [None; 2];
        for (index, body) in indices.iter_mut().zip(bodies) {
            *index = body.map(|b| self.index(b)).transpose()?;
        }
        let moves = |b: &Option<BodyIndex>| b.is_some_and(|b| self.engine.configuration.body(b).is_dynamic());
        if indices[0] == indices[1] || !indices.iter().any(moves) {
            return Err(WorldError::JointBodies);
        }
        if let [Some(a), Some(b)] = indices
            && let Some(pair) = BodyPair::new(a, b)
        {
            self.engine.configuration.ignore(pair);
        }
        for body in indices.into_iter().flatten() {
            self.engine.wake(body);
        }
        self.engine.configuration.joints.push(Joint::new(indices, source));
        let id = self.joints.insert(self.engine.configuration.joints.len() as u32 - 1);
        self.joint_ids.push(id);
        self.edited();
        Ok(id)
    }

    /// Puts another source of rows in the place of a joint's, between the same bodies: another motor speed, other limits.
    ///
    /// # Errors
    /// [`WorldError::Missing`].
    pub fn set_joint(&mut self, joint: JointId, source: Box<dyn ConstraintSource>) -> Result<(), WorldError> {
        let index = *self.joints.get(joint).ok_or(WorldError::Missing("joint"))? as usize;
        let held = &mut self.engine.configuration.joints[index];
        held.source = source;
        for body in held.bodies.into_iter().flatten() {
            self.engine.wake(body);
        }
        Ok(())
    }

    /// Removes a joint.
    ///
    /// # Errors
    /// [`WorldError::Missing`].
    pub fn remove_joint(&mut self, joint: JointId) -> Result<(), WorldError> {
        let index = self.joints.remove(joint).ok_or(WorldError::Missing("joint"))? as usize;
        let removed = self.engine.configuration.joints.remove(index);
        for body in removed.bodies.into_iter().flatten() {
            self.engine.wake(body);
        }
        if index < self.engine.graph.joint_impulses.len() {
            self.engine.graph.joint_impulses.remove(index);
            self.engine.graph.joint_reactions.remove(index);
        }
        self.engine.state.remove_joint(index);
        self.joint_ids.remove(index);
        for (i, id) in self.joint_ids.iter().enumerate() {
            if let Some(j) = self.joints.get_mut(*id) {
                *j = i as u32;
            }
        }
        self.edited();
        Ok(())
    }

    /// Makes a joint breakable: it holds nothing any more from the step on whose reaction is above its strength. Its
    /// bodies still do not meet.
    ///
    /// # Errors
    /// [`WorldError::Missing`]; [`WorldError::OutOfRange`] for a bound that is negative or not a number.
    pub fn set_strength(&mut self, joint: JointId, strength: JointStrength) -> Result<(), WorldError> {
        let index = *self.joints.get(joint).ok_or(WorldError::Missing("joint"))? as usize;
        for (what, found) in [("largest force", strength.force), ("largest torque", strength.torque)] {
            if found.is_nan() || found < 0.0 {
                return Err(WorldError::OutOfRange { what, found, allowed: "zero or more, or infinite" });
            }
        }
        self.engine.configuration.joints[index].strength = strength;
        Ok(())
    }

    /// Adds a surface.
    ///
    /// # Errors
    /// [`WorldError::OutOfRange`] for a coefficient that is negative or not finite, or a restitution above one;
    /// [`WorldError::NotFinite`] for a grain without a direction.
    pub fn add_material(&mut self, material: Material) -> Result<MaterialIndex, WorldError> {
        let Material { friction, restitution, rolling, spinning, grain, .. } = material;
        let across = grain.map_or(0.0, |g| g.across);
        let not_negative = [
            ("friction", friction),
            ("rolling friction", rolling),
            ("spinning friction", spinning),
            ("friction across the grain", across),
        ];
        for (what, found) in not_negative {
            if !(found.is_finite() && found >= 0.0) {
                return Err(WorldError::OutOfRange { what, found, allowed: "a finite number, zero or more" });
            }
        }
        if !(0.0..=1.0).contains(&restitution) {
            let allowed = "a number from 0 to 1";
            return Err(WorldError::OutOfRange { what: "restitution", found: restitution, allowed });
        }
        if grain.is_some_and(|g| !(g.direction.is_finite() && g.direction.length() > 0.0)) {
            return Err(WorldError::NotFinite { what: "the grain's direction, which must not be zero either," });
        }
        Ok(self.engine.configuration.materials.push(material))
    }

    /// All surfaces; change what pairs of them do here.
    pub fn materials_mut(&mut self) -> &mut Materials {
        &mut self.engine.configuration.materials
    }

    /// Adds an external force.
    pub fn add_force(&mut self, force: impl ForceField + 'static) -> ForceId {
        self.engine.configuration.forces.push(Box::new(force));
        self.wake_all();
        let id = self.force_ids.insert(());
        self.forces.push(id);
        id
    }

    /// Puts another force in the place of one: a mouse spring whose hand has moved.
    ///
    /// # Errors
    /// [`WorldError::Missing`].
    pub fn set_force(&mut self, force: ForceId, field: impl ForceField + 'static) -> Result<(), WorldError> {
        let index = self.force_index(force)?;
        self.engine.configuration.forces[index] = Box::new(field);
        self.wake_all();
        Ok(())
    }

    /// Removes a force.
    ///
    /// # Errors
    /// [`WorldError::Missing`].
    pub fn remove_force(&mut self, force: ForceId) -> Result<(), WorldError> {
        let index = self.force_index(force)?;
        self.force_ids.remove(force);
        self.forces.remove(index);
        self.engine.configuration.forces.remove(index);
        self.wake_all();
        Ok(())
    }

    fn force_index(&self, force: ForceId) -> Result<usize, WorldError> {
        self.forces.iter().position(|f| *f == force).ok_or(WorldError::Missing("force"))
    }

    /// Gives a scripted body its motion.
    ///
    /// # Errors
    /// [`WorldError::Missing`].
    pub fn add_script(&mut self, body: BodyId, motion: impl ScriptedMotion + 'static) -> Result<(), WorldError> {
        let body = self.index(body)?;
        self.engine.configuration.scripts.push(Script { body, motion: Box::new(motion) });
        self.edited();
        Ok(())
    }

    /// Sets uniform gravity (m/s^2) and wakes everything.
    ///
    /// # Errors
    /// [`WorldError::NotFinite`].
    pub fn set_gravity(&mut self, gravity: impl Into<Vec3>) -> Result<(), WorldError> {
        let gravity = gravity.into();
        if !gravity.is_finite() {
            return Err(WorldError::NotFinite { what: "gravity" });
        }
        self.engine.configuration.gravity = gravity;
        self.wake_all();
        Ok(())
    }

    // ---- state of a body

    fn index(&self, body: BodyId) -> Result<BodyIndex, WorldError> {
        self.bodies.get(body).copied().ok_or(WorldError::Missing("body"))
    }

    /// Where the body frame's origin is (m); `None` for a body that does not exist.
    pub fn position(&self, body: BodyId) -> Option<Vec3> {
        self.pose(body).map(|p| p.position)
    }

    /// The body frame in the world.
    pub fn pose(&self, body: BodyId) -> Option<Pose> {
        let index = *self.bodies.get(body)?;
        Some(self.engine.configuration.body(index).frame(&self.engine.state.pose(index)))
    }

    /// Velocity of the centre of mass, and angular velocity.
    pub fn velocity(&self, body: BodyId) -> Option<Twist> {
        Some(self.engine.state.velocity(*self.bodies.get(body)?))
    }

    /// Whether the body is sleepy.
    pub fn is_sleepy(&self, body: BodyId) -> Option<bool> {
        Some(self.engine.state.sleepy[self.bodies.get(body)?.at()])
    }

    /// Puts a body somewhere else, and wakes it.
    ///
    /// # Errors
    /// [`WorldError::Missing`], [`WorldError::NotFinite`], [`WorldError::Orientation`].
    pub fn set_pose(&mut self, body: BodyId, position: Vec3, orientation: Quat) -> Result<(), WorldError> {
        let index = self.index(body)?;
        if !position.is_finite() {
            return Err(WorldError::NotFinite { what: "position" });
        }
        let length = orientation.length();
        if !(length.is_finite() && length > 1e-100) {
            return Err(WorldError::Orientation);
        }
        let frame = Pose::new(position, orientation / length);
        let center = self.engine.configuration.body(index).center;
        self.engine.state.set_pose(index, Pose::new(frame.point(center), frame.orientation));
        self.engine.wake(index);
        self.engine.edited = true;
        Ok(())
    }

    /// Sets a body's velocity, and wakes it. A scripted body without a script goes on at it; a fixed one keeps still.
    ///
    /// # Errors
    /// [`WorldError::Missing`], [`WorldError::NotFinite`].
    pub fn set_velocity(&mut self, body: BodyId, velocity: Twist) -> Result<(), WorldError> {
        let index = self.index(body)?;
        if !velocity.is_finite() {
            return Err(WorldError::NotFinite { what: "velocity" });
        }
        if self.engine.configuration.body(index).kind != BodyKind::Fixed {
            self.engine.state.set_velocity(index, velocity);
            self.engine.wake(index);
        }
        Ok(())
    }

    /// Takes a dynamic body out of the world without forgetting it, or brings it back: a passive body meets nobody, does not move
    /// and is not counted. Bringing it back allocates nothing, so that debris can be made in advance (H-07).
    ///
    /// # Errors
    /// [`WorldError::Missing`]; [`WorldError::NotDynamic`] for a fixed or scripted body.
    pub fn set_passive(&mut self, body: BodyId, passive: bool) -> Result<(), WorldError> {
        let index = self.index(body)?;
        let kind = &mut self.engine.configuration.bodies[index.at()].kind;
        match *kind {
            BodyKind::Dynamic | BodyKind::Passive => {
                *kind = if passive { BodyKind::Passive } else { BodyKind::Dynamic }
            }
            BodyKind::Fixed | BodyKind::Scripted => return Err(WorldError::NotDynamic),
        }
        self.engine.wake_neighbours(index);
        self.engine.wake(index);
        self.engine.edited = true;
        Ok(())
    }

    /// Strikes a dynamic body: an impulse (N s) at a point of the world (m).
    ///
    /// # Errors
    /// [`WorldError::Missing`], [`WorldError::NotFinite`].
    pub fn apply_impulse(&mut self, body: BodyId, impulse: Vec3, point: Vec3) -> Result<(), WorldError> {
        let index = self.index(body)?;
        if !(impulse.is_finite() && point.is_finite()) {
            return Err(WorldError::NotFinite { what: "impulse" });
        }
        let properties = self.engine.configuration.body(index);
        let pose = self.engine.state.pose(index);
        let inverse_inertia = properties.inverse_inertia.rotated(pose.orientation);
        let change = Twist::new(
            impulse * properties.inverse_mass,
            inverse_inertia.mul_vec((point - pose.position).cross(impulse)),
        );
        let velocity = self.engine.state.velocity(index) + change;
        self.engine.state.set_velocity(index, velocity);
        self.engine.wake(index);
        Ok(())
    }

    // ---- stepping

    /// Simulates one frame of `dt` seconds.
    ///
    /// # Errors
    /// [`WorldError::OutOfRange`] for a `dt` that is not above zero; [`WorldError::Step`] where the step fails.
    pub fn advance(&mut self, dt: Real) -> Result<StepReport, WorldError> {
        if !(dt.is_finite() && dt > 0.0) {
            return Err(WorldError::OutOfRange { what: "dt", found: dt, allowed: "a time above zero" });
        }
        let watch = Stopwatch::start();
        let Modules { time_control, stages, .. } = &mut self.modules;
        let engine = &mut self.engine;
        if engine.edited {
            engine.check_finite()?;
        }
        engine.prepare(stages);
        if let Some(observer) = &mut engine.observer {
            observer.call(Module::User, Module::TimeControl);
        }
        let calls = time_control.advance(&mut StepKernel { engine, stages }, dt)?;
        engine.update_sleep(stages, dt);

        let total = watch.seconds();
        let mut times = engine.times;
        times.gather_scatter += engine.seam_seconds();
        times.time_control += total - times.total();
        Ok(StepReport {
            contacts: calls.contacts,
            groups: calls.groups,
            penetration: calls.penetration,
            lcp: calls.solve.lcp,
            sleeping: engine.state.sleepy.iter().filter(|s| **s).count() as u64,
            events: engine.graph.events,
            calls,
            times,
        })
    }

    /// One more collision detection at the present state, without a step: its deepest overlap (m), zero where none.
    ///
    /// # Errors
    /// [`WorldError::Step`] where the narrow phase does not take a pair.
    pub fn penetration(&mut self) -> Result<Real, WorldError> {
        let stages = &mut self.modules.stages;
        self.engine.prepare(stages);
        let graph = self.engine.graph.clone();
        let detected = self.engine.detect_all(stages, drystone_core::DetectMode::default());
        self.engine.graph = graph;
        Ok(detected?.deepest.map_or(0.0, |p| p.depth))
    }

    // ---- modules

    /// The paradigm.
    pub fn paradigm(&self) -> Paradigm {
        self.paradigm
    }

    /// The modules in use.
    pub fn modules(&self) -> &Modules {
        &self.modules
    }

    /// Swaps all modules for those of another paradigm, with some of them overridden; bodies and contacts stay. Between a world
    /// with inertia and one without, velocities are dropped: they do not mean the same (N-04).
    ///
    /// # Errors
    /// [`WorldError::UnknownName`], [`WorldError::Setting`]; the world is unchanged then.
    pub fn set_paradigm(&mut self, paradigm: Paradigm, choices: &[ModuleChoice]) -> Result<(), WorldError> {
        let modules = Modules::assemble(&paradigm, choices)?;
        let order = |m: &Modules| m.stages.motion_solver.is_first_order();
        if order(&modules) != order(&self.modules) {
            for i in (0..self.engine.state.len()).map(BodyIndex::new) {
                if self.engine.configuration.body(i).is_dynamic() {
                    self.engine.state.set_velocity(i, Twist::ZERO);
                }
            }
            self.wake_all();
        }
        self.modules = modules;
        self.paradigm = paradigm;
        self.engine.forget_workers();
        Ok(())
    }

    /// Watches the calls between modules.
    pub fn observe(&mut self, observer: Option<Box<dyn StepObserver>>) {
        self.engine.observer = observer;
    }

    // ---- snapshots

    /// All that is needed to come back to this instant.
    pub fn snapshot(&self) -> Snapshot {
        Snapshot { state: self.engine.state.clone(), graph: self.engine.graph.clone(), edits: self.edits }
    }

    /// Comes back to a snapshot: the run from here has the same bits as the first time.
    ///
    /// # Errors
    /// [`WorldError::Missing`] where bodies or joints were added or removed since.
    pub fn restore(&mut self, snapshot: &Snapshot) -> Result<(), WorldError> {
        if snapshot.edits != self.edits {
            return Err(WorldError::Missing("snapshot of this set of bodies and joints"));
        }
        self.engine.state.clone_from(&snapshot.state);
        self.engine.graph.clone_from(&snapshot.graph);
        self.engine.edited = true;
        Ok(())
    }

    // ---- what can be read

    /// Simulated time (s).
    pub fn time(&self) -> Real {
        self.engine.state.time
    }

    /// The bodies, in the order they were added.
    pub fn bodies(&self) -> &[BodyId] {
        &self.body_ids
    }

    /// What does not change in a step.
    pub fn configuration(&self) -> &Configuration {
        &self.engine.configuration
    }

    /// The state, in columns.
    pub fn state(&self) -> &State {
        &self.engine.state
    }

    /// The contact graph as of the last detection.
    pub fn graph(&self) -> &ContactGraph {
        &self.engine.graph
    }

    /// Contacts as of the last step.
    pub fn contacts(&self) -> impl Iterator<Item = ContactView> {
        self.engine.graph.iter().filter(|e| e.touching).flat_map(move |e| {
            let frame = |b: BodyIndex| self.engine.configuration.body(b).frame(&self.engine.state.pose(b));
            let (a, b) = (frame(e.pair.a), frame(e.pair.b));
            e.manifold.points.iter().map(move |p| {
                let (normal, position, separation) = p.world(&a, &b);
                let bodies = [self.body_ids[e.pair.a.at()], self.body_ids[e.pair.b.at()]];
                ContactView { bodies, position, normal, separation, impulse: p.impulse }
            })
        })
    }

    /// How far a joint is from where it should be.
    pub fn joint_error(&self, joint: JointId) -> Option<JointError> {
        self.joints.get(joint).map(|&j| self.configuration().joint_error(self.state(), j as usize))
    }

    /// Multipliers of a joint's rows in the last solve (N s, N m s).
    pub fn joint_impulses(&self, joint: JointId) -> Option<&[Real]> {
        let j = *self.joints.get(joint)? as usize;
        self.engine.graph.joint_impulses.get(j).map(smallvec::SmallVec::as_slice)
    }

    /// The reaction of a joint in the last solve; `None` before the first step.
    pub fn joint_reaction(&self, joint: JointId) -> Option<JointReaction> {
        let j = *self.joints.get(joint)? as usize;
        self.engine.graph.joint_reactions.get(j).copied()
    }

    /// Whether a joint has broken.
    pub fn is_broken(&self, joint: JointId) -> Option<bool> {
        self.joints.get(joint).map(|&j| self.engine.state.is_broken(j as usize))
    }

    /// The joints, in the order they were added.
    pub fn joints(&self) -> &[JointId] {
        &self.joint_ids
    }

    /// Mechanical energy.
    pub fn energy(&self) -> Energy {
        Energy::of(&self.engine.configuration, &self.engine.state)
    }

    /// Momentum of the dynamic bodies.
    pub fn momentum(&self) -> Momentum {
        Momentum::of(&self.engine.configuration, &self.engine.state)
    }

    /// Time spent in the last step.
    pub fn times(&self) -> PhaseTimes {
        self.engine.times
    }

    fn wake_all(&mut self) {
        for i in 0..self.engine.state.len() {
            self.engine.wake(BodyIndex::new(i));
        }
    }

    fn edited(&mut self) {
        self.engine.edited = true;
        self.edits += 1;
    }
}
