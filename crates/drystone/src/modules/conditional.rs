use crate::{ModuleChoice, Modules};
use drystone_core::catalogue::Condition;

/// A setting that was chosen and that nobody reads, because another setting of its module has no value for which it is.
#[derive(Debug, Clone, PartialEq)]
pub struct UnreadSetting {
    /// Its table in scene files.
    pub table: &'static str,
    /// Its key.
    pub key: String,
    /// When it would be read.
    pub condition: Condition,
    /// What the other setting is.
    pub found: String,
}

impl core::fmt::Display for UnreadSetting {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        let Self { table, key, condition, found } = self;
        write!(f, "{table}.{key} does nothing: it is read only if {condition}, and that is {found}")
    }
}

impl Modules {
    /// Settings among some choices, from which these modules were built, that do nothing as the others are.
    pub fn unread(&self, choices: &[ModuleChoice]) -> Vec<UnreadSetting> {
        let one = |choice: &ModuleChoice, key: &str| {
            let settings = self.settings(choice.kind);
            let condition = settings.unread(key)?;
            let found = settings.iter().find(|(p, _)| p.name == condition.key)?.1.to_string();
            Some(UnreadSetting { table: choice.kind.table(), key: key.to_owned(), condition, found })
        };
        choices.iter().flat_map(|c| c.settings.iter().filter_map(move |(key, _)| one(c, key))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ModuleKind, Paradigm};
    use drystone_core::catalogue::Value;

    #[test]
    fn settings_that_do_nothing_are_named() {
        let choice = |settings: &[(&str, Value)]| {
            let settings = settings.iter().map(|(k, v)| ((*k).to_owned(), v.clone())).collect();
            vec![ModuleChoice { kind: ModuleKind::ConstraintSolver, name: None, settings }]
        };
        let said = |settings: &[(&str, Value)]| {
            let choices = choice(settings);
            let unread = Modules::assemble(&Paradigm::VELOCITY_LCP, &choices).unwrap().unread(&choices);
            unread.iter().map(ToString::to_string).collect::<Vec<_>>()
        };
        let (facets, pyramid) = (("facets", Value::Integer(8)), ("friction", Value::Text("pyramid".to_owned())));
        assert_eq!(
            said(core::slice::from_ref(&facets)),
            ["constraint_solver.facets does nothing: it is read only if friction is pyramid, and that is \"disc\""]
        );
        assert!(said(&[facets, pyramid]).is_empty());
        assert!(said(&[("slop", Value::Real(1e-3))]).is_empty());
    }
}
