use crate::{Configuration, Executor, GroupAnswer, GroupProblem, Levels, Resolves, SolveReport, Step, Unread};

/// From a group's bodies, contacts and joints to what they do over a step.
///
/// # Contract
/// The answer depends on the problem alone, never on earlier calls nor on the number of threads, so that groups can be solved in any order
/// and on any thread. Momentum of a group without immovable bodies is kept to rounding. A body with zero inverse mass and
/// inertia keeps its velocity.
pub trait ConstraintSolver: Send {
    /// The name in scene files.
    fn name(&self) -> &'static str;

    /// At which levels it solves: impacts and velocities, unless it says otherwise.
    fn levels(&self) -> Levels {
        Levels::IMPULSES
    }

    /// What it leaves for nobody else to do: restitution, unless it says otherwise. Where it takes out position errors itself, no corrector
    /// is called after it.
    fn resolves(&self) -> Resolves {
        Resolves { restitution: true, positions: false }
    }

    /// Finds the motion over a step. `answer` was started ([`GroupAnswer::start`]): it holds free motion and no multipliers.
    fn solve(
        &mut self,
        problem: &GroupProblem,
        step: Step,
        executor: &dyn Executor,
        answer: &mut GroupAnswer,
    ) -> SolveReport;

    /// Into how many equal parts it cuts a step of which it says the bodies' ways ([`GroupAnswer::displacement`]), at least one: bodies on which nothing but forces acts go in each part the way of
    /// their velocity after this part's share of the forces. In one part that is the velocity of the answer.
    fn sub_steps(&self) -> u32 {
        1
    }

    /// Whether it moves bodies within the step and re-evaluates their contacts on the way. [`GroupProblem::contact_radii`] is filled in for such a solver.
    fn follows_contacts(&self) -> bool {
        false
    }

    /// What a configuration has that this solver cannot hold, in a word or two. A world with it is refused.
    fn cannot(&self, _configuration: &Configuration) -> Option<&'static str> {
        None
    }

    /// What a configuration has that this solver does without, in a word or two: a run goes on as if it were not there, and whoever shows it should say so.
    fn leaves_out(&self, _configuration: &Configuration) -> Option<&'static str> {
        None
    }

    /// Settings of the complementarity solver behind it that neither it nor the corrector of positions beside it looks at: none, unless it says otherwise.
    fn unread(&self) -> &'static [Unread] {
        &[]
    }

    /// Whether it solves rows. Under one that knows contacts alone, forces that link bodies act by wrenches ([`crate::ForceField::accumulate`]); joints it
    /// should refuse ([`Self::cannot`]).
    fn takes_rows(&self) -> bool {
        true
    }

    /// Another instance with the same settings, for another thread.
    fn fork(&self) -> Box<dyn ConstraintSolver>;
}
