use drystone::WorldError;
use drystone_core::{FailureKind, LimitedFigure};
use drystone_scene::SceneFaults;
use drystone_session::LoadError;
use signal_hook::consts::SIGINT;
use std::process::ExitCode;
use thiserror::Error;

/// Why a command did not do what it was asked.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum Failure {
    /// A scene is faulty: one line a fault.
    #[error("{0}")]
    Scene(#[from] SceneFaults),
    /// Something else about the input or the options is wrong.
    #[error("{0}")]
    Input(String),
    /// The simulation failed: when, which body, which module.
    #[error("{0}")]
    Simulation(String),
    /// A signal ended the run before its time; what it was asked to write is written.
    #[error("stopped by {} at t = {time} s, after {steps} steps", if *signal == SIGINT { "Ctrl-C" } else { "a signal" })]
    Stopped {
        /// The signal's number.
        signal: i32,
        /// Simulated time (s).
        time: f64,
        /// Steps taken.
        steps: u64,
    },
    /// A file cannot be written.
    #[error("{path}: cannot be written: {error}")]
    Write {
        /// The file.
        path: String,
        /// Why.
        error: std::io::Error,
    },
}

impl From<LoadError> for Failure {
    fn from(error: LoadError) -> Self {
        match error {
            LoadError::Scene(faults) => Self::Scene(faults),
            other => Self::Input(other.to_string()),
        }
    }
}

impl Failure {
    /// 1 where a simulation failed, 2 where the input was bad, 128 and the signal's number where one ended the run.
    pub fn exit_code(&self) -> ExitCode {
        match self {
            Self::Simulation(_) => ExitCode::from(1),
            Self::Stopped { signal, .. } => ExitCode::from((128 + signal) as u8),
            _ => ExitCode::from(2),
        }
    }

    /// A step's failure with the names of body and joint in place of their numbers.
    pub fn of_step(error: &WorldError, names: &[String], joint_names: &[String]) -> Self {
        let WorldError::Step(step) = error else { return Self::Input(error.to_string()) };
        let joint = match step.kind {
            FailureKind::Limit { figure: LimitedFigure::JointGap(joint), .. } => joint_names.get(joint as usize),
            _ => None,
        };
        let joint = joint.filter(|n| !n.is_empty()).map(|n| format!(", joint '{n}'")).unwrap_or_default();
        let body = step.body.and_then(|b| names.get(b.at())).map(|n| format!(", body '{n}'")).unwrap_or_default();
        Self::Simulation(format!("{} failed at t = {} s{body}{joint}: {}", step.module, step.time, step.kind))
    }
}
