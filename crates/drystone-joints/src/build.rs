use crate::coordinate::Coordinate;
use crate::located::Seats;
use crate::mechanism::{Mechanism, Part, Role, SERVO_CFM, Side};
use crate::{AxisFreedom, JointBuildError, JointDescription, Motor, Spring};
use drystone_core::catalogue::Implementation;
use drystone_core::{ConstraintSource, Softness};
use drystone_math::elementary::{cos, sin};
use drystone_math::{Pose, Real, Vec3, tangent_basis};
use std::f64::consts::PI;

const fn kind(name: &'static str, summary: &'static str, source: &'static str) -> Implementation {
    Implementation { name, summary, source, parameters: &[] }
}

/// The joints of this crate. Their parameters are the fields of [`JointDescription`].
pub const KINDS: &[Implementation] = &[
    kind("ball", "two points coincide; 3 rows; with a cone, a reach limit", "thesis (4.116)-(4.118)"),
    kind("hinge", "ball, and one axis in common; 5 rows", "thesis (4.119)-(4.129)"),
    kind("slider", "moves along one axis, without turning; 5 rows", "thesis (4.130)-(4.142)"),
    kind("cylindrical", "moves along one axis and turns about it; 4 rows", "as slider and hinge"),
    kind("universal", "ball, and an axis of each body stay perpendicular; 4 rows", "thesis (4.150)-(4.156)"),
    kind(
        "hinge2",
        "ball, and two axes keep their angle: steering and spin, with suspension; 4 rows",
        "thesis (4.143)-(4.149)",
    ),
    kind("wheel", "the same as hinge2", "thesis (4.143)-(4.149)"),
    kind("fixed", "nothing moves; 6 rows", "thesis (4.157)-(4.163)"),
    kind("planar", "a point stays in a plane of A, normals parallel; 3 rows", "as slider"),
    kind("point-on-plane", "a point of B stays in a plane of A; 1 row", "as slider"),
    kind("point-on-line", "a point of B stays on a line of A; 2 rows", "as slider"),
    kind("distance", "two points keep a distance, or keep it within limits; 1 row", "a rod without mass"),
    kind(
        "revolute-spherical",
        "a rod without mass, hinged to A at one end and to B by a ball at the other; 2 rows",
        "as slider and distance",
    ),
    kind("rope", "two points come no further apart than a length; a limit", "a cord without mass"),
    kind("gear", "two wheels on world axes turn in the ratio of their teeth; 1 row", "a pair of wheels that mesh"),
    kind("six-dof", "each of three translations and three rotations free, limited or locked", "as slider and hinge"),
];

/// Turns a description into a source of rows. The poses are those of the centres of mass at the initial state; the world
/// frame is the identity.
///
/// # Errors
/// [`JointBuildError`] where something is missing, crossed, zero, out of range or of no use to the kind.
pub fn build(
    description: &JointDescription<'_>,
    pose_a: &Pose,
    pose_b: &Pose,
) -> Result<Box<dyn ConstraintSource>, JointBuildError> {
    let found = KINDS.iter().find(|k| k.name == description.kind).ok_or_else(|| JointBuildError::Kind {
        found: description.kind.to_owned(),
        allowed: KINDS.iter().map(|k| k.name).collect::<Vec<_>>().join(", "),
    })?;
    let builder = Builder { d: description, kind: found.name, a: pose_a, b: pose_b };
    Ok(Box::new(builder.build()?))
}

/// What a coordinate may be given.
#[derive(Default)]
struct Drives {
    limits: Option<[Real; 2]>,
    motor: Option<Motor>,
    friction: Real,
    spring: Option<Spring>,
}

struct Builder<'a> {
    d: &'a JointDescription<'a>,
    kind: &'static str,
    a: &'a Pose,
    b: &'a Pose,
}

type Built<T> = Result<T, JointBuildError>;

