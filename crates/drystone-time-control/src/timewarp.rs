use crate::backtracking::{Backtracking, Stretch, note};
use drystone_core::catalogue::{Implementation, Settings};
use drystone_core::{
    BodyIndex, BodyPair, DetectMode, Kernel, Levels, Restore, Save, Scope, StepFailure, TimeControl, TimeReport,
};

pub(crate) const DESCRIPTION: Implementation = Implementation {
    name: "timewarp",
    summary: "each contact group on its own clock; only groups that collide, or meet others, are taken back",
    source: "Mirtich 2000; Erleben 2005, section 2.2.1, Figure 2.4",
    parameters: Backtracking::PARAMETERS,
};

/// Contact groups that go through a frame one after the other, each on its own clock.
///
/// Bodies that can meet within the frame, by bounds on how far each can come, form one domain. Each domain steps on its own, and is taken back on its own if it
/// collides. A body that goes further than it was given room for is a guess that failed: if it may have met something outside there, the two domains become
/// one, go back to the start of the frame and go through it together. All others are untouched.
///
/// # Source
/// A-28, B-13, B-31, H-16. Differs in: domains are synchronised at the end of each frame, so that nothing is taken back further than that, and no
/// anti-messages are needed.
#[derive(Debug, Clone, Default)]
pub struct Timewarp {
    /// Parameters of the rollback of a group.
    pub backtracking: Backtracking,
    done: Vec<BodyIndex>,
    near: Vec<BodyPair>,
}

impl Timewarp {
    /// With the given backtracking.
    pub fn new(backtracking: Backtracking) -> Self {
        Self { backtracking, ..Self::default() }
    }

    /// From checked settings.
    pub fn from_settings(s: &Settings) -> Self {
        Self::new(Backtracking::from_settings(s))
    }

    /// Joins bodies that can meet: the domains of the frame.
    fn form_domains(&mut self, kernel: &mut dyn Kernel) {
        self.near.clear();
        let can_meet = kernel.pairs(Scope::All).iter().filter(|r| r.distance <= r.ways + self.backtracking.tolerance);
        self.near.extend(can_meet.map(|r| r.pair));
        for pair in &self.near {
            kernel.join(pair.a, pair.b);
        }
        self.done.clear();
    }

    /// A domain that has not been through the frame yet.
    fn next(&self, kernel: &dyn Kernel) -> Option<BodyIndex> {
        kernel.groups().iter().copied().find(|b| !self.done.contains(b))
    }
}

impl TimeControl for Timewarp {
    fn name(&self) -> &'static str {
        DESCRIPTION.name
    }

    fn needs(&self) -> Levels {
        crate::backtracking::NEEDS
    }

    fn advance(&mut self, kernel: &mut dyn Kernel, dt: f64) -> Result<TimeReport, StepFailure> {
        let mut report = TimeReport::default();
        let (from, to) = (kernel.time(), kernel.time() + dt);
        kernel.script(from)?;
        let ahead = DetectMode {
            look_ahead: dt,
            envelope: Some(self.backtracking.tolerance),
            provisional: true,
            ..DetectMode::default()
        };
        note(&mut report, Scope::All, &kernel.detect(Scope::All, ahead)?);
        self.form_domains(kernel);
        let start = kernel.save(Scope::All, Save::Contacts);
        // nothing is in the way of free bodies
        kernel.drift(Scope::Free, 0.5 * dt)?;
        report.solve.merge(&kernel.solve(Scope::Free, dt, dt)?);
        kernel.drift(Scope::Free, 0.5 * dt)?;
        while let Some(domain) = self.next(kernel) {
            let scope = Scope::With(domain);
            match self.backtracking.advance(kernel, Stretch { scope, from, to }, &mut report)? {
                None => self.done.push(domain),
                Some(pair) => {
                    kernel.join(pair.a, pair.b);
                    kernel.restore(Scope::With(pair.a), start, Restore::All);
                    let together = kernel.first_of(pair.a);
                    self.done.retain(|b| Some(*b) != together && kernel.groups().contains(b));
                    report.rollbacks += 1;
                }
            }
        }
        kernel.release(start);
        kernel.script(to)?;
        kernel.set_time(to);
        Ok(report)
    }
}
