//! Manifolds of seeded random pairs: they lie on both surfaces, are as deep as the narrow phase says,
//! do not change when the bodies are swapped, and the reduction keeps what it must.

use drystone_contact::ClippingManifold;
use drystone_core::{ContactDetermination, ContactPoint, Manifold, NarrowPhase, PosedShape, Proximity};
use drystone_geometry::{MeshShape, Shape, TriangleMesh};
use drystone_math::{Pose, Real, Vec3};
use drystone_narrow_phase::Combined;
use drystone_testkit::Random;

const ENVELOPE: Real = 0.01;

fn shapes() -> Vec<Shape> {
    let points: Vec<Vec3> = (0..30)
        .map(|i| Vec3::new((f64::from(i) * 1.7).sin(), (f64::from(i) * 2.9).cos(), (f64::from(i) * 0.9).sin()) * 0.6)
        .collect();
    vec![
        Shape::cuboid(0.5, 0.4, 0.3).unwrap(),
        Shape::sphere(0.5).unwrap(),
        Shape::capsule(0.3, 0.4).unwrap(),
        Shape::cylinder(0.4, 0.5).unwrap(),
        Shape::cone(0.5, 0.5).unwrap(),
        Shape::convex(&points).unwrap(),
        Shape::mesh(MeshShape::new(TriangleMesh::cuboid(Vec3::new(0.5, 0.4, 0.3), 2), None).unwrap()),
        Shape::plane(Vec3::Y, 0.0).unwrap(),
    ]
}

fn ask(a: PosedShape<'_>, b: PosedShape<'_>, reduce: bool) -> (Proximity, Manifold) {
    let (mut seeds, mut m) = (Vec::new(), Manifold::default());
    let p = Combined.query(a, b, ENVELOPE, &mut [0; 4], &mut seeds).unwrap();
    ClippingManifold { reduce, ..ClippingManifold::default() }.determine(a, b, &p, &seeds, ENVELOPE, &mut m);
    (p, m)
}

/// A pair that overlaps by up to a hundredth, or is as far apart; half of the pairs meet on faces.
fn touching<'a>(random: &mut Random, x: &'a Shape, y: &'a Shape) -> (PosedShape<'a>, PosedShape<'a>) {
    let flat = random.below(2) == 0;
    let turn = |random: &mut Random| {
        if flat {
            let quarter = core::f64::consts::FRAC_PI_2;
            let spin = drystone_math::Quat::from_rotation_y(random.range(0.0, 6.0));
            // on a face, tilted by up to a thousandth of a radian
            let lean = drystone_math::Quat::from_scaled_axis(random.vector(1e-3));
            lean * spin * drystone_math::Quat::from_rotation_x(quarter * f64::from(random.below(4) as u32))
        } else {
            random.rotation()
        }
    };
    let is_plane = matches!(x, Shape::Plane(_)) || matches!(y, Shape::Plane(_));
    let (qa, qb) = (turn(random), turn(random));
    let keep = |s: &Shape, q| if matches!(s, Shape::Plane(_)) { drystone_math::Quat::IDENTITY } else { q };
    let a = PosedShape { shape: x, pose: Pose::new(Vec3::ZERO, keep(x, qa)) };
    let away = if is_plane {
        if matches!(x, Shape::Plane(_)) { Vec3::Y * 3.0 } else { Vec3::NEG_Y * 3.0 }
    } else {
        (if flat { Vec3::Y + random.vector(0.2) } else { random.direction() }) * 4.0
    };
    let far = Pose::new(away, keep(y, qb));
    let gap =
        Combined.query(a, PosedShape { shape: y, pose: far }, Real::INFINITY, &mut [0; 4], &mut Vec::new()).unwrap();
    let depth = random.range(-0.01, 0.005);
    let pose = Pose::new(far.position - gap.normal * (gap.distance + depth), far.orientation);
    (a, PosedShape { shape: y, pose })
}

/// How far a point is from a shape's surface (m).
fn off(shape: PosedShape<'_>, p: Vec3) -> Real {
    let dot = Shape::sphere(1e-7).unwrap();
    let dot = PosedShape { shape: &dot, pose: Pose::from_position(p) };
    let found = Combined.query(shape, dot, Real::INFINITY, &mut [0; 4], &mut Vec::new()).unwrap();
    (found.distance + 1e-7).abs()
}

