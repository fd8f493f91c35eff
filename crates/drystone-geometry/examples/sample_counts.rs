//! Sample points and sphere trees of meshes, as in tables 6.4 and 6.5 of the thesis.
//!
//! `cargo run --release -p drystone-geometry --features import --example sample_counts -- [RESOLUTION] FILE…`
//!
//! Prints tab-separated rows: mesh, rule, distance of points along edges (m), sample points, nodes of the sphere tree,
//! and for a map of that resolution the stored values of the full grid and of a narrow band.

use drystone_geometry::mesh::{
    Pseudonormals, SampleRules, SignedDistanceMap, SphereTree, Topology, import, sample_points,
};
use drystone_geometry::{MapSettings, MeshShape, TriangleMesh};
use drystone_math::{Real, Vec3};
use std::path::Path;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    let resolution = arguments.first().and_then(|a| a.parse().ok()).unwrap_or(128);
    arguments.retain(|a| a.parse::<usize>().is_err());
    // the thesis' box has eight points inside each of its 60 segments: a distance between 1/45 and 1/40 of its edge
    report("box", &TriangleMesh::cuboid(Vec3::splat(0.5), 5), 1.0 / 42.5, resolution)?;
    for file in &arguments {
        let path = Path::new(file);
        let mut mesh = import::read(path)?;
        let mended = mesh.mend(1e-9 * mesh.size());
        let name = path.file_stem().map_or(file.as_str().into(), |s| s.to_string_lossy());
        eprintln!("{name}: {:?} {mended:?}", Topology::of(&mesh).report(&mesh));
        let cell = mesh.size() / resolution as Real;
        report(&name, &mesh, cell, resolution)?;
        report(&name, &mesh, Real::sqrt(3.0) * cell, resolution)?;
    }
    Ok(())
}

fn report(name: &str, mesh: &TriangleMesh, spacing: Real, resolution: usize) -> Result<(), Box<dyn std::error::Error>> {
    let topology = Topology::of(mesh);
    let normals = Pseudonormals::of(mesh, &topology);
    let none = Real::INFINITY;
    let side = (mesh.size() / resolution as Real).powi(2);
    for (rule, edge_spacing, face_area) in
        [("vertices", none, none), ("vertices, edges", spacing, none), ("vertices, edges, faces", spacing, side)]
    {
        let points = sample_points(mesh, &topology, &normals, &SampleRules { edge_spacing, face_area });
        let (count, nodes) = (points.len(), SphereTree::of(points).node_count());
        println!("{name}\t{rule}\t{edge_spacing:.6}\t{count}\t{nodes}");
    }
    if Topology::of(mesh).report(mesh).is_watertight() {
        let stored = |band| -> Result<usize, Box<dyn std::error::Error>> {
            let settings = MapSettings { band, ..MapSettings::new(resolution) };
            Ok(MeshShape::new(mesh.clone(), Some(settings))?.map().map_or(0, SignedDistanceMap::stored))
        };
        println!(
            "{name}\tvalues of a map of {resolution} cells, and of a band of 2\t\t{}\t{}",
            stored(none)?,
            stored(2.0)?
        );
    }
    Ok(())
}
