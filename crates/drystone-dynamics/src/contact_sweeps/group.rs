use super::SweepParameters;
use super::body::Body;
use super::bounds::Bounds;
use super::budget::Budget;
use super::clock::VisitClock;
use super::domains::{CALM_PATCHES, Domains, MOVING_PATCHES};
use super::links::Links;
use super::overlap::Parting;
use super::part::{Part, Solve, Stage, Way};
use super::relax::{GiveWay, PASSES, Visit};
use super::support::Support;
use super::visited::Visited;
use crate::RowParameters;
use drystone_core::{
    Executor, GroupAnswer, GroupBody, GroupProblem, LcpSummary, OneThread, SolveReport, Step, piece_length, run_each,
};
use drystone_math::{Real, Twist, Vec3};
use std::sync::{Mutex, PoisonError};

/// A group of contacts while it is solved.
#[derive(Debug, Default)]
pub(super) struct SweptGroup {
    bodies: Vec<Body>,
    support: Support,
    /// All patches, if the group is solved as a whole.
    whole: Part,
    /// All patches, if the group is solved domain by domain.
    domains: Domains,
    /// True if the group solved last was split; true if it is large and moves.
    split: bool,
    moves: bool,
    /// The rest that the last solve has left.
    unsolved: Option<Unsolved>,
    /// By how much patches were off in the sweep before the last one (m/s).
    before: Real,
}

/// The rest that sweeps leave, and the goal for it (m/s).
#[derive(Debug, Clone, Copy)]
pub(super) struct Unsolved {
    /// By how much velocities are off.
    pub(super) off: Real,
    /// The largest error that is wanted, and the largest that is enough if it falls slowly.
    pub(super) goal: Real,
    pub(super) enough: Real,
    /// Most sweeps that a step of another method may cost.
    pub(super) worth: Real,
}

/// Bodies that move against their supports more slowly than this times gravity times the step are at rest.
const QUIET_STEPS: Real = 2.0;
/// In the same units: bodies slower than this stand.
const STANDING_STEPS: Real = 1e-2;
/// Groups at rest are swept until nothing changes by more than this fraction of the tolerance: they then stay at rest
/// for good, and are not solved again.
const AT_REST: Real = 1e-5;
/// A patch that is off by less than this fraction of the tolerance is left alone.
const STILL: Real = 1e-5;
/// Friction that changes by less than this fraction of the tolerance does not move what bears.
const SETTLED: Real = 1e-3;
/// A visit that changes less than this fraction of the tolerance stirs nobody.
const STIRRING: Real = 0.02;
/// Largest number of patches of a group that is swept until nothing changes, whatever it does; and how often a visit in such a group
/// solves normals and friction in turn. A single patch is solved until they agree; in larger groups that is left to the next sweep.
const ALONE: usize = 4;
const TURNS: usize = 2;
/// Largest number of patches of a group that is never given up early: sweeps in vain cost little there.
const FEW: usize = 256;
/// Number of bodies below which a second thread does not pay.
const FEW_BODIES: usize = 1024;
/// Convergence tolerance of groups below the rest threshold, as a fraction of the rest tolerance. A group that
/// converges without coming to rest is moved by an external load.
const CONVERGED: Real = 0.01;
/// Velocities that sweeps leave unsolved are solved to this fraction of what they may leave, where nothing stands.
const CLOSE: Real = 1e-3;
/// A step of another method may cost as much as this many sweeps; in a group that stands, which is not solved again once it rests, as this many.
const WORTH: Real = 10.0;
const WORTH_STANDING: Real = 24.0;
/// A patch counts as unconverged above these multiples of `g h`: in groups of few patches without joints, in such
/// groups with joints, and in all others.
const FAR_OF_FEW: Real = 0.5;
const FAR_OF_FEW_WITH_JOINTS: Real = 1.0;
const FAR: Real = 2.0;
/// Maximum extra sweeps over unconverged patches in groups with joints, whose error comes mostly from the joints.
const FURTHER_WITH_JOINTS: usize = 20;
/// Largest energy of an answer, relative to that without any impulses.
const GAIN: Real = 1.01;

