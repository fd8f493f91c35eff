//! The one real kernel: what each verb of [`drystone_core::Kernel`] does, stage by stage.
//!
//! A body's way through a step: [`detect`] finds its contacts, [`reach`] how far ahead it must look for them; [`forces`] gives its velocity change by external
//! forces; [`groups`] gathers its group ([`gather`]), hands it to the solver and scatters what comes back
//! ([`scatter`]); [`motion`] moves it; [`propagate`] does the same layer by layer, [`loads`] passes loads down through
//! what rests; [`sleep`] puts its group to rest.

mod detect;
mod engine;
mod forces;
mod gather;
mod groups;
mod loads;
mod memory;
mod midpoint;
mod motion;
mod propagate;
mod reach;
mod saved;
mod scatter;
mod sleep;
mod tunnelling;
mod verbs;
mod worker;

pub(crate) use engine::Engine;
pub(crate) use memory::fits;
pub(crate) use verbs::StepKernel;
