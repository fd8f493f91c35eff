use drystone_core::{BodyId, JointStrength};
use drystone_joints::{AxisFreedom, JointDescription, JointKind, Motor, Spring};
use drystone_math::{Real, Vec3};

/// Describes a joint between two bodies of a [`crate::World`], to be made by [`crate::World::join`].
///
/// Anchors and axes are given in the world, at the poses that the bodies have when the joint is made; from then on they are fixed to the bodies. Anything that is of
/// no use to the kind of joint is refused by `join`, with an explanation.
///
/// ```
/// use drystone::prelude::*;
/// use drystone::Motor;
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let mut world = World::builder().gravity([0.0; 3]).build()?;
/// let door = world.add(Body::dynamic(Shape::cuboid(0.5, 1.0, 0.02)?).at([0.5, 1.0, 0.0]).mass(20.0))?;
/// let hinge = Joint::hinge(Joint::WORLD, door)
///     .anchor([0.0, 1.0, 0.0])
///     .axis(Vec3::Y)
///     .limits(-2.0, 0.5)
///     .motor(Motor::Velocity { velocity: -1.0, max_force: 1e4 });
/// let hinge = world.join(hinge)?;
/// for _ in 0..100 {
///     world.advance(0.01)?;
/// }
/// let turned = world.joint_coordinate(hinge).unwrap();
/// assert!((turned.value + 1.0).abs() < 0.02 && (turned.speed + 1.0).abs() < 1e-3);
///
/// // another target, without touching where it is anchored
/// world.set_motor(hinge, Some(Motor::Velocity { velocity: 1.0, max_force: 1e4 }))?;
/// for _ in 0..300 {
///     world.advance(0.01)?;
/// }
/// assert!((world.joint_coordinate(hinge).unwrap().value - 0.5).abs() < 0.01);
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
#[must_use = "a joint is made by World::join"]
pub struct Joint {
    pub(crate) bodies: [Option<BodyId>; 2],
    pub(crate) description: JointDescription<'static>,
    pub(crate) collide: bool,
    pub(crate) strength: JointStrength,
}

