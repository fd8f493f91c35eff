//! The one real kernel: what each verb of [`drystone_core::Kernel`] does, stage by stage.
//!
//! [`frame`] is one frame from begin to end, [`verbs`] what a time control can do within it, and [`selection`] what the scope of a verb stands for. They go over the
//! world's [`data`] and what is [`derived`] from it; the [`engine`] keeps these beside what each stage works with, and the [`wiring`] of observer, times and threads. A stage
//! is functions of the parts that it needs.
//!
//! A body's way through a step: [`detect`] finds its contacts, [`reach`] how far ahead it must look for them; [`forces`] gives its velocity change by external
//! forces; [`groups`] gathers its group ([`gather`], [`curvature`] where accelerations are asked for), hands it to the solver and scatters what comes back
//! ([`scatter`]); [`motion`] moves it, [`continuous`] stops it where its way is swept, and [`tunnelling`] counts what it went through; [`propagate`] does the same layer by
//! layer, [`loads`] passes loads down through what rests, [`midpoint`] solves once more; [`sleep`] puts its group to rest. [`touches`] notes what began and ceased to touch,
//! [`sensors`] what is within a sensor. [`saved`] and [`rates`] are what a time control can keep of an instant and of a rate of change, [`records`] and
//! [`membership`] what it can ask of pairs and groups.

mod continuous;
mod curvature;
mod data;
mod derived;
mod detect;
mod edge_order;
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
mod selection;
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
pub(crate) use selection::Selection;
