use drystone_math::Real;
use std::f64::consts::TAU;
use std::sync::atomic::{AtomicU64, Ordering};

/// The angle that a joint was last seen at, full turns included: what makes the next one, known up to turns, a number.
///
/// A pose does not know how often a body went round, so this is memory of its own. It is right as long as the angle
/// changes by less than half a turn between two evaluations of the rows. One thread evaluates a joint at a time; the atomic
/// is there so that a source can be shared, not so that threads can meet in it.
#[derive(Debug, Default)]
pub(crate) struct Turns(AtomicU64);

impl Turns {
    /// The last angle (rad); zero at the initial state.
    pub(crate) fn last(&self) -> Real {
        Real::from_bits(self.0.load(Ordering::Relaxed))
    }

    pub(crate) fn remember(&self, angle: Real) {
        self.0.store(angle.to_bits(), Ordering::Relaxed);
    }

    /// An angle from -pi to pi with the turns that bring it next to the last one.
    pub(crate) fn total(&self, angle: Real) -> Real {
        angle + TAU * ((self.last() - angle) / TAU).round()
    }
}

impl Clone for Turns {
    fn clone(&self) -> Self {
        Self(AtomicU64::new(self.last().to_bits()))
    }
}

impl PartialEq for Turns {
    fn eq(&self, other: &Self) -> bool {
        self.last() == other.last()
    }
}
