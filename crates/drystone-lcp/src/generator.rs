//! Random problems whose solution is known, for tests and benchmarks.
use crate::{
    BoxedProblem, ConeProblem, DenseOperator, FactoredOperator, LcpOperator, NO_BODY, NO_DEPENDENCY, SplitMix64,
};

/// The matrices that [`ProblemGenerator`] makes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum MatrixFamily {
    /// B^T B + I: symmetric positive definite.
    PositiveDefinite,
    /// B^T B with B of `rank` rows: symmetric positive semidefinite, singular where rank < n.
    PositiveSemidefinite {
        /// Rank, at most n.
        rank: usize,
    },
    /// Diagonally dominant and unsymmetric with a positive diagonal: a P-matrix.
    UnsymmetricP,
    /// Q diag(1 ... condition) Q^T, Q a product of random reflections.
    IllConditioned {
        /// Ratio of the largest to the smallest eigenvalue.
        condition: f64,
    },
    /// J J^T + cfm of a chain of contacts between unit bodies, as in a stack.
    ContactChain {
        /// Regularisation added to the diagonal.
        cfm: f64,
    },
}

/// Makes LCPs with a known solution x and slack w: b = w - A x.
///
/// # Source
/// The construction of num4lcp's generator; differs in that the zero set gets its own slack, b_i = -(A x)_i + s with s > 0; without it x
/// solves the problem only if (A x)_i happens to be positive on that set.
#[derive(Debug, Clone)]
pub struct ProblemGenerator {
    /// Rows of the problem.
    pub rows: usize,
    /// The matrix.
    pub family: MatrixFamily,
    /// Fraction of rows with x_i > 0.
    pub active: f64,
    /// Seed of all random numbers.
    pub seed: u64,
}

impl ProblemGenerator {
    /// A problem and its solution x. For a singular A the solution need not be unique, but A x (and w) is.
    pub fn lcp(&self) -> (BoxedProblem, Vec<f64>) {
        let mut random = SplitMix64::new(self.seed);
        let a = self.matrix(&mut random);
        let n = self.rows;
        let (mut x, mut w) = (vec![0.0; n], vec![0.0; n]);
        for i in 0..n {
            if random.unit() < self.active {
                x[i] = random.range(0.1, 1.0);
            } else {
                w[i] = random.range(0.1, 1.0);
            }
        }
        let b = b_for(&a, &x, &w);
        (BoxedProblem::lcp(a, b), x)
    }

    /// A problem with boxes, a third of its rows at hi, and its solution.
    pub fn boxed(&self) -> (BoxedProblem, Vec<f64>) {
        let mut random = SplitMix64::new(self.seed);
        let a = self.matrix(&mut random);
        let n = self.rows;
        let (mut x, mut w) = (vec![0.0; n], vec![0.0; n]);
        let (mut lo, mut hi) = (vec![0.0; n], vec![0.0; n]);
        for i in 0..n {
            (lo[i], hi[i]) = (-random.range(0.1, 1.0), random.range(0.1, 1.0));
            let kind = random.unit();
            if kind < self.active {
                x[i] = random.range(lo[i], hi[i]);
            } else if kind < 0.5 * (1.0 + self.active) {
                (x[i], w[i]) = (lo[i], random.range(0.1, 1.0));
            } else {
                (x[i], w[i]) = (hi[i], -random.range(0.1, 1.0));
            }
        }
        let b = b_for(&a, &x, &w);
        (BoxedProblem::boxed(a, b, lo, hi), x)
    }

    fn matrix(&self, random: &mut SplitMix64) -> DenseOperator {
        let n = self.rows;
        match self.family {
            MatrixFamily::PositiveDefinite => gram(n, n, 1.0, random),
            MatrixFamily::PositiveSemidefinite { rank } => gram(n, rank.min(n), 0.0, random),
            MatrixFamily::UnsymmetricP => {
                let mut a = DenseOperator::zeros(n);
                for i in 0..n {
                    let mut sum = 0.0;
                    for j in 0..n {
                        if i != j {
                            let value = random.range(-1.0, 1.0);
                            a.set(i, j, value);
                            sum += value.abs();
                        }
                    }
                    a.set(i, i, 1.1 * sum + 0.1);
                }
                a
            }
            MatrixFamily::IllConditioned { condition } => ill_conditioned(n, condition, random),
            MatrixFamily::ContactChain { cfm } => {
                let mut a = DenseOperator::zeros(n);
                for i in 0..n {
                    a.set(i, i, if i == 0 { 1.0 } else { 2.0 } + cfm);
                    if i > 0 {
                        a.set(i, i - 1, -1.0);
                        a.set(i - 1, i, -1.0);
                    }
                }
                a
            }
        }
    }
}

