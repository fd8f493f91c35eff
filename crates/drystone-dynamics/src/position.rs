//! Contacts satisfied in terms of distances at the end of the step: a nonlinear complementarity problem in the impulses.
//!
//! ```text
//! delta(sigma(f)) >= 0, f >= 0, one of each pair zero;   sigma(f) = s + h S (u + h W (J^T f + F))
//! sqrt(a^2 + b^2) - a - b = 0 with a = delta, b = f, by damped Newton steps
//! ```
//!
//! Source: Lennerz, Schömer and Warken 1999, equations (3) to (7).
// Index loops over several arrays at once read as the equations do.
#![allow(clippy::needless_range_loop)]

mod elimination;
mod fischer;
mod gaps;
mod parameters;

use crate::row_solver::{share_of, summary};
use drystone_core::catalogue::Settings;
use drystone_core::{
    Configuration, ConstraintSolver, ContactImpulse, Executor, GroupAnswer, GroupProblem, Levels, ModuleKind, Resolves,
    SolveReport, Step, Unread,
};
use drystone_lcp::{LcpReport, LcpStatus, Share};
use drystone_math::Real;
use elimination::Elimination;
use fischer::{Disc, disc_equation, fischer, fischer_slopes};
use gaps::{Block, BlockKind, Gaps, Rubbing};
pub(crate) use parameters::DESCRIPTION;
pub use parameters::{PositionMethod, PositionParameters};

/// The impulses at which the equations are evaluated.
#[derive(Debug, Clone, Copy)]
enum At {
    /// The present ones.
    Present,
    /// Those on trial.
    Trial,
}

/// Added to the diagonal of the scaled matrix, at least and at most: it keeps the matrix regular if contacts depend on each other.
const DAMPING: [Real; 2] = [1e-10, 1e-2];
/// Halvings of a step, and the required fraction of the predicted decrease.
const HALVINGS: usize = 12;
const SUFFICIENT: Real = 1e-4;
/// Sweeps instead of a Newton step that leads nowhere.
const SWEEPS: usize = 10;
/// Cost in multiplications: of the slope of one distance by one impulse, and of an unknown's visit in a sweep.
const SLOPE: Real = 8.0;
const VISIT: Real = 200.0;

/// The method of SiLVIA: forces such that at the end of the step either the distance of a contact or its force is zero, `delta(sigma(f)) >= 0`
/// complementary to `f >= 0`; and friction.
///
/// The end of the step `sigma(f)` is the placement that bodies reach with these forces, and delta its distances, not linearised: errors do not add up. Fischer's function
/// `sqrt(a^2 + b^2) - a - b` of both sides turns this into a system of equations, solved by Newton's method with damped steps. Bodies then go to the placements found by the
/// solve.
///
/// Friction opposes the displacement in the step of one body's contact point along the other body, at the velocities of its end: either zero displacement with
/// friction in Coulomb's cone, or friction on the cone against the displacement, `x = P(x - d)` with P the nearest point of the disc that the normal force allows
/// (an ellipse with a grain; rolling and spinning friction likewise). It never adds energy. The function has kinks and may have no slope that leads on: after a
/// Newton step that does not get nearer, contacts are swept one after the other, each at the poses that earlier ones have produced, which is counted as a
/// fallback. If no impulses satisfy all contacts, the answer is the one that left least. The plane of a contact turns with its body and is unbounded, so a body
/// pushed far off may be found deep behind it: a visit moves a contact by at most the deepest distance of the start, or pushes would double from sweep to sweep.
///
/// The naive method treats contacts as bilateral: those that pushed in the last step, and those that would penetrate, have
/// distance zero. A body that should leave therefore sticks for one step, and is released when its contact has pulled.
///
/// # Source
/// E-29 … E-31, Lennerz, Schömer and Warken 1999, equations (3) to (7). Differs in: torque arms r x n (R-22), orientations turned by h times the angular velocity instead
/// of a sum of quaternions, damped Newton steps, a sphere's nearest point does not turn with it. The text has no friction; its section 4 names it as the next step.
// E-30, E-31, F-34
#[derive(Debug, Clone, Default)]
pub struct PositionNcp {
    /// The parameters of the problem and its solution.
    pub parameters: PositionParameters,
    gaps: Gaps,
    elimination: Elimination,
    /// Impulses as distances: each is the impulse times h times the response of its row.
    x: Vec<Real>,
    trial: Vec<Real>,
    /// For each unknown: the quantity complementary to it, a distance or a displacement (m).
    way: Vec<Real>,
    /// The values of the equations, then the step.
    phi: Vec<Real>,
    /// The impulses with the smallest error so far.
    best: Vec<Real>,
    /// For each contact: whether it takes part.
    held: Vec<bool>,
    /// Number of Newton steps replaced by sweeps in the last solve.
    swept: u64,
    /// The work that the groups of this frame have taken.
    share: Share,
}

