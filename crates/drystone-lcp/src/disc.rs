//! Pairs of rows whose multipliers lie in a disc, or in an ellipse if the two coefficients differ: isotropic friction.
pub(crate) mod minimum;
pub(crate) mod passes;

use minimum::{minimum_on_disc, shrink};

/// The disc that two rows share, for one value of the row that both depend on: (x_1, x_2 / scale) is within the radius.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Disc {
    /// mu_2 / mu_1.
    pub(crate) scale: f64,
    /// mu_1 times the value, or zero.
    pub(crate) radius: f64,
}

impl Disc {
    /// The multipliers of least energy with all others held fixed: `a` is the block of A as (a_11, a_12, a_22), w = A x + b
    /// at x.
    #[inline(always)]
    pub(crate) fn minimum(self, a: [f64; 3], w: [f64; 2], x: [f64; 2]) -> [f64; 2] {
        let s = self.scale;
        let round = minimum_on_disc([a[0], s * a[1], s * s * a[2]], [w[0], s * w[1]], [x[0], x[1] / s], self.radius);
        [round[0], s * round[1]]
    }

    /// The end of a step of length `t` against w, pulled back along its ray into the disc; if x solves the problem, the
    /// result is x.
    pub(crate) fn step(self, x: [f64; 2], w: [f64; 2], t: f64) -> [f64; 2] {
        self.project([x[0] - t * w[0], x[1] - t * self.scale * self.scale * w[1]])
    }

    /// A point outside is pulled in along its ray: for a circle, to the nearest point.
    pub(crate) fn project(self, x: [f64; 2]) -> [f64; 2] {
        let s = shrink([x[0], x[1] / self.scale], self.radius);
        [x[0] * s, x[1] * s]
    }

    /// The length of x - P(x - t w): zero exactly where x solves the problem, whatever the tangents.
    pub(crate) fn natural(self, x: [f64; 2], w: [f64; 2], t: f64) -> f64 {
        // within the disc it is the step itself: a large x must not swallow it
        let step = [t * w[0], t * self.scale * self.scale * w[1]];
        let end = [x[0] - step[0], x[1] - step[1]];
        let to = self.project(end);
        let (first, second) = if to == end { (step[0], step[1]) } else { (x[0] - to[0], x[1] - to[1]) };
        (first * first + second * second).sqrt()
    }

    /// w x minus its least value on the disc.
    pub(crate) fn gap(self, x: [f64; 2], w: [f64; 2]) -> f64 {
        let second = self.scale * w[1];
        w[0] * x[0] + w[1] * x[1] + self.radius * (w[0] * w[0] + second * second).sqrt()
    }
}
