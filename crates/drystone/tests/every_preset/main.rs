//! Every preset under every contract suite: each module that it is made of, with the preset's own settings, is held to what its seam promises, at the level (accelerations, velocities,
//! positions) at which it works; so is the kernel that they make up together. The table in `rows.rs` says how closely, and where a suite does not apply, and why.
//!
//! Joints are no part of a preset: all presets have the same, which `drystone-joints/tests/rows.rs` holds to theirs.

mod kernel;
mod rows;
mod suites;

use drystone::prelude::*;
use drystone::{ModuleKind, Registry};
use drystone_core::catalogue::Implementation;
use rows::{Held, ROWS, Row};

/// All of the registry's presets against the table: what does not hold, in words.
fn faults(registry: &Registry, rows: &[Row], presets: impl Fn(&str) -> bool) -> Vec<String> {
    let mut suites = suites::Suites::new(registry);
    for paradigm in registry.paradigms().iter().filter(|p| presets(p.name)) {
        match rows.iter().filter(|r| r.preset == paradigm.name).collect::<Vec<_>>()[..] {
            [row] => suites.hold(paradigm, row),
            ref others => suites.faults.push(format!("{}: {} rows in the table", paradigm.name, others.len())),
        }
    }
    for row in rows.iter().filter(|r| registry.paradigm(r.preset).is_err()) {
        suites.faults.push(format!("{}: a row without a preset", row.preset));
    }
    suites.faults
}

#[test]
fn every_preset_keeps_every_contract() {
    let found = faults(&Registry::default(), ROWS, |_| true);
    assert!(found.is_empty(), "{}", found.join("\n"));
}

/// A preset that the table does not know, one that it knows twice, and a row of one that is gone.
#[test]
fn the_table_is_that_of_the_registry() {
    let without = &ROWS[1..];
    let left_out = ROWS[0].preset;
    let found = faults(&Registry::default(), without, |name| name == left_out);
    assert_eq!(found, [format!("{left_out}: 0 rows in the table")]);
    let gone = [Row { preset: "no-such-preset", ..ROWS[0].clone() }];
    assert_eq!(faults(&Registry::default(), &gone, |_| false), ["no-such-preset: a row without a preset"]);
}

/// The rest of a preset's modules are held to the same rows, with one that breaks its contract among them: that one is named, or what is made of it.
#[test]
fn a_broken_module_is_found_in_any_place() {
    let base = Paradigm::RETROACTIVE;
    let row = ROWS.iter().find(|r| r.preset == base.name).unwrap();
    let named =
        |kind: ModuleKind, name: &'static str| base.named("broken", "with one broken module", "none").with(kind, name);
    for (kind, paradigm) in [
        (ModuleKind::ConstraintSolver, named(ModuleKind::ConstraintSolver, "none")),
        (ModuleKind::CollisionSolver, named(ModuleKind::CollisionSolver, "none")),
        (ModuleKind::TimeControl, named(ModuleKind::TimeControl, "stands-still")),
        (ModuleKind::MotionSolver, named(ModuleKind::MotionSolver, "hurries")),
        (ModuleKind::BroadPhase, named(ModuleKind::BroadPhase, "sees-nothing")),
        (ModuleKind::NarrowPhase, named(ModuleKind::NarrowPhase, "too-near")),
        (ModuleKind::ContactDetermination, named(ModuleKind::ContactDetermination, "no-contacts")),
        (ModuleKind::CoherenceAnalysis, named(ModuleKind::CoherenceAnalysis, "flat")),
        (ModuleKind::Lcp, named(ModuleKind::Lcp, "gives-up")),
    ] {
        let mut registry = suites::broken::registry();
        registry.add_paradigm(paradigm).unwrap();
        let rows = [Row { preset: "broken", ..row.clone() }];
        let found = faults(&registry, &rows, |name| name == "broken");
        assert!(found.iter().any(|f| f.contains(kind.table())), "{kind:?}: {found:?}");
    }
}

/// A law is found within its collision solver.
#[test]
fn a_broken_law_is_found() {
    const STICKY: Implementation =
        Implementation { name: "sticky", summary: "pulls too", source: "none", parameters: &[] };
    let mut registry = Registry::default();
    registry.add_collision_law(STICKY, |_| Box::new(suites::broken::Sticky)).unwrap();
    let law = drystone_core::catalogue::Value::Text("sticky".to_owned());
    let broken =
        Paradigm::RETROACTIVE.named("broken", "with a broken law", "none").set(ModuleKind::CollisionSolver, "law", law);
    registry.add_paradigm(broken).unwrap();
    let row = ROWS.iter().find(|r| r.preset == Paradigm::RETROACTIVE.name).unwrap();
    let rows = [Row { preset: "broken", ..row.clone() }];
    let found = faults(&registry, &rows, |name| name == "broken");
    assert!(found.iter().any(|f| f.contains("collision law")), "{found:?}");
}

/// An exemption that nothing needs is one too many.
#[test]
fn a_needless_exemption_is_found() {
    let row = ROWS.iter().find(|r| r.preset == Paradigm::VELOCITY_LCP.name).unwrap();
    let rows = [Row { motion_solver: Held::Exempt("none"), ..row.clone() }];
    let found = faults(&Registry::default(), &rows, |name| name == Paradigm::VELOCITY_LCP.name);
    assert!(found.iter().any(|f| f.contains("motion_solver") && f.contains("needs no exemption")), "{found:?}");
}
