//! Runs the contract suites of the seams on the modules of a preset.

pub(crate) mod broken;

use super::kernel;
use super::rows::{Held, Row};
use drystone::lcp::{LcpSolver, check_lcp_solver};
use drystone::prelude::*;
use drystone::{ModuleKind, Modules, Registry, Stages};
use drystone_core::CollisionLaw;
use drystone_core::catalogue::Settings;
use drystone_testkit::{
    ConstraintExpectations, CorrectorExpectations, EnergyGain, Heights, NarrowPhaseTolerance, check_broad_phase,
    check_coherence_analysis, check_collision_law, check_collision_solver, check_constraint_solver,
    check_contact_determination, check_motion_solver, check_narrow_phase, check_position_corrector, check_time_control,
};
use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Checks presets against their rows, and collects the violations.
pub(crate) struct Suites<'a> {
    registry: &'a Registry,
    /// Modules already checked, each with all its settings and tolerances.
    done: BTreeSet<String>,
    pub(crate) faults: Vec<String>,
}

impl<'a> Suites<'a> {
    pub(crate) fn new(registry: &'a Registry) -> Self {
        Self { registry, done: BTreeSet::new(), faults: Vec::new() }
    }

    fn assemble(&self, paradigm: &Paradigm) -> Modules {
        Modules::assemble_from(self.registry, paradigm, &[]).unwrap()
    }

    fn stages(&self, paradigm: &Paradigm) -> Stages {
        self.assemble(paradigm).stages
    }

    /// Runs all suites on all modules of a preset.
    pub(crate) fn hold(&mut self, paradigm: &Paradigm, row: &Row) {
        let modules = self.assemble(paradigm);
        let place = |kind: ModuleKind, others: &[ModuleKind]| {
            let settings = |kind: &ModuleKind| format!("{} {:?}", modules.name(*kind), modules.settings(*kind));
            let all: Vec<_> = std::iter::once(&kind).chain(others).map(settings).collect();
            (kind.table(), all.join(" "))
        };
        let p = paradigm;
        self.suite(p, place(ModuleKind::TimeControl, &[]), &row.time_control, (), |this, ()| {
            check_time_control(&mut || this.assemble(p).time_control);
        });
        self.suite(p, place(ModuleKind::MotionSolver, &[]), &row.motion_solver, (), |this, ()| {
            check_motion_solver(this.stages(p).motion_solver.as_ref());
        });
        let solver = place(ModuleKind::ConstraintSolver, &[ModuleKind::Lcp]);
        self.suite(p, solver.clone(), &row.constraint_solver, ConstraintExpectations::default(), |this, expect| {
            check_constraint_solver(&mut || this.stages(p).constraint_solver, expect);
        });
        let corrector = ("position corrector", solver.1);
        self.suite(p, corrector, &row.position_corrector, CorrectorExpectations::default(), |this, expect| {
            check_position_corrector(&mut || this.stages(p).position_corrector, expect);
        });
        self.suite(p, place(ModuleKind::CollisionSolver, &[]), &row.collision_solver, (), |this, ()| {
            check_collision_solver(&mut || this.stages(p).collision_solver);
        });
        let (_, settings) = place(ModuleKind::CollisionSolver, &[]);
        self.suite(p, ("collision law", settings), &row.collision_law, EnergyGain::Never, |this, gain| {
            let law = law_of(this.assemble(p).settings(ModuleKind::CollisionSolver)).expect("no law");
            check_collision_law(law.as_ref(), gain);
        });
        self.suite(p, place(ModuleKind::BroadPhase, &[]), &row.broad_phase, (), |this, ()| {
            check_broad_phase(this.stages(p).broad_phase.as_mut());
        });
        let narrow = place(ModuleKind::NarrowPhase, &[]);
        self.suite(p, narrow, &row.narrow_phase, NarrowPhaseTolerance::default(), |this, tolerance| {
            check_narrow_phase(this.stages(p).narrow_phase.as_ref(), &shapes(), tolerance);
        });
        let contacts = place(ModuleKind::ContactDetermination, &[ModuleKind::NarrowPhase]);
        self.suite(p, contacts, &row.contact_determination, (), |this, ()| {
            let stages = this.stages(p);
            check_contact_determination(stages.contact_determination.as_ref(), stages.narrow_phase.as_ref(), &shapes());
        });
        self.suite(p, place(ModuleKind::CoherenceAnalysis, &[]), &row.coherence, Heights::Shortest, |this, heights| {
            check_coherence_analysis(&mut || this.stages(p).coherence, heights);
        });
        self.suite(p, place(ModuleKind::Lcp, &[]), &row.lcp, 1e-9, |this, residual| {
            check_lcp_solver(|| this.lcp(p), residual);
        });
        let all = ("kernel", place(ModuleKind::ALL[0], &ModuleKind::ALL[1..]).1);
        self.suite(p, all, &row.kernel, 1e-4, |this, slack| kernel::check(this.registry, p, slack));
    }

