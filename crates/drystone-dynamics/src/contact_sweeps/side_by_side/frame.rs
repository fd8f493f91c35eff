use super::bodies::{Twists, add, scaled, sub};
use super::{WIDE, Wide};
use crate::contact_sweeps::patch::Frame;
use drystone_math::Real;
use drystone_math::lanes::{self, Lanes, Vectors};
use pulp::Simd;

/// The axes and arms of patches side by side, coordinate by coordinate.
#[derive(Debug, Clone, Copy)]
pub(super) struct WideFrame {
    axes: [[Wide; 3]; 3],
    arms: [[Wide; 3]; 2],
}

impl WideFrame {
    /// The blank one: no impulse has any effect.
    pub(super) const BLANK: Self = Self { axes: [[[0.0; WIDE]; 3]; 3], arms: [[[0.0; WIDE]; 3]; 2] };

    /// Takes in the frame of one patch.
    #[inline(always)]
    pub(super) fn set(&mut self, lane: usize, frame: &Frame) {
        for (axis, own) in self.axes.iter_mut().zip(&frame.axes) {
            lanes::write(axis, lane, [own.x, own.y, own.z]);
        }
        for (arm, own) in self.arms.iter_mut().zip(&frame.arms) {
            lanes::write(arm, lane, [own.x, own.y, own.z]);
        }
    }

    /// The two tangents of one patch.
    #[inline(always)]
    pub(super) fn tangents(&self, lane: usize) -> [[Real; 3]; 2] {
        [lanes::read(&self.axes[1], lane), lanes::read(&self.axes[2], lane)]
    }

    /// The frames of a group of lanes.
    #[inline(always)]
    pub(super) fn of<S: Simd>(&self, simd: S, group: usize) -> Frames<S> {
        let [n, t1, t2] = &self.axes;
        let [a, b] = &self.arms;
        Frames {
            axes: [lanes::vectors(simd, n, group), lanes::vectors(simd, t1, group), lanes::vectors(simd, t2, group)],
            arms: [lanes::vectors(simd, a, group), lanes::vectors(simd, b, group)],
        }
    }
}

/// Frames of a group of lanes: normals and two tangents each, and arms from the two bodies' centres of mass.
#[derive(Debug, Clone, Copy)]
pub(super) struct Frames<S: Simd> {
    pub(super) axes: [Vectors<S>; 3],
    pub(super) arms: [Vectors<S>; 2],
}

impl<S: Simd> Frames<S> {
    /// Relative velocities at the middle, along the axes.
    #[inline(always)]
    pub(super) fn linear(&self, a: &Twists<S>, b: &Twists<S>) -> [Lanes<S>; 3] {
        let u = sub(b.at(self.arms[1]), a.at(self.arms[0]));
        let [n, t1, t2] = self.axes;
        [lanes::dot(n, u), lanes::dot(t1, u), lanes::dot(t2, u)]
    }

    /// Relative angular velocities about the normal, the second and the first tangent.
    #[inline(always)]
    pub(super) fn angular(&self, a: &Twists<S>, b: &Twists<S>) -> [Lanes<S>; 3] {
        let w = sub(b.angular, a.angular);
        let [n, t1, t2] = self.axes;
        [lanes::dot(n, w), lanes::dot(t2, w), lanes::dot(t1, w)]
    }

    /// Relative velocities at the middle along the normal, about the second and the first tangent.
    #[inline(always)]
    pub(super) fn normal(&self, a: &Twists<S>, b: &Twists<S>) -> [Lanes<S>; 3] {
        let (u, w) = (sub(b.at(self.arms[1]), a.at(self.arms[0])), sub(b.angular, a.angular));
        let [n, t1, t2] = self.axes;
        [lanes::dot(n, u), lanes::dot(t2, w), lanes::dot(t1, w)]
    }

    /// The impulses of forces along the axes.
    #[inline(always)]
    pub(super) fn impulse(&self, [x, f1, f2]: [Lanes<S>; 3]) -> Vectors<S> {
        let [n, t1, t2] = self.axes;
        add(add(scaled(n, x), scaled(t1, f1)), scaled(t2, f2))
    }

    /// The angular impulses of turning about the normal, the second and the first tangent.
    #[inline(always)]
    pub(super) fn turn(&self, [x, m2, m1]: [Lanes<S>; 3]) -> Vectors<S> {
        let [n, t1, t2] = self.axes;
        add(add(scaled(n, x), scaled(t2, m2)), scaled(t1, m1))
    }
}