impl PositionNcp {
    /// A solver with these parameters.
    pub fn new(parameters: PositionParameters) -> Self {
        Self { parameters, ..Self::default() }
    }

    /// From checked settings.
    pub fn from_settings(s: &Settings) -> Self {
        Self::new(PositionParameters::from_settings(s))
    }

    /// Determines which contacts take part, and where the impulses start.
    fn begin(&mut self, problem: &GroupProblem) {
        let bilateral = self.parameters.is_bilateral();
        let Self { gaps, x, held, .. } = self;
        x.clear();
        x.resize(gaps.len(), 0.0);
        gaps.move_by(problem, x);
        held.clear();
        for (k, c) in problem.contacts.iter().enumerate() {
            let unknown = gaps.contacts[k].unknown;
            let pushed = c.impulse.normal > 0.0;
            let takes_part = !bilateral || pushed || gaps.distance(k) < 0.0;
            held.push(gaps.scale(unknown) > 0.0 && takes_part);
            x[unknown] = if held[k] { c.impulse.normal.max(0.0) * gaps.scale(unknown) } else { 0.0 };
        }
        for block in gaps.blocks.iter().filter(|b| held[b.contact] && b.kind == BlockKind::Sliding) {
            let friction = gaps.friction(block.contact);
            let along = problem.contacts[block.contact].impulse.along(friction.tangents);
            for i in (0..2).filter(|i| friction.mu[*i] > 0.0) {
                x[block.first + i] = along[i] / friction.mu[i] * gaps.scale(block.first);
            }
        }
        self.swept = 0;
    }

    /// Evaluates all equations at some impulses; returns the largest value, and half the sum of squares.
    fn evaluate(&mut self, problem: &GroupProblem, at: At) -> (Real, Real) {
        let bilateral = self.parameters.is_bilateral();
        let Self { gaps, x, trial, way, phi, held, .. } = self;
        let x = match at {
            At::Present => x,
            At::Trial => trial,
        };
        gaps.move_by(problem, x);
        for values in [&mut *way, &mut *phi] {
            values.clear();
            values.resize(x.len(), 0.0);
        }
        for (k, contact) in gaps.contacts.iter().enumerate().filter(|(k, _)| held[*k]) {
            let u = contact.unknown;
            way[u] = gaps.distance(k);
            phi[u] = if bilateral { way[u] } else { fischer(x[u], way[u]) };
        }
        for block in gaps.blocks.iter().filter(|b| held[b.contact]) {
            let own = block.first..block.first + block.len;
            own.clone().for_each(|u| way[u] = gaps.way(u));
            let equation = disc_equation(pair(block, x), pair(block, way), radius(gaps, block, x));
            phi[own].copy_from_slice(&equation[..block.len]);
        }
        phi.iter().fold((0.0, 0.0), |(most, sum): (Real, Real), p| (most.max(p.abs()), sum + 0.5 * p * p))
    }

