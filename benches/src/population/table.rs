//! Tables of a population: a row per scene and engine, and percentiles.

use super::run::{RunRecord, SceneRecord};
use crate::scenes::DT;
use serde_json::{Map, Value, json};
use std::fmt::Write;

/// A figure of one engine's run of a scene.
struct Figure {
    /// Head of its column.
    head: &'static str,
    decimals: usize,
    of: fn(&SceneRecord, &RunRecord) -> Option<f64>,
}

/// All figures, in the order of the columns.
const FIGURES: &[Figure] = &[
    Figure { head: "ms/step", decimals: 4, of: |_, run| Some(1e3 * mean(&run.times)) },
    Figure { head: "/f32", decimals: 2, of: |scene, run| ratio(scene, run, "rapier-f32") },
    Figure { head: "/f64", decimals: 2, of: |scene, run| ratio(scene, run, "rapier-f64") },
    Figure { head: "p99 ms", decimals: 4, of: |_, run| percentile(&run.times, 0.99).map(|s| 1e3 * s) },
    Figure { head: "max/median", decimals: 1, of: |_, run| peak(&run.times) },
    Figure { head: "contacts", decimals: 0, of: |_, run| Some(run.contacts) },
    Figure { head: "solves", decimals: 0, of: |_, run| run.solves.map(|solves| solves as f64) },
    Figure { head: "limit %", decimals: 1, of: |_, run| run.limited.map(|share| 100.0 * share) },
    Figure { head: "gap mm", decimals: 4, of: |scene, run| (scene.joints > 0).then_some(1e3 * run.quality.gap) },
    Figure { head: "depth mm", decimals: 3, of: |_, run| Some(1e3 * run.quality.depth) },
    Figure { head: "gain %", decimals: 3, of: |_, run| Some(100.0 * run.quality.gain) },
    Figure { head: "creep mm", decimals: 3, of: |_, run| Some(1e3 * run.quality.creep) },
];

/// Seeds of the largest values that the percentiles name.
const WORST: usize = 4;

impl Figure {
    /// The value; `None` for one that is missing or not finite.
    fn value(&self, scene: &SceneRecord, run: &RunRecord) -> Option<f64> {
        (self.of)(scene, run).filter(|value| value.is_finite())
    }

    fn cell(&self, value: Option<f64>) -> String {
        value.map_or("-".to_owned(), |v| format!("{v:.*}", self.decimals))
    }
}

fn mean(times: &[f64]) -> f64 {
    times.iter().sum::<f64>() / times.len() as f64
}

/// The least of the values that `share` of all do not exceed; `None` of nothing.
fn percentile(values: &[f64], share: f64) -> Option<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let place = (share * sorted.len() as f64).ceil() as usize;
    sorted.get(place.max(1) - 1).copied()
}

/// The largest relative to the median.
fn peak(times: &[f64]) -> Option<f64> {
    Some(percentile(times, 1.0)? / percentile(times, 0.5)?)
}

/// Mean time relative to a peer's, over the steps that both took.
fn ratio(scene: &SceneRecord, run: &RunRecord, peer: &str) -> Option<f64> {
    let peer = scene.runs.iter().find(|run| run.engine == peer)?;
    let steps = run.times.len().min(peer.times.len());
    Some(mean(&run.times[..steps]) / mean(&peer.times[..steps]))
}

/// The form of a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Style {
    /// Columns of equal width.
    Text,
    /// Markdown.
    Markdown,
}

impl Style {
    fn row(self, first: &[String], cells: &[String]) -> String {
        match self {
            Self::Markdown => format!("| {} | {} |", first.join(" | "), cells.join(" | ")),
            Self::Text => {
                let mut line = format!("  {:<20}", first.join(" "));
                for cell in cells {
                    let _ = write!(line, " {cell:>10}");
                }
                line
            }
        }
    }

    fn head(self, first: &[&str], cells: &[&str]) -> String {
        let own = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
        let row = self.row(&own(first), &own(cells));
        match self {
            Self::Markdown => format!("{row}\n|{}", "---|".repeat(first.len() + cells.len())),
            Self::Text => row,
        }
    }
}

/// Records of a population.
#[derive(Debug, Clone, Default)]
pub struct Population {
    /// The scenes.
    pub scenes: Vec<SceneRecord>,
}

impl Population {
    /// Head of the table of scenes.
    pub fn head(style: Style) -> String {
        let heads: Vec<&str> = FIGURES.iter().map(|figure| figure.head).collect();
        match style {
            Style::Text => style.head(&["engine"], &heads),
            Style::Markdown => style.head(&["seed", "kinds", "bodies", "joints", "engine"], &heads),
        }
    }

