use super::declare::{InContext, Key, Kind, Range, Readable, Shown, Table};
use super::mesh_shape::{FILE, HEIGHT_FIELD, MESH, file_points, height_field, mesh};
use super::orientation::TURNED;
use super::{Cursor, Fields, Reading};
use crate::fault::FaultKind;
use drystone_geometry::{Shape, ShapeError};
use drystone_math::{Pose, Quat, Real, Vec3};

const LENGTH: Kind = Kind::Number(Range::Positive);

static RADIUS: Key<Real> = Key::required("radius", LENGTH, "m", "radius; for a cone, of its base");
static HALF_HEIGHT: Key<Real> =
    Key::required("half_height", LENGTH, "m", "half the length along y; for a capsule, without the caps");
static HALF_EXTENTS: Key<[Real; 3]> =
    Key::required("half_extents", Kind::Vector(3, Range::Positive), "m", "half the edge lengths along x, y and z");
static NORMAL: Key<Vec3> =
    Key::required("normal", Kind::Direction, "", "pointing out of the solid; its length does not matter");
static OFFSET: Key<Real> = Key::or(
    "offset",
    Kind::Number(Range::Any),
    0.0,
    "m",
    "distance of the surface from the frame's origin along the normal",
);
static POINTS: Key<Vec<Vec3>> = Key::required(
    "points",
    Kind::List(&Kind::Vector(3, Range::Any), 0, None),
    "m",
    "points whose convex hull is the shape; or `file`",
);

static SPHERE: Table = Table {
    name: "sphere",
    doc: "A ball centred at the origin of the body frame.",
    keys: &[&RADIUS],
    one: false,
    example: "shape = { sphere = { radius = 0.5 } }",
};
static BOX: Table = Table {
    name: "box",
    doc: "A box centred at the origin, its edges along the axes.",
    keys: &[&HALF_EXTENTS],
    one: false,
    example: "shape = { box = { half_extents = [0.5, 0.5, 0.5] } }",
};
static CAPSULE: Table = Table {
    name: "capsule",
    doc: "A cylinder along y with hemispherical ends.",
    keys: &[&RADIUS, &HALF_HEIGHT],
    one: false,
    example: "shape = { capsule = { radius = 0.2, half_height = 0.5 } }",
};
static CYLINDER: Table = Table {
    name: "cylinder",
    doc: "A cylinder along y.",
    keys: &[&RADIUS, &HALF_HEIGHT],
    one: false,
    example: "shape = { cylinder = { radius = 0.5, half_height = 1.0 } }",
};
static CONE: Table = Table {
    name: "cone",
    doc: "A cone along y, its tip at `+half_height`. Its centre of mass lies below the origin.",
    keys: &[&RADIUS, &HALF_HEIGHT],
    one: false,
    example: "shape = { cone = { radius = 0.5, half_height = 1.0 } }",
};
static PLANE: Table = Table {
    name: "plane",
    doc: "The half-space below a plane; only for fixed or scripted bodies.",
    keys: &[&NORMAL, &OFFSET],
    one: false,
    example: "kind = \"fixed\"\nshape = { plane = { normal = [0, 1, 0], offset = 0.0 } }",
};
static CONVEX: Table = Table {
    name: "convex",
    doc: "The convex hull of points, given here or as the vertices of a mesh file.",
    keys: &[&POINTS, &FILE],
    one: true,
    example: "shape = { convex = { points = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]] } }",
};

