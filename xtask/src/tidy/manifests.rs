use super::tree::TextFile;
use crate::root::cargo;
use serde_json::Value;

/// An arrow from one package of the workspace to another.
pub(crate) struct Edge {
    pub(crate) to: String,
    /// Whether it is for tests, examples and benches only.
    pub(crate) dev: bool,
}

/// A package of the workspace.
pub(crate) struct Package {
    pub(crate) name: String,
    pub(crate) edges: Vec<Edge>,
    has_description: bool,
    /// The folder of its manifest.
    folder: String,
}

#[cfg(test)]
impl Package {
    pub(crate) fn for_test(name: &str, edges: Vec<Edge>) -> Self {
        Self { name: name.to_owned(), edges, has_description: true, folder: String::new() }
    }
}

/// The packages that `cargo metadata` lists.
pub(crate) fn read() -> Result<Vec<Package>, String> {
    let output = cargo(&["metadata", "--no-deps", "--format-version", "1"])
        .output()
        .map_err(|e| format!("cargo could not be started: {e}"))?;
    if !output.status.success() {
        return Err(format!("cargo metadata: {}", String::from_utf8_lossy(&output.stderr)));
    }
    let metadata: Value = serde_json::from_slice(&output.stdout).map_err(|e| format!("cargo metadata: {e}"))?;
    let list = metadata["packages"].as_array().ok_or("cargo metadata: no packages")?;
    let names: Vec<&str> = list.iter().filter_map(|p| p["name"].as_str()).collect();
    let root = crate::root::root();
    Ok(list
        .iter()
        .map(|p| {
            let manifest = p["manifest_path"].as_str().unwrap_or_default();
            let folder = std::path::Path::new(manifest).parent().and_then(|f| f.strip_prefix(&root).ok());
            let dependencies = p["dependencies"].as_array().map_or(&[][..], Vec::as_slice);
            Package {
                name: p["name"].as_str().unwrap_or_default().to_owned(),
                edges: dependencies
                    .iter()
                    .filter_map(|d| {
                        let to = d["name"].as_str().filter(|n| names.contains(n))?.to_owned();
                        Some(Edge { to, dev: d["kind"].as_str() == Some("dev") })
                    })
                    .collect(),
                has_description: p["description"].as_str().is_some_and(|d| !d.trim().is_empty()),
                folder: folder.map(|f| f.to_string_lossy().replace('\\', "/")).unwrap_or_default(),
            }
        })
        .collect())
}

/// Every package says what it is, in its manifest and in a README.
pub(crate) fn check(packages: &[Package], files: &[TextFile]) -> Vec<String> {
    let mut faults = Vec::new();
    for p in packages {
        if !p.has_description {
            faults.push(format!("{}/Cargo.toml: no description", p.folder));
        }
        let readme = format!("{}/README.md", p.folder);
        if !files.iter().any(|f| f.path == readme && f.text.lines().count() > 2) {
            faults.push(format!("{readme}: missing or empty"));
        }
    }
    faults
}
