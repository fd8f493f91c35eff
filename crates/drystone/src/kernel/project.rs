//! Removing overlap and joint error at the present poses.

use super::engine::Engine;
use super::port::StepKernel;
use super::scatter::{corrected, displace};
use super::selection::Selection;
use super::task::{Operation, Task};
use crate::stopwatch::Stopwatch;
use drystone_core::{Module, Scope, SolveReport, StepFailure};

impl StepKernel<'_> {
    /// Evaluates the separations of the selected groups, which are all awake groups except those whose correction was predicted.
    pub(super) fn refresh_selected(&mut self) {
        let watch = Stopwatch::start();
        self.select_edges();
        let Engine { data, derived, depth, wiring, detection, .. } = &mut *self.engine;
        let Selection { edges, marked, .. } = &mut *self.selection;
        derived.evaluated.note(&derived.frames, detection.rest.moving());
        depth.of_some(data.refresh_awake(edges, &derived.frames, marked, wiring.executor()));
        wiring.book(Module::ContactDetermination, watch);
    }

    /// Corrects the selected groups.
    pub(super) fn correct_selected(&mut self) -> Result<SolveReport, StepFailure> {
        self.engine.wiring.trace(Module::MotionSolver, Module::ConstraintSolver);
        let report = self.engine.run(&self.selection.tasks, Operation::Correct).solve;
        let Engine { data, derived, motion, solving, .. } = &mut *self.engine;
        derived.settle(data, corrected(solving.outputs()), Module::ConstraintSolver)?;
        motion.count_tunnelled(data, derived);
        Ok(report)
    }

    /// Displaces the bodies of groups for which the last solve predicted it, and corrects the others.
    pub(super) fn project_foreseen(&mut self) -> Result<SolveReport, StepFailure> {
        self.select_groups(Scope::All);
        let watch = Stopwatch::start();
        let Engine { data, derived, solving, depth, wiring, .. } = &mut *self.engine;
        let foreseen = &mut solving.foreseen;
        self.selection.tasks.retain(|task| !matches!(*task, Task::Group(g) if foreseen.has(g)));
        depth.of_some(-foreseen.overlap());
        let (output, mut report) = foreseen.output(&data.configuration, &data.state);
        displace(&mut data.state, core::iter::once(output), data.plane);
        derived.settle(data, corrected(core::iter::once(output)), Module::ConstraintSolver)?;
        wiring.book(Module::PositionCorrection, watch);
        self.refresh_selected();
        report.merge(&self.correct_selected()?);
        Ok(report)
    }
}
