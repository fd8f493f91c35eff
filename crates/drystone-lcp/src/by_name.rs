//! Makes the listed solvers by name.
use crate::newton::WEIGHT;
use crate::registry::SOR;
use crate::{
    AcceleratedProjectedGradient, Admm, BlockedGaussSeidel, ConeAcceleratedProjectedGradient, ConeAdmm, ConeSolver,
    Dantzig, EliminatedGaussSeidel, Enumeration, Equilibrated, Formulation, InteriorPoint, LcpError, LcpSolver, Lemke,
    Mprgp, NonsmoothConjugateGradient, NonsmoothGaussSeidel, NonsmoothNewton, PathSearchNewton, Permutation,
    PrincipalPivoting, ProjectedGaussSeidel, ProjectedGradient, ProjectedJacobi, SemismoothNewton,
    SparsePrincipalPivoting, Staggering, SubspaceMinimization, Sweep, TwoLevelGaussSeidel, solver_info,
};

/// A solver of (boxed) LCPs by name, with its default parameters.
///
/// # Errors
/// [`LcpError::UnknownSolver`]; [`LcpError::OtherKind`] for the solvers of cones, which come from [`cone_solver_by_name`].
pub fn solver_by_name(name: &str) -> Result<Box<dyn LcpSolver>, LcpError> {
    let newton =
        |formulation| -> Box<dyn LcpSolver> { Box::new(SemismoothNewton { formulation, ..Default::default() }) };
    let sweeps = |sweep| ProjectedGaussSeidel { sweep, ..Default::default() };
    Ok(match name {
        "projected-gauss-seidel" => Box::new(ProjectedGaussSeidel::default()),
        "projected-sor" => Box::new(ProjectedGaussSeidel { omega: SOR, ..Default::default() }),
        "backward-gauss-seidel" => Box::new(sweeps(Sweep::Backward)),
        "symmetric-gauss-seidel" => Box::new(sweeps(Sweep::Symmetric)),
        "random-order-gauss-seidel" => {
            Box::new(ProjectedGaussSeidel { permutation: Permutation::RANDOM, ..Default::default() })
        }
        "error-order-gauss-seidel" => {
            Box::new(ProjectedGaussSeidel { permutation: Permutation::BY_ERROR, ..Default::default() })
        }
        "coloured-gauss-seidel" => {
            Box::new(ProjectedGaussSeidel { permutation: Permutation::COLOURED, ..Default::default() })
        }
        "blocked-gauss-seidel" => Box::new(BlockedGaussSeidel::default()),
        "eliminated-gauss-seidel" => Box::new(EliminatedGaussSeidel::default()),
        "subspace-minimization" => Box::new(SubspaceMinimization::default()),
        "two-level-gauss-seidel" => Box::new(TwoLevelGaussSeidel::default()),
        "dantzig" => direct(Dantzig::default()),
        "projected-jacobi" => Box::new(ProjectedJacobi::default()),
        "nonsmooth-conjugate-gradient" => Box::new(NonsmoothConjugateGradient::default()),
        "mprgp" => Box::new(Mprgp::default()),
        "projected-gradient" => Box::new(ProjectedGradient::default()),
        "accelerated-projected-gradient" => Box::new(AcceleratedProjectedGradient::default()),
        "admm" => Box::new(Admm::default()),
        "lemke" => direct(Lemke::default()),
        "block-principal-pivoting" => direct(PrincipalPivoting::default()),
        "murty-least-index" => direct(PrincipalPivoting { least_index: true, ..Default::default() }),
        "sparse-principal-pivoting" => direct(SparsePrincipalPivoting::default()),
        "enumeration" => Box::new(Enumeration::default()),
        "newton-minimum-map" => newton(Formulation::MinimumMap),
        "newton-fischer-burmeister" => newton(Formulation::FischerBurmeister),
        "newton-penalized-fischer-burmeister" => {
            newton(Formulation::PenalizedFischerBurmeister { weight: WEIGHT.default })
        }
        "newton-normal-map" => newton(Formulation::NormalMap),
        "path-search-newton" => direct(PathSearchNewton::default()),
        "interior-point" => direct(InteriorPoint::default()),
        _ => return Err(not_here(name, "boxed problems", "cone_solver_by_name")),
    })
}

/// A direct solver whose answers do not depend on how light bodies are.
fn direct(solver: impl LcpSolver + 'static) -> Box<dyn LcpSolver> {
    Box::new(Equilibrated::new(Box::new(solver)))
}

/// The error for a name that a maker does not know.
fn not_here(name: &str, asked: &'static str, maker: &'static str) -> LcpError {
    match solver_info(name) {
        Some(_) => LcpError::OtherKind { name: name.into(), asked, maker },
        None => LcpError::UnknownSolver { name: name.into() },
    }
}

/// A solver of frictional-contact problems with cones by name, with its default parameters.
///
/// # Errors
/// [`LcpError::UnknownSolver`]; [`LcpError::OtherKind`] for the solvers of boxed problems.
pub fn cone_solver_by_name(name: &str) -> Result<Box<dyn ConeSolver>, LcpError> {
    Ok(match name {
        "nonsmooth-gauss-seidel" => Box::new(NonsmoothGaussSeidel::default()),
        "cone-admm" => Box::new(ConeAdmm::default()),
        "cone-accelerated-projected-gradient" => Box::new(ConeAcceleratedProjectedGradient::default()),
        "staggering" => Box::new(Staggering::default()),
        "nonsmooth-newton" => Box::new(NonsmoothNewton::default()),
        "proximal-nonsmooth-newton" => Box::new(NonsmoothNewton { proximal: true, ..Default::default() }),
        _ => return Err(not_here(name, "problems with cones", "solver_by_name")),
    })
}
