//! Interaction of the impacts of a contact group.
//!
//! Joint rows take part if they carry impulses: equality rows keep their rate (D-07), closed limits bounce by their
//! restitution. Motors, springs and soft rows have finite forces, hence no impulse in an impact.

mod couplings;
mod micro_collisions;
mod none;
mod resting;
mod rows;
mod sequential;
mod simultaneous;
mod tournament;

pub use micro_collisions::{MicroCollisionParameters, MicroCollisions};
pub use none::NoCollisions;
pub use resting::Resting;
pub use sequential::{Order, Sequential, SequentialParameters};
pub use simultaneous::{RestitutionLaw, Simultaneous, SimultaneousParameters};
