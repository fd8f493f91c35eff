use super::SweepParameters;
use super::bounds::Bounds;
use drystone_core::{
    ContactImpulse, GroupAnswer, GroupBody, GroupContact, GroupProblem, GroupRow, LcpSummary, RowLimits, SolveReport,
    Step, TOUCHING, Turn,
};
use drystone_math::{Real, Registers, Twist, Vec3};
use pulp::{Simd, WithSimd};

/// Relative speed, in units of the rest threshold, above which a loaded contact is not at rest. The check then ends.
const FAR: Real = 1e3;

/// Joints are held a thousand times as closely: only the solver removes the errors of their velocities.
const JOINTS: Real = 1e-3;

/// Recognises a group in which the impulses of the last step are the answer of this one: under them nothing slips, parts, sinks or comes loose.
///
/// This is seen from contacts and rows as they are, before patches or matrices are made from them, in two short visits of each.
#[derive(Debug, Default)]
pub(super) struct Settled {
    /// For each body: the wrench of the impulses about its centre of mass (N s, N m s), then the velocity that they leave.
    pub(super) twists: Vec<Twist>,
    arch: Registers,
}

/// Data of a group that its impulses hold.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Held {
    /// By how much contacts and rows are off (m/s).
    off: Real,
    /// The bodies stand still, and the forces on each are balanced: the velocities that come from rounding and from errors of the impulses are no motion.
    rests: bool,
}

/// The check, to be compiled for whatever registers the processor has. Nothing is reordered or fused: the bits are the same on all of them.
struct Ask<'a> {
    settled: &'a mut Settled,
    problem: &'a GroupProblem,
    bounds: Bounds,
}

impl WithSimd for Ask<'_> {
    type Output = Option<Held>;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _simd: S) -> Option<Held> {
        self.settled.holds(self.problem, self.bounds)
    }
}

impl Settled {
    /// Answers with the present impulses if they hold everything; `None`, with nothing written, if they do not.
    pub(super) fn answer(
        &mut self,
        problem: &GroupProblem,
        own: &SweepParameters,
        step: Step,
        answer: &mut GroupAnswer,
    ) -> Option<SolveReport> {
        let bounds = Bounds::of(problem, own, step)?;
        let arch = self.arch;
        let Held { off, rests } = arch.dispatch(Ask { settled: self, problem, bounds })?;
        answer.velocity.copy_from_slice(&self.twists);
        for (out, c) in answer.contacts.iter_mut().zip(&problem.contacts) {
            *out = if rests { c.impulse } else { across(c) };
        }
        answer.rests = rests;
        if rests {
            let movable = problem.bodies.iter().map(GroupBody::is_movable);
            let velocities = answer.velocity.iter_mut().zip(movable);
            velocities.filter(|(_, movable)| *movable).for_each(|(velocity, _)| *velocity = Twist::ZERO);
        }
        for (out, r) in answer.rows.iter_mut().zip(&problem.rows) {
            *out = r.impulse;
        }
        let lcp = LcpSummary {
            solves: 1,
            iterations: 1,
            residual_sum: off,
            residuals: 1,
            residual_max: off,
            variables_max: (3 * problem.contacts.len() + problem.rows.len()) as u64,
        };
        Some(SolveReport { lcp, ..SolveReport::default() })
    }

    /// Stops bodies that an answer leaves as slow as they were, and slower than a group at rest may be. Otherwise the motion that
    /// sweeps leave would move surfaces a little, which asks for other impulses, which sweeps again leave a little off, without end.
    pub(super) fn stop(problem: &GroupProblem, own: &SweepParameters, step: Step, answer: &mut GroupAnswer) {
        let Some(bounds) = Bounds::of(problem, own, step) else { return };
        let moves = problem.bodies.iter().zip(&answer.velocity).any(|(body, after)| !bounds.rests(body, *after));
        if !moves && problem.rows.is_empty() && answer.turn.iter().all(Turn::is_none) {
            answer.velocity.fill(Twist::ZERO);
        }
    }

    /// Checks contacts and rows under their impulses; `None` if one is further off than it may be or beyond its bounds.
    #[inline(always)]
    fn holds(&mut self, problem: &GroupProblem, bounds: Bounds) -> Option<Held> {
        let far = FAR * bounds.still;
        let moves = |c: &GroupContact| {
            let [a, b] = at_contact(&problem.bodies, c, |b| problem.bodies[b].velocity);
            c.impulse.normal > 0.0 && c.separation <= TOUCHING && (b - a).length_squared() > far * far
        };
        // what rested in the step before has no velocity at all
        let lies = problem.bodies.iter().all(|b| b.velocity == Twist::ZERO);
        if problem.rows.iter().any(|r| is_driven(r, bounds)) || (!lies && problem.contacts.iter().any(moves)) {
            return None;
        }
        // with impulses at the points themselves: just as good if nothing is twisted, and faster
        if self.add_at_points(problem, bounds).is_some()
            && let Some(held) = self.judge(problem, bounds)
            && (held.rests || !problem.rows.is_empty())
        {
            return Some(held);
        }
        self.add_at_patches(problem, bounds)?;
        self.judge(problem, bounds)
    }

