use super::body::Body;
use super::surfaces::Surfaces;
use drystone_math::{Real, Vec3};

/// Sweeps that are remembered.
const DEPTH: usize = 5;
/// Numbers of a body: its velocity.
const BODY: usize = Surfaces::VELOCITY;
/// Largest sum of weights of a combination.
const FAR: Real = 1e4;
/// What is added to the diagonal of the normal equations, relative to it.
const REGULAR: Real = 1e-12;

/// Speeds up sweeps that converge slowly: the next one begins from the combination of the last ones whose changes cancel best.
///
/// A sweep takes velocities and impulses x to G(x), and as long as no contact begins or ends to slide or to bear, G is linear. Of all
/// combinations of the last few G(x) with weights that add up to one, that with the least kinetic energy of the changes G(x) - x is taken.
/// Velocities are linear in the impulses, so both are combined with the same weights. The next sweep makes the result admissible again.
///
/// # Source
/// D. G. Anderson, "Iterative procedures for nonlinear integral equations", 1965; H. F. Walker and P. Ni, "Anderson acceleration for fixed-point iterations", 2011.
#[derive(Debug, Default)]
pub(super) struct Mixing {
    /// Where the last sweep began.
    from: Vec<Real>,
    /// Where the sweep before it ended, and how that one changed velocities.
    last: Vec<Real>,
    last_change: Vec<Real>,
    /// Differences between the ends of successive sweeps, and between their changes.
    ends: [Vec<Real>; DEPTH],
    changes: [Vec<Real>; DEPTH],
    /// The latter times mass and inertia.
    momenta: [Vec<Real>; DEPTH],
    now: Vec<Real>,
    change: Vec<Real>,
    momentum: Vec<Real>,
    /// How many differences there are, and where the next one goes.
    count: usize,
    next: usize,
    /// Whether there is a last sweep.
    begun: bool,
}

impl Mixing {
    /// Forgets all sweeps.
    pub(super) fn reset(&mut self) {
        (self.count, self.next, self.begun) = (0, 0, false);
    }

    /// Records where a sweep begins.
    pub(super) fn begin(&mut self, bodies: &[Body], surfaces: &Surfaces) {
        surfaces.read_numbers(bodies, &mut self.from);
    }

    /// Takes in the sweep that has just ended, and moves on to the best combination.
    pub(super) fn mix(&mut self, bodies: &mut [Body], surfaces: &mut Surfaces) {
        surfaces.read_numbers(bodies, &mut self.now);
        let width = BODY * bodies.len();
        self.change.clear();
        self.change.extend(self.now[..width].iter().zip(&self.from).map(|(a, b)| a - b));
        if self.begun {
            let slot = self.next;
            self.next = (slot + 1) % DEPTH;
            self.count = (self.count + 1).min(DEPTH);
            differ(&mut self.ends[slot], &self.now, &self.last);
            differ(&mut self.changes[slot], &self.change, &self.last_change);
            to_momenta(&mut self.momenta[slot], &self.changes[slot], bodies);
        }
        self.last.clone_from(&self.now);
        self.last_change.clone_from(&self.change);
        self.begun = true;
        if self.count > 0 {
            self.combine(bodies);
            surfaces.write_numbers(bodies, &self.now);
        }
    }

    /// Goes back to the end of the last sweep that was taken in, and forgets all.
    pub(super) fn take_back(&mut self, bodies: &mut [Body], surfaces: &mut Surfaces) {
        surfaces.write_numbers(bodies, &self.last);
        self.reset();
    }

    /// Subtracts from the end of the sweep the combination that makes its change least.
    fn combine(&mut self, bodies: &[Body]) {
        to_momenta(&mut self.momentum, &self.change, bodies);
        let n = self.count;
        let mut gram = [[0.0; DEPTH]; DEPTH];
        let mut weight = [0.0; DEPTH];
        for i in 0..n {
            for j in 0..=i {
                gram[i][j] = dot(&self.changes[i], &self.momenta[j]);
            }
            weight[i] = dot(&self.changes[i], &self.momentum);
        }
        solve(n, gram, &mut weight);
        // far from all sweeps the map is no longer linear
        let size: Real = weight.iter().map(|w| w.abs()).sum();
        if size.is_nan() || size > FAR {
            return;
        }
        for (ends, w) in self.ends[..n].iter().zip(weight) {
            for (x, end) in self.now.iter_mut().zip(ends) {
                *x -= w * end;
            }
        }
    }
}

fn differ(into: &mut Vec<Real>, a: &[Real], b: &[Real]) {
    into.clear();
    into.extend(a.iter().zip(b).map(|(a, b)| a - b));
}

/// Momenta of velocities; zero for what does not move, and for the rotation of a body that does not turn in every way.
fn to_momenta(into: &mut Vec<Real>, velocities: &[Real], bodies: &[Body]) {
    into.clear();
    for (body, v) in bodies.iter().zip(velocities.chunks_exact(BODY)) {
        let linear = if body.inverse_mass > 0.0 { 1.0 / body.inverse_mass } else { 0.0 };
        let turning = body.inertia.map_or(Vec3::ZERO, |(_, inertia)| inertia.mul_vec(Vec3::new(v[3], v[4], v[5])));
        into.extend([v[0] * linear, v[1] * linear, v[2] * linear]);
        into.extend(turning.to_array());
    }
}

fn dot(a: &[Real], b: &[Real]) -> Real {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// Solves for the first `n` unknowns by a root-free Cholesky factor of the lower triangle; an unknown that adds nothing new gets zero.
fn solve(n: usize, mut a: [[Real; DEPTH]; DEPTH], b: &mut [Real; DEPTH]) {
    let mut pivots = [0.0; DEPTH];
    for j in 0..n {
        let mut d = a[j][j];
        for k in 0..j {
            d -= a[j][k] * a[j][k] * pivots[k];
        }
        let inverse = if d > REGULAR * a[j][j] { 1.0 / d } else { 0.0 };
        pivots[j] = d;
        for i in j + 1..n {
            let mut s = a[i][j];
            for k in 0..j {
                s -= a[i][k] * a[j][k] * pivots[k];
            }
            a[i][j] = s * inverse;
        }
        if inverse == 0.0 {
            pivots[j] = 0.0;
        }
    }
    for i in 0..n {
        for k in 0..i {
            b[i] -= a[i][k] * b[k];
        }
    }
    for i in 0..n {
        b[i] = if pivots[i] > 0.0 { b[i] / pivots[i] } else { 0.0 };
    }
    for i in (0..n).rev() {
        for k in i + 1..n {
            b[i] -= a[k][i] * b[k];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn normal_equations_are_solved() {
        // rows 2 and 1 are multiples of each other: their common demand is still met
        let rows: [[Real; 4]; 3] = [[1.0, 2.0, 0.0, 1.0], [0.0, 1.0, 3.0, -1.0], [0.0, 2.0, 6.0, -2.0]];
        let mut gram = [[0.0; DEPTH]; DEPTH];
        for i in 0..3 {
            for j in 0..=i {
                gram[i][j] = dot(&rows[i], &rows[j]);
            }
        }
        let target: [Real; 4] = [2.0, 1.0, -9.0, 5.0];
        let mut x = [0.0; DEPTH];
        for i in 0..3 {
            x[i] = dot(&rows[i], &target);
        }
        solve(3, gram, &mut x);
        let left: [Real; 4] = core::array::from_fn(|k| target[k] - (0..3).map(|i| x[i] * rows[i][k]).sum::<Real>());
        assert!(rows.iter().all(|row| dot(row, &left).abs() < 1e-9), "{x:?}: {left:?}");
    }
}
