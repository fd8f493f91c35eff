use super::parameters::Softened;
use super::{Pass, SoftStepParameters};
use crate::contact_rows::ContactFriction;
use crate::moving::{MOST, MovingBody, MovingContact, Patch, ReboundBound, rebound_energy};
use drystone_core::{ContactImpulse, GroupAnswer, GroupProblem};
use drystone_math::{Real, Twist, Vec3, bounded};

/// A contact in a sub-step.
#[derive(Debug, Clone, Copy)]
struct SoftContact {
    at: MovingContact,
    /// Coulomb coefficients along the tangents; lever arms of spinning and rolling friction (m).
    mu: [Real; 2],
    arms: [Real; 2],
    restitution: Real,
    /// True if one of its bodies does not move.
    grounded: bool,
    /// Tangential displacement of the points relative to each other at the start (m).
    slipped: Vec3,
    /// Normal velocity before it first bore anything (m/s).
    approach: Real,
    bears: bool,
    /// Relative velocity at the start of the sub-step (m/s), and what it took from its bodies in the step: by its normal alone, and with friction (J).
    velocity: Vec3,
    taken: [Real; 2],
    /// Impulses of the sub-step: normal, friction, angular ones about the normal and across it.
    normal: Real,
    friction: Vec3,
    torque: Vec3,
    /// Of the whole step.
    total: ContactImpulse,
    total_torque: Vec3,
    surface: u32,
    /// The inverse of the 2x2 response across the normal, and 1 / its larger eigenvalue.
    across: [Real; 4],
}

/// The contacts of a group in a sub-step.
#[derive(Debug, Clone, Default)]
pub(super) struct SoftContacts {
    list: Vec<SoftContact>,
    patches: Vec<Patch>,
    bound: ReboundBound,
}

impl SoftContacts {
    /// As at the start of the step, with `scale` times the last impulses; up to `most` points of a face are solved at once.
    pub(super) fn start(&mut self, problem: &GroupProblem, scale: Real, most: usize) {
        Patch::cut(problem, most, &mut self.patches);
        self.bound.make_room(problem.bodies.len());
        self.list.clear();
        self.list.extend((0..problem.contacts.len()).map(|k| SoftContact::of(problem, k, scale)));
    }

    /// Notes how fast contacts close, and of those that bear nothing yet that they approach at it.
    pub(super) fn note_approach(&mut self, bodies: &[MovingBody]) {
        for c in self.list.iter_mut().filter(|c| c.restitution > 0.0) {
            c.velocity = c.at.relative_velocity(bodies);
            if !c.bears {
                c.approach = c.at.normal.dot(c.velocity);
            }
        }
    }

    /// Responses at the present poses.
    pub(super) fn prepare(&mut self, bodies: &[MovingBody]) {
        let Self { list, patches, .. } = self;
        for c in list.iter_mut() {
            c.prepare(bodies);
        }
        for p in patches {
            let first = p.points.start;
            p.prepare(bodies, |i| &list[first + i].at);
        }
    }

    pub(super) fn warm_start(&mut self, bodies: &mut [MovingBody]) {
        for c in &mut self.list {
            c.friction -= c.at.normal * c.at.normal.dot(c.friction);
            c.at.push(bodies, c.at.normal * c.normal + c.friction);
            c.twist(bodies, c.torque);
        }
    }

    pub(super) fn follow(&mut self, bodies: &[MovingBody]) {
        for c in &mut self.list {
            c.at.follow(bodies);
        }
    }

    /// One sweep: normals, then friction.
    pub(super) fn sweep(&mut self, bodies: &mut [MovingBody], parameters: &SoftStepParameters, h: Real, pass: Pass) {
        let soft = match pass {
            Pass::Biased => parameters.contact_over(h),
            Pass::Relaxed => [Softened::RIGID; 2],
        };
        let Self { list, patches, .. } = self;
        let visit = |p: &Patch| {
            let points = &mut list[p.points.clone()];
            let (mut wanted, mut decay, mut now) = ([0.0; MOST], [0.0; MOST], [0.0; MOST]);
            for (i, c) in points.iter().enumerate() {
                let soft = soft[usize::from(!c.grounded)];
                (wanted[i], decay[i]) = c.wants(bodies, soft, h, parameters.push_velocity);
                now[i] = c.normal;
            }
            for (c, after) in points.iter_mut().zip(p.solve(&wanted, &decay, &now)) {
                c.bear(bodies, after);
            }
            // by what bears now: in the biased pass some of the load is on the springs
            for c in points.iter_mut() {
                if c.arms != [0.0; 2] {
                    c.resist_turning(bodies);
                }
                let soft = soft[usize::from(!c.grounded)];
                let back = if parameters.sticky && c.at.gap <= 0.0 { soft.rate } else { 0.0 };
                c.rub(bodies, back);
            }
        };
        // to and fro: what one order favours the other does not
        match pass {
            Pass::Biased => patches.iter().for_each(visit),
            Pass::Relaxed => patches.iter().rev().for_each(visit),
        }
    }

