use crate::analytic::{COMPLEMENTARITY, PROGRAM};
use crate::corrector::{CorrectionSolver, ProjectionSettings};
use crate::descriptions::{ConeSettings, PyramidSettings};
use crate::{
    AVBD_DESCRIPTION, AccelerationComplementarity, AccelerationProgram, Avbd, AvbdParameters, ContactSweeps,
    ConvexParameters, CorrectionParameters, EnergyKeeping, GeometricStiffness, NoConstraints, NoCorrection,
    NonlinearCorrection, NonlinearParameters, PatchCorrection, Penalty, PositionNcp, Projection, RowParameters,
    SOFT_STEP_DESCRIPTION, SWEEPS_DESCRIPTION, SoftStep, SoftStepParameters, Stabilization, SweepParameters,
    VelocityLevel, XPBD_DESCRIPTION, Xpbd, XpbdParameters, convex, descriptions, none, penalty, position,
};
use drystone_core::catalogue::{Implementation, Settings};
use drystone_core::{ConstraintSolver, PositionCorrector};
use drystone_lcp::{ConeSolver, LcpSolver, cone_solver_by_name};

/// The constraint solvers of this crate.
pub const IMPLEMENTATIONS: &[Implementation] = &[
    descriptions::VELOCITY_COMPLEMENTARITY,
    descriptions::BOXED,
    descriptions::PYRAMID,
    descriptions::CONE,
    SWEEPS_DESCRIPTION,
    SOFT_STEP_DESCRIPTION,
    XPBD_DESCRIPTION,
    AVBD_DESCRIPTION,
    none::DESCRIPTION,
    penalty::DESCRIPTION,
    convex::DESCRIPTION,
    position::DESCRIPTION,
    COMPLEMENTARITY,
    PROGRAM,
];

/// Sweeps of the correction where a constraint solver has no setting for them.
const CORRECTION_SWEEPS: usize = 20;

/// The complementarity solver behind a constraint solver: what stands in a scene's `lcp` table.
pub struct Complementarity {
    /// The solver.
    pub solver: Box<dyn LcpSolver>,
    /// Whether the multipliers of the last solve are its start value.
    pub warm_start: bool,
    /// Where the solver is plain projected Gauss-Seidel: its sweeps, and whether the residual is measured.
    pub plain_sweeps: Option<(usize, bool)>,
}

/// Iterations of the cone where neither it nor the complementarity solver has a number of its own.
const CONE_ITERATIONS: usize = 100;

/// The constraint solver of that name, with checked settings of its description. Those that pose no complementarity problem leave `lcp` unused.
pub fn by_name(name: &str, settings: &Settings, lcp: Complementarity) -> Option<Box<dyn ConstraintSolver>> {
    match name {
        "velocity-complementarity" => {
            let (name, settings) = descriptions::meant(settings);
            by_name(name, &settings, lcp)
        }
        "boxed" => {
            let rows = row_parameters(settings, lcp.warm_start);
            Some(stiffened(VelocityLevel::boxed(rows, lcp.solver, lcp.plain_sweeps), settings))
        }
        "pyramid" => {
            let rows = row_parameters(settings, lcp.warm_start);
            let facets = 2 * PyramidSettings::from_settings(settings).facets.div_ceil(2);
            Some(stiffened(VelocityLevel::pyramid(rows, facets, lcp.solver), settings))
        }
        "cone" => {
            let rows = row_parameters(settings, lcp.warm_start);
            let mut cone = ConeSettings::from_settings(settings);
            if cone.iterations == 0 {
                cone.iterations = lcp.plain_sweeps.map_or(CONE_ITERATIONS, |(sweeps, _)| sweeps.max(1));
            }
            let stop = (cone.iterations, cone.tolerance);
            Some(stiffened(VelocityLevel::cone(rows, stop, cone_solver(cone), lcp.solver), settings))
        }
        "contact-sweeps" => {
            let parameters = SweepParameters::with_warm_start(settings, lcp.warm_start);
            Some(Box::new(ContactSweeps::new(parameters, lcp.solver)))
        }
        "soft-step" => {
            let parameters =
                SoftStepParameters { warm_start: lcp.warm_start, ..SoftStepParameters::from_settings(settings) };
            Some(Box::new(SoftStep::new(parameters)))
        }
        "xpbd" => Some(Box::new(Xpbd::new(XpbdParameters::from_settings(settings)))),
        "avbd" => {
            let parameters = AvbdParameters { warm_start: lcp.warm_start, ..AvbdParameters::from_settings(settings) };
            Some(Box::new(Avbd::new(parameters)))
        }
        "none" => Some(Box::new(NoConstraints)),
        "position-ncp" => Some(Box::new(PositionNcp::from_settings(settings))),
        "convex-newton" => {
            let parameters = ConvexParameters::from_settings(settings);
            Some(Box::new(VelocityLevel::convex(parameters, lcp.warm_start, lcp.solver)))
        }
        "penalty" => Some(Box::new(Penalty::from_settings(settings))),
        "acceleration-complementarity" => {
            Some(Box::new(AccelerationComplementarity::from_settings(settings, lcp.solver)))
        }
        "acceleration-program" => Some(Box::new(AccelerationProgram::from_settings(settings))),
        _ => None,
    }
}

