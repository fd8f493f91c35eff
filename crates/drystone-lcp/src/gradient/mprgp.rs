use crate::bounds::{freeze, project};
use crate::methods::best_methods;
use crate::parameters::parameters;
use crate::solver::SolverMemory;
use crate::splitting::projected_gauss_seidel::steps;
use crate::step_test::{largest_change, largest_magnitude};
use crate::{LcpOperator, LcpReport, LcpStatus, Measure, ProblemView, StepTest, natural_residual};

const NAME: &str = "mprgp";
/// Proportionality constant: the face is left if the chopped gradient outweighs the free one by more.
const PROPORTION: f64 = 1.0;
/// Steps of the power iteration for the expansion step length.
const POWER_STEPS: usize = 20;
/// The estimate comes from below; this much is added to it.
const POWER_MARGIN: f64 = 1.1;
/// The inner problem is solved to this fraction of the residual before the dependent bounds move.
const INNER: f64 = 0.1;
/// With constant bounds the gradient is recomputed at this fraction, to limit the drift of its recursion.
const DRIFT: f64 = 1e-6;
/// The dependent bounds are held for at most this many steps.
const HELD: usize = 30;

parameters! {
    /// Modified proportioning with reduced gradient projections: conjugate gradients on the face of the free rows, with expansion steps
    /// of fixed length when a bound is met and proportioning steps when a face should be left; in the metric of A's diagonal.
    /// Dependent bounds are held while the face problem is solved to a tenth of its residual, then renewed.
    ///
    /// # Cost
    /// One product with A, and for an expansion step a second. One iteration is one step. A warm solve allocates nothing.
    ///
    /// # When it fails
    /// A must be symmetric positive semidefinite; A_ii <= 0.
    ///
    /// # Source
    /// Dostal: Optimal Quadratic Programming Algorithms, 2009, ch. 5 (MPRGP); for conjugate gradients Erleben 2005, sections 6.1.1 and 6.1.7 (F-11).
    #[derive(Debug, Clone)]
    pub struct Mprgp {
        /// largest number of iterations
        iterations: usize = count(100),
        /// stops at this residual
        tolerance: f64 = not_negative(1e-12),
        /// tests on the step; off by default
        step: StepTest = part(StepTest::default()),
        /// when the residual is measured; history also keeps its value at each iteration
        measure: Measure = choice(AtEnd),
        /// memory between solves
        memory: SolverMemory = given(SolverMemory::default()),
    }
}

/// Free and chopped parts of the scaled gradient at x: the first for rows within their bounds, the second for rows that want to leave
/// one.
fn split(x: f64, lo: f64, hi: f64, g: f64) -> (f64, f64) {
    if lo == hi {
        (0.0, 0.0)
    } else if x <= lo {
        (0.0, g.min(0.0))
    } else if x >= hi {
        (0.0, g.max(0.0))
    } else {
        (g, 0.0)
    }
}

/// The face problem with its bounds held. Unknowns are scaled, t = x / root with root = A_ii^-1/2, so that root A root has a unit
/// diagonal; x itself is kept unscaled, gradients g and directions p are in t.
struct Face<'a, O: ?Sized> {
    op: &'a O,
    b: &'a [f64],
    accumulator: &'a mut [f64],
    root: &'a [f64],
    g: &'a mut [f64],
    p: &'a mut [f64],
    ap: &'a mut [f64],
    work: &'a mut [f64],
    lo: &'a [f64],
    hi: &'a [f64],
    expansion: f64,
}

