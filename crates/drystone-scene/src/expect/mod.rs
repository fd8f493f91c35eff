//! Expected results of a bundled scene, as data beside it: `scenes/<name>.expect.toml`.
//!
//! ```toml
//! [[expect]]                       # a figure of the run, by its path in the figures
//! figure = "penetration.final"
//! max    = 0.01
//! why    = "what the source says"
//!
//! [[expect]]                       # a quantity of one body, or of all that match
//! body      = "box[24]"            # "brick[*]" is every copy
//! quantity  = "position.y"
//! near      = 24.5
//! tolerance = 0.05
//! paradigm  = "shock-propagation"  # optional: another preset, settings, or duration than the scene's own
//! set       = ["simulation.lcp.iterations=10"]
//! duration  = 2.0
//!
//! [[ordering]]                     # one measure over several runs
//! figure = "penetration.max"
//! order  = "falling"               # or "rising"
//! runs   = [{ set = ["simulation.lcp.iterations=10"] }, { set = ["simulation.lcp.iterations=100"] }]
//! ```
//! Quantities of a body: `position`, `linear_velocity`, `angular_velocity` (with `.x`, `.y`, `.z`, or `.length`),
//! `orientation` (with `.x` ... `.w`), `displacement` (from where it started; with a component or `.length`),
//! `sleeping` (0 or 1). `fraction = 0.9` asks that nine tenths of the matching bodies keep the bounds.
//!
//! `experiment` names the experiment of the source texts that a demand guards (`docs/experiments.toml`), and `control = true` says that
//! the run goes without what the experiment credits: the demand is that it fails there.

mod evaluate;
mod measure;
mod model;
mod read;

pub use evaluate::{InitialPositions, MeasureError};
pub use measure::Measure;
pub use model::{Bounds, Expectation, Expectations, Guarded, Order, Ordering, Run};
