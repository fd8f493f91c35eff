//! Contact forces by springs and dampers: at depth -d and normal velocity v_n, `f_n = max(0, -k d - c v_n)` and `|f_t| <= mu f_n`
//! against the slip. No problem is solved; the step must resolve `sqrt(k / m)`.
//!
//! Source: Moore and Wilhelms 1988; Schwager and Pöschel 2007 for the damping of a given restitution.

use crate::contact_rows::STILL;
use crate::rows::Row;
use drystone_core::catalogue::{Implementation, Settings};
use drystone_core::{
    Configuration, ConstraintSolver, ContactImpulse, Executor, GroupAnswer, GroupBody, GroupContact, GroupProblem,
    Levels, MaterialIndex, ModuleKind, Resolves, SolveReport, Step, Unread, settings,
};
use drystone_math::elementary::{ln, sin_cos};
use drystone_math::{Real, Twist, Vec3};

pub(crate) const DESCRIPTION: Implementation = Implementation {
    name: "penalty",
    summary: "springs and dampers where bodies penetrate, friction up to Coulomb's limit, evaluated at the start of the step; no joints",
    source: "Moore and Wilhelms 1988; Erleben 2005, section 2.4.2, Figure 2.6",
    parameters: PenaltyParameters::PARAMETERS,
};

settings! {
    /// Stiffness parameters of [`Penalty`] contacts.
    #[derive(Debug, Clone, Copy, PartialEq)]
    pub struct PenaltyParameters {
        /// stiffness of each contact point (N/m); 0: set by stiffness_factor
        stiffness: Real = real(0.0, 0.0, 1e15),
        /// maximum (h omega)^2 of the stiffest contact mode of a body if stiffness is 0; stable up to 1 with any restitution
        stiffness_factor: Real = real(0.25, 1e-9, 1.0) if stiffness is ["0"],
    }
}

/// Combined effect of all touching contacts of one body.
#[derive(Debug, Clone, Copy, Default)]
struct Share {
    /// Sum of what an impulse on each of them changes in its own rate (1/kg).
    response: Real,
    /// Impulses in proportion to their rates, as a linear and an angular one at the centre of mass, with the sum of the squares of these rates.
    wrench: Twist,
    squares: Real,
}

impl Share {
    /// Rayleigh quotient of the contact rates (1/kg): the response of the mode in which the body moves, if it moves in one.
    fn mode(&self, body: &GroupBody) -> Real {
        if self.squares == 0.0 {
            return 0.0;
        }
        let Twist { linear, angular } = self.wrench;
        (linear.length_squared() * body.inverse_mass + body.inverse_inertia.quadratic(angular)) / self.squares
    }
}

/// The penalty method: contact points that penetrate push like a spring and brake like a damper, which is the critical one at restitution 0.
///
/// Points that a body has in common share their damping: each mode of a body on n equal springs is to be damped as one body on one spring is. How much of each mode is in a
/// motion is not known; Rayleigh's quotient says how heavy the body is for all of it.
///
/// # Source
/// Moore and Wilhelms 1988; A-20, E-28, thesis 2.4.2; Schwager and Pöschel 2007. Differs in: the damping, which is by contact point there.
#[derive(Debug, Clone, Default)]
pub struct Penalty {
    /// Stiffness of contacts.
    pub parameters: PenaltyParameters,
    /// By body.
    shares: Vec<Share>,
}

impl Penalty {
    /// From its parameters.
    pub fn new(parameters: PenaltyParameters) -> Self {
        Self { parameters, shares: Vec::new() }
    }

    /// From checked settings.
    pub fn from_settings(s: &Settings) -> Self {
        Self::new(PenaltyParameters::from_settings(s))
    }

    /// Sums, body by body, over the contacts that touch.
    fn sum_shares(&mut self, problem: &GroupProblem) {
        self.shares.clear();
        self.shares.resize(problem.bodies.len(), Share::default());
        for (k, c) in problem.contacts.iter().enumerate().filter(|(_, c)| c.separation < 0.0) {
            let row = Row::contact(problem, k, c.normal, 0.0);
            let response = row.response(&problem.bodies);
            let rate = row.rate(c.bodies.map(|i| problem.bodies[i as usize].velocity));
            for (i, jacobian) in c.bodies.map(|i| i as usize).into_iter().zip(row.jacobian) {
                if problem.bodies[i].is_movable() {
                    let share = &mut self.shares[i];
                    share.response += response;
                    share.wrench += jacobian * rate;
                    share.squares += rate * rate;
                }
            }
        }
    }

