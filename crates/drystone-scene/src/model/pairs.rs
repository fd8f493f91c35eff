use super::mesh_shape::read_part;
use super::{Cursor, Reading};
use crate::Document;
use crate::fault::{Location, SceneFaults};
use drystone_geometry::Shape;
use drystone_math::Pose;

/// Two placed shapes: what `drystone query` asks about.
#[derive(Debug, Clone, PartialEq)]
pub struct ShapePair {
    /// The shapes, in their own frames.
    pub shapes: [Shape; 2],
    /// Where they are.
    pub poses: [Pose; 2],
    /// Where the pair stands in the file.
    pub location: Location,
}

impl ShapePair {
    /// Reads `{"pairs": [{"a": {"shape": ..., "position": ..., "orientation": ...}, "b": ...}]}`, shapes as in scenes.
    ///
    /// # Errors
    /// Every fault of the document.
    pub fn read_all(document: &Document) -> Result<Vec<Self>, SceneFaults> {
        let mut r = Reading::new(document);
        let mut pairs = Vec::new();
        if let Some(mut f) = Cursor::root(&document.root).fields(&mut r) {
            let list = f.require("pairs", "a list of pairs of placed shapes", &mut r);
            for c in list.and_then(|c| c.items(&mut r)).unwrap_or_default() {
                pairs.extend(read_pair(&c, &mut r));
            }
            f.finish(&mut r);
        }
        r.faults.into_result(Some(pairs))
    }
}

fn read_pair(c: &Cursor<'_>, r: &mut Reading) -> Option<ShapePair> {
    let mut f = c.fields(r)?;
    let a = f.require("a", "a placed shape", r).and_then(|c| read_part(&c, r));
    let b = f.require("b", "a placed shape", r).and_then(|c| read_part(&c, r));
    f.finish(r);
    let ((a, pose_a), (b, pose_b)) = (a?, b?);
    Some(ShapePair { shapes: [a, b], poses: [pose_a, pose_b], location: r.location(c) })
}
