use crate::{ModuleChoice, ModuleKind, Modules};
use core::fmt;

/// Settings that were chosen for a module and that nothing looks at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ineffective {
    /// The module that they are for.
    pub kind: ModuleKind,
    /// Their keys, as scene files have them.
    pub keys: Vec<String>,
    /// The module that would have to look at them: time control, or the constraint solver.
    pub reader: ModuleKind,
    /// Its name.
    pub name: &'static str,
}

impl fmt::Display for Ineffective {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let paths: Vec<String> =
            self.keys.iter().map(|key| format!("simulation.{}.{key}", self.kind.table())).collect();
        let (have, them) = if paths.len() == 1 { ("has", "it") } else { ("have", "them") };
        let (reader, name) = (self.reader.table().replace('_', " "), self.name);
        write!(f, "{} {have} no effect: {reader} '{name}' does not read {them}", paths.join(", "))
    }
}

impl Modules {
    /// What of some choices, from which these modules were assembled, has no effect on any world: settings that neither time control nor the constraint
    /// solver looks at, as they say themselves ([`drystone_core::ConstraintSolver::unread`]).
    pub fn ineffective(&self, choices: &[ModuleChoice]) -> Vec<Ineffective> {
        let readers = [
            (ModuleKind::TimeControl, self.time_control.name(), self.time_control.unread()),
            (
                ModuleKind::ConstraintSolver,
                self.stages.constraint_solver.name(),
                self.stages.constraint_solver.unread(),
            ),
        ];
        let mut found: Vec<Ineffective> = Vec::new();
        for choice in choices {
            let kind = choice.kind;
            let named = choice.name.as_ref().map(|_| kind.name_key());
            for key in named.into_iter().chain(choice.settings.iter().map(|(key, _)| key.as_str())) {
                let reader = readers.iter().find(|(.., unread)| unread.iter().any(|u| u.covers(kind, key)));
                let Some(&(reader, name, _)) = reader else { continue };
                match found.iter_mut().find(|i| i.kind == kind && i.reader == reader) {
                    Some(known) if known.keys.iter().any(|k| k == key) => {}
                    Some(known) => known.keys.push(key.to_owned()),
                    None => found.push(Ineffective { kind, keys: vec![key.to_owned()], reader, name }),
                }
            }
        }
        found
    }
}
