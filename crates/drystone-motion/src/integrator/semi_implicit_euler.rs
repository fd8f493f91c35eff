use crate::torque_free::{impulse_change, is_isotropic};
use crate::{rotate_finite, rotate_infinitesimal, rotate_partial_finite};
use drystone_core::catalogue::{Implementation, Parameter, Settings};
use drystone_core::{BodyIndex, Configuration, MotionSolver, State};
use drystone_math::{Real, Twist, Wrench};

/// How an orientation follows an angular velocity.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum OrientationUpdate {
    /// First order, then renormalised (C-09).
    Infinitesimal,
    /// By the exact rotation (C-10).
    #[default]
    Finite,
    /// Exact about [`drystone_core::BodyProperties::spin_axis`], first order for the rest (C-11); finite for bodies
    /// without such an axis.
    PartialFinite,
}

/// Velocities first, by the forces at the start of the step; then poses, by the new velocities.
///
/// # Source
/// C-07; thesis (4.19), (6.76). The gyroscopic torque is `-w x I w` (R-12: the thesis' Fig. 4.27 overwrites the
/// torque with the opposite sign). Explicit, it feeds energy into fast tumbling: `implicit-gyroscopic` and
/// `lie-midpoint` do not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SemiImplicitEuler {
    /// How orientations are updated.
    pub orientation: OrientationUpdate,
    /// Whether the gyroscopic torque acts at all.
    pub gyroscopic: bool,
}

impl Default for SemiImplicitEuler {
    fn default() -> Self {
        Self { orientation: OrientationUpdate::Finite, gyroscopic: true }
    }
}

impl SemiImplicitEuler {
    /// Name, parameters and source.
    pub const DESCRIPTION: Implementation = Implementation {
        name: "semi-implicit-euler",
        summary: "velocities by the forces at the start of the step, then poses by the new velocities; order 1",
        source: "thesis (4.19), (6.76); orientation updates 4.14",
        parameters: &[
            Parameter::choice(
                "orientation",
                "finite",
                &["infinitesimal", "finite", "partial-finite"],
                "orientation update; partial-finite is exact about a body's spin axis",
            ),
            Parameter::switch("gyroscopic", true, "whether the gyroscopic torque -w x I w acts"),
        ],
    };

    /// From settings made for [`Self::DESCRIPTION`].
    pub fn from_settings(settings: &Settings) -> Self {
        let orientation = match settings.text("orientation") {
            "infinitesimal" => OrientationUpdate::Infinitesimal,
            "partial-finite" => OrientationUpdate::PartialFinite,
            _ => OrientationUpdate::Finite,
        };
        Self { orientation, gyroscopic: settings.switch("gyroscopic") }
    }
}

impl MotionSolver for SemiImplicitEuler {
    fn name(&self) -> &'static str {
        Self::DESCRIPTION.name
    }

    fn kick(
        &self,
        configuration: &Configuration,
        state: &State,
        bodies: &[BodyIndex],
        wrenches: &[Wrench],
        h: Real,
        change: &mut [Twist],
    ) {
        for &b in bodies {
            let i = b.at();
            let properties = configuration.body(b);
            let (q, w) = (state.orientation[i], state.angular_velocity[i]);
            let mut wrench = wrenches[i];
            if self.gyroscopic && !is_isotropic(&properties.inertia) {
                wrench.torque -= w.cross(q * properties.inertia.mul_vec(q.conjugate() * w));
            }
            change[i] = impulse_change(properties, q, &wrench, h);
        }
    }

    fn drift(&self, configuration: &Configuration, state: &mut State, bodies: &[BodyIndex], h: Real) {
        for &b in bodies {
            let i = b.at();
            state.position[i] += state.linear_velocity[i] * h;
            let (q, w) = (state.orientation[i], state.angular_velocity[i]);
            state.orientation[i] = match (self.orientation, configuration.body(b).spin_axis) {
                (OrientationUpdate::Infinitesimal, _) => rotate_infinitesimal(q, w, h),
                (OrientationUpdate::PartialFinite, Some(axis)) => rotate_partial_finite(q, w, q * axis, h),
                _ => rotate_finite(q, w, h),
            };
        }
    }
}
