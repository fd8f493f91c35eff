//! Shapes that come with files or parts of their own: meshes, and compounds of other shapes.

use super::declare::{InContext, Key, Kind, Range, Table};
use super::mesh_source::{MeshSource, Settings};
use super::{Cursor, Fields, Reading};
use crate::fault::FaultKind;
use drystone_geometry::mesh::import;
use drystone_geometry::{MapSettings, MeshError, MeshShape, Shape, TriangleMesh};
use drystone_math::{Real, Vec3};

/// Vertices closer than this part of the mesh's size are one.
const WELD: Real = 1e-9;
/// Most cells of a map along the longest side.
const FINEST: i64 = 256;

/// A scale from which on it is likelier meant the other way round.
const LARGE_SCALE: Real = 1000.0;

/// The file of a mesh.
pub(super) static FILE: Key<Option<String>> = Key::optional(
    "file",
    Kind::Name("a file, relative to the scene's folder"),
    "",
    "OBJ, STL, glTF or GLB, instead of numbers in the scene",
);
static VERTICES: Key<Vec<Vec3>> =
    Key::required("vertices", Kind::List(&Kind::Vector(3, Range::Any), 0, None), "m", "vertices; or `file`");
const CORNER: Kind = Kind::Integer { least: 0, most: u32::MAX as i64 };
static TRIANGLES: Key<Vec<Vec<i64>>> = Key::required(
    "triangles",
    Kind::List(&Kind::List(&CORNER, 3, Some(3)), 0, None),
    "",
    "triangles: three indices into `vertices` each, from 0, counter-clockwise seen from outside; or `file`",
);
static SCALE: Key<Real> = Key::or("scale", Kind::Number(Range::Positive), 1.0, "", "factor on all coordinates");
static AS_IS: Key<bool> = Key::or(
    "as_is",
    Kind::Flag,
    false,
    "",
    "takes the lists as they are: vertices are not merged and triangles not turned; saved worlds have it",
);
static SDF: Key<InContext> =
    Key::section("sdf", Kind::Table(&SDF_TABLE), "makes a signed distance map, for the narrow phases that use one");
static RESOLUTION: Key<i64> =
    Key::required("resolution", Kind::Integer { least: 4, most: FINEST }, "", "number of cells along the longest side");
static SPACING: Key<Real> = Key::or(
    "spacing",
    Kind::Number(Range::NotNegative),
    0.0,
    "m",
    "maximum distance between sample points along sharp edges; 0: the diagonal of a cell",
);
static BAND: Key<Option<Real>> = Key::optional(
    "band",
    Kind::Number(Range::NotNegative),
    "",
    "the map is exact within this many cells of the surface; everywhere if left out",
);

static SDF_TABLE: Table = Table {
    name: "sdf",
    doc: "A signed distance map.",
    keys: &[&RESOLUTION, &SPACING, &BAND],
    one: false,
    example: "",
};

/// `mesh`.
pub(super) static MESH: Table = Table {
    name: "mesh",
    doc: "A triangle mesh from a file or from lists; coincident vertices are merged.",
    keys: &[&FILE, &VERTICES, &TRIANGLES, &AS_IS, &SCALE, &SDF],
    one: false,
    example: "shape = { mesh = { vertices = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], triangles = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]], sdf = { resolution = 32 } } }",
};

static HEIGHTS: Key<Vec<Vec<Real>>> = Key::required(
    "heights",
    Kind::List(&Kind::List(&Kind::Number(Range::Any), 1, None), 2, None),
    "m",
    "rows of heights along x, one after another along z, all of equal length",
);
static STEP: Key<Real> =
    Key::required("step", Kind::Number(Range::Positive), "m", "distance between neighbouring heights along x and z");
static DEPTH: Key<Real> =
    Key::or("depth", Kind::Number(Range::Positive), 1.0, "m", "how far the solid reaches below the lowest height");

/// `height-field`.
pub(super) static HEIGHT_FIELD: Table = Table {
    name: "height-field",
    doc: "Ground given by rows of heights, with its middle at x = z = 0.",
    keys: &[&HEIGHTS, &STEP, &DEPTH, &SCALE, &SDF],
    one: false,
    example: "kind = \"fixed\"\nshape = { height-field = { heights = [[0, 0.1, 0], [0, 0.2, 0]], step = 1.0 } }",
};

/// `mesh {file | vertices + triangles, scale, sdf = {resolution, spacing, band}}`; vertices in the same place are made one.
pub(super) fn mesh(f: &Fields<'_>, r: &mut Reading) -> Option<Shape> {
    let settings = read_settings(f, r);
    let as_is = f.read(&AS_IS, r);
    let Some(c) = f.find(&FILE, r) else {
        let (mesh, settings) = (inline_mesh(f, r)?, settings?);
        if as_is? {
            let made = MeshShape::new(mesh, settings.map);
            return made.map(Shape::mesh).map_err(|e| r.fault(f.cursor(), FaultKind::Other(e.to_string()))).ok();
        }
        return finished(mesh, settings, f.cursor(), r);
    };
    // the lists would be left unread
    for list in [VERTICES.name, TRIANGLES.name, AS_IS.name] {
        if let Some(at) = f.named(list) {
            let (key, allowed) = (format!("{list} beside file"), "file, scale, sdf".to_owned());
            r.fault(&at, FaultKind::UnknownKey { key, allowed });
        }
    }
    let settings = settings?;
    let name = c.text(r)?;
    let source = MeshSource { path: r.folder.join(name), settings };
    if let Some((_, shape)) = r.meshes.iter().find(|(s, _)| *s == source) {
        return Some(shape.clone());
    }
    let shape = finished(read_file(&c, r)?, settings, &c, r)?;
    r.meshes.push((source, shape.clone()));
    Some(shape)
}

