use drystone_geometry::Aabb;
use drystone_math::{Real, Vec3};

/// A box in single precision that holds a given one: its bounds are rounded outwards. Half the memory of the exact box.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct OutwardBox {
    pub(crate) lo: [f32; 3],
    pub(crate) hi: [f32; 3],
}

impl OutwardBox {
    /// The empty box.
    pub(crate) const EMPTY: Self = Self { lo: [f32::INFINITY; 3], hi: [f32::NEG_INFINITY; 3] };

    /// The smallest such box around an exact one.
    #[inline]
    pub(crate) fn around(b: &Aabb) -> Self {
        Self { lo: b.min.to_array().map(Self::round_down), hi: b.max.to_array().map(|x| -Self::round_down(-x)) }
    }

    /// The largest number in single precision that is not above `x`.
    #[inline]
    pub(crate) fn round_down(x: Real) -> f32 {
        let y = x as f32;
        if Real::from(y) > x { y.next_down() } else { y }
    }

    /// Returns true if the closed boxes share a point.
    #[inline]
    pub(crate) fn overlaps(&self, o: &Self) -> bool {
        self.lo[0] <= o.hi[0]
            && o.lo[0] <= self.hi[0]
            && self.lo[1] <= o.hi[1]
            && o.lo[1] <= self.hi[1]
            && self.lo[2] <= o.hi[2]
            && o.lo[2] <= self.hi[2]
    }

    /// Returns true if an exact box lies inside.
    #[inline]
    pub(crate) fn contains(&self, b: &Aabb) -> bool {
        (0..3).all(|k| Real::from(self.lo[k]) <= b.min[k] && Real::from(self.hi[k]) >= b.max[k])
    }

    /// The smallest box around both.
    #[inline]
    pub(crate) fn union(&self, o: &Self) -> Self {
        let mut u = *self;
        for k in 0..3 {
            u.lo[k] = u.lo[k].min(o.lo[k]);
            u.hi[k] = u.hi[k].max(o.hi[k]);
        }
        u
    }

    /// The same box in double precision.
    pub(crate) fn to_aabb(self) -> Aabb {
        let wide = |v: [f32; 3]| Vec3::from_array(v.map(Real::from));
        Aabb::new(wide(self.lo), wide(self.hi))
    }
}

/// Returns true if a box can overlap only infinite ones, whose pairs `unbounded_pairs` finds: [`Aabb::EMPTY`], which
/// leaves out a passive body at constant cost (H-07, I-12), or a box with NaN.
pub(crate) fn is_void(b: &Aabb) -> bool {
    (0..3)
        .any(|k| b.min[k].is_nan() || b.max[k].is_nan() || b.min[k] == Real::INFINITY || b.max[k] == Real::NEG_INFINITY)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounds_outwards() {
        for x in [0.1, -0.1, 1e-300, -1e-300, 1e300, -1e300, 16_777_217.0, 0.0] {
            let b = Aabb::new(Vec3::splat(x), Vec3::splat(x));
            let o = OutwardBox::around(&b);
            assert!(o.contains(&b), "{x}");
            assert!(o.to_aabb().contains(&b), "{x}");
        }
    }
}
