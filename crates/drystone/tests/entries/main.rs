//! Smaller effects that the source texts describe, one module each, checked against closed forms.

mod boundaries;
mod classes;
mod corrections;
mod engines;
mod faulty_starts;
mod forces_reused;
mod frames;
mod order;
mod reach;
mod settings;
mod shock;
mod speed_ups;
mod steps;
mod timers;
