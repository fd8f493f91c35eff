//! The scenes and commands of the book's guide by task, run exactly as printed.

use super::first_steps::{blocks, perform};
use std::path::Path;

/// Runs the commands of a page of the guide, and looks for the files that they make.
fn check(page: &str, commands: usize, made: &[&str]) {
    let (folder, run) = perform(&format!("guide/{page}.md"), "scene.toml");
    assert_eq!(run.len(), commands, "{run:?}");
    for file in made {
        assert!(folder.join(file).metadata().is_ok_and(|m| m.len() > 500), "{file}");
    }
}

#[test]
fn first_stack_commands_work() {
    check("first-stack", 3, &["stack.png"]);
}

#[test]
fn rag_doll_commands_work() {
    check("rag-doll", 1, &["doll.png"]);
}

#[test]
fn vehicles_commands_work() {
    check("vehicles-and-characters", 1, &["car.png"]);
}

#[test]
fn saving_commands_work() {
    check("saving-and-replay", 2, &["frames.jsonl", "stack.gltf"]);
}

#[test]
fn sweeps_commands_work() {
    check("sweeps", 3, &["figures/report.html", "figures/figures.csv"]);
}

/// A page whose commands nobody runs is found.
#[test]
fn every_page_with_commands_is_run() {
    let guide = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/src/guide");
    let mut pages: Vec<String> = std::fs::read_dir(guide)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|e| e == "md"))
        .filter(|path| {
            blocks(&std::fs::read_to_string(path).unwrap()).iter().any(|(language, _)| *language == "console")
        })
        .map(|path| path.file_stem().unwrap().to_str().unwrap().to_owned())
        .collect();
    pages.sort();
    assert_eq!(pages, ["first-stack", "rag-doll", "saving-and-replay", "sweeps", "vehicles-and-characters"]);
}