    /// Gives bodies the impulses of springs and dampers over `h` seconds.
    fn press(&self, problem: &GroupProblem, h: Real, answer: &mut GroupAnswer) {
        let PenaltyParameters { stiffness, stiffness_factor } = self.parameters;
        for (k, c) in problem.contacts.iter().enumerate().filter(|(_, c)| c.separation < 0.0) {
            // of all contacts of the busier body: no mode is stiffer than their sum
            let [a, b] = c.bodies.map(|i| self.shares[i as usize].response);
            let together = a.max(b);
            if together == 0.0 {
                continue;
            }
            let stiffness = if stiffness > 0.0 { stiffness } else { stiffness_factor / (h * h * together) };
            let damping = self.damping(problem, c, (stiffness, together, h));
            let rate = c.normal.dot(slip(problem, c, |i| problem.bodies[i].velocity));
            let normal = (h * (-stiffness * c.separation - damping * rate)).max(0.0);
            answer.contacts[k] = ContactImpulse { normal, ..ContactImpulse::ZERO };
            push(problem, c, c.normal * normal, answer);
        }
    }

    /// The damper that gives a contact its restitution (N s/m). `together` is the response of all contacts of the busier of its bodies.
    fn damping(&self, problem: &GroupProblem, c: &GroupContact, (stiffness, together, h): (Real, Real, Real)) -> Real {
        let ratio = damping_ratio(c.restitution);
        if ratio == 0.0 {
            return 0.0;
        }
        let of_mode = |i: u32| self.shares[i as usize].mode(&problem.bodies[i as usize]);
        // a damper that stops a light mode may be more than the step bears of a heavy one
        let least = together * (0.5 * ratio).powi(2);
        let response = (of_mode(c.bodies[0]) + of_mode(c.bodies[1])).max(least).min(together);
        let damping = 2.0 * ratio * (stiffness / response).sqrt();
        // by the mean of the rates at the step's start and end: of that at its start alone it would be too much
        damping / (1.0 + 0.5 * h * damping * response)
    }
}

/// Passes over the friction of all contacts, forward and back each. With one, a box on four points creeps down a slope by a third of `g h`; what is left after n of them goes with
/// the n-th power of that.
const SWEEPS: usize = 8;

/// The velocity of B against A at a contact, for these velocities of bodies (m/s).
fn slip(problem: &GroupProblem, c: &GroupContact, velocity: impl Fn(usize) -> Twist) -> Vec3 {
    let [u, v] = c.bodies.map(|i| velocity(i as usize).at(c.position - problem.bodies[i as usize].pose.position));
    v - u
}

/// Gives B an impulse at a contact and A its opposite (N s).
fn push(problem: &GroupProblem, c: &GroupContact, impulse: Vec3, answer: &mut GroupAnswer) {
    for (i, sign) in c.bodies.into_iter().zip([-1.0, 1.0]) {
        let (b, p) = (&problem.bodies[i as usize], impulse * sign);
        let turn = b.inverse_inertia.mul_vec((c.position - b.pose.position).cross(p));
        answer.velocity[i as usize] += Twist::new(p * b.inverse_mass, turn);
    }
}

/// Stops the slip of a contact as far as its friction goes.
fn rub(problem: &GroupProblem, k: usize, answer: &mut GroupAnswer) {
    let c = &problem.contacts[k];
    let ContactImpulse { normal, friction } = answer.contacts[k];
    let most = c.friction * normal;
    if most == 0.0 {
        return;
    }
    let slip = slip(problem, c, |i| answer.velocity[i]);
    let slip = slip - c.normal * c.normal.dot(slip);
    let speed = slip.length();
    if speed > STILL {
        let along = slip / speed;
        let stop = along * (-speed / Row::contact(problem, k, along, 0.0).response(&problem.bodies));
        let after = (friction + stop).clamp_length_max(most);
        answer.contacts[k].friction = after;
        push(problem, c, after - friction, answer);
    }
}

