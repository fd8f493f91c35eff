use crate::{Leapfrog, Retroactive};
use drystone_core::catalogue::{Implementation, chosen};
use drystone_core::{
    BodyIndex, BodyPair, DetectMode, Kernel, Levels, PairRecord, Scope, StepFailure, TimeControl, TimeReport, settings,
};

pub(crate) const DESCRIPTION: Implementation = Implementation {
    name: "hybrid",
    summary: "symmetric steps, but steps to the times of impact in frames in which fast bodies can meet",
    source: "Erleben 2005, sections 2.2.1, 2.4.5 and 5.7",
    parameters: &chosen(Hybrid::PARAMETERS, ["speed", "bodies", "tolerance", "search", "backtracks"]),
};

/// Largest number of fast pairs per frame whose groups are looked at.
const MOST_ARRIVING: usize = 64;

settings! {
    /// Two time controls and what chooses between them, frame by frame: the records of the pairs, and the sizes of the contact groups.
    ///
    /// Both leave poses and velocities of the same time, so that either can start from what the other left, and nothing is changed where one follows
    /// the other.
    ///
    /// # Source
    /// A-25, B-12, H-36, H-38; that large stacks are not for impulses: Erleben 2005, section 5.7, which has no algorithm.
    #[derive(Debug, Clone, Copy, PartialEq)]
    pub struct Hybrid {
        /// times of impact are sought for separated pairs that approach faster than this (m/s)
        speed: f64 = real(2.0, 0.0, 1e9),
        /// impacts on groups of more bodies than this are left to the equal steps at any speed: a pile has too many to resolve one by one
        bodies: u32 = integer(10, 1, 1_000_000_000),
        /// For frames in which nothing fast can meet.
        resting: Leapfrog = given(Leapfrog::default()),
        /// for the others
        fast: Retroactive = all(),
        /// Frames that each has done: equal steps, and searched ones.
        frames: [u64; 2] = given([0; 2]),
    }
}

impl Hybrid {
    /// Whether a pair needs its time of impact searched.
    fn is_fast(&self, record: &PairRecord, dt: f64) -> bool {
        let apart = record.distance > self.fast.backtracking.tolerance;
        apart && record.approach > self.speed && record.not_before() < dt
    }

    /// Whether the groups of a pair, as of the last detection that formed any, are small enough for impacts one by one.
    fn is_small(&self, kernel: &mut dyn Kernel, pair: BodyPair) -> bool {
        let count = kernel.body_count();
        [pair.a, pair.b].into_iter().all(|body| {
            let Some(first) = kernel.first_of(body) else { return true };
            let members = (0..count).filter(|b| kernel.first_of(BodyIndex::new(*b)) == Some(first));
            members.take(self.bodies as usize + 1).count() <= self.bodies as usize
        })
    }
}

impl TimeControl for Hybrid {
    fn name(&self) -> &'static str {
        DESCRIPTION.name
    }

    fn needs(&self) -> Levels {
        crate::backtracking::NEEDS
    }

    fn advance(&mut self, kernel: &mut dyn Kernel, dt: f64) -> Result<TimeReport, StepFailure> {
        kernel.script(kernel.time())?;
        let ahead = DetectMode { look_ahead: dt, proximity_only: true, ..DetectMode::default() };
        let seen = kernel.detect(Scope::All, ahead)?;
        let mut arriving = [None; MOST_ARRIVING];
        let records = kernel.pairs(Scope::All).iter().filter(|r| self.is_fast(r, dt));
        for (place, record) in arriving.iter_mut().zip(records) {
            *place = Some(record.pair);
        }
        let fast = arriving.into_iter().flatten().any(|pair| self.is_small(kernel, pair));
        self.frames[usize::from(fast)] += 1;
        let mut report = if fast { self.fast.advance(kernel, dt)? } else { self.resting.advance(kernel, dt)? };
        report.detections += 1;
        report.penetration = report.penetration.max(seen.deepest.map_or(0.0, |d| d.depth));
        Ok(report)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use drystone_core::{BodyPair, ClosingBound};

    #[test]
    fn a_pair_is_fast_that_is_apart_approaches_and_can_meet_in_the_frame() {
        let hybrid = Hybrid::default();
        let (dt, apart) = (0.01, 100.0 * hybrid.fast.backtracking.tolerance);
        let record = |distance: f64, approach: f64, closing: f64| PairRecord {
            pair: BodyPair::ordered(0, 1),
            distance,
            bound: ClosingBound { closing, bend: 0.0 },
            approach,
            thickness: 1.0,
            ways: f64::INFINITY,
            moves: [true; 2],
            held: false,
            known: false,
        };
        let (fast, enough) = (2.0 * hybrid.speed, 2.0 * apart / dt);
        assert!(hybrid.is_fast(&record(apart, fast, enough), dt));
        // each of the three by itself
        assert!(!hybrid.is_fast(&record(hybrid.fast.backtracking.tolerance, fast, enough), dt));
        assert!(!hybrid.is_fast(&record(apart, hybrid.speed, enough), dt));
        assert!(!hybrid.is_fast(&record(apart, fast, 0.5 * apart / dt), dt));
        assert!(!hybrid.is_fast(&record(apart, -fast, 0.5 * apart / dt), dt));
    }
}
