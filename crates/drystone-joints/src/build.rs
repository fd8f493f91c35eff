use crate::builder::Builder;
use crate::{JointBuildError, JointDescription, JointKind, KINDS};
use drystone_core::ConstraintSource;
use drystone_math::Pose;

/// Turns a description into a source of rows. The poses are those of the centres of mass at the initial state; the world
/// frame is the identity.
///
/// # Errors
/// [`JointBuildError`] if something is missing, crossed, zero, out of range or not applicable to the kind.
pub fn build(
    description: &JointDescription<'_>,
    pose_a: &Pose,
    pose_b: &Pose,
) -> Result<Box<dyn ConstraintSource>, JointBuildError> {
    let kind = JointKind::from_name(description.kind).ok_or_else(|| JointBuildError::Kind {
        found: description.kind.to_owned(),
        allowed: KINDS.iter().map(|k| k.name).collect::<Vec<_>>().join(", "),
    })?;
    let builder = Builder { d: description, kind: kind.particulars(), a: pose_a, b: pose_b };
    let mut made = builder.begin()?;
    kind.build()(&builder, &mut made)?;
    Ok(Box::new(builder.finish(made)))
}
