use super::block::{Block, System};
use super::parameters::{AvbdParameters, Scale};
use crate::moving::{MovingBody, PairPoint, ReboundBound, rebound_energy};
use drystone_core::{ContactImpulse, GroupAnswer, GroupContact, GroupProblem};
use drystone_math::{Real, Twist, Vec3, tangent_basis};

/// A contact: one constraint along its normal, two across it, linear in the displacements of its bodies.
#[derive(Debug, Clone, Copy)]
struct DescentContact {
    bodies: [u32; 2],
    /// From the centres of mass to the point (m).
    arms: [Vec3; 2],
    /// The normal, from A to B, and two tangents.
    axes: [Vec3; 3],
    gap: Real,
    /// The part of the gap that is left alone.
    spared: Real,
    friction: Real,
    restitution: Real,
    /// Relative velocity at the start of the step, and its part along the normal (m/s).
    velocity: Vec3,
    approach: Real,
    /// Multipliers along the axes (N).
    force: [Real; 3],
    /// Stiffness along and across the normal (N/m).
    stiffness: [Real; 2],
    /// The stiffness that halves an error along the normal in one visit (N/m).
    unit: Real,
    /// The force that it bore in the last step (N).
    load: Real,
    /// Impulses of restitution: along the normal and across it (N s).
    bounce: Real,
    rub: Vec3,
}

/// The forces of a contact for given errors, the stiffness along and across the normal that stands for their change, and which of the two are within their bounds.
struct Pull {
    force: [Real; 3],
    stiffness: [Real; 2],
    within: [bool; 2],
}

/// The contacts of a group.
#[derive(Debug, Clone, Default)]
pub(super) struct DescentContacts {
    list: Vec<DescentContact>,
    bound: ReboundBound,
}

impl DescentContacts {
    /// Sets them up for the start of a step of `h` seconds.
    pub(super) fn start(&mut self, problem: &GroupProblem, parameters: &AvbdParameters, h: Real) {
        self.bound.make_room(problem.bodies.len());
        self.list.clear();
        self.list.extend(problem.contacts.iter().enumerate().map(|(i, c)| {
            let known = problem.contact_stiffness.get(i).copied().unwrap_or_default();
            DescentContact::of(problem, c, known, parameters, h)
        }));
    }

