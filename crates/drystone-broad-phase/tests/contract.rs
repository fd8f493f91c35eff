//! Every broad phase keeps the contract of the seam.

use drystone_broad_phase::{Axes, Exhaustive, IMPLEMENTATIONS, SweepAndPrune, SweepMethod, by_name};
use drystone_core::catalogue::Settings;
use drystone_core::{BroadPhase, BroadPhaseInput};
use drystone_testkit::{BoxScene, brute_force, check_broad_phase};

#[test]
fn all_equal_brute_force() {
    for description in IMPLEMENTATIONS {
        let mut broad_phase = by_name(description.name, &Settings::defaults(description)).unwrap();
        check_broad_phase(broad_phase.as_mut());
    }
}

#[test]
fn sweep_and_prune_equals_brute_force_however_it_sorts() {
    for method in [SweepMethod::Sweep, SweepMethod::Exchange] {
        for limit in [0, 2, 1_000_000] {
            check_broad_phase(&mut SweepAndPrune::new(Axes::ALL, method, limit));
        }
    }
}

#[test]
fn fewer_axes_give_the_same_pairs_with_both_methods_and_a_superset_of_all() {
    for name in Axes::NAMES {
        let axes = Axes::from_name(name);
        let mut sweep = SweepAndPrune::new(axes, SweepMethod::Sweep, 8);
        let mut exchange = SweepAndPrune::new(axes, SweepMethod::Exchange, 1000);
        let mut scene = BoxScene::new(5, 100);
        let (mut p, mut q) = (Vec::new(), Vec::new());
        for _ in 0..30 {
            scene.step();
            sweep.find_pairs(scene.input(), &mut p);
            exchange.find_pairs(scene.input(), &mut q);
            assert_eq!(p, q, "{name}");
            assert!(p.is_sorted() && brute_force(scene.input()).iter().all(|pair| p.binary_search(pair).is_ok()));
        }
    }
}

#[test]
fn a_warm_exchange_costs_only_what_changed() {
    let mut sap = SweepAndPrune::new(Axes::ALL, SweepMethod::Exchange, 1000);
    let (scene, mut pairs) = (BoxScene::new(1, 200), Vec::new());
    for _ in 0..2 {
        sap.find_pairs(scene.input(), &mut pairs);
    }
    assert_eq!(sap.exchanges(), 0);
}

#[test]
fn exhaustive_takes_bodies_in_any_number() {
    let mut pairs = Vec::new();
    Exhaustive.find_pairs(BroadPhaseInput { boxes: &[], filters: &[] }, &mut pairs);
    assert!(pairs.is_empty());
}
