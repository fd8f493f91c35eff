mod border;
mod domain;
mod half;

use super::bisection::Bisection;
use super::body::Body;
use super::budget::Budget;
use super::clock::VisitClock;
use super::order::Order;
use super::overlap::Parting;
use super::part::{Part, Solve, Stage};
use super::visited::Visited;
use border::Border;
use domain::Domain;
use drystone_core::Executor;
use drystone_math::{Real, Twist, Vec3};
use half::half_by_half;
use smallvec::SmallVec;

/// Least number of patches per domain, in a group that moves and in one that is nearly at rest: in the latter, small domains cost a single thread more than whole groups do.
pub(super) const MOVING_PATCHES: usize = 1024;
pub(super) const CALM_PATCHES: usize = 4096;
/// Largest number of domains, as a power of two.
const DEPTH: u32 = 3;
const MOST: usize = 1 << DEPTH;
/// A group is not worth splitting if more than one in this many of its patches is on a border.
const BORDER: usize = 4;

/// Stand for the patches whose bodies are in two different sets: both in the first half of the sets, both in the second, or one in each.
const BORDERS: [u32; 3] = [u32::MAX - 3, u32::MAX - 2, u32::MAX - 1];

/// A large group that moves, split into domains that lie side by side and the borders between them.
///
/// A sweep visits the patches within domains first, the domains in parallel; then those between the domains of each half, the halves in parallel; then those between
/// the halves. That is one order of block Gauss-Seidel, the same on any number of threads: how a group is split depends on the group alone.
///
/// # Source
/// The order is that of nested dissection (A. George, "Nested dissection of a regular finite element mesh", 1973), each border after what it separates. Piles solved
/// domain by domain: P. Alart, D. Iceta and D. Dureisseix, "A nonlinear domain decomposition formulation with application to granular dynamics", 2012.
#[derive(Debug, Default)]
pub(super) struct Domains {
    cut: Bisection,
    /// For each seat: its set, or one of the [`BORDERS`].
    sets: Vec<u32>,
    /// At least as many as the group has domains. Every body that moves has a place in one of them.
    within: Vec<Domain>,
    count: usize,
    /// Within each half.
    inner: [Border; 2],
    /// Between the halves.
    outer: Border,
}

impl Domains {
    /// Splits a group into domains of at least `patches` patches, if it is large enough and its bodies lie side by side; false if it is not split.
    pub(super) fn split(
        &mut self,
        bodies: &[Body],
        order: &Order,
        up: Vec3,
        (patches, executor): (usize, &dyn Executor),
    ) -> bool {
        let seats = &order.seats;
        let depth = (seats.len() / patches).checked_ilog2().unwrap_or(0).min(DEPTH);
        if depth == 0 {
            return false;
        }
        let Self { cut, sets, .. } = self;
        cut.cut(bodies, up, depth, executor);
        let border = |pair| BORDERS[cut.half_of(pair).unwrap_or(2)];
        sets.clear();
        sets.extend(seats.iter().map(|seat| cut.set_of(seat.bodies).unwrap_or_else(|| border(seat.bodies))));
        let border = sets.iter().filter(|set| BORDERS.contains(set)).count();
        self.count = 1 << depth;
        border * BORDER <= seats.len()
    }

    /// Makes the patches of all domains, and begins from the impulses of the last step.
    pub(super) fn make(
        &mut self,
        bodies: &[Body],
        order: &Order,
        clock: VisitClock,
        solve: &Solve<'_>,
        executor: &dyn Executor,
    ) {
        if self.within.len() < self.count {
            self.within.resize_with(self.count, Domain::default);
        }
        let Self { cut, sets, within, count, inner, outer } = self;
        let sets = sets.as_slice();
        let within = &mut within[..*count];
        for (domain, set) in within.iter_mut().zip(0..) {
            domain.begin(set, clock);
        }
        for (border, set) in inner.iter_mut().chain([&mut *outer]).zip(BORDERS) {
            border.domain.begin(set, clock);
        }
        let make = |domain: &mut Domain| {
            domain.take(order, bodies, sets);
            domain.run(Stage::Make, solve);
        };
        let make_border = |within: &mut [&mut Domain], border: &mut Border, first: u32| {
            border.domain.take(order, bodies, sets);
            border.tie(cut, bodies, within, first);
            border.run(Stage::Make, within, solve);
        };
        half_by_half(within, inner.each_mut(), executor, make, make_border);
        make_border(&mut all_of(within), outer, 0);
    }

