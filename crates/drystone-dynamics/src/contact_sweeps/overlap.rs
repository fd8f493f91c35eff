//! Overlap that is seen coming, and how bodies are displaced after the step so that it does not stay.
//!
//! Where a group moves, contacts are seen anew in the next step, and what gaps of first order leave is taken out then. It needs no other look at the contacts: gaps at the end of the
//! step are those at its start and what the velocities do to them, and the normals of the solve are at hand with their matrices.
//!
//! # Source
//! Sweeps over displacements beside those over velocities: split impulses, as in Bullet.

use super::body::Body;
use super::normals::{MOST, solve_normals, solve_two};
use super::patch::{Made, Patch};
use super::point::Point;
use super::response::Response;
use drystone_core::GroupContact;
use drystone_math::{Real, Twist, Vec3};

/// What a parting is about: the step (s), how much overlap stays after it (m), and contacts and bodies where gaps or velocities are others than those of the last solve.
#[derive(Debug, Clone, Copy)]
pub(super) struct Parting<'a> {
    pub(super) h: Real,
    pub(super) slop: Real,
    pub(super) renewed: Option<(&'a [GroupContact], &'a [Body])>,
}

/// How far a point is to part (m): what is deep by its depth but for the slop, and what is open may close.
#[inline(always)]
pub(super) fn wanted(gap: Real, slop: Real) -> Real {
    if gap > 0.0 { -gap } else { (-gap - slop).max(0.0) }
}

impl Patch {
    /// What bodies with these twists do to the normals at the middle: row 0, 4 and 5.
    #[inline(always)]
    fn rates(&self, a: &Twist, b: &Twist) -> [Real; 3] {
        let ([n, t1, t2], [arm_a, arm_b]) = (self.frame.axes, self.frame.arms);
        let turning = b.angular - a.angular;
        [n.dot(b.at(arm_b) - a.at(arm_a)), t2.dot(turning), t1.dot(turning)]
    }

    /// Displaces the bodies so that no point overlaps after the step but for the slop; gives how deep the deepest would be (m).
    #[inline(always)]
    pub(super) fn part(&mut self, bodies: &[Body], ways: &mut [Twist], parting: Parting<'_>) -> Real {
        let Parting { h, slop, .. } = parting;
        let [a, b] = self.bodies.map(|i| i as usize);
        let k = self.points();
        let rates = self.rates(&bodies[a].velocity, &bodies[b].velocity);
        let (mut gap, mut least) = ([0.0; MOST], Real::INFINITY);
        for i in 0..k {
            gap[i] = self.gap[i] + h * self.rate(i, rates);
            least = least.min(gap[i]);
        }
        let displaced = ways[a] != Twist::ZERO || ways[b] != Twist::ZERO;
        if !displaced && least >= -slop {
            return -least;
        }
        let way = self.rates(&ways[a], &ways[b]);
        let (mut q, mut parts) = ([0.0; MOST], false);
        for i in 0..k {
            q[i] = self.rate(i, way) - wanted(gap[i], slop);
            parts |= q[i] < 0.0;
        }
        if parts {
            let pushed = self.pushed(bodies, q);
            let [n, m2, m1] = self.sum(&pushed);
            let (push, turn) = self.frame.impulse(&[n, 0.0, 0.0, 0.0, m2, m1]);
            displace(&bodies[a], &mut ways[a], self.frame.arms[0], (-push, -turn));
            displace(&bodies[b], &mut ways[b], self.frame.arms[1], (push, turn));
        }
        -least
    }

    /// What the points are pushed apart by where they would part at rates `q`; the matrix of the normals is made once a solve.
    #[inline(always)]
    fn pushed(&mut self, bodies: &[Body], q: [Real; MOST]) -> [Real; MOST] {
        if !self.block.made {
            let mut response = self.response;
            if self.made == Made::Neither {
                response = Response::default();
                for s in 0..2 {
                    let body = &bodies[self.bodies[s] as usize];
                    if body.moves {
                        response.add_normals(body, self.frame.arms[s], self.frame.axes);
                    }
                }
            }
            self.set_block(&response);
        }
        // what bears is what pushes, mostly: only who does is asked of a start
        let mut x = [0.0; MOST];
        for i in 0..MOST {
            x[i] = if self.normal[i] > 0.0 { Real::MIN_POSITIVE } else { 0.0 };
        }
        match self.count {
            2 => solve_two(&self.block.a, &q, &mut x),
            3 => solve_normals::<3>(&mut self.block, q, &mut x),
            _ => solve_normals::<MOST>(&mut self.block, q, &mut x),
        }
        x
    }
}

impl Point {
    /// As [`Patch::part`].
    #[inline(always)]
    pub(super) fn part(&mut self, bodies: &[Body], ways: &mut [Twist], parting: Parting<'_>) -> Real {
        let Parting { h, slop, .. } = parting;
        let [a, b] = self.bodies.map(|i| i as usize);
        let ([n, ..], [arm_a, arm_b]) = (self.frame.axes, self.frame.arms);
        let gap = self.gap + h * n.dot(bodies[b].velocity.at(arm_b) - bodies[a].velocity.at(arm_a));
        let displaced = ways[a] != Twist::ZERO || ways[b] != Twist::ZERO;
        if !displaced && gap >= -slop {
            return -gap;
        }
        let missing = wanted(gap, slop) - n.dot(ways[b].at(arm_b) - ways[a].at(arm_a));
        if missing <= 0.0 {
            return -gap;
        }
        let response =
            if self.ready { self.response[0] } else { gives(&bodies[a], arm_a, n) + gives(&bodies[b], arm_b, n) };
        if response > 0.0 {
            let push = n * (missing / response);
            displace(&bodies[a], &mut ways[a], arm_a, (-push, Vec3::ZERO));
            displace(&bodies[b], &mut ways[b], arm_b, (push, Vec3::ZERO));
        }
        -gap
    }
}

/// How far a body gives way to an impulse along the normal at a point.
#[inline(always)]
fn gives(body: &Body, arm: Vec3, n: Vec3) -> Real {
    let lever = arm.cross(n);
    body.inverse_mass + lever.dot(body.inverse_inertia.mul_vec(lever))
}

/// Adds what an impulse at a point and an angular one do to a body's displacement.
#[inline(always)]
fn displace(body: &Body, way: &mut Twist, arm: Vec3, (impulse, turn): (Vec3, Vec3)) {
    if body.moves {
        way.linear += impulse * body.inverse_mass;
        way.angular += body.inverse_inertia.mul_vec(arm.cross(impulse) + turn);
    }
}
