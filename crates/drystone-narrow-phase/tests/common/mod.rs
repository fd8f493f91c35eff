//! Seeded shapes and poses for tests of single algorithms.

use drystone_geometry::Shape;
use drystone_math::{Pose, Quat, Real, Vec3};

/// A random number generator with a seed (SplitMix64).
pub(crate) struct Random(pub u64);

impl Random {
    /// In [0, 1).
    pub(crate) fn unit(&mut self) -> Real {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ z >> 31) >> 11) as Real / (1_u64 << 53) as Real
    }

    /// Below `n`.
    pub(crate) fn pick(&mut self, n: usize) -> usize {
        ((n as Real * self.unit()) as usize).min(n - 1)
    }

    /// A vector in the cube of half edge one.
    pub(crate) fn vector(&mut self) -> Vec3 {
        Vec3::new(2.0 * self.unit() - 1.0, 2.0 * self.unit() - 1.0, 2.0 * self.unit() - 1.0)
    }

    /// A pose near the origin; a third of them on a lattice, a third nearly level.
    pub(crate) fn pose(&mut self) -> Pose {
        let q = match self.pick(3) {
            0 => Quat::from_rotation_y(self.pick(8) as Real * core::f64::consts::FRAC_PI_4),
            1 => Quat::from_scaled_axis(self.vector() * 1e-7),
            _ => Quat::from_scaled_axis(self.vector() * 4.0),
        };
        let p = if self.pick(3) == 0 { (self.vector() * 4.0).round() * 0.5 } else { self.vector() * 1.5 };
        Pose::new(p, q)
    }
}

/// A box, or the hull of a few to a hundred points.
pub(crate) fn solid(random: &mut Random) -> Shape {
    if random.pick(3) == 0 {
        let mut side = || 0.1 + random.unit();
        return Shape::cuboid(side(), side(), side()).unwrap();
    }
    let count = 4 + random.pick(100);
    let points: Vec<Vec3> = (0..count).map(|_| random.vector()).collect();
    Shape::convex(&points).unwrap()
}

/// The hull of points on an ellipsoid, all of which are vertices.
pub(crate) fn ellipsoid(vertices: u32) -> Shape {
    let points: Vec<Vec3> = (0..vertices)
        .map(|i| {
            let y = 1.0 - 2.0 * (Real::from(i) + 0.5) / Real::from(vertices);
            let w = 2.399_963_229_728_653 * Real::from(i);
            let r = (1.0 - y * y).sqrt();
            Vec3::new(r * w.cos(), 0.7 * y, 0.5 * r * w.sin())
        })
        .collect();
    Shape::convex(&points).unwrap()
}
