//! Every broad phase keeps the contract of the seam.

use drystone_broad_phase::{
    AabbTree, Axes, Exhaustive, HashGrid, IMPLEMENTATIONS, SweepAndPrune, SweepMethod, by_name,
};
use drystone_core::catalogue::Settings;
use drystone_core::{BroadPhase, BroadPhaseInput, ProxyFilter};
use drystone_geometry::Aabb;
use drystone_math::Vec3;
use drystone_testkit::{BoxScene, Random, brute_force, check_broad_phase};

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

#[test]
fn trees_and_grids_equal_brute_force_with_any_parameters() {
    for margin in [0.0, 0.1, 2.0] {
        check_broad_phase(&mut AabbTree::new(margin));
    }
    for growth in [0.0, 1.5, 2.0, 3.0, 64.0] {
        check_broad_phase(&mut HashGrid::new(growth));
    }
}

#[test]
fn bodies_of_size_ratio_1000_and_points_are_found() {
    let mut random = Random::new(9);
    let boxes: Vec<_> = (0..400)
        .map(|i| {
            let half = [5.0, 0.5, 0.05, 0.005, 0.0][i % 5];
            let far = if i == 17 { Vec3::splat(1e15) } else { Vec3::ZERO };
            Aabb::from_center(random.vector(6.0) + far, Vec3::splat(half))
        })
        .collect();
    let filters = vec![ProxyFilter { movable: true, layer: 0 }; boxes.len()];
    let input = BroadPhaseInput { boxes: &boxes, filters: &filters };
    let expected = brute_force(input);
    for description in IMPLEMENTATIONS {
        let mut broad_phase = by_name(description.name, &Settings::defaults(description)).unwrap();
        let mut pairs = Vec::new();
        broad_phase.find_pairs(input, &mut pairs);
        assert_eq!(pairs, expected, "{}", description.name);
    }
}

#[test]
fn warm_calls_allocate_nothing() {
    for description in IMPLEMENTATIONS {
        let mut broad_phase = by_name(description.name, &Settings::defaults(description)).unwrap();
        let (mut scene, mut pairs) = (BoxScene::new(2, 300), Vec::new());
        // warm: through the same motion forth and back
        let original = scene.clone();
        for _ in 0..2 {
            scene = original.clone();
            for _ in 0..20 {
                scene.step();
                broad_phase.find_pairs(scene.input(), &mut pairs);
            }
        }
        let info = allocation_counter::measure(|| {
            for _ in 0..3 {
                broad_phase.find_pairs(scene.input(), &mut pairs);
            }
        });
        assert_eq!(info.count_total, 0, "{}", description.name);
    }
}
