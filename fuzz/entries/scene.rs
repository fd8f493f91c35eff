//! What a scene file goes through.

use drystone::{ModuleKind, Paradigm, registry};
use drystone_scene::{ModuleCatalogue, Scene, SceneFaults};

/// Faults with words, or a scene that can be built or says why not.
pub(crate) fn scene(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    // the readers follow paths: a fuzzer must not
    if text.contains("file") {
        return;
    }
    for read in read(&text) {
        match read {
            Ok(scene) => drop(scene.build()),
            Err(faults) => assert!(!faults.to_string().is_empty()),
        }
    }
}

/// The scene in both languages.
pub(crate) fn read(text: &str) -> [Result<Scene, SceneFaults>; 2] {
    let catalogue = ModuleCatalogue {
        modules: ModuleKind::ALL.into_iter().map(|k| (k, registry::implementations(k).to_vec())).collect(),
        paradigms: Paradigm::ALL.iter().map(|p| p.name).collect(),
        ..ModuleCatalogue::default()
    };
    [Scene::from_toml_str(text, &catalogue), Scene::from_json_str(text, &catalogue)]
}
