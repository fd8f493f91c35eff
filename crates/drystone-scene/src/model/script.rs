use super::declare::{Declared, InContext, Key, Kind, Range, Table};
use super::orientation::TURNED;
use super::{BodyEntry, BodyNames, BodyRef, Cursor, Fields, Reading};
use crate::document::quote;
use crate::fault::{FaultKind, Location};
use drystone_core::{BodyKind, ScriptedMotion};
use drystone_math::{Pose, Quat, Real, Vec3};
use drystone_motion::script::{
    AngleSpline, CubicSpline, Gaze, Key as PoseKey, KeyFrames, Orientation, RotationSpline, ScriptError, Sinusoid,
    SpacePath, SplineScript, Target, VelocitySpline,
};

/// An entry of `[[scripts]]`: where a body goes, and when.
#[derive(Debug, Clone, PartialEq)]
pub struct ScriptEntry {
    /// Column of the scripted body.
    pub body: usize,
    /// Its motion.
    pub motion: ScriptKind,
    /// Its place in the scene.
    pub location: Location,
}

/// A scripted motion.
#[derive(Debug, Clone, PartialEq)]
pub enum ScriptKind {
    /// `space_spline` with `velocity_spline`: a path, and the way along it over time.
    Spline(SplineScript),
    /// `sinusoid`: shaking about a middle.
    Sinusoid(Sinusoid),
    /// `keys`: poses at times.
    Keys(KeyFrames),
}

impl ScriptEntry {
    /// The motion, as the engine takes it.
    pub fn scripted(&self) -> Box<dyn ScriptedMotion> {
        match self.motion.clone() {
            ScriptKind::Spline(m) => Box::new(m),
            ScriptKind::Sinusoid(m) => Box::new(m),
            ScriptKind::Keys(m) => Box::new(m),
        }
    }
}

/// Reads `[[scripts]]`.
pub(crate) fn read_scripts(at: Option<&Cursor<'_>>, bodies: &[BodyEntry], r: &mut Reading) -> Vec<ScriptEntry> {
    let names = BodyNames::new(bodies);
    let items = at.and_then(|c| c.items(r)).unwrap_or_default();
    let mut scripts: Vec<ScriptEntry> = Vec::new();
    for c in &items {
        let Some(script) = read_script(c, &names, bodies, r) else { continue };
        if scripts.iter().any(|s| s.body == script.body) {
            let found = "a second script for the body".to_owned();
            r.fault(c, FaultKind::Value { found, allowed: "one script a body".to_owned() });
            continue;
        }
        scripts.push(script);
    }
    scripts
}

static BODY: Key<InContext> =
    Key { name: "body", kind: Kind::Name("a scripted body"), unit: "", doc: "the body to move", default: None };
const NUMBERS: Kind = Kind::List(&Kind::Number(Range::Any), 0, None);
const POINTS: Kind = Kind::List(&Kind::Vector(3, Range::Any), 0, None);

static SPACE_SPLINE: Key<InContext> = Key {
    name: "space_spline",
    kind: Kind::Table(&SPACE_SPLINE_TABLE),
    unit: "",
    doc: "the path of the body's origin",
    default: None,
};
static CONTROL_POINTS: Key<Vec<Vec3>> =
    Key::required("control_points", POINTS, "m", "control points of a cubic B-spline, four or more");
static KNOTS: Key<Option<Vec<Real>>> =
    Key::optional("knots", NUMBERS, "", "its knots, four more than control points; open and evenly spaced if left out");
static VELOCITY_SPLINE: Key<InContext> = Key {
    name: "velocity_spline",
    kind: Kind::Table(&VELOCITY_SPLINE_TABLE),
    unit: "",
    doc: "distance along the path over time",
    default: None,
};
static WAY_POINTS: Key<Vec<[Real; 2]>> = Key::required(
    "points",
    Kind::List(&Kind::Vector(2, Range::Any), 0, None),
    "s, m",
    "pairs of a time and the length of path covered by then",
);
static SPIN: Key<Option<Vec3>> = Key::optional(
    "angular_velocity",
    Kind::Vector(3, Range::Any),
    "rad/s",
    "constant rotation; the orientation is fixed without this, `rotation_spline`, `angle_spline` or `gaze`",
);
static ROTATION_SPLINE: Key<InContext> = Key::section(
    "rotation_spline",
    Kind::Table(&ROTATION_SPLINE_TABLE),
    "orientations at given times, instead of `angular_velocity`",
);
static ANGLE_SPLINE: Key<InContext> = Key::section(
    "angle_spline",
    Kind::Table(&ANGLE_SPLINE_TABLE),
    "Euler angles at given times, instead of `angular_velocity`",
);
static GAZE: Key<InContext> = Key::section(
    "gaze",
    Kind::Table(&GAZE_TABLE),
    "what its x axis points at, with its y axis up, instead of `angular_velocity`",
);
static LOOK_AT: Key<Option<Vec3>> =
    Key::optional("point", Kind::Vector(3, Range::Any), "m", "a fixed point to look at; this or `ahead`");
