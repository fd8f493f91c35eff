//! `cargo xtask atlas --vary [ID…]`: which verdicts survive when step, sweeps, friction, counts and seed change by 10 to 50 %.
//!
//! A verdict that rests on expectations of bundled scenes is judged again by them. Limits on positions and times stay as they are: a verdict that needs one setting
//! to the digit shows it here.

use super::data::Experiment;
use super::measure::Measurer;
use crate::experiments::runner::Runner;
use crate::root::root;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::Path;
use toml::{Table, Value};

/// Factors on numbers.
const FACTORS: [f64; 4] = [0.5, 0.9, 1.1, 1.5];
/// Seeds in place of none.
const SEEDS: [u64; 2] = [1, 2];

/// What a scene must show, as far as it is needed here: `scenes/NAME.expect.toml`.
#[derive(Deserialize)]
struct Expectations {
    #[serde(default)]
    expect: Vec<Expectation>,
}

#[derive(Deserialize)]
struct Expectation {
    #[serde(default)]
    experiment: String,
    paradigm: Option<String>,
    #[serde(default)]
    set: Vec<String>,
    duration: Option<f64>,
    figure: Option<String>,
    body: Option<String>,
    quantity: Option<String>,
    min: Option<f64>,
    max: Option<f64>,
    near: Option<f64>,
    #[serde(default)]
    tolerance: f64,
    #[serde(default = "all")]
    fraction: f64,
}

fn all() -> f64 {
    1.0
}

/// A change of a run: what it is called, and what is set.
struct Variation {
    name: String,
    options: Vec<String>,
}

/// The outcome under one variation.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Outcome {
    Holds,
    Fails,
    /// The run is refused with it, or what is asked for is not there.
    Without,
}

/// Judges the experiments again and prints which survive.
pub(super) fn run<'a>(runner: &Runner, experiments: impl Iterator<Item = &'a Experiment>) -> Result<(), String> {
    let (mut judged, mut survive) = (0, 0);
    for experiment in experiments {
        let mut outcomes: BTreeMap<String, Outcome> = BTreeMap::new();
        for guard in &experiment.guards {
            let Some(name) = guard.strip_prefix("scenes/").and_then(|g| g.strip_suffix(".toml")) else { continue };
            vary_scene(runner, name, &experiment.id, &mut outcomes)?;
        }
        let counted = |outcome| outcomes.values().filter(|o| **o == outcome).count();
        let (holds, fails) = (counted(Outcome::Holds), counted(Outcome::Fails));
        if holds + fails == 0 {
            continue;
        }
        judged += 1;
        survive += usize::from(fails == 0);
        let failing: Vec<_> =
            outcomes.iter().filter(|(_, o)| **o == Outcome::Fails).map(|(name, _)| name.as_str()).collect();
        println!(
            "{}: {}: {holds} of {} hold; not with {}",
            experiment.id,
            experiment.verdict,
            holds + fails,
            if failing.is_empty() { "none".to_owned() } else { failing.join(", ") }
        );
    }
    println!("{survive} of {judged} verdicts that rest on scenes survive each variation");
    Ok(())
}

/// Judges what a scene shows of an experiment, under each variation of the scene.
fn vary_scene(runner: &Runner, name: &str, id: &str, outcomes: &mut BTreeMap<String, Outcome>) -> Result<(), String> {
    let scenes = root().join("scenes");
    let expectations: Expectations = read(&scenes.join(format!("{name}.expect.toml")))?;
    let scene: Table = read(&scenes.join(format!("{name}.toml")))?;
    let mut measurer = Measurer::new(runner);
    for expectation in expectations.expect.iter().filter(|e| e.experiment == id) {
        for variation in variations(&scene, expectation) {
            let outcome = expectation.judge(&mut measurer, name, &variation);
            let known = outcomes.entry(variation.name).or_insert(outcome);
            // one expectation that fails is enough
            if outcome == Outcome::Fails || *known == Outcome::Without {
                *known = outcome;
            }
        }
    }
    Ok(())
}

fn read<T: serde::de::DeserializeOwned>(path: &Path) -> Result<T, String> {
    let text = std::fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()))?;
    toml::from_str(&text).map_err(|e| format!("{}: {e}", path.display()))
}

