//! Sleep policies: whether a body is calm enough that its group may be left out of the simulation.
//!
//! A policy sees one body a step. A group sleeps when all of its bodies are sleepy, which is why each policy asks for
//! several calm steps, more than the order of the integrator (H-31). None of them is right always: a see-saw at its
//! turning point looks at rest to all of them (H-34).

mod kinetic_energy;
mod never;
mod positions;
mod relative;
mod velocities;

pub use kinetic_energy::KineticEnergy;
pub use never::Never;
pub use positions::Positions;
pub use relative::KineticEnergyRelative;
pub use velocities::Velocities;

use drystone_core::SleepMemory;

/// Counts steps in a row; says whether there are enough.
fn count(calm: bool, steps: u32, memory: &mut SleepMemory) -> bool {
    memory.calm_steps = if calm { memory.calm_steps.saturating_add(1) } else { 0 };
    memory.calm_steps >= steps
}
