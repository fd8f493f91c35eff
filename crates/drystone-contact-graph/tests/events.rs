//! Events under both policies for simulators that go back in time (H-12, H-13, H-18).

use EventKind::{NewProximity, NewTouching, VanishingProximity, VanishingTouching};
use drystone_contact_graph::{EventKind, EventLog, EventMark, EventQueue, GraphAnalysis, Meeting};
use drystone_core::BodyKind;
use drystone_math::Vec3;
use drystone_testkit::{GraphScene, Random};

/// A ball that moves along x towards another one and bounces back.
struct Bounce {
    scene: GraphScene,
    analysis: GraphAnalysis,
}

impl Bounce {
    fn new() -> Self {
        let mut scene = GraphScene::default();
        scene.sphere(BodyKind::Fixed, Vec3::ZERO, 0.5);
        scene.sphere(BodyKind::Dynamic, Vec3::ZERO, 0.5);
        Self { scene, analysis: GraphAnalysis::default() }
    }

    /// Detects with the ball at `(x, 0.8)`: boxes meet up to x = 1.01, balls up to x = 0.61.
    fn at(&mut self, x: f64) -> &drystone_core::ContactGraph {
        self.scene.state.position[1] = Vec3::new(x, 0.8, 0.0);
        self.scene.detect(&mut self.analysis);
        &self.scene.graph
    }
}

fn kinds(log: &mut EventLog, graph: &drystone_core::ContactGraph) -> Vec<EventKind> {
    log.update(0.0, graph).iter().map(|e| e.kind).collect()
}

#[test]
fn a_bounce_gives_its_events_in_order() {
    let (mut b, mut log) = (Bounce::new(), EventLog::default());
    let seen: Vec<_> = [2.0, 0.9, 0.5, 0.4, 0.5, 0.9, 2.0].into_iter().map(|x| kinds(&mut log, b.at(x))).collect();
    assert_eq!(
        seen,
        [
            vec![],
            vec![NewProximity],
            vec![NewTouching],
            vec![],
            vec![],
            vec![VanishingTouching],
            vec![VanishingProximity]
        ]
    );
}

#[test]
fn a_touch_that_was_taken_back_leaves_no_event_under_both_policies() {
    // a frame from x = 0.9: overshoots to 0.3, goes back to 0.9, then takes a smaller step to 0.8
    let (mut b, mut log) = (Bounce::new(), EventLog::default());
    log.update(0.0, b.at(0.9));
    b.at(0.3);
    b.at(0.9);
    assert!(log.update(0.0, b.at(0.8)).is_empty(), "looked at when the frame was complete");

    let (mut b, mut queue) = (Bounce::new(), EventQueue::default());
    queue.record(0.0, b.at(0.9));
    assert_eq!(queue.drain().map(|e| e.kind).collect::<Vec<_>>(), [NewProximity]);
    queue.record(0.1, b.at(0.3));
    queue.rewind(0.0);
    queue.record(0.05, b.at(0.8));
    assert_eq!(queue.drain().count(), 0);
}

#[test]
fn what_comes_and_goes_within_a_frame_is_told() {
    let (mut b, mut queue) = (Bounce::new(), EventQueue::default());
    queue.record(0.0, b.at(0.9));
    queue.drain().for_each(drop);
    for (time, x) in [(0.1, 0.5), (0.2, 0.3), (0.15, 0.4), (0.3, 0.9)] {
        queue.rewind(time);
        queue.record(time, b.at(x));
    }
    let events: Vec<_> = queue.drain().map(|e| (e.time, e.kind)).collect();
    assert_eq!(events, [(0.1, NewTouching), (0.3, VanishingTouching)]);
}