#[test]
fn points_lie_on_both_surfaces_as_deep_as_the_pair_is() {
    let (mut random, shapes) = (Random::new(21), shapes());
    let (mut points, mut agree, mut manifolds) = (0, 0, 0);
    for k in 0..4000 {
        let (x, y) = (&shapes[k % 8], &shapes[k / 8 % 8]);
        if !Combined.supports(x, y) {
            continue;
        }
        let (a, b) = touching(&mut random, x, y);
        let (p, m) = ask(a, b, true);
        let what = format!("pair {k}: {} - {}", x.kind(), y.kind());
        assert_eq!(m.points.is_empty(), p.distance > ENVELOPE, "{what}: {p:?}");
        for c in &m.points {
            let (n, _, separation) = c.world(&a.pose, &b.pose);
            let (on_a, on_b) = (a.pose.point(c.anchor_a), b.pose.point(c.anchor_b));
            // samples near the rim of a mesh's face may push out sideways (K-06)
            let sampled = [x, y].iter().any(|s| matches!(s, Shape::Mesh(_)));
            let way = if sampled { -1.0 } else { 0.99 };
            assert!((n.length() - 1.0).abs() < 1e-9 && n.dot(p.normal) > way, "{what}: {n} {p:?}");
            assert!(((on_b - on_a).dot(n) - separation).abs() < 1e-9, "{what}: {separation} {c:?}");
            assert!((on_b - on_a).cross(n).length() < 1e-9, "{what}: not across {c:?}");
            // faces may be tilted by a tenth of a radian to each other: a deeper point may then lie beyond the surface at a corner
            let slack = 1e-4 + 0.12 * separation.abs();
            // a capsule's side tilted against the face: its points are those of the core, projected along the normal of the face
            let slack = if [x, y].iter().any(|s| matches!(s, Shape::Capsule(_))) { slack + 5e-3 } else { slack };
            // where a triangle is cut and no sample lies in it, the position is that of the triangle
            let slack = if sampled && c.key.0 == 1 << 40 { 0.02 } else { slack };
            let (da, db) = (off(a, on_a), off(b, on_b));
            assert!(da < slack && db < slack, "{what}: {da} and {db} off, {separation}: {c:?} {p:?}");
            points += 1;
        }
        let deepest = m.points.iter().map(|c| c.separation).fold(Real::INFINITY, Real::min);
        if !m.points.is_empty() {
            // never deeper than the pair; if a corner went through beyond the rim of the face, it is no point of the face
            assert!(deepest > p.distance - 2e-4 - 0.01 * p.distance.abs(), "{what}: {deepest} {p:?}");
            agree += usize::from((deepest - p.distance).abs() < 2e-4 + 0.01 * p.distance.abs());
            manifolds += 1;
        }
    }
    println!("{points} points of {manifolds} manifolds, {agree} as deep as their pair");
    assert!(points > 5500 && agree * 100 > manifolds * 98, "{points}: {agree} of {manifolds}");
}

#[test]
fn swapped_bodies_have_the_same_contacts() {
    let (mut random, shapes) = (Random::new(22), shapes());
    let (mut same, mut all) = (0, 0_u32);
    for k in 0..3000 {
        let (x, y) = (&shapes[k % 8], &shapes[k / 8 % 8]);
        if !Combined.supports(x, y) {
            continue;
        }
        let (a, b) = touching(&mut random, x, y);
        let ((_, m), (_, w)) = (ask(a, b, true), ask(b, a, true));
        let middle = |c: &ContactPoint, a: PosedShape<'_>, b: PosedShape<'_>| {
            (a.pose.point(c.anchor_a) + b.pose.point(c.anchor_b)) * 0.5
        };
        for c in &m.points {
            let (n, at) = (a.pose.direction(c.normal[0]), middle(c, a, b));
            let found = w
                .points
                .iter()
                .any(|d| (middle(d, b, a) - at).length() < 2e-3 && b.pose.direction(d.normal[0]).dot(n) < -0.999);
            same += u32::from(found);
            all += 1;
        }
    }
    // of equally deep points the first is kept, so the choice depends on the order of the bodies
    let share = f64::from(same) / f64::from(all);
    println!("the same: {:.2} %", 100.0 * share);
    assert!(share > 0.97, "{share}");
}

