use super::{Note, Recording};
use crate::Simulated;
use crate::page::{self, packed, sixteen_bits};
use drystone_scene::figures::FrameLine;
use serde_json::{Value, json};

/// Most frames a run of the 3-D replay has.
const FRAMES: usize = 240;
/// Most contact points of a run that are drawn, all frames together.
const CONTACTS: usize = 60_000;

/// A report: runs side by side, with what is to be said below them.
#[derive(Debug, Clone, Default)]
pub struct Report<'a> {
    /// The runs.
    pub runs: Vec<ReplayRun<'a>>,
    /// The runs that failed.
    pub failed: Vec<Failed>,
    /// Conditions of the comparison, a line each.
    pub about: Vec<String>,
}

/// A run that failed.
#[derive(Debug, Clone, PartialEq)]
pub struct Failed {
    /// Its title.
    pub name: String,
    /// Why.
    pub message: String,
}

/// A run as the report shows it.
#[derive(Debug, Clone)]
pub struct ReplayRun<'a> {
    /// Its title.
    pub name: String,
    /// Scene, preset and the values of swept settings, by name: they tell it from other runs.
    pub keys: Vec<(String, String)>,
    /// Rows of the table: what, and how much, which is a number or null.
    pub table: Vec<(&'static str, Value)>,
    /// Mean times per awake step of the fastest and the slowest repetition (ms), where it was repeated.
    pub repeated: Option<[f64; 2]>,
    /// The motion.
    pub recording: &'a Recording,
}

/// The first row of the table, to which the spread of repetitions belongs.
const TIME: &str = "awake step, mean (ms)";

impl<'a> ReplayRun<'a> {
    /// A run of which only the motion is known.
    pub fn new(name: String, recording: &'a Recording) -> Self {
        Self { name, keys: Vec::new(), table: Vec::new(), repeated: None, recording }
    }

    /// A run that has come to its end, with its figures.
    pub fn of(name: String, done: &Simulated, recording: &'a Recording) -> Self {
        let f = &done.figures;
        let table = vec![
            (TIME, json!(f.awake_ms.mean)),
            ("awake step, median (ms)", json!(f.awake_ms.median)),
            ("awake step, p99 (ms)", json!(f.awake_ms.p99)),
            ("awake step, largest (ms)", json!(f.awake_ms.max)),
            ("steps asleep (%)", json!(100.0 * f.asleep_share)),
            ("contacts, mean", json!(f.contacts.mean)),
            ("deepest contact (m)", json!(f.penetration.max)),
            ("deepest at the end (m)", json!(f.penetration.final_depth)),
            ("drift (m)", json!(done.drift)),
            ("energy at start (J)", json!(f.energy.initial)),
            ("change of energy (J)", json!(f.energy.final_total - f.energy.initial)),
            ("residual / g h, mean", json!(f.lcp.relative_residual_mean)),
            ("LCP iterations, mean", json!(f.lcp.iterations_mean)),
            ("joint error (m)", json!(f.joint_error.max_linear)),
            ("asleep at end", json!(f.sleeping_final)),
        ];
        Self { table, ..Self::new(name, recording) }
    }
}

/// A report in one HTML file that needs nothing else: the runs side by side in 3-D, a table of figures, figures over swept settings, and curves over time.
pub fn to_html(title: &str, report: &Report<'_>) -> String {
    let failed: Vec<_> = report.failed.iter().map(|f| json!({ "name": f.name, "message": f.message })).collect();
    let runs: Vec<_> = report.runs.iter().map(run).collect();
    page::report(title, &json!({ "runs": runs, "failed": failed, "about": report.about, "repeated": TIME }))
}

fn run(run: &ReplayRun<'_>) -> Value {
    let recording = run.recording;
    let frames: Vec<_> = recording.picked(FRAMES).collect();
    let series = |of: fn(&FrameLine) -> f64| frames.iter().map(|f| of(f)).collect::<Vec<_>>();
    let energy = series(|f| f.kinetic + f.potential);
    let start = energy.first().copied().unwrap_or_default();
    json!({
        "name": run.name,
        "keys": run.keys,
        "table": run.table,
        "repeated": run.repeated,
        "time": series(|f| f.time),
        "series": {
            "change of energy (J)": energy.iter().map(|e| e - start).collect::<Vec<_>>(),
            "kinetic energy (J)": series(|f| f.kinetic),
            "penetration (m)": series(|f| f.penetration), "contacts": series(|f| f.contacts as f64),
            "joint error (m)": series(|f| f.joint_error),
            "residual / g h": frames.iter().map(|f| f.residual).collect::<Vec<_>>(),
        },
        "scenery": recording.look.to_json(),
        "motion": packed(&motion(&frames)),
        "notes": notes(&recording.notes),
        "broken": recording.broken,
    })
}

