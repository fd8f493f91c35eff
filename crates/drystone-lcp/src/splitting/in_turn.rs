use crate::block_direct::{FreeRows, Redundancy};
use crate::buffers::collect;
use crate::splitting::eliminated::Left;
use crate::splitting::projected_gauss_seidel::{Rows, couplings, steps};
use crate::{Budget, EliminatedGaussSeidel, FactoredOperator, LcpOperator, OperatorRef, ProblemView, Share};

/// Sweeps per visit of all rows, over the Schur complement of up to [`EliminatedGaussSeidel::MOST_DENSE`] rows with
/// bounds.
const INNER: usize = 10;
/// The sweeps end at this change, as a fraction of the largest multiplier.
const STEADY: f64 = 1e-9;

/// Sweeps over the rows of a problem whose bodies are also pushed by something else: rows without bounds are solved exactly, those with bounds on
/// the remaining problem.
///
/// For callers that treat contacts in their own way. The accumulator holds the contacts' effect on bodies together with that of the rows, `W J^T x`: six numbers per body, the
/// change of its velocity. After each sweep the rows without bounds hold, whatever the accumulator contained. Up to 256 rows with bounds are swept on their Schur complement, as by
/// [`EliminatedGaussSeidel`]; if there are more, they are swept directly.
///
/// # Cost
/// Initially a sparse factorisation, and a solution with its factors per row with bounds; then up to two solutions per
/// sweep.
///
/// # Source
/// D. Baraff, "Linear-time dynamics using Lagrange multipliers", 1996, section 7: joints are solved at once, contacts by iteration around them.
#[derive(Debug, Default)]
pub struct SweepsInTurn {
    free: FreeRows,
    left: Left,
    budget: Budget,
}

impl SweepsInTurn {
    /// From here on, its solves continue the count from what a share has spent.
    pub fn share(&mut self, share: Share) {
        self.budget.share(share);
    }

    /// Multiplications counted so far.
    pub fn spent(&self) -> f64 {
        self.budget.spent()
    }

    /// Takes a problem and factorises its rows without bounds; rows that these hold completely lose their initial multipliers. Sweeping requires this to return true. It returns
    /// false if the factorisation would take more than is left of a budget of [`Budget::USUAL`], or too much memory, or if the operator is not a factored one.
    pub fn begin(&mut self, problem: &ProblemView<'_>, x: &mut [f64]) -> bool {
        self.begin_with(problem, x, Redundancy::Yielding)
    }

    /// The same with the diagonal enlarged by a fraction of itself: rows that depend on each other, or nearly so, are left off by what it takes.
    pub fn begin_damped(&mut self, problem: &ProblemView<'_>, x: &mut [f64], fraction: f64) -> bool {
        self.begin_with(problem, x, Redundancy::Damped(fraction))
    }

    fn begin_with(&mut self, problem: &ProblemView<'_>, x: &mut [f64], redundancy: Redundancy) -> bool {
        let OperatorRef::Factored(op) = problem.operator else { return false };
        self.budget.begin(Budget::USUAL);
        let Self { free, left, budget } = self;
        left.take_rows(problem);
        if !free.factorise(op, &left.sides, redundancy, budget) {
            return false;
        }
        if left.is_dense() {
            budget.count(left.rows.len() as f64 * free.solution_cost());
            left.take_bounds(problem, x);
            left.form_matrix(op, free);
            left.rows.iter().zip(&left.x).for_each(|(&i, value)| x[i] = *value);
            let Left { matrix, b, lo, hi, dependency, mu, partner, diagonal, coupling, .. } = left;
            let view = ProblemView { operator: OperatorRef::Dense(matrix), b, lo, hi, dependency, mu, partner };
            steps(&*matrix, diagonal);
            couplings(&*matrix, &view, 1.0, coupling);
        } else {
            steps(op, &mut left.diagonal);
            couplings(op, problem, 1.0, &mut left.coupling);
        }
        true
    }