/// The area of the convex hull of points, seen along a direction (m^2).
fn area(points: &[Vec3], n: Vec3) -> Real {
    let u = n.any_orthonormal_vector();
    let v = n.cross(u);
    let mut flat: Vec<(Real, Real)> = points.iter().map(|p| (p.dot(u), p.dot(v))).collect();
    flat.sort_by(|p, q| p.0.total_cmp(&q.0).then(p.1.total_cmp(&q.1)));
    flat.dedup();
    // a pair of points with all others on its left is a side of the hull
    let mut twice = 0.0;
    for (i, p) in flat.iter().enumerate() {
        for (j, q) in flat.iter().enumerate() {
            let left = |r: &(Real, Real)| (q.0 - p.0) * (r.1 - p.1) - (q.1 - p.1) * (r.0 - p.0);
            let beyond =
                |r: &(Real, Real)| left(r) >= 1e-12 || (r.0 - p.0) * (r.0 - q.0) + (r.1 - p.1) * (r.1 - q.1) <= 0.0;
            if i != j && (q.0 - p.0).hypot(q.1 - p.1) > 1e-9 && flat.iter().all(|r| left(r) > -1e-12 && beyond(r)) {
                twice += p.0 * q.1 - p.1 * q.0;
            }
        }
    }
    0.5 * twice
}

#[test]
fn few_points_keep_the_deepest_and_the_area() {
    // K-02, K-09: the reduced manifold against all points of the same one
    let (mut random, shapes) = (Random::new(23), shapes());
    let (mut worst, mut kept_points, mut count) = (1.0_f64, 0, 0);
    for k in 0..3000 {
        let (x, y) = (&shapes[[0, 3, 5][k % 3]], &shapes[[0, 3, 5, 7][k / 3 % 4]]);
        let (a, b) = touching(&mut random, x, y);
        let ((_, few), (_, all)) = (ask(a, b, true), ask(a, b, false));
        assert!(few.points.len() <= all.points.len());
        let least = |m: &Manifold| m.points.iter().map(|c| c.separation).fold(Real::INFINITY, Real::min);
        if all.points.len() <= 4 {
            assert_eq!(few, all);
            continue;
        }
        // differences below a tenth of a millimetre per metre count as equally deep
        let noise = 2e-4;
        assert!((least(&few) - least(&all)).abs() <= noise, "{} {}", least(&few), least(&all));
        let n = all.points[0].normal[0];
        let places = |m: &Manifold| m.points.iter().map(|c| c.anchor_a).collect::<Vec<_>>();
        let (whole, kept) = (area(&places(&all), n), area(&places(&few), n));
        if whole > 1e-4 {
            worst = worst.min(kept / whole);
            kept_points += few.points.len();
            count += 1;
        }
    }
    let mean = kept_points as Real / Real::from(count);
    println!("{count} manifolds of more than four: {mean:.2} points on average, area {worst:.3} at worst");
    // 1 % of the size on either side of a region a third as wide
    assert!(count > 200 && worst > 0.93, "{count} {worst}");
}

/// The points of thin rods lie on them: what counts as inside a face is told by its width, not its length.
#[test]
fn points_of_thin_rods_lie_on_the_rods() {
    let mut random = Random::new(41);
    let mut found = 0;
    for case in 0..2000 {
        let thin = Real::powf(10.0, random.range(-5.0, -2.0));
        let corner = |i: u32| {
            let side = |k: u32| if i >> k & 1 == 1 { 1.0 } else { -1.0 };
            Vec3::new(side(0), thin * side(1), thin * side(2))
        };
        let rod = Shape::convex(&(0..8).map(corner).collect::<Vec<_>>()).unwrap();
        let across = Shape::cylinder(0.3, 0.2).unwrap();
        let a = PosedShape { shape: &rod, pose: Pose::IDENTITY };
        let spin = drystone_math::Quat::from_rotation_y(random.range(0.0, 6.0));
        let at = Vec3::new(random.range(-1.0, 1.0), thin + 0.2 - 0.1 * thin, random.range(-0.3, 0.3));
        let b = PosedShape { shape: &across, pose: Pose::new(at, spin) };
        let plate: Vec<Vec3> = (0..8).map(|i| corner(i) * Vec3::new(0.4, 0.3 / thin, 0.2 / thin)).collect();
        let plate = Shape::convex(&plate).unwrap();
        let b = if case % 2 == 0 { b } else { PosedShape { shape: &plate, pose: Pose::new(at + Vec3::Y * 0.1, spin) } };
        for p in &ask(a, b, false).1.points {
            let off = drystone_testkit::from_surface(&rod, p.anchor_a);
            assert!(off < 1e-3 * thin, "{case}: {thin} off by {off}: {p:?}");
            found += 1;
        }
    }
    assert!(found > 2000, "{found}");
}
