//! What modules declare as unread is exactly what makes no difference, under every preset.

use crate::random_world::Random;
use drystone::{ModuleKind, Paradigm};
use drystone_core::Unread;
use drystone_scene::Document;
use drystone_scene::figures::state_hash;
use drystone_session::{Loaded, Overrides, prepare};
use std::fmt::Write;

/// Boxes that tumble onto each other and bounce, and a chain of two with a weight: every setting that is read has something to act on.
const TUMBLE: &str = r#"
[scene]
name = "tumble"

[simulation]
time_step = 0.01

[materials.default]
friction = 0.5
restitution = 0.2

[[bodies]]
name = "ground"
kind = "fixed"
shape = { plane = { normal = [0, 1, 0] } }

[[bodies]]
name = "a"
shape = { box = { half_extents = [0.5, 0.2, 0.1] } }
position = [0, 0.35, 0]
angular_velocity = [3, 1, 2]
linear_velocity = [0.3, -1, 0]

[[bodies]]
name = "b"
shape = { box = { half_extents = [0.3, 0.2, 0.1] } }
position = [0.1, 0.85, 0]
angular_velocity = [1, 2, -1]
linear_velocity = [0, -1, 0]
"#;

const CHAIN: &str = r#"
[[bodies]]
name = "c"
shape = { box = { half_extents = [0.3, 0.1, 0.1] } }
position = [5, 2, 0]

[[bodies]]
name = "d"
shape = { box = { half_extents = [0.4, 0.2, 0.1] } }
position = [5.7, 2, 0]

[[joints]]
kind = "ball"
bodies = ["world", "c"]
anchor = [4.7, 2, 0.1]

[[joints]]
kind = "hinge"
bodies = ["c", "d"]
anchor = [5.3, 2, 0]
axis = [0, 0, 1]
"#;

/// Steps of a run: by then bodies have met.
const STEPS: usize = 25;

/// For each key two values that make a difference wherever the key is read. Broad phases and memories of pairs always
/// find the same pairs, narrow phases agree to the bit on boxes, and no body comes to rest within these steps for
/// a sleep policy: such keys are not probed, and no module declares them unread.
const PROBES: [(&str, [&[&str]; 2]); 6] = [
    ("lcp.solver", [&["lcp.solver=projected-gauss-seidel"], &["lcp.solver=sparse-principal-pivoting"]]),
    (
        "lcp.iterations",
        [
            &["lcp.solver=projected-gauss-seidel", "lcp.iterations=1"],
            &["lcp.solver=projected-gauss-seidel", "lcp.iterations=50"],
        ],
    ),
    (
        "lcp.warm_start",
        [
            &["lcp.solver=projected-gauss-seidel", "lcp.iterations=1", "lcp.warm_start=true"],
            &["lcp.solver=projected-gauss-seidel", "lcp.iterations=1", "lcp.warm_start=false"],
        ],
    ),
    ("motion_solver.kind", [&["motion_solver.kind=semi-implicit-euler"], &["motion_solver.kind=implicit-gyroscopic"]]),
    ("collision_solver.kind", [&["collision_solver.kind=micro-collisions"], &["collision_solver.kind=sequential"]]),
    (
        "contact_determination.kind",
        [&["contact_determination.kind=clipping"], &["contact_determination.kind=closest-point"]],
    ),
];

/// Keys that are read but make no difference in this scene.
const READ_ELSEWHERE: [(&str, &str, &str); 3] = [
    // small steps solve joints their own way
    ("real-time", "lcp.solver", "groups without joints that sweeps leave far off, and friction in cones"),
    ("real-time", "lcp.iterations", "the same, if the solver iterates"),
    // read when joints are solved before an impact, if one of these solvers is a method for equations: no joint of this scene has an impact
    ("convex-newton", "lcp.solver", "joints whose bodies are struck"),
];

