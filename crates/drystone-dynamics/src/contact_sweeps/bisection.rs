use super::body::Body;
use drystone_core::{Executor, run_each};
use drystone_math::{Real, Vec3, tangent_basis};

/// Bodies divided into sets of about equal size, by cutting each set in half across its widest extent.
#[derive(Debug, Default)]
pub(super) struct Bisection {
    /// The bodies that move, with their coordinates along the axis that is cut across.
    places: Vec<(Real, u32)>,
    /// For each body: its set, or [`FIXED`].
    home: Vec<u32>,
    depth: u32,
}

/// Stands for the set of a body that does not move: such a body belongs to all of them.
pub(super) const FIXED: u32 = u32::MAX;

impl Bisection {
    /// Cuts the bodies that move into 2^`depth` sets. The upward direction is cut across only if there is no other, so that what stands stays with what carries it.
    pub(super) fn cut(&mut self, bodies: &[Body], up: Vec3, depth: u32, executor: &dyn Executor) {
        self.depth = depth;
        self.places.clear();
        let moving = bodies.iter().zip(0..).filter(|(body, _)| body.moves);
        self.places.extend(moving.map(|(_, i)| (0.0, i)));
        let (t1, t2) = tangent_basis(if up == Vec3::ZERO { Vec3::Y } else { up });
        let axes = [t1, t2, Vec3::Y];
        let axes = if up == Vec3::ZERO { &axes[..] } else { &axes[..2] };
        let n = self.places.len();
        for level in 0..depth {
            let sets = 1 << level;
            let mut rest = self.places.as_mut_slice();
            let parts = (0..sets).map(|set| {
                let count = n * (set + 1) / sets - n * set / sets;
                let (own, others) = core::mem::take(&mut rest).split_at_mut(count);
                rest = others;
                own
            });
            run_each(executor, parts, |places| halve(places, bodies, axes));
        }
        self.home.clear();
        self.home.resize(bodies.len(), FIXED);
        let sets = 1 << depth;
        for set in 0..sets {
            for (_, i) in &self.places[n * set / sets..n * (set + 1) / sets] {
                self.home[*i as usize] = set as u32;
            }
        }
    }

    /// The set that both bodies are in; `None` if they are in two.
    #[inline(always)]
    pub(super) fn set_of(&self, pair: [u32; 2]) -> Option<u32> {
        let [a, b] = pair.map(|i| self.home[i as usize]);
        (a == b || a == FIXED || b == FIXED).then(|| a.min(b))
    }

    /// The half of all sets, on one side of the first cut, that both bodies are in; `None` if they are in both halves.
    #[inline(always)]
    pub(super) fn half_of(&self, pair: [u32; 2]) -> Option<usize> {
        let [a, b] = pair.map(|i| self.home[i as usize] >> (self.depth - 1));
        (a == b).then_some(a as usize)
    }

    /// The set of a body, or [`FIXED`].
    pub(super) fn home(&self, body: u32) -> u32 {
        self.home[body as usize]
    }
}

/// Puts the lower half along the widest axis first. The order of the bodies has no influence on which ones these are.
fn halve(places: &mut [(Real, u32)], bodies: &[Body], axes: &[Vec3]) {
    let along = |axis: Vec3, i: u32| axis.dot(bodies[i as usize].position);
    let extent = |axis: &Vec3| {
        let range = places.iter().fold((Real::INFINITY, Real::NEG_INFINITY), |(low, high), (_, i)| {
            let x = along(*axis, *i);
            (low.min(x), high.max(x))
        });
        range.1 - range.0
    };
    let Some(widest) = axes.iter().copied().max_by(|a, b| extent(a).total_cmp(&extent(b))) else { return };
    for (x, i) in &mut *places {
        *x = along(widest, *i);
    }
    let middle = places.len() / 2;
    if middle > 0 {
        places.select_nth_unstable_by(middle, |a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use drystone_core::OneThread;
    use drystone_math::Twist;
    use drystone_testkit::problem::cube;

    /// A row of sixteen cubes on a fixed one, listed in any order, is cut into four sets of four neighbours; the fixed cube belongs to all.
    #[test]
    fn neighbours_stay_together() {
        let order = [3, 11, 0, 7, 15, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14];
        let mut cubes = vec![cube(0, 0.0, Vec3::new(8.0, -1.0, 0.0))];
        cubes.extend(order.iter().zip(1..).map(|(x, i)| cube(i, 1.0, Vec3::new(f64::from(*x), 0.0, 0.0))));
        let bodies: Vec<Body> = cubes.iter().map(|c| Body::of(c, Twist::ZERO)).collect();
        let mut cut = Bisection::default();
        cut.cut(&bodies, Vec3::Y, 2, &OneThread);
        for (x, i) in order.iter().zip(1..) {
            for (y, j) in order.iter().zip(1..) {
                let together = cut.set_of([i, j]).is_some();
                assert_eq!(together, x / 4 == y / 4, "cubes at {x} and {y}");
            }
            assert_eq!(cut.set_of([0, i]), Some(cut.home(i)));
        }
        assert_eq!(cut.home(0), FIXED);
        let half = |i: u32| cut.half_of([i, i]);
        for (x, i) in order.iter().zip(1..) {
            for (y, j) in order.iter().zip(1..) {
                assert_eq!(cut.half_of([i, j]).is_some(), x / 8 == y / 8, "cubes at {x} and {y}");
                assert_eq!(half(i) == half(j), x / 8 == y / 8, "cubes at {x} and {y}");
            }
        }
    }

    /// A column is not cut across: cubes stacked on each other are neighbours only along the vertical.
    #[test]
    fn up_is_no_direction_to_cut_across() {
        let place = |i: u32| Vec3::new(0.001 * f64::from(i % 2), f64::from(i), 0.0);
        let cubes: Vec<_> = (0..8).map(|i| cube(i, 1.0, place(i))).collect();
        let bodies: Vec<Body> = cubes.iter().map(|c| Body::of(c, Twist::ZERO)).collect();
        let mut cut = Bisection::default();
        cut.cut(&bodies, Vec3::Y, 1, &OneThread);
        assert!((0..8).all(|i| cut.home(i) == cut.home(i % 2)), "even and odd ones are apart");
        cut.cut(&bodies, Vec3::ZERO, 1, &OneThread);
        assert!((0..8).all(|i| cut.home(i) == cut.home(i / 4 * 4)), "without gravity the column is cut in its middle");
    }
}
