//! Faults of an entry of `[[joints]]` that joints themselves find, reported at the key they are about.

use super::{Fields, Reading};
use crate::fault::FaultKind;
use drystone_joints::{JointBuildError, JointDescription, JointKind};
use drystone_math::Pose;

/// Reports what the joints refuse, at the key it is about.
pub(super) fn report(error: &JointBuildError, f: &Fields<'_>, r: &mut Reading) {
    let key = match error {
        JointBuildError::NotForKind { what, .. }
        | JointBuildError::Axis { what, .. }
        | JointBuildError::CrossedLimits { what, .. }
        | JointBuildError::Number { what, .. } => Some(*what),
        JointBuildError::ParallelAxes { .. } => Some("axis2"),
        _ => None,
    };
    let at = key.and_then(|k| f.named(k)).unwrap_or_else(|| f.cursor().clone());
    r.fault(&at, FaultKind::Other(error.to_string()));
}

/// Reports what is wrong with a joint wherever its bodies are.
pub(super) fn report_own(description: &JointDescription<'static>, f: &Fields<'_>, r: &mut Reading) {
    // kinds from outside say all that they say of bodies in place
    if JointKind::from_name(description.kind).is_none() {
        return;
    }
    let error = drystone_joints::build(description, &Pose::IDENTITY, &Pose::IDENTITY).err();
    let own = error.filter(|e| {
        matches!(
            e,
            JointBuildError::NotForKind { .. }
                | JointBuildError::Missing { .. }
                | JointBuildError::Axis { .. }
                | JointBuildError::ParallelAxes { .. }
                | JointBuildError::CrossedLimits { .. }
        )
    });
    if let Some(e) = own {
        report(&e, f, r);
    }
}
