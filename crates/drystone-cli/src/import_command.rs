use crate::Failure;
use clap::Args;
use std::ffi::OsString;
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// Options of `drystone import`.
#[derive(Debug, Args)]
pub(crate) struct ImportArguments {
    /// A robot or model description: URDF, MJCF, glTF, USD
    file: PathBuf,
    /// The scene to write (TOML)
    #[arg(short, long, value_name = "SCENE")]
    output: PathBuf,
    /// Initial position of a joint (rad or m)
    #[arg(long, value_name = "JOINT=VALUE")]
    joint: Vec<String>,
    /// Fix the first link in space
    #[arg(long)]
    fixed_base: bool,
    /// glTF nodes to fix in space
    #[arg(long, value_name = "PATTERN")]
    fixed: Vec<String>,
    /// Folder that `package://NAME` stands for
    #[arg(long, value_name = "NAME=FOLDER")]
    package: Vec<String>,
    /// Let the links of a URDF robot meet each other
    #[arg(long)]
    self_collision: bool,
    /// Write nothing where bodies can move otherwise than in the description
    #[arg(long)]
    strict: bool,
}

/// Names the interpreter that has the package.
const PYTHON: &str = "DRYSTONE_PYTHON";

/// Runs the importers of the Python package: the complete readers of these formats are there.
pub(crate) fn run(a: &ImportArguments) -> Result<(), Failure> {
    let python = std::env::var_os(PYTHON).unwrap_or_else(|| "python3".into());
    let mut probe = Command::new(&python);
    probe.args(["-c", "import drystone.importers"]).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    if !probe.status().is_ok_and(|s| s.success()) {
        let python = python.display();
        return Err(Failure::Input(format!(
            "import: {python} has no package 'drystone': run `pip install './python[import]'`, or set {PYTHON} to an interpreter that has it"
        )));
    }
    let mut command = Command::new(&python);
    command.args(["-m", "drystone", "import"]).arg(&a.file).arg("-o").arg(&a.output);
    for (option, values) in [("--joint", &a.joint), ("--fixed", &a.fixed), ("--package", &a.package)] {
        command.args(values.iter().flat_map(|v| [OsString::from(option), v.into()]));
    }
    let flags = [("--fixed-base", a.fixed_base), ("--self-collision", a.self_collision), ("--strict", a.strict)];
    command.args(flags.iter().filter(|(_, given)| *given).map(|(flag, _)| flag));
    match command.status() {
        Ok(status) if status.success() => Ok(()),
        // it has said why
        Ok(_) => Err(Failure::Input(format!("import: {} was not written", a.output.display()))),
        Err(error) => Err(Failure::Input(format!("import: {error}"))),
    }
}
