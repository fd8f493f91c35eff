use crate::{
    BodyIndex, BodyPair, Departure, DetectReport, Displacement, Instant, PairRecord, Rate, RateOf, ResolveReport,
    Restore, Save, SolveReport, StepFailure,
};
use drystone_math::Real;

/// Which bodies a verb acts on.
///
/// Groups are those of the last detection of all bodies, joined as [`Kernel::join`] says; they are named by any of their members, so that no
/// number has to outlive a detection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// All groups that are awake, and all free bodies.
    All,
    /// The dynamic bodies that belong to no group. Bodies that move without forces, at a velocity that they were given, move with them.
    Free,
    /// The group that a body belongs to, or the body alone if it is free. Nothing if it sleeps or is not dynamic.
    With(BodyIndex),
    /// The dynamic bodies of a pair, and only the contact between them.
    Pair(BodyPair),
    /// One dynamic body without its contacts.
    Body(BodyIndex),
}

/// Treatment of the contacts of the last detection: keep or replace.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ContactSet {
    /// The contacts are those that the detection finds.
    #[default]
    Replace,
    /// Contacts that were known stay beside those that it finds, with separations at the present poses: a future contact joins those of the
    /// present (contact tracking, Stewart and Trinkle 1996).
    Union,
}

/// Extent of a detection.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct DetectMode {
    /// Length of the interval to look ahead (s): boxes enclose the motion over it (I-07), and surfaces that can close in it are potential contacts (K-15).
    pub look_ahead: Real,
    /// Stop at the first penetrating pair (H-09): it is reported, and contacts and groups stay those of the previous detection. If no pair penetrates, nothing
    /// is left out.
    pub short_circuit: bool,
    /// Leave out contact determination (H-10): contacts and groups stay those of the previous detection.
    pub proximity_only: bool,
    /// Treatment of the contacts that are already known.
    pub contacts: ContactSet,
    /// Surfaces closer than this are in contact (m); `None` for the world's envelope.
    pub envelope: Option<Real>,
    /// The motion that follows is on trial: a body that leaves the room that was looked ahead for it is reported ([`DetectReport::crossing`]), not stopped on its way.
    pub provisional: bool,
}

