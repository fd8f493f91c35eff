use crate::document::{Document, Node};
use crate::fault::{FaultKind, Location, SceneFault, SceneFaults};
use crate::model::declare::{InContext, Key, Kind, Table};
use crate::model::{
    BODIES, BodyEntry, Cursor, FORCES, ForceEntry, IGNORE_PAIRS, IgnoreEntry, JOINTS, JointEntry, MATERIAL_PAIRS,
    MATERIALS, MaterialEntry, MaterialPairEntry, ModuleCatalogue, RESUME, Reading, SCENE, SCRIPTS, SIMULATION,
    SceneInfo, ScriptEntry, Simulation, read_bodies, read_forces, read_ignore_pairs, read_info, read_joints,
    read_materials, read_resume, read_scripts, read_simulation,
};
use std::path::Path;

/// Most steps and most frames of a run.
const MOST_STEPS: f64 = 1e9;

/// A scene that has been checked against the whole format: [`Scene::build`] turns it into configuration and state.
#[derive(Debug, Clone)]
pub struct Scene {
    document: Document,
    /// `[scene]`.
    pub info: SceneInfo,
    /// `[materials]`, the default one first.
    pub materials: Vec<MaterialEntry>,
    /// `[[material_pairs]]`.
    pub material_pairs: Vec<MaterialPairEntry>,
    /// `[[bodies]]`, repeats not expanded.
    pub bodies: Vec<BodyEntry>,
    /// `[[ignore_pairs]]`.
    pub ignore_pairs: Vec<IgnoreEntry>,
    /// `[[joints]]`.
    pub joints: Vec<JointEntry>,
    /// `[[forces]]`.
    pub forces: Vec<ForceEntry>,
    /// `[[scripts]]`.
    pub scripts: Vec<ScriptEntry>,
    /// `[simulation]`.
    pub simulation: Simulation,
    /// `[resume]`: the snapshot from which the world goes on.
    pub resume: Option<Vec<u8>>,
    /// Warnings about values that are allowed and look like a slip: limits beyond a whole turn, densities far apart, a
    /// mesh made a thousand times larger.
    pub warnings: Vec<SceneFault>,
}

impl Scene {
    /// Reads and checks a scene file, TOML or JSON.
    ///
    /// # Errors
    /// Every fault of the file.
    pub fn from_path(path: impl AsRef<Path>, catalogue: &ModuleCatalogue) -> Result<Self, SceneFaults> {
        Self::from_document(Document::from_path(path)?, catalogue)
    }

    /// Reads and checks a scene in TOML.
    ///
    /// # Errors
    /// Every fault of the text.
    pub fn from_toml_str(text: &str, catalogue: &ModuleCatalogue) -> Result<Self, SceneFaults> {
        Self::from_document(Document::from_toml_str(text)?, catalogue)
    }

    /// Reads and checks a scene in JSON.
    ///
    /// # Errors
    /// Every fault of the text.
    pub fn from_json_str(text: &str, catalogue: &ModuleCatalogue) -> Result<Self, SceneFaults> {
        Self::from_document(Document::from_json_str(text)?, catalogue)
    }

    /// Checks a document, after whatever was set on it.
    ///
    /// # Errors
    /// Every fault of the document.
    pub fn from_document(document: Document, catalogue: &ModuleCatalogue) -> Result<Self, SceneFaults> {
        let mut r = Reading::new(&document);
        let scene = read_scene(&Cursor::root(&document.root), &document, catalogue, &mut r);
        r.faults.into_result(scene).map(|s| Self { document, ..s })
    }

    /// Sets one value by its path, as `--set PATH=VALUE` does, and checks the scene again; see [`Document::set`].
    ///
    /// # Errors
    /// Every fault of the changed scene; the scene is then as it was.
    pub fn set(&mut self, path: &str, value: &str, catalogue: &ModuleCatalogue) -> Result<(), SceneFaults> {
        let mut document = self.document.clone();
        document.set(path, value)?;
        *self = Self::from_document(document, catalogue)?;
        Ok(())
    }

    /// The document it was read from.
    pub fn document(&self) -> &Document {
        &self.document
    }

    /// A fault that a caller found at a place of the scene, such as a setting that a paradigm's own choice of module
    /// does not take.
    pub fn fault_at(&self, location: &Location, message: impl Into<String>) -> SceneFault {
        let mut location = location.clone();
        location.file = location.file.or_else(|| self.document.file.clone());
        SceneFault { location, kind: FaultKind::Other(message.into()) }
    }
}

static INFO: Key<InContext> = Key::section("scene", Kind::Table(&SCENE), "what it is, its duration, its gravity");
static SETTINGS: Key<InContext> =
    Key::section("simulation", Kind::Table(&SIMULATION), "the preset, the time step, and what differs from the preset");

