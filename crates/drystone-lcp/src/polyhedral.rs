use crate::{BoxedProblem, ConeProblem, DenseOperator, LcpError};

/// Impulses and slips at most this, relative to the largest, count as zero when a contact's state is told.
const ZERO: f64 = 1e-9;

/// Frictional contact with a polyhedral cone of `directions` generators, as an LCP with auxiliary variables.
///
/// x = (beta, f, lambda): per contact the strengths beta_h of the directions d_h = cos(2 pi h / eta) t_1 + sin(2 pi h / eta) t_2, the
/// normal impulse f, and lambda, about the speed of sliding. Symbols: D, N the directions and normals, E the sums per contact.
///
/// ```text
///     [ D^T M D   D^T M N   E ]       [ D^T q ]
/// w = [ N^T M D   N^T M N   0 ] x  +  [ N^T q ]   w >= 0, x >= 0, w x = 0
///     [  -E^T       mu      0 ]       [   0   ]
/// ```
///
/// The matrix is not symmetric, (eta + 2) K square for K contacts; the cone is inscribed, its friction limit short by up to 1 - cos(pi / eta).
///
/// # Source
/// Erleben 2005, (4.46)-(4.64), Figures 4.6-4.8 (catalogue E-20 to E-24). Differs in: the text has beta_h = mu f for sliding; the condition fixes
/// the sum of the beta only (E-23).
#[derive(Debug)]
pub struct PolyhedralCone {
    /// The LCP in (beta, f, lambda).
    pub lcp: BoxedProblem,
    contacts: usize,
    generators: Vec<[f64; 2]>,
}

/// What a contact does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ContactState {
    /// No normal impulse.
    Separating,
    /// Friction at its limit, lambda > 0.
    Sliding,
    /// lambda = 0.
    Sticking,
}

/// The `count` unit vectors that span the tangent plane positively.
pub fn friction_directions(count: usize) -> Vec<[f64; 2]> {
    let angle = |h: usize| std::f64::consts::TAU * h as f64 / count as f64;
    (0..count).map(|h| [libm::cos(angle(h)), libm::sin(angle(h))]).collect()
}

impl PolyhedralCone {
    /// Builds the LCP; `directions` is even and at least 4, for planar contact it is taken as 2.
    ///
    /// # Errors
    /// [`LcpError::Unsupported`] for another number of directions; what [`ConeProblem::validate`] finds.
    pub fn new(problem: &ConeProblem, directions: usize) -> Result<Self, LcpError> {
        problem.validate()?;
        if problem.dimension == 3 && (directions < 4 || !directions.is_multiple_of(2)) {
            return Err(LcpError::Unsupported {
                solver: "polyhedral cone",
                what: "fewer than 4 or an odd number of directions",
            });
        }
        let generators =
            if problem.dimension == 2 { vec![[1.0, 0.0], [-1.0, 0.0]] } else { friction_directions(directions) };
        let (eta, contacts, d) = (generators.len(), problem.contacts(), problem.dimension);
        let m = problem.operator.view().to_dense();

        // The column of r that each of (beta, f) stands for: contact and its three components.
        let column = |k: usize| -> (usize, [f64; 3]) {
            if k < eta * contacts {
                let g = generators[k % eta];
                (k / eta, [0.0, g[0], g[1]])
            } else {
                (k - eta * contacts, [1.0, 0.0, 0.0])
            }
        };
        let impulses = (eta + 1) * contacts;
        let size = (eta + 2) * contacts;
        let mut a = DenseOperator::zeros(size);
        let mut b = vec![0.0; size];
        for i in 0..impulses {
            let (ci, gi) = column(i);
            b[i] = (0..d).map(|k| gi[k] * problem.q[ci * d + k]).sum();
            for j in 0..impulses {
                let (cj, gj) = column(j);
                let mut value = 0.0;
                for k in 0..d {
                    for l in 0..d {
                        value += gi[k] * m.get(ci * d + k, cj * d + l) * gj[l];
                    }
                }
                a.set(i, j, value);
            }
        }
        for c in 0..contacts {
            let lambda = impulses + c;
            for h in 0..eta {
                a.set(c * eta + h, lambda, 1.0);
                a.set(lambda, c * eta + h, -1.0);
            }
            a.set(lambda, eta * contacts + c, problem.mu[c]);
        }
        Ok(Self { lcp: BoxedProblem::lcp(a, b), contacts, generators })
    }

    /// The contact impulses r (normal, then tangents) of x; `dimension` as in the cone problem.
    pub fn impulses(&self, x: &[f64], dimension: usize) -> Vec<f64> {
        let eta = self.generators.len();
        let mut r = vec![0.0; self.contacts * dimension];
        for c in 0..self.contacts {
            r[c * dimension] = x[eta * self.contacts + c];
            for (h, g) in self.generators.iter().enumerate() {
                for k in 1..dimension {
                    r[c * dimension + k] += x[c * eta + h] * g[k - 1];
                }
            }
        }
        r
    }

    /// What each contact does at x.
    pub fn states(&self, x: &[f64]) -> Vec<ContactState> {
        let eta = self.generators.len();
        let normals = &x[eta * self.contacts..(eta + 1) * self.contacts];
        let slips = &x[(eta + 1) * self.contacts..];
        let zero = |values: &[f64]| ZERO * values.iter().fold(0.0_f64, |m, v| m.max(*v));
        let (no_impulse, no_slip) = (zero(normals), zero(slips));
        normals
            .iter()
            .zip(slips)
            .map(|(&f, &lambda)| {
                if f <= no_impulse {
                    ContactState::Separating
                } else if lambda > no_slip {
                    ContactState::Sliding
                } else {
                    ContactState::Sticking
                }
            })
            .collect()
    }
}
