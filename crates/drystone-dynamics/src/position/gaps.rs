use crate::contact_rows::ContactFriction;
use crate::rows::Row;
use drystone_core::{AnchoredContact, GroupContact, GroupProblem, NormalOwner};
use drystone_math::elementary::{rotation_by, sin_cos};
use drystone_math::{Pose, Real, Twist, Vec3};

/// An arm off the normal by no more than this fraction is that of a sphere, whose nearest point stays where it is as it turns.
const ROUND: Real = 1e-9;

/// The distances of a group's contacts at the end of a step and the displacements over the step that friction opposes, as functions of the impulses at
/// these contacts, with their derivatives.
///
/// Impulses are scaled: x is an impulse times h times its own effect on the rate of its row, the distance that it opens.
/// Unknowns are ordered by contact: that along the normal, then those of its friction.
///
/// # Source
/// E-29, Lennerz, Schömer and Warken 1999, equations (3) and (4).
#[derive(Debug, Clone, Default)]
pub(super) struct Gaps {
    h: Real,
    pub(super) contacts: Vec<Contact>,
    pub(super) blocks: Vec<Block>,
    unknowns: Vec<Unknown>,
    /// For each body: its velocity and pose at the end of the step.
    velocity: Vec<Twist>,
    pose: Vec<Pose>,
    /// The unknowns that push each body, with the side; those of body i start at `first[i]`.
    pushing: Vec<(u32, u8)>,
    first: Vec<u32>,
}

/// A contact among the unknowns.
#[derive(Debug, Clone, Copy)]
pub(super) struct Contact {
    bodies: [u32; 2],
    anchored: AnchoredContact,
    /// For each side: the arm, in world axes, of a sphere there, which does not turn with its body; `None` if it is no sphere.
    round: [Option<Vec3>; 2],
    /// The unit normal at the start of the step.
    normal: Vec3,
    /// The tangents, and the coefficients along them.
    friction: ContactFriction,
    /// The unknown along its normal.
    pub(super) unknown: usize,
}

/// One or two unknowns of friction whose size is bounded by a contact's normal impulse.
#[derive(Debug, Clone, Copy)]
pub(super) struct Block {
    pub(super) contact: usize,
    pub(super) kind: BlockKind,
    pub(super) first: usize,
    pub(super) len: usize,
    /// The bound on their size, divided by the unknown along the normal.
    pub(super) ratio: Real,
}

/// Friction treatment of contacts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Rubbing {
    None,
    Coulomb,
}

/// The kind of motion that a block of friction opposes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum BlockKind {
    Sliding,
    Rolling,
    Spinning,
}

#[derive(Debug, Clone, Copy)]
struct Unknown {
    row: Row,
    /// Velocity changes of A and B for x = 1.
    push: [Twist; 2],
    /// x for a unit impulse; zero if the impulse moves nothing.
    scale: Real,
}

impl Gaps {
    /// Takes in a group and a step.
    pub(super) fn load(&mut self, problem: &GroupProblem, h: Real, rubbing: Rubbing) {
        self.h = h;
        self.contacts.clear();
        self.blocks.clear();
        self.unknowns.clear();
        for (k, c) in problem.contacts.iter().enumerate() {
            let friction = ContactFriction::of(problem, c);
            let unknown = self.unknowns.len();
            let row = Row::contact(problem, k, c.normal, 0.0);
            self.push(problem, row, h * row.response(&problem.bodies));
            let (anchored, round) = (problem.anchored(c), round_sides(problem, c));
            self.contacts.push(Contact { bodies: c.bodies, anchored, round, normal: c.normal, friction, unknown });
            if rubbing == Rubbing::Coulomb && self.unknowns[unknown].scale > 0.0 {
                self.load_friction(problem, k, &friction);
            }
        }
        self.pose.clear();
        self.pose.extend(problem.bodies.iter().map(|b| b.pose));
        self.list_pushes(problem);
    }

    fn push(&mut self, problem: &GroupProblem, row: Row, scale: Real) {
        let push = [0, 1].map(|side| {
            let (j, body) = (&row.jacobian[side], &problem.bodies[row.bodies[side] as usize]);
            let change = Twist::new(j.linear * body.inverse_mass, body.inverse_inertia.mul_vec(j.angular));
            if scale > 0.0 { change * (1.0 / scale) } else { Twist::ZERO }
        });
        self.unknowns.push(Unknown { row, push, scale });
    }

    /// Loads the rows of friction, each times its coefficient: all of a block then share the bound given by one normal impulse.
    fn load_friction(&mut self, problem: &GroupProblem, k: usize, friction: &ContactFriction) {
        let ContactFriction { tangents: [t1, t2], mu, spinning, rolling } = *friction;
        let along = |t: Vec3, by: Real| times(Row::contact(problem, k, t, 0.0), by);
        let about = |axis: Vec3, by: Real| times(Row::turning(problem, k, axis), by);
        let normal = problem.contacts[k].normal;
        if mu != [0.0; 2] {
            self.push_block(problem, k, BlockKind::Sliding, &[along(t1, mu[0]), along(t2, mu[1])]);
        }
        if rolling > 0.0 {
            self.push_block(problem, k, BlockKind::Rolling, &[about(t1, rolling), about(t2, rolling)]);
        }
        if spinning > 0.0 {
            self.push_block(problem, k, BlockKind::Spinning, &[about(normal, spinning)]);
        }
    }

