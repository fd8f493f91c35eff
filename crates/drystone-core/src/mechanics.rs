use crate::{BodyIndex, BodyProperties, Configuration, JointError, State};
use drystone_math::{Real, Vec3};

/// Mechanical energy of the dynamic bodies (J).
#[derive(Debug, Clone, Copy, PartialEq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Energy {
    /// Kinetic energy.
    pub kinetic: Real,
    /// Potential energy: of uniform gravity (zero at the world's origin) and of the force fields that have one.
    pub potential: Real,
}

impl Energy {
    /// The energy of a state.
    pub fn of(configuration: &Configuration, state: &State) -> Self {
        let dynamic = configuration.bodies.iter().enumerate().filter(|(_, b)| b.is_dynamic());
        let bodies = Self::by(configuration, state, dynamic.map(|(i, _)| BodyIndex::new(i)), kinetic_energy);
        Self { potential: bodies.potential + Self::of_forces(configuration, state), ..bodies }
    }

    /// The potential energy of the force fields (J).
    pub fn of_forces(configuration: &Configuration, state: &State) -> Real {
        configuration.forces.iter().map(|f| f.potential(configuration, state)).sum()
    }

    /// The energy of some dynamic bodies in uniform gravity, with an upper bound for the kinetic energy, without turning anything into the axes of a body: no axis has a larger moment
    /// than all three together. [`Self::of_forces`] is not in it.
    pub fn bound(configuration: &Configuration, state: &State, dynamic: impl Iterator<Item = BodyIndex>) -> Self {
        Self::by(configuration, state, dynamic, |body, state, i| {
            let (v, w) = (state.linear_velocity[i].length_squared(), state.angular_velocity[i].length_squared());
            0.5 * (body.mass * v + body.inertia.diagonal.element_sum() * w)
        })
    }

    fn by(
        configuration: &Configuration,
        state: &State,
        dynamic: impl Iterator<Item = BodyIndex>,
        kinetic_energy: impl Fn(&BodyProperties, &State, usize) -> Real,
    ) -> Self {
        let mut energy = Self::default();
        for (i, body) in dynamic.map(|b| (b.at(), configuration.body(b))) {
            energy.kinetic += kinetic_energy(body, state, i);
            energy.potential -= body.mass * body.gravity_scale * configuration.gravity.dot(state.position[i]);
        }
        energy
    }

    /// Kinetic plus potential.
    pub fn total(&self) -> Real {
        self.kinetic + self.potential
    }
}

/// Kinetic energy of the body in column `i` (J).
pub fn kinetic_energy(body: &BodyProperties, state: &State, i: usize) -> Real {
    body.kinetic_energy(state.orientation[i], state.velocity(BodyIndex::new(i)))
}

/// Momentum of the dynamic bodies.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Momentum {
    /// Linear (kg m/s).
    pub linear: Vec3,
    /// Angular, about the world's origin (kg m^2/s).
    pub angular: Vec3,
}

impl Momentum {
    /// The momentum of a state.
    pub fn of(configuration: &Configuration, state: &State) -> Self {
        let mut sum = Self::default();
        for (i, body) in configuration.bodies.iter().enumerate().filter(|(_, b)| b.is_dynamic()) {
            let p = state.linear_velocity[i] * body.mass;
            let q = state.orientation[i];
            sum.linear += p;
            sum.angular +=
                state.position[i].cross(p) + q * body.inertia.mul_vec(q.conjugate() * state.angular_velocity[i]);
        }
        sum
    }
}

impl Configuration {
    /// Position error of a joint; the default for a joint that does not exist or has broken.
    pub fn joint_error(&self, state: &State, joint: usize) -> JointError {
        let Some(held) = self.joints.get(joint).filter(|_| !state.is_broken(joint)) else {
            return JointError::default();
        };
        let [a, b] = state.body_frames(held.bodies);
        held.source.error([&a, &b], state.joint_memory.of(joint))
    }

    /// The largest joint error: gap (m) and misalignment (rad), each over all joints.
    pub fn largest_joint_error(&self, state: &State) -> JointError {
        (0..self.joints.len()).map(|j| self.joint_error(state, j)).fold(JointError::default(), |m, e| JointError {
            linear: m.linear.max(e.linear),
            angular: m.angular.max(e.angular),
        })
    }
}
