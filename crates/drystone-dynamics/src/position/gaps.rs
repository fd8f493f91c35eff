use crate::rows::Row;
use drystone_core::{AnchoredContact, GroupProblem, NormalOwner};
use drystone_math::elementary::{rotation_by, sin_cos};
use drystone_math::{Pose, Real, Twist, Vec3};

/// The distances of a group's contacts at the end of a step, as a function of the forces of these contacts, and their derivatives.
///
/// Forces are scaled: x is an impulse times h times what it alone does to its contact's rate, the distance that it opens.
///
/// # Source
/// E-29, Lennerz, Schömer and Warken 1999, equations (3) and (4).
#[derive(Debug, Clone, Default)]
pub(super) struct Gaps {
    h: Real,
    contacts: Vec<Contact>,
    /// By body: its velocity and pose at the end of the step.
    velocity: Vec<Twist>,
    pose: Vec<Pose>,
}

#[derive(Debug, Clone, Copy)]
struct Contact {
    bodies: [u32; 2],
    anchored: AnchoredContact,
    /// Velocity changes of A and B by x = 1.
    push: [Twist; 2],
    /// x of an impulse of one; zero where the impulse moves nothing.
    scale: Real,
}

impl Gaps {
    /// Takes in a group and a step.
    pub(super) fn load(&mut self, problem: &GroupProblem, h: Real) {
        self.h = h;
        self.contacts.clear();
        for (k, c) in problem.contacts.iter().enumerate() {
            let row = Row::contact(problem, k, c.normal, 0.0);
            let scale = h * row.response(&problem.bodies);
            let push = [0, 1].map(|side| {
                let (j, body) = (&row.jacobian[side], &problem.bodies[c.bodies[side] as usize]);
                let change = Twist::new(j.linear * body.inverse_mass, body.inverse_inertia.mul_vec(j.angular));
                if scale > 0.0 { change * (1.0 / scale) } else { Twist::ZERO }
            });
            self.contacts.push(Contact { bodies: c.bodies, anchored: problem.anchored(c), push, scale });
        }
        self.pose.clear();
        self.pose.extend(problem.bodies.iter().map(|b| b.pose));
    }

    /// x of an impulse of one at a contact.
    pub(super) fn scale(&self, contact: usize) -> Real {
        self.contacts[contact].scale
    }

    /// Velocity of a body at the end of the step.
    pub(super) fn velocity(&self, body: usize) -> Twist {
        self.velocity[body]
    }

    /// The end of the step with these forces.
    pub(super) fn move_by(&mut self, problem: &GroupProblem, x: &[Real]) {
        self.velocity.clear();
        self.velocity.extend(problem.bodies.iter().map(|b| b.velocity + b.external));
        for (c, x) in self.contacts.iter().zip(x) {
            for side in 0..2 {
                self.velocity[c.bodies[side] as usize] += c.push[side] * *x;
            }
        }
        for ((pose, velocity), body) in self.pose.iter_mut().zip(&self.velocity).zip(&problem.bodies) {
            // those that cannot be pushed move as they do, scripted ones too
            let way = *velocity * self.h;
            *pose = Pose::new(
                body.pose.position + way.linear,
                (rotation_by(way.angular) * body.pose.orientation).normalize(),
            );
        }
    }

    /// The distances there (m).
    pub(super) fn distances(&self, distance: &mut Vec<Real>) {
        distance.clear();
        distance.extend(self.contacts.iter().map(|c| {
            let [a, b] = c.bodies.map(|i| &self.pose[i as usize]);
            c.anchored.at(a, b).gap
        }));
    }

    /// The derivatives of one distance by all forces.
    pub(super) fn slopes(&self, contact: usize, slopes: &mut [Real]) {
        let own = &self.contacts[contact];
        let [a, b] = own.bodies.map(|i| &self.pose[i as usize]);
        let there = own.anchored.at(a, b);
        // a body that owns the normal turns the whole plane, so that the point of the other body is the one that counts
        let point = match own.anchored.owner {
            NormalOwner::A => there.points[1],
            NormalOwner::B => there.points[0],
            NormalOwner::Edges => (there.points[0] + there.points[1]) * 0.5,
        };
        let gradient = [(a, -1.0), (b, 1.0)].map(|(pose, sign)| (point - pose.position).cross(there.normal) * sign);
        let turned = [0, 1].map(|side| {
            let vector = self.velocity[own.bodies[side] as usize].angular * self.h;
            turn_back(vector, gradient[side])
        });
        for (slope, other) in slopes.iter_mut().zip(&self.contacts) {
            *slope = 0.0;
            for side in 0..2 {
                let sign = if side == 0 { -1.0 } else { 1.0 };
                for theirs in (0..2).filter(|&t| other.bodies[t] == own.bodies[side]) {
                    let push = &other.push[theirs];
                    *slope += self.h * (sign * there.normal.dot(push.linear) + turned[side].dot(push.angular));
                }
            }
        }
    }
}

/// `J^T g`, J the left Jacobian of the rotation by a vector: how the turn that a rotation vector stands for changes with it.
fn turn_back(vector: Vec3, g: Vec3) -> Vec3 {
    let angle = vector.length();
    if angle < 1e-4 {
        return g - vector.cross(g) * 0.5 + vector.cross(vector.cross(g)) * (1.0 / 6.0);
    }
    let (sin, cos) = sin_cos(angle);
    let (first, second) = ((1.0 - cos) / (angle * angle), (angle - sin) / (angle * angle * angle));
    g - vector.cross(g) * first + vector.cross(vector.cross(g)) * second
}

#[cfg(test)]
mod tests {
    use super::*;
    use drystone_testkit::Random;
    use drystone_testkit::problem::floating_pair;

    #[test]
    fn derivatives_by_the_forces_are_those_of_the_distances() {
        let mut random = Random::new(4);
        for round in 0..40 {
            let mut problem = floating_pair(&mut random);
            // fast turns in a long step: some radians
            for body in &mut problem.bodies {
                body.velocity.angular = random.vector(if round % 2 == 0 { 8.0 } else { 0.01 });
            }
            for (k, c) in problem.contacts.iter_mut().enumerate() {
                c.owner = [NormalOwner::A, NormalOwner::B, NormalOwner::Edges][(k + round) % 3];
                c.separation = random.range(-0.1, 0.1);
            }
            let mut gaps = Gaps::default();
            gaps.load(&problem, 0.1);
            let x = [0.02, 0.0, 0.07, 0.01];
            gaps.move_by(&problem, &x);
            let slopes: Vec<Vec<Real>> = (0..4)
                .map(|k| {
                    let mut row = vec![0.0; 4];
                    gaps.slopes(k, &mut row);
                    row
                })
                .collect();
            let (mut low, mut high) = (Vec::new(), Vec::new());
            for j in 0..4 {
                let step = 1e-5;
                for (sign, found) in [(-1.0, &mut low), (1.0, &mut high)] {
                    let mut x = x;
                    x[j] += sign * step;
                    gaps.move_by(&problem, &x);
                    gaps.distances(found);
                }
                for k in 0..4 {
                    let difference = (high[k] - low[k]) / (2.0 * step);
                    // normals across edges turn half with each body to first order only
                    let close = if problem.contacts[k].owner == NormalOwner::Edges { 0.3 } else { 1e-6 };
                    assert!((slopes[k][j] - difference).abs() < close, "{round}: {} {difference}", slopes[k][j]);
                }
            }
        }
    }
}