    /// Judges the velocities that the impulses leave; `None` if one is larger than it may be.
    #[inline(always)]
    fn judge(&self, problem: &GroupProblem, bounds: Bounds) -> Option<Held> {
        let twists = &self.twists;
        let GroupProblem { bodies, contacts, rows, .. } = problem;
        // what rested in the step before has no velocity at all
        let lies = bodies.iter().all(|b| b.velocity == Twist::ZERO);
        let (mut off, mut off_before): (Real, Real) = (0.0, 0.0);
        let mut rests = rows.is_empty() && bodies.iter().zip(twists).all(|(body, after)| bounds.rests(body, *after));
        for r in rows {
            let [before, after] = row_rates(r, bodies, twists);
            let bears = is_held(r, before, after, bounds)?;
            if bears {
                off_before = off_before.max(before.abs());
                off = off.max(after.abs());
            }
        }
        for c in contacts {
            let befores = if lies { [Vec3::ZERO; 2] } else { at_contact(bodies, c, |b| bodies[b].velocity) };
            let afters = at_contact(bodies, c, |b| twists[b]);
            let [before, after] = [befores, afters].map(|[a, b]| b - a);
            rests &= bounds.is_rest(befores[0], afters[0]) & bounds.is_rest(befores[1], afters[1]);
            let bears = c.impulse.normal > 0.0;
            let touches = c.separation <= TOUCHING;
            if bears && touches {
                off_before = off_before.max(before.abs().max_element());
                off = off.max(after.abs().max_element());
            } else if bears || c.normal.dot(after) < -bounds.still {
                return None;
            }
            let comes = c.restitution > 0.0 || !touches;
            if off > bounds.still || (comes && c.normal.dot(before) < -bounds.approach) {
                return None;
            }
        }
        (off <= bounds.steady.max(2.0 * off_before)).then_some(Held { off, rests })
    }
}

/// The rates of a row before and after the step.
#[inline(always)]
fn row_rates(r: &GroupRow, bodies: &[GroupBody], twists: &[Twist]) -> [Real; 2] {
    [r.row.rate(r.bodies.map(|b| bodies[b as usize].velocity)), r.row.rate(r.bodies.map(|b| twists[b as usize]))]
}

/// Returns true if a row does more than hold its bodies: it is soft, it is driven, or its direction changes as its
/// bodies move.
#[inline(always)]
fn is_driven(r: &GroupRow, bounds: Bounds) -> bool {
    let bent = 0.5 * bounds.h * r.row.curvature;
    r.row.softness.is_soft() || r.row.target != 0.0 || bent.abs() > JOINTS * bounds.steady
}

/// Returns true if a row carries load; `None` if it violates its constraint.
#[inline(always)]
fn is_held(r: &GroupRow, before: Real, after: Real, bounds: Bounds) -> Option<bool> {
    let still = JOINTS * bounds.still;
    if r.row.limits != RowLimits::UNILATERAL {
        return (after.abs() <= still).then_some(true);
    }
    let open = r.row.error > 0.0;
    let comes = before < -bounds.approach && (open || r.row.restitution > 0.0);
    let keeps = if r.impulse > 0.0 { !open && after.abs() <= still } else { after >= -still };
    (keeps && !comes).then_some(r.impulse > 0.0)
}

/// The impulse of a contact, with its friction made perpendicular to the normal.
#[inline(always)]
pub(super) fn across(c: &GroupContact) -> ContactImpulse {
    let ContactImpulse { normal, friction } = c.impulse;
    ContactImpulse { normal, friction: friction - c.normal * c.normal.dot(friction) }
}

/// The velocities of A and B at a contact, given those of their centres of mass.
#[inline(always)]
fn at_contact(bodies: &[GroupBody], c: &GroupContact, velocity: impl Fn(usize) -> Twist) -> [Vec3; 2] {
    c.bodies.map(|i| velocity(i as usize).at(c.position - bodies[i as usize].pose.position))
}

#[cfg(test)]
mod tests {
    use super::*;
    use drystone_core::Softness;
    use drystone_testkit::problem::{Group, contact, cube, rigid_row};

    const H: Real = 0.01;
    const G: Real = 9.81;
    const MASS: Real = 2.0;

