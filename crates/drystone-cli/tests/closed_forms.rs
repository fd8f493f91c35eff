//! Small scenes with closed forms, under every preset that has inertia: regressions of faults found earlier.

use drystone_cli::{Overrides, load, simulate};
use drystone_scene::figures::{Figures, FinalBody};
use indicatif::ProgressBar;

const PRESETS: [&str; 4] = ["velocity-lcp", "load-propagation", "shock-propagation", "mechanism"];
const G: f64 = 9.81;

/// Simulates a scene and returns its figures; `head` holds the lines of its `[scene]` section.
fn run(name: &str, head: &str, rest: &str, paradigm: &str) -> Figures {
    let path = std::env::temp_dir().join(format!("drystone-closed-{name}-{paradigm}-{}.toml", std::process::id()));
    std::fs::write(&path, format!("[scene]\n{head}\n{rest}")).unwrap();
    let overrides = Overrides { paradigm: Some(paradigm.to_owned()), ..Overrides::default() };
    let loaded = load(&path.display().to_string(), &overrides);
    std::fs::remove_file(&path).unwrap();
    let mut loaded = loaded.unwrap_or_else(|e| panic!("{name}: {e}"));
    let done = simulate(&mut loaded, None, 0, None, &ProgressBar::hidden());
    done.unwrap_or_else(|e| panic!("{name} under {paradigm}: {e}")).figures
}

fn body<'a>(figures: &'a Figures, name: &str) -> &'a FinalBody {
    figures.final_states.iter().find(|b| b.name == name).unwrap()
}

fn near(got: f64, want: f64, tolerance: f64, what: &str) {
    assert!((got - want).abs() <= tolerance, "{what}: got {got}, want {want} within {tolerance}");
}

const GROUND: &str = "[[bodies]]\nname = 'ground'\nkind = 'fixed'\nshape = { plane = { normal = [0, 1, 0] } }\n";

/// A small ball on a long arm: the rows of one joint are coupled by m L^2 / I = 4000.
#[test]
fn a_point_mass_swings_from_a_ball_joint() {
    let scene = "
[[bodies]]
name = 'bob'
shape = { sphere = { radius = 0.05 } }
position = [2, 0, 0]
mass = 1
[[joints]]
name = 'pivot'
kind = 'ball'
bodies = ['world', 'bob']
anchor = [0, 0, 0]
";
    // from horizontal to the lowest point: a quarter of the period at amplitude 90 degrees, K(sin^2 45) sqrt(L / g)
    let time = 1.854_074_677 * (2.0 / G).sqrt();
    for preset in PRESETS {
        let f = run("bob", &format!("duration = {time}"), scene, preset);
        near(body(&f, "bob").linear_velocity[0], -(4.0 * G).sqrt(), 0.1, preset);
        near(body(&f, "bob").position[1], -2.0, 0.02, preset);
        assert!(f.joint_error.max_linear < 5e-3, "{preset}: {}", f.joint_error.max_linear);
        // shock propagation solves a step in two passes and reports the reaction of only one
        if preset != "shock-propagation" {
            near(f.joints[0].force[1], 3.0 * G, 0.6, preset);
        }
    }
}

/// A spring as a row of a joint: half a period later the body is on the other side,
/// in every preset, including the impact pass of shock propagation.
#[test]
fn a_spring_in_a_slider_swings() {
    let scene = "
[[bodies]]
name = 'cart'
shape = { box = { half_extents = [0.1, 0.1, 0.1] } }
mass = 1
[[joints]]
kind = 'slider'
bodies = ['world', 'cart']
axis = [1, 0, 0]
spring = { stiffness = 100, damping = 0, rest = 0.5 }
[simulation]
time_step = 0.001
";
    let half = std::f64::consts::PI / 10.0;
    for preset in PRESETS {
        let f = run("cart", &format!("duration = {half}\ngravity = [0, 0, 0]"), scene, preset);
        near(body(&f, "cart").position[0], 1.0, 0.02, preset);
    }
}

