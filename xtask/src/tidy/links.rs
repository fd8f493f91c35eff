use super::tree::TextFile;
use std::path::Path;

/// Relative links in the documentation lead somewhere, and so do the file names in ARCHITECTURE.md.
pub(crate) fn check(root: &Path, files: &[TextFile]) -> Vec<String> {
    let mut faults = Vec::new();
    for file in files.iter().filter(|f| f.is_markdown()) {
        let folder = root.join(&file.path);
        let Some(folder) = folder.parent() else { continue };
        for target in links(&file.text) {
            if !folder.join(target).exists() {
                faults.push(format!("{}: dead link {target}", file.path));
            }
            // the book is read without the repository around it
            if file.path.starts_with("docs/src/") && leaves(&file.path["docs/src/".len()..], target) {
                faults.push(format!("{}: {target} leads out of the book", file.path));
            }
        }
        if file.path == "ARCHITECTURE.md" {
            let named = code_spans(&file.text).filter(|s| is_path(s) && !root.join(s).exists());
            faults.extend(named.map(|s| format!("{}: no such file: {s}", file.path)));
        }
    }
    faults
}

/// Whether a relative link goes above the folder that the path of its file begins in.
fn leaves(file: &str, target: &str) -> bool {
    let mut depth = file.matches('/').count();
    target.split('/').any(|part| match part {
        ".." if depth == 0 => true,
        ".." => {
            depth -= 1;
            false
        }
        "." | "" => false,
        _ => {
            depth += 1;
            false
        }
    })
}

/// Targets of `[text](target)` that are files, without their anchors.
fn links(text: &str) -> impl Iterator<Item = &str> {
    text.match_indices("](").filter_map(|(i, open)| {
        let rest = &text[i + open.len()..];
        let target = rest[..rest.find(')')?].split('#').next()?;
        let file = !target.is_empty() && !target.contains("://") && !target.contains(char::is_whitespace);
        file.then_some(target)
    })
}

/// Texts between backticks.
fn code_spans(text: &str) -> impl Iterator<Item = &str> {
    text.split("```").step_by(2).flat_map(|prose| prose.split('`').skip(1).step_by(2))
}

fn is_path(span: &str) -> bool {
    let from_root = ["crates/", "benches/", "xtask/", "docs/", "scenes/"].iter().any(|p| span.starts_with(p));
    from_root && !span.contains(['*', '{', '<', ' '])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_are_found() {
        let text = "see [a](b/c.md#d), [web](https://example.org), [here](#x) and ![p](q.png)";
        assert_eq!(links(text).collect::<Vec<_>>(), ["b/c.md", "q.png"]);
    }

    #[test]
    fn links_out_of_a_folder_are_found() {
        assert!(leaves("a.md", "../b.md") && leaves("a/b.md", "../../c.md") && leaves("a.md", "x/../../c.md"));
        assert!(!leaves("a.md", "b.md") && !leaves("a/b.md", "../c.md") && !leaves("a.md", "x/../c.md"));
    }

    #[test]
    fn code_spans_skip_fenced_code() {
        let text = "`one`\n```text\n`two`\n```\n`crates/x.rs`";
        assert_eq!(code_spans(text).collect::<Vec<_>>(), ["one", "crates/x.rs"]);
        assert!(is_path("crates/x.rs") && !is_path("crates/*/x.rs") && !is_path("World"));
    }
}