/// Poses of all bodies: for each of the columns (seven a body) its least and largest value as `f32`, then how the sixteen bits between them
/// change from frame to frame, column by column, the lower bytes of all before the upper ones.
fn motion(frames: &[&FrameLine]) -> Vec<u8> {
    let bodies = frames.first().map_or(0, |f| f.bodies.len());
    let (mut ranges, mut low, mut high) = (Vec::new(), Vec::new(), Vec::new());
    for b in 0..bodies {
        let mut poses: Vec<[f64; 7]> = frames
            .iter()
            .map(|f| {
                let mut pose = [0.0; 7];
                pose.copy_from_slice(&f.bodies[b][..7]);
                pose
            })
            .collect();
        // the same turn has two quaternions: the one next to the last
        for k in 1..poses.len() {
            let along: f64 = (3..7).map(|i| poses[k - 1][i] * poses[k][i]).sum();
            if along < 0.0 {
                poses[k][3..].iter_mut().for_each(|v| *v = -*v);
            }
        }
        for column in 0..7 {
            let values = || poses.iter().map(|p| p[column]);
            let range = [values().fold(f64::INFINITY, f64::min), values().fold(f64::NEG_INFINITY, f64::max)];
            ranges.extend(range.iter().flat_map(|v| (*v as f32).to_le_bytes()));
            let mut last = 0_u16;
            for value in values() {
                let bits = sixteen_bits(value, range);
                let [l, h] = bits.wrapping_sub(last).to_le_bytes();
                low.push(l);
                high.push(h);
                last = bits;
            }
        }
    }
    ranges.extend(low);
    ranges.extend(high);
    ranges
}

/// Overlay data: contacts as sixteen bits per coordinate and eight per part of the normal, in planes of bytes.
fn notes(all: &[Note]) -> Value {
    // as many notes as their contacts allow
    let mut stride = 1;
    let kept = loop {
        let kept: Vec<&Note> = all.iter().step_by(stride).collect();
        if kept.len() < 2 || kept.iter().map(|n| n.contacts.len()).sum::<usize>() <= CONTACTS {
            break kept;
        }
        stride += 1;
    };
    let contacts = || kept.iter().flat_map(|n| n.contacts.iter());
    let (mut bytes, mut bounds) = (Vec::new(), [[0.0; 2]; 3]);
    for (k, bound) in bounds.iter_mut().enumerate() {
        let values = || contacts().map(|c| f64::from(c[k]));
        let range = [values().fold(f64::INFINITY, f64::min), values().fold(f64::NEG_INFINITY, f64::max)];
        if range[0].is_finite() && range[1].is_finite() {
            *bound = range;
        }
        let bits: Vec<u16> = values().map(|v| sixteen_bits(v, *bound)).collect();
        bytes.extend(bits.iter().map(|b| b.to_le_bytes()[0]));
        bytes.extend(bits.iter().map(|b| b.to_le_bytes()[1]));
    }
    for k in 3..6 {
        bytes.extend(contacts().map(|c| ((c[k] * 127.0).round() as i8).to_le_bytes()[0]));
    }
    let small = |v: i32| i16::try_from(v).unwrap_or(i16::MAX).to_le_bytes();
    let mut numbers: Vec<u8> = Vec::new();
    numbers.extend(kept.iter().flat_map(|n| n.groups.iter().flat_map(|g| small(*g))));
    numbers.extend(kept.iter().flat_map(|n| n.layers.iter().flat_map(|l| small(*l))));
    numbers.extend(kept.iter().flat_map(|n| n.asleep.iter().flat_map(|a| small(i32::from(*a)))));
    json!({
        "time": kept.iter().map(|n| n.time).collect::<Vec<_>>(),
        "counts": kept.iter().map(|n| n.contacts.len()).collect::<Vec<_>>(),
        "low": bounds.map(|b| b[0]), "high": bounds.map(|b| b[1]),
        "contacts": packed(&bytes), "numbers": packed(&numbers),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sixteen bits go from the least coordinate to the largest; a coordinate beyond what an `f32` holds leaves the others' picture alone.
    #[test]
    fn places_of_contacts_have_finite_bounds() {
        let note =
            |contacts: Vec<[f32; 6]>| Note { time: 0.0, contacts, groups: vec![], layers: vec![], asleep: vec![] };
        let told = notes(&[note(vec![[-1.0, 2.0, 0.5, 0.0, 1.0, 0.0], [3.0, f32::INFINITY, 0.5, 0.0, 1.0, 0.0]])]);
        assert_eq!((&told["low"], &told["high"]), (&json!([-1.0, 0.0, 0.5]), &json!([3.0, 0.0, 0.5])));
        let none = notes(&[note(vec![])]);
        assert_eq!((&none["low"], &none["high"]), (&json!([0.0, 0.0, 0.0]), &json!([0.0, 0.0, 0.0])));
    }
}