    /// A cube on four corners, each of which bears a quarter of the load, pushed sideways by a quarter of its weight; friction 0.5.
    fn standing() -> Group {
        let mut problem = GroupProblem { gravity: G, up: Vec3::Y, ..GroupProblem::default() };
        problem.bodies = vec![cube(0, 0.0, Vec3::new(0.0, -0.5, 0.0)), cube(1, MASS, Vec3::new(0.0, 0.5, 0.0))];
        // at the height of the contacts, so that all corners bear equally
        let push = Vec3::X * (0.25 * G * H);
        let turn = problem.bodies[1].inverse_inertia.mul_vec(Vec3::new(0.0, -0.5, 0.0).cross(push * MASS));
        problem.bodies[1].external = Twist::new(push - Vec3::Y * (G * H), turn);
        for (i, [x, z]) in [[-0.5, -0.5], [0.5, -0.5], [0.5, 0.5], [-0.5, 0.5]].into_iter().enumerate() {
            let mut c = contact([0, 1], Vec3::new(x, 0.0, z), Vec3::Y, 0, i as u32);
            let quarter = 0.25 * MASS * G * H;
            c.impulse = ContactImpulse { normal: quarter, friction: Vec3::X * (-0.25 * quarter) };
            problem.contacts.push(c);
        }
        Group::from(problem)
    }

    fn ask(group: &mut Group) -> Option<SolveReport> {
        group.answer.start(&group.problem);
        Settled::default().answer(&group.problem, &SweepParameters::default(), Step::new(H, H), &mut group.answer)
    }

    #[test]
    fn what_bears_its_weight_goes_on_bearing_it() {
        let mut group = standing();
        let report = ask(&mut group).expect("it stands");
        assert!(report.lcp.residual_max < 1e-15);
        assert!(group.answer.velocity[1].linear.length() < 1e-15 && group.answer.velocity[1].angular.length() < 1e-15);
        let kept = group.answer.contacts.iter().zip(&group.problem.contacts).all(|(x, c)| *x == c.impulse);
        assert!(kept, "{:?}", group.answer.contacts);
    }

    #[test]
    fn only_what_stands_in_balance_is_at_rest() {
        let creep = 1e-3 * SweepParameters::default().tolerance * G * H;
        let mut group = standing();
        // a tiny motion, which no later step would remove
        group.problem.bodies[1].velocity = Twist::new(Vec3::X * (0.5 * creep), Vec3::Y * (0.5 * creep));
        assert!(ask(&mut group).is_some() && group.answer.rests);
        assert_eq!(group.answer.velocity, [Twist::ZERO; 2]);
        let changes: [Change; 4] = [
            ("it rides along", |p| {
                p.bodies.iter_mut().for_each(|b| b.velocity = Twist::new(Vec3::X * 0.3, Vec3::ZERO));
            }),
            ("it is driven as slowly as it may creep", |p| {
                let creep = 1e-3 * SweepParameters::default().tolerance * G * H;
                p.bodies[1].velocity.linear.x = 0.6 * creep;
                p.bodies[1].external.linear.x += 0.1 * creep;
            }),
            ("it turns on a smooth floor", |p| {
                p.contacts.iter_mut().for_each(|c| c.position = Vec3::ZERO);
                p.bodies[1].external = Twist::new(Vec3::Y * (-G * H), Vec3::ZERO);
                p.bodies[1].velocity.angular.y = 1e-3;
                p.contacts.iter_mut().for_each(|c| c.impulse.friction = Vec3::ZERO);
            }),
            ("it turns about a point that holds it", |p| p.bodies[1].inverse_mass = 0.0),
        ];
        for (name, change) in changes {
            let mut group = standing();
            change(&mut group.problem);
            ask(&mut group);
            assert!(!group.answer.rests, "{name}");
        }
    }

