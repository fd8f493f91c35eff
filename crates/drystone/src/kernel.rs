//! The one real kernel: what each verb of [`drystone_core::Kernel`] does, stage by stage.
//!
//! A body's way through a step: [`detect`] finds its contacts, [`reach`] how far ahead it must look for them; [`forces`] gives its velocity change by external
//! forces; [`groups`] gathers its group ([`gather`], [`curvature`] where accelerations are asked for), hands it to the solver and scatters what comes back
//! ([`scatter`]); [`motion`] moves it, and [`continuous`] stops it where its way is swept; [`propagate`] does the same layer by layer, [`loads`] passes loads down through
//! what rests; [`sleep`] puts its group to rest. [`touches`] notes what began and ceased to touch, [`sensors`] what is within a sensor. [`saved`] and [`rates`] are what a time control can keep of an instant and of a rate of change, [`records`] and
//! [`membership`] what it can ask of pairs and groups.

mod continuous;
mod curvature;
mod detect;
mod engine;
#[cfg(feature = "rayon")]
mod executor;
mod forces;
mod gather;
mod groups;
mod loads;
mod membership;
mod memory;
mod midpoint;
mod motion;
mod propagate;
mod rates;
mod reach;
mod records;
mod saved;
mod scatter;
mod sensors;
mod sleep;
mod touches;
mod tunnelling;
mod verbs;
mod worker;

pub(crate) use engine::Engine;
pub(crate) use memory::fits;
pub(crate) use verbs::StepKernel;
