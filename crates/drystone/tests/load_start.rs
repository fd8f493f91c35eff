//! Sweeps that start from the loads passed down through a pile hold it from the first step, where sweeps from zero let it sink.

use drystone::core::catalogue::Value;
use drystone::prelude::*;
use drystone::{ModuleChoice, ModuleKind};

const H: f64 = 0.01;

/// A pyramid with `rows` boxes in its lowest row, under `velocity-lcp` at ten sweeps. Returns the largest displacement of a box (m) after
/// `seconds`.
fn pyramid(rows: usize, seconds: f64, start: &str, warm: bool) -> f64 {
    let of = |kind, key: &str, value| ModuleChoice { kind, name: None, settings: vec![(key.to_owned(), value)] };
    let mut world = World::builder()
        .paradigm(Paradigm::VELOCITY_LCP)
        .gravity([0.0, -9.81, 0.0])
        .choose(of(ModuleKind::ConstraintSolver, "load_start", Value::Text(start.to_owned())))
        .choose(of(ModuleKind::Lcp, "warm_start", Value::Bool(warm)))
        .build()
        .unwrap();
    let surface = world.add_material(Material { friction: 0.5, restitution: 0.0, ..Material::default() }).unwrap();
    world.add(Body::fixed(Shape::plane(Vec3::Y, 0.0).unwrap()).material(surface)).unwrap();
    let mut boxes = Vec::new();
    for row in 0..rows {
        for k in 0..rows - row {
            let at = Vec3::new(k as f64 * 1.1 + 0.55 * row as f64, 0.5 + row as f64, 0.0);
            let cube = Body::dynamic(Shape::cuboid(0.5, 0.5, 0.5).unwrap()).mass(10.0).material(surface);
            boxes.push((world.add(cube.at(at)).unwrap(), at));
        }
    }
    for _ in 0..(seconds / H).round() as usize {
        world.advance(H).unwrap();
    }
    boxes.iter().map(|(id, at)| (world.position(*id).unwrap() - *at).length()).fold(0.0, f64::max)
}

#[test]
fn a_pyramid_stands_from_its_first_step() {
    let [fresh, none] = ["fresh", "none"].map(|start| pyramid(14, 1.0, start, true));
    assert!(fresh < 1e-3, "{fresh} m from loads");
    // the control: the first ten sweeps start from zero, and later steps from the multipliers of the step before
    assert!(none > 5.0 * fresh, "{none} m from nothing, {fresh} m from loads");
}

#[test]
fn a_pyramid_stands_without_warm_starts() {
    let [always, fresh] = ["always", "fresh"].map(|start| pyramid(14, 1.0, start, false));
    assert!(always < 1e-2, "{always} m from loads");
    assert!(fresh > 10.0 * always, "{fresh} m from nothing, {always} m from loads");
}
