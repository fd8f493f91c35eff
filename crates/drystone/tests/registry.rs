//! What the registry of this project has, by the suites that a module from outside is held to.

use drystone::{ModuleKind, Registry};
use drystone_testkit::check_collision_law;

/// Every law, by the suite: Newton's with friction is the one that may gain energy, as the text shows.
#[test]
fn the_laws_hold_their_contract() {
    for described in drystone_impact::LAWS {
        let settings = drystone::core::catalogue::Settings::defaults(described);
        let law = drystone_impact::law_by_name(described.name, &settings).unwrap();
        check_collision_law(law.as_ref(), law.name().starts_with("newton"));
    }
}

/// The exact solvers, by the suite; iterative ones as far as their default sweeps go are tested beside their theory.
#[test]
fn the_direct_lcp_solvers_hold_their_contract() {
    let registry = Registry::default();
    for name in ["dantzig", "lemke", "block-principal-pivoting", "murty-least-index", "sparse-principal-pivoting"] {
        drystone::lcp::check_lcp_solver(|| registry.lcp_solver(name).unwrap(), 1e-9);
    }
}

/// A name finds its description in the table that lists it.
#[test]
fn every_listed_name_is_found() {
    let registry = Registry::default();
    for kind in ModuleKind::ALL {
        for i in registry.implementations(kind) {
            assert_eq!(registry.find(kind, i.name).unwrap(), *i);
        }
        assert!(registry.find(kind, "no-such-module").is_err());
    }
}
