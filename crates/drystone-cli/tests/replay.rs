//! What a run leaves for viewing: a glTF file that other readers accept, and a self-contained report.

use base64::Engine;
use drystone::World;
use drystone_cli::replay::{Failed, Recording, ReplayRun, Report, to_gltf, to_html};
use drystone_cli::{Overrides, Simulated, load, simulate};
use drystone_scene::figures::FrameLine;
use indicatif::ProgressBar;
use serde_json::Value;

fn recorded(scene: &str, steps: Option<u64>) -> (Simulated, Recording) {
    let mut loaded = load(scene, &Overrides::default()).unwrap();
    let mut recording = Recording::new(&loaded);
    let mut sink = |frame: &FrameLine, world: &World| {
        recording.push(frame, world);
        Ok(())
    };
    let done = simulate(&mut loaded, steps, 0, Some(&mut sink), &ProgressBar::hidden()).unwrap();
    (done, recording)
}

/// The runs in a report.
fn data(html: &str) -> Value {
    let start = html.find("data = ").unwrap() + "data = ".len();
    let all: Value = serde_json::from_str(html[start..].lines().next().unwrap().trim_end_matches(';')).unwrap();
    all["runs"].clone()
}

/// The page of one run.
fn alone(title: &str, run: ReplayRun<'_>) -> String {
    to_html(title, &Report { runs: vec![run], ..Report::default() })
}

fn unpacked(text: &Value) -> Vec<u8> {
    let bytes = base64::engine::general_purpose::STANDARD.decode(text.as_str().unwrap()).unwrap();
    miniz_oxide::inflate::decompress_to_vec_zlib(&bytes).unwrap()
}

#[test]
fn a_gltf_file_has_the_bodies_and_their_motion() {
    let (_, recording) = recorded("box-stack", Some(20));
    let document = to_gltf(&recording);
    // 26 bodies, a camera and a sun
    assert_eq!(document["nodes"].as_array().unwrap().len(), 28);
    assert_eq!(document["meshes"].as_array().unwrap().len(), 2, "25 boxes share a mesh, the ground has its own");
    // two channels for each box, none for the ground
    assert_eq!(document["animations"][0]["channels"].as_array().unwrap().len(), 50);
    let times = &document["accessors"][document["animations"][0]["samplers"][0]["input"].as_u64().unwrap() as usize];
    assert_eq!(times["count"].as_u64().unwrap() as usize, recording.frames.len());
    // a reader finds the boxes at their places
    let mesh = drystone_geometry::mesh::import::read_glb(document.to_string().as_bytes()).unwrap();
    let top = mesh.vertices().iter().map(|v| v.y).fold(0.0, f64::max);
    assert!((top - 25.0).abs() < 1e-5, "{top}");
    // boxes and ground differ in colour, and the camera is far enough away to see the whole stack
    let material = |mesh: usize| &document["meshes"][mesh]["primitives"][0]["material"];
    assert_ne!(material(0), material(1));
    assert_eq!(document["nodes"][26]["camera"], 0);
    let eye: Vec<f64> =
        document["nodes"][26]["translation"].as_array().unwrap().iter().map(|v| v.as_f64().unwrap()).collect();
    let away = (eye[0].powi(2) + (eye[1] - 12.5).powi(2) + eye[2].powi(2)).sqrt();
    assert!(away > 12.5 / 0.35_f64.tan() && away < 60.0, "{eye:?}");
    assert_eq!(document["nodes"][27]["extensions"]["KHR_lights_punctual"]["light"], 0);
}

