//! Every solver by name, with what a user needs to know to choose one.

use crate::newton::WEIGHT;
use crate::parameters::{ParameterInfo, joined, with_default};
use crate::{
    AcceleratedProjectedGradient, Admm, BlockedGaussSeidel, ConeAdmm, ConeSettings, Dantzig, EliminatedGaussSeidel,
    Enumeration, InteriorPoint, Lemke, Mprgp, NonsmoothConjugateGradient, NonsmoothNewton, PathSearchNewton,
    Permutation, PrincipalPivoting, ProjectedGaussSeidel, ProjectedGradient, ProjectedJacobi, SemismoothNewton,
    SparsePrincipalPivoting, SubspaceMinimization, TwoLevelGaussSeidel,
};

/// Kind of problem that a solver takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProblemKind {
    /// lo = 0, hi = infinity.
    Lcp,
    /// Any bounds, constant or dependent.
    Boxed,
    /// Second-order cones.
    Friction,
}

impl ProblemKind {
    /// The name in files and on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Lcp => "lcp",
            Self::Boxed => "boxed",
            Self::Friction => "friction",
        }
    }
}

/// A solver's listing.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SolverInfo {
    /// Its name.
    pub name: &'static str,
    /// The kinds of problem it takes.
    pub kinds: &'static [ProblemKind],
    /// Its parameters.
    pub parameters: &'static [ParameterInfo],
    /// The equation or idea, in one line.
    pub method: &'static str,
    /// Source: paper or origin of the method.
    pub source: &'static str,
    /// Cost of an iteration.
    pub cost: &'static str,
    /// When it fails.
    pub fails: &'static str,
}

/// The relaxation of the over-relaxed solver.
pub(crate) const SOR: f64 = 1.3;

const SPLITTING: &[ParameterInfo] = ProjectedGaussSeidel::PARAMETERS;
const OVER_RELAXED: &[ParameterInfo] = &with_default::<{ SPLITTING.len() }>(SPLITTING, "omega", SOR);
const BACKWARD: &[ParameterInfo] = &with_default::<{ SPLITTING.len() }>(SPLITTING, "sweep", 1.0);
const SYMMETRIC: &[ParameterInfo] = &with_default::<{ SPLITTING.len() }>(SPLITTING, "sweep", 2.0);
const ERROR_ORDER: &[ParameterInfo] = &with_default::<{ SPLITTING.len() }>(SPLITTING, "order_by_error", 1.0);
const COLOURED: &[ParameterInfo] = &with_default::<{ SPLITTING.len() }>(SPLITTING, "order_by_colour", 1.0);
const RANDOM_ORDER: &[ParameterInfo] =
    &with_default::<{ SPLITTING.len() }>(SPLITTING, "permute_every", Permutation::RANDOM.every as f64);
const PENALIZED: &[ParameterInfo] =
    &joined::<{ SemismoothNewton::PARAMETERS.len() + 1 }>(&[SemismoothNewton::PARAMETERS, &[WEIGHT]]);
const NEWTON_CONE: &[ParameterInfo] = &with_default::<{ NonsmoothNewton::PARAMETERS.len() }>(
    NonsmoothNewton::PARAMETERS,
    "iterations",
    crate::cone::newton::STEPS as f64,
);

const LCP_AND_BOXED: &[ProblemKind] = &[ProblemKind::Lcp, ProblemKind::Boxed];
const CONES: &[ProblemKind] = &[ProblemKind::Friction];
const fn splitting(name: &'static str, method: &'static str, source: &'static str, fails: &'static str) -> SolverInfo {
    SolverInfo {
        name,
        kinds: LCP_AND_BOXED,
        parameters: SPLITTING,
        method,
        source,
        cost: "n row updates per sweep",
        fails,
    }
}

