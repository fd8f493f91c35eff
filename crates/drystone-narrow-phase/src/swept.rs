//! When do moving shapes meet? Conservative advancement: never a step longer than the gap over a bound on the speed at
//! which it closes. Tests at single instants miss whatever passes between them (J-08).

pub(crate) mod tree;

use crate::parts::parts;
use drystone_core::{NarrowPhase, PosedShape, UnsupportedPair};
use drystone_geometry::Shape;
use drystone_math::elementary::rotation_by;
use drystone_math::{Pose, Real, Vec3};

/// A steady motion of a frame.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Motion {
    /// Initial pose.
    pub start: Pose,
    /// Velocity of its origin (m/s).
    pub linear: Vec3,
    /// Angular velocity (rad/s, world frame).
    pub angular: Vec3,
}

impl Motion {
    /// Pose of the frame after a time (s).
    pub fn at(&self, time: Real) -> Pose {
        let turn = rotation_by(self.angular * time);
        Pose::new(self.start.position + self.linear * time, (turn * self.start.orientation).normalize())
    }
}

/// Result of a search for the time of impact.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Impact {
    /// They come within the tolerance at this time (s), for the first time.
    At(Real),
    /// They stay apart.
    Never,
    /// They stay apart until this time (s) at least; the iterations were used up.
    NotBefore(Real),
}

/// The first time in `[0, duration]` (s) at which two moving shapes are within `tolerance` (m), by conservative
/// advancement: a step never exceeds the distance over a bound on the speed of approach, so nothing is tunnelled through.
///
/// A pair with a mesh in it is advanced part by part: each pair of nodes of the ball trees has its own bound on the time until it
/// closes, and the least one counts, so triangles far from the axis of rotation or on the far side do not shorten the step. The
/// narrow phase is then queried at the start only.
///
/// # Errors
/// [`UnsupportedPair`] if the narrow phase does not support the pair.
///
/// # Source
/// Mirtich 1996; B-29, J-21. The bound is along the normal: rotation moves a point at r along it no faster than `|w x n| |r|`.
/// For meshes Tang, Kim and Manocha 2009 (controlled conservative advancement).
pub fn time_of_impact(
    narrow_phase: &dyn NarrowPhase,
    (a, motion_a): (&Shape, &Motion),
    (b, motion_b): (&Shape, &Motion),
    duration: Real,
    tolerance: Real,
    iterations: u32,
) -> Result<Impact, UnsupportedPair> {
    let mut seeds = Vec::new();
    let mut cache = [0; 4];
    let mut query = |time: Real| {
        let posed_a = PosedShape { shape: a, pose: motion_a.at(time) };
        let posed_b = PosedShape { shape: b, pose: motion_b.at(time) };
        narrow_phase.query(posed_a, posed_b, Real::INFINITY, &mut cache, &mut seeds)
    };
    if let Some(trees) = tree::Advance::new((a, motion_a), (b, motion_b), tolerance) {
        if query(0.0)?.distance <= tolerance {
            return Ok(Impact::At(0.0));
        }
        return Ok(trees.run(duration, iterations));
    }
    if let (Shape::Compound(_), _) | (_, Shape::Compound(_)) = (a, b) {
        if query(0.0)?.distance <= tolerance {
            return Ok(Impact::At(0.0));
        }
        return of_parts(narrow_phase, (a, motion_a), (b, motion_b), duration, (tolerance, iterations));
    }
    // for an unbounded shape, rotation acts at the other one's distance
    let reach = |s: &Shape, m: &Motion, other: &Shape, n: &Motion| {
        let r = s.bounding_radius();
        if r.is_finite() {
            return r;
        }
        let travelled = (m.linear - n.linear).length() * duration;
        (n.start.position - m.start.position).length() + travelled + other.bounding_radius()
    };
    let reach = [reach(a, motion_a, b, motion_b), reach(b, motion_b, a, motion_a)];
    let mut time = 0.0;
    for _ in 0..iterations {
        let p = query(time)?;
        if p.distance <= tolerance {
            return Ok(Impact::At(time));
        }
        let approach = approach(motion_a, motion_b, p.normal, reach);
        if approach <= 0.0 {
            return Ok(Impact::Never);
        }
        // aim at half the tolerance: the last step then lands within it
        time += (p.distance - 0.5 * tolerance) / approach;
        if time > duration {
            return Ok(Impact::Never);
        }
    }
    Ok(Impact::NotBefore(time))
}