fn number(what: &'static str, found: Real, allowed: &'static str, holds: bool) -> Built<Real> {
    if holds { Ok(found) } else { Err(JointBuildError::Number { what, found, allowed }) }
}

/// Whether two points this far apart (m) have a direction from one to the other.
fn is_length(length: Real) -> bool {
    length.is_finite() && length > 1e-9
}

fn not_negative(what: &'static str, v: Real) -> Built<Real> {
    number(what, v, "finite and zero or more", v.is_finite() && v >= 0.0)
}

fn force(v: Real) -> Built<Real> {
    number("max_force", v, "zero or more", v >= 0.0)
}

fn finite(what: &'static str, v: Vec3) -> Built<Vec3> {
    for x in v.to_array() {
        number(what, x, "finite", x.is_finite())?;
    }
    Ok(v)
}

fn unit(what: &'static str, v: Vec3) -> Built<Vec3> {
    v.try_normalize().filter(|n| n.is_finite()).ok_or(JointBuildError::Axis { what, found: v.to_array() })
}

fn crossed(what: &'static str, [lower, upper]: [Real; 2]) -> Built<()> {
    // a NaN is crossed with everything
    if lower <= upper { Ok(()) } else { Err(JointBuildError::CrossedLimits { what, lower, upper }) }
}

