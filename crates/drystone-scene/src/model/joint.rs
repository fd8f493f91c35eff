use super::{BodyEntry, BodyNames, BodyRef, Cursor, Fields, Reading};
use crate::document::{Value, quote};
use crate::fault::{FaultKind, Location};
use drystone_core::{ConstraintSource, JointStrength};
use drystone_joints::{AxisFreedom, JointBuildError, JointDescription, KINDS, Motor, Spring};
use drystone_math::{Pose, Real, Vec3};

/// Kinds whose bodies meet each other all the same, where the scene does not say: nothing holds their surfaces together.
const COLLIDING: [&str; 6] = ["point-on-plane", "point-on-line", "distance", "revolute-spherical", "rope", "gear"];

/// Most copies of one joint.
const MOST_COPIES: i64 = 1_000_000;

/// An entry of `[[joints]]`; a repeated one is an entry a copy.
#[derive(Debug, Clone, PartialEq)]
pub struct JointEntry {
    /// Its name; empty where it has none.
    pub name: String,
    /// Columns of the two bodies; `None` is the fixed world frame.
    pub bodies: [Option<usize>; 2],
    /// Initial poses of the two bodies' centres of mass.
    pub poses: [Pose; 2],
    /// What it is.
    pub description: JointDescription<'static>,
    /// What it bears before it breaks: `break_force`, `break_torque`.
    pub strength: JointStrength,
    /// Whether its bodies meet each other.
    pub collide: bool,
    /// Where it stands in the scene.
    pub location: Location,
}

impl JointEntry {
    /// The source of its rows.
    ///
    /// # Errors
    /// [`JointBuildError`]; none for a joint of a scene that was read.
    pub fn source(&self) -> Result<Box<dyn ConstraintSource>, JointBuildError> {
        drystone_joints::build(&self.description, &self.poses[0], &self.poses[1])
    }
}

/// Reads `[[joints]]`.
pub(crate) fn read_joints(at: Option<&Cursor<'_>>, bodies: &[BodyEntry], r: &mut Reading) -> Vec<JointEntry> {
    let names = BodyNames::new(bodies);
    let items = at.and_then(|c| c.items(r)).unwrap_or_default();
    let mut seen: Vec<&str> = Vec::new();
    let mut joints = Vec::with_capacity(items.len());
    for c in &items {
        let Some(mut f) = c.fields(r) else { continue };
        let name = f.get("name").map_or(Some(""), |c| {
            let name = c.text(r)?;
            if !name.is_empty() && seen.contains(&name) {
                let found = format!("{} again", quote(name));
                r.fault(&c, FaultKind::Value { found, allowed: "a name that no other joint has".to_owned() });
                return None;
            }
            seen.push(name);
            Some(name)
        });
        r.subject = name.filter(|n| !n.is_empty()).map(|n| format!("joint {}", quote(n)).into());
        let joint = read_joint(&mut f, &names, bodies, r);
        let repeat = maybe(&mut f, "repeat", r, read_repeat);
        if let (Some(name), Some(mut joint), Ok(repeat)) = (name, joint, repeat) {
            name.clone_into(&mut joint.name);
            if let Err(e) = joint.source() {
                report(&e, &mut f, r);
            }
            match repeat {
                None => joints.push(joint),
                Some(repeat) => push_copies(&joint, &repeat, bodies, &mut joints, r, c),
            }
        }
        f.finish(r);
        r.subject = None;
    }
    joints
}

/// How a joint is repeated: each copy joins the next copies of its bodies.
struct Repeat {
    count: usize,
    /// What is added to the anchors from one copy to the next (m).
    step: Vec3,
}

fn read_repeat(c: &Cursor<'_>, r: &mut Reading) -> Option<Repeat> {
    let mut f = c.fields(r)?;
    let allowed = format!("a whole number from 1 to {MOST_COPIES}");
    let count = f.require("count", &allowed, r).and_then(|c| c.integer(1, MOST_COPIES, r));
    let step = f.require("step", "a list of 3 finite numbers", r).and_then(|c| c.vec3(r));
    f.finish(r);
    Some(Repeat { count: count? as usize, step: step? })
}

