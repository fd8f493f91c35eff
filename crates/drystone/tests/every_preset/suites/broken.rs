//! Modules that break the contracts of their traits, each in one way.

use drystone::Registry;
use drystone::lcp::{LcpError, LcpReport, LcpSolver, LcpStatus, ProblemView, SolverInfo};
use drystone::prelude::*;
use drystone_contact_graph::GraphAnalysis;
use drystone_core::catalogue::Implementation;
use drystone_core::{
    BodyIndex, BodyPair, BroadPhase, BroadPhaseInput, CoherenceAnalysis, CollisionLaw, Configuration,
    ContactDetermination, ContactGraph, ContactSeed, FrameView, ImpactContact, Kernel, Manifold, MotionSolver,
    NarrowCache, NarrowPhase, PosedShape, Proximity, State, StepFailure, TimeControl, TimeReport, UnsupportedPair,
};
use drystone_math::Wrench;
use drystone_narrow_phase::Combined;

/// Stops all relative motion at a contact, even if it has to pull.
pub(crate) struct Sticky;

impl CollisionLaw for Sticky {
    fn name(&self) -> &'static str {
        "sticky"
    }
    fn impulse(&self, contact: &ImpactContact) -> Vec3 {
        -contact.relative_velocity
    }
}

struct StandsStill;

impl TimeControl for StandsStill {
    fn name(&self) -> &'static str {
        "stands-still"
    }
    fn advance(&mut self, _kernel: &mut dyn Kernel, _dt: f64) -> Result<TimeReport, StepFailure> {
        Ok(TimeReport::default())
    }
}

struct Hurries;

impl MotionSolver for Hurries {
    fn name(&self) -> &'static str {
        "hurries"
    }
    fn kick(&self, _: &Configuration, _: &State, _: &[BodyIndex], _: &[Wrench], _: f64, _: &mut [Twist]) {}
    fn drift(&self, _: &Configuration, state: &mut State, bodies: &[BodyIndex], h: f64) {
        for body in bodies {
            state.position[body.at()] += state.linear_velocity[body.at()] * (2.0 * h);
        }
    }
}

struct SeesNothing;

impl BroadPhase for SeesNothing {
    fn name(&self) -> &'static str {
        "sees-nothing"
    }
    fn find_pairs(&mut self, _: BroadPhaseInput<'_>, pairs: &mut Vec<BodyPair>) {
        pairs.clear();
    }
}

struct TooNear;

impl NarrowPhase for TooNear {
    fn name(&self) -> &'static str {
        "too-near"
    }
    fn supports(&self, a: &Shape, b: &Shape) -> bool {
        Combined.supports(a, b)
    }
    fn query(
        &self,
        a: PosedShape<'_>,
        b: PosedShape<'_>,
        envelope: f64,
        cache: &mut NarrowCache,
        seeds: &mut Vec<ContactSeed>,
    ) -> Result<Proximity, UnsupportedPair> {
        let p = Combined.query(a, b, envelope, cache, seeds)?;
        Ok(Proximity { distance: p.distance - 0.01, ..p })
    }
}

struct NoContacts;

impl ContactDetermination for NoContacts {
    fn name(&self) -> &'static str {
        "no-contacts"
    }
    fn determine(
        &self,
        _: PosedShape<'_>,
        _: PosedShape<'_>,
        _: &Proximity,
        _: &[ContactSeed],
        _: f64,
        manifold: &mut Manifold,
    ) {
        manifold.points.clear();
    }
}

/// Finds groups, but no layers.
struct Flat(GraphAnalysis);

impl CoherenceAnalysis for Flat {
    fn name(&self) -> &'static str {
        "flat"
    }
    fn after_broad_phase(&mut self, frame: FrameView<'_>, pairs: &[BodyPair], graph: &mut ContactGraph) {
        self.0.after_broad_phase(frame, pairs, graph);
    }
    fn after_narrow_phase(&mut self, frame: FrameView<'_>, graph: &mut ContactGraph) {
        self.0.after_narrow_phase(frame, graph);
    }
    fn after_contact_determination(&mut self, frame: FrameView<'_>, graph: &mut ContactGraph) {
        self.0.after_contact_determination(frame, graph);
    }
    fn stack_layers(&mut self, _: FrameView<'_>, _: &mut ContactGraph) {}
}

/// Returns its starting values unchanged.
#[derive(Debug)]
struct GivesUp;

impl LcpSolver for GivesUp {
    fn name(&self) -> &'static str {
        "gives-up"
    }
    fn solve(&mut self, _: &ProblemView<'_>, _: &mut [f64]) -> Result<LcpReport, LcpError> {
        Ok(LcpReport { status: LcpStatus::IterationLimit, iterations: 0, residual: None, change: 0.0 })
    }
    fn accumulator(&self) -> &[f64] {
        &[]
    }
    fn set(&mut self, _: &str, _: f64) -> Result<(), LcpError> {
        Ok(())
    }
    fn fork(&self) -> Box<dyn LcpSolver> {
        Box::new(Self)
    }
}

/// The project's modules and those of this file.
pub(crate) fn registry() -> Registry {
    let called = |name| Implementation { name, summary: "breaks its contract", source: "none", parameters: &[] };
    let mut registry = Registry::default();
    registry.add_time_control(called("stands-still"), |_| Box::new(StandsStill)).unwrap();
    registry.add_motion_solver(called("hurries"), |_| Box::new(Hurries)).unwrap();
    registry.add_broad_phase(called("sees-nothing"), |_| Box::new(SeesNothing)).unwrap();
    registry.add_narrow_phase(called("too-near"), |_| Box::new(TooNear)).unwrap();
    registry.add_contact_determination(called("no-contacts"), |_| Box::new(NoContacts)).unwrap();
    registry.add_coherence(called("flat"), |_| Box::new(Flat(GraphAnalysis::default()))).unwrap();
    let info = SolverInfo { name: "gives-up", parameters: &[], ..registry.lcp_solvers()[0] };
    registry.add_lcp_solver(info, || Box::new(GivesUp)).unwrap();
    registry
}
