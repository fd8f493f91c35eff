//! Sweeps that alternate about the answer, where friction takes back most of what the normal impulse gives.
use super::handover::{Handover, PIVOTING_WORK};
use crate::ProblemView;
use crate::step_test::{largest_change, largest_magnitude};
use std::any::Any;

/// Changes at most this fraction of others are rounding beside them.
const ROUNDING: f64 = 1e-9;

/// True if sweeps alternate and hardly contract: the last two together change multipliers of up to `size` by `both`, which is less than the last alone does, by `last`.
///
/// Sweeps that go one way change more by two than by one, however slowly they converge. Where friction at its bound takes back a part q of what the normal impulse gives, each
/// sweep changes multipliers by -q times what the last one did: two change less than one if q > 1/2, and from q = 1 on sweeps alternate for ever.
pub fn alternates(both: f64, last: f64, size: f64) -> bool {
    last > ROUNDING * size && both < last
}

/// True if the last two sweeps alternate, which lead from `before` to `after`; the last one changed it by `last`.
pub(super) fn alternate(before: &[f64], after: &[f64], last: f64) -> bool {
    alternates(largest_change(before, after), last, largest_magnitude(after))
}

/// Replaces x by pivoting from there; true if it did. The solver of that is kept as `successor`.
pub(super) fn pivot(successor: &mut Option<Box<dyn Any + Send>>, problem: &ProblemView<'_>, x: &mut [f64]) -> bool {
    let kept = successor.get_or_insert_with(|| Box::new(Handover::default()));
    kept.downcast_mut::<Handover>().is_some_and(|handover| handover.run(problem, x, ROUNDING, PIVOTING_WORK) > 0.0)
}
