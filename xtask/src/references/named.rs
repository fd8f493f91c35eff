//! Which files name an entry.

use super::{ids, names_entries};
use crate::tidy::tree::TextFile;
use std::collections::BTreeMap;

/// The files that name an entry, sorted.
#[derive(Default)]
pub(crate) struct Named<'a> {
    /// What is built.
    pub(crate) code: Vec<&'a str>,
    /// What checks or shows it: tests, those within a file of code too, contract suites, scenes, examples, benches.
    pub(crate) tests: Vec<&'a str>,
}

impl<'a> Named<'a> {
    /// By ID; documents do not count.
    pub(crate) fn by_id(files: &'a [TextFile]) -> BTreeMap<&'a str, Self> {
        let mut named: BTreeMap<&str, Self> = BTreeMap::new();
        for file in files.iter().filter(|f| names_entries(&f.path)) {
            let is_code = file.is_rust() || file.path.starts_with("scenes/");
            let unit_tests = unit_tests_from(file);
            for (number, line) in file.text.lines().enumerate().filter(|_| is_code) {
                for (_, id) in ids(line) {
                    // expectations are part of their scene
                    let scene = files.iter().find(|f| Some(f.path.as_str()) == scene_of(&file.path).as_deref());
                    let path = scene.unwrap_or(file).path.as_str();
                    let entry = named.entry(id).or_default();
                    let tests = number >= unit_tests || is_test(path);
                    let paths = if tests { &mut entry.tests } else { &mut entry.code };
                    if paths.last() != Some(&path) {
                        paths.push(path);
                    }
                }
            }
        }
        named
    }
}

/// The line from which a file of code holds unit tests alone.
fn unit_tests_from(file: &TextFile) -> usize {
    let lines: Vec<&str> = file.text.lines().collect();
    let module = lines.windows(2).position(|w| w[0] == "#[cfg(test)]" && w[1].starts_with("mod tests {"));
    module.filter(|_| file.is_rust()).unwrap_or(lines.len())
}

/// The scene whose expectations a file has.
fn scene_of(path: &str) -> Option<String> {
    path.strip_suffix(".expect.toml").map(|scene| format!("{scene}.toml"))
}

fn is_test(path: &str) -> bool {
    path.contains("/tests/")
        || path.ends_with("/tests.rs")
        || path.starts_with("scenes/")
        || path.starts_with("crates/drystone-testkit/")
        || path.contains("/examples/")
        || path.contains("/benches/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unit_tests_are_tests() {
        let file = |path: &str, text: &str| TextFile { path: path.to_owned(), text: text.to_owned() };
        let files = [
            file("crates/a/src/x.rs", "// B-01\n#[cfg(test)]\nmod tests {\n    // B-01, B-02\n}\n"),
            file("crates/a/src/y/tests.rs", "// B-02\n"),
            file("crates/a/src/z.rs", "// B-03\n#[cfg(test)]\nuse x;\n// B-03\n"),
        ];
        let named = Named::by_id(&files);
        let of = |id: &str| (named[id].code.len(), named[id].tests.len());
        assert_eq!([of("B-01"), of("B-02"), of("B-03")], [(1, 1), (0, 2), (1, 0)]);
    }
}
