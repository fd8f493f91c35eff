use super::bodies::Mobility;
use super::frame::Frames;
use super::normals::{Normals, Places, WideNormals};
use super::{WIDE, Wide};
use crate::contact_sweeps::normals::MOST;
use drystone_math::lanes::{self, Lanes};
use pulp::Simd;

/// Numbers of a response: those of the normals (r_00, r_40, r_44, r_50, r_54, r_55), the effects of normals and twist on the slip
/// (r_10, r_14, r_15, r_13, and r_20 and so on), that of the twist on itself (r_33), and those of friction (r_11, r_21, r_22).
const NUMBERS: usize = 18;

/// The effect of wrenches at the middle of a group of patches on the relative velocity there; rows as for a single patch.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sums<S: Simd>([Lanes<S>; NUMBERS]);

impl<S: Simd> Sums<S> {
    /// The response of the bodies on one side.
    #[inline(always)]
    pub(super) fn of_side(frames: &Frames<S>, side: usize, body: &Mobility<S>) -> Self {
        let (arm, [n, t1, t2]) = (frames.arms[side], frames.axes);
        let levers = [lanes::cross(arm, n), lanes::cross(arm, t1), lanes::cross(arm, t2)];
        let turned = [body.turn(levers[0]), body.turn(n), body.turn(t2), body.turn(t1)];
        let along = [body.turn(levers[1]), body.turn(levers[2])];
        Self([
            lanes::dot(levers[0], turned[0]) + body.inverse_mass,
            lanes::dot(t2, turned[0]),
            lanes::dot(t2, turned[2]),
            lanes::dot(t1, turned[0]),
            lanes::dot(t1, turned[2]),
            lanes::dot(t1, turned[3]),
            lanes::dot(levers[1], turned[0]),
            lanes::dot(levers[1], turned[2]),
            lanes::dot(levers[1], turned[3]),
            lanes::dot(levers[1], turned[1]),
            lanes::dot(levers[2], turned[0]),
            lanes::dot(levers[2], turned[2]),
            lanes::dot(levers[2], turned[3]),
            lanes::dot(levers[2], turned[1]),
            lanes::dot(n, turned[1]),
            lanes::dot(levers[1], along[0]) + body.inverse_mass,
            lanes::dot(levers[2], along[0]),
            lanes::dot(levers[2], along[1]) + body.inverse_mass,
        ])
    }

    /// Sums both sides, each to the degree that it gives way.
    #[inline(always)]
    pub(super) fn both(a: &Self, b: &Self, [p, q]: [Lanes<S>; 2]) -> Self {
        let mut sums = *a;
        for i in 0..NUMBERS {
            sums.0[i] = a.0[i] * p + b.0[i] * q;
        }
        sums
    }
}

/// The response of patches side by side, in the form that visits need.
#[derive(Debug, Clone, Copy)]
pub(super) struct WideResponse {
    pub(super) normals: WideNormals,
    slip: [[Wide; 4]; 2],
    spin: Wide,
    tangents: [Wide; 3],
}

/// The same for a group of lanes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Responses<S: Simd> {
    pub(super) normals: Normals<S>,
    /// The effect of a wrench (along the normal, about the second and the first tangent, about the normal) on the slip along each tangent.
    pub(super) slip: [[Lanes<S>; 4]; 2],
    /// The effect of a twist on the spin.
    pub(super) spin: Lanes<S>,
    /// That of friction on the slip (r_11, r_21, r_22).
    pub(super) tangents: [Lanes<S>; 3],
}

impl WideResponse {
    /// The blank one: nothing gives way.
    pub(super) const BLANK: Self = Self {
        normals: WideNormals::BLANK,
        slip: [[[0.0; WIDE]; 4]; 2],
        spin: [0.0; WIDE],
        tangents: [[0.0; WIDE]; 3],
    };

    #[inline(always)]
    pub(super) fn of<S: Simd>(&self, simd: S, group: usize) -> Responses<S> {
        Responses {
            normals: self.normals.of(simd, group),
            slip: [lanes::quaternions(simd, &self.slip[0], group), lanes::quaternions(simd, &self.slip[1], group)],
            spin: Lanes::of(simd, &self.spin, group),
            tangents: lanes::vectors(simd, &self.tangents, group),
        }
    }

    #[inline(always)]
    pub(super) fn set<S: Simd>(&mut self, group: usize, responses: &Responses<S>) {
        self.normals.set(group, &responses.normals);
        lanes::put(responses.slip[0], &mut self.slip[0], group);
        lanes::put(responses.slip[1], &mut self.slip[1], group);
        responses.spin.put(&mut self.spin, group);
        lanes::put(responses.tangents, &mut self.tangents, group);
    }
}

impl<S: Simd> Responses<S> {
    /// From its numbers; points whose scale is zero are left out.
    #[inline(always)]
    pub(super) fn new(simd: S, places: &Places<S>, sums: &Sums<S>, scale: [Lanes<S>; MOST]) -> Self {
        let r = &sums.0;
        Self {
            normals: Normals::new(simd, places, [r[0], r[1], r[2], r[3], r[4], r[5]], scale),
            slip: [[r[6], r[7], r[8], r[9]], [r[10], r[11], r[12], r[13]]],
            spin: r[14],
            tangents: [r[15], r[16], r[17]],
        }
    }
}
