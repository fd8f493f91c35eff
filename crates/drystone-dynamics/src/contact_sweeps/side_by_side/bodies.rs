use super::WIDE;
use crate::contact_sweeps::body::{Body, Row};
use drystone_math::lanes::{self, Lanes, Vectors};
use drystone_math::{Real, Twist};
use pulp::Simd;

/// The bodies on one side of patches that stand side by side.
pub(super) type Who = [u32; WIDE];

/// The motion of bodies, one number of each in a register.
#[derive(Debug, Clone, Copy)]
pub(super) struct Twists<S: Simd> {
    pub(super) linear: Vectors<S>,
    pub(super) angular: Vectors<S>,
}

impl<S: Simd> Twists<S> {
    /// The velocities of points at some arms from the centres of mass.
    #[inline(always)]
    pub(super) fn at(&self, arms: Vectors<S>) -> Vectors<S> {
        add(self.linear, lanes::cross(self.angular, arms))
    }
}

/// The bodies of a group of lanes: velocities, and responses to impulses.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bodies<S: Simd> {
    pub(super) velocity: Twists<S>,
    pub(super) mass: Mobility<S>,
}

/// The response of bodies to impulses: their inverse masses, and inverse inertias as (xx, yy, zz, yz, xz, xy).
#[derive(Debug, Clone, Copy)]
pub(super) struct Mobility<S: Simd> {
    pub(super) inverse_mass: Lanes<S>,
    inertia: [Lanes<S>; 6],
}

impl<S: Simd> Mobility<S> {
    /// The inverse inertia times a vector.
    #[inline(always)]
    pub(super) fn turn(&self, v: Vectors<S>) -> Vectors<S> {
        let [xx, yy, zz, yz, xz, xy] = self.inertia;
        [xx * v[0] + xy * v[1] + xz * v[2], xy * v[0] + yy * v[1] + yz * v[2], xz * v[0] + yz * v[1] + zz * v[2]]
    }

    /// The twist that an impulse (N s) at some arm (m) makes, in addition to one that is there.
    #[inline(always)]
    pub(super) fn pushed(&self, twist: Twists<S>, arms: Vectors<S>, impulse: Vectors<S>) -> Twists<S> {
        Twists {
            linear: add(twist.linear, scaled(impulse, self.inverse_mass)),
            angular: add(twist.angular, self.turn(lanes::cross(arms, impulse))),
        }
    }

    /// The twist that an impulse (N s) at some arm (m) and an angular one (N m s) make, in addition to one that is there.
    #[inline(always)]
    pub(super) fn struck(
        &self,
        twist: Twists<S>,
        arms: Vectors<S>,
        impulse: Vectors<S>,
        turn: Vectors<S>,
    ) -> Twists<S> {
        Twists {
            linear: add(twist.linear, scaled(impulse, self.inverse_mass)),
            angular: add(twist.angular, self.turn(add(lanes::cross(arms, impulse), turn))),
        }
    }
}

/// The sums of vectors.
#[inline(always)]
pub(super) fn add<S: Simd>(a: Vectors<S>, b: Vectors<S>) -> Vectors<S> {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}