/// The variations of a run: numbers of the scene, or of what the run sets in their place, times a factor.
fn variations(scene: &Table, expectation: &Expectation) -> Vec<Variation> {
    let mut all = Vec::new();
    let mut vary = |what: &str, numbers: &[(String, f64, bool)]| {
        for factor in FACTORS {
            let changed = numbers.iter().map(|(path, number, whole)| {
                let number = number * factor;
                format!("{path}={}", if *whole { number.round().max(1.0) } else { number })
            });
            let options: Vec<String> = changed.flat_map(|set| ["--set".to_owned(), set]).collect();
            if !options.is_empty() {
                all.push(Variation { name: format!("{what} x {factor}"), options });
            }
        }
    };
    let number = |path: &str| set_number(expectation, path).or_else(|| at(scene, path).and_then(as_number));
    let of = |path: &str, whole| number(path).map(|n| (path.to_owned(), n, whole)).into_iter().collect::<Vec<_>>();
    vary("step", &of("simulation.time_step", false));
    vary("sweeps", &of("simulation.lcp.iterations", true));
    let materials = scene.get("materials").and_then(Value::as_table).into_iter().flatten();
    let frictions = materials.filter_map(|(name, _)| {
        let path = format!("materials.{name}.friction");
        number(&path).map(|n| (path, n, false))
    });
    vary("friction", &frictions.collect::<Vec<_>>());
    let bodies = scene.get("bodies").and_then(Value::as_array).into_iter().flatten();
    let counts = bodies.enumerate().flat_map(|(body, table)| {
        let count = table.get("repeat").and_then(|r| r.get("count")).and_then(Value::as_array);
        let count = count.into_iter().flatten().filter_map(as_number).enumerate().filter(|(_, n)| *n > 1.0);
        count.map(move |(axis, n)| (format!("bodies.{body}.repeat.count.{axis}"), n, true)).collect::<Vec<_>>()
    });
    vary("counts", &counts.collect::<Vec<_>>());
    all.extend(
        SEEDS.map(|seed| Variation {
            name: format!("seed {seed}"),
            options: vec!["--seed".to_owned(), seed.to_string()],
        }),
    );
    all
}

/// The number that the run of an expectation sets at a path.
fn set_number(expectation: &Expectation, path: &str) -> Option<f64> {
    let set = expectation.set.iter().filter_map(|set| set.split_once('=')).find(|(to, _)| *to == path)?;
    set.1.parse().ok()
}

fn at<'a>(scene: &'a Table, path: &str) -> Option<&'a Value> {
    let mut keys = path.split('.');
    let first = scene.get(keys.next()?)?;
    keys.try_fold(first, |value, key| value.get(key))
}

fn as_number(value: &Value) -> Option<f64> {
    value.as_float().or_else(|| value.as_integer().map(|i| i as f64))
}

impl Expectation {
    fn judge(&self, measurer: &mut Measurer<'_>, scene: &str, variation: &Variation) -> Outcome {
        let mut options = Vec::new();
        if let Some(paradigm) = &self.paradigm {
            options.extend(["--paradigm".to_owned(), paradigm.clone()]);
        }
        options.extend(self.set.iter().flat_map(|set| ["--set".to_owned(), set.clone()]));
        if let Some(duration) = self.duration {
            options.extend(["--duration".to_owned(), duration.to_string()]);
        }
        // the last of two values counts
        options.extend(variation.options.iter().cloned());
        let what = match (&self.figure, &self.body, &self.quantity) {
            (Some(figure), ..) => measurer.values_of_figure(scene, options, figure),
            (None, Some(body), Some(quantity)) => measurer.values_of_bodies(scene, options, (body, quantity)),
            _ => return Outcome::Without,
        };
        let Ok(values) = what else { return Outcome::Without };
        let (least, most) = match self.near {
            Some(near) => (near - self.tolerance, near + self.tolerance),
            None => (self.min.unwrap_or(f64::NEG_INFINITY), self.max.unwrap_or(f64::INFINITY)),
        };
        let outside = values.iter().filter(|v| !(least..=most).contains(*v)).count();
        let allowed = ((1.0 - self.fraction) * values.len() as f64 + 1e-9).floor() as usize;
        if outside <= allowed { Outcome::Holds } else { Outcome::Fails }
    }
}
