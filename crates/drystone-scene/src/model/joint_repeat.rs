//! Copies of a joint: each joins the next copies of its bodies.

use super::declare::{Key, Kind, Range, Readable, Table};
use super::joint_entry::JointEntry;
use super::{BodyEntry, Cursor, Reading};
use crate::document::quote;
use crate::fault::FaultKind;
use drystone_math::{Real, Vec3};

/// Most copies of one joint.
const MOST_COPIES: i64 = 1_000_000;

pub(super) static REPEAT: Key<Option<Repeat>> =
    Key::optional("repeat", Kind::Table(&REPEAT_TABLE), "", "copies, each joining the next copies of its bodies");
const COPIES: Kind = Kind::Integer { least: 1, most: MOST_COPIES };
static COUNT: Key<i64> = Key::required("count", COPIES, "", "number of copies");
static STEP: Key<Vec3> =
    Key::required("step", Kind::Vector(3, Range::Any), "m", "offset of the anchors from one copy to the next");
static REPEAT_TABLE: Table =
    Table { name: "joint_repeat", doc: "Copies of a joint.", keys: &[&COUNT, &STEP], one: false, example: "" };

/// Repetition of a joint: each copy joins the next copies of its bodies.
#[derive(Debug, Clone, Copy)]
pub(super) struct Repeat {
    count: usize,
    /// Offset of the anchors from one copy to the next (m).
    step: Vec3,
}

impl Readable for Repeat {
    fn read(_: &Kind, c: &Cursor<'_>, r: &mut Reading) -> Option<Self> {
        let f = c.fields(&REPEAT_TABLE, r)?;
        let (count, step) = (f.read(&COUNT, r), f.read(&STEP, r));
        f.finish(r);
        Some(Self { count: count? as usize, step: step? })
    }
}

/// The copies `name[0]`, `name[1]` ... of a joint; bodies that are not repeated stay the same.
pub(super) fn push_copies(
    joint: &JointEntry,
    repeat: &Repeat,
    bodies: &[BodyEntry],
    joints: &mut Vec<JointEntry>,
    r: &mut Reading,
    at: &Cursor<'_>,
) {
    for k in 0..repeat.count {
        let mut copy = joint.clone();
        if !joint.name.is_empty() {
            copy.name = format!("{}[{k}]", joint.name);
        }
        for (column, pose) in copy.bodies.iter_mut().zip(&mut copy.poses) {
            let Some(c) = column else { continue };
            let entry = &bodies[bodies.partition_point(|b| b.first <= *c) - 1];
            if entry.repeat.is_none() {
                continue;
            }
            *c += k;
            if *c >= entry.first + entry.copies {
                let found = format!("{} joints with {}", repeat.count, quote(&entry.name));
                r.fault(
                    at,
                    FaultKind::Value { found, allowed: format!("as many as {} has copies", entry.display_name()) },
                );
                return;
            }
            *pose = entry.center_pose(*c - entry.first);
        }
        let d = &mut copy.description;
        for anchor in [&mut d.anchor, &mut d.anchor2].into_iter().flatten() {
            *anchor += repeat.step * k as Real;
        }
        for point in d.pulleys.iter_mut().flatten() {
            *point += repeat.step * k as Real;
        }
        joints.push(copy);
    }
}