impl Builder<'_> {
    fn build(&self) -> Built<Mechanism> {
        self.check()?;
        let mut parts = Vec::new();
        let mut anchors = self.anchors()?;
        match self.kind {
            "ball" => self.ball(&mut parts)?,
            "hinge" => {
                self.point(&mut parts);
                let s = self.axis()?;
                self.parallel(s, &mut parts);
                self.coordinate(self.turn(s), 1, &mut parts)?;
            }
            "slider" => {
                let s = self.axis()?;
                self.align(&mut parts);
                self.line(s, &mut parts);
                self.coordinate(Coordinate::Along(self.in_a(s)), 1, &mut parts)?;
            }
            "cylindrical" => {
                let s = self.axis()?;
                self.line(s, &mut parts);
                self.parallel(s, &mut parts);
                self.coordinate(Coordinate::Along(self.in_a(s)), 1, &mut parts)?;
                self.coordinate(self.turn(s), 2, &mut parts)?;
            }
            "universal" => {
                self.point(&mut parts);
                self.two_axes(Some(0.0), &mut parts)?;
            }
            "hinge2" | "wheel" => {
                self.suspended(&mut parts)?;
                self.two_axes(None, &mut parts)?;
            }
            "fixed" => {
                self.point(&mut parts);
                self.align(&mut parts);
            }
            "planar" => {
                let n = self.axis()?;
                parts.push(self.lock(Coordinate::Along(self.in_a(n))));
                self.parallel(n, &mut parts);
            }
            "point-on-plane" => parts.push(self.lock(Coordinate::Along(self.in_a(self.axis()?)))),
            "point-on-line" => {
                let s = self.axis()?;
                self.line(s, &mut parts);
                self.coordinate(Coordinate::Along(self.in_a(s)), 1, &mut parts)?;
            }
            "distance" | "rope" => self.length(anchors, &mut parts)?,
            "revolute-spherical" => anchors[0] = self.revolute_spherical(anchors, &mut parts)?,
            "gear" => self.gear(&mut parts)?,
            _ => self.six(&mut parts)?,
        }
        Ok(Mechanism { kind: self.kind, seats: Seats::new(anchors, [self.a, self.b]), parts })
    }

    /// What holds for every kind, and what a kind has no use for.
    fn check(&self) -> Built<()> {
        let d = self.d;
        number("erp", d.erp, "from 0 to 1", (0.0..=1.0).contains(&d.erp))?;
        not_negative("cfm", d.cfm)?;
        not_negative("limit_cfm", d.limit_cfm)?;
        let e = d.limit_restitution;
        number("limit_restitution", e, "from 0 to 1", (0.0..=1.0).contains(&e))?;

        // how many coordinates of its own a kind can drive
        let free = match self.kind {
            "hinge" | "slider" | "point-on-line" | "distance" => 1,
            "cylindrical" | "universal" | "hinge2" | "wheel" => 2,
            _ => 0,
        };
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
            return Err(JointBuildError::NotForKind { kind: self.kind, what, reason });
        }
        let wheel = matches!(self.kind, "hinge2" | "wheel");
        let long = matches!(self.kind, "distance" | "rope" | "revolute-spherical");
        let meets = wheel || matches!(self.kind, "ball" | "hinge" | "universal" | "fixed");
        let free_axis = |f: &[AxisFreedom; 3]| f.iter().any(|a| *a != AxisFreedom::Free);
        let only = [
            ("suspension", d.suspension.is_some() && !wheel, "only a hinge2 has one"),
            ("cone", d.cone.is_some() && self.kind != "ball", "only a ball has one"),
            ("length", d.length.is_some() && !long, "only a rod or a rope has one"),
            ("anchor2", d.anchor2.is_some() && !(long || meets), "it does not hold its bodies at one point"),
            ("teeth", d.teeth.is_some() && self.kind != "gear", "only a gear has them"),
            ("translations", free_axis(&d.translations) && self.kind != "six-dof", "only a six-dof has them"),
            ("rotations", free_axis(&d.rotations) && self.kind != "six-dof", "only a six-dof has them"),
        ];
        match only.into_iter().find(|(_, wrong, _)| *wrong) {
            Some((what, _, reason)) => Err(JointBuildError::NotForKind { kind: self.kind, what, reason }),
            None => Ok(()),
        }
    }

    fn missing(&self, what: &'static str) -> JointBuildError {
        JointBuildError::Missing { kind: self.kind, what }
    }

    /// World anchors of A and B.
    fn anchors(&self) -> Built<[Vec3; 2]> {
        let anchor = match (self.d.anchor, self.kind) {
            (Some(p), _) => finite("anchor", p)?,
            // where these are anchored makes no difference to what they allow
            (None, "fixed" | "slider" | "gear") => self.b.position,
            (None, _) => return Err(self.missing("anchor")),
        };
        Ok([anchor, self.d.anchor2.map_or(Ok(anchor), |p| finite("anchor2", p))?])
    }

    /// The first axis, a unit vector in the world.
    fn axis(&self) -> Built<Vec3> {
        unit("axis", self.d.axis.ok_or_else(|| self.missing("axis"))?)
    }

    fn axis2(&self) -> Built<Vec3> {
        unit("axis2", self.d.axis2.ok_or_else(|| self.missing("axis2"))?)
    }

    fn in_a(&self, v: Vec3) -> Vec3 {
        self.a.local_direction(v)
    }

    fn in_b(&self, v: Vec3) -> Vec3 {
        self.b.local_direction(v)
    }

    fn lock(&self, coordinate: Coordinate) -> Part {
        Part::new(coordinate, vec![Role::Lock { softness: Softness::Fixed { erp: self.d.erp, cfm: self.d.cfm } }])
    }

    /// The anchors coincide: 3 rows.
    fn point(&self, parts: &mut Vec<Part>) {
        parts.extend(Vec3::AXES.map(|e| self.lock(Coordinate::Along(self.in_a(e)))));
    }

    /// B's anchor stays on a line of A: 2 rows.
    fn line(&self, s: Vec3, parts: &mut Vec<Part>) {
        let (t1, t2) = tangent_basis(s);
        parts.extend([t1, t2].map(|t| self.lock(Coordinate::Along(self.in_a(t)))));
    }

    /// An axis stays common to both bodies: 2 rows.
    fn parallel(&self, s: Vec3, parts: &mut Vec<Part>) {
        let (t1, t2) = tangent_basis(s);
        let b = self.in_b(s);
        parts.extend([t1, t2].map(|t| {
            let a = self.in_a(t);
            self.lock(Coordinate::Inclination { a, b, rest: 0.0, scale: 1.0 })
        }));
    }

    /// The bodies keep their relative orientation: 3 rows.
    fn align(&self, parts: &mut Vec<Part>) {
        parts.extend(Vec3::AXES.map(|e| self.lock(Coordinate::Misalignment(self.in_a(e)))));
    }

    fn turn(&self, s: Vec3) -> Coordinate {
        Coordinate::Turn { axis: self.in_a(s), middle: 0.0 }
    }

    fn ball(&self, parts: &mut Vec<Part>) -> Built<()> {
        self.point(parts);
        if let Some(cone) = self.d.cone {
            let cone = number("cone", cone, "above 0 and below pi", cone > 0.0 && cone < PI)?;
            let s = self.axis()?;
            let (a, b) = (self.in_a(s), self.in_b(s));
            let coordinate = Coordinate::Inclination { a, b, rest: cos(cone), scale: sin(cone) };
            parts.push(Part::new(coordinate, vec![self.limit(0.0, Side::Above)]));
        }
        Ok(())
    }

    /// The ball rows of a wheel, soft along its first axis where there is a suspension.
    fn suspended(&self, parts: &mut Vec<Part>) -> Built<()> {
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
    fn two_axes(&self, cosine: Option<Real>, parts: &mut Vec<Part>) -> Built<()> {
        let (s, t) = (self.axis()?, self.axis2()?);
        let across = s.cross(t);
        if across.length() < 1e-6 {
            return Err(JointBuildError::ParallelAxes { kind: self.kind });
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

    fn length(&self, anchors: [Vec3; 2], parts: &mut Vec<Part>) -> Built<()> {
        // without a length there is no direction to hold it in
        let length = self.d.length.unwrap_or_else(|| anchors[0].distance(anchors[1]));
        let held = || number("length", length, "finite and above zero ('anchor2' gives one too)", is_length(length));
        let d = self.d;
        let axis = self.in_a(Vec3::Y);
        // limits, motors and springs act on the distance itself, a lock on its difference to the length
        let coordinate = Coordinate::Distance { rest: 0.0, axis };
        if self.kind == "rope" {
            parts.push(Part::new(coordinate, vec![self.limit(held()?, Side::Below)]));
        } else if d.limits.is_some() || d.motor.is_some() || d.spring.is_some() || d.friction != 0.0 {
            self.coordinate(coordinate, 1, parts)?;
        } else {
            parts.push(self.lock(Coordinate::Distance { rest: held()?, axis }));
        }
        Ok(())
    }

    /// The rod keeps its height along the axis and its length; where it is hinged is the foot of B's anchor on the axis.
    fn revolute_spherical(&self, anchors: [Vec3; 2], parts: &mut Vec<Part>) -> Built<Vec3> {
        let s = self.axis()?;
        let foot = anchors[0] + s * s.dot(anchors[1] - anchors[0]);
        let length = self.d.length.unwrap_or_else(|| foot.distance(anchors[1]));
        number("length", length, "finite and above zero", is_length(length))?;
        parts.push(self.lock(Coordinate::Along(self.in_a(s))));
        parts.push(self.lock(Coordinate::Distance { rest: length, axis: self.in_a(tangent_basis(s).0) }));
        Ok(foot)
    }

    fn gear(&self, parts: &mut Vec<Part>) -> Built<()> {
        let s = self.axis()?;
        let t = if self.d.axis2.is_some() { self.axis2()? } else { s };
        let teeth = self.d.teeth.ok_or_else(|| self.missing("teeth"))?;
        for n in teeth {
            number("teeth", Real::from(n), "not zero", n != 0)?;
        }
        let undo = [self.a, self.b].map(|p| p.orientation.conjugate());
        parts.push(self.lock(Coordinate::Gear { axes: [s, t], undo, teeth: teeth.map(Real::from) }));
        Ok(())
    }

    fn six(&self, parts: &mut Vec<Part>) -> Built<()> {
        let x = if self.d.axis.is_some() { self.axis()? } else { Vec3::X };
        let frame = if self.d.axis2.is_some() {
            let z = x.cross(self.axis2()?);
            let z = z.try_normalize().ok_or(JointBuildError::ParallelAxes { kind: self.kind })?;
            [x, z.cross(x), z]
        } else if self.d.axis.is_some() {
            let (y, z) = tangent_basis(x);
            [x, y, z]
        } else {
            Vec3::AXES
        };
        for (e, freedom) in frame.into_iter().zip(self.d.translations) {
            self.axis_freedom("translations", freedom, Coordinate::Along(self.in_a(e)), None, parts)?;
        }
        for (e, freedom) in frame.into_iter().zip(self.d.rotations) {
            let lock = Coordinate::Misalignment(self.in_a(e));
            self.axis_freedom("rotations", freedom, self.turn(e), Some(lock), parts)?;
        }
        Ok(())
    }

    /// One axis of a six-dof: `lock` is what a locked one holds where that is another function.
    fn axis_freedom(
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
                self.drive(what, coordinate, &drives, parts)?;
            }
        }
        Ok(())
    }

    fn limit(&self, bound: Real, side: Side) -> Role {
        let d = self.d;
        let softness = Softness::Fixed { erp: d.erp, cfm: d.limit_cfm };
        Role::Limit { bound, side, softness, restitution: d.limit_restitution }
    }

    /// The first or second coordinate, with what the description gives it.
    fn coordinate(&self, coordinate: Coordinate, which: u8, parts: &mut Vec<Part>) -> Built<()> {
        let d = self.d;
        let (what, drives) = if which == 1 {
            ("limits", Drives { limits: d.limits, motor: d.motor, friction: d.friction, spring: d.spring })
        } else {
            ("limits2", Drives { limits: d.limits2, motor: d.motor2, friction: d.friction2, spring: d.spring2 })
        };
        self.drive(what, coordinate, &drives, parts)
    }

    /// A coordinate with roles, if it has any: motors before limits, so that in a sweep the limit has the last word.
    fn drive(&self, what: &'static str, coordinate: Coordinate, drives: &Drives, parts: &mut Vec<Part>) -> Built<()> {
        let mut roles = Vec::new();
        if let Some(s) = &drives.spring {
            roles.push(spring("spring", s)?);
        }
        match drives.motor {
            Some(Motor::Velocity { velocity, max_force }) => {
                let velocity = number("velocity", velocity, "finite", velocity.is_finite())?;
                roles.push(Role::Motor { velocity, max_force: force(max_force)? });
            }
            Some(Motor::Position { target, max_force }) => {
                let target = number("target", target, "finite", target.is_finite())?;
                let softness = Softness::Fixed { erp: self.d.erp, cfm: self.d.cfm.max(SERVO_CFM) };
                roles.push(Role::Servo { target, max_force: force(max_force)?, softness });
            }
            None => {}
        }
        if drives.friction != 0.0 {
            roles.push(Role::Friction { max_force: not_negative("friction", drives.friction)? });
        }
        let mut coordinate = coordinate;
        // an angle is known from -pi to pi: what is limited near that or beyond, or wound up by a spring, must be counted
        let mut counts = coordinate.is_periodic() && drives.spring.is_some();
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
        if !roles.is_empty() {
            parts.push(Part { coordinate, roles, counts_turns: counts });
        }
        Ok(())
    }
}

fn spring(what: &'static str, s: &Spring) -> Built<Role> {
    let (stiffness, damping) = (not_negative(what, s.stiffness)?, not_negative(what, s.damping)?);
    number(what, stiffness + damping, "a stiffness or a damping above zero", stiffness + damping > 0.0)?;
    number("rest", s.rest, "finite", s.rest.is_finite())?;
    Ok(Role::Spring { rest: s.rest, softness: Softness::Spring { stiffness, damping } })
}
