use drystone_math::Real;

/// Parameters of a solve.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Step {
    /// Its length (s); zero at the level of impacts.
    pub h: Real,
    /// Time within which gaps may close (s), above zero.
    pub horizon: Real,
    /// Impulses that change velocities at once, over a step, or forces.
    pub level: Level,
    /// True if the multipliers of the problem are from this very step: they are then the start value even for a solver
    /// without warm start.
    pub started: bool,
    /// True if the problem is, number by number, the one that this solver was given last, at the same step, except for
    /// the curvature of its rows and all multipliers: whatever was derived from it may be kept. A solver that keeps
    /// nothing need not look.
    pub again: bool,
    /// True if there is an impact within the step: its impulses are in the multipliers, and are not lasting forces.
    pub struck: bool,
    /// Limit on the iterations of a method that approaches its answer step by step, if its own limit is higher; at least one is made. It is what the planner of
    /// the frame has time for.
    pub most_iterations: u32,
    /// If overlap is taken out after a drift over the step at the velocities of the answer: how much of it stays (m). A solver may then say itself how bodies
    /// are to be displaced ([`GroupAnswer::correction`]).
    ///
    /// [`GroupAnswer::correction`]: crate::GroupAnswer::correction
    pub slop: Option<Real>,
}

impl Step {
    /// Number of iterations to make if the method's own limit is `own`.
    pub fn iterations(&self, own: usize) -> usize {
        own.min(self.most_iterations.max(1) as usize)
    }

    /// A step of `h` seconds at the level of velocities, or of impacts if `h` is zero.
    pub fn new(h: Real, horizon: Real) -> Self {
        Self {
            h,
            horizon,
            level: if h > 0.0 { Level::Velocity } else { Level::Impact },
            started: false,
            again: false,
            struck: false,
            most_iterations: u32::MAX,
            slop: None,
        }
    }
}

/// The level at which constraints are kept in a solve.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Level {
    /// Impacts alone: velocities change in no time, and bounded forces have no effect.
    Impact,
    /// Velocities at the end of a step, by impulses over it.
    Velocity,
    /// Accelerations at one instant, by forces.
    Acceleration,
}

impl Level {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Impact, Self::Velocity, Self::Acceleration];

    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Impact => "impacts",
            Self::Velocity => "velocities",
            Self::Acceleration => "accelerations",
        }
    }
}

/// A set of levels: those at which a constraint solver solves, or a time control asks it to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Levels {
    /// [`Level::Impact`].
    pub impact: bool,
    /// [`Level::Velocity`].
    pub velocity: bool,
    /// [`Level::Acceleration`].
    pub acceleration: bool,
}

impl Levels {
    /// Velocities alone.
    pub const VELOCITY: Self = Self { impact: false, velocity: true, acceleration: false };
    /// Velocities, and impacts.
    pub const IMPULSES: Self = Self { impact: true, ..Self::VELOCITY };
    /// Accelerations alone.
    pub const ACCELERATION: Self = Self { impact: false, velocity: false, acceleration: true };

    /// Returns true if the set contains a level.
    pub const fn has(self, level: Level) -> bool {
        match level {
            Level::Impact => self.impact,
            Level::Velocity => self.velocity,
            Level::Acceleration => self.acceleration,
        }
    }

    /// Returns true if the set contains all of `asked`.
    pub fn cover(self, asked: Self) -> bool {
        Level::ALL.into_iter().all(|l| self.has(l) || !asked.has(l))
    }
}

impl core::fmt::Display for Levels {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        for (k, level) in Level::ALL.into_iter().filter(|l| self.has(*l)).enumerate() {
            write!(f, "{}{}", if k == 0 { "" } else { " and " }, level.name())?;
        }
        Ok(())
    }
}