static LOOK_AHEAD: Key<Option<Real>> = Key::optional(
    "ahead",
    Kind::Number(Range::Positive),
    "m",
    "looks this far ahead along its own path; this or `point`",
);
static UP: Key<Vec3> = Key::or("up", Kind::Direction, Vec3::Y, "", "up direction; its length does not matter");
static TIMES: Key<Vec<Real>> = Key::required("times", NUMBERS, "s", "increasing times");
static ORIENTATIONS: Key<Vec<Quat>> =
    Key::required("orientations", Kind::List(&TURNED, 0, None), "", "orientations, one per time");
static ANGLES: Key<Vec<Vec3>> = Key::required(
    "angles",
    Kind::List(&Kind::Vector(3, Range::Any), 0, None),
    "rad",
    "yaw, pitch and roll for each time, about the body's own z, y and x axes in turn",
);
static SINUSOID: Key<InContext> = Key {
    name: "sinusoid",
    kind: Kind::Table(&SINUSOID_TABLE),
    unit: "",
    doc: "sinusoidal motion about the initial pose",
    default: None,
};
static TRAVEL: Key<Vec3> =
    Key::or("travel", Kind::Vector(3, Range::Any), Vec3::ZERO, "m", "amplitude of the translation");
static TURN: Key<Vec3> = Key::or(
    "turn",
    Kind::Vector(3, Range::Any),
    Vec3::ZERO,
    "rad",
    "amplitude of the rotation, about the vector's direction",
);
static FREQUENCY: Key<Real> =
    Key::required("frequency", Kind::Number(Range::NotNegative), "s^-1", "periods per second");
static PHASE: Key<Real> = Key::or("phase", Kind::Number(Range::Any), 0.0, "rad", "phase at the start");
static KEYS: Key<InContext> = Key {
    name: "keys",
    kind: Kind::List(&Kind::Table(&KEY_FRAME), 0, None),
    unit: "",
    doc: "poses at increasing times",
    default: None,
};
static TIME: Key<Real> = Key::required("time", Kind::Number(Range::Any), "s", "time of the pose");
static KEY_POSITION: Key<Option<Vec3>> =
    Key::optional("position", Kind::Vector(3, Range::Any), "m", "position; the initial one if left out");
static KEY_ORIENTATION: Key<Option<Quat>> =
    Key::optional("orientation", TURNED, "", "orientation; the initial one if left out");

static SPACE_SPLINE_TABLE: Table = table("space_spline", "A path: a cubic B-spline.", &[&CONTROL_POINTS, &KNOTS]);
static VELOCITY_SPLINE_TABLE: Table = table("velocity_spline", "Distance along the path over time.", &[&WAY_POINTS]);
static ROTATION_SPLINE_TABLE: Table =
    table("rotation_spline", "Orientations at given times.", &[&TIMES, &ORIENTATIONS]);
static ANGLE_SPLINE_TABLE: Table = table("angle_spline", "Euler angles at given times.", &[&TIMES, &ANGLES]);
static GAZE_TABLE: Table = table("gaze", "What a body on a path looks at.", &[&LOOK_AT, &LOOK_AHEAD, &UP]);
static SINUSOID_TABLE: Table = table("sinusoid", "Sinusoidal motion.", &[&TRAVEL, &TURN, &FREQUENCY, &PHASE]);
static KEY_FRAME: Table = table("key_frame", "A pose at a time.", &[&TIME, &KEY_POSITION, &KEY_ORIENTATION]);

const fn table(name: &'static str, doc: &'static str, keys: &'static [&'static dyn Declared]) -> Table {
    Table { name, doc, keys, one: false, example: "" }
}

