use crate::builder::{Builder, Built, Made};
use crate::composition as of;
use crate::particulars::{DefaultAnchor, Key, Measure, Particulars, held};
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

/// Everything particular to a kind.
struct Entry {
    particulars: Particulars,
    /// Adds its parts.
    build: fn(&Builder<'_>, &mut Made) -> Built<()>,
}

impl JointKind {
    /// All kinds, in the order of [`KINDS`].
    pub const ALL: [Self; 18] = [
        Self::Ball,
        Self::Hinge,
        Self::Slider,
        Self::Cylindrical,
        Self::Universal,
        Self::Hinge2,
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

    /// The kind with this name, current or former ([`ALIASES`]); `None` if there is none.
    pub fn from_name(name: &str) -> Option<Self> {
        let name = ALIASES.iter().find(|(former, _)| *former == name).map_or(name, |(_, present)| *present);
        Self::ALL.into_iter().find(|k| k.name() == name)
    }

    /// Its name in scene files.
    pub const fn name(self) -> &'static str {
        self.particulars().described.name
    }

    /// True if its bodies collide with each other unless a scene says otherwise; so if nothing holds their surfaces
    /// together.
    pub const fn collides(self) -> bool {
        self.particulars().collides
    }

    /// Returns true if its first or second free coordinate (`which` 1 or 2) is an angle (rad), rather than a length (m)
    /// or absent.
    pub const fn has_angle(self, which: u8) -> bool {
        let free = self.particulars().free;
        let at = which as usize;
        at >= 1 && at <= free.len() && matches!(free[at - 1], Measure::Angle)
    }

    pub(crate) const fn particulars(self) -> &'static Particulars {
        &self.entry().particulars
    }

    /// The function that adds its parts.
    pub(crate) fn build(self) -> fn(&Builder<'_>, &mut Made) -> Built<()> {
        self.entry().build
    }

