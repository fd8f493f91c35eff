//! Every broad phase keeps the contract of the seam.

use drystone_broad_phase::{
    AabbTree, Axes, BoxTree, Exhaustive, HashGrid, IMPLEMENTATIONS, SweepAndPrune, SweepMethod, by_name,
};
use drystone_core::catalogue::Settings;
use drystone_core::{BroadPhase, BroadPhaseInput, ProxyFilter};
use drystone_geometry::Aabb;
use drystone_math::Vec3;
use drystone_testkit::{Backwards, BoxScene, Random, brute_force, check_broad_phase};

#[test]
fn all_equal_brute_force() {
    // I-01
    for description in IMPLEMENTATIONS {
        let mut broad_phase = by_name(description.name, &Settings::defaults(description)).unwrap();
        check_broad_phase(broad_phase.as_mut());
    }
}

#[test]
fn sweep_and_prune_equals_brute_force_however_it_sorts() {
    // I-05
    for method in [SweepMethod::Sweep, SweepMethod::Exchange] {
        for limit in [0, 2, 1_000_000] {
            check_broad_phase(&mut SweepAndPrune::new(Axes::ALL, method, limit));
        }
    }
}

#[test]
fn fewer_axes_give_the_same_pairs_with_both_methods_and_a_superset_of_all() {
    // I-10
    for name in Axes::NAMES {
        let axes = Axes::from_name(name).unwrap();
        assert_eq!(axes.name(), *name);
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
    // I-04
    let mut sap = SweepAndPrune::new(Axes::ALL, SweepMethod::Exchange, 1000);
    let (scene, mut pairs) = (BoxScene::new(1, 200), Vec::new());
    for _ in 0..2 {
        sap.find_pairs(scene.input(), &mut pairs);
    }
    assert_eq!(sap.exchanges(), 0);
}

/// Exchanges plus pairs per box and per step, for boxes that move at constant density, as in Baraff 1995, Table 1.
fn work_per_box(n: usize, far: bool) -> f64 {
    const STEPS: u32 = 20;
    let mut r = Random::new(n as u64);
    let region = Vec3::new(20.0, 16.0, 0.0) * (n as f64 / 100.0).sqrt();
    let mut place = |_| Vec3::new(r.unit(), r.unit(), 0.0) * region;
    let (mut at, other): (Vec<Vec3>, Vec<Vec3>) = ((0..n).map(&mut place).collect(), (0..n).map(&mut place).collect());
    let filters = vec![ProxyFilter::new(true, 0); n];
    let mut sap = SweepAndPrune::new(Axes::ALL, SweepMethod::Exchange, 1_000_000);
    let (mut pairs, mut work) = (Vec::new(), 0);
    for step in 0..=STEPS {
        let boxes: Vec<_> = at.iter().map(|c| Aabb::from_center(*c, Vec3::new(0.125, 0.125, 0.1))).collect();
        sap.find_pairs(BroadPhaseInput::new(&boxes, &filters), &mut pairs);
        // the first step sorts from scratch
        work += if step > 0 { sap.exchanges() + pairs.len() as u64 } else { 0 };
        for (c, o) in at.iter_mut().zip(&other) {
            *c += if far { (*o - *c) * 0.5 } else { (*o - *c).normalize_or_zero() * 0.025 };
        }
    }
    work as f64 / (n as f64 * f64::from(STEPS))
}

#[test]
fn moving_boxes_cost_each_about_the_same() {
    // O-05: from 100 to 3200 boxes the time per box in the text grows 1.74 times: the more boxes, the more ends per metre of axis
    let [few, many] = [work_per_box(100, false), work_per_box(3200, false)];
    println!("exchanges and pairs per box: {few:.2} of 100, {many:.2} of 3200");
    assert!(1.0 + many < 2.5 * (1.0 + few), "{few} {many}");
    // the control: boxes that jump, so that there is no coherence; exchanges per box grow with the number of boxes
    let [few, many] = [work_per_box(100, true), work_per_box(3200, true)];
    assert!(many > 10.0 * few && many > 100.0, "{few} {many}");
}

#[test]
fn exhaustive_takes_bodies_in_any_number() {
    let mut pairs = Vec::new();
    Exhaustive.find_pairs(BroadPhaseInput::new(&[], &[]), &mut pairs);
    assert!(pairs.is_empty());
}

#[test]
fn trees_and_grids_equal_brute_force_with_any_parameters() {
    // I-06
    for margin in [0.0, 0.1, 2.0] {
        check_broad_phase(&mut AabbTree::new(margin));
    }
    for growth in [0.0, 1.5, 2.0, 3.0, 64.0] {
        check_broad_phase(&mut HashGrid::new(growth));
    }
}

#[test]
fn bodies_of_size_ratio_1000_and_points_are_found() {
    // I-06
    let mut random = Random::new(9);
    let boxes: Vec<_> = (0..400)
        .map(|i| {
            let half = [5.0, 0.5, 0.05, 0.005, 0.0][i % 5];
            let far = if i == 17 { Vec3::splat(1e15) } else { Vec3::ZERO };
            Aabb::from_center(random.vector(6.0) + far, Vec3::splat(half))
        })
        .collect();
    let filters = vec![ProxyFilter::new(true, 0); boxes.len()];
    let input = BroadPhaseInput::new(&boxes, &filters);
    let expected = brute_force(input);
    for description in IMPLEMENTATIONS {
        let mut broad_phase = by_name(description.name, &Settings::defaults(description)).unwrap();
        let mut pairs = Vec::new();
        broad_phase.find_pairs(input, &mut pairs);
        assert_eq!(pairs, expected, "{}", description.name);
    }
}

#[test]
fn warm_calls_on_several_threads_allocate_nothing() {
    for description in IMPLEMENTATIONS {
        let mut broad_phase = by_name(description.name, &Settings::defaults(description)).unwrap();
        let (mut scene, mut pairs) = (BoxScene::new(2, 1300), Vec::new());
        let mut frames = Vec::new();
        for _ in 0..20 {
            scene.step();
            frames.push(scene.clone());
        }
        let mut run = || {
            for scene in &frames {
                broad_phase.find_pairs(BroadPhaseInput { executor: &Backwards, ..scene.input() }, &mut pairs);
            }
        };
        for _ in 0..4 {
            run();
        }
        assert_eq!(allocation_counter::measure(run).count_total, 0, "{}", description.name);
    }
}

#[test]
fn warm_calls_allocate_nothing() {
    for description in IMPLEMENTATIONS {
        let mut broad_phase = by_name(description.name, &Settings::defaults(description)).unwrap();
        let (mut scene, mut pairs) = (BoxScene::new(2, 300), Vec::new());
        // warm up: twice through the same motion
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

#[test]
fn passive_bodies_have_empty_boxes_and_cost_next_to_nothing() {
    // H-07, I-12: bodies that are kept ready are left out, and bringing them back in allocates no memory
    for description in IMPLEMENTATIONS {
        let mut broad_phase = by_name(description.name, &Settings::defaults(description)).unwrap();
        let mut scene = BoxScene::new(3, 200);
        let ready: Vec<Aabb> = scene.boxes.iter().skip(100).copied().collect();
        let mut pairs = Vec::new();
        let mut all = |scene: &mut BoxScene, active: bool| {
            for (b, r) in scene.boxes.iter_mut().skip(100).zip(&ready) {
                *b = if active { *r } else { Aabb::EMPTY };
            }
            broad_phase.find_pairs(scene.input(), &mut pairs);
            let (a, b) = scene.boxes.split_at(100);
            let passive = |i: usize| i >= 100 && b[i - 100] == Aabb::EMPTY;
            let infinite = |i: usize| i < 100 && a[i] == Aabb::ALL;
            assert!(pairs.iter().all(|p| !passive(p.b.at()) || infinite(p.a.at())), "{}", description.name);
            pairs.len()
        };
        // warm up
        for active in [true, false, true, false, true] {
            all(&mut scene, active);
        }
        let info = allocation_counter::measure(|| {
            let few = all(&mut scene, false);
            let many = all(&mut scene, true);
            assert!(many > few);
        });
        assert_eq!(info.count_total, 0, "{}", description.name);
    }
    let mut tree = BoxTree::default();
    tree.update(&[Aabb::ALL, Aabb::EMPTY, Aabb::from_center(Vec3::ZERO, Vec3::ONE)]);
    assert_eq!(tree.unbounded(), [0], "an empty box is in no list that is walked");
}

#[test]
fn bodies_on_other_layers_and_two_that_do_not_move_never_meet() {
    // I-11
    let boxes = [Aabb::from_center(Vec3::ZERO, Vec3::ONE); 5];
    let filter = |movable, layer| ProxyFilter::new(movable, layer);
    let filters = [filter(true, 0), filter(true, 1), filter(false, 0), filter(false, 0), filter(true, 1)];
    for description in IMPLEMENTATIONS {
        let mut broad_phase = by_name(description.name, &Settings::defaults(description)).unwrap();
        let mut pairs = Vec::new();
        broad_phase.find_pairs(BroadPhaseInput::new(&boxes, &filters), &mut pairs);
        let expected: Vec<_> = brute_force(BroadPhaseInput::new(&boxes, &filters));
        assert_eq!(pairs, expected, "{}", description.name);
        assert!(pairs.iter().all(|p| filters[p.a.at()].admits(&filters[p.b.at()])) && pairs.len() < 10);
    }
}

#[test]
fn infinite_planes_meet_all_that_reaches_them() {
    let far = f64::INFINITY;
    let floor = Aabb::new(Vec3::NEG_INFINITY, Vec3::new(far, 0.0, far));
    let wall = Aabb::new(Vec3::NEG_INFINITY, Vec3::new(-3.0, far, far));
    let mut random = Random::new(4);
    let mut boxes = vec![floor, wall];
    boxes.extend((0..200).map(|_| Aabb::from_center(random.vector(5.0), Vec3::splat(random.range(0.01, 0.5)))));
    let mut filters = vec![ProxyFilter::new(true, 0); boxes.len()];
    (filters[0].movable, filters[1].movable) = (false, false);
    let input = BroadPhaseInput::new(&boxes, &filters);
    let expected = brute_force(input);
    assert!(expected.iter().filter(|p| p.a.at() == 0).count() > 50);
    for description in IMPLEMENTATIONS {
        let mut broad_phase = by_name(description.name, &Settings::defaults(description)).unwrap();
        let mut pairs = Vec::new();
        broad_phase.find_pairs(input, &mut pairs);
        assert_eq!(pairs, expected, "{}", description.name);
    }
}

#[test]
fn rows_of_the_grid_hold_at_their_borders_and_around_their_numbers() {
    // boxes that begin and end exactly on cell borders, at negative places too, and rows 2^16 apart, which share a hash number
    let mut boxes = Vec::new();
    for place in [-65_536.0, -3.0, 0.0, 65_535.0, 65_536.0] {
        for k in 0..27 {
            let at = Vec3::new(f64::from(k % 3), f64::from(k / 3 % 3) + place, f64::from(k / 9) - place);
            boxes.push(Aabb::new(at, at + Vec3::ONE));
        }
    }
    let filters = vec![ProxyFilter::new(true, 0); boxes.len()];
    for growth in [1.5, 2.0, 8.0] {
        for shrink in [1.0, 0.1, 0.999_999_999] {
            for b in boxes.iter_mut().step_by(2) {
                b.max = b.min + Vec3::splat(shrink);
            }
            let input = BroadPhaseInput::new(&boxes, &filters);
            let mut pairs = Vec::new();
            HashGrid::new(growth).find_pairs(input, &mut pairs);
            assert_eq!(pairs, brute_force(input), "{growth} {shrink}");
        }
    }
}

#[test]
fn a_tree_in_which_a_tenth_moves_equals_brute_force_also_where_filters_change() {
    let mut r = Random::new(11);
    let (mut tree, mut pairs) = (AabbTree::default(), Vec::new());
    let mut boxes: Vec<Aabb> = (0..400).map(|_| Aabb::from_center(r.vector(5.0), Vec3::splat(0.5))).collect();
    let mut filters = vec![ProxyFilter::new(true, 0); boxes.len()];
    let velocities: Vec<Vec3> = (0..400).map(|i| if i % 10 == 3 { r.vector(0.05) } else { Vec3::ZERO }).collect();
    for frame in 0..300 {
        if frame % 40 == 20 {
            // only filters change
            let i = r.below(400);
            filters[i].movable = !filters[i].movable;
            filters[r.below(400)].layer = frame % 3;
        } else {
            for (b, v) in boxes.iter_mut().zip(&velocities) {
                *b = Aabb::new(b.min + *v, b.max + *v);
            }
        }
        if frame % 50 == 7 {
            // a teleport
            boxes[r.below(400)] = Aabb::from_center(r.vector(5.0), Vec3::splat(0.7));
        }
        let input = BroadPhaseInput::new(&boxes, &filters);
        tree.find_pairs(input, &mut pairs);
        assert_eq!(pairs, brute_force(input), "frame {frame}");
    }
}

#[test]
fn boxes_that_were_empty_or_infinite_are_found_by_what_they_are_now() {
    let mut random = Random::new(31);
    let draw = |random: &mut Random| match random.below(5) {
        0 => Aabb::EMPTY,
        1 => Aabb::ALL,
        2 => Aabb { max: Vec3::new(0.5, f64::INFINITY, 0.5), ..Aabb::from_center(random.vector(1.0), Vec3::ONE) },
        _ => Aabb::from_center(random.vector(3.0), Vec3::splat(random.range(0.1, 1.0))),
    };
    let filters = vec![ProxyFilter::new(true, 0); 12];
    for description in IMPLEMENTATIONS {
        let mut broad_phase = by_name(description.name, &Settings::defaults(description)).unwrap();
        let mut boxes = vec![Aabb::EMPTY; 12];
        let mut pairs = Vec::new();
        for step in 0..400 {
            let changed = random.below(12);
            boxes[changed] = draw(&mut random);
            let input = BroadPhaseInput::new(&boxes, &filters);
            broad_phase.find_pairs(input, &mut pairs);
            assert_eq!(pairs, brute_force(input), "{} step {step}", description.name);
        }
    }
}