static BY_SPLINE: Table = Table {
    name: "script_spline",
    doc: "Motion along a path, by a space spline and a velocity spline (Erleben 2005, chapter 3).",
    keys: &[&BODY, &SPACE_SPLINE, &VELOCITY_SPLINE, &SPIN, &ROTATION_SPLINE, &ANGLE_SPLINE, &GAZE],
    one: false,
    example: r#"[[scripts]]
body            = "hand"
space_spline    = { control_points = [[0, 0, 0], [1, 0, 0], [2, 1, 0], [3, 1, 0]] }
velocity_spline = { points = [[0, 0], [2, 3]] }"#,
};
static BY_SINUSOID: Table = Table {
    name: "script_sinusoid",
    doc: "Sinusoidal motion about the initial pose.",
    keys: &[&BODY, &SINUSOID],
    one: false,
    example: r#"[[scripts]]
body     = "hand"
sinusoid = { travel = [0.05, 0, 0], frequency = 2.0 }"#,
};
static BY_KEYS: Table = Table {
    name: "script_keys",
    doc: "Motion from pose to pose.",
    keys: &[&BODY, &KEYS],
    one: false,
    example: r#"[[scripts]]
body = "hand"
keys = [{ time = 0 }, { time = 1, position = [0, 2, 0] }]"#,
};

/// The kinds of motion that the format has: by the keys that tell them apart, and what each is.
pub fn script_kinds() -> [(&'static str, &'static str); 3] {
    [(SPACE_SPLINE.name, BY_SPLINE.doc), (SINUSOID.name, BY_SINUSOID.doc), (KEYS.name, BY_KEYS.doc)]
}

/// `[[scripts]]`.
pub(crate) static SCRIPTS: Key<InContext> = Key::section(
    "scripts",
    Kind::List(&Kind::Either(&[Kind::Table(&BY_SPLINE), Kind::Table(&BY_SINUSOID), Kind::Table(&BY_KEYS)]), 0, None),
    "motions of scripted bodies",
);

fn read_script(c: &Cursor<'_>, names: &BodyNames<'_>, bodies: &[BodyEntry], r: &mut Reading) -> Option<ScriptEntry> {
    let given = c.entries(r)?;
    let has = |key: &str| given.iter().any(|(k, _)| *k == key);
    let table = match (has(SINUSOID.name), has(KEYS.name)) {
        (true, true) => {
            let found = "sinusoid and keys".to_owned();
            r.fault(c, FaultKind::Value { found, allowed: "one of sinusoid, keys, space_spline".to_owned() });
            return None;
        }
        (true, false) => &BY_SINUSOID,
        (false, true) => &BY_KEYS,
        (false, false) => &BY_SPLINE,
    };
    let f = c.fields(table, r)?;
    let found = f.find(&BODY, r).and_then(|c| scripted(&c, names, bodies, r));
    let frame = found.map_or(Pose::IDENTITY, |(entry, copy)| bodies[entry].frame(copy));
    let motion = if has(SINUSOID.name) {
        f.find(&SINUSOID, r).and_then(|c| read_sinusoid(&c, frame, r)).map(ScriptKind::Sinusoid)
    } else if has(KEYS.name) {
        f.find(&KEYS, r).and_then(|c| read_keys(&c, frame, r)).map(ScriptKind::Keys)
    } else {
        read_spline(&f, frame.orientation, r).map(ScriptKind::Spline)
    };
    f.finish(r);
    let (entry, copy) = found?;
    Some(ScriptEntry { body: bodies[entry].first + copy, motion: motion?, location: r.location(c) })
}

fn scripted(c: &Cursor<'_>, names: &BodyNames<'_>, bodies: &[BodyEntry], r: &mut Reading) -> Option<(usize, usize)> {
    let BodyRef::Body { entry, copy } = names.resolve(c, r)? else { return None };
    if bodies[entry].properties.kind != BodyKind::Scripted {
        let found = format!("{}, which is not scripted", quote(&bodies[entry].name));
        r.fault(c, FaultKind::Value { found, allowed: "a body of kind \"scripted\"".to_owned() });
        return None;
    }
    Some((entry, copy))
}

/// Fault of a spline, reported at the table it is in.
fn built<T>(result: Result<T, ScriptError>, at: &Cursor<'_>, r: &mut Reading) -> Option<T> {
    result.map_err(|e| r.fault(at, FaultKind::Other(e.to_string()))).ok()
}

