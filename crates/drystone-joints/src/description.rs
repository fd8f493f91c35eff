use drystone_math::{Real, Vec3};

/// Drive of a coordinate.
// G-20, G-21
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Motor {
    /// Drives towards a speed (m/s or rad/s), with a force (N or N m) of at most `max_force` in either direction
    ///
    Velocity {
        /// Wanted speed.
        velocity: Real,
        /// Largest force, zero or more, may be infinite.
        max_force: Real,
    },
    /// Drives towards a place (m or rad): G-22. Turns of an angle count: a target of 270 degrees is reached through 90 and 180.
    Position {
        /// Wanted coordinate.
        target: Real,
        /// Largest force, zero or more, may be infinite.
        max_force: Real,
    },
}

/// A spring and damper on a coordinate, integrated implicitly over the step of each solve.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Spring {
    /// Stiffness (N/m or N m/rad), zero or more.
    pub stiffness: Real,
    /// Damping (N s/m or N m s/rad), zero or more.
    pub damping: Real,
    /// Coordinate at which there is no force (m or rad).
    pub rest: Real,
}

/// Freedom of one axis of a `six-dof` joint.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum AxisFreedom {
    /// Moves freely.
    #[default]
    Free,
    /// Does not move.
    Locked,
    /// Moves between two coordinates (m or rad).
    Limited(Real, Real),
}

/// A joint in world terms at the initial state. Fields that a kind has no use for must be left unset.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct JointDescription<'a> {
    /// One of [`crate::KINDS`].
    pub kind: &'a str,
    /// Joint position, world frame (m). `fixed` and `slider` may leave it out. Of a `gear`, a point on the axis of A's
    /// wheel: its centre of mass if unset. Of a
    /// `rack-and-pinion`, a point on the pinion's axis.
    // G-08
    pub anchor: Option<Vec3>,
    /// Joint position on body B, if not `anchor`: the other end of a `distance`, `rope`, `pulley` or
    /// `revolute-spherical`; for `ball`, `hinge`, `universal`, `hinge2` and `fixed` a gap that the joint closes; of a
    /// `gear`, a point on the axis of B's wheel.
    pub anchor2: Option<Vec3>,
    /// First axis, world frame, any length: hinge, slide, steering, normal of the plane, axis of the cone.
    pub axis: Option<Vec3>,
    /// Second axis: fixed in B for `universal`, `hinge2`, `gear`; the second of the frame for `six-dof`; the direction of the rack.
    pub axis2: Option<Vec3>,
    /// Limits of the first coordinate (m or rad); either may be infinite, and those of an angle may be turns apart.
    // G-17
    pub limits: Option<[Real; 2]>,
    /// Limits of the second coordinate.
    pub limits2: Option<[Real; 2]>,
    /// Coefficient of restitution of all limits, in `[0, 1]`.
    pub limit_restitution: Real,
    /// Softness of all limits: constraint force mixing (m/N or rad/(N m)), zero is rigid.
    pub limit_cfm: Real,
    /// Motor of the first coordinate.
    pub motor: Option<Motor>,
    /// Motor of the second coordinate.
    pub motor2: Option<Motor>,
    /// Friction of the first coordinate (N or N m), zero or more.
    pub friction: Real,
    /// Friction of the second coordinate.
    pub friction2: Real,
    /// Spring of the first coordinate.
    pub spring: Option<Spring>,
    /// Spring of the second coordinate.
    pub spring2: Option<Spring>,
    /// `hinge2`: makes the joint elastic along its first axis.
    pub suspension: Option<Spring>,
    /// `ball`: largest angle (rad) between `axis` in A and in B, a reach cone.
    pub cone: Option<Real>,
    /// `ball`: makes the cone elliptic: `cone` is the largest angle towards `axis2`, this one that towards `axis x axis2` (rad).
    pub cone2: Option<Real>,
    /// `ball`: smallest and largest turn about `axis` (rad), between -pi and pi, apart from the swing; either may be
    /// infinite.
    pub twist: Option<[Real; 2]>,
    /// `distance`, `rope`, `pulley`: length (m), for a pulley that of A's part plus `ratio` times B's; `revolute-spherical`: distance from the axis (m). If unset, that of the
    /// initial state.
    pub length: Option<Real>,
    /// `gear`: teeth of A's and B's wheel; a negative number is a ring, which turns the same way.
    pub teeth: Option<[i32; 2]>,
    /// `screw`: travel per full turn of B relative to A about the axis (m), negative for a left-handed thread.
    pub lead: Option<Real>,
    /// `rack-and-pinion`: pitch radius of the pinion A (m); negative if the rack B runs against `axis2` as A turns about `axis`.
    pub radius: Option<Real>,
    /// `pulley`: the fixed points, world frame (m), over which a cord runs from A's anchor to B's.
    pub pulleys: Option<[Vec3; 2]>,
    /// `pulley`: how many times B's part of the cord runs back and forth, above zero; 1 if unset. `gear`, in place of `teeth`: turns of B for
    /// one of A, any number but zero; positive if they turn against each other, as wheels side by side do.
    pub ratio: Option<Real>,
    /// Error of the coupling of a `gear` (rad, as a turn of B), a `screw` or a `rack-and-pinion` (m) at the initial
    /// state, which it removes: B goes further by it. Short of half a tooth, turn or lead; zero if unset.
    pub offset: Option<Real>,
    /// `six-dof`: the three translations along `axis`, `axis2` and their normal.
    pub translations: [AxisFreedom; 3],
    /// `six-dof`: the three rotations about them, from the quaternion of B relative to A. If one of them reaches half a turn, the others are undefined and limits jump: for a free
    /// rotation that goes all the way round, use a `hinge` or a `universal`.
    pub rotations: [AxisFreedom; 3],
    /// Error reduction parameter of locks, servos and limits, in `[0, 1]`.
    pub erp: Real,
    /// Constraint force mixing of the locks (m/N or rad/(N m)); zero is rigid.
    pub cfm: Real,
}

