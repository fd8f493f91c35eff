use super::body::{USER_DATA, read_user_data};
use super::declare::{InContext, Key, Kind, Range, Table};
use super::joint_entry::JointEntry;
use super::joint_faults::{report, report_own};
use super::joint_repeat::{REPEAT, push_copies};
use super::joint_values::{AXIS_WORDS, CONE, CONE2, LIMITS_TABLE, Limits, MADE_AT, MOTOR_TABLE, SPRING_TABLE, TWIST};
use super::names::read_pair;
use super::outside::{is_kind, keys_of, present_kind, read_settings};
use super::{BodyEntry, BodyNames, Cursor, Fields, Reading};
use crate::document::quote;
use crate::fault::FaultKind;
use drystone_core::JointStrength;
use drystone_joints::{AxisFreedom, JointDescription, JointKind, JointMaker, KINDS, Motor, Spring};
use drystone_math::{Pose, Real, Vec3};
use std::collections::BTreeSet;
use std::f64::consts::TAU;

const NAMES: [&str; KINDS.len()] = {
    let mut names = [""; KINDS.len()];
    let mut i = 0;
    while i < names.len() {
        names[i] = KINDS[i].name;
        i += 1;
    }
    names
};
const PLACE: Kind = Kind::Vector(3, Range::Any);
const AMOUNT: Kind = Kind::Number(Range::NotNegative);
const PART: Kind = Kind::Number(Range::Fraction);

static NAME: Key<Option<String>> =
    Key::optional("name", Kind::Text, "", "unique name; copies made by `repeat` are `name[0]`, `name[1]` ...");
// kinds from outside are allowed beside these
static KIND: Key<InContext> =
    Key::required("kind", Kind::Choice(&NAMES), "", "kind of joint: what it constrains and what it leaves free");
static BODIES: Key<InContext> = Key {
    name: "bodies",
    kind: Kind::List(&Kind::Name("a body, or \"world\""), 2, Some(2)),
    unit: "",
    doc: "the two bodies, at least one of them dynamic; `world` is the fixed frame",
    default: None,
};
static ANCHOR: Key<Option<Vec3>> = Key::optional(
    "anchor",
    PLACE,
    "m",
    "point where the bodies are joined, world frame, at the start; optional for fixed, slider and gear",
);
static ANCHOR2: Key<Option<Vec3>> =
    Key::optional("anchor2", PLACE, "m", "anchor of the second body, if different: the other end of a rod or rope");
static AXIS: Key<Option<Vec3>> = Key::optional(
    "axis",
    Kind::Direction,
    "",
    "first axis, world frame: of hinge, slider or steering; normal of a plane",
);
static AXIS2: Key<Option<Vec3>> = Key::optional("axis2", Kind::Direction, "", "second axis, if the kind has two");
static LIMITS: Key<Option<Limits>> =
    Key::optional("limits", Kind::Table(&LIMITS_TABLE), "m or rad", "limits of the first free coordinate");
static LIMITS2: Key<Option<Limits>> =
    Key::optional("limits2", Kind::Table(&LIMITS_TABLE), "m or rad", "limits of the second free coordinate");
static LIMIT_RESTITUTION: Key<Real> =
    Key::or("limit_restitution", PART, 0.0, "", "fraction of the impact speed returned by a limit");
static LIMIT_CFM: Key<Real> = Key::or(
    "limit_cfm",
    AMOUNT,
    0.0,
    "m/N or rad/(N m)",
    "softness of the limits (constraint force mixing): a steady load F passes them by cfm F / erp; 0 is rigid",
);
static MOTOR: Key<Option<Motor>> =
    Key::optional("motor", Kind::Table(&MOTOR_TABLE), "", "motor or servo of the first free coordinate");
static MOTOR2: Key<Option<Motor>> =
    Key::optional("motor2", Kind::Table(&MOTOR_TABLE), "", "motor or servo of the second free coordinate");
static FRICTION: Key<Real> = Key::or("friction", AMOUNT, 0.0, "N or N m", "dry friction of the first free coordinate");
static FRICTION2: Key<Real> =
    Key::or("friction2", AMOUNT, 0.0, "N or N m", "dry friction of the second free coordinate");
static SPRING: Key<Option<Spring>> =
    Key::optional("spring", Kind::Table(&SPRING_TABLE), "", "spring of the first free coordinate");
static SPRING2: Key<Option<Spring>> =
    Key::optional("spring2", Kind::Table(&SPRING_TABLE), "", "spring of the second free coordinate");
static SUSPENSION: Key<Option<Spring>> =
    Key::optional("suspension", Kind::Table(&SPRING_TABLE), "", "hinge2: spring along the first axis");
