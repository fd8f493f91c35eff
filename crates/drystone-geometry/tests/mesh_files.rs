//! Mesh files as programs write them: OBJ, STL, glTF and GLB, in all the ways to describe the same box.

#![cfg(feature = "import")]

use base64::Engine;
use drystone_geometry::mesh::Topology;
use drystone_geometry::mesh::import::{read, read_glb, read_obj, read_stl};
use drystone_geometry::{MeshError, TriangleMesh};
use drystone_math::{Real, Vec3};
use std::fmt::Write;

const PLACES: &str = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1\nv 1 0 1\nv 1 1 1\nv 0 1 1\n";
const QUADS: [[i32; 4]; 6] = [[4, 3, 2, 1], [5, 6, 7, 8], [1, 2, 6, 5], [2, 3, 7, 6], [3, 4, 8, 7], [4, 1, 5, 8]];

/// Checks that a mesh is read and, once mended, is a solid of this volume.
fn solid(what: &str, read: Result<TriangleMesh, MeshError>, volume: Real) -> TriangleMesh {
    let mut mesh = read.unwrap_or_else(|e| panic!("{what}: {e}"));
    let done = mesh.mend(1e-9);
    let r = Topology::of(&mesh).report(&mesh);
    assert!(r.is_solid() && (r.volume - volume).abs() < 1e-6 * volume, "{what}: {r:?} {done:?}");
    assert_eq!(done.flipped, 0, "{what}: its triangles turn outwards as they are");
    mesh
}

#[test]
fn obj_in_all_its_ways() {
    let faces = |word: &dyn Fn(i32) -> String| {
        let mut text = String::from(PLACES);
        for q in QUADS {
            let _ = writeln!(text, "f {} {} {} {}", word(q[0]), word(q[1]), word(q[2]), word(q[3]));
        }
        text
    };
    let plain = faces(&|v| v.to_string());
    let all = [
        ("quads", plain.clone()),
        ("from the end", faces(&|v| (v - 9).to_string())),
        ("places and textures", format!("vt 0 0\n{}", faces(&|v| format!("{v}/1")))),
        ("places and normals", format!("vn 0 1 0\n{}", faces(&|v| format!("{v}//1")))),
        ("all three, normals missing", faces(&|v| format!("{v}/1/7"))),
        ("groups and materials", format!("mtllib a.mtl\no box\ng one two\nusemtl red\ns 1\n{plain}# end\n")),
        ("windows lines", plain.replace('\n', "\r\n")),
        ("lines that go on", plain.replace("f 4 3 2 1", "f 4 3 \\\n 2 1").replace("v 1 1 0", "v 1 \\\r\n1 0")),
        ("tabs and spaces", plain.replace(' ', " \t ")),
        ("no end of line", plain.trim_end().to_owned()),
        ("colours and weights", plain.replace("v 0 0 0", "v 0 0 0 1 0.5 0.5").replace("v 1 0 1", "v 1 0 1 1.0")),
    ];
    for (what, text) in &all {
        let mesh = solid(what, read_obj(text.as_bytes()), 1.0);
        assert_eq!((mesh.vertices().len(), mesh.triangles().len()), (8, 12), "{what}");
    }
    // vertices between faces, in several groups, each counted from the end of the list
    let mut text = String::new();
    for (k, q) in QUADS.iter().enumerate() {
        let _ = writeln!(text, "g side{k}");
        for v in q {
            let _ = writeln!(text, "{}", PLACES.lines().nth(*v as usize - 1).unwrap());
        }
        text.push_str("f -4 -3 -2 -1\n");
    }
    solid("sides one by one", read_obj(text.as_bytes()), 1.0);
    // a polygon with many corners
    let mut prism = String::new();
    for y in [0.0, 2.0] {
        for i in 0..12 {
            let (s, c) = (core::f64::consts::TAU * f64::from(i) / 12.0).sin_cos();
            let _ = writeln!(prism, "v {c} {y} {s}");
        }
    }
    let list = |it: &mut dyn Iterator<Item = i32>| it.map(|v| v.to_string()).collect::<Vec<_>>().join(" ");
    let _ = writeln!(prism, "f {}", list(&mut (1..=12)));
    let _ = writeln!(prism, "f {}", list(&mut (13..=24).rev()));
    for i in 0..12 {
        let j = (i + 1) % 12;
        let _ = writeln!(prism, "f {} {} {} {}", i + 1, i + 13, j + 13, j + 1);
    }
    solid("a prism", read_obj(prism.as_bytes()), 2.0 * 3.0);
    for bad in [
        "v 0 0\nf 1 1 1\n",
        "v 0 0 0\nf 1 2 3\n",
        "v 0 0 0\nf 0 0 0\n",
        "v 0 0 0\nf -1 -2 -3\n",
        "v a b c\n",
        "# only words\n",
    ] {
        assert!(read_obj(bad.as_bytes()).is_err(), "{bad}");
    }
}

