//! Composition of each kind of joint.

use crate::builder::{Builder, Built, Made, held, is_length, number};
use crate::coordinate::Coordinate;
use crate::coordinate_joint::{Part, Side};
use crate::gear::{Gear, Mesh};
use crate::region::EllipticCone;
use crate::swing::swing_frame;
use crate::{AxisFreedom, JointBuildError};
use drystone_math::elementary::{cos, sin};
use drystone_math::{Real, Vec3, tangent_basis};
use std::f64::consts::PI;

pub(crate) fn ball(j: &Builder<'_>, made: &mut Made) -> Built<()> {
    j.point(&mut made.parts);
    if let Some(coordinate) = reach(j)? {
        made.parts.push(Part::new(coordinate, vec![j.limit(0.0, Side::Above)]));
    }
    if let Some(twist) = j.d.twist {
        let held = |bound: Real| bound.is_infinite() || bound.abs() <= PI;
        for bound in twist {
            number("twist", bound, "from -pi to pi, or infinite", held)?;
        }
        let coordinate = j.turn(j.axis()?);
        j.axis_freedom("twist", AxisFreedom::Limited(twist[0], twist[1]), coordinate, None, &mut made.parts)?;
    }
    Ok(())
}

/// Swing limit of a ball's axis.
fn reach(j: &Builder<'_>) -> Built<Option<Coordinate>> {
    let angle = |what, found: Real| number(what, found, "above 0 and below pi", |v| v > 0.0 && v < PI);
    let Some(cone) = j.d.cone else {
        return if j.d.cone2.is_some() { Err(j.missing("cone")) } else { Ok(None) };
    };
    let (cone, s) = (angle("cone", cone)?, j.axis()?);
    let Some(across) = j.d.cone2 else {
        let (a, b) = (j.in_a(s), j.in_b(s));
        return Ok(Some(Coordinate::Inclination { a, b, rest: cos(cone), scale: sin(cone) }));
    };
    let half_angles = [cone, angle("cone2", across)?];
    let second = j.axis2()?;
    if s.cross(second).length() < 1e-6 {
        return Err(JointBuildError::ParallelAxes { kind: j.kind.described.name });
    }
    let frame = swing_frame(s, Some(second), [j.a.orientation, j.b.orientation]);
    Ok(Some(Coordinate::Reach { frame, cone: EllipticCone { half_angles } }))
}

pub(crate) fn hinge(j: &Builder<'_>, made: &mut Made) -> Built<()> {
    let s = j.axis()?;
    j.point(&mut made.parts);
    j.parallel(s, &mut made.parts);
    j.coordinate(j.turn(s), 1, &mut made.parts)
}

pub(crate) fn slider(j: &Builder<'_>, made: &mut Made) -> Built<()> {
    let s = j.axis()?;
    j.align(&mut made.parts);
    j.line(s, &mut made.parts);
    j.coordinate(Coordinate::Along(j.in_a(s)), 1, &mut made.parts)
}

pub(crate) fn cylindrical(j: &Builder<'_>, made: &mut Made) -> Built<()> {
    let s = j.axis()?;
    j.line(s, &mut made.parts);
    j.parallel(s, &mut made.parts);
    j.coordinate(Coordinate::Along(j.in_a(s)), 1, &mut made.parts)?;
    j.coordinate(j.turn(s), 2, &mut made.parts)
}

pub(crate) fn universal(j: &Builder<'_>, made: &mut Made) -> Built<()> {
    j.point(&mut made.parts);
    j.two_axes(Some(0.0), &mut made.parts)
}

pub(crate) fn wheel(j: &Builder<'_>, made: &mut Made) -> Built<()> {
    j.suspended(&mut made.parts)?;
    j.two_axes(None, &mut made.parts)
}

#[allow(clippy::unnecessary_wraps, reason = "as every kind: the table has one type for all")]
pub(crate) fn fixed(j: &Builder<'_>, made: &mut Made) -> Built<()> {
    j.point(&mut made.parts);
    j.align(&mut made.parts);
    Ok(())
}

pub(crate) fn planar(j: &Builder<'_>, made: &mut Made) -> Built<()> {
    let n = j.axis()?;
    made.parts.push(j.lock(Coordinate::Along(j.in_a(n))));
    j.parallel(n, &mut made.parts);
    Ok(())
}

pub(crate) fn point_on_plane(j: &Builder<'_>, made: &mut Made) -> Built<()> {
    made.parts.push(j.lock(Coordinate::Along(j.in_a(j.axis()?))));
    Ok(())
}

pub(crate) fn point_on_line(j: &Builder<'_>, made: &mut Made) -> Built<()> {
    let s = j.axis()?;
    j.line(s, &mut made.parts);
    j.coordinate(Coordinate::Along(j.in_a(s)), 1, &mut made.parts)
}

pub(crate) fn rope(j: &Builder<'_>, made: &mut Made) -> Built<()> {
    let (length, axis) = j.rod(made.anchors);
    let limit = j.limit(held(length)?, Side::Below);
    made.parts.push(Part::new(Coordinate::Distance { rest: 0.0, axis }, vec![limit]));
    Ok(())
}

pub(crate) fn distance(j: &Builder<'_>, made: &mut Made) -> Built<()> {
    let (length, axis) = j.rod(made.anchors);
    let d = j.d;
    // limits, motors and springs act on the distance itself, a lock on its difference from the length
    if d.limits.is_some() || d.motor.is_some() || d.spring.is_some() || d.friction != 0.0 {
        return j.coordinate(Coordinate::Distance { rest: 0.0, axis }, 1, &mut made.parts);
    }
    made.parts.push(j.lock(Coordinate::Distance { rest: held(length)?, axis }));
    Ok(())
}

