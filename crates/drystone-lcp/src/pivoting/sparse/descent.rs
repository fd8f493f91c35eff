//! The definite problem A + s D around a centre, by steps that all descend, so that no cycle is possible.
use super::run::{End, PRODUCT, Run, VIOLATION};
use crate::pivoting::principal::Side;
use crate::sparse_direct::factors::{DEPENDENT, Role};
use crate::sparse_direct::structure::Pattern;

/// Solves of one face, each holding more of the rows that would leave the box at once.
const HOLDS: usize = 6;
/// Number of lengths of a projected step that are tried, each this fraction of the one before.
const LENGTHS: usize = 4;
const SHORTER: f64 = 0.25;
/// Armijo's fraction of the predicted decrease.
const SUFFICIENT: f64 = 1e-4;

/// Minimises x (A + s D) x / 2 + (b - s D centre) x over the box by projected Newton steps: the face of the rows that are free or want to be is solved, and
/// the step to its solution projected while that descends, otherwise cut where it first meets a bound. For symmetric A and constant bounds.
///
/// # Source
/// Bertsekas: Projected Newton methods for optimization problems with simple constraints, 1982; the cut step is that of active-set methods (Nocedal,
/// Wright 2006, 16.5), which makes it finite.
pub(super) fn descend<P: Pattern>(run: &mut Run<'_, '_, P>) -> End {
    let (lo, hi) = (run.problem.lo, run.problem.hi);
    for (x, (lo, hi)) in run.space.x.iter_mut().zip(lo.iter().zip(hi)) {
        *x = x.max(*lo).min(*hi);
    }
    run.residual();
    let mut cut = 0;
    loop {
        let left = sort_rows(run);
        if left.unsolved == 0 {
            return finish(run);
        }
        if run.report.iterations >= run.limits.iterations || run.is_spent() {
            finish(run);
            return End::Limit;
        }
        // After many cut steps bounds are left one at a time, as in an active-set method.
        if cut > HOLDS {
            hold_all_but(run, left.steepest);
        }
        for hold in 0..HOLDS {
            if !run.begins() {
                break;
            }
            face(run);
            if !hold_outward(run) {
                break;
            }
            if hold + 2 == HOLDS {
                hold_all_but(run, left.steepest);
            }
        }
        match step(run) {
            Step::Full => cut = 0,
            Step::Cut => cut += 1,
            Step::None if cut <= HOLDS => cut = HOLDS + 1,
            Step::None => {
                finish(run);
                return End::Cycle;
            }
        }
        if run.space.x.iter().any(|x| !x.is_finite()) {
            return End::Broken;
        }
    }
}

/// Residual of the rows that no bound holds.
struct Left {
    unsolved: usize,
    /// The row at a bound that most wants to leave it; there is none if the index is out of range.
    steepest: usize,
}

/// Sorts the rows into those held by their bound and the others.
fn sort_rows<P: Pattern>(run: &mut Run<'_, '_, P>) -> Left {
    run.magnitudes();
    let n = run.problem.len();
    let (lo, hi) = (run.problem.lo, run.problem.hi);
    let space = &mut *run.space;
    let mut left = Left { unsolved: 0, steepest: n };
    let mut largest = 0.0;
    for i in 0..n {
        let (x, w, small) = (space.x[i], space.w[i], VIOLATION * space.magnitude[i]);
        let side = if x <= lo[i] && (w >= -small || lo[i] == hi[i]) {
            Side::Lower
        } else if x >= hi[i] && w <= small {
            Side::Upper
        } else {
            Side::Free
        };
        run.partition[i] = side;
        if side == Side::Free && w.abs() > small {
            left.unsolved += 1;
            if (x <= lo[i] || x >= hi[i]) && w.abs() > largest {
                largest = w.abs();
                left.steepest = i;
            }
        }
    }
    left
}

/// Offers x as the best.
fn finish<P: Pattern>(run: &mut Run<'_, '_, P>) -> End {
    let value = run.rate_residual();
    run.offer(value);
    if value <= run.limits.tolerance { End::Accurate } else { End::Consistent }
}