/// How the rows are made by the settings of `boxed`, `pyramid` or `cone`.
fn row_parameters(s: &Settings, warm_start: bool) -> RowParameters {
    RowParameters { warm_start, ..RowParameters::from_settings(s) }
}

fn stiffened(solver: VelocityLevel, s: &Settings) -> Box<dyn ConstraintSolver> {
    Box::new(solver.with_geometric_stiffness(GeometricStiffness::from_settings(s)))
}

/// The cone solver that the settings name; none for the sweeps.
fn cone_solver(cone: ConeSettings) -> Option<Box<dyn ConeSolver>> {
    let mut solver = cone_solver_by_name(cone.solver.name()).ok()?;
    solver.set("iterations", cone.iterations as f64).ok()?;
    solver.set("tolerance", cone.tolerance).ok()?;
    Some(solver)
}

/// The position corrector that belongs to a constraint solver of that name and settings.
pub fn corrector_by_name(name: &str, s: &Settings, lcp: &dyn LcpSolver) -> Option<Box<dyn PositionCorrector>> {
    let paid = |corrector: Box<dyn PositionCorrector>| -> Box<dyn PositionCorrector> {
        if s.switch("keep_energy") {
            Box::new(EnergyKeeping::new(corrector, s.switch("pay_in_full")))
        } else {
            corrector
        }
    };
    match name {
        "velocity-complementarity" | "boxed" | "pyramid" | "cone" => Some(paid(projection(s, lcp))),
        "contact-sweeps" => {
            let parameters = SweepParameters::with_warm_start(s, false);
            Some(Box::new(PatchCorrection::new(&parameters, lcp)))
        }
        "none" | "penalty" | "convex-newton" | "soft-step" | "xpbd" | "avbd" | "position-ncp" => {
            Some(Box::new(NoCorrection))
        }
        "acceleration-complementarity" | "acceleration-program" => {
            let ProjectionSettings { slop, bilateral, .. } = ProjectionSettings::from_settings(s);
            let parameters = CorrectionParameters { slop, bilateral, ..CorrectionParameters::default() };
            Some(Box::new(Projection::by_sweeps(parameters, CORRECTION_SWEEPS)))
        }
        _ => None,
    }
}

fn projection(s: &Settings, lcp: &dyn LcpSolver) -> Box<dyn PositionCorrector> {
    let rows = RowParameters::from_settings(s);
    let projection = ProjectionSettings::from_settings(s);
    let joints = match rows.stabilization {
        Stabilization::Baumgarte | Stabilization::None => return Box::new(NoCorrection),
        Stabilization::Projection => true,
        Stabilization::Feedback => false,
    };
    let parameters = CorrectionParameters {
        slop: projection.slop,
        bilateral: projection.bilateral,
        joints,
        orthogonal_joints: rows.orthogonal_joints,
        joint_start: rows.joint_start,
        refinements: 0,
    };
    Box::new(match projection.correction_solver {
        CorrectionSolver::Lcp => Projection::by(parameters, lcp.fork()),
        CorrectionSolver::Nonlinear => {
            return Box::new(NonlinearCorrection::new(NonlinearParameters {
                iterations: projection.correction_iterations,
                slop: parameters.slop,
                rate: projection.correction_rate,
                limit: projection.correction_limit,
                joints: parameters.joints,
            }));
        }
        CorrectionSolver::GaussSeidel => Projection::by_sweeps(parameters, projection.correction_iterations),
    })
}