static RESUME_SECTION: Key<InContext> =
    Key::section("resume", Kind::Table(&RESUME), "where a saved world goes on; written by programs");

static SCHEMA: Key<Option<String>> = Key::optional(
    "$schema",
    Kind::Text,
    "",
    "where the schema lies that `drystone schema` prints, for editors of JSON",
);

/// A scene file.
pub(crate) static ROOT: Table = Table {
    name: "scene_file",
    doc: "A scene: bodies, and what holds, pushes and moves them.",
    keys: &[
        &SCHEMA,
        &INFO,
        &MATERIALS,
        &MATERIAL_PAIRS,
        &BODIES,
        &IGNORE_PAIRS,
        &JOINTS,
        &FORCES,
        &SCRIPTS,
        &SETTINGS,
        &RESUME_SECTION,
    ],
    one: false,
    example: "",
};

/// Reads a scene from where it stands in a file.
pub(crate) fn read_scene(
    root: &Cursor<'_>,
    document: &Document,
    catalogue: &ModuleCatalogue,
    r: &mut Reading,
) -> Option<Scene> {
    let f = root.fields(&ROOT, r)?;
    let stem = document.file.as_deref().map(Path::new).and_then(Path::file_stem).and_then(|s| s.to_str());
    f.read(&SCHEMA, r);
    let section = f.find(&INFO, r);
    let info = read_info(section.as_ref(), stem.unwrap_or("scene"), r);
    let (materials, pairs) = (f.find(&MATERIALS, r), f.find(&MATERIAL_PAIRS, r));
    let table = read_materials(materials.as_ref(), pairs.as_ref(), r);
    let bodies = f.find(&BODIES, r);
    let bodies = read_bodies(bodies.as_ref(), &table, r);
    let section = f.find(&SETTINGS, r);
    let simulation = read_simulation(section.as_ref(), catalogue, r);
    let ignored = f.find(&IGNORE_PAIRS, r);
    let (joints, forces, scripts) = (f.find(&JOINTS, r), f.find(&FORCES, r), f.find(&SCRIPTS, r));
    let ignore_pairs = read_ignore_pairs(ignored.as_ref(), &bodies, r);
    let joints = read_joints(joints.as_ref(), &bodies, &catalogue.joints, r);
    let forces = read_forces(forces.as_ref(), &bodies, &catalogue.forces, r);
    let scripts = read_scripts(scripts.as_ref(), &bodies, r);
    let resume = f.find(&RESUME_SECTION, r).and_then(|c| read_resume(&c, r));
    f.finish(r);
    for (what, length) in [("simulation.time_step", simulation.time_step), ("scene.frame", info.frame)] {
        if info.duration / length > MOST_STEPS {
            let found = format!("{:?} s, with {what} {length:?} s", info.duration);
            let kind = FaultKind::Value { found, allowed: format!("at most {MOST_STEPS:e} of them a run") };
            r.faults.push(info.duration_location.clone(), kind);
        }
    }
    warn_of_densities(root, &table.list, &bodies, r);
    Some(Scene {
        warnings: std::mem::take(&mut r.warnings),
        document: document.clone(),
        info,
        materials: table.list,
        material_pairs: table.pairs,
        bodies,
        ignore_pairs,
        joints,
        forces,
        scripts,
        simulation,
        resume,
    })
}

/// Beyond this ratio two densities of a scene are likelier in different units: platinum is 240 times as dense as cork.
const DENSITY_RATIO: f64 = 1000.0;

/// Looks at the densities that give bodies their mass.
fn warn_of_densities(root: &Cursor<'_>, materials: &[MaterialEntry], bodies: &[BodyEntry], r: &mut Reading) {
    let listed = root.node().get("bodies").and_then(Node::list).unwrap_or_default();
    let weighed = |(body, node): (&BodyEntry, &Node)| {
        let counts = body.properties.is_dynamic() && node.get("mass").is_none();
        counts.then(|| materials.get(body.properties.material.0 as usize)).flatten()
    };
    let used = || bodies.iter().zip(listed).filter_map(weighed);
    let least = used().min_by(|a, b| a.density.total_cmp(&b.density));
    let most = used().max_by(|a, b| a.density.total_cmp(&b.density));
    if let (Some(least), Some(most)) = (least, most)
        && most.density > DENSITY_RATIO * least.density
    {
        let message = format!(
            "{} kg/m^3 beside {} of '{}'; densities are in kg/m^3, water has 1000",
            least.density, most.density, most.name
        );
        let location =
            Location { file: r.file.clone(), path: format!("materials.{}.density", least.name), ..Location::default() };
        r.warnings.push(SceneFault { location, kind: FaultKind::Other(message) });
    }
}
