//! Shapes that come with files or parts of their own: meshes, and compounds of other shapes.

use super::body::read_orientation;
use super::script::numbers;
use super::{Cursor, Fields, Reading, read_shape};
use crate::fault::FaultKind;
use drystone_geometry::mesh::import;
use drystone_geometry::{MapSettings, MeshError, MeshShape, Shape, TriangleMesh};
use drystone_math::{Pose, Quat, Real, Vec3};
use std::path::PathBuf;

/// Vertices closer than this part of the mesh's size are one.
const WELD: Real = 1e-9;
/// Most cells of a map along the longest side.
const FINEST: i64 = 256;

/// A mesh file and what is made of it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct MeshSource {
    path: PathBuf,
    settings: Settings,
}

#[derive(Debug, Clone, Copy, PartialEq)]
struct Settings {
    scale: Real,
    map: Option<MapSettings>,
}

/// `mesh {file | vertices + triangles, scale, sdf = {resolution, spacing, band}}`; vertices in the same place are made one.
pub(super) fn mesh(f: &mut Fields<'_>, r: &mut Reading) -> Option<Shape> {
    let settings = read_settings(f, r);
    let Some(c) = f.get("file") else {
        let mesh = inline_mesh(f, r);
        return finished(mesh?, settings?, &f.cursor().clone(), r);
    };
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
pub(super) fn height_field(f: &mut Fields<'_>, r: &mut Reading) -> Option<Shape> {
    let rows = f.require("heights", "a list of rows of heights, all of one length", r);
    let heights = rows.as_ref().and_then(|c| {
        let rows: Vec<_> = c.items(r)?.iter().map(|c| numbers(c, r)).collect();
        let rows: Vec<Vec<Real>> = rows.into_iter().collect::<Option<_>>()?;
        let columns = rows.first().map_or(0, Vec::len);
        if rows.len() < 2 || columns < 2 || rows.iter().any(|row| row.len() != columns) {
            r.wrong(c, "two rows or more of two heights or more, all of one length");
            return None;
        }
        Some((columns, rows.concat()))
    });
    let step = f.require("step", "a length above zero", r).and_then(|c| c.positive(r));
    let depth = f.get("depth").map_or(Some(1.0), |c| c.positive(r));
    let settings = read_settings(f, r);
    let ((columns, heights), step) = (heights?, step?);
    let back = |n: usize| -0.5 * step * (n - 1) as Real;
    let middle = Vec3::new(back(columns), 0.0, back(heights.len() / columns));
    let mesh = TriangleMesh::height_field(columns, &heights, step, depth?).and_then(|m| {
        let moved = m.vertices().iter().map(|v| *v + middle).collect();
        TriangleMesh::new(moved, m.triangles().to_vec())
    });
    let at = rows?;
    finished(mesh.map_err(|e| r.fault(&at, FaultKind::Other(e.to_string()))).ok()?, settings?, &at, r)
}

/// The points of a mesh file, for a convex hull.
pub(super) fn file_points(c: &Cursor<'_>, r: &mut Reading) -> Option<Vec<Vec3>> {
    Some(read_file(c, r)?.vertices().to_vec())
}

fn read_settings(f: &mut Fields<'_>, r: &mut Reading) -> Option<Settings> {
    let scale = f.get("scale").map_or(Some(1.0), |c| c.positive(r));
    let map = match f.get("sdf") {
        None => None,
        Some(c) => {
            let mut f = c.fields(r)?;
            let resolution =
                f.require("resolution", "a whole number of cells", r).and_then(|c| c.integer(4, FINEST, r));
            let spacing = f.get("spacing").map_or(Some(0.0), |c| c.not_negative(r));
            let band = f.get("band").map_or(Some(Real::INFINITY), |c| c.not_negative(r));
            f.finish(r);
            Some(MapSettings { resolution: resolution? as usize, spacing: spacing?, band: band? })
        }
    };
    Some(Settings { scale: scale?, map })
}

fn finished(mesh: TriangleMesh, settings: Settings, at: &Cursor<'_>, r: &mut Reading) -> Option<Shape> {
    let mesh = mesh.scaled(Vec3::splat(settings.scale));
    // scaling may have led out of the range of coordinates
    let mesh = TriangleMesh::new(mesh.vertices().to_vec(), mesh.triangles().to_vec());
    let shape = mesh.and_then(|mut mesh| {
        mesh.mend(WELD * mesh.size());
        if mesh.triangles().is_empty() {
            return Err(MeshError::Empty);
        }
        MeshShape::new(mesh, settings.map)
    });
    shape.map(Shape::mesh).map_err(|e| r.fault(at, FaultKind::Other(e.to_string()))).ok()
}

fn inline_mesh(f: &mut Fields<'_>, r: &mut Reading) -> Option<TriangleMesh> {
    let vertices = f.require("vertices", "a list of points, or file", r).and_then(|c| c.points(r));
    let list = f.require("triangles", "a list of three places in vertices each, or file", r);
    let triangles = list.as_ref().and_then(|c| {
        let items = c.items(r)?;
        let triangles: Vec<_> = items.iter().map(|c| triangle(c, r)).collect();
        triangles.into_iter().collect::<Option<Vec<[u32; 3]>>>()
    });
    let (list, mesh) = (list?, TriangleMesh::new(vertices?, triangles?));
    mesh.map_err(|e| r.fault(&list, FaultKind::Other(e.to_string()))).ok()
}

fn triangle(c: &Cursor<'_>, r: &mut Reading) -> Option<[u32; 3]> {
    let items = c.items(r)?;
    let [a, b, d] = items.as_slice() else {
        r.wrong(c, "a list of three places in vertices, from 0");
        return None;
    };
    let mut corner = |c: &Cursor<'_>| c.integer(0, i64::from(u32::MAX), r).map(|v| v as u32);
    let (a, b, d) = (corner(a), corner(b), corner(d));
    Some([a?, b?, d?])
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

/// `compound {parts = [{shape, position, orientation}]}`.
pub(super) fn compound(f: &mut Fields<'_>, r: &mut Reading) -> Option<Shape> {
    let c = f.require("parts", "a list of placed shapes", r)?;
    let items = c.items(r)?;
    let parts: Vec<_> = items.iter().map(|c| read_part(c, r)).collect();
    let shape = Shape::compound(parts.into_iter().collect::<Option<_>>()?);
    shape.map_err(|e| r.fault(&c, FaultKind::Other(e.to_string()))).ok()
}

/// A shape with its place, alone in a table: a part of a compound, or one of a pair.
pub(super) fn read_part(c: &Cursor<'_>, r: &mut Reading) -> Option<(Shape, Pose)> {
    let mut f = c.fields(r)?;
    let placed = read_placed(&mut f, r);
    f.finish(r);
    placed
}

/// A shape with its place, from a table that may have other keys.
pub(super) fn read_placed(f: &mut Fields<'_>, r: &mut Reading) -> Option<(Shape, Pose)> {
    let shape = f.require("shape", "a table with one key, the kind of shape", r).and_then(|c| read_shape(&c, r));
    let position = f.get("position").map_or(Some(Vec3::ZERO), |c| c.vec3(r));
    let orientation = f.get("orientation").map_or(Some(Quat::IDENTITY), |c| read_orientation(&c, r));
    Some((shape?, Pose::new(position?, orientation?)))
}
