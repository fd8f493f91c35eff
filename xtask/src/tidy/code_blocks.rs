use super::tree::TextFile;

/// Rust in Markdown is complete as written (no hidden lines, nothing left uncompiled), and a Rust file includes the document so
/// that its blocks run as doctests.
pub(crate) fn check(files: &[TextFile]) -> Vec<String> {
    let mut faults = Vec::new();
    for file in files.iter().filter(|f| f.is_markdown()) {
        let blocks = rust_blocks(&file.text);
        for block in &blocks {
            let at = |what: &str| format!("{}:{}: {what}", file.path, block.line);
            if block.tag != "rust" {
                faults.push(at(&format!("Rust block tagged {}, allowed: rust", block.tag)));
            }
            if block.code.iter().any(|l| l.trim() == "#" || l.trim_start().starts_with("# ")) {
                faults.push(at("a hidden line, which Markdown shows"));
            }
        }
        if !blocks.is_empty() && !files.iter().any(|f| f.is_rust() && includes(f, &file.path)) {
            faults.push(format!("{}: its Rust blocks are not compiled: no include_str! of it", file.path));
        }
    }
    faults
}

struct Block<'a> {
    line: usize,
    tag: &'a str,
    code: Vec<&'a str>,
}

/// The fenced blocks whose tag begins with `rust`.
fn rust_blocks(text: &str) -> Vec<Block<'_>> {
    let mut blocks = Vec::new();
    let mut lines = text.lines().enumerate();
    while let Some((i, line)) = lines.next() {
        let Some(tag) = line.strip_prefix("```") else { continue };
        let code = lines.by_ref().map(|(_, l)| l).take_while(|l| !l.starts_with("```")).collect();
        if tag.starts_with("rust") {
            blocks.push(Block { line: i + 1, tag: tag.trim(), code });
        }
    }
    blocks
}

/// Whether a Rust file has an `include_str!` of the document.
fn includes(rust: &TextFile, document: &str) -> bool {
    let folder: Vec<&str> = rust.path.split('/').rev().skip(1).collect::<Vec<_>>().into_iter().rev().collect();
    rust.text.split("include_str!(\"").skip(1).filter_map(|rest| rest.split('"').next()).any(|target| {
        let mut path = folder.clone();
        for part in target.split('/') {
            match part {
                ".." => drop(path.pop()),
                part => path.push(part),
            }
        }
        path.join("/") == document
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(path: &str, text: &str) -> TextFile {
        TextFile { path: path.to_owned(), text: text.to_owned() }
    }

    #[test]
    fn uncompiled_and_hidden_code_is_found() {
        let lib = || file("crates/a/src/lib.rs", "#[doc = include_str!(\"../README.md\")]\nstruct S;\n");
        let readme = |text: &str| file("crates/a/README.md", text);
        let whole = "```rust\n#[derive(Debug)]\nstruct S;\nfn main() {}\n```\n";
        assert!(check(&[lib(), readme(whole)]).is_empty());
        assert_eq!(check(&[readme(whole)]).len(), 1, "nobody includes it");
        assert_eq!(check(&[lib(), file("crates/b/README.md", whole)]).len(), 1, "another one is included");
        assert_eq!(check(&[lib(), readme("```rust,ignore\nx\n```\n")]).len(), 1);
        assert_eq!(check(&[lib(), readme("```rust\n# fn main() {}\n```\n")]).len(), 1);
        assert!(check(&[readme("```text\n# x\n```\n")]).is_empty());
    }
}
