use crate::force::Anchor;
use drystone_core::{BodyIndex, Configuration, ConstraintRow, ForceField, State};
use drystone_math::{Real, Vec3, Wrench};
use std::any::Any;

/// A spring and a damper between two points.
///
/// With a rest length, the force lies along the line between the points, and the stretch and its rate are scalars. Without one, the force is `k d + c d'` with
/// the offset d as a vector, which is also defined when the points meet. Between two bodies whose points are apart, the sideways part of that damper keeps
/// linear momentum but not angular momentum.
///
/// In a world with inertia it acts through the constraint solver, by soft rows: it is never too stiff for a step, and bears what contacts and
/// joints bear in the same solve.
///
/// # Source
/// C-18, N-02.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SpringDamper {
    /// The two points.
    pub anchors: [Anchor; 2],
    /// Length without force (m), zero or more.
    pub rest_length: Real,
    /// Stiffness (N/m).
    pub stiffness: Real,
    /// Damping (N s/m).
    pub damping: Real,
    /// Upper limit on the force (N); may be infinite.
    pub max_force: Real,
}

impl SpringDamper {
    /// The spring by which a user drags a point of a body (body frame, m) to a target (world frame, m).
    pub fn mouse(body: BodyIndex, point: Vec3, target: Vec3, stiffness: Real, damping: Real, max_force: Real) -> Self {
        let anchors = [Anchor::Body { body, point }, Anchor::World(target)];
        Self { anchors, rest_length: 0.0, stiffness, damping, max_force }
    }

    /// The force on the first point (N, world frame); the second gets the opposite.
    fn force(&self, configuration: &Configuration, state: &State) -> Option<Vec3> {
        let (p, v) = self.anchors[0].motion(configuration, state)?;
        let (q, u) = self.anchors[1].motion(configuration, state)?;
        let (offset, rate) = (q - p, u - v);
        let force = if self.rest_length == 0.0 {
            offset * self.stiffness + rate * self.damping
        } else {
            let line = offset.normalize_or_zero();
            line * (self.stiffness * (offset.length() - self.rest_length) + self.damping * rate.dot(line))
        };
        Some(force.clamp_length_max(self.max_force.max(0.0)))
    }
}

impl ForceField for SpringDamper {
    fn as_any(&self) -> Option<&dyn Any> {
        Some(self)
    }

    fn gives_potential_only(&self) -> bool {
        self.stiffness >= 0.0 && self.damping >= 0.0
    }

    fn copied(&self) -> Option<Box<dyn ForceField>> {
        Some(Box::new(*self))
    }

    fn accumulate(&self, configuration: &Configuration, state: &State, wrenches: &mut [Wrench]) {
        if let Some(force) = self.force(configuration, state) {
            self.anchors[0].push(configuration, state, force, wrenches);
            self.anchors[1].push(configuration, state, -force, wrenches);
        }
    }

    fn linked_bodies(&self) -> Option<[Option<BodyIndex>; 2]> {
        let bodies = self.anchors.map(|a| a.body());
        let acts = self.max_force > 0.0 && self.stiffness >= 0.0 && self.damping >= 0.0;
        (acts && self.stiffness + self.damping > 0.0 && bodies[0] != bodies[1]).then_some(bodies)
    }

    fn rows(&self, configuration: &Configuration, state: &State, rows: &mut Vec<ConstraintRow>) {
        let [a, b] = self.anchors;
        let (Some(a), Some(b)) = (a.arm(configuration, state), b.arm(configuration, state)) else { return };
        if self.rest_length > 0.0 {
            rows.extend(self.along([a, b]));
        } else {
            self.isotropic([a, b], rows);
        }
    }

    /// `k s^2 / 2` for the stretch s, and linear in it beyond the stretch at which the largest force is reached.
    fn potential(&self, configuration: &Configuration, state: &State) -> Real {
        let points = self.anchors.map(|a| a.motion(configuration, state));
        let [Some((p, _)), Some((q, _))] = points else { return 0.0 };
        let stretch = ((q - p).length() - self.rest_length).abs();
        let yielding = self.max_force.max(0.0) / self.stiffness;
        if self.stiffness <= 0.0 || stretch <= yielding {
            return 0.5 * self.stiffness * stretch * stretch;
        }
        self.max_force.max(0.0) * (stretch - 0.5 * yielding)
    }

