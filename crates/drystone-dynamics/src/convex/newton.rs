use super::envelope::{Envelope, six_dot};
use super::program::Program;
use drystone_core::make_room;
use drystone_math::Real;

/// A line search ends once the slope is this fraction of the slope at its start.
const LINE_TOLERANCE: Real = 1e-3;
/// Most evaluations of a line search.
const LINE_STEPS: usize = 40;
/// A step that does not halve the gradient has met rounding if the square of the gradient is below this fraction of that of u.
const NEAR: Real = 1e-14;
/// A slope along the direction is rounding below this fraction of the squares that it is the difference of.
const ROUNDING: Real = 1e-28;
/// More steps than a problem takes in practice: memory for their gradients is reserved.
const MANY_STEPS: usize = 512;

/// Newton's method with exact line search for a [`Program`].
///
/// The function is convex with one minimum, its gradient is piecewise smooth, and the matrix is at least the identity: every direction descends, and near the minimum
/// the number of correct digits doubles with each step.
///
/// # Cost
/// A sparse factorisation per step; a line search looks at the rows a few times.
///
/// # Source
/// Todorov 2014, section V; MuJoCo's documentation, chapter Computation, section Algorithms.
#[derive(Debug, Default)]
pub(super) struct Newton {
    /// The answer.
    pub(super) u: Vec<[Real; 6]>,
    /// Impulses at the answer, for each row.
    pub(super) f: Vec<Real>,
    /// Length of the gradient before each step, and at the end.
    pub(super) gradients: Vec<Real>,
    gradient: Vec<[Real; 6]>,
    direction: Vec<[Real; 6]>,
    work: Vec<[Real; 6]>,
    rates: Vec<Real>,
    along: Vec<Real>,
    matrix: Envelope,
}

/// The gradient at which Newton's method ends.
#[derive(Debug, Clone, Copy)]
pub(super) enum Tolerance {
    /// A fraction of the velocity changes that the gradient is the difference of.
    Relative(Real),
    /// The velocity of any body that it stands for (m/s, rad/s).
    Velocity(Real),
}

impl Newton {
    /// Takes in the pattern of a program's matrix.
    pub(super) fn shape(&mut self, program: &Program) {
        self.matrix.shape(program.bodies(), program.pairs());
    }

    /// Multiplications of a step's factorisation.
    pub(super) fn work(&self) -> Real {
        self.matrix.work()
    }

    /// Finds the start value for a program: the better of no change and the effect of the impulses `start`.
    pub(super) fn start(&mut self, program: &Program, start: &[Real]) {
        make_room(&mut self.gradients, MANY_STEPS);
        self.gradients.clear();
        self.u.clear();
        self.u.resize(program.bodies(), [0.0; 6]);
        program.rates(&self.u, &mut self.rates);
        let still = program.cost(&self.u, &self.rates);
        program.add_impulses(1.0, start, &mut self.u);
        program.rates(&self.u, &mut self.rates);
        if program.cost(&self.u, &self.rates) >= still {
            self.u.fill([0.0; 6]);
            program.rates(&self.u, &mut self.rates);
        }
    }

    /// Makes at most `iterations` further steps, until the gradient is below a tolerance; returns how many it made.
    pub(super) fn run(&mut self, program: &Program, iterations: usize, tolerance: Tolerance) -> usize {
        let mut before = Real::INFINITY;
        for step in 0..=iterations {
            program.impulses(&self.rates, &mut self.f);
            self.gradient.clone_from(&self.u);
            program.add_impulses(-1.0, &self.f, &mut self.gradient);
            let [size, own] = [&self.gradient, &self.u].map(|list| list.iter().map(|v| six_dot(v, v)).sum::<Real>());
            let stalls = size < NEAR * own && size > 0.25 * before;
            before = size;
            self.gradients.push(size.sqrt());
            let done = match tolerance {
                Tolerance::Relative(fraction) => size <= fraction * fraction * own,
                Tolerance::Velocity(most) => self.residual(program) <= most,
            };
            if done || stalls || step == iterations || !self.step(program, own) {
                return step;
            }
        }
        iterations
    }