impl SweptGroup {
    /// Finds impulses and the velocities at the end of a step; the targets of contacts are those of the given rows. Joints are visited after each sweep, and hold in the end.
    pub(super) fn solve(
        &mut self,
        problem: &GroupProblem,
        (own, rows): (&SweepParameters, &RowParameters),
        (times, links): (Step, Option<&mut Links>),
        executor: &dyn Executor,
        answer: &mut GroupAnswer,
    ) -> SolveReport {
        self.read(problem, executor);
        let unit = problem.gravity * times.h;
        let carried = problem.up != Vec3::ZERO && unit > 0.0;
        let fastest = self.find_rest(problem, QUIET_STEPS * unit, executor);
        let calm = carried && fastest < QUIET_STEPS * unit;
        let stands = carried && fastest < STANDING_STEPS * unit;
        let tolerance = own.tolerance * unit * if stands { AT_REST } else { 1.0 };
        let patches = self.support.order().seats.len();
        let small = patches <= FEW;
        // with joints, sweeps converge slowly
        let few = small && links.is_none();
        let far = match (small, &links) {
            (true, None) => FAR_OF_FEW,
            (true, Some(_)) => FAR_OF_FEW_WITH_JOINTS,
            (false, _) => FAR,
        };
        let alone = patches <= ALONE;
        let passes = match patches {
            1 => PASSES,
            2..=ALONE => TURNS,
            _ => 1,
        };
        self.moves = !(calm || few);
        // what stands is brought to rest for good, patch by patch; few patches leave lanes empty
        let way = if stands || small { Way::OneByOne } else { Way::SideBySide };
        let visit = Visit { passes, ..visit(own, tolerance) };
        let solve = Solve { problem, rows, times, visit, way };
        let budget = |most: usize, least: usize| Budget {
            most: if calm { most } else { least },
            least,
            tolerance,
            enough: own.tolerance * unit,
            further: if links.is_none() { own.sweeps } else { own.sweeps.min(FURTHER_WITH_JOINTS) },
            far: far * unit,
            rest: None,
        };
        let loads = carried.then(|| budget(own.load_sweeps, own.moving_load_sweeps));
        let mut sweeps = budget(own.sweeps, own.moving_sweeps);
        if alone {
            // few patches are soon done
            let all = own.sweeps.max(own.moving_sweeps);
            sweeps = Budget { most: all, least: all, ..sweeps };
        }
        let [most, least] = [sweeps.most, sweeps.least].map(|own| times.iterations(own));
        let creep =
            Bounds::of(problem, own, times).filter(|bounds| links.is_none() && stands && bounds.creep(&problem.bodies));
        let sweeps = Budget { most, least, rest: creep, ..sweeps };
        let unfinished = if sweeps.far > 0.0 { sweeps.far } else { Real::INFINITY };
        let clock = VisitClock::from(STIRRING * tolerance, unfinished);
        let least = if calm { CALM_PATCHES } else { MOVING_PATCHES };
        if !stands
            && links.is_none()
            && self.domains.split(&self.bodies, self.support.order(), problem.up, (least, executor))
        {
            self.unsolved = None;
            return self.solve_by_domains(&solve, (loads, sweeps), clock, executor, answer);
        }
        let report = self.solve_whole(&solve, (loads, sweeps), (clock, links), answer);
        self.unsolved =
            self.left_unsolved(problem, own, (unit, tolerance), [carried && !calm, stands], report.lcp.residual_max);
        report
    }

    /// The rest that a solve whose last sweep was off by `off` (m/s) has left, if that is more than it may leave: the tolerance or, in a group that something moves in,
    /// what gravity adds in a step.
    ///
    /// If sweeps converge slowly, their last change says little. The measure is the sum of all further changes, at the
    /// rate of the last two.
    fn left_unsolved(
        &self,
        problem: &GroupProblem,
        own: &SweepParameters,
        (unit, tolerance): (Real, Real),
        [moves, stands]: [bool; 2],
        off: Real,
    ) -> Option<Unsolved> {
        // what gravity adds in a step or, without gravity, the largest change of a velocity
        let unit = if unit > 0.0 { unit } else { self.largest_change(problem) };
        let loose = if moves { unit } else { own.tolerance * unit };
        let (enough, goal, worth) =
            if stands { (tolerance, tolerance, WORTH_STANDING) } else { (loose, CLOSE * loose, WORTH) };
        let rate = (off / self.before).min(1.0);
        (off > tolerance && off > (1.0 - rate) * enough).then_some(Unsolved {
            off: off.max(enough),
            goal,
            enough,
            worth,
        })
    }

