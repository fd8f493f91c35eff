use crate::coordinate::Coordinate;
use crate::coordinate_joint::{CoordinateJoint, LimitRole, Part, Role, SERVO_CFM, Side};
use crate::located::Seats;
use crate::particulars::{DefaultAnchor, Key, Particulars};
use crate::{AxisFreedom, JointBuildError, JointDescription, JointRecipe, Motor, Spring};
use drystone_core::Softness;
use drystone_math::{Mat3, Pose, Quat, Real, Vec3, tangent_basis};
use std::f64::consts::PI;

/// Drives that a coordinate may have.
#[derive(Default)]
struct Drives {
    limits: Option<[Real; 2]>,
    motor: Option<Motor>,
    friction: Real,
    spring: Option<Spring>,
}

/// A description with the poses that it refers to; its kind adds the parts.
pub(crate) struct Builder<'a> {
    pub(super) d: &'a JointDescription<'a>,
    pub(super) kind: &'static Particulars,
    pub(super) a: &'a Pose,
    pub(super) b: &'a Pose,
}

/// Parts of a joint, while it is put together.
pub(crate) struct Made {
    /// World anchors of A and B.
    pub(super) anchors: [Vec3; 2],
    pub(super) parts: Vec<Part>,
}

pub(crate) type Built<T> = Result<T, JointBuildError>;

/// Checks that a condition holds for a number.
pub(super) fn number(
    what: &'static str,
    found: Real,
    allowed: &'static str,
    holds: impl Fn(Real) -> bool,
) -> Built<Real> {
    if holds(found) { Ok(found) } else { Err(JointBuildError::Number { what, found, allowed }) }
}

/// Returns true if two points this far apart (m) have a direction from one to the other.
pub(super) fn is_length(length: Real) -> bool {
    length.is_finite() && length > 1e-9
}

/// A distance at which to hold two points; zero is refused, as it would leave no direction.
pub(super) fn held(length: Real) -> Built<Real> {
    number("length", length, "finite and above zero ('anchor2' gives one too)", is_length)
}

fn not_negative(what: &'static str, v: Real) -> Built<Real> {
    number(what, v, "finite and zero or more", |v| v.is_finite() && v >= 0.0)
}

fn force(v: Real) -> Built<Real> {
    number("max_force", v, "zero or more", |v| v >= 0.0)
}

fn finite(what: &'static str, v: Vec3) -> Built<Vec3> {
    for x in v.to_array() {
        number(what, x, "finite", Real::is_finite)?;
    }
    Ok(v)
}

fn unit(what: &'static str, v: Vec3) -> Built<Vec3> {
    v.try_normalize().filter(|n| n.is_finite()).ok_or(JointBuildError::Axis { what, found: v.to_array() })
}

fn crossed(what: &'static str, [lower, upper]: [Real; 2]) -> Built<()> {
    // a NaN counts as crossed
    if lower <= upper { Ok(()) } else { Err(JointBuildError::CrossedLimits { what, lower, upper }) }
}

