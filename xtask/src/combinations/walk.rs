//! Walks over modules and parameters.

use super::judge::{Outcome, judge};
use super::random::Random;
use super::scene::member;
use crate::experiments::runner::Runner;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

/// Worlds of a walk.
pub(crate) const LENGTH: u64 = 8;
/// Processor time of a run (s).
const PATIENCE: &str = "20";
/// Presets that say where bodies are at the end; a run is compared with the nearest.
const REFERENCES: [&str; 3] = ["real-time", "velocity-lcp", "substep-soft"];
/// Modules that obey another law, or are there to fail.
const NEGATIVE: [&str; 2] = ["explicit-euler", "first-order"];

/// What `drystone list` knows: the presets that are walked from, and per table the implementations with their parameters.
pub(crate) struct Catalogue {
    presets: Vec<String>,
    tables: Vec<(String, Vec<Value>)>,
}

impl Catalogue {
    pub(crate) fn of(runner: &Runner) -> Result<Self, String> {
        let list: Value = serde_json::from_str(&runner.text(&["list", "--json"])?).map_err(|e| e.to_string())?;
        let name = |v: &Value| v["name"].as_str().map(str::to_owned);
        let usual = |name: &String| !NEGATIVE.contains(&name.as_str());
        let presets = list["paradigms"].as_array().into_iter().flatten().filter_map(name).filter(usual).collect();
        let tables = list["modules"].as_object().into_iter().flatten();
        let kept = |all: &Value| -> Vec<Value> {
            all.as_array().into_iter().flatten().filter(|i| name(i).is_some_and(|n| usual(&n))).cloned().collect()
        };
        Ok(Self { presets, tables: tables.map(|(table, all)| (table.clone(), kept(all))).collect() })
    }
}

/// Something that went wrong without a message.
pub(crate) struct Fault {
    pub(crate) walk: u64,
    family: &'static str,
    preset: String,
    settings: BTreeMap<String, String>,
    word: &'static str,
    detail: String,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { walk, family, preset, settings, word, detail } = self;
        let settings: Vec<String> = settings.iter().map(|(path, value)| format!("{path}={value}")).collect();
        write!(f, "walk {walk}: {family} under {preset} with {}: {word} {detail}", settings.join(" "))
    }
}

/// The outcome of a walk.
#[derive(Default)]
pub(crate) struct Found {
    pub(crate) words: Vec<&'static str>,
    pub(crate) faults: Vec<Fault>,
}

/// A walk: a scene under a preset, and the settings so far.
pub(crate) struct Walk<'a> {
    runner: &'a Runner,
    catalogue: &'a Catalogue,
    random: Random,
    number: u64,
    family: &'static str,
    file: PathBuf,
    preset: String,
    settings: BTreeMap<String, String>,
}

impl<'a> Walk<'a> {
    pub(crate) fn new(runner: &'a Runner, catalogue: &'a Catalogue, seed: u64, number: u64) -> Result<Self, String> {
        let mut random = Random::new(seed, number);
        let (family, text) = member(&mut random);
        let folder = runner.csv("combinations").with_extension("");
        std::fs::create_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
        let file = folder.join(format!("{seed}-{number}.toml"));
        std::fs::write(&file, text).map_err(|e| format!("{}: {e}", file.display()))?;
        let preset = random.of(&catalogue.presets).ok_or("there is no preset")?.clone();
        Ok(Self { runner, catalogue, random, number, family, file, preset, settings: BTreeMap::new() })
    }

