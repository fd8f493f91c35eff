use drystone_math::{Real, Vec3};
use std::fmt::Write;

/// A body to write down.
pub(super) struct BodyText<'a> {
    pub(super) name: &'a str,
    pub(super) half_extents: Vec3,
    pub(super) position: Vec3,
    /// Turn about an axis (degrees).
    pub(super) turn: Option<(Vec3, Real)>,
    /// Further lines.
    pub(super) more: &'a str,
}

impl BodyText<'_> {
    /// Appends the entry of `[[bodies]]`.
    pub(super) fn append(&self, out: &mut String) {
        let _ = write!(out, "\n[[bodies]]\nname = {:?}\nshape = {{ box = {{ half_extents = ", self.name);
        list(self.half_extents, out);
        out.push_str(" } }\nposition = ");
        list(self.position, out);
        if let Some((axis, degrees)) = self.turn {
            out.push_str("\norientation = { axis = ");
            list(axis, out);
            let _ = write!(out, ", degrees = {degrees:?} }}");
        }
        out.push('\n');
        out.push_str(self.more);
    }
}

fn list(v: Vec3, out: &mut String) {
    // no negative zeros: they read badly
    let [x, y, z] = v.to_array().map(|c| if c == 0.0 { 0.0 } else { c });
    let _ = write!(out, "[{x:?}, {y:?}, {z:?}]");
}
