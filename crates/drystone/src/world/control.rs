//! Changes to a body while the world runs. If a body exists but the change is refused, the error is a
//! [`WorldError::OfBody`]: it names the body, and its cause is the reason given at the method.

use super::World;
use crate::WorldError;
use crate::kernel::WorldData;
use drystone_core::{
    BodyId, BodyIndex, BodyKind, BodyProperties, CollisionGroups, MassError, MaterialError, MaterialIndex,
};
use drystone_geometry::{MassProperties, Shape};
use drystone_math::{Pose, Real, SymmetricMat3, Twist, Vec3, Wrench};

/// Density of a body that becomes dynamic and never had a mass, the same as in [`crate::Body::dynamic`] (kg/m^3).
const DENSITY: Real = 1000.0;

impl World {
    /// The properties of a body; `None` if it does not exist.
    pub fn properties(&self, body: BodyId) -> Option<&BodyProperties> {
        self.bodies.get(body).map(|i| self.engine.data().configuration.body(*i))
    }

    /// Gives a body another shape in the same body frame. A dynamic body keeps its mass; its centre of mass and inertia become those of the new shape, homogeneous,
    /// and its points keep their velocities. Locks stay.
    ///
    /// # Errors
    /// [`WorldError::MissingBody`]; [`WorldError::Unbounded`] for a dynamic body and an unbounded shape. The world is then unchanged.
    pub fn set_shape(&mut self, body: BodyId, shape: Shape) -> Result<(), WorldError> {
        let index = self.index(body)?;
        let held = self.engine.data().configuration.body(index);
        let mut properties = held.clone();
        if held.mass > 0.0 {
            let unbounded = || self.about(index, WorldError::Unbounded(shape.kind()));
            let mut mass = shape.mass_properties(1.0).ok_or_else(unbounded)?;
            scale(&mut mass, held.mass);
            properties = with_mass(held, &mass).map_err(|e| self.about(index, e))?;
        }
        properties.shape = shape;
        self.put(index, properties)?;
        self.lineage.edited();
        Ok(())
    }

    /// Sets a dynamic body's mass (kg), above zero. Its inertia is scaled with it; its velocity stays.
    ///
    /// # Errors
    /// [`WorldError::MissingBody`]; [`WorldError::NotDynamic`]; [`WorldError::Mass`]. The world is then unchanged.
    pub fn set_mass(&mut self, body: BodyId, mass: Real) -> Result<(), WorldError> {
        let held = self.dynamic(body)?.1;
        let mut properties = MassProperties { mass: held.mass, center: held.center, inertia: held.inertia };
        scale(&mut properties, mass);
        self.set_mass_properties(body, &properties)
    }

    /// Sets a dynamic body's mass (kg), its centre of mass in the body frame (m) and its inertia about that centre in body axes (kg m^2). Its points keep their velocities.
    ///
    /// # Errors
    /// [`WorldError::MissingBody`]; [`WorldError::NotDynamic`]; [`WorldError::Mass`]; [`WorldError::NotFinite`]. The world is then unchanged.
    pub fn set_mass_properties(&mut self, body: BodyId, mass: &MassProperties) -> Result<(), WorldError> {
        let (index, held) = self.dynamic(body)?;
        if !mass.center.is_finite() {
            return Err(self.about(index, WorldError::NotFinite { what: "centre of mass" }));
        }
        let properties = with_mass(held, mass).map_err(|e| self.about(index, e))?;
        self.put(index, properties)
    }

    /// Gives a body another surface, from [`World::add_material`].
    ///
    /// # Errors
    /// [`WorldError::MissingBody`]; [`WorldError::Material`] for a material that does not exist.
    pub fn set_material(&mut self, body: BodyId, material: MaterialIndex) -> Result<(), WorldError> {
        let index = self.index(body)?;
        if !self.engine.data().configuration.materials.contains(material) {
            return Err(self.about(index, MaterialError::Missing(material.0)));
        }
        let properties = BodyProperties { material, ..self.engine.data().configuration.body(index).clone() };
        self.put(index, properties)
    }

