//! The bundled scenes can be read, have a description, and have expectations.

use drystone_scene::Document;
use drystone_scene::expect::Expectations;
use std::path::{Path, PathBuf};

fn scenes() -> Vec<PathBuf> {
    let folder = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../scenes"));
    let files = std::fs::read_dir(folder).unwrap().map(|f| f.unwrap().path());
    // the stem of a scene has no dot: `wall.expect.toml` is not a scene
    let is_scene = |p: &PathBuf| {
        let stem = p.file_stem().and_then(|s| s.to_str()).unwrap_or_default();
        p.extension().is_some_and(|e| e == "toml") && !stem.contains('.')
    };
    let mut scenes: Vec<_> = files.filter(is_scene).collect();
    scenes.sort();
    scenes
}

#[test]
fn each_says_what_it_is_and_what_must_come_out() {
    let scenes = scenes();
    assert!(scenes.len() > 25);
    for path in scenes {
        Document::from_path(&path).unwrap_or_else(|e| panic!("{e}"));
        let text: toml::Table = std::fs::read_to_string(&path).unwrap().parse().unwrap();
        for key in ["name", "source", "description", "duration"] {
            assert!(text["scene"].get(key).is_some(), "{}: {key}", path.display());
        }
        assert_eq!(text["scene"]["name"].as_str(), path.file_stem().and_then(|s| s.to_str()));
        let expected = Expectations::from_path(path.with_extension("expect.toml")).unwrap_or_else(|e| panic!("{e}"));
        assert!(!expected.runs().is_empty(), "{}", path.display());
    }
}