fn binary_stl(header: &[u8], mesh: &TriangleMesh) -> Vec<u8> {
    let mut bytes = vec![0; 80];
    bytes[..header.len()].copy_from_slice(header);
    bytes.extend((mesh.triangles().len() as u32).to_le_bytes());
    for t in 0..mesh.triangles().len() {
        bytes.extend([0; 12]);
        bytes.extend(mesh.corners(t).iter().flat_map(Vec3::to_array).flat_map(|x| (x as f32).to_le_bytes()));
        bytes.extend([7, 7]);
    }
    bytes
}

#[test]
fn stl_binary_and_text() {
    let mesh = TriangleMesh::cuboid(Vec3::splat(0.5), 3);
    for header in [&b""[..], b"solid of a program that should know better", b"solid \n facet", b"\xff\xfe"] {
        let found = solid("binary stl", read_stl(&binary_stl(header, &mesh)), 1.0);
        assert_eq!(found.vertices().len(), mesh.vertices().len());
    }
    let text = |name: &str, upper: bool| {
        let mut text = format!("solid {name}\n");
        for t in 0..mesh.triangles().len() {
            text.push_str("  facet normal 0 0 0\n    outer loop\n");
            for p in mesh.corners(t) {
                let _ = writeln!(text, "      vertex {:e} {:.9} {}", p.x, p.y, p.z);
            }
            text.push_str("    endloop\n  endfacet\n");
        }
        let text = text + "endsolid\n";
        if upper { text.to_uppercase() } else { text }
    };
    solid("text stl", read_stl(text("a box", false).as_bytes()), 1.0);
    solid("text stl without a name", read_stl(text("", false).as_bytes()), 1.0);
    solid("text stl with windows lines", read_stl(text("b", false).replace('\n', "\r\n").as_bytes()), 1.0);
    assert!(
        read_stl(text("c", true).as_bytes()).is_ok_and(|m| m.triangles().len() == mesh.triangles().len()),
        "capitals"
    );
    let mut cut = binary_stl(b"", &mesh);
    cut.truncate(300);
    assert!(read_stl(&cut).is_err());
    assert!(read_stl(&binary_stl(b"solid", &mesh)[..1000]).is_err());
}

