use super::declare::{InContext, Key, Kind, Range, Table};
use super::shape::{ORIENTATION, PLACED_SHAPE, POSITION, read_placed};
use super::{Cursor, Fields, ModuleCatalogue, Reading};
use crate::document::{Document, Value};
use crate::fault::SceneFaults;
use crate::scene::{ROOT, Scene, read_scene};
use drystone_geometry::Shape;
use drystone_math::{Pose, Real, Vec3};

/// A ray to be cast against a scene's bodies.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RayQuestion {
    /// Origin (m).
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
    /// Initial pose.
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
    /// Returns true if a query file is of this kind: it holds a scene.
    pub fn is_in(document: &Document) -> bool {
        document.root.get("scene").is_some()
    }

    /// The name that stands where a scene could: whoever finds scenes by name puts it there by [`Document::with_scene`].
    pub fn scene_name(document: &Document) -> Option<&str> {
        document.text(&[SCENE.name])
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

static SCENE: Key<InContext> = Key {
    name: "scene",
    kind: Kind::Either(&[Kind::Table(&ROOT), Kind::Name("a scene: a file, or one that comes with the program")]),
    unit: "",
    doc: "a scene, or the name of one; bodies are at their initial poses",
    default: None,
};
static RAYS: Key<InContext> = Key::section("rays", Kind::List(&Kind::Table(&RAY), 0, None), "rays to cast");
static POINTS: Key<InContext> =
    Key::section("points", Kind::List(&Kind::Vector(3, Range::Any), 0, None), "points (m) to find the nearest body to");
static SWEEPS: Key<InContext> = Key::section("sweeps", Kind::List(&Kind::Table(&SWEEP), 0, None), "shapes to sweep");
static ORIGIN: Key<Vec3> = Key::required("origin", Kind::Vector(3, Range::Any), "m", "starting point");
static DIRECTION: Key<Vec3> = Key::required("direction", Kind::Direction, "", "direction; its length does not matter");
static MAX: Key<Option<Real>> =
    Key::optional("max", Kind::Number(Range::NotNegative), "m", "length; infinite if left out or null");
static TRANSLATION: Key<Vec3> = Key::required("translation", Kind::Vector(3, Range::Any), "m", "displacement");

static RAY: Table = Table { name: "ray", doc: "A ray.", keys: &[&ORIGIN, &DIRECTION, &MAX], one: false, example: "" };
static SWEEP: Table = Table {
    name: "sweep",
    doc: "A shape moved without rotation until it touches something.",
    keys: &[&PLACED_SHAPE, &POSITION, &ORIENTATION, &TRANSLATION],
    one: false,
    example: "",
};

/// A file of questions to a scene.
pub(crate) static QUESTIONS: Table = Table {
    name: "scene_query",
    doc: "What `drystone query` asks about a scene.",
    keys: &[&SCENE, &RAYS, &POINTS, &SWEEPS],
    one: false,
    example: "",
};

fn read_all(document: &Document, catalogue: &ModuleCatalogue, r: &mut Reading) -> Option<SceneQuestions> {
    let f = Cursor::root(&document.root).fields(&QUESTIONS, r)?;
    let scene = f.find(&SCENE, r).and_then(|c| {
        let inner = Document { root: c.node().clone(), ..document.clone() };
        read_scene(&c, &inner, catalogue, r)
    });
    let rays = read_list(&f, &RAYS, read_ray, r);
    let points = read_list(&f, &POINTS, read_point, r);
    let sweeps = read_list(&f, &SWEEPS, read_sweep, r);
    f.finish(r);
    Some(SceneQuestions { scene: scene?, rays, points, sweeps })
}

/// A list that may be left out; what is faulty in it is reported and left out.
fn read_list<T>(
    f: &Fields<'_>,
    key: &Key<InContext>,
    read: impl Fn(&Cursor<'_>, &mut Reading) -> Option<T>,
    r: &mut Reading,
) -> Vec<T> {
    let items = f.find(key, r).and_then(|c| c.items(r)).unwrap_or_default();
    items.iter().filter_map(|c| read(c, r)).collect()
}

fn read_point(c: &Cursor<'_>, r: &mut Reading) -> Option<Vec3> {
    c.vec3(r)
}

fn read_ray(c: &Cursor<'_>, r: &mut Reading) -> Option<RayQuestion> {
    let f = c.fields(&RAY, r)?;
    let (origin, direction) = (f.read(&ORIGIN, r), f.read(&DIRECTION, r));
    let endless = f.find(&MAX, r).is_some_and(|c| c.node().value == Value::Null);
    let length = if endless { Some(None) } else { f.read(&MAX, r) };
    f.finish(r);
    Some(RayQuestion { origin: origin?, direction: direction?, length: length?.unwrap_or(Real::INFINITY) })
}

fn read_sweep(c: &Cursor<'_>, r: &mut Reading) -> Option<SweepQuestion> {
    let f = c.fields(&SWEEP, r)?;
    let placed = read_placed(&f, r);
    let translation = f.read(&TRANSLATION, r);
    f.finish(r);
    let (shape, pose) = placed?;
    Some(SweepQuestion { shape, pose, translation: translation? })
}
