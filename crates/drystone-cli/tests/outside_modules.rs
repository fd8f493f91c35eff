//! The modules of `examples/outside`, as a third party would write them: they pass the contract suites, and every command knows them.

// a separate crate where it lives
#[allow(unreachable_pub)]
#[path = "../../../examples/outside/src/lib.rs"]
mod outside;

use drystone::core::catalogue::Settings;
use drystone::{ModuleKind, Registry, RegistryError, World};
use drystone_joints::JointDescription;
use drystone_math::Vec3;
use drystone_testkit::{
    ConstraintExpectations, EnergyGain, SourceExpectations, check_broad_phase, check_collision_law,
    check_constraint_solver, check_constraint_source, check_time_control,
};
use outside::{AllPairs, DampedJacobi, HalfSteps, Hoist, NormalImpulses, Plastic, registry};
use std::ffi::OsString;
use std::process::ExitCode;
use std::sync::Arc;

#[test]
fn they_hold_their_contracts() {
    check_broad_phase(&mut AllPairs);
    check_time_control(&mut || Box::new(HalfSteps));
    check_collision_law(&Plastic, EnergyGain::Never);
    drystone_lcp::check_lcp_solver(|| Box::new(DampedJacobi::default()), 1e-8);
    let expected = ConstraintExpectations::default();
    check_constraint_solver(&mut || Box::new(NormalImpulses::new(2000)), expected);
    let d = JointDescription {
        anchor: Some(Vec3::new(0.2, 0.5, 0.1)),
        anchor2: Some(Vec3::new(-0.3, 0.4, 0.2)),
        ..JointDescription::new("hoist")
    };
    let settings = Settings::defaults(&Hoist::DESCRIPTION);
    // the bearings of the wheels take up the forces that do not balance
    let expected = SourceExpectations { internal: false, curvature: true };
    let compared = check_constraint_source(&mut |poses| Box::new(Hoist::new(&d, poses, &settings).unwrap()), expected);
    assert!(compared > 40, "{compared}");
}

/// The suites do fail for a faulty module.
#[test]
fn a_broken_module_fails_its_suite() {
    use drystone_core::{CollisionLaw, ImpactContact};
    struct Sticky;
    impl CollisionLaw for Sticky {
        fn name(&self) -> &'static str {
            "sticky"
        }
        fn impulse(&self, contact: &ImpactContact) -> drystone_math::Vec3 {
            -contact.relative_velocity
        }
    }
    assert!(std::panic::catch_unwind(|| check_collision_law(&Sticky, EnergyGain::Never)).is_err());
    let short = || -> Box<dyn drystone_lcp::LcpSolver> {
        let mut solver = DampedJacobi::default();
        solver.iterations = 1;
        Box::new(solver)
    };
    assert!(std::panic::catch_unwind(|| drystone_lcp::check_lcp_solver(short, 1e-8)).is_err());
}

/// Runs our command line; returns whether it ended with status 0.
fn run(arguments: &[&str]) -> bool {
    let registry = registry().unwrap();
    let arguments = ["outside"].iter().chain(arguments).map(OsString::from);
    format!("{:?}", drystone_cli::run(&registry, arguments)) == format!("{:?}", ExitCode::SUCCESS)
}

#[test]
fn every_command_knows_them() {
    let out = std::env::temp_dir().join(format!("drystone-outside-{}", std::process::id()));
    let dir = out.display().to_string();
    assert!(run(&["compare", "box-stack", "--paradigms", "velocity-lcp,ours", "--duration", "0.1", "--out", &dir]));
    let report = std::fs::read_to_string(out.join("figures.csv")).unwrap();
    assert!(report.contains("box-stack,ours,") && report.contains("box-stack,velocity-lcp,"), "{report}");
    for set in [
        "simulation.broad_phase.kind=all-pairs",
        "simulation.time_control.kind=half-steps",
        "simulation.lcp.solver=damped-jacobi",
        "simulation.motion_solver.kind=rk4",
        "simulation.constraint_solver.kind=normal-impulses",
    ] {
        assert!(run(&["run", "box-stack", "--steps", "3", "--set", set, "--json"]), "{set}");
    }
    let law =
        ["--set", "simulation.collision_solver.kind=sequential", "--set", "simulation.collision_solver.law=plastic"];
    assert!(run(&[&["run", "newtons-cradle", "--steps", "3"], &law[..]].concat()));
    assert!(!run(&["run", "newtons-cradle", "--steps", "3", "--set", "simulation.collision_solver.law=elastic"]));
    assert!(run(&["list"]) && run(&["schema"]) && run(&["check", "box-stack"]));
    let _ = std::fs::remove_dir_all(out);
}

/// A collision law from outside is really used: with a plastic one nothing bounces.
#[test]
fn a_law_from_outside_is_used() {
    use drystone::core::catalogue::Value;
    use drystone::prelude::*;
    let height_after = |law: &str| {
        let settings = vec![("law".to_owned(), Value::Text(law.to_owned()))];
        let choice =
            drystone::ModuleChoice { kind: ModuleKind::CollisionSolver, name: Some("sequential".to_owned()), settings };
        let mut world = World::builder().registry(registry().unwrap()).choose(choice).build().unwrap();
        let surface = world.add_material(Material { restitution: 1.0, ..Material::default() }).unwrap();
        world.add(Body::fixed(Shape::plane(Vec3::Y, 0.0).unwrap()).material(surface)).unwrap();
        let ball = Body::dynamic(Shape::sphere(0.5).unwrap()).at([0.0, 1.5, 0.0]).material(surface);
        let ball = world.add(ball).unwrap();
        let mut highest = 0.0_f64;
        for step in 0..100 {
            world.advance(0.01).unwrap();
            if step > 50 {
                highest = highest.max(world.position(ball).unwrap().y);
            }
        }
        highest
    };
    assert!(height_after("plastic") < 0.51 && height_after("poisson") > 1.4);
}