    /// Visits all rows once; x holds the multipliers, and `acc` the changes of velocity caused by them and by others.
    pub fn sweep(&mut self, problem: &ProblemView<'_>, x: &mut [f64], acc: &mut [f64]) {
        let OperatorRef::Factored(op) = problem.operator else { return };
        let Self { free, left, budget } = self;
        let mut moved = true;
        if left.is_dense() {
            if !left.rows.is_empty() {
                budget.count(free.solution_cost());
                left.take_rates(op, problem, x, acc);
                left.answer(op, free, acc, Some(x));
                moved = left.relax(op, problem, x, acc);
            }
        } else {
            let mut sweep = Rows { op, problem, step: &left.diagonal, coupling: &left.coupling, lambda: 1.0 };
            sweep.visit(left.rows.iter().copied(), x, acc);
        }
        if moved {
            budget.count(free.solution_cost());
            left.take_rates(op, problem, x, acc);
            left.answer(op, free, acc, Some(x));
        }
    }

    /// Number of rows with bounds.
    pub fn bounded(&self) -> usize {
        self.left.rows.len()
    }

    /// Adds to `acc` the change `W J^T x` with which the rows without bounds change by `-errors`, all others being left out.
    pub fn close(&mut self, op: &FactoredOperator, errors: &[f64], acc: &mut [f64], x: &mut [f64]) {
        let Self { free, left, budget } = self;
        budget.count(free.solution_cost());
        left.close(op, free, errors, acc, x);
    }

    /// Solves for the rows without bounds until they hold to rounding; with redundant rows this takes more than one solution.
    pub fn settle(&mut self, problem: &ProblemView<'_>, x: &mut [f64], acc: &mut [f64]) {
        let OperatorRef::Factored(op) = problem.operator else { return };
        let Self { free, left, .. } = self;
        left.settle(op, problem, free, x, acc);
    }
}

impl Left {
    fn is_dense(&self) -> bool {
        self.rows.len() <= EliminatedGaussSeidel::MOST_DENSE
    }