/// All solvers of boxed problems and of cones, in the order in which they are documented.
pub const SOLVERS: &[SolverInfo] = &[
    splitting(
        "projected-gauss-seidel",
        "x_i <- clamp(x_i - w_i / A_ii), newest values",
        "Erleben 2005, Figures 6.5 to 6.10",
        "linear convergence, slow for large mass ratios and tall stacks; needs A_ii > 0",
    ),
    SolverInfo {
        parameters: OVER_RELAXED,
        ..splitting(
            "projected-sor",
            "as Gauss-Seidel with omega = 1.3",
            "Erleben 2005, Figure 6.5",
            "may gain energy; diverges for omega >= 2",
        )
    },
    SolverInfo {
        parameters: BACKWARD,
        ..splitting(
            "backward-gauss-seidel",
            "Gauss-Seidel from the last row to the first",
            "Erleben 2005, Theorem 6.1.10 with K upper",
            "as Gauss-Seidel; dependent bounds lag by a sweep",
        )
    },
    SolverInfo {
        parameters: SYMMETRIC,
        ..splitting(
            "symmetric-gauss-seidel",
            "a forward and a backward sweep",
            "Erleben 2005, Theorem 6.1.10",
            "as Gauss-Seidel at twice the cost",
        )
    },
    SolverInfo {
        parameters: RANDOM_ORDER,
        ..splitting(
            "random-order-gauss-seidel",
            "a new random order every seventh sweep",
            "Erleben 2005, section 6.1.4 (ODE)",
            "as Gauss-Seidel; not monotone from sweep to sweep",
        )
    },
    SolverInfo {
        parameters: ERROR_ORDER,
        ..splitting(
            "error-order-gauss-seidel",
            "rows visited by decreasing change in the last sweep",
            "Erleben 2005, Figure 6.8",
            "as Gauss-Seidel; sorting costs n log n per sweep",
        )
    },
    SolverInfo {
        name: "coloured-gauss-seidel",
        kinds: LCP_AND_BOXED,
        parameters: COLOURED,
        method: "rows visited by colour, none coupled to another of its colour (red-black ordering)",
        source: "Saad 2003, ch. 4; Erleben 2005, section 6.1.4",
        cost: "n row updates per sweep, parallel within a colour",
        fails: "as Gauss-Seidel",
    },
    SolverInfo {
        name: "blocked-gauss-seidel",
        kinds: LCP_AND_BOXED,
        parameters: BlockedGaussSeidel::PARAMETERS,
        method: "a contact's rows solved together, contact by contact",
        source: "Erleben 2005, section 4.16.2",
        cost: "n row products per sweep, plus inner sweeps on the blocks",
        fails: "as Gauss-Seidel between contacts",
    },
    SolverInfo {
        name: "eliminated-gauss-seidel",
        kinds: LCP_AND_BOXED,
        parameters: EliminatedGaussSeidel::PARAMETERS,
        method: "rows without bounds are eliminated exactly, the others swept on the reduced problem along conjugate directions; pivoting if the error stays large",
        source: "Baraff 1996, section 7; Silcowitz-Hansen, Niebles, Erleben 2010",
        cost: "a sparse factorisation; for up to 256 bounded rows a solve per row and sweeps over a dense matrix, sometimes pivoting; beyond that a solve per sweep",
        fails: "as Gauss-Seidel between contacts if pivoting cycles; slow between contacts and joints if more than 256 rows are bounded",
    },
    SolverInfo {
        name: "projected-jacobi",
        kinds: LCP_AND_BOXED,
        parameters: ProjectedJacobi::PARAMETERS,
        method: "x_i <- clamp(x_i - omega w_i / A_ii), old values",
        source: "Erleben 2005, equations (6.5) to (6.12)",
        cost: "n row products",
        fails: "slowest of all; unsymmetric A",
    },
    SolverInfo {
        name: "nonsmooth-conjugate-gradient",
        kinds: LCP_AND_BOXED,
        parameters: NonsmoothConjugateGradient::PARAMETERS,
        method: "Fletcher-Reeves directions from the changes of Gauss-Seidel sweeps, restarted when they grow",
        source: "Silcowitz-Hansen, Niebles, Erleben 2010",
        cost: "one and a half sweeps",
        fails: "not monotone; needs A_ii > 0",
    },
    SolverInfo {
        name: "subspace-minimization",
        kinds: LCP_AND_BOXED,
        parameters: SubspaceMinimization::PARAMETERS,
        method: "five sweeps, then a direct solve on the free rows",
        source: "Silcowitz, Niebles, Erleben 2010",
        cost: "five sweeps and up to three dense factorisations of the free block",
        fails: "if sweeps do not settle the free set",
    },
    SolverInfo {
        name: "two-level-gauss-seidel",
        kinds: LCP_AND_BOXED,
        parameters: TwoLevelGaussSeidel::PARAMETERS,
        method: "three sweeps, then a coarse solve along the slowest mode cut into aggregates",
        source: "Vanek, Mandel, Brezina 1996; on a problem left open in Erleben 2005, section 6.1.7",
        cost: "three sweeps, n^2, and a dense solve of 2 n / aggregate unknowns",
        fails: "unsymmetric A; no better than sweeps as long as the free set keeps changing",
    },
    SolverInfo {
        name: "mprgp",
        kinds: LCP_AND_BOXED,
        parameters: Mprgp::PARAMETERS,
        method: "conjugate gradients on the free rows, expansion and proportioning steps",
        source: "Dostal 2009, ch. 5",
        cost: "one or two products with A",
        fails: "A not symmetric positive semidefinite",
    },
    SolverInfo {
        name: "projected-gradient",
        kinds: LCP_AND_BOXED,
        parameters: ProjectedGradient::PARAMETERS,
        method: "x <- P(x - alpha D^-1 w), alpha after Barzilai and Borwein",
        source: "Dai, Fletcher 2005",
        cost: "three passes over the rows",
        fails: "unsymmetric A; far from monotone",
    },
    SolverInfo {
        name: "accelerated-projected-gradient",
        kinds: LCP_AND_BOXED,
        parameters: AcceleratedProjectedGradient::PARAMETERS,
        method: "Nesterov's momentum on x <- P(y - D^-1 w / L), with restarts",
        source: "Mazhar et al. 2015",
        cost: "two products with A and the residual",
        fails: "unsymmetric A",
    },
    SolverInfo {
        name: "admm",
        kinds: LCP_AND_BOXED,
        parameters: Admm::PARAMETERS,
        method: "x by a linear system, z = P(x + y), y <- y + x - z",
        source: "Boyd et al. 2011; Stellato et al. 2020",
        cost: "a dense LU initially and when rho changes, 2 n^2 per iteration",
        fails: "unsymmetric indefinite A",
    },
    SolverInfo {
        name: "lemke",
        kinds: LCP_AND_BOXED,
        parameters: Lemke::PARAMETERS,
        method: "complementary pivoting with covering vector 1 and lexicographic ties",
        source: "Cottle, Pang, Stone 4.4",
        cost: "2 N^2 per pivot on a dense tableau",
        fails: "ends on a ray outside its matrix classes; 2^N pivots at worst",
    },
    SolverInfo {
        name: "dantzig",
        kinds: LCP_AND_BOXED,
        parameters: Dantzig::PARAMETERS,
        method: "rows added one at a time, each driven to w = 0 or a bound, after a guess of the clamped set",
        source: "Baraff 1994",
        cost: "one or a few Cholesky factorisations, then k^2 per pivot for k clamped rows, less in blocks",
        fails: "A not positive semidefinite; boxes that exclude zero are refused",
    },
    SolverInfo {
        name: "block-principal-pivoting",
        kinds: LCP_AND_BOXED,
        parameters: PrincipalPivoting::PARAMETERS,
        method: "solve a partition, exchange all rows that violate it",
        source: "Judice, Pires 1994; Baraff 1995, equations (8)-(10)",
        cost: "a dense factorisation of the free rows per step",
        fails: "may cycle if A is not a P-matrix, or if bounds depend on rows that may be negative",
    },
    SolverInfo {
        name: "murty-least-index",
        kinds: LCP_AND_BOXED,
        parameters: PrincipalPivoting::PARAMETERS,
        method: "solve a partition, exchange the first row that violates it",
        source: "Murty 1988, ch. 4",
        cost: "a dense factorisation of the free rows per step",
        fails: "may cycle if A is not a P-matrix; 2^n steps at worst",
    },
    SolverInfo {
        name: "sparse-principal-pivoting",
        kinds: LCP_AND_BOXED,
        parameters: SparsePrincipalPivoting::PARAMETERS,
        method: "solve a partition by a sparse L D U in minimum-degree order, exchange all rows that violate it",
        source: "Judice, Pires 1994; Davis 2006; Baraff 1996; Baraff 1995, equations (8)-(10)",
        cost: "a sparse factorisation per step: O(n) for chains and trees",
        fails: "may cycle with friction, and if bounds depend on rows that may be negative; large piles and rows that all share a body fill in and hit the work limit; a dense A goes to block-principal-pivoting first",
    },
    SolverInfo {
        name: "enumeration",
        kinds: LCP_AND_BOXED,
        parameters: Enumeration::PARAMETERS,
        method: "tries every partition",
        source: "Baraff 1989, section 6",
        cost: "a dense factorisation per partition, 2^n of them",
        fails: "more than 16 rows are refused; singular partitions are tried only at the start value",
    },
    SolverInfo {
        name: "newton-minimum-map",
        kinds: LCP_AND_BOXED,
        parameters: SemismoothNewton::PARAMETERS,
        method: "x - clamp(x - w / A_ii) = 0 by damped semismooth Newton",
        source: "Erleben 2013",
        cost: "a dense LU per step, or products with A",
        fails: "local minima of the merit function; degenerate games",
    },
    SolverInfo {
        name: "newton-fischer-burmeister",
        kinds: LCP_AND_BOXED,
        parameters: SemismoothNewton::PARAMETERS,
        method: "phi(x - lo, phi(hi - x, -w)) = 0 by damped semismooth Newton",
        source: "Lennerz, Schömer and Warken 1999, equations (6) and (7)",
        cost: "a dense LU per step, or products with A",
        fails: "local minima of the merit function; degenerate games",
    },
    SolverInfo {
        name: "newton-penalized-fischer-burmeister",
        kinds: LCP_AND_BOXED,
        parameters: PENALIZED,
        method: "weight phi(a, b) - (1 - weight) a+ b+ = 0 by damped semismooth Newton",
        source: "Chen, Chen, Kanzow 2000",
        cost: "a dense LU per step, or products with A",
        fails: "as Fischer-Burmeister, less often",
    },
    SolverInfo {
        name: "newton-normal-map",
        kinds: LCP_AND_BOXED,
        parameters: SemismoothNewton::PARAMETERS,
        method: "A clamp(y) + b + (y - clamp(y)) A_ii = 0 by damped semismooth Newton",
        source: "Robinson 1992", // F-32
        cost: "a dense LU per step, or products with A",
        fails: "local minima of the merit function; degenerate games",
    },
    SolverInfo {
        name: "path-search-newton",
        kinds: LCP_AND_BOXED,
        parameters: PathSearchNewton::PARAMETERS,
        method: "follows the normal map's Newton path piece by piece to a zero; proximal and non-monotone if it falls short",
        source: "Ralph 1994; Dirkse, Ferris 1995: stands in for PATH", // F-32
        cost: "2 N^2 per piece, dense; N counts two-sided rows twice",
        fails: "as Lemke, but less often, if paths end on rays (bimatrix games); slow for thousands of rows",
    },
    SolverInfo {
        name: "interior-point",
        kinds: LCP_AND_BOXED,
        parameters: InteriorPoint::PARAMETERS,
        method: "Mehrotra's predictor-corrector on v = M z + q",
        source: "Wright 1997",
        cost: "two dense LU factorisations per step",
        fails: "M far from monotone; ends near 1e-8 in degenerate problems",
    },
    SolverInfo {
        name: "nonsmooth-gauss-seidel",
        kinds: CONES,
        parameters: ConeSettings::PARAMETERS,
        method: "contact by contact, each solved exactly for its cone",
        source: "Jean, Moreau 1992",
        cost: "3 row products and a scalar search per contact",
        fails: "slow in stacks; may cycle on single bodies with many contacts",
    },
    SolverInfo {
        name: "nonsmooth-newton",
        kinds: CONES,
        parameters: NEWTON_CONE,
        method: "Alart-Curnier equations by damped semismooth Newton, M regularised by |F| in the Jacobian",
        source: "Alart, Curnier 1991",
        cost: "a dense LU per step",
        fails: "local minima of the merit function",
    },
    SolverInfo {
        name: "proximal-nonsmooth-newton",
        kinds: CONES,
        parameters: NEWTON_CONE,
        method: "nonsmooth-newton within proximal steps on M + alpha I",
        source: "Acary, Bremond, Huber 2018",
        cost: "a dense LU per step",
        fails: "needs many steps if the solution is far away",
    },
    SolverInfo {
        name: "cone-admm",
        kinds: CONES,
        parameters: ConeAdmm::PARAMETERS,
        method: "x by a linear system, z = P(x + y), y <- y + x - z, with de Saxce's shift, accelerated after Anderson",
        source: "Tasora et al. 2021; Acary, Cadoux et al. 2011; Zhang, O'Donoghue, Boyd 2020",
        cost: "a dense LU initially and when rho changes, 3 n^2 per iteration",
        fails: "no convergence proof with the shift; a single body with many contacts needs thousands of iterations",
    },
    SolverInfo {
        name: "cone-accelerated-projected-gradient",
        kinds: CONES,
        parameters: ConeSettings::PARAMETERS,
        method: "Nesterov's momentum on r <- P(y - (M y + q + s) / L), with restarts and de Saxce's shift",
        source: "Mazhar et al. 2015; Acary, Cadoux et al. 2011",
        cost: "three products with M",
        fails: "unsymmetric M; no convergence proof with the shift",
    },
    SolverInfo {
        name: "staggering",
        kinds: CONES,
        parameters: ConeSettings::PARAMETERS,
        method: "solves normals with friction fixed, then friction with normals fixed",
        source: "Kaufman, Sueda, James, Pai 2008",
        cost: "up to 40 partial sweeps per round",
        fails: "strong coupling of friction and normals; slow in stacks",
    },
];

/// The listing of a solver.
pub fn solver_info(name: &str) -> Option<&'static SolverInfo> {
    SOLVERS.iter().find(|info| info.name == name)
}
