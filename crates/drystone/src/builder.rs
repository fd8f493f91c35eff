use crate::kernel::{Engine, Plane, fits};
use crate::replacements::{Replacement, modules_by_value};
use crate::{Limits, ModuleChoice, Modules, Paradigm, Registry, World, WorldError, registry};
use drystone_core::{Configuration, State};
use drystone_math::{Real, Vec3};
use std::sync::Arc;

/// Memory that one body takes in a world and its steps (bytes), not counting contacts: columns, boxes, saved states, and the lists of groups and modules.
const BYTES_PER_BODY: usize = 2048;

/// Builds a world from a paradigm and the deviations from it.
pub struct WorldBuilder {
    paradigm: Paradigm,
    choices: Vec<ModuleChoice>,
    replacements: Vec<Replacement>,
    gravity: Vec3,
    envelope: Option<Real>,
    threads: usize,
    plane: Option<Vec3>,
    limits: Limits,
    registry: Arc<Registry>,
}

macro_rules! replace {
    ($($name:ident: $kind:ident is $what:literal at $($place:ident).+ as $choice:expr;)*) => {
        $(#[doc = concat!("Replaces ", $what, ".")]
        #[must_use]
        pub fn $name(self, module: impl drystone_core::$kind + 'static) -> Self {
            self.replace(Replacement::$name(module))
        })*
    };
}

impl Default for WorldBuilder {
    fn default() -> Self {
        Self {
            paradigm: Paradigm::default(),
            choices: Vec::new(),
            replacements: Vec::new(),
            gravity: Vec3::new(0.0, -9.81, 0.0),
            envelope: None,
            threads: 1,
            plane: None,
            limits: Limits::default(),
            registry: registry::own().clone(),
        }
    }
}

impl WorldBuilder {
    /// Sets the paradigm; [`Paradigm::REAL_TIME`] by default.
    #[must_use]
    pub fn paradigm(mut self, paradigm: Paradigm) -> Self {
        self.paradigm = paradigm;
        self
    }

    /// Sets the registry, in which names are looked up; the modules of this project by default.
    #[must_use]
    pub fn registry(mut self, registry: impl Into<Arc<Registry>>) -> Self {
        self.registry = registry.into();
        self
    }

    /// Overrides a module by name and settings, as a scene file does.
    #[must_use]
    pub fn choose(mut self, choice: ModuleChoice) -> Self {
        self.choices.push(choice);
        self
    }

    /// Sets uniform gravity (m/s^2); 9.81 downwards along y by default.
    #[must_use]
    pub fn gravity(mut self, gravity: impl Into<Vec3>) -> Self {
        self.gravity = gravity.into();
        self
    }

    /// Sets the distance (m) within which surfaces count as touching. The default is 2 % of the diameter of the smallest dynamic body, at most 1 cm.
    #[must_use]
    pub fn contact_envelope(mut self, envelope: Real) -> Self {
        self.envelope = Some(envelope);
        self
    }

    /// Sets the number of threads, from 1 to 256; the results are the same to the bit for any number.
    #[must_use]
    pub fn threads(mut self, threads: usize) -> Self {
        self.threads = threads;
        self
    }

    /// Confines the world to a plane with this normal, of any length: bodies move along the plane and turn only about its normal, each at its own distance from the
    /// origin along the normal. Whatever pushes or turns a dynamic body out of the plane, including gravity and velocities, is borne by the plane without friction.
    /// Contacts act along the part of their normals that lies in the plane. Bodies on top of each other along the normal do not collide, so bodies that are to
    /// collide should be as thick as they are wide.
    ///
    /// Source: Baraff 1995, "System overview".
    #[must_use]
    pub fn plane(mut self, normal: impl Into<Vec3>) -> Self {
        self.plane = Some(normal.into());
        self
    }

    /// Sets the bounds beyond which a step counts as failed; [`Limits::NONE`] for none.
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Replaces a module by one given by value; the methods below do the same for each of them.
    #[must_use]
    pub fn replace(mut self, module: Replacement) -> Self {
        self.replacements.push(module);
        self
    }

    modules_by_value!(replace);

    /// Builds an empty world.
    ///
    /// # Errors
    /// [`WorldError`] for unknown names, settings that do not fit, a time control that needs what the constraint solver does not solve, and numbers that are not finite.
    pub fn build(self) -> Result<World, WorldError> {
        let gravity = self.gravity;
        self.build_with(Configuration { gravity, ..Configuration::default() }, State::default())
    }

    /// Builds a world around bodies that already exist, for instance from a scene; gravity is that of the configuration.
    ///
    /// # Errors
    /// As [`Self::build`], and [`WorldError::Configuration`] if the two do not fit together: a column of the wrong length, a joint or script of a body that does not
    /// exist, a mass or a pose that is not a number.
    pub fn build_with(self, configuration: Configuration, state: State) -> Result<World, WorldError> {
        configuration.check(&state)?;
        let bytes = configuration.bodies.len().saturating_mul(BYTES_PER_BODY);
        if !fits(bytes) {
            return Err(WorldError::Memory { bodies: configuration.bodies.len(), bytes });
        }
        if let Some(found) = self.envelope.filter(|e| !(e.is_finite() && *e >= 0.0)) {
            return Err(WorldError::OutOfRange {
                what: "contact envelope",
                found,
                allowed: "a length of zero or more",
            });
        }
        let mut modules = Modules::assemble_from(&self.registry, &self.paradigm, &self.choices)?;
        for replacement in self.replacements {
            modules.put(replacement);
        }
        modules.check_parts()?;
        modules.check(&self.paradigm, &configuration)?;
        let plane = match self.plane {
            Some(normal) => {
                Some(Plane::new(normal).ok_or(WorldError::NotFinite { what: "length of the plane's normal" })?)
            }
            None => None,
        };
        let engine = Engine::new(configuration, state, self.envelope, self.threads, plane)?;
        let mut world = World::from_engine(engine, modules, self.paradigm);
        world.registry = self.registry;
        world.set_limits(self.limits);
        Ok(world)
    }
}