    /// Runs one suite on one module, unless the same module was already checked with the same tolerances.
    fn suite<T: Clone + std::fmt::Debug>(
        &mut self,
        paradigm: &Paradigm,
        (what, settings): (&str, String),
        held: &Held<T>,
        strict: T,
        check: impl Fn(&Self, T),
    ) {
        let (to, exempt) = match held {
            Held::To(to) => (to.clone(), None),
            Held::Exempt(why) => (strict, Some(*why)),
        };
        if !self.done.insert(format!("{what} {settings} {to:?} {exempt:?}")) {
            return;
        }
        let outcome = catch_unwind(AssertUnwindSafe(|| check(self, to)));
        let fault = match (outcome, exempt) {
            (Ok(()), Some(why)) => format!("needs no exemption ({why})"),
            (Err(said), None) => words(said.as_ref()),
            _ => return,
        };
        self.faults.push(format!("{}, {what}: {fault}", paradigm.name));
    }

    /// The LCP solver behind the constraint solver, with the preset's settings.
    fn lcp(&self, paradigm: &Paradigm) -> Box<dyn LcpSolver> {
        let modules = self.assemble(paradigm);
        let (name, settings) = (modules.name(ModuleKind::Lcp), modules.settings(ModuleKind::Lcp));
        self.registry.lcp_solver_of(name, settings).unwrap()
    }
}

/// The panic message of a failed suite.
fn words(said: &(dyn std::any::Any + Send)) -> String {
    let text = said.downcast_ref::<String>().cloned();
    text.or_else(|| said.downcast_ref::<&str>().map(|s| (*s).to_owned())).unwrap_or_default()
}

/// The law by which a collision solver resolves single impacts.
fn law_of(settings: &Settings) -> Option<Box<dyn CollisionLaw>> {
    let name = settings.has("law").then(|| settings.text("law"))?;
    if name == broken::Sticky.name() {
        return Some(Box::new(broken::Sticky));
    }
    drystone_impact::law_by_name(name, settings)
}

/// One shape of each kind that all narrow phases support.
fn shapes() -> Vec<Shape> {
    let points: Vec<Vec3> = (0..24)
        .map(|i| Vec3::new((f64::from(i) * 1.7).sin(), (f64::from(i) * 2.9).cos(), (f64::from(i) * 0.9).sin()) * 0.7)
        .collect();
    vec![
        Shape::sphere(0.5).unwrap(),
        Shape::cuboid(0.5, 0.4, 0.3).unwrap(),
        Shape::capsule(0.3, 0.4).unwrap(),
        Shape::cylinder(0.4, 0.5).unwrap(),
        Shape::cone(0.5, 0.6).unwrap(),
        Shape::convex(&points).unwrap(),
        Shape::plane(Vec3::new(0.1, 1.0, 0.2), 0.1).unwrap(),
    ]
}