static LENGTH: Key<Option<Real>> = Key::optional(
    "length",
    Kind::Number(Range::Positive),
    "m",
    "distance, rope, pulley, revolute-spherical: length; the initial one if left out",
);
const TOOTH: Kind = Kind::Integer { least: -(i32::MAX as i64), most: i32::MAX as i64 };
static TEETH: Key<Option<Vec<i64>>> = Key::optional(
    "teeth",
    Kind::List(&TOOTH, 2, Some(2)),
    "",
    "gear: numbers of teeth; a negative number is a ring gear, which turns the same way",
);
static LEAD: Key<Option<Real>> = Key::optional(
    "lead",
    Kind::Number(Range::Any),
    "m",
    "screw: travel per full turn; negative for a left-handed thread",
);
static RADIUS: Key<Option<Real>> = Key::optional(
    "radius",
    Kind::Number(Range::Any),
    "m",
    "rack-and-pinion: pitch radius of the pinion, the first body; negative if the rack runs against axis2 as the pinion turns about axis",
);
static PULLEYS: Key<Option<Vec<Vec3>>> = Key::optional(
    "pulleys",
    Kind::List(&PLACE, 2, Some(2)),
    "m",
    "pulley: the two fixed points over which the cord runs, world frame, starting with the first body's",
);
static RATIO: Key<Option<Real>> = Key::optional(
    "ratio",
    Kind::Number(Range::Any),
    "",
    "pulley: how many times the second body's part of the cord runs back and forth, 1 if left out; gear, in place of teeth: turns of the second wheel for one of the first, negative if both turn the same way",
);
static OFFSET: Key<Option<Real>> = Key::optional(
    "offset",
    Kind::Number(Range::Any),
    "m or rad",
    "gear, screw, rack-and-pinion: how much further the second body goes than the first one makes it, less than half a tooth, turn or lead; 0 if left out",
);
const FREEDOM: Kind = Kind::Either(&[Kind::Choice(&[AXIS_WORDS[0].0, AXIS_WORDS[1].0]), Kind::Vector(2, Range::Any)]);
static TRANSLATIONS: Key<Option<Vec<AxisFreedom>>> = Key::optional(
    "translations",
    Kind::List(&FREEDOM, 3, Some(3)),
    "m",
    "six-dof: translations along axis, axis2 and their normal, each free, locked or within limits; free if left out",
);
static ROTATIONS: Key<Option<Vec<AxisFreedom>>> = Key::optional(
    "rotations",
    Kind::List(&FREEDOM, 3, Some(3)),
    "rad",
    "six-dof: rotations about these axes, likewise, short of pi",
);
static ERP: Key<Real> =
    Key::or("erp", PART, 0.2, "", "error reduction parameter: fraction of the error corrected per step");
static CFM: Key<Real> = Key::or(
    "cfm",
    AMOUNT,
    0.0,
    "m/N or rad/(N m)",
    "softness of the constraints (constraint force mixing): the error under a steady load F is cfm F / erp; 0 is rigid",
);
static BREAK_FORCE: Key<Option<Real>> = Key::optional(
    "break_force",
    AMOUNT,
    "N",
    "the joint breaks after a step with a larger reaction force; never if left out",
);
static BREAK_TORQUE: Key<Option<Real>> =
    Key::optional("break_torque", AMOUNT, "N m", "likewise for the reaction torque about the anchor");
static COLLIDE: Key<Option<bool>> = Key::optional(
    "collide",
    Kind::Flag,
    "",
    "whether the two bodies collide with each other; by default true for point-on-plane, point-on-line, distance, revolute-spherical, rope, gear, rack-and-pinion and pulley, otherwise false",
);
/// An entry of `[[joints]]`.
pub(crate) static JOINT: Table = Table {
    name: "joint",
    doc: "A joint between two bodies. Each kind checks which keys it accepts and which it needs.",
    keys: &[
        &NAME,
        &KIND,
        &BODIES,
        &ANCHOR,
        &ANCHOR2,
        &AXIS,
        &AXIS2,
        &LIMITS,
        &LIMITS2,
        &LIMIT_RESTITUTION,
        &LIMIT_CFM,
        &MOTOR,
        &MOTOR2,
        &FRICTION,
        &FRICTION2,
        &SPRING,
        &SPRING2,
        &SUSPENSION,
        &CONE,
        &CONE2,
        &TWIST,
        &LENGTH,
        &TEETH,
        &LEAD,
        &RADIUS,
        &PULLEYS,
        &RATIO,
        &OFFSET,
        &TRANSLATIONS,
        &ROTATIONS,
        &ERP,
        &CFM,
        &BREAK_FORCE,
        &BREAK_TORQUE,
        &COLLIDE,
        &MADE_AT,
        &USER_DATA,
        &REPEAT,
    ],
    one: false,
    example: r#"[[joints]]
name   = "hip"
kind   = "hinge"
bodies = ["ball", "world"]
anchor = [0, 1, 0]
axis   = [0, 0, 1]
limits = { lower = -1.0, upper = 1.0 }
motor  = { velocity = 2.0, max_force = 10.0 }"#,
};

