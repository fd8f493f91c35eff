use drystone_core::catalogue::Implementation;
use drystone_core::{choice, settings};
use drystone_math::Real;

choice! {
    /// Rule by which position errors are removed.
    #[derive(Default)]
    pub enum ErrorRule {
        /// Damped springs that are as stiff as the sub-step allows.
        #[default]
        Soft = "soft",
        /// A fraction of the error per sub-step, by a velocity.
        Baumgarte = "baumgarte",
        /// Nothing.
        Leave = "none",
    }
}

/// A spring and damper told by what it does to the bodies that it acts on, whatever their masses.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Spring {
    /// Frequency (Hz).
    pub hertz: Real,
    /// Damping as a part of the critical one.
    pub damping_ratio: Real,
}

/// Constants of a soft row over a sub-step: `x += -mass (J u + rate error) / (J W J^T) - decay x`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Softened {
    pub(crate) rate: Real,
    pub(crate) mass: Real,
    pub(crate) decay: Real,
}

impl Softened {
    /// No error, no yielding.
    pub(crate) const RIGID: Self = Self { rate: 0.0, mass: 1.0, decay: 0.0 };
}

impl Spring {
    /// Over a step of `h` seconds, taken implicitly; the frequency is at most a quarter of the steps'.
    pub(crate) fn over(self, h: Real) -> Softened {
        if self.hertz == 0.0 {
            return Softened::RIGID;
        }
        let omega = core::f64::consts::TAU * self.hertz.min(0.25 / h);
        let first = 2.0 * self.damping_ratio + h * omega;
        let second = h * omega * first;
        let decay = 1.0 / (1.0 + second);
        Softened { rate: omega / first, mass: second * decay, decay }
    }
}

settings! {
    /// Parameters of a [`super::SoftStep`].
    #[derive(Debug, Clone, PartialEq)]
    pub struct SoftStepParameters {
        /// sub-steps within a step; contacts are found once
        sub_steps: u32 = integer(4, 1, 10_000),
        /// sweeps with bias per sub-step
        iterations: u32 = integer(1, 0, 1_000_000),
        /// sweeps without bias per sub-step, after its motion: they remove the velocity that pushed bodies out
        relax_iterations: u32 = integer(1, 0, 1_000_000),
        /// sweeps over contacts that bounce, once per step
        restitution_iterations: u32 = integer(8, 0, 1_000_000),
        /// how penetration and joint error are removed: by damped springs, by a fraction per sub-step, or not at all
        errors: ErrorRule = choice(Soft),
        /// frequency of soft contacts (Hz), at most a quarter of the sub-step rate; doubled against immovable bodies; 0: rigid, errors stay
        contact_hertz: Real = real(30.0, 0.0, 1e6) if errors is ["soft"],
        /// their damping ratio (1: critical)
        contact_damping_ratio: Real = real(10.0, 0.0, 1e6) if errors is ["soft"],
        /// frequency of soft joints (Hz), same limit; 0: rigid, errors stay
        joint_hertz: Real = real(60.0, 0.0, 1e6) if errors is ["soft"],
        /// their damping ratio (1: critical)
        joint_damping_ratio: Real = real(2.0, 0.0, 1e6) if errors is ["soft"],
        /// fraction of the error that baumgarte removes per sub-step
        erp: Real = real(0.2, 0.0, 1.0) if errors is ["baumgarte"],
        /// maximum speed at which penetration is pushed out (m/s)
        push_velocity: Real = real(3.0, 0.0, 1e9),
        /// solve the normal impulses of a face's points together; if not, one by one
        patches: bool = switch(true),
        /// friction also undoes slip since the start of the step
        sticky: bool = switch(false),
        /// contacts that approach slower than this times gravity times the step do not bounce
        resting_factor: Real = real(1.0, 0.0, 1e6),
        /// True if the multipliers of the last step are the start: a setting of the complementarity solver's table.
        warm_start: bool = given(true),
    }
}

impl SoftStepParameters {
    /// The constants of contacts over a sub-step of `h` seconds, against what does not move and between bodies.
    pub(crate) fn contact_over(&self, h: Real) -> [Softened; 2] {
        let single = Spring { hertz: self.contact_hertz, damping_ratio: self.contact_damping_ratio };
        let double = Spring { hertz: 2.0 * single.hertz, ..single };
        [double, single].map(|spring| self.over(spring, h))
    }

    /// Those of joints.
    pub(crate) fn joint_over(&self, h: Real) -> Softened {
        self.over(Spring { hertz: self.joint_hertz, damping_ratio: self.joint_damping_ratio }, h)
    }

    fn over(&self, spring: Spring, h: Real) -> Softened {
        match self.errors {
            ErrorRule::Soft => spring.over(h),
            ErrorRule::Baumgarte => Softened { rate: self.erp / h, ..Softened::RIGID },
            ErrorRule::Leave => Softened::RIGID,
        }
    }
}

/// Description of the solver for the scene reader and `drystone list`.
pub const SOFT_STEP_DESCRIPTION: Implementation = Implementation {
    name: "soft-step",
    summary: "sub-steps with soft constraints and relaxation: sequential impulses at the poses of each sub-step",
    source: "Catto 2024 (Solver2D), 2011; Macklin et al. 2019",
    parameters: SoftStepParameters::PARAMETERS,
};
