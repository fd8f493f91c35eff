use super::declare::{Key, Kind, Range, Readable, Shown, Table};
use super::{Cursor, Reading};
use crate::document::Value;
use crate::fault::FaultKind;
use drystone_math::elementary::rotation_about;
use drystone_math::{Quat, Real, Vec3};
use serde_json::{Value as Json, json};

static AXIS: Key<Vec3> = Key::required("axis", Kind::Direction, "", "axis of rotation; its length does not matter");
static DEGREES: Key<Real> =
    Key::required("degrees", Kind::Number(Range::Any), "degrees", "angle, by the right-hand rule");

static AXIS_AND_ANGLE: Table = Table {
    name: "axis_and_angle",
    doc: "A rotation about an axis by an angle.",
    keys: &[&AXIS, &DEGREES],
    one: false,
    example: "",
};

/// A quaternion `[x, y, z, w]` of any length above zero, or an axis and an angle.
pub(super) const TURNED: Kind = Kind::Either(&[Kind::Vector(4, Range::Any), Kind::Table(&AXIS_AND_ANGLE)]);

impl Shown for Quat {
    fn shown(&self) -> Option<Json> {
        Some(json!(self.to_array()))
    }
}

impl Readable for Quat {
    fn read(_: &Kind, c: &Cursor<'_>, r: &mut Reading) -> Option<Self> {
        if matches!(c.node().value, Value::Table(_)) {
            let f = c.fields(&AXIS_AND_ANGLE, r)?;
            let (axis, degrees) = (f.read(&AXIS, r), f.read(&DEGREES, r));
            f.finish(r);
            return Some(rotation_about(axis?, degrees?.to_radians()));
        }
        if !matches!(c.node().value, Value::List(_)) {
            r.wrong(c, "a quaternion [x, y, z, w], or { axis = [x, y, z], degrees = d }");
            return None;
        }
        let q = <[Real; 4]>::read(&Kind::Vector(4, Range::Any), c, r)?;
        let scale = q.iter().fold(0.0, |m: Real, x| m.max(x.abs()));
        if scale == 0.0 {
            let allowed = "a quaternion of a length above zero".to_owned();
            r.fault(c, FaultKind::Value { found: "[0, 0, 0, 0]".to_owned(), allowed });
            return None;
        }
        let raw = Self::from_array(q);
        let unit = (raw.length_squared() - 1.0).abs() < 1e-15;
        Some(if unit { raw } else { Self::from_array(q.map(|x| x / scale)).normalize() })
    }
}
