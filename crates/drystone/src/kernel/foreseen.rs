//! Overlap that a solve has seen coming, and how bodies are displaced after its step.

use super::collect::turned;
use super::output::Output;
use drystone_core::{BodyIndex, Configuration, LcpSummary, Scope, SolveReport, State, make_room};
use drystone_math::{Real, Twist};

/// How far it has come with what a solve said.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
enum Stage {
    /// Nothing is said that could be used.
    #[default]
    Nothing,
    /// The next solve is asked.
    Asked,
    /// It has answered, for a drift over this time (s).
    Solved(Real),
    /// Bodies have drifted: it is due.
    Due,
}

/// What the last solve of all said beforehand of the correction after its step: good for the very next projection, and only where nothing but the drift over that step is in between.
#[derive(Default)]
pub(crate) struct Foreseen {
    stage: Stage,
    /// Groups of which it is said, ascending.
    groups: Vec<u32>,
    /// Bodies that are displaced, and how.
    ways: Vec<(u32, Twist)>,
    /// The largest overlap that was seen coming (m).
    overlap: Real,
    /// The ways on their way back.
    output: Output,
}

impl Foreseen {
    /// Something else happens than what was said of.
    pub(super) fn forget(&mut self) {
        self.stage = Stage::Nothing;
    }

    /// The next solve is to say what it sees.
    pub(super) fn expect(&mut self) {
        self.stage = Stage::Asked;
    }

    /// Whether the solve at hand is to say what it sees.
    pub(super) fn is_asked(&self) -> bool {
        self.stage == Stage::Asked
    }

    /// Takes what a solve over `h` seconds said, if it was asked.
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

    /// The bodies of a scope drift.
    pub(super) fn drift(&mut self, scope: Scope, h: Real) {
        let is_that = scope == Scope::All && self.stage == Stage::Solved(h);
        self.stage = if is_that { Stage::Due } else { Stage::Nothing };
    }

    /// Whether the correction of some groups is known; it is used up by that.
    pub(super) fn use_up(&mut self) -> bool {
        core::mem::take(&mut self.stage) == Stage::Due
    }

    /// Whether that of a group is.
    pub(super) fn has(&self, group: u32) -> bool {
        self.groups.binary_search(&group).is_ok()
    }

    /// The largest overlap that was seen coming (m).
    pub(super) fn overlap(&self) -> Real {
        self.overlap
    }

    /// The ways from where bodies are, as a correction has them.
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
