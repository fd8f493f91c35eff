use super::tree::TextFile;
use crate::root::cargo;
use serde_json::Value;

/// An arrow from one package of the workspace to another.
pub(crate) struct Edge {
    pub(crate) to: String,
    /// Whether it is for tests, examples and benches only.
    pub(crate) dev: bool,
}

/// Features of the workspace's crates that read files.
const READERS: [&str; 1] = ["import"];
/// What a crate of the engine takes only behind a feature: readers of files, and threads.
const HEAVY: [&str; 9] = ["tobj", "stl_io", "gltf", "base64", "serde", "serde_json", "toml", "rayon", "hdf5-reader"];
/// The crates that do read files, and those of nobody but the project.
const READING: [&str; 9] = [
    "drystone-lcp-files",
    "drystone-scene",
    "drystone-session",
    "drystone-cli",
    "drystone-web",
    "drystone-benches",
    "drystone-testkit",
    "drystone-narrow-phase-parry",
    "xtask",
];

/// A package of the workspace.
pub(crate) struct Package {
    pub(crate) name: String,
    pub(crate) edges: Vec<Edge>,
    has_description: bool,
    /// What it takes without being asked that only those who read files have a use for.
    heavy: Vec<String>,
    /// The folder of its manifest.
    folder: String,
}

#[cfg(test)]
impl Package {
    pub(crate) fn for_test(name: &str, edges: Vec<Edge>) -> Self {
        Self { name: name.to_owned(), edges, has_description: true, heavy: Vec::new(), folder: String::new() }
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
                heavy: heavy(p["name"].as_str().unwrap_or_default(), dependencies, &names),
                has_description: p["description"].as_str().is_some_and(|d| !d.trim().is_empty()),
                folder: folder.map(|f| f.to_string_lossy().replace('\\', "/")).unwrap_or_default(),
            }
        })
        .collect())
}

/// The dependencies of a crate of the engine that make it heavy: readers and threads that no feature asks for.
fn heavy(name: &str, dependencies: &[Value], own: &[&str]) -> Vec<String> {
    if READING.contains(&name) {
        return Vec::new();
    }
    let texts = |v: &Value| v.as_array().into_iter().flatten().filter_map(|f| f.as_str().map(str::to_owned)).collect();
    let normal = dependencies.iter().filter(|d| d["kind"].is_null());
    let is_heavy = |d: &&Value| {
        let to = d["name"].as_str().unwrap_or_default();
        let features: Vec<String> = texts(&d["features"]);
        let reads = features.iter().any(|f| READERS.contains(&f.as_str()));
        let by_default = d["uses_default_features"] == true && ["drystone-geometry", "drystone-lcp"].contains(&to);
        if own.contains(&to) { reads || by_default } else { d["optional"] != true && HEAVY.contains(&to) }
    };
    normal.filter(is_heavy).filter_map(|d| d["name"].as_str().map(str::to_owned)).collect()
}

/// Every package says what it is, in its manifest and in a README, and is light.
pub(crate) fn check(packages: &[Package], files: &[TextFile]) -> Vec<String> {
    let mut faults = Vec::new();
    for p in packages {
        if !p.has_description {
            faults.push(format!("{}/Cargo.toml: no description", p.folder));
        }
        for to in &p.heavy {
            faults.push(format!("{}/Cargo.toml: {to} is for those who ask for it by a feature", p.folder));
        }
        let readme = format!("{}/README.md", p.folder);
        if !files.iter().any(|f| f.path == readme && f.text.lines().count() > 2) {
            faults.push(format!("{readme}: missing or empty"));
        }
    }
    faults
}

#[cfg(test)]
mod tests {
    use super::heavy;
    use serde_json::json;

    #[test]
    fn a_crate_of_the_engine_takes_no_reader_unasked() {
        let dependency = |name: &str, optional: bool, default: bool, features: &[&str]| json!({"name": name, "kind": null, "optional": optional, "uses_default_features": default, "features": features});
        let own = ["drystone-geometry", "drystone-lcp"];
        let of = |package, d| heavy(package, &[d], &own);
        assert_eq!(of("drystone-motion", dependency("serde", false, true, &[])), ["serde"]);
        assert_eq!(of("drystone-motion", dependency("drystone-geometry", false, true, &[])), ["drystone-geometry"]);
        assert_eq!(
            of("drystone-motion", dependency("drystone-geometry", false, false, &["import"])),
            ["drystone-geometry"]
        );
        assert!(of("drystone-motion", dependency("serde", true, true, &[])).is_empty());
        assert!(of("drystone-motion", dependency("drystone-geometry", false, false, &[])).is_empty());
        assert!(of("drystone-motion", dependency("glam", false, true, &[])).is_empty());
        assert!(of("drystone-scene", dependency("serde", false, true, &[])).is_empty());
    }
}
