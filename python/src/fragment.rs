//! Parts of a scene that are added to a world: read by the scene format's own reader, so that keys and errors are the same.

use crate::error::{Done, Fail};
use crate::world::Inner;
use drystone_cli::catalogue;
use drystone_core::{BodyIndex, BodyKind, CombineRule};
use drystone_scene::{Document, MaterialEntry, Scene};
use serde_json::{Map, Value as Json, json};

/// An entry of a scene's list that refers to bodies, read beside stand-ins for these.
pub(crate) struct Fragment {
    pub(crate) scene: Scene,
    /// The world's column of each of the fragment's bodies.
    pub(crate) columns: Vec<BodyIndex>,
}

impl Fragment {
    /// `entry` is JSON for one entry of the list `key`; the bodies it names are the world's.
    pub(crate) fn of(world: &Inner, key: &str, entry: &str) -> Done<Self> {
        let entry: Json = serde_json::from_str(entry).map_err(|e| Fail::Input(format!("{key}: not JSON: {e}")))?;
        let mut columns: Vec<BodyIndex> = Vec::new();
        let mut bodies = Vec::new();
        let listed = entry.get("bodies").and_then(Json::as_array).into_iter().flatten();
        for name in listed.chain(entry.get("body")).filter_map(Json::as_str) {
            let Some(column) = world.loaded.names.iter().position(|n| n == name) else { continue };
            if !columns.contains(&BodyIndex::new(column)) {
                columns.push(BodyIndex::new(column));
                bodies.push(stand_in(world, name, BodyIndex::new(column)));
            }
        }
        Ok(Self { scene: read(&json!({ "bodies": bodies, key: [entry] }))?, columns })
    }

    /// The world's column of a column of the fragment.
    pub(crate) fn column(&self, own: usize) -> BodyIndex {
        self.columns[own]
    }
}

/// A ball at a body's centre of mass, of the same kind.
fn stand_in(world: &Inner, name: &str, column: BodyIndex) -> Json {
    let (configuration, state) = (world.loaded.world.configuration(), world.loaded.world.state());
    let kind = match configuration.body(column).kind {
        BodyKind::Dynamic | BodyKind::Passive => "dynamic",
        BodyKind::Fixed => "fixed",
        BodyKind::Scripted => "scripted",
    };
    let pose = state.pose(column);
    json!({ "name": name, "kind": kind, "shape": { "sphere": { "radius": 1.0 } },
            "position": pose.position.to_array(), "orientation": pose.orientation.to_array() })
}

/// Reads a scene given as JSON.
pub(crate) fn read(scene: &Json) -> Done<Scene> {
    Ok(Scene::from_document(Document::from_json_str(&scene.to_string())?, &catalogue())?)
}

/// The `[materials]` of a world.
pub(crate) fn materials(list: &[MaterialEntry]) -> Map<String, Json> {
    let rule = |rule: CombineRule| CombineRule::NAMES.iter().find(|(_, r)| *r == rule).map(|(name, _)| *name);
    list.iter()
        .map(|m| {
            let s = &m.surface;
            let table = json!({ "friction": s.friction, "restitution": s.restitution, "rolling_friction": s.rolling,
                                "spinning_friction": s.spinning, "friction_rule": rule(s.friction_rule),
                                "restitution_rule": rule(s.restitution_rule), "density": m.density });
            (m.name.clone(), table)
        })
        .collect()
}
