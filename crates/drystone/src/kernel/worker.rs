use super::forces::LinkingForces;
use super::loads::Loads;
use super::midpoint::CurvatureCorrections;
use super::propagate::LayerPlan;
use crate::Stages;
use drystone_core::{
    CollisionSolver, Configuration, ConstraintRow, ConstraintSolver, ContactGraph, ContactImpulse, GroupAnswer,
    GroupProblem, JointReaction, Level, PositionCorrector, RateOf, ResolveReport, SolveReport, State, Step, Turn,
    make_room,
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
    pub(super) drift_acceleration: &'a [Vec3],
    pub(super) curvature_corrections: &'a CurvatureCorrections,
    pub(super) linking_forces: LinkingForces,
    pub(super) plan: &'a LayerPlan,
    pub(super) loads: &'a Loads,
    pub(super) level: Level,
}

impl Shared<'_> {
    /// The step of a solve.
    pub(super) fn step(self, h: Real, horizon: Real) -> Step {
        let step = Step::new(h, horizon);
        if step.level == Level::Impact { step } else { Step { level: self.level, ..step } }
    }
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

impl Operation {
    /// The step over which bodies are to move; zero for one that takes no time.
    pub(super) fn h(self) -> Real {
        match self {
            Self::Solve { h, .. } | Self::Rate { h, .. } => h,
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
    pub(super) position_corrector: Box<dyn PositionCorrector>,
    pub(super) collision_solver: Box<dyn CollisionSolver>,
    pub(super) problem: GroupProblem,
    pub(super) answer: GroupAnswer,
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
    /// Ways over the step, of bodies that the solver moves itself.
    pub(super) displacements: Vec<(u32, Twist)>,
    /// Multipliers by edge slot and point.
    pub(super) contacts: Vec<(u32, u32, ContactImpulse)>,
    /// How stiff the solver had contacts and rows, where it says.
    pub(super) contact_stiffness: Vec<(u32, u32, [Real; 2])>,
    pub(super) joint_stiffness: Vec<(u32, u32, Real)>,
    /// What contacts passed on where no time passes, likewise.
    pub(super) blows: Vec<(u32, u32, ContactImpulse)>,
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
    /// With solvers of its own.
    pub(super) fn new(stages: &Stages) -> Self {
        Self {
            constraint_solver: stages.constraint_solver.fork(),
            position_corrector: stages.position_corrector.fork(),
            collision_solver: stages.collision_solver.fork(),
            problem: GroupProblem::default(),
            answer: GroupAnswer::default(),
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
        // as long as what may come, so that the first turn or blow after a long rest finds room
        make_room(&mut self.turns, self.bodies.capacity());
        self.displacements.clear();
        self.contacts.clear();
        self.contact_stiffness.clear();
        self.joint_stiffness.clear();
        make_room(&mut self.blows, self.contacts.capacity());
        self.joints.clear();
        self.reactions.clear();
        self.loads.clear();
        self.solve = SolveReport::default();
        self.resolve = ResolveReport::default();
    }
}