    /// The largest change of a body's velocity in the last solve (m/s).
    fn largest_change(&self, problem: &GroupProblem) -> Real {
        let change = |(body, before): (&Body, &GroupBody)| body.speed(body.velocity - before.velocity);
        self.bodies.iter().zip(&problem.bodies).filter(|(b, _)| b.moves).map(change).fold(0.0, Real::max)
    }

    /// Writes how bodies of the group solved last are displaced after the step, so that nothing overlaps by more than `slop` (m); only if
    /// the group is large and moves. A group nearly at rest has to be examined where it has gone: first-order gaps are too coarse for it.
    ///
    /// If the step was not `plain`, that solve had the contacts of another phase of it; and bodies that turn within the step go another way than their velocity says.
    pub(super) fn part(
        &mut self,
        problem: &GroupProblem,
        plain: bool,
        (h, slop): (Real, Real),
        executor: &dyn Executor,
        answer: &mut GroupAnswer,
    ) {
        if !self.moves || h == 0.0 {
            return;
        }
        let renewed = !plain || answer.turn.iter().any(|turn| !turn.is_none());
        if renewed {
            for ((body, velocity), turn) in self.bodies.iter_mut().zip(&answer.velocity).zip(&answer.turn) {
                body.velocity = if turn.is_none() { *velocity } else { *velocity + turn.shift * (1.0 / h) };
            }
        }
        let parting = Parting { h, slop, renewed: renewed.then_some((&problem.contacts, &self.bodies)) };
        answer.correction.resize(self.bodies.len(), Twist::ZERO);
        if self.split {
            answer.overlap = self.domains.part(parting, executor, &mut answer.correction);
        } else {
            if renewed {
                self.whole.read_gaps(&problem.contacts);
            }
            answer.overlap = self.whole.part(&self.bodies, parting);
            answer.correction.copy_from_slice(&self.whole.ways);
        }
    }

    /// The loads alone, passed down starting from no impulses; false, with nothing written, if the group is not at rest.
    pub(super) fn bear(
        &mut self,
        problem: &GroupProblem,
        own: &SweepParameters,
        times: Step,
        answer: &mut GroupAnswer,
    ) -> bool {
        let unit = problem.gravity * times.h;
        if problem.up == Vec3::ZERO || unit == 0.0 {
            return false;
        }
        self.read(problem, &OneThread);
        if self.find_rest(problem, QUIET_STEPS * unit, &OneThread) >= QUIET_STEPS * unit {
            return false;
        }
        let tolerance = own.tolerance * unit;
        let visit = visit(own, tolerance);
        let solve = Solve { problem, rows: &own.rows, times, visit, way: Way::OneByOne };
        let budget = Budget::plain(own.load_sweeps, tolerance);
        self.whole.clock = VisitClock::from(STIRRING * tolerance, Real::INFINITY);
        self.run(Stage::Make, &solve);
        self.run(Stage::Loads(budget), &solve);
        self.write([&self.whole], answer);
        true
    }

    /// The rest that the last solve has left, if that is more than it may leave.
    pub(super) fn unsolved(&self) -> Option<Unsolved> {
        self.unsolved
    }

    /// Runs a stage on all patches.
    fn run(&mut self, stage: Stage, solve: &Solve<'_>) -> Real {
        self.whole.run(stage, self.support.order(), &mut self.bodies, solve)
    }

    /// Loads, if they are to be passed down, and sweeps over all patches.
    fn solve_whole(
        &mut self,
        solve: &Solve<'_>,
        (loads, sweeps): (Option<Budget>, Budget),
        (clock, mut links): (VisitClock, Option<&mut Links>),
        answer: &mut GroupAnswer,
    ) -> SolveReport {
        self.whole.clock = clock;
        if sweeps.rest.is_some() {
            self.stop(solve.problem);
        }
        self.run(Stage::Make, solve);
        if let Some(links) = &mut links {
            links.start(&mut self.bodies);
        }
        if let Some(loads) = loads {
            self.run(Stage::Loads(loads), solve);
        }
        let mut left = self.sweep(sweeps, solve, links.as_deref_mut());
        let stays = sweeps.rest.is_some_and(|bounds| self.stays(solve.problem, bounds));
        if sweeps.rest.is_some() && !stays {
            self.let_go(solve.problem);
            left = self.sweep(Budget { rest: None, ..sweeps }, solve, None);
        }
        if !stays && loads.is_some() && left > sweeps.tolerance && self.has_gained(solve.problem) {
            left = self.sweep_from_start(sweeps, solve, links.as_deref_mut());
        }
        if let Some(links) = &mut links {
            links.settle(&mut self.bodies, &mut self.whole.clock);
        }
        self.write([&self.whole], answer);
        if stays {
            answer.velocity.fill(Twist::ZERO);
        }
        self.split = false;
        let mut report = report(left, self.whole.clock.visits, [&self.whole]);
        report.lcp.variables_max += links.map_or(0, |links| links.variables());
        report
    }

