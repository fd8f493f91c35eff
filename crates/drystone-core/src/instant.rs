use drystone_math::Real;

/// Names a saved instant: where bodies were, how they moved, and what was known of their contacts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Instant(pub u32);

/// Names a rate of change: of the poses and velocities of the bodies of a scope.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rate(pub u32);

/// How fast rigid joints will leave their constraints.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Departure {
    /// Names the rates, row by row, with the kernel.
    pub name: u32,
    /// The largest of them (m/s or rad/s).
    pub largest: Real,
}

/// What a save keeps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Save {
    /// Where the bodies are and how they move; of all bodies, the clock and who sleeps too.
    Motion,
    /// The same, and what is known of their contacts and joints: edges, groups, manifolds with their multipliers, marks of events, and what
    /// joints remember. A restore of everything brings them back too: a solve after it gives the bits that it gives without.
    Contacts,
}

/// What a restore brings back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Restore {
    /// Positions and orientations.
    Poses,
    /// Velocities.
    Velocities,
    /// Both, what is known of contacts staying as it is.
    Motion,
    /// Everything that was saved: of all bodies the clock too, and with [`Save::Contacts`] what contacts remember.
    All,
}

/// Of what a rate is the rate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RateOf {
    /// Of a step: poses change at the velocities after it. With the step as its weight it is that step of semi-implicit Euler.
    Step,
    /// Of the equations of motion: poses change at the velocities as they are, velocities by the accelerations that forces give
    /// where rigid joints hold accelerations instead of velocities. What Runge-Kutta methods sum up.
    Motion,
}

/// How far two instants are apart: the largest of each over the bodies.
///
/// Each is a metric: zero between equal states, the same both ways, and no longer than the sum of two ways through a third state.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Displacement {
    /// Way of a centre of mass (m).
    pub translation: Real,
    /// Turn of a body (rad), at most half a turn.
    pub angle: Real,
    /// Way of a point of a surface, at most (m): that of the centre of mass and the chord at the body's reach.
    pub way: Real,
    /// Change of a velocity of a point of a surface, at most (m/s).
    pub speed: Real,
}

impl Displacement {
    /// The larger of each.
    #[must_use]
    pub fn max(self, o: Self) -> Self {
        Self {
            translation: self.translation.max(o.translation),
            angle: self.angle.max(o.angle),
            way: self.way.max(o.way),
            speed: self.speed.max(o.speed),
        }
    }

    /// Whether the states are the same.
    pub fn is_zero(&self) -> bool {
        *self == Self::default()
    }
}
