use crate::impact_queue::ImpactQueue;
use drystone_core::catalogue::{Implementation, Settings};
use drystone_core::{
    BodyIndex, BodyPair, Configuration, DetectMode, Kernel, ModuleKind, PairRecord, Scope, StepFailure, TimeControl,
    TimeReport, Unread, settings,
};

pub(crate) const DESCRIPTION: Implementation = Implementation {
    name: "impulse",
    summary: "free flight from impact to impact: a heap orders pairs by the earliest time at which they can meet",
    source: "Mirtich and Canny 1995; Erleben 2005, section 2.4.3",
    parameters: ImpulseParameters::PARAMETERS,
};

settings! {
    /// Parameters of the pair checks by [`Impulse`].
    #[derive(Debug, Clone, Copy, PartialEq)]
    pub struct ImpulseParameters {
        /// approaching pairs closer than this collide (m)
        distance: f64 = real(1e-4, 1e-9, 1.0),
        /// maximum checks of a pair per frame
        checks: u32 = integer(512, 1, 1_000_000),
        /// maximum repeated detections of all pairs per frame, when bodies leave their bounds
        restarts: u32 = integer(64, 0, 1_000_000),
        /// pair checks and impulses per frame after which pairs wait twice as long, and again after each further tenth
        looks: u32 = integer(100_000, 10, 1_000_000_000),
    }
}

/// Impulse-based simulation: between impacts bodies are in free flight, and nothing but impulses acts between them.
///
/// Each pair whose bodies can meet within the frame waits in a heap, keyed by a time before which they do not meet. That time follows from its distance and a
/// bound on how fast it can close, which holds for tumbling bodies too. The pair on top is flown to its time and looked at again; if it is closer than
/// `distance` and approaching, it collides. Only its bodies' other pairs are keyed anew. Bodies have clocks of their own, and meet at the end of the frame. A
/// body that an impact makes faster than was looked ahead for leaves its room: all bodies fly to that time, and pairs are found anew.
///
/// Resting contact is a train of micro-collisions (the collision solver `micro-collisions`). The constraint solver is not called, so there are no joints.
///
/// Work is bounded: a pair is looked at again no sooner than after the frame's length over `checks`, which lets a body at v metres per second go `v dt /
/// checks` too far. In a tall stack, where impulses run up and down, that is what makes boxes sink. If the impulses of a pair do not come to an end (bodies so
/// deep in each other that contacts push them both ways), the report says truncated, and in the rest of the frame that pair waits twice as long from each such
/// time to the next. A frame with more than `looks` looks at pairs and impulses is reported as truncated too: from there on all pairs wait twice as long, and
/// again after each further tenth of that.
///
/// # Source
/// A-21, B-10, B-11, C-17, D-11; Mirtich and Canny 1995, sections 2 and 3.
#[derive(Debug, Clone, Default)]
pub struct Impulse {
    /// Parameters of its pair checks.
    pub parameters: ImpulseParameters,
    queue: ImpactQueue,
    /// The time of each body (s).
    clocks: Vec<f64>,
    /// Places in the queue of the pairs to which an impact gives new keys.
    near: Vec<u32>,
    /// Pairs whose impulses did not come to an end in this frame, ascending, and how often.
    endless: Vec<(BodyPair, u32)>,
}

/// For how many frames of motion bodies are given room: an impact that makes them no faster than this many times needs no new detection.
const ROOM: f64 = 2.0;

/// A frame, while it is gone through.
struct Frame<'a> {
    kernel: &'a mut dyn Kernel,
    end: f64,
    /// Least time between two looks at a pair (s).
    pause: f64,
    /// Looks at pairs, and impulses.
    looks: u64,
    report: TimeReport,
}

impl Frame<'_> {
    /// Number of times the pauses of all pairs have doubled because `most` checks were not enough.
    fn doublings(&self, most: u32) -> u32 {
        let tenth = u64::from(most / 10).max(1);
        let doublings = self.looks.checked_sub(u64::from(most)).map_or(0, |over| 1 + over / tenth);
        u32::try_from(doublings).unwrap_or(u32::MAX)
    }
}

impl Impulse {
    /// From checked settings.
    pub fn from_settings(s: &Settings) -> Self {
        Self { parameters: ImpulseParameters::from_settings(s), ..Self::default() }
    }

    /// Finds the pairs that can meet before the end, with all bodies at time `now`.
    fn begin(&mut self, frame: &mut Frame<'_>, now: f64) -> Result<(), StepFailure> {
        let ahead = DetectMode {
            look_ahead: ROOM * (frame.end - now),
            envelope: Some(2.0 * self.parameters.distance),
            ..DetectMode::default()
        };
        frame.report.detected(&frame.kernel.detect(Scope::All, ahead)?);
        let records = frame.kernel.pairs(Scope::All);
        self.queue.restart(records, now);
        self.clocks.clear();
        self.clocks.resize(frame.kernel.body_count(), now);
        Ok(())
    }

    /// Flies a body to a time.
    fn fly(&mut self, frame: &mut Frame<'_>, body: BodyIndex, to: f64) -> Result<(), StepFailure> {
        let h = to - self.clocks[body.at()];
        if h > 0.0 {
            flight(frame.kernel, Scope::Body(body), h)?;
            self.clocks[body.at()] = to;
        }
        Ok(())
    }

