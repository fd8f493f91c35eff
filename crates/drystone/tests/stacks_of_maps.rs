//! Stacks of bodies that collide by signed distance maps, standing with corners on corners (K-05, K-06).

use drystone::geometry::{MapSettings, MeshShape, TriangleMesh};
use drystone::prelude::*;
use drystone::{ModuleChoice, ModuleKind};
use drystone_core::catalogue::Value;

const PRESETS: [Paradigm; 4] =
    [Paradigm::REAL_TIME, Paradigm::VELOCITY_LCP, Paradigm::LOAD_PROPAGATION, Paradigm::MECHANISM];

/// A cube of edge one, sampled at its corners and at the middles of its faces.
fn cube() -> Shape {
    let settings = MapSettings { spacing: 10.0, band: 6.0, ..MapSettings::new(32) };
    Shape::mesh(MeshShape::new(TriangleMesh::cuboid(Vec3::splat(0.5), 1), Some(settings)).unwrap())
}

fn choice(kind: ModuleKind, name: &str, settings: &[(&str, &str)]) -> ModuleChoice {
    let settings = settings.iter().map(|(k, v)| ((*k).to_owned(), Value::Text((*v).to_owned()))).collect();
    ModuleChoice { kind, name: Some(name.to_owned()), settings }
}

/// A world that holds a fixed cube.
fn world(paradigm: Paradigm, edge_normals: &str) -> World {
    let mut world = World::builder()
        .paradigm(paradigm)
        .choose(choice(ModuleKind::NarrowPhase, "sdf-map", &[("edge_normals", edge_normals)]))
        .choose(choice(ModuleKind::SleepPolicy, "never", &[]))
        .build()
        .unwrap();
    world.add(Body::fixed(cube()).at([0.0, -0.5, 0.0])).unwrap();
    world
}

/// A column of cubes on a fixed one, each offset along x from the one below it by an entry of `aside` (m).
fn column(paradigm: Paradigm, edge_normals: &str, aside: &[f64]) -> (World, Vec<BodyId>) {
    let (mut world, shape) = (world(paradigm, edge_normals), cube());
    let mut x = 0.0;
    let bodies = aside.iter().enumerate().map(|(i, d)| {
        x += d;
        world.add(Body::dynamic(shape.clone()).at([x, 0.5 + i as f64, 0.0])).unwrap()
    });
    let bodies = bodies.collect();
    (world, bodies)
}

/// The largest displacement of a body after some seconds (m).
fn moved(world: &mut World, bodies: &[BodyId], seconds: f64) -> f64 {
    let at = |world: &World| bodies.iter().map(|b| world.position(*b).unwrap()).collect::<Vec<_>>();
    let first = at(world);
    for _ in 0..(seconds / 0.01).round() as usize {
        world.advance(0.01).unwrap();
    }
    first.iter().zip(at(world)).fold(0.0, |m, (p, q)| f64::max(m, (q - *p).length()))
}

/// Offsets (m) that put corners a few millimetres beside corners.
const BESIDE: [f64; 8] = [0.002, -0.002, 0.002, -0.002, 0.002, -0.002, 0.002, -0.002];

#[test]
fn eight_cubes_stand_corner_on_corner() {
    for paradigm in PRESETS {
        for aside in [[0.0; 8], BESIDE] {
            let (mut world, bodies) = column(paradigm, "common", &aside);
            let far = moved(&mut world, &bodies, 10.0);
            // ten sweeps leave a column of eight swaying, just as one of plain boxes
            let limit = if paradigm == Paradigm::VELOCITY_LCP { 0.15 } else { 1e-3 };
            assert!(far < limit, "{}: {far} m", paradigm.name);
        }
    }
}

/// If cubes are turned, their corners are not over the cube below: crossing edges bear the load.
#[test]
fn cubes_that_are_turned_stand_on_the_crossings_of_their_edges() {
    for paradigm in PRESETS {
        let mut world = world(paradigm, "common");
        let bodies: Vec<_> = (0..4)
            .map(|i| {
                let turn = Quat::from_rotation_y([0.1, -0.3, 0.5, 0.02][i]);
                world.add(Body::dynamic(cube()).at([0.0, 0.5 + i as f64, 0.0]).oriented(turn)).unwrap()
            })
            .collect();
        let far = moved(&mut world, &bodies, 5.0);
        assert!(far < 0.02, "{}: {far} m", paradigm.name);
    }
}

/// The control: with the gradients of the maps as normals, the same column is pushed apart.
#[test]
fn by_the_gradient_alone_they_fall() {
    for paradigm in [Paradigm::REAL_TIME, Paradigm::VELOCITY_LCP] {
        let (mut world, bodies) = column(paradigm, "gradient", &BESIDE);
        let far = moved(&mut world, &bodies, 3.0);
        assert!(far > 0.2, "{}: {far} m", paradigm.name);
    }
}

/// A cube stands as long as its centre is over the one below it, and falls otherwise.
#[test]
fn a_cube_overhangs_by_half_of_its_edge_and_no_more() {
    for paradigm in PRESETS {
        for (aside, falls) in [(0.3, false), (0.48, false), (0.52, true)] {
            let (mut world, bodies) = column(paradigm, "common", &[0.0, aside]);
            let far = moved(&mut world, &bodies, 3.0);
            assert!(if falls { far > 0.5 } else { far < 5e-3 }, "{} {aside}: {far} m", paradigm.name);
        }
    }
}

/// The control: a column struck from the side falls.
#[test]
fn a_column_that_is_pushed_off_falls() {
    for paradigm in PRESETS {
        let (mut world, bodies) = column(paradigm, "common", &[0.0; 3]);
        world.set_velocity(bodies[2], Twist::new(Vec3::new(4.0, 0.0, 0.0), Vec3::ZERO)).unwrap();
        moved(&mut world, &bodies, 3.0);
        let height = world.position(bodies[2]).unwrap().y;
        assert!(height < 2.0, "{}: {height}", paradigm.name);
    }
}