/// The copies `name[0]`, `name[1]` ... of a joint; bodies that are not repeated stay the same.
fn push_copies(
    joint: &JointEntry,
    repeat: &Repeat,
    bodies: &[BodyEntry],
    joints: &mut Vec<JointEntry>,
    r: &mut Reading,
    at: &Cursor<'_>,
) {
    for k in 0..repeat.count {
        let mut copy = joint.clone();
        if !joint.name.is_empty() {
            copy.name = format!("{}[{k}]", joint.name);
        }
        for (column, pose) in copy.bodies.iter_mut().zip(&mut copy.poses) {
            let Some(c) = column else { continue };
            let entry = &bodies[bodies.partition_point(|b| b.first <= *c) - 1];
            if entry.repeat.is_none() {
                continue;
            }
            *c += k;
            if *c >= entry.first + entry.copies {
                let found = format!("{} joints with {}", repeat.count, quote(&entry.name));
                r.fault(
                    at,
                    FaultKind::Value { found, allowed: format!("as many as {} has copies", entry.display_name()) },
                );
                return;
            }
            *pose = entry.center_pose(*c - entry.first);
        }
        let d = &mut copy.description;
        for anchor in [&mut d.anchor, &mut d.anchor2].into_iter().flatten() {
            *anchor += repeat.step * k as Real;
        }
        joints.push(copy);
    }
}

/// Reports what the joints refuse, at the key it is about.
fn report(error: &JointBuildError, f: &mut Fields<'_>, r: &mut Reading) {
    let key = match error {
        JointBuildError::NotForKind { what, .. }
        | JointBuildError::Axis { what, .. }
        | JointBuildError::CrossedLimits { what, .. }
        | JointBuildError::Number { what, .. } => Some(*what),
        JointBuildError::ParallelAxes { .. } => Some("axis2"),
        _ => None,
    };
    let at = key.and_then(|k| f.get(k)).unwrap_or_else(|| f.cursor().clone());
    r.fault(&at, FaultKind::Other(error.to_string()));
}

fn read_joint(f: &mut Fields<'_>, names: &BodyNames<'_>, bodies: &[BodyEntry], r: &mut Reading) -> Option<JointEntry> {
    let kinds: Vec<&'static str> = KINDS.iter().map(|k| k.name).collect();
    let kind = f.require("kind", &format!("one of {}", kinds.join(", ")), r).and_then(|c| c.choice(&kinds, r));
    let pair = f
        .require("bodies", "a list of two names of bodies, one of which may be \"world\"", r)
        .and_then(|c| read_pair(&c, names, bodies, r));
    let description = read_description(f, kind.unwrap_or_default(), r);
    let [force, torque] =
        ["break_force", "break_torque"].map(|key| f.get(key).map_or(Some(Real::INFINITY), |c| c.not_negative(r)));
    let collide = f.get("collide").map_or(Some(None), |c| c.boolean(r).map(Some));
    let (kind, pair) = (kind?, pair?);
    let pose = |column: Option<usize>| column.map_or(Pose::IDENTITY, |c| center_pose(bodies, c));
    Some(JointEntry {
        name: String::new(),
        bodies: pair,
        poses: pair.map(pose),
        description: description.ok()?,
        strength: JointStrength { force: force?, torque: torque? },
        collide: collide?.unwrap_or_else(|| COLLIDING.contains(&kind)),
        location: r.location(f.cursor()),
    })
}

fn center_pose(bodies: &[BodyEntry], column: usize) -> Pose {
    let entry = &bodies[bodies.partition_point(|b| b.first <= column) - 1];
    entry.center_pose(column - entry.first)
}

/// A value had a fault, which is reported.
struct Faulty;

/// A value that may be left out.
fn maybe<'a, T>(
    f: &mut Fields<'a>,
    key: &'static str,
    r: &mut Reading,
    read: impl Fn(&Cursor<'a>, &mut Reading) -> Option<T>,
) -> Result<Option<T>, Faulty> {
    f.get(key).map(|c| read(&c, r).ok_or(Faulty)).transpose()
}

