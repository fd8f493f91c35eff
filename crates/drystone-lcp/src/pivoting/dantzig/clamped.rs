//! The clamped rows, and a factorisation of their block that grows and shrinks with them.
use crate::buffers::{collect, refill};
use crate::dense_direct::cholesky::Lower;
use crate::dense_direct::product::{Product, subtract_gram};
use crate::operator::dense::dot;
use crate::{DenseOperator, LcpOperator};

/// A Schur complement below this, relative to the diagonal, marks a row that depends on the clamped ones.
pub(crate) const DEPENDENT: f64 = 1e-11;

/// The clamped set C, with L L^T = A_CC if A is symmetric, otherwise with A_CC^-1.
pub(crate) struct Clamped<'a> {
    a: &'a DenseOperator,
    symmetric: bool,
    pub(crate) rows: &'a mut Vec<usize>,
    width: usize,
    /// L or the inverse, row by row, `width` entries per row.
    factor: &'a mut Vec<f64>,
    /// L^-1 A_Cd of the last response, and its d.
    forward: &'a mut Vec<f64>,
    forward_of: usize,
    /// Pairs of cosine and sine.
    rotations: &'a mut Vec<(f64, f64)>,
    product: &'a mut Product,
    /// Row and column of the border of an inverse.
    border: &'a mut [Vec<f64>; 3],
}

/// Buffers of the clamped set between solves.
#[derive(Debug, Default)]
pub(crate) struct ClampedWorkspace {
    rows: Vec<usize>,
    factor: Vec<f64>,
    forward: Vec<f64>,
    rotations: Vec<(f64, f64)>,
    product: Product,
    border: [Vec<f64>; 3],
}

/// Rows that could join the clamped ones, see [`Clamped::propose`].
#[derive(Debug, Default)]
pub(crate) struct Proposal {
    /// L^-1 A_Cp for each p of P, one after the other.
    forward: Vec<f64>,
    /// Rows of C.
    clamped: usize,
    /// A_PP - A_PC A_CC^-1 A_CP.
    pub(crate) schur: DenseOperator,
}

/// Some members of a proposal, by index.
#[derive(Debug, Default)]
pub(crate) struct Corner {
    pub(crate) members: Vec<usize>,
    /// The Cholesky factor of their Schur complement, row by row.
    factor: Vec<f64>,
    product: Product,
    /// Their steps.
    pub(crate) step: Vec<f64>,
}

impl Proposal {
    /// The steps of a corner's members, from Schur complement times step = `right`, and the complement's Cholesky factor; false if a member depends on others.
    pub(crate) fn solve(
        &self,
        a: &DenseOperator,
        rows: &[usize],
        corner: &mut Corner,
        right: impl Fn(usize) -> f64,
    ) -> bool {
        let Corner { members, factor: l, product, step } = corner;
        let m = members.len();
        l.clear();
        for &i in &*members {
            l.extend(members.iter().map(|&j| self.schur.get(i, j)));
        }
        let lower = Lower { stride: m, rows: m };
        if !lower.factor(l, product) {
            return false;
        }
        let diagonal = |i: usize| a.get(rows[members[i]], rows[members[i]]).abs();
        if (0..m).any(|i| l[i * m + i] * l[i * m + i] <= DEPENDENT * diagonal(i)) {
            return false;
        }
        collect(step, members.iter().map(|&i| right(i)));
        lower.forward(l, step);
        lower.backward(l, step);
        true
    }

    /// L^-1 A_Cp for member j.
    fn forward(&self, j: usize) -> &[f64] {
        &self.forward[j * self.clamped..(j + 1) * self.clamped]
    }
}

impl<'a> Clamped<'a> {
    pub(crate) fn new(a: &'a DenseOperator, symmetric: bool, workspace: &'a mut ClampedWorkspace) -> Self {
        let ClampedWorkspace { rows, factor, forward, rotations, product, border } = workspace;
        rows.clear();
        factor.clear();
        let (width, forward_of) = (a.rows(), usize::MAX);
        Self { a, symmetric, rows, width, factor, forward, forward_of, rotations, product, border }
    }

    /// Memory for the factor, which a complete block start never needs.
    fn reserve(&mut self) {
        self.factor.resize(self.width * self.width, 0.0);
    }

    pub(crate) fn clear(&mut self) {
        self.rows.clear();
        self.forward_of = usize::MAX;
    }

