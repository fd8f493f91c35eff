use crate::root::{cargo, root};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Runs among which the fastest counts.
const RUNS: usize = 3;

/// Runs scenes with the release binary.
pub(crate) struct Runner {
    binary: PathBuf,
    meshes: Option<PathBuf>,
    out: PathBuf,
}

/// The figures of a run, read by the path of their keys.
pub(crate) struct Figures(Value);

impl Runner {
    /// Takes a built binary, or builds one; `meshes` is the folder of meshes that are not ours.
    pub(crate) fn new(binary: Option<PathBuf>, meshes: Option<PathBuf>) -> Result<Self, String> {
        let out = root().join("out");
        std::fs::create_dir_all(&out).map_err(|e| format!("{}: {e}", out.display()))?;
        let binary = match binary {
            Some(binary) => binary,
            None => build()?,
        };
        Ok(Self { binary, meshes, out })
    }

    /// The folder of meshes that are not ours, where one was named.
    pub(crate) fn meshes(&self) -> Option<&Path> {
        self.meshes.as_deref()
    }

    /// The binary that it runs.
    pub(crate) fn binary(&self) -> &Path {
        &self.binary
    }

    /// Where an experiment's CSV file goes.
    pub(crate) fn csv(&self, name: &str) -> PathBuf {
        self.out.join(format!("{name}.csv"))
    }

    /// What the binary prints with some arguments.
    pub(crate) fn text(&self, arguments: &[&str]) -> Result<String, String> {
        let output = Command::new(&self.binary)
            .args(arguments)
            .output()
            .map_err(|e| format!("{}: {e}", self.binary.display()))?;
        if !output.status.success() {
            return Err(format!("{}: {}", arguments.join(" "), String::from_utf8_lossy(&output.stderr)));
        }
        String::from_utf8(output.stdout).map_err(|e| format!("{}: {e}", arguments.join(" ")))
    }

    /// What `drystone list` says.
    pub(crate) fn list(&self) -> Result<Value, String> {
        let output = Command::new(&self.binary)
            .args(["list", "--json"])
            .output()
            .map_err(|e| format!("{}: {e}", self.binary.display()))?;
        serde_json::from_slice(&output.stdout).map_err(|e| format!("list: {e}"))
    }

    /// As [`Self::figures`], of the run with the least of a time among three: what else the machine did is left out.
    pub(crate) fn fastest(
        &self,
        scene: &str,
        options: &[String],
        time: fn(&Figures) -> f64,
    ) -> Result<Result<Figures, String>, String> {
        let mut best = self.figures(scene, options)?;
        for _ in 1..RUNS {
            let Ok(fastest) = &best else { break };
            let again = self.figures(scene, options)?;
            if again.as_ref().is_ok_and(|a| time(a) < time(fastest)) {
                best = again;
            }
        }
        Ok(best)
    }

    /// The figures of a scene; a run that fails by itself (status 1) gives its last words.
    pub(crate) fn figures(&self, scene: &str, options: &[String]) -> Result<Result<Figures, String>, String> {
        let output = Command::new(&self.binary)
            .args(["run", scene, "--json"])
            .args(options)
            .output()
            .map_err(|e| format!("{}: {e}", self.binary.display()))?;
        match output.status.code() {
            Some(0) => {
                serde_json::from_slice(&output.stdout).map(|v| Ok(Figures(v))).map_err(|e| format!("{scene}: {e}"))
            }
            Some(1) => Ok(Err(String::from_utf8_lossy(&output.stderr).trim().to_owned())),
            _ => Err(format!("{scene} {}: {}", options.join(" "), String::from_utf8_lossy(&output.stderr).trim())),
        }
    }
}

/// Builds the binary and finds it.
fn build() -> Result<PathBuf, String> {
    let status = cargo(&["build", "--release", "-p", "drystone-cli"]).status().map_err(|e| format!("cargo: {e}"))?;
    if !status.success() {
        return Err(format!("cargo build: {status}"));
    }
    let output =
        cargo(&["metadata", "--no-deps", "--format-version", "1"]).output().map_err(|e| format!("cargo: {e}"))?;
    let metadata: Value = serde_json::from_slice(&output.stdout).map_err(|e| format!("cargo metadata: {e}"))?;
    let target = metadata["target_directory"].as_str().ok_or("cargo metadata: no target directory")?;
    Ok(PathBuf::from(target).join("release").join(format!("drystone{}", std::env::consts::EXE_SUFFIX)))
}

/// `--set PATH=VALUE`, as the command line wants it.
pub(crate) fn set(path: &str, value: impl std::fmt::Display) -> [String; 2] {
    ["--set".to_owned(), format!("{path}={value}")]
}

impl Figures {
    /// Of what `run --json` printed.
    pub(crate) fn new(value: Value) -> Self {
        Self(value)
    }

    /// A number by the keys on the way to it; not a number where there is none.
    pub(crate) fn number(&self, keys: &[&str]) -> f64 {
        keys.iter().fold(&self.0, |v, k| &v[*k]).as_f64().unwrap_or(f64::NAN)
    }

    /// All that was printed.
    pub(crate) fn value(&self) -> &Value {
        &self.0
    }

    /// Three numbers by the keys on the way to them; not numbers where there are none.
    pub(crate) fn triple(&self, keys: &[&str]) -> [f64; 3] {
        let found = keys.iter().fold(&self.0, |v, k| &v[*k]);
        [0, 1, 2].map(|i| found[i].as_f64().unwrap_or(f64::NAN))
    }

    /// Final positions of the bodies whose names begin so.
    pub(crate) fn positions(&self, prefix: &str) -> Vec<[f64; 3]> {
        let bodies = self.0["final"].as_array().map_or(&[][..], Vec::as_slice);
        let named = bodies.iter().filter(|b| b["name"].as_str().is_some_and(|n| n.starts_with(prefix)));
        named.map(|b| [0, 1, 2].map(|i| b["position"][i].as_f64().unwrap_or(f64::NAN))).collect()
    }

    /// The first three numbers of a quantity of a body at the end; not numbers where there is no such body.
    pub(crate) fn vector(&self, body: &str, key: &str) -> [f64; 3] {
        let bodies = self.0["final"].as_array().map_or(&[][..], Vec::as_slice);
        let found = bodies.iter().find(|b| b["name"] == body);
        [0, 1, 2].map(|i| found.and_then(|b| b[key][i].as_f64()).unwrap_or(f64::NAN))
    }

    /// Mean time of the constraint solver in a step (ms).
    pub(crate) fn solver_ms(&self) -> f64 {
        self.number(&["phase_ms", "constraint_solver"])
    }

    /// Mean time of collision detection in a step (ms).
    pub(crate) fn detection_ms(&self) -> f64 {
        self.phases_ms(&["broad_phase", "narrow_phase", "contact_determination", "stc_analysis"])
    }

    /// Mean time of a step without collision detection (ms).
    pub(crate) fn time_stepping_ms(&self) -> f64 {
        self.phases_ms(&["constraint_solver", "collision_solver", "motion_solver", "time_control"])
    }

    fn phases_ms(&self, phases: &[&str]) -> f64 {
        phases.iter().map(|phase| self.number(&["phase_ms", phase])).sum()
    }
}
