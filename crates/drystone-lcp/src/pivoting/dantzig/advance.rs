//! Many rows at once where that leads to where driving them one by one would.
use super::Driver;
use crate::operator::dense::dot;

/// w of a row at its bound may have the wrong sign by this, relative to the largest |b|, without being an event.
const EVENT: f64 = 1e-13;
/// Exchanges among the rows of a block.
const EXCHANGES: usize = 12;

/// Takes these rows, none of which is done and whose bounds are set, to w = 0 or their bound in one go, where no row that is done changes its set by that;
/// false, with nothing changed, where one would or the block's own partition is not found.
///
/// The state that it leaves solves the problem of the rows that are done, as driving each row does: for a definite A there is only one.
pub(super) fn advance(driver: &mut Driver<'_>, b: &[f64], rows: &[usize], largest: f64) -> bool {
    let small = EVENT * largest;
    let done = take(driver, b, rows, small);
    if !done {
        // Rows that wait for their turn have no x.
        for &i in rows {
            driver.x[i] = 0.0;
        }
    }
    done
}

fn take(driver: &mut Driver<'_>, b: &[f64], rows: &[usize], small: f64) -> bool {
    let s = rows.len();
    for &i in rows {
        driver.x[i] = 0.0_f64.max(driver.lo[i]).min(driver.hi[i]);
        driver.w[i] = b[i] + dot(driver.a.row(i), &driver.x);
    }
    let proposal = driver.clamped.propose(rows);
    // The block's own problem: its Schur complement, with w = 0 kept on the clamped rows. All who violate are exchanged.
    let mut pressed = vec![false; s];
    let (mut step, mut w) = (vec![0.0; s], vec![0.0; s]);
    let mut corner = None;
    for exchange in 0..EXCHANGES {
        let mut settled = exchange > 0;
        for (j, &i) in rows.iter().enumerate() {
            let (x, lo, hi) = (driver.x[i], driver.lo[i], driver.hi[i]);
            // At first a row with w = 0 is taken for pressed: those before it will move it.
            let (w, slack) = if exchange == 0 { (driver.w[i], -small) } else { (w[j], small) };
            let rests = lo == hi || (x <= lo && w >= -slack) || (x >= hi && w <= slack);
            let next = if pressed[j] { x + step[j] > lo && x + step[j] < hi } else { !rests };
            settled &= next == pressed[j];
            pressed[j] = next;
        }
        if settled {
            break;
        }
        let members: Vec<usize> = (0..s).filter(|&j| pressed[j]).collect();
        let Some((l, values)) = proposal.solve(driver.a, rows, &members, |j| -driver.w[rows[j]]) else { return false };
        step.fill(0.0);
        for (&j, value) in members.iter().zip(&values) {
            step[j] = *value;
        }
        for (j, &i) in rows.iter().enumerate() {
            w[j] = driver.w[i] + members.iter().map(|&m| proposal.schur[(j, m)] * step[m]).sum::<f64>();
        }
        corner = Some((l, members));
        if exchange + 1 == EXCHANGES {
            return false;
        }
    }
    let Some((l, members)) = corner else {
        // All rest as they are.
        driver.done.extend_from_slice(rows);
        return true;
    };
    // What that does to the rows before.
    let change = driver.clamped.spread(&proposal, &step);
    driver.direction.fill(0.0);
    for (&i, change) in driver.clamped.rows.iter().zip(&change) {
        driver.direction[i] = *change;
        let x = driver.x[i] + change;
        if x <= driver.lo[i] || x >= driver.hi[i] {
            return false;
        }
    }
    for (&i, step) in rows.iter().zip(&step) {
        driver.direction[i] = *step;
    }
    let Driver { a, lo, hi, x, w: velocity, direction, outside, done, in_clamped, .. } = driver;
    outside.clear();
    for &i in done.iter().filter(|&&i| !in_clamped[i]) {
        let next = velocity[i] + dot(a.row(i), direction);
        let leaves = (x[i] <= lo[i] && next < -small) || (x[i] >= hi[i] && next > small);
        if leaves && lo[i] < hi[i] {
            return false;
        }
        outside.push((i, next));
    }
    for (x, change) in x.iter_mut().zip(&*direction) {
        *x += change;
    }
    for &(i, next) in &*outside {
        velocity[i] = next;
    }
    for (j, &i) in rows.iter().enumerate() {
        velocity[i] = if pressed[j] { 0.0 } else { w[j] };
        in_clamped[i] = pressed[j];
        done.push(i);
    }
    driver.clamped.accept(rows, &members, &proposal, &l);
    driver.pivots += members.len();
    true
}