/// A kind of shape: its key, and how it is read.
struct ShapeKind {
    key: Key<InContext>,
    table: &'static Table,
    read: fn(&Fields<'_>, &mut Reading) -> Option<Shape>,
}

macro_rules! kinds {
    ($($constant:ident = $name:literal, $table:ident, $read:expr, $doc:literal;)*) => {
        $(static $constant: ShapeKind =
            ShapeKind { key: Key::section($name, Kind::Table(&$table), $doc), table: &$table, read: $read };)*
        /// The kinds of shape the format has.
        static KINDS: &[&ShapeKind] = &[$(&$constant),*];
        /// A shape: a table with one key, the kind.
        pub(crate) static SHAPE: Table = Table {
            name: "shape",
            doc: "The collision shape of a body: a table with one key, the kind of shape.",
            keys: &[$(&$constant.key),*],
            one: true,
            example: "",
        };
    };
}

/// The kinds of shape that the format has: names and what each is.
pub fn shape_kinds() -> Vec<(&'static str, &'static str)> {
    SHAPE.keys.iter().map(|key| (key.name(), key.doc())).collect()
}

kinds! {
    OF_SPHERE = "sphere", SPHERE, sphere, "a ball";
    OF_BOX = "box", BOX, cuboid, "a box";
    OF_CAPSULE = "capsule", CAPSULE, |f, r| revolved(f, Shape::capsule, r), "a cylinder with hemispherical ends";
    OF_CYLINDER = "cylinder", CYLINDER, |f, r| revolved(f, Shape::cylinder, r), "a cylinder";
    OF_CONE = "cone", CONE, |f, r| revolved(f, Shape::cone, r), "a cone";
    OF_PLANE = "plane", PLANE, plane, "a half-space";
    OF_CONVEX = "convex", CONVEX, convex, "the convex hull of points";
    OF_MESH = "mesh", MESH, mesh, "a triangle mesh";
    OF_HEIGHT_FIELD = "height-field", HEIGHT_FIELD, height_field, "ground given by heights";
    OF_COMPOUND = "compound", COMPOUND, compound, "several shapes as one";
}

impl Shown for Shape {}

impl Readable for Shape {
    fn read(_: &Kind, at: &Cursor<'_>, r: &mut Reading) -> Option<Self> {
        let entries = at.entries(r)?;
        let [(kind, inner)] = entries.as_slice() else {
            r.wrong(at, &Kind::Table(&SHAPE).allowed());
            return None;
        };
        let Some(kind) = KINDS.iter().find(|k| k.key.name == *kind) else {
            let kind = FaultKind::UnknownKey { key: (*kind).to_owned(), allowed: SHAPE.names().join(", ") };
            r.fault(inner, kind);
            return None;
        };
        let f = inner.fields(kind.table, r)?;
        let shape = (kind.read)(&f, r);
        f.finish(r);
        shape
    }
}

/// Fault of the geometry, if the format's own checks let it through.
fn built(shape: Result<Shape, ShapeError>, at: &Cursor<'_>, r: &mut Reading) -> Option<Shape> {
    shape.map_err(|e| r.fault(at, FaultKind::Other(e.to_string()))).ok()
}

fn sphere(f: &Fields<'_>, r: &mut Reading) -> Option<Shape> {
    built(Shape::sphere(f.read(&RADIUS, r)?), f.cursor(), r)
}

fn cuboid(f: &Fields<'_>, r: &mut Reading) -> Option<Shape> {
    let [x, y, z] = f.read(&HALF_EXTENTS, r)?;
    built(Shape::cuboid(x, y, z), f.cursor(), r)
}

/// A shape of a radius and a half height along y.
fn revolved(f: &Fields<'_>, new: fn(f64, f64) -> Result<Shape, ShapeError>, r: &mut Reading) -> Option<Shape> {
    let (radius, half_height) = (f.read(&RADIUS, r), f.read(&HALF_HEIGHT, r));
    built(new(radius?, half_height?), f.cursor(), r)
}

fn plane(f: &Fields<'_>, r: &mut Reading) -> Option<Shape> {
    let (normal, offset) = (f.read(&NORMAL, r), f.read(&OFFSET, r));
    built(Shape::plane(normal?, offset?), f.cursor(), r)
}

fn convex(f: &Fields<'_>, r: &mut Reading) -> Option<Shape> {
    if let Some(c) = f.named(FILE.name) {
        return built(Shape::convex(&file_points(&c, r)?), &c, r);
    }
    let points = f.read(&POINTS, r)?;
    built(Shape::convex(&points), &f.find(&POINTS, r)?, r)
}

/// The shape of what is placed.
pub(super) static PLACED_SHAPE: Key<Shape> = Key::required("shape", Kind::Table(&SHAPE), "", "the shape");
pub(super) static POSITION: Key<Vec3> =
    Key::or("position", Kind::Vector(3, Range::Any), Vec3::ZERO, "m", "origin of its frame, in the enclosing frame");
pub(super) static ORIENTATION: Key<Quat> =
    Key::or("orientation", TURNED, Quat::IDENTITY, "", "orientation of its frame");
static PARTS: Key<InContext> = Key {
    name: "parts",
    kind: Kind::List(&Kind::Table(&PLACED), 1, None),
    unit: "",
    doc: "the shapes, each with its pose",
    default: None,
};

/// A shape with its place: a part of a compound, or one of a pair.
pub(super) static PLACED: Table = Table {
    name: "placed_shape",
    doc: "A shape with its pose.",
    keys: &[&PLACED_SHAPE, &POSITION, &ORIENTATION],
    one: false,
    example: "",
};

/// `compound`.
static COMPOUND: Table = Table {
    name: "compound",
    doc: "Several bounded shapes as one; mass is counted twice where they overlap.",
    keys: &[&PARTS],
    one: false,
    example: "shape = { compound = { parts = [{ shape = { sphere = { radius = 0.5 } } }, { shape = { box = { half_extents = [1, 0.1, 0.1] } }, position = [1, 0, 0] }] } }",
};

/// `compound {parts = [{shape, position, orientation}]}`.
fn compound(f: &Fields<'_>, r: &mut Reading) -> Option<Shape> {
    let c = f.find(&PARTS, r)?;
    let items = c.items(r)?;
    let parts: Vec<_> = items.iter().map(|c| read_part(c, r)).collect();
    let shape = Shape::compound(parts.into_iter().collect::<Option<_>>()?);
    shape.map_err(|e| r.fault(&c, FaultKind::Other(e.to_string()))).ok()
}

/// A shape with its place, alone in a table: a part of a compound, or one of a pair.
pub(super) fn read_part(c: &Cursor<'_>, r: &mut Reading) -> Option<(Shape, Pose)> {
    let f = c.fields(&PLACED, r)?;
    let placed = read_placed(&f, r);
    f.finish(r);
    placed
}

/// A shape with its place, from a table that may have other keys.
pub(super) fn read_placed(f: &Fields<'_>, r: &mut Reading) -> Option<(Shape, Pose)> {
    let (shape, position, orientation) = (f.read(&PLACED_SHAPE, r), f.read(&POSITION, r), f.read(&ORIENTATION, r));
    Some((shape?, Pose::new(position?, orientation?)))
}
