use drystone_core::catalogue::Implementation;
use drystone_core::{SleepMemory, SleepObservation, SleepPolicy, Slowness, settings};
use drystone_math::{Real, Twist};

settings! {
    /// Sleepy when the kinetic energy has stayed below a threshold times the mass without growing, and nothing in the velocity is steady.
    ///
    /// A window begins when the energy is below the threshold, and lasts for `steps` steps and `seconds`. At its end the body is
    /// sleepy if its energy is not above that at the beginning, its mean acceleration is below a bound, and it neither drifts nor speeds
    /// up steadily. *Steady* is what stands out of the scatter: a drift is a mean velocity larger than the scatter of
    /// velocities around it, a steady acceleration a change over the window that makes up most of that scatter. A solver's noise has a mean near
    /// zero, and does not stand out however large it is; a block that slides at a hundredth of gravity does in the first window,
    /// as does one that creeps at a constant 0.1 mm/s. A body that is sleepy stays so until a window finds otherwise.
    ///
    /// In a large loose pile there is always one that slips a little, spins in its place or rolls at a few millimetres per second, and keeps a thousand
    /// others awake. So a body is sleepy too that was below the threshold for `patience` seconds, if over the second half of that time its speed was below `creep` (root mean square)
    /// and its energy did not rise at an even rate: the line that fits its velocities best explains less than half of their scatter, or shows it slowing down. What speeds
    /// up evenly is a slide that begins, however slowly; what a solver leaves has no line in it.
    ///
    /// # Source
    /// H-33, H-35; Erleben 2005, section 6.5. Differs in: the text asks that the change of energy be
    /// "non-decreasing", which would let only bodies sleep that speed up; non-increasing is meant. Growth by less than
    /// `slack` times the threshold is rounding, not growth: without it a resting body whose solver leaves 1e-5 m/s of noise
    /// would never sleep. The bounds on acceleration and on what is steady are ours: what begins to slide or to swing gains energy as the square of
    /// the time, and what slides evenly gains none at all.
    #[derive(Debug, Clone, Copy, PartialEq)]
    pub struct KineticEnergyRelative {
        /// largest kinetic energy over mass (J/kg)
        threshold: Real = real(1e-3, 0.0, 1e12),
        /// minimum observation window (steps)
        steps: u32 = integer(5, 1, 10_000),
        /// minimum observation window (s)
        seconds: Real = real(0.05, 0.0, 1e6),
        /// growth that is ignored, as a fraction of the threshold
        slack: Real = real(0.01, 0.0, 1.0),
        /// mean acceleration over the window that counts as zero (m/s^2)
        acceleration: Real = real(0.02, 0.0, 1e12),
        /// steady mean speed over the window that counts as zero (m/s)
        drift: Real = real(2e-5, 0.0, 1e3),
        /// time below the threshold after which a body that only creeps in contact is sleepy (s)
        patience: Real = real(2.0, 0.0, 1e6),
        /// rms speed up to which motion counts as creep (m/s)
        creep: Real = real(0.015, 0.0, 1e3),
    }
}

/// A line explains velocities if it makes up this part of their scatter. White noise of sixty steps reaches 0.05 on average; an even acceleration 1.
const EXPLAINED: Real = 0.5;

impl KineticEnergyRelative {
    /// Its entry in the catalogue.
    pub const DESCRIPTION: Implementation = Implementation {
        name: "kinetic-energy-relative",
        summary: "sleepy when kinetic energy over mass has stayed below a threshold without growing, and no motion is steady",
        source: "Erleben 2005, section 6.5",
        parameters: Self::PARAMETERS,
    };

    /// Returns true if a window that began with the remembered velocity, and lasted `time` seconds, shows a motion that
    /// goes on.
    fn goes_on(&self, seen: &SleepObservation, time: Real, memory: &SleepMemory) -> bool {
        let count = Real::from(memory.calm_steps);
        let mean = square(memory.sum, seen.gyration) / (count * count);
        let scatter = (memory.squares / count - mean).max(0.0);
        let drifts = mean > scatter && mean > self.drift * self.drift;
        let change = square(seen.velocity - Twist::new(memory.vector, memory.angular_velocity), seen.gyration);
        // a change at an even rate leaves a scatter of a twelfth of its square
        let evenly = change > 6.0 * scatter && change > (2.0 * self.drift).powi(2);
        drifts || evenly || change > (self.acceleration * time).powi(2)
    }

