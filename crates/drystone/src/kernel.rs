//! The one real kernel: what each verb of [`drystone_core::Kernel`] does, stage by stage.
//!
//! [`frame`] is one frame from begin to end, [`verbs`] what a time control can do within it over the [`port`], and [`selection`] what the scope of a verb stands for. They go
//! over the world's [`data`] and what is [`derived`] from it; the [`engine`] keeps these beside what each stage works with, lends them to the stages, and has the [`wiring`] of
//! observer, times and threads. A stage is functions of the parts that it needs: no stage knows the engine.
//!
//! A body's way through a step: [`detect`] finds its contacts, from [`boxes`] to [`contacts`], [`reach`] how far ahead it must look for them, [`detect_scope`] looks again;
//! [`forces`] gives its velocity change by external forces; [`groups`] shares the [`task`]s out, each [`worker`] gathers a group ([`gather`], [`curvature`] where accelerations are
//! asked for), hands it to the solver and notes what came out ([`collect`], [`output`]), and [`scatter`] brings it back; [`motion`] moves the body, [`fast_bodies`] knows whether it moves far,
//! [`continuous`] stops it where its way is swept, and [`tunnelling`] counts what it went through; [`propagate`] does the same layer by layer of the [`layer_plan`], [`carry`] passes [`loads`] down through what rests,
//! [`departure`] measures how joints leave their constraints, [`flight`] gives what flies freely the velocity of its pose's instant; [`sleep`] puts its group to rest, and [`edge_order`] edges in order between frames. [`touches`] notes what began and ceased to touch, [`sensors`] what is within a
//! sensor. [`plane`] is the plane that a world may be. [`saved`] and [`rates`] are what a time control can keep of an instant and of a rate of change, [`records`] and [`membership`] what it can ask of pairs and groups.

mod boxes;
mod carry;
mod collect;
mod contacts;
mod continuous;
mod curvature;
mod data;
mod departure;
mod depth;
mod derived;
mod detect;
mod detect_scope;
mod edge_order;
mod engine;
mod evaluated;
#[cfg(feature = "rayon")]
mod executor;
mod fast_bodies;
mod flight;
mod forces;
mod foreseen;
mod frame;
mod gather;
mod gather_again;
mod gather_chunks;
mod gathered_edge;
mod groups;
mod layer_plan;
mod loads;
mod membership;
mod memory;
mod motion;
mod motion_along;
mod output;
mod pieces;
mod plane;
mod port;
mod project;
mod propagate;
mod rates;
mod reach;
mod records;
mod refreshed;
mod rest;
mod saved;
mod scatter;
mod selection;
mod sensors;
mod sleep;
mod stillness;
mod survey;
mod task;
mod task_weight;
mod touches;
mod touching_side;
mod tunnelling;
mod verbs;
mod wiring;
mod worker;

pub(crate) use data::{FEW_EDGES, WorldData};
pub(crate) use engine::Engine;
pub(crate) use frame::run_frame;
pub(crate) use memory::fits;
pub(crate) use plane::Plane;
pub(crate) use selection::Selection;
