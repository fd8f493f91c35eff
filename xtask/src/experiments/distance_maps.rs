mod meshes;
mod scenes;

use super::runner::{Figures, Runner, set};
use super::table::Table;
use crate::root::cargo;
use scenes::{SCENES, Scene};
use std::path::Path;

pub(crate) const SUMMARY: &str = "signed distance maps: sample points, and sphere trees against trying each sample (O-58, O-61; --meshes DIR for the cow)";

/// Tables 6.4 to 6.7 of the thesis beside what comes out here. The cow is not ours to hand on: its folder is an argument.
pub(crate) fn run(runner: &Runner) -> Result<(), String> {
    let folder = runner.csv("distance-maps").with_extension("");
    std::fs::create_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let cow = runner.meshes().map(|m| m.join("cow.obj"));
    samples(runner, cow.as_deref())?;
    meshes::write(&folder)?;
    let mut times = Table::new(&[
        "scene",
        "steps",
        "brute_ms",
        "tree_ms",
        "gain",
        "narrow_brute_ms",
        "narrow_tree_ms",
        "narrow_gain",
        "thesis_brute_s",
        "thesis_tree_s",
        "thesis_gain",
    ]);
    let mut contacts = Table::new(&["scene", "brute", "tree", "thesis_brute", "thesis_tree"]);
    for scene in SCENES {
        let Some(text) = scene.text(cow.as_deref()) else {
            println!("{}: left out, for it wants --meshes DIR with cow.obj", scene.name);
            continue;
        };
        let file = folder.join(format!("{}.toml", scene.name));
        std::fs::write(&file, text).map_err(|e| format!("{}: {e}", file.display()))?;
        let ask = |tree: bool| -> Result<Figures, String> {
            let options = set("simulation.narrow_phase.sphere_tree", tree);
            let file = file.to_string_lossy();
            if scene.is_long { runner.figures(&file, &options)? } else { runner.fastest(&file, &options, mean)? }
        };
        let (brute, tree) = (ask(false)?, ask(true)?);
        times.row(time_row(scene, &brute, &tree));
        contacts.row(vec![
            scene.name.to_owned(),
            three(&brute, "contacts", 1),
            three(&tree, "contacts", 1),
            scene.thesis_contacts[0].to_owned(),
            scene.thesis_contacts[1].to_owned(),
        ]);
    }
    println!("\nTable 6.6, time of a step (min / mean / max)");
    times.finish(&runner.csv("distance-maps-times"))?;
    println!("\nTable 6.7, contacts (min / mean / max)");
    contacts.finish(&runner.csv("distance-maps-contacts"))
}

fn mean(f: &Figures) -> f64 {
    f.number(&["step_ms", "mean"])
}

fn three(f: &Figures, what: &str, digits: usize) -> String {
    ["min", "mean", "max"].map(|k| format!("{:.digits$}", f.number(&[what, k]))).join(" / ")
}

fn time_row(scene: &Scene, brute: &Figures, tree: &Figures) -> Vec<String> {
    let gain = |path: &[&str]| format!("{:.1}", brute.number(path) / tree.number(path));
    let narrow = ["phase_ms", "narrow_phase"];
    vec![
        scene.name.to_owned(),
        format!("{:.0}", tree.number(&["steps"])),
        three(brute, "step_ms", 2),
        three(tree, "step_ms", 2),
        gain(&["step_ms", "mean"]),
        format!("{:.3}", brute.number(&narrow)),
        format!("{:.3}", tree.number(&narrow)),
        gain(&narrow),
        scene.thesis_times[0].to_owned(),
        scene.thesis_times[1].to_owned(),
        format!("{:.1}", scene.thesis_gain),
    ]
}

/// Points and nodes of the thesis: mesh, rule, points, nodes.
const SAMPLED: [(&str, &str, &str, &str); 6] = [
    ("box", "vertices", "56", "65"),
    ("box", "vertices, edges", "536", "745"),
    ("box", "vertices, edges, faces", "542", "754"),
    ("cow", "vertices", "752", "999"),
    ("cow", "vertices, edges", "11995", "15890"),
    ("cow", "vertices, edges, faces", "13495", "17836"),
];

/// Tables 6.4 and 6.5, by the example of the geometry crate.
fn samples(runner: &Runner, cow: Option<&Path>) -> Result<(), String> {
    let mut command =
        cargo(&["run", "--release", "--quiet", "-p", "drystone-geometry", "--example", "sample_counts", "--"]);
    command.arg("128").args(cow);
    let output = command.output().map_err(|e| format!("cargo: {e}"))?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).trim().to_owned());
    }
    let mut table = Table::new(&["mesh", "rule", "spacing", "points", "thesis", "nodes", "thesis"]);
    for line in String::from_utf8_lossy(&output.stdout).lines() {
        let cells: Vec<&str> = line.split('\t').collect();
        let [mesh, rule, spacing, points, nodes] = cells[..] else { continue };
        let thesis = SAMPLED.iter().find(|t| t.0 == mesh && t.1 == rule).map_or(("", ""), |t| (t.2, t.3));
        table.row([mesh, rule, spacing, points, thesis.0, nodes, thesis.1].map(str::to_owned).to_vec());
    }
    println!("Tables 6.4 and 6.5");
    table.finish(&runner.csv("distance-maps-samples"))
}