impl<O: LcpOperator + ?Sized> Face<'_, O> {
    /// ap = root A root p.
    fn product(&mut self) {
        for (work, (root, p)) in self.work.iter_mut().zip(self.root.iter().zip(&*self.p)) {
            *work = root * p;
        }
        self.op.apply(self.work, self.accumulator, self.ap);
        for (ap, root) in self.ap.iter_mut().zip(self.root) {
            *ap *= root;
        }
    }

    /// The largest eigenvalue of root A root by power iteration, margin included.
    fn largest_eigenvalue(&mut self) -> f64 {
        for (i, p) in self.p.iter_mut().enumerate() {
            *p = 1.0 + 0.1 * ((i * 7) % 11) as f64;
        }
        let mut largest = 1.0;
        for _ in 0..POWER_STEPS {
            let size = norm(self.p);
            if size == 0.0 || !size.is_finite() {
                break;
            }
            for p in self.p.iter_mut() {
                *p /= size;
            }
            self.product();
            largest = norm(self.ap);
            self.p.copy_from_slice(self.ap);
        }
        POWER_MARGIN * largest.max(1e-12)
    }

    /// Begins a face: recomputes g from x, and sets p to the free gradient.
    fn restart(&mut self, x: &[f64]) {
        self.op.apply(x, self.accumulator, self.g);
        for i in 0..x.len() {
            self.g[i] = self.root[i] * (self.g[i] + self.b[i]);
            self.p[i] = split(x[i], self.lo[i], self.hi[i], self.g[i]).0;
        }
    }

    fn clamp(&self, i: usize, x: f64) -> f64 {
        x.max(self.lo[i]).min(self.hi[i])
    }

    /// Squares of the free and the chopped gradient, and the part of the free gradient that an expansion could use.
    fn sizes(&self, x: &[f64]) -> (f64, f64, f64) {
        let (mut free, mut chopped, mut reduced) = (0.0, 0.0, 0.0);
        for i in 0..x.len() {
            let (f, c) = split(x[i], self.lo[i], self.hi[i], self.g[i]);
            let room = if f > 0.0 { x[i] - self.lo[i] } else { self.hi[i] - x[i] };
            let room = room / (self.root[i].max(f64::MIN_POSITIVE) * self.expansion);
            free += f * f;
            chopped += c * c;
            reduced += f.abs() * f.abs().min(room);
        }
        (free, chopped, reduced)
    }

    /// A conjugate-gradient step, or if a bound comes first a step to it and an expansion.
    fn minimise(&mut self, x: &mut [f64]) {
        self.product();
        let (mut gp, mut pap, mut room) = (0.0, 0.0, f64::INFINITY);
        for i in 0..x.len() {
            gp += self.g[i] * self.p[i];
            pap += self.p[i] * self.ap[i];
            let along = self.root[i] * self.p[i];
            if along > 0.0 {
                room = room.min((x[i] - self.lo[i]) / along);
            } else if along < 0.0 {
                room = room.min((x[i] - self.hi[i]) / along);
            }
        }
        let step = if pap > 0.0 { gp / pap } else { f64::INFINITY };
        let conjugate = step <= room && step.is_finite();
        let length = if conjugate {
            step
        } else if room.is_finite() {
            room
        } else {
            0.0
        };
        let mut fap = 0.0;
        for i in 0..x.len() {
            x[i] = self.clamp(i, x[i] - length * self.root[i] * self.p[i]);
            self.g[i] -= length * self.ap[i];
            fap += split(x[i], self.lo[i], self.hi[i], self.g[i]).0 * self.ap[i];
        }
        if conjugate {
            let beta = fap / pap;
            for i in 0..x.len() {
                self.p[i] = split(x[i], self.lo[i], self.hi[i], self.g[i]).0 - beta * self.p[i];
            }
            return;
        }
        for i in 0..x.len() {
            let f = split(x[i], self.lo[i], self.hi[i], self.g[i]).0;
            x[i] = self.clamp(i, x[i] - self.expansion * self.root[i] * f);
        }
        self.restart(x);
    }

    /// Leaves the bounds that the chopped gradient points away from.
    fn proportion(&mut self, x: &mut [f64]) {
        for i in 0..x.len() {
            self.p[i] = split(x[i], self.lo[i], self.hi[i], self.g[i]).1;
        }
        self.product();
        let gp = crate::operator::dense::dot(self.g, self.p);
        let pap = crate::operator::dense::dot(self.p, self.ap);
        let step = if pap > 0.0 { gp / pap } else { self.expansion };
        for i in 0..x.len() {
            x[i] = self.clamp(i, x[i] - step * self.root[i] * self.p[i]);
        }
        self.restart(x);
    }
}

fn norm(v: &[f64]) -> f64 {
    v.iter().map(|v| v * v).sum::<f64>().sqrt()
}

impl Mprgp {
    fn run<O: LcpOperator + ?Sized>(&mut self, op: &O, problem: &ProblemView<'_>, x: &mut [f64]) -> LcpReport {
        let n = x.len();
        let mut report = self.memory.begin_best(problem, x, self.measure);
        let SolverMemory { accumulator, order, residual, history, best, vectors, .. } = &mut self.memory;
        let [root, g, p, ap, lo, hi, work, old] = vectors;
        steps(op, root);
        for r in root.iter_mut() {
            *r = r.sqrt();
        }
        for vector in [&mut *g, p, ap, work] {
            vector.clear();
            vector.resize(n, 0.0);
        }
        freeze(problem, x, lo, hi);
        let b = problem.b;
        let mut face = Face { op, b, accumulator, root, g, p, ap, work, lo, hi, expansion: 1.0 };
        let expansion = 1.0 / face.largest_eigenvalue();

        let dependent = problem.has_dependencies();
        let inner = if dependent { INNER } else { DRIFT };
        while report.iterations < self.iterations && best.residual > self.tolerance {
            // Hold the bounds, start a new face.
            freeze(problem, x, lo, hi);
            let mut face = Face { op, b, accumulator, root, g, p, ap, work, lo, hi, expansion };
            face.restart(x);
            let mut first = None;
            let last = if dependent { self.iterations.min(report.iterations + HELD) } else { self.iterations };
            while report.iterations < last && best.residual > self.tolerance {
                let (free, chopped, reduced) = face.sizes(x);
                let size = (free + chopped).sqrt();
                let start = *first.get_or_insert(size);
                if size == 0.0 || size < inner * start || !size.is_finite() {
                    break;
                }
                report.iterations += 1;
                old.clear();
                old.extend_from_slice(x);
                if chopped <= PROPORTION * PROPORTION * reduced.max(0.0) {
                    face.minimise(x);
                } else {
                    face.proportion(x);
                }
                let value = natural_residual(problem, x, residual);
                best.offer(x, value, self.measure, history);
                if !value.is_finite() {
                    break;
                }
                report.change = largest_change(old, x);
                if self.step.is_met(report.change, largest_magnitude(x)) {
                    report.status = LcpStatus::Stagnated;
                    return report;
                }
            }
            // A face without any gradient on it is solved: nothing moves any further.
            if first.is_none_or(|f| f == 0.0 || !f.is_finite()) {
                report.status = LcpStatus::Stagnated;
                break;
            }
            project(problem, order, x);
        }
        report
    }
}

best_methods!(Mprgp);
