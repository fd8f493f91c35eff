//! glTF by the JSON types of the gltf crate. Offsets into buffers and indices of nodes are checked here, because that
//! crate panics.

use super::{MeshError, TriangleMesh, at};
use drystone_math::{Mat3, Quat, Real, Vec3};
use gltf::json::accessor::{ComponentType, Type};
use gltf::json::validation::Checked;
use gltf::json::{Accessor, Index, Node, Root, mesh::Mode, mesh::Semantic};
use std::io::Read;
use std::path::{Component, Path, PathBuf};

fn fault(what: impl Into<String>) -> MeshError {
    MeshError::File(what.into())
}

/// Parses a document, text or binary, and brings its buffers together; textures are ignored. Files that it refers to
/// are looked for in `folder`.
pub(super) fn read(bytes: &[u8], folder: Option<&Path>) -> Result<TriangleMesh, MeshError> {
    let (text, mut blob) = if bytes.starts_with(b"glTF") { chunks(bytes)? } else { (bytes, None) };
    let root = Root::from_slice(text).map_err(|e| fault(e.to_string()))?;
    let mut buffers = Vec::new();
    for buffer in &root.buffers {
        let data = match &buffer.uri {
            None => blob.take().ok_or_else(|| fault("the binary chunk is missing"))?.to_vec(),
            Some(uri) => read_uri(uri, folder, buffer.byte_length.0)?,
        };
        if (data.len() as u64) < buffer.byte_length.0 {
            let (found, wanted) = (data.len(), buffer.byte_length.0);
            return Err(fault(format!("a buffer of {wanted} bytes has only {found}")));
        }
        buffers.push(data);
    }
    let mut file = File { root: &root, buffers, vertices: Vec::new(), triangles: Vec::new() };
    file.visit_scenes()?;
    TriangleMesh::new(file.vertices, file.triangles)
}

/// The JSON and binary chunks of a GLB file.
fn chunks(bytes: &[u8]) -> Result<(&[u8], Option<&[u8]>), MeshError> {
    let mut rest = bytes.get(12..).ok_or_else(|| fault("a GLB file without a header"))?;
    let (mut text, mut blob) = (None, None);
    while let Some((head, tail)) = rest.split_at_checked(8) {
        let length = u32::from_le_bytes([head[0], head[1], head[2], head[3]]) as usize;
        let (data, after) =
            tail.split_at_checked(length).ok_or_else(|| fault(format!("a chunk of {length} bytes is cut off")))?;
        match &head[4..] {
            b"JSON" => text = text.or(Some(data)),
            b"BIN\0" => blob = blob.or(Some(data)),
            _ => {}
        }
        rest = after;
    }
    Ok((text.ok_or_else(|| fault("a GLB file without a JSON chunk"))?, blob))
}

/// The bytes of a buffer: from a data URI, or the first `length` of a file in or below `folder`.
fn read_uri(uri: &str, folder: Option<&Path>, length: u64) -> Result<Vec<u8>, MeshError> {
    use base64::Engine;
    if let Some(data) = uri.strip_prefix("data:") {
        let (_, encoded) = data.split_once(";base64,").ok_or_else(|| fault("a data URI that is not in base64"))?;
        return base64::engine::general_purpose::STANDARD.decode(encoded).map_err(|e| fault(e.to_string()));
    }
    let folder = folder.ok_or_else(|| fault(format!("it refers to '{uri}', a file beside it")))?;
    let path = below(folder, uri)?;
    let mut data = Vec::new();
    let read = super::open(&path).and_then(|file| file.take(length).read_to_end(&mut data));
    read.map_err(|e| fault(format!("{uri}: {e}")))?;
    Ok(data)
}

/// The file that a URI names, with symbolic links resolved; an error if it lies outside `folder`.
fn below(folder: &Path, uri: &str) -> Result<PathBuf, MeshError> {
    let outside = || fault(format!("'{uri}' lies outside the folder of the file; allowed: a file in it, or below it"));
    let is_below = |c: Component| matches!(c, Component::Normal(_) | Component::CurDir);
    if !Path::new(uri).components().all(is_below) {
        return Err(outside());
    }
    // the folder of a bare file name is empty
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let resolved = |path: &Path| path.canonicalize().map_err(|e| fault(format!("{uri}: {e}")));
    let path = resolved(&folder.join(uri))?;
    if path.starts_with(resolved(folder)?) { Ok(path) } else { Err(outside()) }
}

/// An affine map: rotation and scale, then a shift (m).
#[derive(Clone, Copy)]
struct Affine {
    linear: Mat3,
    shift: Vec3,
}

impl Affine {
    const IDENTITY: Self = Self { linear: Mat3::IDENTITY, shift: Vec3::ZERO };

    /// A node's own map.
    fn of(node: &Node) -> Self {
        let column = |m: &[f32; 16], k: usize| at([m[4 * k], m[4 * k + 1], m[4 * k + 2]]);
        if let Some(m) = &node.matrix {
            return Self { linear: Mat3::from_cols(column(m, 0), column(m, 1), column(m, 2)), shift: column(m, 3) };
        }
        let turn = node.rotation.map_or(Quat::IDENTITY, |q| Quat::from_array(q.0.map(Real::from)));
        let scale = Mat3::from_diagonal(node.scale.map_or(Vec3::ONE, at));
        Self { linear: Mat3::from_quat(turn.normalize()) * scale, shift: node.translation.map_or(Vec3::ZERO, at) }
    }

    fn point(&self, p: Vec3) -> Vec3 {
        self.linear * p + self.shift
    }

