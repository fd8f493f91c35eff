use std::fs;
use std::path::Path;

/// A text file of the repository.
pub(crate) struct TextFile {
    /// From the root, with `/`.
    pub(crate) path: String,
    pub(crate) text: String,
}

impl TextFile {
    pub(crate) fn is_rust(&self) -> bool {
        self.has_extension("rs")
    }

    pub(crate) fn is_markdown(&self) -> bool {
        self.has_extension("md")
    }

    fn has_extension(&self, extension: &str) -> bool {
        Path::new(&self.path).extension().is_some_and(|e| e == extension)
    }
}

/// Every UTF-8 file under the root, build folders, `out/` and hidden folders (but `.ci`) left out; sorted by path.
pub(crate) fn text_files(root: &Path) -> Result<Vec<TextFile>, String> {
    let mut files = Vec::new();
    walk(root, "", &mut files)?;
    files.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(files)
}

fn walk(folder: &Path, prefix: &str, files: &mut Vec<TextFile>) -> Result<(), String> {
    let failed = |e: std::io::Error| format!("{}: {e}", folder.display());
    for entry in fs::read_dir(folder).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let path = entry.path();
        let kind = entry.file_type().map_err(failed)?;
        if kind.is_dir() {
            let hidden = name.starts_with('.') && name != ".ci";
            let made = match prefix {
                "" => name == "out",
                "lab/" => name == "node_modules" || name == "dist" || name == "test-results",
                "lab/src/" => name == "engine",
                _ => name == "book",
            };
            let built = made || path.join("CACHEDIR.TAG").exists();
            if !hidden && !built {
                walk(&path, &format!("{prefix}{name}/"), files)?;
            }
        } else if kind.is_file() && name != ".git" {
            // (a linked work tree has a file of that name)
            // what is not UTF-8 (meshes, pictures) has no lines to check
            if let Ok(text) = fs::read_to_string(&path) {
                files.push(TextFile { path: format!("{prefix}{name}"), text });
            }
        }
    }
    Ok(())
}
