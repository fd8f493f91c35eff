use super::separation::Separation;
use super::{BAND, Mechanisms, PatchFriction, SweepParameters, Way, mixed};
use crate::{CorrectionParameters, Projection};
use drystone_core::{GroupAnswer, GroupProblem, PositionCorrector, SolveReport};
use drystone_lcp::LcpSolver;
use drystone_math::Real;

/// Sweeps of the correction for groups with joints, or with friction that patches do not cover.
const ROW_SWEEPS: usize = 5;

/// Most further Newton steps per correction of joints.
const REFINEMENTS: usize = 4;

/// Removes penetration by sweeps over the normals of contact patches. Groups with joints are projected by their rows, joints exactly if the
/// solver is a direct one; with a direct solver and many contacts, patches are swept and joints corrected in turn.
#[derive(Debug)]
pub struct PatchCorrection {
    friction: PatchFriction,
    method: Mechanisms,
    slop: Real,
    sweeps: usize,
    group: Separation,
    mechanisms: Projection,
    mixed: Projection,
    rows: Projection,
}

impl PatchCorrection {
    /// The corrector for [`crate::ContactSweeps`] with these parameters and this solver of groups with joints.
    pub fn new(parameters: &SweepParameters, joints: &dyn LcpSolver) -> Self {
        let own = CorrectionParameters { slop: parameters.projection.slop, ..CorrectionParameters::default() };
        let exactly =
            CorrectionParameters { orthogonal_joints: false, joint_start: false, refinements: REFINEMENTS, ..own };
        let [mechanisms, mixed] = [joints.fork(), mixed(joints)].map(|solver| {
            if joints.is_direct() { Projection::by(exactly, solver) } else { Projection::by_sweeps(own, ROW_SWEEPS) }
        });
        Self {
            friction: parameters.friction,
            method: Mechanisms::by(joints),
            slop: parameters.projection.slop,
            sweeps: parameters.correction_iterations,
            group: Separation::default(),
            mechanisms,
            mixed,
            rows: Projection::by_sweeps(own, ROW_SWEEPS),
        }
    }

    /// Removes penetration by sweeps over patches, if anything is deep enough.
    fn separate(&mut self, problem: &GroupProblem, answer: &mut GroupAnswer) -> SolveReport {
        if self.sweeps == 0 || problem.contacts.iter().all(|c| c.separation >= -PositionCorrector::slop(self)) {
            return SolveReport::default();
        }
        let report = self.group.correct(problem, self.slop, self.sweeps, answer);
        // what one sweep leaves is left to the next step
        SolveReport { finished: report.lcp.solves, ..report }
    }
}

impl PositionCorrector for PatchCorrection {
    fn name(&self) -> &'static str {
        "patch-projection"
    }

    fn correct(&mut self, problem: &GroupProblem, answer: &mut GroupAnswer) -> SolveReport {
        match Way::over_step(problem, self.friction) {
            Way::Patches => self.separate(problem, answer),
            Way::Mechanism => self.mechanisms.correct(problem, answer),
            Way::SmallSteps | Way::Mixed => self.mixed.correct(problem, answer),
            Way::Rows => self.rows.correct(problem, answer),
        }
    }

    fn slop(&self) -> Real {
        BAND * self.slop
    }

    fn slop_ahead(&self) -> Option<Real> {
        (self.sweeps == 1).then_some(self.slop)
    }

    fn ends_motion(&self) -> bool {
        true
    }

    fn fork(&self) -> Box<dyn PositionCorrector> {
        Box::new(Self {
            friction: self.friction,
            method: self.method,
            slop: self.slop,
            sweeps: self.sweeps,
            group: Separation::default(),
            mechanisms: self.mechanisms.again(),
            mixed: self.mixed.again(),
            rows: self.rows.again(),
        })
    }
}
