//! The one real kernel: what each verb of [`drystone_core::Kernel`] does, stage by stage.
//!
//! [`frame`] is one frame from begin to end, over the world's [`data`], what is [`derived`] from it, and the [`wiring`] of observer, times and threads; the [`engine`] holds them, with what each
//! stage works with.
//!
//! A body's way through a step: [`detect`] finds its contacts, [`reach`] how far ahead it must look for them; [`forces`] gives its velocity change by external
//! forces; [`groups`] gathers its group ([`gather`], [`curvature`] where accelerations are asked for), hands it to the solver and scatters what comes back
//! ([`scatter`]); [`motion`] moves it, and [`continuous`] stops it where its way is swept; [`propagate`] does the same layer by layer, [`loads`] passes loads down through
//! what rests; [`sleep`] puts its group to rest. [`touches`] notes what began and ceased to touch, [`sensors`] what is within a sensor. [`saved`] and [`rates`] are what a time control can keep of an instant and of a rate of change, [`records`] and
//! [`membership`] what it can ask of pairs and groups.

mod continuous;
mod curvature;
mod data;
mod derived;
mod detect;
mod engine;
#[cfg(feature = "rayon")]
mod executor;
mod forces;
mod frame;
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
mod wiring;
mod worker;

pub(crate) use data::WorldData;
pub(crate) use engine::Engine;
pub(crate) use frame::run_frame;
pub(crate) use memory::fits;
