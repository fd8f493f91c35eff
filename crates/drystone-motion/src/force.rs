//! A field adds wrenches (world frame, about the centres of mass) for the state at an instant (C-18). Fields are read
//! only during a step; a body index that is out of range is passed over.

mod anchor;
mod closure;
mod damping;
mod drag;
mod maker;
mod point_gravity;
mod point_wrench;
mod spring;
mod spring_rows;

pub use anchor::Anchor;
pub use closure::{BodiesField, CustomField, TimeDependentWrench};
pub use damping::Damping;
pub use drag::Drag;
pub use maker::{ForceMaker, MakeForce};
pub use point_gravity::PointGravity;
pub use point_wrench::{Axes, PointWrench};
pub use spring::SpringDamper;

use drystone_core::BodyIndex;

/// Which bodies a field acts on.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Targets {
    /// Every dynamic body.
    #[default]
    All,
    /// These.
    These(Vec<BodyIndex>),
}

impl Targets {
    /// Calls `f` with the column position of each body that exists, out of `count`.
    pub fn each(&self, count: usize, f: impl FnMut(usize)) {
        match self {
            Self::All => (0..count).for_each(f),
            Self::These(list) => list.iter().map(|b| b.at()).filter(|&i| i < count).for_each(f),
        }
    }

    /// Follows the bodies when one is taken out of the columns; returns whether any is left.
    pub fn remove_body(&mut self, removed: BodyIndex) -> bool {
        match self {
            Self::All => true,
            Self::These(list) => {
                let left = list.iter().filter_map(|b| b.without(removed)).collect();
                *list = left;
                !list.is_empty()
            }
        }
    }
}

#[cfg(test)]
mod fixtures;
