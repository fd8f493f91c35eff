use super::mesh_shape::read_placed;
use super::{Cursor, Fields, ModuleCatalogue, Reading};
use crate::document::{Document, Value};
use crate::fault::SceneFaults;
use crate::scene::{Scene, read_scene};
use drystone_geometry::Shape;
use drystone_math::{Pose, Real, Vec3};

/// A ray to be cast against a scene's bodies.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RayQuestion {
    /// Where it begins (m).
    pub origin: Vec3,
    /// Unit direction.
    pub direction: Vec3,
    /// Its length (m), infinite where the file does not say.
    pub length: Real,
}

/// A shape to be moved until it touches one of a scene's bodies.
#[derive(Debug, Clone, PartialEq)]
pub struct SweepQuestion {
    /// The shape.
    pub shape: Shape,
    /// Where it starts.
    pub pose: Pose,
    /// Its way (m).
    pub translation: Vec3,
}

/// A scene with what `drystone query` asks about it.
#[derive(Debug, Clone)]
pub struct SceneQuestions {
    /// The scene.
    pub scene: Scene,
    /// Rays.
    pub rays: Vec<RayQuestion>,
    /// Points (m).
    pub points: Vec<Vec3>,
    /// Sweeps.
    pub sweeps: Vec<SweepQuestion>,
}

impl SceneQuestions {
    /// Whether a query file is of this kind: it holds a scene.
    pub fn is_in(document: &Document) -> bool {
        document.root.get("scene").is_some()
    }

    /// Reads `{"scene": {...}, "rays": [{"origin", "direction", "max"}], "points": [[x, y, z]], "sweeps": [{"shape", "position",
    /// "orientation", "translation"}]}`.
    ///
    /// # Errors
    /// Every fault of the document.
    pub fn read(document: &Document, catalogue: &ModuleCatalogue) -> Result<Self, SceneFaults> {
        let mut r = Reading::new(document);
        let read = read_all(document, catalogue, &mut r);
        r.faults.into_result(read)
    }
}

fn read_all(document: &Document, catalogue: &ModuleCatalogue, r: &mut Reading) -> Option<SceneQuestions> {
    let mut f = Cursor::root(&document.root).fields(r)?;
    let scene = f.require("scene", "a table that is a scene", r).and_then(|c| {
        let inner = Document { root: c.node().clone(), ..document.clone() };
        read_scene(&c, &inner, catalogue, r)
    });
    let rays = read_list(&mut f, "rays", read_ray, r);
    let points = read_list(&mut f, "points", read_point, r);
    let sweeps = read_list(&mut f, "sweeps", read_sweep, r);
    f.finish(r);
    Some(SceneQuestions { scene: scene?, rays, points, sweeps })
}

/// A list that may be left out; what is faulty in it is reported and left out.
fn read_list<T>(
    f: &mut Fields<'_>,
    key: &'static str,
    read: impl Fn(&Cursor<'_>, &mut Reading) -> Option<T>,
    r: &mut Reading,
) -> Vec<T> {
    let items = f.get(key).and_then(|c| c.items(r)).unwrap_or_default();
    items.iter().filter_map(|c| read(c, r)).collect()
}

fn read_point(c: &Cursor<'_>, r: &mut Reading) -> Option<Vec3> {
    c.vec3(r)
}

fn read_ray(c: &Cursor<'_>, r: &mut Reading) -> Option<RayQuestion> {
    let mut f = c.fields(r)?;
    let origin = f.require("origin", "a list of 3 finite numbers", r).and_then(|c| c.vec3(r));
    let direction = f.require("direction", "a vector of a length above zero", r).and_then(|c| c.direction(r));
    let length = match f.get("max") {
        Some(c) if c.node().value != Value::Null => c.not_negative(r),
        _ => Some(Real::INFINITY),
    };
    f.finish(r);
    Some(RayQuestion { origin: origin?, direction: direction?, length: length? })
}

fn read_sweep(c: &Cursor<'_>, r: &mut Reading) -> Option<SweepQuestion> {
    let mut f = c.fields(r)?;
    let placed = read_placed(&mut f, r);
    let translation = f.require("translation", "a list of 3 finite numbers", r).and_then(|c| c.vec3(r));
    f.finish(r);
    let (shape, pose) = placed?;
    Some(SweepQuestion { shape, pose, translation: translation? })
}