fn read_description(
    f: &mut Fields<'_>,
    kind: &'static str,
    r: &mut Reading,
) -> Result<JointDescription<'static>, Faulty> {
    let d = JointDescription::new(kind);
    let part = |c: &Cursor<'_>, r: &mut Reading| c.real_where(|v| (0.0..=1.0).contains(&v), "a number from 0 to 1", r);
    let anchor = maybe(f, "anchor", r, Cursor::vec3);
    let anchor2 = maybe(f, "anchor2", r, Cursor::vec3);
    let axis = maybe(f, "axis", r, Cursor::direction);
    let axis2 = maybe(f, "axis2", r, Cursor::direction);
    let limits = maybe(f, "limits", r, read_limits);
    let limits2 = maybe(f, "limits2", r, read_limits);
    let limit_restitution = maybe(f, "limit_restitution", r, part);
    let limit_cfm = maybe(f, "limit_cfm", r, Cursor::not_negative);
    let motor = maybe(f, "motor", r, read_motor);
    let motor2 = maybe(f, "motor2", r, read_motor);
    let friction = maybe(f, "friction", r, Cursor::not_negative);
    let friction2 = maybe(f, "friction2", r, Cursor::not_negative);
    let (spring1, spring2) = (maybe(f, "spring", r, read_spring), maybe(f, "spring2", r, read_spring));
    let suspension = maybe(f, "suspension", r, read_spring);
    let cone = maybe(f, "cone", r, Cursor::positive);
    let length = maybe(f, "length", r, Cursor::positive);
    let teeth = maybe(f, "teeth", r, read_teeth);
    let translations = maybe(f, "translations", r, read_freedoms);
    let rotations = maybe(f, "rotations", r, read_freedoms);
    let erp = maybe(f, "erp", r, part);
    let cfm = maybe(f, "cfm", r, Cursor::not_negative);
    Ok(JointDescription {
        kind,
        anchor: anchor?,
        anchor2: anchor2?,
        axis: axis?,
        axis2: axis2?,
        limits: limits?,
        limits2: limits2?,
        limit_restitution: limit_restitution?.unwrap_or(d.limit_restitution),
        limit_cfm: limit_cfm?.unwrap_or(d.limit_cfm),
        motor: motor?,
        motor2: motor2?,
        friction: friction?.unwrap_or(d.friction),
        friction2: friction2?.unwrap_or(d.friction2),
        spring: spring1?,
        spring2: spring2?,
        suspension: suspension?,
        cone: cone?,
        length: length?,
        teeth: teeth?,
        translations: translations?.unwrap_or(d.translations),
        rotations: rotations?.unwrap_or(d.rotations),
        erp: erp?.unwrap_or(d.erp),
        cfm: cfm?.unwrap_or(d.cfm),
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
    let lower = f.get("lower").map_or(Some(Real::NEG_INFINITY), |c| c.real(r));
    let upper = f.get("upper").map_or(Some(Real::INFINITY), |c| c.real(r));
    f.finish(r);
    let (lower, upper) = (lower?, upper?);
    if lower > upper {
        let found = format!("lower {lower:?} above upper {upper:?}");
        r.fault(c, FaultKind::Value { found, allowed: "lower at most upper".to_owned() });
        return None;
    }
    if lower == Real::NEG_INFINITY && upper == Real::INFINITY {
        r.wrong(c, "a table with lower, upper or both");
        return None;
    }
    Some([lower, upper])
}

/// A motor for a speed, or a servo for a place.
fn read_motor(c: &Cursor<'_>, r: &mut Reading) -> Option<Motor> {
    let mut f = c.fields(r)?;
    let velocity = f.get("velocity").map(|c| c.real(r));
    let target = f.get("target").map(|c| c.real(r));
    let force = f.require("max_force", "a finite number, zero or more", r).and_then(|c| c.not_negative(r));
    f.finish(r);
    match (velocity, target) {
        (Some(velocity), None) => Some(Motor::Velocity { velocity: velocity?, max_force: force? }),
        (None, Some(target)) => Some(Motor::Position { target: target?, max_force: force? }),
        _ => {
            r.wrong(c, "a table with velocity or target, and max_force");
            None
        }
    }
}

fn read_spring(c: &Cursor<'_>, r: &mut Reading) -> Option<Spring> {
    let mut f = c.fields(r)?;
    let stiffness = f.require("stiffness", "a finite number, zero or more", r).and_then(|c| c.not_negative(r));
    let damping = f.get("damping").map_or(Some(0.0), |c| c.not_negative(r));
    let rest = f.get("rest").map_or(Some(0.0), |c| c.real(r));
    f.finish(r);
    Some(Spring { stiffness: stiffness?, damping: damping?, rest: rest? })
}

fn read_teeth(c: &Cursor<'_>, r: &mut Reading) -> Option<[i32; 2]> {
    let items = c.items(r)?;
    let [a, b] = items.as_slice() else {
        r.wrong(c, "a list of two whole numbers other than zero");
        return None;
    };
    let most = i64::from(i32::MAX);
    let (a, b) = (a.integer(-most, most, r), b.integer(-most, most, r));
    Some([a? as i32, b? as i32])
}

fn read_freedoms(c: &Cursor<'_>, r: &mut Reading) -> Option<[AxisFreedom; 3]> {
    let items = c.items(r)?;
    let freedoms: Vec<_> = items
        .iter()
        .map(|c| {
            if matches!(c.node().value, Value::List(_)) {
                return c.reals::<2>(r).map(|[lower, upper]| AxisFreedom::Limited(lower, upper));
            }
            if matches!(c.node().value, Value::Text(_)) {
                let free = c.choice(&["free", "locked"], r)? == "free";
                return Some(if free { AxisFreedom::Free } else { AxisFreedom::Locked });
            }
            r.wrong(c, "\"free\", \"locked\", or [lower, upper]");
            None
        })
        .collect();
    let freedoms: Vec<AxisFreedom> = freedoms.into_iter().collect::<Option<_>>()?;
    let three = freedoms.try_into().ok();
    if three.is_none() {
        r.wrong(c, "a list of three of \"free\", \"locked\", or [lower, upper]");
    }
    three
}
