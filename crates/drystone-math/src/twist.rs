use crate::{Real, Vec3};
use core::ops::{Add, AddAssign, Mul, Neg, Sub};

macro_rules! spatial_pair {
    ($(#[$doc:meta])* $name:ident, $(#[$lin:meta])* $linear:ident, $(#[$ang:meta])* $angular:ident) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Default)]
        #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
        pub struct $name {
            $(#[$lin])*
            pub $linear: Vec3,
            $(#[$ang])*
            pub $angular: Vec3,
        }

        impl $name {
            /// Both parts zero.
            pub const ZERO: Self = Self { $linear: Vec3::ZERO, $angular: Vec3::ZERO };

            /// From its two parts.
            #[inline]
            pub const fn new($linear: Vec3, $angular: Vec3) -> Self {
                Self { $linear, $angular }
            }

            /// Whether every component is finite.
            #[inline]
            pub fn is_finite(&self) -> bool {
                self.$linear.is_finite() && self.$angular.is_finite()
            }
        }

        impl Add for $name {
            type Output = Self;
            #[inline]
            fn add(self, o: Self) -> Self {
                Self { $linear: self.$linear + o.$linear, $angular: self.$angular + o.$angular }
            }
        }
        impl AddAssign for $name {
            #[inline]
            fn add_assign(&mut self, o: Self) {
                self.$linear += o.$linear;
                self.$angular += o.$angular;
            }
        }
        impl Sub for $name {
            type Output = Self;
            #[inline]
            fn sub(self, o: Self) -> Self {
                Self { $linear: self.$linear - o.$linear, $angular: self.$angular - o.$angular }
            }
        }
        impl Mul<Real> for $name {
            type Output = Self;
            #[inline]
            fn mul(self, s: Real) -> Self {
                Self { $linear: self.$linear * s, $angular: self.$angular * s }
            }
        }
        impl Neg for $name {
            type Output = Self;
            #[inline]
            fn neg(self) -> Self {
                Self { $linear: -self.$linear, $angular: -self.$angular }
            }
        }
    };
}

spatial_pair!(
    /// Linear velocity of a body's centre of mass and its angular velocity, both in the world frame.
    Twist,
    /// Velocity of the centre of mass (m/s).
    linear,
    /// Angular velocity, world frame (rad/s).
    angular
);

spatial_pair!(
    /// Force and torque about a body's centre of mass, both in the world frame. Also used for impulses.
    Wrench,
    /// Force (N), or impulse (N s).
    force,
    /// Torque about the centre of mass (N m), or angular impulse (N m s).
    torque
);

impl Twist {
    /// Velocity of the body's point at `arm` from its centre of mass (m/s).
    #[inline]
    pub fn at(&self, arm: Vec3) -> Vec3 {
        self.linear + self.angular.cross(arm)
    }
}

impl Wrench {
    /// The wrench of a force that acts at `arm` from the centre of mass.
    #[inline]
    pub fn at(force: Vec3, arm: Vec3) -> Self {
        Self { force, torque: arm.cross(force) }
    }
}
