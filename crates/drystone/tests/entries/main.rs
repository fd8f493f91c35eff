//! Smaller things that the source texts describe, one module each, against closed forms.

mod reach;
mod timers;
