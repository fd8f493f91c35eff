use super::body::Body;
use super::budget::Budget;
use super::clock::{VisitClock, is_stirred};
use super::order::Order;
use super::overlap::Parting;
use super::relax::Visit;
use super::side_by_side::SideBySide;
use super::surfaces::{Item, Surfaces};
use super::target::target;
use super::visited::Visited;
use crate::RowParameters;
use drystone_core::{GroupAnswer, GroupContact, GroupProblem, Step};
use drystone_math::{Real, Registers, Twist};
use pulp::{Simd, WithSimd};

/// Order in which patches are visited.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Way {
    /// One by one, each solved as well as it can be.
    #[default]
    OneByOne,
    /// Several at a time, each brought closer to its solution.
    SideBySide,
}

/// Input of a solve, and the purpose of its visits.
#[derive(Debug, Clone, Copy)]
pub(super) struct Solve<'a> {
    pub(super) problem: &'a GroupProblem,
    pub(super) rows: &'a RowParameters,
    pub(super) times: Step,
    pub(super) visit: Visit,
    pub(super) way: Way,
}

/// Patches that are visited one after the other, by whichever thread has their bodies.
#[derive(Debug, Default)]
pub(super) struct Part {
    /// In the order in which they are visited.
    pub(super) items: Vec<Item>,
    pub(super) surfaces: Surfaces,
    pub(super) clock: VisitClock,
    /// The same patches, if several are visited at a time.
    wide: SideBySide,
    way: Way,
    /// For each body: how it is displaced after the step, if that is wanted.
    pub(super) ways: Vec<Twist>,
    arch: Registers,
}

/// One stage of a solve.
#[derive(Debug, Clone, Copy)]
pub(super) enum Stage {
    /// Makes the patches, which start from the impulses of the last step.
    Make,
    /// Starts them from there again.
    Start,
    /// Passes loads down.
    Loads(Budget),
    /// Visits patches from the bottom up.
    Sweep(Visited),
}

/// A stage, to be compiled for whatever registers the processor has. Nothing is reordered or fused: the bits are the same on all of them.
struct Run<'a, 'b> {
    part: &'a mut Part,
    bodies: &'a mut [Body],
    stage: Stage,
    order: &'b Order,
    solve: &'b Solve<'b>,
}

impl WithSimd for Run<'_, '_> {
    type Output = Real;

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> Real {
        let Self { part, bodies, stage, order, solve } = self;
        if matches!(stage, Stage::Make) {
            part.way = solve.way;
        }
        if part.way == Way::SideBySide {
            let Part { wide, clock, .. } = part;
            match stage {
                Stage::Make | Stage::Start => wide.make(simd, order, bodies, solve),
                Stage::Loads(budget) => wide.pass_loads_down(simd, budget, bodies, clock),
                Stage::Sweep(visited) => return wide.sweep(simd, visited, bodies, clock),
            }
            return 0.0;
        }
        match stage {
            Stage::Make => part.make(order, bodies, solve),
            Stage::Start => part.start(bodies, solve),
            Stage::Loads(budget) => part.pass_loads_down(order, budget, bodies, solve.visit),
            Stage::Sweep(visited) => return part.sweep(visited, bodies, solve.visit),
        }
        0.0
    }
}

/// A parting, to be compiled for whatever registers the processor has. Nothing is reordered or fused: the bits are the same on all of them.
struct TakeApart<'a, 'b> {
    part: &'a mut Part,
    bodies: &'b [Body],
    parting: Parting<'b>,
}

impl WithSimd for TakeApart<'_, '_> {
    type Output = Real;

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> Real {
        let Part { wide, ways, .. } = self.part;
        wide.part(simd, self.bodies, ways, self.parting)
    }
}

