use crate::law::{ChatterjeeRuina, LAW_NAMES, RouthMirtich, law_by_name};
use crate::{apply_impulse, collision_matrix, relative_velocity};
use drystone_core::catalogue::{Implementation, Parameter, Settings};
use drystone_core::{
    CollisionLaw, CollisionSolver, ContactImpulse, GroupAnswer, GroupProblem, ImpactContact, ResolveReport, parameters,
    settings,
};
use drystone_math::{Real, Vec3};
use std::sync::Arc;

settings! {
    /// What [`MicroCollisions`] takes for a contact, and for how long it goes on.
    #[derive(Debug, Clone, Copy, PartialEq)]
    pub struct MicroCollisionParameters {
        /// contacts closer than this that approach collide (m)
        distance: Real = real(1e-4, 1e-9, 1.0),
        /// most impulses at a contact in a call
        iterations: u32 = integer(32, 1, 1_000_000),
    }
}

/// Impacts of a pair within a small distance, and resting contact as a train of micro-collisions.
///
/// An approach no faster than that of a fall through the distance is a *micro-collision*: it leaves with at least half of that speed, so that what rests is in the air
/// most of the time and impacts do not crowd. As far as the cone of friction holds the impulse for it, the tangential velocity that a contact had before the call is
/// reversed with the normal one: what gravity adds along a slope between two impacts is then taken back in the flight after the second, and a block does not creep.
/// Faster impacts are the law's.
///
/// # Source
/// D-11, A-21; Mirtich and Canny 1995, sections 2 and 4; B. Mirtich, "Impulse-based dynamic simulation of rigid body systems", 1996, section 3.5.
#[derive(Clone)]
pub struct MicroCollisions {
    /// What an impact does.
    pub law: Arc<dyn CollisionLaw>,
    /// What it takes for a contact, and for how long it goes on.
    pub parameters: MicroCollisionParameters,
    /// Relative velocities before the call, contact by contact.
    before: Vec<Vec3>,
}

/// Halvings of the part of a tangential velocity that is reversed.
const HALVINGS: u32 = 12;

/// The least speed with which a micro-collision leaves, as a fraction of that of a fall through the distance.
const LEAST_REBOUND: Real = 0.5;
/// Approach below this fraction of that speed is none.
const NEGLIGIBLE: Real = 1e-3;
/// Approach that is none whatever gravity is (m/s).
const NOISE: Real = 1e-9;

impl MicroCollisions {
    /// Name, parameters and source.
    pub const DESCRIPTION: Implementation = Implementation {
        name: "micro-collisions",
        summary: "impacts within a small distance, one after the other; resting contact is a train of micro-collisions",
        source: "Mirtich and Canny 1995; Mirtich 1996, section 3.5",
        parameters: parameters![
            &[Parameter::choice(
                "law",
                RouthMirtich::DESCRIPTION.name,
                LAW_NAMES,
                "what an impact does that is none of the small ones",
            )],
            ChatterjeeRuina::PARAMETERS,
            MicroCollisionParameters::PARAMETERS,
        ],
    };

    /// From settings made for [`Self::DESCRIPTION`].
    pub fn from_settings(settings: &Settings) -> Self {
        let law = law_by_name(settings.text("law"), settings).unwrap_or_else(|| Box::new(RouthMirtich));
        let parameters = MicroCollisionParameters::from_settings(settings);
        Self { law: Arc::from(law), parameters, before: Vec::new() }
    }

    /// The impulse on B of an impact, `before` being the relative velocity before the call and `micro` being the speed up to which it is a micro-collision (m/s).
    fn impulse(&self, impact: &ImpactContact, before: Vec3, micro: Real) -> Vec3 {
        let approach = -impact.normal.dot(impact.relative_velocity);
        if approach >= micro {
            return self.law.impulse(impact);
        }
        let leaving = (impact.restitution * approach).max(LEAST_REBOUND * micro);
        if let Some(reversed) = reversal(impact, before, leaving) {
            return reversed;
        }
        self.law.impulse(&ImpactContact { restitution: leaving / approach, ..*impact })
    }
}

/// The impulse that gives the normal velocity `leaving` and takes the tangential one as far as friction can to the opposite of that of `before`; `None` where
/// friction cannot even stop it.
fn reversal(c: &ImpactContact, before: Vec3, leaving: Real) -> Option<Vec3> {
    let k = c.collision_matrix;
    let scale = (k.x_axis.x + k.y_axis.y + k.z_axis.z) / 3.0;
    if k.determinant() <= 1e-12 * scale * scale * scale {
        return None;
    }
    let inverse = k.inverse();
    let back = c.normal * c.normal.dot(before) - before;
    let held = |part: Real| {
        let impulse = inverse * (c.normal * leaving + back * part - c.relative_velocity);
        let normal = c.normal.dot(impulse);
        let along = impulse - c.normal * normal;
        (normal > 0.0 && along.length() <= c.friction * normal).then_some(impulse)
    };
    if let Some(whole) = held(1.0) {
        return Some(whole);
    }
    let mut best = held(0.0)?;
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..HALVINGS {
        let part = 0.5 * (low + high);
        match held(part) {
            Some(impulse) => (low, best) = (part, impulse),
            None => high = part,
        }
    }
    Some(best)
}

impl CollisionSolver for MicroCollisions {
    fn name(&self) -> &'static str {
        Self::DESCRIPTION.name
    }

    fn resolve(&mut self, problem: &GroupProblem, _horizon: Real, answer: &mut GroupAnswer) -> ResolveReport {
        let mut report = ResolveReport::default();
        let micro = (2.0 * problem.gravity * self.parameters.distance).sqrt();
        let none = (NEGLIGIBLE * micro).max(NOISE);
        self.before.clear();
        let velocity = &mut answer.velocity;
        for c in &problem.contacts {
            self.before.push(relative_velocity(&problem.bodies, velocity, c));
        }
        let most = u64::from(self.parameters.iterations) * problem.contacts.len() as u64;
        while report.iterations < most {
            let approach = |k: usize| {
                let c = &problem.contacts[k];
                -c.normal.dot(relative_velocity(&problem.bodies, velocity, c))
            };
            let near =
                (0..problem.contacts.len()).filter(|k| problem.contacts[*k].separation <= self.parameters.distance);
            let Some((k, fastest)) = near.map(|k| (k, approach(k))).max_by(|a, b| a.1.total_cmp(&b.1)) else { break };
            if fastest <= none {
                break;
            }
            let contact = problem.contacts[k];
            let pair = contact.bodies.map(|b| &problem.bodies[b as usize]);
            let impulse = self.impulse(
                &ImpactContact {
                    collision_matrix: collision_matrix(pair, contact.position),
                    relative_velocity: relative_velocity(&problem.bodies, velocity, &contact),
                    normal: contact.normal,
                    friction: contact.friction,
                    restitution: contact.restitution,
                },
                self.before[k],
                micro,
            );
            if !(impulse.is_finite() && impulse.length_squared() > 0.0) {
                break;
            }
            apply_impulse(&problem.bodies, velocity, &contact, impulse);
            answer.contacts[k] += ContactImpulse::of_impulse(impulse, contact.normal);
            report.iterations += 1;
        }
        report.truncated = report.iterations == most && most > 0;
        report.impacts = u64::from(report.iterations > 0);
        report.discontinuities = 2 * report.impacts;
        report
    }

    fn fork(&self) -> Box<dyn CollisionSolver> {
        Box::new(self.clone())
    }
}
