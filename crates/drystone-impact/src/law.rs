//! Every law returns the impulse on B, which is zero if the bodies do not approach or if neither can be moved.
//!
//! | name | friction | restitution | kinetic energy |
//! |---|---|---|---|
//! | `newton` | none | of the velocity | never grows |
//! | `newton-friction` | sticks if it can, else slides one way | of the velocity | may grow in oblique impacts |
//! | `poisson` | the same in two phases, and slip that ends begins anew | of the impulse | never grows (bounded) |
//! | `routh-mirtich` | Coulomb's law all the way through the impact | of the impulse | never grows |
//! | `chatterjee-ruina` | sticks if it can, else scaled back | of the velocity | never grows |
//! | `stronge` | Coulomb's law on a spring across the normal | of the energy | never grows |

mod chatterjee_ruina;
mod incremental;
mod newton;
mod newton_friction;
mod poisson;
mod stronge;

pub use chatterjee_ruina::ChatterjeeRuina;
pub use incremental::RouthMirtich;
pub use newton::Newton;
pub use newton_friction::NewtonFriction;
pub use poisson::Poisson;
pub use stronge::Stronge;

use drystone_core::catalogue::{Implementation, Parameter, Settings, read_if};
use drystone_core::{CollisionLaw, ImpactContact, choice};
use drystone_math::{Mat3, Real, Vec3};

choice! {
    /// The laws of this crate, and their names.
    pub enum Law {
        /// [`Newton`].
        Newton = "newton",
        /// [`NewtonFriction`].
        NewtonFriction = "newton-friction",
        /// [`Poisson`].
        Poisson = "poisson",
        /// [`RouthMirtich`].
        RouthMirtich = "routh-mirtich",
        /// [`ChatterjeeRuina`].
        ChatterjeeRuina = "chatterjee-ruina",
        /// [`Stronge`].
        Stronge = "stronge",
    }
}

/// The laws of this crate.
pub const LAWS: &[Implementation] = &[
    Newton::DESCRIPTION,
    NewtonFriction::DESCRIPTION,
    Poisson::DESCRIPTION,
    RouthMirtich::DESCRIPTION,
    ChatterjeeRuina::DESCRIPTION,
    Stronge::DESCRIPTION,
];

impl Law {
    /// What single laws read, for a solver whose key `law` names one.
    pub(crate) const PARAMETERS: [Parameter; 2] = {
        let [across] = read_if::<1>(ChatterjeeRuina::PARAMETERS, "law", &[ChatterjeeRuina::DESCRIPTION.name]);
        let [stiffness] = read_if::<1>(Stronge::PARAMETERS, "law", &[Stronge::DESCRIPTION.name]);
        [across, stiffness]
    };

    /// The law, with its parameters taken from settings made for its own description or for a solver's description that holds the same keys.
    pub fn make(self, settings: &Settings) -> Box<dyn CollisionLaw> {
        match self {
            Self::Newton => Box::new(Newton),
            Self::NewtonFriction => Box::new(NewtonFriction),
            Self::Poisson => Box::new(Poisson),
            Self::RouthMirtich => Box::new(RouthMirtich),
            Self::ChatterjeeRuina => Box::new(ChatterjeeRuina::from_settings(settings)),
            Self::Stronge => Box::new(Stronge::from_settings(settings)),
        }
    }
}

/// The law with this name, with settings as for [`Law::make`]; `None` if there is no such law.
pub fn law_by_name(name: &str, settings: &Settings) -> Option<Box<dyn CollisionLaw>> {
    Some(Law::from_name(name)?.make(settings))
}

/// A determinant or pivot of K below this fraction of the largest entry counts as zero.
const SINGULAR: Real = 1e-12;

/// Start of every law: normal approach `n . u` and `n . K n`, or `None` if there is nothing to do.
fn approach(c: &ImpactContact) -> Option<(Real, Real)> {
    let (v, k) = (c.normal.dot(c.relative_velocity), c.normal.dot(c.collision_matrix * c.normal));
    (v < 0.0 && k > 0.0 && (v / k).is_finite()).then_some((v, k))
}

/// The impulse that changes the relative velocity by `change`; `None` if K is singular (a locked body).
fn impulse_for(k: &Mat3, change: Vec3) -> Option<Vec3> {
    let scale = (k.x_axis.x + k.y_axis.y + k.z_axis.z) / 3.0;
    (k.determinant() > SINGULAR * scale * scale * scale).then(|| k.inverse() * change)
}

/// Splits a vector into its component along n and the rest.
fn split(v: Vec3, n: Vec3) -> (Real, Vec3) {
    let along = v.dot(n);
    (along, v - n * along)
}

/// Kinetic energy added by an impulse at a contact (J).
#[cfg(test)]
fn energy_gain(c: &ImpactContact, p: Vec3) -> Real {
    p.dot(c.relative_velocity) + 0.5 * p.dot(c.collision_matrix * p)
}

#[cfg(test)]
mod tests;
