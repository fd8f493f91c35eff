//! What a run leaves to look at: a glTF file that readers take, and a report that needs nothing else.

use drystone_cli::replay::{Recording, ReplayRun, to_gltf, to_html};
use drystone_cli::{Overrides, Simulated, load, simulate};
use drystone_scene::figures::FrameLine;
use indicatif::ProgressBar;

fn recorded(scene: &str, steps: u64) -> (Simulated, Recording) {
    let mut loaded = load(scene, &Overrides::default()).unwrap();
    let mut recording = Recording::new(loaded.world.configuration(), &loaded.names);
    let mut sink = |frame: &FrameLine| {
        recording.push(frame);
        Ok(())
    };
    let done = simulate(&mut loaded, Some(steps), 0, Some(&mut sink), &ProgressBar::hidden()).unwrap();
    (done, recording)
}

#[test]
fn a_gltf_file_has_the_bodies_and_their_motion() {
    let (_, recording) = recorded("box-stack", 20);
    let document = to_gltf(&recording);
    assert_eq!(document["nodes"].as_array().unwrap().len(), 26);
    assert_eq!(document["meshes"].as_array().unwrap().len(), 2, "25 boxes share a mesh, the ground has its own");
    // two channels for each of the boxes, none for the ground
    assert_eq!(document["animations"][0]["channels"].as_array().unwrap().len(), 50);
    let times = &document["accessors"][document["animations"][0]["samplers"][0]["input"].as_u64().unwrap() as usize];
    assert_eq!(times["count"].as_u64().unwrap() as usize, recording.frames.len());
    // a reader finds the boxes where they are
    let mesh = drystone_geometry::mesh::import::read_glb(document.to_string().as_bytes()).unwrap();
    let top = mesh.vertices().iter().map(|v| v.y).fold(0.0, f64::max);
    assert!((top - 25.0).abs() < 1e-5, "{top}");
}

#[test]
fn a_report_holds_its_data_and_asks_for_nothing() {
    let (done, recording) = recorded("two-balls", 30);
    let runs = ["first", "</script>"].map(|name| ReplayRun::of(name.to_owned(), &done, &recording));
    let html = to_html("balls & <boxes>", &runs);
    assert!(html.contains("<title>balls &amp; &lt;boxes></title>"));
    assert_eq!(html.matches("</script>").count(), 1, "a name cannot end the script");
    let start = html.find("const runs = ").unwrap() + "const runs = ".len();
    let data = html[start..].lines().next().unwrap().trim_end_matches(';');
    let runs: serde_json::Value = serde_json::from_str(data).unwrap();
    let run = &runs[0];
    assert_eq!(run["poses"].as_array().unwrap().len(), run["time"].as_array().unwrap().len());
    assert_eq!(run["poses"][0].as_array().unwrap().len(), 7 * recording.names.len());
    assert_eq!(run["series"]["energy (J)"].as_array().unwrap().len(), recording.frames.len());
    for outside in ["src=", "href=", "import ", "fetch("] {
        assert!(!html.contains(outside), "{outside}");
    }
}
