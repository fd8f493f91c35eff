use crate::{Bundled, bundled_scenes};
use drystone::registry::ALIASES;
use drystone::{Bound, ModuleKind, Registry};
use drystone_core::catalogue::{Implementation, Parameter, ParameterKind, Value};
use drystone_joints::KINDS;
use drystone_scene::{ModuleCatalogue, force_kinds};
use serde_json::{Map, Value as Json, json};

/// Modules that scenes can choose from.
pub fn catalogue() -> ModuleCatalogue {
    catalogue_of(&Registry::default())
}

/// Modules that scenes can choose from according to a registry.
pub fn catalogue_of(registry: &Registry) -> ModuleCatalogue {
    ModuleCatalogue {
        modules: ModuleKind::ALL.into_iter().map(|k| (k, registry.implementations(k).to_vec())).collect(),
        aliases: ALIASES.to_vec(),
        paradigms: registry.paradigms().iter().map(|p| p.name).collect(),
        joints: registry.joints().to_vec(),
        forces: registry.forces().to_vec(),
    }
}

/// Presets, modules with their parameters and bundled scenes, as `drystone list --json` prints them.
pub fn catalogue_json() -> Json {
    catalogue_json_of(&Registry::default())
}

/// The same for the contents of a registry.
pub fn catalogue_json_of(registry: &Registry) -> Json {
    let paradigms: Vec<Json> = registry
        .paradigms()
        .iter()
        .map(|p| {
            let modules: Map<String, Json> =
                ModuleKind::ALL.into_iter().zip(p.names()).map(|(k, n)| (k.table().to_owned(), json!(n))).collect();
            let claims: Vec<Json> = p.claims.iter().map(bound).collect();
            json!({ "name": p.name, "summary": p.summary, "source": p.source, "modules": modules, "claims": claims })
        })
        .collect();
    let modules: Map<String, Json> = ModuleKind::ALL
        .into_iter()
        .map(|k| {
            let list: Vec<Json> = registry.implementations(k).iter().map(implementation).collect();
            (k.table().to_owned(), Json::Array(list))
        })
        .collect();
    let outside = registry.joints().iter().map(|m| &m.described);
    let joints: Vec<Json> = KINDS.iter().chain(outside).map(implementation).collect();
    let described = |(name, summary): (&str, &str)| json!({ "name": name, "summary": summary, "parameters": [] });
    let outside = registry.forces().iter().map(|m| implementation(&m.described));
    let forces: Vec<Json> = force_kinds().into_iter().map(described).chain(outside).collect();
    let scenes = scene_list(&bundled_scenes());
    json!({ "paradigms": paradigms, "modules": modules, "joints": joints, "forces": forces, "scenes": scenes })
}

/// Names and descriptions of scenes, none of which is parsed: there are a hundred, and a page waits for this list.
fn scene_list(scenes: &[Bundled]) -> Vec<Json> {
    scenes.iter().map(|s| json!({ "name": s.name, "description": s.description() })).collect()
}

/// A bound within which a preset claims to cope with a world.
fn bound(b: &Bound) -> Json {
    json!({ "demand": b.demand.name(), "means": b.demand.summary(), "most": b.most, "reason": b.reason, "source": b.source })
}

fn implementation(i: &Implementation) -> Json {
    let parameters: Vec<Json> = i.parameters.iter().map(parameter).collect();
    json!({ "name": i.name, "summary": i.summary, "source": i.source, "parameters": parameters })
}

fn parameter(p: &Parameter) -> Json {
    let default = match p.default_value() {
        Value::Bool(v) => json!(v),
        Value::Integer(v) => json!(v),
        Value::Real(v) => json!(v),
        Value::Text(v) => json!(v),
    };
    let mut described =
        json!({ "name": p.name, "type": "", "default": default, "allowed": p.allowed(), "summary": p.description() });
    described["type"] = match p.kind {
        ParameterKind::Bool { .. } => json!("bool"),
        ParameterKind::Integer { min, max, .. } => {
            described["range"] = json!([min, max]);
            json!("integer")
        }
        ParameterKind::Real { min, max, .. } => {
            described["range"] = json!([min, max]);
            json!("real")
        }
        ParameterKind::Choice { options, .. } => {
            described["options"] = json!(options);
            json!("choice")
        }
    };
    described
}

#[cfg(test)]
mod tests {
    use super::*;
    use drystone::{Paradigm, registry};
    use drystone_lcp::SplitMix64;
    use drystone_scene::Scene;

    #[test]
    fn every_preset_and_setting_is_there() {
        let all = catalogue_json();
        assert_eq!(all["paradigms"].as_array().unwrap().len(), Paradigm::ALL.len());
        for kind in ModuleKind::ALL {
            let listed = all["modules"][kind.table()].as_array().unwrap();
            for (json, i) in listed.iter().zip(registry::implementations(kind)) {
                assert_eq!(
                    (json["name"].as_str(), listed.len()),
                    (Some(i.name), registry::implementations(kind).len())
                );
                for (json, p) in json["parameters"].as_array().unwrap().iter().zip(i.parameters) {
                    assert_eq!(json["name"].as_str(), Some(p.name));
                    // something that an input control can be made from: a range, a list, or a switch
                    let shape = [json["range"].is_array(), json["options"].is_array(), json["type"] == "bool"];
                    assert_eq!(shape.iter().filter(|s| **s).count(), 1, "{json}");
                }
            }
        }
    }

    #[test]
    fn every_bundled_scene_has_a_description() {
        let (listed, known) = (catalogue_json(), catalogue());
        let listed = listed["scenes"].as_array().unwrap();
        for (scene, bundled) in listed.iter().zip(bundled_scenes()) {
            let whole = Scene::from_toml_str(bundled.text, &known).unwrap().info.description;
            assert!(!whole.is_empty(), "{scene}");
            assert_eq!(scene["description"], whole, "its first table says what the whole scene says");
        }
    }

    /// Bundled scenes that are cut or damaged behind their first table: not one can be parsed whole, and each is listed with its description.
    #[test]
    fn scenes_are_listed_without_being_parsed() {
        let (known, mut random) = (catalogue(), SplitMix64::new(16));
        let parsed = |scene: &&Bundled| Scene::from_toml_str(scene.text, &known).is_ok();
        let damaged: Vec<Bundled> = bundled_scenes()
            .into_iter()
            .map(|scene| {
                let bodies = scene.text.find("\n[[").unwrap();
                let lines: Vec<usize> = scene.text[bodies..].match_indices('\n').map(|(at, _)| bodies + at).collect();
                let cut = lines[random.below(lines.len())];
                let text = format!("{}\n[[bodies]\n{}", &scene.text[..cut], &scene.text[cut..]);
                Bundled { text: Box::leak(text.into_boxed_str()), ..scene }
            })
            .collect();
        assert_eq!(damaged.iter().filter(parsed).count(), 0, "of {} scenes", damaged.len());
        assert_eq!(scene_list(&damaged), scene_list(&bundled_scenes()));
        assert!(damaged.len() > 100 && damaged.iter().all(|scene| !scene.description().is_empty()));
    }
}
