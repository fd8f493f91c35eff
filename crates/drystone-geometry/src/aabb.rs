use drystone_math::{Real, Vec3};

/// An axis-aligned box; infinite extents are allowed (a plane's box reaches to infinity).
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Aabb {
    /// Smallest corner, world frame (m).
    pub min: Vec3,
    /// Largest corner, world frame (m).
    pub max: Vec3,
}

impl Aabb {
    /// The empty box: its union with a point is that point.
    pub const EMPTY: Self = Self { min: Vec3::INFINITY, max: Vec3::NEG_INFINITY };
    /// The box of all space.
    pub const ALL: Self = Self { min: Vec3::NEG_INFINITY, max: Vec3::INFINITY };

    /// From its smallest and largest corner.
    pub const fn new(min: Vec3, max: Vec3) -> Self {
        Self { min, max }
    }

    /// From centre and half extents.
    pub fn from_center(center: Vec3, half: Vec3) -> Self {
        Self { min: center - half, max: center + half }
    }

    /// Returns true if the closed boxes share a point.
    #[inline]
    pub fn overlaps(&self, o: &Self) -> bool {
        self.min.x <= o.max.x
            && o.min.x <= self.max.x
            && self.min.y <= o.max.y
            && o.min.y <= self.max.y
            && self.min.z <= o.max.z
            && o.min.z <= self.max.z
    }

    /// Returns true if `o` lies inside.
    pub fn contains(&self, o: &Self) -> bool {
        self.min.cmple(o.min).all() && self.max.cmpge(o.max).all()
    }

    /// The smallest box around both.
    #[must_use]
    pub fn union(&self, o: &Self) -> Self {
        Self { min: self.min.min(o.min), max: self.max.max(o.max) }
    }

    /// Grown by `margin` on every side (m).
    #[must_use]
    pub fn grown(&self, margin: Real) -> Self {
        Self { min: self.min - Vec3::splat(margin), max: self.max + Vec3::splat(margin) }
    }

    /// Swept along `motion` (m): the smallest box around its start and its end position.
    #[must_use]
    pub fn swept(&self, motion: Vec3) -> Self {
        Self { min: self.min + motion.min(Vec3::ZERO), max: self.max + motion.max(Vec3::ZERO) }
    }

    /// Edge lengths (m); infinite for an unbounded box.
    pub fn size(&self) -> Vec3 {
        self.max - self.min
    }

    /// Largest edge length (m).
    pub fn largest_edge(&self) -> Real {
        self.size().max_element()
    }

    /// Gap between the boxes along the axis where it is largest (m); zero or less if they overlap.
    pub fn axis_distance(&self, o: &Self) -> Real {
        (self.min - o.max).max(o.min - self.max).max_element()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_centre_and_half_extents_are_two_corners() {
        let b = Aabb::from_center(Vec3::new(1.0, 2.0, 3.0), Vec3::new(0.5, 1.0, 4.0));
        assert_eq!((b.min, b.max), (Vec3::new(0.5, 1.0, -1.0), Vec3::new(1.5, 3.0, 7.0)));
    }
}
