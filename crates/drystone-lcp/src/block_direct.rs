//! Solves all rows between their bounds at once, by blocks of rows that touch the same two bodies.
mod factors;
mod free_rows;
mod graph;

pub(crate) use factors::side_by_side::{Numbers, SIDE_BY_SIDE, add};
pub(crate) use free_rows::{FreeRows, Redundancy};

use crate::pivoting::principal::{Side, UNDECIDED};
use crate::vectors::{Work, vectorised};
use crate::{Budget, FactoredOperator, LcpOperator, Matrix, ProblemView};

/// A row contradicts its side beyond this, relative to the largest multiplier or to the terms of w.
const VIOLATION: f64 = 1e-12;
/// The error that the free rows may leave, as a fraction of the terms of w; with more, it is not a solution.
const SOLVED: f64 = 1e-9;
/// Solves with the same factors, as long as each halves the error.
const REFINEMENTS: usize = 10;
/// Rounding error of a row's w, as a fraction of its largest term: a product is a sum of some twenty.
const ROUNDING: f64 = 8.0 * f64::EPSILON;
/// Multiplications of a product with one row of A.
const PRODUCT: f64 = 24.0;

/// Solves joint problems in which the start value already shows which rows are at a bound, which is nearly all of them: no row's bounds
/// depend on another row, none is redundant, and the rows that the start leaves between their bounds stay there.
///
/// A joint's rows are a block, joints with a body in common are neighbours, and the block matrix is factorised as L D L^T in an order with little
/// fill-in; for chains and trees the cost is linear in the number of joints.
///
/// # Source
/// D. Baraff, "Linear-time dynamics using Lagrange multipliers", 1996; I. Duff, J. Reid, "The multifrontal solution of indefinite
/// sparse symmetric linear equations", 1983, for blocks of rows with the same neighbours.
#[derive(Debug, Default)]
pub(crate) struct BlockDirect {
    free: FreeRows,
    /// Side of each row's bounds according to the start value.
    pub(crate) sides: Vec<Side>,
    x: Vec<f64>,
    w: Vec<f64>,
    right: Vec<f64>,
    best: Vec<f64>,
}

/// The outcome of a solve.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Answer {
    /// The natural-map residual.
    pub(crate) residual: f64,
    /// The largest change of a multiplier from its start.
    pub(crate) change: f64,
}

impl BlockDirect {
    /// Numbers in the factors of the last problem.
    pub(crate) fn factor_entries(&self) -> usize {
        self.free.entries()
    }

    /// Notes that another problem was met: the factors are not those of the last problem.
    pub(crate) fn forget(&mut self) {
        self.free.forget();
    }

    /// Replaces the start value by the solution, and writes `W J^T x` into the accumulator. `None`, with x unchanged, if the problem is not of this kind
    /// or the budget does not pay for it.
    pub(crate) fn solve(
        &mut self,
        op: &FactoredOperator,
        problem: &ProblemView<'_>,
        x: &mut [f64],
        accumulator: &mut [f64],
        budget: &mut Budget,
        matrix: Matrix,
    ) -> Option<Answer> {
        if problem.has_dependencies() {
            self.free.forget();
            return None;
        }
        let unbounded = problem.is_unbounded();
        if unbounded {
            self.take_equations(op, problem, x, accumulator);
        } else {
            self.take_sides(op, problem, x, accumulator);
        }
        let factorised = match matrix {
            Matrix::Any => self.free.factorise(op, &self.sides, Redundancy::Refused, budget),
            Matrix::OfLastSolve => self.free.factorise_again(op, &self.sides, Redundancy::Refused, budget),
        };
        if !factorised {
            return None;
        }
        let [error, magnitude] = self.refine(op, problem, accumulator, budget)?;
        let residual = if unbounded { error } else { self.residual(problem, magnitude)? };
        let changes = x.iter().zip(&self.x).map(|(from, to)| to - from);
        let change = largest_of(changes, &mut self.right);
        x.copy_from_slice(&self.x);
        Some(Answer { residual, change })
    }

    /// For when all rows are free: takes the start value and its w.
    fn take_equations(
        &mut self,
        op: &FactoredOperator,
        problem: &ProblemView<'_>,
        start: &[f64],
        accumulator: &mut [f64],
    ) {
        let Self { sides, x, w, .. } = self;
        x.clear();
        x.extend_from_slice(start);
        product(op, problem, x, accumulator, w);
        sides.clear();
        sides.resize(x.len(), Side::Free);
    }

