use drystone_core::ConfigurationError;
use thiserror::Error;

/// Why bytes or a JSON text are not a snapshot that a world can continue from.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum SnapshotError {
    /// The data is something else.
    #[error("this is no snapshot of drystone's")]
    NotOne,
    /// It has another version of the format.
    #[error("the snapshot has version {found} of the format; allowed: {allowed}")]
    Version {
        /// Its version.
        found: u64,
        /// The version that this library reads.
        allowed: u64,
    },
    /// It ends too early.
    #[error("the snapshot ends too early")]
    Cut,
    /// Its checksum does not match.
    #[error("the snapshot was damaged: its checksum does not fit")]
    Damaged,
    /// It belongs to a world in which something differs that no step changes: bodies, surfaces, joints, forces, scripts or gravity.
    #[error("the snapshot is of a world with other bodies, joints or forces, or other surfaces, scripts or gravity")]
    OtherWorld,
    /// A part of it is missing, or has the wrong type.
    #[error("part '{0}' of the snapshot is missing, or of another kind")]
    Part(&'static str),
    /// It describes a state that cannot be simulated.
    #[error("the snapshot's state cannot be simulated: {0}")]
    State(ConfigurationError),
    /// It contains an invalid value.
    #[error("the snapshot cannot be used: {0}")]
    Value(&'static str),
}