    /// Looks at a pair at a time and gives it a new key. Returns what was found, and whether one of its bodies leaves its room before the end.
    fn look(
        &mut self,
        frame: &mut Frame<'_>,
        place: u32,
        time: f64,
    ) -> Result<(Option<PairRecord>, bool), StepFailure> {
        let pair = self.queue.pair(place);
        self.fly(frame, pair.a, time)?;
        self.fly(frame, pair.b, time)?;
        frame.kernel.script(time)?;
        let mode = DetectMode {
            look_ahead: frame.end - time,
            envelope: Some(2.0 * self.parameters.distance),
            ..DetectMode::default()
        };
        let found = frame.kernel.detect(Scope::Pair(pair), mode)?;
        frame.report.penetration = frame.report.penetration.max(found.deepest.map_or(0.0, |d| d.depth));
        let record = frame.kernel.pairs(Scope::Pair(pair)).first().copied();
        frame.looks += 1;
        let doublings = frame.doublings(self.parameters.looks);
        frame.report.resolve.truncated |= doublings > 0;
        let pause = frame.pause * 2.0_f64.powi(self.times_endless(pair).saturating_add(doublings).min(64) as i32);
        let wait = record.map_or(f64::INFINITY, |r| r.not_before().max(pause));
        // later in any case: late in a long run a pause may be less than what a clock tells apart
        self.queue.key(place, (time + wait).max(time.next_up()));
        Ok((record, found.escaped.is_some()))
    }

    /// Handles the pair on top, at its time. Returns whether a body leaves its room.
    fn meet(&mut self, frame: &mut Frame<'_>, place: u32, time: f64) -> Result<bool, StepFailure> {
        let (record, mut escaped) = self.look(frame, place, time)?;
        if record.is_none_or(|r| r.distance > self.parameters.distance) {
            return Ok(escaped);
        }
        let pair = self.queue.pair(place);
        let hit = frame.kernel.resolve(Scope::Pair(pair), frame.end - time)?;
        frame.report.resolve.merge(&hit);
        frame.looks += hit.iterations;
        if hit.impacts == 0 {
            return Ok(escaped);
        }
        frame.report.sub_steps += 1;
        if hit.truncated {
            self.note_endless(pair);
        }
        // whatever the two may meet next, they meet at other times now
        self.near.clear();
        self.near.extend(self.queue.beside(place));
        for k in 0..self.near.len() {
            escaped |= self.look(frame, self.near[k], time)?.1;
        }
        Ok(escaped)
    }

    /// Number of times the impulses of a pair did not come to an end in this frame.
    fn times_endless(&self, pair: BodyPair) -> u32 {
        self.endless.binary_search_by_key(&pair, |e| e.0).map_or(0, |k| self.endless[k].1)
    }

    fn note_endless(&mut self, pair: BodyPair) {
        match self.endless.binary_search_by_key(&pair, |e| e.0) {
            Ok(k) => self.endless[k].1 += 1,
            Err(k) => self.endless.insert(k, (pair, 1)),
        }
    }

    /// Flies all bodies to a time: at once if they are all at the same time, so that what pulls at two of them pulls at both from the same places.
    fn gather(&mut self, frame: &mut Frame<'_>, to: f64) -> Result<(), StepFailure> {
        if let Some(&now) = self.clocks.first()
            && self.clocks.iter().all(|clock| *clock == now)
        {
            self.clocks.fill(now.max(to));
            return if to > now { flight(frame.kernel, Scope::All, to - now) } else { Ok(()) };
        }
        for k in 0..self.clocks.len() {
            self.fly(frame, BodyIndex::new(k), to)?;
        }
        Ok(())
    }
}

impl TimeControl for Impulse {
    fn name(&self) -> &'static str {
        DESCRIPTION.name
    }

    fn cannot(&self, configuration: &Configuration) -> Option<&'static str> {
        (!configuration.joints.is_empty()).then_some("joints")
    }

    // nothing is solved; but the choice of constraint solver decides how forces that link bodies act
    fn acts_by_impacts(&self) -> bool {
        true
    }

    fn unread(&self) -> &'static [Unread] {
        &[Unread::Table(ModuleKind::Lcp), Unread::AllBut(ModuleKind::ConstraintSolver, &["kind"])]
    }

    fn advance(&mut self, kernel: &mut dyn Kernel, dt: f64) -> Result<TimeReport, StepFailure> {
        let mut now = kernel.time();
        let end = now + dt;
        kernel.script(now)?;
        let pause = dt / f64::from(self.parameters.checks);
        let mut frame = Frame { kernel, end, pause, looks: 0, report: TimeReport::default() };
        let mut restarts = self.parameters.restarts;
        self.endless.clear();
        self.begin(&mut frame, now)?;
        while let Some((place, time)) = self.queue.pop_before(end) {
            if self.meet(&mut frame, place, time.max(now))? {
                let Some(fewer) = restarts.checked_sub(1) else {
                    // what it may meet outside its room is not known
                    frame.report.resolve.truncated = true;
                    continue;
                };
                restarts = fewer;
                now = time.max(now);
                self.gather(&mut frame, now)?;
                self.begin(&mut frame, now)?;
            }
        }
        self.gather(&mut frame, end)?;
        let Frame { kernel, report, .. } = frame;
        kernel.script(end)?;
        kernel.set_time(end);
        Ok(report)
    }
}

/// Free flight: half a drift, forces, half a drift. Under gravity alone exactly the parabola.
fn flight(kernel: &mut dyn Kernel, scope: Scope, h: f64) -> Result<(), StepFailure> {
    kernel.drift(scope, 0.5 * h)?;
    kernel.apply_forces(scope, h)?;
    kernel.drift(scope, 0.5 * h)
}
