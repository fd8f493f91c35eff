//! A broad phase, a time control, a complementarity solver, a constraint solver, a collision law, a joint and a force written against the published traits, and a
//! registry that has them beside drystone's own.

mod all_pairs;
mod damped_jacobi;
mod half_steps;
mod hoist;
mod magnus;
mod normal_impulses;
mod plastic;

pub use all_pairs::AllPairs;
pub use damped_jacobi::DampedJacobi;
pub use half_steps::HalfSteps;
pub use hoist::Hoist;
pub use magnus::Magnus;
pub use normal_impulses::NormalImpulses;
pub use plastic::Plastic;

use drystone::core::catalogue::{Implementation, Parameter, Value};
use drystone::dynamics::{CorrectionParameters, Projection};
use drystone::{ModuleKind, Paradigm, Registry, RegistryError};
use drystone_joints::JointMaker;
use drystone_motion::force::ForceMaker;
use std::sync::Arc;

/// Everything that drystone has, our modules, and a preset that is made of them.
///
/// # Errors
/// [`RegistryError`] where a name is taken.
pub fn registry() -> Result<Registry, RegistryError> {
    const SWEEPS: Parameter = Parameter::integer("sweeps", 100, 1, 1_000_000, "sweeps over the contacts");
    let described = |name, summary, parameters| Implementation { name, summary, source: "this example", parameters };
    let mut registry = Registry::default();
    registry
        .add_broad_phase(described("all-pairs", "every pair of boxes that overlap, by trying all", &[]), |_| {
            Box::new(AllPairs)
        })?
        .add_time_control(described("half-steps", "two equal steps for each that is asked for", &[]), |_| {
            Box::new(HalfSteps)
        })?
        .add_lcp_solver(DampedJacobi::INFO, || Box::new(DampedJacobi::default()))?
        .add_constraint_solver(
            described("normal-impulses", "sequential impulses along normals and joint rows: no friction", &[SWEEPS]),
            |settings, _| Box::new(NormalImpulses::new(settings.integer("sweeps") as usize)),
            // penetration and joint error are taken out by what drystone has for that
            |_, _| Box::new(Projection::by_sweeps(CorrectionParameters::default(), 5)),
        )?
        .add_collision_law(
            described("plastic", "nothing bounces, whatever the surfaces say; no friction", &[]),
            |_| Box::new(Plastic),
        )?
        .add_joint_kind(JointMaker {
            described: Hoist::DESCRIPTION,
            collides: true,
            make: Arc::new(|description, poses, settings| Ok(Box::new(Hoist::new(description, poses, settings)?))),
        })?
        .add_force_kind(ForceMaker {
            described: Magnus::DESCRIPTION,
            make: Arc::new(|settings, targets| Box::new(Magnus { coefficient: settings.real("coefficient"), targets })),
        })?;
    let ours = Paradigm::VELOCITY_LCP
        .named("ours", "the modules of this example together", "this example")
        .with(ModuleKind::TimeControl, "half-steps")
        .with(ModuleKind::BroadPhase, "all-pairs")
        .with(ModuleKind::Lcp, "damped-jacobi")
        .set(ModuleKind::Lcp, "iterations", Value::Integer(200));
    registry.add_paradigm(ours)?;
    Ok(registry)
}
