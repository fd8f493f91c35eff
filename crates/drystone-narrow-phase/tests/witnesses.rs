//! Both witnesses of a pair lie on the surfaces of their shapes, apart or overlapping, whichever narrow phase is asked. The thesis' rules for boxes, kept by
//! name, are not among them: along their longer ways out there may be no such points. Nor is what two meshes say that overlap and are not convex.

use drystone_core::{NarrowCache, NarrowPhase, PosedShape, Proximity};
use drystone_geometry::{MeshShape, Shape, TriangleMesh};
use drystone_math::{Pose, Real, Vec3};
use drystone_narrow_phase::{Combined, ExactMesh, GjkEpa, Primitives, SeparatingAxes, VClip};
use drystone_testkit::Random;

/// How far a witness may be from its surface (m); the shapes are about a metre wide.
const NEAR: Real = 1e-9;

/// How far a point of a shape's frame is from its surface (m): for convex ones by the planes of their faces.
fn off(shape: &Shape, p: Vec3) -> Real {
    match shape {
        Shape::Box(b) => (p.abs() - b.half_extents()).max_element().abs(),
        Shape::Convex(c) => {
            let above = |f: usize| {
                let (n, d) = c.face_plane(f);
                n.dot(p) - d
            };
            (0..c.face_count()).map(above).fold(Real::NEG_INFINITY, Real::max).abs()
        }
        Shape::Mesh(m) => m.distance(p, Real::INFINITY).unwrap().distance.abs(),
        other => panic!("no surface of a {}", other.kind()),
    }
}

fn convex(random: &mut Random) -> Shape {
    let mut size = || random.range(0.1, 0.6);
    let half = [size(), size(), size()];
    match random.below(3) {
        0 => Shape::cuboid(half[0], half[1], half[2]).unwrap(),
        1 => {
            let points: Vec<Vec3> = (0..4 + random.below(5)).map(|_| random.vector(0.6)).collect();
            Shape::convex(&points).unwrap()
        }
        _ => {
            let points: Vec<Vec3> = (0..30).map(|_| random.direction() * 0.5).collect();
            Shape::convex(&points).unwrap()
        }
    }
}

/// A box as a mesh, or two boxes that make an L.
fn mesh(random: &mut Random) -> Shape {
    let mesh = if random.below(2) == 0 {
        TriangleMesh::cuboid(Vec3::new(0.5, 0.3, 0.4), 2)
    } else {
        let corners = [[0.0, 0.0], [0.8, 0.0], [0.8, 0.3], [0.3, 0.3], [0.3, 0.9], [0.0, 0.9]];
        let vertices = [-0.3, 0.3].into_iter().flat_map(|z| corners.map(|[x, y]| Vec3::new(x - 0.3, y - 0.3, z)));
        let mut faces: Vec<[u32; 3]> = vec![[6, 7, 8], [6, 8, 9], [6, 9, 10], [6, 10, 11]];
        faces.extend([[0, 2, 1], [0, 3, 2], [0, 4, 3], [0, 5, 4]]);
        for i in 0..6 {
            let j = (i + 1) % 6;
            faces.extend([[i, j, j + 6], [i, j + 6, i + 6]]);
        }
        TriangleMesh::new(vertices.collect(), faces).unwrap()
    };
    Shape::mesh(MeshShape::new(mesh, None).unwrap())
}

fn ask(n: &dyn NarrowPhase, [a, b]: [PosedShape<'_>; 2]) -> Proximity {
    n.query(a, b, Real::INFINITY, &mut NarrowCache::default(), &mut Vec::new()).unwrap()
}

/// A pair turned at random, apart, touching, a little or deep in one another.
fn placed<'a>(random: &mut Random, [x, y]: [&'a Shape; 2], by: &dyn NarrowPhase) -> [PosedShape<'a>; 2] {
    let a = PosedShape { shape: x, pose: Pose::new(random.vector(1.0), random.rotation()) };
    let mut b = PosedShape { shape: y, pose: Pose::new(a.pose.position + random.direction() * 3.0, random.rotation()) };
    let wanted = match random.below(4) {
        0 => random.range(0.0, 0.5),
        1 => -random.range(0.0, 1e-5),
        2 => -random.range(0.0, 0.02),
        _ => -random.range(0.0, 0.4),
    };
    let apart = ask(by, [a, b]);
    b.pose.position -= apart.normal * (apart.distance - wanted);
    [a, b]
}

/// The farthest that a witness is from its surface over random pairs, and how it came about.
fn farthest(n: &dyn NarrowPhase, count: u32, mut pair: impl FnMut(&mut Random) -> [Shape; 2]) -> (Real, String) {
    let mut random = Random::new(1);
    let (mut worst, mut told) = (0.0, String::new());
    let (mut asked, mut overlapping) = (0, 0);
    for number in 0..count {
        let shapes = pair(&mut random);
        let posed = placed(&mut random, [&shapes[0], &shapes[1]], &Combined);
        if !n.supports(&shapes[0], &shapes[1]) {
            continue;
        }
        let found = ask(n, posed);
        overlapping += u32::from(found.distance < 0.0);
        asked += 1;
        if found.distance < 0.0 && shapes.iter().any(|s| matches!(s, Shape::Mesh(m) if !m.is_convex())) {
            continue;
        }
        for (s, w) in posed.iter().zip([found.witness_a, found.witness_b]) {
            let out = off(s.shape, s.pose.local_point(w));
            if out > worst || out.is_nan() {
                worst = out;
                told =
                    format!("{} {number}: {} - {}, {found:?}", n.name(), posed[0].shape.kind(), posed[1].shape.kind());
            }
        }
    }
    assert!(overlapping * 4 > asked && overlapping < asked, "{}: {overlapping} of {asked} overlap", n.name());
    (worst, told)
}

#[test]
fn witnesses_of_convex_shapes_lie_on_them() {
    let all: [&dyn NarrowPhase; 5] = [&Combined, &Primitives, &GjkEpa, &VClip, &SeparatingAxes];
    for n in all {
        let (worst, told) = farthest(n, 3000, |random| [convex(random), convex(random)]);
        assert!(worst <= NEAR, "{worst:.2e} m off: {told}");
    }
}

#[test]
fn witnesses_of_meshes_lie_on_them() {
    let all: [&dyn NarrowPhase; 2] = [&Combined, &ExactMesh];
    for n in all {
        for both in [false, true] {
            let pair = |random: &mut Random| [if both { mesh(random) } else { convex(random) }, mesh(random)];
            let (worst, told) = farthest(n, 400, pair);
            assert!(worst <= NEAR, "{worst:.2e} m off: {told}");
        }
    }
}
