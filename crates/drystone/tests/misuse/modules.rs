//! Modules given by value: listed under their own names, and kept or refused when the paradigm changes.

use super::{ball, floor, steps};
use drystone::prelude::*;
use drystone::{ModuleChoice, ModuleKind, WorldError};
use drystone_core::catalogue::Value;
use drystone_core::{BodyPair, BroadPhase, BroadPhaseInput};

/// Every admitted pair whose boxes overlap, sorted.
struct EachWithEach;

impl BroadPhase for EachWithEach {
    fn find_pairs(&mut self, input: BroadPhaseInput<'_>, pairs: &mut Vec<BodyPair>) {
        pairs.clear();
        let n = input.boxes.len() as u32;
        for (a, b) in (0..n).flat_map(|a| (a + 1..n).map(move |b| (a, b))) {
            let [i, j] = [a as usize, b as usize];
            if input.boxes[i].overlaps(&input.boxes[j]) && input.filters[i].admits(&input.filters[j]) {
                pairs.push(BodyPair::ordered(a, b));
            }
        }
    }

    fn name(&self) -> &'static str {
        "each-with-each"
    }
}

fn choice(name: Option<&str>, settings: Vec<(String, Value)>) -> ModuleChoice {
    ModuleChoice { kind: ModuleKind::BroadPhase, name: name.map(str::to_owned), settings }
}

#[test]
fn what_is_given_by_value_is_named_and_survives_a_change_of_paradigm() {
    let mut w = World::builder().broad_phase(EachWithEach).build().unwrap();
    let named = |w: &World| (w.modules().name(ModuleKind::BroadPhase), w.modules().stages.broad_phase.name());
    assert_eq!(named(&w), ("each-with-each", "each-with-each"));
    assert_eq!(w.modules().by_value, [ModuleKind::BroadPhase]);
    assert_eq!(w.modules().settings(ModuleKind::BroadPhase).iter().count(), 0);
    w.add(floor()).unwrap();
    let b = w.add(ball().at([0.0, 0.5, 0.0])).unwrap();
    steps(&mut w, 10);
    w.set_paradigm(Paradigm::LOAD_PROPAGATION, &[]).unwrap();
    assert_eq!(named(&w), ("each-with-each", "each-with-each"));
    assert_eq!(w.modules().name(ModuleKind::TimeControl), "load-propagation");
    assert_eq!(w.modules().stages.sleep_policy.name(), "kinetic-energy-relative");
    steps(&mut w, 10);
    assert!((w.position(b).unwrap().y - 0.5).abs() < 1e-2);
    // settings without a module name would have nothing to apply to
    let refused =
        w.set_paradigm(Paradigm::MECHANISM, &[choice(None, vec![("axes".to_owned(), Value::Text("x".to_owned()))])]);
    assert_eq!(refused, Err(WorldError::GivenByValue("broad_phase")));
    assert_eq!(w.paradigm().name, "load-propagation");
    // a module chosen by name replaces it
    w.set_paradigm(Paradigm::MECHANISM, &[choice(Some("hash-grid"), vec![])]).unwrap();
    assert_eq!(named(&w), ("hash-grid", "hash-grid"));
    assert!(w.modules().by_value.is_empty());
    steps(&mut w, 10);
}

/// One narrow phase used to read another's cache, which made a subtraction overflow. Restoring a snapshot brings such a cache back, too.
#[test]
fn no_narrow_phase_reads_what_another_remembers() {
    let narrow =
        |name: &str| ModuleChoice { kind: ModuleKind::NarrowPhase, name: Some(name.to_owned()), settings: vec![] };
    let names = ["primitives", "v-clip", "gjk-epa", "sat", "combined", "gjk-epa", "v-clip"];
    let mut w = World::builder().build().unwrap();
    let cube = |y: f64| Body::dynamic(Shape::cuboid(0.5, 0.5, 0.5).unwrap()).at([0.1 * y, y, 0.0]);
    w.add(Body::fixed(Shape::cuboid(5.0, 0.5, 5.0).unwrap()).at([0.0, -0.5, 0.0])).unwrap();
    let top = [0.5, 1.5, 2.5].map(|y| w.add(cube(y)).unwrap())[2];
    let mut snapshots = Vec::new();
    for name in names {
        w.set_paradigm(Paradigm::VELOCITY_LCP, &[narrow(name)]).unwrap();
        steps(&mut w, 3);
        snapshots.push(w.snapshot());
    }
    for snapshot in &snapshots {
        w.restore(snapshot).unwrap();
        steps(&mut w, 3);
    }
    assert!((w.position(top).unwrap().y - 2.5).abs() < 0.05, "{:?}", w.position(top));
}

/// Modules that together would compute nonsense: a solver that divides by the step is called for a step of zero length, nothing holds a body, or a
/// solver that moves bodies itself is called at other poses than those at the start of the step. Each is refused by name, when the world is built
/// and when a module is replaced.
#[test]
fn modules_that_do_not_work_together_are_refused() {
    let choose = |kind, name: &str| ModuleChoice { kind, name: Some(name.to_owned()), settings: Vec::new() };
    let controls = ["retroactive", "timewarp", "hybrid"];
    for paradigm in [Paradigm::XPBD, Paradigm::AVBD, Paradigm::SUBSTEP_SOFT, Paradigm::PENALTY, Paradigm::POSITION_NCP]
    {
        for control in controls {
            let control = choose(ModuleKind::TimeControl, control);
            let refused = World::builder().paradigm(paradigm).choose(control).build().err();
            assert!(matches!(refused, Some(WorldError::Levels { .. })), "{}: {refused:?}", paradigm.name);
        }
    }
    let impulse = choose(ModuleKind::TimeControl, "impulse");
    let refused = World::builder().paradigm(Paradigm::VELOCITY_LCP).choose(impulse).build().err().unwrap();
    let expected = "time control 'impulse' does not work with collision solver 'none', which resolves no impacts";
    assert_eq!(refused.to_string(), expected);
    let fixed_point = choose(ModuleKind::TimeControl, "fixed-point");
    let refused = World::builder().paradigm(Paradigm::XPBD).choose(fixed_point).build().err().unwrap();
    let expected =
        "time control 'fixed-point' does not work with constraint solver 'xpbd', which keeps positions itself";
    assert_eq!(refused.to_string(), expected);

    let mut world = World::builder().paradigm(Paradigm::IMPULSE).build().unwrap();
    let none = Box::new(drystone_impact::NoCollisions);
    let refused = world.replace(drystone::Replacement::CollisionSolver(none)).unwrap_err();
    assert!(matches!(refused, WorldError::Mismatch { module: "none", .. }), "{refused}");
    let none = choose(ModuleKind::CollisionSolver, "none");
    assert!(matches!(world.set_paradigm(Paradigm::IMPULSE, &[none]), Err(WorldError::Mismatch { .. })));
    steps(&mut world, 1);
}
