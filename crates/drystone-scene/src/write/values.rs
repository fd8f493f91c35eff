use super::{Said, cannot};
use drystone_math::{Pose, Quat, Real, Vec3};
use serde_json::{Value as Json, json};

/// A length, squared, this near to one is that of a unit vector: the reader leaves it as it is.
const UNIT: Real = 1e-15;

pub(super) fn real(what: &str, v: Real) -> Said<Json> {
    if v.is_finite() { Ok(json!(v)) } else { cannot(format!("{what} is {v}")) }
}

pub(super) fn reals(what: &str, values: &[Real]) -> Said<Json> {
    values.iter().map(|v| real(what, *v)).collect::<Said<Vec<Json>>>().map(Json::Array)
}

pub(super) fn vector(what: &str, v: Vec3) -> Said<Json> {
    reals(what, &v.to_array())
}

pub(super) fn vectors(what: &str, list: &[Vec3]) -> Said<Json> {
    list.iter().map(|v| vector(what, *v)).collect::<Said<Vec<Json>>>().map(Json::Array)
}

/// A vector of which a scene keeps the direction alone.
pub(super) fn unit_vector(what: &str, v: Vec3) -> Said<Json> {
    if (v.length_squared() - 1.0).abs() >= UNIT {
        return cannot(format!("{what} has the length {}; a scene keeps the bits of unit vectors alone", v.length()));
    }
    vector(what, v)
}

pub(super) fn quaternion(what: &str, q: Quat) -> Said<Json> {
    reals(what, &q.to_array())
}

/// An orientation that the reader leaves as it is.
pub(super) fn unit_quaternion(what: &str, q: Quat) -> Said<Json> {
    if (q.length_squared() - 1.0).abs() >= UNIT {
        return cannot(format!("{what} is no unit quaternion: its length is {}", q.length()));
    }
    quaternion(what, q)
}

/// A pose with any orientation.
pub(super) fn pose(what: &str, p: &Pose) -> Said<Json> {
    Ok(json!({ "position": vector(what, p.position)?, "orientation": quaternion(what, p.orientation)? }))
}