fn b_for(a: &DenseOperator, x: &[f64], w: &[f64]) -> Vec<f64> {
    let mut product = vec![0.0; x.len()];
    a.apply(x, &mut [], &mut product);
    w.iter().zip(product).map(|(w, p)| w - p).collect()
}

fn gram(n: usize, rank: usize, shift: f64, random: &mut SplitMix64) -> DenseOperator {
    let b: Vec<Vec<f64>> = (0..n).map(|_| (0..rank).map(|_| random.range(-1.0, 1.0)).collect()).collect();
    let mut a = DenseOperator::zeros(n);
    for i in 0..n {
        for j in 0..=i {
            let value = crate::operator::dense::dot(&b[i], &b[j]) + if i == j { shift } else { 0.0 };
            a.set(i, j, value);
            a.set(j, i, value);
        }
    }
    a
}

fn ill_conditioned(n: usize, condition: f64, random: &mut SplitMix64) -> DenseOperator {
    let mut a = DenseOperator::zeros(n);
    for i in 0..n {
        a.set(i, i, libm::pow(condition, i as f64 / (n.max(2) - 1) as f64));
    }
    // Three reflections I - 2 v v^T mix all rows.
    for _ in 0..3 {
        let mut v: Vec<f64> = (0..n).map(|_| random.range(-1.0, 1.0)).collect();
        let size = v.iter().map(|v| v * v).sum::<f64>().sqrt();
        for v in &mut v {
            *v /= size.max(f64::MIN_POSITIVE);
        }
        let av: Vec<f64> = (0..n).map(|i| crate::operator::dense::dot(a.row(i), &v)).collect();
        let vav = crate::operator::dense::dot(&v, &av);
        for i in 0..n {
            for j in 0..n {
                let value = a.get(i, j) - 2.0 * (v[i] * av[j] + av[i] * v[j]) + 4.0 * vav * v[i] * v[j];
                a.set(i, j, value);
            }
        }
    }
    a
}

/// A pile of bodies in columns with four contacts at each interface, each a normal and two frictions bounded by `mu` times it: the structure of
/// stacked boxes in factored form. `ratio` is the mass of each body over that of the one below it. b is one step of gravity.
///
/// With `mu` = 0 there are only normals.
pub fn stack_problem(columns: usize, height: usize, mu: f64, ratio: f64, cfm: f64) -> BoxedProblem {
    const HALF: f64 = 0.5;
    const STEP: f64 = 0.01 * 9.81;
    let mut a = FactoredOperator::new();
    let (mut b, mut dependency, mut friction) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..columns {
        let mut mass = 1.0;
        for level in 0..height {
            let inverse = 1.0 / mass;
            // A unit cube: inertia m / 6.
            let body = a.push_body(inverse, [6.0 * inverse, 6.0 * inverse, 6.0 * inverse, 0.0, 0.0, 0.0]);
            let below = if level == 0 { NO_BODY } else { body - 1 };
            for corner in 0..4 {
                let (px, pz) = (if corner % 2 == 0 { -HALF } else { HALF }, if corner < 2 { -HALF } else { HALF });
                let normal = b.len() as u32;
                let directions = [[0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]];
                for (k, d) in directions.iter().enumerate().take(if mu > 0.0 { 3 } else { 1 }) {
                    // From the lower body (a) to the upper (b): -n on a, +n on b, each with its lever arm.
                    let block = |sign: f64, py: f64| {
                        let arm = [px, py, pz];
                        let moment = [
                            arm[1] * d[2] - arm[2] * d[1],
                            arm[2] * d[0] - arm[0] * d[2],
                            arm[0] * d[1] - arm[1] * d[0],
                        ];
                        [d[0], d[1], d[2], moment[0], moment[1], moment[2]].map(|v| sign * v)
                    };
                    // Bodies exist by construction, so no row can be refused.
                    if a.push_row([below, body], block(-1.0, HALF), block(1.0, -HALF), cfm).is_ok() {
                        b.push(if k == 0 && level == 0 { -STEP } else { 0.0 });
                        dependency.push(if k == 0 { NO_DEPENDENCY } else { normal });
                        friction.push(mu);
                    }
                }
            }
            mass *= ratio;
        }
    }
    let n = b.len();
    BoxedProblem {
        operator: a.into(),
        b,
        lo: vec![0.0; n],
        hi: vec![f64::INFINITY; n],
        dependency,
        mu: friction,
        partner: Vec::new(),
    }
}

