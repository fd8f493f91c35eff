//! Contacts of bodies by their signed distance maps (thesis 6.2).

use drystone::geometry::{MapSettings, MeshShape, TriangleMesh};
use drystone::prelude::*;
use drystone::{ModuleChoice, ModuleKind};
use drystone_core::catalogue::Value;

/// A cube of edge one as the thesis' box mesh, sampled at vertices and faces.
fn cube() -> Shape {
    let settings = MapSettings { spacing: 10.0, band: 6.0, ..MapSettings::new(32) };
    Shape::mesh(MeshShape::new(TriangleMesh::cuboid(Vec3::splat(0.5), 5), Some(settings)).unwrap())
}

fn choice(kind: ModuleKind, name: &str, settings: &[(&str, bool)]) -> ModuleChoice {
    let settings = settings.iter().map(|(k, v)| ((*k).to_owned(), Value::Bool(*v))).collect();
    ModuleChoice { kind, name: Some(name.to_owned()), settings }
}

fn world(reduce_samples: bool) -> World {
    World::builder()
        .choose(choice(ModuleKind::NarrowPhase, "sdf-map", &[]))
        .choose(choice(ModuleKind::ContactDetermination, "clipping", &[("reduce_samples", reduce_samples)]))
        .choose(choice(ModuleKind::SleepPolicy, "never", &[]))
        .build()
        .unwrap()
}

#[test]
fn aligned_boxes_neither_sink_nor_drift_and_fewer_points_bear_the_same() {
    // O-59 and K-02: an aligned stack of three boxes, with all samples and with four per direction
    let mut contacts = Vec::new();
    for reduce in [false, true] {
        let mut world = world(reduce);
        let shape = cube();
        world.add(Body::fixed(shape.clone()).at([0.0, -0.5, 0.0])).unwrap();
        let boxes: Vec<_> = (0..3)
            .map(|i| world.add(Body::dynamic(shape.clone()).at([0.0, 0.5 + f64::from(i), 0.0])).unwrap())
            .collect();
        let mut report = world.advance(0.01).unwrap();
        for _ in 0..150 {
            report = world.advance(0.01).unwrap();
        }
        for (i, b) in boxes.iter().enumerate() {
            let moved = world.position(*b).unwrap() - Vec3::Y * (0.5 + i as f64);
            assert!(moved.length() < 5e-3, "reduced: {reduce}, box {i}: {moved}");
        }
        contacts.push(report.contacts);
    }
    assert!(contacts[1] * 4 < contacts[0] * 3, "{contacts:?}");
}

/// Twenty-seven balls that fall into a tray made of maps or of boxes; the seed shifts each of them a little.
fn tray(mapped: bool, seed: f64) -> (World, Vec<BodyId>) {
    tray_under(Paradigm::VELOCITY_LCP, mapped, seed)
}

fn tray_under(paradigm: Paradigm, mapped: bool, seed: f64) -> (World, Vec<BodyId>) {
    let mut world =
        World::builder().paradigm(paradigm).choose(choice(ModuleKind::SleepPolicy, "never", &[])).build().unwrap();
    let settings = MapSettings { spacing: 10.0, band: 6.0, ..MapSettings::new(48) };
    let slab = |half: Vec3| {
        let map = || MeshShape::new(TriangleMesh::cuboid(half, 2), Some(settings)).unwrap();
        if mapped { Shape::mesh(map()) } else { Shape::cuboid(half.x, half.y, half.z).unwrap() }
    };
    world.add(Body::fixed(slab(Vec3::new(2.0, 0.5, 2.0))).at([0.0, -0.5, 0.0])).unwrap();
    for (x, z) in [(1.0, 0.0), (-1.0, 0.0), (0.0, 1.0), (0.0, -1.0)] {
        let half = Vec3::new(if x == 0.0 { 2.0 } else { 0.25 }, 1.0, if z == 0.0 { 2.0 } else { 0.25 });
        world.add(Body::fixed(slab(half)).at([1.75 * x, 1.0, 1.75 * z])).unwrap();
    }
    let ball = Shape::sphere(0.3).unwrap();
    let balls = (0..27)
        .map(|i| {
            let (x, y, z) = (f64::from(i % 3) - 1.0, f64::from(i / 9), f64::from(i / 3 % 3) - 1.0);
            let pushed = 0.02 * (seed * f64::from(i)).sin();
            let at = [0.75 * x + 0.05 * y + pushed, 0.5 + 0.7 * y, 0.75 * z - 0.03 * y];
            world.add(Body::dynamic(ball.clone()).at(at)).unwrap()
        })
        .collect();
    (world, balls)
}

