//! `drystone query`: pairs of placed shapes in, proximity and contacts out, by any narrow phase; or a scene with rays, points and sweeps.

use crate::{Failure, output, scene_query};
use clap::Args;
use drystone::{ModuleKind, Registry};
use drystone_contact::ClippingManifold;
use drystone_core::{ContactDetermination, Manifold, NarrowPhase, PosedShape, Relation, UnsupportedPair, did_you_mean};
use drystone_math::Vec3;
use drystone_scene::{Document, SceneQuestions, ShapePair};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value as Json;
use std::fmt::Write;
use std::path::PathBuf;
use std::time::Instant;

/// Number of timed queries of a pair; the shortest time counts.
const REPEATS: usize = 5;

/// Options of `drystone query`.
#[derive(Debug, Args)]
pub(crate) struct QueryArgs {
    /// A file (JSON or TOML) with pairs of placed shapes, or with a scene and rays, points and sweeps
    file: PathBuf,
    /// Narrow phases by name, separated by commas, or 'all'
    #[arg(long, default_value = "all", value_delimiter = ',')]
    narrow_phase: Vec<String>,
    /// Pairs within this distance touch, and contacts farther apart are left out (m)
    #[arg(long, default_value_t = 1e-4, allow_negative_numbers = true)]
    envelope: f64,
    /// Print one JSON array instead of a table
    #[arg(long)]
    json: bool,
}

/// A contact point.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Contact {
    /// Midpoint between the surfaces (m).
    position: [f64; 3],
    /// From the first shape to the second, of unit length.
    normal: [f64; 3],
    /// Signed distance (m).
    separation: f64,
}

/// Answer of a narrow phase for a pair.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Answer {
    /// The pair's place in the file, from zero.
    pair: usize,
    /// The narrow phase.
    narrow_phase: &'static str,
    /// `separated`, `touching` or `penetrating`.
    relation: &'static str,
    /// Signed distance, negative where they overlap (m).
    distance: f64,
    /// From the first shape to the second, of unit length.
    normal: [f64; 3],
    /// Point of the first shape (m).
    witness_a: [f64; 3],
    /// Point of the second shape (m).
    witness_b: [f64; 3],
    /// Contact points within the envelope.
    contacts: Vec<Contact>,
    /// Iterations that it took.
    iterations: u32,
    /// Time, the shortest of several.
    microseconds: f64,
}

impl Answer {
    /// Returns true if the answer is finite: squares of huge distances are not.
    fn is_finite(&self) -> bool {
        let [a, b] = [self.witness_a, self.witness_b].map(|p| p.iter().all(|x| x.is_finite()));
        a && b && self.distance.is_finite() && self.normal.iter().map(|x| x * x).sum::<f64>() > 0.5
    }
}

/// A pair that a narrow phase does not take.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Refused {
    /// The pair's place in the file, from zero.
    pair: usize,
    /// The narrow phase.
    narrow_phase: &'static str,
    /// Why.
    unsupported: String,
}

/// A line of the answer: one for each pair and narrow phase.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(untagged)]
pub(crate) enum Row {
    /// It answers.
    Answer(Answer),
    /// It does not.
    Refused(Refused),
}

/// Runs `drystone query`.
pub(crate) fn run(args: &QueryArgs, registry: &Registry) -> Result<(), Failure> {
    output::print(&answer(args, registry).map_err(Failure::Input)?)
}

fn answer(args: &QueryArgs, registry: &Registry) -> Result<String, String> {
    let document = Document::from_path(&args.file).map_err(|e| e.to_string())?;
    if SceneQuestions::is_in(&document) {
        let answers = scene_query::answer(document, registry).map_err(|e| e.to_string())?;
        return if args.json { answers.to_json().map_err(|e| e.to_string()) } else { Ok(answers.to_table()) };
    }
    let rows = rows(&document, &args.narrow_phase, args.envelope, registry)?;
    if args.json {
        let mut text = serde_json::to_string(&rows).map_err(|e| e.to_string())?;
        text.push('\n');
        return Ok(text);
    }
    Ok(table(&rows))
}

/// Asks narrow phases, by name or `all`, about the pairs of a document: what `drystone query --json` prints.
///
/// # Errors
/// In words: faults of the document, names that no narrow phase has, an envelope (m) that is no length.
pub fn query_pairs(document: &Document, narrow_phase: &[String], envelope: f64) -> Result<Json, String> {
    serde_json::to_value(rows(document, narrow_phase, envelope, &Registry::default())?).map_err(|e| e.to_string())
}

