//! `--fair`: conditions under which times and errors of methods can be compared.

use crate::{Failure, Loaded};
use clap::{Args, ValueEnum};
use drystone::ModuleKind;
use drystone_core::catalogue::Settings;
use std::num::NonZeroU32;

/// Options of a fair comparison.
#[derive(Debug, Args)]
pub(super) struct FairArguments {
    /// Compare under equal conditions: no sleeping, warm starts alike, the same initial state, repeated runs, the machine named
    #[arg(long)]
    fair: bool,
    /// With --fair: passes over the constraints per time step of every method that iterates
    #[arg(long, value_name = "N", requires = "fair", conflicts_with = "residual")]
    iterations: Option<NonZeroU32>,
    /// With --fair: so many passes that the mean residual, relative to what gravity adds to a velocity per step, is at most this, and with one fewer is not
    #[arg(long, value_name = "R", requires = "fair", value_parser = above_zero)]
    residual: Option<f64>,
    /// With --fair: whether methods start from the impulses of the last step [default: on]
    #[arg(long, value_name = "on|off", requires = "fair")]
    warm_starts: Option<Switch>,
    /// Runs of each kind, taken in turn; the fastest is shown [default: 1, with --fair 5]
    #[arg(long, value_name = "N")]
    repeat: Option<NonZeroU32>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Switch {
    On,
    Off,
}

fn above_zero(text: &str) -> Result<f64, String> {
    let refused = || format!("found {text}; allowed: a number above 0");
    text.parse().ok().filter(|r: &f64| r.is_finite() && *r > 0.0).ok_or_else(refused)
}

/// The work that each method is given.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Work {
    /// As its settings say.
    Own,
    /// So many passes over the constraints per time step.
    Passes(u32),
    /// So many passes that the mean relative residual is at most this; with one fewer it is not.
    Residual(f64),
}

/// Equal conditions.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Conditions {
    pub(super) work: Work,
    warm_starts: bool,
}

impl FairArguments {
    /// The equal conditions; none without `--fair`.
    pub(super) fn conditions(&self) -> Option<Conditions> {
        let passes = self.iterations.map(|n| Work::Passes(n.get()));
        let work = passes.or(self.residual.map(Work::Residual)).unwrap_or(Work::Own);
        self.fair.then_some(Conditions { work, warm_starts: self.warm_starts != Some(Switch::Off) })
    }

    /// The number of runs of each kind.
    pub(super) fn repetitions(&self) -> u32 {
        self.repeat.map_or(if self.fair { 5 } else { 1 }, NonZeroU32::get)
    }
}

impl Conditions {
    /// The conditions in words.
    pub(super) fn said(&self) -> String {
        let work = match self.work {
            Work::Own => "each method with its own number of passes".to_owned(),
            Work::Passes(n) => format!("at most {n} passes per time step"),
            Work::Residual(r) => format!("so many passes that the mean residual is at most {r:e} of g h"),
        };
        let warm = if self.warm_starts { "on" } else { "off" };
        format!("no body sleeps; warm starts {warm} where there is a switch; {work}")
    }
}

/// Settings of a constraint solver that say how many passes it makes over its constraints.
const PASSES: [&str; 4] = ["iterations", "position_iterations", "sweeps", "moving_sweeps"];

/// The settings that make one run comparable with others.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Even {
    pub(super) conditions: Conditions,
    /// Settings that do not depend on the number of passes: path and value.
    fixed: Vec<(String, String)>,
    /// Paths of the settings that hold the number of passes per part of a step; none for a method that solves each problem to its end.
    passes: Vec<String>,
    /// The number of parts into which time control and constraint solver cut a step.
    parts: u32,
    /// Passes per part; `None` for those of the settings.
    per_part: Option<u32>,
}