impl<'a> JointDescription<'a> {
    /// A description of the given kind with nothing else set: `erp` 0.2, everything rigid.
    pub fn new(kind: &'a str) -> Self {
        Self {
            kind,
            anchor: None,
            anchor2: None,
            axis: None,
            axis2: None,
            limits: None,
            limits2: None,
            limit_restitution: 0.0,
            limit_cfm: 0.0,
            motor: None,
            motor2: None,
            friction: 0.0,
            friction2: 0.0,
            spring: None,
            spring2: None,
            suspension: None,
            cone: None,
            cone2: None,
            twist: None,
            length: None,
            teeth: None,
            lead: None,
            radius: None,
            pulleys: None,
            ratio: None,
            offset: None,
            translations: [AxisFreedom::Free; 3],
            rotations: [AxisFreedom::Free; 3],
            erp: 0.2,
            cfm: 0.0,
        }
    }

    /// The same description with the kind's name from elsewhere, which may live longer.
    pub fn of_kind<'b>(&self, kind: &'b str) -> JointDescription<'b> {
        let mut other = JointDescription::new(kind);
        other.anchor = self.anchor;
        other.anchor2 = self.anchor2;
        other.axis = self.axis;
        other.axis2 = self.axis2;
        other.limits = self.limits;
        other.limits2 = self.limits2;
        other.limit_restitution = self.limit_restitution;
        other.limit_cfm = self.limit_cfm;
        other.motor = self.motor;
        other.motor2 = self.motor2;
        other.friction = self.friction;
        other.friction2 = self.friction2;
        other.spring = self.spring;
        other.spring2 = self.spring2;
        other.suspension = self.suspension;
        other.cone = self.cone;
        other.cone2 = self.cone2;
        other.twist = self.twist;
        other.length = self.length;
        other.teeth = self.teeth;
        other.lead = self.lead;
        other.radius = self.radius;
        other.pulleys = self.pulleys;
        other.ratio = self.ratio;
        other.offset = self.offset;
        other.translations = self.translations;
        other.rotations = self.rotations;
        other.erp = self.erp;
        other.cfm = self.cfm;
        other
    }
}
