use super::values::{real, reals, unit_quaternion, unit_vector, vector, vectors};
use super::{Said, cannot};
use drystone_core::{Configuration, ScriptedMotion};
use drystone_math::{Pose, Quat};
use drystone_motion::script::{KeyFrames, Orientation, Sinusoid, SplineScript, Target};
use serde_json::{Map, Value as Json, json};

/// `[[scripts]]`.
pub(super) fn scripts(configuration: &Configuration, names: &[String]) -> Said<Vec<Json>> {
    let told = |s: &drystone_core::Script| {
        let Some(name) = names.get(s.body.at()) else { return cannot("a script of a body that does not exist") };
        let mut said = Map::new();
        said.insert("body".to_owned(), json!(name));
        said.extend(motion(name, s.motion.as_ref())?);
        Ok(Json::Object(said))
    };
    configuration.scripts.iter().map(told).collect()
}

/// The pose of the body from which a script counts: the one that its entry in `[[bodies]]` has.
pub(super) fn base(motion: &dyn ScriptedMotion) -> Said<Pose> {
    let any = motion.as_any();
    let orientation = |q: Quat| unit_quaternion("the orientation of a script", q).map(|_| q);
    if let Some(shaken) = any.and_then(|m| m.downcast_ref::<Sinusoid>()) {
        orientation(shaken.middle.orientation)?;
        return Ok(shaken.middle);
    }
    let start = motion.evaluate(0.0).pose;
    match any.and_then(|m| m.downcast_ref::<SplineScript>()).map(|s| &s.orientation) {
        Some(Orientation::Fixed(q) | Orientation::Spin { start: q, .. }) => {
            Ok(Pose::new(start.position, orientation(*q)?))
        }
        _ => Ok(start),
    }
}

fn motion(name: &str, motion: &dyn ScriptedMotion) -> Said<Map<String, Json>> {
    let any = motion.as_any();
    let mut said = Map::new();
    if let Some(s) = any.and_then(|m| m.downcast_ref::<Sinusoid>()) {
        let shaken = json!({
            "travel": vector(name, s.travel)?,
            "turn": vector(name, s.turn)?,
            "frequency": real(name, s.frequency)?,
            "phase": real(name, s.phase)?,
        });
        said.insert("sinusoid".to_owned(), shaken);
        return Ok(said);
    }
    if let Some(k) = any.and_then(|m| m.downcast_ref::<KeyFrames>()) {
        let key = |k: drystone_motion::script::Key| {
            let orientation = unit_quaternion(&format!("a key of {name}"), k.pose.orientation)?;
            let position = vector(name, k.pose.position)?;
            Ok(json!({ "time": real(name, k.time)?, "position": position, "orientation": orientation }))
        };
        said.insert("keys".to_owned(), k.keys().into_iter().map(key).collect::<Said<Vec<Json>>>()?.into());
        return Ok(said);
    }
    if let Some(s) = any.and_then(|m| m.downcast_ref::<SplineScript>()) {
        return spline(name, s);
    }
    cannot(format!("the script of {name}, which is of a program's own kind"))
}

fn spline(name: &str, s: &SplineScript) -> Said<Map<String, Json>> {
    let mut said = Map::new();
    let Some((points, knots)) = s.path.given().filter(|(points, knots)| knots.len() == points.len() + 4) else {
        return cannot(format!("the path of {name}, which was made in another way than from control points"));
    };
    let path = json!({ "control_points": vectors(name, points)?, "knots": reals(name, knots)? });
    said.insert("space_spline".to_owned(), path);
    let progress = s.progress.points().iter().map(|p| reals(name, p)).collect::<Said<Vec<Json>>>()?;
    said.insert("velocity_spline".to_owned(), json!({ "points": progress }));
    let (key, value) = match &s.orientation {
        Orientation::Fixed(_) => return Ok(said),
        Orientation::Spin { velocity, .. } => ("angular_velocity", vector(name, *velocity)?),
        Orientation::Spline(spline) => {
            let (times, keys) = spline.given();
            let unit = |q: &Quat| unit_quaternion(&format!("an orientation of {name}"), *q);
            let keys = keys.iter().map(unit).collect::<Said<Vec<Json>>>()?;
            ("rotation_spline", json!({ "times": reals(name, times)?, "orientations": keys }))
        }
        Orientation::Angles(spline) => {
            let (times, angles) = spline.given();
            ("angle_spline", json!({ "times": reals(name, times)?, "angles": vectors(name, angles)? }))
        }
        Orientation::Gaze(gaze) => {
            let (at, value) = match gaze.target {
                Target::Point(point) => ("point", vector(name, point)?),
                Target::Ahead(by) => ("ahead", real(name, by)?),
            };
            ("gaze", json!({ at: value, "up": unit_vector(&format!("the up direction of {name}"), gaze.up)? }))
        }
    };
    said.insert(key.to_owned(), value);
    Ok(said)
}
