use super::declare::{Key, Kind, Table};
use super::{Cursor, Reading};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;

static SNAPSHOT: Key<String> = Key::required("snapshot", Kind::Text, "", "the snapshot's bytes in base64");

/// `[resume]`.
pub(crate) static RESUME: Table = Table {
    name: "resume",
    doc: "Where a saved world goes on: the snapshot of its last step. Without this section the scene starts at rest of memory, from the poses and velocities of its bodies.",
    keys: &[&SNAPSHOT],
    one: false,
    example: "",
};

/// Reads `[resume]`: the snapshot's bytes.
pub(crate) fn read_resume(at: &Cursor<'_>, r: &mut Reading) -> Option<Vec<u8>> {
    let f = at.fields(&RESUME, r)?;
    let text = f.read(&SNAPSHOT, r);
    let bytes = STANDARD.decode(text?).ok();
    if bytes.is_none() {
        r.wrong(&f.named(SNAPSHOT.name)?, "bytes in base64");
    }
    f.finish(r);
    bytes
}
