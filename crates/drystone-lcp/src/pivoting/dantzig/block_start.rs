//! A clamped set to begin with, by exchanges of many rows at once.
use super::driver::Driver;
use crate::Side;
use crate::linear::{principal_block, solve_positive_definite};
use crate::operator::dense::dot;
use crate::pivoting::principal::UNDECIDED;

/// Exchanges without fewer violations before the guess is taken as it is.
const PATIENCE: usize = 3;
/// Solves in which rows outside of their bounds are taken out of the guess.
const CLEARINGS: usize = 20;
/// A row contradicts its set beyond this, relative to the largest |x| or |b|.
const VIOLATION: f64 = 1e-12;

/// Fills the driver's clamped set, x and done rows so that all done rows keep their conditions; `rows` have their bounds, which hold zero.
pub(crate) fn block_start(driver: &mut Driver<'_>, b: &[f64], rows: &[usize]) {
    let mut sides = start_sides(driver, b, rows);
    let (mut fewest, mut patience) = (usize::MAX, PATIENCE);
    let mut free = Vec::with_capacity(b.len());
    loop {
        driver.pivots += 1;
        free.clear();
        free.extend(rows.iter().copied().filter(|&i| sides[i] == Side::Free));
        for &i in rows {
            let bound = if sides[i] == Side::Lower { driver.lo[i] } else { driver.hi[i] };
            driver.x[i] = if sides[i] == Side::Free { 0.0 } else { bound };
        }
        let used = solve_free(driver, b, &free);
        let x_small = VIOLATION * driver.x.iter().fold(0.0_f64, |m, v| m.max(v.abs()));
        let w_small = VIOLATION * b.iter().fold(0.0_f64, |m, v| m.max(v.abs()));
        let violations = exchange(driver, b, rows, &mut sides, [x_small, w_small]);
        if violations == 0 {
            settle(driver, rows, &sides, &used, w_small);
            return;
        }
        patience = if violations < fewest { PATIENCE } else { patience - 1 };
        fewest = fewest.min(violations);
        if patience == 0 {
            break;
        }
    }
    free.clear();
    free.extend(rows.iter().copied().filter(|&i| sides[i] == Side::Free));
    keep_what_holds(driver, b, free);
}

/// The sets that x = 0 points to; an undecided row (w = 0) is free.
fn start_sides(driver: &Driver<'_>, b: &[f64], rows: &[usize]) -> Vec<Side> {
    let mut sides = vec![Side::Lower; b.len()];
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
    sides
}

/// Moves every row that contradicts its set to another one; says how many do.
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
        driver.w[i] = b[i] + dot(driver.a.row(i), &driver.x);
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

/// Of a guess what solves its own equations within its bounds, with all other rows at zero.
fn keep_what_holds(driver: &mut Driver<'_>, b: &[f64], mut free: Vec<usize>) {
    for _ in 0..CLEARINGS {
        driver.pivots += 1;
        driver.x.fill(0.0);
        free = solve_free(driver, b, &free);
        let before = free.len();
        free.retain(|&i| driver.x[i] >= driver.lo[i] && driver.x[i] <= driver.hi[i]);
        if free.len() == before {
            driver.clamped.fill(&free);
            for &i in &free {
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

/// x of the free rows for the others as they are; rows that depend on others stay at zero. Returns those that do not.
fn solve_free(driver: &mut Driver<'_>, b: &[f64], free: &[usize]) -> Vec<usize> {
    let a = driver.a;
    let at_zero = driver.x.iter().all(|x| *x == 0.0);
    let right = |&i: &usize| -b[i] - if at_zero { 0.0 } else { dot(a.row(i), &driver.x) };
    let mut right: Vec<f64> = free.iter().map(right).collect();
    let values = solve_positive_definite(principal_block(a, free), &right);
    let used = if let Some(values) = values {
        right = values;
        free.to_vec()
    } else {
        driver.clamped.fill(free);
        let mut place = vec![0; b.len()];
        for (k, &i) in free.iter().enumerate() {
            place[i] = k;
        }
        right = driver.clamped.rows.iter().map(|&i| right[place[i]]).collect();
        driver.clamped.solve(&mut right);
        driver.clamped.rows.clone()
    };
    for (&i, value) in used.iter().zip(right) {
        driver.x[i] = value;
    }
    used
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
