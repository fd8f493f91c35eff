//! Warm queries of mesh pairs allocate nothing.

use drystone_core::{NarrowPhase, PosedShape};
use drystone_geometry::{MapSettings, MeshShape, Shape, TriangleMesh};
use drystone_math::{Pose, Quat, Vec3};
use drystone_narrow_phase::{Combined, ExactMesh, SdfMap};

#[test]
fn warm_mesh_pairs_allocate_nothing() {
    let mesh = |half: Vec3, band: f64| {
        let settings = MapSettings { band, spacing: 1e-9, ..MapSettings::new(24) };
        Shape::mesh(MeshShape::new(TriangleMesh::cuboid(half, 3), Some(settings)).unwrap())
    };
    let a = mesh(Vec3::new(0.5, 0.4, 0.3), f64::INFINITY);
    let others = [
        mesh(Vec3::new(0.3, 0.3, 0.6), 3.0),
        Shape::sphere(0.4).unwrap(),
        Shape::cuboid(0.4, 0.3, 0.2).unwrap(),
        Shape::capsule(0.2, 0.4).unwrap(),
        Shape::plane(Vec3::Y, 0.0).unwrap(),
    ];
    let phases: [&dyn NarrowPhase; 4] = [
        &SdfMap { sphere_tree: true, ..SdfMap::default() },
        &SdfMap { sphere_tree: false, ..SdfMap::default() },
        &ExactMesh,
        &Combined,
    ];
    let mut seeds = Vec::new();
    for b in &others {
        for phase in phases {
            let mut all = || {
                let mut touching = 0;
                for k in 0..40 {
                    let w = f64::from(k);
                    let pose = Pose::new(Vec3::new(0.9 * w.sin(), 0.8 * w.cos(), 0.1), Quat::from_rotation_y(w));
                    let (x, y) = (PosedShape { shape: &a, pose }, PosedShape { shape: b, pose: Pose::IDENTITY });
                    phase.query(x, y, 0.01, &mut [0; 4], &mut seeds).unwrap();
                    touching += seeds.len();
                }
                touching
            };
            let warm = all();
            let info = allocation_counter::measure(|| assert_eq!(all(), warm));
            assert_eq!(info.count_total, 0, "{} with {}", phase.name(), b.kind());
        }
    }
}
