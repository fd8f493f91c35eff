//! Patches of a large group that does not stand still, visited several at a time, each in one lane of wide registers.
//!
//! Patches that have no moving body in common may be visited at once; they are chosen in the order of the visits, so that each sees what it would see alone.
//! In such a group no sweep has to be exact, because the next step begins where this one ends. A visit therefore does the same in each lane, whatever the
//! state of its patch: a fixed number of sweeps over its normals, twist, and friction that either sticks or is brought nearer to the disc by one projection.
//!
//! # Source
//! Contacts of independent bodies in lanes: E. Catto, "SIMD Matters", 2024, there by the colours of a graph, here in the order of the visits. Friction by projected gradients: G. De Saxce and
//! Z.-Q. Feng, "The bipotential method", 1998.

mod apart;
mod bodies;
mod disc;
mod frame;
mod normals;
mod patch;
mod point;
mod response;
mod steps;
#[cfg(test)]
mod tests;

use super::body::Body;
use super::budget::Budget;
use super::clock::VisitClock;
use super::order::Order;
use super::overlap::Parting;
use super::part::Solve;
use super::patch::Patch;
use super::point::Point;
use super::relax::{bearing, resting_side};
use super::renewed::Renewed;
use super::seat::Seat;
use super::target::target;
use super::visited::Visited;
use drystone_core::{GroupAnswer, GroupContact};
use drystone_math::{Real, Twist};
use patch::WidePatch;
use point::WidePoint;
use pulp::Simd;
use steps::Steps;

/// Largest number of patches side by side: the number of lanes of the widest registers, so that all of these are used everywhere.
const WIDE: usize = 8;

/// One number for each of them.
type Wide = [Real; WIDE];

/// Patches that are visited at once.
#[derive(Debug, Clone, Copy)]
enum Bundle {
    /// Contacts that stand alone.
    Points(u32),
    /// Contacts of several points.
    Patches(u32),
}

/// The patches of a group, in bundles.
#[derive(Debug, Default)]
pub(super) struct SideBySide {
    steps: Steps,
    bundles: Vec<Bundle>,
    points: Renewed<WidePoint>,
    patches: Renewed<WidePatch>,
    /// Memory for one that is being made or written.
    single: Point,
    passing: Patch,
}

impl SideBySide {
    /// Makes the patches of an order; they begin from the impulses of the last step.
    #[inline(always)]
    pub(super) fn make<S: Simd>(&mut self, simd: S, order: &Order, bodies: &mut [Body], solve: &Solve<'_>) {
        let Self { steps, bundles, points, patches, single, passing } = self;
        bundles.clear();
        points.clear();
        patches.clear();
        steps.find(&order.seats, bodies);
        for seats in steps.bundles() {
            if order.seats[seats[0] as usize].count > 1 {
                bundles.push(Bundle::Patches(patches.len() as u32));
                let bundle = patches.add(&WidePatch::BLANK);
                bundle.begin(seats.len());
                for lane in 0..seats.len() {
                    let seat = &order.seats[seats[lane] as usize];
                    make_patch(passing, seat, bodies, solve);
                    let first = seat.first as usize;
                    let contacts = &solve.problem.contacts[first..first + seat.count as usize];
                    bundle.set(lane, seat, passing, contacts);
                    bundle.gives.set(lane, seat, bodies);
                }
                for lane in seats.len()..WIDE {
                    bundle.leave(lane, seats.len() - 1);
                }
            } else {
                bundles.push(Bundle::Points(points.len() as u32));
                let bundle = points.add(&WidePoint::BLANK);
                bundle.begin(seats.len());
                for lane in 0..seats.len() {
                    let seat = &order.seats[seats[lane] as usize];
                    make_point(single, seat, bodies, solve);
                    bundle.set(lane, seat, single, solve.problem.contacts[seat.first as usize].separation);
                    bundle.gives.set(lane, seat, bodies);
                }
                for lane in seats.len()..WIDE {
                    bundle.leave(lane, seats.len() - 1);
                }
            }
        }
        if solve.times.h != 0.0 {
            for bundle in &*bundles {
                match *bundle {
                    Bundle::Points(i) => points[i as usize].start(simd, bodies),
                    Bundle::Patches(i) => patches[i as usize].start(simd, bodies),
                }
            }
        }
    }

    /// Passes loads down: from the top, with the bodies below not giving way, and bearing what comes down on them.
    #[inline(always)]
    pub(super) fn pass_loads_down<S: Simd>(
        &mut self,
        simd: S,
        budget: Budget,
        bodies: &mut [Body],
        clock: &mut VisitClock,
    ) {
        let Self { steps, bundles, points, patches, .. } = self;
        let mut before = Real::INFINITY;
        for pass in 0..budget.most {
            let mut off: Real = 0.0;
            for layer in steps.top_down() {
                for bundle in &bundles[layer] {
                    off = off.max(match *bundle {
                        Bundle::Points(i) => {
                            let bundle = &mut points[i as usize];
                            let by = bundle.carry(simd, bodies);
                            bundle.visited = clock.note_all(&bundle.who, &by[..bundle.points], bodies);
                            largest(&by)
                        }
                        Bundle::Patches(i) => {
                            let bundle = &mut patches[i as usize];
                            let by = bundle.carry(simd, bodies);
                            bundle.visited = clock.note_all(&bundle.who, &by[..bundle.patches], bodies);
                            largest(&by)
                        }
                    });
                }
            }
            if budget.is_done(pass + 1, before, off) {
                break;
            }
            before = off;
        }
    }