#[test]
fn rewound_marks_are_those_recorded_at_that_time() {
    let mut random = Random::new(1);
    let (mut b, mut queue, mut straight) = (Bounce::new(), EventQueue::default(), EventQueue::default());
    // whatever was tried in between, the recorded events are those of the path that was kept
    for step in 0..50 {
        let time = f64::from(step);
        let kept = random.range(0.2, 1.3);
        for part in 1..=random.below(4) {
            queue.record(time + 0.1 * part as f64, b.at(random.range(0.2, 1.3)));
        }
        queue.rewind(time - 0.5);
        queue.record(time, b.at(kept));
        straight.record(time, b.at(kept));
    }
    let told = |queue: &mut EventQueue| queue.drain().map(|e| (e.time, e.pair, e.kind, e.meeting)).collect::<Vec<_>>();
    assert_eq!(told(&mut queue), told(&mut straight));
}

/// Observes the graph without ending the frame.
fn observe(log: &mut EventLog, time: f64, graph: &drystone_core::ContactGraph) {
    let near = graph.iter().filter(|e| e.overlapping).map(|e| (e.pair, e.touching));
    log.observe(time, near, |_| Meeting::default());
}

#[test]
fn a_log_whose_instants_are_brought_back_tells_what_the_queue_tells() {
    let mut random = Random::new(2);
    let (mut b, mut log, mut queue) = (Bounce::new(), EventLog::default(), EventQueue::default());
    let both = [drystone_core::BodyIndex(0), drystone_core::BodyIndex(1)];
    let mut saved = EventMark::default();
    for frame in 0..200 {
        let start = f64::from(frame);
        let mut wanted = Vec::new();
        for part in 0..=random.below(4) {
            let time = start + 0.1 * part as f64;
            log.save(&mut saved);
            for tried in 0..random.below(4) {
                let x = random.range(0.2, 1.3);
                observe(&mut log, time + 0.01 * tried as f64, b.at(x));
                queue.record(time + 0.001 + 0.01 * tried as f64, b.at(x));
            }
            // go back in each of the three possible ways
            match part % 3 {
                0 => log.restore(&saved),
                1 => log.restore_bodies(&saved, &both),
                _ => log.restore_marks(&saved, &both),
            }
            queue.rewind(time);
            let x = random.range(0.2, 1.3);
            observe(&mut log, time, b.at(x));
            queue.record(time, b.at(x));
        }
        wanted.extend(queue.drain().map(|e| (e.time, e.kind)));
        let told: Vec<_> = log.finish().iter().map(|e| (e.time, e.kind)).collect();
        assert_eq!(told, wanted, "frame {frame}");
        assert_eq!(log.counts().new_touching, wanted.iter().filter(|w| w.1 == NewTouching).count() as u64);
    }
}

#[test]
fn an_impulse_between_observations_begins_a_touch_once() {
    let (mut b, mut log) = (Bounce::new(), EventLog::default());
    let pair = drystone_core::BodyPair::new(drystone_core::BodyIndex(0), drystone_core::BodyIndex(1)).unwrap();
    let told = |log: &mut EventLog| log.finish().iter().map(|e| (e.time, e.kind)).collect::<Vec<_>>();
    // at first not even near: the impulse reports proximity and touching; a second impulse belongs to the same touch
    let serial = log.touch(0.1, pair, Meeting::default()).unwrap();
    assert_eq!(log.touch(0.2, pair, Meeting::default()), None);
    log.set_impulse(serial, Vec3::X);
    assert_eq!(log.impulse(serial), Some(Vec3::X));
    assert_eq!(told(&mut log), [(0.1, NewProximity), (0.1, NewTouching)]);
    // the next observation finds the pair still touching, then only near; an impulse then begins a new touch
    observe(&mut log, 0.3, b.at(0.5));
    assert_eq!(told(&mut log), []);
    observe(&mut log, 0.4, b.at(0.9));
    assert!(log.touch(0.5, pair, Meeting::default()).is_some() && log.touch(0.6, pair, Meeting::default()).is_none());
    assert_eq!(told(&mut log), [(0.4, VanishingTouching), (0.5, NewTouching)]);
}

