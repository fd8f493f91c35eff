use drystone_core::ConfigurationError;
use thiserror::Error;

/// Why bytes or a JSON text are no snapshot that a world can go on from.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum SnapshotError {
    /// Something else.
    #[error("this is no snapshot of drystone's")]
    NotOne,
    /// Of another version of the format.
    #[error("the snapshot has version {found} of the format; allowed: {allowed}")]
    Version {
        /// Its version.
        found: u64,
        /// What this library reads.
        allowed: u64,
    },
    /// It ends too early.
    #[error("the snapshot ends too early")]
    Cut,
    /// Its checksum is another one.
    #[error("the snapshot was damaged: its checksum does not fit")]
    Damaged,
    /// Of a world with other bodies, joints or forces.
    #[error("the snapshot is of a world with other bodies, joints or forces")]
    OtherWorld,
    /// A part of it is missing, or of another kind.
    #[error("part '{0}' of the snapshot is missing, or of another kind")]
    Part(&'static str),
    /// Of a state that cannot be simulated.
    #[error("the snapshot's state cannot be simulated: {0}")]
    State(ConfigurationError),
    /// A value that nothing can have.
    #[error("the snapshot cannot be used: {0}")]
    Value(&'static str),
}
