//! OBJ, STL and glTF/GLB files as triangle meshes.

mod gltf_file;
mod text_fault;

use super::{MeshError, TriangleMesh};
use drystone_math::{Real, Vec3};
use std::fs::File;
use std::io::{Error, ErrorKind, Read};
use std::path::Path;

/// Opens a regular file. Reading from a device or a pipe may never end.
fn open(path: &Path) -> std::io::Result<File> {
    // asked by name first: opening a pipe waits for somebody who writes to it
    if std::fs::metadata(path)?.is_file() {
        File::open(path)
    } else {
        Err(Error::new(ErrorKind::InvalidInput, "not a regular file"))
    }
}

fn at(p: [f32; 3]) -> Vec3 {
    Vec3::new(Real::from(p[0]), Real::from(p[1]), Real::from(p[2]))
}

/// Reads a mesh file by its extension: `obj`, `stl`, `gltf` or `glb`. All objects of the file make one mesh, unmended:
/// see [`TriangleMesh::mend`].
///
/// The buffers of a glTF file must lie in its folder or below; each is read up to its `byteLength`.
///
/// # Errors
/// [`MeshError`], with the reader's message if the file cannot be read, or is not a regular file.
pub fn read(path: &Path) -> Result<TriangleMesh, MeshError> {
    let mut bytes = Vec::new();
    open(path).and_then(|mut file| file.read_to_end(&mut bytes)).map_err(|e| MeshError::File(e.to_string()))?;
    let kind = path.extension().and_then(|e| e.to_str()).unwrap_or("").to_ascii_lowercase();
    match kind.as_str() {
        "obj" => read_obj(&bytes),
        "stl" => read_stl(&bytes),
        "gltf" | "glb" => gltf_file::read(&bytes, path.parent()),
        other => Err(MeshError::File(format!("a mesh file of kind '{other}'; known are obj, stl, gltf and glb"))),
    }
}

/// Wavefront OBJ; polygons are cut into triangles, texture coordinates and normals are ignored.
///
/// # Errors
/// [`MeshError`]; a malformed line is reported with its number and the offending word.
pub fn read_obj(bytes: &[u8]) -> Result<TriangleMesh, MeshError> {
    obj_mesh(bytes).map_err(|refused| text_fault::of_obj(bytes, refused))
}

fn obj_mesh(bytes: &[u8]) -> Result<TriangleMesh, MeshError> {
    let options =
        tobj::LoadOptions { triangulate: true, ignore_points: true, ignore_lines: true, ..Default::default() };
    let text = positions_only(bytes);
    let (models, _) = tobj::load_obj_buf(&mut std::io::Cursor::new(text), &options, |_| Ok(Default::default()))
        .map_err(|e| MeshError::File(e.to_string()))?;
    let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
    for m in models {
        let base = vertices.len() as u32;
        vertices.extend(m.mesh.positions.chunks_exact(3).map(|p| at([p[0], p[1], p[2]])));
        triangles.extend(m.mesh.indices.chunks_exact(3).map(|t| [t[0], t[1], t[2]].map(|v| base.saturating_add(v))));
    }
    TriangleMesh::new(vertices, triangles)
}

/// The vertices and faces of an OBJ file, with only the positions of the faces' corners: the reader panics at a face of
/// which only some corners have normals or texture coordinates, and these are of no use here.
fn positions_only(bytes: &[u8]) -> Vec<u8> {
    let mut text = Vec::with_capacity(bytes.len());
    // a line may go on after a backslash
    let mut lines = bytes.split(|b| *b == b'\n');
    while let Some(line) = lines.next() {
        let mut words = Vec::new();
        let mut line = line;
        loop {
            let whole = line.strip_suffix(b"\r").unwrap_or(line);
            let (part, goes_on) = whole.strip_suffix(b"\\").map_or((whole, false), |part| (part, true));
            words.extend(part.split(u8::is_ascii_whitespace).filter(|w| !w.is_empty()));
            match goes_on.then(|| lines.next()).flatten() {
                Some(next) => line = next,
                None => break,
            }
        }
        let (kind, rest) = match words.split_first() {
            Some((&kind, rest)) if kind == b"v" || kind == b"f" => (kind, rest),
            _ => continue,
        };
        text.extend_from_slice(kind);
        // after its position a vertex may have a weight or a colour
        let count = if kind == b"v" { 3 } else { rest.len() };
        for word in rest.iter().take(count) {
            let end =
                if kind == b"f" { word.iter().position(|b| *b == b'/').unwrap_or(word.len()) } else { word.len() };
            text.push(b' ');
            text.extend_from_slice(&word[..end]);
        }
        text.push(b'\n');
    }
    text
}