impl Builder<'_> {
    /// Checks what every kind requires.
    pub(crate) fn begin(&self) -> Built<Made> {
        self.check()?;
        let anchors = self.anchors()?;
        if let Some(key) = self.kind.needs.iter().find(|k| !k.is_in(self.d)) {
            return Err(self.missing(key.name()));
        }
        Ok(Made { anchors, parts: Vec::new() })
    }

    /// The joint from the parts made.
    pub(crate) fn finish(&self, made: Made) -> CoordinateJoint {
        let seats = Seats::new(made.anchors, self.frame(), [self.a, self.b]);
        let description = self.d.of_kind(self.kind.described.name);
        let recipe = JointRecipe { description, poses: [*self.a, *self.b] };
        CoordinateJoint::new(seats, made.parts, Box::new(recipe))
    }

    /// The joint's frame in the world: x along the first axis, y towards the second; the world's axes if it has none.
    fn frame(&self) -> Quat {
        let Some(x) = self.d.axis.and_then(Vec3::try_normalize) else { return Quat::IDENTITY };
        let across = self.d.axis2.and_then(|v| (v - x * x.dot(v)).try_normalize());
        let y = across.unwrap_or_else(|| tangent_basis(x).0);
        Quat::from_mat3(&Mat3::from_cols(x, y, x.cross(y)))
    }

    /// Checks what holds for every kind, and that nothing is set that the kind has no use for.
    fn check(&self) -> Built<()> {
        let d = self.d;
        number("erp", d.erp, "from 0 to 1", |v| (0.0..=1.0).contains(&v))?;
        not_negative("cfm", d.cfm)?;
        not_negative("limit_cfm", d.limit_cfm)?;
        let e = d.limit_restitution;
        number("limit_restitution", e, "from 0 to 1", |v| (0.0..=1.0).contains(&v))?;

        let kind = self.kind.described.name;
        let free = self.kind.free.len();
        let reason = if free == 0 { "it has no single free axis" } else { "it has one free axis only" };
        let given = [
            ("limits", 1, d.limits.is_some()),
            ("motor", 1, d.motor.is_some()),
            ("friction", 1, d.friction != 0.0),
            ("spring", 1, d.spring.is_some()),
            ("limits2", 2, d.limits2.is_some()),
            ("motor2", 2, d.motor2.is_some()),
            ("friction2", 2, d.friction2 != 0.0),
            ("spring2", 2, d.spring2.is_some()),
        ];
        if let Some((what, _, _)) = given.into_iter().find(|&(_, needs, is)| is && needs > free) {
            return Err(JointBuildError::NotForKind { kind, what, reason });
        }
        let allows = self.kind.allows;
        match Key::PARTICULAR.into_iter().find(|k| k.is_in(d) && !allows.contains(k)) {
            Some(key) => Err(JointBuildError::NotForKind { kind, what: key.name(), reason: key.refusal() }),
            None => Ok(()),
        }
    }

    pub(super) fn missing(&self, what: &'static str) -> JointBuildError {
        JointBuildError::Missing { kind: self.kind.described.name, what }
    }

    pub(super) fn surplus(&self, what: &'static str, reason: &'static str) -> JointBuildError {
        JointBuildError::NotForKind { kind: self.kind.described.name, what, reason }
    }

    /// World anchors of A and B.
    fn anchors(&self) -> Built<[Vec3; 2]> {
        if self.kind.default_anchor == DefaultAnchor::Centers {
            let or_center = |what, p: Option<Vec3>, pose: &Pose| p.map_or(Ok(pose.position), |p| finite(what, p));
            return Ok([or_center("anchor", self.d.anchor, self.a)?, or_center("anchor2", self.d.anchor2, self.b)?]);
        }
        let anchor = match (self.d.anchor, self.kind.default_anchor) {
            (Some(p), _) => finite("anchor", p)?,
            (None, DefaultAnchor::CenterOfB) => self.b.position,
            (None, DefaultAnchor::None | DefaultAnchor::Centers) => return Err(self.missing("anchor")),
        };
        Ok([anchor, self.d.anchor2.map_or(Ok(anchor), |p| finite("anchor2", p))?])
    }

    /// The first axis, a unit vector in the world.
    pub(super) fn axis(&self) -> Built<Vec3> {
        unit("axis", self.d.axis.ok_or_else(|| self.missing("axis"))?)
    }

    pub(super) fn axis2(&self) -> Built<Vec3> {
        unit("axis2", self.d.axis2.ok_or_else(|| self.missing("axis2"))?)
    }

    pub(super) fn in_a(&self, v: Vec3) -> Vec3 {
        self.a.local_direction(v)
    }

    pub(super) fn in_b(&self, v: Vec3) -> Vec3 {
        self.b.local_direction(v)
    }

    pub(super) fn lock(&self, coordinate: Coordinate) -> Part {
        Part::new(coordinate, vec![Role::Lock { softness: Softness::Fixed { erp: self.d.erp, cfm: self.d.cfm } }])
    }

    /// The anchors coincide: 3 rows.
    pub(super) fn point(&self, parts: &mut Vec<Part>) {
        parts.extend(Vec3::AXES.map(|e| self.lock(Coordinate::Along(self.in_a(e)))));
    }

    /// B's anchor stays on a line of A: 2 rows.
    pub(super) fn line(&self, s: Vec3, parts: &mut Vec<Part>) {
        let (t1, t2) = tangent_basis(s);
        parts.extend([t1, t2].map(|t| self.lock(Coordinate::Along(self.in_a(t)))));
    }

    /// An axis stays common to both bodies: 2 rows.
    pub(super) fn parallel(&self, s: Vec3, parts: &mut Vec<Part>) {
        let (t1, t2) = tangent_basis(s);
        let b = self.in_b(s);
        parts.extend([t1, t2].map(|t| {
            let a = self.in_a(t);
            self.lock(Coordinate::Inclination { a, b, rest: 0.0, scale: 1.0 })
        }));
    }

    /// The bodies keep their relative orientation: 3 rows.
    pub(super) fn align(&self, parts: &mut Vec<Part>) {
        parts.extend(Vec3::AXES.map(|e| self.lock(Coordinate::Misalignment(self.in_a(e)))));
    }

    pub(super) fn turn(&self, s: Vec3) -> Coordinate {
        Coordinate::Turn { axis: self.in_a(s), middle: 0.0 }
    }

    /// The ball rows of a wheel, soft along its first axis if there is a suspension.
    pub(super) fn suspended(&self, parts: &mut Vec<Part>) -> Built<()> {
        let Some(suspension) = &self.d.suspension else {
            self.point(parts);
            return Ok(());
        };
        let s = self.axis()?;
        self.line(s, parts);
        let roles = vec![spring("suspension", suspension)?];
        parts.push(Part::new(Coordinate::Along(self.in_a(s)), roles));
        Ok(())
    }

    /// An axis of A and one of B keep their angle (`cosine`, or the initial one): 1 row and two coordinates.
    pub(super) fn two_axes(&self, cosine: Option<Real>, parts: &mut Vec<Part>) -> Built<()> {
        let (s, t) = (self.axis()?, self.axis2()?);
        let across = s.cross(t);
        if across.length() < 1e-6 {
            return Err(JointBuildError::ParallelAxes { kind: self.kind.described.name });
        }
        let rest = cosine.unwrap_or_else(|| s.dot(t));
        let (a, b) = (self.in_a(s), self.in_b(t));
        parts.push(self.lock(Coordinate::Inclination { a, b, rest, scale: (1.0 - rest * rest).sqrt() }));

        // angles from the plane of both axes at the initial state
        let u2 = across.normalize();
        let steering = [s, u2.cross(s), u2].map(|v| self.in_a(v));
        let spin = [t, -u2.cross(t), -u2].map(|v| self.in_b(v));
        self.coordinate(Coordinate::Steering { frame: steering, b, middle: 0.0 }, 1, parts)?;
        self.coordinate(Coordinate::Spin { a, frame: spin, middle: 0.0 }, 2, parts)
    }

    /// The distance of the anchors, and the axis along which it is measured if it is zero.
    pub(super) fn rod(&self, anchors: [Vec3; 2]) -> (Real, Vec3) {
        (self.d.length.unwrap_or_else(|| anchors[0].distance(anchors[1])), self.in_a(Vec3::Y))
    }

    /// One axis of a `six-dof`; `lock` is the coordinate that a locked axis holds, if that is a different function.
    pub(super) fn axis_freedom(
        &self,
        what: &'static str,
        freedom: AxisFreedom,
        coordinate: Coordinate,
        lock: Option<Coordinate>,
        parts: &mut Vec<Part>,
    ) -> Built<()> {
        match freedom {
            AxisFreedom::Free => {}
            AxisFreedom::Locked => parts.push(self.lock(lock.unwrap_or(coordinate))),
            AxisFreedom::Limited(lower, upper) => {
                let drives = Drives { limits: Some([lower, upper]), ..Drives::default() };
                self.drive(what, coordinate, &drives, 0, parts)?;
            }
        }
        Ok(())
    }

    pub(super) fn limit(&self, bound: Real, side: Side) -> Role {
        let d = self.d;
        let softness = Softness::Fixed { erp: d.erp, cfm: d.limit_cfm };
        Role::Limit(LimitRole { bound, side, softness, restitution: d.limit_restitution })
    }

    /// The first or second coordinate, with what the description sets for it.
    pub(super) fn coordinate(&self, coordinate: Coordinate, which: u8, parts: &mut Vec<Part>) -> Built<()> {
        let d = self.d;
        let (what, drives) = if which == 1 {
            ("limits", Drives { limits: d.limits, motor: d.motor, friction: d.friction, spring: d.spring })
        } else {
            ("limits2", Drives { limits: d.limits2, motor: d.motor2, friction: d.friction2, spring: d.spring2 })
        };
        self.drive(what, coordinate, &drives, which, parts)
    }

    /// A coordinate with roles, if it has any or is one of the joint's free ones (`free`, else zero): motors before limits, so that in a sweep the limit comes last.
    fn drive(
        &self,
        what: &'static str,
        coordinate: Coordinate,
        drives: &Drives,
        free: u8,
        parts: &mut Vec<Part>,
    ) -> Built<()> {
        let mut roles = Vec::new();
        if let Some(s) = &drives.spring {
            roles.push(spring("spring", s)?);
        }
        match drives.motor {
            Some(Motor::Velocity { velocity, max_force }) => {
                let velocity = number("velocity", velocity, "finite", Real::is_finite)?;
                roles.push(Role::Motor { velocity, max_force: force(max_force)? });
            }
            Some(Motor::Position { target, max_force }) => {
                let target = number("target", target, "finite", Real::is_finite)?;
                let softness = Softness::Fixed { erp: self.d.erp, cfm: self.d.cfm.max(SERVO_CFM) };
                roles.push(Role::Servo { target, max_force: force(max_force)?, softness });
            }
            None => {}
        }
        if drives.friction != 0.0 {
            roles.push(Role::Friction { max_force: not_negative("friction", drives.friction)? });
        }
        let mut coordinate = coordinate;
        // an angle is known only from -pi to pi: if it is limited near that or beyond, wound up by a spring, or driven to a place, turns
        // must be counted
        let to_place = drives.spring.is_some() || matches!(drives.motor, Some(Motor::Position { .. }));
        let mut counts = coordinate.is_periodic() && to_place;
        if let Some([lower, upper]) = drives.limits {
            crossed(what, [lower, upper])?;
            if lower.is_finite() {
                roles.push(self.limit(lower, Side::Above));
            }
            if upper.is_finite() {
                roles.push(self.limit(upper, Side::Below));
            }
            let near = lower > -PI && upper < PI && upper - lower <= 1.5 * PI;
            counts |= coordinate.is_periodic() && !near;
            if !counts {
                coordinate = coordinate.around(0.5 * (lower + upper));
            }
        }
        if free > 0 || !roles.is_empty() {
            parts.push(Part { coordinate, roles, counts_turns: counts, free });
        }
        Ok(())
    }
}

fn spring(what: &'static str, s: &Spring) -> Built<Role> {
    let (stiffness, damping) = (not_negative(what, s.stiffness)?, not_negative(what, s.damping)?);
    number(what, stiffness + damping, "a stiffness or a damping above zero", |v| v > 0.0)?;
    number("rest", s.rest, "finite", Real::is_finite)?;
    Ok(Role::Spring { rest: s.rest, softness: Softness::Spring { stiffness, damping } })
}
