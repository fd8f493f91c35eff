use super::{MakePair, Registry, RegistryError, shelf};
use crate::{ModuleKind, Modules, Paradigm};
use drystone_core::catalogue::{Implementation, Parameter, ParameterKind, Settings};
use drystone_core::{
    BroadPhase, CoherenceAnalysis, CollisionLaw, CollisionSolver, ConstraintSolver, ContactDetermination, MotionSolver,
    NarrowPhase, PositionCorrector, SleepPolicy, TimeControl,
};
use drystone_dynamics::Complementarity;
use drystone_impact::Sequential;
use drystone_joints::JointMaker;
use drystone_lcp::{LcpSolver, SolverInfo};
use drystone_motion::force::ForceMaker;
use std::sync::Arc;

/// Defines methods that each add an implementation of one module.
macro_rules! add {
    ($($(#[$doc:meta])* $name:ident: $shelf:ident, $kind:ident, $seam:ident;)*) => {
        $($(#[$doc])*
        ///
        /// # Errors
        /// [`RegistryError`] for a name that is taken or cannot be written in a scene.
        pub fn $name(
            &mut self,
            described: Implementation,
            make: impl Fn(&Settings) -> Box<dyn $seam> + Send + Sync + 'static,
        ) -> Result<&mut Self, RegistryError> {
            self.$shelf.add(ModuleKind::$kind.table(), described, Arc::new(move |s: &Settings| Some(make(s))))?;
            Ok(self)
        })*
    };
}

impl Registry {
    add! {
        /// Adds a time control.
        add_time_control: time_control, TimeControl, TimeControl;
        /// Adds a motion solver.
        add_motion_solver: motion_solver, MotionSolver, MotionSolver;
        /// Adds a collision solver.
        add_collision_solver: collision_solver, CollisionSolver, CollisionSolver;
        /// Adds a broad phase.
        add_broad_phase: broad_phase, BroadPhase, BroadPhase;
        /// Adds a narrow phase. It need not take every pair of shapes: in a world those that it does not support are `combined`'s, so that an
        /// algorithm for one pair of shapes can be tried in any scene.
        add_narrow_phase: narrow_phase, NarrowPhase, NarrowPhase;
        /// Adds a contact determination.
        add_contact_determination: contact_determination, ContactDetermination, ContactDetermination;
        /// Adds a coherence analysis.
        add_coherence: coherence, CoherenceAnalysis, CoherenceAnalysis;
        /// Adds a sleep policy.
        add_sleep_policy: sleep_policy, SleepPolicy, SleepPolicy;
    }

    /// Adds a constraint solver, together with a maker of the position corrector that belongs to it ([`drystone_dynamics::NoCorrection`] for a solver that needs
    /// none). Both are given the complementarity solver of the `lcp` table, which they need not use.
    ///
    /// # Errors
    /// [`RegistryError`] for a name that is taken or cannot be written in a scene.
    pub fn add_constraint_solver(
        &mut self,
        described: Implementation,
        make: impl Fn(&Settings, Complementarity) -> Box<dyn ConstraintSolver> + Send + Sync + 'static,
        corrector: impl Fn(&Settings, &dyn LcpSolver) -> Box<dyn PositionCorrector> + Send + Sync + 'static,
    ) -> Result<&mut Self, RegistryError> {
        let make = MakePair {
            solver: Box::new(move |settings, lcp| Some(make(settings, lcp))),
            corrector: Box::new(move |settings, lcp| Some(corrector(settings, lcp))),
        };
        self.constraint_solver.add(ModuleKind::ConstraintSolver.table(), described, Arc::new(make))?;
        Ok(self)
    }

    /// Adds a solver of boxed complementarity problems. Scenes set the parameters that its description lists, through [`LcpSolver::set`].
    ///
    /// # Errors
    /// [`RegistryError`] for a name that is taken or cannot be written in a scene.
    pub fn add_lcp_solver(
        &mut self,
        described: SolverInfo,
        make: impl Fn() -> Box<dyn LcpSolver> + Send + Sync + 'static,
    ) -> Result<&mut Self, RegistryError> {
        self.lcp.add(described, Arc::new(make))?;
        Ok(self)
    }

    /// Adds a collision law: a choice for `law` of the collision solver `sequential`. Its parameters become parameters of that solver.
    ///
    /// # Errors
    /// [`RegistryError`] for a name that is taken or cannot be written in a scene.
    pub fn add_collision_law(
        &mut self,
        described: Implementation,
        make: impl Fn(&Settings) -> Box<dyn CollisionLaw> + Send + Sync + 'static,
    ) -> Result<&mut Self, RegistryError> {
        let known = drystone_impact::LAWS.iter().chain(self.laws.iter().map(|(d, _)| d));
        shelf::check_name("collision_solver.law", described.name, known)?;
        self.laws.push((described, Arc::new(make)));
        let laws = self.laws.clone();
        let make = move |settings: &Settings| {
            let outside = laws.iter().find(|(d, _)| d.name == settings.text("law"));
            let solver = match outside {
                Some((_, make)) => Sequential::with_settings(Arc::from(make(settings)), settings),
                None => Sequential::from_settings(settings)?,
            };
            Some(Box::new(solver) as Box<dyn CollisionSolver>)
        };
        let sequential = Implementation { parameters: self.parameters_of_sequential(), ..Sequential::DESCRIPTION };
        self.collision_solver.replace(sequential, Arc::new(make));
        Ok(self)
    }

    /// The parameters of `sequential`, including the laws from outside and their parameters. The listing is leaked: it lives as long as the program.
    fn parameters_of_sequential(&self) -> &'static [Parameter] {
        let mut all: Vec<Parameter> = Sequential::DESCRIPTION.parameters.to_vec();
        for p in &mut all {
            if let ("law", ParameterKind::Choice { default, options }) = (p.name, p.kind) {
                let names: Vec<&'static str> =
                    options.iter().copied().chain(self.laws.iter().map(|(d, _)| d.name)).collect();
                p.kind = ParameterKind::Choice { default, options: Box::leak(names.into_boxed_slice()) };
            }
        }
        for p in self.laws.iter().flat_map(|(d, _)| d.parameters) {
            if !all.iter().any(|known| known.name == p.name) {
                all.push(*p);
            }
        }
        Box::leak(all.into_boxed_slice())
    }

    /// Adds a kind of joint for scene files; a program adds joints by value ([`crate::World::add_joint`]).
    ///
    /// # Errors
    /// [`RegistryError`] for a name that is taken or cannot be written in a scene, and for a parameter whose name is a key that every joint has.
    pub fn add_joint_kind(&mut self, joint: JointMaker) -> Result<&mut Self, RegistryError> {
        let known = drystone_joints::KINDS.iter().chain(self.joints.iter().map(|m| &m.described));
        shelf::check_name("joints.kind", joint.described.name, known)?;
        if drystone_joints::ALIASES.iter().any(|(other, _)| *other == joint.described.name) {
            return Err(RegistryError::Taken { table: "joints.kind", name: joint.described.name });
        }
        check_keys("joints", &joint.described, &JointMaker::KEYS)?;
        self.joints.push(joint);
        Ok(self)
    }

    /// Adds a kind of force for scene files; a program adds forces by value ([`crate::World::add_force`]).
    ///
    /// # Errors
    /// [`RegistryError`] for a name that is taken or cannot be written in a scene, and for a parameter called `kind` or `bodies`.
    pub fn add_force_kind(&mut self, force: ForceMaker) -> Result<&mut Self, RegistryError> {
        shelf::check_name("forces.kind", force.described.name, self.forces.iter().map(|m| &m.described))?;
        if ForceMaker::FORMAT.contains(&force.described.name) {
            return Err(RegistryError::Taken { table: "forces.kind", name: force.described.name });
        }
        check_keys("forces", &force.described, &["kind", "bodies"])?;
        self.forces.push(force);
        Ok(self)
    }

    /// Adds a preset: see [`Paradigm::named`].
    ///
    /// # Errors
    /// [`RegistryError`] for a name that is taken, or a preset whose modules do not exist.
    pub fn add_paradigm(&mut self, paradigm: Paradigm) -> Result<&mut Self, RegistryError> {
        if self.paradigms.iter().any(|p| p.name == paradigm.name) {
            return Err(RegistryError::Taken { table: "paradigm", name: paradigm.name });
        }
        Modules::assemble_from(self, &paradigm, &[]).map_err(|e| RegistryError::Preset(Box::new(e)))?;
        self.paradigms.push(paradigm);
        Ok(self)
    }
}

/// Checks that the parameters of a kind do not clash with the keys that its entries have anyway.
fn check_keys(table: &'static str, described: &Implementation, taken: &[&str]) -> Result<(), RegistryError> {
    match described.parameters.iter().find(|p| taken.contains(&p.name)) {
        Some(p) => Err(RegistryError::Taken { table, name: p.name }),
        None => Ok(()),
    }
}
