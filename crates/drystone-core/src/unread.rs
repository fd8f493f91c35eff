use crate::ModuleKind;

/// Settings that a module never reads, although they stand in the table of another module that it is given or that it drives: whoever sets them should be told
/// that they do nothing. Tables and keys are those of a scene's `[simulation]`; the key that names the implementation counts too
/// ([`ModuleKind::name_key`]).
///
/// A declaration holds for every world: a table that is read only for some joints counts as read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unread {
    /// A whole table.
    Table(ModuleKind),
    /// A whole table except these keys.
    AllBut(ModuleKind, &'static [&'static str]),
    /// These keys of a table.
    Keys(ModuleKind, &'static [&'static str]),
}

impl Unread {
    /// Returns true if a key of a table is among them.
    pub fn covers(&self, table: ModuleKind, key: &str) -> bool {
        match *self {
            Self::Table(own) => own == table,
            Self::AllBut(own, read) => own == table && !read.contains(&key),
            Self::Keys(own, keys) => own == table && keys.contains(&key),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_covered_in_its_own_table() {
        let (lcp, sleep) = (ModuleKind::Lcp, ModuleKind::SleepPolicy);
        let but = Unread::AllBut(lcp, &["warm_start"]);
        assert!(but.covers(lcp, "iterations") && !but.covers(lcp, "warm_start") && !but.covers(sleep, "iterations"));
        let keys = Unread::Keys(lcp, &["warm_start"]);
        assert!(!keys.covers(lcp, "iterations") && keys.covers(lcp, "warm_start"));
        assert!(Unread::Table(lcp).covers(lcp, "solver") && !Unread::Table(lcp).covers(sleep, "solver"));
    }
}
