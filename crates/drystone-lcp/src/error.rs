use crate::ParameterRange;

/// Fault of a problem, a parameter or a name. A solver that merely does not converge says so in its report instead.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum LcpError {
    /// An array has the wrong length.
    #[error("{what} has length {found}, expected {expected}")]
    Size {
        /// The array's name.
        what: &'static str,
        /// The length it must have.
        expected: usize,
        /// The length it has.
        found: usize,
    },
    /// A method that works on all entries of A is given a problem with more rows than it accepts.
    #[error(
        "{rows} rows are too many for a method on dense matrices (at most {limit}); choose a splitting, gradient or sparse one"
    )]
    TooManyRows {
        /// Number of rows.
        rows: usize,
        /// The largest number.
        limit: usize,
    },
    /// A value is NaN, or infinite where it must not be.
    #[error("{what}[{index}] is {value}")]
    NonFinite {
        /// The array's name.
        what: &'static str,
        /// Index of the value.
        index: usize,
        /// The value.
        value: f64,
    },
    /// A row's lower bound lies above its upper bound.
    #[error("row {row}: lo = {lo} exceeds hi = {hi}")]
    EmptyBox {
        /// The row.
        row: usize,
        /// Its lower bound.
        lo: f64,
        /// Its upper bound.
        hi: f64,
    },
    /// A row depends on a row that does not exist.
    #[error("row {row} depends on row {dependency} of {rows}")]
    DependencyOutOfRange {
        /// The dependent row.
        row: usize,
        /// The row it names.
        dependency: u32,
        /// Number of rows.
        rows: usize,
    },
    /// A chain of dependencies returns to where it began.
    #[error("row {row} depends on itself through its dependencies")]
    DependencyCycle {
        /// A row of the cycle.
        row: usize,
    },
    /// A friction coefficient is negative.
    #[error("row {row}: mu = {value} is negative")]
    NegativeFriction {
        /// The row or contact.
        row: usize,
        /// The coefficient.
        value: f64,
    },
    /// An existing solver is requested for problems of a different kind.
    #[error("'{name}' does not solve {asked}: it is made by {maker}")]
    OtherKind {
        /// Its name.
        name: String,
        /// The kind of problem requested.
        asked: &'static str,
        /// The function that makes it.
        maker: &'static str,
    },
    /// Two rows that share a disc do not both name each other, or do not depend on the same row.
    #[error("row {row} and row {partner} share no disc: each must name the other, and both depend on one row")]
    BadDisc {
        /// The row.
        row: usize,
        /// The row that it names.
        partner: u32,
    },
    /// An index points outside its array.
    #[error("{what} {index} is not below {limit}")]
    IndexOutOfRange {
        /// Array that is indexed.
        what: &'static str,
        /// The index.
        index: usize,
        /// Its limit (exclusive).
        limit: usize,
    },
    /// The solver does not accept problems of this kind.
    #[error("{solver} does not take {what}")]
    Unsupported {
        /// The solver's name.
        solver: &'static str,
        /// Input that it does not accept.
        what: &'static str,
    },
    /// No solver has this name.
    #[error("no solver is named '{name}'")]
    UnknownSolver {
        /// The name asked for.
        name: String,
    },
    /// The solver has no such parameter.
    #[error("{solver} has no parameter '{parameter}'")]
    UnknownParameter {
        /// The solver's name.
        solver: &'static str,
        /// The parameter asked for.
        parameter: String,
    },
    /// The parameter's value is not allowed.
    #[error("{solver}: {parameter} = {value} is not {allowed}")]
    BadParameter {
        /// The solver's name.
        solver: &'static str,
        /// The parameter.
        parameter: String,
        /// The value given.
        value: f64,
        /// Allowed range.
        allowed: ParameterRange,
    },
    /// Two mutually exclusive parameters are both on.
    #[error("{solver}: {} and {} exclude each other and are both on; one of them must be off (false, or 0)", parameters[0], parameters[1])]
    Exclusive {
        /// The solver's name.
        solver: &'static str,
        /// The two.
        parameters: [&'static str; 2],
    },
}
