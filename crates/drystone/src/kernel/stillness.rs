//! Groups that a frame leaves as they are, to the bit: so does the next, and it need not look at them.

use super::data::WorldData;
use drystone_core::{BodyIndex, SolveReport};
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
    /// Groups that rested in the last solve, by number, and what that said.
    resting: Vec<(u32, SolveReport)>,
    /// Frames so far.
    frame: u64,
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
    /// A frame of `dt` seconds begins, after so many edits: lets what stands still sleep through it. Where time controls or groups may make another frame of it than of the last, nothing does.
    pub(super) fn begin_frame(&mut self, data: &mut WorldData, (edits, dt): (u64, Real), repeats: bool) {
        self.frame += 1;
        let course = Some((edits, dt)).filter(|_| repeats);
        if course.is_none() || self.course != course || self.calm.len() != data.state.len() {
            self.forget(data.state.len());
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

    /// What the last solve said of groups that rested in it.
    pub(super) fn note_solve<'a>(&mut self, resting: impl Iterator<Item = &'a (u32, SolveReport)>) {
        self.resting.clear();
        self.resting.extend(resting);
    }

    /// Notes which groups the frame left as they were; asked after its end.
    pub(super) fn note_frame(&mut self, data: &WorldData) {
        if self.course.is_none() {
            return;
        }
        let WorldData { state, graph, .. } = data;
        let Self { bodies, groups, calm, resting, frame, .. } = self;
        for (group, report) in resting.drain(..) {
            let own = graph.groups.group_bodies(group as usize);
            let mut since = 0;
            for &body in own {
                let (calm, pose) = (&mut calm[body.at()], state.pose(body));
                let goes_on = calm.frames[1] + 1 == *frame && calm.pose == pose && state.velocity(body) == Twist::ZERO;
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

    /// Nothing is known of so many bodies, and there is room for them.
    fn forget(&mut self, bodies: usize) {
        self.bodies.clear();
        self.bodies.reserve(bodies);
        self.groups.clear();
        self.groups.reserve(bodies);
        self.resting.clear();
        self.resting.reserve(bodies);
        self.calm.clear();
        self.calm.resize(bodies, Calm::default());
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