    /// Sweeps from the impulses of the last step, where the pass of loads went astray.
    fn sweep_from_start(&mut self, sweeps: Budget, solve: &Solve<'_>, mut links: Option<&mut Links>) -> Real {
        for (body, b) in self.bodies.iter_mut().zip(&solve.problem.bodies) {
            body.velocity = b.velocity + b.external;
        }
        self.run(Stage::Start, solve);
        if let Some(links) = &mut links {
            links.start(&mut self.bodies);
        }
        self.sweep(Budget { rest: None, ..sweeps }, solve, links)
    }

    /// The same for a group that is split into domains.
    fn solve_by_domains(
        &mut self,
        solve: &Solve<'_>,
        (loads, sweeps): (Option<Budget>, Budget),
        clock: VisitClock,
        executor: &dyn Executor,
        answer: &mut GroupAnswer,
    ) -> SolveReport {
        let Self { domains, bodies, support, .. } = self;
        domains.make(bodies, support.order(), clock, solve, executor);
        if let Some(loads) = loads {
            domains.run(Stage::Loads(loads), solve, executor);
        }
        let mut left = domains.sweep(sweeps, solve, executor);
        domains.give_velocities(bodies);
        let mut gained = false;
        let group = &*self;
        let mut ask = || {
            gained = loads.is_some() && left > sweeps.tolerance && group.has_gained(solve.problem);
        };
        executor.run(&mut [&mut || group.write(group.domains.parts(), answer), &mut ask]);
        if gained {
            // the pass went astray
            self.domains.restart(solve, executor);
            left = self.domains.sweep(sweeps, solve, executor);
            self.domains.give_velocities(&mut self.bodies);
            self.write(self.domains.parts(), answer);
        }
        self.split = true;
        report(left, self.domains.visits(), self.domains.parts())
    }

    fn read(&mut self, problem: &GroupProblem, executor: &dyn Executor) {
        // a body that nothing carries rests at its own velocity
        let body = |b: &GroupBody| Body { rest: b.velocity, ..Body::of(b, b.velocity + b.external) };
        let length = piece_length(executor, problem.bodies.len(), FEW_BODIES);
        if length >= problem.bodies.len() {
            self.bodies.clear();
            self.bodies.extend(problem.bodies.iter().map(body));
        } else {
            self.bodies.resize(problem.bodies.len(), body(&problem.bodies[0]));
            run_each(executor, self.bodies.chunks_mut(length).zip(problem.bodies.chunks(length)), |(into, bodies)| {
                for (into, b) in into.iter_mut().zip(bodies) {
                    *into = body(b);
                }
            });
        }
        self.support.find(&problem.contacts, &self.bodies, problem.up, executor);
    }

    /// Finds the velocities of rest of bodies that were just read, and which are quiet: slower against it than `quiet`. Returns the largest such speed (m/s).
    fn find_rest(&mut self, problem: &GroupProblem, quiet: Real, executor: &dyn Executor) -> Real {
        self.support.carry_rest_up(&mut self.bodies);
        let length = piece_length(executor, problem.bodies.len(), FEW_BODIES);
        let fastest = Mutex::new(0.0);
        run_each(executor, self.bodies.chunks_mut(length).zip(problem.bodies.chunks(length)), |(bodies, before)| {
            let mut here: Real = 0.0;
            for (body, b) in bodies.iter_mut().zip(before) {
                let speed = if body.moves { body.speed(b.velocity - body.rest) } else { 0.0 };
                // a speed that is not a number is not quiet
                body.quiet = speed < quiet || !body.moves;
                here = here.max(if body.quiet { speed } else { Real::INFINITY });
            }
            let mut fastest = fastest.lock().unwrap_or_else(PoisonError::into_inner);
            *fastest = here.max(*fastest);
        });
        fastest.into_inner().unwrap_or_else(PoisonError::into_inner)
    }