/// An entry of `[[joints]]` whose kind is from outside: these keys beside its own.
pub(crate) static OUTSIDE_JOINT: Table = Table {
    name: "outside_joint",
    doc: "A joint of a kind that was added to the format's own.",
    keys: &[
        &NAME,
        &KIND,
        &BODIES,
        &ANCHOR,
        &ANCHOR2,
        &AXIS,
        &AXIS2,
        &ERP,
        &CFM,
        &BREAK_FORCE,
        &BREAK_TORQUE,
        &COLLIDE,
        &REPEAT,
    ],
    one: false,
    example: "",
};

/// `[[joints]]`.
pub(crate) static JOINTS: Key<InContext> =
    Key::section("joints", Kind::List(&Kind::Table(&JOINT), 0, None), "joints between bodies");

/// Reads `[[joints]]`.
pub(crate) fn read_joints(
    at: Option<&Cursor<'_>>,
    bodies: &[BodyEntry],
    outside: &[JointMaker],
    r: &mut Reading,
) -> Vec<JointEntry> {
    let kinds: Vec<&'static str> = NAMES.into_iter().chain(outside.iter().map(|m| m.described.name)).collect();
    let names = BodyNames::new(bodies);
    let items = at.and_then(|c| c.items(r)).unwrap_or_default();
    let mut seen: BTreeSet<&str> = BTreeSet::new();
    let mut joints = Vec::with_capacity(items.len());
    for c in &items {
        let maker = outside.iter().find(|m| is_kind(c, m.described.name));
        let Some(f) = c.fields(maker.map_or(&JOINT, |_| &OUTSIDE_JOINT), r) else { continue };
        let f = f.with(maker.into_iter().flat_map(|m| keys_of(&m.described)));
        let name = f.find(&NAME, r).map_or(Some(""), |c| {
            let name = c.text(r)?;
            if !name.is_empty() && !seen.insert(name) {
                let found = format!("{} again", quote(name));
                r.fault(&c, FaultKind::Value { found, allowed: "a name that no other joint has".to_owned() });
                return None;
            }
            Some(name)
        });
        r.subject = name.filter(|n| !n.is_empty()).map(|n| format!("joint {}", quote(n)).into());
        let joint = read_joint(&f, (&kinds, maker), &names, bodies, r);
        let repeat = f.read(&REPEAT, r);
        if let (Some(name), Some(mut joint), Some(repeat)) = (name, joint, repeat) {
            name.clone_into(&mut joint.name);
            if let Err(e) = joint.source() {
                report(&e, &f, r);
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

fn read_joint(
    f: &Fields<'_>,
    (kinds, maker): (&[&'static str], Option<&JointMaker>),
    names: &BodyNames<'_>,
    bodies: &[BodyEntry],
    r: &mut Reading,
) -> Option<JointEntry> {
    let kind = f.find(&KIND, r).and_then(|c| present_kind(&c).or_else(|| c.choice(kinds, r)));
    let pair = f.find(&BODIES, r).and_then(|c| read_pair(&c, names, bodies, r));
    let read = if maker.is_some() { read_place } else { read_description };
    let description = read(f, kind.unwrap_or_default(), r);
    let outside = maker.map(|m| (m.clone(), read_settings(f, &m.described, r)));
    let [force, torque] = [&BREAK_FORCE, &BREAK_TORQUE].map(|key| f.read(key, r));
    let collide = f.read(&COLLIDE, r);
    let kind = kind?;
    let Some(pair) = pair else {
        // a fault in its bodies hides none of its own
        report_own(&description?, f, r);
        return None;
    };
    let pose = |column: Option<usize>| column.map_or(Pose::IDENTITY, |c| center_pose(bodies, c));
    let (made_at, user_data) = if maker.is_some() { (None, 0) } else { (f.read(&MADE_AT, r)?, read_user_data(f, r)?) };
    Some(JointEntry {
        name: String::new(),
        bodies: pair,
        poses: made_at.unwrap_or_else(|| pair.map(pose)),
        user_data,
        description: description?,
        strength: JointStrength { force: force?.unwrap_or(Real::INFINITY), torque: torque?.unwrap_or(Real::INFINITY) },
        collide: collide?.unwrap_or_else(|| match maker {
            Some(maker) => maker.collides,
            None => JointKind::from_name(kind).is_some_and(JointKind::collides),
        }),
        outside,
        location: r.location(f.cursor()),
    })
}

fn center_pose(bodies: &[BodyEntry], column: usize) -> Pose {
    let entry = &bodies[bodies.partition_point(|b| b.first <= column) - 1];
    entry.center_pose(column - entry.first)
}

/// Keys that joints of any kind have: position and compliance.
fn read_place(f: &Fields<'_>, kind: &'static str, r: &mut Reading) -> Option<JointDescription<'static>> {
    let (anchor, anchor2) = (f.read(&ANCHOR, r), f.read(&ANCHOR2, r));
    // a saved joint has them as it was given them, of any length
    let is_saved = f.named(MADE_AT.name).is_some();
    let [axis, axis2] = [&AXIS, &AXIS2].map(|key| match f.named(key.name) {
        Some(c) if is_saved => c.vec3(r).map(Some),
        _ => f.read(key, r),
    });
    let (erp, cfm) = (f.read(&ERP, r), f.read(&CFM, r));
    Some(JointDescription {
        anchor: anchor?,
        anchor2: anchor2?,
        axis: axis?,
        axis2: axis2?,
        erp: erp?,
        cfm: cfm?,
        ..JointDescription::new(kind)
    })
}

fn read_description(f: &Fields<'_>, kind: &'static str, r: &mut Reading) -> Option<JointDescription<'static>> {
    // every key is read, whatever is wrong with the others
    let place = read_place(f, kind, r);
    let (limits, limits2) = (f.read(&LIMITS, r), f.read(&LIMITS2, r));
    for (key, limits, which) in [(&LIMITS, &limits, 1), (&LIMITS2, &limits2, 2)] {
        let (Some(Some(limits)), Some(c)) = (limits, f.find(key, r)) else { continue };
        let is_angle = JointKind::from_name(kind).map(|k| k.has_angle(which));
        let turns = limits.bounds.iter().find(|b| b.is_finite() && b.abs() > TAU);
        if limits.in_degrees && is_angle == Some(false) {
            r.wrong(&c, "limits in degrees for an angle alone; this coordinate is a length, with lower and upper in m");
        } else if let (false, Some(true), Some(b)) = (limits.in_degrees, is_angle, turns) {
            r.warn(
                &c,
                format!("{b} rad is more than a whole turn; degrees are written {{ degrees = [lower, upper] }}"),
            );
        }
    }
    let (limit_restitution, limit_cfm) = (f.read(&LIMIT_RESTITUTION, r), f.read(&LIMIT_CFM, r));
    let (motor, motor2) = (f.read(&MOTOR, r), f.read(&MOTOR2, r));
    let (friction, friction2) = (f.read(&FRICTION, r), f.read(&FRICTION2, r));
    let (spring, spring2) = (f.read(&SPRING, r), f.read(&SPRING2, r));
    let (suspension, cone, length) = (f.read(&SUSPENSION, r), f.read(&CONE, r), f.read(&LENGTH, r));
    let (cone2, twist, teeth) = (f.read(&CONE2, r), f.read(&TWIST, r), f.read(&TEETH, r));
    let (lead, radius) = (f.read(&LEAD, r), f.read(&RADIUS, r));
    let (pulleys, ratio, offset) = (f.read(&PULLEYS, r), f.read(&RATIO, r), f.read(&OFFSET, r));
    let (translations, rotations) = (f.read(&TRANSLATIONS, r), f.read(&ROTATIONS, r));
    let d = place?;
    // their kinds say how long the lists are
    let three = |list: Option<Vec<AxisFreedom>>, or| list.and_then(|l| l.try_into().ok()).unwrap_or(or);
    Some(JointDescription {
        limits: limits?.map(|l| l.bounds),
        limits2: limits2?.map(|l| l.bounds),
        limit_restitution: limit_restitution?,
        limit_cfm: limit_cfm?,
        motor: motor?,
        motor2: motor2?,
        friction: friction?,
        friction2: friction2?,
        spring: spring?,
        spring2: spring2?,
        suspension: suspension?,
        cone: cone?,
        cone2: cone2?,
        twist: twist?.map(|l| l.bounds),
        length: length?,
        teeth: teeth?.map(|t| [t[0] as i32, t[1] as i32]),
        lead: lead?,
        radius: radius?,
        pulleys: pulleys?.and_then(|p| p.try_into().ok()),
        ratio: ratio?,
        offset: offset?,
        translations: three(translations?, d.translations),
        rotations: three(rotations?, d.rotations),
        ..d
    })
}
