//! `cargo xtask scaling`: how time and memory grow with the number of bodies, as a table and plots for the book.

use crate::atlas::plot::{Axis, Line, lines};
use crate::root::{cargo, commit, root, target};
use serde_json::Value;
use std::fmt::Write;
use std::path::Path;

const BEGIN: &str = "<!-- scaling: begin -->\n";
const END: &str = "<!-- scaling: end -->";

/// Families, and the number of bodies in each, unless others are asked for.
const SIZES: [(&str, &str); 2] =
    [("field,bricks,chains,chain,hubs,net", "100,1000,10000"), ("balls,fixed,asleep", "100,1000,10000,100000")];

/// A family with a number of bodies.
struct Row {
    family: String,
    bodies: f64,
    /// Seconds per step in drystone and in both precisions of rapier.
    step: Vec<f64>,
    /// Bytes per body in the same.
    bytes: Vec<f64>,
}

impl Row {
    fn of(value: &Value) -> Option<Self> {
        let list = |key: &str| -> Option<Vec<f64>> {
            Some(value[key].as_array()?.iter().map(|v| v.as_f64().unwrap_or(f64::NAN)).collect())
        };
        let family = value["family"].as_str()?.to_owned();
        Some(Self { family, bodies: value["bodies"].as_f64()?, step: list("step")?, bytes: list("bytes")? })
    }
}

/// Runs the bench `growth` for each entry of [`SIZES`], or takes the rows of files that it wrote (`--from FILE…`), and writes page and plots. With other arguments
/// only the bench runs, and its table is printed.
pub(crate) fn run(arguments: &[String]) -> Result<(), String> {
    let mut rows = Vec::new();
    match arguments {
        [] => {
            for (families, sizes) in SIZES {
                rows.extend(bench(&["--family", families, "--sizes", sizes].map(str::to_owned))?);
            }
        }
        [from, files @ ..] if from == "--from" => {
            for file in files {
                rows.extend(read(Path::new(file))?);
            }
        }
        _ => return bench(arguments).map(drop),
    }
    let page = root().join("docs/src/scaling.md");
    let text = std::fs::read_to_string(&page).map_err(|e| format!("{}: {e}", page.display()))?;
    let text = fill(&text, &table(&rows)).ok_or(format!("{}: no {BEGIN}", page.display()))?;
    let plots = [
        ("scaling.svg", "Time per step", "ms per step", &(|row: &Row| 1e3 * row.step[0]) as &dyn Fn(&Row) -> f64),
        ("scaling-rapier.svg", "Time per step, rapier-f64 = 1", "times rapier-f64", &|row| row.step[0] / row.step[1]),
        ("scaling-memory.svg", "Memory in use", "kB per body", &|row| 1e-3 * row.bytes[0]),
    ];
    for (file, title, label, figure) in plots {
        let path = page.with_file_name(file);
        std::fs::write(&path, plot(title, label, &rows, figure)).map_err(|e| format!("{}: {e}", path.display()))?;
    }
    std::fs::write(&page, text).map_err(|e| format!("{}: {e}", page.display()))
}

/// Runs the bench and returns its rows.
fn bench(arguments: &[String]) -> Result<Vec<Row>, String> {
    let file = target().join("scaling.json");
    let run = ["bench", "-p", "drystone-benches", "--bench", "growth", "--", "--json"];
    let status =
        cargo(&run).arg(&file).args(arguments).status().map_err(|e| format!("cargo could not be started: {e}"))?;
    if !status.success() {
        return Err(format!("growth: {status}"));
    }
    read(&file)
}

/// The rows that the bench wrote into a file.
fn read(file: &Path) -> Result<Vec<Row>, String> {
    let text = std::fs::read_to_string(file).map_err(|e| format!("{}: {e}", file.display()))?;
    let value: Value = serde_json::from_str(&text).map_err(|e| format!("{}: {e}", file.display()))?;
    Ok(value.as_array().into_iter().flatten().filter_map(Row::of).collect())
}

/// The page with the table between its marks replaced.
fn fill(page: &str, table: &str) -> Option<String> {
    let (before, rest) = page.split_once(BEGIN)?;
    let (_, after) = rest.split_once(END)?;
    Some([before, BEGIN, "\n", table, "\n", END, after].concat())
}

fn table(rows: &[Row]) -> String {
    let mut text = format!(
        "*Measured at {}: `cargo xtask scaling`*\n\n| scene | bodies | ms per step | slope | x rapier-f64 | x rapier-f32 | bytes per body | \
         x rapier-f64 |\n|---|---|---|---|---|---|---|---|\n",
        commit()
    );
    let mut before: Option<&Row> = None;
    for row in rows {
        let same = before.filter(|b| b.family == row.family);
        let slope = same.map(|b| (row.step[0] / b.step[0]).ln() / (row.bodies / b.bodies).ln());
        // writing to a string cannot fail
        let _ = writeln!(
            text,
            "| {} | {} | {:.3} | {} | {:.2} | {:.2} | {:.0} | {:.2} |",
            row.family,
            row.bodies,
            1e3 * row.step[0],
            slope.map_or("-".to_owned(), |s| format!("{s:.2}")),
            row.step[0] / row.step[1],
            row.step[0] / row.step[2],
            row.bytes[0],
            row.bytes[0] / row.bytes[1],
        );
        before = Some(row);
    }
    text
}

fn plot(title: &str, label: &str, rows: &[Row], figure: &dyn Fn(&Row) -> f64) -> String {
    let axis = |label: &str| Axis { label: label.to_owned(), logarithmic: true };
    let mut all: Vec<Line> = Vec::new();
    for row in rows {
        if all.last().is_none_or(|line| line.name != row.family) {
            all.push(Line { name: row.family.clone(), points: Vec::new() });
        }
        if let Some(line) = all.last_mut() {
            line.points.push([row.bodies, figure(row)]);
        }
    }
    lines(title, &[axis("bodies"), axis(label)], &all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_replaced_and_tells_slopes() {
        let row = |bodies: f64, step: f64| Row {
            family: "field".to_owned(),
            bodies,
            step: vec![step, 2.0 * step, step],
            bytes: vec![100.0; 3],
        };
        let rows = [row(100.0, 1e-3), row(1000.0, 1e-1)];
        let text = table(&rows);
        assert!(text.contains("| field | 1000 | 100.000 | 2.00 | 0.50 | 1.00 | 100 | 1.00 |"), "{text}");
        let page = fill(&format!("a\n{BEGIN}old\n{END}\nb\n"), &text).unwrap();
        assert!(page.starts_with("a\n") && page.ends_with("\nb\n") && !page.contains("old"));
        assert_eq!(fill(&page, &text), Some(page));
        assert!(plot("t", "l", &rows, &|row| row.step[0]).contains("field"));
    }
}