/// A straight, slanting chain of rods of length 1 that hangs from a fixed point and falls, with ball joints of three rows each, the last rod of mass
/// `end_mass`, the others of mass 1: free rows in factored form, tridiagonal in blocks. b is one step of gravity and a little motion.
pub fn chain_problem(links: usize, end_mass: f64) -> BoxedProblem {
    const STEP: f64 = 0.01 * 9.81;
    let mut random = SplitMix64::new(links as u64);
    let mut a = FactoredOperator::new();
    let mut b = Vec::with_capacity(3 * links);
    let mut before: Option<(u32, [f64; 3], [f64; 6])> = None;
    for link in 0..links {
        let inverse = if link + 1 == links { 1.0 / end_mass } else { 1.0 };
        // A thin rod's inertia, m / 12, about every axis: the same in all directions.
        let body = a.push_body(inverse, [12.0 * inverse, 12.0 * inverse, 12.0 * inverse, 0.0, 0.0, 0.0]);
        let half = [0.3, -0.4, 0.0];
        let mut velocity: [f64; 6] = std::array::from_fn(|_| random.range(-0.01, 0.01));
        velocity[1] -= STEP;
        for axis in 0..3 {
            let block = |sign: f64, arm: [f64; 3]| {
                let mut j = [0.0; 6];
                j[axis] = sign;
                // arm x e_axis
                let (next, last) = ((axis + 1) % 3, (axis + 2) % 3);
                j[3 + next] = sign * arm[last];
                j[3 + last] = -sign * arm[next];
                j
            };
            let ours = block(1.0, half.map(|h| -h));
            let (other, theirs, speed) = match before {
                Some((body, arm, velocity)) => (body, block(-1.0, arm), velocity),
                None => (NO_BODY, [0.0; 6], [0.0; 6]),
            };
            // Bodies exist by construction, so no row can be refused.
            if a.push_row([other, body], theirs, ours, 0.0).is_ok() {
                b.push((0..6).map(|k| ours[k] * velocity[k] + theirs[k] * speed[k]).sum());
            }
        }
        before = Some((body, half, velocity));
    }
    let n = b.len();
    BoxedProblem::boxed(a, b, vec![f64::NEG_INFINITY; n], vec![f64::INFINITY; n])
}

/// A random frictional-contact problem with cones and its solution: contacts that separate, stick and slide in turns.
pub fn cone_problem(contacts: usize, mu: f64, seed: u64) -> (ConeProblem, Vec<f64>) {
    let mut random = SplitMix64::new(seed);
    let m = gram(3 * contacts, 3 * contacts, 1.0, &mut random);
    let (mut r, mut u) = (vec![0.0; 3 * contacts], vec![0.0; 3 * contacts]);
    for c in 0..contacts {
        let angle = random.range(0.0, std::f64::consts::TAU);
        let (size, direction) = (random.range(0.1, 1.0), [libm::cos(angle), libm::sin(angle)]);
        let at = 3 * c;
        match c % 3 {
            0 => {
                u[at] = size;
                (u[at + 1], u[at + 2]) = (direction[0], direction[1]);
            }
            1 => {
                r[at] = size;
                (r[at + 1], r[at + 2]) = (0.5 * mu * size * direction[0], 0.5 * mu * size * direction[1]);
            }
            _ => {
                r[at] = size;
                for k in 0..2 {
                    r[at + 1 + k] = mu * size * direction[k];
                    u[at + 1 + k] = -direction[k];
                }
            }
        }
    }
    let q = b_for(&m, &r, &u);
    (ConeProblem { operator: m.into(), q, mu: vec![mu; contacts], dimension: 3 }, r)
}
