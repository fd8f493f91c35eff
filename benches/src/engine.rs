use drystone::math::Pose;

/// Why an engine could not go on.
pub type EngineError = Box<dyn std::error::Error>;

/// Whether an engine may let bodies sleep.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sleep {
    /// Nobody sleeps.
    Never,
    /// Whoever the engine's own policy lets, by its default settings.
    ByDefault,
}

/// An engine with a scene in it.
pub trait Engine {
    /// What it is called in tables.
    fn name(&self) -> &str;

    /// Simulates one step of [`crate::scenes::DT`].
    ///
    /// # Errors
    /// Where the engine gives up.
    fn step(&mut self) -> Result<(), EngineError>;

    /// Replaces `poses` by where the scene's bodies are now, in the scene's order.
    fn poses(&self, poses: &mut Vec<Pose>);

    /// Contact points of the last step.
    fn contacts(&self) -> usize;

    /// How many of the scene's moving bodies sleep.
    fn asleep(&self) -> usize;

    /// What else it knows about its steps, a line each.
    fn remarks(&self) -> Vec<String> {
        Vec::new()
    }

    /// Forgets what it noted of the steps so far: the warm-up is over.
    fn warmed_up(&mut self) {}
}
