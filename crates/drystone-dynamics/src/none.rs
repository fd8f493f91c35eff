use crate::penalty::special_friction;
use drystone_core::catalogue::Implementation;
use drystone_core::{
    Configuration, ConstraintSolver, Executor, GroupAnswer, GroupProblem, ModuleKind, Resolves, SolveReport, Step,
    Unread,
};

pub(crate) const DESCRIPTION: Implementation = Implementation {
    name: "none",
    summary: "no constraints: bodies get the velocity changes of their forces unchanged",
    source: "Mirtich and Canny 1995; Erleben 2005, section 2.4.3, Figure 2.7",
    parameters: &[],
};

/// Solves nothing: for paradigms in which impulses alone act between bodies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct NoConstraints;

impl ConstraintSolver for NoConstraints {
    fn name(&self) -> &'static str {
        DESCRIPTION.name
    }

    fn solve(
        &mut self,
        _problem: &GroupProblem,
        _step: Step,
        _executor: &dyn Executor,
        _answer: &mut GroupAnswer,
    ) -> SolveReport {
        SolveReport::default()
    }

    fn takes_rows(&self) -> bool {
        false
    }

    fn cannot(&self, configuration: &Configuration) -> Option<&'static str> {
        // nor does any collision law know more friction than one coefficient
        if configuration.joints.is_empty() { special_friction(configuration) } else { Some("joints") }
    }

    fn resolves(&self) -> Resolves {
        Resolves { restitution: false, positions: false, instants: false }
    }

    fn leaves_out(&self, _: &Configuration) -> Option<&'static str> {
        Some("resting contact")
    }

    fn unread(&self) -> &'static [Unread] {
        &[Unread::Table(ModuleKind::Lcp)]
    }

    fn fork(&self) -> Box<dyn ConstraintSolver> {
        Box::new(*self)
    }
}
