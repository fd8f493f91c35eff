//! The walk of ARCHITECTURE.md through a step.

use super::tree::TextFile;

const BEGIN: &str = "## One body through a step";
/// The files that the walk goes through, each once.
const FOLDER: &str = "crates/drystone/src/kernel/";

/// The walk names each file of the kernel once.
pub(crate) fn check(architecture: &str, files: &[TextFile]) -> Vec<String> {
    let Some((_, rest)) = architecture.split_once(BEGIN) else {
        return vec![format!("ARCHITECTURE.md: no section '{BEGIN}'")];
    };
    let walk = rest.split("\n## ").next().unwrap_or_default();
    let kernel = files.iter().filter(|f| f.is_rust() && f.path.starts_with(FOLDER));
    kernel
        .filter_map(|file| {
            let times = walk.matches(&format!("`{}`", file.path)).count();
            (times != 1).then(|| {
                format!("ARCHITECTURE.md: the walk through a step names {} {times} times, not once", file.path)
            })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_that_are_left_out_or_named_twice_are_found() {
        let file = |name: &str| TextFile { path: format!("{FOLDER}{name}"), text: String::new() };
        let files = [file("a.rs"), file("b.rs"), file("c.rs")];
        let text = format!("{BEGIN}\n`{FOLDER}a.rs` and `{FOLDER}b.rs`, `{FOLDER}b.rs`\n## Next\n`{FOLDER}c.rs`");
        let faults = check(&text, &files);
        assert_eq!(faults.len(), 2, "{faults:?}");
    }
}
