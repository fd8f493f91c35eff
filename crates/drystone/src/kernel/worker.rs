//! A thread with its solvers, and the view that it has of the world.

use super::carriers::Carriers;
use super::departure::CurvatureCorrections;
use super::gathered_edge::Chunk;
use super::layer_plan::LayerPlan;
use super::linking_forces::LinkingForces;
use super::loads::Loads;
use super::output::{Output, SolvedEdge};
use super::task::{Task, Weight};
use crate::Stages;
use drystone_core::{
    BodyFrame, CollisionSolver, Configuration, ConstraintRow, ConstraintSolver, ContactGraph, GroupAnswer,
    GroupProblem, Level, PositionCorrector, State, Step,
};
use drystone_math::{Placement, Pose, Real, Twist, Vec3};
use smallvec::SmallVec;

/// Data that workers read while groups are solved; none of it changes meanwhile.
#[derive(Clone, Copy)]
pub(super) struct Shared<'a> {
    pub(super) configuration: &'a Configuration,
    pub(super) state: &'a State,
    pub(super) graph: &'a ContactGraph,
    pub(super) frames: &'a [Pose],
    pub(super) change: &'a [Twist],
    pub(super) drift_acceleration: &'a [Vec3],
    pub(super) curvature_corrections: &'a CurvatureCorrections,
    /// If a step is solved again, the multipliers of its joints before the first solve.
    pub(super) beginnings: &'a [SmallVec<[Real; 6]>],
    pub(super) linking_forces: LinkingForces,
    pub(super) h: Real,
    pub(super) carriers: &'a Carriers,
    pub(super) plan: &'a LayerPlan,
    pub(super) loads: &'a Loads,
    pub(super) level: Level,
    pub(super) most_iterations: u32,
    /// True if solves are asked to predict the overlap removal after them.
    pub(super) foresees: bool,
    pub(super) spent: Real,
    /// The expected cost of all tasks of the run.
    pub(super) weight: Weight,
}

impl Shared<'_> {
    /// The step of a solve.
    pub(super) fn step(self, h: Real, horizon: Real) -> Step {
        let step = Step { most_iterations: self.most_iterations, ..Step::new(h, horizon) };
        if step.level == Level::Impact { step } else { Step { level: self.level, ..step } }
    }
}

/// One thread's solvers and buffers.
pub(super) struct Worker {
    pub(super) constraint_solver: Box<dyn ConstraintSolver>,
    pub(super) position_corrector: Box<dyn PositionCorrector>,
    pub(super) collision_solver: Box<dyn CollisionSolver>,
    pub(super) problem: GroupProblem,
    pub(super) answer: GroupAnswer,
    /// The number of bodies at the beginning of the present problem that belong to its group; zero unless the problem is that of a whole group held by joints alone.
    pub(super) own_bodies: usize,
    /// Local index of each body in the present problem; `u32::MAX` if it has none.
    pub(super) local: Vec<u32>,
    /// Frames of the bodies of the present problem.
    pub(super) places: Vec<Placement>,
    /// States of the bodies of the present problem as joints see them, while they are evaluated one after the other.
    pub(super) joint_frames: Vec<BodyFrame>,
    pub(super) joint_rows: Vec<ConstraintRow>,
    /// The edges of the contacts of the present problem, in their order, until they are collected.
    pub(super) edges: Vec<SolvedEdge>,
    /// For a group that several threads gather.
    pub(super) chunks: Vec<Chunk>,
    /// By row of the present problem: its curvature without what was learnt since the step began.
    pub(super) curvatures: Vec<Real>,
    /// The task and the step of the last solve, as long as the present problem belongs to them.
    pub(super) solved: Option<(Task, Step)>,
    pub(super) output: Output,
    /// Seconds spent in this frame on gathering and on results.
    pub(super) seam_seconds: f64,
}

impl Worker {
    /// A worker with its own solvers.
    pub(super) fn new(stages: &Stages) -> Self {
        Self {
            constraint_solver: stages.constraint_solver.fork(),
            position_corrector: stages.position_corrector.fork(),
            collision_solver: stages.collision_solver.fork(),
            problem: GroupProblem::default(),
            answer: GroupAnswer::default(),
            own_bodies: 0,
            local: Vec::new(),
            places: Vec::new(),
            joint_frames: Vec::new(),
            joint_rows: Vec::new(),
            edges: Vec::new(),
            chunks: Vec::new(),
            curvatures: Vec::new(),
            solved: None,
            output: Output::default(),
            seam_seconds: 0.0,
        }
    }

    pub(super) fn begin_frame(&mut self) {
        self.seam_seconds = 0.0;
        // the world may have been edited
        self.solved = None;
    }
}
