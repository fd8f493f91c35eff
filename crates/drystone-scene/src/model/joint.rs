use super::{BodyEntry, BodyNames, BodyRef, Cursor, Reading};
use crate::fault::{FaultKind, Location};
use drystone_math::{Real, Vec3};

/// The kinds of joint the format has.
const KINDS: [&str; 7] = ["ball", "hinge", "slider", "hinge2", "universal", "fixed", "point-on-plane"];

/// An entry of `[[joints]]`.
#[derive(Debug, Clone, PartialEq)]
pub struct JointEntry {
    /// Its name; empty where it has none.
    pub name: String,
    /// Its kind.
    pub kind: &'static str,
    /// Columns of the two bodies; `None` is the fixed world frame.
    pub bodies: [Option<usize>; 2],
    /// Anchor, world frame at the initial state (m).
    pub anchor: Option<Vec3>,
    /// First axis, a unit vector, world frame at the initial state.
    pub axis: Option<Vec3>,
    /// Second axis, where the kind has two.
    pub axis2: Option<Vec3>,
    /// Limits of the joint's coordinate (m or rad).
    pub limits: Option<[Real; 2]>,
    /// Speed of the motor (m/s or rad/s) and its largest force (N or N m).
    pub motor: Option<[Real; 2]>,
    /// Error reduction parameter, where it has one of its own.
    pub erp: Option<Real>,
    /// Constraint force mixing, where it has one of its own.
    pub cfm: Option<Real>,
    /// Where it stands in the scene.
    pub location: Location,
}

/// Reads `[[joints]]`.
pub(crate) fn read_joints(at: Option<&Cursor<'_>>, bodies: &[BodyEntry], r: &mut Reading) -> Vec<JointEntry> {
    let names = BodyNames::new(bodies);
    let items = at.and_then(|c| c.items(r)).unwrap_or_default();
    items.iter().filter_map(|c| read_joint(c, &names, bodies, r)).collect()
}

fn read_joint(c: &Cursor<'_>, names: &BodyNames<'_>, bodies: &[BodyEntry], r: &mut Reading) -> Option<JointEntry> {
    let mut f = c.fields(r)?;
    let name = f.get("name").map_or(Some(""), |c| c.text(r));
    let kind = f.require("kind", &format!("one of {}", KINDS.join(", ")), r).and_then(|c| c.choice(&KINDS, r));
    let pair = f
        .require("bodies", "a list of two names of bodies, one of which may be \"world\"", r)
        .and_then(|c| read_pair(&c, names, bodies, r));
    let anchor = f.get("anchor").map_or(Some(None), |c| c.vec3(r).map(Some));
    let axis = f.get("axis").map_or(Some(None), |c| c.direction(r).map(Some));
    let axis2 = f.get("axis2").map_or(Some(None), |c| c.direction(r).map(Some));
    let limits = f.get("limits").map_or(Some(None), |c| read_limits(&c, r).map(Some));
    let motor = f.get("motor").map_or(Some(None), |c| read_motor(&c, r).map(Some));
    let erp = f
        .get("erp")
        .map_or(Some(None), |c| c.real_where(|v| (0.0..=1.0).contains(&v), "a number from 0 to 1", r).map(Some));
    let cfm = f.get("cfm").map_or(Some(None), |c| c.not_negative(r).map(Some));
    f.finish(r);
    Some(JointEntry {
        name: name?.to_owned(),
        kind: kind?,
        bodies: pair?,
        anchor: anchor?,
        axis: axis?,
        axis2: axis2?,
        limits: limits?,
        motor: motor?,
        erp: erp?,
        cfm: cfm?,
        location: r.location(c),
    })
}

/// Two different bodies, at least one of which can move.
pub(crate) fn read_pair(
    c: &Cursor<'_>,
    names: &BodyNames<'_>,
    bodies: &[BodyEntry],
    r: &mut Reading,
) -> Option<[Option<usize>; 2]> {
    let items = c.items(r)?;
    let [a, b] = items.as_slice() else {
        r.wrong(c, "a list of two names of bodies");
        return None;
    };
    let (a, b) = (names.resolve(a, true, r), names.resolve(b, true, r));
    let (a, b) = (a?, b?);
    if a == b {
        let found = "one body twice".to_owned();
        r.fault(c, FaultKind::Value { found, allowed: "two different bodies".to_owned() });
        return None;
    }
    let moves = |x: BodyRef| match x {
        BodyRef::World => false,
        BodyRef::Body { entry, .. } => bodies[entry].properties.is_dynamic(),
    };
    if !moves(a) && !moves(b) {
        let found = "two bodies that no force moves".to_owned();
        r.fault(c, FaultKind::Value { found, allowed: "at least one dynamic body".to_owned() });
        return None;
    }
    Some([a.column(bodies), b.column(bodies)])
}

fn read_limits(c: &Cursor<'_>, r: &mut Reading) -> Option<[Real; 2]> {
    let mut f = c.fields(r)?;
    let lower = f.require("lower", "a finite number", r).and_then(|c| c.real(r));
    let upper = f.require("upper", "a finite number", r).and_then(|c| c.real(r));
    f.finish(r);
    let (lower, upper) = (lower?, upper?);
    if lower > upper {
        let found = format!("lower {lower:?} above upper {upper:?}");
        r.fault(c, FaultKind::Value { found, allowed: "lower at most upper".to_owned() });
        return None;
    }
    Some([lower, upper])
}

fn read_motor(c: &Cursor<'_>, r: &mut Reading) -> Option<[Real; 2]> {
    let mut f = c.fields(r)?;
    let velocity = f.require("velocity", "a finite number", r).and_then(|c| c.real(r));
    let force = f.require("max_force", "a finite number, zero or more", r).and_then(|c| c.not_negative(r));
    f.finish(r);
    Some([velocity?, force?])
}