/// The direction to the solution of the free rows' equations with all others held, written by row into `previous`.
fn face<P: Pattern>(run: &mut Run<'_, '_, P>) {
    let shift = run.shift;
    let space = &mut *run.space;
    let structure = &space.structure;
    for (place, &row) in structure.row_at.iter().enumerate() {
        let free = run.partition[row as usize] == Side::Free;
        space.factors.roles[place] = if free { Role::Free } else { Role::Held };
    }
    space.factors.factorise(structure, shift, DEPENDENT);
    space.right.clear();
    for (place, &row) in structure.row_at.iter().enumerate() {
        let solved = space.factors.roles[place] == Role::Free && !space.factors.dropped[place];
        space.right.push(if solved { -space.w[row as usize] } else { 0.0 });
    }
    space.factors.solve(structure, &mut space.right);
    for (place, &row) in structure.row_at.iter().enumerate() {
        let solved = space.factors.roles[place] == Role::Free && !space.factors.dropped[place];
        space.previous[row as usize] = if solved { space.right[place] } else { 0.0 };
    }
}

/// Holds the rows at a bound that the direction points out of; true if there were any.
fn hold_outward<P: Pattern>(run: &mut Run<'_, '_, P>) -> bool {
    let (lo, hi) = (run.problem.lo, run.problem.hi);
    let mut held = false;
    for (i, d) in run.space.previous.iter().enumerate() {
        let x = run.space.x[i];
        if x <= lo[i] && *d < 0.0 {
            run.partition[i] = Side::Lower;
            held = true;
        } else if x >= hi[i] && *d > 0.0 {
            run.partition[i] = Side::Upper;
            held = true;
        }
    }
    held
}

/// Holds every row at a bound but one.
fn hold_all_but<P: Pattern>(run: &mut Run<'_, '_, P>, free: usize) {
    let (lo, hi) = (run.problem.lo, run.problem.hi);
    for (i, side) in run.partition.iter_mut().enumerate() {
        let x = run.space.x[i];
        if i != free && x <= lo[i] {
            *side = Side::Lower;
        } else if i != free && x >= hi[i] {
            *side = Side::Upper;
        }
    }
}

/// Result of a step.
enum Step {
    /// Taken to its end, though perhaps projected.
    Full,
    /// Shortened.
    Cut,
    /// No step descends.
    None,
}

/// Goes along `previous`; w follows x.
fn step<P: Pattern>(run: &mut Run<'_, '_, P>) -> Step {
    let n = run.problem.len();
    let (lo, hi) = (run.problem.lo, run.problem.hi);
    let mut length = 1.0;
    for trial in 0..=LENGTHS {
        let space = &mut *run.space;
        if trial == LENGTHS {
            // To the first bound, up to which the quadratic still falls.
            length = 1.0;
            for (i, d) in space.previous.iter().enumerate() {
                let room = if *d > 0.0 { hi[i] - space.x[i] } else { lo[i] - space.x[i] };
                if *d != 0.0 && room.is_finite() {
                    length = f64::min(length, room / d);
                }
            }
        }
        // The change, into `right`, and what it does to the objective.
        space.right.clear();
        for (i, d) in space.previous.iter().enumerate() {
            let x = space.x[i];
            space.right.push((x + length * d).max(lo[i]).min(hi[i]) - x);
        }
        run.products += PRODUCT * n as f64;
        run.op.apply(&space.right, &mut run.memory.accumulator, &mut space.product);
        let (mut slope, mut curvature) = (0.0, 0.0);
        for i in 0..n {
            let c = space.right[i];
            slope += c * space.w[i];
            curvature += c * (space.product[i] + run.shift * run.op.diagonal(i) * c);
        }
        if slope < 0.0 && slope + 0.5 * curvature <= SUFFICIENT * slope {
            for (i, c) in space.right.iter().enumerate() {
                space.x[i] = (space.x[i] + c).max(lo[i]).min(hi[i]);
            }
            // A row that was stopped is at its bound to the last bit.
            if trial == LENGTHS && length < 1.0 {
                for (i, d) in space.previous.iter().enumerate() {
                    let bound = if *d > 0.0 { hi[i] } else { lo[i] };
                    let near = f64::EPSILON * bound.abs().max(space.right[i].abs());
                    if *d != 0.0 && bound.is_finite() && (bound - space.x[i]).abs() <= near {
                        space.x[i] = bound;
                    }
                }
            }
            run.residual();
            return if trial == 0 { Step::Full } else { Step::Cut };
        }
        length *= SHORTER;
    }
    Step::None
}