    /// Adds the impulses of a sub-step to those of the step.
    pub(super) fn add_up(&mut self, bodies: &[MovingBody]) {
        for c in &mut self.list {
            if c.restitution > 0.0 && c.normal > 0.0 {
                let mean = (c.velocity + c.at.relative_velocity(bodies)) * 0.5;
                let by_normal = c.normal * c.at.normal.dot(mean);
                c.taken[0] -= by_normal;
                c.taken[1] -= by_normal + c.friction.dot(mean);
            }
            c.bears |= c.normal > 0.0;
            c.total.normal += c.normal;
            c.total.friction += c.friction;
            c.total_torque += c.torque;
        }
    }

    /// Restitution: what bore and approached faster than `resting` leaves at the part of that speed that its coefficient says, and rubs by all that it bore in the step.
    /// Points beside it that are open may close within the next sub-step of `h` seconds.
    pub(super) fn rebound(
        &mut self,
        bodies: &mut [MovingBody],
        parameters: &SoftStepParameters,
        h: Real,
        resting: Real,
    ) {
        if !self.list.iter().any(|c| c.bounces(resting)) {
            return;
        }
        self.prepare(bodies);
        let Self { list, patches, bound } = self;
        bound.begin(bodies);
        for c in list.iter_mut() {
            (c.normal, c.friction) = (c.total.normal, c.total.friction);
        }
        for _ in 0..parameters.restitution_iterations {
            for p in patches.iter() {
                let points = &mut list[p.points.clone()];
                if !points.iter().any(|c| c.bounces(resting)) {
                    continue;
                }
                let (mut wanted, mut now, mut kept) = ([0.0; MOST], [0.0; MOST], [0.0; MOST]);
                for (i, c) in points.iter().enumerate() {
                    let rate = c.at.normal.dot(c.at.relative_velocity(bodies));
                    let (bounces, open) = (c.bounces(resting), c.at.gap > 0.0);
                    let target = if bounces { -c.restitution * c.approach } else { -c.at.gap.max(0.0) / h };
                    wanted[i] = target - rate;
                    // what bore and has opened by itself is not pulled back
                    kept[i] = if open && !bounces { c.total.normal } else { 0.0 };
                    now[i] = c.normal - kept[i];
                }
                let after = p.solve(&wanted, &[0.0; MOST], &now);
                for (i, c) in points.iter_mut().enumerate() {
                    c.bear(bodies, kept[i] + after[i]);
                    c.rub(bodies, 0.0);
                }
            }
        }
        let bouncing = list.iter().filter(|c| c.bounces(resting));
        let taken = bouncing.map(|c| (c.restitution, c.taken));
        let part = bound.end(bodies, rebound_energy(taken), &list.iter().map(|c| (c.at.place(), c.rebound())));
        for c in list {
            c.total.normal += part * (c.normal - c.total.normal);
            c.total.friction += (c.friction - c.total.friction) * part;
        }
    }

    /// Writes the impulses of the step.
    pub(super) fn write(&self, answer: &mut GroupAnswer) {
        for (c, impulse) in self.list.iter().zip(&mut answer.contacts) {
            *impulse = c.total;
            if let Some(torque) = answer.torques.get_mut(c.surface as usize) {
                let [t1, t2] = c.at.across(c.total_torque);
                *torque = [c.at.normal.dot(c.total_torque), t1, t2];
            }
        }
    }
}

impl SoftContact {
    fn of(problem: &GroupProblem, contact: usize, scale: Real) -> Self {
        let c = &problem.contacts[contact];
        let friction = ContactFriction::of(problem, c);
        let at = MovingContact::of(problem, contact, friction.tangents[0]);
        Self {
            at,
            mu: friction.mu,
            arms: [friction.spinning, friction.rolling],
            restitution: c.restitution,
            grounded: c.bodies.iter().any(|&i| !problem.bodies[i as usize].is_movable()),
            slipped: at.points[1] - at.points[0],
            approach: 0.0,
            bears: false,
            velocity: Vec3::ZERO,
            taken: [0.0; 2],
            normal: c.impulse.normal * scale,
            friction: c.impulse.friction * scale,
            torque: Vec3::ZERO,
            total: ContactImpulse::ZERO,
            total_torque: Vec3::ZERO,
            surface: c.surface,
            across: [0.0; 4],
        }
    }

    fn prepare(&mut self, bodies: &[MovingBody]) {
        let at = &self.at;
        let [t1, t2] = at.tangents;
        let (a, b, d) = (at.response(bodies, t1, t1), at.response(bodies, t1, t2), at.response(bodies, t2, t2));
        let det = a * d - b * b;
        let largest = 0.5 * (a + d + ((a - d) * (a - d) + 4.0 * b * b).sqrt());
        self.across = if det > 0.0 { [d / det, -b / det, a / det, 1.0 / largest] } else { [0.0; 4] };
    }

