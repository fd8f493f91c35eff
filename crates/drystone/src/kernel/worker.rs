use super::loads::Loads;
use super::midpoint::Chords;
use super::propagate::LayerPlan;
use drystone_core::{
    CollisionSolver, Configuration, ConstraintRow, ConstraintSolver, ContactGraph, ContactImpulse, GroupProblem,
    JointReaction, RateOf, ResolveReport, SolveReport, State, Turn,
};
use drystone_math::{Pose, Real, Twist, Vec3, Wrench};

/// What workers read while groups are solved; nothing of it changes meanwhile.
#[derive(Clone, Copy)]
pub(super) struct Shared<'a> {
    pub(super) configuration: &'a Configuration,
    pub(super) state: &'a State,
    pub(super) graph: &'a ContactGraph,
    pub(super) frames: &'a [Pose],
    pub(super) change: &'a [Twist],
    pub(super) turning: &'a [Vec3],
    pub(super) chords: &'a Chords,
    pub(super) plan: &'a LayerPlan,
    pub(super) loads: &'a Loads,
}

/// What a solver shall do with each group.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Operation {
    Solve {
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
    /// The same with the loads of what stands above, those below not giving way.
    Load {
        /// Which of the plan's groups.
        group: u32,
        /// Which of its layers.
        layer: u32,
    },
}

/// One thread's solvers and buffers.
pub(super) struct Worker {
    pub(super) constraint_solver: Box<dyn ConstraintSolver>,
    pub(super) collision_solver: Box<dyn CollisionSolver>,
    pub(super) problem: GroupProblem,
    /// Local index of each body in the problem at hand; `u32::MAX` where it has none.
    pub(super) local: Vec<u32>,
    pub(super) joint_rows: Vec<ConstraintRow>,
    pub(super) output: Output,
    /// Seconds spent gathering and on results, this frame.
    pub(super) seam_seconds: f64,
}

/// What came out of the problems of one worker, in the order of its tasks.
#[derive(Default)]
pub(super) struct Output {
    /// New velocities or displacements.
    pub(super) bodies: Vec<(u32, Twist)>,
    /// Bodies that turn within the step.
    pub(super) turns: Vec<(u32, Turn)>,
    /// Multipliers by edge slot and point.
    pub(super) contacts: Vec<(u32, u32, ContactImpulse)>,
    /// Multipliers by joint and place.
    pub(super) joints: Vec<(u32, u32, Real)>,
    /// Reactions by joint.
    pub(super) reactions: Vec<(u32, JointReaction)>,
    /// Impulses of what stands on a body.
    pub(super) loads: Vec<(u32, Wrench)>,
    pub(super) solve: SolveReport,
    pub(super) resolve: ResolveReport,
}

impl Worker {
    pub(super) fn new(
        constraint_solver: Box<dyn ConstraintSolver>,
        collision_solver: Box<dyn CollisionSolver>,
    ) -> Self {
        Self {
            constraint_solver,
            collision_solver,
            problem: GroupProblem::default(),
            local: Vec::new(),
            joint_rows: Vec::new(),
            output: Output::default(),
            seam_seconds: 0.0,
        }
    }

    pub(super) fn begin_frame(&mut self) {
        self.seam_seconds = 0.0;
    }
}

impl Output {
    pub(super) fn clear(&mut self) {
        self.bodies.clear();
        self.turns.clear();
        self.contacts.clear();
        self.joints.clear();
        self.reactions.clear();
        self.loads.clear();
        self.solve = SolveReport::default();
        self.resolve = ResolveReport::default();
    }
}

impl super::engine::Engine {
    /// Seconds that the workers spent on moving data, this frame.
    pub(crate) fn seam_seconds(&self) -> f64 {
        self.workers.iter().map(|w| w.seam_seconds).sum()
    }
}
