//! What a mesh file holds: `mesh_report FILE [resolution]`. For the cow of the thesis see Table 6.5 there.

use drystone_geometry::mesh::{Pseudonormals, SampleRules, SphereTree, Topology, import, sample_points};
use std::path::Path;
use std::process::ExitCode;

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let Some(file) = arguments.next() else {
        eprintln!("usage: mesh_report FILE [resolution]");
        return ExitCode::from(2);
    };
    let resolution: f64 = arguments.next().and_then(|a| a.parse().ok()).unwrap_or(128.0);
    let mut mesh = match import::read(Path::new(&file)) {
        Ok(mesh) => mesh,
        Err(e) => {
            eprintln!("{file}: {e}");
            return ExitCode::from(2);
        }
    };
    let mended = mesh.mend(1e-9 * mesh.size());
    println!("mended: {mended:?}");
    let topology = Topology::of(&mesh);
    println!("{:#?}", topology.report(&mesh));
    let faults = topology.faults(&mesh);
    for fault in faults.iter().take(20) {
        println!("{fault}");
    }
    if faults.len() > 20 {
        println!("and {} more", faults.len() - 20);
    }

    // thesis 6.2.1, for a map of that resolution
    let normals = Pseudonormals::of(&mesh, &topology);
    let rules = SampleRules::for_cells(mesh.size() / resolution, 0.0);
    let only_edges = SampleRules { face_area: f64::INFINITY, ..rules };
    let all_faces = SampleRules { face_area: 0.0, ..rules };
    for (name, rules) in [
        ("vertices", SampleRules::VERTICES),
        ("vertices, edges", only_edges),
        ("vertices, edges, large faces", rules),
        ("vertices, edges, all faces", all_faces),
    ] {
        let points = sample_points(&mesh, &topology, &normals, &rules);
        let count = points.len();
        let tree = SphereTree::of(points);
        println!("{name:<30} {count:>7} points {:>7} nodes", tree.node_count());
    }
    ExitCode::SUCCESS
}
