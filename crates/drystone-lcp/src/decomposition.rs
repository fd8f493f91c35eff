//! Splits a problem into independent parts.
use crate::sparse_direct::structure::{Pattern, find};
use crate::{
    BoxedProblem, DenseOperator, FactoredOperator, LcpError, LcpReport, LcpSolver, LcpStatus, NO_BODY, NO_DEPENDENCY,
    NO_PARTNER, Operator, OperatorRef, ProblemView, SparseOperator,
};

/// A boxed problem as independent ones: two rows belong to one group if A couples them, directly or through others, or if the bounds of one depend on the
/// other.
///
/// Solving group by group gives the solution of the whole, since A is block diagonal in the order of the groups. A method whose cost grows faster than the number
/// of rows gains from this, and an iterative one stops in each group as soon as that group is accurate.
///
/// # Source
/// Erleben 2005, section 4.16.2 (contact groups; the block form of the matrix) and Table 5.4 (F-37).
#[derive(Debug)]
pub struct Decomposition {
    groups: Vec<(Vec<u32>, BoxedProblem)>,
    rows: usize,
}

impl Decomposition {
    /// Finds the groups and copies each one's part of the problem. Rows of a group stay in their order, groups are ordered by their
    /// first row.
    ///
    /// The problem must have passed [`ProblemView::validate`].
    ///
    /// # Errors
    /// [`LcpError::Size`].
    ///
    /// # Cost
    /// Linear in the entries of A; n^2 for an operator that only knows its entries.
    pub fn new(problem: &ProblemView<'_>) -> Result<Self, LcpError> {
        let n = problem.len();
        problem.check_sizes(&vec![0.0; n])?;
        let mut leader: Vec<u32> = (0..n as u32).collect();
        let mut join = |i: usize, j: usize| {
            let (a, b) = (find(&mut leader, i as u32), find(&mut leader, j as u32));
            leader[a.max(b) as usize] = a.min(b);
        };
        for i in 0..n {
            if let Some(j) = problem.parent(i) {
                join(i, j);
            }
        }
        let mut join_all = |cliques: Vec<Vec<u32>>| {
            for pair in cliques.iter().flat_map(|c| c.windows(2)) {
                join(pair[0] as usize, pair[1] as usize);
            }
        };
        match problem.operator {
            OperatorRef::Factored(op) => join_all(op.cliques()),
            OperatorRef::Sparse(op) => join_all(op.cliques()),
            OperatorRef::Dense(_) | OperatorRef::Custom(_) => {
                let a = problem.operator.to_dense();
                for i in 0..n {
                    for (j, v) in a.row(i).iter().enumerate() {
                        if *v != 0.0 {
                            join(i, j);
                        }
                    }
                }
            }
        }
        let mut group_of = vec![usize::MAX; n];
        let mut groups: Vec<Vec<u32>> = Vec::new();
        for i in 0..n {
            let l = find(&mut leader, i as u32) as usize;
            if l == i {
                group_of[i] = groups.len();
                groups.push(Vec::new());
            }
            groups[group_of[l]].push(i as u32);
        }
        let mut place = vec![0; n];
        for group in &groups {
            for (k, &i) in group.iter().enumerate() {
                place[i as usize] = k as u32;
            }
        }
        let cut = |rows: Vec<u32>| restrict(problem, &rows, &place).map(|p| (rows, p));
        Ok(Self { groups: groups.into_iter().map(cut).collect::<Result<_, _>>()?, rows: n })
    }

    /// The groups: their rows in the whole problem, and their own problems.
    pub fn groups(&self) -> &[(Vec<u32>, BoxedProblem)] {
        &self.groups
    }

