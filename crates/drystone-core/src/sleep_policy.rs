use drystone_math::{Pose, Real, Twist, Vec3};

/// State of a body after a step, as a sleep policy sees it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SleepObservation {
    /// Mass (kg).
    pub mass: Real,
    /// Kinetic energy (J).
    pub kinetic_energy: Real,
    /// Velocity.
    pub velocity: Twist,
    /// Radius of gyration (m), the mean over the axes: it turns angular speeds into speeds.
    pub gyration: Real,
    /// Pose of the centre of mass and axes.
    pub pose: Pose,
}

/// Memory of a sleep policy for one body; the policy decides what the numbers mean.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct SleepMemory {
    /// Steps in a row that looked calm.
    pub calm_steps: u32,
    /// A quantity at the start of the window.
    pub reference: Real,
    /// A vector at the start of the window: a place (m) or a velocity (m/s).
    pub vector: Vec3,
    /// An angular velocity at the start of the window (rad/s).
    pub angular_velocity: Vec3,
    /// Sum of the velocities over the window.
    pub sum: Twist,
    /// Sum of squared speeds over the window (m^2/s^2).
    pub squares: Real,
    /// The result at the end of the last window.
    pub calm: bool,
    /// Time for which it has been slow.
    pub slow: Slowness,
    /// True if it is sleepy only because it has been slow for long: its speed is above the calm bound, but within the
    /// residual of a solver. Such a body may sleep if contacts hold it; a body that a joint guides goes on as slowly as
    /// it likes.
    pub only_slow: bool,
}

/// Time for which a body has been slow, and the growth of its speed meanwhile.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Slowness {
    /// Duration (s), counted as far as is needed.
    pub time: Real,
    /// Steps of the current interval.
    pub steps: u32,
    /// Sum of squared speeds over it (m^2/s^2).
    pub squares: Real,
    /// Sum of the velocities over it.
    pub sum: Twist,
    /// Sum of the velocities times the number of their step, counted from one: with the sum it gives the line that fits them best.
    pub moment: Twist,
    /// The result at the end of that interval.
    pub lasts: bool,
}

/// Decides for each body whether it is sleepy; a group sleeps when all of its bodies are (H-21, H-30, H-31, H-32, H-33).
pub trait SleepPolicy: Send + Sync {
    /// The name in scene files.
    fn name(&self) -> &'static str;

    /// True if only supported bodies may sleep: a group that neither touches nor hangs on anything at rest is then kept
    /// awake however calm it looks, and so is one that a script or a motor moves.
    fn asks_for_support(&self) -> bool {
        true
    }

    /// True if it ever finds a body sleepy or remembers anything. A policy that does neither is not called as long as
    /// no body is sleepy.
    fn lets_sleep(&self) -> bool {
        true
    }

    /// Looks at a body after a step of `h` seconds, updates the memory, and says whether the body is sleepy.
    fn is_sleepy(&self, observation: &SleepObservation, h: Real, memory: &mut SleepMemory) -> bool;
}
