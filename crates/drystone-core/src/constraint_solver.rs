use crate::{Configuration, Executor, GroupAnswer, GroupProblem, Levels, Resolves, SolveReport, Step, Unread};

/// Finds, from a group's bodies, contacts and joints, how the bodies move over a step.
///
/// # Contract
/// The answer depends on the problem alone, never on earlier calls nor on the number of threads, so that groups can be solved in any order
/// and on any thread. Momentum of a group without immovable bodies is kept to rounding. A body with zero inverse mass and
/// inertia keeps its velocity.
pub trait ConstraintSolver: Send {
    /// The name in scene files.
    fn name(&self) -> &'static str;

    /// The levels at which it solves: impacts and velocities, unless it says otherwise.
    fn levels(&self) -> Levels {
        Levels::IMPULSES
    }

    /// Tasks that it does itself; restitution by default. If it removes position errors itself, no corrector is called
    /// after it.
    fn resolves(&self) -> Resolves {
        Resolves { restitution: true, positions: false, instants: false }
    }

    /// Finds the motion over a step. `answer` has been started ([`GroupAnswer::start`]): it holds free motion and no multipliers.
    fn solve(
        &mut self,
        problem: &GroupProblem,
        step: Step,
        executor: &dyn Executor,
        answer: &mut GroupAnswer,
    ) -> SolveReport;

    /// The number of equal parts, at least one, into which it cuts a step for which it gives displacements ([`GroupAnswer::displacement`]). In each part,
    /// bodies on which only forces act move at their velocity after this part's share of the forces. With one part that is the velocity of the answer.
    fn sub_steps(&self) -> u32 {
        1
    }

    /// True if it moves bodies within the step and re-evaluates their contacts on the way.
    /// [`GroupProblem::contact_radii`] is filled in for such a solver.
    fn follows_contacts(&self) -> bool {
        false
    }

    /// True if it may act on a contact that closes only after the step. A body that a collision solver is to make
    /// bounce then loses velocity first.
    fn holds_early(&self) -> bool {
        false
    }

    /// A feature of the configuration that this solver cannot handle, in a word or two. A world that has it is refused.
    fn cannot(&self, _configuration: &Configuration) -> Option<&'static str> {
        None
    }

    /// A feature of the configuration that this solver ignores, in a word or two: a run goes on as if it were not there, and whoever shows the run should say
    /// so.
    fn leaves_out(&self, _configuration: &Configuration) -> Option<&'static str> {
        None
    }

    /// Settings of the complementarity solver behind it that neither it nor the position corrector beside it reads: none, unless it says otherwise.
    fn unread(&self) -> &'static [Unread] {
        &[]
    }

    /// The same in a world with this configuration: what it never reads in any world, unless it says otherwise.
    fn unread_in(&self, _configuration: &Configuration) -> &'static [Unread] {
        self.unread()
    }

    /// True if it solves constraint rows. With a solver that knows only contacts, forces that link bodies act by
    /// wrenches ([`crate::ForceField::accumulate`]); such a solver should refuse joints ([`Self::cannot`]).
    fn takes_rows(&self) -> bool {
        true
    }

    /// Another instance with the same settings, for another thread.
    fn fork(&self) -> Box<dyn ConstraintSolver>;
}
