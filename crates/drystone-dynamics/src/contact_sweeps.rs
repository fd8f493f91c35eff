//! The fast constraint solver: contact patches solved whole, loads passed down first.
#![allow(clippy::needless_range_loop, reason = "small dense matrices are read by their indices")]

mod body;
mod group;
mod normals;
mod parameters;
mod patch;
mod relax;
mod response;
mod stand;
mod support;

pub use parameters::{SWEEPS_DESCRIPTION, SweepParameters};

use crate::bounce::Bounce;
use crate::support_change::SupportChange;
use crate::{FrictionModel, VelocityComplementarity, VelocityParameters};
use drystone_core::{ConstraintSolver, GroupProblem, SolveReport};
use drystone_lcp::{LcpSolver, ProjectedGaussSeidel};
use drystone_math::Real;
use group::{StepTimes, SweptGroup};

/// Sweeps of a group in which contacts outnumber joints, and of one with friction that patches do not cover.
const ROW_SWEEPS: usize = 20;

/// Velocity-based contact dynamics by sweeps over contact patches, for worlds that must keep up with the clock.
///
/// What lies on something is solved by elimination, not relaxation: from the top down each layer's patches are solved with the bodies below taken
/// as moving as if at rest, and hand their loads on. For whatever stands on what is below it that is the answer, at any ratio of
/// masses. Ordinary sweeps, from the impulses found, take care of what the lower bodies do after all; they stop when nothing changes by more
/// than a part of `g h`. Where that gained energy the group is solved without the pass.
///
/// A patch (the points of a pair that share a normal) is solved whole: glued, if that asks no point to pull and friction for no more than there is,
/// else its normals as a small complementarity problem, then twist, then friction on a disc.
///
/// Groups with joints are solved by rows: exactly, by the given solver, where joints outnumber contact points, else by sweeps. So are friction with a
/// grain, rolling and spinning friction, and cones.
///
/// # Source
/// Block Gauss-Seidel over contacts: M. Jean and J. J. Moreau, "Unilaterality and dry friction in the dynamics of rigid body collections", 1992.
/// The pass of loads is the forward elimination of the block tridiagonal matrix of a pile, dual to the shock propagation of Guendelman, Bridson and Fedkiw, 2003.
#[derive(Debug)]
pub struct ContactSweeps {
    parameters: SweepParameters,
    group: SweptGroup,
    bounce: Bounce,
    support: SupportChange,
    /// For groups in which joints outnumber contacts.
    mechanisms: VelocityComplementarity,
    /// For all else.
    rows: VelocityComplementarity,
}

/// Who solves a group.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
    Patches,
    Mechanism,
    Rows,
}

impl ContactSweeps {
    /// From its parameters and the solver of groups with joints.
    pub fn new(parameters: SweepParameters, joints: Box<dyn LcpSolver>) -> Self {
        let direct = joints.is_direct();
        let mechanism =
            VelocityParameters { correction_by_lcp: direct, orthogonal_joints: !direct, ..parameters.rows.clone() };
        let sweeps = Box::new(ProjectedGaussSeidel::with_iterations(ROW_SWEEPS));
        Self {
            mechanisms: VelocityComplementarity::new(mechanism, joints),
            rows: VelocityComplementarity::new(parameters.rows.clone(), sweeps).with_plain_sweeps(ROW_SWEEPS, false),
            parameters,
            group: SweptGroup::default(),
            bounce: Bounce::default(),
            support: SupportChange::default(),
        }
    }

    /// Its parameters.
    pub fn parameters(&self) -> &SweepParameters {
        &self.parameters
    }

    fn way(&self, problem: &GroupProblem) -> Way {
        let covered = problem.surfaces.is_empty() && self.parameters.rows.friction != FrictionModel::Cone;
        if !problem.rows.is_empty() {
            if problem.rows.len() > problem.contacts.len() { Way::Mechanism } else { Way::Rows }
        } else if covered {
            Way::Patches
        } else {
            Way::Rows
        }
    }

    fn solve_patches(&mut self, problem: &mut GroupProblem, h: Real, horizon: Real) -> SolveReport {
        self.group.solve(problem, &self.parameters, StepTimes { h, horizon })
    }
}

impl ConstraintSolver for ContactSweeps {
    fn name(&self) -> &'static str {
        SWEEPS_DESCRIPTION.name
    }

    fn solve(&mut self, problem: &mut GroupProblem, h: Real, horizon: Real) -> SolveReport {
        match self.way(problem) {
            Way::Patches => {}
            Way::Mechanism => return self.mechanisms.solve(problem, h, horizon),
            Way::Rows => return self.rows.solve(problem, h, horizon),
        }
        if problem.contacts.is_empty() {
            return SolveReport::default();
        }
        let (mut bounce, mut support) = (core::mem::take(&mut self.bounce), core::mem::take(&mut self.support));
        bounce.find(problem, &self.parameters.rows, h, horizon);
        support.find(problem, &self.parameters.rows, h, horizon);
        let mut report = SolveReport::default();
        if !support.is_empty() {
            support.hold_off(problem);
            report.merge(&self.solve_patches(problem, h, horizon));
            support.let_come(problem);
        }
        report.merge(&self.solve_patches(problem, h, horizon));
        if !bounce.is_empty() {
            if bounce.may_gain(problem, &self.parameters.rows) {
                bounce.put_aside(problem);
                report.merge(&self.solve_patches(problem, h, horizon));
                bounce.give_back(problem);
            }
            bounce.turn(problem, horizon);
        }
        if !support.is_empty() {
            support.settle(problem);
        }
        (self.bounce, self.support) = (bounce, support);
        report
    }

    fn correct(&mut self, problem: &mut GroupProblem) -> SolveReport {
        match self.way(problem) {
            Way::Patches => {}
            Way::Mechanism => return self.mechanisms.correct(problem),
            Way::Rows => return self.rows.correct(problem),
        }
        let (slop, sweeps) = (self.parameters.slop, self.parameters.correction_iterations);
        if sweeps == 0 || problem.contacts.iter().all(|c| c.separation >= -slop) {
            return SolveReport::default();
        }
        self.group.correct(problem, slop, sweeps)
    }

    fn slop(&self) -> Real {
        self.parameters.slop
    }

    fn fork(&self) -> Box<dyn ConstraintSolver> {
        Box::new(Self::new(self.parameters.clone(), self.mechanisms.solver_fork()))
    }
}