    /// Makes Newton steps; returns how many, and the largest remaining value of an equation (m).
    fn iterate(&mut self, problem: &GroupProblem) -> (usize, Real) {
        let (mut error, mut merit) = self.evaluate(problem, At::Present);
        let first = error;
        let mut least = merit;
        self.best.clone_from(&self.x);
        let mut steps = 0;
        while steps < self.parameters.iterations && !self.is_spent() {
            if error <= self.parameters.tolerance {
                return (steps, error);
            }
            steps += 1;
            // Newton's method near the solution, that of Levenberg and Marquardt far from it
            let damping = (DAMPING[1] * error / first).clamp(DAMPING[0], DAMPING[1]);
            let mut found = None;
            if self.direction(damping) {
                let mut length = 1.0;
                for halving in 0..=HALVINGS {
                    self.trial.clear();
                    self.trial.extend(self.x.iter().zip(&self.elimination.rhs).map(|(x, d)| x + length * d));
                    let (e, m) = self.evaluate(problem, At::Trial);
                    // the bilateral equations are nearly linear, and have no minimum to miss
                    if m <= (1.0 - 2.0 * SUFFICIENT * length) * merit
                        || (self.parameters.is_bilateral() && halving == HALVINGS)
                    {
                        found = Some((e, m));
                        break;
                    }
                    length *= 0.5;
                }
            }
            if let Some(better) = found {
                (error, merit) = better;
                core::mem::swap(&mut self.x, &mut self.trial);
            } else {
                self.swept += 1;
                for _ in 0..SWEEPS {
                    self.share.spent += VISIT * self.x.len() as Real;
                    self.sweep(problem, first);
                    (error, merit) = self.evaluate(problem, At::Present);
                    self.keep_best(merit, &mut least);
                }
            }
            self.keep_best(merit, &mut least);
        }
        if least < merit {
            core::mem::swap(&mut self.x, &mut self.best);
            (error, _) = self.evaluate(problem, At::Present);
        }
        (steps, error)
    }

    /// Returns true if the groups of this frame have used up their work.
    fn is_spent(&self) -> bool {
        self.share.spent >= self.share.most(self.parameters.frame_work)
    }

    fn keep_best(&mut self, merit: Real, least: &mut Real) {
        if merit < *least {
            *least = merit;
            self.best.clone_from(&self.x);
        }
    }

    /// Solves for the step at the present impulses; false if that is too much work, or not finite.
    fn direction(&mut self, damping: Real) -> bool {
        let (bilateral, work) = (self.parameters.is_bilateral(), self.parameters.work);
        let Self { gaps, x, way, phi, held, elimination, share, .. } = self;
        let n = x.len();
        let slopes = SLOPE * (n as Real) * (n as Real);
        if slopes > work {
            return false;
        }
        share.spent += slopes;
        elimination.reset(n);
        for k in 0..n {
            elimination.rhs[k] = -phi[k];
        }
        for (k, contact) in gaps.contacts.iter().enumerate() {
            let u = contact.unknown;
            if !held[k] {
                elimination.row(u)[u] = 1.0;
                continue;
            }
            let [of_force, of_distance] = if bilateral { [0.0, 1.0] } else { fischer_slopes(x[u], way[u]) };
            let row = elimination.row(u);
            gaps.distance_slopes(k, row);
            for entry in row.iter_mut() {
                *entry *= of_distance;
            }
            row[u] += of_force + damping * of_distance;
        }
        for block in &gaps.blocks {
            if held[block.contact] {
                friction_rows(gaps, block, [x, way], damping, elimination);
            } else {
                (block.first..block.first + block.len).for_each(|u| elimination.row(u)[u] = 1.0);
            }
        }
        for block in gaps.blocks.iter().filter(|b| !held[b.contact]) {
            (block.first..block.first + block.len).for_each(|u| clear_column(elimination, u, n));
        }
        for (contact, held) in gaps.contacts.iter().zip(&*held) {
            if !held {
                clear_column(elimination, contact.unknown, n);
            }
        }
        let cost = elimination.cost();
        if cost > work {
            return false;
        }
        share.spent += cost;
        elimination.solve();
        elimination.rhs.iter().all(|d| d.is_finite())
    }

    /// Solves the contacts one by one, each at the poses that earlier ones have produced, and moves each by at most `far` (m).
    fn sweep(&mut self, problem: &GroupProblem, far: Real) {
        let bilateral = self.parameters.is_bilateral();
        let Self { gaps, x, held, .. } = self;
        gaps.move_by(problem, x);
        let mut blocks = 0;
        for k in (0..held.len()).filter(|k| held[*k]) {
            let u = gaps.contacts[k].unknown;
            gaps.place_bodies(problem, k);
            let wanted = x[u] - gaps.distance(k).clamp(-far, far);
            let wanted = if bilateral { wanted } else { wanted.max(0.0) };
            gaps.change(u, wanted - x[u]);
            x[u] = wanted;
            while let Some(&block) = gaps.blocks.get(blocks).filter(|b| b.contact <= k) {
                blocks += 1;
                if block.contact < k {
                    continue;
                }
                let own =
                    [0, 1].map(|i| if i < block.len { x[block.first + i] - gaps.way(block.first + i) } else { 0.0 });
                let disc = Disc::of(own, radius(gaps, &block, x));
                for i in 0..block.len {
                    let wanted = own[i] * disc.inside.min(1.0);
                    gaps.change(block.first + i, wanted - x[block.first + i]);
                    x[block.first + i] = wanted;
                }
            }
            gaps.place_bodies(problem, k);
        }
    }

