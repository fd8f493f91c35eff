use drystone_core::{GroupProblem, Step, choice, settings};
use drystone_math::Real;

// What each level of abstraction adds to non-penetration can be turned off: friction here, restitution and stabilization below.
choice! {
    /// Which set the friction impulse of a contact is kept in.
    pub enum FrictionModel {
        /// No friction rows at all.
        None = "none",
        /// Two tangents with constant limits, whatever the normal impulse is (E-26).
        Box = "box",
        /// Two tangents, each limited by mu times the normal impulse inside the solver's loop (E-27): the friction model
        /// of the thesis' chapter 6. Its first tangent is along the slip, where there is one: up to sqrt(2) too much at 45 degrees to that.
        ScaledBox = "scaled-box",
        /// Two tangents whose pair is kept in the disc of radius mu times the normal impulse inside the solver's loop, an ellipse
        /// with a grain: Coulomb's cone by rows, alike at any heading.
        Disc = "disc";
        /// As the disc, with three rows for each contact, for solvers that keep Coulomb's cone itself.
        Cone = "cone"
    }
}

impl FrictionModel {
    /// True if the tangents are turned along the slip: so for a box, which is right only along its sides.
    pub(crate) const fn follows_slip(self) -> bool {
        matches!(self, Self::Box | Self::ScaledBox)
    }

    /// True if pairs of rows share a disc.
    pub(crate) const fn shares_discs(self) -> bool {
        matches!(self, Self::Disc | Self::Cone)
    }
}

choice! {
    /// Treatment of penetration and joint error in the velocity problem.
    pub enum Stabilization {
        /// Nothing: the position correction takes it out.
        Projection = "projection",
        /// A velocity `erp * error / h` that takes it out, and stays in the system as kinetic energy (E-34).
        Baumgarte = "baumgarte",
        /// The same for joints and limits; penetration is left to the position correction (E-44).
        Feedback = "feedback",
        /// Nothing at all: errors stay.
        None = "none",
    }
}

choice! {
    /// Integration rule for the force of a soft row, a spring and a damper, over a step.
    pub enum SpringRule {
        /// That of the end of the step (E-33): order one, takes energy.
        Implicit = "implicit",
        /// The mean of both ends where the step resolves the spring: order two, keeps energy; that of the end where it does not.
        Trapezoidal = "trapezoidal",
    }
}

choice! {
    /// Cases in which a solve of contacts begins from the loads that bodies at rest bear, see [`crate::ContactSweeps`].
    pub enum LoadStart {
        /// Nowhere.
        None = "none",
        /// No warm start is available: all contacts of the group are new.
        Fresh = "fresh",
        /// In each step, also without warm starts.
        Always = "always",
    }
}

choice! {
    /// Law of restitution for impacts with friction.
    pub enum RestitutionLaw {
        /// As much as Newton's law says, scaled back to the work that the coefficients of restitution allow ([`drystone_core::ImpactWork`]).
        Energetic = "energetic",
        /// Of the velocity, which may add energy where friction acts.
        Newton = "newton",
    }
}

settings! {
    /// Parameters of the rows of a velocity problem, for any solver.
    #[derive(Debug, Clone, Copy, PartialEq)]
    #[allow(clippy::struct_excessive_bools, reason = "independent switches, each a key of the scene format")]
    pub struct RowParameters {
        /// admissible friction impulses: none, constant box, box or disc scaled by the normal impulse
        friction: FrictionModel = choice(Disc),
        /// limit of constant box friction (N)
        box_limit: Real = real(1.0, 0.0, 1e12) if friction is ["box"],
        /// how penetration and joint error are removed; feedback is baumgarte for joints, projection for contacts
        stabilization: Stabilization = choice(Projection),
        /// fraction of the error that baumgarte stabilization removes per step
        // G-09
        erp: Real = real(0.8, 0.0, 1.0) if stabilization is ["baumgarte", "feedback"], // N-17: what pulls scattered parts together
        /// constraint force mixing of contacts (m/N)
        cfm: Real = real(0.0, 0.0, 1e6),
        /// whether the velocity problem includes restitution, all impacts at once
        restitution: bool = switch(true),
        /// restitution of velocity with friction: scaled back to the work that e allows (energetic), or not (newton, may gain energy)
        restitution_law: RestitutionLaw = choice(Energetic) if restitution is ["true"],
        /// contacts that approach slower than this times gravity times the step do not bounce; 0: all may bounce
        resting_factor: Real = real(1.0, 0.0, 1e6),
        /// fraction of the last multipliers that a warm start uses; 0.9 keeps motors from jerking (ODE)
        warm_start_scale: Real = real(1.0, 0.0, 1.0),
        /// boxes and discs: the forces of the last solve are reused if their residual is below this fraction of g h; 0: always solve
        reuse_forces: Real = real(0.0, 0.0, 1.0) if friction is ["none", "box", "scaled-box", "disc"],
        /// make the rigid rows of each joint orthogonal, so that a sweep solves a joint at once; direct solvers do not need it
        orthogonal_joints: bool = switch(true),
        /// first solve the joints of a group alone, exactly (sparse), as the start of an iterative solver
        joint_start: bool = switch(true),
        /// start groups of contacts at rest from loads passed down: never, only if all their contacts are new, or always; direct solvers do not need it
        load_start: LoadStart = choice(None),
        /// force of springs and dampers: the one at the end of the step, or the mean of both ends (order 2) if the step resolves them
        spring_rule: SpringRule = choice(Trapezoidal),
        /// True if the multipliers of the last solve are the start value: a setting of the complementarity solver's
        /// table.
        warm_start: bool = given(true),
    }
}

impl RowParameters {
    /// The residual up to which the forces of the last solve are reused as they are, without a solve; `None` if they are not to be tried.
    ///
    /// # Source
    /// E-40, H-19; thesis section 5.5: reuse if relative placements have not changed and the external forces physically agree with them. Differs in: this is checked on the
    /// problem itself, which the old forces either still solve or do not.
    pub(crate) fn reuse_up_to(&self, problem: &GroupProblem, step: Step) -> Option<Real> {
        let most = self.reuse_forces * problem.gravity * step.h;
        (most > 0.0 && self.started(step).warm_start).then_some(most)
    }

    /// With a warm start also if the multipliers come from the very same step.
    pub(crate) fn started(self, step: Step) -> Self {
        Self { warm_start: self.warm_start || step.started, ..self }
    }
}
