use super::{LinearProgram, Relation};
use crate::buffers::{collect, copy, refill};
use crate::operator::dense::dot;

/// A program rewritten over p >= 0 alone, x = constant + T p, with its numbers scaled by powers of two. It keeps its memory from one program to the next.
#[derive(Debug, Default)]
pub(crate) struct StandardForm {
    /// x at p = 0.
    pub(crate) constant: Vec<f64>,
    /// For each p the variable that it moves, and by how much.
    pub(crate) columns: Vec<(usize, f64)>,
    /// Left sides over p, row by row: the program's constraints, then one row per upper bound.
    cells: Vec<f64>,
    pub(crate) relations: Vec<Relation>,
    pub(crate) right: Vec<f64>,
    /// The factor by which each row was multiplied.
    pub(crate) scale: Vec<f64>,
    /// Each p that has an upper bound, with that bound.
    bounded: Vec<(usize, f64)>,
}

/// The power of two just below 1 / largest; 1 for zero.
fn normaliser(largest: f64) -> f64 {
    if largest > 0.0 { libm::exp2(-libm::log2(largest).floor()).clamp(1e-150, 1e150) } else { 1.0 }
}

impl StandardForm {
    /// Rewrites a program.
    pub(crate) fn make(&mut self, program: &LinearProgram) {
        self.list_columns(program);
        let Self { constant, columns, cells, relations, right, scale, bounded } = self;
        // Columns by their largest entry, then rows by theirs.
        for (j, factor) in &mut *columns {
            *factor *= normaliser(program.rows.iter().fold(0.0_f64, |m, row| m.max(row[*j].abs())));
        }
        cells.clear();
        for row in &program.rows {
            cells.extend(columns.iter().map(|&(j, f)| f * row[j]));
        }
        collect(right, program.rows.iter().zip(&program.right).map(|(row, b)| b - dot(row, constant)));
        copy(relations, &program.relations);
        for &(k, room) in &*bounded {
            let first = cells.len();
            cells.resize(first + columns.len(), 0.0);
            cells[first + k] = columns[k].1;
            relations.push(Relation::AtMost);
            right.push(room);
        }
        scale.clear();
        let width = columns.len();
        for (i, right) in right.iter_mut().enumerate() {
            let row = &mut cells[i * width..(i + 1) * width];
            let by = normaliser(row.iter().fold(0.0_f64, |m, v| m.max(v.abs())));
            for v in row {
                *v *= by;
            }
            *right *= by;
            scale.push(by);
        }
    }

    /// The p of each variable, its constant, and the remaining upper bounds.
    fn list_columns(&mut self, program: &LinearProgram) {
        let Self { constant, columns, bounded, .. } = self;
        refill(constant, program.cost.len(), 0.0);
        columns.clear();
        bounded.clear();
        for (j, constant) in constant.iter_mut().enumerate() {
            let (lo, hi) = (program.lo[j], program.hi[j]);
            if lo.is_finite() {
                *constant = lo;
                if lo < hi {
                    if hi.is_finite() {
                        bounded.push((columns.len(), hi - lo));
                    }
                    columns.push((j, 1.0));
                }
            } else if hi.is_finite() {
                *constant = hi;
                columns.push((j, -1.0));
            } else {
                columns.extend([(j, 1.0), (j, -1.0)]);
            }
        }
    }

    /// Number of rows.
    pub(crate) fn rows(&self) -> usize {
        self.relations.len()
    }

    /// The left side of a row over p.
    pub(crate) fn row(&self, i: usize) -> &[f64] {
        &self.cells[i * self.columns.len()..(i + 1) * self.columns.len()]
    }

    /// T^T g.
    pub(crate) fn reduce(&self, gradient: &[f64]) -> impl Iterator<Item = f64> {
        self.columns.iter().map(|&(j, factor)| factor * gradient[j])
    }

    /// T p.
    pub(crate) fn expand(&self, p: &[f64], x: &mut Vec<f64>) {
        refill(x, self.constant.len(), 0.0);
        for (&(j, factor), p) in self.columns.iter().zip(p) {
            x[j] += factor * p;
        }
    }

    /// constant + T p, within the program's bounds up to rounding.
    pub(crate) fn point(&self, program: &LinearProgram, p: &[f64], x: &mut Vec<f64>) {
        self.expand(p, x);
        for (j, x) in x.iter_mut().enumerate() {
            *x = (*x + self.constant[j]).max(program.lo[j]).min(program.hi[j]);
        }
    }
}
