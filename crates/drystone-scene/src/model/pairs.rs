use super::declare::{InContext, Key, Kind, Table};
use super::shape::{PLACED, read_part};
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
    /// Poses of both.
    pub poses: [Pose; 2],
    /// Place of the pair in the file.
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
        if let Some(f) = Cursor::root(&document.root).fields(&PAIR_FILE, &mut r) {
            let list = f.find(&PAIRS, &mut r);
            for c in list.and_then(|c| c.items(&mut r)).unwrap_or_default() {
                pairs.extend(read_pair(&c, &mut r));
            }
            f.finish(&mut r);
        }
        r.faults.into_result(Some(pairs))
    }
}

const fn placed(name: &'static str, doc: &'static str) -> Key<InContext> {
    Key { name, kind: Kind::Table(&PLACED), unit: "", doc, default: None }
}

static A: Key<InContext> = placed("a", "the first shape; normals point from it to the second");
static B: Key<InContext> = placed("b", "the second shape");
static PAIR: Table = Table { name: "shape_pair", doc: "Two placed shapes.", keys: &[&A, &B], one: false, example: "" };
static PAIRS: Key<InContext> = Key {
    name: "pairs",
    kind: Kind::List(&Kind::Table(&PAIR), 0, None),
    unit: "",
    doc: "the pairs to query",
    default: None,
};

/// A file of pairs.
pub(crate) static PAIR_FILE: Table = Table {
    name: "pair_query",
    doc: "Pairs of shapes that `drystone query` gives to narrow phases.",
    keys: &[&PAIRS],
    one: false,
    example: "",
};

fn read_pair(c: &Cursor<'_>, r: &mut Reading) -> Option<ShapePair> {
    let f = c.fields(&PAIR, r)?;
    let a = f.find(&A, r).and_then(|c| read_part(&c, r));
    let b = f.find(&B, r).and_then(|c| read_part(&c, r));
    f.finish(r);
    let ((a, pose_a), (b, pose_b)) = (a?, b?);
    Some(ShapePair { shapes: [a, b], poses: [pose_a, pose_b], location: r.location(c) })
}
