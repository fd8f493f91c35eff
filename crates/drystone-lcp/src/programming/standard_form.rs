use super::{LinearProgram, Relation};
use crate::operator::dense::dot;

/// A program rewritten over p >= 0 alone, x = constant + T p, with its numbers scaled by powers of two.
pub(crate) struct StandardForm {
    /// x where p = 0.
    pub(crate) constant: Vec<f64>,
    /// Per p the variable that it moves and by how much.
    pub(crate) columns: Vec<(usize, f64)>,
    /// Left sides over p: the program's constraints, then one row an upper bound.
    pub(crate) rows: Vec<Vec<f64>>,
    pub(crate) relations: Vec<Relation>,
    pub(crate) right: Vec<f64>,
    /// By what each row was multiplied.
    pub(crate) scale: Vec<f64>,
}

/// The power of two next below 1 / largest; 1 for nothing.
fn normaliser(largest: f64) -> f64 {
    if largest > 0.0 { libm::exp2(-libm::log2(largest).floor()).clamp(1e-150, 1e150) } else { 1.0 }
}

impl StandardForm {
    pub(crate) fn new(program: &LinearProgram) -> Self {
        let n = program.cost.len();
        let (mut constant, mut columns, mut bounded) = (vec![0.0; n], Vec::new(), Vec::new());
        for j in 0..n {
            let (lo, hi) = (program.lo[j], program.hi[j]);
            if lo.is_finite() {
                constant[j] = lo;
                if lo < hi {
                    if hi.is_finite() {
                        bounded.push((columns.len(), hi - lo));
                    }
                    columns.push((j, 1.0));
                }
            } else if hi.is_finite() {
                constant[j] = hi;
                columns.push((j, -1.0));
            } else {
                columns.extend([(j, 1.0), (j, -1.0)]);
            }
        }
        // Columns by their largest entry, then rows by theirs.
        for (j, factor) in &mut columns {
            *factor *= normaliser(program.rows.iter().fold(0.0_f64, |m, row| m.max(row[*j].abs())));
        }
        let mut form = Self {
            rows: program.rows.iter().map(|row| columns.iter().map(|&(j, f)| f * row[j]).collect()).collect(),
            right: program.rows.iter().zip(&program.right).map(|(row, b)| b - dot(row, &constant)).collect(),
            relations: program.relations.clone(),
            scale: Vec::new(),
            constant,
            columns,
        };
        for (k, room) in bounded {
            let mut row = vec![0.0; form.columns.len()];
            row[k] = form.columns[k].1;
            form.rows.push(row);
            form.relations.push(Relation::AtMost);
            form.right.push(room);
        }
        for (row, right) in form.rows.iter_mut().zip(&mut form.right) {
            let scale = normaliser(row.iter().fold(0.0_f64, |m, v| m.max(v.abs())));
            for v in row.iter_mut() {
                *v *= scale;
            }
            *right *= scale;
            form.scale.push(scale);
        }
        form
    }

    /// T^T g.
    pub(crate) fn reduce(&self, gradient: &[f64]) -> Vec<f64> {
        self.columns.iter().map(|&(j, factor)| factor * gradient[j]).collect()
    }

    /// T p.
    pub(crate) fn expand(&self, p: &[f64]) -> Vec<f64> {
        let mut x = vec![0.0; self.constant.len()];
        for (&(j, factor), p) in self.columns.iter().zip(p) {
            x[j] += factor * p;
        }
        x
    }

    /// constant + T p, within the program's bounds up to rounding.
    pub(crate) fn point(&self, program: &LinearProgram, p: &[f64]) -> Vec<f64> {
        let mut x = self.expand(p);
        for (j, x) in x.iter_mut().enumerate() {
            *x = (*x + self.constant[j]).max(program.lo[j]).min(program.hi[j]);
        }
        x
    }
}