    /// This map applied after another.
    fn after(&self, inner: &Self) -> Self {
        Self { linear: self.linear * inner.linear, shift: self.point(inner.shift) }
    }
}

/// A document being read.
struct File<'a> {
    root: &'a Root,
    buffers: Vec<Vec<u8>>,
    vertices: Vec<Vec3>,
    triangles: Vec<[u32; 3]>,
}

impl File<'_> {
    /// All nodes of all scenes, each once.
    fn visit_scenes(&mut self) -> Result<(), MeshError> {
        let root = self.root;
        // the scene in which a node was met, counted from 1
        let mut met = vec![0; root.nodes.len()];
        for (s, scene) in root.scenes.iter().enumerate() {
            let mut stack: Vec<(Index<Node>, Affine)> = scene.nodes.iter().map(|n| (*n, Affine::IDENTITY)).collect();
            while let Some((index, parent)) = stack.pop() {
                let node = root.get(index).ok_or_else(|| fault(format!("there is no node {}", index.value())))?;
                match core::mem::replace(&mut met[index.value()], s + 1) {
                    0 => {}
                    before if before == s + 1 => {
                        return Err(fault(format!("node {} has two parents or is its own", index.value())));
                    }
                    _ => continue,
                }
                let world = parent.after(&Affine::of(node));
                if let Some(mesh) = node.mesh {
                    self.add_mesh(mesh.value(), &world)?;
                }
                stack.extend(node.children.iter().flatten().map(|c| (*c, world)));
            }
        }
        Ok(())
    }

    fn add_mesh(&mut self, mesh: usize, world: &Affine) -> Result<(), MeshError> {
        let root = self.root;
        let mesh = root.meshes.get(mesh).ok_or_else(|| fault(format!("there is no mesh {mesh}")))?;
        for primitive in mesh.primitives.iter().filter(|p| p.mode == Checked::Valid(Mode::Triangles)) {
            let Some(positions) = primitive.attributes.get(&Checked::Valid(Semantic::Positions)) else { continue };
            let base = self.vertices.len() as u32;
            let count = self.elements(*positions, Type::Vec3, &[ComponentType::F32], |file, data, _| {
                let float = |k: usize| f32::from_le_bytes([data[k], data[k + 1], data[k + 2], data[k + 3]]);
                file.vertices.push(world.point(at([float(0), float(4), float(8)])));
            })?;
            let mut indices = Vec::new();
            let kinds = [ComponentType::U8, ComponentType::U16, ComponentType::U32];
            match primitive.indices {
                None => indices.extend(0..count),
                Some(list) => drop(self.elements(list, Type::Scalar, &kinds, |_, data, size| {
                    indices.push(data[..size].iter().rev().fold(0, |sum, b| sum << 8 | u32::from(*b)));
                })?),
            }
            if let Some(vertex) = indices.iter().copied().find(|i| *i >= count) {
                let triangle = self.triangles.len();
                return Err(MeshError::Index { triangle, vertex, vertices: count as usize });
            }
            // the triangles of a mirrored node turn the other way
            let mirrored = world.linear.determinant() < 0.0;
            let turned = |t: &[u32]| if mirrored { [t[0], t[2], t[1]] } else { [t[0], t[1], t[2]] };
            self.triangles.extend(indices.chunks_exact(3).map(|t| turned(t).map(|v| base + v)));
        }
        Ok(())
    }

    /// Calls back with the bytes of each element of an accessor and the size of its components; returns how many there
    /// are.
    fn elements(
        &mut self,
        accessor: Index<Accessor>,
        of: Type,
        components: &[ComponentType],
        mut visit: impl FnMut(&mut Self, &[u8], usize),
    ) -> Result<u32, MeshError> {
        let name = accessor.value();
        let a = self.root.get(accessor).ok_or_else(|| fault(format!("there is no accessor {name}")))?;
        let component = match (a.type_, a.component_type) {
            (Checked::Valid(t), Checked::Valid(c)) if t == of && components.contains(&c.0) => c.0,
            _ => return Err(fault(format!("accessor {name} is not of a kind that fits its use"))),
        };
        if a.sparse.is_some() {
            return Err(fault(format!("accessor {name} is sparse, which is not read")));
        }
        let view = a.buffer_view.and_then(|v| self.root.get(v));
        let view = view.ok_or_else(|| fault(format!("accessor {name} has no buffer view")))?;
        let size = component.size() * of.multiplicity();
        let stride = view.byte_stride.map_or(size, |s| s.0).max(size);
        let start = view.byte_offset.map_or(0, |o| o.0);
        let data = || {
            let data = self.buffers.get(view.buffer.value())?;
            let end = start.checked_add(view.byte_length.0)?;
            data.get(usize::try_from(start).ok()?..usize::try_from(end).ok()?)?
                .get(usize::try_from(a.byte_offset.map_or(0, |o| o.0)).ok()?..)
        };
        let data = data().ok_or_else(|| fault(format!("accessor {name} lies outside its buffer")))?;
        // the last element need not fill its stride
        let room = if data.len() < size { 0 } else { (data.len() - size) / stride + 1 };
        if a.count.0 > room as u64 || a.count.0 > u64::from(u32::MAX) {
            return Err(fault(format!("accessor {name} has {} elements, its buffer {room}", a.count.0)));
        }
        let elements: Vec<u8> =
            data.chunks(stride).take(a.count.0 as usize).flat_map(|c| c[..size].iter().copied()).collect();
        for element in elements.chunks_exact(size) {
            visit(self, element, component.size());
        }
        Ok(a.count.0 as u32)
    }
}
