use super::bisection::{Bisection, FIXED};
use super::body::Body;
use super::budget::{Budget, Left};
use super::clock::VisitClock;
use super::order::Order;
use super::overlap::Parting;
use super::part::{Part, Solve, Stage, Visited};
use super::seat::Seat;
use drystone_core::Executor;
use drystone_math::{Real, Twist, Vec3};
use smallvec::SmallVec;

/// Patches of a domain of a group that moves, at least, and of one that is nearly at rest: there small domains cost one thread more than whole groups do.
pub(super) const MOVING_PATCHES: usize = 1024;
pub(super) const CALM_PATCHES: usize = 4096;
/// Most domains, as a power of two.
const DEPTH: u32 = 3;
/// Patches of a border, as a fraction of all, above which a group is not worth splitting.
const BORDER: usize = 4;

/// Says that a body has no place in a domain.
const NOWHERE: u32 = u32::MAX;
/// Stands for the set of a patch whose bodies are in two.
const BORDER_SET: u32 = u32::MAX - 1;

/// A large group that moves, split into domains that lie side by side and the border between them.
///
/// A sweep visits the patches within domains first, one domain beside the other, then those whose bodies belong to two of them. That is one order of
/// block Gauss-Seidel, the same on any number of threads: how a group is split depends on the group alone.
///
/// # Source
/// The order is that of nested dissection (A. George, "Nested dissection of a regular finite element mesh", 1973), a border after what it parts. Piles solved
/// domain by domain: P. Alart, D. Iceta and D. Dureisseix, "A nonlinear domain decomposition formulation with application to granular dynamics", 2012.
#[derive(Debug, Default)]
pub(super) struct Domains {
    cut: Bisection,
    /// By seat: its set, or [`BORDER_SET`].
    sets: Vec<u32>,
    /// At least as many as the group has domains.
    within: Vec<Domain>,
    count: usize,
    border: Domain,
    /// Bodies of the border that a domain has too.
    ties: Vec<Tie>,
}

/// A domain, or the border, with its own copy of the bodies that it acts on.
#[derive(Debug, Default)]
struct Domain {
    part: Part,
    order: Order,
    bodies: Vec<Body>,
    /// Which bodies of the group these are.
    members: Vec<u32>,
    /// By body of the group: its place here.
    places: Vec<u32>,
    /// Which set of bodies it has, where it is a domain.
    set: u32,
    /// By how much the last sweep found patches off (m/s).
    off: Real,
}

/// A body in a domain and in the border.
#[derive(Debug, Clone, Copy)]
struct Tie {
    domain: u32,
    there: u32,
    here: u32,
}

impl Domain {
    /// Takes the seats that are its own, those of one set, and copies their bodies.
    fn take(&mut self, order: &Order, bodies: &[Body], (sets, own): (&[u32], u32)) {
        for body in self.members.drain(..) {
            self.places[body as usize] = NOWHERE;
        }
        self.places.resize(bodies.len(), NOWHERE);
        self.bodies.clear();
        self.order.seats.clear();
        for (seat, _) in order.seats.iter().zip(sets).filter(|(_, set)| **set == own) {
            let local = seat.bodies.map(|body| {
                let place = &mut self.places[body as usize];
                if *place == NOWHERE {
                    *place = self.bodies.len() as u32;
                    self.bodies.push(bodies[body as usize]);
                    self.members.push(body);
                }
                *place
            });
            self.order.seats.push(Seat { bodies: local, ..*seat });
        }
        self.order.find_layers();
    }

    /// Takes gaps and velocities that are others than those of the last solve.
    fn renew(&mut self, parting: Parting<'_>) {
        if let Some((contacts, bodies)) = parting.renewed {
            self.part.read_gaps(contacts);
            for (body, member) in self.bodies.iter_mut().zip(&self.members) {
                body.velocity = bodies[*member as usize].velocity;
            }
        }
    }

    fn run(&mut self, stage: Stage, solve: &Solve<'_>) {
        self.off = self.part.run(stage, &self.order, &mut self.bodies, solve);
    }
}