    /// Solves group by group. The report has the worst status, the sum of the iterations, the largest residual and the largest change of any group.
    ///
    /// # Errors
    /// Those of [`LcpSolver::solve`], and [`LcpError::Size`].
    pub fn solve(&self, solver: &mut dyn LcpSolver, x: &mut [f64]) -> Result<LcpReport, LcpError> {
        if x.len() != self.rows {
            return Err(LcpError::Size { what: "x", expected: self.rows, found: x.len() });
        }
        let mut whole = LcpReport { status: LcpStatus::Converged, iterations: 0, residual: Some(0.0), change: 0.0 };
        let mut part = Vec::new();
        for (rows, problem) in &self.groups {
            part.clear();
            part.extend(rows.iter().map(|&i| x[i as usize]));
            let report = solver.solve(&problem.view(), &mut part)?;
            for (&i, value) in rows.iter().zip(&part) {
                x[i as usize] = *value;
            }
            if severity(report.status) > severity(whole.status) {
                whole.status = report.status;
            }
            whole.iterations += report.iterations;
            whole.residual = whole.residual.zip(report.residual).map(|(a, b)| a.max(b));
            whole.change = whole.change.max(report.change);
        }
        Ok(whole)
    }
}

fn severity(status: LcpStatus) -> u8 {
    match status {
        LcpStatus::Converged => 0,
        LcpStatus::IterationLimit => 1,
        LcpStatus::Stagnated => 2,
        LcpStatus::Ray => 3,
        LcpStatus::Failed => 4,
    }
}

/// The rows' own problem, its operator stored like that of the whole; `place` numbers rows within their groups.
fn restrict(problem: &ProblemView<'_>, rows: &[u32], place: &[u32]) -> Result<BoxedProblem, LcpError> {
    let pick = |values: &[f64]| -> Vec<f64> { rows.iter().map(|&i| values[i as usize]).collect() };
    let operator: Operator = match problem.operator {
        OperatorRef::Factored(op) => factored(op, rows)?.into(),
        OperatorRef::Sparse(op) => {
            let mut triplets = Vec::new();
            for (k, &i) in rows.iter().enumerate() {
                let (columns, values) = op.row(i as usize);
                triplets.extend(columns.iter().zip(values).map(|(&j, &v)| (k, place[j as usize] as usize, v)));
            }
            SparseOperator::from_triplets(rows.len(), &triplets)?.into()
        }
        OperatorRef::Dense(_) | OperatorRef::Custom(_) => {
            let mut dense = DenseOperator::zeros(rows.len());
            for (r, &i) in rows.iter().enumerate() {
                for (c, &j) in rows.iter().enumerate() {
                    dense.set(r, c, problem.operator.entry(i as usize, j as usize));
                }
            }
            dense.into()
        }
    };
    let (mut dependency, mut mu) = (Vec::new(), Vec::new());
    if !problem.dependency.is_empty() {
        dependency = rows.iter().map(|&i| problem.parent(i as usize).map_or(NO_DEPENDENCY, |j| place[j])).collect();
        mu = pick(problem.mu);
    }
    let mut partner = Vec::new();
    if problem.has_discs() {
        partner = rows.iter().map(|&i| problem.partner(i as usize).map_or(NO_PARTNER, |k| place[k])).collect();
    }
    let (b, lo, hi) = (pick(problem.b), pick(problem.lo), pick(problem.hi));
    Ok(BoxedProblem { operator, b, lo, hi, dependency, mu, partner })
}

/// The rows with the bodies that they touch, the bodies numbered in the order in which they are met.
fn factored(op: &FactoredOperator, rows: &[u32]) -> Result<FactoredOperator, LcpError> {
    let mut bodies: Vec<u32> =
        rows.iter().flat_map(|&i| op.factored_rows()[i as usize].bodies).filter(|b| *b != NO_BODY).collect();
    bodies.sort_unstable();
    bodies.dedup();
    let mut part = FactoredOperator::new();
    for &body in &bodies {
        let (mass, inertia) = op.body(body as usize).unwrap_or((0.0, [0.0; 6]));
        part.push_body(mass, inertia);
    }
    for &i in rows {
        let row = &op.factored_rows()[i as usize];
        let own = row.bodies.map(|b| bodies.binary_search(&b).map_or(NO_BODY, |k| k as u32));
        part.push_row(own, row.jacobian[0], row.jacobian[1], row.cfm)?;
    }
    Ok(part)
}