impl Part {
    /// Runs a stage on the seats of an order, which refer to `bodies`; a sweep returns by how much patches were off at most (m/s).
    pub(super) fn run(&mut self, stage: Stage, order: &Order, bodies: &mut [Body], solve: &Solve<'_>) -> Real {
        let usual = (self.clock.stirring, self.clock.unfinished);
        if let Stage::Sweep(Visited::Far(change)) = stage {
            (self.clock.stirring, self.clock.unfinished) = (change, change);
        }
        let arch = self.arch;
        let off = arch.dispatch(Run { part: self, bodies, stage, order, solve });
        (self.clock.stirring, self.clock.unfinished) = usual;
        off
    }

    /// Displaces bodies in one sweep from the bottom up, in addition to the ways that they have, so that nothing overlaps after the step; returns how deep the deepest point
    /// would be (m).
    pub(super) fn part_on(&mut self, bodies: &[Body], parting: Parting<'_>) -> Real {
        self.arch.dispatch(TakeApart { part: self, bodies, parting })
    }

    /// The same, starting from bodies that are not displaced.
    pub(super) fn part(&mut self, bodies: &[Body], parting: Parting<'_>) -> Real {
        self.stay(bodies.len());
        self.part_on(bodies, parting)
    }

    /// Sets all displacements to zero.
    pub(super) fn stay(&mut self, bodies: usize) {
        self.ways.clear();
        self.ways.resize(bodies, Twist::ZERO);
    }

    /// Reads gaps at the start of the step anew.
    pub(super) fn read_gaps(&mut self, contacts: &[GroupContact]) {
        self.wide.read_gaps(contacts);
    }

    /// Shares the impulses out to the contacts.
    pub(super) fn write(&self, answer: &mut GroupAnswer) {
        if self.way == Way::SideBySide {
            self.wide.write(answer);
        } else {
            self.surfaces.write(answer);
        }
    }

    /// Number of patches.
    pub(super) fn patches(&self) -> usize {
        if self.way == Way::SideBySide { self.wide.patches() } else { self.items.len() }
    }

    /// Unknowns of all of them.
    pub(super) fn variables(&self) -> u64 {
        if self.way == Way::SideBySide { self.wide.variables() } else { self.surfaces.variables() }
    }

    /// Makes the patches; each starts at once, while its data are at hand.
    #[inline(always)]
    fn make(&mut self, order: &Order, bodies: &mut [Body], solve: &Solve<'_>) {
        let &Solve { problem, rows, times, .. } = solve;
        let Self { items, surfaces, .. } = self;
        items.clear();
        surfaces.restart();
        for seat in &order.seats {
            let first = seat.first as usize;
            let contacts = &problem.contacts[first..first + seat.count as usize];
            let item = if let [c] = contacts {
                surfaces.add_point(c, seat, target(problem, c, rows, times), bodies)
            } else {
                let (item, patch) = surfaces.add_patch(contacts, seat, bodies);
                for (i, c) in contacts.iter().enumerate() {
                    patch.target[i] = target(problem, c, rows, times);
                }
                patch.fit_plane();
                item
            };
            if times.h != 0.0 {
                surfaces.start(&item, &problem.contacts, bodies);
            }
            items.push(item);
        }
    }

    /// Starts from the impulses of the last step, if there is one.
    #[inline(always)]
    fn start(&mut self, bodies: &mut [Body], solve: &Solve<'_>) {
        if solve.times.h == 0.0 {
            return;
        }
        for item in &self.items {
            self.surfaces.start(item, &solve.problem.contacts, bodies);
        }
    }

    /// The load pass: layer by layer from the top; the bodies below do not give way, and bear what comes down on them.
    #[inline(always)]
    fn pass_loads_down(&mut self, order: &Order, budget: Budget, bodies: &mut [Body], visit: Visit) {
        let Self { items, surfaces, clock, .. } = self;
        for runs in order.top_down() {
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

    /// One sweep from the bottom up.
    #[inline(always)]
    fn sweep(&mut self, visited: Visited, bodies: &mut [Body], visit: Visit) -> Real {
        let Self { items, surfaces, clock, .. } = self;
        let mut off: Real = 0.0;
        for item in items.iter_mut() {
            if visited == Visited::All || is_stirred(item, bodies) {
                off = clock.visit(item, surfaces, bodies, visit).max(off);
            }
        }
        off
    }
}