    /// Adds these rows all at once if their block is well conditioned, otherwise one by one without those that depend on others. For
    /// symmetric A.
    pub(crate) fn fill(&mut self, rows: &[usize]) {
        self.clear();
        self.reserve();
        for (i, &row) in rows.iter().enumerate() {
            let source = self.a.row(row);
            for (target, &j) in self.factor[i * self.width..=i * self.width + i].iter_mut().zip(rows) {
                *target = source[j];
            }
        }
        let lower = Lower { stride: self.width, rows: rows.len() };
        if lower.factor(self.factor, self.product) {
            let pivot = |i: usize| self.factor[i * self.width + i];
            let independent = |(i, &row): (usize, &usize)| pivot(i) * pivot(i) > DEPENDENT * self.a.get(row, row);
            if rows.iter().enumerate().all(independent) {
                self.rows.extend_from_slice(rows);
                return;
            }
        }
        for &row in rows {
            self.push(row);
        }
    }

    fn lower(&self) -> Lower {
        Lower { stride: self.width, rows: self.rows.len() }
    }

    /// Replaces y by A_CC^-1 y. For symmetric A.
    pub(crate) fn solve(&self, y: &mut [f64]) {
        self.lower().forward(self.factor, y);
        self.lower().backward(self.factor, y);
    }

    /// The change of the clamped x for a unit change of x_d: -A_CC^-1 A_Cd.
    pub(crate) fn response(&mut self, d: usize, change: &mut Vec<f64>) {
        if !self.symmetric {
            let Self { a, rows, width, factor, border: [column, ..], .. } = self;
            response_by_inverse(a, rows, (factor, *width), d, column, change);
            return;
        }
        self.forward_to(d);
        collect(change, self.forward.iter().map(|v| -v));
        self.lower().backward(self.factor, change);
    }

    /// L^-1 A_Cd into `forward`.
    fn forward_to(&mut self, d: usize) {
        if self.forward_of == d {
            return;
        }
        let row = self.a.row(d);
        collect(self.forward, self.rows.iter().map(|&i| row[i]));
        self.lower().forward(self.factor, self.forward);
        self.forward_of = d;
    }

    /// Prepares to add some of these rows. For symmetric A.
    pub(crate) fn propose(&mut self, rows: &[usize], proposal: &mut Proposal) {
        self.reserve();
        let (k, s) = (self.rows.len(), rows.len());
        let Proposal { forward, clamped, schur } = proposal;
        *clamped = k;
        forward.clear();
        schur.refill(s, |entries| {
            for row in rows.iter().map(|&i| self.a.row(i)) {
                forward.extend(self.rows.iter().map(|&j| row[j]));
                entries.extend(rows.iter().map(|&j| row[j]));
            }
            self.lower().solve_rows(self.factor, forward, s, self.product);
            subtract_gram(self.product, entries, forward, k, s);
        });
    }

    /// The change of the clamped x that keeps their w = 0 as the proposal's rows change by `step`.
    pub(crate) fn spread(&self, proposal: &Proposal, step: &[f64], change: &mut Vec<f64>) {
        refill(change, self.rows.len(), 0.0);
        for (j, step) in step.iter().enumerate().filter(|(_, step)| **step != 0.0) {
            for (c, y) in change.iter_mut().zip(proposal.forward(j)) {
                *c -= y * step;
            }
        }
        self.lower().backward(self.factor, change);
    }

    /// Adds those rows of a proposal that are a corner of it.
    pub(crate) fn accept(&mut self, rows: &[usize], proposal: &Proposal, corner: &Corner) {
        let Corner { members, factor: l, .. } = corner;
        let k = self.rows.len();
        for (m, &j) in members.iter().enumerate() {
            let row = &mut self.factor[(k + m) * self.width..(k + m + 1) * self.width];
            row[..k].copy_from_slice(proposal.forward(j));
            row[k..=k + m].copy_from_slice(&l[m * members.len()..=m * members.len() + m]);
        }
        self.rows.extend(members.iter().map(|&j| rows[j]));
        self.forward_of = usize::MAX;
    }

    /// Adds a row; false if it depends on those already in the set.
    pub(crate) fn push(&mut self, d: usize) -> bool {
        self.reserve();
        let diagonal = self.a.get(d, d);
        let k = self.rows.len();
        if self.symmetric {
            self.forward_to(d);
            let schur = diagonal - dot(self.forward, self.forward);
            if schur.is_nan() || schur <= DEPENDENT * diagonal.abs() {
                return false;
            }
            let start = k * self.width;
            self.factor[start..start + k].copy_from_slice(self.forward);
            self.factor[start + k] = schur.sqrt();
        } else if !self.border(d, diagonal) {
            return false;
        }
        self.rows.push(d);
        self.forward_of = usize::MAX;
        true
    }

