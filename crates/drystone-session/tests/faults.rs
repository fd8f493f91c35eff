//! All faults of a scene are reported at once: a fault in one table hides none in another, and mere consequences of a fault are not reported.

use drystone_scene::Document;
use drystone_session::{LoadError, Overrides, prepare};

/// The lines of the error message for a scene.
fn told(text: &str, overrides: &Overrides) -> Vec<String> {
    let document = Document::from_toml_str(text).unwrap();
    let error = prepare(document, overrides).err().unwrap();
    assert!(matches!(error, LoadError::Scene(_)), "{error}");
    error.to_string().lines().map(str::to_owned).collect()
}

/// Exactly one line for each of these words, in this order.
fn are(lines: &[String], words: &[&str]) {
    assert_eq!(lines.len(), words.len(), "{lines:#?}");
    for (line, word) in lines.iter().zip(words) {
        assert!(line.contains(word), "'{word}' not in {line}");
    }
}

const BALLS: &str = r#"
[simulation]
paradigm = "velocity-lcp"

[simulation.lcp]
iteration = 3
warm_start = 1

[simulation.broad_phase]
wdith = 1

[simulation.narrow_phase]
kind = "gjk-epa"
itertions = 2

[materials.ice]
friction = 1

[[bodies]]
name = "a"
shape = { sphere = { radius = 1 } }

[[bodies]]
name = "b"
material = "ice"
shape = { sphere = { radius = 1 } }
position = [0, 5, 0]
"#;

#[test]
fn each_module_tells_each_of_its_faults_once() {
    let words = ["lcp.iteration:", "lcp.warm_start: found 1", "broad_phase.wdith", "narrow_phase.itertions"];
    are(&told(BALLS, &Overrides::default()), &words);
}

#[test]
fn a_fault_of_a_body_hides_none_of_modules_and_joints() {
    let joints = r#"
[[joints]]
kind = "ball"
bodies = ["a", "nobody"]
anchor = [0, 0, 0]

[[joints]]
kind = "ball"
bodies = ["a", "world"]
anchor = [0, 0, 0]
motor = { velocity = 1, max_force = 1 }

[[joints]]
kind = "ball"
bodies = ["a", "b"]
anchr = [0, 0, 0]
anchor = [0, 0, 0]
"#;
    let text = BALLS.replacen("radius = 1", "radius = -1", 1).replace("friction = 1", "friction = -1") + joints;
    let words = [
        "lcp.iteration:",
        "lcp.warm_start",
        "broad_phase.wdith",
        "narrow_phase.itertions",
        "materials.ice.friction",
        "radius",
        "no body has that name; allowed: world, b, a",
        "cannot have 'motor'",
        "unknown key 'anchr'",
    ];
    are(&told(&text, &Overrides::default()), &words);
}

/// A joint may refer to a body whose name cannot be read, so the unknown body is no fault of its own.
#[test]
fn what_refers_to_a_faulty_body_is_no_fault_of_its_own() {
    let joint = "[[joints]]\nkind = \"ball\"\nbodies = [\"c\", \"world\"]\nanchor = [0, 0, 0]\n";
    let sound: String =
        BALLS.lines().filter(|l| !l.contains("tion = 3") && !l.contains("_start")).collect::<Vec<_>>().join("\n");
    let sound = sound.replace("wdith = 1", "").replace("itertions = 2", "");
    are(&told(&(sound.clone() + "\n" + joint), &Overrides::default()), &["\"c\", and no body has that name"]);
    let nameless = "\n[[bodies]]\nname = 3\nshape = { sphere = { radius = 1 } }\n";
    are(&told(&(sound.clone() + nameless + joint), &Overrides::default()), &["found 3"]);
    let repeated = "\n[[bodies]]\nname = \"c\"\nshape = { sphere = { radius = 0 } }\nrepeat = { count = [3, 1, 1], step = [1, 0, 0] }\n";
    let copy = joint.replace("\"c\"", "\"c[1]\"");
    are(&told(&(sound + repeated + &copy), &Overrides::default()), &["radius"]);
}

#[test]
fn what_is_set_from_outside_is_checked_with_the_rest() {
    let set = ["gravity", "bodies[7].mass=1", "simulation.lcp.iterations=-3"].map(str::to_owned).to_vec();
    let overrides = Overrides { set, duration: Some(f64::NAN), ..Overrides::default() };
    let words = [
        "--duration: scene.duration",
        "--set: ",
        "--set: ",
        "--set: ",
        "lcp.iteration:",
        "lcp.warm_start",
        "wdith",
        "itertions",
    ];
    let mut lines = told(BALLS, &overrides);
    lines[..4].sort();
    are(&lines, &words);
    for word in ["gravity: found no '='", "bodies[7].mass", "lcp.iterations: found -3"] {
        assert!(lines.iter().any(|l| l.contains(word)), "{word}: {lines:#?}");
    }
}

/// What a preset cannot do is reported together with misspelt settings of modules that do not affect it, but not if it may follow from a fault.
#[test]
fn a_refusal_stands_beside_faults_that_it_does_not_follow_from() {
    let joint = "[[joints]]\nkind = \"ball\"\nbodies = [\"a\", \"world\"]\nanchor = [0, 0, 0]\n";
    let text = BALLS.replace("velocity-lcp", "impulse").replace("itertions = 2", "") + joint;
    let lines = told(&text, &Overrides::default());
    let words = ["takes no joints", "lcp.iteration:", "lcp.warm_start", "broad_phase.wdith"];
    are(&lines, &words);
    let deciding = text.replace("[simulation.broad_phase]", "[simulation.time_control]");
    let lines = told(&deciding, &Overrides::default());
    assert!(lines.len() == 3 && lines.iter().all(|l| !l.contains("takes no")), "{lines:#?}");
}
