use super::WIDE;
use crate::contact_sweeps::body::Body;
use crate::contact_sweeps::lists::{Lists, count_into};
use crate::contact_sweeps::seat::Seat;
use core::ops::Range;

/// Finds which patches can be visited at once: those of a layer that have no moving body in common and need not wait for each other.
#[derive(Debug, Default)]
pub(super) struct Steps {
    /// For each body: the step after that of the last patch that moves it.
    next: Vec<u32>,
    /// For each seat: its step, and whether it has several points.
    keys: Vec<u32>,
    /// For each key: its seats.
    sorted: Lists,
    /// Ranges of the sorted seats.
    bundles: Vec<Range<u32>>,
    /// First index of each layer's bundles, and the end.
    layers: Vec<u32>,
}

impl Steps {
    /// Assigns seats to steps, each as early in its layer as the earlier seats with which it shares a moving body allow. Visited
    /// step by step, each then sees what it would see in the original order, layer by layer from the bottom up or from the top down.
    pub(super) fn find(&mut self, seats: &[Seat], bodies: &[Body]) {
        self.next.clear();
        self.next.resize(bodies.len(), 0);
        self.keys.clear();
        let Self { next, keys, sorted, bundles, layers } = self;
        let mut end = 0;
        layers.clear();
        for layer in seats.chunk_by(|a, b| a.layer == b.layer) {
            let begin = end;
            layers.push(begin);
            for seat in layer {
                let [a, b] = seat.bodies.map(|i| i as usize);
                let step = next[a].max(next[b]).max(begin);
                for i in [a, b] {
                    if bodies[i].moves {
                        next[i] = step + 1;
                    }
                }
                keys.push(2 * step + u32::from(seat.count > 1));
                end = end.max(step + 1);
            }
        }
        layers.push(end);
        let keys_of = |k: u32| keys[k as usize] as usize;
        count_into(2 * end as usize, 0..seats.len() as u32, keys_of, sorted);
        bundles.clear();
        let mut step = 0;
        for layer in layers {
            // from steps to bundles
            while step < *layer as usize {
                for kind in [2 * step, 2 * step + 1] {
                    split(sorted.range(kind), bundles);
                }
                step += 1;
            }
            *layer = bundles.len() as u32;
        }
    }

    /// The seats that are visited at once, in the order of the visits: of one kind, and no more than there are lanes.
    pub(super) fn bundles(&self) -> impl Iterator<Item = &[u32]> {
        self.bundles.iter().map(|r| &self.sorted.all()[r.start as usize..r.end as usize])
    }

    /// The bundles of each layer, from the top down.
    #[inline(always)]
    pub(super) fn top_down(&self) -> impl Iterator<Item = Range<usize>> {
        self.layers.windows(2).rev().map(|layer| layer[0] as usize..layer[1] as usize)
    }
}

/// Adds seats that are next to each other as bundles.
fn split(seats: Range<u32>, bundles: &mut Vec<Range<u32>>) {
    let mut first = seats.start;
    while first < seats.end {
        let end = seats.end.min(first + WIDE as u32);
        bundles.push(first..end);
        first = end;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use drystone_math::{Twist, Vec3};
    use drystone_testkit::Random;
    use drystone_testkit::problem::cube;

    /// Random seats between forty bodies, five of which do not move.
    fn random_seats(random: &mut Random) -> (Vec<Seat>, Vec<Body>) {
        let mass = |i: u32| if i < 5 { 0.0 } else { 1.0 };
        let bodies = (0..40).map(|i| Body::of(&cube(i, mass(i), Vec3::ZERO), Twist::ZERO)).collect();
        let mut pick = |below: f64| random.range(0.0, below) as u32;
        let mut seats: Vec<Seat> = (0..200)
            .map(|first| {
                let (a, b) = (pick(40.0), 5 + pick(35.0));
                Seat {
                    first,
                    layer: pick(6.0),
                    ..Seat::leaning([a, if a == b { 39 - a % 2 } else { b }], 1 + pick(4.0))
                }
            })
            .filter(|seat| seat.bodies[0] != seat.bodies[1])
            .collect();
        seats.sort_by_key(|seat| seat.layer);
        (seats, bodies)
    }

    #[test]
    fn who_is_visited_at_once_shares_no_moving_body_and_keeps_the_order() {
        let mut random = Random::new(17);
        let mut steps = Steps::default();
        let mut together = 0;
        for _ in 0..50 {
            let (seats, bodies) = random_seats(&mut random);
            steps.find(&seats, &bodies);
            let mut visit = vec![usize::MAX; seats.len()];
            for (at, bundle) in steps.bundles().enumerate() {
                assert!(!bundle.is_empty() && bundle.len() <= WIDE);
                together = together.max(bundle.len());
                let kind = |k: u32| seats[k as usize].count > 1;
                assert!(bundle.iter().all(|&k| kind(k) == kind(bundle[0])));
                for &k in bundle {
                    assert_eq!(visit[k as usize], usize::MAX, "visited once");
                    visit[k as usize] = at;
                }
            }
            for (j, later) in seats.iter().enumerate() {
                for (i, earlier) in seats[..j].iter().enumerate() {
                    let shared = |b: &&u32| bodies[**b as usize].moves && later.bodies.contains(*b);
                    if earlier.bodies.iter().find(shared).is_some() {
                        assert!(visit[i] < visit[j], "{earlier:?} before {later:?}");
                    }
                    // fixed bodies do not separate patches
                    assert!(earlier.layer == later.layer || visit[i] < visit[j]);
                }
            }
            let layers: Vec<_> = steps.top_down().collect();
            let all: usize = layers.iter().map(ExactSizeIterator::len).sum();
            assert_eq!(all, steps.bundles().count());
            for bundles in &layers {
                // layers without seats are left out
                let here = bundles.clone().flat_map(|at| steps.bundles().nth(at).unwrap());
                let mut of: Vec<u32> = here.map(|&k| seats[k as usize].layer).collect();
                of.dedup();
                assert_eq!(of.len(), 1, "{of:?}");
            }
        }
        assert_eq!(together, WIDE);
    }
}