    /// Begins again from the impulses of the last step.
    pub(super) fn restart(&mut self, solve: &Solve<'_>, executor: &dyn Executor) {
        let Self { within, count, inner, outer, .. } = self;
        let borders = inner.iter_mut().chain([outer]).map(|border| &mut border.domain);
        for domain in within[..*count].iter_mut().chain(borders) {
            for (body, member) in domain.bodies.iter_mut().zip(&domain.members) {
                let before = &solve.problem.bodies[*member as usize];
                body.velocity = before.velocity + before.external;
            }
        }
        self.run(Stage::Start, solve, executor);
    }

    /// Runs a stage in all domains, then on the borders; a sweep returns by how much patches were off at most (m/s).
    pub(super) fn run(&mut self, stage: Stage, solve: &Solve<'_>, executor: &dyn Executor) -> Real {
        let Self { within, count, inner, outer, .. } = self;
        let within = &mut within[..*count];
        let work = |domain: &mut Domain| domain.run(stage, solve);
        let join = |within: &mut [&mut Domain], border: &mut Border, _: u32| border.run(stage, within, solve);
        half_by_half(within, inner.each_mut(), executor, work, join);
        outer.run(stage, &mut all_of(within), solve);
        self.all().fold(0.0, |off, domain| off.max(domain.off))
    }

    /// Sweeps until the largest change is below the tolerance, then over unconverged patches; returns the rest.
    pub(super) fn sweep(&mut self, budget: Budget, solve: &Solve<'_>, executor: &dyn Executor) -> Real {
        let (mut off, mut first, mut before) = (0.0, 0.0, Real::INFINITY);
        for sweep in 0..budget.most {
            off = self.run(Stage::Sweep(if sweep == 0 { Visited::All } else { Visited::Stirred }), solve, executor);
            first = if sweep == 0 { off } else { first };
            if budget.is_done(sweep + 1, before, off) {
                break;
            }
            before = off;
        }
        budget.follow(first, off, |visited| self.run(Stage::Sweep(visited), solve, executor))
    }

    /// Computes how bodies are displaced after the step; returns how deep the deepest point would be (m).
    pub(super) fn part(&mut self, parting: Parting<'_>, executor: &dyn Executor, ways: &mut [Twist]) -> Real {
        let Self { within, count, inner, outer, .. } = self;
        let within = &mut within[..*count];
        let part = |domain: &mut Domain| {
            domain.renew(parting);
            domain.off = domain.part.part(&domain.bodies, parting);
        };
        let join = |within: &mut [&mut Domain], border: &mut Border, _: u32| border.part(within, parting);
        half_by_half(within, inner.each_mut(), executor, part, join);
        outer.part(&mut all_of(within), parting);
        for domain in &*within {
            for (way, member) in domain.part.ways.iter().zip(&domain.members) {
                ways[*member as usize] = *way;
            }
        }
        self.all().fold(0.0, |off, domain| off.max(domain.off))
    }

    /// Gives the group's bodies their velocities.
    pub(super) fn give_velocities(&self, bodies: &mut [Body]) {
        for domain in &self.within[..self.count] {
            for (body, member) in domain.bodies.iter().zip(&domain.members) {
                bodies[*member as usize].velocity = body.velocity;
            }
        }
    }

    fn all(&self) -> impl Iterator<Item = &Domain> + Clone {
        self.within[..self.count].iter().chain(self.inner.iter().chain([&self.outer]).map(|border| &border.domain))
    }

    /// The patches of all domains and of the borders.
    pub(super) fn parts(&self) -> impl Iterator<Item = &Part> + Clone {
        self.all().map(|domain| &domain.part)
    }

    /// Visits of patches so far.
    pub(super) fn visits(&self) -> u64 {
        self.parts().map(|part| part.clock.visits).sum()
    }
}

/// All domains of the outer border.
fn all_of(within: &mut [Domain]) -> SmallVec<[&mut Domain; MOST]> {
    within.iter_mut().collect()
}