#[test]
fn a_report_holds_its_data_and_asks_for_nothing() {
    let (done, recording) = recorded("two-balls", Some(30));
    let runs = ["first", "</script>"].map(|name| ReplayRun::of(name.to_owned(), &done, &recording));
    let failed = Failed { name: "third".to_owned(), message: "went <away>".to_owned() };
    let report = Report { runs: runs.to_vec(), failed: vec![failed], about: vec!["machine: one".to_owned()] };
    let html = to_html("balls & <boxes>", &report);
    assert!(html.contains("<title>balls &amp; &lt;boxes></title>"));
    assert_eq!(html.matches("</script>").count(), 1, "a name cannot end the script");
    let runs = data(&html);
    let run = &runs[0];
    let energy = run["series"]["change of energy (J)"].as_array().unwrap();
    assert_eq!((energy.len(), energy[0].as_f64()), (recording.frames.len(), Some(0.0)));
    for outside in ["src=", "href=", "import ", "fetch("] {
        assert!(!html.contains(outside), "{outside}");
    }
}

/// Reads the motion as the page does, but in Rust.
#[test]
fn a_report_has_the_poses_to_a_hundred_thousandth_of_the_way() {
    let (done, recording) = recorded("falling-on-tower", Some(120));
    let html = alone("tower", ReplayRun::of("run".to_owned(), &done, &recording));
    let run = &data(&html)[0];
    let (frames, bodies) = (run["time"].as_array().unwrap().len(), recording.look.names.len());
    assert_eq!(frames, recording.frames.len(), "short runs lose no frame");
    let (bytes, columns) = (unpacked(&run["motion"]), 7 * bodies);
    let range = |k: usize| f64::from(f32::from_le_bytes(bytes[4 * k..4 * k + 4].try_into().unwrap()));
    let raw = &bytes[8 * columns..];
    assert_eq!(raw.len(), 2 * columns * frames);
    for body in 0..bodies {
        for column in 0..3 {
            let c = 7 * body + column;
            let (low, high) = (range(2 * c), range(2 * c + 1));
            let mut bits = 0_u16;
            for f in 0..frames {
                let at = c * frames + f;
                bits = bits.wrapping_add(u16::from_le_bytes([raw[at], raw[columns * frames + at]]));
                let found = low + f64::from(bits) / 65535.0 * (high - low);
                let meant = recording.frames[f].bodies[body][column];
                assert!((found - meant).abs() <= 1e-5 * (high - low) + 1e-6 * meant.abs(), "{found} for {meant}");
            }
        }
    }
    // contacts come from the world, layers from the time control
    let notes = &run["notes"];
    let counts: Vec<usize> = notes["counts"].as_array().unwrap().iter().map(|c| c.as_u64().unwrap() as usize).collect();
    assert_eq!(counts, recording.notes.iter().map(|n| n.contacts.len()).collect::<Vec<_>>());
    assert_eq!(unpacked(&notes["contacts"]).len(), 9 * counts.iter().sum::<usize>());
    assert_eq!(unpacked(&notes["numbers"]).len(), 2 * 3 * bodies * counts.len());
    assert!(recording.notes.last().unwrap().layers.iter().any(|l| *l > 0));
}

#[test]
fn ten_seconds_of_five_hundred_bodies_are_less_than_three_megabytes() {
    // balls falling into a box, 500 of the scene's thousand: all of them move for most of the run
    let overrides = Overrides {
        set: ["bodies[3].repeat.count=[10, 5, 10]", "scene.duration=10"].map(str::to_owned).to_vec(),
        ..Overrides::default()
    };
    let mut loaded = load("balls-in-box", &overrides).unwrap();
    let mut recording = Recording::new(&loaded);
    let mut sink = |frame: &FrameLine, world: &World| {
        recording.push(frame, world);
        Ok(())
    };
    let done = simulate(&mut loaded, None, 0, Some(&mut sink), &ProgressBar::hidden()).unwrap();
    assert!(recording.look.names.len() >= 500 && recording.frames.last().unwrap().time > 9.9);
    let html = alone("balls", ReplayRun::of("run".to_owned(), &done, &recording));
    println!("{} bodies, {} frames: {} bytes", recording.look.names.len(), recording.frames.len(), html.len());
    assert!(html.len() < 3_000_000, "{}", html.len());
}