    /// Makes a body dynamic, fixed, scripted or passive. A body that becomes dynamic without having a mass gets the mass of its shape filled with water. One that
    /// becomes fixed or scripted stops and loses its mass. Its script is removed unless it is scripted afterwards.
    ///
    /// # Errors
    /// [`WorldError::MissingBody`]; [`WorldError::Unbounded`] for an unbounded shape; [`WorldError::JointBodies`] if a joint would be left without a dynamic body.
    /// The world is then unchanged.
    pub fn set_kind(&mut self, body: BodyId, kind: BodyKind) -> Result<(), WorldError> {
        let index = self.index(body)?;
        let held = self.engine.data().configuration.body(index);
        let massive = |k: BodyKind| matches!(k, BodyKind::Dynamic | BodyKind::Passive);
        let mut properties = match (massive(kind), held.mass > 0.0) {
            (true, false) => {
                let unbounded = || self.about(index, WorldError::Unbounded(held.shape.kind()));
                let mass = held.shape.mass_properties(DENSITY).ok_or_else(unbounded)?;
                with_mass(held, &mass).map_err(|e| self.about(index, e))?
            }
            (false, true) => BodyProperties {
                mass: 0.0,
                inertia: SymmetricMat3::ZERO,
                inverse_mass: 0.0,
                inverse_inertia: SymmetricMat3::ZERO,
                ..held.clone()
            },
            _ => held.clone(),
        };
        properties.kind = kind;
        let configuration = &self.engine.data().configuration;
        let moves = |b: &Option<BodyIndex>| b.is_some_and(|b| b != index && configuration.body(b).is_dynamic());
        let held_by = |j: &&drystone_core::Joint| j.bodies.contains(&Some(index));
        if !massive(kind) && configuration.joints.iter().filter(held_by).any(|j| !j.bodies.iter().any(moves)) {
            return Err(self.about(index, WorldError::JointBodies));
        }
        self.put(index, properties)?;
        if !massive(kind) {
            self.engine.edit().state.set_velocity(index, Twist::ZERO);
        }
        self.engine.edit().configuration.scripts.retain(|s| s.body != index || kind == BodyKind::Scripted);
        self.edited();
        Ok(())
    }

    /// Sets the rates at which a body's linear and angular velocity decay (1/s), zero or more.
    ///
    /// # Errors
    /// [`WorldError::MissingBody`]; [`WorldError::Property`] for a rate that is negative or not a number.
    pub fn set_damping(&mut self, body: BodyId, linear: Real, angular: Real) -> Result<(), WorldError> {
        self.change(body, |p| p.damping = [linear, angular])
    }

    /// Sets how strongly uniform gravity pulls on a body: 1 as on others, 0 not at all.
    ///
    /// # Errors
    /// [`WorldError::MissingBody`]; [`WorldError::Property`] for a scale that is not a number.
    pub fn set_gravity_scale(&mut self, body: BodyId, scale: Real) -> Result<(), WorldError> {
        self.change(body, |p| p.gravity_scale = scale)
    }

    /// Switches continuous collision detection for a body on or off: see [`crate::Body::continuous`].
    ///
    /// # Errors
    /// [`WorldError::MissingBody`].
    pub fn set_continuous(&mut self, body: BodyId, continuous: bool) -> Result<(), WorldError> {
        self.change(body, |p| p.continuous = continuous)
    }

    /// Sets the velocity at which the surface of a body runs along itself, in the body frame (m/s and rad/s): see [`crate::Body::surface_velocity`].
    ///
    /// # Errors
    /// [`WorldError::MissingBody`]; [`WorldError::Property`] for a velocity that is not a number.
    pub fn set_surface_velocity(&mut self, body: BodyId, velocity: Twist) -> Result<(), WorldError> {
        self.change(body, |p| p.surface_velocity = velocity)
    }

    /// Sets which of the 32 groups a body is in, and which it collides with: see [`crate::Body::groups`].
    ///
    /// # Errors
    /// [`WorldError::MissingBody`].
    pub fn set_groups(&mut self, body: BodyId, membership: u32, mask: u32) -> Result<(), WorldError> {
        self.change(body, |p| p.groups = CollisionGroups { membership, mask })
    }

    /// Sets a body's collision layer: bodies on different layers do not collide.
    ///
    /// # Errors
    /// [`WorldError::MissingBody`].
    pub fn set_layer(&mut self, body: BodyId, layer: i64) -> Result<(), WorldError> {
        self.change(body, |p| p.layer = layer)
    }

