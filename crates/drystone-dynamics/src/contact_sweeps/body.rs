use drystone_core::GroupBody;
use drystone_math::{Real, SymmetricMat3, Twist, Vec3};

/// A body while its group is solved: its velocity (or displacement) under the current impulses, and its response to impulses.
///
/// The data that every visit needs come first, in two cache lines.
#[derive(Debug, Clone, Copy)]
#[repr(C, align(64))]
pub(super) struct Body {
    pub(super) velocity: Twist,
    pub(super) inverse_mass: Real,
    pub(super) inverse_inertia: SymmetricMat3,
    /// The visit at which its velocity last changed noticeably.
    pub(super) stirred: u32,
    /// True if impulses change its velocity.
    pub(super) moves: bool,
    /// True if it moves against its supports as slowly as a resting body.
    pub(super) quiet: bool,
    /// The velocity that it has if it stays with its supports.
    pub(super) rest: Twist,
    pub(super) position: Vec3,
    /// Mass (kg) and inertia about the centre of mass, in world axes; `None` if it does not move or turn in every way.
    pub(super) inertia: Option<(Real, SymmetricMat3)>,
}

/// Four numbers of a body that are adjacent in memory.
#[derive(Debug, Clone, Copy)]
pub(super) enum Row {
    /// Linear velocity, and the first coordinate of the angular one.
    Velocity,
    /// Its other coordinates, inverse mass, and xx of the inverse inertia.
    Mass,
    /// The inverse inertia's yy, zz, yz and xz.
    Inertia,
}

impl Body {
    pub(super) fn of(body: &GroupBody, velocity: Twist) -> Self {
        let inertia = if body.inverse_mass > 0.0 {
            body.inverse_inertia.inverse().map(|inertia| (1.0 / body.inverse_mass, inertia))
        } else {
            None
        };
        Self {
            position: body.pose.position,
            velocity,
            rest: velocity,
            inverse_mass: body.inverse_mass,
            inverse_inertia: body.inverse_inertia,
            inertia,
            moves: body.is_movable(),
            quiet: true,
            stirred: 0,
        }
    }

    /// A body that is to be displaced, and whose energy is never needed.
    pub(super) fn displaced(body: &GroupBody) -> Self {
        Self {
            position: body.pose.position,
            velocity: Twist::ZERO,
            rest: Twist::ZERO,
            inverse_mass: body.inverse_mass,
            inverse_inertia: body.inverse_inertia,
            inertia: None,
            moves: body.is_movable(),
            quiet: true,
            stirred: 0,
        }
    }

    /// Takes over what visits have done to a copy of the body.
    #[inline(always)]
    pub(super) fn follow(&mut self, copy: &Self) {
        self.velocity = copy.velocity;
        self.stirred = copy.stirred;
    }

    /// Its numbers as visits side by side read them: four at a time, as they lie in memory.
    #[inline(always)]
    pub(super) fn row(&self, row: Row) -> [Real; 4] {
        let (Twist { linear: v, angular: w }, SymmetricMat3 { diagonal: d, off_diagonal: o }) =
            (self.velocity, self.inverse_inertia);
        match row {
            Row::Velocity => [v.x, v.y, v.z, w.x],
            Row::Mass => [w.y, w.z, self.inverse_mass, d.x],
            Row::Inertia => [d.y, d.z, o.x, o.y],
        }
    }

    /// Adds an impulse (N s) at `arm` (m) and an angular one (N m s).
    #[inline(always)]
    pub(super) fn strike(&mut self, arm: Vec3, impulse: Vec3, turn: Vec3) {
        self.velocity.linear += impulse * self.inverse_mass;
        self.velocity.angular += self.inverse_inertia.mul_vec(arm.cross(impulse) + turn);
    }

    /// Adds an impulse (N s) at `arm` (m).
    #[inline(always)]
    pub(super) fn push(&mut self, arm: Vec3, impulse: Vec3) {
        self.velocity.linear += impulse * self.inverse_mass;
        self.velocity.angular += self.inverse_inertia.mul_vec(arm.cross(impulse));
    }

    /// Kinetic energy (J) at a velocity.
    pub(super) fn energy(&self, velocity: Twist) -> Real {
        let turning = self.inertia.map_or(0.0, |(_, inertia)| inertia.quadratic(velocity.angular));
        let moving = if self.inverse_mass > 0.0 { velocity.linear.length_squared() / self.inverse_mass } else { 0.0 };
        0.5 * (moving + turning)
    }

    /// The speed (m/s) that a twist gives a body with this radius of gyration.
    pub(super) fn speed(&self, twist: Twist) -> Real {
        let gyration =
            self.inertia.map_or(0.0, |(mass, inertia)| (inertia.diagonal.element_sum() / (3.0 * mass)).sqrt());
        twist.linear.length().max(twist.angular.length() * gyration)
    }
}
