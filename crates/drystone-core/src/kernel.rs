use crate::{DetectReport, ResolveReport, SolveReport, StepFailure};
use drystone_math::Real;

/// Which groups a verb acts on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// All groups that are awake, and all free bodies.
    All,
    /// One contact group of the last detection: what timewarp and per-group backtracking need.
    Group(u32),
    /// The bodies that belong to no group.
    Free,
}

/// What a restore brings back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Restore {
    /// Positions and orientations.
    Poses,
    /// Velocities.
    Velocities,
    /// Everything that was saved, the clock included; with [`Save::Contacts`] also what the contacts of the bodies in the scope remember.
    All,
}

/// What a save keeps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Save {
    /// Where the bodies are and how they move, and the clock.
    Motion,
    /// The same, and what is known of contacts and joints: edges, groups, manifolds with their multipliers, marks of events, and what
    /// joints remember. A restore of everything brings them back too: a solve after it gives the bits that it gives without.
    Contacts,
}

/// Names a saved state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SaveToken(pub u32);

/// How far detection goes.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct DetectMode {
    /// Length of the interval that is looked ahead (s): boxes enclose the motion over it (I-07), and surfaces that can
    /// close in it are potential contacts (K-15).
    pub look_ahead: Real,
    /// Stop at the first penetrating pair (H-09): it is the report's, and contacts and groups stay those of the detection before.
    /// Where no pair penetrates nothing is left out.
    pub short_circuit: bool,
    /// Leave out contact determination (H-10): contacts and groups stay those of the detection before.
    pub proximity_only: bool,
}

/// One step of the algorithm that shock propagation runs on each stack layer.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum LayerStep {
    /// Re-evaluate the separations of the layer's contacts at the present poses (L-24).
    Refresh,
    /// External forces and contact multipliers over `h` seconds.
    Solve {
        /// Step (s), may be zero.
        h: Real,
        /// How far ahead gaps are looked at (s), see [`Kernel::solve`].
        horizon: Real,
    },
    /// Move the layer's free bodies for `h` seconds.
    Drift {
        /// Step (s).
        h: Real,
    },
    /// Take out penetration by projection.
    Correct,
}

/// The one port that time control sees: every stage of a frame as a verb, each for all groups or for one.
///
/// Signals of thesis Fig. 2.3 (overlooked penetration, discontinuity) are values in the reports, not callbacks.
/// ARCHITECTURE.md has the table that checks these verbs against every time control of the seeds.
pub trait Kernel {
    /// The clock (s).
    fn time(&self) -> Real;

    /// Moves the clock.
    fn set_time(&mut self, time: Real);

    /// Number of contact groups of the last detection.
    fn group_count(&self) -> u32;

    /// Whether a body that was placed or given its velocity from outside since the last step moves by more than half its thickness in `h`
    /// seconds: no solve has seen yet what is on its way.
    fn is_unseen(&self, _h: Real) -> bool {
        false
    }

    /// Puts scripted bodies where their scripts have them at time `t`, with the velocities they have there.
    ///
    /// # Errors
    /// [`StepFailure`] where a script gives a value that is not finite.
    fn script(&mut self, t: Real) -> Result<(), StepFailure>;

    /// Saves the state; the token holds until the end of the frame.
    fn save(&mut self, what: Save) -> SaveToken;

    /// Brings back a part of a saved state, for the bodies in the scope.
    fn restore(&mut self, scope: Scope, saved: SaveToken, what: Restore);

    /// Moves the bodies at their present velocities for `h` seconds, without forces: the fake position update (B-02).
    ///
    /// # Errors
    /// [`StepFailure`] where a state is not finite afterwards.
    fn predict(&mut self, scope: Scope, h: Real) -> Result<(), StepFailure>;

    /// Adds the velocity change of external forces over `h` seconds, without contacts.
    ///
    /// # Errors
    /// [`StepFailure`] where a force is not finite.
    fn apply_forces(&mut self, scope: Scope, h: Real) -> Result<(), StepFailure>;

    /// Collision detection at the present poses; forms groups unless told to stop before.
    ///
    /// # Errors
    /// [`StepFailure`] where the narrow phase does not take a pair.
    fn detect(&mut self, mode: DetectMode) -> Result<DetectReport, StepFailure>;

    /// Re-evaluates the separations of the known contacts at the present poses.
    fn refresh(&mut self, scope: Scope);

    /// Resolves impacts by the collision solver; nothing where the paradigm has none. Bodies that bounce and arrive within `horizon` seconds
    /// (above zero, the time until the next solve) turn where they meet, not before: the next drift knows.
    ///
    /// # Errors
    /// [`StepFailure`] where a velocity is not finite afterwards.
    fn resolve(&mut self, scope: Scope, horizon: Real) -> Result<ResolveReport, StepFailure>;

    /// External forces and constraint multipliers over `h` seconds: new velocities, poses untouched. `h` may be zero:
    /// then only impacts are resolved (D-15). A gap may close within `horizon` seconds, not faster (E-19); it is the
    /// time until the next solve, above zero.
    ///
    /// # Errors
    /// [`StepFailure`] where a force is not finite.
    fn solve(&mut self, scope: Scope, h: Real, horizon: Real) -> Result<SolveReport, StepFailure>;

    /// The same at the midpoint of a step of `h` seconds, with up to `refinements` further solves in which external forces are those at
    /// the mean of the velocities before and after, and joints hold their bodies at the end of the step: what a first solve says about
    /// both. Damping is then of order two, and joints lose no energy. One solve where there is nothing to know better.
    ///
    /// # Errors
    /// Those of [`Kernel::solve`].
    fn solve_midpoint(
        &mut self,
        scope: Scope,
        h: Real,
        horizon: Real,
        _refinements: u32,
    ) -> Result<SolveReport, StepFailure> {
        self.solve(scope, h, horizon)
    }

    /// The same, in groups at rest from what they bear: where contacts alone hold a group's bodies and none moves against what carries
    /// it, the loads are first passed down from the top, each layer on one that does not give way. What they bear is balanced
    /// then, or the start of the solve of the whole group. As [`Kernel::solve`] where a kernel knows no layers.
    ///
    /// # Errors
    /// Those of [`Kernel::solve`].
    fn solve_carried(&mut self, scope: Scope, h: Real, horizon: Real) -> Result<SolveReport, StepFailure> {
        self.solve(scope, h, horizon)
    }

    /// Changes velocities once more by what the last solve of the scope changed, forces and multipliers as they were: the lazy
    /// evaluation of A-13. Nothing where there was no solve in the frame.
    ///
    /// # Errors
    /// [`StepFailure`] where a velocity is not finite afterwards.
    fn repeat(&mut self, scope: Scope) -> Result<(), StepFailure>;

    /// Moves the bodies for `h` seconds by the motion solver.
    ///
    /// # Errors
    /// [`StepFailure`] where a state is not finite afterwards.
    fn drift(&mut self, scope: Scope, h: Real) -> Result<(), StepFailure>;

    /// Takes out penetration and joint error by projection; velocities untouched.
    ///
    /// # Errors
    /// [`StepFailure`] where a state is not finite afterwards.
    fn correct(&mut self, scope: Scope) -> Result<SolveReport, StepFailure>;

    /// Shock propagation: runs the steps on each stack layer, bottom up, the layer's lowest bodies fixated; bodies
    /// that no path connects to a fixed one go through the steps as one layer.
    ///
    /// # Errors
    /// [`StepFailure`] as the steps have it.
    fn propagate(&mut self, scope: Scope, steps: &[LayerStep]) -> Result<SolveReport, StepFailure>;
}
