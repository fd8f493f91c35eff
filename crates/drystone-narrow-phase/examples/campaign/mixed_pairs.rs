use super::random_pairs::{Random, ask};
use drystone_core::{NarrowPhase, PosedShape, Proximity};
use drystone_geometry::{MeshShape, Shape, TriangleMesh};
use drystone_math::{Pose, Real, Vec3};
use drystone_narrow_phase::{Combined, ExactMesh, GjkEpa};

/// Distances of separated shapes agree to this part of the size.
const APART: Real = 1e-6;

/// Depths under swapping agree to this part of the size.
const DEEP: Real = 1e-5;

/// Meshes made once: boxes in one to three parts an edge with the solid they stand for, and stars.
pub(crate) struct Meshes {
    boxes: Vec<(Shape, Shape)>,
    stars: Vec<Shape>,
}

impl Meshes {
    /// # Errors
    /// A mesh that cannot be built.
    pub(crate) fn new() -> Result<Self, String> {
        let mut made = Self { boxes: Vec::new(), stars: Vec::new() };
        let mesh = |m: TriangleMesh| MeshShape::new(m, None).map(Shape::mesh).map_err(|e| e.to_string());
        for (k, h) in [[0.5, 0.5, 0.5], [1.0, 0.3, 0.7], [0.8, 0.8, 1e-3], [1e-3, 1.2, 0.4]].into_iter().enumerate() {
            let solid = Shape::cuboid(h[0], h[1], h[2]).map_err(|e| e.to_string())?;
            let parts = k as u32 % 3 + 1;
            made.boxes.push((mesh(TriangleMesh::cuboid(Vec3::from_array(h), parts))?, solid));
            // vertices pulled in and out
            let m = TriangleMesh::cuboid(Vec3::new(0.7, 0.6, 0.5), parts + 1);
            let pulled = m.vertices().iter().enumerate().map(|(i, p)| *p * if i % 3 == 0 { 1.4 } else { 0.8 });
            let star = TriangleMesh::new(pulled.collect(), m.triangles().to_vec()).map_err(|e| e.to_string())?;
            made.stars.push(mesh(star)?);
        }
        Ok(made)
    }
}

/// Draws a pair with a mesh or a compound in it, and asks what takes it.
///
/// # Errors
/// What is wrong with an answer.
pub(crate) fn check_mixed(random: &mut Random, meshes: &Meshes) -> Result<(), String> {
    let (pa, pb) = (random.pose(1.0), random.pose(1.0));
    match random.pick(3) {
        0 => {
            let k = random.pick(meshes.boxes.len() as u32) as usize;
            let (mesh, solid) = &meshes.boxes[k];
            let other = if random.pick(4) == 0 { solid.clone() } else { random.shape(1.0) };
            let other_mesh = random.pick(4) == 0;
            let other = if other_mesh { meshes.boxes[(k + 1) % 4].0.clone() } else { other };
            let stands = if other_mesh { meshes.boxes[(k + 1) % 4].1.clone() } else { other.clone() };
            let exact = ask(&GjkEpa, posed(solid, pa), posed(&stands, pb), Real::INFINITY);
            for n in [&ExactMesh as &dyn NarrowPhase, &Combined] {
                check_answer(n, posed(mesh, pa), posed(&other, pb), exact.as_ref())?;
            }
        }
        1 => {
            let star = &meshes.stars[random.pick(meshes.stars.len() as u32) as usize];
            let other = random.shape(1.0);
            for n in [&ExactMesh as &dyn NarrowPhase, &Combined] {
                let p = check_answer(n, posed(star, pa), posed(&other, pb), None)?;
                // its hull is no farther away, its vertices no nearer
                let Shape::Mesh(m) = star else { continue };
                let hull = Shape::convex(m.mesh().vertices()).map_err(|e| e.to_string())?;
                let bound = ask(&GjkEpa, posed(&hull, pa), posed(&other, pb), Real::INFINITY);
                if p.distance > 0.0 && bound.is_some_and(|b| b.distance > p.distance + APART) {
                    return Err(format!("{}: star - {}: the hull is farther {bound:?} {p:?}", n.name(), other.kind()));
                }
            }
        }
        _ => {
            let parts = 1 + random.pick(3) as usize;
            let parts: Vec<(Shape, Pose)> = (0..parts).map(|_| (random.shape(1.0), random.pose(0.5))).collect();
            let other = random.shape(1.0);
            let least = parts
                .iter()
                .filter_map(|(s, p)| ask(&GjkEpa, posed(s, pa * *p), posed(&other, pb), Real::INFINITY))
                .reduce(|x, y| if y.distance < x.distance { y } else { x });
            let compound = Shape::compound(parts.clone()).map_err(|e| e.to_string())?;
            check_answer(&Combined, posed(&compound, pa), posed(&other, pb), least.as_ref())?;
        }
    }
    Ok(())
}

fn posed(shape: &Shape, pose: Pose) -> PosedShape<'_> {
    PosedShape { shape, pose }
}

/// Finite, symmetric, and as far apart as `exact` says where that is apart; never apart where it overlaps.
fn check_answer(
    n: &dyn NarrowPhase,
    a: PosedShape<'_>,
    b: PosedShape<'_>,
    exact: Option<&Proximity>,
) -> Result<Proximity, String> {
    let Some(p) = ask(n, a, b, Real::INFINITY) else { return Err(format!("{} does not take it", n.name())) };
    let say = |what: &str| {
        let (x, y) = (a.shape.kind(), b.shape.kind());
        Err(format!("{}: {x} - {y}: {what}: {p:?} {exact:?} {:?} {:?} {:?}", n.name(), a.pose, b.pose, b.shape))
    };
    if !(p.distance.is_finite() && p.witness_a.is_finite() && p.witness_b.is_finite()) {
        return say("not finite");
    }
    if (p.normal.length() - 1.0).abs() > 1e-9 {
        return say("not a unit normal");
    }
    let Some(swapped) = ask(n, b, a, Real::INFINITY) else { return say("swapped it is not taken") };
    let tolerance = if p.distance > 0.0 { APART } else { DEEP };
    if (swapped.distance - p.distance).abs() > tolerance {
        return say(&format!("swapped {swapped:?}"));
    }
    let near = ask(n, a, b, 0.01);
    if near.is_none_or(|q| (q.distance <= 0.0) != (p.distance <= 0.0) && p.distance.abs() > APART) {
        return say(&format!("with an envelope {near:?}"));
    }
    if let Some(e) = exact {
        if e.distance > APART && (e.distance - p.distance).abs() > APART {
            return say("another distance");
        }
        if e.distance < -APART && p.distance > APART {
            return say("apart");
        }
    }
    Ok(p)
}
