use drystone_math::{Real, Vec3};
use smallvec::SmallVec;

/// A contact point that has not yet been chosen: both surfaces' points in the frame of the reference body.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Candidate {
    /// On the reference surface (m).
    pub on_reference: Vec3,
    /// On the other surface (m).
    pub on_other: Vec3,
    /// Signed distance (m).
    pub separation: Real,
    /// Which features meet.
    pub key: u64,
}

/// The candidates of a pair; no allocation up to 16.
pub(crate) type Candidates = SmallVec<[Candidate; 16]>;