    /// Ordinary sweeps from the bottom up, until the largest change is below the tolerance, then over unconverged patches; returns the error of the patches in the last one. After the first
    /// sweep, patches whose bodies nothing has stirred since are left out.
    fn sweep(&mut self, budget: Budget, solve: &Solve<'_>, mut links: Option<&mut Links>) -> Real {
        let (mut off, mut first, mut before) = (0.0, 0.0, Real::INFINITY);
        for sweep in 0..budget.most {
            before = if sweep == 0 { before } else { off };
            let visited = if sweep == 0 { Visited::All } else { Visited::Stirred };
            off = self.run_linked(visited, solve, links.as_deref_mut());
            first = if sweep == 0 { off } else { first };
            let done = match budget.rest {
                Some(bounds) if self.stays(solve.problem, bounds) => true,
                Some(_) => off < CONVERGED * budget.tolerance,
                None => budget.is_done(sweep + 1, before, off),
            };
            if done {
                break;
            }
        }
        let mut last = off;
        off = budget.follow(first, off, |visited| {
            before = last;
            last = self.run_linked(visited, solve, links.as_deref_mut());
            last
        });
        self.before = before;
        off
    }

    /// A sweep over patches, then a visit of joints; returns by how much they were off at most (m/s).
    fn run_linked(&mut self, visited: Visited, solve: &Solve<'_>, links: Option<&mut Links>) -> Real {
        let off = self.run(Stage::Sweep(visited), solve);
        links.map_or(off, |links| off.max(links.visit(&mut self.bodies, &mut self.whole.clock)))
    }

    /// Takes from bodies that creep what velocity they have. It comes from errors of the impulses, which the next ones would otherwise have to stop: and those would
    /// set the bodies going again in the step after.
    fn stop(&mut self, problem: &GroupProblem) {
        for (body, before) in self.bodies.iter_mut().zip(&problem.bodies) {
            (body.velocity, body.rest) = (before.external, Twist::ZERO);
        }
    }

    /// Gives it back, where something pulls at them after all.
    fn let_go(&mut self, problem: &GroupProblem) {
        for (body, before) in self.bodies.iter_mut().zip(&problem.bodies) {
            body.velocity += before.velocity;
        }
    }

    /// Returns true if bodies that were at rest stay at rest.
    fn stays(&self, problem: &GroupProblem, bounds: Bounds) -> bool {
        self.bodies.iter().zip(&problem.bodies).all(|(body, before)| bounds.stays(before, body.velocity))
    }

    /// Returns true if the answer has more energy than zero impulses would leave.
    fn has_gained(&self, problem: &GroupProblem) -> bool {
        let moving = || self.bodies.iter().zip(&problem.bodies).filter(|(b, _)| b.moves);
        let has: Real = moving().map(|(b, _)| b.energy(b.velocity)).sum();
        let free: Real = moving().map(|(b, p)| b.energy(p.velocity + p.external)).sum();
        has > GAIN * free
    }

    /// Writes velocities, and the impulses of all patches.
    fn write<'a>(&self, parts: impl IntoIterator<Item = &'a Part>, answer: &mut GroupAnswer) {
        for (out, body) in answer.velocity.iter_mut().zip(&self.bodies) {
            *out = body.velocity;
        }
        for part in parts {
            part.write(answer);
        }
    }
}

/// The report of a solve that was off by `off` (m/s) in the end.
fn report<'a>(off: Real, visits: u64, parts: impl IntoIterator<Item = &'a Part> + Clone) -> SolveReport {
    let patches: usize = parts.clone().into_iter().map(Part::patches).sum();
    SolveReport {
        lcp: LcpSummary {
            solves: 1,
            iterations: visits.div_ceil(patches.max(1) as u64),
            residual_sum: off,
            residuals: 1,
            residual_max: off,
            variables_max: parts.into_iter().map(Part::variables).sum(),
        },
        ..SolveReport::default()
    }
}

/// A visit that solves normals and friction until they agree.
#[inline(always)]
fn visit(own: &SweepParameters, tolerance: Real) -> Visit {
    Visit {
        gives: GiveWay::Both,
        rough: own.is_rough(),
        still: STILL * tolerance,
        settled: SETTLED * tolerance,
        passes: PASSES,
    }
}
