use super::SweepParameters;
use super::body::Body;
use super::clock::{VisitClock, is_stirred};
use super::mixing::Mixing;
use super::relax::{GiveWay, PASSES, Visit};
use super::support::Support;
use super::surfaces::{Item, Surfaces};
use crate::RowParameters;
use crate::assemble::{ContactTarget, normal_target, resting_target};
use crate::bounce::{may_bounce, resting_speed};
use crate::support_change::relative;
use drystone_core::{GroupAnswer, GroupBody, GroupContact, GroupProblem, LcpSummary, SolveReport, Step, TOUCHING};
use drystone_math::{Real, Twist, Vec3};
use pulp::{Arch, Simd, WithSimd};

/// A group of contacts while it is solved.
#[derive(Debug, Default)]
pub(super) struct SweptGroup {
    bodies: Vec<Body>,
    /// In the order in which they are visited.
    items: Vec<Item>,
    surfaces: Surfaces,
    support: Support,
    clock: VisitClock,
    mixing: Mixing,
    arch: Arch,
}

/// A solve, to be compiled for whatever registers the processor has. Nothing is reordered or fused: the bits are the same on all of them.
struct Solve<'a> {
    group: &'a mut SweptGroup,
    problem: &'a GroupProblem,
    own: &'a SweepParameters,
    rows: &'a RowParameters,
    times: Step,
    answer: &'a mut GroupAnswer,
}

impl WithSimd for Solve<'_> {
    type Output = SolveReport;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _simd: S) -> SolveReport {
        self.group.run(self.problem, (self.own, self.rows), self.times, self.answer)
    }
}

/// Bodies slower than this times gravity times the step against what carries them are at rest.
const QUIET_STEPS: Real = 2.0;
/// A patch that is off by less than this fraction of the tolerance is left alone.
const STILL: Real = 1e-5;
/// Friction that changes less than this fraction of the tolerance moves nothing that bears.
const SETTLED: Real = 1e-3;
/// A visit that changes less than this fraction of the tolerance stirs nobody.
const STIRRING: Real = 0.02;
/// Patches of a group in which a visit solves normals and friction until they agree; in larger ones the next sweep does that.
const ALONE: usize = 4;
/// Patches of a group that is not given up early: what it takes in vain is little.
const FEW: usize = 256;
/// A combination is taken back from which a sweep changes more than the best one before it, by this factor.
const GROWTH: Real = 2.0;
/// Sweeps before they are combined.
const UNMIXED: usize = 4;
/// What an answer may have of energy over that of no impulses at all.
const GAIN: Real = 1.01;

impl SweptGroup {
    /// Velocities at the end of a step, and impulses; targets of contacts are those of the given rows.
    pub(super) fn solve(
        &mut self,
        problem: &GroupProblem,
        (own, rows): (&SweepParameters, &RowParameters),
        times: Step,
        answer: &mut GroupAnswer,
    ) -> SolveReport {
        let arch = self.arch;
        arch.dispatch(Solve { group: self, problem, own, rows, times, answer })
    }

