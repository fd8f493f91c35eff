//! Overlap that a solve has predicted, and how bodies are displaced after its step.

use super::collect::turned;
use super::output::Output;
use drystone_core::{BodyIndex, Configuration, LcpSummary, Scope, SolveReport, State, make_room};
use drystone_math::{Real, Twist};

/// The state of a prediction.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
enum Stage {
    /// There is no prediction that could be used.
    #[default]
    Nothing,
    /// The next solve is asked for one.
    Asked,
    /// The solve has answered, for a drift over this time (s).
    Solved(Real),
    /// Bodies have drifted: the correction is due.
    Due,
}

/// The prediction of the last solve of all groups for the correction after its step. It is valid only for the very next projection, and only if nothing but the
/// drift over that step lies in between.
#[derive(Default)]
pub(crate) struct Foreseen {
    stage: Stage,
    /// The groups that it covers, ascending.
    groups: Vec<u32>,
    /// The bodies that are displaced, and their displacements.
    ways: Vec<(u32, Twist)>,
    /// The largest overlap that was predicted (m).
    overlap: Real,
    /// The displacements as an output of a correction.
    output: Output,
}

impl Foreseen {
    /// To be called if something other than the expected happens.
    pub(super) fn forget(&mut self) {
        self.stage = Stage::Nothing;
    }

    /// Asks the next solve for a prediction.
    pub(super) fn expect(&mut self) {
        self.stage = Stage::Asked;
    }

    /// Returns true if the present solve is asked for a prediction.
    pub(super) fn is_asked(&self) -> bool {
        self.stage == Stage::Asked
    }

    /// Takes the prediction of a solve over `h` seconds, if it was asked for one.
    pub(super) fn take<'a>(&mut self, outputs: impl Iterator<Item = &'a Output> + Clone, h: Real) {
        if core::mem::take(&mut self.stage) != Stage::Asked {
            return;
        }
        make_room(&mut self.groups, outputs.clone().map(|output| output.foreseen.capacity()).sum());
        make_room(&mut self.ways, outputs.clone().map(|output| output.corrections.capacity()).sum());
        self.overlap = 0.0;
        for output in outputs {
            self.groups.extend_from_slice(&output.foreseen);
            self.ways.extend_from_slice(&output.corrections);
            self.overlap = self.overlap.max(output.overlap);
        }
        if !self.groups.is_empty() {
            self.stage = Stage::Solved(h);
        }
    }

    /// To be called when the bodies of a scope drift.
    pub(super) fn drift(&mut self, scope: Scope, h: Real) {
        let is_that = scope == Scope::All && self.stage == Stage::Solved(h);
        self.stage = if is_that { Stage::Due } else { Stage::Nothing };
    }

    /// Returns true if the correction of some groups is known; this call uses it up.
    pub(super) fn use_up(&mut self) -> bool {
        core::mem::take(&mut self.stage) == Stage::Due
    }

    /// Returns true if the correction of a group is known.
    pub(super) fn has(&self, group: u32) -> bool {
        self.groups.binary_search(&group).is_ok()
    }

    /// The largest overlap that was predicted (m).
    pub(super) fn overlap(&self) -> Real {
        self.overlap
    }

    /// The displacements from the present poses, in the form of a correction's output.
    pub(super) fn output(&mut self, configuration: &Configuration, state: &State) -> (&Output, SolveReport) {
        let Self { groups, ways, output, .. } = self;
        output.clear();
        make_room(&mut output.corrections, ways.capacity());
        make_room(&mut output.paid, ways.capacity());
        let mut lifted = 0.0;
        for &(index, way) in &*ways {
            let body = BodyIndex(index);
            let own = configuration.body(body);
            lifted -= own.mass * own.gravity_scale * configuration.gravity.dot(way.linear);
            if let Some(velocity) = turned(configuration, body, state.velocity(body), way.angular, 0.0) {
                output.paid.push((index, velocity));
            }
            output.corrections.push((index, way));
        }
        let solves = groups.len() as u64;
        let lcp = LcpSummary { solves, iterations: solves, ..LcpSummary::default() };
        (output, SolveReport { lifted, lcp, ..SolveReport::default() })
    }
}
