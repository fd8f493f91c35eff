use crate::{ModuleChoice, ModuleKind, Modules, Registry};
use core::fmt;
use drystone_core::catalogue::Condition;
use drystone_core::{BodyProperties, Configuration};

/// Settings that were chosen for a module but that nothing reads.
#[derive(Debug, Clone, PartialEq)]
pub struct Ineffective {
    /// The module that they are for.
    pub kind: ModuleKind,
    /// Their keys, as in scene files.
    pub keys: Vec<String>,
    /// Why nothing reads them.
    pub reason: NotRead,
}

/// Why settings are not read.
#[derive(Debug, Clone, PartialEq)]
pub enum NotRead {
    /// Another setting of the module does not have the value for which they are read.
    AsSet {
        /// The condition under which they would be read.
        condition: Condition,
        /// The value of the other setting.
        found: String,
    },
    /// The module that would have to read them says that it never does ([`drystone_core::Unread`]).
    ByModule {
        /// That module: time control, or the constraint solver.
        reader: ModuleKind,
        /// Its name.
        name: &'static str,
    },
    /// There is nothing in this world that the module would be used for.
    InThisWorld {
        /// Its name.
        name: &'static str,
        /// Part without which it has no use.
        missing: &'static str,
    },
}

impl Ineffective {
    /// Their paths in a scene file: `simulation.TABLE.KEY`.
    pub fn paths(&self) -> Vec<String> {
        let table = self.kind.table();
        self.keys.iter().map(|key| format!("simulation.{table}.{key}")).collect()
    }
}

impl fmt::Display for Ineffective {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let paths = self.paths().join(", ");
        match &self.reason {
            NotRead::AsSet { condition, found } => {
                write!(f, "{paths} does nothing: it is read only if {condition}, and that is {found}")
            }
            NotRead::InThisWorld { name, missing } => {
                write!(f, "{paths} has no effect: this world has no {missing} that '{name}' would be used for")
            }
            NotRead::ByModule { reader, name } => {
                let (have, them) = if self.keys.len() == 1 { ("has", "it") } else { ("have", "them") };
                let reader = reader.table().replace('_', " ");
                write!(f, "{paths} {have} no effect: {reader} '{name}' does not read {them}")
            }
        }
    }
}

impl Modules {
    /// The settings among `choices`, from which these modules must have been assembled, that are not read because of the values of other settings: one entry for each.
    pub fn ineffective_as_set(&self, choices: &[ModuleChoice]) -> Vec<Ineffective> {
        let one = |choice: &ModuleChoice, key: &str| {
            let settings = self.settings(choice.kind);
            let condition = settings.unread(key)?;
            let found = settings.iter().find(|(p, _)| p.name == condition.key)?.1.to_string();
            let reason = NotRead::AsSet { condition, found };
            Some(Ineffective { kind: choice.kind, keys: vec![key.to_owned()], reason })
        };
        choices.iter().flat_map(|c| c.settings.iter().filter_map(move |(key, _)| one(c, key))).collect()
    }

    /// The settings and names among `choices`, from which these modules must have been assembled, that time control or the constraint solver declares that it never
    /// reads in a world with this configuration ([`drystone_core::ConstraintSolver::unread_in`]): one entry for each of the two and each module that has such settings.
    pub fn ineffective_by_module(&self, configuration: &Configuration, choices: &[ModuleChoice]) -> Vec<Ineffective> {
        let readers = [
            (ModuleKind::TimeControl, self.time_control.name(), self.time_control.unread()),
            (
                ModuleKind::ConstraintSolver,
                self.stages.constraint_solver.name(),
                self.stages.constraint_solver.unread_in(configuration),
            ),
        ];
        let mut found: Vec<Ineffective> = Vec::new();
        for choice in choices {
            let kind = choice.kind;
            let named = choice.name.as_ref().map(|_| kind.name_key());
            for key in named.into_iter().chain(choice.settings.iter().map(|(key, _)| key.as_str())) {
                let reader = readers.iter().find(|(.., unread)| unread.iter().any(|u| u.covers(kind, key)));
                let Some(&(reader, name, _)) = reader else { continue };
                let reason = NotRead::ByModule { reader, name };
                match found.iter_mut().find(|i| i.kind == kind && i.reason == reason) {
                    Some(known) if known.keys.iter().any(|k| k == key) => {}
                    Some(known) => known.keys.push(key.to_owned()),
                    None => found.push(Ineffective { kind, keys: vec![key.to_owned()], reason }),
                }
            }
        }
        found
    }
}

