use drystone_core::catalogue::{Implementation, Parameter, Settings};
use drystone_math::Real;

/// What takes errors out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ErrorRule {
    /// Damped springs that are as stiff as the sub-step allows.
    #[default]
    Soft,
    /// A part of the error a sub-step, by a velocity.
    Baumgarte,
    /// Nothing.
    Leave,
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

/// How a [`super::SoftStep`] steps.
#[derive(Debug, Clone, PartialEq)]
pub struct SoftStepParameters {
    /// Sub-steps.
    pub sub_steps: u32,
    /// Sweeps with bias a sub-step.
    pub iterations: u32,
    /// Sweeps without bias a sub-step.
    pub relax_iterations: u32,
    /// Sweeps of the pass of restitution.
    pub restitution_iterations: u32,
    /// What takes errors out.
    pub errors: ErrorRule,
    /// Softness of contacts; twice as stiff against what does not move.
    pub contact: Spring,
    /// Softness of joints.
    pub joint: Spring,
    /// Part of an error that Baumgarte's rule takes out in a sub-step.
    pub erp: Real,
    /// Largest speed at which what penetrates is pushed out (m/s).
    pub push_velocity: Real,
    /// Whether the normal impulses of a face's points are found at once; where not, one after the other.
    pub patches: bool,
    /// Whether friction takes back what has slipped since the start of the step.
    pub sticky: bool,
    /// A contact is resting where it approaches slower than this times gravity times the step.
    pub resting_factor: Real,
    /// Whether the multipliers of the last step are the start.
    pub warm_start: bool,
}

impl SoftStepParameters {
    /// From checked settings; `warm_start` is a setting of the complementarity solver's table.
    pub fn from_settings(s: &Settings, warm_start: bool) -> Self {
        Self {
            sub_steps: s.integer("sub_steps") as u32,
            iterations: s.integer("iterations") as u32,
            relax_iterations: s.integer("relax_iterations") as u32,
            restitution_iterations: s.integer("restitution_iterations") as u32,
            errors: match s.text("errors") {
                "baumgarte" => ErrorRule::Baumgarte,
                "none" => ErrorRule::Leave,
                _ => ErrorRule::Soft,
            },
            contact: Spring { hertz: s.real("contact_hertz"), damping_ratio: s.real("contact_damping_ratio") },
            joint: Spring { hertz: s.real("joint_hertz"), damping_ratio: s.real("joint_damping_ratio") },
            erp: s.real("erp"),
            push_velocity: s.real("push_velocity"),
            patches: s.switch("patches"),
            sticky: s.switch("sticky"),
            resting_factor: s.real("resting_factor"),
            warm_start,
        }
    }

    /// The constants of contacts over a sub-step of `h` seconds, against what does not move and between bodies.
    pub(crate) fn contact_over(&self, h: Real) -> [Softened; 2] {
        let double = Spring { hertz: 2.0 * self.contact.hertz, ..self.contact };
        [double, self.contact].map(|spring| self.over(spring, h))
    }

    /// Those of joints.
    pub(crate) fn joint_over(&self, h: Real) -> Softened {
        self.over(self.joint, h)
    }

    fn over(&self, spring: Spring, h: Real) -> Softened {
        match self.errors {
            ErrorRule::Soft => spring.over(h),
            ErrorRule::Baumgarte => Softened { rate: self.erp / h, ..Softened::RIGID },
            ErrorRule::Leave => Softened::RIGID,
        }
    }
}

impl Default for SoftStepParameters {
    fn default() -> Self {
        Self::from_settings(&Settings::defaults(&SOFT_STEP_DESCRIPTION), true)
    }
}

/// What the scene reader and `drystone list` know of the solver.
pub const SOFT_STEP_DESCRIPTION: Implementation = Implementation {
    name: "soft-step",
    summary: "small steps within the step, soft constraints, relaxation: sequential impulses at the poses of each sub-step",
    source: "Catto 2024 (Solver2D), 2011; Macklin et al. 2019",
    parameters: &[
        Parameter::integer("sub_steps", 4, 1, 10_000, "sub-steps within a step; contacts are found once"),
        Parameter::integer("iterations", 1, 0, 1_000_000, "sweeps with bias a sub-step"),
        Parameter::integer(
            "relax_iterations",
            1,
            0,
            1_000_000,
            "sweeps without bias a sub-step, after its motion: what pushes out does not stay as velocity",
        ),
        Parameter::integer("restitution_iterations", 8, 0, 1_000_000, "sweeps over contacts that bounce, once a step"),
        Parameter::choice(
            "errors",
            "soft",
            &["soft", "baumgarte", "none"],
            "what takes out penetration and joint error: damped springs, a part of the error a sub-step, nothing",
        ),
        Parameter::real(
            "contact_hertz",
            30.0,
            0.0,
            1e6,
            "frequency of soft contacts (Hz), at most a quarter of the sub-steps'; twice this against what does not move; 0: rigid, errors stay",
        ),
        Parameter::real("contact_damping_ratio", 10.0, 0.0, 1e6, "their damping as a part of the critical one"),
        Parameter::real("joint_hertz", 60.0, 0.0, 1e6, "frequency of joints (Hz), likewise; 0: rigid, errors stay"),
        Parameter::real("joint_damping_ratio", 2.0, 0.0, 1e6, "their damping as a part of the critical one"),
        Parameter::real("erp", 0.2, 0.0, 1.0, "part of an error that baumgarte takes out in a sub-step"),
        Parameter::real("push_velocity", 3.0, 0.0, 1e9, "largest speed at which what penetrates is pushed out (m/s)"),
        Parameter::switch(
            "patches",
            true,
            "normal impulses of a face's points at once; where not, one after the other",
        ),
        Parameter::switch("sticky", false, "friction takes back what has slipped since the start of the step"),
        Parameter::real(
            "resting_factor",
            1.0,
            0.0,
            1e6,
            "contacts that approach slower than this times gravity times the step do not bounce",
        ),
    ],
};
