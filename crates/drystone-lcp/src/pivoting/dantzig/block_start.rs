//! A clamped set to begin with, by exchanges of many rows at once.
use super::driver::Driver;
use crate::buffers::{collect, copy, refill};
use crate::linear::DenseSystems;
use crate::operator::dense::dot;
use crate::pivoting::principal::{UNDECIDED, partition_at};
use crate::step_test::largest_magnitude;
use crate::{ProblemView, Side};

/// Exchanges that do not reduce the violations before the guess is taken as it is.
const PATIENCE: usize = 3;
/// Solves in which rows outside their bounds are removed from the guess.
const CLEARINGS: usize = 20;
/// A row contradicts its set beyond this, relative to the largest |x| or |b|.
const VIOLATION: f64 = 1e-12;

/// Tries the sets that `start` points to, whose rows that depend on others keep their start; returns whether every row keeps its condition there. If not, nothing is clamped
/// and no row is done.
pub(super) fn warm_start(
    driver: &mut Driver<'_>,
    workspace: &mut StartWorkspace,
    problem: &ProblemView<'_>,
    start: &[f64],
) -> bool {
    let StartWorkspace { sides, free, used, solution } = workspace;
    driver.pivots += 1;
    for (i, w) in driver.w.iter_mut().enumerate() {
        *w = problem.b[i] + dot(driver.a.row(i), start);
    }
    collect(sides, partition_at(driver.a, problem, start, driver.w));
    collect(free, (0..start.len()).filter(|&i| sides[i] == Side::Free));
    let bound = |i: usize, side| if side == Side::Lower { driver.lo[i] } else { driver.hi[i] };
    let put = |(i, &side)| if side == Side::Free { start[i] } else { bound(i, side) };
    collect(driver.x, sides.iter().enumerate().map(put));
    solution.solve_free(driver, problem.b, free, used);
    let x_small = VIOLATION * largest_magnitude(driver.x);
    let w_small = VIOLATION * largest_magnitude(problem.b);
    collect(free, 0..start.len());
    let holds = exchange(driver, problem.b, free, sides, [x_small, w_small]) == 0
        && sides.iter().zip(&*driver.w).all(|(side, w)| *side != Side::Free || w.abs() <= 100.0 * w_small);
    if holds {
        driver.done.extend(0..start.len());
        for i in 0..start.len() {
            driver.x[i] = driver.x[i].max(driver.lo[i]).min(driver.hi[i]);
        }
    }
    holds
}

/// Fills the driver's clamped set, x and done rows so that all done rows keep their conditions; the bounds of `rows` are set and contain
/// zero.
pub(super) fn block_start(driver: &mut Driver<'_>, workspace: &mut StartWorkspace, b: &[f64], rows: &[usize]) {
    let StartWorkspace { sides, free, used, solution } = workspace;
    start_sides(driver, b, rows, sides);
    let (mut fewest, mut patience) = (usize::MAX, PATIENCE);
    loop {
        driver.pivots += 1;
        collect(free, rows.iter().copied().filter(|&i| sides[i] == Side::Free));
        for &i in rows {
            let bound = if sides[i] == Side::Lower { driver.lo[i] } else { driver.hi[i] };
            driver.x[i] = if sides[i] == Side::Free { 0.0 } else { bound };
        }
        solution.solve_free(driver, b, free, used);
        let x_small = VIOLATION * driver.x.iter().fold(0.0_f64, |m, v| m.max(v.abs()));
        let w_small = VIOLATION * b.iter().fold(0.0_f64, |m, v| m.max(v.abs()));
        let violations = exchange(driver, b, rows, sides, [x_small, w_small]);
        if violations == 0 {
            settle(driver, rows, sides, used, w_small);
            return;
        }
        patience = if violations < fewest { PATIENCE } else { patience - 1 };
        fewest = fewest.min(violations);
        if patience == 0 {
            break;
        }
    }
    collect(free, rows.iter().copied().filter(|&i| sides[i] == Side::Free));
    keep_what_holds(driver, workspace, b);
}

/// Buffers of the start between solves.
#[derive(Debug, Default)]
pub(super) struct StartWorkspace {
    sides: Vec<Side>,
    free: Vec<usize>,
    /// Those of the free rows that do not depend on others.
    used: Vec<usize>,
    solution: FreeSolution,
}

/// The free rows' equations.
#[derive(Debug, Default)]
struct FreeSolution {
    systems: DenseSystems,
    right: Vec<f64>,
    values: Vec<f64>,
    place: Vec<usize>,
}