macro_rules! kinds {
    ($($(#[$doc:meta])* $name:ident = $kind:ident;)*) => {
        $($(#[$doc])*
        pub fn $name(first: impl Into<Option<BodyId>>, second: impl Into<Option<BodyId>>) -> Self {
            Self::new(JointKind::$kind, first, second)
        })*
    };
}

impl Joint {
    /// The fixed world, in place of a body.
    pub const WORLD: Option<BodyId> = None;

    /// A joint of any kind between two bodies, or a body and [`Self::WORLD`]. Whether its bodies collide is the default of its kind, as in scenes.
    pub fn new(kind: JointKind, first: impl Into<Option<BodyId>>, second: impl Into<Option<BodyId>>) -> Self {
        Self {
            bodies: [first.into(), second.into()],
            description: JointDescription::new(kind.name()),
            collide: kind.collides(),
            strength: JointStrength::UNBREAKABLE,
        }
    }

    kinds! {
        /// Two points coincide; needs an anchor.
        ball = Ball;
        /// Turns about an axis; needs an anchor and an axis. Its coordinate is the angle (rad).
        hinge = Hinge;
        /// Moves along an axis, without turning; needs an axis. Its coordinate is the way (m).
        slider = Slider;
        /// Moves along an axis and turns about it; needs an anchor and an axis. Coordinates are the way and the angle.
        cylindrical = Cylindrical;
        /// An axis of each body, perpendicular and through one point; needs an anchor and both axes.
        universal = Universal;
        /// A wheel: steering about the first body's axis, spin about the second's, with a suspension; needs an anchor and both axes.
        wheel = Hinge2;
        /// Nothing moves.
        fixed = Fixed;
        /// A point stays in a plane, and normals stay parallel; needs an anchor and the plane's normal as axis.
        planar = Planar;
        /// Two points keep their distance, or keep it within limits; needs both anchors.
        distance = Distance;
        /// Two points come no further apart than a length; needs both anchors.
        rope = Rope;
        /// Two wheels turn in the ratio of their teeth, against what carries both; needs the axis of the first, and that of the second if it is another,
        /// and [`Self::teeth`] or [`Self::ratio`]. An anchor is needed where a wheel's axis misses its centre of mass.
        gear = Gear;
        /// A nut on a thread: moves along an axis by its lead each turn; needs an anchor, an axis and [`Self::lead`]. Its coordinate is the way (m).
        screw = Screw;
        /// A pinion, the first body, moves a rack, the second; needs an anchor on the pinion's axis, that axis, the rack's direction as second axis, and
        /// [`Self::radius`]. Other joints hold both on what carries them, which may move.
        rack_and_pinion = RackAndPinion;
        /// A cord from the first body over two fixed points to the second; needs both anchors and [`Self::pulleys`].
        pulley = Pulley;
        /// Each of three translations and three rotations free, locked or limited; needs an anchor and two axes.
        six_dof = SixDof;
    }

    /// Joint position (m), world frame.
    pub fn anchor(mut self, point: impl Into<Vec3>) -> Self {
        self.description.anchor = Some(point.into());
        self
    }

    /// Joint position on the second body, if different (m), world frame: the other end of a rod or rope.
    pub fn second_anchor(mut self, point: impl Into<Vec3>) -> Self {
        self.description.anchor2 = Some(point.into());
        self
    }

    /// The first axis, world frame, of any length above zero.
    pub fn axis(mut self, axis: impl Into<Vec3>) -> Self {
        self.description.axis = Some(axis.into());
        self
    }

    /// The second axis, likewise.
    pub fn second_axis(mut self, axis: impl Into<Vec3>) -> Self {
        self.description.axis2 = Some(axis.into());
        self
    }

    /// Limits of the first coordinate (m or rad); either may be infinite.
    pub fn limits(mut self, lower: Real, upper: Real) -> Self {
        self.description.limits = Some([lower, upper]);
        self
    }

    /// Fraction of the speed that limits give back, from 0 to 1.
    pub fn limit_restitution(mut self, restitution: Real) -> Self {
        self.description.limit_restitution = restitution;
        self
    }

    /// Limits of the second coordinate.
    pub fn second_limits(mut self, lower: Real, upper: Real) -> Self {
        self.description.limits2 = Some([lower, upper]);
        self
    }

    /// Motor of the first coordinate.
    pub fn motor(mut self, motor: Motor) -> Self {
        self.description.motor = Some(motor);
        self
    }

    /// Motor of the second coordinate.
    pub fn second_motor(mut self, motor: Motor) -> Self {
        self.description.motor2 = Some(motor);
        self
    }

    /// Dry friction of the first coordinate (N or N m).
    pub fn friction(mut self, friction: Real) -> Self {
        self.description.friction = friction;
        self
    }

    /// A spring and damper on the first coordinate.
    pub fn spring(mut self, spring: Spring) -> Self {
        self.description.spring = Some(spring);
        self
    }

    /// A spring and damper along the first axis of a wheel.
    pub fn suspension(mut self, spring: Spring) -> Self {
        self.description.suspension = Some(spring);
        self
    }

    /// The largest angle (rad) of a ball joint between its axis in the first body and in the second.
    pub fn cone(mut self, angle: Real) -> Self {
        self.description.cone = Some(angle);
        self
    }

    /// Makes the cone of a ball joint elliptic: [`Self::cone`] is then the angle towards the second axis, and this the angle (rad) towards the cross product of both axes.
    pub fn cone2(mut self, angle: Real) -> Self {
        self.description.cone2 = Some(angle);
        self
    }

    /// The smallest and largest rotation (rad, from -pi to pi) of a ball joint about its axis, apart from the swing.
    pub fn twist(mut self, lower: Real, upper: Real) -> Self {
        self.description.twist = Some([lower, upper]);
        self
    }

    /// The length of a rod or rope (m), if it differs from the distance of the anchors.
    pub fn length(mut self, length: Real) -> Self {
        self.description.length = Some(length);
        self
    }

    /// Numbers of teeth of a gear's two wheels; a negative number means a ring gear, which turns in the same direction.
    pub fn teeth(mut self, first: i32, second: i32) -> Self {
        self.description.teeth = Some([first, second]);
        self
    }

    /// The travel of a screw per full turn (m); negative for a left-handed thread.
    pub fn lead(mut self, lead: Real) -> Self {
        self.description.lead = Some(lead);
        self
    }

    /// The pitch radius of a pinion (m); negative if the rack moves against the second axis as the pinion turns about the first.
    pub fn radius(mut self, radius: Real) -> Self {
        self.description.radius = Some(radius);
        self
    }

    /// The fixed points (m), world frame, over which a pulley's cord runs: first the one above the first body.
    pub fn pulleys(mut self, first: impl Into<Vec3>, second: impl Into<Vec3>) -> Self {
        self.description.pulleys = Some([first.into(), second.into()]);
        self
    }

    /// Turns of a gear's second wheel for one of the first, in place of [`Self::teeth`]: any number but zero, positive if they turn against each other. Of a pulley, how
    /// many times the second body's part of the cord runs to and fro, as in a tackle.
    pub fn ratio(mut self, ratio: Real) -> Self {
        self.description.ratio = Some(ratio);
        self
    }

    /// Lead of the second body of a gear (rad), a screw or a rack and pinion (m) over the motion that the first one
    /// causes; short of half a tooth, turn or lead.
    pub fn offset(mut self, offset: Real) -> Self {
        self.description.offset = Some(offset);
        self
    }

    /// The freedoms of a six-dof joint: translations along, and rotations about, its axis, its second axis and the normal of both.
    pub fn freedoms(mut self, translations: [AxisFreedom; 3], rotations: [AxisFreedom; 3]) -> Self {
        (self.description.translations, self.description.rotations) = (translations, rotations);
        self
    }

    /// The fraction of an error that is removed per step, in `[0, 1]`, and the softness of what is held (m/N or rad/(N m)).
    pub fn softness(mut self, error_reduction: Real, force_mixing: Real) -> Self {
        (self.description.erp, self.description.cfm) = (error_reduction, force_mixing);
        self
    }

    /// The same joint between other bodies.
    pub fn between(mut self, first: impl Into<Option<BodyId>>, second: impl Into<Option<BodyId>>) -> Self {
        self.bodies = [first.into(), second.into()];
        self
    }

    /// True if its bodies collide with each other.
    pub fn collide(mut self, collide: bool) -> Self {
        self.collide = collide;
        self
    }

    /// The force (N) and torque (N m) above which it breaks; either may be infinite.
    pub fn breaks_at(mut self, force: Real, torque: Real) -> Self {
        self.strength = JointStrength { force, torque };
        self
    }
}
