use crate::JointDescription;
use drystone_core::catalogue::Implementation;

/// A kind of joint.
// G-01
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs, reason = "KINDS says what each is")]
pub enum JointKind {
    Ball,
    Hinge,
    Slider,
    Cylindrical,
    Universal,
    Hinge2,
    Wheel,
    Fixed,
    Planar,
    PointOnPlane,
    PointOnLine,
    Distance,
    RevoluteSpherical,
    Rope,
    Gear,
    Screw,
    RackAndPinion,
    Pulley,
    SixDof,
}

/// A key of [`JointDescription`] that only some kinds have a use for, or cannot do without.
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
    Translations,
    Rotations,
}

/// Where a joint is anchored whose description does not say it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DefaultAnchor {
    /// It must be said.
    None,
    /// At the centre of B: where these are anchored makes no difference to what they allow.
    CenterOfB,
}

/// All that is particular to a kind but what it consists of: its checks, the scene reader and the listing go by this.
pub(crate) struct Particulars {
    pub(crate) described: Implementation,
    /// Coordinates of its own that limits, motors, friction and springs can act on.
    pub(crate) free: u8,
    /// What it cannot do without, beside the anchor.
    pub(crate) needs: &'static [Key],
    /// What it has a use for, of the keys that only some kinds have.
    pub(crate) allows: &'static [Key],
    pub(crate) default_anchor: DefaultAnchor,
    /// Whether its bodies meet each other where the scene does not say: nothing holds their surfaces together.
    pub(crate) collides: bool,
}

/// One that holds its bodies at a point.
const fn held(name: &'static str, summary: &'static str, source: &'static str) -> Particulars {
    Particulars {
        described: Implementation { name, summary, source, parameters: &[] },
        free: 0,
        needs: &[],
        allows: &[],
        default_anchor: DefaultAnchor::None,
        collides: false,
    }
}

impl JointKind {
    /// All of them, in the order of [`KINDS`].
    pub const ALL: [Self; 19] = [
        Self::Ball,
        Self::Hinge,
        Self::Slider,
        Self::Cylindrical,
        Self::Universal,
        Self::Hinge2,
        Self::Wheel,
        Self::Fixed,
        Self::Planar,
        Self::PointOnPlane,
        Self::PointOnLine,
        Self::Distance,
        Self::RevoluteSpherical,
        Self::Rope,
        Self::Gear,
        Self::Screw,
        Self::RackAndPinion,
        Self::Pulley,
        Self::SixDof,
    ];

    /// The kind of a name; `None` where there is none.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|k| k.name() == name)
    }

    /// Its name in scene files.
    pub const fn name(self) -> &'static str {
        self.particulars().described.name
    }

    /// Whether its bodies meet each other where a scene does not say: so where nothing holds their surfaces together.
    pub const fn collides(self) -> bool {
        self.particulars().collides
    }

    /// Whether its first or second free coordinate (`which` 1 or 2) is an angle (rad), not a length (m) or none.
    pub const fn has_angle(self, which: u8) -> bool {
        match self {
            Self::Hinge => which == 1,
            Self::Cylindrical => which == 2,
            Self::Universal | Self::Hinge2 | Self::Wheel => which == 1 || which == 2,
            _ => false,
        }
    }

    pub(crate) const fn particulars(self) -> &'static Particulars {
        match self {
            Self::Ball => &BALL,
            Self::Hinge => &HINGE,
            Self::Slider => &SLIDER,
            Self::Cylindrical => &CYLINDRICAL,
            Self::Universal => &UNIVERSAL,
            Self::Hinge2 => &HINGE2,
            Self::Wheel => &WHEEL,
            Self::Fixed => &FIXED,
            Self::Planar => &PLANAR,
            Self::PointOnPlane => &POINT_ON_PLANE,
            Self::PointOnLine => &POINT_ON_LINE,
            Self::Distance => &DISTANCE,
            Self::RevoluteSpherical => &REVOLUTE_SPHERICAL,
            Self::Rope => &ROPE,
            Self::Gear => &GEAR,
            Self::Screw => &SCREW,
            Self::RackAndPinion => &RACK_AND_PINION,
            Self::Pulley => &PULLEY,
            Self::SixDof => &SIX_DOF,
        }
    }
}

const BALL: Particulars = Particulars {
    allows: &[Key::Anchor2, Key::Cone, Key::Cone2, Key::Twist],
    ..held(
        "ball",
        "two points coincide; 3 rows; with a cone, round or elliptic, and a twist, limits of reach",
        "thesis (4.116)-(4.118)",
    )
};

const HINGE: Particulars = Particulars {
    free: 1,
    needs: &[Key::Axis],
    allows: &[Key::Anchor2],
    ..held("hinge", "ball, and one axis in common; 5 rows", "thesis (4.119)-(4.129)")
};

const SLIDER: Particulars = Particulars {
    free: 1,
    needs: &[Key::Axis],
    default_anchor: DefaultAnchor::CenterOfB,
    ..held("slider", "moves along one axis, without turning; 5 rows", "thesis (4.130)-(4.142)")
};

