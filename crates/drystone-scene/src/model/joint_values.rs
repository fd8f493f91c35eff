//! Values of a joint's coordinates: limits, motors, springs, and the freedom of an axis.

use super::declare::{Key, Kind, Range, Readable, Shown, Table};
use super::{Cursor, Reading};
use crate::document::Value;
use crate::fault::FaultKind;
use drystone_joints::{AxisFreedom, Motor, Spring};
use drystone_math::{Pose, Quat, Real, Vec3};

const AMOUNT: Kind = Kind::Number(Range::NotNegative);
const ANY: Kind = Kind::Number(Range::Any);

static LOWER: Key<Option<Real>> = Key::optional("lower", ANY, "m or rad", "lower limit; none if left out");
static UPPER: Key<Option<Real>> = Key::optional("upper", ANY, "m or rad", "upper limit; none if left out");
static DEGREES: Key<Option<[Real; 2]>> = Key::optional(
    "degrees",
    Kind::Vector(2, Range::Any),
    "degrees",
    "lower and upper limit of an angle, instead of `lower` and `upper`",
);
static VELOCITY: Key<Option<Real>> = Key::optional("velocity", ANY, "m/s or rad/s", "target speed, for a motor");
static TARGET: Key<Option<Real>> =
    Key::optional("target", ANY, "m or rad", "target position, for a servo; this or `velocity`");
const UNLIMITED: &str = "unlimited";
static MAX_FORCE: Key<MostForce> = Key::required(
    "max_force",
    Kind::Either(&[AMOUNT, Kind::Choice(&[UNLIMITED])]),
    "N or N m",
    "maximum force or torque, or `unlimited`",
);
static STIFFNESS: Key<Real> = Key::required("stiffness", AMOUNT, "N/m or N m/rad", "stiffness");
static DAMPING: Key<Real> = Key::or("damping", AMOUNT, 0.0, "N s/m or N m s/rad", "damping");
static REST: Key<Real> = Key::or("rest", ANY, 0.0, "m or rad", "coordinate at which it exerts no force");

pub(super) static LIMITS_TABLE: Table = Table {
    name: "limits",
    doc: "A lower limit, an upper limit or both.",
    keys: &[&LOWER, &UPPER, &DEGREES],
    one: false,
    example: "",
};
pub(super) static MOTOR_TABLE: Table = Table {
    name: "motor",
    doc: "A motor with a target speed, or a servo with a target position.",
    keys: &[&VELOCITY, &TARGET, &MAX_FORCE],
    one: false,
    example: "",
};
pub(super) static SPRING_TABLE: Table = Table {
    name: "joint_spring",
    doc: "A spring and damper.",
    keys: &[&STIFFNESS, &DAMPING, &REST],
    one: false,
    example: "",
};
pub(super) static CONE: Key<Option<Real>> = Key::optional(
    "cone",
    Kind::Number(Range::Positive),
    "rad",
    "ball: maximum angle between the axis as fixed in one body and in the other",
);
pub(super) static CONE2: Key<Option<Real>> = Key::optional(
    "cone2",
    Kind::Number(Range::Positive),
    "rad",
    "ball: makes the cone elliptic: `cone` is the maximum angle towards `axis2`, this the one across it",
);
pub(super) static TWIST: Key<Option<Limits>> = Key::optional(
    "twist",
    Kind::Table(&LIMITS_TABLE),
    "rad",
    "ball: limits of the twist about the axis, from -pi to pi, apart from the swing",
);

/// Lower and upper bound.
#[derive(Debug, Clone, Copy)]
pub(super) struct Limits {
    pub(super) bounds: [Real; 2],
    /// True if they were given in degrees: only those of an angle are.
    pub(super) in_degrees: bool,
}

impl Readable for Limits {
    fn read(_: &Kind, c: &Cursor<'_>, r: &mut Reading) -> Option<Self> {
        let f = c.fields(&LIMITS_TABLE, r)?;
        let (lower, upper) = (f.read(&LOWER, r), f.read(&UPPER, r));
        let degrees = f.read(&DEGREES, r);
        f.finish(r);
        let (lower, upper) = match (lower?, upper?, degrees?) {
            (None, None, Some([lower, upper])) => (lower.to_radians(), upper.to_radians()),
            (lower, upper, None) => (lower.unwrap_or(Real::NEG_INFINITY), upper.unwrap_or(Real::INFINITY)),
            _ => {
                r.wrong(c, "a table with lower and upper, or with degrees");
                return None;
            }
        };
        if lower > upper {
            let found = format!("lower {lower:?} above upper {upper:?}");
            r.fault(c, FaultKind::Value { found, allowed: "lower at most upper".to_owned() });
            return None;
        }
        if lower == Real::NEG_INFINITY && upper == Real::INFINITY {
            r.wrong(c, "a table with lower, upper or both, or with degrees");
            return None;
        }
        Some(Self { bounds: [lower, upper], in_degrees: degrees?.is_some() })
    }
}

