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

            /// Returns true if every component is finite.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_add_and_scale_part_by_part() {
        let (a, b) = (Twist::new(Vec3::new(1.0, 2.0, 3.0), Vec3::new(4.0, 5.0, 6.0)), Twist::new(Vec3::X, Vec3::Y));
        assert_eq!(a + b, Twist::new(Vec3::new(2.0, 2.0, 3.0), Vec3::new(4.0, 6.0, 6.0)));
        assert_eq!(a - b, Twist::new(Vec3::new(0.0, 2.0, 3.0), Vec3::new(4.0, 4.0, 6.0)));
        assert_eq!(a * 2.0, a + a);
        assert_eq!(-a, Twist::ZERO - a);
        let mut sum = a;
        sum += b;
        assert_eq!(sum, a + b);
        for bad in [Real::NAN, Real::INFINITY] {
            let bad = Vec3::new(0.0, bad, 0.0);
            assert!(!Wrench::new(bad, Vec3::X).is_finite() && !Wrench::new(Vec3::X, bad).is_finite());
        }
        assert!(a.is_finite());
    }

    /// The power of a force at a point is the same, whether computed for the point or for the whole body.
    #[test]
    fn power_of_a_force_is_that_of_its_wrench() {
        let motion = Twist::new(Vec3::new(0.5, -1.0, 2.0), Vec3::new(-3.0, 0.25, 1.0));
        let (force, arm) = (Vec3::new(2.0, 7.0, -4.0), Vec3::new(0.5, -0.75, 0.125));
        let wrench = Wrench::at(force, arm);
        let whole = wrench.force.dot(motion.linear) + wrench.torque.dot(motion.angular);
        assert!((force.dot(motion.at(arm)) - whole).abs() < 1e-13, "{whole}");
    }
}
