//! Groups that a frame leaves as they are, to the bit: the next frame will too, and need not examine them.

use super::data::WorldData;
use drystone_core::{BodyIndex, Flight, Groups, SolveReport, make_room};
use drystone_math::{Pose, Real, Twist};

/// Number of frames that must leave a group as it is before it counts as still: by then, what is remembered about its pairs is also from this instant.
const FRAMES: u64 = 4;

/// The groups that stand still. Their bodies sleep during the frame and are awake outside it, which does not change a bit, since sleeping bodies are skipped until
/// something awake touches them.
#[derive(Default)]
pub(crate) struct Stillness {
    /// The groups that frames leave as they are: their bodies, one group after the other.
    bodies: Vec<BodyIndex>,
    /// End of each group's bodies, and the report of solving it.
    groups: Vec<(u32, SolveReport)>,
    /// By body: how long it has been still.
    calm: Vec<Calm>,
    /// Groups that rested in the last solve, by number and first body, with its report.
    resting: Vec<(u32, BodyIndex, SolveReport)>,
    /// Number of frames so far.
    frame: u64,
    /// The frame since which bodies have been followed.
    since: u64,
    /// The count of edits and the length (s) of the last frame.
    course: Option<(u64, Real)>,
}

/// Duration for which a body has been at rest.
#[derive(Debug, Clone, Copy, Default)]
struct Calm {
    /// Its pose.
    pose: Pose,
    /// The frame since which it has been there at rest, and the last frame that left it there.
    frames: [u64; 2],
    /// True if its group counts as still.
    still: bool,
}

impl Stillness {
    /// To be called when a frame begins, with the number of edits and the frame's length (s): lets groups that stand still sleep through it. `None` if time controls
    /// or forces may make this frame differ from the last: then nothing sleeps through it.
    pub(super) fn begin_frame(&mut self, data: &mut WorldData, course: Option<(u64, Real)>) {
        self.frame += 1;
        let followed = course.map_or(0, |_| data.state.len());
        if self.course != course || self.calm.len() != followed {
            self.forget(followed);
        }
        self.course = course;
        // bodies that have fallen asleep since are asleep in their own right
        self.retain(|group| group.iter().all(|b| !data.state.sleeping[b.at()]));
        for body in &self.bodies {
            data.state.sleeping[body.at()] = true;
        }
    }

    /// To be called when the frame is done: bodies that slept through it are awake again, and those that were woken in it no longer count as still.
    pub(super) fn end_frame(&mut self, data: &mut WorldData) {
        let WorldData { state, graph, .. } = data;
        self.retain(|group| group.iter().all(|b| state.sleeping[b.at()]));
        for g in (0..graph.groups.len()).filter(|_| !self.bodies.is_empty()) {
            let first = graph.groups.group_bodies(g).first();
            graph.groups.awake[g] |= first.is_some_and(|b| self.is_still(*b));
        }
        for body in &self.bodies {
            state.sleeping[body.at()] = false;
        }
    }

    /// Forgets the reports of an earlier solve.
    pub(super) fn forget_solve(&mut self) {
        self.resting.clear();
    }

    /// Notes the reports of a solve about groups that rested in it.
    pub(super) fn note_solve<'a>(&mut self, groups: &Groups, resting: impl Iterator<Item = &'a (u32, SolveReport)>) {
        let first = |group: u32| groups.group_bodies(group as usize).first().copied();
        self.resting.extend(resting.filter_map(|(group, report)| Some((*group, first(*group)?, *report))));
    }

    /// Notes which groups the frame left as they were; to be called after its end.
    pub(super) fn note_frame(&mut self, data: &WorldData) {
        if self.course.is_none() {
            return;
        }
        let WorldData { state, graph, .. } = data;
        let Self { bodies, groups, calm, resting, frame, since: known, .. } = self;
        for (group, first, report) in resting.drain(..) {
            // if contacts were searched once more after that, the number may belong to another group
            let is_there = (group as usize) < graph.groups.len();
            let own = if is_there { graph.groups.group_bodies(group as usize) } else { &[] };
            if own.first() != Some(&first) {
                continue;
            }
            let mut since = 0;
            for &body in own {
                let (calm, pose) = (&mut calm[body.at()], state.pose(body));
                let followed = calm.frames[1] >= *known && calm.frames[1] + 1 == *frame;
                // what sleeps counts as held: a body that nothing holds must not
                let is_held = state.flight[body.at()] != Flight::Free;
                let goes_on = followed && is_held && calm.pose == pose && state.velocity(body) == Twist::ZERO;
                calm.frames = [if goes_on { calm.frames[0] } else { *frame }, *frame];
                calm.pose = pose;
                since = since.max(calm.frames[0]);
            }
            if since + FRAMES <= *frame {
                for body in own {
                    calm[body.at()].still = true;
                }
                bodies.extend_from_slice(own);
                groups.push((bodies.len() as u32, report));
            }
        }
    }

    /// Returns true if frames leave a body's group unchanged.
    pub(super) fn is_still(&self, body: BodyIndex) -> bool {
        self.calm.get(body.at()).is_some_and(|calm| calm.still)
    }

    /// The report that solving the groups that sleep through the frame would give.
    pub(super) fn reports(&self, data: &WorldData) -> SolveReport {
        let mut all = SolveReport::default();
        let mut start = 0;
        for (end, report) in &self.groups {
            if data.state.sleeping[self.bodies[start].at()] {
                all.merge(report);
            }
            start = *end as usize;
        }
        all
    }

    /// The length of the last frame (s), if there are groups that it left as they were.
    pub(super) fn step(&self) -> Option<Real> {
        self.course.filter(|_| !self.groups.is_empty()).map(|(_, dt)| dt)
    }

    /// Forgets everything, and makes room for this many bodies. The entries of the bodies are not touched if there are as many as before, since a world may be
    /// edited in every frame.
    fn forget(&mut self, bodies: usize) {
        self.since = self.frame;
        self.retain(|_| false);
        self.bodies.reserve(bodies);
        self.groups.reserve(bodies);
        make_room(&mut self.resting, bodies);
        if self.calm.len() != bodies {
            self.calm.clear();
            self.calm.resize(bodies, Calm::default());
        }
    }

    /// Keeps the groups for which `keep` returns true.
    fn retain(&mut self, keep: impl Fn(&[BodyIndex]) -> bool) {
        let Self { bodies, groups, calm, .. } = self;
        let (mut start, mut kept) = (0, 0);
        groups.retain_mut(|(end, _)| {
            let own = start..*end as usize;
            start = own.end;
            let stays = keep(&bodies[own.clone()]);
            if stays {
                bodies.copy_within(own.clone(), kept);
                kept += own.len();
                *end = kept as u32;
            } else {
                bodies[own].iter().for_each(|b| calm[b.at()] = Calm::default());
            }
            stays
        });
        bodies.truncate(kept);
    }
}
