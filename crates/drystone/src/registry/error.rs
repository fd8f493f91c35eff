use crate::WorldError;
use thiserror::Error;

/// Why an implementation cannot be added to a registry.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum RegistryError {
    /// Another implementation already has the name.
    #[error("{table}: the name '{name}' is taken")]
    Taken {
        /// The module's table.
        table: &'static str,
        /// The name.
        name: &'static str,
    },
    /// A name that scenes and the command line cannot spell.
    #[error("{table}: found the name '{found}'; allowed: small letters, digits and single hyphens between them")]
    Name {
        /// The module's table.
        table: &'static str,
        /// The name.
        found: &'static str,
    },
    /// A preset that cannot be built.
    #[error("the preset cannot be built: {0}")]
    Preset(Box<WorldError>),
}