    /// [A_CC A_Cd; A_dC A_dd]^-1 by bordering.
    fn border(&mut self, d: usize, diagonal: f64) -> bool {
        let k = self.rows.len();
        let Self { a, rows, width, factor, border: [column, u, v], .. } = self;
        let width = *width;
        response_by_inverse(a, rows, (factor, width), d, column, u);
        refill(v, k, 0.0);
        for (row_of_inverse, &row) in factor.chunks_exact(width).zip(&**rows) {
            let left = -a.get(d, row);
            for (v, b) in v.iter_mut().zip(row_of_inverse) {
                *v += left * b;
            }
        }
        let schur = diagonal + rows.iter().zip(&*u).map(|(&row, u)| a.get(d, row) * u).sum::<f64>();
        if schur.abs() <= DEPENDENT * diagonal.abs() || !schur.is_finite() {
            return false;
        }
        for i in 0..k {
            let scaled = u[i] / schur;
            for (j, v) in v.iter().enumerate() {
                factor[i * width + j] += scaled * v;
            }
            factor[i * width + k] = scaled;
        }
        for (j, v) in v.iter().enumerate() {
            factor[k * width + j] = v / schur;
        }
        factor[k * width + k] = 1.0 / schur;
        true
    }

    /// Removes a row.
    pub(crate) fn remove(&mut self, d: usize) {
        let Some(place) = self.rows.iter().position(|&row| row == d) else { return };
        self.forward_of = usize::MAX;
        if self.symmetric {
            self.rotate_out(place);
            self.rows.remove(place);
        } else {
            self.shrink(place);
        }
    }

    /// The rows of L below the removed one move up; rotations of neighbouring columns make them triangular again.
    fn rotate_out(&mut self, place: usize) {
        let (k, width) = (self.rows.len(), self.width);
        self.rotations.clear();
        for i in place + 1..k {
            let (above, below) = self.factor.split_at_mut(i * width);
            let (target, source) = (&mut above[(i - 1) * width..(i - 1) * width + i], &below[..=i]);
            target[..place].copy_from_slice(&source[..place]);
            let mut carried = source[place];
            for (&(c, s), j) in self.rotations.iter().zip(place..) {
                let next = source[j + 1];
                target[j] = c * carried + s * next;
                carried = c * next - s * carried;
            }
            let last = source[i];
            let r = libm::hypot(carried, last);
            let (c, s) = if r > 0.0 { (carried / r, last / r) } else { (1.0, 0.0) };
            target[i - 1] = r;
            self.rotations.push((c, s));
        }
    }

    /// The last row takes the removed one's place in the inverse.
    fn shrink(&mut self, place: usize) {
        let (last, width) = (self.rows.len() - 1, self.width);
        if place != last {
            for i in 0..=last {
                self.factor.swap(i * width + place, i * width + last);
            }
            for j in 0..=last {
                self.factor.swap(place * width + j, last * width + j);
            }
            self.rows.swap(place, last);
        }
        let pivot = self.factor[last * width + last];
        for i in 0..last {
            let scale = self.factor[i * width + last] / pivot;
            for j in 0..last {
                self.factor[i * width + j] -= scale * self.factor[last * width + j];
            }
        }
        self.rows.pop();
    }
}

/// [`Clamped::response`] by the inverse of A_CC, row by row with its width; A_Cd goes into `column`.
fn response_by_inverse(
    a: &DenseOperator,
    rows: &[usize],
    (inverse, width): (&[f64], usize),
    d: usize,
    column: &mut Vec<f64>,
    change: &mut Vec<f64>,
) {
    let k = rows.len();
    collect(column, rows.iter().map(|&i| -a.get(i, d)));
    collect(change, inverse.chunks_exact(width).take(k).map(|row| dot(&row[..k], column)));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{MatrixFamily, Operator, ProblemGenerator};

    #[test]
    fn rows_come_and_go_and_the_block_is_solved() {
        let generator = ProblemGenerator { rows: 9, family: MatrixFamily::PositiveDefinite, active: 0.5, seed: 3 };
        let Operator::Dense(a) = generator.lcp().0.operator else { panic!("the generator's matrices are dense") };
        for symmetric in [true, false] {
            let mut workspace = ClampedWorkspace::default();
            let mut clamped = Clamped::new(&a, symmetric, &mut workspace);
            for d in [4, 1, 7, 0, 8, 3] {
                assert!(clamped.push(d));
            }
            for d in [1, 3, 4] {
                clamped.remove(d);
            }
            assert!(clamped.push(5));
            let mut change = Vec::new();
            clamped.response(2, &mut change);
            for &i in &*clamped.rows {
                let sum: f64 = clamped.rows.iter().zip(&change).map(|(&j, v)| a.get(i, j) * v).sum();
                assert!((sum + a.get(i, 2)).abs() < 1e-12);
            }
        }
    }
}
