//! How the impacts of a contact group act on each other.
//!
//! Rows of joints take part where they carry impulses: equality rows keep the rate they had (D-07), closed limits bounce
//! by their restitution. Motors, springs and soft rows have finite forces and none in an impact.

mod couplings;
mod micro_collisions;
mod none;
mod resting;
mod rows;
mod sequential;
mod simultaneous;
mod tournament;

pub use micro_collisions::MicroCollisions;
pub use none::NoCollisions;
pub use sequential::{Order, Sequential};
pub use simultaneous::{RestitutionLaw, Simultaneous};
