//! What a tested pair takes: narrow phase and contact determination on recorded steps.

use crate::drystone_engine::Variant;
use crate::record::{EdgesFrame, record};
use crate::scenes::Scene;
use crate::{Clock, EngineError, Watch, median};
use drystone::core::{Configuration, EdgeAction, PairBatch};
use drystone::{Modules, Stages};

/// How often each recorded step is gone through.
const ROUNDS: usize = 20;

/// What tested pairs take in the last steps of a scene.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Row {
    /// Pairs that are tested per step.
    pub tested: f64,
    /// Those of them that have contacts afterwards.
    pub touching: f64,
    /// Seconds of a processor per tested pair in the narrow phase.
    pub narrow: f64,
    /// The same in contact determination.
    pub contacts: f64,
}

/// Steps a scene and goes through the pairs of its last steps again and again.
///
/// # Errors
/// Where a world cannot be built, or a step fails.
pub fn measure(variant: &Variant, scene: &Scene, steps: usize) -> Result<Row, EngineError> {
    let (recording, world) = record(scene, variant, steps)?;
    let Stages { narrow_phase, contact_determination, .. } =
        Modules::assemble(&variant.paradigm, &variant.choices)?.stages;
    let configuration = world.configuration();
    let frames = recording.narrow_phase.take();
    let mut failure = None;
    let narrow = seconds_per_pair(&frames, configuration, |batch| {
        failure = narrow_phase.query_batch(batch).err().or(failure.take());
    });
    if let Some(failure) = failure {
        return Err(failure.into());
    }
    let frames = recording.contact_determination.take();
    let contacts = seconds_per_pair(&frames, configuration, |batch| contact_determination.determine_batch(batch));
    let per_step = |count: usize| count as f64 / frames.len().max(1) as f64;
    let mut touching = 0;
    for mut frame in frames.iter().cloned() {
        contact_determination.determine_batch(&mut frame.batch(configuration));
        touching += tested(&frame).filter(|e| !e.manifold.points.as_slice().is_empty()).count();
    }
    Ok(Row {
        tested: per_step(frames.iter().map(|f| tested(f).count()).sum()),
        touching: per_step(touching),
        narrow,
        contacts,
    })
}

fn tested(frame: &EdgesFrame) -> impl Iterator<Item = &drystone::core::Edge> {
    frame.edges.iter().filter(|e| e.action == EdgeAction::Test)
}

/// The median over rounds through all frames.
fn seconds_per_pair(
    frames: &[EdgesFrame],
    configuration: &Configuration,
    mut run: impl FnMut(&mut PairBatch<'_>),
) -> f64 {
    let pairs: usize = frames.iter().map(|f| tested(f).count()).sum();
    let rounds: Vec<f64> = (0..ROUNDS)
        .map(|_| {
            let seconds: f64 = frames
                .iter()
                .cloned()
                .map(|mut frame| {
                    let mut batch = frame.batch(configuration);
                    let watch = Watch::start(Clock::Processor);
                    run(&mut batch);
                    watch.seconds()
                })
                .sum();
            seconds / pairs.max(1) as f64
        })
        .collect();
    median(&rounds).unwrap_or(f64::NAN)
}

/// The head of a table of rows.
pub const HEAD: &str = "| scene | pairs tested per step | with contacts | narrow phase, ns per pair | contact points, ns per pair | both |\n|---|---|---|---|---|---|";

impl core::fmt::Display for Row {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        let [narrow, contacts] = [self.narrow, self.contacts].map(|s| 1e9 * s);
        write!(
            f,
            "{:.0} | {:.0} | {narrow:.0} | {contacts:.0} | {:.0} |",
            self.tested,
            self.touching,
            narrow + contacts
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_of_a_pile_are_counted_and_timed() {
        let variant = Variant::named("own", drystone::Paradigm::REAL_TIME);
        let row = measure(&variant, &Scene::balls("balls", 64), 20).unwrap();
        assert!(row.tested >= row.touching && row.touching > 0.0, "{row}");
        assert!(row.narrow > 0.0 && row.contacts > 0.0, "{row}");
        assert_eq!(format!("| a | {row}").matches('|').count(), HEAD.lines().next().unwrap().matches('|').count());
    }
}
