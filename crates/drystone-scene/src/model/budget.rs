use super::Reading;
use super::declare::{Key, Kind, Range, Table};
use super::fields::Fields;
use drystone_math::Real;

/// Cost limit of a scene's time step, in one of two units.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum BudgetSize {
    /// So many visits of rows and bodies: the same steps on every machine.
    Operations(Real),
    /// So much time by the clock (s).
    Seconds(Real),
}

/// The section `[simulation.budget]`: each time step is cut into as many as its budget pays for.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FrameBudget {
    /// Cost limit.
    pub size: BudgetSize,
    /// Most steps that it is cut into.
    pub steps: u32,
    /// Fewest iterations that are left to a solve where one step is too dear.
    pub fewest_iterations: Option<u32>,
}

static OPERATIONS: Key<Option<Real>> = Key::optional(
    "operations",
    Kind::Number(Range::Positive),
    "",
    "cost limit of a time step in visits to rows and bodies: the same on every machine. This or `seconds`",
);
static SECONDS: Key<Option<Real>> = Key::optional(
    "seconds",
    Kind::Number(Range::Positive),
    "s",
    "cost limit of a time step in wall-clock time: results depend on the machine. This or `operations`",
);
static STEPS: Key<i64> = Key::or(
    "steps",
    Kind::Integer { least: 1, most: 100_000 },
    16,
    "",
    "maximum number of steps that a time step is divided into",
);
static FEWEST_ITERATIONS: Key<Option<i64>> = Key::optional(
    "fewest_iterations",
    Kind::Integer { least: 1, most: 1_000_000_000 },
    "",
    "if one step is too expensive, the constraint solver does fewer sweeps, down to this many; never if left out",
);

pub(crate) static BUDGET: Table = Table {
    name: "budget",
    doc: "Precision within a cost limit: each time step is divided into as many equal steps as the budget allows.",
    keys: &[&OPERATIONS, &SECONDS, &STEPS, &FEWEST_ITERATIONS],
    one: false,
    example: r"[simulation]
time_step = 0.0166666666666667

[simulation.budget]
operations        = 50000
steps             = 8
fewest_iterations = 4",
};

/// Reads the section; `None` with a fault where the budget has no unit or two.
pub(crate) fn read_budget(f: Fields<'_>, r: &mut Reading) -> Option<FrameBudget> {
    let (operations, seconds) = (f.read(&OPERATIONS, r)?, f.read(&SECONDS, r)?);
    let steps = f.read(&STEPS, r)? as u32;
    let fewest_iterations = f.read(&FEWEST_ITERATIONS, r)?.map(|n| n as u32);
    let size = match (operations, seconds) {
        (Some(n), None) => Some(BudgetSize::Operations(n)),
        (None, Some(s)) => Some(BudgetSize::Seconds(s)),
        _ => {
            r.wrong(f.cursor(), "either operations or seconds");
            None
        }
    };
    f.finish(r);
    Some(FrameBudget { size: size?, steps, fewest_iterations })
}