    fn push_block(&mut self, problem: &GroupProblem, contact: usize, kind: BlockKind, rows: &[Row]) {
        // no direction of the block opens more than one
        let scale = self.h * rows.iter().map(|r| r.response(&problem.bodies)).sum::<Real>();
        if scale > 0.0 {
            let ratio = scale / self.unknowns[self.contacts[contact].unknown].scale;
            self.blocks.push(Block { contact, kind, first: self.unknowns.len(), len: rows.len(), ratio });
            for row in rows {
                self.push(problem, *row, scale);
            }
        }
    }

    /// Lists which unknowns push which body.
    fn list_pushes(&mut self, problem: &GroupProblem) {
        let Self { unknowns, first, pushing, .. } = self;
        let sides = |u: &Unknown| u.row.bodies.map(|b| b as usize);
        let moves = |body: usize| problem.bodies[body].is_movable();
        first.clear();
        first.resize(problem.bodies.len() + 1, 0);
        for body in unknowns.iter().flat_map(sides).filter(|b| moves(*b)) {
            first[body + 1] += 1;
        }
        for i in 1..first.len() {
            first[i] += first[i - 1];
        }
        pushing.clear();
        pushing.resize(first.last().map_or(0, |n| *n as usize), (0, 0));
        for (k, u) in unknowns.iter().enumerate() {
            for (side, body) in sides(u).into_iter().enumerate().filter(|(_, b)| moves(*b)) {
                pushing[first[body] as usize] = (k as u32, side as u8);
                first[body] += 1;
            }
        }
        // each start has advanced to where the next one began
        first.rotate_right(1);
        first[0] = 0;
    }

    /// Number of unknowns.
    pub(super) fn len(&self) -> usize {
        self.unknowns.len()
    }

    /// x for a unit impulse.
    pub(super) fn scale(&self, unknown: usize) -> Real {
        self.unknowns[unknown].scale
    }

    /// The tangents of a contact, and the coefficients along them.
    pub(super) fn friction(&self, contact: usize) -> &ContactFriction {
        &self.contacts[contact].friction
    }

    /// Velocity of a body at the end of the step.
    pub(super) fn velocity(&self, body: usize) -> Twist {
        self.velocity[body]
    }

    /// Computes the end of the step with these impulses.
    pub(super) fn move_by(&mut self, problem: &GroupProblem, x: &[Real]) {
        self.velocity.clear();
        self.velocity.extend(problem.bodies.iter().map(|b| b.velocity + b.external));
        for (u, x) in self.unknowns.iter().zip(x) {
            for side in 0..2 {
                self.velocity[u.row.bodies[side] as usize] += u.push[side] * *x;
            }
        }
        for body in 0..problem.bodies.len() {
            self.place(problem, body);
        }
    }

    /// Changes one unknown: velocities are updated at once, poses by [`Gaps::place_bodies`].
    pub(super) fn change(&mut self, unknown: usize, by: Real) {
        let u = &self.unknowns[unknown];
        for side in 0..2 {
            self.velocity[u.row.bodies[side] as usize] += u.push[side] * by;
        }
    }

    /// Places the bodies of a contact where their velocities lead.
    pub(super) fn place_bodies(&mut self, problem: &GroupProblem, contact: usize) {
        for body in self.contacts[contact].bodies {
            self.place(problem, body as usize);
        }
    }

    fn place(&mut self, problem: &GroupProblem, body: usize) {
        // bodies that cannot be pushed, including scripted ones, move as they do
        let (way, from) = (self.velocity[body] * self.h, &problem.bodies[body].pose);
        let orientation = (rotation_by(way.angular) * from.orientation).normalize();
        self.pose[body] = Pose::new(from.position + way.linear, orientation);
    }

    /// The normal, the points on the surfaces, and the distance of a contact at the end of the step.
    fn there(&self, contact: &Contact) -> (Vec3, [Vec3; 2], Real) {
        let poses = contact.bodies.map(|i| &self.pose[i as usize]);
        if contact.round == [None; 2] {
            let there = contact.anchored.at(poses[0], poses[1]);
            return (there.normal, there.points, there.gap);
        }
        let turned = [0, 1].map(|k| match contact.round[k] {
            Some(_) => contact.normal,
            None => poses[k].direction(contact.anchored.normals[k]),
        });
        let points = [0, 1].map(|k| match contact.round[k] {
            Some(arm) => poses[k].position + arm,
            None => poses[k].point(contact.anchored.anchors[k]),
        });
        let normal = contact.anchored.owner.turned(turned[0], turned[1]);
        (normal, points, normal.dot(points[1] - points[0]))
    }

    /// The distance of a contact at the end of the step (m).
    pub(super) fn distance(&self, contact: usize) -> Real {
        self.there(&self.contacts[contact]).2
    }

