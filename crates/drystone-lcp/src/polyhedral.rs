use crate::{BoxedProblem, ConeProblem, DenseOperator, LcpError};

/// Impulses and slips of at most this, relative to the largest, count as zero when a contact's state is determined.
const ZERO: f64 = 1e-9;

const SOLVER: &str = "polyhedral cone";
const TOO_FEW: LcpError = LcpError::Unsupported { solver: SOLVER, what: "fewer than 4 or an odd number of directions" };

/// Frictional contact with a polyhedral cone of `directions` generators, as an LCP with auxiliary variables.
///
/// x = (beta, f, lambda): per contact the strengths beta_h of the directions d_h = cos(2 pi h / eta) t_1 + sin(2 pi h / eta) t_2, the
/// normal impulse f, and lambda, approximately the sliding speed. Symbols: D, N the directions and normals, E the sums per contact.
///
/// ```text
///     [ D^T M D   D^T M N   E ]       [ D^T q ]
/// w = [ N^T M D   N^T M N   0 ] x  +  [ N^T q ]   w >= 0, x >= 0, w x = 0
///     [  -E^T       mu      0 ]       [   0   ]
/// ```
///
/// The matrix is not symmetric, (eta + 2) K square for K contacts; the cone is inscribed, so its friction limit is up to 1 - cos(pi / eta) too small. Friction is scalable:
/// [`Self::scaled`] takes eta contact by contact, so that those that matter less (far away, out of sight, late in a budget) cost less. A contact with its own eta has eta + 2 rows,
/// one without friction (eta = 0) only its normal.
///
/// # Source
/// Erleben 2005, (4.46)-(4.64), Figures 4.6-4.8 (E-20 to E-24). Differs in: the text has beta_h = mu f for sliding; the condition only
/// fixes the sum of the beta (E-23).
#[derive(Debug)]
pub struct PolyhedralCone {
    /// The LCP in (beta, f, lambda).
    pub lcp: BoxedProblem,
    /// The directions of each contact.
    generators: Vec<Vec<[f64; 2]>>,
    /// For each contact, where its strengths begin, and the place of its lambda if it has friction.
    first: Vec<usize>,
    slip: Vec<Option<usize>>,
    /// First index of the normal impulses.
    normals: usize,
}

/// The state of a contact.
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
    /// Builds the LCP with the same number of directions at each contact; `directions` is even and at least 4; for planar contact 2 is
    /// used.
    ///
    /// # Errors
    /// As [`Self::scaled`].
    pub fn new(problem: &ConeProblem, directions: usize) -> Result<Self, LcpError> {
        let directions = if problem.dimension == 2 { 2 } else { directions };
        if directions == 0 {
            return Err(TOO_FEW);
        }
        Self::scaled(problem, &vec![directions; problem.contacts()])
    }

    /// Builds the LCP with a given number of directions for each contact (E-24): even and at least 4, or 0 for no friction; for planar contact 2 or 0.
    ///
    /// # Errors
    /// [`LcpError::Unsupported`] for any other number of directions, or if there is not one number per contact; any fault that
    /// [`ConeProblem::validate`] finds.
    pub fn scaled(problem: &ConeProblem, directions: &[usize]) -> Result<Self, LcpError> {
        problem.validate()?;
        let (contacts, d) = (problem.contacts(), problem.dimension);
        if directions.len() != contacts {
            return Err(LcpError::Unsupported {
                solver: SOLVER,
                what: "numbers of directions that are not one per contact",
            });
        }
        let fits = |eta: usize| eta == 0 || if d == 2 { eta == 2 } else { eta >= 4 && eta.is_multiple_of(2) };
        if !directions.iter().all(|eta| fits(*eta)) {
            return Err(TOO_FEW);
        }
        let generators: Vec<_> = directions
            .iter()
            .map(|&eta| if d == 2 && eta > 0 { vec![[1.0, 0.0], [-1.0, 0.0]] } else { friction_directions(eta) })
            .collect();
        // the r that each of (beta, f) stands for: contact and three components
        let mut columns: Vec<(usize, [f64; 3])> = Vec::new();
        let mut first = Vec::with_capacity(contacts);
        for (c, own) in generators.iter().enumerate() {
            first.push(columns.len());
            columns.extend(own.iter().map(|g| (c, [0.0, g[0], g[1]])));
        }
        let normals = columns.len();
        columns.extend((0..contacts).map(|c| (c, [1.0, 0.0, 0.0])));
        let mut size = columns.len();
        let slip: Vec<_> = directions
            .iter()
            .map(|&eta| {
                size += usize::from(eta > 0);
                (eta > 0).then_some(size - 1)
            })
            .collect();
        let m = problem.operator.view().to_dense();
        let mut a = DenseOperator::zeros(size);
        let mut b = vec![0.0; size];
        for (i, (ci, gi)) in columns.iter().enumerate() {
            b[i] = (0..d).map(|k| gi[k] * problem.q[ci * d + k]).sum();
            for (j, (cj, gj)) in columns.iter().enumerate() {
                let mut value = 0.0;
                for k in 0..d {
                    for l in 0..d {
                        value += gi[k] * m.get(ci * d + k, cj * d + l) * gj[l];
                    }
                }
                a.set(i, j, value);
            }
        }
        for (c, lambda) in slip.iter().enumerate().filter_map(|(c, lambda)| Some((c, (*lambda)?))) {
            for h in 0..directions[c] {
                a.set(first[c] + h, lambda, 1.0);
                a.set(lambda, first[c] + h, -1.0);
            }
            a.set(lambda, normals + c, problem.mu[c]);
        }
        Ok(Self { lcp: BoxedProblem::lcp(a, b), generators, first, slip, normals })
    }

    /// The contact impulses r (normal, then tangents) of x; `dimension` as in the cone problem.
    pub fn impulses(&self, x: &[f64], dimension: usize) -> Vec<f64> {
        let mut r = vec![0.0; self.generators.len() * dimension];
        for (c, own) in self.generators.iter().enumerate() {
            r[c * dimension] = x[self.normals + c];
            for (h, g) in own.iter().enumerate() {
                for k in 1..dimension {
                    r[c * dimension + k] += x[self.first[c] + h] * g[k - 1];
                }
            }
        }
        r
    }

    /// The state of each contact at x; one without directions counts as sliding if it pushes.
    pub fn states(&self, x: &[f64]) -> Vec<ContactState> {
        let normals = &x[self.normals..self.normals + self.generators.len()];
        let slip_of = |slip: &Option<usize>| slip.map_or(f64::INFINITY, |k| x[k]);
        let zero = |values: &mut dyn Iterator<Item = f64>| ZERO * values.fold(0.0_f64, f64::max);
        let no_impulse = zero(&mut normals.iter().copied());
        let no_slip = zero(&mut self.slip.iter().flatten().map(|k| x[*k]));
        normals
            .iter()
            .zip(self.slip.iter().map(slip_of))
            .map(|(&f, lambda)| {
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
