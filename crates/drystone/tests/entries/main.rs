//! Smaller things that the source texts describe, one module each, against closed forms.

mod classes;
mod corrections;
mod engines;
mod forces_reused;
mod order;
mod reach;
mod shock;
mod speed_ups;
mod timers;
