use crate::{
    ContactSweeps, ConvexParameters, CorrectionParameters, GeometricStiffness, NoConstraints, NoCorrection,
    PatchCorrection, Penalty, Projection, RowParameters, SWEEPS_DESCRIPTION, Stabilization, SweepParameters,
    VelocityLevel, convex, none, parameters, penalty,
};
use drystone_core::catalogue::{Implementation, Settings};
use drystone_core::{ConstraintSolver, PositionCorrector};
use drystone_lcp::{ConeSolver, LcpSolver, cone_solver_by_name};

/// The constraint solvers of this crate.
pub const IMPLEMENTATIONS: &[Implementation] =
    &[parameters::DESCRIPTION, SWEEPS_DESCRIPTION, none::DESCRIPTION, penalty::DESCRIPTION, convex::DESCRIPTION];

/// The complementarity solver behind a constraint solver: what stands in a scene's `lcp` table.
pub struct Complementarity {
    /// The solver.
    pub solver: Box<dyn LcpSolver>,
    /// Whether the multipliers of the last solve are its start value.
    pub warm_start: bool,
    /// Where the solver is plain projected Gauss-Seidel: its sweeps, and whether the residual is measured.
    pub plain_sweeps: Option<(usize, bool)>,
}

/// The constraint solver of that name, with checked settings of its description. Those that pose no complementarity problem leave `lcp` unused.
pub fn by_name(name: &str, settings: &Settings, lcp: Complementarity) -> Option<Box<dyn ConstraintSolver>> {
    match name {
        "velocity-complementarity" => Some(Box::new(velocity_level(settings, lcp))),
        "contact-sweeps" => {
            let parameters = SweepParameters::from_settings(settings, lcp.warm_start);
            Some(Box::new(ContactSweeps::new(parameters, lcp.solver)))
        }
        "none" => Some(Box::new(NoConstraints)),
        "convex-newton" => {
            let parameters = ConvexParameters::from_settings(settings);
            Some(Box::new(VelocityLevel::convex(parameters, lcp.warm_start, lcp.solver)))
        }
        "penalty" => Some(Box::new(Penalty::from_settings(settings))),
        _ => None,
    }
}

fn velocity_level(s: &Settings, lcp: Complementarity) -> VelocityLevel {
    let parameters = RowParameters::from_settings(s, lcp.warm_start);
    let made = match s.text("friction") {
        "pyramid" => VelocityLevel::pyramid(parameters, 2 * (s.integer("facets") as usize).div_ceil(2), lcp.solver),
        "cone" => {
            let stop = (s.integer("cone_iterations") as usize, s.real("cone_tolerance"));
            VelocityLevel::cone(parameters, stop, cone_solver(s), lcp.solver)
        }
        _ => VelocityLevel::boxed(parameters, lcp.solver, lcp.plain_sweeps),
    };
    made.with_geometric_stiffness(GeometricStiffness {
        factor: s.real("geometric_stiffness"),
        damping: s.real("geometric_damping"),
    })
}

/// The cone solver that the settings name; none for the sweeps.
fn cone_solver(s: &Settings) -> Option<Box<dyn ConeSolver>> {
    let mut solver = cone_solver_by_name(s.text("cone_solver")).ok()?;
    solver.set("iterations", s.integer("cone_iterations") as f64).ok()?;
    solver.set("tolerance", s.real("cone_tolerance")).ok()?;
    Some(solver)
}

/// The position corrector that belongs to a constraint solver of that name and settings.
pub fn corrector_by_name(name: &str, s: &Settings, lcp: &dyn LcpSolver) -> Option<Box<dyn PositionCorrector>> {
    match name {
        "velocity-complementarity" => Some(projection(s, lcp)),
        "contact-sweeps" => {
            let parameters = SweepParameters::from_settings(s, false);
            Some(Box::new(PatchCorrection::new(&parameters, lcp)))
        }
        "none" | "penalty" | "convex-newton" => Some(Box::new(NoCorrection)),
        _ => None,
    }
}

fn projection(s: &Settings, lcp: &dyn LcpSolver) -> Box<dyn PositionCorrector> {
    let stabilization = RowParameters::from_settings(s, false).stabilization;
    if matches!(stabilization, Stabilization::Baumgarte | Stabilization::None) {
        return Box::new(NoCorrection);
    }
    let parameters = CorrectionParameters {
        slop: s.real("slop"),
        joints: stabilization == Stabilization::Projection,
        orthogonal_joints: s.switch("orthogonal_joints"),
        joint_start: s.switch("joint_start"),
    };
    Box::new(match s.text("correction_solver") {
        "lcp" => Projection::by(parameters, lcp.fork()),
        _ => Projection::by_sweeps(parameters, s.integer("correction_iterations") as usize),
    })
}
