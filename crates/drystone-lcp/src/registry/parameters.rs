//! The parameters of solvers, and the lists of them that families share.

/// A parameter that `set` takes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ParameterInfo {
    /// Its name.
    pub name: &'static str,
    /// Its value where it is not set.
    pub default: f64,
    /// What it does.
    pub meaning: &'static str,
}

/// A parameter of a listing.
pub(super) const fn p(name: &'static str, default: f64, meaning: &'static str) -> ParameterInfo {
    ParameterInfo { name, default, meaning }
}

pub(super) const MEASURE: ParameterInfo =
    p("measure", 1.0, "residual: 0 never, 1 at the end, 2 every iteration, 3 with history");
pub(super) const TOLERANCE: ParameterInfo =
    p("tolerance", 0.0, "stops at this residual, where it is measured every iteration");
pub(super) const ABSOLUTE: ParameterInfo = p("threshold", 0.0, "stops when no variable changed by more (0: off)");
pub(super) const RELATIVE: ParameterInfo =
    p("relative-threshold", 0.0, "stops when no variable changed by more than this times the largest (0: off)");
pub(super) const SWEEPS: ParameterInfo = p("iterations", 10.0, "largest number of sweeps");

const FIRST_TEST: ParameterInfo = p("min-iterations", 1.0, "sweeps before any stopping test");
const OMEGA: ParameterInfo = p("omega", 1.0, "relaxation, > 0");
const LAMBDA: ParameterInfo = p("lambda", 1.0, "averaging with the old value, (0, 1]");

pub(super) const SPLITTING: &[ParameterInfo] = &[
    SWEEPS,
    FIRST_TEST,
    ABSOLUTE,
    RELATIVE,
    TOLERANCE,
    OMEGA,
    LAMBDA,
    p("permute-every", 0.0, "a new random order every so many sweeps (0: none)"),
    p("order-by-error", 0.0, "1: rows by decreasing change"),
    p("sweep", 0.0, "0 forward, 1 backward, 2 symmetric"),
    p("ode-diagonal", 0.0, "1: divide by the diagonal without cfm"),
    MEASURE,
];
pub(super) const RANDOM_ORDER: &[ParameterInfo] = &[
    SWEEPS,
    FIRST_TEST,
    ABSOLUTE,
    RELATIVE,
    TOLERANCE,
    OMEGA,
    LAMBDA,
    p("permute-every", 7.0, "a new random order every so many sweeps (0: none)"),
    p("seed", 0.0, "of the random orders, a whole number"),
    MEASURE,
];
pub(super) const WORK: ParameterInfo = p("work", 1e9, "most multiplications of a solve");
pub(super) const NEWTON: &[ParameterInfo] = &[
    p("iterations", 100.0, "largest number of Newton steps"),
    WORK,
    p("tolerance", 1e-12, "stops at this residual"),
    MEASURE,
];
pub(super) const INNER: ParameterInfo = p("inner", 0.0, "linear systems: 0 by dense LU, 1 by GMRES without forming A");
pub(super) const SEMISMOOTH: &[ParameterInfo] = &[
    p("iterations", 100.0, "largest number of Newton steps"),
    WORK,
    p("tolerance", 1e-12, "stops at this residual"),
    ABSOLUTE,
    RELATIVE,
    INNER,
    MEASURE,
];
pub(super) const FIRST_ORDER: &[ParameterInfo] = &[
    p("iterations", 100.0, "largest number of iterations"),
    p("tolerance", 1e-12, "stops at this residual"),
    ABSOLUTE,
    RELATIVE,
    MEASURE,
];
pub(super) const CONE: &[ParameterInfo] = &[
    p("iterations", 1000.0, "largest number of iterations"),
    p("tolerance", 1e-10, "stops at this residual"),
    ABSOLUTE,
    RELATIVE,
    MEASURE,
];
