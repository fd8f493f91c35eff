use crate::{Backwards, BoxScene, Threads};
use drystone_core::{BodyIndex, BodyPair, BroadPhase, BroadPhaseInput, Executor, Moving, OneThread, ProxyFilter};
use drystone_geometry::Aabb;
use drystone_math::{Real, Vec3};

/// The pairs that a broad phase must find, found by testing all pairs.
pub fn brute_force(input: BroadPhaseInput<'_>) -> Vec<BodyPair> {
    let mut pairs = Vec::new();
    for j in 1..input.boxes.len() {
        for i in 0..j {
            if input.boxes[i].overlaps(&input.boxes[j]) && input.filters[i].admits(&input.filters[j]) {
                pairs.push(BodyPair::ordered(i as u32, j as u32));
            }
        }
    }
    pairs.sort_unstable();
    pairs
}

/// The contract of [`BroadPhase`]: it finds the same pairs as [`brute_force`], sorted, through motion, teleports, insertion, removal, changed filters, face-to-face
/// grids, no bodies at all, and boxes that are empty or not numbers. If it is told which bodies move, it finds their pairs. All of this holds on one thread, on
/// several, and on executors that run their pieces in another order.
///
/// # Panics
/// If the broad phase violates its contract.
pub fn check_broad_phase(broad_phase: &mut dyn BroadPhase) {
    let mut pairs = vec![BodyPair::ordered(0, 1)];
    let mut compare = |broad_phase: &mut dyn BroadPhase, input: BroadPhaseInput<'_>, what: &str| {
        broad_phase.find_pairs(input, &mut pairs);
        assert_eq!(pairs, brute_force(input), "{}: {what}", broad_phase.name());
    };
    compare(broad_phase, BroadPhaseInput::new(&[], &[]), "no bodies");
    for seed in 0..4 {
        let mut scene = BoxScene::new(seed, 20 + 60 * seed as usize);
        for step in 0..60 {
            match step % 10 {
                3 => scene.teleport(),
                5 => scene.insert(),
                7 => scene.remove(),
                8 => scene.change_filter(),
                _ => scene.step(),
            }
            compare(broad_phase, scene.input(), &format!("seed {seed}, step {step}"));
        }
        scene.scatter();
        compare(broad_phase, scene.input(), "scattered");
        scene.align();
        compare(broad_phase, scene.input(), "aligned");
        scene.step();
        compare(broad_phase, scene.input(), "after alignment");
    }
    let nan = Aabb::new(Vec3::splat(Real::NAN), Vec3::splat(Real::NAN));
    let inverted = Aabb::new(Vec3::splat(0.5), Vec3::splat(0.4));
    let unit = |center| Aabb::from_center(center, Vec3::ONE);
    let boxes = [unit(Vec3::ZERO), nan, Aabb::EMPTY, unit(Vec3::X), nan, inverted, Aabb::ALL];
    let filters = [ProxyFilter::new(true, 0); 7];
    for _ in 0..2 {
        compare(broad_phase, BroadPhaseInput::new(&boxes, &filters), "empty and undefined boxes");
    }
    let zeros = [Aabb::new(-Vec3::ONE, Vec3::splat(-0.0)), Aabb::new(Vec3::ZERO, Vec3::ONE)];
    compare(broad_phase, BroadPhaseInput::new(&zeros, &filters[..2]), "zeros of both signs");
    check_moving_pairs(broad_phase);
    check_threads(broad_phase);
}

/// Neither the number of threads nor the order in which they finish affects the list. Uses more boxes than one thread is enough for, changes threads with each call,
/// and now and then passes which bodies move.
fn check_threads(broad_phase: &mut dyn BroadPhase) {
    let executors: [&dyn Executor; 4] = [&OneThread, &Backwards, &Threads(2), &Threads(3)];
    let mut scene = BoxScene::new(7, 1300);
    let (mut pairs, mut found) = (Vec::new(), 0);
    for step in 0..52 {
        // 13 is not a multiple of the number of executors
        let mut is = vec![true; scene.boxes.len()];
        match step % 13 {
            3 => scene.teleport(),
            5 => scene.scatter(),
            7 => scene.change_filter(),
            // no change
            8 => {}
            10 => is = scene.move_some(2),
            11 => is = scene.move_some(8),
            _ => scene.step(),
        }
        let executor = executors[step % executors.len()];
        let input = BroadPhaseInput { executor, ..scene.input() };
        let mut expected = brute_force(input);
        if is.contains(&false) {
            let bodies: Vec<_> = (0..is.len()).filter(|i| is[*i]).map(BodyIndex::new).collect();
            let moving = Moving { bodies: &bodies, is: &is };
            broad_phase.find_moving_pairs(input, moving, &mut pairs);
            expected.retain(|pair| moving.has(*pair));
        } else {
            broad_phase.find_pairs(input, &mut pairs);
        }
        let place = pairs.iter().zip(&expected).position(|(found, pair)| found != pair);
        let whole = (pairs.len(), place) == (expected.len(), None);
        assert!(whole, "{}: {} threads, step {step}: {place:?}", broad_phase.name(), executor.threads());
        found += expected.len();
    }
    assert!(found > 40_000, "{found} pairs in all");
}

/// A broad phase that is told which bodies move finds the pairs of those, like one that is told nothing: with the same moving bodies for a while, then with others,
/// few or most of them, none, after a call in which all moved, and after bodies were added.
fn check_moving_pairs(broad_phase: &mut dyn BroadPhase) {
    let (mut pairs, mut found) = (Vec::new(), 0);
    for seed in 0..4 {
        let mut scene = BoxScene::new(seed, 60 + 60 * seed as usize);
        let mut is = Vec::new();
        for step in 0..80 {
            if step == 60 {
                scene.insert();
            }
            if step % 20 == 0 {
                scene.step();
                broad_phase.find_pairs(scene.input(), &mut pairs);
                assert_eq!(pairs, brute_force(scene.input()), "{}: all, step {step}", broad_phase.name());
            }
            match step % 5 {
                0 => is = scene.move_some(if step % 2 == 0 { 8 } else { 2 }),
                4 if step % 3 == 0 => is.fill(false),
                _ => scene.move_those(&is),
            }
            let bodies: Vec<_> = (0..is.len()).filter(|i| is[*i]).map(BodyIndex::new).collect();
            let moving = Moving { bodies: &bodies, is: &is };
            broad_phase.find_moving_pairs(scene.input(), moving, &mut pairs);
            let mut expected = brute_force(scene.input());
            expected.retain(|pair| moving.has(*pair));
            found += expected.len();
            assert_eq!(pairs, expected, "{}: who moves, seed {seed}, step {step}", broad_phase.name());
        }
    }
    assert!(found > 1000, "{found} pairs in all");
}