/// The largest change of any body's height during half a second (m).
fn unrest(world: &mut World, bodies: &[BodyId]) -> f64 {
    let height = |world: &World| bodies.iter().map(|b| world.position(*b).unwrap().y).collect::<Vec<_>>();
    let (mut low, mut high) = (height(world), height(world));
    for _ in 0..50 {
        world.advance(0.01).unwrap();
        for (i, y) in height(world).into_iter().enumerate() {
            assert!(y > 0.28, "ball {i} at {y}");
            (low[i], high[i]) = (low[i].min(y), high[i].max(y));
        }
    }
    low.iter().zip(&high).fold(0.0, |m, (l, h)| f64::max(m, h - l))
}

#[test]
fn balls_in_a_tray_of_maps_come_to_rest() {
    // O-60: balls touch at the nearest point of the zero level, and their trembling is bounded
    let (mut world, balls) = tray(true, 0.0);
    let mut report = world.advance(0.01).unwrap();
    for _ in 0..600 {
        report = world.advance(0.01).unwrap();
    }
    assert!(report.contacts >= 27, "{report:?}");
    let moved = unrest(&mut world, &balls);
    assert!(moved < 0.02, "{moved}");
}

/// A ball that met a mesh in two samples at one place was once held by the lever arm between the two, which is rounding. Under
/// `real-time`, impulses of 1e17 N s, and after some hundred steps of accumulation of up to 1e70, threw the balls about.
#[test]
fn jammed_balls_do_not_brace_against_each_other() {
    for k in 0..12 {
        let (mut world, balls) = tray_under(Paradigm::REAL_TIME, true, 0.37 * f64::from(k));
        for _ in 0..400 {
            world.advance(0.01).unwrap();
        }
        let weight = 27.0 * 1000.0 * 0.1131 * 9.81;
        for contact in world.contacts() {
            let force = contact.impulse.normal / 0.01;
            assert!(force < 1e4 * weight, "{k}: {force} N between balls of {weight} N together");
        }
        // a few may roll over the rim
        let inside = |b: &&BodyId| world.position(**b).unwrap().abs().max_element() < 1.5;
        let speed = |b: &BodyId| world.velocity(*b).unwrap().linear.length();
        let fastest = balls.iter().filter(inside).map(speed).fold(0.0, f64::max);
        assert!(balls.iter().filter(inside).count() >= 20);
        assert!(fastest < 1.0, "{k}: {fastest} m/s");
    }
}

/// With this many piles the median says something: single piles move by up to ten times as much or as little.
const PILES: u32 = 45;

#[test]
fn after_three_seconds_it_is_the_pile_that_moves_and_not_the_map() {
    // a ball without rolling friction takes a while to find its hollow, in a tray of maps as in one of boxes
    let middle = |mapped: bool| {
        let mut moved: Vec<f64> = (0..PILES)
            .map(|k| {
                let (mut world, balls) = tray(mapped, 0.37 * f64::from(k));
                for _ in 0..300 {
                    world.advance(0.01).unwrap();
                }
                unrest(&mut world, &balls)
            })
            .collect();
        moved.sort_by(f64::total_cmp);
        moved[PILES as usize / 2]
    };
    let (maps, boxes) = (middle(true), middle(false));
    assert!(maps < 1.5 * boxes + 0.01, "in maps {maps}, in boxes {boxes}");
    // balls on a flat slab, which have nowhere to roll to, rest well before that
    let mut world = World::builder().choose(choice(ModuleKind::SleepPolicy, "never", &[])).build().unwrap();
    let settings = MapSettings { spacing: 10.0, band: 6.0, ..MapSettings::new(48) };
    let slab = MeshShape::new(TriangleMesh::cuboid(Vec3::new(2.0, 0.5, 2.0), 2), Some(settings)).unwrap();
    world.add(Body::fixed(Shape::mesh(slab)).at([0.0, -0.5, 0.0])).unwrap();
    let ball = Shape::sphere(0.3).unwrap();
    let balls: Vec<_> = (0..3)
        .map(|i| world.add(Body::dynamic(ball.clone()).at([0.37 * f64::from(i) - 0.4, 0.5, 0.65 * f64::from(i) - 0.7])))
        .collect::<Result<_, _>>()
        .unwrap();
    for _ in 0..100 {
        world.advance(0.01).unwrap();
    }
    let moved = unrest(&mut world, &balls);
    assert!(moved < 1e-4, "{moved}");
}