    /// Makes so many runs. The scene's file stays if one goes wrong without a message.
    pub(crate) fn go(mut self, steps: u64) -> Result<Found, String> {
        let none = BTreeMap::new();
        let mut reference = Vec::new();
        for preset in REFERENCES {
            let outcome = judge(&self.output(preset, &none)?, &[]);
            if outcome.word == "well" {
                reference.push(outcome.places);
            }
        }
        let base = judge(&self.output(&self.preset, &none)?, &reference);
        let mut found = Found::default();
        for step in 0..steps {
            if step == 0 {
                self.note(&base, "", &mut found);
                // what a preset itself does wrong is no matter of its modules
                if base.word != "well" {
                    found.words.extend((1..steps).map(|_| "not walked"));
                    break;
                }
                continue;
            }
            let before = self.settings.clone();
            self.change();
            let outcome = judge(&self.output(&self.preset, &self.settings)?, &reference);
            self.note(&outcome, &base.said, &mut found);
            if outcome.word != "well" {
                self.settings = before;
            }
        }
        if found.faults.is_empty() {
            std::fs::remove_file(&self.file).map_err(|e| format!("{}: {e}", self.file.display()))?;
        }
        Ok(found)
    }

    /// Counts an outcome; it is a fault if it is wrong and nothing was said beyond what is said anyway.
    fn note(&self, outcome: &Outcome, anyway: &str, found: &mut Found) {
        let told = outcome.said != anyway;
        let fault = outcome.is_never_right() || outcome.is_wrong() && !told;
        found.words.push(match outcome.word {
            _ if fault => "wrong",
            "well" if told => "warned, well",
            "well" | "refused" => outcome.word,
            _ => "warned",
        });
        if fault {
            found.faults.push(Fault {
                walk: self.number,
                family: self.family,
                preset: self.preset.clone(),
                settings: self.settings.clone(),
                word: outcome.word,
                detail: outcome.detail.clone(),
            });
        }
    }

    /// Replaces a module, or changes a parameter of one.
    fn change(&mut self) {
        let Some((table, all)) = self.random.of(&self.catalogue.tables) else { return };
        let kind = if table == "lcp" { "solver" } else { "kind" };
        let path = format!("simulation.{table}.{kind}");
        let named = self.settings.get(&path).cloned();
        let own = named.and_then(|name| all.iter().find(|i| i["name"].as_str() == Some(&name)));
        let parameters = own.and_then(|i| i["parameters"].as_array()).map(Vec::as_slice).unwrap_or_default();
        if self.random.below(3) > 0
            && let Some(parameter) = self.random.of(parameters)
            && let Some(value) = changed(parameter, &mut self.random)
        {
            let name = parameter["name"].as_str().unwrap_or_default();
            self.settings.insert(format!("simulation.{table}.{name}"), value);
        } else if let Some(name) = self.random.of(all).and_then(|i| i["name"].as_str()) {
            // the parameters were those of the module before
            let own = format!("simulation.{table}.");
            self.settings.retain(|path, _| !path.starts_with(&own));
            self.settings.insert(path, name.to_owned());
        }
    }

    fn output(&self, preset: &str, settings: &BTreeMap<String, String>) -> Result<Output, String> {
        let mut command = Command::new("sh");
        command.args(["-c", "ulimit -t \"$0\" && exec \"$@\"", PATIENCE]).arg(self.runner.binary()).arg("run");
        command.arg(&self.file).args(["--paradigm", preset, "--json"]);
        for (path, value) in settings {
            command.args(["--set", &format!("{path}={value}")]);
        }
        command.stdin(Stdio::null()).output().map_err(|e| format!("{}: {e}", self.runner.binary().display()))
    }
}

/// Another value of a parameter: any of a choice or a switch, and a number between half and twice the default, within its range. `None` if there is none.
fn changed(parameter: &Value, random: &mut Random) -> Option<String> {
    let default = &parameter["default"];
    let factor = random.range(0.5, 2.0);
    let within = |x: f64| {
        let bound = |k: usize, other: f64| parameter["range"][k].as_f64().unwrap_or(other);
        x.max(bound(0, f64::NEG_INFINITY)).min(bound(1, f64::INFINITY))
    };
    match parameter["type"].as_str()? {
        "bool" => Some((random.below(2) == 0).to_string()),
        "choice" => random.of(parameter["options"].as_array()?)?.as_str().map(str::to_owned),
        "integer" => Some(format!("{:.0}", within((default.as_f64()? * factor).round()))),
        "real" => Some(format!("{:e}", within(default.as_f64()? * factor))).filter(|_| default.as_f64() != Some(0.0)),
        _ => None,
    }
}