    /// One step; false if rounding leaves none.
    fn step(&mut self, program: &Program, scale: Real) -> bool {
        program.curvature(&self.rates, &mut self.matrix);
        self.matrix.factor();
        self.direction.clone_from(&self.gradient);
        self.direction.iter_mut().flatten().for_each(|v| *v = -*v);
        self.matrix.solve(&mut self.direction, &mut self.work);
        program.rates(&self.direction, &mut self.along);
        let descent = dot(&self.direction, &self.gradient);
        if descent.is_nan() || descent >= -ROUNDING * scale {
            return false;
        }
        let length = self.search(program, descent);
        for (u, d) in self.u.iter_mut().flatten().zip(self.direction.iter().flatten()) {
            *u += length * d;
        }
        program.rates(&self.u, &mut self.rates);
        length > 0.0
    }

    /// The length at which the function is least along the direction, found by Newton's steps between bounds.
    fn search(&self, program: &Program, descent: Real) -> Real {
        let (own, square) = (dot(&self.u, &self.direction), dot(&self.direction, &self.direction));
        let slope = |length: Real| {
            let [first, second] = program.slope(&self.rates, &self.along, length);
            [own + length * square + first, square + second]
        };
        let (mut low, mut high, mut length) = (0.0, Real::INFINITY, 1.0);
        for _ in 0..LINE_STEPS {
            let [first, second] = slope(length);
            if first.abs() <= LINE_TOLERANCE * descent.abs() {
                break;
            }
            if first < 0.0 {
                low = length;
            } else {
                high = length;
            }
            let next = length - first / second;
            let inside = next > low && next < high;
            length = match (inside, high.is_finite()) {
                (true, _) => next,
                (false, true) => 0.5 * (low + high),
                (false, false) => 2.0 * length,
            };
        }
        length
    }

    /// The largest remaining component of the gradient, as a velocity (m/s, rad/s).
    pub(super) fn residual(&self, program: &Program) -> Real {
        self.gradient.iter().enumerate().fold(0.0, |most: Real, (place, g)| {
            let v = program.velocity(place, g);
            most.max(v.linear.length()).max(v.angular.length())
        })
    }
}

fn dot(a: &[[Real; 6]], b: &[[Real; 6]]) -> Real {
    a.iter().zip(b).map(|(a, b)| six_dot(a, b)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::convex::Convex;
    use crate::{ConvexParameters, assemble};
    use drystone_core::Step;
    use drystone_lcp::ProjectedGaussSeidel;
    use drystone_math::{Twist, Vec3};
    use drystone_testkit::problem::block_on_floor;

    /// A block that slides and tips: contacts in all zones.
    fn gradients(spin: Real) -> Vec<Real> {
        let h = 0.01;
        let mut problem = block_on_floor(3.0, h);
        problem.bodies[1].velocity = Twist::new(Vec3::new(1.0, -0.1, 0.3), Vec3::new(0.4, spin, -0.8));
        let lcp = Box::new(ProjectedGaussSeidel::default());
        let parameters = ConvexParameters { sliding_iterations: 0, tolerance: 0.0, ..ConvexParameters::default() };
        let mut convex = Convex::new(parameters, false, lcp);
        assemble(&problem, &convex.row_parameters, h, h, &mut convex.rows);
        convex.pose(&problem, Step::new(h, h));
        convex.iterate(&problem, Step::new(h, h));
        let size = convex.newton.u.iter().map(|u| six_dot(u, u)).sum::<Real>().sqrt();
        convex.newton.gradients.iter().map(|g| g / size).collect()
    }

    #[test]
    fn digits_double_near_the_minimum() {
        for spin in [0.0, 1.0, 3.0, -7.0] {
            let found = gradients(spin);
            assert!(found[found.len() - 1] < 1e-11 && found.len() < 30, "{spin}: {found:?}");
            let pairs = found.windows(2).filter(|w| w[0] < 1e-3 && w[0] > 1e-7);
            for pair in pairs.clone() {
                assert!(pair[1] < 1e-11 || pair[1] < 3e4 * pair[0] * pair[0], "{spin}: {found:?}");
            }
            // slower methods would often pass through that range
            assert!(pairs.count() <= 2, "{spin}: {found:?}");
        }
    }
}