fn read_spline(f: &Fields<'_>, orientation: Quat, r: &mut Reading) -> Option<SplineScript> {
    let path = f.find(&SPACE_SPLINE, r).and_then(|c| read_path(&c, r));
    let progress = f.find(&VELOCITY_SPLINE, r).and_then(|c| {
        let f = c.fields(&VELOCITY_SPLINE_TABLE, r)?;
        let points = f.read(&WAY_POINTS, r);
        f.finish(r);
        built(VelocitySpline::new(&points?), &c, r)
    });
    let spin = f.read(&SPIN, r)?;
    let tables = [f.find(&ROTATION_SPLINE, r), f.find(&ANGLE_SPLINE, r), f.find(&GAZE, r)];
    if usize::from(spin.is_some()) + tables.iter().flatten().count() > 1 {
        let at = tables.iter().flatten().next_back()?;
        let found = "more than one of angular_velocity, rotation_spline, angle_spline and gaze".to_owned();
        r.fault(at, FaultKind::Value { found, allowed: "one of them".to_owned() });
        return None;
    }
    let turning = match (spin, &tables) {
        (Some(velocity), _) => Some(Orientation::Spin { start: orientation, velocity }),
        (None, [Some(c), ..]) => read_rotation(c, r).map(Orientation::Spline),
        (None, [_, Some(c), _]) => read_angles(c, r).map(Orientation::Angles),
        (None, [.., Some(c)]) => read_gaze(c, r).map(Orientation::Gaze),
        (None, _) => Some(Orientation::Fixed(orientation)),
    };
    Some(SplineScript { path: path?, progress: progress?, orientation: turning? })
}

fn read_path(c: &Cursor<'_>, r: &mut Reading) -> Option<SpacePath> {
    let f = c.fields(&SPACE_SPLINE_TABLE, r)?;
    let (points, knots) = (f.read(&CONTROL_POINTS, r), f.read(&KNOTS, r));
    f.finish(r);
    let points = points?;
    let spline = match knots? {
        None => CubicSpline::<Vec3>::open(&points),
        Some(knots) => CubicSpline::new(&points, &knots),
    };
    let spline = built(spline, c, r)?;
    built(SpacePath::new(spline), c, r)
}

fn read_rotation(c: &Cursor<'_>, r: &mut Reading) -> Option<RotationSpline> {
    let f = c.fields(&ROTATION_SPLINE_TABLE, r)?;
    let (times, keys) = (f.read(&TIMES, r), f.read(&ORIENTATIONS, r));
    f.finish(r);
    built(RotationSpline::through(&times?, &keys?), c, r)
}

fn read_angles(c: &Cursor<'_>, r: &mut Reading) -> Option<AngleSpline> {
    let f = c.fields(&ANGLE_SPLINE_TABLE, r)?;
    let (times, angles) = (f.read(&TIMES, r), f.read(&ANGLES, r));
    f.finish(r);
    built(AngleSpline::through(&times?, &angles?), c, r)
}

fn read_gaze(c: &Cursor<'_>, r: &mut Reading) -> Option<Gaze> {
    let f = c.fields(&GAZE_TABLE, r)?;
    let (point, ahead, up) = (f.read(&LOOK_AT, r), f.read(&LOOK_AHEAD, r), f.read(&UP, r));
    f.finish(r);
    let target = match (point?, ahead?) {
        (Some(point), None) => Target::Point(point),
        (None, Some(ahead)) => Target::Ahead(ahead),
        (point, _) => {
            let found = if point.is_some() { "both" } else { "neither point nor ahead" }.to_owned();
            r.fault(c, FaultKind::Value { found, allowed: "point or ahead".to_owned() });
            return None;
        }
    };
    Some(Gaze { target, up: up? })
}

fn read_sinusoid(c: &Cursor<'_>, middle: Pose, r: &mut Reading) -> Option<Sinusoid> {
    let f = c.fields(&SINUSOID_TABLE, r)?;
    let (travel, turn) = (f.read(&TRAVEL, r), f.read(&TURN, r));
    let (frequency, phase) = (f.read(&FREQUENCY, r), f.read(&PHASE, r));
    f.finish(r);
    Some(Sinusoid { middle, travel: travel?, turn: turn?, frequency: frequency?, phase: phase? })
}

fn read_keys(c: &Cursor<'_>, frame: Pose, r: &mut Reading) -> Option<KeyFrames> {
    let items = c.items(r)?;
    let keys: Vec<_> = items
        .iter()
        .map(|c| {
            let f = c.fields(&KEY_FRAME, r)?;
            let time = f.read(&TIME, r);
            let (position, orientation) = (f.read(&KEY_POSITION, r), f.read(&KEY_ORIENTATION, r));
            f.finish(r);
            let pose = Pose::new(position?.unwrap_or(frame.position), orientation?.unwrap_or(frame.orientation));
            Some(PoseKey { time: time?, pose })
        })
        .collect();
    built(KeyFrames::new(&keys.into_iter().collect::<Option<Vec<PoseKey>>>()?), c, r)
}
