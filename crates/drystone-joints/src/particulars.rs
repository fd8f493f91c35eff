use crate::JointDescription;
use drystone_core::catalogue::Implementation;

/// A key of [`JointDescription`] that only some kinds use or require.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Key {
    Anchor2,
    Axis,
    Axis2,
    Suspension,
    Cone,
    Cone2,
    Twist,
    Length,
    Teeth,
    Lead,
    Radius,
    Pulleys,
    Ratio,
    Offset,
    Translations,
    Rotations,
}

/// Default anchor of a joint without one in its description.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DefaultAnchor {
    /// It must be given.
    None,
    /// Each body at its own centre.
    Centers,
    /// At the centre of B: the anchor makes no difference to the motions these joints allow.
    CenterOfB,
}

/// Quantity that a free coordinate of a joint measures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Measure {
    /// A displacement (m).
    Length,
    /// A turn (rad).
    Angle,
}

/// Everything particular to a kind except its parts; its checks, the scene reader and the listing use this.
pub(crate) struct Particulars {
    pub(crate) described: Implementation,
    /// Coordinates of its own that limits, motors, friction and springs can act on, the first and the second.
    pub(crate) free: &'static [Measure],
    /// The keys that it requires, besides the anchor.
    pub(crate) needs: &'static [Key],
    /// The keys that it can use, of those that only some kinds have.
    pub(crate) allows: &'static [Key],
    pub(crate) default_anchor: DefaultAnchor,
    /// True if its bodies collide with each other unless the scene says otherwise: so if nothing holds their surfaces
    /// together.
    pub(crate) collides: bool,
}

/// A kind that holds its bodies at a point. `source` is empty if its rows follow from its name.
pub(crate) const fn held(name: &'static str, summary: &'static str, source: &'static str) -> Particulars {
    Particulars {
        described: Implementation { name, summary, source, parameters: &[] },
        free: &[],
        needs: &[],
        allows: &[],
        default_anchor: DefaultAnchor::None,
        collides: false,
    }
}

impl Key {
    /// The keys that a kind refuses if it has no use for them.
    pub(crate) const PARTICULAR: [Self; 14] = [
        Self::Suspension,
        Self::Cone,
        Self::Cone2,
        Self::Twist,
        Self::Length,
        Self::Anchor2,
        Self::Teeth,
        Self::Lead,
        Self::Radius,
        Self::Pulleys,
        Self::Ratio,
        Self::Offset,
        Self::Translations,
        Self::Rotations,
    ];

    /// Its name in scene files.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Anchor2 => "anchor2",
            Self::Axis => "axis",
            Self::Axis2 => "axis2",
            Self::Suspension => "suspension",
            Self::Cone => "cone",
            Self::Cone2 => "cone2",
            Self::Twist => "twist",
            Self::Length => "length",
            Self::Teeth => "teeth",
            Self::Lead => "lead",
            Self::Radius => "radius",
            Self::Pulleys => "pulleys",
            Self::Ratio => "ratio",
            Self::Offset => "offset",
            Self::Translations => "translations",
            Self::Rotations => "rotations",
        }
    }

    /// Why a kind has no use for it.
    pub(crate) const fn refusal(self) -> &'static str {
        match self {
            Self::Anchor2 => "it does not hold its bodies at one point",
            Self::Axis | Self::Axis2 => "it has no axis",
            Self::Suspension => "only a hinge2 has one",
            Self::Cone | Self::Cone2 | Self::Twist => "only a ball has one",
            Self::Length => "only a rod or a rope has one",
            Self::Teeth => "only a gear has them",
            Self::Lead => "only a screw has one",
            Self::Radius => "only a rack-and-pinion has one",
            Self::Pulleys => "only a pulley has them",
            Self::Ratio => "only a gear or a pulley has one",
            Self::Offset => "only a gear, a screw or a rack-and-pinion has one",
            Self::Translations | Self::Rotations => "only a six-dof has them",
        }
    }

    /// Returns true if a description sets it.
    pub(crate) fn is_in(self, d: &JointDescription<'_>) -> bool {
        let any = |f: &[crate::AxisFreedom; 3]| f.iter().any(|a| *a != crate::AxisFreedom::Free);
        match self {
            Self::Anchor2 => d.anchor2.is_some(),
            Self::Axis => d.axis.is_some(),
            Self::Axis2 => d.axis2.is_some(),
            Self::Suspension => d.suspension.is_some(),
            Self::Cone => d.cone.is_some(),
            Self::Cone2 => d.cone2.is_some(),
            Self::Twist => d.twist.is_some(),
            Self::Length => d.length.is_some(),
            Self::Teeth => d.teeth.is_some(),
            Self::Lead => d.lead.is_some(),
            Self::Radius => d.radius.is_some(),
            Self::Pulleys => d.pulleys.is_some(),
            Self::Ratio => d.ratio.is_some(),
            Self::Offset => d.offset.is_some(),
            Self::Translations => any(&d.translations),
            Self::Rotations => any(&d.rotations),
        }
    }
}
