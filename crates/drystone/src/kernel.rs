//! The only real kernel: what each verb of [`drystone_core::Kernel`] does, stage by stage.
//!
//! [`frame`] runs one frame from begin to end. [`verbs`] are what a time control can do within it, through the [`port`], and [`selection`] finds what the scope of a
//! verb stands for. They work on the world's [`data`] and on what is [`derived`] from it. The [`engine`] keeps both, together with the working memory of each stage,
//! lends them to the stages, and owns the [`wiring`] of observer, times and threads. A stage consists of functions of the parts that it needs: no stage knows the
//! engine.
//!
//! A body's way through a step: [`detect`] finds its contacts, from [`boxes`] to [`contacts`]; [`reach`] tells how far ahead it must look for them, and
//! [`detect_scope`] looks again. [`forces`] computes its velocity change by external forces, and [`resistance`] that by forces which would turn round within the step. [`groups`] distributes the [`task`]s; each [`worker`] gathers a group
//! ([`gather`], and [`curvature`] if accelerations are solved for), hands it to the solver and notes the results ([`collect`], [`output`]), which [`scatter`] brings
//! back. [`carriers`] tells how bodies with prescribed motion carry it. [`motion`] moves the body, and [`moved`] lists it for queries; [`fast_bodies`] knows whether it moves far, [`continuous`] stops it if its path is swept, and [`tunnelling`] counts what it went
//! through. [`propagate`] does the same layer by layer of the [`layer_plan`], and [`carry`] passes [`loads`] down through what rests. [`departure`] measures how
//! joints leave their constraints, and [`flight`] gives freely flying bodies the velocity at the instant of their pose. [`solver_motion`] tells how far its solver moves them itself. [`sleep`] puts the body's group to sleep,
//! and [`edge_order`] puts edges in order between frames. [`touches`] notes what begins and stops touching, [`sensors`] what is within a sensor. [`plane`] is the
//! plane to which a world may be confined, [`seams`] the edges between flush bodies. [`saved`] and [`rates`] are what a time control can keep of an instant and of a rate of change, [`records`] and
//! [`membership`] what it can ask about pairs and groups.

mod boxes;
mod carriers;
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
mod linking_forces;
mod loads;
mod membership;
mod memory;
mod motion;
mod motion_along;
mod moved;
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
mod resistance;
mod rest;
mod saved;
mod scatter;
mod seams;
mod selection;
mod sensors;
mod sleep;
mod solver_motion;
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
