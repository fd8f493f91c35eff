//! Kinds of joints and forces from outside: their keys are the parameters of their descriptions.

use super::simulation::read_value;
use super::{Cursor, Fields, Reading};
use crate::document::Value;
use crate::fault::FaultKind;
use drystone_core::catalogue::{Implementation, Settings};

/// Returns true if the entry of a list has a kind of that name.
pub(crate) fn is_kind(c: &Cursor<'_>, name: &str) -> bool {
    let Value::Table(entries) = &c.node().value else { return false };
    entries.iter().any(|e| e.key == "kind" && matches!(&e.node.value, Value::Text(text) if text == name))
}

/// The kind of joint that another name of it stands for.
pub(crate) fn present_kind(c: &Cursor<'_>) -> Option<&'static str> {
    let Value::Text(name) = &c.node().value else { return None };
    drystone_joints::ALIASES.iter().find(|(other, _)| other == name).map(|(_, present)| *present)
}

/// The names of the parameters of a description.
pub(crate) fn keys_of(described: &Implementation) -> impl Iterator<Item = &'static str> {
    described.parameters.iter().map(|p| p.name)
}

/// The settings of a description that a table has beside its declared keys; faults at their places.
pub(crate) fn read_settings(f: &Fields<'_>, described: &Implementation, r: &mut Reading) -> Settings {
    let mut settings = Settings::defaults(described);
    for key in keys_of(described) {
        let Some(c) = f.named(key) else { continue };
        if let Some(value) = read_value(&c, r)
            && let Err(e) = settings.set(key, &value)
        {
            r.fault(&c, FaultKind::Setting(e));
        }
    }
    settings
}

#[cfg(test)]
mod tests {
    use crate::model::{OUTSIDE_JOINT, force_kinds};
    use drystone_joints::JointMaker;
    use drystone_motion::force::ForceMaker;

    /// Names that the crates below reserve are those of the format.
    #[test]
    fn the_names_of_the_format_are_taken() {
        assert_eq!(OUTSIDE_JOINT.names(), JointMaker::KEYS);
        assert_eq!(force_kinds().iter().map(|k| k.0).collect::<Vec<_>>(), ForceMaker::FORMAT);
    }
}