    type Change = (&'static str, fn(&mut GroupProblem));

    /// Each of these changes removes a condition for standing still.
    #[test]
    fn what_no_longer_holds_is_left_to_the_sweeps() {
        let speed = |v: Vec3| Twist::new(v, Vec3::ZERO);
        let changes: [Change; 8] = [
            ("less friction", |p| p.contacts.iter_mut().for_each(|c| c.friction = 0.2)),
            ("more weight", |p| p.bodies[1].external.linear.y *= 1.001),
            ("a push", |p| p.bodies[1].external.linear.x += 1e-4),
            ("a corner without support", |p| p.contacts[0].separation = 1e-3),
            ("a corner that bears nothing yet", |p| p.contacts[0].impulse = ContactImpulse::ZERO),
            ("the ground falls", |p| p.bodies[0].velocity.linear.y = -0.1),
            ("an impulse that pulls", |p| p.contacts[0].impulse.normal *= -1.0),
            ("no impulses", |p| p.contacts.iter_mut().for_each(|c| c.impulse = ContactImpulse::ZERO)),
        ];
        for (name, change) in changes {
            let mut group = standing();
            change(&mut group.problem);
            let before = {
                group.answer.start(&group.problem);
                group.answer.clone()
            };
            assert_eq!(ask(&mut group), None, "{name}");
            assert_eq!(group.answer, before, "{name}");
        }
        // the body that carries it may move, if both move together
        let mut group = standing();
        group.problem.bodies.iter_mut().for_each(|b| b.velocity = speed(Vec3::new(0.3, 0.2, 0.0)));
        assert!(ask(&mut group).is_some());
    }

    /// Impulses that happen to stop an arriving body would throw it up in the next step, and suppress its bounce.
    #[test]
    fn what_has_just_been_stopped_is_not_settled() {
        let arrives = |restitution: Real, speed: Real| {
            let mut group = standing();
            let body = &mut group.problem.bodies[1];
            body.velocity.linear.y = -speed;
            for c in &mut group.problem.contacts {
                c.restitution = restitution;
                c.impulse.normal += 0.25 * MASS * speed;
            }
            ask(&mut group).is_some()
        };
        assert!(!arrives(0.5, 1.0));
        // conversely, a body that leaves no faster than before may go on
        let mut group = standing();
        let creep = 1e-3 * SweepParameters::default().tolerance * G * H;
        group.problem.bodies[1].velocity.linear.x = 0.6 * creep;
        assert!(ask(&mut group).is_some());
        group.problem.bodies[1].velocity.linear.x = 1.1 * creep;
        assert!(ask(&mut group).is_none());
        // a change of velocity as large as what is allowed, from rest
        let mut group = standing();
        group.problem.bodies[1].external.linear.x += 0.6 * creep;
        assert!(ask(&mut group).is_none());
    }

    /// A cube that hangs by a ball joint, a metre below it.
    fn hanging() -> Group {
        let mut problem = GroupProblem { gravity: G, up: Vec3::Y, ..GroupProblem::default() };
        problem.bodies = vec![cube(0, 0.0, Vec3::ZERO), cube(1, MASS, Vec3::NEG_Y)];
        problem.bodies[1].external.linear = Vec3::Y * (-G * H);
        for (place, axis) in Vec3::AXES.into_iter().enumerate() {
            let block = Twist::new(axis, Vec3::Y.cross(axis));
            let row = rigid_row([Twist::new(-axis, Vec3::ZERO), block]);
            let impulse = if axis == Vec3::Y { MASS * G * H } else { 0.0 };
            problem.rows.push(GroupRow { bodies: [0, 1], row, impulse, joint: 0, place: place as u32 });
        }
        Group::from(problem)
    }

    #[test]
    fn what_hangs_goes_on_hanging() {
        let mut group = hanging();
        assert!(ask(&mut group).is_some());
        assert_eq!(group.answer.rows, [0.0, MASS * G * H, 0.0]);
        assert!(group.answer.velocity[1].linear.length() < 1e-15);
        // it may turn about its joint, if the joint rows have no curvature
        let mut group = hanging();
        group.problem.bodies[1].velocity.angular = Vec3::Y;
        assert!(ask(&mut group).is_some());
        let changes: [Change; 7] = [
            ("more weight", |p| p.bodies[1].external.linear.y *= 1.0 + 1e-6),
            ("a push", |p| p.bodies[1].external.linear.x += 1e-8),
            ("it swings", |p| p.rows[1].row.curvature = 1.0),
            ("a motor", |p| p.rows[0].row.target = 0.1),
            ("a spring", |p| p.rows[1].row.softness = Softness::Spring { stiffness: 1e3, damping: 0.0 }),
            ("a bound of less than it bears", |p| p.rows[1].row.limits = RowLimits { lo: 0.0, hi: 0.5 * MASS * G }),
            ("a limit that is open", |p| {
                p.rows[1].row.limits = RowLimits::UNILATERAL;
                p.rows[1].row.error = 0.01;
            }),
        ];
        for (name, change) in changes {
            let mut group = hanging();
            change(&mut group.problem);
            assert_eq!(ask(&mut group), None, "{name}");
        }
        // a stop bears as a joint does, and so does a brake that holds
        for limits in [RowLimits::UNILATERAL, RowLimits { lo: -2.0 * MASS * G, hi: 2.0 * MASS * G }] {
            let mut group = hanging();
            group.problem.rows[1].row.limits = limits;
            assert!(ask(&mut group).is_some(), "{limits:?}");
        }
    }
}
