use std::fmt::Write;
use std::path::Path;

/// Writes the meshes of the scenes: the thesis' box of 152 vertices as a unit cube and as a plank, and a ball of radius one.
pub(super) fn write(folder: &Path) -> Result<(), String> {
    for (name, text) in
        [("cube.obj", cube(5, [1.0; 3])), ("plank.obj", cube(5, [6.0, 0.2, 1.0])), ("ball.obj", ball(3))]
    {
        let file = folder.join(name);
        std::fs::write(&file, text).map_err(|e| format!("{}: {e}", file.display()))?;
    }
    Ok(())
}

/// A box of those edges (m) with that many pieces along each; the reader welds the faces.
fn cube(parts: usize, edges: [f64; 3]) -> String {
    let mut text = String::new();
    for axis in 0..3 {
        for side in [0.5, -0.5] {
            for (i, j) in (0..=parts).flat_map(|i| (0..=parts).map(move |j| (i, j))) {
                let mut p = [side; 3];
                p[(axis + 1) % 3] = i as f64 / parts as f64 - 0.5;
                p[(axis + 2) % 3] = j as f64 / parts as f64 - 0.5;
                let _ = writeln!(text, "v {} {} {}", p[0] * edges[0], p[1] * edges[1], p[2] * edges[2]);
            }
        }
    }
    let row = parts + 1;
    for face in 0..6 {
        for (i, j) in (0..parts).flat_map(|i| (0..parts).map(move |j| (i, j))) {
            let v = |i: usize, j: usize| 1 + face * row * row + i * row + j;
            let mut quad = [v(i, j), v(i + 1, j), v(i + 1, j + 1), v(i, j + 1)];
            if face % 2 == 1 {
                quad.reverse();
            }
            let _ = writeln!(text, "f {} {} {} {}", quad[0], quad[1], quad[2], quad[3]);
        }
    }
    text
}

/// An icosahedron, each of its faces cut into four that many times, on the unit sphere.
fn ball(times: usize) -> String {
    let golden = f64::midpoint(1.0, 5.0_f64.sqrt());
    let mut points: Vec<[f64; 3]> = Vec::new();
    for (a, b) in [(-1.0, golden), (1.0, golden), (-1.0, -golden), (1.0, -golden)] {
        points.extend([[a, b, 0.0], [0.0, a, b], [b, 0.0, a]]);
    }
    // faces: triples of corners at the distance of an edge, turned outwards
    let squared = |p: [f64; 3], q: [f64; 3]| (0..3).map(|k| (p[k] - q[k]).powi(2)).sum::<f64>();
    let near = |i: usize, j: usize| squared(points[i], points[j]) < 4.5;
    let mut faces: Vec<[[f64; 3]; 3]> = Vec::new();
    for i in 0..12 {
        for j in i + 1..12 {
            for k in j + 1..12 {
                if near(i, j) && near(j, k) && near(i, k) {
                    faces.push(outward([points[i], points[j], points[k]]));
                }
            }
        }
    }
    for _ in 0..times {
        faces = faces
            .iter()
            .flat_map(|&[a, b, c]| {
                let middle = |p: [f64; 3], q: [f64; 3]| core::array::from_fn(|k| f64::midpoint(p[k], q[k]));
                let (ab, bc, ca): ([f64; 3], [f64; 3], [f64; 3]) = (middle(a, b), middle(b, c), middle(c, a));
                [[a, ab, ca], [ab, b, bc], [ca, bc, c], [ab, bc, ca]]
            })
            .collect();
    }
    let mut text = String::new();
    for p in faces.iter().flatten() {
        let length = squared(*p, [0.0; 3]).sqrt();
        let _ = writeln!(text, "v {:.12} {:.12} {:.12}", p[0] / length, p[1] / length, p[2] / length);
    }
    for f in 0..faces.len() {
        let _ = writeln!(text, "f {} {} {}", 3 * f + 1, 3 * f + 2, 3 * f + 3);
    }
    text
}

/// The triangle turned so that its normal leads away from the origin.
fn outward([a, b, c]: [[f64; 3]; 3]) -> [[f64; 3]; 3] {
    let (u, v): ([f64; 3], [f64; 3]) = (core::array::from_fn(|k| b[k] - a[k]), core::array::from_fn(|k| c[k] - a[k]));
    let n = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]];
    if n[0] * a[0] + n[1] * a[1] + n[2] * a[2] < 0.0 { [a, c, b] } else { [a, b, c] }
}
