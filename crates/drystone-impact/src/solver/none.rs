use drystone_core::catalogue::{Implementation, Settings};
use drystone_core::{CollisionSolver, GroupAnswer, GroupProblem, ResolveReport, Resolves};
use drystone_math::Real;

/// Resolves nothing: for paradigms whose constraint solver itself stops approaching contacts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct NoCollisions;

impl NoCollisions {
    /// Name and source.
    pub const DESCRIPTION: Implementation = Implementation {
        name: "none",
        summary: "resolves nothing: the constraint solver stops approaching contacts",
        source: "Erleben 2005, section 2.5",
        parameters: &[],
    };

    /// From settings made for [`Self::DESCRIPTION`].
    pub fn from_settings(_settings: &Settings) -> Self {
        Self
    }
}

impl CollisionSolver for NoCollisions {
    fn name(&self) -> &'static str {
        Self::DESCRIPTION.name
    }

    fn resolves(&self) -> Resolves {
        Resolves { restitution: false, positions: false, instants: false }
    }

    fn resolve(&mut self, _problem: &GroupProblem, _horizon: Real, _answer: &mut GroupAnswer) -> ResolveReport {
        ResolveReport::default()
    }

    fn fork(&self) -> Box<dyn CollisionSolver> {
        Box::new(*self)
    }
}
