//! Smaller things that the source texts describe, one module each, against closed forms.

mod classes;
mod engines;
mod forces_reused;
mod reach;
mod timers;
