use super::group::SweptGroup;
use super::links::Links;
use super::parameters::SweepParameters;
use crate::RowParameters;
use crate::boxed::Boxed;
use crate::formulation::{Formulation, Outcome};
use drystone_core::{GroupAnswer, GroupProblem, OneThread, SolveReport, Step};
use drystone_lcp::{LcpSolver, Share};
use drystone_math::Real;

/// A group of many contacts and joints: contacts are solved by patches, joints exactly after each sweep.
#[derive(Debug)]
pub(super) struct LinkedSweeps {
    own: SweepParameters,
    group: SweptGroup,
    links: Links,
    /// For joints that cannot be factorised.
    rows: Boxed,
}

impl LinkedSweeps {
    /// With the parameters of rows, and a solver for groups whose joints cannot be factorised.
    pub(super) fn new(own: SweepParameters, rows: RowParameters, solver: Box<dyn LcpSolver>) -> Self {
        Self { own, group: SweptGroup::default(), links: Links::default(), rows: Boxed::new(rows, solver) }
    }
}

impl Formulation for LinkedSweeps {
    fn name(&self) -> &'static str {
        super::SWEEPS_DESCRIPTION.name
    }

    fn parameters(&self) -> &RowParameters {
        self.rows.parameters()
    }

    fn begin(&mut self, share: Share) {
        self.links.share(share);
        self.rows.begin(share);
    }

    fn solve(&mut self, problem: &GroupProblem, step: Step, given_up: Real, answer: &mut GroupAnswer) -> Outcome {
        let Self { own, group, links, rows } = self;
        let before = links.spent();
        if problem.rows.is_empty() || !links.take(problem, rows.parameters(), step, given_up) {
            return rows.solve(problem, step, given_up, answer);
        }
        let parameters = rows.parameters();
        let report = group.solve(problem, (own, parameters), (step, Some(links)), &OneThread, answer);
        let chords = links.write(problem, answer);
        let report = SolveReport { work: links.spent() - before, ..report };
        Outcome { report, chords: Some(chords) }
    }

    fn lcp(&self) -> Box<dyn LcpSolver> {
        self.rows.lcp()
    }

    fn fork(&self) -> Box<dyn Formulation> {
        Box::new(Self::new(self.own.clone(), *self.rows.parameters(), self.rows.lcp()))
    }
}