/// Random touches and impulses of three pairs, saved and restored to any depth: each restored instant
/// has exactly the events and impulses of a copy of the log made at the time.
#[test]
fn an_instant_brought_back_drops_exactly_what_came_after_it() {
    use drystone_core::{BodyIndex, BodyPair};
    let pair = |a: u32, b: u32| BodyPair::new(BodyIndex(a), BodyIndex(b)).unwrap();
    let pairs = [pair(0, 1), pair(0, 2), pair(1, 2)];
    let has = |pair: BodyPair, body: BodyIndex| pair.a == body || pair.b == body;
    let told = |log: &EventLog| {
        let mut copy = log.clone();
        copy.finish().iter().map(|e| (e.serial, e.pair, e.kind, e.impulse)).collect::<Vec<_>>()
    };
    let (mut random, mut log) = (Random::new(3), EventLog::default());
    let mut instants: Vec<(EventMark, EventLog)> = Vec::new();
    let (mut dropped, mut undone) = (0, 0);
    for step in 0..4000 {
        match random.below(8) {
            0 if instants.len() < 6 => {
                let mut instant = EventMark::default();
                log.save(&mut instant);
                instants.push((instant, log.clone()));
            }
            1 => {
                let near = pairs.map(|p| (p, random.below(2) == 0));
                log.observe(f64::from(step), near.into_iter(), |_| Meeting::default());
            }
            2 if !instants.is_empty() => {
                // back to any of them: the later ones are forgotten, as a time control does
                instants.truncate(random.below(instants.len()) + 1);
                let (instant, copy) = &instants[instants.len() - 1];
                let events = told(&log);
                log.restore(instant);
                let (now, then) = (told(&log), told(copy));
                assert_eq!(now, then, "step {step}");
                assert_eq!(log.observed().collect::<Vec<_>>(), copy.observed().collect::<Vec<_>>());
                dropped += usize::from(events.len() > then.len());
                undone += usize::from(then.iter().any(|t| events.iter().any(|e| e.0 == t.0 && e.3 != t.3)));
            }
            3 if !instants.is_empty() => {
                // restore one body only: its pairs as they were then, the others as they are now
                let (instant, copy) = &instants[instants.len() - 1];
                let body = BodyIndex(random.below(3) as u32);
                let (events, mut wanted) = (told(&log), told(copy));
                wanted.retain(|e| has(e.1, body));
                wanted.extend(events.into_iter().filter(|e| !has(e.1, body)));
                wanted.sort_by_key(|e| e.0);
                log.restore_bodies(instant, &[body]);
                let mut now = told(&log);
                now.sort_by_key(|e| e.0);
                assert_eq!(now, wanted, "step {step}");
            }
            4 if random.below(12) == 0 => {
                log.finish();
                instants.clear();
            }
            _ => {
                let touched = log.touch(f64::from(step), pairs[random.below(3)], Meeting::default());
                let known = told(&log);
                let some = touched.or_else(|| known.get(random.below(known.len().max(1))).map(|e| e.0));
                if let Some(serial) = some {
                    log.set_impulse(serial, random.vector(1.0));
                }
            }
        }
    }
    assert!(dropped > 50 && undone > 50, "{dropped} {undone}");
}

/// A frame of many steps, each saved: an instant does not copy the events before it.
#[test]
fn what_saving_costs_does_not_grow_with_the_frame() {
    let (mut b, mut log, mut instant) = (Bounce::new(), EventLog::default(), EventMark::default());
    for step in 0..1000 {
        observe(&mut log, f64::from(step), b.at(if step % 2 == 0 { 0.4 } else { 0.9 }));
        log.save(&mut instant);
    }
    let pairs = log.observed().count();
    assert_eq!((pairs, instant.len()), (1, 1));
    assert!(log.finish().len() > 999);
}