    /// Rows of a scene, one per engine.
    pub fn rows(scene: &SceneRecord, style: Style) -> String {
        let kinds = scene.kinds.join(", ");
        let mut text = match style {
            Style::Text => {
                format!("seed {}: {kinds}; {} bodies, {} joints", scene.seed, scene.bodies, scene.joints)
            }
            Style::Markdown => String::new(),
        };
        for run in &scene.runs {
            let cells: Vec<String> = FIGURES.iter().map(|figure| figure.cell(figure.value(scene, run))).collect();
            let engine = run.engine.clone();
            let first = match style {
                Style::Text => vec![engine],
                Style::Markdown => {
                    vec![
                        scene.seed.to_string(),
                        kinds.clone(),
                        scene.bodies.to_string(),
                        scene.joints.to_string(),
                        engine,
                    ]
                }
            };
            if !text.is_empty() {
                text.push('\n');
            }
            text.push_str(&style.row(&first, &cells));
            if let (Some(failure), Style::Text) = (&run.failure, style) {
                let _ = write!(text, "\n    stopped after {:.2} s: {failure}", run.times.len() as f64 * DT);
            }
        }
        text
    }

    /// Percentiles of every figure over the scenes, engine by engine, with the seeds of the largest values.
    pub fn percentiles(&self, style: Style) -> String {
        let first: &[&str] = if style == Style::Text { &["engine"] } else { &["engine", "figure"] };
        let heads = ["figure", "median", "p90", "max", "worst seeds"];
        let mut text = style.head(first, if style == Style::Text { &heads } else { &heads[1..] });
        for engine in self.engines() {
            for figure in FIGURES {
                let values = self.values(&engine, figure);
                let numbers: Vec<f64> = values.iter().map(|(value, _)| *value).collect();
                let mut cells = vec![figure.head.to_owned()];
                cells.extend([0.5, 0.9, 1.0].map(|share| figure.cell(percentile(&numbers, share))));
                let seeds: Vec<String> = values.iter().take(WORST).map(|(_, seed)| seed.to_string()).collect();
                cells.push(seeds.join(" "));
                let _ = write!(text, "\n{}", style.row(std::slice::from_ref(&engine), &cells));
            }
        }
        let stopped = self.scenes.iter().flat_map(|s| s.runs.iter().map(move |r| (s.seed, r)));
        for (seed, run) in stopped.filter(|(_, run)| run.failure.is_some()) {
            let _ = write!(text, "\n\n{} stopped in seed {seed}: {}", run.engine, run.failure.as_deref().unwrap_or(""));
        }
        text
    }

    /// Everything as JSON.
    pub fn json(&self) -> Value {
        let run = |scene: &SceneRecord, run: &RunRecord| {
            let mut entry: Map<String, Value> =
                FIGURES.iter().map(|figure| (figure.head.to_owned(), json!(figure.value(scene, run)))).collect();
            let largest = (0..run.times.len()).max_by(|&i, &j| run.times[i].total_cmp(&run.times[j]));
            // the first step is not timed
            entry.insert("largest step".to_owned(), json!(largest.map(|i| i + 1)));
            entry.insert("engine".to_owned(), run.engine.clone().into());
            entry.insert("failure".to_owned(), json!(run.failure));
            Value::from(entry)
        };
        let scene = |scene: &SceneRecord| {
            json!({
                "seed": scene.seed,
                "kinds": scene.kinds,
                "bodies": scene.bodies,
                "joints": scene.joints,
                "runs": scene.runs.iter().map(|r| run(scene, r)).collect::<Vec<_>>(),
            })
        };
        json!({ "scenes": self.scenes.iter().map(scene).collect::<Vec<_>>(), "percentiles": self.percentiles_json() })
    }

    fn percentiles_json(&self) -> Value {
        let of = |engine: &String| {
            let figures = FIGURES.iter().map(|figure| {
                let numbers: Vec<f64> = self.values(engine, figure).into_iter().map(|(value, _)| value).collect();
                let [median, p90, max] = [0.5, 0.9, 1.0].map(|share| percentile(&numbers, share));
                (figure.head.to_owned(), json!({ "median": median, "p90": p90, "max": max }))
            });
            (engine.clone(), Value::from(figures.collect::<Map<_, _>>()))
        };
        self.engines().iter().map(of).collect::<Map<_, _>>().into()
    }

    /// Engines in the order of their runs.
    fn engines(&self) -> Vec<String> {
        self.scenes.first().map_or(Vec::new(), |scene| scene.runs.iter().map(|run| run.engine.clone()).collect())
    }

    /// Values of a figure with their seeds, the largest first.
    fn values(&self, engine: &str, figure: &Figure) -> Vec<(f64, u64)> {
        let runs = self.scenes.iter().flat_map(|scene| scene.runs.iter().map(move |run| (scene, run)));
        let of_engine = runs.filter(|(_, run)| run.engine == engine);
        let mut values: Vec<(f64, u64)> =
            of_engine.filter_map(|(scene, run)| Some((figure.value(scene, run)?, scene.seed))).collect();
        values.sort_by(|a, b| b.0.total_cmp(&a.0));
        values
    }
}