/// A world built around a registry can change to that registry's presets while it runs.
#[test]
fn presets_are_taken_while_a_world_runs() {
    let registry = registry().unwrap();
    let ours = registry.paradigm("ours").unwrap();
    let mut world = World::builder().registry(registry).build().unwrap();
    world.set_paradigm(ours, &[]).unwrap();
    assert_eq!(world.modules().name(ModuleKind::BroadPhase), "all-pairs");
    // a world without this registry returns an error
    let mut plain = World::builder().build().unwrap();
    assert!(plain.set_paradigm(ours, &[]).unwrap_err().to_string().contains("half-steps"));
    assert_eq!(plain.modules().name(ModuleKind::BroadPhase), "aabb-tree");
}

/// A cord over two wheels in a scene file: the accelerations of Atwood's machine in closed form.
#[test]
fn a_joint_from_outside_holds_what_a_scene_hangs_on_it() {
    let registry = registry().unwrap();
    let (t, [heavy, light]) = (0.5, [3.0, 1.0]);
    let loaded = |set: &[&str]| {
        let overrides =
            drystone_cli::Overrides { set: set.iter().map(|s| (*s).to_owned()).collect(), ..Default::default() };
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/outside/atwood.toml");
        drystone_cli::load_from(&registry, path, &overrides)
    };
    let fallen = |set: &[&str]| {
        let mut world = loaded(set).unwrap().world;
        let body = world.bodies()[0];
        let start = world.position(body).unwrap();
        for _ in 0..500 {
            world.advance(1e-3).unwrap();
        }
        start - world.position(body).unwrap()
    };
    // small steps reproduce the closed form but for the first one
    let path = |a: f64| 0.5 * a * t * t;
    let plain = path((heavy - light) / (heavy + light) * 9.81);
    assert!((fallen(&[]).y / plain - 1.0).abs() < 3e-3, "{} for {plain}", fallen(&[]));
    // a tackle of ratio two: B rises half as far and is pulled twice as hard; v = 2 u, m v' = m g - T, M u' = 2 T - M g
    let tackle = path((heavy - 0.5 * light) / (heavy + 0.25 * light) * 9.81);
    let found = fallen(&["joints[0].ratio=2.0"]).y;
    assert!((found / tackle - 1.0).abs() < 3e-3, "{found} for {tackle}");
    for (set, said) in [
        ("joints[0].ratio=-1.0", "ratio"),
        ("joints[0].kind=\"hoyst\"", "hoist"),
        ("joints[0].limits.lower=0.0", "limits"),
    ] {
        let message = loaded(&[set]).err().unwrap().to_string();
        assert!(message.contains(said), "{set}: {message}");
    }
}

/// A force from outside: a weightless spinning ball flies in a circle.
#[test]
fn a_force_from_outside_bends_a_path() {
    let text = r#"
[scene]
gravity = [0, 0, 0]
duration = 1.0
[[bodies]]
name = "ball"
shape = { sphere = { radius = 0.1 } }
mass = 2.0
linear_velocity = [3, 0, 0]
angular_velocity = [0, 10, 0]
[[forces]]
kind = "magnus"
bodies = ["ball"]
coefficient = 0.1
"#;
    let document = drystone_scene::Document::from_toml_str(text).unwrap();
    let prepared =
        drystone_session::prepare_from(&registry().unwrap(), document, &drystone_cli::Overrides::default()).unwrap();
    let mut world = prepared.finish().unwrap().world;
    let ball = world.bodies()[0];
    for _ in 0..1000 {
        world.advance(1e-3).unwrap();
    }
    // turns at c w / m = 0.5 rad/s about y, on a circle of 6 m; semi-implicit steps increase the speed by the fraction c^2 w^2 h t / 2 m^2
    let (v, r) = (world.velocity(ball).unwrap().linear, 6.0);
    assert!((v - Vec3::new(3.0 * 0.5f64.cos(), 0.0, -3.0 * 0.5f64.sin())).length() < 1e-3, "{v}");
    let p = world.position(ball).unwrap();
    assert!((p - Vec3::new(r * 0.5f64.sin(), 0.0, -r * (1.0 - 0.5f64.cos()))).length() < 3e-3, "{p}");
}

#[test]
fn names_are_checked() {
    let describe = |name| drystone::core::catalogue::Implementation { name, summary: "", source: "", parameters: &[] };
    let mut registry = Registry::default();
    let mut add = |name| registry.add_broad_phase(describe(name), |_: &Settings| Box::new(AllPairs)).map(|_| ());
    assert!(matches!(add("hash-grid"), Err(RegistryError::Taken { name: "hash-grid", .. })));
    for bad in ["", "My Phase", "a--b", "-a", "naïve"] {
        assert!(matches!(add(bad), Err(RegistryError::Name { .. })), "{bad}");
    }
    assert!(add("mine").is_ok() && add("mine").is_err());
    let mut joint = |name| {
        let make = |_: &JointDescription<'_>, _: [&drystone_math::Pose; 2], _: &Settings| {
            Err(drystone_joints::JointBuildError::Other("never".to_owned()))
        };
        let joint = drystone_joints::JointMaker { described: describe(name), collides: false, make: Arc::new(make) };
        registry.add_joint_kind(joint).map(|_| ())
    };
    assert!(matches!(joint("hinge"), Err(RegistryError::Taken { .. })));
    assert!(joint("mine").is_ok() && joint("mine").is_err());
}
