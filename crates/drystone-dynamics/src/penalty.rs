use crate::contact_rows::STILL;
use crate::rows::Row;
use drystone_core::catalogue::{Implementation, Settings};
use drystone_core::{
    Configuration, ConstraintSolver, ContactImpulse, Executor, GroupAnswer, GroupProblem, Levels, MaterialIndex,
    ModuleKind, Resolves, SolveReport, Step, Unread, settings,
};
use drystone_math::{Real, Twist};

pub(crate) const DESCRIPTION: Implementation = Implementation {
    name: "penalty",
    summary: "springs and dampers where bodies penetrate, friction up to Coulomb's limit, all by the state at the start of the step; no joints",
    source: "Moore and Wilhelms 1988; Erleben 2005, section 2.4.2, Figure 2.6",
    parameters: PenaltyParameters::PARAMETERS,
};

settings! {
    /// How stiff the contacts of [`Penalty`] are.
    #[derive(Debug, Clone, Copy, PartialEq)]
    pub struct PenaltyParameters {
        /// stiffness of each contact point (N/m); 0: by stiffness_factor
        stiffness: Real = real(0.0, 0.0, 1e15),
        /// (h omega)^2 that the stiffest mode of a body's contacts may have if stiffness is 0; stable up to 1 with any restitution
        stiffness_factor: Real = real(0.25, 1e-9, 1.0) if stiffness is ["0"],
    }
}

/// The penalty method: contact points that penetrate push like a spring and brake like a damper, which is the critical one at restitution 0.
///
/// # Source
/// Moore and Wilhelms 1988; A-20, E-28, thesis 2.4.2.
#[derive(Debug, Clone, Default)]
pub struct Penalty {
    /// How stiff contacts are.
    pub parameters: PenaltyParameters,
    /// By body: sum of what an impulse on its touching contacts changes in their rates (1/kg).
    responses: Vec<Real>,
}

impl Penalty {
    /// From its parameters.
    pub fn new(parameters: PenaltyParameters) -> Self {
        Self { parameters, responses: Vec::new() }
    }

    /// From checked settings.
    pub fn from_settings(s: &Settings) -> Self {
        Self::new(PenaltyParameters::from_settings(s))
    }

    /// Sums, body by body, the responses of the contacts that touch.
    fn sum_responses(&mut self, problem: &GroupProblem) {
        self.responses.clear();
        self.responses.resize(problem.bodies.len(), 0.0);
        for (k, c) in problem.contacts.iter().enumerate().filter(|(_, c)| c.separation < 0.0) {
            let response = Row::contact(problem, k, c.normal, 0.0).response(&problem.bodies);
            for i in c.bodies.map(|i| i as usize).into_iter().filter(|&i| problem.bodies[i].is_movable()) {
                self.responses[i] += response;
            }
        }
    }
}

/// Damping as a part of the critical one, after which a spring gives back this part of the velocity.
fn damping_ratio(restitution: Real) -> Real {
    if restitution <= 0.0 {
        return 1.0;
    }
    let log = drystone_math::elementary::ln(restitution.min(1.0));
    -log / (core::f64::consts::PI * core::f64::consts::PI + log * log).sqrt()
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

    /// What it leaves is what holds the weight.
    fn resolves(&self) -> Resolves {
        Resolves { restitution: true, positions: true }
    }

    fn solve(
        &mut self,
        problem: &GroupProblem,
        step: Step,
        _executor: &dyn Executor,
        answer: &mut GroupAnswer,
    ) -> SolveReport {
        let h = step.h;
        self.sum_responses(problem);
        for (k, c) in problem.contacts.iter().enumerate().filter(|(_, c)| c.separation < 0.0) {
            let bodies = c.bodies.map(|i| &problem.bodies[i as usize]);
            let arms = bodies.map(|b| c.position - b.pose.position);
            // of all contacts of the busier body: no mode is stiffer than their sum
            let shared = self.responses[c.bodies[0] as usize].max(self.responses[c.bodies[1] as usize]);
            if shared == 0.0 {
                continue;
            }
            let PenaltyParameters { stiffness, stiffness_factor } = self.parameters;
            let stiffness = if stiffness > 0.0 { stiffness } else { stiffness_factor / (h * h * shared) };
            let damping = 2.0 * damping_ratio(c.restitution) * (stiffness / shared).sqrt();
            let [u, v] = [0, 1].map(|side| bodies[side].velocity.at(arms[side]));
            let rate = c.normal.dot(v - u);
            let normal = (h * (-stiffness * c.separation - damping * rate)).max(0.0);
            let [u, v] = [0, 1].map(|side| (bodies[side].velocity + bodies[side].external).at(arms[side]));
            let slip = (v - u) - c.normal * c.normal.dot(v - u);
            let speed = slip.length();
            let mut impulse = ContactImpulse { normal, ..ContactImpulse::ZERO };
            if speed > STILL {
                let along = slip / speed;
                let stop = speed / Row::contact(problem, k, along, 0.0).response(&problem.bodies).max(shared);
                impulse.friction = along * -stop.min(c.friction * normal);
            }
            let total = impulse.total(c.normal);
            for (side, sign) in [-1.0, 1.0].into_iter().enumerate() {
                let (b, p) = (bodies[side], total * sign);
                let turn = b.inverse_inertia.mul_vec(arms[side].cross(p));
                answer.velocity[c.bodies[side] as usize] += Twist::new(p * b.inverse_mass, turn);
            }
            answer.contacts[k] = impulse;
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