    /// Friction: both tangents at once, within the ellipse that the normal impulse gives; slip is taken back at the rate `back` (1/s).
    fn rub(&mut self, bodies: &mut [MovingBody], back: Real) {
        let slip = self.at.relative_velocity(bodies);
        let mut slip = self.at.across(slip);
        if back > 0.0 {
            let offset = self.at.across(self.at.points[1] - self.at.points[0] - self.slipped);
            slip = [slip[0] + back * offset[0], slip[1] + back * offset[1]];
        }
        let [a, b, d, scale] = self.across;
        let now = self.at.across(self.friction);
        let limits = self.mu.map(|mu| mu * self.normal);
        let stuck = [now[0] - a * slip[0] - b * slip[1], now[1] - b * slip[0] - d * slip[1]];
        let after = within(stuck, limits);
        // where it slides, friction is against the slip: a step that is no multiple of it would leave that direction
        let slides = after != stuck;
        let after = if slides { within([now[0] - scale * slip[0], now[1] - scale * slip[1]], limits) } else { after };
        let after = self.at.tangents[0] * after[0] + self.at.tangents[1] * after[1];
        let change = after - self.friction;
        self.friction = after;
        self.at.push(bodies, change);
    }

    /// The change of rate that a sweep asks for, and the part of the impulse that yields.
    fn wants(&self, bodies: &[MovingBody], soft: Softened, h: Real, push: Real) -> (Real, Real) {
        let rate = self.at.normal.dot(self.at.relative_velocity(bodies));
        let gap = self.at.gap;
        // an open gap may close within the sub-step
        let (soft, bias) = if gap > 0.0 { (Softened::RIGID, gap / h) } else { (soft, (soft.rate * gap).max(-push)) };
        (-soft.mass * (rate + bias), soft.decay)
    }

    /// Takes this normal impulse.
    fn bear(&mut self, bodies: &mut [MovingBody], after: Real) {
        let change = after - self.normal;
        self.normal = after;
        self.at.push(bodies, self.at.normal * change);
    }

    /// Spinning friction about the normal and rolling friction across it.
    fn resist_turning(&mut self, bodies: &mut [MovingBody]) {
        let n = self.at.normal;
        let turning = |bodies: &[MovingBody]| {
            let [a, b] = self.at.bodies.map(|i| bodies[i as usize].velocity.angular);
            b - a
        };
        let inertia = |bodies: &[MovingBody], axis: Vec3| {
            let response: Real =
                self.at.bodies.iter().map(|&i| bodies[i as usize].inverse_inertia.quadratic(axis)).sum();
            if response > 0.0 { 1.0 / response } else { 0.0 }
        };
        let limits = self.arms.map(|arm| arm * self.normal);
        let mut after = self.torque;
        let spin = after.dot(n);
        let resisted = bounded(spin - inertia(bodies, n) * turning(bodies).dot(n), -limits[0], limits[0]);
        after += n * (resisted - spin);
        self.twist(bodies, after - self.torque);
        self.torque = after;
        let rate = turning(bodies);
        let rolling = rate - n * n.dot(rate);
        if let Some(axis) = rolling.try_normalize() {
            let own = self.torque - n * self.torque.dot(n);
            let wanted = own - rolling * inertia(bodies, axis);
            let change = wanted.clamp_length_max(limits[1]) - own;
            self.twist(bodies, change);
            self.torque += change;
        }
    }

    /// Gives B an angular impulse and A its opposite.
    fn twist(&self, bodies: &mut [MovingBody], torque: Vec3) {
        if torque == Vec3::ZERO {
            return;
        }
        for (k, sign) in [-1.0, 1.0].into_iter().enumerate() {
            let body = &mut bodies[self.at.bodies[k] as usize];
            body.velocity += body.response(Twist::new(Vec3::ZERO, torque * sign));
        }
    }

    /// Impulse beyond that of the step.
    fn rebound(&self) -> Vec3 {
        self.at.normal * (self.normal - self.total.normal) + self.friction - self.total.friction
    }

    fn bounces(&self, resting: Real) -> bool {
        self.restitution > 0.0 && self.bears && self.approach < -resting
    }
}

/// A pair of impulses within the ellipse of these half axes.
fn within([x, y]: [Real; 2], [a, b]: [Real; 2]) -> [Real; 2] {
    if a <= 0.0 || b <= 0.0 {
        return [bounded(x, -a.max(0.0), a.max(0.0)), bounded(y, -b.max(0.0), b.max(0.0))];
    }
    let size = ((x / a).powi(2) + (y / b).powi(2)).sqrt();
    if size > 1.0 { [x / size, y / size] } else { [x, y] }
}