    /// The bodies of each contact.
    pub(super) fn ends(&self) -> impl Iterator<Item = [u32; 2]> + Clone + '_ {
        self.list.iter().map(|c| c.bodies)
    }

    /// Adds the forces of the last step to those on each body (N).
    pub(super) fn add_forces(&self, forces: &mut [Vec3]) {
        for c in &self.list {
            let force = c.axes[0] * c.force[0] + c.axes[1] * c.force[1] + c.axes[2] * c.force[2];
            forces[c.bodies[0] as usize] -= force;
            forces[c.bodies[1] as usize] += force;
        }
    }

    /// Adds one contact to the system of one of its bodies.
    pub(super) fn add_to(&self, (contact, side): (usize, usize), lagged: bool, blocks: &[Block], system: &mut System) {
        let c = &self.list[contact];
        let sign = if side == 0 { -1.0 } else { 1.0 };
        let errors = c.errors(blocks);
        let pull = if lagged { c.pull_of_last(errors) } else { c.pull(errors) };
        for (k, axis) in c.axes.iter().enumerate() {
            let along = *axis * sign;
            system.add(
                &Twist::new(along, c.arms[side].cross(along)),
                pull.force[k],
                pull.stiffness[usize::from(k > 0)],
            );
        }
    }

    /// Multipliers and stiffness after a sweep.
    pub(super) fn update(&mut self, blocks: &[Block], parameters: &AvbdParameters, scale: Scale) {
        for c in &mut self.list {
            let errors = c.errors(blocks);
            let pull = c.pull(errors);
            let scale = scale.under(parameters.stiffness_start * c.unit, c.load.min(pull.force[0]));
            let errors = [errors[0], (errors[1] * errors[1] + errors[2] * errors[2]).sqrt()];
            for (k, (error, within)) in c.stiffness.iter_mut().zip(errors.into_iter().zip(pull.within)) {
                if within {
                    *k = parameters.grown(*k, error, scale);
                }
                *k = k.min(scale.most(parameters));
            }
            if parameters.dual_update {
                c.force = pull.force;
            }
        }
    }

    /// From now on errors are removed completely.
    pub(super) fn spare_nothing(&mut self) {
        for c in &mut self.list {
            c.spared = 0.0;
        }
    }

    /// Records the forces at the end, if there are no multipliers that give them.
    pub(super) fn conclude(&mut self, blocks: &[Block]) {
        for c in &mut self.list {
            c.force = c.pull(c.errors(blocks)).force;
        }
    }

    /// Restitution: a contact that bore and approached faster than `resting` leaves at the fraction of that speed given by its coefficient, with friction for all that it bears.
    pub(super) fn rebound(&mut self, bodies: &mut [MovingBody], parameters: &AvbdParameters, [h, resting]: [Real; 2]) {
        let bounces = |c: &DescentContact| c.restitution > 0.0 && c.force[0] > 0.0 && c.approach < -resting;
        let Self { list, bound } = self;
        if !list.iter().any(bounces) {
            return;
        }
        bound.begin(bodies);
        let taken = list.iter().filter(|c| bounces(c)).map(|c| (c.restitution, c.taken(bodies, h)));
        let most = rebound_energy(taken);
        for _ in 0..parameters.restitution_iterations {
            for c in list.iter_mut().filter(|c| bounces(c)) {
                c.rebound(bodies, h);
            }
        }
        let part = bound.end(bodies, most, &list.iter().map(|c| (c.place(), c.axes[0] * c.bounce + c.rub)));
        for c in list {
            c.bounce *= part;
            c.rub *= part;
        }
    }

    /// Writes impulses and stiffness.
    pub(super) fn write(&self, h: Real, answer: &mut GroupAnswer) {
        for (c, impulse) in self.list.iter().zip(&mut answer.contacts) {
            *impulse = ContactImpulse { normal: c.force[0] * h + c.bounce, friction: c.friction_over(h) + c.rub };
        }
        answer.contact_stiffness.extend(self.list.iter().map(|c| c.stiffness));
    }
}

impl DescentContact {
    fn of(problem: &GroupProblem, c: &GroupContact, known: [Real; 2], parameters: &AvbdParameters, h: Real) -> Self {
        let bodies = c.bodies.map(|i| &problem.bodies[i as usize]);
        let arms = bodies.map(|b| c.position - b.pose.position);
        let (first, second) = tangent_basis(c.normal);
        let axes = [c.normal, first, second];
        let response: Real =
            (0..2).map(|k| bodies[k].inverse_mass + bodies[k].inverse_inertia.quadratic(arms[k].cross(c.normal))).sum();
        let unit = if response > 0.0 { 1.0 / (h * h * response) } else { 0.0 };
        let [kept, slid] = [parameters.kept() / h, parameters.kept_across() / h];
        let [v, w] = [0, 1].map(|k| bodies[k].velocity.at(arms[k]));
        let tangential = c.impulse.along([first, second]);
        Self {
            bodies: c.bodies,
            arms,
            axes,
            gap: c.separation,
            spared: parameters.spared() * c.separation.min(0.0),
            friction: c.friction,
            restitution: c.restitution,
            velocity: w - v,
            approach: c.normal.dot(w - v),
            force: [c.impulse.normal * kept, tangential[0] * slid, tangential[1] * slid],
            stiffness: known.map(|k| (parameters.kept_stiffness() * k).max(parameters.stiffness_start * unit)),
            unit,
            load: c.impulse.normal / h,
            bounce: 0.0,
            rub: Vec3::ZERO,
        }
    }

