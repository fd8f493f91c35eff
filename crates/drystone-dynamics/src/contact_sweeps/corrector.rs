use super::separation::Separation;
use super::{PatchFriction, SweepParameters, Way, mixed};
use crate::{CorrectionParameters, Projection};
use drystone_core::{GroupAnswer, GroupProblem, PositionCorrector, SolveReport};
use drystone_lcp::LcpSolver;
use drystone_math::Real;

/// Sweeps of the correction of groups with joints, or with friction that patches do not cover.
const ROW_SWEEPS: usize = 5;

/// Most further steps of Newton's method per correction of joints.
const REFINEMENTS: usize = 4;

/// A group is corrected where something is deeper than the slop by this factor: what sinks by a part of the slop per step is corrected every few steps.
const BAND: Real = 2.0;

/// Takes penetration out by sweeps over the normals of contact patches; groups with joints are projected by their rows, joints exactly where the
/// solver is a direct one.
#[derive(Debug)]
pub struct PatchCorrection {
    friction: PatchFriction,
    slop: Real,
    sweeps: usize,
    group: Separation,
    mechanisms: Projection,
    mixed: Projection,
    rows: Projection,
}

impl PatchCorrection {
    /// That of [`crate::ContactSweeps`] with these parameters and a solver of groups with joints.
    pub fn new(parameters: &SweepParameters, joints: &dyn LcpSolver) -> Self {
        let own = CorrectionParameters { slop: parameters.projection.slop, ..CorrectionParameters::default() };
        let exactly =
            CorrectionParameters { orthogonal_joints: false, joint_start: false, refinements: REFINEMENTS, ..own };
        let [mechanisms, mixed] = [joints.fork(), mixed(joints)].map(|solver| {
            if joints.is_direct() { Projection::by(exactly, solver) } else { Projection::by_sweeps(own, ROW_SWEEPS) }
        });
        Self {
            friction: parameters.friction,
            slop: parameters.projection.slop,
            sweeps: parameters.correction_iterations,
            group: Separation::default(),
            mechanisms,
            mixed,
            rows: Projection::by_sweeps(own, ROW_SWEEPS),
        }
    }
}

impl PositionCorrector for PatchCorrection {
    fn name(&self) -> &'static str {
        "patch-projection"
    }

    fn correct(&mut self, problem: &GroupProblem, answer: &mut GroupAnswer) -> SolveReport {
        match Way::of(problem, self.friction) {
            Way::Patches => {}
            Way::Mechanism => return self.mechanisms.correct(problem, answer),
            Way::Mixed => return self.mixed.correct(problem, answer),
            Way::Rows => return self.rows.correct(problem, answer),
        }
        if self.sweeps == 0 || problem.contacts.iter().all(|c| c.separation >= -PositionCorrector::slop(self)) {
            return SolveReport::default();
        }
        let report = self.group.correct(problem, self.slop, self.sweeps, answer);
        // what one sweep leaves is the next step's
        SolveReport { finished: report.lcp.solves, ..report }
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
            slop: self.slop,
            sweeps: self.sweeps,
            group: Separation::default(),
            mechanisms: self.mechanisms.again(),
            mixed: self.mixed.again(),
            rows: self.rows.again(),
        })
    }
}
