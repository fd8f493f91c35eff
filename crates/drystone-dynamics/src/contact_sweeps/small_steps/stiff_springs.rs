//! Springs that a sub-step does not resolve: along their line they are held as joints are, with the error that their linear motion has.
//!
//! A drift along tangents lengthens a spring to second order. To a stiff one that is a large force, which it gives back
//! as a swing. As far as the spring is not resolved, w of it, its row therefore has the error that it would have if it
//! were straight,
//!
//! ```text
//! e = C before + h/2 J v        for the solve
//! e = e + h/2 (J v+ + s chord)  at the end of the sub-step, and w (C - e) is taken out with what joints are off by
//! ```
//!
//! w is the weight of implicit Euler in the rule of the spring ([`Spring`]).

use super::SmallSteps;
use crate::moving::{MovingBody, MovingRow};
use crate::spring_rule::Spring;
use drystone_core::RowLimits;
use drystone_math::Real;

/// The part of a row along a line that `h` seconds do not resolve.
pub(super) fn unresolved(r: &MovingRow, bodies: &[MovingBody], h: Real) -> Real {
    if r.row.line.is_none() || r.row.limits != RowLimits::BILATERAL {
        return 0.0;
    }
    Spring::of(&r.row, r.coupling(bodies, r), h).map_or(0.0, |spring| spring.implicit)
}

impl SmallSteps {
    /// Notes the errors that springs would have after a first drift of `lead` seconds if they were straight.
    pub(super) fn note_springs(&mut self, lead: Real) {
        let Self { joints, bodies, .. } = self;
        for r in joints.rows.iter_mut().filter(|r| r.row.line.is_some()) {
            r.spared = r.row.error + lead * r.rate(bodies);
        }
    }

    /// Begins the drift of `trail` seconds from the solve, and notes the errors that springs would have after it.
    pub(super) fn begin_trail(&mut self, trail: Real) {
        self.ago = trail;
        let Self { joints, bodies, now, links, credit, .. } = self;
        for (k, r) in joints.rows.iter_mut().enumerate().filter(|(_, r)| r.row.line.is_some()) {
            let chord = credit.share * links.chord(k);
            r.spared = now.rows[k].row.error
                + trail * (now.rows[k].row.rate(r.bodies.map(|i| bodies[i as usize].velocity)) + chord);
        }
    }
}