    /// Brings impulses within their bounds, and writes them.
    fn write_impulses(&mut self, answer: &mut GroupAnswer, problem: &GroupProblem) {
        let bilateral = self.parameters.is_bilateral();
        let Self { gaps, x, held, .. } = self;
        for (k, impulse) in answer.contacts.iter_mut().enumerate() {
            let u = gaps.contacts[k].unknown;
            let least = if bilateral { Real::NEG_INFINITY } else { 0.0 };
            x[u] = if held[k] { x[u].max(least) } else { 0.0 };
            let normal = if held[k] { x[u] / gaps.scale(u) } else { 0.0 };
            *impulse = ContactImpulse { normal, ..ContactImpulse::ZERO };
        }
        for block in &gaps.blocks {
            let inside = Disc::of(pair(block, x), radius(gaps, block, x)).inside.min(1.0);
            let scale = gaps.scale(block.first);
            for u in block.first..block.first + block.len {
                x[u] = if held[block.contact] { x[u] * inside } else { 0.0 };
            }
            let [first, second] = pair(block, x).map(|x| x / scale);
            let friction = gaps.friction(block.contact);
            let surface = problem.contacts[block.contact].surface as usize;
            match (block.kind, answer.torques.get_mut(surface)) {
                (BlockKind::Sliding, _) => {
                    let [t1, t2] = friction.tangents;
                    answer.contacts[block.contact].friction =
                        t1 * (first * friction.mu[0]) + t2 * (second * friction.mu[1]);
                }
                (BlockKind::Rolling, Some(torque)) => {
                    [torque[1], torque[2]] = [first * friction.rolling, second * friction.rolling];
                }
                (BlockKind::Spinning, Some(torque)) => torque[0] = first * friction.spinning,
                (_, None) => {}
            }
        }
    }
}

/// The entries of a block; the second one of a block of length one is zero.
fn pair(block: &Block, values: &[Real]) -> [Real; 2] {
    [values[block.first], if block.len == 2 { values[block.first + 1] } else { 0.0 }]
}

/// Bound on the size of the unknowns of a block.
fn radius(gaps: &Gaps, block: &Block, x: &[Real]) -> Real {
    block.ratio * x[gaps.contacts[block.contact].unknown].max(0.0)
}

/// The derivatives of a disc's equation.
fn friction_rows(gaps: &Gaps, block: &Block, [x, way]: [&[Real]; 2], damping: Real, elimination: &mut Elimination) {
    let ([x1, x2], [d1, d2]) = (pair(block, x), pair(block, way));
    let disc = Disc::of([x1 - d1, x2 - d2], radius(gaps, block, x));
    let own = block.first..block.first + block.len;
    for u in own.clone() {
        gaps.way_slopes(u, elimination.row(u));
    }
    if disc.holds() {
        own.for_each(|u| elimination.row(u)[u] += damping);
        return;
    }
    // dx - dr e - (r/|y|) (1 - e e^T) (dx - dd), with the rows of dd there already
    let normal = gaps.contacts[block.contact].unknown;
    let (e, inside) = (disc.direction, disc.inside);
    let across = |i: usize, j: usize| inside * (Real::from(u8::from(i == j)) - e[i] * e[j]);
    let (first, len) = (block.first, block.len);
    for c in 0..x.len() {
        let d: [Real; 2] = [0, 1].map(|j| if j < len { elimination.row(first + j)[c] } else { 0.0 });
        if d != [0.0; 2] {
            (0..len).for_each(|i| elimination.row(first + i)[c] = across(i, 0) * d[0] + across(i, 1) * d[1]);
        }
    }
    for i in 0..len {
        let row = elimination.row(first + i);
        for j in 0..len {
            row[first + j] += Real::from(u8::from(i == j)) - across(i, j);
        }
        if x[normal] > 0.0 {
            row[normal] -= block.ratio * e[i];
        }
    }
}