impl Domains {
    /// Splits a group into domains of at least so many patches, if it is that large and its bodies lie side by side.
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
        self.cut.cut(bodies, up, depth, executor);
        self.sets.clear();
        self.sets.extend(seats.iter().map(|seat| self.cut.set_of(seat.bodies).unwrap_or(BORDER_SET)));
        let border = self.sets.iter().filter(|set| **set == BORDER_SET).count();
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
        let Self { cut, sets, within, count, border, ties } = self;
        let sets = sets.as_slice();
        let within = &mut within[..*count];
        for (domain, set) in within.iter_mut().zip(0..) {
            domain.set = set;
        }
        border.part.clock = clock;
        let take_border = || border.take(order, bodies, (sets, BORDER_SET));
        side_by_side(within, executor, take_border, |domain| {
            domain.part.clock = clock;
            domain.take(order, bodies, (sets, domain.set));
            domain.run(Stage::Make, solve);
        });
        ties.clear();
        for (body, here) in border.members.iter().zip(0..) {
            let domain = cut.home(*body);
            if domain != FIXED {
                let there = within[domain as usize].places[*body as usize];
                if there != NOWHERE {
                    ties.push(Tie { domain, there, here });
                }
            }
        }
        self.run_border(Stage::Make, solve);
    }

    /// Begins again from the impulses of the last step.
    pub(super) fn restart(&mut self, solve: &Solve<'_>, executor: &dyn Executor) {
        let all = self.within[..self.count].iter_mut().chain([&mut self.border]);
        for domain in all {
            for (body, member) in domain.bodies.iter_mut().zip(&domain.members) {
                let before = &solve.problem.bodies[*member as usize];
                body.velocity = before.velocity + before.external;
            }
        }
        self.run(Stage::Start, solve, executor);
    }

    /// Runs a stage in all domains, then on the border; a sweep returns by how much patches were off at most (m/s).
    pub(super) fn run(&mut self, stage: Stage, solve: &Solve<'_>, executor: &dyn Executor) -> Real {
        side_by_side(&mut self.within[..self.count], executor, || (), |domain| domain.run(stage, solve));
        self.run_border(stage, solve);
        self.within[..self.count].iter().fold(self.border.off, |off, domain| off.max(domain.off))
    }

    /// Runs a stage on the border, whose bodies are where the domains have brought them.
    fn run_border(&mut self, stage: Stage, solve: &Solve<'_>) {
        let Self { within, count, border, ties, .. } = self;
        let within = &mut within[..*count];
        let latest = within.iter().map(|domain| domain.part.clock.now).fold(border.part.clock.now, u32::max);
        border.part.clock.now = latest;
        for tie in &*ties {
            let there = &within[tie.domain as usize].bodies[tie.there as usize];
            border.bodies[tie.here as usize].follow(there);
        }
        border.run(stage, solve);
        for tie in &*ties {
            within[tie.domain as usize].bodies[tie.there as usize].follow(&border.bodies[tie.here as usize]);
        }
        for domain in within {
            domain.part.clock.now = border.part.clock.now;
        }
    }

    /// Sweeps until the largest change is below the tolerance, then over what is far off; returns what they leave.
    pub(super) fn sweep(&mut self, budget: Budget, solve: &Solve<'_>, executor: &dyn Executor) -> Left {
        let (mut off, mut first, mut before) = (0.0, 0.0, Real::INFINITY);
        for sweep in 0..budget.most {
            off = self.run(Stage::Sweep(if sweep == 0 { Visited::All } else { Visited::Stirred }), solve, executor);
            first = if sweep == 0 { off } else { first };
            if budget.is_done(sweep + 1, before, off) {
                break;
            }
            before = off;
        }
        budget.follow(first, off, |far| self.run(Stage::Sweep(Visited::Far(far)), solve, executor))
    }

    /// How bodies are displaced after the step; gives how deep the deepest point would be (m).
    pub(super) fn part(&mut self, parting: Parting<'_>, executor: &dyn Executor, ways: &mut [Twist]) -> Real {
        let Self { within, count, border, ties, .. } = self;
        let within = &mut within[..*count];
        side_by_side(
            within,
            executor,
            || (),
            |domain| {
                domain.renew(parting);
                domain.off = domain.part.part(&domain.bodies, parting);
            },
        );
        border.renew(parting);
        border.part.stay(border.bodies.len());
        for tie in &*ties {
            border.part.ways[tie.here as usize] = within[tie.domain as usize].part.ways[tie.there as usize];
        }
        border.off = border.part.part_on(&border.bodies, parting);
        // the border has the last word
        for domain in within.iter().chain([&*border]) {
            for (way, member) in domain.part.ways.iter().zip(&domain.members) {
                ways[*member as usize] = *way;
            }
        }
        within.iter().fold(border.off, |off, domain| off.max(domain.off))
    }

    /// Gives the group's bodies their velocities.
    pub(super) fn give_velocities(&self, bodies: &mut [Body]) {
        for domain in self.within[..self.count].iter().chain([&self.border]) {
            for (body, member) in domain.bodies.iter().zip(&domain.members) {
                bodies[*member as usize].velocity = body.velocity;
            }
        }
    }

    /// The patches of all domains and of the border.
    pub(super) fn parts(&self) -> impl Iterator<Item = &Part> + Clone {
        self.within[..self.count].iter().chain([&self.border]).map(|domain| &domain.part)
    }

    /// Visits of patches so far.
    pub(super) fn visits(&self) -> u64 {
        self.parts().map(|part| part.clock.visits).sum()
    }
}

/// Works on all domains, and on something else, side by side where there are threads.
fn side_by_side(
    domains: &mut [Domain],
    executor: &dyn Executor,
    mut other: impl FnMut() + Send,
    work: impl Fn(&mut Domain) + Sync,
) {
    let work = &work;
    let mut pieces: SmallVec<[_; 1 << DEPTH]> = domains.iter_mut().map(|domain| move || work(domain)).collect();
    let mut all: SmallVec<[&mut (dyn FnMut() + Send); 2 << DEPTH]> = SmallVec::new();
    all.extend(pieces.iter_mut().map(|piece| piece as &mut (dyn FnMut() + Send)));
    all.push(&mut other);
    executor.run(&mut all);
}
