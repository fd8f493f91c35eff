use crate::{ModuleChoice, ModuleKind, Modules, Paradigm, Registry, WorldError, registry};
use drystone_core::catalogue::{Settings, Value};

impl Modules {
    /// The modules of a paradigm with some of them replaced or set differently; later choices win.
    ///
    /// # Errors
    /// [`WorldError::UnknownName`], [`WorldError::Setting`].
    pub fn assemble(paradigm: &Paradigm, choices: &[ModuleChoice]) -> Result<Self, WorldError> {
        Self::assemble_from(registry::own(), paradigm, choices)
    }

    /// The same, with the implementations of a registry.
    ///
    /// # Errors
    /// [`WorldError::UnknownName`], [`WorldError::Setting`].
    pub fn assemble_from(
        registry: &Registry,
        paradigm: &Paradigm,
        choices: &[ModuleChoice],
    ) -> Result<Self, WorldError> {
        // first the names: the paradigm's, then the choices'
        let mut names = paradigm.names();
        for choice in choices {
            if let Some(name) = &choice.name {
                names[choice.kind.position()] = registry.find(choice.kind, name)?.name;
            }
        }
        // then the settings: the paradigm's apply only to its own implementation
        let mut chosen = Vec::with_capacity(names.len());
        for (kind, name) in ModuleKind::ALL.into_iter().zip(names) {
            let mut settings = Settings::defaults(&registry.find(kind, name)?);
            let own = name == paradigm.names()[kind.position()];
            let mut set = |key: &str, value: &Value| {
                settings.set(key, value).map_err(|error| WorldError::Setting { table: kind.table(), error })
            };
            for (_, key, value) in paradigm.settings.iter().filter(|(k, ..)| *k == kind && own) {
                set(key, &value.to_value())?;
            }
            for choice in choices.iter().filter(|c| c.kind == kind) {
                for (key, value) in &choice.settings {
                    set(key, value)?;
                }
            }
            chosen.push((kind, name, settings));
        }
        registry.build(chosen)
    }
}