/// The unknown of a contact that takes no part does not change: nothing depends on it.
fn clear_column(elimination: &mut Elimination, column: usize, n: usize) {
    for k in (0..n).filter(|k| *k != column) {
        elimination.row(k)[column] = 0.0;
    }
}

impl ConstraintSolver for PositionNcp {
    fn name(&self) -> &'static str {
        DESCRIPTION.name
    }

    fn levels(&self) -> Levels {
        Levels::VELOCITY
    }

    /// Distances are kept at the end of the step; nothing bounces.
    fn resolves(&self) -> Resolves {
        Resolves { restitution: false, positions: true, instants: false }
    }

    fn solve(
        &mut self,
        problem: &GroupProblem,
        step: Step,
        _executor: &dyn Executor,
        answer: &mut GroupAnswer,
    ) -> SolveReport {
        if problem.contacts.is_empty() {
            return SolveReport::default();
        }
        self.gaps.load(problem, step.h, if self.parameters.friction { Rubbing::Coulomb } else { Rubbing::None });
        self.begin(problem);
        self.share = share_of(problem);
        let before = self.share.spent;
        let (steps, error) = self.iterate(problem);
        self.write_impulses(answer, problem);
        self.gaps.move_by(problem, &self.x);
        answer.displacement.clear();
        for (i, body) in problem.bodies.iter().enumerate() {
            if body.is_movable() {
                answer.velocity[i] = self.gaps.velocity(i);
            }
            answer.displacement.push(answer.velocity[i] * step.h);
        }
        let status = if error <= self.parameters.tolerance { LcpStatus::Converged } else { LcpStatus::IterationLimit };
        let report = LcpReport { status, iterations: steps, residual: Some(error / step.h), change: 0.0 };
        let exhausted = u64::from(status != LcpStatus::Converged && self.is_spent());
        SolveReport { work: self.share.spent - before, exhausted, ..summary(&report, self.x.len() as u64, self.swept) }
    }

    fn takes_rows(&self) -> bool {
        false
    }

    fn cannot(&self, configuration: &Configuration) -> Option<&'static str> {
        (!configuration.joints.is_empty()).then_some("joints")
    }

    fn unread(&self) -> &'static [Unread] {
        &[Unread::Table(ModuleKind::Lcp)]
    }

    fn fork(&self) -> Box<dyn ConstraintSolver> {
        Box::new(Self::new(self.parameters))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use drystone_core::OneThread;
    use drystone_math::Vec3;
    use drystone_testkit::problem::block_on_floor;

    const H: Real = 0.01;

    /// Upward velocities, over three steps, of a block on the floor that is pulled up by 0.1 m/s per step; before, the contacts bore it.
    fn lifted(method: PositionMethod) -> [Real; 3] {
        let mut solver =
            PositionNcp::new(PositionParameters { method, tolerance: 1e-12, ..PositionParameters::default() });
        let mut problem = block_on_floor(2.0, H);
        for c in &mut problem.contacts {
            c.impulse.normal = 0.05;
        }
        problem.bodies[1].external.linear = Vec3::Y * 0.1;
        [0; 3].map(|_| {
            let mut answer = GroupAnswer::default();
            answer.start(&problem);
            solver.solve(&problem, Step::new(H, H), &OneThread, &mut answer);
            problem.start_from(&answer);
            problem.bodies[1].velocity = answer.velocity[1];
            let gap = answer.displacement[1].linear.y;
            problem.bodies[1].pose.position.y += gap;
            for c in &mut problem.contacts {
                c.separation += gap;
                c.position.y += 0.5 * gap;
            }
            answer.velocity[1].linear.y
        })
    }

    // E-30
    #[test]
    fn the_naive_method_sticks_for_one_step() {
        let close = |found: [Real; 3], wanted: [Real; 3]| found.iter().zip(wanted).all(|(f, w)| (f - w).abs() < 1e-9);
        let (naive, complementary) = (lifted(PositionMethod::Bilateral), lifted(PositionMethod::Complementary));
        assert!(close(naive, [0.0, 0.1, 0.2]), "{naive:?}");
        assert!(close(complementary, [0.1, 0.2, 0.3]), "{complementary:?}");
    }
}
