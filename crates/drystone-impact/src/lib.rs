//! Collision laws and collision solvers.
//!
//! A [law](mod@law) says what one impact does: it maps the relative velocity at a contact and its collision matrix K to an
//! impulse. A [solver](mod@solver) says how the impacts of a contact group act on each other: one after the other until nothing
//! approaches ([`Sequential`]), all in one problem ([`Simultaneous`]), as a train of micro-collisions that also supports resting
//! bodies ([`MicroCollisions`]), or not at all ([`NoCollisions`]).

mod kinematics;

/// Laws for a single impact: implementations of [`drystone_core::CollisionLaw`].
pub mod law;

/// Solvers for the impacts of a group: implementations of [`drystone_core::CollisionSolver`].
pub mod solver;

pub use kinematics::{apply_impulse, collision_matrix, relative_velocity};
pub use law::{ChatterjeeRuina, LAWS, Law, Newton, NewtonFriction, Poisson, RouthMirtich, Stronge, law_by_name};
pub use solver::{
    MicroCollisionParameters, MicroCollisions, NoCollisions, Order, Resting, RestitutionLaw, Sequential,
    SequentialParameters, Simultaneous, SimultaneousParameters,
};

// whoever calls this crate needs no other of the workspace: the types of its calls are here
pub use drystone_core as core;
pub use drystone_lcp as lcp;
pub use drystone_math as math;

use drystone_core::CollisionSolver;
use drystone_core::catalogue::{Implementation, Settings};

/// The collision solvers of this crate.
pub const IMPLEMENTATIONS: &[Implementation] =
    &[Sequential::DESCRIPTION, Simultaneous::DESCRIPTION, MicroCollisions::DESCRIPTION, NoCollisions::DESCRIPTION];

/// The collision solver with this name, with settings made for its description; `None` if there is no such solver, or if the settings name an unknown collision
/// law.
pub fn by_name(name: &str, settings: &Settings) -> Option<Box<dyn CollisionSolver>> {
    Some(match name {
        n if n == Sequential::DESCRIPTION.name => Box::new(Sequential::from_settings(settings)?),
        n if n == Simultaneous::DESCRIPTION.name => Box::new(Simultaneous::from_settings(settings)),
        n if n == MicroCollisions::DESCRIPTION.name => Box::new(MicroCollisions::from_settings(settings)?),
        n if n == NoCollisions::DESCRIPTION.name => Box::new(NoCollisions::from_settings(settings)),
        _ => return None,
    })
}

/// The README's Rust blocks, compiled as they stand.
#[doc = include_str!("../README.md")]
#[cfg(doctest)]
pub struct ReadmeDoctests;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_description_has_a_constructor() {
        for d in IMPLEMENTATIONS {
            let solver = by_name(d.name, &Settings::defaults(d)).unwrap();
            assert_eq!((solver.name(), solver.fork().name()), (d.name, d.name));
        }
        for d in LAWS {
            assert_eq!(law_by_name(d.name, &Settings::defaults(d)).unwrap().name(), d.name);
        }
    }
}
