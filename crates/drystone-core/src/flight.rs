/// Kind of support that a body had in the last solve, as far as equal steps need it.
///
/// Their velocities are half a step older than their poses: `x' = x + h v'` is the midpoint rule for the velocity that forces make out of one half a step
/// before `x` (Hairer, Lubich and Wanner 2003, the Stoermer-Verlet method). In free flight the difference is half a step of gravity, known
/// exactly; so between frames a body in flight has the velocity of its pose's instant, and a step takes the difference back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Flight {
    /// Nothing is known: the body is new, was placed from outside, or was not moved by equal steps.
    #[default]
    Unknown,
    /// A contact, a joint or a force that links bodies held it: its velocity is that of the last solve.
    Held,
    /// Nothing held it: its velocity is that of its pose's instant.
    Free,
}