    /// The displacement along a row of friction over the step, times its coefficient.
    pub(super) fn way(&self, unknown: usize) -> Real {
        let row = &self.unknowns[unknown].row;
        self.h * row.rate(row.bodies.map(|i| self.velocity[i as usize]))
    }

    /// The derivatives of one distance by all unknowns.
    pub(super) fn distance_slopes(&self, contact: usize, slopes: &mut [Real]) {
        let own = &self.contacts[contact];
        let (normal, points, _) = self.there(own);
        let across = normal.cross(points[1] - points[0]);
        let gradient = [0, 1].map(|side| {
            let sign = if side == 0 { -1.0 } else { 1.0 };
            let body = own.bodies[side] as usize;
            if own.round[side].is_some() {
                return Twist::new(normal * sign, Vec3::ZERO);
            }
            // the plane of the contact turns with the body that the normal belongs to
            let share = match (own.anchored.owner, side) {
                (NormalOwner::A, 0) | (NormalOwner::B, 1) => 1.0,
                (NormalOwner::Edges, _) => 0.5,
                _ => 0.0,
            };
            let turning = (points[side] - self.pose[body].position).cross(normal) * sign + across * share;
            Twist::new(normal * sign, turn_back(self.velocity[body].angular * self.h, turning))
        });
        self.add_slopes(own.bodies, gradient, slopes);
    }

    /// The derivatives of one displacement of friction by all unknowns.
    pub(super) fn way_slopes(&self, unknown: usize, slopes: &mut [Real]) {
        let row = &self.unknowns[unknown].row;
        self.add_slopes(row.bodies, row.jacobian, slopes);
    }

    fn add_slopes(&self, bodies: [u32; 2], gradient: [Twist; 2], slopes: &mut [Real]) {
        slopes.fill(0.0);
        for (body, g) in bodies.iter().zip(gradient) {
            let here = self.first[*body as usize] as usize..self.first[*body as usize + 1] as usize;
            for &(unknown, side) in &self.pushing[here] {
                let push = &self.unknowns[unknown as usize].push[side as usize];
                slopes[unknown as usize] += self.h * (g.linear.dot(push.linear) + g.angular.dot(push.angular));
            }
        }
    }
}

fn times(mut row: Row, by: Real) -> Row {
    row.jacobian = row.jacobian.map(|j| j * by);
    row
}

/// Which sides of a contact are spheres, with their arms along the normal.
fn round_sides(problem: &GroupProblem, c: &GroupContact) -> [Option<Vec3>; 2] {
    [0, 1].map(|side| {
        let sign = if side == 0 { -0.5 } else { 0.5 };
        let point = c.position + c.normal * (sign * c.separation);
        let arm = point - problem.bodies[c.bodies[side] as usize].pose.position;
        let is_round = c.owner != NormalOwner::Edges && arm.cross(c.normal).length() <= ROUND * arm.length();
        is_round.then_some(arm)
    })
}

/// `J^T g`, J the left Jacobian of the rotation by a vector: how the turn described by a rotation vector changes with it.
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

    // E-29
    #[test]
    fn derivatives_by_the_impulses_are_those_of_distances_and_ways() {
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
                c.friction = 0.7;
            }
            let mut gaps = Gaps::default();
            gaps.load(&problem, 0.1, Rubbing::Coulomb);
            let n = gaps.len();
            assert_eq!((n, gaps.blocks.len()), (12, 4));
            let x: Vec<Real> = (0..n).map(|k| 0.02 * (k % 4) as Real).collect();
            // distances of contacts, followed by displacements of friction
            let all = |gaps: &mut Gaps, x: &[Real]| -> Vec<Real> {
                gaps.move_by(&problem, x);
                let ways: Vec<usize> = gaps.blocks.iter().flat_map(|b| b.first..b.first + b.len).collect();
                (0..4).map(|k| gaps.distance(k)).chain(ways.into_iter().map(|w| gaps.way(w))).collect()
            };
            all(&mut gaps, &x);
            let ways: Vec<usize> = gaps.blocks.iter().flat_map(|b| b.first..b.first + b.len).collect();
            let slopes: Vec<Vec<Real>> = (0..n)
                .map(|k| {
                    let mut row = vec![0.0; n];
                    if k < 4 {
                        gaps.distance_slopes(k, &mut row);
                    } else {
                        gaps.way_slopes(ways[k - 4], &mut row);
                    }
                    row
                })
                .collect();
            for j in 0..n {
                let step = 1e-5;
                let [low, high] = [-step, step].map(|by| {
                    let mut moved = x.clone();
                    moved[j] += by;
                    all(&mut gaps, &moved)
                });
                for k in 0..n {
                    let difference = (high[k] - low[k]) / (2.0 * step);
                    // the normals of edge contacts turn by half with each body, which is correct only to first order
                    let is_edges = k < 4 && problem.contacts[k].owner == NormalOwner::Edges;
                    let close = if is_edges { 0.3 } else { 1e-6 };
                    assert!((slopes[k][j] - difference).abs() < close, "{round}: {} {difference}", slopes[k][j]);
                }
            }
        }
    }
}