/// Damping as a fraction of the critical one, with which a spring that does not pull gives back this fraction of the velocity: at most the critical one, which gives back
/// `exp(-2)`.
///
/// A body leaves the spring when spring and damper together cease to push. With the ratio as the cosine of an angle `a` it is then as fast as `exp(-2 a cot a)` of before; that is
/// the result of Schwager and Pöschel 2007, whose cases are one so.
fn damping_ratio(restitution: Real) -> Real {
    /// After as many steps of Newton's method the angle is known to its last digits.
    const STEPS: usize = 5;
    if restitution >= 1.0 {
        return 0.0;
    }
    let wanted = if restitution > 0.0 { -0.5 * ln(restitution) } else { 1.0 };
    if wanted >= 1.0 {
        return 1.0;
    }
    let mut angle = core::f64::consts::FRAC_PI_2 * (1.0 - wanted).sqrt();
    for _ in 0..STEPS {
        let (sin, cos) = sin_cos(angle);
        angle -= (angle * cos - wanted * sin) / (cos - angle * sin - wanted * cos);
    }
    sin_cos(angle).1
}

/// Friction that is more than one coefficient, where any two materials have it.
pub(crate) fn special_friction(configuration: &Configuration) -> Option<&'static str> {
    let materials = || (0..).map(MaterialIndex).take_while(|&m| configuration.materials.contains(m));
    let plain = materials().all(|a| materials().all(|b| configuration.materials.pair(a, b).is_plain()));
    (!plain).then_some("friction with a grain, rolling or spinning friction")
}

/// Friction, where two bodies that may meet have any.
pub(crate) fn any_friction(configuration: &Configuration) -> Option<&'static str> {
    let mut used: Vec<MaterialIndex> = configuration.bodies.iter().map(|b| b.material).collect();
    used.sort_unstable_by_key(|m| m.0);
    used.dedup();
    let rough = |a: MaterialIndex, b: MaterialIndex| configuration.materials.pair(a, b).friction > 0.0;
    used.iter().any(|&a| used.iter().any(|&b| rough(a, b))).then_some("friction")
}

impl ConstraintSolver for Penalty {
    fn name(&self) -> &'static str {
        DESCRIPTION.name
    }

    fn levels(&self) -> Levels {
        Levels::VELOCITY
    }

    /// Positions are left alone: the remaining overlap is what carries the weight.
    fn resolves(&self) -> Resolves {
        Resolves { restitution: true, positions: true, instants: false }
    }

    fn solve(
        &mut self,
        problem: &GroupProblem,
        step: Step,
        _executor: &dyn Executor,
        answer: &mut GroupAnswer,
    ) -> SolveReport {
        self.sum_shares(problem);
        self.press(problem, step.h, answer);
        for _ in 0..SWEEPS {
            (0..problem.contacts.len()).for_each(|k| rub(problem, k, answer));
            (0..problem.contacts.len()).rev().for_each(|k| rub(problem, k, answer));
        }
        SolveReport::default()
    }

    fn takes_rows(&self) -> bool {
        false
    }

    fn cannot(&self, configuration: &Configuration) -> Option<&'static str> {
        if configuration.joints.is_empty() { special_friction(configuration) } else { Some("joints") }
    }

    fn unread(&self) -> &'static [Unread] {
        &[Unread::Table(ModuleKind::Lcp)]
    }

    fn fork(&self) -> Box<dyn ConstraintSolver> {
        Box::new(self.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use drystone_math::elementary::exp;

    #[test]
    fn the_angle_is_found_for_any_restitution() {
        for k in 0..=1000 {
            let restitution = f64::from(k) / 1000.0;
            let ratio = damping_ratio(restitution);
            let angle = ratio.acos();
            let back = if angle > 0.0 { exp(-2.0 * angle / angle.tan()) } else { (-2.0f64).exp() };
            let expected = restitution.max((-2.0f64).exp());
            assert!((back - expected).abs() < 1e-6, "{restitution}: {ratio} gives {back}");
        }
    }
}
