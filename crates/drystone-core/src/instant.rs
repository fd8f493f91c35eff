use drystone_math::Real;

/// Names a saved instant: the poses and velocities of bodies, and what was known of their contacts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Instant(pub u32);

/// Names a rate of change: of the poses and velocities of the bodies of a scope.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rate(pub u32);

/// Rate at which rigid joints will leave their constraints.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Departure {
    /// Names the rates, row by row, with the kernel.
    pub name: u32,
    /// The largest of them (m/s or rad/s).
    pub largest: Real,
}

/// Columns that a save keeps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Save {
    /// Poses and velocities of the bodies; if all bodies are saved, also the clock and which bodies sleep.
    Motion,
    /// The same, and what is known of their contacts and joints: edges, groups, manifolds with their multipliers, marks of events, and what joints remember. A
    /// restore of everything brings these back too: a solve after it gives the same bits as one without it.
    Contacts,
}

/// Columns that a restore brings back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Restore {
    /// Positions and orientations.
    Poses,
    /// Velocities.
    Velocities,
    /// Both; what is known of contacts stays as it is.
    Motion,
    /// Everything that was saved: for all bodies also the clock, and with [`Save::Contacts`] what contacts remember.
    All,
}

/// Quantity whose rate is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RateOf {
    /// Of a step: poses change at the velocities after it. Weighted with the step's length, it is that step of semi-implicit Euler.
    Step,
    /// Of the equations of motion: poses change at the present velocities, and velocities by the accelerations that forces give if rigid joints hold
    /// accelerations instead of velocities. This is what Runge-Kutta methods sum up.
    Motion,
}

/// Distance between two instants: the largest value of each quantity over the bodies.
///
/// Each is a metric: zero between equal states, the same both ways, and no longer than the sum of two ways through a third state.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Displacement {
    /// Distance moved by a centre of mass (m).
    pub translation: Real,
    /// Rotation of a body (rad), at most half a turn.
    pub angle: Real,
    /// Upper bound on the distance moved by a surface point (m): that of the centre of mass and the chord at the body's reach.
    pub way: Real,
    /// Upper bound on the change of velocity of a surface point (m/s).
    pub speed: Real,
}

impl Displacement {
    /// The larger value of each quantity.
    #[must_use]
    pub fn max(self, o: Self) -> Self {
        Self {
            translation: self.translation.max(o.translation),
            angle: self.angle.max(o.angle),
            way: self.way.max(o.way),
            speed: self.speed.max(o.speed),
        }
    }

    /// Returns true if the states are the same.
    pub fn is_zero(&self) -> bool {
        *self == Self::default()
    }
}
