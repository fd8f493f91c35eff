use super::Measure;
use super::evaluate::{InitialPositions, MeasureError, measure};
use serde_json::Value;

/// A way to run a scene: what differs from the scene's own choice.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Run {
    /// Another preset.
    pub paradigm: Option<String>,
    /// Values set, as `PATH=VALUE`.
    pub set: Vec<String>,
    /// Another duration (s).
    pub duration: Option<f64>,
}

/// Range of a value.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bounds {
    /// Least.
    pub min: f64,
    /// Largest.
    pub max: f64,
}

impl Bounds {
    /// Returns true if a value lies in the range.
    pub fn hold(&self, value: f64) -> bool {
        (self.min..=self.max).contains(&value)
    }
}

/// Claim of a source text's experiment that a demand guards.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Guarded {
    /// The experiment's ID in the list of sources; empty where the demand is none of theirs.
    pub experiment: String,
    /// True if the run lacks the feature that the experiment credits, and the demand is that it then comes out
    /// otherwise.
    pub control: bool,
}

/// One thing that must come out.
#[derive(Debug, Clone, PartialEq)]
pub struct Expectation {
    /// The run it is about.
    pub run: Run,
    /// Measured quantity.
    pub measure: Measure,
    /// Its range.
    pub bounds: Bounds,
    /// The part of the matching bodies that must keep the bounds, one for all.
    pub fraction: f64,
    /// Source of the demand.
    pub why: String,
    /// The experiment that it guards.
    pub guarded: Guarded,
}

/// Order of a measure from run to run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// Each at most the one before, and the last below the first.
    Falling,
    /// Each at least the one before, and the last above the first.
    Rising,
}

/// A measure over several runs.
#[derive(Debug, Clone, PartialEq)]
pub struct Ordering {
    /// The runs.
    pub runs: Vec<Run>,
    /// Measured quantity; over several bodies the largest.
    pub measure: Measure,
    /// Its order.
    pub order: Order,
    /// Source of the demand.
    pub why: String,
    /// The experiment that it guards.
    pub guarded: Guarded,
}

/// All that must come out of a scene.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Expectations {
    /// Demands on single runs.
    pub expect: Vec<Expectation>,
    /// Demands over several runs.
    pub ordering: Vec<Ordering>,
}

impl Expectations {
    /// Every run that is asked for, each once, in the order of the file.
    pub fn runs(&self) -> Vec<Run> {
        let mut runs: Vec<Run> = Vec::new();
        let asked = self.expect.iter().map(|e| &e.run).chain(self.ordering.iter().flat_map(|o| &o.runs));
        for run in asked {
            if !runs.contains(run) {
                runs.push(run.clone());
            }
        }
        runs
    }

    /// Failed expectations, a line each. `figures` are the runs with what they printed, as JSON.
    pub fn failures(&self, figures: &[(Run, Value)], initial: &InitialPositions) -> Vec<String> {
        let find = |run: &Run| figures.iter().find(|(r, _)| r == run).map(|(_, v)| v);
        let mut failures = Vec::new();
        for e in &self.expect {
            match find(&e.run) {
                None => failures.push(format!("{}: not run", e.measure)),
                Some(value) => failures.extend(e.failure(value, initial)),
            }
        }
        for o in &self.ordering {
            let values: Result<Vec<f64>, MeasureError> = o
                .runs
                .iter()
                .map(|run| {
                    let values = measure(&o.measure, find(run).unwrap_or(&Value::Null), initial)?;
                    Ok(values.iter().fold(f64::NEG_INFINITY, |m, (_, v)| m.max(*v)))
                })
                .collect();
            match values {
                Err(e) => failures.push(format!("{}: {e}", o.measure)),
                Ok(values) if !o.order.holds(&values) => {
                    failures.push(format!("{}: {values:?}, wanted {:?} ({})", o.measure, o.order, o.why));
                }
                Ok(_) => {}
            }
        }
        failures
    }
}

impl Expectation {
    fn failure(&self, figures: &Value, initial: &InitialPositions) -> Option<String> {
        let values = match measure(&self.measure, figures, initial) {
            Ok(values) => values,
            Err(e) => return Some(format!("{}: {e}", self.measure)),
        };
        let outside: Vec<_> = values.iter().filter(|(_, v)| !self.bounds.hold(*v)).collect();
        let allowed = ((1.0 - self.fraction) * values.len() as f64 + 1e-9).floor() as usize;
        if outside.len() <= allowed {
            return None;
        }
        let (name, value) = outside.first()?;
        let Bounds { min, max } = self.bounds;
        Some(format!(
            "{}: {name} has {value:?}, wanted {min:?} to {max:?}; {} of {} outside ({})",
            self.measure,
            outside.len(),
            values.len(),
            self.why
        ))
    }
}

impl Order {
    fn holds(self, values: &[f64]) -> bool {
        let (Some(first), Some(last)) = (values.first(), values.last()) else { return false };
        match self {
            Self::Falling => last < first && values.windows(2).all(|w| w[1] <= w[0]),
            Self::Rising => last > first && values.windows(2).all(|w| w[1] >= w[0]),
        }
    }
}