    /// One sweep from the bottom up; returns by how much patches were off at most (m/s).
    #[inline(always)]
    pub(super) fn sweep<S: Simd>(
        &mut self,
        simd: S,
        visited: Visited,
        bodies: &mut [Body],
        clock: &mut VisitClock,
    ) -> Real {
        let mut off: Real = 0.0;
        for bundle in &self.bundles {
            match *bundle {
                Bundle::Points(i) => {
                    let bundle = &mut self.points[i as usize];
                    if visited == Visited::All || are_stirred(&bundle.who, bundle.points, bundle.visited, bodies) {
                        let by = bundle.relax(simd, bodies);
                        bundle.visited = clock.note_all(&bundle.who, &by[..bundle.points], bodies);
                        off = off.max(largest(&by));
                    }
                }
                Bundle::Patches(i) => {
                    let bundle = &mut self.patches[i as usize];
                    if visited == Visited::All || are_stirred(&bundle.who, bundle.patches, bundle.visited, bodies) {
                        let by = bundle.relax(simd, bodies);
                        bundle.visited = clock.note_all(&bundle.who, &by[..bundle.patches], bodies);
                        off = off.max(largest(&by));
                    }
                }
            }
        }
        off
    }

    /// Displaces bodies so that nothing overlaps after the step by more than the slop; returns how deep the deepest point would be (m).
    #[inline(always)]
    pub(super) fn part<S: Simd>(&mut self, simd: S, bodies: &[Body], ways: &mut [Twist], parting: Parting<'_>) -> Real {
        let mut deepest: Real = 0.0;
        for bundle in &self.bundles {
            deepest = deepest.max(match *bundle {
                Bundle::Points(i) => self.points[i as usize].part(simd, bodies, ways, (parting.h, parting.slop)),
                Bundle::Patches(i) => self.patches[i as usize].part(simd, bodies, ways, (parting.h, parting.slop)),
            });
        }
        deepest
    }

    /// Reads gaps at the start of the step anew.
    pub(super) fn read_gaps(&mut self, contacts: &[GroupContact]) {
        for bundle in self.points.iter_mut() {
            bundle.read_gaps(contacts);
        }
        for bundle in self.patches.iter_mut() {
            bundle.read_gaps(contacts);
        }
    }

    /// Distributes the impulses over the contacts.
    pub(super) fn write(&self, answer: &mut GroupAnswer) {
        for bundle in self.points.iter() {
            bundle.write(&mut answer.contacts);
        }
        let mut passing = Patch::BLANK;
        for bundle in self.patches.iter() {
            bundle.write(&mut passing, &mut answer.contacts);
        }
    }

    /// Unknowns of all patches.
    pub(super) fn variables(&self) -> u64 {
        let points: u64 = self.points.iter().map(|bundle| 3 * bundle.points as u64).sum();
        points + self.patches.iter().map(WidePatch::variables).sum::<u64>()
    }

    /// Number of patches.
    pub(super) fn patches(&self) -> usize {
        self.points.iter().map(|bundle| bundle.points).sum::<usize>()
            + self.patches.iter().map(|bundle| bundle.patches).sum::<usize>()
    }
}

/// Makes a patch from its contacts, with the impulse that it starts from.
#[inline(always)]
fn make_patch(patch: &mut Patch, seat: &Seat, bodies: &[Body], solve: &Solve<'_>) {
    let &Solve { problem, rows, times, visit, .. } = solve;
    let first = seat.first as usize;
    let contacts = &problem.contacts[first..first + seat.count as usize];
    patch.clear();
    patch.set(contacts, seat, bodies);
    if !visit.rough {
        patch.friction = 0.0;
    }
    for (i, c) in contacts.iter().enumerate() {
        patch.target[i] = target(problem, c, rows, times);
    }
    if times.h != 0.0 {
        patch.start(contacts);
    }
}

/// Makes a contact that stands alone, with the impulse that it starts from.
#[inline(always)]
fn make_point(point: &mut Point, seat: &Seat, bodies: &[Body], solve: &Solve<'_>) {
    let &Solve { problem, rows, times, visit, .. } = solve;
    let c = &problem.contacts[seat.first as usize];
    point.set(c, seat, target(problem, c, rows, times), bodies);
    if !visit.rough {
        point.friction = 0.0;
    }
    if times.h != 0.0 {
        point.begin(c);
    }
}

/// Which bodies give way while loads are passed down, by side: 1 if they do, 0 if they carry, and move as if at rest.
#[derive(Debug, Clone, Copy)]
struct Gives([Wide; 2]);

impl Gives {
    const BLANK: Self = Self([[1.0; WIDE]; 2]);

    #[inline(always)]
    fn set(&mut self, lane: usize, seat: &Seat, bodies: &[Body]) {
        let gives = bearing(seat.bodies, seat.upper, bodies);
        let resting = resting_side(seat.bodies, seat.upper, bodies, gives);
        for side in 0..2 {
            self.0[side][lane] = if resting == Some(side) { 0.0 } else { 1.0 };
        }
    }
}

#[inline(always)]
fn largest(of: &Wide) -> Real {
    let mut most: Real = 0.0;
    for lane in 0..WIDE {
        most = most.max(of[lane]);
    }
    most
}

/// Returns true if a body of one of the patches has changed since their last visit.
#[inline(always)]
fn are_stirred(who: &[bodies::Who; 2], patches: usize, visited: u32, bodies: &[Body]) -> bool {
    for lane in 0..patches {
        let [a, b] = [who[0][lane], who[1][lane]];
        if bodies[a as usize].stirred.max(bodies[b as usize].stirred) > visited {
            return true;
        }
    }
    false
}