    /// The loads alone, passed down from no impulses at all; false, with nothing written, where the group is not at rest.
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
        self.read(problem, &own.rows, times);
        if !self.find_rest(problem, QUIET_STEPS * unit) {
            return false;
        }
        let tolerance = own.tolerance * unit;
        self.clock = VisitClock { now: 0, stirring: STIRRING * tolerance };
        let visit = visit(own, tolerance);
        let budget = Budget { most: own.load_sweeps, least: own.load_sweeps, tolerance, mixes: false };
        self.pass_loads_down(budget, visit);
        self.write(answer);
        true
    }

    #[inline(always)]
    fn run(
        &mut self,
        problem: &GroupProblem,
        (own, rows): (&SweepParameters, &RowParameters),
        times: Step,
        answer: &mut GroupAnswer,
    ) -> SolveReport {
        self.read(problem, rows, times);
        let unit = problem.gravity * times.h;
        let tolerance = own.tolerance * unit;
        let carried = problem.up != Vec3::ZERO && unit > 0.0;
        let mut calm = false;
        if carried {
            calm = self.find_rest(problem, QUIET_STEPS * unit);
        }
        let few = self.items.len() <= FEW;
        self.clock = VisitClock { now: 0, stirring: STIRRING * tolerance };
        let visit = Visit {
            passes: if self.items.len() <= ALONE { PASSES } else { 1 },
            hasty: !calm && !few,
            ..visit(own, tolerance)
        };
        let budget = |most: usize, least: usize| Budget {
            most: if calm { most } else { least },
            least: if few { most } else { least },
            tolerance,
            mixes: few && calm,
        };
        let loads = budget(own.load_sweeps, own.moving_load_sweeps);
        let mut sweeps = budget(own.sweeps, own.moving_sweeps);
        if self.items.len() <= ALONE {
            // a few are soon done
            let all = own.sweeps.max(own.moving_sweeps);
            sweeps = Budget { most: all, least: all, ..sweeps };
        }
        let [most, least] = [sweeps.most, sweeps.least].map(|own| times.iterations(own));
        let sweeps = Budget { most, least, ..sweeps };
        if carried {
            self.pass_loads_down(loads, visit);
        }
        let mut off = self.sweep(sweeps, visit);
        if carried && off > tolerance && self.energy(|b| b.velocity) > GAIN * self.free_energy(problem) {
            // the pass went astray
            self.restart(problem, times);
            off = self.sweep(sweeps, visit);
        }
        self.write(answer);
        self.report(off)
    }

    #[inline(always)]
    fn read(&mut self, problem: &GroupProblem, rows: &RowParameters, times: Step) {
        self.bodies.clear();
        self.bodies.extend(problem.bodies.iter().map(|b| Body::of(b, b.velocity + b.external)));
        self.support.find(&problem.contacts, &self.bodies, problem.up);
        let Self { items, surfaces, bodies, support, .. } = self;
        items.clear();
        surfaces.restart();
        // in the order in which they are visited
        for seat in support.seats() {
            let first = seat.first as usize;
            let contacts = &problem.contacts[first..first + seat.count as usize];
            let item = if let [c] = contacts {
                surfaces.add_point(c, first, seat.upper, target(problem, c, rows, times), bodies)
            } else {
                let (item, patch) = surfaces.add_patch(contacts, first, seat.upper, bodies);
                for (wanted, c) in patch.target.iter_mut().zip(contacts) {
                    *wanted = target(problem, c, rows, times);
                }
                patch.fit_plane();
                item
            };
            items.push(item);
        }
        surfaces.finish();
        self.start(problem, times);
    }

    /// Begins from the impulses of the last step, where there is a step.
    #[inline(always)]
    fn start(&mut self, problem: &GroupProblem, times: Step) {
        if times.h == 0.0 {
            return;
        }
        for item in &self.items {
            self.surfaces.start(item, &problem.contacts, &mut self.bodies);
        }
    }

    /// Goes back to where the solve began.
    fn restart(&mut self, problem: &GroupProblem, times: Step) {
        for (body, b) in self.bodies.iter_mut().zip(&problem.bodies) {
            body.velocity = b.velocity + b.external;
        }
        self.start(problem, times);
    }

    /// Velocities of rest, and who is quiet; whether all are.
    #[inline(always)]
    fn find_rest(&mut self, problem: &GroupProblem, quiet: Real) -> bool {
        for (body, b) in self.bodies.iter_mut().zip(&problem.bodies) {
            body.rest = b.velocity;
        }
        self.support.carry_rest_up(&self.items, &mut self.bodies);
        let mut all = true;
        for (body, b) in self.bodies.iter_mut().zip(&problem.bodies) {
            body.quiet = !body.moves || body.speed(b.velocity - body.rest) < quiet;
            all &= body.quiet;
        }
        all
    }

    /// The load pass: layer by layer from the top, what is below a body giving no way and bearing what it has to.
    #[inline(always)]
    fn pass_loads_down(&mut self, budget: Budget, visit: Visit) {
        let Self { bodies, items, surfaces, support, clock, .. } = self;
        let mut end = support.runs.len() - 1;
        for layer in support.starts.windows(2).rev() {
            let begin = support.runs[..end].partition_point(|at| *at < layer[0]);
            let runs = &support.runs[begin..=end];
            end = begin;
            let mut before = Real::INFINITY;
            for pass in 0..budget.most {
                let mut off: Real = 0.0;
                for i in 0..runs.len() - 1 {
                    let i = if pass % 2 == 0 { i } else { runs.len() - 2 - i };
                    let supports = &mut items[runs[i] as usize..runs[i + 1] as usize];
                    if pass == 0 || supports.iter().any(|item| is_stirred(item, bodies)) {
                        off = off.max(clock.carry(supports, surfaces, bodies, pass % 2 == 1, visit));
                    }
                }
                if budget.is_done(pass + 1, before, off) {
                    break;
                }
                before = off;
            }
        }
    }

    /// Ordinary sweeps from the bottom up, until the largest change is below the tolerance; returns that of the last one (m/s). After the first
    /// one, patches are left out whose bodies nothing has stirred since.
    #[inline(always)]
    fn sweep(&mut self, budget: Budget, visit: Visit) -> Real {
        let Self { bodies, items, surfaces, clock, mixing, .. } = self;
        mixing.reset();
        let (mut off, mut before, mut least) = (0.0, Real::INFINITY, Real::INFINITY);
        // whether the sweep begins from a combination, and whether it visits all patches
        let (mut mixed, mut whole) = (false, true);
        for sweep in 0..budget.most {
            before = if sweep == 0 { before } else { off };
            off = 0.0;
            let mixes = budget.mixes && sweep >= UNMIXED;
            if mixes {
                mixing.begin(bodies, surfaces);
            }
            // what is mixed may not be admissible: nothing is left alone
            let visit = if mixed { Visit { still: -1.0, ..visit } } else { visit };
            for item in items.iter_mut() {
                if whole || is_stirred(item, bodies) {
                    off = clock.visit(item, surfaces, bodies, visit).max(off);
                }
            }
            if mixed && off > GROWTH * least {
                mixing.take_back(bodies, surfaces);
                (off, mixed, whole) = (least, false, true);
                continue;
            }
            least = least.min(off);
            if budget.is_done(sweep + 1, before, off) {
                break;
            }
            mixed = mixes && sweep + 1 < budget.most;
            whole = mixed;
            if mixed {
                mixing.mix(bodies, surfaces);
            }
        }
        off
    }

    fn energy(&self, velocity: impl Fn(&Body) -> Twist) -> Real {
        self.bodies.iter().filter(|b| b.moves).map(|b| b.energy(velocity(b))).sum()
    }

    fn free_energy(&self, problem: &GroupProblem) -> Real {
        let free = self.bodies.iter().zip(&problem.bodies).filter(|(b, _)| b.moves);
        free.map(|(b, p)| b.energy(p.velocity + p.external)).sum()
    }

    #[inline(always)]
    fn write(&self, answer: &mut GroupAnswer) {
        for (out, body) in answer.velocity.iter_mut().zip(&self.bodies) {
            *out = body.velocity;
        }
        self.surfaces.write(answer);
    }

    fn report(&self, off: Real) -> SolveReport {
        let items = self.items.len().max(1) as u64;
        SolveReport {
            lcp: LcpSummary {
                solves: 1,
                iterations: u64::from(self.clock.now).div_ceil(items),
                residual_sum: off,
                residuals: 1,
                residual_max: off,
                variables_max: self.surfaces.variables(),
            },
            ..SolveReport::default()
        }
    }
}

