//! Complementarity problems and their solvers, with honest residuals and no physics inside.
//!
//! The boxed linear complementarity problem (boxed LCP): given a square operator A, a vector b and bounds lo <= hi, find x with
//!
//! ```text
//! w = A x + b,   lo <= x <= hi,   x_i = lo_i => w_i >= 0,   x_i = hi_i => w_i <= 0,   lo_i < x_i < hi_i => w_i = 0.
//! ```
//!
//! Rows may have *dependent bounds*: if `dependency[i] = j`, the bounds of row i are -+ mu_i max(0, x_j), which gives the
//! friction pyramid of multibody dynamics; two rows with the same j may be *partners* and share the disc in that box, which
//! gives the friction cone. With lo = 0 and hi = infinity it is the standard LCP. One sign convention holds throughout the
//! crate: **w = A x + b**. All of x has the same unit within a problem; the crate never mixes impulses and forces, because it
//! knows neither.
//!
//! * [`LcpOperator`] hides how A is stored: [`DenseOperator`], [`SparseOperator`], [`FactoredOperator`] (J W J^T + diag(cfm)) or your own.
//! * [`BoxedProblem`] owns a problem, [`ProblemView`] borrows one.
//! * [`LcpSolver`] is what each solver implements; x is the start value on entry and the answer on return.
//! * [`LcpReport`] says how it ended. The residual in it is recomputed from x by [`natural_residual`] for every solver.
// Index loops over several arrays at once read as the equations do.
#![allow(clippy::needless_range_loop)]

mod acceleration;
mod anderson;
mod block_direct;
mod bounds;
mod budget;
mod buffers;
mod by_name;
mod cone;
mod conjugate;
mod convention;
mod decomposition;
mod dense_direct;
mod disc;
mod equilibrated;
mod error;
mod generator;
mod gradient;
mod interior_point;
mod linear;
mod methods;
mod newton;
mod operator;
mod parameter_range;
mod parameters;
mod path_search;
mod pivoting;
mod polyhedral;
mod problem;
mod programming;
mod random;
mod rate;
mod reduction;
mod registry;
mod report;
mod residual;
mod solver;
mod sparse_direct;
mod splitting;
mod step_test;
mod suite;
mod vectors;

pub use acceleration::subspace::SubspaceMinimization;
pub use acceleration::two_level::TwoLevelGaussSeidel;
pub use budget::{Budget, Share};
pub use buffers::Kept;
pub use by_name::{cone_solver_by_name, solver_by_name};
pub use cone::accelerated::ConeAcceleratedProjectedGradient;
pub use cone::admm::ConeAdmm;
pub use cone::gauss_seidel::NonsmoothGaussSeidel;
pub use cone::local::solve_contact;
pub use cone::newton::NonsmoothNewton;
pub use cone::problem::{ConeProblem, cone_residual, cone_violation};
pub use cone::projection::project_on_cone;
pub use cone::solver::{ConeSettings, ConeSolver};
pub use cone::staggering::Staggering;
pub use convention::negate_b;
pub use decomposition::Decomposition;
pub use disc::minimum::minimum_on_disc;
pub use disc::passes::DiscPasses;
pub use equilibrated::Equilibrated;
pub use error::LcpError;
pub use generator::{MatrixFamily, ProblemGenerator, chain_problem, cone_problem, stack_problem};
pub use gradient::accelerated::AcceleratedProjectedGradient;
pub use gradient::admm::Admm;
pub use gradient::barzilai_borwein::ProjectedGradient;
pub use gradient::mprgp::Mprgp;
pub use gradient::nonsmooth::NonsmoothConjugateGradient;
pub use interior_point::InteriorPoint;
pub use linear::RankRevealingFactors;
pub use newton::{Formulation, InnerSolve, SemismoothNewton};
pub use operator::dense::DenseOperator;
pub use operator::factored::FactoredOperator;
pub use operator::factored_row::{FactoredRow, NO_BODY};
pub use operator::sparse::SparseOperator;
pub use operator::{Colours, LcpOperator, Operator, OperatorRef};
pub use parameter_range::ParameterRange;
pub use parameters::ParameterInfo;
pub use path_search::PathSearchNewton;
pub use pivoting::dantzig::Dantzig;
pub use pivoting::enumeration::Enumeration;
pub use pivoting::lemke::Lemke;
pub use pivoting::principal::{PrincipalPivoting, Side};
pub use pivoting::sparse::{SparsePrincipalPivoting, SparseWorkspace};
pub use polyhedral::{ContactState, PolyhedralCone, friction_directions};
pub use problem::{BoxedProblem, NO_DEPENDENCY, NO_PARTNER, ProblemView};
pub use programming::quadratic::QuadraticProgram;
pub use programming::simplex::{Simplex, SimplexWorkspace};
pub use programming::{LinearProgram, ProgramReport, ProgramStatus, Relation};
pub use random::SplitMix64;
pub use rate::{ConvergenceRate, power_law_exponent, slowest_first};
pub use registry::{ProblemKind, SOLVERS, SolverInfo, solver_info};
pub use report::{LcpReport, LcpStatus, Measure};
pub use residual::{
    ResidualWorkspace, complementarity_gap, fischer_burmeister_residual, is_rounding, natural_residual, rate_residual,
    rate_residual_at,
};
pub use solver::{LcpSolver, Matrix, PlainSweeps, SolverMemory, check_start, quarantine};
pub use splitting::alternation::alternates;
pub use splitting::blocked::BlockedGaussSeidel;
pub use splitting::eliminated::{EliminatedGaussSeidel, EliminationWorkspace};
pub use splitting::in_turn::SweepsInTurn;
pub use splitting::jacobi::ProjectedJacobi;
pub use splitting::permutation::Permutation;
pub use splitting::projected_gauss_seidel::{ProjectedGaussSeidel, Sweep};
pub use step_test::StepTest;
pub use suite::check_lcp_solver;

/// The README's Rust blocks, compiled as they stand.
#[doc = include_str!("../README.md")]
#[cfg(doctest)]
pub struct ReadmeDoctests;
