use crate::backtracking::Stretch;
use crate::{Leapfrog, Retroactive};
use drystone_core::catalogue::{Implementation, chosen};
use drystone_core::{
    BodyIndex, BodyPair, DetectMode, Kernel, Levels, PairRecord, Restore, Save, Scope, StepFailure, TimeControl,
    TimeReport, settings,
};

pub(crate) const DESCRIPTION: Implementation = Implementation {
    name: "hybrid",
    summary: "symmetric steps, but steps to the times of impact for groups in which fast bodies can meet",
    source: "Erleben 2005, sections 2.2.1, 2.4.5 and 5.7",
    parameters: &chosen(Hybrid::PARAMETERS, ["speed", "bodies", "tolerance", "search", "backtracks"]),
};

settings! {
    /// Two time controls and what chooses between them, group by group: the records of the pairs, and the sizes of the contact groups.
    ///
    /// All groups go through the frame in equal steps. Those in which something fast can meet are then taken back and go through it from impact to impact, each with all
    /// that it can meet; the bits of the others do not change by that. Both controls leave poses and velocities of the same time, so that either can start from what
    /// the other left, and nothing is changed where one follows the other.
    ///
    /// # Source
    /// A-25, B-12, H-36, H-38; that large stacks are not for impulses: Erleben 2005, section 5.7, which has no algorithm.
    #[derive(Debug, Clone, PartialEq)]
    pub struct Hybrid {
        /// times of impact are sought for pairs that approach faster than this (m/s)
        speed: f64 = real(2.0, 0.0, 1e9),
        /// impacts on groups of more bodies than this are left to the equal steps at any speed: a pile has too many to resolve one by one
        bodies: u32 = integer(10, 1, 1_000_000_000),
        /// For groups in which nothing fast can meet.
        resting: Leapfrog = given(Leapfrog::default()),
        /// for the others
        fast: Retroactive = all(),
        /// Frames that each has done: equal steps, and searched ones.
        frames: [u64; 2] = given([0; 2]),
        /// Scratch: the pairs that meet fast in this frame.
        arriving: Vec<PairRecord> = given(Vec::new()),
        /// Scratch: the pairs that can meet in it.
        near: Vec<BodyPair> = given(Vec::new()),
        /// Scratch: the domains that are still to be searched, each by one of its bodies.
        domains: Vec<BodyIndex> = given(Vec::new()),
        /// Scratch: the pairs that overlap after equal steps.
        overlapping: Vec<PairRecord> = given(Vec::new()),
    }
}

impl Hybrid {
    /// Returns true if a pair needs its time of impact searched.
    fn is_fast(&self, record: &PairRecord, dt: f64) -> bool {
        let outside = record.distance > -self.fast.backtracking.tolerance;
        outside && record.approach > self.speed && record.not_before() < dt
    }

    /// Returns true if the groups of a pair, as of the last detection that formed any, are small enough for impacts one
    /// by one.
    fn is_small(&self, kernel: &mut dyn Kernel, pair: BodyPair) -> bool {
        let count = kernel.body_count();
        [pair.a, pair.b].into_iter().all(|body| {
            let Some(first) = kernel.first_of(body) else { return true };
            let members = (0..count).filter(|b| kernel.first_of(BodyIndex::new(*b)) == Some(first));
            members.take(self.bodies as usize + 1).count() <= self.bodies as usize
        })
    }
}

impl Hybrid {
    /// The fast pairs of small groups among the records of the frame, and all that can meet in it.
    fn look(&mut self, kernel: &mut dyn Kernel, dt: f64) {
        let Retroactive { backtracking, .. } = self.fast;
        self.near.clear();
        self.arriving.clear();
        let records = kernel.pairs(Scope::All);
        self.near.extend(records.iter().filter(|r| r.distance <= r.ways + backtracking.tolerance).map(|r| r.pair));
        let mut arriving = core::mem::take(&mut self.arriving);
        arriving.extend(records.iter().filter(|r| self.is_fast(r, dt)));
        arriving.retain(|r| self.is_small(kernel, r.pair));
        self.arriving = arriving;
    }