/// A visit that is not hasty, and solves normals and friction until they agree.
#[inline(always)]
fn visit(own: &SweepParameters, tolerance: Real) -> Visit {
    Visit {
        gives: GiveWay::Both,
        rough: own.is_rough(),
        still: STILL * tolerance,
        settled: SETTLED * tolerance,
        passes: PASSES,
        hasty: false,
    }
}

/// How long passes go on.
#[derive(Debug, Clone, Copy)]
struct Budget {
    most: usize,
    least: usize,
    /// The largest change at which they stop (m/s).
    tolerance: Real,
    /// Whether sweeps that take long are combined.
    mixes: bool,
}

impl Budget {
    /// Whether to stop after `done` passes, the last two of which changed this much: because nothing changes any more, or because at this rate something
    /// would after the most passes.
    #[inline(always)]
    fn is_done(&self, done: usize, before: Real, off: Real) -> bool {
        if off < self.tolerance {
            return true;
        }
        let rate = off / before;
        let left = (self.most - done.min(self.most)) as i32;
        done >= self.least && (rate >= 1.0 || off * rate.powi(left) > self.tolerance)
    }
}

/// The normal velocity that a contact must at least have after the step.
#[inline(always)]
fn target(problem: &GroupProblem, c: &GroupContact, rows: &RowParameters, times: Step) -> Real {
    let wanted = if rows.restitution && c.restitution > 0.0 {
        target_where_it_bounces(problem, c, rows, times)
    } else {
        resting_target(c, rows, times.h, times.horizon)
    };
    // what touches is not pushed together: noise of poses must not become one of velocities
    if c.separation <= TOUCHING && wanted < 0.0 { 0.0 } else { wanted }
}

fn target_where_it_bounces(problem: &GroupProblem, c: &GroupContact, rows: &RowParameters, times: Step) -> Real {
    let rate = |velocity: fn(&GroupBody) -> Twist| c.normal.dot(relative(problem, c, velocity));
    let approach = rate(|b| b.velocity);
    if !may_bounce(approach, resting_speed(problem, rows, times.horizon)) {
        return resting_target(c, rows, times.h, times.horizon);
    }
    let rates = ContactTarget { free_rate: rate(|b| b.velocity + b.external), approach };
    normal_target(problem, c, rates, rows, times.h, times.horizon)
}