/// Bytes of a triangle in a binary STL file.
const STL_TRIANGLE: usize = 50;

/// The triangles of a binary STL file, recognised by its length: many such files begin with "solid" as text files do.
fn binary_stl(bytes: &[u8]) -> Option<&[u8]> {
    let count = bytes.get(80..84)?;
    let count = u32::from_le_bytes([count[0], count[1], count[2], count[3]]) as usize;
    let triangles = &bytes[84..];
    (triangles.len() == count.checked_mul(STL_TRIANGLE)?).then_some(triangles)
}

/// STL, binary or text.
///
/// # Errors
/// [`MeshError`]; a malformed line of text is reported with its number and the offending word.
pub fn read_stl(bytes: &[u8]) -> Result<TriangleMesh, MeshError> {
    if let Some(triangles) = binary_stl(bytes) {
        let vertices = triangles.chunks_exact(STL_TRIANGLE).flat_map(|t| {
            let float = |k: usize| f32::from_le_bytes([t[k], t[k + 1], t[k + 2], t[k + 3]]);
            // after the normal, three corners of three numbers
            [12, 24, 36].map(|k| at([float(k), float(k + 4), float(k + 8)]))
        });
        let count = (triangles.len() / STL_TRIANGLE) as u32;
        let triangles = (0..count).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect();
        let mut mesh = TriangleMesh::new(vertices.collect(), triangles)?;
        // as the text reader does: corners at the same place are one vertex
        mesh.weld(0.0);
        mesh.drop_unused();
        return Ok(mesh);
    }
    // the text reader knows only lower case
    let is_text = bytes.get(..5).is_some_and(|b| b.eq_ignore_ascii_case(b"solid"));
    let text = if is_text { bytes.to_ascii_lowercase() } else { Vec::new() };
    let read = stl_mesh(if is_text { &text } else { bytes });
    if is_text { read.map_err(|refused| text_fault::of_stl(bytes, refused)) } else { read }
}

fn stl_mesh(bytes: &[u8]) -> Result<TriangleMesh, MeshError> {
    let stl = stl_io::read_stl(&mut std::io::Cursor::new(bytes)).map_err(|e| MeshError::File(e.to_string()))?;
    let vertices = stl.vertices.iter().map(|v| at(v.0)).collect();
    let triangles = stl.faces.iter().map(|f| f.vertices.map(|v| v as u32)).collect();
    TriangleMesh::new(vertices, triangles)
}

/// Binary glTF, or text with embedded buffers.
///
/// # Errors
/// [`MeshError`].
pub fn read_glb(bytes: &[u8]) -> Result<TriangleMesh, MeshError> {
    gltf_file::read(bytes, None)
}

#[cfg(test)]
mod tests {
    use super::*;

    const CUBE: &str = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1\nv 1 0 1\nv 1 1 1\nv 0 1 1\n\
        f 4 3 2 1\nf 5 6 7 8\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\n";

    #[test]
    fn obj_polygons_become_triangles() {
        let mut m = read_obj(CUBE.as_bytes()).unwrap();
        m.mend(0.0);
        assert_eq!((m.vertices().len(), m.triangles().len()), (8, 12));
        assert!((m.mass_properties(1.0).mass - 1.0).abs() < 1e-12);
    }

