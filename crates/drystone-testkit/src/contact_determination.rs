use crate::Random;
use drystone_core::{
    ContactDetermination, ContactImpulse, FeatureKey, Manifold, NarrowCache, NarrowPhase, PosedShape, Proximity,
    Relation,
};
use drystone_geometry::Shape;
use drystone_math::elementary::rotation_about;
use drystone_math::{Pose, Real, Vec3};

/// Contact envelope of the suite (m).
const ENVELOPE: Real = 0.01;

/// The contract of [`ContactDetermination`], fed by a narrow phase, on all pairs of shapes that both support: unit normals, finite numbers, distinct keys,
/// separations within the envelope, no multipliers, no point if the pair is apart, at least one if it overlaps, and the same keys when bodies at rest on each other
/// move by 1e-7.
///
/// # Panics
/// If the contact determination violates its contract.
pub fn check_contact_determination(
    contacts: &dyn ContactDetermination,
    narrow_phase: &dyn NarrowPhase,
    shapes: &[Shape],
) {
    let mut random = Random::new(12);
    let mut manifold = Manifold::default();
    for a in shapes {
        for b in shapes {
            if !narrow_phase.supports(a, b) {
                continue;
            }
            let what = format!("{}: {} - {}", contacts.name(), a.kind(), b.kind());
            for _ in 0..60 {
                let pose_a = Pose::new(random.vector(1.0), random.rotation());
                let away = random.direction() * random.range(0.05, 3.0);
                let pose_b = Pose::new(pose_a.position + away, random.rotation());
                let (a, b) = (PosedShape { shape: a, pose: pose_a }, PosedShape { shape: b, pose: pose_b });
                let proximity = determine(contacts, narrow_phase, a, b, &mut manifold, &what);
                check_manifold(&manifold, &proximity, (&pose_a, &pose_b), &what);
            }
        }
    }
    check_stable_keys(contacts, narrow_phase);
}

fn determine(
    contacts: &dyn ContactDetermination,
    narrow_phase: &dyn NarrowPhase,
    a: PosedShape<'_>,
    b: PosedShape<'_>,
    manifold: &mut Manifold,
    what: &str,
) -> Proximity {
    let mut seeds = Vec::new();
    let proximity = narrow_phase
        .query(a, b, ENVELOPE, &mut NarrowCache::default(), &mut seeds)
        .unwrap_or_else(|e| panic!("{what}: said to be supported, but {e}"));
    contacts.determine(a, b, &proximity, &seeds, ENVELOPE, manifold);
    proximity
}

fn check_manifold(manifold: &Manifold, proximity: &Proximity, poses: (&Pose, &Pose), what: &str) {
    match proximity.relation {
        Relation::Separated => assert!(manifold.points.is_empty(), "{what}: contact points of a pair that is apart"),
        Relation::Penetrating => assert!(!manifold.points.is_empty(), "{what}: no point for {proximity:?}"),
        Relation::Touching => {}
    }
    for (i, p) in manifold.points.iter().enumerate() {
        assert!(
            p.anchor_a.is_finite() && p.anchor_b.is_finite() && p.separation.is_finite(),
            "{what}: not finite: {p:?}"
        );
        let normals = [poses.0.direction(p.normal[0]), poses.1.direction(p.normal[1])];
        assert!((normals[0].length() - 1.0).abs() < 1e-9, "{what}: normal is not a unit vector: {p:?}");
        assert!((normals[0] - normals[1]).length() < 1e-9, "{what}: A and B disagree about the normal: {p:?}");
        assert!(p.separation <= ENVELOPE + 1e-9, "{what}: beyond the envelope: {p:?}");
        assert!(p.impulse == ContactImpulse::ZERO, "{what}: a multiplier was made up");
        assert!(manifold.points[..i].iter().all(|q| q.key != p.key), "{what}: key {:?} twice", p.key);
        let (normal, _, separation) = p.world(poses.0, poses.1);
        assert!((separation - p.separation).abs() < 1e-6, "{what}: anchors say {separation}, point {p:?}");
        assert!(normal.dot(proximity.normal) > 0.0, "{what}: normal against the narrow phase's");
    }
}

/// A box at rest on a half space, and on a larger box, keeps its keys under motion far below the envelope.
fn check_stable_keys(contacts: &dyn ContactDetermination, narrow_phase: &dyn NarrowPhase) {
    let cuboid = Shape::cuboid(0.5, 0.5, 0.5).expect("positive extents");
    let floors =
        [Shape::plane(Vec3::Y, 0.0).expect("a normal"), Shape::cuboid(2.0, 1.0, 2.0).expect("positive extents")];
    for (floor, y) in floors.iter().zip([0.5, 1.5]) {
        if !narrow_phase.supports(floor, &cuboid) {
            continue;
        }
        let what = format!("{}: a box at rest on a {}", contacts.name(), floor.kind());
        let mut keys: Option<Vec<FeatureKey>> = None;
        let mut random = Random::new(13);
        for _ in 0..20 {
            let place = Vec3::new(0.1, y - 1e-4, -0.2) + random.vector(1e-7);
            let pose = Pose::new(place, rotation_about(Vec3::Y, random.range(-1e-7, 1e-7)));
            let mut manifold = Manifold::default();
            let (a, b) = (PosedShape { shape: floor, pose: Pose::IDENTITY }, PosedShape { shape: &cuboid, pose });
            let proximity = determine(contacts, narrow_phase, a, b, &mut manifold, &what);
            check_manifold(&manifold, &proximity, (&Pose::IDENTITY, &pose), &what);
            let mut found: Vec<_> = manifold.points.iter().map(|p| p.key).collect();
            found.sort_unstable();
            assert!(keys.as_ref().is_none_or(|k| *k == found), "{what}: keys changed");
            keys = Some(found);
        }
    }
}
