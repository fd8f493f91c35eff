//! Sleep policies: whether a body is calm enough that its group may be left out of the simulation.
//!
//! A policy sees one body per step. A group sleeps when all of its bodies are sleepy, which is why each policy asks for several calm steps, more than the order
//! of the integrator (H-31). None of them is always right: a see-saw at its turning point looks at rest to those that look only at a threshold (H-34). The
//! relative energy policy sees that its velocity changes, down to 0.8 mm/s^2.

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

/// Counts another calm step; returns whether there are enough in a row.
fn count(steps: u32, memory: &mut SleepMemory) -> bool {
    memory.calm_steps = memory.calm_steps.saturating_add(1);
    memory.calm_steps >= steps
}

/// Begins the count of calm steps anew after one that was not calm. Returns false: there are not enough.
fn restart(memory: &mut SleepMemory) -> bool {
    memory.calm_steps = 0;
    false
}
