//! Every preset under every contract suite. Each module of a preset, with the preset's own settings, is checked against the contract of its seam at
//! the level (accelerations, velocities, positions) at which it works; so is the kernel that they make up together. The table in `rows.rs` gives
//! the tolerances, and says where a suite does not apply and why.
//!
//! Joints are not part of a preset: all presets share the same ones, which `drystone-joints/tests/rows.rs` checks against their contract.

mod kernel;
mod rows;
mod suites;

use drystone::prelude::*;
use drystone::{ModuleKind, Registry};
use drystone_core::catalogue::Implementation;
use rows::{Held, ROWS, Row};

/// Checks the registry's presets selected by `presets` against the table. Returns every violation in words.
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

/// Reported are a preset without a row or with two, and a row whose preset is gone.
#[test]
fn the_table_is_that_of_the_registry() {
    let without = &ROWS[1..];
    let left_out = ROWS[0].preset;
    let found = faults(&Registry::default(), without, |name| name == left_out);
    assert_eq!(found, [format!("{left_out}: 0 rows in the table")]);
    let gone = [Row { preset: "no-such-preset", ..ROWS[0].clone() }];
    assert_eq!(faults(&Registry::default(), &gone, |_| false), ["no-such-preset: a row without a preset"]);
}

/// One module of a preset breaks its contract, and all modules are checked against the same rows: the report names that module, or one built from
/// it.
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

/// A broken law is found inside its collision solver.
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

/// An exemption that is not needed is reported.
#[test]
fn a_needless_exemption_is_found() {
    let row = ROWS.iter().find(|r| r.preset == Paradigm::VELOCITY_LCP.name).unwrap();
    let rows = [Row { motion_solver: Held::Exempt("none"), ..row.clone() }];
    let found = faults(&Registry::default(), &rows, |name| name == Paradigm::VELOCITY_LCP.name);
    assert!(found.iter().any(|f| f.contains("motion_solver") && f.contains("needs no exemption")), "{found:?}");
}
