use super::Targets;
use drystone_core::ForceField;
use drystone_core::catalogue::{Implementation, Settings};
use std::sync::Arc;

/// Makes a force field from the settings of its kind and the bodies that the scene has it act on.
pub type MakeForce = dyn Fn(&Settings, Targets) -> Box<dyn ForceField> + Send + Sync;

/// A kind of force from outside this crate, as scene files name it. Its keys are the parameters of its description, and `bodies`.
#[derive(Clone)]
pub struct ForceMaker {
    /// Its name, and the parameters that it has.
    pub described: Implementation,
    /// Its constructor.
    pub make: Arc<MakeForce>,
}

impl ForceMaker {
    /// The kinds that the scene format has itself: no other may have one of these names.
    pub const FORMAT: [&'static str; 6] = ["spring", "mouse-spring", "damping", "drag", "point-gravity", "wrench"];
}

impl core::fmt::Debug for ForceMaker {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("ForceMaker").field("described", &self.described).finish_non_exhaustive()
    }
}

impl PartialEq for ForceMaker {
    fn eq(&self, other: &Self) -> bool {
        self.described == other.described && Arc::ptr_eq(&self.make, &other.make)
    }
}