    #[test]
    fn stl_is_read_back() {
        let m = read_obj(CUBE.as_bytes()).unwrap();
        let faces = (0..m.triangles().len()).map(|t| stl_io::Triangle {
            normal: stl_io::Normal::new([0.0; 3]),
            vertices: m.corners(t).map(|p| stl_io::Vertex::new(p.to_array().map(|x| x as f32))),
        });
        let mut bytes = Vec::new();
        stl_io::write_stl(&mut bytes, faces.collect::<Vec<_>>().iter()).unwrap();
        let mut back = read_stl(&bytes).unwrap();
        back.mend(0.0);
        assert_eq!(back.vertices().len(), 8);
        assert!((back.mass_properties(1.0).mass - 1.0).abs() < 1e-12);
    }

    #[test]
    fn rubbish_is_an_error() {
        for bytes in
            [&b""[..], b"rubbish", b"f 1 2 3", b"v 0 0 0\nf 1 1 9\n", b"v nan nan nan\nf 1 1 1", b"solid x\nfacet"]
        {
            assert!(read_obj(bytes).is_err());
            assert!(read_stl(bytes).is_err());
            assert!(read_glb(bytes).is_err());
        }
    }

    #[test]
    fn a_fault_of_text_names_its_line_and_word() {
        let obj = |text: &str| read_obj(text.as_bytes()).unwrap_err().to_string();
        assert!(obj("# x\nv 0 0 0\nv 0 zero 0\nf 1 2 1\n").contains("line 3: 'zero'"));
        assert!(obj("v 0 0 0\nv 1 0\n").contains("line 2: a vertex of 2 numbers"));
        assert!(obj("v 0 0 0\nv 1 0 0\nv 0 1 0\n\nf 1 2 9\n").contains("line 5: a face names vertex 9"));
        assert!(obj("v 0 0 0\nv 1 0 0\nv 0 inf 0\nf 1 2 3\n").contains("line 3: 'inf'"));
        let stl = |text: &str| read_stl(text.as_bytes()).unwrap_err().to_string();
        let facet = "solid s\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 x7\nvertex 0 1 0\nendloop\nendfacet\nendsolid s\n";
        assert!(stl(facet).contains("line 5: 'x7'"), "{}", stl(facet));
        assert!(stl(&facet.replace("x7", "0").replace("outer", "inner")).contains("line 3: 'inner'"));
        assert!(stl("solid s\nfacet normal 0 0 1\nouter loop\n").contains("line 3"));
        assert!(read_stl(facet.replace("x7", "0").as_bytes()).is_ok());
    }

    #[test]
    fn a_gltf_with_its_buffer_inside() {
        use base64::Engine;
        let corners = [[0.0_f32, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 2.0, 0.0]];
        let bytes: Vec<u8> = corners.iter().flatten().flat_map(|c| c.to_le_bytes()).collect();
        let data = base64::engine::general_purpose::STANDARD.encode(bytes);
        let file = |length: usize| {
            format!(
                r#"{{"asset":{{"version":"2.0"}},"scene":0,"scenes":[{{"nodes":[0]}}],"nodes":[{{"mesh":0}}],
                "meshes":[{{"primitives":[{{"attributes":{{"POSITION":0}}}}]}}],
                "buffers":[{{"byteLength":{length},"uri":"data:application/octet-stream;base64,{data}"}}],
                "bufferViews":[{{"buffer":0,"byteLength":36}}],
                "accessors":[{{"bufferView":0,"componentType":5126,"count":3,"type":"VEC3","min":[0,0,0],"max":[1,2,0]}}]}}"#
            )
        };
        let m = read_glb(file(36).as_bytes()).unwrap();
        assert_eq!((m.vertices().len(), m.triangles()), (3, &[[0, 1, 2]][..]));
        assert_eq!(m.vertices()[2], Vec3::new(0.0, 2.0, 0.0));
        assert!(read_glb(file(48).as_bytes()).is_err(), "a buffer shorter than it says");
    }
}
