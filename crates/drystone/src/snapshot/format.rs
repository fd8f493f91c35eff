use super::archive::{Archive, checksum};
use super::parts::Parts;
use super::{Snapshot, SnapshotError};
use crate::World;

const MAGIC: [u8; 8] = *b"drystone";
/// Format name in a JSON snapshot.
#[cfg(feature = "json")]
const FORMAT: &str = "drystone snapshot";
/// The version of both formats; only this one is read.
const VERSION: u64 = 7;

impl Snapshot {
    /// The snapshot as bytes, for a file: the same on every machine, with the format's version and a checksum. They contain only what the next step needs; groups
    /// and layers are found anew. [`World::read_snapshot`] reads them, in another process too.
    ///
    /// ```
    /// use drystone::prelude::*;
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let scene = || -> Result<World, WorldError> {
    ///     let mut world = World::builder().build()?;
    ///     world.add(Body::fixed(Shape::plane(Vec3::Y, 0.0)?))?;
    ///     world.add(Body::dynamic(Shape::cuboid(0.5, 0.5, 0.5)?).at([0.0, 2.0, 0.0]).angular_velocity([1.0, 2.0, 3.0]))?;
    ///     Ok(world)
    /// };
    /// let mut first = scene()?;
    /// for _ in 0..80 {
    ///     first.advance(0.01)?;
    /// }
    /// let bytes = first.snapshot().to_bytes();
    /// first.advance(0.01)?;
    ///
    /// let mut second = scene()?;
    /// let snapshot = second.read_snapshot(&bytes)?;
    /// second.restore(&snapshot)?;
    /// second.advance(0.01)?;
    /// assert_eq!(second.state(), first.state());
    /// # Ok(())
    /// # }
    /// ```
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = MAGIC.to_vec();
        out.extend_from_slice(&VERSION.to_le_bytes());
        out.extend_from_slice(&self.world_print.to_le_bytes());
        let mut archive = Archive::Bytes(out);
        // writing refuses nothing
        let _ = Parts::of(self).pass(&mut archive, usize::MAX);
        let Archive::Bytes(mut out) = archive else { return Vec::new() };
        let sum = checksum(&out);
        out.extend_from_slice(&sum.to_le_bytes());
        out
    }

    /// The snapshot as a JSON text with the names of the parts, to be viewed or edited; read back, it gives the same bits as [`Self::to_bytes`].
    #[cfg(feature = "json")]
    pub fn to_json(&self) -> String {
        let mut archive = Archive::Json(serde_json::Value::Null);
        let mut world = format!("{:016x}", self.world_print);
        // writing refuses nothing
        let _ = archive.part("format", &mut FORMAT.to_owned(), Archive::text);
        let _ = archive.part("version", &mut { VERSION }, Archive::number);
        let _ = archive.part("world", &mut world, Archive::text);
        let _ = Parts::of(self).pass(&mut archive, usize::MAX);
        let Archive::Json(value) = archive else { return String::new() };
        value.to_string()
    }
}

impl World {
    /// Reads a snapshot of this world, or of one with the same bodies, surfaces, joints, forces, scripts and gravity, from bytes or, with the feature `json`, from a JSON text. Everything in it
    /// is checked: damaged or forged data is refused.
    ///
    /// # Errors
    /// [`SnapshotError`]. The world is not changed in any case.
    pub fn read_snapshot(&self, bytes: &[u8]) -> Result<Snapshot, SnapshotError> {
        #[cfg(feature = "json")]
        if bytes.trim_ascii_start().first() == Some(&b'{') {
            return self.read_json(bytes);
        }
        let (magic, rest) = bytes.split_first_chunk::<8>().ok_or(SnapshotError::NotOne)?;
        if *magic != MAGIC {
            return Err(SnapshotError::NotOne);
        }
        let (version, _) = rest.split_first_chunk::<8>().ok_or(SnapshotError::Cut)?;
        check_version(u64::from_le_bytes(*version))?;
        let (body, sum) = bytes.split_last_chunk::<8>().ok_or(SnapshotError::Cut)?;
        if checksum(body) != u64::from_le_bytes(*sum) {
            return Err(SnapshotError::Damaged);
        }
        let rest = body.get(16..).ok_or(SnapshotError::Cut)?;
        let (print, rest) = rest.split_first_chunk::<8>().ok_or(SnapshotError::Cut)?;
        self.read_parts(u64::from_le_bytes(*print), Archive::Read(rest))
    }

    #[cfg(feature = "json")]
    fn read_json(&self, text: &[u8]) -> Result<Snapshot, SnapshotError> {
        let value: serde_json::Value = serde_json::from_slice(text).map_err(|_| SnapshotError::NotOne)?;
        let mut archive = Archive::ReadJson(&value, 0);
        let [mut format, mut world] = [String::new(), String::new()];
        archive.part("format", &mut format, Archive::text).map_err(|_| SnapshotError::NotOne)?;
        if format != FORMAT {
            return Err(SnapshotError::NotOne);
        }
        let mut version = 0;
        archive.part("version", &mut version, Archive::number)?;
        check_version(version)?;
        archive.part("world", &mut world, Archive::text)?;
        let print = u64::from_str_radix(&world, 16).map_err(|_| SnapshotError::Part("world"))?;
        self.read_parts(print, archive)
    }

    fn read_parts(&self, print: u64, mut archive: Archive<'_>) -> Result<Snapshot, SnapshotError> {
        let own = self.fingerprint();
        if print != own {
            return Err(SnapshotError::OtherWorld);
        }
        let mut parts = Parts::default();
        parts.pass(&mut archive, self.configuration().bodies.len())?;
        archive.finish()?;
        parts.join(self, own)
    }
}

fn check_version(found: u64) -> Result<(), SnapshotError> {
    if found == VERSION { Ok(()) } else { Err(SnapshotError::Version { found, allowed: VERSION }) }
}