const CYLINDRICAL: Particulars = Particulars {
    free: 2,
    needs: &[Key::Axis],
    ..held("cylindrical", "moves along one axis and turns about it; 4 rows", "as slider and hinge")
};

const UNIVERSAL: Particulars = Particulars {
    free: 2,
    needs: &[Key::Axis, Key::Axis2],
    allows: &[Key::Anchor2],
    ..held("universal", "ball, and an axis of each body stay perpendicular; 4 rows", "thesis (4.150)-(4.156)")
};

const HINGE2: Particulars =
    wheel("hinge2", "ball, and two axes keep their angle: steering and spin, with suspension; 4 rows");

const WHEEL: Particulars = wheel("wheel", "the same as hinge2");

const FIXED: Particulars = Particulars {
    allows: &[Key::Anchor2],
    default_anchor: DefaultAnchor::CenterOfB,
    ..held("fixed", "nothing moves; 6 rows", "thesis (4.157)-(4.163)")
};

const PLANAR: Particulars = Particulars {
    needs: &[Key::Axis],
    ..held("planar", "a point stays in a plane of A, normals parallel; 3 rows", "as slider")
};

const POINT_ON_PLANE: Particulars = Particulars {
    needs: &[Key::Axis],
    collides: true,
    ..held("point-on-plane", "a point of B stays in a plane of A; 1 row", "as slider")
};

const POINT_ON_LINE: Particulars = Particulars {
    free: 1,
    needs: &[Key::Axis],
    collides: true,
    ..held("point-on-line", "a point of B stays on a line of A; 2 rows", "as slider")
};

const DISTANCE: Particulars = Particulars {
    free: 1,
    allows: &[Key::Anchor2, Key::Length],
    collides: true,
    ..held("distance", "two points keep a distance, or keep it within limits; 1 row", "a rod without mass")
};

const REVOLUTE_SPHERICAL: Particulars = Particulars {
    needs: &[Key::Axis],
    allows: &[Key::Anchor2, Key::Length],
    collides: true,
    ..held(
        "revolute-spherical",
        "a rod without mass, hinged to A at one end and to B by a ball at the other; 2 rows",
        "as slider and distance",
    )
};

const ROPE: Particulars = Particulars {
    allows: &[Key::Anchor2, Key::Length],
    collides: true,
    ..held("rope", "two points come no further apart than a length; a limit", "a cord without mass")
};

const GEAR: Particulars = Particulars {
    needs: &[Key::Axis, Key::Teeth],
    allows: &[Key::Teeth],
    default_anchor: DefaultAnchor::CenterOfB,
    collides: true,
    ..held("gear", "two wheels on world axes turn in the ratio of their teeth; 1 row", "a pair of wheels that mesh")
};

const SCREW: Particulars = Particulars {
    free: 1,
    needs: &[Key::Axis, Key::Lead],
    allows: &[Key::Lead],
    ..held("screw", "moves along one axis by a lead a turn about it; 5 rows", "a nut on a thread")
};

const RACK_AND_PINION: Particulars = Particulars {
    needs: &[Key::Axis, Key::Axis2, Key::Radius],
    allows: &[Key::Radius],
    collides: true,
    ..held(
        "rack-and-pinion",
        "a wheel that turns about a world axis moves a rack along another; 1 row",
        "rolling without slipping at the pitch circle",
    )
};

const PULLEY: Particulars = Particulars {
    needs: &[Key::Pulleys],
    allows: &[Key::Anchor2, Key::Length, Key::Pulleys, Key::Ratio],
    collides: true,
    ..held(
        "pulley",
        "a cord over two fixed points joins two bodies, once or as a tackle; a limit",
        "a cord without mass over wheels without mass",
    )
};

const SIX_DOF: Particulars = Particulars {
    allows: &[Key::Translations, Key::Rotations],
    ..held("six-dof", "each of three translations and three rotations free, limited or locked", "as slider and hinge")
};

/// A wheel that may be steered and sprung.
const fn wheel(name: &'static str, summary: &'static str) -> Particulars {
    Particulars {
        free: 2,
        needs: &[Key::Axis, Key::Axis2],
        allows: &[Key::Anchor2, Key::Suspension],
        ..held(name, summary, "thesis (4.143)-(4.149)")
    }
}

/// The joints of this crate. Their parameters are the fields of [`JointDescription`].
pub const KINDS: &[Implementation] = &{
    let mut all = [JointKind::Ball.particulars().described; JointKind::ALL.len()];
    let mut i = 0;
    while i < all.len() {
        all[i] = JointKind::ALL[i].particulars().described;
        i += 1;
    }
    all
};

impl Key {
    /// Those that a kind without a use for them refuses.
    pub(crate) const PARTICULAR: [Self; 13] = [
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
            Self::Pulleys | Self::Ratio => "only a pulley has one",
            Self::Translations | Self::Rotations => "only a six-dof has them",
        }
    }

    /// Whether a description says it.
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
            Self::Translations => any(&d.translations),
            Self::Rotations => any(&d.rotations),
        }
    }
}