    /// Finds the free rows: those whose `x - w / A_ii` lies between their bounds. The others are set to the bound that it exceeds, and w is computed for the
    /// resulting x.
    fn take_sides(&mut self, op: &FactoredOperator, problem: &ProblemView<'_>, start: &[f64], accumulator: &mut [f64]) {
        let Self { sides, x, w, .. } = self;
        x.clear();
        x.extend_from_slice(start);
        product(op, problem, x, accumulator, w);
        let small = UNDECIDED * w.iter().fold(0.0_f64, |m, w| m.max(w.abs()));
        sides.clear();
        let mut moved = false;
        for i in 0..x.len() {
            let (lo, hi) = (problem.lo[i], problem.hi[i]);
            let d = op.diagonal(i);
            let d = if d > 0.0 { d } else { 1.0 };
            let (target, slack) = (x[i] - w[i] / d, small / d);
            let side = if target < lo - slack {
                Side::Lower
            } else if target > hi + slack {
                Side::Upper
            } else {
                Side::Free
            };
            let put = match side {
                Side::Free => x[i],
                Side::Lower => lo,
                Side::Upper => hi,
            };
            moved |= x[i] != put;
            x[i] = put;
            sides.push(side);
        }
        if moved {
            product(op, problem, x, accumulator, w);
        }
    }

    /// Solves the free rows' equations down to rounding; returns their largest w and the magnitude of its terms, if that
    /// is a solution.
    fn refine(
        &mut self,
        op: &FactoredOperator,
        problem: &ProblemView<'_>,
        accumulator: &mut [f64],
        budget: &mut Budget,
    ) -> Option<[f64; 2]> {
        let Self { free, sides, x, w, right, best } = self;
        let (mut last, mut magnitude) = (f64::INFINITY, 0.0);
        for _ in 0..REFINEMENTS {
            best.clone_from(x);
            free.changes(w, right).for_each(|(row, change)| x[row] += change);
            budget.count(free.solution_cost() + PRODUCT * x.len() as f64);
            product(op, problem, x, accumulator, w);
            let error = if problem.b.len() == free.rows() { error_of(w) } else { free_error(sides, w) };
            if error.is_nan() || error >= last {
                x.clone_from(best);
                product(op, problem, x, accumulator, w);
                break;
            }
            let slow = error > 0.5 * last;
            last = error;
            magnitude = magnitude_of(op, problem, x, right);
            if slow || error <= ROUNDING * magnitude {
                break;
            }
        }
        (last <= SOLVED * magnitude && x.iter().all(|x| x.is_finite())).then_some([last, magnitude])
    }

    /// The residual, if all rows are on the sides that they were assigned.
    fn residual(&mut self, problem: &ProblemView<'_>, magnitude: f64) -> Option<f64> {
        let Self { sides, x, w, .. } = self;
        let (x_small, w_small) = (VIOLATION * largest(x), VIOLATION * magnitude);
        let mut residual = 0.0_f64;
        for (i, side) in sides.iter().enumerate() {
            let (lo, hi) = (problem.lo[i], problem.hi[i]);
            let stays = match side {
                Side::Free => x[i] >= lo - x_small && x[i] <= hi + x_small,
                Side::Lower => w[i] >= -w_small,
                Side::Upper => w[i] <= w_small,
            };
            // a w that is not finite satisfies no side
            if !(stays && w[i].is_finite()) {
                return None;
            }
            x[i] = x[i].max(lo).min(hi);
            residual = residual.max((x[i] - (x[i] - w[i]).max(lo).min(hi)).abs());
        }
        Some(residual)
    }
}

/// The magnitude of the terms of w: the largest |b_i| or |A_ii x_i|. `products` is a buffer.
fn magnitude_of(op: &FactoredOperator, problem: &ProblemView<'_>, x: &[f64], products: &mut Vec<f64>) -> f64 {
    let own = op.factored_rows().iter().zip(x).map(|(row, x)| row.diagonal * x);
    larger(largest_of(own, products), largest(problem.b))
}

/// The largest absolute value of some numbers, which are written into a buffer.
fn largest_of(values: impl Iterator<Item = f64>, buffer: &mut Vec<f64>) -> f64 {
    buffer.clear();
    buffer.extend(values);
    largest(buffer)
}

/// The largest absolute value of some numbers, ignoring NaNs.
fn largest(values: &[f64]) -> f64 {
    vectorised(Largest { values })
}

/// [`largest`], with four independent numbers at a time.
struct Largest<'a> {
    values: &'a [f64],
}

impl Work for Largest<'_> {
    type Output = f64;

    #[inline(always)]
    fn run(self) -> f64 {
        let (fours, rest) = self.values.as_chunks::<4>();
        let mut lanes = [0.0; 4];
        for four in fours {
            for k in 0..4 {
                lanes[k] = larger(lanes[k], four[k].abs());
            }
        }
        lanes.into_iter().chain(rest.iter().map(|v| v.abs())).fold(0.0, larger)
    }
}