/// A slope just too steep for sticking, from rest: bodies must not fall asleep before they start to move.
#[test]
fn a_slow_start_is_not_sleep() {
    let (sin, cos) = 30.0_f64.to_radians().sin_cos();
    let scene = format!(
        "
[materials.default]
friction = 0.55
[[bodies]]
name = 'slope'
kind = 'fixed'
shape = {{ plane = {{ normal = [{}, {cos}, 0] }} }}
[[bodies]]
name = 'box'
shape = {{ box = {{ half_extents = [0.5, 0.5, 0.5] }} }}
position = [{}, {}, 0]
orientation = {{ axis = [0, 0, 1], degrees = 30 }}
",
        -sin,
        -0.5 * sin,
        0.5 * cos
    );
    let want = 0.5 * G * (sin - 0.55 * cos) * 4.0;
    for preset in PRESETS {
        let f = run("slope", "duration = 2.0", &scene, preset);
        let p = body(&f, "box").position;
        near((p[0] + 0.5 * sin).hypot(p[1] - 0.5 * cos), want, 0.02 * want, preset);
    }
}

/// A platform rests, then sinks: the body standing on it wakes and sinks with it.
#[test]
fn what_stands_on_a_platform_goes_with_it() {
    let scene = "
[[bodies]]
name = 'platform'
kind = 'scripted'
shape = { box = { half_extents = [2, 0.5, 2] } }
position = [0, -0.5, 0]
[[bodies]]
name = 'box'
shape = { box = { half_extents = [0.5, 0.5, 0.5] } }
position = [0, 0.5, 0]
[[scripts]]
body = 'platform'
keys = [{ time = 0, position = [0, -0.5, 0] }, { time = 1, position = [0, -0.5, 0] }, { time = 3, position = [0, -3.5, 0] }]
";
    for preset in PRESETS {
        let f = run("platform", "duration = 3.0", scene, preset);
        near(body(&f, "box").position[1] - body(&f, "platform").position[1], 1.0, 0.05, preset);
    }
}

const CUBE: &str = "vertices = [[-0.5, -0.5, -0.5], [-0.5, -0.5, 0.5], [-0.5, 0.5, -0.5], [-0.5, 0.5, 0.5], [0.5, -0.5, -0.5], [0.5, -0.5, 0.5], [0.5, 0.5, -0.5], [0.5, 0.5, 0.5]], \
triangles = [[0, 1, 3], [0, 3, 2], [4, 6, 7], [4, 7, 5], [0, 4, 5], [0, 5, 1], [2, 3, 7], [2, 7, 6], [0, 2, 6], [0, 6, 4], [1, 5, 7], [1, 7, 3]]";

/// A cube given as a mesh, on a box, exactly touching: normals must not come from rounding errors.
#[test]
fn a_mesh_rests_on_a_box() {
    for (lower, upper) in [("box = { half_extents = [0.5, 0.5, 0.5] }", "mesh"), ("mesh", "box"), ("mesh", "mesh")] {
        let shape = |s: &str| match s {
            "mesh" => format!("mesh = {{ {CUBE} }}"),
            "box" => "box = { half_extents = [0.5, 0.5, 0.5] }".to_owned(),
            other => other.to_owned(),
        };
        let scene = format!(
            "{GROUND}[[bodies]]\nname = 'lower'\nshape = {{ {} }}\nposition = [0, 0.5, 0]\n[[bodies]]\nname = 'upper'\nshape = {{ {} }}\nposition = [0.1, 1.5, 0.05]\n",
            shape(lower),
            shape(upper)
        );
        for preset in PRESETS {
            let f = run("mesh", "duration = 1.0", &scene, preset);
            let p = body(&f, "upper").position;
            let moved = (p[0] - 0.1).hypot(p[1] - 1.5).hypot(p[2] - 0.05);
            assert!(moved < 2e-3, "{lower} under {upper}, {preset}: moved {moved}");
        }
    }
}

/// Sliding over the inner edges of a frictionless height field loses no speed.
#[test]
fn a_flat_height_field_has_no_ghosts() {
    let row = format!("[{}]", vec!["0"; 16].join(", "));
    let rows = vec![row; 5].join(", ");
    for shape in ["box = { half_extents = [0.3, 0.3, 0.3] }", "cylinder = { radius = 0.3, half_height = 0.3 }"] {
        let scene = format!(
            "
[materials.default]
friction = 0
[[bodies]]
name = 'field'
kind = 'fixed'
shape = {{ height-field = {{ heights = [{rows}], step = 1.0 }} }}
[[bodies]]
name = 'slider'
shape = {{ {shape} }}
position = [-5.3, 0.3, 0.37]
linear_velocity = [5, 0, 0.3]
"
        );
        for preset in PRESETS {
            let f = run("field", "duration = 1.5", &scene, preset);
            let b = body(&f, "slider");
            near(b.linear_velocity[0], 5.0, 1e-3, preset);
            near(b.position[0], 2.2, 1e-2, preset);
            near(b.position[1], 0.3, 1e-3, preset);
        }
    }
}

