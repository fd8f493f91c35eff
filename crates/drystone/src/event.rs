use drystone_core::{BodyId, JointId, JointReaction, TimerId};
use drystone_math::{Real, Vec3};

/// Event of a step, as a value: from [`crate::World::events`] or [`crate::World::drain_events`].
///
/// Each touch that begins also ends, and no event is reported for an instant that a time control rolled back. Touches are found at each detection of the step (one
/// per sub-step) and, if bodies reach each other within it, by the impulse that they exchange.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum Event {
    /// Two bodies began to touch.
    TouchBegan(Touch),
    /// Two bodies stopped touching, or one of them was removed.
    TouchEnded {
        /// The bodies, in the order of the touch.
        bodies: [BodyId; 2],
        /// When it was seen (s).
        time: Real,
    },
    /// A body entered a sensor: their surfaces overlap.
    Entered {
        /// The sensor.
        sensor: BodyId,
        /// The body that entered.
        body: BodyId,
        /// When it was seen (s).
        time: Real,
    },
    /// A body left a sensor, or one of the two was removed.
    Left {
        /// The sensor.
        sensor: BodyId,
        /// The body that left.
        body: BodyId,
        /// When it was seen (s).
        time: Real,
    },
    /// The load on a joint exceeded its strength, and it holds nothing any more.
    JointBroke {
        /// The joint.
        joint: JointId,
        /// The load in the last solve.
        reaction: JointReaction,
        /// The end of the step (s).
        time: Real,
    },
    /// A timer ticked.
    Tick {
        /// The timer.
        timer: TimerId,
        /// When it ticked (s); the last time, if it ticked more than once.
        time: Real,
        /// The number of ticks in this step.
        count: u64,
    },
    /// A body fell asleep with its group.
    FellAsleep {
        /// The body.
        body: BodyId,
        /// The end of the step (s).
        time: Real,
    },
    /// A body woke, or was woken.
    Woke {
        /// The body.
        body: BodyId,
        /// The end of the step (s).
        time: Real,
    },
}

/// Contact of two bodies as it began.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Touch {
    /// The bodies, starting with the one that was added first.
    pub bodies: [BodyId; 2],
    /// When it was seen (s).
    pub time: Real,
    /// Midpoint between the surfaces at the place where they were closest then, or overlapped most (m).
    pub point: Vec3,
    /// Unit normal there, from the first body to the second.
    pub normal: Vec3,
    /// Speed at which they approached along the normal (m/s).
    pub speed: Real,
    /// The impulse on the second body (N s) from then to the end of the step or of the touch. This is only a part of the blow if the blow lasts longer, as with
    /// springs, or if the step ends in between: one solve may only close the gap, and the next one stop the bodies.
    pub impulse: Vec3,
}

impl Event {
    /// When it happened (s), as precisely as it was looked for.
    pub fn time(&self) -> Real {
        match *self {
            Self::TouchBegan(Touch { time, .. })
            | Self::TouchEnded { time, .. }
            | Self::Entered { time, .. }
            | Self::Left { time, .. }
            | Self::JointBroke { time, .. }
            | Self::Tick { time, .. }
            | Self::FellAsleep { time, .. }
            | Self::Woke { time, .. } => time,
        }
    }
}