    fn place(&self) -> PairPoint {
        PairPoint { bodies: self.bodies, arms: self.arms }
    }

    /// The impulse of friction over a step of `h` seconds, without restitution (N s).
    fn friction_over(&self, h: Real) -> Vec3 {
        (self.axes[1] * self.force[1] + self.axes[2] * self.force[2]) * h
    }

    /// The energy that it took from its bodies in the step before restitution: by its normal alone, and with friction (J).
    fn taken(&self, bodies: &[MovingBody], h: Real) -> [Real; 2] {
        let mean = (self.velocity + self.place().relative_velocity(bodies)) * 0.5;
        let by_normal = -self.force[0] * h * self.axes[0].dot(mean);
        [by_normal, by_normal - self.friction_over(h).dot(mean)]
    }

    /// The speed of restitution along the normal, then friction within the disc of the whole normal impulse.
    fn rebound(&mut self, bodies: &mut [MovingBody], h: Real) {
        let at = self.place();
        let (n, least) = (self.axes[0], -self.force[0] * h);
        let wanted = -self.restitution * self.approach;
        let before = self.bounce;
        let missing = wanted - n.dot(at.relative_velocity(bodies));
        self.bounce = (before + missing / at.response(bodies, n, n)).max(least);
        at.push(bodies, n * (self.bounce - before));
        let slip = at.relative_velocity(bodies);
        let slip = slip - n * n.dot(slip);
        let Some(along) = slip.try_normalize() else { return };
        let now = self.friction_over(h) + self.rub;
        let stuck = now - along * (slip.length() / at.response(bodies, along, along));
        let change = stuck.clamp_length_max(self.friction * (self.bounce - least)) - now;
        self.rub += change;
        at.push(bodies, change);
    }

    /// The gap, less the part that is left alone, and the slip since the start of the step.
    fn errors(&self, blocks: &[Block]) -> [Real; 3] {
        let [a, b] = [0, 1].map(|k| blocks[self.bodies[k] as usize].way.at(self.arms[k]));
        let moved = b - a;
        [self.gap - self.spared + self.axes[0].dot(moved), self.axes[1].dot(moved), self.axes[2].dot(moved)]
    }

    /// The multipliers that the errors ask for, within their bounds: the normal does not pull, friction stays in the cone of the normal.
    fn pull(&self, errors: [Real; 3]) -> Pull {
        let (normal, ..) = self.push(errors[0]);
        self.pull_within(errors, self.friction * normal)
    }

    /// The same with friction bounded by the normal's last multiplier, which is constant while a body moves. Friction that follows each change of a stiff normal
    /// force, of which the system knows nothing, takes many sweeps to settle.
    fn pull_of_last(&self, errors: [Real; 3]) -> Pull {
        self.pull_within(errors, self.friction * self.force[0])
    }

    /// The normal force, the stiffness that stands for its change, and whether it pushes.
    fn push(&self, error: Real) -> (Real, Real, bool) {
        let [along, _] = self.stiffness;
        let normal = self.force[0] - along * error;
        if normal > 0.0 { (normal, along, true) } else { (0.0, secant(self.force[0], error, along), false) }
    }

    fn pull_within(&self, errors: [Real; 3], bound: Real) -> Pull {
        let (normal, secant, pushes) = self.push(errors[0]);
        let [_, across] = self.stiffness;
        let slid = [1, 2].map(|k| self.force[k] - across * errors[k]);
        let size = (slid[0] * slid[0] + slid[1] * slid[1]).sqrt();
        let part = if size > bound { bound / size } else { 1.0 };
        Pull {
            force: [normal, slid[0] * part, slid[1] * part],
            stiffness: [secant, across * part],
            within: [pushes, pushes && size < bound],
        }
    }
}

/// The stiffness of a force that reaches its bound at this error.
pub(super) fn secant(to_bound: Real, error: Real, stiffness: Real) -> Real {
    if error == 0.0 { stiffness } else { (to_bound / error).abs().min(stiffness) }
}