/// A glTF document of a box: bytes per index (zero: no indices), nodes, the URI of the buffer.
fn gltf(index_size: usize, nodes: &str, uri: impl Fn(&[u8]) -> String) -> (String, Vec<u8>) {
    let mesh = TriangleMesh::cuboid(Vec3::splat(0.5), 1);
    let float = |p: &Vec3| p.to_array().map(|x| (x as f32).to_le_bytes()).concat();
    let mut data: Vec<u8> = if index_size == 0 {
        (0..mesh.triangles().len()).flat_map(|t| mesh.corners(t)).flat_map(|p| float(&p)).collect()
    } else {
        mesh.vertices().iter().flat_map(float).collect()
    };
    let (positions, count) = (data.len(), data.len() / 12);
    let corners = mesh.triangles().len() * 3;
    for v in mesh.triangles().iter().flatten() {
        data.extend(&v.to_le_bytes()[..index_size]);
    }
    let (indices, all) = (data.len() - positions, data.len());
    let component = [0, 5121, 5123, 0, 5125][index_size];
    let (attribute, view, accessor) = if index_size == 0 {
        (String::new(), String::new(), String::new())
    } else {
        (
            r#","indices":1"#.to_owned(),
            format!(r#",{{"buffer":0,"byteOffset":{positions},"byteLength":{indices}}}"#),
            format!(r#",{{"bufferView":1,"componentType":{component},"count":{corners},"type":"SCALAR"}}"#),
        )
    };
    let uri = uri(&data);
    let text = format!(
        r#"{{"asset":{{"version":"2.0"}},"scene":0,"scenes":[{{"nodes":[0]}}],"nodes":[{nodes}],
        "meshes":[{{"primitives":[{{"attributes":{{"POSITION":0}}{attribute}}}]}}],
        "buffers":[{{"byteLength":{all}{uri}}}],"bufferViews":[{{"buffer":0,"byteLength":{positions}}}{view}],
        "accessors":[{{"bufferView":0,"componentType":5126,"count":{count},"type":"VEC3","min":[-0.5,-0.5,-0.5],"max":[0.5,0.5,0.5]}}{accessor}]}}"#
    );
    (text, data)
}

