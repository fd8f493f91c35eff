//! Solver tasks: the operation, and its contacts and bodies.

use drystone_core::RateOf;
use drystone_math::Real;

/// Operation of a solver on each group.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Operation {
    Solve {
        h: Real,
        horizon: Real,
    },
    /// A solve for what a layer bears, if the bodies below do not give way: gives multipliers and loads, but no velocities.
    Bear {
        h: Real,
        horizon: Real,
    },
    /// Like a solve, but recorded instead of carried out.
    Rate {
        h: Real,
        horizon: Real,
        of: RateOf,
    },
    Correct,
    Resolve {
        horizon: Real,
    },
}

impl Operation {
    /// The step over which bodies will move; zero for an operation that takes no time.
    pub(super) fn h(self) -> Real {
        match self {
            Self::Solve { h, .. } | Self::Bear { h, .. } | Self::Rate { h, .. } => h,
            Self::Correct | Self::Resolve { .. } => 0.0,
        }
    }
}

/// The contacts and bodies that make up a problem.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Task {
    /// The contacts of one edge, by its slot.
    Edge(u32),
    /// A whole contact group.
    Group(u32),
    /// A layer of a group of the layer plan.
    Layer {
        /// The number of the group in the plan.
        group: u32,
        /// The number of the layer in the group.
        layer: u32,
    },
}

/// The size of all tasks of a run, in edges and joints: the sum of their sizes, and of the cubes of these.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Weight {
    pub(super) sum: Real,
    pub(super) cubes: Real,
}