impl Modules {
    /// The names among `choices` of modules that a world with this configuration has no use for: a narrow phase without a pair of shapes that it has an algorithm for.
    pub fn ineffective_in(
        &self,
        registry: &Registry,
        configuration: &Configuration,
        choices: &[ModuleChoice],
    ) -> Vec<Ineffective> {
        let kind = ModuleKind::NarrowPhase;
        let is_named = choices.iter().any(|c| c.kind == kind && c.name.is_some());
        let Some(narrow_phase) = registry.narrow_phase(self.name(kind)).filter(|_| is_named) else {
            return Vec::new();
        };
        // two of each kind stand for all
        let mut few: Vec<&BodyProperties> = Vec::new();
        for body in &configuration.bodies {
            let alike =
                |b: &&&BodyProperties| b.shape.kind() == body.shape.kind() && b.is_dynamic() == body.is_dynamic();
            if few.iter().filter(alike).count() < 2 {
                few.push(body);
            }
        }
        let takes = |a: &BodyProperties, b: &BodyProperties| {
            (a.is_dynamic() || b.is_dynamic()) && narrow_phase.supports(&a.shape, &b.shape)
        };
        let mut pairs = few.iter().enumerate().flat_map(|(k, a)| few[k + 1..].iter().map(|b| (*a, *b)));
        if few.is_empty() || pairs.any(|(a, b)| takes(a, b)) {
            return Vec::new();
        }
        let reason = NotRead::InThisWorld { name: narrow_phase.name(), missing: "pair of shapes" };
        vec![Ineffective { kind, keys: vec![kind.name_key().to_owned()], reason }]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ModuleKind, Paradigm};
    use drystone_core::catalogue::Value;

    #[test]
    fn settings_that_do_nothing_are_named() {
        let said_of = |kind: ModuleKind, settings: &[(&str, Value)]| {
            let settings = settings.iter().map(|(k, v)| ((*k).to_owned(), v.clone())).collect();
            let choices = vec![ModuleChoice { kind, name: None, settings }];
            let ineffective =
                Modules::assemble(&Paradigm::VELOCITY_LCP, &choices).unwrap().ineffective_as_set(&choices);
            ineffective.iter().map(ToString::to_string).collect::<Vec<_>>()
        };
        let said = |settings: &[(&str, Value)]| said_of(ModuleKind::ConstraintSolver, settings);
        let (facets, pyramid) = (("facets", Value::Integer(8)), ("friction", Value::Text("pyramid".to_owned())));
        assert_eq!(
            said(core::slice::from_ref(&facets)),
            [
                "simulation.constraint_solver.facets does nothing: it is read only if friction is pyramid, and that is \"disc\""
            ]
        );
        assert!(said(&[facets, pyramid]).is_empty());
        assert!(said(&[("slop", Value::Real(1e-3))]).is_empty());
        // sub-steps that repeat something need a second one
        let lazy = ("evaluation", Value::Text("lazy".to_owned()));
        assert_eq!(
            said_of(ModuleKind::TimeControl, core::slice::from_ref(&lazy)),
            ["simulation.time_control.evaluation does nothing: it is read only if sub_steps is not 1, and that is 1"]
        );
        assert!(said_of(ModuleKind::TimeControl, &[lazy, ("sub_steps", Value::Integer(2))]).is_empty());
    }
}