/// The scene under a preset with some settings; without the joints if the preset takes none.
fn loaded(preset: &str, set: &[&str]) -> Option<Loaded> {
    let overrides = Overrides {
        paradigm: Some(preset.to_owned()),
        set: set.iter().map(|s| format!("simulation.{s}")).collect(),
        ..Overrides::default()
    };
    let load = |text: &str| prepare(Document::from_toml_str(text).unwrap(), &overrides).ok()?.finish().ok();
    load(&format!("{TUMBLE}{CHAIN}")).or_else(|| load(TUMBLE))
}

fn hash(preset: &str, set: &[&str]) -> String {
    let mut loaded = loaded(preset, set).unwrap_or_else(|| panic!("{preset}: {set:?}"));
    for _ in 0..STEPS {
        // a run that diverges depends on its settings as well
        if loaded.advance(0.01).is_err() {
            break;
        }
    }
    state_hash(loaded.world.state())
}

/// Whether the modules of a preset with these settings declare a key as unread.
fn is_unread(preset: &str, set: &[&str], key: &str) -> bool {
    let loaded = loaded(preset, set).unwrap();
    let (table, key) = key.split_once('.').unwrap();
    let modules = loaded.world.modules();
    let (control, solver) = (modules.time_control.unread(), modules.stages.constraint_solver.unread());
    control.iter().chain(solver).any(|u| u.covers(ModuleKind::from_table(table).unwrap(), key))
}

