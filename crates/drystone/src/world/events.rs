//! Events of a step, as values.

use super::World;
use crate::{Event, Touch};
use drystone_contact_graph::{ContactEvent, EventKind};
use drystone_core::{BodyId, BodyPair, Configuration, Gone};
use drystone_math::Real;

/// Number of bodies that are compared at once.
const PIECE: usize = 1024;

/// Events that have not been taken yet, and what they are derived from.
#[derive(Debug, Default)]
pub(super) struct Happenings {
    events: Vec<Event>,
    /// Events ended by edits since the last step.
    edited: Vec<Event>,
    keep: bool,
    /// Which bodies slept, and which joints were broken, when that was last reported.
    asleep: Vec<bool>,
    broken: Vec<u32>,
}

impl Happenings {
    /// To be called when a step begins: what edits have ended since the last one happens at its start.
    pub(super) fn begin(&mut self) {
        if !self.keep {
            self.events.clear();
        }
        self.tell_edits();
    }

    fn tell_edits(&mut self) {
        self.events.append(&mut self.edited);
    }

    /// Adds an event.
    pub(super) fn push(&mut self, event: Event) {
        self.events.push(event);
    }

    /// Removes the columns of bodies.
    pub(super) fn remove_bodies(&mut self, gone: &Gone) {
        gone.close_up(&mut self.asleep);
    }

    /// To be called when a joint has been mended: its next break is reported again.
    pub(super) fn mend_joint(&mut self, joint: u32) {
        self.broken.retain(|j| *j != joint);
    }

    /// To be called when joints are removed; those after them move up.
    pub(super) fn remove_joints(&mut self, gone: &Gone) {
        gone.renumber(&mut self.broken);
    }
}

impl World {
    /// Events of the last step and of the edits before it, sorted by time: touches that began or ended, sensors entered
    /// or left, joints that broke, timers that ticked, bodies that fell asleep or woke. Empty after a restore;
    /// [`Self::touching`] then says which bodies touch. What a removed body touched, and the sensors that it was in,
    /// end with the next step, so that a loop that reads events after each step misses nothing.
    ///
    /// ```
    /// use drystone::Event;
    /// use drystone::prelude::*;
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let mut world = World::builder().build()?;
    /// let floor = world.add(Body::fixed(Shape::plane(Vec3::Y, 0.0)?))?;
    /// let gate = world.add(Body::fixed(Shape::cuboid(1.0, 0.1, 1.0)?).at([0.0, 0.8, 0.0]).sensor(true))?;
    /// let ball = world.add(Body::dynamic(Shape::sphere(0.1)?).at([0.0, 1.5, 0.0]).mass(2.0))?;
    ///
    /// let mut seen = Vec::new();
    /// for _ in 0..100 {
    ///     world.advance(0.01)?;
    ///     seen.extend(world.drain_events());
    /// }
    /// assert!(matches!(seen[0], Event::Entered { sensor, body, .. } if (sensor, body) == (gate, ball)));
    /// assert!(matches!(seen[1], Event::Left { .. }));
    /// let Event::TouchBegan(touch) = seen[2] else { panic!() };
    /// assert_eq!((touch.bodies, touch.normal), ([floor, ball], Vec3::Y));
    /// // it fell 1.4 m, and the floor took its momentum of 10.5 N s at least
    /// assert!((touch.speed - 5.2).abs() < 0.2 && touch.impulse.y > 10.0);
    /// # Ok(())
    /// # }
    /// ```
    pub fn events(&self) -> &[Event] {
        &self.happenings.events
    }

