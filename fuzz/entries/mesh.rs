//! What the bytes of a mesh file go through.

use drystone_geometry::mesh::{Topology, import};
use drystone_geometry::{MapSettings, MeshError, MeshShape, Shape, TriangleMesh};
use drystone_math::{Real, Vec3};

/// Meshes with more triangles are not looked into: it would take long and show nothing new.
const LARGEST: usize = 400;

pub(crate) fn obj(bytes: &[u8]) {
    examine(import::read_obj(bytes));
}

pub(crate) fn stl(bytes: &[u8]) {
    examine(import::read_stl(bytes));
}

pub(crate) fn gltf(bytes: &[u8]) {
    examine(import::read_glb(bytes));
}

/// A mesh is refused, or its report, its mass and its distances agree with each other.
fn examine(read: Result<TriangleMesh, MeshError>) {
    let mut mesh = match read {
        Ok(mesh) if mesh.triangles().len() <= LARGEST => mesh,
        Ok(_) => return,
        Err(error) => return assert!(!error.to_string().is_empty()),
    };
    look_into(&mesh);
    let _ = mesh.mend(1e-9 * mesh.size());
    if !mesh.triangles().is_empty() {
        look_into(&mesh);
    }
}

fn look_into(mesh: &TriangleMesh) {
    let topology = Topology::of(mesh);
    let report = topology.report(mesh);
    let faults = topology.faults(mesh);
    assert_eq!(report.is_solid(), faults.is_empty() && report.volume > 0.0, "{report:?} {faults:?}");
    if !(1e-6..1e6).contains(&mesh.size()) {
        return;
    }
    if report.is_solid() {
        // the volume of a closed surface does not depend on the origin
        let bounds = mesh.bounds();
        let shift = (bounds.min + bounds.max) * 0.5;
        let moved = mesh.vertices().iter().map(|p| *p - shift).collect();
        if let Ok(moved) = TriangleMesh::new(moved, mesh.triangles().to_vec()) {
            let (v, w) = (report.volume, moved.mass_properties(1.0).mass);
            let noise = 1e-9 * mesh.size() * (mesh.size() + shift.length()).powi(2) * mesh.triangles().len() as Real;
            assert!((v - w).abs() <= noise, "volume {v} at {shift}, {w} about its middle");
        }
    }
    let points = [Vec3::ZERO, mesh.bounds().min, mesh.vertices()[0] + Vec3::splat(0.1 * mesh.size())];
    for map in [None, Some(MapSettings::new(6)), Some(MapSettings { band: 1.0, spacing: 1e-3, ..MapSettings::new(6) })]
    {
        let Ok(shape) = MeshShape::new(mesh.clone(), map) else {
            assert!(map.is_some() && !report.is_watertight());
            continue;
        };
        for p in points {
            let d = shape.distance(p, Real::INFINITY).map(|d| d.distance);
            assert!(d.is_some_and(Real::is_finite), "distance {d:?} at {p}");
            if let Some((d, n)) = shape.map().and_then(|m| m.sample(p)) {
                assert!(d.is_finite() && (n.length() - 1.0).abs() < 1e-6, "{d} {n} at {p}");
            }
        }
        match Shape::mesh(shape).mass_properties(1.0) {
            Some(mass) => assert!(mass.mass > 0.0 && mass.mass.is_finite() && report.has_volume(), "{mass:?}"),
            None => assert!(!report.has_volume(), "no mass for {report:?}"),
        }
    }
}
