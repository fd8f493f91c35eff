//! Samples of a mesh at exact distances, coarse to fine: the work is bounded, however many samples overlap.

use core::cmp::Ordering;
use drystone_geometry::mesh::SphereTree;
use drystone_math::{Real, Vec3};
use std::cell::Cell;
use std::collections::BinaryHeap;

/// From this many balls and samples within reach on, a ball is represented by one sample. Twice as many cost twice the time for deep overlaps; half as many leave
/// an eighth of a conforming surface between two contacts.
const MOST_SAMPLES: usize = 64;

/// Most balls that are opened in search of the deepest sample.
const MOST_OPENED: usize = 32;

/// Depths of samples that represent others are known to this fraction, and the deepest sample found may be less deep than the deepest one by it. At half of it, depths near the
/// middle of a ball cost four times as much.
pub(crate) const WITHIN: Real = 0.05;

/// Signed distance of a point (m), and the way out.
pub(crate) type Found = (Real, Vec3);

/// A node of the tree of samples within reach.
#[derive(Debug, Clone, Copy)]
struct Ball {
    node: usize,
    /// The signed distance (m) of a point in it or in one around it, and the point.
    known: (Real, Vec3),
    /// No sample in it has a smaller distance (m).
    least: Real,
    /// The ball with the greatest is opened first.
    urgency: Real,
}

thread_local! {
    /// Scratch for the balls of one tree.
    static BALLS: Cell<BinaryHeap<Ball>> = const { Cell::new(BinaryHeap::new()) };
}

/// Calls back with samples whose distance is at most `reach` (m), each with its number and what was found: with all of them if they are few, otherwise with those that
/// represent the finest balls looked into, and with one that is deeper than these and than `deepest` (m), if there is one. `distance` returns the signed distance of a point up to
/// a limit (m); where a fraction is given, the point is known to be inside, and its depth may be greater than the true one by that. Points inside are `known`, each with its
/// signed distance (m): near the middle of a ball all of its triangles are equally near, and an exact distance has to look at each. Returns how many distances were computed.
///
/// # Cost
/// At most a few hundred distances; for surfaces that touch in a spot, a few for each level of the tree.
pub(crate) fn visit_levels(
    samples: &SphereTree,
    [reach, deepest]: [Real; 2],
    known: impl Iterator<Item = (Real, Vec3)>,
    distance: impl FnMut(Vec3, Real, Real) -> Option<Found>,
    emit: impl FnMut(usize, Found),
) -> u32 {
    if samples.points().is_empty() {
        return 0;
    }
    let mut balls = BALLS.take();
    balls.clear();
    let mut levels = Levels { samples, reach, distance, emit, balls, deepest, looks: 0 };
    if levels.represent(known) {
        levels.dive();
    }
    BALLS.set(levels.balls);
    levels.looks
}

struct Levels<'a, D, E> {
    samples: &'a SphereTree,
    reach: Real,
    distance: D,
    emit: E,
    /// The balls that are still to be opened.
    balls: BinaryHeap<Ball>,
    /// The least distance of a sample so far (m).
    deepest: Real,
    /// The number of distances that were computed.
    looks: u32,
}