/// One step of the algorithm that shock propagation runs on each stack layer.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum LayerStep {
    /// Place bodies with prescribed motion where they are at this time: a layer is solved with them at the start of its step, and corrected with them at its end.
    Script {
        /// Simulated time (s).
        t: Real,
    },
    /// Re-evaluate the separations of the layer's contacts at the present poses (L-24).
    Refresh,
    /// External forces and contact multipliers over `h` seconds.
    Solve {
        /// Step (s), may be zero.
        h: Real,
        /// Look-ahead time for gaps (s), see [`Kernel::solve`].
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
/// A time control is the simulation loop, written in these verbs. The signals of the thesis' Figure 2.3 (overlooked penetration, discontinuity) are values in
/// the reports, not callbacks. Collisions are resolved before forces are asked for (Baraff 1989, section 3).
/// `docs/src/kernel-verbs.md` has the table that checks these verbs against every time control that the source texts describe.
///
/// # Source
/// Erleben 2005, sections 2.1 and 2.2.4, Figure 2.1, and Figure 2.3; Baraff 1989, section 3 (D-14).
pub trait Kernel {
    /// The clock (s).
    fn time(&self) -> Real;

    /// Moves the clock.
    fn set_time(&mut self, time: Real);

    /// Returns true if the world has joints.
    fn has_joints(&self) -> bool;

    /// True if impacts are resolved before a solve, by a collision solver that makes bodies bounce.
    fn resolves_impacts(&self) -> bool {
        false
    }

    /// Number of bodies, that is, of columns of the state, whatever moves them.
    fn body_count(&self) -> usize;

    /// The first body of each contact group that is awake, ascending: names for [`Scope::With`].
    fn groups(&self) -> &[BodyIndex];

    /// The first body of the awake group that a body belongs to; `None` if it is free, sleeps, or is not dynamic.
    fn first_of(&mut self, body: BodyIndex) -> Option<BodyIndex>;

    /// Joins the groups of two dynamic bodies, or the bodies themselves if they are free, into one group until the next detection of all. With a body that is not
    /// dynamic, a free one becomes a group by itself: what lies between the two is then solved.
    fn join(&mut self, one: BodyIndex, other: BodyIndex);

    /// Returns true if an awake body moves by more than half its thickness in `h` seconds: a detection at the end alone
    /// could find it behind an obstacle it has passed.
    fn goes_far(&self, _h: Real) -> bool {
        false
    }

    /// Returns true if a body moves by more than half its thickness in `h` seconds (in infinitely many: moves at all)
    /// and no detection has covered its path: it was placed or given its velocity from outside since the last step, or
    /// the last step left it where no look-ahead reached (an impact threw it, or it was stopped on its way).
    fn is_unseen(&self, _h: Real) -> bool {
        false
    }

    /// Returns true if such a body has penetrated in the last `h` seconds: a contact of the last detection overlaps by
    /// more than a correction leaves, and closed by more than that within this time, at the present velocities.
    fn went_in(&self, _h: Real) -> bool {
        false
    }

    /// Puts scripted bodies where their scripts have them at time `t`, with the velocities they have there. It comes first in a step, because all others react
    /// to them (A-17, M-15).
    ///
    /// # Errors
    /// [`StepFailure`] if a script gives a value that is not finite.
    fn script(&mut self, t: Real) -> Result<(), StepFailure>;

    /// The same at the end of a step of `h` seconds that the next solve is about: scripted bodies get the velocities that brought them there, instead of those
    /// of the instant.
    ///
    /// # Errors
    /// Those of [`Kernel::script`].
    fn script_end(&mut self, t: Real, _h: Real) -> Result<(), StepFailure> {
        self.script(t)
    }

    /// Saves an instant of the bodies in the scope. It is kept until it is released, or until the end of the frame.
    fn save(&mut self, scope: Scope, what: Save) -> Instant;

    /// Brings back a part of a saved instant, for those bodies of the scope that were saved in it; for [`Scope::All`], for all that were saved in it. Does
    /// nothing if the instant was released.
    fn restore(&mut self, scope: Scope, saved: Instant, what: Restore);

    /// Lets go of an instant: its memory serves the next one.
    fn release(&mut self, saved: Instant);

    /// Distance between two instants, over the bodies that are in both.
    fn difference(&mut self, a: Instant, b: Instant) -> Displacement;

    /// Rate of change that a solve of `h` seconds would cause; state, contacts and multipliers stay as they are. Kept
    /// until [`Kernel::release_rates`], or until the end of the frame.
    ///
    /// # Errors
    /// Those of [`Kernel::solve`].
    fn rate(&mut self, scope: Scope, of: RateOf, h: Real, horizon: Real) -> Result<(Rate, SolveReport), StepFailure>;

    /// Takes the bodies of an instant to where it has them, moved on by a sum of rates with their weights (s), poses and velocities at once. Orientations are
    /// added as quaternions, then normalised. Bodies that an impact turns within the time that the weights add up to are displaced by their turn, as in a drift.
    /// Without terms this is a restore of motion.
    ///
    /// # Errors
    /// [`StepFailure`] if a state is not finite afterwards.
    fn combine(&mut self, base: Instant, terms: &[(Rate, Real)]) -> Result<(), StepFailure>;

    /// Lets go of all rates.
    fn release_rates(&mut self);

    /// Gives the bodies of an instant the velocities that take them from its poses to the present ones in `h` seconds.
    fn velocities_from(&mut self, from: Instant, h: Real);

    /// Gives bodies at the end of a motion of `h` seconds the change of spin that a drift makes there ([`crate::MotionSolver::spin_change`]): velocities that
    /// were computed from poses do not contain it. Poses stay.
    fn turn_spins(&mut self, scope: Scope, h: Real);

    /// Moves the bodies at their present velocities for `h` seconds, without forces: the fake position update (B-02). The motion of continuous bodies is swept,
    /// as in a drift.
    ///
    /// # Errors
    /// [`StepFailure`] if a state is not finite afterwards.
    fn predict(&mut self, scope: Scope, h: Real) -> Result<(), StepFailure>;

    /// Adds the velocity change of external forces over `h` seconds, without contacts.
    ///
    /// # Errors
    /// [`StepFailure`] if a force is not finite.
    fn apply_forces(&mut self, scope: Scope, h: Real) -> Result<(), StepFailure>;

    /// Collision detection at the present poses.
    ///
    /// For all bodies: finds pairs, and forms groups unless told to stop before. For a smaller scope: looks again at the pairs that the last detection of all
    /// found between the scope's bodies, and between them and non-dynamic bodies. Groups stay as they are, and the report says what has left the room that was
    /// looked ahead for it.
    ///
    /// # Errors
    /// [`StepFailure`] if the narrow phase does not take a pair.
    fn detect(&mut self, scope: Scope, mode: DetectMode) -> Result<DetectReport, StepFailure>;

    /// Results of the last detection for each pair of the scope that it tested, by pair, with bounds on the motion from
    /// the present velocities. A pair without a record does not meet within the time that was looked ahead, as long as
    /// both bodies stay in their room.
    fn pairs(&mut self, scope: Scope) -> &[PairRecord];

    /// Re-evaluates the separations of the known contacts, at the present poses or at those of a saved instant.
    fn refresh(&mut self, scope: Scope, gaps_at: Option<Instant>);

    /// Finds again, at the present poses, the contacts of pairs that already have some, beside what is left of the known ones; no pair gets its first contact,
    /// and groups keep their bodies. After a motion, bodies that roll or slide touch elsewhere, whereas [`Kernel::refresh`] moves the points with the bodies. A
    /// kernel that cannot look again does only the latter.
    ///
    /// # Errors
    /// [`StepFailure`] if the narrow phase does not take a pair.
    fn renew(&mut self, scope: Scope) -> Result<(), StepFailure> {
        self.refresh(scope, None);
        Ok(())
    }

    /// Takes the separations of the known contacts back by `h` seconds at their present rates: to what they would have been, to first order about the present
    /// poses. For bodies that were stopped on their last way, only as much of it counts as they have gone. A solve at these poses then holds the gaps there,
    /// not their rates at the start (thesis (4.38)); `-h` takes them forward again.
    fn rewind_gaps(&mut self, scope: Scope, h: Real);

    /// Resolves impacts with the collision solver; does nothing if the paradigm has none. Bodies that bounce and arrive within `horizon` seconds (above zero,
    /// the time until the next solve) turn where they meet, not before: the next drift allows for that.
    ///
    /// # Errors
    /// [`StepFailure`] if a velocity is not finite afterwards.
    fn resolve(&mut self, scope: Scope, horizon: Real) -> Result<ResolveReport, StepFailure>;

    /// Begins equal steps of `h` seconds: the velocity of bodies in free flight goes back by half a step of gravity, to where such steps have it. Called after
    /// the first detection of a frame, before its first solve.
    fn stagger(&mut self, _h: Real) {}

    /// Ends equal steps of `h` seconds: bodies that nothing held in the last solve get the velocity of their pose's instant, half a step of gravity later.
    fn synchronize(&mut self, _h: Real) {}

    /// External forces and constraint multipliers over `h` seconds: new velocities, poses untouched. `h` may be zero:
    /// then only impacts are resolved (D-15). A gap may close within `horizon` seconds, but no faster (E-19); `horizon` is the time until the next solve, above
    /// zero.
    ///
    /// # Errors
    /// [`StepFailure`] if a force is not finite.
    fn solve(&mut self, scope: Scope, h: Real, horizon: Real) -> Result<SolveReport, StepFailure>;

    /// Rate at which the rigid joints of the scope's bodies will be leaving their constraints `h` seconds ahead, at the
    /// present velocities; nothing moves. Joints for which this cannot be said, because a limit opens or closes on the
    /// way or a body turns by more than half a radian, count as held. Kept until the next [`Kernel::solve`]; zero in a
    /// kernel that knows no joints.
    fn departure(&mut self, _scope: Scope, _h: Real) -> Departure {
        Departure { name: 0, largest: 0.0 }
    }

    /// Takes the external forces at the mean of the velocities before and after the last solve of the scope, for [`Kernel::solve_again`]. Returns whether they
    /// differ from those that it had.
    fn mean_forces(&mut self, _scope: Scope) -> bool {
        false
    }

    /// Takes the last solve of the scope back and solves again, with the external forces of [`Kernel::mean_forces`]. The curvature of the joints' rows is
    /// increased by departures times weights (1/s), in addition to what earlier calls since the last [`Kernel::solve`] added. The last solve stands if a kernel
    /// supports neither.
    ///
    /// # Errors
    /// Those of [`Kernel::solve`].
    fn solve_again(
        &mut self,
        _scope: Scope,
        _h: Real,
        _horizon: Real,
        _knowing: &[(Departure, Real)],
    ) -> Result<SolveReport, StepFailure> {
        Ok(SolveReport::default())
    }

    /// As [`Kernel::solve`], but groups at rest start from the loads they bear: if contacts alone hold a group's bodies and none moves relative to what carries
    /// it, the loads are first passed down from the top, each layer on one that does not give way. These loads are then either in balance, or the start of the
    /// solve of the whole group. As [`Kernel::solve`] if a kernel knows no layers.
    ///
    /// # Errors
    /// Those of [`Kernel::solve`].
    fn solve_carried(&mut self, scope: Scope, h: Real, horizon: Real) -> Result<SolveReport, StepFailure> {
        self.solve(scope, h, horizon)
    }

    /// Changes velocities once more by what the last solve of the scope changed, with the same forces and multipliers: the lazy evaluation of A-13. Does
    /// nothing if there was no solve in the frame.
    ///
    /// # Errors
    /// [`StepFailure`] if a velocity is not finite afterwards.
    fn repeat(&mut self, scope: Scope) -> Result<(), StepFailure>;

    /// Moves the bodies for `h` seconds by the motion solver.
    ///
    /// # Errors
    /// [`StepFailure`] if a state is not finite afterwards.
    fn drift(&mut self, scope: Scope, h: Real) -> Result<(), StepFailure>;

    /// Takes out penetration and joint error by projection; velocities untouched.
    ///
    /// # Errors
    /// [`StepFailure`] if a state is not finite afterwards.
    fn correct(&mut self, scope: Scope) -> Result<SolveReport, StepFailure>;

    /// Another round of the last [`Kernel::correct`] of all, for the groups that it has not finished, evaluated anew ([`SolveReport::finished`]). A kernel that
    /// does not know which those are takes all.
    ///
    /// # Errors
    /// [`StepFailure`] if a state is not finite afterwards.
    fn correct_again(&mut self) -> Result<SolveReport, StepFailure> {
        self.refresh(Scope::All, None);
        self.correct(Scope::All)
    }

    /// Announces a drift of all and [`Kernel::project`] after the next solve of all, over the same time. The solve may
    /// then predict the position correction.
    fn expect_projection(&mut self) {}

    /// Takes out penetration and joint error at the present poses: [`Kernel::refresh`], then [`Kernel::correct`]. If the last solve foresaw what to project,
    /// separations are not evaluated there, and stay those of the last detection.
    ///
    /// # Errors
    /// Those of [`Kernel::correct`].
    fn project(&mut self, scope: Scope) -> Result<SolveReport, StepFailure> {
        self.refresh(scope, None);
        self.correct(scope)
    }

    /// Shock propagation: runs the steps on each stack layer, bottom up, with the layer's lowest bodies fixated. Bodies that no path connects to a fixed one go
    /// through the steps as one layer.
    ///
    /// # Errors
    /// The [`StepFailure`] of a step.
    fn propagate(&mut self, scope: Scope, steps: &[LayerStep]) -> Result<SolveReport, StepFailure>;
}