#[test]
fn what_is_said_to_be_unread_is_what_makes_no_difference() {
    let mut wrong = Vec::new();
    for preset in Paradigm::ALL.iter().map(|p| p.name) {
        for (key, [one, other]) in PROBES {
            let unread = is_unread(preset, other, key);
            assert_eq!(unread, is_unread(preset, one, key), "{preset}: {key}");
            let elsewhere = READ_ELSEWHERE.iter().any(|(p, k, _)| *p == preset && *k == key);
            let same = hash(preset, one) == hash(preset, other);
            if same != (unread || elsewhere) {
                wrong.push(format!(
                    "{preset}: {key} makes {} difference, unread: {unread}",
                    if same { "no" } else { "a" }
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// The declared tables and keys exist.
#[test]
fn declared_tables_and_keys_exist() {
    for preset in Paradigm::ALL.iter().map(|p| p.name) {
        let loaded = loaded(preset, &[]).unwrap();
        let modules = loaded.world.modules();
        for unread in modules.time_control.unread().iter().chain(modules.stages.constraint_solver.unread()) {
            let (kind, keys): (_, &[&str]) = match *unread {
                Unread::Table(kind) => (kind, &[]),
                Unread::AllBut(kind, keys) | Unread::Keys(kind, keys) => (kind, keys),
            };
            let is_there = |key: &&str| *key == kind.name_key() || modules.settings(kind).has(key);
            assert!(keys.iter().all(is_there), "{preset}: {unread:?}");
        }
    }
}

/// A setting that is not read gives one warning, whether it comes from the file or from outside; other settings give none, and the run goes on.
#[test]
fn setting_what_is_not_read_is_warned_of() {
    let told = |preset: &str, set: &[&str]| -> Vec<String> {
        let warnings = loaded(preset, set).unwrap().warnings;
        warnings.into_iter().filter(|w| w.contains("no effect")).collect()
    };
    let sweeps = ["lcp.solver=projected-gauss-seidel", "lcp.iterations=7"];
    assert_eq!(
        told("xpbd", &sweeps),
        [
            "warning: tumble: simulation.lcp.solver, simulation.lcp.iterations have no effect: constraint solver 'xpbd' does not read them"
        ]
    );
    assert_eq!(
        told("avbd", &["lcp.iterations=7", "lcp.warm_start=false"]),
        ["warning: tumble: simulation.lcp.iterations has no effect: constraint solver 'avbd' does not read it"]
    );
    assert_eq!(
        told("impulse", &["lcp.iterations=7"]),
        ["warning: tumble: simulation.lcp.iterations has no effect: time control 'impulse' does not read it"]
    );
    assert!(told("velocity-lcp", &sweeps).is_empty() && told("xpbd", &["motion_solver.kind=lie-midpoint"]).is_empty());
    assert!(told("xpbd", &[]).is_empty());
    let text = format!("{TUMBLE}\n[simulation.lcp]\niterations = 3\n").replacen(
        "[simulation]",
        "[simulation]\nparadigm = 'penalty'",
        1,
    );
    let world =
        prepare(Document::from_toml_str(&text).unwrap(), &Overrides::default()).ok().unwrap().finish().ok().unwrap();
    assert!(
        world.warnings.iter().any(|w| w.contains("simulation.lcp.iterations has no effect")),
        "{:?}",
        world.warnings
    );
}

/// What a swap from outside leaves out, or has no use for, is said; what fits is not.
#[test]
fn swaps_that_leave_something_out_say_so() {
    let told = |set: &[&str]| loaded("velocity-lcp", set).unwrap().warnings.join("\n");
    let mesh =
        "simulation.narrow_phase.kind has no effect: this world has no pair of shapes that 'mesh' would be used for";
    assert!(told(&["narrow_phase.kind=mesh"]).contains(mesh));
    assert!(told(&["narrow_phase.kind=sdf-map"]).contains("no pair of shapes"));
    assert!(!told(&["narrow_phase.kind=gjk-epa"]).contains("no effect"));
    let steps = ["time_control.kind=runge-kutta", "time_control.tolerance=1e-3"];
    assert!(told(&steps).contains("tolerance does nothing: it is read only if method is"));
    assert!(!told(&[steps[0], steps[1], "time_control.method=dormand-prince"]).contains("tolerance does nothing"));
    assert!(told(&steps[..1]).contains("restitution is left out: time control 'runge-kutta'"));
    assert!(!told(&[steps[0], "collision_solver.kind=sequential"]).contains("left out"));
    assert!(
        told(&["contact_determination.kind=closest-point"]).contains("contact along edges and over faces is left out")
    );
    let note = "its own time_control is 'fixed', and this scene sets 'leapfrog'";
    assert!(told(&["time_control.kind=leapfrog"]).contains(note) && !told(&[]).contains("its own"));
}

/// Modules that cannot work together are refused, with the reason.
#[test]
fn swaps_that_do_not_fit_are_refused() {
    let refused = |preset: &str, set: &[&str]| {
        let set = set.iter().map(|s| format!("simulation.{s}")).collect();
        let overrides = Overrides { paradigm: Some(preset.to_owned()), set, ..Overrides::default() };
        match prepare(Document::from_toml_str(TUMBLE).unwrap(), &overrides).and_then(drystone_session::Prepared::finish)
        {
            Ok(_) => None,
            Err(error) => Some(error.to_string()),
        }
    };
    for (preset, set, why) in [
        ("impulse", &["motion_solver.kind=first-order"][..], "no inertia"),
        ("velocity-lcp", &["time_control.kind=synchronized", "constraint_solver.kind=xpbd"], "position correction"),
        ("velocity-lcp", &["time_control.kind=runge-kutta", "constraint_solver.kind=avbd"], "no rate of motion"),
        ("xpbd", &["time_control.evaluation=lazy", "time_control.sub_steps=4"], "keeps positions itself"),
    ] {
        let error = refused(preset, set).unwrap_or_else(|| panic!("{preset} with {set:?} is taken"));
        assert!(error.contains(why), "{error}");
        assert!(refused(preset, &set[..set.len() - 1]).is_none(), "{preset} with {:?}", &set[..set.len() - 1]);
    }
}

/// A small random world for `real-time`: boxes and balls that fall, slide and meet, with friction of any kind that patches or rows take.
fn any_world(random: &mut Random) -> String {
    let mut text = format!(
        "[scene]\nname = \"any\"\n[simulation]\ntime_step = 0.01\n[materials.default]\nfriction = {}\nrestitution = {}\nrolling_friction = {}\n",
        random.between(0.0, 1.0),
        random.between(0.0, 0.8),
        if random.below(3) == 0 { 0.01 } else { 0.0 },
    );
    text += "[[bodies]]\nname = \"ground\"\nkind = \"fixed\"\nshape = { plane = { normal = [0, 1, 0] } }\n";
    for i in 0..=random.below(4) {
        let shape = match random.below(2) {
            0 => format!("sphere = {{ radius = {} }}", random.between(0.1, 0.3)),
            _ => format!("box = {{ half_extents = [{}, 0.1, 0.2] }}", random.between(0.1, 0.3)),
        };
        let (at, v, w) = (random.vector(0.1), random.vector(2.0), random.vector(3.0));
        let _ = write!(
            text,
            "[[bodies]]\nname = \"b{i}\"\nshape = {{ {shape} }}\nposition = [{}, {}, {}]\n",
            at.x,
            0.3 + 0.4 * i as f64,
            at.z
        );
        let _ =
            write!(text, "linear_velocity = [{}, -1, {}]\nangular_velocity = [{}, {}, {}]\n", v.x, v.z, w.x, w.y, w.z);
    }
    text
}

/// The same world with the solvers named, one after the other: the states that come out, and whether each run said that the solver has no effect.
fn by_solver(text: &str, friction: &str, solvers: &[&str]) -> (Vec<String>, Vec<bool>) {
    let run = |solver: &&str| {
        let set = ["constraint_solver.friction", "lcp.solver"].into_iter().zip([friction, solver]);
        let set = set.map(|(key, value)| format!("simulation.{key}={value}")).collect();
        let overrides = Overrides { paradigm: Some("real-time".to_owned()), set, ..Overrides::default() };
        let mut loaded = prepare(Document::from_toml_str(text).unwrap(), &overrides).unwrap().finish().unwrap();
        for _ in 0..STEPS {
            loaded.advance(0.01).unwrap();
        }
        let said = loaded.warnings.iter().any(|w| w.contains("simulation.lcp.solver has no effect"));
        (state_hash(loaded.world.state()), said)
    };
    solvers.iter().map(run).unzip()
}

/// What a preset reads only for joints is not read in a world without any.
#[test]
fn the_solver_for_joints_is_unread_in_any_world_without_joints() {
    let mut random = Random(55);
    let registry = drystone::Registry::default();
    let all: Vec<&str> = registry.implementations(ModuleKind::Lcp).iter().map(|d| d.name).collect();
    for _ in 0..8 {
        let text = any_world(&mut random);
        let friction = ["none", "disc", "cone"][random.below(3)];
        let (states, said) = by_solver(&text, friction, &all);
        assert!(states.iter().all(|s| *s == states[0]), "read under {friction}:\n{text}");
        assert!(said.iter().all(|s| *s), "not said under {friction}:\n{text}");
    }
    // the control: the same with joints, whose rows the solver gets where small steps do not cover the friction
    let swept = ["projected-gauss-seidel", "sparse-principal-pivoting"];
    for _ in 0..4 {
        let (states, said) = by_solver(&format!("{}{CHAIN}", any_world(&mut random)), "cone", &swept);
        assert!(states[0] != states[1] && !said.contains(&true), "{said:?}");
    }
}

/// The same of other settings of its table.
#[test]
fn settings_for_joints_are_unread_in_a_world_without_joints() {
    let told = |text: &str| -> Vec<String> {
        let set = ["simulation.lcp.iterations=7".to_owned(), "simulation.lcp.warm_start=false".to_owned()];
        let overrides = Overrides { paradigm: Some("real-time".to_owned()), set: set.to_vec(), ..Overrides::default() };
        let loaded = prepare(Document::from_toml_str(text).unwrap(), &overrides).unwrap().finish().unwrap();
        loaded.warnings.into_iter().filter(|w| w.contains("no effect")).collect()
    };
    assert_eq!(
        told(TUMBLE),
        [
            "warning: tumble: simulation.lcp.iterations has no effect: constraint solver 'contact-sweeps' does not read it"
        ]
    );
    assert!(told(&format!("{TUMBLE}{CHAIN}")).is_empty());
}