    /// Makes a body a sensor, or an ordinary body again: see [`crate::Body::sensor`].
    ///
    /// # Errors
    /// [`WorldError::MissingBody`].
    pub fn set_sensor(&mut self, body: BodyId, sensor: bool) -> Result<(), WorldError> {
        self.change(body, |p| p.sensor = sensor)
    }

    /// Sets whether a body may fall asleep; a body that may not is woken.
    ///
    /// # Errors
    /// [`WorldError::MissingBody`].
    pub fn set_can_sleep(&mut self, body: BodyId, can: bool) -> Result<(), WorldError> {
        self.change(body, |p| p.can_sleep = can)
    }

    /// Wakes a body; what it touches or is joined to wakes with it in the next step.
    ///
    /// # Errors
    /// [`WorldError::MissingBody`].
    pub fn wake(&mut self, body: BodyId) -> Result<(), WorldError> {
        let index = self.index(body)?;
        self.engine.nudge().wake(index);
        Ok(())
    }

    /// Puts a dynamic body to sleep: it stops, and sleeps until something awake touches it or it is woken.
    ///
    /// # Errors
    /// [`WorldError::MissingBody`]; [`WorldError::NotDynamic`].
    pub fn sleep(&mut self, body: BodyId) -> Result<(), WorldError> {
        let (index, _) = self.dynamic(body)?;
        let data = self.engine.edit();
        data.state.sleepy[index.at()] = true;
        data.put_to_sleep(index);
        // its box contains the room to move that it had
        self.engine.note_moved_bodies();
        self.limits.forget();
        self.queries.changed();
        Ok(())
    }

    /// Returns true if a body sleeps; `None` if it does not exist.
    pub fn is_asleep(&self, body: BodyId) -> Option<bool> {
        self.bodies.get(body).map(|b| self.engine.data().state.sleeping[b.at()])
    }

    /// Applies a force (N) at a point in the world (m) to a dynamic body throughout the next step. The forces of several calls add up, and are forgotten after the step.
    ///
    /// # Errors
    /// [`WorldError::MissingBody`]; [`WorldError::NotDynamic`]; [`WorldError::NotFinite`].
    pub fn apply_force(&mut self, body: BodyId, force: Vec3, point: Vec3) -> Result<(), WorldError> {
        let (index, _) = self.dynamic(body)?;
        let arm = point - self.engine.data().state.position[index.at()];
        self.push(index, Wrench::at(force, arm))
    }

    /// Applies a torque (N m, world frame) to a dynamic body throughout the next step; torques add up and are forgotten likewise.
    ///
    /// # Errors
    /// As [`Self::apply_force`].
    pub fn apply_torque(&mut self, body: BodyId, torque: Vec3) -> Result<(), WorldError> {
        let (index, _) = self.dynamic(body)?;
        self.push(index, Wrench::new(Vec3::ZERO, torque))
    }

    /// Applies an angular impulse (N m s, world frame) to a dynamic body: its linear velocity stays, and its angular velocity changes by the inverse inertia times the impulse.
    ///
    /// # Errors
    /// As [`Self::apply_impulse`].
    pub fn apply_torque_impulse(&mut self, body: BodyId, impulse: Vec3) -> Result<(), WorldError> {
        self.strike(body, |_| Wrench::new(Vec3::ZERO, impulse))
    }

    /// Applies an impulse (N s) at a point in the world (m) to a dynamic body.
    ///
    /// # Errors
    /// [`WorldError::MissingBody`]; [`WorldError::NotDynamic`] for any other body; [`WorldError::NotFinite`], also if the resulting velocity would not be finite.
    /// The world is then unchanged.
    pub fn apply_impulse(&mut self, body: BodyId, impulse: Vec3, point: Vec3) -> Result<(), WorldError> {
        self.strike(body, |center| Wrench::at(impulse, point - center))
    }

