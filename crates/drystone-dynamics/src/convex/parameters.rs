use crate::{FrictionModel, RowParameters, Stabilization};
use drystone_core::catalogue::Implementation;
use drystone_core::settings;
use drystone_math::Real;

pub(crate) const DESCRIPTION: Implementation = Implementation {
    name: "convex-newton",
    summary: "one convex problem in the velocities, elliptic cones with regularised forces, by Newton's method; repeated if bodies slide",
    source: "Todorov 2014; MuJoCo's documentation, chapter Computation; De Saxce and Feng 1998 for sliding",
    parameters: ConvexParameters::PARAMETERS,
};

settings! {
    /// Parameters of the convex problem and of its solution.
    #[derive(Debug, Clone, Copy, PartialEq)]
    pub struct ConvexParameters {
        /// time constant of error correction (s), at least twice the step; 0: twice the step
        time_constant: Real = real(0.0, 0.0, 1e6),
        /// damping ratio of error correction (1: critical)
        damping_ratio: Real = real(1.0, 1e-3, 1e3),
        /// fraction of its demand that a constraint achieves at error 0
        impedance: Real = real(0.9999, 1e-4, 0.999_999_999),
        /// the same for errors from impedance_width on
        impedance_deep: Real = real(0.9999, 1e-4, 0.999_999_999),
        /// error (m or rad) from which impedance_deep applies
        impedance_width: Real = real(1e-3, 1e-9, 1e6),
        /// stiffness of friction relative to the normal's
        friction_ratio: Real = real(1.0, 1e-6, 1e6),
        /// maximum further problems that keep sliding contacts from opening; 0: the convex problem alone, bodies hover as they slide
        sliding_iterations: usize = integer(4, 0, 10_000),
        /// maximum Newton steps per problem
        iterations: usize = integer(100, 1, 1_000_000),
        /// gradient at which Newton's method stops, relative to the change of momentum
        tolerance: Real = real(1e-10, 0.0, 1.0),
    }
}

impl ConvexParameters {
    /// The parameters of the rows of this problem: its own reference replaces what removes errors elsewhere.
    pub(crate) fn rows(warm_start: bool) -> RowParameters {
        RowParameters {
            friction: FrictionModel::Cone,
            stabilization: Stabilization::None,
            orthogonal_joints: false,
            warm_start,
            ..RowParameters::default()
        }
    }

    /// For a step of `h` seconds: the fraction of the velocity that damping takes, and that of the error that the spring removes (1/s).
    pub(super) fn reference(&self, h: Real) -> Reference {
        if h <= 0.0 {
            return Reference { damped: 1.0, drive: 0.0 };
        }
        let deep = self.impedance_deep;
        let time = self.time_constant.max(2.0 * h);
        // at the shortest time constant the damper takes the whole velocity, regardless of the impedance
        let damped = if time > 2.0 * h { (2.0 * h / (deep * time)).min(1.0) } else { 1.0 };
        let stiffness = 1.0 / (deep * time * self.damping_ratio).powi(2);
        Reference { damped, drive: (h * stiffness).min(1.0 / h) }
    }

    /// The regularisation of a row with this response, chosen so that the row gets the share that belongs to an error of that size.
    pub(super) fn softness(&self, error: Real, response: Real) -> Real {
        let (flat, deep) = (self.impedance, self.impedance_deep);
        let x = (error.abs() / self.impedance_width).min(1.0);
        let rise = if x < 0.5 { 2.0 * x * x } else { 1.0 - 2.0 * (1.0 - x) * (1.0 - x) };
        let share = flat + (deep - flat) * rise;
        (1.0 - share) / share * response
    }
}

/// The reference of a step: a row that is not open asks for the velocity `(1 - damped) v - drive error`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Reference {
    pub(super) damped: Real,
    pub(super) drive: Real,
}