impl<D: FnMut(Vec3, Real, Real) -> Option<Found>, E: FnMut(usize, Found)> Levels<'_, D, E> {
    /// Opens the largest balls first and reports the samples in them; returns whether balls are left, which are then represented by their outermost samples.
    fn represent(&mut self, known: impl Iterator<Item = (Real, Vec3)>) -> bool {
        let middle = self.samples.ball(0).0;
        let bound = |k: &(Real, Vec3)| k.0 + (k.1 - middle).length();
        let best = known.min_by(|k, l| bound(k).total_cmp(&bound(l)));
        self.look_into(0, best.unwrap_or((Real::INFINITY, Vec3::ZERO)), |_, radius| radius);
        let mut reported = 0;
        while self.balls.len() + reported < MOST_SAMPLES {
            let Some(ball) = self.balls.pop() else { return false };
            for i in self.open(ball.node, |levels, child| levels.add(child, ball.known)) {
                if let Some(found) = self.look_up(i, 0.0) {
                    (self.emit)(i, found);
                    reported += 1;
                }
            }
        }
        let mut balls = core::mem::take(&mut self.balls).into_vec();
        for ball in &mut balls {
            let i = self.samples.outermost(ball.node);
            let slack = self.slack(self.samples.points()[i], ball.known);
            if let Some(found) = self.look_up(i, slack) {
                (self.emit)(i, found);
            }
            ball.urgency = -ball.least;
        }
        self.balls = balls.into();
        true
    }

    /// Looks for the deepest sample in the balls that are left, those that may hold it first.
    fn dive(&mut self) {
        let mut deeper = None;
        for _ in 0..MOST_OPENED {
            let Some(ball) = self.balls.pop() else { break };
            if ball.least >= self.deepest - WITHIN * self.deepest.abs() {
                break;
            }
            for i in self.open(ball.node, |levels, child| levels.look_into(child, ball.known, |least, _| -least)) {
                let before = self.deepest;
                let slack = self.slack(self.samples.points()[i], ball.known);
                if let Some(found) = self.look_up(i, slack)
                    && found.0 < before
                {
                    deeper = Some((i, found));
                }
            }
        }
        if let Some((i, found)) = deeper {
            (self.emit)(i, found);
        }
    }

    /// Calls back with the nodes right below a node; returns the samples in it if there are none.
    fn open(&mut self, node: usize, mut add: impl FnMut(&mut Self, usize)) -> core::ops::Range<usize> {
        let samples = self.samples;
        let mut is_lowest = true;
        for child in samples.children(node) {
            is_lowest = false;
            add(self, child);
        }
        if is_lowest { samples.range(node) } else { 0..0 }
    }

    /// Adds a node to the balls if some of its samples may be within reach, the largest to be opened first. Where it is inside by what is known, no distance is needed.
    fn add(&mut self, node: usize, known: (Real, Vec3)) {
        let (center, radius) = self.samples.ball(node);
        let away = (center - known.1).length();
        if known.0 + away <= radius + self.reach {
            self.balls.push(Ball { node, known, least: known.0 - away - radius, urgency: radius });
        } else {
            self.look_into(node, known, |_, radius| radius);
        }
    }

    /// The same after a look at its centre; its urgency follows from the least distance of its samples and its radius (m).
    fn look_into(&mut self, node: usize, known: (Real, Vec3), urgency: impl Fn(Real, Real) -> Real) {
        let (center, radius) = self.samples.ball(node);
        let slack = self.slack(center, known);
        self.looks += 1;
        if let Some((d, _)) = (self.distance)(center, radius + self.reach, slack) {
            let least = d - radius;
            self.balls.push(Ball { node, known: (d, center), least, urgency: urgency(least, radius) });
        }
    }

    /// Allowed error of a depth, as a fraction: zero unless the point is inside by what is known.
    fn slack(&self, point: Vec3, known: (Real, Vec3)) -> Real {
        if known.0 + (point - known.1).length() < -self.reach { WITHIN } else { 0.0 }
    }

    /// The distance of a sample and the way out; `None` if it is not within reach.
    fn look_up(&mut self, i: usize, slack: Real) -> Option<Found> {
        self.looks += 1;
        let found = (self.distance)(self.samples.points()[i], self.reach, slack)?;
        self.deepest = self.deepest.min(found.0);
        Some(found)
    }
}

impl PartialEq for Ball {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Ball {}

impl PartialOrd for Ball {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Ball {
    /// The most urgent is the greatest; among equals, the first in the tree.
    fn cmp(&self, other: &Self) -> Ordering {
        self.urgency.total_cmp(&other.urgency).then(other.node.cmp(&self.node))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use drystone_testkit::Random;

    /// The first look is at the middle of all samples. It need not be exact where a ball inside the other shape reaches beyond it, and must be exact elsewhere.
    #[test]
    fn the_first_look_into_a_ball_is_not_exact() {
        let mut random = Random::new(17);
        for _ in 0..50 {
            let size = random.range(0.1, 10.0);
            let points = (0..100).map(|_| random.direction() * size).collect();
            let samples = SphereTree::of(points);
            // the other shape is a ball of this radius about a point
            let (center, radius) = (random.direction() * random.range(0.0, size), random.range(0.05, 1.5) * size);
            let covers = (center - samples.ball(0).0).length() < radius;
            for known in [None, Some((-radius, center))] {
                let first = Cell::new(None);
                let distance = |p: Vec3, limit: Real, slack: Real| {
                    first.set(first.get().or(Some(slack)));
                    let away = p - center;
                    let d = away.length() - radius;
                    (d <= limit).then_some((d, away.normalize_or(Vec3::Y)))
                };
                visit_levels(&samples, [0.0, Real::INFINITY], known.into_iter(), distance, |_, _| {});
                let is_exact = first.get() == Some(0.0);
                assert_eq!(is_exact, known.is_none() || !covers, "{size} {center} {radius}");
            }
        }
    }
}
