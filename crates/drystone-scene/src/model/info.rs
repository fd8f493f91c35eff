use super::declare::{Key, Kind, Range, Table};
use super::{Cursor, Reading};
use crate::fault::Location;
use drystone_math::{Real, Vec3};

/// The section `[scene]`.
#[derive(Debug, Clone, PartialEq)]
pub struct SceneInfo {
    /// Its name; the file's where none is given.
    pub name: String,
    /// Source of its numbers.
    pub source: String,
    /// Description of what it shows.
    pub description: String,
    /// Simulated time (s).
    pub duration: Real,
    /// Time between recorded frames (s).
    pub frame: Real,
    /// Uniform gravitational acceleration (m/s^2).
    pub gravity: Vec3,
    /// Unit normal of the plane that the world is; `None` where it has all three dimensions.
    pub plane: Option<Vec3>,
    /// Place of the duration; the whole scene if it is not given.
    pub duration_location: Location,
}

static NAME: Key<Option<String>> =
    Key::optional("name", Kind::Text, "", "name of the scene; the file's name if left out");
static SOURCE: Key<Option<String>> = Key::optional("source", Kind::Text, "", "where its numbers come from");
static DESCRIPTION: Key<Option<String>> = Key::optional("description", Kind::Text, "", "what it shows, in a sentence");
static DURATION: Key<Real> = Key::or("duration", Kind::Number(Range::Positive), 10.0, "s", "simulated time");
static FRAME: Key<Real> =
    Key::or("frame", Kind::Number(Range::Positive), 1.0 / 60.0, "s", "time between recorded frames");
static GRAVITY: Key<Vec3> = Key::or(
    "gravity",
    Kind::Vector(3, Range::Any),
    Vec3::new(0.0, -9.81, 0.0),
    "m/s^2",
    "uniform gravitational acceleration",
);
static PLANE: Key<Option<Vec3>> = Key::optional(
    "plane",
    Kind::Direction,
    "",
    "normal of the plane of a 2D world: bodies move in the plane and turn about its normal only; 3D if left out",
);

/// `[scene]`.
pub(crate) static SCENE: Table = Table {
    name: "scene",
    doc: "What the scene is, how long it runs, its gravity, and whether it is 2D.",
    keys: &[&NAME, &SOURCE, &DESCRIPTION, &DURATION, &FRAME, &GRAVITY, &PLANE],
    one: false,
    example: r#"[scene]
name        = "box-stack"
source      = "Erleben 2005, Figures 6.14 to 6.17"
description = "25 unit boxes in one column"
duration    = 10.0
frame       = 0.01
gravity     = [0.0, -9.81, 0.0]"#,
};

/// Reads `[scene]`; `name` is what it is called where it does not say.
pub(crate) fn read_info(at: Option<&Cursor<'_>>, name: &str, r: &mut Reading) -> SceneInfo {
    let mut info = SceneInfo {
        name: name.to_owned(),
        source: String::new(),
        description: String::new(),
        duration: DURATION.default.unwrap_or(10.0),
        frame: FRAME.default.unwrap_or(1.0),
        gravity: GRAVITY.default.unwrap_or_default(),
        plane: None,
        duration_location: Location { file: r.file.clone(), ..Location::default() },
    };
    let Some(f) = at.and_then(|c| c.fields(&SCENE, r)) else { return info };
    for (key, slot) in [(&NAME, &mut info.name), (&SOURCE, &mut info.source), (&DESCRIPTION, &mut info.description)] {
        if let Some(Some(text)) = f.read(key, r) {
            *slot = text;
        }
    }
    if let Some(c) = f.find(&DURATION, r) {
        info.duration_location = r.location(&c);
    }
    info.duration = f.read(&DURATION, r).unwrap_or(info.duration);
    info.frame = f.read(&FRAME, r).unwrap_or(info.frame);
    info.gravity = f.read(&GRAVITY, r).unwrap_or(info.gravity);
    info.plane = f.read(&PLANE, r).flatten();
    f.finish(r);
    info
}