/// The largest force of a motor (N or N m).
#[derive(Debug, Clone, Copy)]
struct MostForce(Real);

impl Shown for MostForce {}

impl Readable for MostForce {
    fn read(_: &Kind, c: &Cursor<'_>, r: &mut Reading) -> Option<Self> {
        match &c.node().value {
            Value::Text(text) if text == UNLIMITED => Some(Self(Real::INFINITY)),
            _ => Real::read(&AMOUNT, c, r).map(Self),
        }
    }
}

impl Readable for Motor {
    fn read(_: &Kind, c: &Cursor<'_>, r: &mut Reading) -> Option<Self> {
        let f = c.fields(&MOTOR_TABLE, r)?;
        let (velocity, target) = (f.read(&VELOCITY, r), f.read(&TARGET, r));
        let force = f.read(&MAX_FORCE, r).map(|most| most.0);
        f.finish(r);
        match (velocity?, target?) {
            (Some(velocity), None) => Some(Self::Velocity { velocity, max_force: force? }),
            (None, Some(target)) => Some(Self::Position { target, max_force: force? }),
            _ => {
                r.wrong(c, "a table with velocity or target, and max_force");
                None
            }
        }
    }
}

impl Readable for Spring {
    fn read(_: &Kind, c: &Cursor<'_>, r: &mut Reading) -> Option<Self> {
        let f = c.fields(&SPRING_TABLE, r)?;
        let (stiffness, damping, rest) = (f.read(&STIFFNESS, r), f.read(&DAMPING, r), f.read(&REST, r));
        f.finish(r);
        Some(Self { stiffness: stiffness?, damping: damping?, rest: rest? })
    }
}

static MADE_POSITION: Key<Vec3> =
    Key::required("position", Kind::Vector(3, Range::Any), "m", "position of its centre of mass");
static MADE_ORIENTATION: Key<[Real; 4]> =
    Key::required("orientation", Kind::Vector(4, Range::Any), "", "its orientation, a unit quaternion `[x, y, z, w]`");
static MADE_AT_TABLE: Table = Table {
    name: "made_at",
    doc: "A pose of a body to which the anchors and axes of a joint refer.",
    keys: &[&MADE_POSITION, &MADE_ORIENTATION],
    one: false,
    example: "",
};
pub(super) static MADE_AT: Key<Option<[Pose; 2]>> = Key::optional(
    "made_at",
    Kind::List(&Kind::Table(&MADE_AT_TABLE), 2, Some(2)),
    "",
    "poses of the two bodies to which anchors and axes refer, as saved worlds have them; the initial ones if left out",
);

impl Readable for [Pose; 2] {
    fn read(kind: &Kind, c: &Cursor<'_>, r: &mut Reading) -> Option<Self> {
        let items = c.items(r)?;
        let [a, b] = items.as_slice() else {
            r.wrong(c, &kind.allowed());
            return None;
        };
        let pose = |c: &Cursor<'_>, r: &mut Reading| {
            let f = c.fields(&MADE_AT_TABLE, r)?;
            let (position, orientation) = (f.read(&MADE_POSITION, r), f.read(&MADE_ORIENTATION, r));
            f.finish(r);
            let orientation = Quat::from_array(orientation?);
            if (orientation.length_squared() - 1.0).abs() > 1e-6 {
                r.wrong(c, "a pose whose orientation is a unit quaternion");
                return None;
            }
            Some(Pose::new(position?, orientation))
        };
        let (a, b) = (pose(a, r), pose(b, r));
        Some([a?, b?])
    }
}

/// Words for an axis of `six-dof` that is not within limits.
pub(crate) const AXIS_WORDS: [(&str, AxisFreedom); 2] = [("free", AxisFreedom::Free), ("locked", AxisFreedom::Locked)];

impl Readable for AxisFreedom {
    fn read(_: &Kind, c: &Cursor<'_>, r: &mut Reading) -> Option<Self> {
        match &c.node().value {
            Value::List(_) => c.reals::<2>(r).map(|[lower, upper]| Self::Limited(lower, upper)),
            Value::Text(_) => c.choice_of(&AXIS_WORDS, r),
            _ => {
                r.wrong(c, "\"free\", \"locked\", or [lower, upper]");
                None
            }
        }
    }
}
