use super::SweepParameters;
use super::body::Body;
use super::mixing::Mixing;
use super::patch::{Patch, patch_length};
use super::relax::{GiveWay, Visit};
use super::stand::{Stand, stand};
use super::support::Support;
use crate::RowParameters;
use crate::assemble::{ContactTarget, normal_target};
use drystone_core::{GroupAnswer, GroupBody, GroupProblem, LcpSummary, SolveReport, Step};
use drystone_math::{Real, Twist, Vec3};
use pulp::{Arch, Simd, WithSimd};

/// A group of contacts while it is solved.
#[derive(Debug, Default)]
pub(super) struct SweptGroup {
    bodies: Vec<Body>,
    patches: Vec<Patch>,
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
    times: Step,
    answer: &'a mut GroupAnswer,
}

impl WithSimd for Solve<'_> {
    type Output = SolveReport;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _simd: S) -> SolveReport {
        self.group.run(self.problem, self.own, self.times, self.answer)
    }
}

/// A correction, alike.
struct Correct<'a> {
    group: &'a mut SweptGroup,
    problem: &'a GroupProblem,
    slop: Real,
    sweeps: usize,
    answer: &'a mut GroupAnswer,
}

impl WithSimd for Correct<'_> {
    type Output = SolveReport;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _simd: S) -> SolveReport {
        self.group.run_correction(self.problem, self.slop, self.sweeps, self.answer)
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
/// Patches of a group that is not given up early: what it takes in vain is little.
const FEW: usize = 256;
/// A combination is taken back from which a sweep changes more than the best one before it, by this factor.
const GROWTH: Real = 2.0;
/// Sweeps before they are combined.
const UNMIXED: usize = 4;
/// What an answer may have of energy over that of no impulses at all.
const GAIN: Real = 1.01;

/// Gaps up to this are closed (m): noise of poses must not become one of velocities.
const TOUCHING: Real = 1e-6;

impl SweptGroup {
    /// Velocities at the end of a step, and impulses.
    pub(super) fn solve(
        &mut self,
        problem: &GroupProblem,
        own: &SweepParameters,
        times: Step,
        answer: &mut GroupAnswer,
    ) -> SolveReport {
        let arch = self.arch;
        arch.dispatch(Solve { group: self, problem, own, times, answer })
    }

    /// Displacements that take out penetration.
    pub(super) fn correct(
        &mut self,
        problem: &GroupProblem,
        slop: Real,
        sweeps: usize,
        answer: &mut GroupAnswer,
    ) -> SolveReport {
        let arch = self.arch;
        arch.dispatch(Correct { group: self, problem, slop, sweeps, answer })
    }

    #[inline(always)]
    fn run(
        &mut self,
        problem: &GroupProblem,
        own: &SweepParameters,
        times: Step,
        answer: &mut GroupAnswer,
    ) -> SolveReport {
        self.read(problem, &own.rows, times);
        let unit = problem.gravity * times.h;
        let tolerance = own.tolerance * unit;
        let visit =
            Visit { gives: GiveWay::Both, rough: own.rough, still: STILL * tolerance, settled: SETTLED * tolerance };
        self.clock = VisitClock { now: 0, stirring: STIRRING * tolerance };
        let carried = problem.up != Vec3::ZERO && unit > 0.0;
        self.support.find(&mut self.patches, &self.bodies, problem.up);
        let mut calm = false;
        if carried {
            calm = self.find_rest(problem, QUIET_STEPS * unit);
        }
        let few = self.patches.len() <= FEW;
        let budget = |most: usize, least: usize| Budget {
            most: if calm { most } else { least },
            least: if few { most } else { least },
            tolerance,
            mixes: few && calm,
        };
        let loads = budget(own.load_sweeps, own.least_load_sweeps);
        let sweeps = budget(own.sweeps, own.least_sweeps);
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
    fn run_correction(
        &mut self,
        problem: &GroupProblem,
        slop: Real,
        sweeps: usize,
        answer: &mut GroupAnswer,
    ) -> SolveReport {
        self.bodies.clear();
        self.bodies.extend(problem.bodies.iter().map(|b| Body::of(b, Twist::ZERO)));
        self.read_patches(problem);
        for patch in &mut self.patches {
            let first = patch.first as usize;
            for (target, c) in patch.target.iter_mut().zip(&problem.contacts[first..first + patch.count as usize]) {
                *target = if c.separation > 0.0 { -c.separation } else { (-c.separation - slop).max(0.0) };
            }
        }
        self.support.find(&mut self.patches, &self.bodies, problem.up);
        let Self { patches, bodies, support, .. } = self;
        for _ in 0..sweeps {
            for &k in &support.order {
                patches[k as usize].push_apart(bodies);
            }
        }
        for (out, body) in answer.displacement.iter_mut().zip(&self.bodies) {
            *out = body.velocity;
        }
        SolveReport {
            lcp: LcpSummary { solves: 1, iterations: sweeps as u64, ..LcpSummary::default() },
            ..SolveReport::default()
        }
    }

    #[inline(always)]
    fn read(&mut self, problem: &GroupProblem, rows: &RowParameters, times: Step) {
        self.bodies.clear();
        self.bodies.extend(problem.bodies.iter().map(|b| Body::of(b, b.velocity + b.external)));
        self.read_patches(problem);
        for patch in &mut self.patches {
            let first = patch.first as usize;
            for (target, c) in patch.target.iter_mut().zip(&problem.contacts[first..first + patch.count as usize]) {
                let rate = |velocity: fn(&GroupBody) -> Twist| {
                    let [a, b] = c.bodies.map(|i| {
                        let body = &problem.bodies[i as usize];
                        velocity(body).at(c.position - body.pose.position)
                    });
                    c.normal.dot(b - a)
                };
                let rates =
                    ContactTarget { free_rate: rate(|b| b.velocity + b.external), approach: rate(|b| b.velocity) };
                let wanted = normal_target(problem, c, rates, rows, times.h, times.horizon);
                // what touches is not pushed together
                *target = if c.separation <= TOUCHING && wanted < 0.0 { 0.0 } else { wanted };
            }
            patch.fit_plane();
        }
        self.start(problem, times);
    }

    #[inline(always)]
    fn read_patches(&mut self, problem: &GroupProblem) {
        self.patches.clear();
        let mut first = 0;
        while first < problem.contacts.len() {
            let length = patch_length(&problem.contacts[first..]);
            self.patches.push(Patch::of(&problem.contacts[first..first + length], first, &self.bodies));
            first += length;
        }
    }

    /// Begins from the impulses of the last step, where there is a step.
    #[inline(always)]
    fn start(&mut self, problem: &GroupProblem, times: Step) {
        if times.h == 0.0 {
            return;
        }
        for patch in &mut self.patches {
            let first = patch.first as usize;
            patch.start(&problem.contacts[first..first + patch.count as usize]);
            let wrench = patch.wrench();
            if wrench != [0.0; 6] {
                patch.strike(&mut self.bodies, &wrench);
            }
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
        self.support.carry_rest_up(&self.patches, &mut self.bodies);
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
        let Self { bodies, patches, support, clock, .. } = self;
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
                    let supports = &support.order[runs[i] as usize..runs[i + 1] as usize];
                    if pass == 0 || supports.iter().any(|&k| is_stirred(&patches[k as usize], bodies)) {
                        off = off.max(clock.carry(patches, supports, bodies, pass % 2 == 1, visit));
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
        let Self { bodies, patches, support, clock, mixing, .. } = self;
        mixing.reset();
        let (mut off, mut before, mut least) = (0.0, Real::INFINITY, Real::INFINITY);
        // whether the sweep begins from a combination, and whether it visits all patches
        let (mut mixed, mut whole) = (false, true);
        for sweep in 0..budget.most {
            before = if sweep == 0 { before } else { off };
            off = 0.0;
            let mixes = budget.mixes && sweep >= UNMIXED;
            if mixes {
                mixing.begin(bodies, patches);
            }
            // what is mixed may not be admissible: nothing is left alone
            let visit = if mixed { Visit { still: -1.0, ..visit } } else { visit };
            for &k in &support.order {
                let patch = &mut patches[k as usize];
                if whole || is_stirred(patch, bodies) {
                    off = clock.visit(patch, bodies, visit).max(off);
                }
            }
            if mixed && off > GROWTH * least {
                mixing.take_back(bodies, patches);
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
                mixing.mix(bodies, patches);
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

    fn write(&self, answer: &mut GroupAnswer) {
        for (out, body) in answer.velocity.iter_mut().zip(&self.bodies) {
            *out = body.velocity;
        }
        for patch in &self.patches {
            let first = patch.first as usize;
            patch.write(&mut answer.contacts[first..first + patch.count as usize]);
        }
    }

    fn report(&self, off: Real) -> SolveReport {
        let patches = self.patches.len().max(1) as u64;
        SolveReport {
            lcp: LcpSummary {
                solves: 1,
                iterations: u64::from(self.clock.now).div_ceil(patches),
                residual_sum: off,
                residuals: 1,
                residual_max: off,
                variables_max: self.patches.iter().map(|p| u64::from(p.count) + 3).sum(),
            },
            ..SolveReport::default()
        }
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

/// Counts the visits of patches, and notes which bodies they stir.
#[derive(Debug, Default)]
struct VisitClock {
    now: u32,
    /// The change from which on a body counts as stirred (m/s).
    stirring: Real,
}

/// Whether a body of the patch was stirred since its last visit.
#[inline(always)]
fn is_stirred(patch: &Patch, bodies: &[Body]) -> bool {
    let [a, b] = patch.bodies.map(|i| bodies[i as usize].stirred);
    a.max(b) > patch.visited
}

impl VisitClock {
    #[inline(always)]
    fn note(&mut self, patch: &mut Patch, bodies: &mut [Body], off: Real) {
        patch.visited = self.now;
        if off > self.stirring {
            for b in patch.bodies {
                let body = &mut bodies[b as usize];
                if body.moves {
                    body.stirred = self.now;
                }
            }
        }
    }

    #[inline(always)]
    fn visit(&mut self, patch: &mut Patch, bodies: &mut [Body], visit: Visit) -> Real {
        self.now += 1;
        let off = patch.relax(bodies, visit);
        self.note(patch, bodies, off);
        off
    }

    /// Brings a body to rest on its supports, all at once or one after the other; returns by how much it was off (m/s).
    #[inline(always)]
    fn carry(
        &mut self,
        patches: &mut [Patch],
        supports: &[u32],
        bodies: &mut [Body],
        backwards: bool,
        visit: Visit,
    ) -> Real {
        let quiet = |k: &u32, patches: &[Patch], bodies: &[Body]| {
            patches[*k as usize].bodies.iter().all(|b| bodies[*b as usize].quiet)
        };
        if supports.len() > 1
            && visit.rough
            && supports.iter().all(|k| quiet(k, patches, bodies))
            && let Stand::Stands(off) = stand(patches, supports, bodies, visit.still)
        {
            self.now += supports.len() as u32;
            for &k in supports {
                self.note(&mut patches[k as usize], bodies, off);
            }
            return off;
        }
        let mut off: Real = 0.0;
        for i in 0..supports.len() {
            let k = supports[if backwards { supports.len() - 1 - i } else { i }];
            let gives = if quiet(&k, patches, bodies) { GiveWay::Upper } else { GiveWay::Both };
            off = off.max(self.visit(&mut patches[k as usize], bodies, Visit { gives, ..visit }));
        }
        off
    }
}