    /// Joins fast bodies with all that they can meet in the frame, and these with what they can meet: the domains that are searched, each by one of its bodies.
    fn form_domains(&mut self, kernel: &mut dyn Kernel) {
        self.domains.clear();
        for PairRecord { pair, moves, .. } in &self.arriving {
            kernel.join(pair.a, pair.b);
            let moved = [pair.a, pair.b].into_iter().zip(moves).filter(|(_, moves)| **moves);
            moved.for_each(|(body, _)| add_domain(kernel, &mut self.domains, body));
        }
        let mut grows = true;
        while grows {
            grows = false;
            for &BodyPair { a, b } in &self.near {
                let [first, second] = [a, b].map(|body| is_in(kernel, &self.domains, body));
                if first != second {
                    kernel.join(a, b);
                    grows |= is_in(kernel, &self.domains, a) && is_in(kernel, &self.domains, b);
                }
            }
        }
        let all = core::mem::take(&mut self.domains);
        for body in all {
            add_domain(kernel, &mut self.domains, body);
        }
    }

    /// A frame in which something fast can meet: everything goes through it in equal steps, and what is fast is taken back and goes through it alone. What it meets
    /// outside its domain is taken back and joins it.
    fn search(&mut self, kernel: &mut dyn Kernel, dt: f64) -> Result<TimeReport, StepFailure> {
        let (from, to) = (kernel.time(), kernel.time() + dt);
        let start = kernel.save(Scope::All, Save::Contacts);
        let mut report = self.resting.advance(kernel, dt)?;
        self.form_domains(kernel);
        // what is taken back did not happen
        report.penetration = self.deepest_of_others(kernel);
        for &domain in &self.domains {
            kernel.restore(Scope::With(domain), start, Restore::All);
        }
        kernel.script(from)?;
        while let Some(domain) = self.domains.pop() {
            let stretch = Stretch { scope: Scope::With(domain), from, to };
            if let Some(pair) = self.fast.backtracking.advance(kernel, stretch, &mut report)? {
                kernel.join(pair.a, pair.b);
                let mut others = core::mem::take(&mut self.domains);
                others.retain(|other| !is_in(kernel, &[pair.a], *other));
                kernel.restore(Scope::With(pair.a), start, Restore::All);
                others.push(pair.a);
                self.domains = others;
                report.rollbacks += 1;
            }
        }
        kernel.release(start);
        kernel.script(to)?;
        kernel.set_time(to);
        Ok(report)
    }

    /// The deepest overlap that the last detection found between bodies that are not searched (m).
    fn deepest_of_others(&mut self, kernel: &mut dyn Kernel) -> f64 {
        let Self { overlapping, domains, .. } = self;
        overlapping.clear();
        overlapping.extend(kernel.pairs(Scope::All).iter().filter(|r| r.distance < 0.0));
        overlapping.retain(|r| !is_in(kernel, domains, r.pair.a) && !is_in(kernel, domains, r.pair.b));
        overlapping.iter().fold(0.0, |deepest: f64, r| deepest.max(-r.distance))
    }
}

/// Returns true if a body is one of these or belongs to the group of one.
fn is_in(kernel: &mut dyn Kernel, domains: &[BodyIndex], body: BodyIndex) -> bool {
    let first = kernel.first_of(body);
    domains.iter().any(|other| *other == body || first.is_some() && kernel.first_of(*other) == first)
}

/// Adds the domain of a body, unless it is known.
fn add_domain(kernel: &mut dyn Kernel, domains: &mut Vec<BodyIndex>, body: BodyIndex) {
    if !is_in(kernel, domains, body) {
        domains.push(body);
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
        self.look(kernel, dt);
        let fast = !self.arriving.is_empty();
        self.frames[usize::from(fast)] += 1;
        let mut report = if fast { self.search(kernel, dt)? } else { self.resting.advance(kernel, dt)? };
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
    fn a_pair_is_fast_that_is_not_inside_approaches_and_can_meet_in_the_frame() {
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
        assert!(!hybrid.is_fast(&record(-2.0 * hybrid.fast.backtracking.tolerance, fast, enough), dt));
        // what has come as near as that and still approaches is about to hit
        assert!(hybrid.is_fast(&record(0.0, fast, enough), dt));
        assert!(!hybrid.is_fast(&record(apart, hybrid.speed, enough), dt));
        assert!(!hybrid.is_fast(&record(apart, fast, 0.5 * apart / dt), dt));
        assert!(!hybrid.is_fast(&record(apart, -fast, 0.5 * apart / dt), dt));
    }
}
