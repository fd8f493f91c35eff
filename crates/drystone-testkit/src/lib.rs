//! Contract suites: what every implementation of a drystone seam must do, as functions to call from its tests.
//!
//! Each suite takes the implementation (or a way to make one) through seeded scenes and asserts the contract that
//! stands on the trait in `drystone-core`. An author of a new module calls the suite of its seam from a test.

mod broad_phase;
mod coherence;
mod graph_scene;
mod random;

pub use broad_phase::{BoxScene, brute_force, check_broad_phase};
pub use coherence::check_coherence_analysis;
pub use graph_scene::GraphScene;
pub use random::Random;