fn rows(document: &Document, narrow_phase: &[String], envelope: f64, registry: &Registry) -> Result<Vec<Row>, String> {
    if !(envelope >= 0.0 && envelope.is_finite()) {
        return Err(format!("--envelope: found {envelope}; allowed: a finite length, zero or more"));
    }
    let chosen = choose(narrow_phase, registry)?;
    let pairs = ShapePair::read_all(document).map_err(|e| e.to_string())?;
    let mut rows = Vec::new();
    for (i, pair) in pairs.iter().enumerate() {
        for phase in &chosen {
            rows.push(match ask(i, pair, phase.as_ref(), envelope) {
                Ok(a) if a.is_finite() => Row::Answer(a),
                Ok(_) => {
                    let unsupported =
                        "the shapes are so far apart or so large that the answer is out of range".to_owned();
                    Row::Refused(Refused { pair: i, narrow_phase: phase.name(), unsupported })
                }
                Err(e) => Row::Refused(Refused { pair: i, narrow_phase: phase.name(), unsupported: e.to_string() }),
            });
        }
    }
    Ok(rows)
}

fn choose(names: &[String], registry: &Registry) -> Result<Vec<Box<dyn NarrowPhase>>, String> {
    let there = registry.implementations(ModuleKind::NarrowPhase);
    let present = |name: &String| {
        registry.find(ModuleKind::NarrowPhase, name).map_or_else(|_| name.clone(), |i| i.name.to_owned())
    };
    let names: Vec<String> = names.iter().map(present).collect();
    let all = names.iter().any(|n| n == "all");
    let known = || there.iter().map(|i| i.name).collect::<Vec<_>>().join(", ");
    if let Some(odd) = names.iter().find(|n| *n != "all" && !there.iter().any(|i| i.name == *n)) {
        return Err(format!("--narrow-phase: found '{odd}'{}; allowed: all, {}", did_you_mean(odd, &known()), known()));
    }
    Ok(there
        .iter()
        .filter(|i| all || names.iter().any(|n| n == i.name))
        .filter_map(|i| registry.narrow_phase(i.name))
        .collect())
}

fn ask(number: usize, pair: &ShapePair, phase: &dyn NarrowPhase, envelope: f64) -> Result<Answer, UnsupportedPair> {
    let [a, b] = [0, 1].map(|k| PosedShape { shape: &pair.shapes[k], pose: pair.poses[k] });
    let mut seeds = Vec::new();
    let mut seconds = f64::INFINITY;
    // the distance whatever it is; each time without memory of the last
    let mut exact = phase.query(a, b, f64::INFINITY, &mut [0; 4], &mut seeds)?;
    for _ in 0..REPEATS {
        let begin = Instant::now();
        exact = phase.query(a, b, f64::INFINITY, &mut [0; 4], &mut seeds)?;
        seconds = seconds.min(begin.elapsed().as_secs_f64());
    }
    // the contacts within the envelope
    let near = phase.query(a, b, envelope, &mut [0; 4], &mut seeds)?;
    let mut manifold = Manifold::default();
    ClippingManifold::default().determine(a, b, &near, &seeds, envelope, &mut manifold);
    let contacts = manifold.points.iter().map(|p| {
        let (normal, position, separation) = p.world(&a.pose, &b.pose);
        Contact { position: plain(position), normal: plain(normal), separation }
    });
    let relation = match drystone_core::Proximity::relation_of(exact.distance, envelope) {
        Relation::Separated => "separated",
        Relation::Touching => "touching",
        Relation::Penetrating => "penetrating",
    };
    Ok(Answer {
        pair: number,
        narrow_phase: phase.name(),
        relation,
        distance: exact.distance,
        normal: plain(exact.normal),
        witness_a: plain(exact.witness_a),
        witness_b: plain(exact.witness_b),
        contacts: contacts.collect(),
        iterations: exact.iterations,
        microseconds: seconds * 1e6,
    })
}

/// Three numbers; no minus before a zero.
fn plain(v: Vec3) -> [f64; 3] {
    v.to_array().map(|x| x + 0.0)
}

fn table(rows: &[Row]) -> String {
    let mut text = format!(
        "{:>5}  {:<12} {:<12} {:>14}  {:<32} {:>8} {:>10} {:>10}\n",
        "pair", "narrow phase", "relation", "distance (m)", "normal", "contacts", "iterations", "time (us)"
    );
    for row in rows {
        // writing to a String cannot fail
        let _ = match row {
            Row::Answer(a) => {
                let [x, y, z] = a.normal;
                let normal = format!("{x:.5} {y:.5} {z:.5}");
                writeln!(
                    text,
                    "{:>5}  {:<12} {:<12} {:>14.9}  {normal:<32} {:>8} {:>10} {:>10.3}",
                    a.pair,
                    a.narrow_phase,
                    a.relation,
                    a.distance,
                    a.contacts.len(),
                    a.iterations,
                    a.microseconds
                )
            }
            Row::Refused(r) => writeln!(text, "{:>5}  {:<12} unsupported: {}", r.pair, r.narrow_phase, r.unsupported),
        };
    }
    text
}
