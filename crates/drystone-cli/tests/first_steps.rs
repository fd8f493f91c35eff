//! The commands of the book's chapter on first steps, run exactly as printed.

use std::path::{Path, PathBuf};
use std::process::Command;

/// The code blocks of a chapter with their languages.
pub(crate) fn blocks(text: &str) -> Vec<(&str, String)> {
    let mut found: Vec<(&str, String)> = Vec::new();
    let mut open = false;
    for line in text.lines() {
        match line.strip_prefix("```") {
            Some(language) => {
                open = !open;
                if open {
                    found.push((language, String::new()));
                }
            }
            None if open => {
                if let Some((_, block)) = found.last_mut() {
                    block.push_str(line);
                    block.push('\n');
                }
            }
            None => {}
        }
    }
    found
}

/// Writes the scenes of a chapter to a file in a new folder and runs its commands there; returns the folder and the commands.
pub(crate) fn perform(chapter: &str, scene: &str) -> (PathBuf, Vec<String>) {
    let book = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/src").join(chapter);
    let text = std::fs::read_to_string(book).unwrap();
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(chapter.replace(['/', '.'], "-"));
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    let mut run = Vec::new();
    for (language, block) in blocks(&text) {
        match language {
            "toml" => std::fs::write(folder.join(scene), block).unwrap(),
            "console" => {
                for line in block.lines() {
                    let mut words = line.strip_prefix("$ ").expect("a line is a command").split(' ');
                    assert_eq!(words.next(), Some("drystone"));
                    let done = Command::new(env!("CARGO_BIN_EXE_drystone")).args(words).current_dir(&folder).output();
                    let done = done.unwrap();
                    assert!(done.status.success(), "{line}: {}", String::from_utf8_lossy(&done.stderr));
                    assert!(!done.stdout.is_empty(), "{line}");
                    run.push(line.to_owned());
                }
            }
            _ => {}
        }
    }
    (folder, run)
}

#[test]
fn the_commands_of_the_first_steps_work() {
    let (folder, run) = perform("first-steps.md", "tower.toml");
    assert_eq!(run.len(), 7, "{run:?}");
    for made in ["tower.svg", "figures/report.html", "figures/figures.csv"] {
        assert!(folder.join(made).metadata().is_ok_and(|m| m.len() > 500), "{made}");
    }
}