    const fn entry(self) -> &'static Entry {
        match self {
            Self::Ball => &BALL,
            Self::Hinge => &HINGE,
            Self::Slider => &SLIDER,
            Self::Cylindrical => &CYLINDRICAL,
            Self::Universal => &UNIVERSAL,
            Self::Hinge2 => &HINGE2,
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

const BALL: Entry = Entry {
    build: of::ball,
    particulars: Particulars {
        allows: &[Key::Anchor2, Key::Cone, Key::Cone2, Key::Twist],
        ..held(
            "ball",
            "two points coincide; 3 rows; optional reach limits: a cone, round or elliptic, and a twist",
            "Erleben 2005, equations (4.116) to (4.118)",
        )
    },
};

const HINGE: Entry = Entry {
    build: of::hinge,
    particulars: Particulars {
        free: &[Measure::Angle],
        needs: &[Key::Axis],
        allows: &[Key::Anchor2],
        ..held("hinge", "a ball joint with one common axis; 5 rows", "Erleben 2005, equations (4.119) to (4.129)")
    },
};

const SLIDER: Entry = Entry {
    build: of::slider,
    particulars: Particulars {
        free: &[Measure::Length],
        needs: &[Key::Axis],
        default_anchor: DefaultAnchor::CenterOfB,
        ..held("slider", "moves along one axis without turning; 5 rows", "Erleben 2005, equations (4.130) to (4.142)")
    },
};

const CYLINDRICAL: Entry = Entry {
    build: of::cylindrical,
    particulars: Particulars {
        free: &[Measure::Length, Measure::Angle],
        needs: &[Key::Axis],
        ..held("cylindrical", "moves along one axis and turns about it; 4 rows", "")
    },
};

const UNIVERSAL: Entry = Entry {
    build: of::universal,
    particulars: Particulars {
        free: &[Measure::Angle, Measure::Angle],
        needs: &[Key::Axis, Key::Axis2],
        allows: &[Key::Anchor2],
        ..held(
            "universal",
            "a ball joint that keeps an axis of each body perpendicular; 4 rows",
            "Erleben 2005, equations (4.150) to (4.156)",
        )
    },
};

const HINGE2: Entry = Entry {
    build: of::wheel,
    particulars: Particulars {
        free: &[Measure::Angle, Measure::Angle],
        needs: &[Key::Axis, Key::Axis2],
        allows: &[Key::Anchor2, Key::Suspension],
        ..held(
            "hinge2",
            "a wheel: a ball joint with two axes at a fixed angle, steering and spin; optional suspension; 4 rows",
            "Erleben 2005, equations (4.143) to (4.149)",
        )
    },
};

const FIXED: Entry = Entry {
    build: of::fixed,
    particulars: Particulars {
        allows: &[Key::Anchor2],
        default_anchor: DefaultAnchor::CenterOfB,
        ..held("fixed", "no relative motion; 6 rows", "Erleben 2005, equations (4.157) to (4.163)")
    },
};

const PLANAR: Entry = Entry {
    build: of::planar,
    particulars: Particulars {
        needs: &[Key::Axis],
        ..held("planar", "a point of B stays in a plane of A, normals kept parallel; 3 rows", "")
    },
};

const POINT_ON_PLANE: Entry = Entry {
    build: of::point_on_plane,
    particulars: Particulars {
        needs: &[Key::Axis],
        collides: true,
        ..held("point-on-plane", "a point of B stays in a plane of A; 1 row", "")
    },
};

const POINT_ON_LINE: Entry = Entry {
    build: of::point_on_line,
    particulars: Particulars {
        free: &[Measure::Length],
        needs: &[Key::Axis],
        collides: true,
        ..held("point-on-line", "a point of B stays on a line of A; 2 rows", "")
    },
};

const DISTANCE: Entry = Entry {
    build: of::distance,
    particulars: Particulars {
        free: &[Measure::Length],
        allows: &[Key::Anchor2, Key::Length],
        collides: true,
        ..held("distance", "a massless rod: two points stay at a fixed distance, or within limits; 1 row", "")
    },
};

const REVOLUTE_SPHERICAL: Entry = Entry {
    build: of::revolute_spherical,
    particulars: Particulars {
        needs: &[Key::Axis],
        allows: &[Key::Anchor2, Key::Length],
        collides: true,
        ..held(
            "revolute-spherical",
            "a massless rod, hinged to A at one end and joined to B by a ball at the other; 2 rows",
            "",
        )
    },
};

const ROPE: Entry = Entry {
    build: of::rope,
    particulars: Particulars {
        allows: &[Key::Anchor2, Key::Length],
        collides: true,
        ..held("rope", "a massless cord: two points stay no further apart than its length; a limit", "")
    },
};

const GEAR: Entry = Entry {
    build: of::gear,
    particulars: Particulars {
        needs: &[Key::Axis],
        allows: &[Key::Anchor2, Key::Teeth, Key::Ratio, Key::Offset],
        default_anchor: DefaultAnchor::Centers,
        collides: true,
        ..held(
            "gear",
            "two wheels turn about their axes in the ratio of their teeth, against what carries both; 1 row",
            "",
        )
    },
};

const SCREW: Entry = Entry {
    build: of::screw,
    particulars: Particulars {
        free: &[Measure::Length],
        needs: &[Key::Axis, Key::Lead],
        allows: &[Key::Lead, Key::Offset],
        ..held("screw", "a nut on a thread: moves along one axis by its lead per turn about it; 5 rows", "")
    },
};

const RACK_AND_PINION: Entry = Entry {
    build: of::rack_and_pinion,
    particulars: Particulars {
        needs: &[Key::Axis, Key::Axis2, Key::Radius],
        allows: &[Key::Radius, Key::Offset],
        collides: true,
        ..held("rack-and-pinion", "a wheel that turns about its axis drives a rack without slipping; 1 row", "")
    },
};

const PULLEY: Entry = Entry {
    build: of::pulley,
    particulars: Particulars {
        needs: &[Key::Pulleys],
        allows: &[Key::Anchor2, Key::Length, Key::Pulleys, Key::Ratio],
        collides: true,
        ..held("pulley", "a massless cord over two fixed points joins two bodies, directly or as a tackle; a limit", "")
    },
};

const SIX_DOF: Entry = Entry {
    build: of::six_dof,
    particulars: Particulars {
        allows: &[Key::Translations, Key::Rotations],
        ..held("six-dof", "each of three translations and three rotations free, limited or locked", "")
    },
};

/// Former names of kinds, which scenes and programs may still use: the old name and the current one.
pub const ALIASES: &[(&str, &str)] = &[
    // steering and spin are those of a wheel
    ("wheel", "hinge2"),
];

/// The joints of this crate. Their parameters are the fields of [`JointDescription`](crate::JointDescription).
pub const KINDS: &[Implementation] = &{
    let mut all = [JointKind::Ball.particulars().described; JointKind::ALL.len()];
    let mut i = 0;
    while i < all.len() {
        all[i] = JointKind::ALL[i].particulars().described;
        i += 1;
    }
    all
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::JointDescription;
    use drystone_math::{Pose, Vec3};

    /// A description with everything that the kinds with free coordinates need.
    fn whole(kind: JointKind) -> JointDescription<'static> {
        let needs = |key| kind.particulars().needs.contains(&key);
        JointDescription {
            anchor: Some(Vec3::ZERO),
            axis: needs(Key::Axis).then_some(Vec3::Y),
            axis2: needs(Key::Axis2).then_some(Vec3::Z),
            lead: needs(Key::Lead).then_some(0.1),
            // a distance has a coordinate only if something acts on it
            friction: if kind.particulars().free.is_empty() { 0.0 } else { 1.0 },
            ..JointDescription::new(kind.name())
        }
    }

    #[test]
    fn free_coordinates_measure_what_the_table_says() {
        let (a, b) = (Pose::IDENTITY, Pose::from_position(Vec3::X));
        for kind in JointKind::ALL.into_iter().filter(|k| !k.particulars().free.is_empty()) {
            let d = whole(kind);
            let j = Builder { d: &d, kind: kind.particulars(), a: &a, b: &b };
            let mut made = j.begin().unwrap();
            kind.build()(&j, &mut made).unwrap();
            let mut free: Vec<_> = made.parts.iter().filter(|p| p.free > 0).collect();
            free.sort_by_key(|p| p.free);
            assert_eq!(free.len(), kind.particulars().free.len(), "{kind:?}");
            for (which, part) in (1..).zip(free) {
                assert_eq!(part.coordinate.is_periodic(), kind.has_angle(which), "{kind:?}, {which}");
            }
            assert!(!kind.has_angle(0) && !kind.has_angle(3));
        }
    }

    #[test]
    fn other_names_stand_for_a_kind() {
        for (other, present) in ALIASES {
            assert!(KINDS.iter().all(|k| k.name != *other));
            assert_eq!(JointKind::from_name(other).unwrap().name(), *present);
        }
    }
}
