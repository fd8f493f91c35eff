use drystone_core::catalogue::Implementation;
use drystone_core::settings;
use drystone_math::Real;

settings! {
    /// Parameters of an [`super::Avbd`].
    #[derive(Debug, Clone, PartialEq)]
    pub struct AvbdParameters {
        /// sweeps over the bodies, in alternating directions, each with an update of multipliers and stiffness
        iterations: u32 = integer(20, 1, 1_000_000),
        /// alpha: fraction of the error at the start of the step that is left uncorrected, so that bodies are not thrown; 0: corrects all of it
        regularization: Real = real(0.95, 0.0, 1.0),
        /// gamma: fraction of stiffness and multipliers kept from step to step; multipliers also shrink by alpha
        retention: Real = real(0.99, 0.0, 1.0),
        /// minimum stiffness of a constraint, relative to the one that halves its error in one visit: 1 / (h^2 J W J^T)
        stiffness_start: Real = real(1.0, 1e-6, 1e6),
        /// beta, growth of stiffness: an error of g h^2 adds this times (minimum stiffness + load of the last step / (g h^2)); 0: no growth
        stiffness_growth: Real = real(30.0, 0.0, 1e12),
        /// maximum stiffness, relative to that same sum
        stiffness_limit: Real = real(1.5, 1.0, 1e6),
        /// whether multipliers are updated; if not, constraints are stiffening springs
        dual_update: bool = switch(true),
        /// whether errors are corrected by one more sweep once the velocities are known; alpha is then 1
        post_stabilization: bool = switch(false),
        /// sweeps over contacts that bounce, at the end of the step
        restitution_iterations: u32 = integer(8, 0, 1_000_000),
        /// contacts that approach slower than this times gravity times the step do not bounce
        resting_factor: Real = real(2.0, 0.0, 1e6),
        /// whether stiffness and multipliers of the last step are the start
        warm_start: bool = given(true),
    }
}

impl AvbdParameters {
    /// The fraction of an error at the start of the step that is left alone.
    pub(super) fn spared(&self) -> Real {
        if self.post_stabilization { 1.0 } else { self.regularization }
    }

    /// The fraction of the last step's multipliers that is kept.
    pub(super) fn kept(&self) -> Real {
        if self.warm_start && self.dual_update { self.spared() * self.retention } else { 0.0 }
    }

    /// The same for the multipliers across contacts, which have no error at the start of a step.
    pub(super) fn kept_across(&self) -> Real {
        if self.warm_start && self.dual_update { self.retention } else { 0.0 }
    }

    /// The fraction of the last step's stiffness that is kept.
    pub(super) fn kept_stiffness(&self) -> Real {
        if self.warm_start { self.retention } else { 0.0 }
    }

    /// A stiffness after a sweep that left this error.
    pub(super) fn grown(&self, stiffness: Real, error: Real, scale: Scale) -> Real {
        stiffness + self.stiffness_growth * scale.stiffness * error.abs() / scale.fall
    }
}

/// The units of errors and stiffness: how far a body falls in a step, and the stiffness that holds a load with an error of that size.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Scale {
    /// g h^2 (m).
    fall: Real,
    /// N/m or N m/rad.
    stiffness: Real,
}

impl Scale {
    /// Used if there is no gravity to set a scale (m/s^2).
    const STANDARD_GRAVITY: Real = 9.80665;

    /// The scale in a step of `h` seconds, before anything is known of the constraint.
    pub(super) fn of(gravity: Real, h: Real) -> Self {
        Self { fall: h * h * if gravity > 0.0 { gravity } else { Self::STANDARD_GRAVITY }, stiffness: 0.0 }
    }

    /// The scale of a constraint with the stiffness `unit` given by its bodies alone, and a load (N or N m).
    pub(super) fn under(self, unit: Real, load: Real) -> Self {
        Self { stiffness: unit + load / self.fall, ..self }
    }

    /// The largest stiffness.
    pub(super) fn most(self, parameters: &AvbdParameters) -> Real {
        parameters.stiffness_limit * self.stiffness
    }
}

/// Description of the solver for the scene reader and `drystone list`.
pub const AVBD_DESCRIPTION: Implementation = Implementation {
    name: "avbd",
    summary: "augmented vertex block descent: minimises inertia and constraint energies body by body, multipliers and stiffness grow",
    source: "Giles, Diaz and Yuksel 2025; Chen, Liu, Yang and Yuksel 2024",
    parameters: AvbdParameters::PARAMETERS,
};
