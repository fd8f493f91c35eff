//! Equal bodies that begin on one spot part, or the step that fails says what to do; no state stops being finite.

use drystone::World;
use drystone::prelude::*;
use drystone_geometry::{MeshShape, ShapeError, TriangleMesh};

/// Splitmix64.
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) % n.max(1) as u64) as usize
    }

    fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.below(1 << 40) as f64 / (1u64 << 40) as f64
    }
}

const SHAPES: [&str; 9] =
    ["sphere", "box", "capsule", "cylinder", "hull", "mesh", "cone", "round hull", "pointed hull"];

/// The hull of a ring of points about the y axis, and of a ring or a point above it.
fn hull_of_rings(sides: usize, [radius, above]: [f64; 2], half_height: f64) -> Result<Shape, ShapeError> {
    let ring = |radius: f64, y: f64| {
        (0..sides).map(move |k| {
            let angle = core::f64::consts::TAU * k as f64 / sides as f64;
            Vec3::new(radius * angle.cos(), y, radius * angle.sin())
        })
    };
    Shape::convex(&ring(radius, -half_height).chain(ring(above, half_height)).collect::<Vec<_>>())
}

/// A box of triangles with a dent in its upper side: not its own hull.
fn dented(h: Vec3) -> Shape {
    let made = TriangleMesh::cuboid(h, 2);
    let dent = |p: &Vec3| if *p == Vec3::Y * h.y { *p * 0.5 } else { *p };
    let mesh = TriangleMesh::new(made.vertices().iter().map(dent).collect(), made.triangles().to_vec()).unwrap();
    let mesh = MeshShape::new(mesh, None).unwrap();
    assert!(mesh.report().is_solid() && !mesh.is_convex());
    Shape::mesh(mesh)
}

/// A floor, and so many equal bodies in one pose above it.
fn crowd(r: &mut Random, paradigm: Paradigm, kind: &str, count: usize) -> World {
    let [a, b, c] = [0, 1, 2].map(|_| r.between(0.2, 0.5));
    let shape = match kind {
        "sphere" => Shape::sphere(a),
        "box" => Shape::cuboid(a, b, c),
        "capsule" => Shape::capsule(a, b),
        "cylinder" => Shape::cylinder(a, b),
        "cone" => Shape::cone(a, b),
        "round hull" => hull_of_rings(6 + r.below(20), [a, c], b),
        "pointed hull" => hull_of_rings(6 + r.below(20), [a, 0.0], b),
        "hull" => Shape::convex(TriangleMesh::cuboid(Vec3::new(a, b, c), 1).vertices()),
        _ => Ok(dented(Vec3::new(a, b, c))),
    };
    let turned = Quat::from_xyzw(r.between(-1.0, 1.0), r.between(-1.0, 1.0), r.between(-1.0, 1.0), 1.2).normalize();
    let orientation = if r.below(2) == 0 { Quat::IDENTITY } else { turned };
    let mut world = World::builder().paradigm(paradigm).build().unwrap();
    world.add(Body::fixed(Shape::plane(Vec3::Y, 0.0).unwrap())).unwrap();
    let at = [0.0, r.between(0.9, 1.5), 0.0];
    for _ in 0..count {
        world.add(Body::dynamic(shape.clone().unwrap()).at(at).oriented(orientation)).unwrap();
    }
    world
}

#[test]
fn equal_bodies_on_one_spot_stay_finite_and_part_or_say_what_to_do() {
    let (mut parted, mut advised, mut stuck) = (0, 0, Vec::new());
    for seed in 0..90 {
        let mut r = Random(seed);
        let kind = SHAPES[seed as usize % SHAPES.len()];
        let paradigm = [Paradigm::REAL_TIME, Paradigm::VELOCITY_LCP][r.below(2)];
        let count = 2 + r.below(9);
        let mut world = crowd(&mut r, paradigm, kind, count);
        let case = format!("seed {seed}: {count} of {kind} under {}", paradigm.name);
        let failed = (0..150).find_map(|_| world.advance(0.01).err());
        if let Some(failed) = failed {
            assert!(failed.to_string().contains("begin with"), "{case}: {failed}");
            advised += 1;
        } else {
            let left = world.penetration().unwrap();
            if left < 0.1 {
                parted += 1;
            } else {
                stuck.push(format!("{case}: {left} m of penetration are left"));
            }
        }
    }
    assert!(stuck.is_empty(), "{stuck:#?}");
    assert!(parted > 60, "{parted} parted, {advised} were advised");
}
