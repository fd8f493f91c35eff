//! Groups that a frame leaves as they are, to the bit: so does the next, and it need not look at them.

use super::data::WorldData;
use drystone_core::{BodyIndex, Groups, SolveReport, make_room};
use drystone_math::{Pose, Real, Twist};

/// So many frames leave a group as it is before it counts: what is remembered of its pairs is by then of this instant too.
const FRAMES: u64 = 4;

/// What stands still. Its bodies sleep through the frame, and are awake outside of it: that changes no bit, for what sleeps is skipped until something awake touches it.
#[derive(Default)]
pub(crate) struct Stillness {
    /// The groups that frames leave as they are: their bodies, one group after the other.
    bodies: Vec<BodyIndex>,
    /// Where those of each group end, and what solving it says.
    groups: Vec<(u32, SolveReport)>,
    /// By body.
    calm: Vec<Calm>,
    /// Groups that rested in the last solve, by number and first body, and what that said.
    resting: Vec<(u32, BodyIndex, SolveReport)>,
    /// Frames so far.
    frame: u64,
    /// The frame since which something is known.
    since: u64,
    /// The count of edits and the length (s) of the last frame.
    course: Option<(u64, Real)>,
}

/// How long a body has stood where it is.
#[derive(Debug, Clone, Copy, Default)]
struct Calm {
    /// Where.
    pose: Pose,
    /// The frame since which it has been there at rest, and the last that left it there.
    frames: [u64; 2],
    /// Whether its group counts as still.
    still: bool,
}

impl Stillness {
    /// A frame begins, after so many edits and of so many seconds: lets what stands still sleep through it. `None` where time controls or forces may make another frame of it than of the last: then nothing does.
    pub(super) fn begin_frame(&mut self, data: &mut WorldData, course: Option<(u64, Real)>) {
        self.frame += 1;
        let followed = course.map_or(0, |_| data.state.len());
        if self.course != course || self.calm.len() != followed {
            self.forget(followed);
        }
        self.course = course;
        // who has fallen asleep since is asleep in its own right
        self.retain(|group| group.iter().all(|b| !data.state.sleeping[b.at()]));
        for body in &self.bodies {
            data.state.sleeping[body.at()] = true;
        }
    }

    /// The frame is done: who slept through it is awake again, and who was woken in it is still no longer.
    pub(super) fn end_frame(&mut self, data: &mut WorldData) {
        let WorldData { state, graph, .. } = data;
        self.retain(|group| group.iter().all(|b| state.sleeping[b.at()]));
        for g in 0..graph.groups.len() {
            let first = graph.groups.group_bodies(g).first();
            graph.groups.awake[g] |= first.is_some_and(|b| self.is_still(*b));
        }
        for body in &self.bodies {
            state.sleeping[body.at()] = false;
        }
    }

    /// Forgets what a solve said before the one at hand.
    pub(super) fn forget_solve(&mut self) {
        self.resting.clear();
    }

    /// What a solve said of groups that rested in it.
    pub(super) fn note_solve<'a>(&mut self, groups: &Groups, resting: impl Iterator<Item = &'a (u32, SolveReport)>) {
        let first = |group: u32| groups.group_bodies(group as usize).first().copied();
        self.resting.extend(resting.filter_map(|(group, report)| Some((*group, first(*group)?, *report))));
    }

    /// Notes which groups the frame left as they were; asked after its end.
    pub(super) fn note_frame(&mut self, data: &WorldData) {
        if self.course.is_none() {
            return;
        }
        let WorldData { state, graph, .. } = data;
        let Self { bodies, groups, calm, resting, frame, since: known, .. } = self;
        for (group, first, report) in resting.drain(..) {
            // who looked for contacts once more after that may have given the number to others
            let is_there = (group as usize) < graph.groups.len();
            let own = if is_there { graph.groups.group_bodies(group as usize) } else { &[] };
            if own.first() != Some(&first) {
                continue;
            }
            let mut since = 0;
            for &body in own {
                let (calm, pose) = (&mut calm[body.at()], state.pose(body));
                let followed = calm.frames[1] >= *known && calm.frames[1] + 1 == *frame;
                let goes_on = followed && calm.pose == pose && state.velocity(body) == Twist::ZERO;
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

    /// Whether a body's group is one that frames leave as it is.
    pub(super) fn is_still(&self, body: BodyIndex) -> bool {
        self.calm.get(body.at()).is_some_and(|calm| calm.still)
    }

    /// What solving the groups would say that sleep through the frame.
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

    /// The length of the last frame (s), where there are groups that it left as they were.
    pub(super) fn step(&self) -> Option<Real> {
        self.course.filter(|_| !self.groups.is_empty()).map(|(_, dt)| dt)
    }

    /// Nothing is known of so many bodies, and there is room for them. What is known of each is not gone over if there are as many as before: a world may be edited in each frame.
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

    /// Keeps the groups of which something holds.
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