fn embedded(data: &[u8]) -> String {
    let data = base64::engine::general_purpose::STANDARD.encode(data);
    format!(r#","uri":"data:application/octet-stream;base64,{data}""#)
}

fn glb(text: &str, data: &[u8]) -> Vec<u8> {
    let (mut text, mut data) = (text.to_owned(), data.to_vec());
    text.push_str(&" ".repeat(text.len().next_multiple_of(4) - text.len()));
    data.resize(data.len().next_multiple_of(4), 0);
    let mut bytes = b"glTF\x02\0\0\0".to_vec();
    bytes.extend((28 + text.len() as u32 + data.len() as u32).to_le_bytes());
    bytes.extend((text.len() as u32).to_le_bytes());
    bytes.extend(b"JSON");
    bytes.extend(text.bytes());
    bytes.extend((data.len() as u32).to_le_bytes());
    bytes.extend(b"BIN\0");
    bytes.extend(data);
    bytes
}

#[test]
fn gltf_with_every_kind_of_index_in_text_and_binary() {
    for size in [0, 1, 2, 4] {
        let (text, _) = gltf(size, r#"{"mesh":0}"#, embedded);
        solid(&format!("text, indices of {size} bytes"), read_glb(text.as_bytes()), 1.0);
        let (text, data) = gltf(size, r#"{"mesh":0}"#, |_| String::new());
        solid(&format!("binary, indices of {size} bytes"), read_glb(&glb(&text, &data)), 1.0);
    }
    // the buffer in a file beside the document
    let folder = std::env::temp_dir().join(format!("drystone-gltf-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let (text, data) = gltf(2, r#"{"mesh":0}"#, |_| r#","uri":"box.bin""#.to_owned());
    std::fs::write(folder.join("box.gltf"), &text).unwrap();
    assert!(read(&folder.join("box.gltf")).is_err_and(|e| e.to_string().contains("box.bin")), "the file is missing");
    std::fs::write(folder.join("box.bin"), data).unwrap();
    solid("a buffer beside it", read(&folder.join("box.gltf")), 1.0);
    assert!(read(&folder.join("box.ply")).is_err());
    std::fs::remove_dir_all(&folder).unwrap();
    assert!(read_glb(text.as_bytes()).is_err(), "no folder to look in");
}

/// A file from elsewhere may name any path of the machine: what lies outside its folder, and what has no end, is not read.
#[test]
fn gltf_buffers_lie_below_their_file_and_are_read_up_to_their_length() {
    let root = std::env::temp_dir().join(format!("drystone-gltf-below-{}", std::process::id()));
    let folder = root.join("model");
    std::fs::create_dir_all(folder.join("parts")).unwrap();
    let document = |uri: &str| {
        let (text, data) = gltf(2, r#"{"mesh":0}"#, |_| format!(r#","uri":"{uri}""#));
        std::fs::write(folder.join("box.gltf"), text).unwrap();
        data
    };
    // the control: below the folder, however it is spelled, and longer than it is said to be
    let data = document("");
    std::fs::write(folder.join("parts/box.bin"), [data.clone(), vec![7; 1000]].concat()).unwrap();
    for uri in ["parts/box.bin", "./parts/./box.bin"] {
        document(uri);
        solid(uri, read(&folder.join("box.gltf")), 1.0);
    }
    std::fs::write(root.join("secret.bin"), &data).unwrap();
    let absolute = root.join("secret.bin").display().to_string();
    let mut outside = vec!["../secret.bin", "parts/../../secret.bin", absolute.as_str(), "/dev/zero"];
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(root.join("secret.bin"), folder.join("link.bin")).unwrap();
        std::os::unix::fs::symlink("/dev/zero", folder.join("zero.bin")).unwrap();
        outside.extend(["link.bin", "zero.bin"]);
    }
    for uri in outside {
        document(uri);
        let said = read(&folder.join("box.gltf")).unwrap_err().to_string();
        assert!(said.contains(uri) && said.contains("outside the folder"), "{said}");
    }
    document("parts");
    let said = read(&folder.join("box.gltf")).unwrap_err().to_string();
    assert!(said.contains("not a regular file"), "{said}");
    #[cfg(unix)]
    assert!(read(std::path::Path::new("/dev/zero")).is_err(), "a device has no end");
    std::fs::remove_dir_all(&root).unwrap();
}

#[test]
fn gltf_nodes_place_their_meshes() {
    let turn =
        r#"{"mesh":0,"rotation":[0,0,0.7071067811865476,0.7071067811865476],"scale":[2,1,1],"translation":[10,0,0]}"#;
    let (text, _) = gltf(2, turn, embedded);
    let mesh = solid("turned", read_glb(text.as_bytes()), 2.0);
    let b = mesh.bounds();
    assert!(
        (b.min - Vec3::new(9.5, -1.0, -0.5)).length() < 1e-6 && (b.max - Vec3::new(10.5, 1.0, 0.5)).length() < 1e-6
    );
    // a mirrored node reverses its triangles, so that they still face outwards
    for scale in ["[-1,1,1]", "[-2,-1,-1]", "[1,-1,-1]"] {
        let volume = if scale == "[-2,-1,-1]" { 2.0 } else { 1.0 };
        let (text, _) = gltf(1, &format!(r#"{{"mesh":0,"scale":{scale}}}"#), embedded);
        solid(&format!("scaled by {scale}"), read_glb(text.as_bytes()), volume);
    }
    // a matrix (column by column), and a child in its frame
    let nodes = r#"{"children":[1],"matrix":[2,0,0,0, 0,2,0,0, 0,0,2,0, 1,2,3,1]},{"mesh":0,"translation":[1,0,0],"children":[2]},{"mesh":0,"translation":[1.5,0,0]}"#;
    let (text, _) = gltf(4, nodes, embedded);
    let mesh = solid("two boxes in a frame", read_glb(text.as_bytes()), 16.0);
    assert!((mesh.bounds().min - Vec3::new(2.0, 1.0, 2.0)).length() < 1e-6 && (mesh.bounds().max.x - 7.0).abs() < 1e-6);
    for (what, nodes) in [
        ("itself", r#"{"mesh":0,"children":[0]}"#),
        ("nothing", r#"{"mesh":3}"#),
        ("no such node", r#"{"children":[9]}"#),
    ] {
        assert!(read_glb(gltf(1, nodes, embedded).0.as_bytes()).is_err(), "{what}");
    }
}