/// The same where one is a compound: each pair of parts has its own direction, and the one that may close first decides the step. The normal between the nearest parts says nothing
/// about the others. Between parts that are not convex, the whole speed counts.
fn of_parts(
    narrow_phase: &dyn NarrowPhase,
    (a, motion_a): (&Shape, &Motion),
    (b, motion_b): (&Shape, &Motion),
    duration: Real,
    (tolerance, iterations): (Real, u32),
) -> Result<Impact, UnsupportedPair> {
    let mut seeds = Vec::new();
    let mut time = 0.0;
    for _ in 0..iterations {
        let posed = |shape, motion: &Motion| PosedShape { shape, pose: motion.at(time) };
        let (a, b) = (posed(a, motion_a), posed(b, motion_b));
        let mut step = Real::INFINITY;
        for x in parts(a) {
            for y in parts(b) {
                let p = narrow_phase.query(x, y, Real::INFINITY, &mut [0; 4], &mut seeds)?;
                if p.distance <= tolerance {
                    return Ok(Impact::At(time));
                }
                let reach = [(&a, &x), (&b, &y)].map(|(body, part)| {
                    let radius = part.shape.bounding_radius();
                    // of a plane, what comes near the other part within the duration
                    let far = if radius.is_finite() {
                        radius
                    } else {
                        p.distance + 2.0 * travel(motion_a, motion_b, duration)
                    };
                    let from = if radius.is_finite() { part.pose.position } else { p.witness_a };
                    (from - body.pose.position).length() + far
                });
                let flat = |s: &Shape| s.is_convex() || matches!(s, Shape::Plane(_));
                let closing = if flat(x.shape) && flat(y.shape) {
                    approach(motion_a, motion_b, p.normal, reach)
                } else {
                    let turning = |m: &Motion, r: Real| m.angular.length() * r;
                    (motion_a.linear - motion_b.linear).length()
                        + turning(motion_a, reach[0])
                        + turning(motion_b, reach[1])
                };
                if closing > 0.0 {
                    step = step.min((p.distance - 0.5 * tolerance) / closing);
                }
            }
        }
        time += step;
        if time > duration {
            return Ok(Impact::Never);
        }
    }
    Ok(Impact::NotBefore(time))
}

/// Distance that the frames of the two can move past each other within a time (m).
fn travel(a: &Motion, b: &Motion, duration: Real) -> Real {
    (a.linear - b.linear).length() * duration
}

/// A bound (m/s) on the speed at which points of the two, each within its reach (m) of its frame's origin, approach along
/// the fixed unit vector `n` from A to B.
fn approach(a: &Motion, b: &Motion, n: Vec3, reach: [Real; 2]) -> Real {
    let turning = |m: &Motion, r: Real| if m.angular == Vec3::ZERO { 0.0 } else { m.angular.cross(n).length() * r };
    (a.linear - b.linear).dot(n) + turning(a, reach[0]) + turning(b, reach[1])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Primitives;

    #[test]
    fn a_bullet_does_not_tunnel_through_a_plate() {
        let (ball, plate) = (Shape::sphere(0.01).unwrap(), Shape::cuboid(1.0, 1.0, 0.001).unwrap());
        let shot = Motion {
            start: Pose::from_position(Vec3::new(0.0, 0.0, 5.0)),
            linear: Vec3::new(0.0, 0.0, -1000.0),
            angular: Vec3::ZERO,
        };
        let still = Motion { start: Pose::IDENTITY, linear: Vec3::ZERO, angular: Vec3::new(0.0, 0.0, 3.0) };
        let hit = time_of_impact(&Primitives, (&ball, &shot), (&plate, &still), 0.02, 1e-6, 1000).unwrap();
        let Impact::At(t) = hit else { panic!("{hit:?}") };
        assert!((t - 4.989e-3).abs() < 2e-8, "{t}");
        let miss = Motion { start: Pose::from_position(Vec3::new(3.0, 0.0, 5.0)), ..shot };
        let hit = time_of_impact(&Primitives, (&ball, &miss), (&plate, &still), 0.02, 1e-6, 1000).unwrap();
        assert_eq!(hit, Impact::Never);
    }
}
