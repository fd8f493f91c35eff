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
use drystone_lcp::{ConeSolver, LcpSolver, ProjectedGaussSeidel, cone_solver_by_name};

/// A constraint solver of this crate: its description, and how to build the solver and its corrector from settings checked against that description.
struct Entry {
    described: Implementation,
    solver: fn(&Settings, Complementarity) -> Option<Box<dyn ConstraintSolver>>,
    corrector: fn(&Settings, &dyn LcpSolver) -> Box<dyn PositionCorrector>,
}

const ENTRIES: [Entry; 14] = [
    Entry { described: descriptions::VELOCITY_COMPLEMENTARITY, solver: meant, corrector: paid_projection },
    Entry { described: descriptions::BOXED, solver: boxed, corrector: paid_projection },
    Entry { described: descriptions::PYRAMID, solver: pyramid, corrector: paid_projection },
    Entry { described: descriptions::CONE, solver: cone, corrector: paid_projection },
    Entry {
        described: SWEEPS_DESCRIPTION,
        solver: |s, lcp| some(ContactSweeps::new(SweepParameters::with_warm_start(s, lcp.warm_start), lcp.solver)),
        corrector: |s, lcp| Box::new(PatchCorrection::new(&SweepParameters::with_warm_start(s, false), lcp)),
    },
    Entry {
        described: SOFT_STEP_DESCRIPTION,
        solver: |s, Complementarity { warm_start, .. }| {
            some(SoftStep::new(SoftStepParameters { warm_start, ..SoftStepParameters::from_settings(s) }))
        },
        corrector: no_correction,
    },
    Entry {
        described: XPBD_DESCRIPTION,
        solver: |s, _| some(Xpbd::new(XpbdParameters::from_settings(s))),
        corrector: no_correction,
    },
    Entry {
        described: AVBD_DESCRIPTION,
        solver: |s, Complementarity { warm_start, .. }| {
            some(Avbd::new(AvbdParameters { warm_start, ..AvbdParameters::from_settings(s) }))
        },
        corrector: no_correction,
    },
    Entry { described: none::DESCRIPTION, solver: |_, _| some(NoConstraints), corrector: no_correction },
    Entry { described: penalty::DESCRIPTION, solver: |s, _| some(Penalty::from_settings(s)), corrector: no_correction },
    Entry {
        described: convex::DESCRIPTION,
        solver: |s, lcp| some(VelocityLevel::convex(ConvexParameters::from_settings(s), lcp.warm_start, lcp.solver)),
        corrector: no_correction,
    },
    Entry {
        described: position::DESCRIPTION,
        solver: |s, _| some(PositionNcp::from_settings(s)),
        corrector: no_correction,
    },
    Entry {
        described: COMPLEMENTARITY,
        solver: |s, lcp| some(AccelerationComplementarity::from_settings(s, lcp.solver)),
        corrector: projection_by_sweeps,
    },
    Entry {
        described: PROGRAM,
        solver: |s, _| some(AccelerationProgram::from_settings(s)),
        corrector: projection_by_sweeps,
    },
];

/// The constraint solvers of this crate.
pub const IMPLEMENTATIONS: &[Implementation] = {
    const ALL: [Implementation; ENTRIES.len()] = {
        let mut all = [none::DESCRIPTION; ENTRIES.len()];
        let mut i = 0;
        while i < all.len() {
            all[i] = ENTRIES[i].described;
            i += 1;
        }
        all
    };
    &ALL
};

/// Sweeps of the correction for constraint solvers that have no setting for them.
const CORRECTION_SWEEPS: usize = 20;

/// The complementarity solver behind a constraint solver, as the `lcp` table of a scene configures it.
pub struct Complementarity {
    /// The solver.
    pub solver: Box<dyn LcpSolver>,
    /// True if a solve starts from the multipliers of the last one.
    pub warm_start: bool,
}

impl Default for Complementarity {
    /// Ten sweeps of Gauss-Seidel, which start from the multipliers of the last solve.
    fn default() -> Self {
        Self { solver: Box::new(ProjectedGaussSeidel::default()), warm_start: true }
    }
}

/// Iterations of the cone solver if neither it nor the complementarity solver has a number of its own.
const CONE_ITERATIONS: usize = 100;

/// The constraint solver of a name, with settings made for its description, over the default [`Complementarity`]; `None` where there is none of that name.
pub fn by_name(name: &str, settings: &Settings) -> Option<Box<dyn ConstraintSolver>> {
    by_name_over(name, settings, Complementarity::default())
}

