//! A flat floor with a signed distance map only pushes upwards: the sample in its middle is no obstacle.

use drystone_core::{NarrowCache, NarrowPhase, PosedShape};
use drystone_geometry::{MapSettings, MeshShape, Shape, TriangleMesh};
use drystone_math::{Pose, Quat, Real, Vec3};
use drystone_narrow_phase::SdfMap;

/// Half the edge of the floor (m).
const HALF: Real = 3.5;

fn floor() -> Shape {
    let mesh = TriangleMesh::height_field(21, &vec![0.0; 21 * 21], 0.1 * HALF, 1.0).unwrap();
    Shape::mesh(MeshShape::new(mesh, Some(MapSettings::new(64))).unwrap())
}

#[test]
fn contacts_around_the_middle_point_upwards_at_any_reach() {
    let floor = floor();
    let settings = Some(MapSettings { spacing: 1.0, ..MapSettings::new(32) });
    let block = MeshShape::new(TriangleMesh::cuboid(Vec3::splat(0.25), 2), settings).unwrap();
    let shapes = [
        ("box", Shape::cuboid(0.25, 0.25, 0.25).unwrap()),
        ("ball", Shape::sphere(0.25).unwrap()),
        ("block", Shape::mesh(block)),
    ];
    for (name, shape) in &shapes {
        for reach in [0.0, 1e-3, 0.01, 0.04, 0.1, 0.3] {
            for (height, turn) in [(-1e-3, 0.0), (0.0, 0.0), (1e-4, 0.4), (1e-3, 0.0), (5e-3, 0.4)] {
                for (i, k) in (-80..=80).flat_map(|i| [0.0, 0.0137, 0.2, 0.3, 0.4].map(|k| (i, k))) {
                    let at = Vec3::new(HALF + 0.0125 * Real::from(i), 0.25 + height, HALF - k);
                    let ground = PosedShape { shape: &floor, pose: Pose::IDENTITY };
                    let body = PosedShape { shape, pose: Pose::new(at, Quat::from_rotation_y(turn)) };
                    for flipped in [false, true] {
                        let (a, b) = if flipped { (body, ground) } else { (ground, body) };
                        let mut seeds = Vec::new();
                        let found =
                            SdfMap::default().query(a, b, reach, &mut NarrowCache::default(), &mut seeds).unwrap();
                        let up = if flipped { -Vec3::Y } else { Vec3::Y };
                        if height <= reach {
                            assert!((found.distance - height).abs() < 1e-5, "{name} at {at}, reach {reach}: {found:?}");
                            assert!(!seeds.is_empty(), "{name} at {at}, reach {reach}: no contact");
                        }
                        for s in &seeds {
                            assert!((s.normal - up).length() < 0.05, "{name} at {at}, reach {reach}: {s:?}");
                            assert!(s.separation > height - 1e-5, "{name} at {at}, reach {reach}: {s:?}");
                        }
                    }
                }
            }
        }
    }
}