    /// Applies the impulse that `of` returns for the centre of mass, about which it is taken.
    fn strike(&mut self, body: BodyId, of: impl Fn(Vec3) -> Wrench) -> Result<(), WorldError> {
        // the inertia in a plane follows from the pose, which may have been restored
        self.engine.lay();
        let (index, properties) = self.dynamic(body)?;
        let pose = self.engine.data().state.pose(index);
        let impulse = of(pose.position);
        if !(impulse.force.is_finite() && impulse.torque.is_finite()) {
            return Err(self.about(index, WorldError::NotFinite { what: "impulse" }));
        }
        let inverse_inertia = properties.inverse_inertia.rotated(pose.orientation);
        let change = Twist::new(impulse.force * properties.inverse_mass, inverse_inertia.mul_vec(impulse.torque));
        let velocity = self.engine.data().state.velocity(index) + change;
        if !velocity.is_finite() {
            return Err(self.about(index, WorldError::NotFinite { what: "the velocity after the impulse" }));
        }
        self.engine.nudge().state.set_velocity(index, velocity);
        self.limits.forget();
        self.engine.note_disturbance();
        self.engine.nudge().wake(index);
        Ok(())
    }

    fn push(&mut self, body: BodyIndex, wrench: Wrench) -> Result<(), WorldError> {
        let WorldData { pushes, state, .. } = self.engine.nudge();
        pushes.resize(state.len(), Wrench::ZERO);
        let sum = pushes[body.at()] + wrench;
        if !(sum.force.is_finite() && sum.torque.is_finite()) {
            return Err(self.about(body, WorldError::NotFinite { what: "force" }));
        }
        pushes[body.at()] = sum;
        self.limits.forget();
        self.engine.nudge().wake(body);
        Ok(())
    }

    fn dynamic(&self, body: BodyId) -> Result<(BodyIndex, &BodyProperties), WorldError> {
        let index = self.index(body)?;
        let properties = self.engine.data().configuration.body(index);
        if properties.is_dynamic() { Ok((index, properties)) } else { Err(self.about(index, WorldError::NotDynamic)) }
    }

    fn change(&mut self, body: BodyId, by: impl FnOnce(&mut BodyProperties)) -> Result<(), WorldError> {
        let index = self.index(body)?;
        let mut properties = self.engine.data().configuration.body(index).clone();
        by(&mut properties);
        self.put(index, properties)
    }

    /// Replaces a body's properties after checking them; its frame stays where it is, and its points keep their velocities.
    fn put(&mut self, index: BodyIndex, properties: BodyProperties) -> Result<(), WorldError> {
        if let Some(what) = properties.fault() {
            return Err(self.about(index, WorldError::Property(what)));
        }
        let held = self.engine.data().configuration.body(index);
        let pose = self.engine.data().state.pose(index);
        let shift = pose.direction(properties.center - held.center);
        let position = pose.position + shift;
        if !position.is_finite() {
            return Err(self.about(index, WorldError::NotFinite { what: "position of the centre of mass" }));
        }
        self.engine.edit().wake_neighbours(index);
        self.engine.nudge().wake(index);
        let velocity = self.engine.data().state.velocity(index);
        let state = &mut self.engine.edit().state;
        if shift != Vec3::ZERO {
            // the state has the positions of centres of mass
            self.lineage.edited();
            state.forget_way(index);
            state.set_pose(index, Pose::new(position, pose.orientation));
            state.set_velocity(index, Twist::new(velocity.at(shift), velocity.angular));
        }
        self.engine.edit().configuration.bodies[index.at()] = properties;
        drystone_contact_graph::forget_body(&mut self.engine.edit().graph, index);
        self.limits.forget();
        self.engine.note_disturbance();
        self.engine.note_surfaces();
        self.engine.note_moved_bodies();
        self.queries.changed();
        Ok(())
    }
}

/// Scales mass properties to another mass.
fn scale(properties: &mut MassProperties, mass: Real) {
    let by = mass / properties.mass;
    properties.inertia.diagonal *= by;
    properties.inertia.off_diagonal *= by;
    properties.mass = mass;
}

/// The properties of a body with another mass; what was locked stays locked.
fn with_mass(held: &BodyProperties, mass: &MassProperties) -> Result<BodyProperties, MassError> {
    let new = BodyProperties::dynamic(held.shape.clone(), mass)?;
    let locked = |had: bool| held.mass > 0.0 && had;
    let inverse_mass = if locked(held.inverse_mass == 0.0) { 0.0 } else { new.inverse_mass };
    let no_turning = locked(held.inverse_inertia == SymmetricMat3::ZERO);
    let inverse_inertia = if no_turning { SymmetricMat3::ZERO } else { new.inverse_inertia };
    Ok(BodyProperties {
        center: new.center,
        mass: new.mass,
        inertia: new.inertia,
        inverse_mass,
        inverse_inertia,
        ..held.clone()
    })
}