/// `height-field {heights, step, depth}`: ground from rows of heights along x, one after the other along z, middle at the origin.
pub(super) fn height_field(f: &Fields<'_>, r: &mut Reading) -> Option<Shape> {
    let rows = f.read(&HEIGHTS, r).and_then(|rows| {
        let columns = rows[0].len();
        if columns < 2 || rows.iter().any(|row| row.len() != columns) {
            r.wrong(&f.named(HEIGHTS.name)?, "two rows or more of two heights or more, all of one length");
            return None;
        }
        Some((columns, rows.concat()))
    });
    let (step, depth) = (f.read(&STEP, r), f.read(&DEPTH, r));
    let settings = read_settings(f, r);
    let ((columns, heights), step) = (rows?, step?);
    let back = |n: usize| -0.5 * step * (n - 1) as Real;
    let middle = Vec3::new(back(columns), 0.0, back(heights.len() / columns));
    let mesh = TriangleMesh::height_field(columns, &heights, step, depth?).and_then(|m| {
        let moved = m.vertices().iter().map(|v| *v + middle).collect();
        TriangleMesh::new(moved, m.triangles().to_vec())
    });
    let at = f.find(&HEIGHTS, r)?;
    finished(mesh.map_err(|e| r.fault(&at, FaultKind::Other(e.to_string()))).ok()?, settings?, &at, r)
}

/// The points of a mesh file, for a convex hull.
pub(super) fn file_points(c: &Cursor<'_>, r: &mut Reading) -> Option<Vec<Vec3>> {
    Some(read_file(c, r)?.vertices().to_vec())
}

fn read_settings(f: &Fields<'_>, r: &mut Reading) -> Option<Settings> {
    let scale = f.read(&SCALE, r);
    if let (Some(scale), Some(c)) = (scale.filter(|s| *s >= LARGE_SCALE), f.named(SCALE.name)) {
        r.warn(&c, format!("coordinates times {scale}; a file in millimetres takes 0.001"));
    }
    let map = match f.find(&SDF, r) {
        None => None,
        Some(c) => {
            let f = c.fields(&SDF_TABLE, r)?;
            let (resolution, spacing, band) = (f.read(&RESOLUTION, r), f.read(&SPACING, r), f.read(&BAND, r));
            f.finish(r);
            let band = band?.unwrap_or(Real::INFINITY);
            Some(MapSettings { resolution: resolution? as usize, spacing: spacing?, band })
        }
    };
    Some(Settings { scale: scale?, map })
}

fn finished(mesh: TriangleMesh, settings: Settings, at: &Cursor<'_>, r: &mut Reading) -> Option<Shape> {
    let mesh = mesh.scaled(Vec3::splat(settings.scale));
    // scaling may have led out of the range of coordinates
    let mesh = TriangleMesh::new(mesh.vertices().to_vec(), mesh.triangles().to_vec());
    let mut flipped = 0;
    let shape = mesh.and_then(|mut mesh| {
        flipped = mesh.mend(WELD * mesh.size()).flipped;
        if mesh.triangles().is_empty() {
            return Err(MeshError::Empty);
        }
        MeshShape::new(mesh, settings.map)
    });
    if flipped > 0 {
        let why = "they faced another way than their neighbours, or into a closed surface";
        r.warn(at, format!("{flipped} triangles were turned round: {why}"));
    }
    if let Ok(shape) = &shape
        && shape.report().open_edges > 0
    {
        let open = shape.report().open_edges;
        r.warn(at, format!("the surface is open at {open} edges: bodies collide with the side that its triangles face (counter-clockwise)"));
    }
    shape.map(Shape::mesh).map_err(|e| r.fault(at, FaultKind::Other(e.to_string()))).ok()
}

fn inline_mesh(f: &Fields<'_>, r: &mut Reading) -> Option<TriangleMesh> {
    let vertices = f.read(&VERTICES, r);
    let triangles = f.read(&TRIANGLES, r)?;
    let corners = |t: &Vec<i64>| [t[0] as u32, t[1] as u32, t[2] as u32];
    let mesh = TriangleMesh::new(vertices?, triangles.iter().map(corners).collect());
    mesh.map_err(|e| {
        let at = f.named(TRIANGLES.name).unwrap_or_else(|| f.cursor().clone());
        r.fault(&at, FaultKind::Other(e.to_string()));
    })
    .ok()
}

/// A mesh file, relative to the scene's folder.
fn read_file(c: &Cursor<'_>, r: &mut Reading) -> Option<TriangleMesh> {
    let name = c.text(r)?;
    let path = r.folder.join(name);
    // a pipe or a device would be read for ever
    let read = match std::fs::metadata(&path).map(|m| m.is_file()) {
        Err(e) => Err(e.to_string()),
        Ok(false) => Err("it is not a file".to_owned()),
        Ok(true) => import::read(&path).map_err(|e| e.to_string()),
    };
    read.map_err(|e| r.fault(c, FaultKind::File(format!("{}: {e}", path.display())))).ok()
}