/// [`by_name`] over a complementarity solver, which solvers that pose no complementarity problem leave unused.
pub fn by_name_over(name: &str, settings: &Settings, lcp: Complementarity) -> Option<Box<dyn ConstraintSolver>> {
    let entry = ENTRIES.iter().find(|entry| entry.described.name == name)?;
    (entry.solver)(settings, lcp)
}

/// The position corrector that belongs to the constraint solver of this name and these settings; `None` if there is no such solver.
pub fn corrector_by_name(name: &str, s: &Settings, lcp: &dyn LcpSolver) -> Option<Box<dyn PositionCorrector>> {
    let entry = ENTRIES.iter().find(|entry| entry.described.name == name)?;
    Some((entry.corrector)(s, lcp))
}

#[allow(clippy::unnecessary_wraps, reason = "what a table of solvers has, of which one may not be known")]
fn some(solver: impl ConstraintSolver + 'static) -> Option<Box<dyn ConstraintSolver>> {
    Some(Box::new(solver))
}

/// One of the three solvers that the old name stands for.
fn meant(settings: &Settings, lcp: Complementarity) -> Option<Box<dyn ConstraintSolver>> {
    let (solver, settings) = descriptions::meant(settings);
    by_name_over(solver.name, &settings, lcp)
}

fn boxed(settings: &Settings, lcp: Complementarity) -> Option<Box<dyn ConstraintSolver>> {
    let rows = row_parameters(settings, lcp.warm_start);
    let plain_sweeps = lcp.solver.plain_sweeps();
    some(stiffened(VelocityLevel::boxed(rows, lcp.solver, plain_sweeps), settings))
}

fn pyramid(settings: &Settings, lcp: Complementarity) -> Option<Box<dyn ConstraintSolver>> {
    let rows = row_parameters(settings, lcp.warm_start);
    let facets = 2 * PyramidSettings::from_settings(settings).facets.div_ceil(2);
    some(stiffened(VelocityLevel::pyramid(rows, facets, lcp.solver), settings))
}

fn cone(settings: &Settings, lcp: Complementarity) -> Option<Box<dyn ConstraintSolver>> {
    let rows = row_parameters(settings, lcp.warm_start);
    let mut cone = ConeSettings::from_settings(settings);
    if cone.iterations == 0 {
        cone.iterations = lcp.solver.plain_sweeps().map_or(CONE_ITERATIONS, |sweeps| sweeps.iterations.max(1));
    }
    let stop = (cone.iterations, cone.tolerance);
    some(stiffened(VelocityLevel::cone(rows, stop, cone_solver(cone), lcp.solver), settings))
}

/// Row parameters from the settings of `boxed`, `pyramid` or `cone`.
fn row_parameters(s: &Settings, warm_start: bool) -> RowParameters {
    RowParameters { warm_start, ..RowParameters::from_settings(s) }
}

fn stiffened(solver: VelocityLevel, s: &Settings) -> impl ConstraintSolver + 'static {
    solver.with_geometric_stiffness(GeometricStiffness::from_settings(s))
}

/// The cone solver that the settings name; `None` for the sweeps.
fn cone_solver(cone: ConeSettings) -> Option<Box<dyn ConeSolver>> {
    let mut solver = cone_solver_by_name(cone.solver.name()).ok()?;
    solver.set("iterations", cone.iterations as f64).ok()?;
    solver.set("tolerance", cone.tolerance).ok()?;
    Some(solver)
}

fn no_correction(_: &Settings, _: &dyn LcpSolver) -> Box<dyn PositionCorrector> {
    Box::new(NoCorrection)
}

fn projection_by_sweeps(s: &Settings, _: &dyn LcpSolver) -> Box<dyn PositionCorrector> {
    let ProjectionSettings { slop, bilateral, .. } = ProjectionSettings::from_settings(s);
    let parameters = CorrectionParameters { slop, bilateral, ..CorrectionParameters::default() };
    Box::new(Projection::by_sweeps(parameters, CORRECTION_SWEEPS))
}

/// Projection, whose energy is taken out of the motion if the settings say so.
fn paid_projection(s: &Settings, lcp: &dyn LcpSolver) -> Box<dyn PositionCorrector> {
    let ProjectionSettings { keep_energy, pay_in_full, .. } = ProjectionSettings::from_settings(s);
    let corrector = projection(s, lcp);
    if keep_energy { Box::new(EnergyKeeping::new(corrector, pay_in_full)) } else { corrector }
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
