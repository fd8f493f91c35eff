//! Surfaces, forces and gravity.

use super::World;
use crate::WorldError;
use crate::kernel::Plane;
use drystone_core::{ForceField, ForceId, Material, MaterialIndex, Materials};
use drystone_math::Vec3;

impl World {
    /// Adds a surface. Friction coefficients above 1e12 act like 1e12.
    ///
    /// # Errors
    /// [`WorldError::Material`] for a coefficient that is negative or not finite, a restitution above one, or a grain without a direction.
    pub fn add_material(&mut self, material: Material) -> Result<MaterialIndex, WorldError> {
        Ok(self.materials_mut().push(material)?)
    }

    /// All surfaces: change them, and the properties of pairs of them, here. Contacts use the new values from the next step on; everything wakes.
    pub fn materials_mut(&mut self) -> &mut Materials {
        self.wake_all();
        self.engine.note_surfaces();
        &mut self.engine.edit().configuration.materials
    }

    /// Adds an external force.
    pub fn add_force(&mut self, force: impl ForceField + 'static) -> ForceId {
        self.add_boxed_force(Box::new(force))
    }

    /// The same as [`Self::add_force`] for a force whose type is not known at compile time, such as one from a scene.
    pub fn add_boxed_force(&mut self, force: Box<dyn ForceField>) -> ForceId {
        self.engine.edit().configuration.forces.push(force);
        self.wake_all();
        let id = self.force_ids.insert(());
        self.forces.push(id);
        id
    }

    /// Replaces a force by another one: a mouse spring whose hand has moved, for instance.
    ///
    /// # Errors
    /// [`WorldError::Missing`].
    pub fn set_force(&mut self, force: ForceId, field: impl ForceField + 'static) -> Result<(), WorldError> {
        let index = self.force_index(force)?;
        self.engine.edit().forget_forces();
        self.engine.edit().configuration.forces[index] = Box::new(field);
        self.wake_all();
        Ok(())
    }

    /// Removes a force.
    ///
    /// # Errors
    /// [`WorldError::Missing`].
    pub fn remove_force(&mut self, force: ForceId) -> Result<(), WorldError> {
        let index = self.force_index(force)?;
        self.engine.edit().forget_forces();
        self.force_ids.remove(force);
        self.forces.remove(index);
        self.engine.edit().configuration.forces.remove(index);
        self.wake_all();
        Ok(())
    }

    fn force_index(&self, force: ForceId) -> Result<usize, WorldError> {
        self.forces.iter().position(|f| *f == force).ok_or(WorldError::Missing("force"))
    }

    /// The unit normal of the plane to which the world is confined ([`crate::WorldBuilder::plane`]); `None` if it has all three dimensions.
    pub fn plane(&self) -> Option<Vec3> {
        self.engine.data().plane.map(Plane::normal)
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
        let plane = self.engine.data().plane;
        self.engine.edit().configuration.gravity = plane.map_or(gravity, |plane| plane.along(gravity));
        self.wake_all();
        Ok(())
    }
}