/// The sets that x = 0 points to; an undecided row (w = 0) is free.
fn start_sides(driver: &Driver<'_>, b: &[f64], rows: &[usize], sides: &mut Vec<Side>) {
    refill(sides, b.len(), Side::Lower);
    let small = UNDECIDED * rows.iter().fold(0.0_f64, |m, &i| m.max(b[i].abs()));
    for &i in rows {
        let room = (driver.lo[i] < 0.0, driver.hi[i] > 0.0);
        sides[i] = match room {
            (_, true) if b[i] < -small => Side::Free,
            (true, _) if b[i] > small => Side::Free,
            (false, false) => Side::Lower,
            _ if b[i].abs() <= small => Side::Free,
            (false, true) => Side::Lower,
            (true, _) => Side::Upper,
        };
    }
}

/// Moves every row that contradicts its set to another one; returns how many there were.
fn exchange(
    driver: &mut Driver<'_>,
    b: &[f64],
    rows: &[usize],
    sides: &mut [Side],
    [x_small, w_small]: [f64; 2],
) -> usize {
    let mut violations = 0;
    for &i in rows {
        let (lo, hi, x) = (driver.lo[i], driver.hi[i], driver.x[i]);
        driver.w[i] = b[i] + dot(driver.a.row(i), driver.x);
        let w = driver.w[i];
        let next = match sides[i] {
            Side::Free if x < lo - x_small => Side::Lower,
            Side::Free if x > hi + x_small => Side::Upper,
            Side::Lower if w < -w_small && lo < hi => Side::Free,
            Side::Upper if w > w_small && lo < hi => Side::Free,
            same => same,
        };
        if next != sides[i] {
            sides[i] = next;
            violations += 1;
        }
    }
    violations
}

/// Keeps the part of a guess that solves its own equations within its bounds, with all other rows at zero.
fn keep_what_holds(driver: &mut Driver<'_>, workspace: &mut StartWorkspace, b: &[f64]) {
    let StartWorkspace { free, used, solution, .. } = workspace;
    for _ in 0..CLEARINGS {
        driver.pivots += 1;
        driver.x.fill(0.0);
        solution.solve_free(driver, b, free, used);
        core::mem::swap(free, used);
        let before = free.len();
        free.retain(|&i| driver.x[i] >= driver.lo[i] && driver.x[i] <= driver.hi[i]);
        if free.len() == before {
            driver.clamped.fill(free);
            for &i in &*free {
                driver.in_clamped[i] = true;
                driver.w[i] = 0.0;
                driver.done.push(i);
            }
            return;
        }
    }
    driver.x.fill(0.0);
    driver.clamped.clear();
}

impl FreeSolution {
    /// Solves for x of the free rows with the others as they are; linearly dependent rows stay where they are. `used` lists
    /// the independent ones.
    fn solve_free(&mut self, driver: &mut Driver<'_>, b: &[f64], free: &[usize], used: &mut Vec<usize>) {
        let Self { systems, right, values, place } = self;
        let a = driver.a;
        // the changes of the free rows from where they are
        let at_zero = driver.x.iter().all(|x| *x == 0.0);
        collect(right, free.iter().map(|&i| -b[i] - if at_zero { 0.0 } else { dot(a.row(i), driver.x) }));
        if systems.solve_principal(a, free, right, values) {
            copy(used, free);
        } else {
            driver.clamped.fill(free);
            refill(place, b.len(), 0);
            for (k, &i) in free.iter().enumerate() {
                place[i] = k;
            }
            copy(used, driver.clamped.rows);
            collect(values, used.iter().map(|&i| right[place[i]]));
            driver.clamped.solve(values);
        }
        for (&i, value) in used.iter().zip(values) {
            driver.x[i] += *value;
        }
    }
}

/// All rows keep their conditions; only redundant ones with a w of their own are left to be driven.
fn settle(driver: &mut Driver<'_>, rows: &[usize], sides: &[Side], used: &[usize], w_small: f64) {
    for &i in used {
        driver.in_clamped[i] = true;
    }
    for &i in rows {
        let satisfied = driver.in_clamped[i] || sides[i] != Side::Free || driver.w[i].abs() <= 100.0 * w_small;
        if satisfied {
            driver.placed[i] = true;
            driver.done.push(i);
            if driver.in_clamped[i] {
                driver.x[i] = driver.x[i].max(driver.lo[i]).min(driver.hi[i]);
                driver.w[i] = 0.0;
            }
        }
    }
    if driver.done.len() < driver.x.len() {
        // More is to be driven: from here on the factor is bordered.
        driver.clamped.fill(used);
    }
}
