use drystone_math::Real;

/// Most rigid rows that are solved at once.
pub(crate) const MOST: usize = 6;

/// A pivot below this part of its diagonal entry is rounding: the unknown depends on those before it.
const DEPENDENT: Real = 1e-10;

/// A symmetric positive semidefinite matrix of at most six rows, as L D L^T. Unknowns that depend on earlier ones are zero in every solution.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Elimination {
    rows: usize,
    lower: [[Real; MOST]; MOST],
    /// 1 / D; zero where a row depends on those before it.
    inverse: [Real; MOST],
}

impl Elimination {
    /// Of the first `rows` rows and columns; the lower triangle is read.
    pub(crate) fn of(mut a: [[Real; MOST]; MOST], rows: usize) -> Self {
        let mut inverse = [0.0; MOST];
        for j in 0..rows {
            let own = a[j][j];
            let mut pivot = own;
            for k in 0..j {
                if inverse[k] != 0.0 {
                    pivot -= a[j][k] * a[j][k] / inverse[k];
                }
            }
            inverse[j] = if pivot > DEPENDENT * own { 1.0 / pivot } else { 0.0 };
            for i in j + 1..rows {
                let mut sum = a[i][j];
                for k in 0..j {
                    if inverse[k] != 0.0 {
                        sum -= a[i][k] * a[j][k] / inverse[k];
                    }
                }
                a[i][j] = sum * inverse[j];
            }
        }
        Self { rows, lower: a, inverse }
    }

    /// Makes a right-hand side the solution.
    pub(crate) fn solve(&self, b: &mut [Real; MOST]) {
        for i in 0..self.rows {
            for k in 0..i {
                b[i] -= self.lower[i][k] * b[k];
            }
        }
        for i in (0..self.rows).rev() {
            b[i] *= self.inverse[i];
            if self.inverse[i] == 0.0 {
                continue;
            }
            for k in i + 1..self.rows {
                b[i] -= self.lower[k][i] * b[k];
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn solves_what_is_regular_and_leaves_out_what_depends() {
        let entry = |i: usize, j: usize| if i == j { 7.0 + i as Real } else { 1.0 / (1.0 + i as Real + j as Real) };
        let a: [[Real; MOST]; MOST] = core::array::from_fn(|i| core::array::from_fn(|j| entry(i, j)));
        let wanted = [1.0, -2.0, 3.0, 0.5, -0.25, 4.0];
        let mut b: [Real; MOST] = core::array::from_fn(|i| (0..MOST).map(|j| a[i][j] * wanted[j]).sum());
        Elimination::of(a, MOST).solve(&mut b);
        assert!(b.iter().zip(wanted).all(|(x, y)| (x - y).abs() < 1e-13), "{b:?}");

        // the second row is twice the first
        let mut a = [[0.0; MOST]; MOST];
        (a[0][0], a[1][0], a[0][1], a[1][1], a[2][2]) = (1.0, 2.0, 2.0, 4.0, 5.0);
        let mut b = [3.0, 6.0, 10.0, 0.0, 0.0, 0.0];
        Elimination::of(a, 3).solve(&mut b);
        assert_eq!(b[..3], [3.0, 0.0, 2.0]);
    }
}