    fn remove_body(&mut self, removed: BodyIndex) -> bool {
        // both points must follow, whatever becomes of the first
        let left = self.anchors.each_mut().map(|a| a.remove_body(removed));
        left == [true; 2]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::force::fixtures::two_bodies;

    #[test]
    fn between_two_bodies_momentum_is_kept() {
        let (c, s) = two_bodies();
        let anchors = [
            Anchor::Body { body: BodyIndex(0), point: Vec3::new(0.2, 0.1, 0.4) },
            Anchor::Body { body: BodyIndex(1), point: Vec3::new(-0.2, 0.3, 0.1) },
        ];
        for rest_length in [0.0, 1.0] {
            let spring =
                SpringDamper { anchors, rest_length, stiffness: 40.0, damping: 3.0, max_force: Real::INFINITY };
            let mut w = [Wrench::ZERO; 2];
            spring.accumulate(&c, &s, &mut w);
            assert!(w[0].force.length() > 1.0 && w[0].force == -w[1].force);
            let moment = w[0].torque + s.position[0].cross(w[0].force) + w[1].torque + s.position[1].cross(w[1].force);
            // with a rest length the force is along the line, so the moments cancel; without one, those of the damper need not
            if rest_length > 0.0 {
                assert!(moment.length() < 1e-12, "{moment}");
            }
        }
    }

    #[test]
    fn rows_are_the_force() {
        let (c, s) = two_bodies();
        let anchors = [
            Anchor::Body { body: BodyIndex(0), point: Vec3::new(0.2, 0.1, 0.4) },
            Anchor::Body { body: BodyIndex(1), point: Vec3::new(-0.2, 0.3, 0.1) },
        ];
        for (rest_length, max_force) in [(0.0, Real::INFINITY), (1.0, Real::INFINITY), (0.0, 1e4), (1.0, 1e4)] {
            let spring = SpringDamper { anchors, rest_length, stiffness: 40.0, damping: 3.0, max_force };
            assert_eq!(spring.linked_bodies(), Some([Some(BodyIndex(0)), Some(BodyIndex(1))]));
            let mut wrenches = [Wrench::ZERO; 2];
            spring.accumulate(&c, &s, &mut wrenches);
            let mut rows = Vec::new();
            spring.rows(&c, &s, &mut rows);
            for (side, wrench) in wrenches.iter().enumerate() {
                let velocities = [0, 1].map(|i| s.velocity(BodyIndex(i)));
                let by_rows = rows.iter().fold(Wrench::ZERO, |sum, r| {
                    let f = -(spring.stiffness * r.error + spring.damping * r.rate(velocities));
                    assert!(f.abs() <= r.limits.hi && r.limits.lo == -r.limits.hi);
                    let j = r.jacobian[side];
                    sum + Wrench::new(j.linear * f, j.angular * f)
                });
                assert!((by_rows.force - wrench.force).length() < 1e-12, "{by_rows:?} {wrench:?}");
                assert!((by_rows.torque - wrench.torque).length() < 1e-12, "{by_rows:?} {wrench:?}");
            }
        }
    }

    #[test]
    fn bounds_of_rows_never_let_more_through_than_the_largest_force() {
        let (c, s) = two_bodies();
        for target in [Vec3::new(5.0, 1.0, 2.0), Vec3::splat(1e150)] {
            let spring = SpringDamper::mouse(BodyIndex(0), Vec3::ZERO, target, 1.0, 0.1, 50.0);
            let mut rows = Vec::new();
            spring.rows(&c, &s, &mut rows);
            let most = rows.iter().map(|r| r.limits.hi * r.limits.hi).sum::<Real>().sqrt();
            assert!((most / 50.0 - 1.0).abs() < 1e-12 && !rows.is_empty(), "{most}");
        }
    }

    #[test]
    fn a_far_drag_is_bounded() {
        let (c, s) = two_bodies();
        let spring = SpringDamper::mouse(BodyIndex(0), Vec3::ZERO, Vec3::splat(1e150), 1e3, 10.0, 50.0);
        let mut w = [Wrench::ZERO; 2];
        spring.accumulate(&c, &s, &mut w);
        assert!((w[0].force.length() - 50.0).abs() < 1e-9, "{:?}", w[0]);
    }

    #[test]
    fn force_is_the_gradient_of_the_potential() {
        let (c, mut s) = two_bodies();
        let anchors = [Anchor::Body { body: BodyIndex(1), point: Vec3::ZERO }, Anchor::World(Vec3::new(1.0, 2.0, 3.0))];
        for (rest_length, max_force) in [(0.0, Real::INFINITY), (2.0, Real::INFINITY), (1.0, 5.0)] {
            let spring = SpringDamper { anchors, rest_length, stiffness: 40.0, damping: 0.0, max_force };
            let mut w = [Wrench::ZERO; 2];
            spring.accumulate(&c, &s, &mut w);
            let (place, d) = (s.position[1], 1e-6);
            s.position[1] = place + Vec3::X * d;
            let up = spring.potential(&c, &s);
            s.position[1] = place - Vec3::X * d;
            let down = spring.potential(&c, &s);
            s.position[1] = place;
            assert!((w[1].force.x + (up - down) / (2.0 * d)).abs() < 1e-7);
        }
    }
}
