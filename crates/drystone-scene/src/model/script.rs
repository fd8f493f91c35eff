use super::body::read_orientation;
use super::{BodyEntry, BodyNames, BodyRef, Cursor, Fields, Reading};
use crate::document::quote;
use crate::fault::{FaultKind, Location};
use drystone_core::{BodyKind, ScriptedMotion};
use drystone_math::{Pose, Quat, Real, Vec3};
use drystone_motion::script::{
    CubicSpline, Key, KeyFrames, Orientation, RotationSpline, ScriptError, Sinusoid, SpacePath, SplineScript,
    VelocitySpline,
};

/// An entry of `[[scripts]]`: where a body goes, and when.
#[derive(Debug, Clone, PartialEq)]
pub struct ScriptEntry {
    /// Column of the scripted body.
    pub body: usize,
    /// Its motion.
    pub motion: ScriptKind,
    /// Where it stands in the scene.
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

fn read_script(c: &Cursor<'_>, names: &BodyNames<'_>, bodies: &[BodyEntry], r: &mut Reading) -> Option<ScriptEntry> {
    let mut f = c.fields(r)?;
    let found = f.require("body", "the name of a scripted body", r).and_then(|c| scripted(&c, names, bodies, r));
    let frame = found.map_or(Pose::IDENTITY, |(entry, copy)| bodies[entry].frame(copy));
    let (sinusoid, keys) = (f.get("sinusoid"), f.get("keys"));
    let motion = match (sinusoid, keys) {
        (Some(c), None) => read_sinusoid(&c, frame, r).map(ScriptKind::Sinusoid),
        (None, Some(c)) => read_keys(&c, frame, r).map(ScriptKind::Keys),
        (None, None) => read_spline(&mut f, frame.orientation, r).map(ScriptKind::Spline),
        (Some(_), Some(_)) => {
            let found = "sinusoid and keys".to_owned();
            r.fault(c, FaultKind::Value { found, allowed: "one of sinusoid, keys, space_spline".to_owned() });
            None
        }
    };
    f.finish(r);
    let (entry, copy) = found?;
    Some(ScriptEntry { body: bodies[entry].first + copy, motion: motion?, location: r.location(c) })
}

fn scripted(c: &Cursor<'_>, names: &BodyNames<'_>, bodies: &[BodyEntry], r: &mut Reading) -> Option<(usize, usize)> {
    let BodyRef::Body { entry, copy } = names.resolve(c, false, r)? else { return None };
    if bodies[entry].properties.kind != BodyKind::Scripted {
        let found = format!("{}, which is not scripted", quote(&bodies[entry].name));
        r.fault(c, FaultKind::Value { found, allowed: "a body of kind \"scripted\"".to_owned() });
        return None;
    }
    Some((entry, copy))
}

/// What the splines refuse, at the table they are in.
fn built<T>(result: Result<T, ScriptError>, at: &Cursor<'_>, r: &mut Reading) -> Option<T> {
    result.map_err(|e| r.fault(at, FaultKind::Other(e.to_string()))).ok()
}

/// A list of numbers.
pub(super) fn numbers(c: &Cursor<'_>, r: &mut Reading) -> Option<Vec<Real>> {
    let items = c.items(r)?;
    let values: Vec<_> = items.iter().map(|i| i.real(r)).collect();
    values.into_iter().collect()
}

fn read_spline(f: &mut Fields<'_>, orientation: Quat, r: &mut Reading) -> Option<SplineScript> {
    let path = f.require("space_spline", "a table with control_points and knots", r).and_then(|c| read_path(&c, r));
    let progress = f.require("velocity_spline", "a table with points", r).and_then(|c| {
        let mut f = c.fields(r)?;
        let points = f.require("points", "a list of pairs [t, s]", r).and_then(|c| {
            let items = c.items(r)?;
            let points: Vec<_> = items.iter().map(|i| i.reals::<2>(r)).collect();
            points.into_iter().collect::<Option<Vec<[Real; 2]>>>()
        });
        f.finish(r);
        built(VelocitySpline::new(&points?), &c, r)
    });
    let turning = match (f.get("angular_velocity"), f.get("rotation_spline")) {
        (None, None) => Some(Orientation::Fixed(orientation)),
        (Some(c), None) => c.vec3(r).map(|velocity| Orientation::Spin { start: orientation, velocity }),
        (None, Some(c)) => read_rotation(&c, r).map(Orientation::Spline),
        (Some(c), Some(_)) => {
            let found = "angular_velocity beside rotation_spline".to_owned();
            r.fault(&c, FaultKind::Value { found, allowed: "one of the two".to_owned() });
            None
        }
    };
    Some(SplineScript { path: path?, progress: progress?, orientation: turning? })
}

fn read_path(c: &Cursor<'_>, r: &mut Reading) -> Option<SpacePath> {
    let mut f = c.fields(r)?;
    let points = f.require("control_points", "a list of points", r).and_then(|c| c.points(r));
    let knots = f.get("knots").map(|c| numbers(&c, r));
    f.finish(r);
    let points = points?;
    let spline = match knots {
        None => CubicSpline::<Vec3>::open(&points),
        Some(knots) => CubicSpline::new(&points, &knots?),
    };
    let spline = built(spline, c, r)?;
    built(SpacePath::new(spline), c, r)
}

fn read_rotation(c: &Cursor<'_>, r: &mut Reading) -> Option<RotationSpline> {
    let mut f = c.fields(r)?;
    let times = f.require("times", "a list of times that rise", r).and_then(|c| numbers(&c, r));
    let keys = f.require("orientations", "a list of orientations, one for each time", r).and_then(|c| {
        let items = c.items(r)?;
        let keys: Vec<_> = items.iter().map(|i| read_orientation(i, r)).collect();
        keys.into_iter().collect::<Option<Vec<Quat>>>()
    });
    f.finish(r);
    built(RotationSpline::through(&times?, &keys?), c, r)
}

fn read_sinusoid(c: &Cursor<'_>, middle: Pose, r: &mut Reading) -> Option<Sinusoid> {
    let mut f = c.fields(r)?;
    let travel = f.get("travel").map_or(Some(Vec3::ZERO), |c| c.vec3(r));
    let turn = f.get("turn").map_or(Some(Vec3::ZERO), |c| c.vec3(r));
    let frequency = f.require("frequency", "a finite number, zero or more", r).and_then(|c| c.not_negative(r));
    let phase = f.get("phase").map_or(Some(0.0), |c| c.real(r));
    f.finish(r);
    Some(Sinusoid { middle, travel: travel?, turn: turn?, frequency: frequency?, phase: phase? })
}

fn read_keys(c: &Cursor<'_>, frame: Pose, r: &mut Reading) -> Option<KeyFrames> {
    let items = c.items(r)?;
    let keys: Vec<_> = items
        .iter()
        .map(|c| {
            let mut f = c.fields(r)?;
            let time = f.require("time", "a finite number", r).and_then(|c| c.real(r));
            let position = f.get("position").map_or(Some(frame.position), |c| c.vec3(r));
            let orientation = f.get("orientation").map_or(Some(frame.orientation), |c| read_orientation(&c, r));
            f.finish(r);
            Some(Key { time: time?, pose: Pose::new(position?, orientation?) })
        })
        .collect();
    built(KeyFrames::new(&keys.into_iter().collect::<Option<Vec<Key>>>()?), c, r)
}
