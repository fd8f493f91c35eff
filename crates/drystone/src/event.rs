use drystone_core::{BodyId, JointId, JointReaction, TimerId};
use drystone_math::{Real, Vec3};

/// What happened in a step, as a value: from [`crate::World::events`] or [`crate::World::drain_events`].
///
/// Each touch that begins ends, and none is told of an instant that a time control took back. A touch is seen where bodies are looked at: at
/// each detection of the step (one per sub-step) and, where they reach each other within it, in the impulse that they exchange.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum Event {
    /// Two bodies began to touch.
    TouchBegan(Touch),
    /// Two bodies ceased to touch, or one of them was removed.
    TouchEnded {
        /// The bodies, in the order of the touch.
        bodies: [BodyId; 2],
        /// When it was seen (s).
        time: Real,
    },
    /// A body came into a sensor: their surfaces overlap.
    Entered {
        /// The sensor.
        sensor: BodyId,
        /// What came.
        body: BodyId,
        /// When it was seen (s).
        time: Real,
    },
    /// A body left a sensor, or one of them was removed.
    Left {
        /// The sensor.
        sensor: BodyId,
        /// What left.
        body: BodyId,
        /// When it was seen (s).
        time: Real,
    },
    /// A joint bore more than its strength and holds nothing any more.
    JointBroke {
        /// The joint.
        joint: JointId,
        /// What it bore in the last solve.
        reaction: JointReaction,
        /// The end of the step (s).
        time: Real,
    },
    /// A timer ticked.
    Tick {
        /// The timer.
        timer: TimerId,
        /// When it did (s); the last time where it did more often.
        time: Real,
        /// How often in this step.
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

/// How two bodies met.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Touch {
    /// The bodies, the one that was added first in front.
    pub bodies: [BodyId; 2],
    /// When it was seen (s).
    pub time: Real,
    /// Midpoint between the surfaces where they were closest then, or overlapped most (m).
    pub point: Vec3,
    /// Unit normal there, from the first body to the second.
    pub normal: Vec3,
    /// Speed at which they approached along the normal (m/s).
    pub speed: Real,
    /// What they exchanged from then to the end of the step or of the touch: the impulse on the second body (N s). A part of the blow where
    /// that takes longer, as under springs or where the step's end comes between: a solve may close the gap first, and the next one stop them.
    pub impulse: Vec3,
}

impl Event {
    /// When it happened (s), as exactly as it was looked for.
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