/// The rod keeps its height along the axis and its length; it is hinged at the foot of B's anchor on the axis.
pub(crate) fn revolute_spherical(j: &Builder<'_>, made: &mut Made) -> Built<()> {
    let s = j.axis()?;
    let [a, b] = made.anchors;
    let foot = a + s * s.dot(b - a);
    let length = j.d.length.unwrap_or_else(|| foot.distance(b));
    number("length", length, "finite and above zero", is_length)?;
    made.parts.push(j.lock(Coordinate::Along(j.in_a(s))));
    made.parts.push(j.lock(Coordinate::Distance { rest: length, axis: j.in_a(tangent_basis(s).0) }));
    made.anchors[0] = foot;
    Ok(())
}

pub(crate) fn gear(j: &Builder<'_>, made: &mut Made) -> Built<()> {
    let s = j.axis()?;
    let t = if j.d.axis2.is_some() { j.axis2()? } else { s };
    let mesh = match (j.d.teeth, j.d.ratio) {
        (Some(teeth), None) => {
            for n in teeth {
                number("teeth", Real::from(n), "not zero", |v| v != 0.0)?;
            }
            Mesh::Teeth(teeth.map(Real::from))
        }
        (None, Some(ratio)) => {
            Mesh::Ratio(number("ratio", ratio, "finite and not zero", |v| v.is_finite() && v != 0.0)?)
        }
        (Some(_), Some(_)) => return Err(j.surplus("ratio", "its teeth give it one")),
        (None, None) => return Err(j.missing("teeth")),
    };
    let offset = offset(j, Gear::offset_bound(mesh), "less than half a tooth or turn of the faster wheel")?;
    let gear = Gear::new([s, t], made.anchors, [&|v| j.in_a(v), &|v| j.in_b(v)], mesh, offset);
    made.parts.push(j.lock(Coordinate::Gear(gear)));
    Ok(())
}

/// The offset of a coupling, short of what would be taken for another turn.
fn offset(j: &Builder<'_>, bound: Real, allowed: &'static str) -> Built<Real> {
    number("offset", j.d.offset.unwrap_or(0.0), allowed, |v| v.abs() < bound)
}

pub(crate) fn screw(j: &Builder<'_>, made: &mut Made) -> Built<()> {
    let s = j.axis()?;
    let lead = j.d.lead.ok_or_else(|| j.missing("lead"))?;
    number("lead", lead, "a length other than zero", |v| v.is_finite() && v != 0.0)?;
    let offset = offset(j, 0.5 * lead.abs(), "less than half the lead")?;
    j.line(s, &mut made.parts);
    j.parallel(s, &mut made.parts);
    made.parts.push(j.lock(Coordinate::Screw { axis: j.in_a(s), lead, offset }));
    j.coordinate(Coordinate::Along(j.in_a(s)), 1, &mut made.parts)
}

pub(crate) fn rack_and_pinion(j: &Builder<'_>, made: &mut Made) -> Built<()> {
    let (axis, along) = (j.axis()?, j.axis2()?);
    if axis.cross(along).length() < 1e-6 {
        return Err(JointBuildError::ParallelAxes { kind: j.kind.described.name });
    }
    let radius = j.d.radius.ok_or_else(|| j.missing("radius"))?;
    number("radius", radius, "a length other than zero", |v| v.is_finite() && v != 0.0)?;
    let offset = offset(j, PI * radius.abs(), "less than half a turn of the pinion")?;
    made.parts.push(j.lock(Coordinate::Rack { axis: j.in_a(axis), along: j.in_b(along), radius, offset }));
    Ok(())
}

pub(crate) fn pulley(j: &Builder<'_>, made: &mut Made) -> Built<()> {
    let over = j.d.pulleys.ok_or_else(|| j.missing("pulleys"))?;
    for x in over.into_iter().flat_map(|p| p.to_array()) {
        number("pulleys", x, "finite", Real::is_finite)?;
    }
    let ratio = j.d.ratio.unwrap_or(1.0);
    number("ratio", ratio, "finite and above zero", |v| v.is_finite() && v > 0.0)?;
    let [a, b] = made.anchors;
    let length = j.d.length.unwrap_or_else(|| a.distance(over[0]) + ratio * b.distance(over[1]));
    let limit = j.limit(held(length)?, Side::Below);
    made.parts.push(Part::new(Coordinate::Pulley { over, ratio }, vec![limit]));
    Ok(())
}

pub(crate) fn six_dof(j: &Builder<'_>, made: &mut Made) -> Built<()> {
    let x = if j.d.axis.is_some() { j.axis()? } else { Vec3::X };
    let frame = if j.d.axis2.is_some() {
        let z = x.cross(j.axis2()?);
        let z = z.try_normalize().ok_or(JointBuildError::ParallelAxes { kind: j.kind.described.name })?;
        [x, z.cross(x), z]
    } else if j.d.axis.is_some() {
        let (y, z) = tangent_basis(x);
        [x, y, z]
    } else {
        Vec3::AXES
    };
    for (e, freedom) in frame.into_iter().zip(j.d.translations) {
        j.axis_freedom("translations", freedom, Coordinate::Along(j.in_a(e)), None, &mut made.parts)?;
    }
    for (e, freedom) in frame.into_iter().zip(j.d.rotations) {
        let lock = Coordinate::Misalignment(j.in_a(e));
        j.axis_freedom("rotations", freedom, j.turn(e), Some(lock), &mut made.parts)?;
    }
    Ok(())
}
