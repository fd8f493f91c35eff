use super::{Cursor, Reading};
use crate::fault::Location;
use drystone_math::{Real, Vec3};

/// The section `[scene]`.
#[derive(Debug, Clone, PartialEq)]
pub struct SceneInfo {
    /// Its name; the file's where none is given.
    pub name: String,
    /// Where its numbers come from.
    pub source: String,
    /// What it shows.
    pub description: String,
    /// Simulated time (s).
    pub duration: Real,
    /// Time between recorded frames (s).
    pub frame: Real,
    /// Uniform gravitational acceleration (m/s^2).
    pub gravity: Vec3,
    /// Where the duration stands; the whole scene where it is not given.
    pub duration_location: Location,
}

/// Reads `[scene]`; `name` is what it is called where it does not say.
pub(crate) fn read_info(at: Option<&Cursor<'_>>, name: &str, r: &mut Reading) -> SceneInfo {
    let mut info = SceneInfo {
        name: name.to_owned(),
        source: String::new(),
        description: String::new(),
        duration: 10.0,
        frame: 1.0 / 60.0,
        gravity: Vec3::new(0.0, -9.81, 0.0),
        duration_location: Location { file: r.file.clone(), ..Location::default() },
    };
    let Some(mut f) = at.and_then(|c| c.fields(r)) else { return info };
    for (key, slot) in [("name", &mut info.name), ("source", &mut info.source), ("description", &mut info.description)]
    {
        if let Some(text) = f.get(key).and_then(|c| c.text(r)) {
            text.clone_into(slot);
        }
    }
    if let Some(c) = f.get("duration") {
        info.duration = c.positive(r).unwrap_or(info.duration);
        info.duration_location = r.location(&c);
    }
    if let Some(c) = f.get("frame") {
        info.frame = c.positive(r).unwrap_or(info.frame);
    }
    if let Some(c) = f.get("gravity") {
        info.gravity = c.vec3(r).unwrap_or(info.gravity);
    }
    f.finish(r);
    info
}
