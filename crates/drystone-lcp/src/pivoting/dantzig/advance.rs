//! Advances many rows at once if that leads to the same state as driving them one by one.
use super::clamped::{Corner, Proposal};
use super::driver::Driver;
use crate::buffers::{collect, refill};
use crate::operator::dense::dot;

/// w of a row at its bound may have the wrong sign by this, relative to the largest |b|, without being an event.
const EVENT: f64 = 1e-13;
/// Exchanges among the rows of a block.
const EXCHANGES: usize = 12;

/// Takes these rows, none of which is done and whose bounds are set, to w = 0 or their bound in one go, provided that no finished row changes its set.
/// False, with nothing changed, if one would, or if the block's own partition is not found.
///
/// The resulting state solves the problem of the finished rows, as driving each row does: for a definite A there is only one.
pub(super) fn advance(
    driver: &mut Driver<'_>,
    workspace: &mut BlockWorkspace,
    b: &[f64],
    rows: &[usize],
    largest: f64,
) -> bool {
    let small = EVENT * largest;
    let done = take(driver, workspace, b, rows, small);
    if !done {
        // Rows that wait for their turn have no x.
        for &i in rows {
            driver.x[i] = 0.0;
        }
    }
    done
}

fn take(driver: &mut Driver<'_>, workspace: &mut BlockWorkspace, b: &[f64], rows: &[usize], small: f64) -> bool {
    for &i in rows {
        driver.x[i] = 0.0_f64.max(driver.lo[i]).min(driver.hi[i]);
        driver.w[i] = b[i] + dot(driver.a.row(i), driver.x);
    }
    let mut block = Block::new(driver, rows, workspace);
    if !block.find_partition(driver, small) || !block.is_followed(driver, small) {
        return false;
    }
    block.commit(driver);
    true
}

/// The block's own problem: its Schur complement, with w = 0 kept on the clamped rows.
struct Block<'r> {
    rows: &'r [usize],
    proposal: &'r Proposal,
    /// The rows that are pressed (w = 0), and a factor for them.
    corner: &'r mut Corner,
    pressed: &'r mut Vec<bool>,
    step: &'r mut Vec<f64>,
    w: &'r mut Vec<f64>,
    /// The change of the clamped rows.
    change: &'r mut Vec<f64>,
}

/// Buffers of blocks between solves.
#[derive(Debug, Default)]
pub(super) struct BlockWorkspace {
    proposal: Proposal,
    corner: Corner,
    pressed: Vec<bool>,
    step: Vec<f64>,
    w: Vec<f64>,
    change: Vec<f64>,
}

impl<'r> Block<'r> {
    fn new(driver: &mut Driver<'_>, rows: &'r [usize], workspace: &'r mut BlockWorkspace) -> Self {
        let BlockWorkspace { proposal, corner, pressed, step, w, change } = workspace;
        driver.clamped.propose(rows, proposal);
        refill(pressed, rows.len(), false);
        refill(step, rows.len(), 0.0);
        refill(w, rows.len(), 0.0);
        Self { rows, proposal, corner, pressed, step, w, change }
    }

    /// Exchanges all rows that violate their condition until none does.
    fn find_partition(&mut self, driver: &Driver<'_>, small: f64) -> bool {
        self.press(driver, small);
        for _ in 1..EXCHANGES {
            if !self.solve(driver) {
                return false;
            }
            if !self.exchange(driver, small) {
                return true;
            }
        }
        false
    }

    /// Initially a row with w = 0 counts as pressed: those before it will move it.
    fn press(&mut self, driver: &Driver<'_>, small: f64) {
        for (j, &i) in self.rows.iter().enumerate() {
            self.pressed[j] = !rests(driver, i, driver.w[i], -small);
        }
    }

    /// Moves each row that violates its condition to the other set; false if none does.
    fn exchange(&mut self, driver: &Driver<'_>, small: f64) -> bool {
        let mut exchanged = false;
        for (j, &i) in self.rows.iter().enumerate() {
            let next = if self.pressed[j] {
                let x = driver.x[i] + self.step[j];
                x > driver.lo[i] && x < driver.hi[i]
            } else {
                !rests(driver, i, self.w[j], small)
            };
            exchanged |= next != self.pressed[j];
            self.pressed[j] = next;
        }
        exchanged
    }

    /// The steps that bring the pressed rows to w = 0, and w of all rows after them; false if a pressed row depends on
    /// others.
    fn solve(&mut self, driver: &Driver<'_>) -> bool {
        let Self { rows, proposal, corner, pressed, step, w, .. } = self;
        collect(&mut corner.members, (0..rows.len()).filter(|&j| pressed[j]));
        if !proposal.solve(driver.a, rows, corner, |j| -driver.w[rows[j]]) {
            return false;
        }
        let members = &corner.members;
        step.fill(0.0);
        for (&j, value) in members.iter().zip(&corner.step) {
            step[j] = *value;
        }
        for (j, &i) in rows.iter().enumerate() {
            w[j] = driver.w[i] + members.iter().map(|&m| proposal.schur.get(j, m) * step[m]).sum::<f64>();
        }
        true
    }

    /// The effect of the steps on the rows before: returns whether all of them stay in their sets. Leaves the direction of x, and w of the
    /// rows at a bound.
    fn is_followed(&mut self, driver: &mut Driver<'_>, small: f64) -> bool {
        driver.clamped.spread(self.proposal, self.step, self.change);
        driver.direction.fill(0.0);
        for (&i, change) in driver.clamped.rows.iter().zip(&*self.change) {
            driver.direction[i] = *change;
            let x = driver.x[i] + change;
            if x <= driver.lo[i] || x >= driver.hi[i] {
                return false;
            }
        }
        for (&i, step) in self.rows.iter().zip(&*self.step) {
            driver.direction[i] = *step;
        }
        let Driver { a, lo, hi, x, w, direction, outside, done, in_clamped, .. } = driver;
        outside.clear();
        for &i in done.iter().filter(|&&i| !in_clamped[i]) {
            let next = w[i] + dot(a.row(i), direction);
            let leaves = (x[i] <= lo[i] && next < -small) || (x[i] >= hi[i] && next > small);
            if leaves && lo[i] < hi[i] {
                return false;
            }
            outside.push((i, next));
        }
        true
    }

    /// Takes the steps: the rows of the block are then done.
    fn commit(&self, driver: &mut Driver<'_>) {
        let Driver { x, w, direction, outside, done, in_clamped, .. } = &mut *driver;
        for (x, change) in x.iter_mut().zip(direction.iter()) {
            *x += *change;
        }
        for &(i, next) in outside.iter() {
            w[i] = next;
        }
        for (j, &i) in self.rows.iter().enumerate() {
            w[i] = if self.pressed[j] { 0.0 } else { self.w[j] };
            in_clamped[i] = self.pressed[j];
            done.push(i);
        }
        driver.clamped.accept(self.rows, self.proposal, self.corner);
        driver.pivots += self.corner.members.len();
    }
}

/// Returns true if a row stays at its bound with this w.
fn rests(driver: &Driver<'_>, i: usize, w: f64, slack: f64) -> bool {
    let (x, lo, hi) = (driver.x[i], driver.lo[i], driver.hi[i]);
    lo == hi || (x <= lo && w >= -slack) || (x >= hi && w <= slack)
}
