//! Presets, modules and their choice, the kernel and the work of a step. One binary, a module per file.

mod allocation;
mod allocation_of_modules;
mod answers;
mod bounded_work;
mod call_trace;
mod choices;
mod claims;
mod control;
mod corrections_are_seen;
mod engines_of_the_thesis;
mod inside;
mod kernel_differences;
mod kernel_laws;
mod kernel_scopes;
mod precision;
mod real_time;
mod registry;
mod scale;
mod standing_still;
mod todays_engines;
mod unit_of_mass;
mod unread_settings;
