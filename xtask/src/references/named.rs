//! Which files name an entry.

use super::{ids, names_entries};
use crate::tidy::tree::TextFile;
use std::collections::BTreeMap;

/// The files that name an entry, sorted.
#[derive(Default)]
pub(crate) struct Named<'a> {
    /// What is built.
    pub(crate) code: Vec<&'a str>,
    /// What checks or shows it: tests, scenes, examples, benches.
    pub(crate) tests: Vec<&'a str>,
}

impl<'a> Named<'a> {
    /// By ID; documents do not count.
    pub(crate) fn by_id(files: &'a [TextFile]) -> BTreeMap<&'a str, Self> {
        let mut named: BTreeMap<&str, Self> = BTreeMap::new();
        for file in files.iter().filter(|f| names_entries(&f.path)) {
            let is_code = file.is_rust() || file.path.starts_with("scenes/");
            for (_, id) in file.text.lines().filter(|_| is_code).flat_map(ids) {
                // expectations are part of their scene
                let scene = files.iter().find(|f| Some(f.path.as_str()) == scene_of(&file.path).as_deref());
                let path = scene.unwrap_or(file).path.as_str();
                let entry = named.entry(id).or_default();
                let paths = if is_test(path) { &mut entry.tests } else { &mut entry.code };
                if paths.last() != Some(&path) {
                    paths.push(path);
                }
            }
        }
        named
    }
}

/// The scene whose expectations a file has.
fn scene_of(path: &str) -> Option<String> {
    path.strip_suffix(".expect.toml").map(|scene| format!("{scene}.toml"))
}

fn is_test(path: &str) -> bool {
    path.contains("/tests/") || path.starts_with("scenes/") || path.contains("/examples/") || path.contains("/benches/")
}
