use super::group::SweptGroup;
use super::parameters::SweepParameters;
use crate::{LoadStart, RowParameters};
use drystone_core::{ContactImpulse, GroupAnswer, GroupProblem, Step};

/// Most visits of a layer while loads are passed down.
const VISITS: usize = 8;

/// Loads passed down a group at rest, as the start of sweeps over its rows.
///
/// A sweep hands an impulse on from contact to contact: a column of n bodies takes some n^2 sweeps until its foot bears it, and falls in the meantime. The
/// pass of [`super::ContactSweeps`] finds what the bodies bear in one go, exactly if each stands on what is below it; sweeps then go on from there.
#[derive(Debug)]
pub(crate) struct Loads {
    group: SweptGroup,
    own: SweepParameters,
    problem: GroupProblem,
    answer: GroupAnswer,
}

impl Default for Loads {
    fn default() -> Self {
        let own = SweepParameters { load_sweeps: VISITS, ..SweepParameters::default() };
        Self { group: SweptGroup::default(), own, problem: GroupProblem::default(), answer: GroupAnswer::default() }
    }
}

impl Loads {
    /// The problem with loads as its start, and the step that uses them; both unchanged if the solver starts from something else.
    pub(crate) fn start<'a>(
        &'a mut self,
        problem: &'a GroupProblem,
        rows: &RowParameters,
        step: Step,
    ) -> (&'a GroupProblem, Step) {
        if !(is_asked_for(problem, rows, step) && self.bear(problem, rows, step)) {
            return (problem, step);
        }
        (&self.problem, Step { started: true, ..step })
    }

    /// Passes loads down if the group is at rest; false if it is not.
    fn bear(&mut self, problem: &GroupProblem, rows: &RowParameters, step: Step) -> bool {
        let Self { group, own, problem: with_loads, answer } = self;
        own.rows = *rows;
        with_loads.clone_from(problem);
        for c in &mut with_loads.contacts {
            c.impulse = ContactImpulse::default();
        }
        answer.start(with_loads);
        let rests = group.bear(with_loads, own, step, answer);
        if rests {
            with_loads.start_from(answer);
        }
        rests
    }
}

/// Returns true if a solve of a group of contacts alone is to begin from loads.
fn is_asked_for(problem: &GroupProblem, rows: &RowParameters, step: Step) -> bool {
    let contacts = &problem.contacts;
    if step.h == 0.0 || step.started || contacts.is_empty() || !problem.rows.is_empty() || !problem.surfaces.is_empty()
    {
        return false;
    }
    match rows.load_start {
        LoadStart::None => false,
        LoadStart::Fresh => rows.warm_start && contacts.iter().all(|c| c.impulse.normal == 0.0),
        LoadStart::Always => true,
    }
}
