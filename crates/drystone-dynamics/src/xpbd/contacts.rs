use super::contact::PositionContact;
use super::static_friction::stick;
use crate::moving::{MOST, MovingBody, Patch};
use drystone_core::{GroupAnswer, GroupProblem};
use drystone_math::Real;

/// The contacts of a group.
#[derive(Debug, Clone, Default)]
pub(super) struct PositionContacts {
    list: Vec<PositionContact>,
    /// The points of a face, which are put right at once.
    patches: Vec<Patch>,
    /// True if this sub-step visits them from the last one to the first.
    backwards: bool,
}

impl PositionContacts {
    /// As at the start of a step; `scale` makes impulses of the last one multipliers of a sub-step.
    pub(super) fn start(&mut self, problem: &GroupProblem, scale: Real) {
        Patch::cut(problem, MOST, &mut self.patches);
        self.backwards = false;
        self.list.clear();
        self.list.extend((0..problem.contacts.len()).map(|k| PositionContact::of(problem, k, scale)));
    }

    /// Before the motion of a sub-step.
    pub(super) fn begin(&mut self, bodies: &[MovingBody]) {
        self.backwards = !self.backwards;
        self.list.iter_mut().for_each(|c| c.begin(bodies));
    }

    /// One pass over the positions.
    pub(super) fn project(&mut self, bodies: &mut [MovingBody]) {
        self.each_face(|p, points| project(p, points, bodies));
    }

    /// Dynamic friction and restitution, after a sub-step of `h` seconds.
    pub(super) fn change_velocities(&mut self, bodies: &mut [MovingBody], h: Real, resting: Real) {
        self.each_face(|p, points| change_velocities(p, points, bodies, [h, resting]));
    }

    /// To and fro, sub-step by sub-step: what one order favours the other does not.
    fn each_face(&mut self, mut visit: impl FnMut(&mut Patch, &mut [PositionContact])) {
        let Self { list, patches, backwards } = self;
        let visit = |p: &mut Patch| {
            let points = &mut list[p.points.clone()];
            visit(p, points);
        };
        if *backwards {
            patches.iter_mut().rev().for_each(visit);
        } else {
            patches.iter_mut().for_each(visit);
        }
    }

    pub(super) fn write(&self, answer: &mut GroupAnswer) {
        for (c, impulse) in self.list.iter().zip(&mut answer.contacts) {
            *impulse = c.total;
        }
    }
}

/// Puts the points of a face right, the deep ones at once.
fn project(p: &mut Patch, points: &mut [PositionContact], bodies: &mut [MovingBody]) {
    let (mut deep, mut wanted) = ([false; MOST], [0.0; MOST]);
    for (i, c) in points.iter_mut().enumerate() {
        c.at.follow(bodies);
        (deep[i], wanted[i]) = (c.at.gap < 0.0, -c.at.gap);
    }
    if !deep.contains(&true) {
        return;
    }
    p.prepare(bodies, |i| &points[i].at);
    let out = p.solve_among(deep, &wanted, &[0.0; MOST], &[0.0; MOST]);
    for (c, out) in points.iter_mut().zip(out).filter(|(_, out)| *out > 0.0) {
        c.normal += out;
        c.at.place().shift(bodies, c.at.normal * out);
    }
    stick(points, bodies);
}

/// Gives the points of a face that bear something the rates that they are to have, at once, and rubs them.
fn change_velocities(
    p: &mut Patch,
    points: &mut [PositionContact],
    bodies: &mut [MovingBody],
    [h, resting]: [Real; 2],
) {
    let (mut bears, mut wanted, mut out) = ([false; MOST], [0.0; MOST], [0.0; MOST]);
    for (i, c) in points.iter_mut().enumerate().filter(|(_, c)| c.normal > 0.0) {
        c.at.follow(bodies);
        (bears[i], wanted[i], out[i]) = (true, c.wants(bodies, resting), c.normal / h);
    }
    if !bears.contains(&true) {
        return;
    }
    p.prepare(bodies, |i| &points[i].at);
    let borne = p.solve_among(bears, &wanted, &[0.0; MOST], &out);
    for (c, (after, out)) in points.iter().zip(borne.iter().zip(out)) {
        c.at.push(bodies, c.at.normal * (after - out));
    }
    let bearing = points.iter_mut().zip(borne).zip(bears).filter(|(_, bears)| *bears);
    bearing.for_each(|((c, borne), _)| c.rub(bodies, borne, h));
}
