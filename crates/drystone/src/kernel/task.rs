//! What is asked of solvers, and of which contacts and bodies.

use drystone_core::RateOf;
use drystone_math::Real;

/// What a solver shall do with each group.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Operation {
    Solve {
        h: Real,
        horizon: Real,
    },
    /// A solve of what a layer bears, those below not giving way: multipliers and loads, no velocity.
    Bear {
        h: Real,
        horizon: Real,
    },
    /// As a solve, written down and not done.
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
    /// The step over which bodies are to move; zero for one that takes no time.
    pub(super) fn h(self) -> Real {
        match self {
            Self::Solve { h, .. } | Self::Bear { h, .. } | Self::Rate { h, .. } => h,
            Self::Correct | Self::Resolve { .. } => 0.0,
        }
    }
}

/// Which contacts and bodies make up a problem.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Task {
    /// The contacts of one edge, by its slot.
    Edge(u32),
    /// A whole contact group.
    Group(u32),
    /// A layer of a group of the layer plan.
    Layer {
        /// Which of the plan's groups.
        group: u32,
        /// Which of its layers.
        layer: u32,
    },
}

/// The size of all tasks of a run, in edges and joints: their sum, and that of their cubes.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Weight {
    pub(super) sum: Real,
    pub(super) cubes: Real,
}