/// Their differences.
#[inline(always)]
pub(super) fn sub<S: Simd>(a: Vectors<S>, b: Vectors<S>) -> Vectors<S> {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

/// Vectors times numbers.
#[inline(always)]
pub(super) fn scaled<S: Simd>(a: Vectors<S>, s: Lanes<S>) -> Vectors<S> {
    [a[0] * s, a[1] * s, a[2] * s]
}

/// Reads the bodies on both sides of a group of lanes.
#[inline(always)]
pub(super) fn read_both<S: Simd>(simd: S, bodies: &[Body], [a, b]: &[Who; 2], group: usize) -> (Bodies<S>, Bodies<S>) {
    (read(simd, bodies, a, group), read(simd, bodies, b, group))
}

#[inline(always)]
fn read<S: Simd>(simd: S, bodies: &[Body], who: &Who, group: usize) -> Bodies<S> {
    let [vx, vy, vz, wx] = row(simd, bodies, who, group, Row::Velocity);
    let [wy, wz, inverse_mass, xx] = row(simd, bodies, who, group, Row::Mass);
    let [yy, zz, yz, xz] = row(simd, bodies, who, group, Row::Inertia);
    let mut last = [0.0; WIDE];
    for lane in 0..S::F64_LANES {
        last[lane] = bodies[who[group * S::F64_LANES + lane] as usize].inverse_inertia.off_diagonal.z;
    }
    let xy = Lanes::of(simd, &last, 0);
    Bodies {
        velocity: Twists { linear: [vx, vy, vz], angular: [wx, wy, wz] },
        mass: Mobility { inverse_mass, inertia: [xx, yy, zz, yz, xz, xy] },
    }
}

#[inline(always)]
fn row<S: Simd>(simd: S, bodies: &[Body], who: &Who, group: usize, row: Row) -> [Lanes<S>; 4] {
    let mut rows = [[0.0; 4]; WIDE];
    for lane in 0..S::F64_LANES {
        rows[lane] = bodies[who[group * S::F64_LANES + lane] as usize].row(row);
    }
    lanes::columns(simd, &rows[..S::F64_LANES])
}

/// Writes the velocities of the bodies of a group of lanes. If several lanes have the same body, the first lane wins.
#[inline(always)]
pub(super) fn give<S: Simd>(simd: S, twist: Twists<S>, bodies: &mut [Body], who: &Who, group: usize) {
    let rows = twist_rows(simd, twist);
    for lane in (0..S::F64_LANES).rev() {
        let body = &mut bodies[who[group * S::F64_LANES + lane] as usize];
        body.velocity = of_rows(&rows, lane);
    }
}

/// The twists of rest of a group of lanes.
#[inline(always)]
pub(super) fn read_rest<S: Simd>(simd: S, bodies: &[Body], who: &Who, group: usize) -> Twists<S> {
    let mut twists = [Twist::ZERO; WIDE];
    for lane in 0..S::F64_LANES {
        twists[lane] = bodies[who[group * S::F64_LANES + lane] as usize].rest;
    }
    of_twists(simd, &twists)
}

/// The velocities that a visit sees: the velocity of rest for bodies that do not give way, for which `gives` is zero.
#[inline(always)]
pub(super) fn seen<S: Simd>(
    simd: S,
    read: &Bodies<S>,
    bodies: &[Body],
    who: &Who,
    (group, gives): (usize, Lanes<S>),
) -> Twists<S> {
    let rest = read_rest(simd, bodies, who, group);
    let moves = Lanes::splat(simd, 0.0).less(gives);
    Twists {
        linear: lanes::select(moves, read.velocity.linear, rest.linear),
        angular: lanes::select(moves, read.velocity.angular, rest.angular),
    }
}

/// The twists of a group of lanes, taken from those of all bodies.
#[inline(always)]
pub(super) fn read_twists<S: Simd>(simd: S, all: &[Twist], who: &Who, group: usize) -> Twists<S> {
    let mut twists = [Twist::ZERO; WIDE];
    for lane in 0..S::F64_LANES {
        twists[lane] = all[who[group * S::F64_LANES + lane] as usize];
    }
    of_twists(simd, &twists)
}

#[inline(always)]
fn of_twists<S: Simd>(simd: S, twists: &[Twist; WIDE]) -> Twists<S> {
    let (mut first, mut second) = ([[0.0; 4]; WIDE], [[0.0; 4]; WIDE]);
    for lane in 0..S::F64_LANES {
        let Twist { linear: v, angular: w } = twists[lane];
        first[lane] = [v.x, v.y, v.z, w.x];
        second[lane] = [w.y, w.z, w.y, w.z];
    }
    let [vx, vy, vz, wx] = lanes::columns(simd, &first[..S::F64_LANES]);
    let [wy, wz, ..] = lanes::columns(simd, &second[..S::F64_LANES]);
    Twists { linear: [vx, vy, vz], angular: [wx, wy, wz] }
}

/// Writes the twists of a group of lanes. If several lanes have the same body, the first lane wins.
#[inline(always)]
pub(super) fn write_twists<S: Simd>(simd: S, twist: Twists<S>, into: &mut [Twist], who: &Who, group: usize) {
    let rows = twist_rows(simd, twist);
    for lane in (0..S::F64_LANES).rev() {
        into[who[group * S::F64_LANES + lane] as usize] = of_rows(&rows, lane);
    }
}

#[inline(always)]
fn twist_rows<S: Simd>(simd: S, Twists { linear: v, angular: w }: Twists<S>) -> [[[Real; 4]; WIDE]; 2] {
    let mut rows = [[[0.0; 4]; WIDE]; 2];
    lanes::put_rows(simd, [v[0], v[1], v[2], w[0]], &mut rows[0][..S::F64_LANES]);
    lanes::put_rows(simd, [w[1], w[2], w[1], w[2]], &mut rows[1][..S::F64_LANES]);
    rows
}

#[inline(always)]
fn of_rows([first, second]: &[[[Real; 4]; WIDE]; 2], lane: usize) -> Twist {
    let ([vx, vy, vz, wx], [wy, wz, ..]) = (first[lane], second[lane]);
    Twist { linear: [vx, vy, vz].into(), angular: [wx, wy, wz].into() }
}