/// The larger number; the first one if the other is NaN.
#[inline(always)]
fn larger(a: f64, b: f64) -> f64 {
    if b > a { b } else { a }
}

/// The largest |w|; NaN if any is.
fn error_of(w: &[f64]) -> f64 {
    if w.iter().fold(false, |any, w| any | w.is_nan()) { f64::NAN } else { largest(w) }
}

/// The same for the free rows.
fn free_error(sides: &[Side], w: &[f64]) -> f64 {
    let free = sides.iter().zip(w).filter(|(side, _)| **side == Side::Free);
    // a NaN stays a NaN
    free.fold(0.0, |m: f64, (_, w)| if m >= w.abs() || m.is_nan() { m } else { w.abs() })
}

/// w = A x + b, by way of the accumulator.
fn product(op: &FactoredOperator, problem: &ProblemView<'_>, x: &[f64], accumulator: &mut [f64], w: &mut Vec<f64>) {
    op.start(x, accumulator);
    if x.iter().all(|x| *x == 0.0) {
        w.clear();
        w.extend_from_slice(problem.b);
        return;
    }
    // every element is written
    op.rates(x, problem.b, accumulator, w);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{BoxedProblem, LcpSolver, NO_BODY, Operator, PrincipalPivoting, SplitMix64};

    /// Bodies that each hang on an earlier one, or on the world, by one to six random rows; `loops` additional joints close
    /// loops.
    fn linkage(random: &mut SplitMix64, bodies: u32, loops: u32) -> BoxedProblem {
        let mut a = FactoredOperator::new();
        let mut b = Vec::new();
        for k in 0..bodies {
            a.push_body(random.range(0.01, 2.0), [random.range(2.0, 5.0), 3.0, random.range(2.0, 5.0), 0.1, 0.0, 0.2]);
            let before = (random.range(-1.0, f64::from(k)).floor()).max(-1.0);
            let on = if before < 0.0 { NO_BODY } else { before as u32 };
            push_joint(random, &mut a, &mut b, [on, k], 1 + k % 6);
        }
        for _ in 0..loops {
            let [i, k] = [0; 2].map(|_| random.range(0.0, f64::from(bodies)).floor() as u32);
            push_joint(random, &mut a, &mut b, [i, if k == i { NO_BODY } else { k }], 2);
        }
        let n = b.len();
        BoxedProblem::boxed(a, b, vec![f64::NEG_INFINITY; n], vec![f64::INFINITY; n])
    }

    fn push_joint(random: &mut SplitMix64, a: &mut FactoredOperator, b: &mut Vec<f64>, bodies: [u32; 2], rows: u32) {
        for _ in 0..rows {
            let blocks = [0; 2].map(|_| [0; 6].map(|_| random.range(-1.0, 1.0)));
            a.push_row(bodies, blocks[0], blocks[1], 0.0).unwrap();
            b.push(random.range(-1.0, 1.0));
        }
    }

    fn solved(problem: &BoxedProblem, x: &mut [f64]) -> Option<Answer> {
        let Operator::Factored(op) = &problem.operator else { panic!("a factored problem") };
        let mut accumulator = vec![0.0; op.accumulator_len()];
        let mut budget = Budget::default();
        budget.begin(1e9);
        BlockDirect::default().solve(op, &problem.view(), x, &mut accumulator, &mut budget, Matrix::Any)
    }

    /// The tolerance is relative to x: bodies as light as 0.01 kg on random rows have large multipliers.
    fn is_rounding(answer: Answer, x: &[f64]) -> bool {
        answer.residual < 1e-12 * (1.0 + largest(x))
    }

    #[test]
    fn trees_and_loops_are_solved_to_rounding() {
        let mut random = SplitMix64::new(5);
        for round in 0..60 {
            let problem = linkage(&mut random, 1 + round % 20, round % 3);
            let mut x: Vec<f64> = problem.b.iter().map(|_| random.range(-1.0, 1.0)).collect();
            let answer = solved(&problem, &mut x).unwrap();
            assert!(is_rounding(answer, &x), "{round}: {answer:?}");
            let mut exact = vec![0.0; x.len()];
            PrincipalPivoting::default().solve(&problem.view(), &mut exact).unwrap();
            let off = x.iter().zip(&exact).fold(0.0_f64, |m, (a, b)| m.max((a - b).abs()));
            assert!(off < 1e-8 * largest(&exact), "{round}: {off:e}");
        }
    }

    #[test]
    fn rows_stay_at_the_bounds_that_the_start_points_to_or_the_problem_is_left_alone() {
        let mut random = SplitMix64::new(9);
        let (mut solved_ones, mut left_alone) = (0, 0);
        for _ in 0..60 {
            let mut problem = linkage(&mut random, 12, 1);
            // motors and limits
            for i in (0..problem.b.len()).step_by(19) {
                (problem.lo[i], problem.hi[i]) = if i % 2 == 1 { (0.0, f64::INFINITY) } else { (-0.1, 0.1) };
            }
            let mut exact = vec![0.0; problem.b.len()];
            PrincipalPivoting::default().solve(&problem.view(), &mut exact).unwrap();
            // starting from the answer, its own sides are found
            let mut x = exact.clone();
            let again = solved(&problem, &mut x);
            assert!(again.is_some_and(|a| is_rounding(a, &x)), "{again:?}");
            let mut x = vec![0.0; exact.len()];
            if let Some(answer) = solved(&problem, &mut x) {
                solved_ones += 1;
                assert!(is_rounding(answer, &x), "{answer:?}");
            } else {
                left_alone += 1;
                assert!(x.iter().all(|x| *x == 0.0));
            }
        }
        assert!(solved_ones > 0 && left_alone > 0, "{solved_ones} {left_alone}");
    }

    #[test]
    fn a_matrix_that_is_known_is_not_factorised_again_and_gives_the_same_bits() {
        let mut random = SplitMix64::new(21);
        let (mut kept, mut anew) = (BlockDirect::default(), BlockDirect::default());
        for round in 0..20 {
            let mut problem = linkage(&mut random, 1 + round % 9, round % 2);
            let mut budgets = [(); 2].map(|()| Budget::default());
            for budget in &mut budgets {
                budget.begin(1e9);
            }
            for again in 0..3 {
                let matrix = if again == 0 { Matrix::Any } else { Matrix::OfLastSolve };
                let Operator::Factored(op) = &problem.operator else { panic!("a factored problem") };
                let mut accumulator = vec![0.0; op.accumulator_len()];
                let mut xs = [(); 2].map(|()| vec![0.0; problem.b.len()]);
                let view = problem.view();
                let [x, y] = &mut xs;
                assert!(kept.solve(op, &view, x, &mut accumulator, &mut budgets[0], matrix).is_some());
                assert!(anew.solve(op, &view, y, &mut accumulator, &mut budgets[1], Matrix::Any).is_some());
                assert_eq!(x, y, "{round} {again}");
                assert_eq!(budgets[0].spent(), budgets[1].spent());
                problem.b.iter_mut().for_each(|b| *b = random.range(-1.0, 1.0));
            }
        }
        // the control: it does reuse its factors; those of another matrix are used as if they were right
        let other = linkage(&mut random, 5, 0);
        let Operator::Factored(op) = &other.operator else { panic!("a factored problem") };
        let mut accumulator = vec![0.0; op.accumulator_len()];
        let (mut x, mut y) = (vec![0.0; other.b.len()], vec![0.0; other.b.len()]);
        let mut budget = Budget::default();
        budget.begin(1e9);
        assert!(kept.solve(op, &other.view(), &mut x, &mut accumulator, &mut budget, Matrix::Any).is_some());
        let mut heavier = op.clone();
        (0..other.b.len()).for_each(|i| {
            heavier.add_cfm(i, 1.0);
        });
        kept.solve(&heavier, &other.view(), &mut y, &mut accumulator, &mut budget, Matrix::OfLastSolve);
        let mut right = vec![0.0; other.b.len()];
        assert!(anew.solve(&heavier, &other.view(), &mut right, &mut accumulator, &mut budget, Matrix::Any).is_some());
        assert!(right != y, "factors are kept only where the caller says so");
    }

    #[test]
    fn redundant_rows_are_left_to_others() {
        let mut random = SplitMix64::new(3);
        for (rows, loops) in [(7, 0), (4, 1)] {
            let mut a = FactoredOperator::new();
            let mut b = Vec::new();
            a.push_body(1.0, [2.0, 3.0, 4.0, 0.1, 0.0, 0.2]);
            push_joint(&mut random, &mut a, &mut b, [NO_BODY, 0], rows);
            for _ in 0..loops {
                push_joint(&mut random, &mut a, &mut b, [NO_BODY, 0], rows);
            }
            let n = b.len();
            let problem = BoxedProblem::boxed(a, b, vec![f64::NEG_INFINITY; n], vec![f64::INFINITY; n]);
            assert!(solved(&problem, &mut vec![0.0; n]).is_none());
        }
    }
}