/// Bodies stay on hilly ground made of an open sheet of triangles, and a warning says which of its sides they meet.
#[test]
fn open_ground_bears_what_falls_on_it() {
    let height = |x: f64, z: f64| 0.3 * (0.9 * x).sin() * (0.8 * z).cos() + 0.05 * (x * x + z * z);
    let count = 16;
    let place = |k: usize| 0.5 * (k as f64 - 8.0);
    let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
    for i in 0..=count {
        for j in 0..=count {
            vertices.push([place(i), height(place(i), place(j)), place(j)]);
        }
    }
    for (i, j) in (0..count).flat_map(|i| (0..count).map(move |j| (i, j))) {
        let a = i * (count + 1) + j;
        let [b, c, d] = [a + 1, a + count + 1, a + count + 2];
        triangles.extend([[a, b, c], [b, d, c]]);
    }
    let shapes = [
        "sphere = { radius = 0.2 }",
        "box = { half_extents = [0.2, 0.15, 0.1] }",
        "capsule = { radius = 0.1, half_height = 0.2 }",
        "cylinder = { radius = 0.2, half_height = 0.1 }",
        "cone = { radius = 0.2, half_height = 0.2 }",
    ];
    let mut scene = format!(
        "duration = 3\n[[bodies]]\nname = 'ground'\nkind = 'fixed'\nshape = {{ mesh = {{ vertices = {vertices:?}, triangles = {triangles:?} }} }}\n"
    );
    for (k, shape) in shapes.iter().enumerate() {
        let (x, z) = (k as f64 - 2.0, 0.3 * k as f64 - 0.5);
        let body = format!("[[bodies]]\nname = 'b{k}'\nshape = {{ {shape} }}\nposition = [{x}, 2, {z}]\n");
        scene.push_str(&body);
    }
    for preset in ["real-time", "velocity-lcp", "substep-soft"] {
        let figures = run("ground", "", &scene, preset);
        assert!(figures.warnings.iter().any(|w| w.contains("open at 64 edges")), "{:?}", figures.warnings);
        for b in figures.final_states.iter().filter(|b| b.name != "ground") {
            let [x, y, z] = b.position;
            // the ground rises by less than 1 m per m, so a body lying on it is above it by less than its own size
            let above = y - height(x, z);
            assert!(
                (0.0..0.4).contains(&above),
                "{} under {preset} at {:?}: {above} m above the ground",
                b.name,
                b.position
            );
        }
    }
}

/// `plane` of `[scene]`: a tilted block on the ground, pushed sideways and spun, keeps to its plane; without the key it leaves it.
#[test]
fn a_scene_can_be_a_plane() {
    let scene = format!(
        "{GROUND}
[[bodies]]
name = 'block'
shape = {{ box = {{ half_extents = [0.2, 0.5, 0.4] }} }}
position = [0, 0.8, 0.25]
orientation = {{ axis = [1, 0.5, 0.3], degrees = 40 }}
linear_velocity = [1, 0, 0.5]
"
    );
    for preset in ["real-time", "velocity-lcp"] {
        let flat = run("flat", "duration = 1\nplane = [0, 0, 2]", &scene, preset);
        let block = body(&flat, "block");
        near(block.position[2], 0.25, 1e-12, preset);
        near(block.linear_velocity[2], 0.0, 1e-12, preset);
        near(block.angular_velocity[0].hypot(block.angular_velocity[1]), 0.0, 1e-12, preset);
        assert!(block.position[0] > 0.1 && block.position[1] < 0.8, "{preset}: {:?}", block.position);
        let space = run("space", "duration = 1", &scene, preset);
        assert!((body(&space, "block").position[2] - 0.25).abs() > 0.05, "{preset}");
    }
}