    /// The same events and those of edits since, removed from the world.
    pub fn drain_events(&mut self) -> impl Iterator<Item = Event> + '_ {
        self.happenings.tell_edits();
        self.happenings.events.drain(..)
    }

    /// If set, keeps events until they are drained, over any number of steps, instead of dropping them when the next step begins.
    pub fn set_keep_events(&mut self, keep: bool) {
        self.happenings.keep = keep;
    }

    /// Changes between pairs in the last step, by columns, including overlaps of bounding boxes; empty after a restore.
    pub fn contact_events(&self) -> &[ContactEvent] {
        self.engine.touches()[0].events()
    }

    /// The pairs that touch as of the last detection, in ascending order of when bodies were added.
    pub fn touching(&self) -> impl Iterator<Item = [BodyId; 2]> {
        self.engine.touches()[0].touching().map(|pair| self.ids(pair))
    }

    /// The bodies within sensors as of the last step, as pairs of the sensor and the body.
    pub fn sensed(&self) -> impl Iterator<Item = [BodyId; 2]> {
        self.engine.touches()[1].touching().map(|pair| self.sensor_first(pair))
    }

    /// To be called when a step that began at `start` (s) is complete: collects what happened in it.
    pub(super) fn tell(&mut self, start: Real) {
        let from = self.happenings.events.len();
        self.tell_ticks(start);
        let Self { engine, happenings, body_ids, joint_ids, .. } = self;
        let ids = |pair: BodyPair| [body_ids[pair.a.at()], body_ids[pair.b.at()]];
        engine.finish_events();
        let [contacts, sensed] = engine.touches();
        happenings.events.reserve(4 * contacts.near().len());
        happenings.events.extend(contacts.events().iter().filter_map(|e| contact(e, ids(e.pair))));
        let configuration = &engine.data().configuration;
        let sensed = sensed.events().iter();
        happenings.events.extend(sensed.filter_map(|e| sensing(e, sensor_first(configuration, e.pair, ids(e.pair)))));
        let time = engine.data().state.time;
        for &joint in &engine.data().state.broken_joints {
            if happenings.broken.binary_search(&joint).is_err() {
                let reaction = engine.data().graph.joint_reactions.get(joint as usize).copied().unwrap_or_default();
                happenings.events.push(Event::JointBroke { joint: joint_ids[joint as usize], reaction, time });
            }
        }
        happenings.broken.clone_from(&engine.data().state.broken_joints);
        happenings.asleep.resize(engine.data().state.len(), false);
        let asleep = &engine.data().state.sleeping;
        let pieces = happenings.asleep.chunks_mut(PIECE).zip(asleep.chunks(PIECE)).zip((0..).step_by(PIECE));
        for ((was, are), first) in pieces.filter(|((was, are), _)| was != are) {
            for (i, (was, is)) in (first..).zip(was.iter_mut().zip(are)) {
                match (*was, *is) {
                    (false, true) => happenings.events.push(Event::FellAsleep { body: body_ids[i], time }),
                    (true, false) => happenings.events.push(Event::Woke { body: body_ids[i], time }),
                    _ => {}
                }
                *was = *is;
            }
        }
        // stable, so that events of one instant stay in the order in which they were found; allocates nothing
        sort_by_time(&mut happenings.events[from..]);
    }

    /// To be called before bodies are removed: their touches end.
    pub(super) fn end_touches(&mut self, gone: &Gone) {
        let time = self.time();
        let of = |pair: &BodyPair| gone.has_body(pair.a) || gone.has_body(pair.b);
        let touches = self.engine.touches()[0].touching().filter(of);
        let ended = touches.map(|pair| Event::TouchEnded { bodies: self.ids(pair), time });
        let sensed = self.engine.touches()[1].touching().filter(of).map(|pair| self.sensor_first(pair));
        let left = sensed.map(|[sensor, body]| Event::Left { sensor, body, time });
        let events: Vec<Event> = ended.chain(left).collect();
        self.happenings.edited.extend(events);
    }

    /// To be called when another instant has been restored: nothing happened on the way to it.
    pub(crate) fn forget_events(&mut self) {
        self.happenings.events.clear();
        self.happenings.edited.clear();
        self.happenings.asleep.clone_from(&self.engine.data().state.sleeping);
        self.happenings.broken.clone_from(&self.engine.data().state.broken_joints);
    }

    fn ids(&self, pair: BodyPair) -> [BodyId; 2] {
        [self.body_ids[pair.a.at()], self.body_ids[pair.b.at()]]
    }

    fn sensor_first(&self, pair: BodyPair) -> [BodyId; 2] {
        sensor_first(&self.engine.data().configuration, pair, self.ids(pair))
    }
}

fn sensor_first(configuration: &Configuration, pair: BodyPair, [a, b]: [BodyId; 2]) -> [BodyId; 2] {
    if configuration.body(pair.a).sensor { [a, b] } else { [b, a] }
}

fn contact(event: &ContactEvent, bodies: [BodyId; 2]) -> Option<Event> {
    let ContactEvent { time, meeting, impulse, .. } = *event;
    match event.kind {
        EventKind::NewTouching => {
            let (point, normal, speed) = (meeting.point, meeting.normal, meeting.speed);
            Some(Event::TouchBegan(Touch { bodies, time, point, normal, speed, impulse }))
        }
        EventKind::VanishingTouching => Some(Event::TouchEnded { bodies, time }),
        EventKind::NewProximity | EventKind::VanishingProximity => None,
    }
}

fn sensing(event: &ContactEvent, [sensor, body]: [BodyId; 2]) -> Option<Event> {
    let time = event.time;
    match event.kind {
        EventKind::NewTouching => Some(Event::Entered { sensor, body, time }),
        EventKind::VanishingTouching => Some(Event::Left { sensor, body, time }),
        EventKind::NewProximity | EventKind::VanishingProximity => None,
    }
}

/// Insertion sort: the lists are nearly in order, and nothing is allocated.
fn sort_by_time(events: &mut [Event]) {
    for i in 1..events.len() {
        let mut k = i;
        while k > 0 && events[k].time() < events[k - 1].time() {
            events.swap(k, k - 1);
            k -= 1;
        }
    }
}