    /// Sweeps over the rows with bounds while the others hold; returns whether any multiplier has changed, to which the others have
    /// not yet responded.
    fn relax(&mut self, op: &FactoredOperator, problem: &ProblemView<'_>, x: &mut [f64], acc: &mut [f64]) -> bool {
        self.take_bounds(problem, x);
        // the rates without these rows
        let without = |(place, &i): (usize, &usize)| {
            let theirs: f64 = (0..self.x.len()).map(|other| self.matrix.get(place, other) * self.x[other]).sum();
            op.row_dot(i, x, acc) + problem.b[i] - theirs
        };
        collect(&mut self.b, self.rows.iter().enumerate().map(without));
        let Self { matrix, b, lo, hi, dependency, mu, partner, x: inner, diagonal, coupling, rows, .. } = self;
        let view = ProblemView { operator: OperatorRef::Dense(matrix), b, lo, hi, dependency, mu, partner };
        let mut sweep = Rows { op: &*matrix, problem: &view, step: diagonal, coupling, lambda: 1.0 };
        for _ in 0..INNER {
            let change = sweep.visit(0..rows.len(), inner, &mut []);
            if change <= STEADY * inner.iter().fold(0.0, |m: f64, x| m.max(x.abs())) {
                break;
            }
        }
        let mut moved = false;
        for (&row, value) in rows.iter().zip(inner.iter()) {
            let change = value - x[row];
            if change != 0.0 {
                op.bump(row, change, acc);
                (x[row], moved) = (*value, true);
            }
        }
        moved
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{DenseOperator, NO_BODY, NO_DEPENDENCY, NO_PARTNER};

    /// Two bodies of 1 kg, joined along x; a limit keeps the second from moving back, and an outside push gives the first the speed `push` (m/s).
    fn solved(push: f64) -> (Vec<f64>, Vec<f64>) {
        let mut op = FactoredOperator::new();
        for _ in 0..2 {
            op.push_body(1.0, [1.0, 1.0, 1.0, 0.0, 0.0, 0.0]);
        }
        let along = |v: f64| [v, 0.0, 0.0, 0.0, 0.0, 0.0];
        op.push_row([0, 1], along(-1.0), along(1.0), 0.0).unwrap();
        op.push_row([NO_BODY, 1], along(0.0), along(1.0), 0.0).unwrap();
        let problem = ProblemView {
            operator: OperatorRef::Factored(&op),
            b: &[0.0, 0.0],
            lo: &[f64::NEG_INFINITY, 0.0],
            hi: &[f64::INFINITY; 2],
            dependency: &[NO_DEPENDENCY; 2],
            mu: &[0.0; 2],
            partner: &[NO_PARTNER; 2],
        };
        let (mut x, mut acc) = (vec![0.0; 2], vec![0.0; op.accumulator_len()]);
        let mut sweeps = SweepsInTurn::default();
        assert!(sweeps.begin(&problem, &mut x));
        // an outside push on the first body
        acc[0] += push;
        sweeps.sweep(&problem, &mut x, &mut acc);
        (x, acc)
    }

    /// More bounded rows than can be formed as a matrix: pairs of bodies, joined along x, with limits that
    /// keep the second of each pair from moving back. Swept directly, they converge too.
    #[test]
    fn many_limits_are_swept_by_themselves() {
        const PAIRS: usize = EliminatedGaussSeidel::MOST_DENSE + 44;
        let mut op = FactoredOperator::new();
        let along = |v: f64| [v, 0.0, 0.0, 0.0, 0.0, 0.0];
        for pair in 0..PAIRS as u32 {
            for _ in 0..2 {
                op.push_body(1.0, [1.0, 1.0, 1.0, 0.0, 0.0, 0.0]);
            }
            op.push_row([2 * pair, 2 * pair + 1], along(-1.0), along(1.0), 0.0).unwrap();
            op.push_row([NO_BODY, 2 * pair + 1], along(0.0), along(1.0), 0.0).unwrap();
        }
        let rows = 2 * PAIRS;
        let lo: Vec<f64> = (0..rows).map(|i| if i % 2 == 0 { f64::NEG_INFINITY } else { 0.0 }).collect();
        let problem = ProblemView {
            operator: OperatorRef::Factored(&op),
            b: &vec![0.0; rows],
            lo: &lo,
            hi: &vec![f64::INFINITY; rows],
            dependency: &vec![NO_DEPENDENCY; rows],
            mu: &vec![0.0; rows],
            partner: &vec![NO_PARTNER; rows],
        };
        let (mut x, mut acc) = (vec![0.0; rows], vec![0.0; op.accumulator_len()]);
        let mut sweeps = SweepsInTurn::default();
        assert!(sweeps.begin(&problem, &mut x));
        // every other pair is pushed towards its limit
        let push = |pair: usize| if pair.is_multiple_of(2) { 2.0 } else { -2.0 };
        (0..PAIRS).for_each(|pair| acc[12 * pair] = push(pair));
        for _ in 0..60 {
            sweeps.sweep(&problem, &mut x, &mut acc);
        }
        for pair in 0..PAIRS {
            let wanted = if push(pair) > 0.0 { [1.0, 0.0] } else { [-2.0, 2.0] };
            assert!((0..2).all(|k| (x[2 * pair + k] - wanted[k]).abs() < 1e-12), "{pair}: {:?}", &x[2 * pair..][..2]);
        }
    }

    #[test]
    fn an_operator_that_is_not_factored_is_refused() {
        let matrix = DenseOperator::zeros(1);
        let problem = ProblemView {
            operator: OperatorRef::Dense(&matrix),
            b: &[1.0],
            lo: &[0.0],
            hi: &[f64::INFINITY],
            dependency: &[NO_DEPENDENCY],
            mu: &[0.0],
            partner: &[NO_PARTNER],
        };
        let (mut sweeps, mut x) = (SweepsInTurn::default(), [3.0]);
        assert!(!sweeps.begin(&problem, &mut x));
        sweeps.sweep(&problem, &mut x, &mut []);
        sweeps.settle(&problem, &mut x, &mut []);
        assert_eq!(x, [3.0]);
    }

    #[test]
    fn rows_hold_whatever_others_do() {
        // away from the limit both move at half the speed; towards it neither moves
        let (x, acc) = solved(2.0);
        assert!((acc[0] - 1.0).abs() < 1e-15 && (acc[6] - 1.0).abs() < 1e-15, "{acc:?}");
        assert!((x[0] - 1.0).abs() < 1e-15 && x[1] == 0.0, "{x:?}");
        let (x, acc) = solved(-2.0);
        assert!(acc[0].abs() < 1e-12 && acc[6].abs() < 1e-12, "{acc:?}");
        assert!((x[0] + 2.0).abs() < 1e-12 && (x[1] - 2.0).abs() < 1e-12, "{x:?}");
    }
}