impl Even {
    /// For a scene with its modules.
    ///
    /// # Errors
    /// [`Failure::Input`] where the number of passes cannot be divided among the parts of a step.
    pub(super) fn of(conditions: Conditions, loaded: &Loaded) -> Result<Self, Failure> {
        let modules = loaded.world.modules();
        let (lcp, own) = (modules.settings(ModuleKind::Lcp), modules.settings(ModuleKind::ConstraintSolver));
        let path = |kind: ModuleKind, key: &str| format!("simulation.{}.{key}", kind.table());
        let mut fixed = vec![("simulation.sleep_policy".to_owned(), "{ kind = \"never\" }".to_owned())];
        if lcp.has("warm_start") {
            fixed.push((path(ModuleKind::Lcp, "warm_start"), conditions.warm_starts.to_string()));
        }
        let mut passes: Vec<String> =
            PASSES.iter().filter(|key| own.has(key)).map(|key| path(ModuleKind::ConstraintSolver, key)).collect();
        if iterates(lcp) {
            passes.push(path(ModuleKind::Lcp, "iterations"));
        }
        if conditions.work != Work::Own && iterates(lcp) {
            // these end a solve by what the last pass changed, which is no measure of what is left
            for key in ["threshold", "relative_threshold"].into_iter().filter(|key| lcp.has(key)) {
                fixed.push((path(ModuleKind::Lcp, key), "0".to_owned()));
            }
        }
        let control = modules.settings(ModuleKind::TimeControl);
        let steps = if control.has("sub_steps") { control.integer("sub_steps").try_into().unwrap_or(1) } else { 1 };
        let within = modules.stages.constraint_solver.sub_steps();
        let parts = within.saturating_mul(steps).max(1);
        let per_part = match conditions.work {
            Work::Passes(n) if n % parts != 0 => {
                return Err(Failure::Input(format!(
                    "--iterations: found {n}, and {} makes {parts} parts of a step; allowed: multiples of {parts}, or another number of sub_steps by --set",
                    loaded.paradigm
                )));
            }
            Work::Passes(n) => Some(n / parts),
            Work::Own | Work::Residual(_) => None,
        };
        Ok(Self { conditions, fixed, passes, parts, per_part })
    }

    /// As `--set` takes them.
    pub(super) fn settings(&self) -> Vec<String> {
        let fixed = self.fixed.iter().map(|(path, value)| format!("{path}={value}"));
        let passes = self.per_part.iter().flat_map(|n| self.passes.iter().map(move |path| format!("{path}={n}")));
        fixed.chain(passes).collect()
    }

    /// Leaves out settings that nothing reads.
    pub(super) fn leave_out(&mut self, unread: &[String]) {
        self.fixed.retain(|(path, _)| !unread.contains(path));
        self.passes.retain(|path| !unread.contains(path));
    }

    /// Leaves settings to the values that were given for them by name. Where these are passes, the method keeps its own.
    pub(super) fn give_way(&mut self, named: &[(&str, &str)]) {
        for (path, value) in &mut self.fixed {
            if let Some((_, own)) = named.iter().rfind(|(name, _)| name == path) {
                (*own).clone_into(value);
            }
        }
        if self.passes.iter().any(|path| named.iter().any(|(name, _)| name == path)) {
            self.passes.clear();
        }
    }

    /// True if the method makes passes whose number is to be set.
    pub(super) fn iterates(&self) -> bool {
        !self.passes.is_empty()
    }

    /// Takes another number of passes per part of a step.
    pub(super) fn with_passes(&self, per_part: u32) -> Self {
        Self { per_part: Some(per_part), ..self.clone() }
    }

    /// Passes per time step; `None` where the method has no setting for it, or keeps its own.
    pub(super) fn passes(&self) -> Option<u32> {
        self.per_part.filter(|_| self.iterates()).map(|n| n.saturating_mul(self.parts))
    }

    /// The state of warm starts; `None` where the method has no switch for it.
    pub(super) fn warm_starts(&self) -> Option<bool> {
        let (_, value) = self.fixed.iter().find(|(path, _)| path.ends_with(".warm_start"))?;
        Some(value == "true")
    }
}

/// True if a complementarity solver comes nearer with every iteration. One that pivots has no answer before its end.
fn iterates(lcp: &Settings) -> bool {
    lcp.has("iterations") && lcp.has("threshold")
}
