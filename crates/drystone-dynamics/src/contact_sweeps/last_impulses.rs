//! Effect of the last step's impulses in this step.

use super::bounds::{Bounds, ROUNDING};
use super::patch::{middle, patch_length};
use super::settled::{Settled, across};
use drystone_core::{ContactImpulse, GroupBody, GroupContact, GroupProblem, RowLimits};
use drystone_math::{Real, Twist, Vec3};

impl Settled {
    /// Adds the velocities that the impulses leave, each applied at its point; `None` if one is beyond its bounds.
    #[inline(always)]
    pub(super) fn add_at_points(&mut self, problem: &GroupProblem, bounds: Bounds) -> Option<()> {
        self.add_rows(problem, bounds)?;
        let GroupProblem { bodies, contacts, .. } = problem;
        let slack = bounds.slack();
        for c in contacts {
            let ContactImpulse { normal, friction } = across(c);
            let most = slack * c.friction * normal;
            if normal < 0.0 || friction.length_squared() > most * most {
                return None;
            }
            let push = c.normal * normal + friction;
            for (b, push) in c.bodies.into_iter().zip([-push, push]) {
                let b = b as usize;
                self.twists[b] += Twist::new(push, (c.position - bodies[b].pose.position).cross(push));
            }
        }
        self.make_velocities(bodies);
        Some(())
    }

    /// The same with impulses applied in the way in which patches are solved.
    #[inline(always)]
    pub(super) fn add_at_patches(&mut self, problem: &GroupProblem, bounds: Bounds) -> Option<()> {
        self.add_rows(problem, bounds)?;
        let GroupProblem { bodies, contacts, .. } = problem;
        let mut rest = contacts.as_slice();
        while !rest.is_empty() {
            let (patch, others) = rest.split_at(patch_length(rest));
            push_patch(patch, bodies, bounds.slack(), &mut self.twists)?;
            rest = others;
        }
        self.make_velocities(bodies);
        Some(())
    }

    /// Starts with the wrenches of rows.
    #[inline(always)]
    fn add_rows(&mut self, problem: &GroupProblem, bounds: Bounds) -> Option<()> {
        let twists = &mut self.twists;
        twists.clear();
        twists.resize(problem.bodies.len(), Twist::ZERO);
        for r in &problem.rows {
            let RowLimits { lo, hi } = r.row.limits;
            let slack = 1.0 - ROUNDING;
            if r.impulse < slack * lo * bounds.h || r.impulse > slack * hi * bounds.h {
                return None;
            }
            for (b, j) in r.bodies.into_iter().zip(r.row.jacobian) {
                twists[b as usize] += j * r.impulse;
            }
        }
        Some(())
    }

    /// Turns wrenches into velocities.
    #[inline(always)]
    fn make_velocities(&mut self, bodies: &[GroupBody]) {
        for (twist, body) in self.twists.iter_mut().zip(bodies) {
            let change = Twist::new(twist.linear * body.inverse_mass, body.inverse_inertia.mul_vec(twist.angular));
            *twist = body.velocity + body.external + change;
        }
    }
}

/// Adds the impulses of a patch in the way in which it is solved: pressure at each of its points, friction and its twist at their middle. `None` if a point pulls, or friction is
/// beyond `slack` times its bounds.
#[inline(always)]
fn push_patch(patch: &[GroupContact], bodies: &[GroupBody], slack: Real, twists: &mut [Twist]) -> Option<()> {
    let (normal, pair) = (patch[0].normal, patch[0].bodies.map(|b| b as usize));
    let middle = middle(patch);
    let (mut sum, mut twist) = (Vec3::ZERO, 0.0);
    let mut push = |at: Vec3, impulse: Vec3, torque: Vec3| {
        for (b, sign) in pair.into_iter().zip([-1.0, 1.0]) {
            let arm = at - bodies[b].pose.position;
            twists[b] += Twist::new(impulse, arm.cross(impulse) + torque) * sign;
        }
    };
    for c in patch {
        let ContactImpulse { normal: pressure, friction } = across(c);
        let most = slack * c.friction * pressure;
        if pressure < 0.0 || friction.length_squared() > most * most {
            return None;
        }
        let arm = c.position - middle;
        let arm = arm - normal * normal.dot(arm);
        sum += friction;
        twist += normal.dot(arm.cross(friction));
        push(c.position, c.normal * pressure, Vec3::ZERO);
    }
    push(middle, sum, normal * twist);
    Some(())
}
