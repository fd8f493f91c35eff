use super::mesh_shape::{compound, file_points, height_field, mesh};
use super::{Cursor, Fields, Reading};
use crate::fault::FaultKind;
use drystone_geometry::{Shape, ShapeError};

/// The kinds of shape the format has.
const KINDS: [&str; 10] =
    ["sphere", "box", "capsule", "cylinder", "cone", "plane", "convex", "mesh", "height-field", "compound"];

/// Reads a shape: a table with one key, the kind.
pub(crate) fn read_shape(at: &Cursor<'_>, r: &mut Reading) -> Option<Shape> {
    let entries = at.entries(r)?;
    let allowed = || format!("a table with one key of {}", KINDS.join(", "));
    let [(kind, inner)] = entries.as_slice() else {
        r.wrong(at, &allowed());
        return None;
    };
    let Some(kind) = KINDS.iter().find(|k| *k == kind) else {
        let kind = FaultKind::UnknownKey { key: (*kind).to_owned(), allowed: KINDS.join(", ") };
        r.fault(inner, kind);
        return None;
    };
    let mut f = inner.fields(r)?;
    let shape = match *kind {
        "sphere" => sphere(&mut f, r),
        "box" => cuboid(&mut f, r),
        "capsule" => round(&mut f, Shape::capsule, r),
        "cylinder" => round(&mut f, Shape::cylinder, r),
        "cone" => round(&mut f, Shape::cone, r),
        "plane" => plane(&mut f, r),
        "convex" => convex(&mut f, r),
        "mesh" => mesh(&mut f, r),
        "height-field" => height_field(&mut f, r),
        _ => compound(&mut f, r),
    };
    f.finish(r);
    shape
}

/// What the geometry refuses, where the format's own checks let it through.
fn built(shape: Result<Shape, ShapeError>, at: &Cursor<'_>, r: &mut Reading) -> Option<Shape> {
    shape.map_err(|e| r.fault(at, FaultKind::Other(e.to_string()))).ok()
}

fn sphere(f: &mut Fields<'_>, r: &mut Reading) -> Option<Shape> {
    let c = f.require("radius", "a finite length above zero", r)?;
    built(Shape::sphere(c.positive(r)?), &c, r)
}

fn cuboid(f: &mut Fields<'_>, r: &mut Reading) -> Option<Shape> {
    let c = f.require("half_extents", "a list of 3 finite lengths above zero", r)?;
    let h = c.reals::<3>(r)?;
    if h.iter().any(|x| *x <= 0.0) {
        let found = format!("{h:?}");
        r.fault(&c, FaultKind::Value { found, allowed: "3 finite lengths above zero".to_owned() });
        return None;
    }
    built(Shape::cuboid(h[0], h[1], h[2]), &c, r)
}

/// A shape of a radius and a half height along y.
fn round(f: &mut Fields<'_>, new: fn(f64, f64) -> Result<Shape, ShapeError>, r: &mut Reading) -> Option<Shape> {
    let radius = f.require("radius", "a finite length above zero", r).and_then(|c| c.positive(r));
    let half_height = f.require("half_height", "a finite length above zero", r).and_then(|c| c.positive(r));
    built(new(radius?, half_height?), f.cursor(), r)
}

fn plane(f: &mut Fields<'_>, r: &mut Reading) -> Option<Shape> {
    let normal = f.require("normal", "a vector of a length above zero", r).and_then(|c| c.direction(r));
    let offset = f.get("offset").map_or(Some(0.0), |c| c.real(r));
    built(Shape::plane(normal?, offset?), f.cursor(), r)
}

fn convex(f: &mut Fields<'_>, r: &mut Reading) -> Option<Shape> {
    if let Some(c) = f.get("file") {
        return built(Shape::convex(&file_points(&c, r)?), &c, r);
    }
    let c = f.require("points", "a list of points that span a volume, or 'file'", r)?;
    built(Shape::convex(&c.points(r)?), &c, r)
}
