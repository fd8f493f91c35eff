use super::declare::{InContext, Key, Kind, Table};
use super::{BodyEntry, BodyNames, Cursor, Reading};
use crate::fault::FaultKind;
use core::ops::Range;

/// Most pairs that a scene keeps from meeting by name.
const MOST_PAIRS: usize = 1_000_000;

static BETWEEN: Key<InContext> = Key {
    name: "between",
    kind: Kind::List(&Kind::Name("a body"), 2, Some(2)),
    unit: "",
    doc: "the two bodies; the name of a repeated body stands for all its copies",
    default: None,
};

/// An entry of `[[ignore_pairs]]`.
static IGNORE_PAIR: Table = Table {
    name: "ignore_pair",
    doc: "Two bodies that do not collide with each other.",
    keys: &[&BETWEEN],
    one: false,
    example: r#"[[ignore_pairs]]
between = ["ball", "hand"]"#,
};

/// `[[ignore_pairs]]`.
pub(crate) static IGNORE_PAIRS: Key<InContext> = Key::section(
    "ignore_pairs",
    Kind::List(&Kind::Table(&IGNORE_PAIR), 0, None),
    "pairs of bodies that do not collide",
);

/// Columns of bodies each of which does not meet each of others.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IgnoreEntry {
    /// On one side, and on the other.
    pub between: [Range<usize>; 2],
}

impl IgnoreEntry {
    /// The pairs, by column, the lower one first.
    pub fn pairs(&self) -> impl Iterator<Item = [usize; 2]> + '_ {
        let [a, b] = &self.between;
        let all = a.clone().flat_map(move |i| b.clone().map(move |j| [i.min(j), i.max(j)]));
        all.filter(|[i, j]| i != j)
    }
}

/// Reads `[[ignore_pairs]]`.
pub(crate) fn read_ignore_pairs(at: Option<&Cursor<'_>>, bodies: &[BodyEntry], r: &mut Reading) -> Vec<IgnoreEntry> {
    let names = BodyNames::new(bodies);
    let mut entries = Vec::new();
    let mut count: usize = 0;
    for c in at.and_then(|c| c.items(r)).unwrap_or_default() {
        let Some(f) = c.fields(&IGNORE_PAIR, r) else { continue };
        let pair = f.find(&BETWEEN, r).and_then(|c| read_sides(&c, &names, r));
        f.finish(r);
        let Some(between) = pair else { continue };
        count = count.saturating_add(between[0].len().saturating_mul(between[1].len()));
        if count > MOST_PAIRS {
            let found = format!("{count} pairs");
            r.fault(&c, FaultKind::Value { found, allowed: format!("at most {MOST_PAIRS} in a scene") });
            break;
        }
        entries.push(IgnoreEntry { between });
    }
    entries
}

fn read_sides(c: &Cursor<'_>, names: &BodyNames<'_>, r: &mut Reading) -> Option<[Range<usize>; 2]> {
    let items = c.items(r)?;
    let [a, b] = items.as_slice() else {
        r.wrong(c, "a list of two names of bodies");
        return None;
    };
    let (a, b) = (names.resolve_all(a, r), names.resolve_all(b, r));
    let (a, b) = (a?, b?);
    if a == b && a.len() == 1 {
        let found = "one body twice".to_owned();
        r.fault(c, FaultKind::Value { found, allowed: "two different bodies".to_owned() });
        return None;
    }
    Some([a, b])
}
