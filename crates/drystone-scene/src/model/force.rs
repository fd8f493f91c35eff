use super::{BodyEntry, BodyNames, Cursor, Fields, Reading};
use crate::fault::{FaultKind, Location};
use drystone_math::{Real, Vec3};

/// The kinds of force the format has.
const KINDS: [&str; 4] = ["spring", "mouse-spring", "damping", "point-gravity"];

/// An entry of `[[forces]]`.
#[derive(Debug, Clone, PartialEq)]
pub struct ForceEntry {
    /// What it is.
    pub kind: ForceKind,
    /// Where it stands in the scene.
    pub location: Location,
}

/// A force other than uniform gravity.
#[derive(Debug, Clone, PartialEq)]
pub enum ForceKind {
    /// A damped spring between two points.
    Spring {
        /// Columns of the bodies; `None` is the fixed world frame.
        bodies: [Option<usize>; 2],
        /// End points, each in its body's frame (m).
        anchors: [Vec3; 2],
        /// Stiffness (N/m).
        stiffness: Real,
        /// Damping (N s/m).
        damping: Real,
        /// Length without force (m); the initial length where not given.
        rest_length: Option<Real>,
    },
    /// A damped pull of a body's point to a point of the world.
    MouseSpring {
        /// The body's column.
        body: usize,
        /// The point, body frame (m).
        anchor: Vec3,
        /// Where it is pulled, world frame (m).
        target: Vec3,
        /// Stiffness (N/m).
        stiffness: Real,
        /// Damping (N s/m).
        damping: Real,
    },
    /// A resistance in proportion to velocity, on every dynamic body.
    Damping {
        /// Force by velocity (N s/m).
        linear: Real,
        /// Torque by angular velocity (N m s).
        angular: Real,
    },
    /// An attraction to a point in inverse proportion to the squared distance, on every dynamic body.
    PointGravity {
        /// The point, world frame (m).
        center: Vec3,
        /// Gravitational parameter G M (m^3/s^2).
        strength: Real,
    },
}

/// Reads `[[forces]]`.
pub(crate) fn read_forces(at: Option<&Cursor<'_>>, bodies: &[BodyEntry], r: &mut Reading) -> Vec<ForceEntry> {
    let names = BodyNames::new(bodies);
    let items = at.and_then(|c| c.items(r)).unwrap_or_default();
    items.iter().filter_map(|c| read_force(c, &names, bodies, r)).collect()
}

fn read_force(c: &Cursor<'_>, names: &BodyNames<'_>, bodies: &[BodyEntry], r: &mut Reading) -> Option<ForceEntry> {
    let mut f = c.fields(r)?;
    let kind = f.require("kind", &format!("one of {}", KINDS.join(", ")), r)?.choice(&KINDS, r)?;
    let kind = match kind {
        "spring" => spring(&mut f, names, bodies, r),
        "mouse-spring" => mouse_spring(&mut f, names, bodies, r),
        "damping" => damping(&mut f, r),
        _ => point_gravity(&mut f, r),
    };
    f.finish(r);
    Some(ForceEntry { kind: kind?, location: r.location(c) })
}

fn spring(f: &mut Fields<'_>, names: &BodyNames<'_>, bodies: &[BodyEntry], r: &mut Reading) -> Option<ForceKind> {
    let pair = f
        .require("bodies", "a list of two names of bodies, one of which may be \"world\"", r)
        .and_then(|c| super::joint::read_pair(&c, names, bodies, r));
    let anchors = f.get("anchors").map_or(Some([Vec3::ZERO; 2]), |c| {
        let points = c.points(r)?;
        let Ok(two) = <[Vec3; 2]>::try_from(points) else {
            r.wrong(&c, "a list of two points");
            return None;
        };
        Some(two)
    });
    let stiffness = f.require("stiffness", "a finite number, zero or more", r).and_then(|c| c.not_negative(r));
    let damping = f.get("damping").map_or(Some(0.0), |c| c.not_negative(r));
    let rest_length = f.get("rest_length").map_or(Some(None), |c| c.not_negative(r).map(Some));
    Some(ForceKind::Spring {
        bodies: pair?,
        anchors: anchors?,
        stiffness: stiffness?,
        damping: damping?,
        rest_length: rest_length?,
    })
}

fn mouse_spring(f: &mut Fields<'_>, names: &BodyNames<'_>, bodies: &[BodyEntry], r: &mut Reading) -> Option<ForceKind> {
    let body = f.require("body", "the name of a dynamic body", r).and_then(|c| {
        let column = names.resolve(&c, false, r)?.column(bodies)?;
        let entry = bodies.partition_point(|b| b.first <= column) - 1;
        if !bodies[entry].properties.is_dynamic() {
            let found = "a body that no force moves".to_owned();
            r.fault(&c, FaultKind::Value { found, allowed: "a dynamic body".to_owned() });
            return None;
        }
        Some(column)
    });
    let anchor = f.get("anchor").map_or(Some(Vec3::ZERO), |c| c.vec3(r));
    let target = f.require("target", "a list of 3 finite numbers", r).and_then(|c| c.vec3(r));
    let stiffness = f.require("stiffness", "a finite number, zero or more", r).and_then(|c| c.not_negative(r));
    let damping = f.get("damping").map_or(Some(0.0), |c| c.not_negative(r));
    Some(ForceKind::MouseSpring {
        body: body?,
        anchor: anchor?,
        target: target?,
        stiffness: stiffness?,
        damping: damping?,
    })
}

fn damping(f: &mut Fields<'_>, r: &mut Reading) -> Option<ForceKind> {
    let linear = f.get("linear").map_or(Some(0.0), |c| c.not_negative(r));
    let angular = f.get("angular").map_or(Some(0.0), |c| c.not_negative(r));
    Some(ForceKind::Damping { linear: linear?, angular: angular? })
}

fn point_gravity(f: &mut Fields<'_>, r: &mut Reading) -> Option<ForceKind> {
    let center = f.get("center").map_or(Some(Vec3::ZERO), |c| c.vec3(r));
    let strength = f.require("strength", "a finite number", r).and_then(|c| c.real(r));
    Some(ForceKind::PointGravity { center: center?, strength: strength? })
}
