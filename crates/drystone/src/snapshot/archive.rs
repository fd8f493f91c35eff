use super::SnapshotError;
use drystone_core::{BodyIndex, BodyPair};
use drystone_math::{Pose, Quat, Real, Twist, Vec3, Wrench};
#[cfg(feature = "json")]
use serde_json::{Map, Value};

/// One pass over the parts of a snapshot, used for both writing and reading.
///
/// Bytes are little-endian, with a length before each list and without the names of the parts; JSON has an object for everything with named parts. Numbers are
/// checked when they are read, in either format.
pub(super) enum Archive<'a> {
    /// Appends.
    Bytes(Vec<u8>),
    /// The bytes that remain to be read.
    Read(&'a [u8]),
    /// Builds a value.
    #[cfg(feature = "json")]
    Json(Value),
    /// Reads a value; the number is how many of its parts have been asked for.
    #[cfg(feature = "json")]
    ReadJson(&'a Value, usize),
}

pub(super) type Done = Result<(), SnapshotError>;

#[cfg(feature = "json")]
const NO_NUMBER: SnapshotError = SnapshotError::Value("where a number is expected, there is none");

impl Archive<'_> {
    /// The part with a name.
    #[cfg_attr(not(feature = "json"), expect(unused_variables, reason = "bytes have no names"))]
    pub(super) fn part<T>(
        &mut self,
        name: &'static str,
        value: &mut T,
        each: impl FnOnce(&mut Self, &mut T) -> Done,
    ) -> Done {
        match self {
            #[cfg(feature = "json")]
            Self::Json(to) => {
                let mut inner = Self::Json(Value::Null);
                each(&mut inner, value)?;
                if !to.is_object() {
                    *to = Value::Object(Map::new());
                }
                if let (Some(object), Self::Json(part)) = (to.as_object_mut(), inner) {
                    object.insert(name.to_owned(), part);
                }
                Ok(())
            }
            #[cfg(feature = "json")]
            Self::ReadJson(from, asked) => {
                *asked += 1;
                let mut inner = Self::ReadJson(from.get(name).ok_or(SnapshotError::Part(name))?, 0);
                each(&mut inner, value)?;
                inner.finish()
            }
            _ => each(self, value),
        }
    }

    /// Checks that nothing is left unread.
    pub(super) fn finish(&self) -> Done {
        let left = match self {
            Self::Read(rest) => !rest.is_empty(),
            #[cfg(feature = "json")]
            Self::ReadJson(value, asked) => value.as_object().is_some_and(|parts| parts.len() != *asked),
            _ => false,
        };
        if left { Err(SnapshotError::Value("there is more in it than a snapshot has")) } else { Ok(()) }
    }

    fn raw<const N: usize>(&mut self, value: [u8; N]) -> Result<[u8; N], SnapshotError> {
        match self {
            Self::Bytes(out) => {
                out.extend_from_slice(&value);
                Ok(value)
            }
            Self::Read(rest) => {
                let (first, after) = rest.split_first_chunk::<N>().ok_or(SnapshotError::Cut)?;
                *rest = after;
                Ok(*first)
            }
            #[cfg(feature = "json")]
            _ => Ok(value),
        }
    }

    pub(super) fn number(&mut self, v: &mut u64) -> Done {
        match self {
            #[cfg(feature = "json")]
            Self::Json(to) => *to = Value::from(*v),
            #[cfg(feature = "json")]
            Self::ReadJson(from, _) => *v = from.as_u64().ok_or(NO_NUMBER)?,
            _ => *v = u64::from_le_bytes(self.raw(v.to_le_bytes())?),
        }
        Ok(())
    }

    pub(super) fn whole(&mut self, v: &mut u32) -> Done {
        match self {
            #[cfg(feature = "json")]
            Self::Json(_) | Self::ReadJson(..) => {
                let mut wide = u64::from(*v);
                self.number(&mut wide)?;
                *v = u32::try_from(wide).map_err(|_| SnapshotError::Value("a whole number is too large"))?;
            }
            _ => *v = u32::from_le_bytes(self.raw(v.to_le_bytes())?),
        }
        Ok(())
    }

    pub(super) fn flag(&mut self, v: &mut bool) -> Done {
        let none = SnapshotError::Value("a flag is neither true nor false");
        match self {
            #[cfg(feature = "json")]
            Self::Json(to) => *to = Value::from(*v),
            #[cfg(feature = "json")]
            Self::ReadJson(from, _) => *v = from.as_bool().ok_or(none)?,
            _ => {
                *v = match self.raw([u8::from(*v)])? {
                    [0] => false,
                    [1] => true,
                    _ => return Err(none),
                }
            }
        }
        Ok(())
    }

    /// A number that may also be infinite, or none, as what is remembered of bodies at 1e308 m may be. JSON has no such numbers: there they are `"inf"`, `"-inf"`
    /// and `"NaN"`.
    pub(super) fn wide(&mut self, v: &mut Real) -> Done {
        match self {
            #[cfg(feature = "json")]
            Self::Json(to) => *to = if v.is_finite() { Value::from(*v) } else { Value::from(v.to_string()) },
            #[cfg(feature = "json")]
            Self::ReadJson(from, _) => {
                *v = match (from.as_f64(), from.as_str()) {
                    (Some(number), _) => number,
                    (_, Some("inf")) => Real::INFINITY,
                    (_, Some("-inf")) => Real::NEG_INFINITY,
                    (_, Some("NaN")) => Real::NAN,
                    _ => return Err(NO_NUMBER),
                }
            }
            _ => *v = Real::from_le_bytes(self.raw(v.to_le_bytes())?),
        }
        Ok(())
    }

    /// Returns true if the archive reads: only then are values checked.
    fn is_reading(&self) -> bool {
        match self {
            Self::Read(_) => true,
            #[cfg(feature = "json")]
            Self::ReadJson(..) => true,
            _ => false,
        }
    }

    pub(super) fn real(&mut self, v: &mut Real) -> Done {
        self.wide(v)?;
        self.hold(v.is_finite(), "a number is not finite")
    }

    /// A number that is zero or more.
    pub(super) fn positive(&mut self, v: &mut Real) -> Done {
        self.real(v)?;
        self.hold(*v >= 0.0, "a number that is never negative is")
    }

    /// Checks a condition on what was read.
    pub(super) fn hold(&self, holds: bool, otherwise: &'static str) -> Done {
        if holds || !self.is_reading() { Ok(()) } else { Err(SnapshotError::Value(otherwise)) }
    }

    /// A fixed number of numbers.
    fn numbers(&mut self, values: &mut [Real]) -> Done {
        self.row(values, Self::real)
    }

    /// A fixed number of entries.
    pub(super) fn row<T>(&mut self, values: &mut [T], each: impl Fn(&mut Self, &mut T) -> Done) -> Done {
        match self {
            #[cfg(feature = "json")]
            Self::Json(to) => {
                let mut row = Vec::with_capacity(values.len());
                for v in values {
                    let mut inner = Self::Json(Value::Null);
                    each(&mut inner, v)?;
                    if let Self::Json(entry) = inner {
                        row.push(entry);
                    }
                }
                *to = Value::Array(row);
                Ok(())
            }
            #[cfg(feature = "json")]
            Self::ReadJson(from, _) => {
                let row = from.as_array().filter(|a| a.len() == values.len());
                let row = row.ok_or(SnapshotError::Value("a list is none, or has another length"))?;
                for (v, from) in values.iter_mut().zip(row) {
                    let mut inner = Self::ReadJson(from, 0);
                    each(&mut inner, v)?;
                    inner.finish()?;
                }
                Ok(())
            }
            _ => values.iter_mut().try_for_each(|v| each(self, v)),
        }
    }

    /// A list of any length. One that is read from bytes grows entry by entry, so that a false length takes up no memory.
    pub(super) fn list<T: Clone>(
        &mut self,
        list: &mut Vec<T>,
        blank: &T,
        each: impl Fn(&mut Self, &mut T) -> Done,
    ) -> Done {
        match self {
            Self::Read(_) => {
                let mut length = 0;
                self.number(&mut length)?;
                list.clear();
                for _ in 0..length {
                    let mut entry = blank.clone();
                    each(self, &mut entry)?;
                    list.push(entry);
                }
                return Ok(());
            }
            Self::Bytes(_) => self.number(&mut (list.len() as u64))?,
            #[cfg(feature = "json")]
            Self::Json(_) => {}
            #[cfg(feature = "json")]
            Self::ReadJson(from, _) => {
                let length = from.as_array().ok_or(SnapshotError::Value("a list is none"))?.len();
                *list = vec![blank.clone(); length];
            }
        }
        self.row(list, each)
    }

    pub(super) fn vector(&mut self, v: &mut Vec3) -> Done {
        let mut parts = v.to_array();
        self.numbers(&mut parts)?;
        *v = Vec3::from_array(parts);
        Ok(())
    }

    /// A vector of numbers that may be infinite, or none.
    pub(super) fn wide_vector(&mut self, v: &mut Vec3) -> Done {
        let mut parts = v.to_array();
        self.row(&mut parts, Self::wide)?;
        *v = Vec3::from_array(parts);
        Ok(())
    }

    /// A vector of length one, unless it overflowed.
    pub(super) fn unit(&mut self, v: &mut Vec3) -> Done {
        self.wide_vector(v)?;
        self.hold(!v.is_finite() || (v.length_squared() - 1.0).abs() < 1e-5, "a normal is no unit vector")
    }

    pub(super) fn quaternion(&mut self, q: &mut Quat) -> Done {
        let mut parts = q.to_array();
        self.numbers(&mut parts)?;
        *q = Quat::from_array(parts);
        self.hold((q.length_squared() - 1.0).abs() < 1e-5, "an orientation is no unit quaternion")
    }

    pub(super) fn twist(&mut self, v: &mut Twist) -> Done {
        self.part("linear", &mut v.linear, Self::wide_vector)?;
        self.part("angular", &mut v.angular, Self::wide_vector)
    }

    pub(super) fn wrench(&mut self, v: &mut Wrench) -> Done {
        self.part("force", &mut v.force, Self::vector)?;
        self.part("torque", &mut v.torque, Self::vector)
    }

    /// A pose of one body seen from another.
    pub(super) fn pose(&mut self, v: &mut Pose) -> Done {
        self.part("position", &mut v.position, Self::wide_vector)?;
        self.part("orientation", &mut v.orientation, Self::quaternion)
    }

    /// A body among `bodies`.
    pub(super) fn body(&mut self, v: &mut BodyIndex, bodies: usize) -> Done {
        self.whole(&mut v.0)?;
        self.hold(v.at() < bodies, "a body does not exist")
    }

    pub(super) fn pair(&mut self, v: &mut BodyPair, bodies: usize) -> Done {
        let mut ends = [v.a, v.b];
        self.row(&mut ends, |a, body| a.body(body, bodies))?;
        [v.a, v.b] = ends;
        self.hold(v.a < v.b, "a pair is not in order")
    }

    /// A text of at most 255 bytes.
    pub(super) fn text(&mut self, text: &mut String) -> Done {
        match self {
            #[cfg(feature = "json")]
            Self::Json(to) => *to = Value::from(text.as_str()),
            #[cfg(feature = "json")]
            Self::ReadJson(from, _) => {
                from.as_str().ok_or(SnapshotError::Value("a name is no text"))?.clone_into(text);
            }
            _ => {
                let mut bytes = text.clone().into_bytes();
                bytes.truncate(255);
                self.list(&mut bytes, &0, |a, b| {
                    [*b] = a.raw([*b])?;
                    Ok(())
                })?;
                *text = String::from_utf8(bytes).map_err(|_| SnapshotError::Value("a name is no text"))?;
            }
        }
        Ok(())
    }

    /// One of a few: in bytes by its place among them, in JSON by its name.
    pub(super) fn choice<T: Copy + PartialEq>(&mut self, value: &mut T, among: &[(T, &'static str)]) -> Done {
        let none = SnapshotError::Value("a choice is none of those that there are");
        let place = among.iter().position(|(t, _)| t == value).unwrap_or(0);
        let found = match self {
            #[cfg(feature = "json")]
            Self::Json(_) | Self::ReadJson(..) => {
                let mut name = among[place].1.to_owned();
                self.text(&mut name)?;
                among.iter().find(|(_, n)| *n == name)
            }
            _ => {
                let mut place = place as u32;
                self.whole(&mut place)?;
                among.get(place as usize)
            }
        };
        *value = found.ok_or(none)?.0;
        Ok(())
    }
}

/// FNV-1a: detects damage, not forgery.
pub(super) fn checksum(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3))
}