    /// Counts a step in the window of a body that is below the threshold; whether it is calm.
    fn is_calm(&self, seen: &SleepObservation, h: Real, memory: &mut SleepMemory) -> bool {
        let SleepObservation { kinetic_energy: energy, velocity, .. } = *seen;
        let bound = self.threshold * seen.mass;
        let squared = square(velocity, seen.gyration);
        let window = |calm| SleepMemory {
            calm_steps: 1,
            reference: energy,
            vector: velocity.linear,
            angular_velocity: velocity.angular,
            sum: velocity,
            squares: squared,
            calm,
            ..SleepMemory::default()
        };
        if memory.calm_steps == 0 {
            *memory = window(false);
        } else {
            memory.calm_steps = memory.calm_steps.saturating_add(1);
            memory.sum += velocity;
            memory.squares += squared;
        }
        let time = h * Real::from(memory.calm_steps - 1);
        let over = memory.calm_steps >= self.steps && time >= self.seconds * (1.0 - 1e-9);
        if !(over || memory.calm) {
            return false;
        }
        let calm = energy <= memory.reference + self.slack * bound;
        let calm = calm && !(over && self.goes_on(seen, time, memory));
        if over || !calm {
            *memory = window(calm);
        }
        calm
    }

    /// Counts a step of a body that is slow. Returns whether it has been slow for long, and has crept at most.
    fn lasts(&self, seen: &SleepObservation, h: Real, slow: &mut Slowness) -> bool {
        slow.steps = slow.steps.saturating_add(1);
        slow.squares += square(seen.velocity, seen.gyration);
        slow.sum += seen.velocity;
        slow.moment += seen.velocity * Real::from(slow.steps);
        let time = h * Real::from(slow.steps);
        if time >= 0.5 * self.patience * (1.0 - 1e-9) {
            let mean = slow.squares / Real::from(slow.steps);
            let second = slow.time > 0.0;
            let lasts = second && mean <= self.creep * self.creep && !self.rises(slow, seen.gyration);
            *slow = Slowness { time: (slow.time + time).min(self.patience), lasts, ..Slowness::default() };
        }
        slow.lasts
    }

    /// Returns true if the energy rose at an even rate over an interval: the velocities fit a line along which they
    /// grow.
    fn rises(&self, slow: &Slowness, gyration: Real) -> bool {
        let count = Real::from(slow.steps);
        // the best line through the velocities: moments about the mean step, in units of the sum of squared steps about it
        let spread = count * (count * count - 1.0) / 12.0;
        let slope = (slow.moment - slow.sum * (0.5 * (count + 1.0))) * (1.0 / spread.max(1.0));
        let mean = slow.sum * (1.0 / count);
        let scatter = (slow.squares / count - square(mean, gyration)).max(0.0);
        let explained = square(slope, gyration) * spread / count;
        let gains = mean.linear.dot(slope.linear) + mean.angular.dot(slope.angular) * gyration * gyration;
        let change = square(slope * count, gyration);
        gains > 0.0 && explained >= EXPLAINED * scatter && change > (2.0 * self.drift).powi(2)
    }
}

/// Squared speed of the centre of mass and at the radius of gyration.
fn square(velocity: Twist, gyration: Real) -> Real {
    velocity.linear.length_squared() + velocity.angular.length_squared() * gyration * gyration
}

impl SleepPolicy for KineticEnergyRelative {
    fn name(&self) -> &'static str {
        Self::DESCRIPTION.name
    }

    fn is_sleepy(&self, observation: &SleepObservation, h: Real, memory: &mut SleepMemory) -> bool {
        let (energy, bound) = (observation.kinetic_energy, self.threshold * observation.mass);
        // negated: an energy that is not a number is not calm
        if energy.is_nan() || energy > bound {
            *memory = SleepMemory::default();
            return false;
        }
        let mut slow = memory.slow;
        let lasts = self.lasts(observation, h, &mut slow);
        let calm = self.is_calm(observation, h, memory);
        (memory.slow, memory.only_slow) = (slow, lasts && !calm);
        lasts || calm
    }
}
