//! What happened in steps, with the names of bodies and joints.

use crate::world::{Inner, NativeWorld, key_of, timer_id};
use drystone::{Event, EventKind};
use drystone_core::{BodyId, JointId};
use pyo3::prelude::*;

type Row = [f64; 3];
/// Of a touch: point, normal, speed, impulse.
type Meeting = (Row, Row, f64, Row);
/// Of a joint: name, force, torque.
type Bore = (String, Row, Row);
/// Of a timer: its key, how often it ticked.
type Ticked = (u64, u64);
/// Kind, time, bodies (none where one was removed since), and what belongs to the kind.
type Told = (&'static str, f64, Vec<Option<String>>, Option<Meeting>, Option<Bore>, Option<Ticked>);

fn name_of(w: &Inner, body: BodyId) -> Option<String> {
    w.loaded.world.body_index(body).ok().map(|i| w.loaded.names[i.at()].clone())
}

fn told(w: &Inner, event: &Event) -> Told {
    let names = |bodies: &[BodyId]| bodies.iter().map(|b| name_of(w, *b)).collect();
    let (mut meeting, mut bore, mut ticked) = (None, None, None);
    let (kind, bodies) = match *event {
        Event::TouchBegan(t) => {
            meeting = Some((t.point.to_array(), t.normal.to_array(), t.speed, t.impulse.to_array()));
            ("touch-began", names(&t.bodies))
        }
        Event::TouchEnded { bodies, .. } => ("touch-ended", names(&bodies)),
        Event::Entered { sensor, body, .. } => ("entered", names(&[sensor, body])),
        Event::Left { sensor, body, .. } => ("left", names(&[sensor, body])),
        Event::JointBroke { joint, reaction, .. } => {
            let (name, bodies) = joint_of(w, joint);
            bore = Some((name, reaction.force.to_array(), reaction.torque.to_array()));
            ("joint-broke", bodies)
        }
        Event::Tick { timer, count, .. } => {
            ticked = Some((key_of(timer), count));
            ("tick", Vec::new())
        }
        Event::FellAsleep { body, .. } => ("fell-asleep", names(&[body])),
        Event::Woke { body, .. } => ("woke", names(&[body])),
        // a kind that came later
        _ => ("other", Vec::new()),
    };
    (kind, event.time(), bodies, meeting, bore, ticked)
}

/// Name and bodies of a joint; the fixed world is `world`.
fn joint_of(w: &Inner, joint: JointId) -> (String, Vec<Option<String>>) {
    let world = &w.loaded.world;
    let place = world.joints().iter().position(|j| *j == joint);
    let name = place.and_then(|i| w.loaded.joint_names.get(i)).cloned().unwrap_or_default();
    let bodies = world.joint_bodies(joint).into_iter().flatten();
    (name, bodies.map(|b| b.map_or_else(|| Some("world".to_owned()), |b| name_of(w, b))).collect())
}

fn pairs(w: &Inner, list: impl Iterator<Item = [BodyId; 2]>) -> Vec<(String, String)> {
    list.filter_map(|[a, b]| Some((name_of(w, a)?, name_of(w, b)?))).collect()
}

#[pymethods]
impl NativeWorld {
    fn events(&self, py: Python<'_>) -> PyResult<Vec<Told>> {
        self.lock(py, |w| Ok(w.loaded.world.events().iter().map(|e| told(w, e)).collect()))
    }

    /// The same, taken out.
    fn drain_events(&self, py: Python<'_>) -> PyResult<Vec<Told>> {
        self.lock(py, |w| {
            let events: Vec<Event> = w.world().drain_events().collect();
            Ok(events.iter().map(|e| told(w, e)).collect())
        })
    }

    fn keep_events(&self, py: Python<'_>, keep: bool) -> PyResult<()> {
        self.lock(py, |w| {
            w.world().set_keep_events(keep);
            Ok(())
        })
    }

    fn add_timer(&self, py: Python<'_>, first: f64, period: Option<f64>) -> PyResult<u64> {
        self.lock(py, |w| Ok(key_of(w.world().add_timer(first, period)?)))
    }

    fn remove_timer(&self, py: Python<'_>, timer: u64) -> PyResult<()> {
        self.lock(py, |w| Ok(w.world().remove_timer(timer_id(timer))?))
    }

    /// `(kind, time, first, second)` of what changed between pairs in the last step, nearness included.
    fn contact_events(&self, py: Python<'_>) -> PyResult<Vec<(&'static str, f64, String, String)>> {
        let kind = |kind| match kind {
            EventKind::NewProximity => "new-proximity",
            EventKind::NewTouching => "new-touching",
            EventKind::VanishingTouching => "vanishing-touching",
            EventKind::VanishingProximity => "vanishing-proximity",
        };
        self.lock(py, |w| {
            let name = |i: usize| w.loaded.names[i].clone();
            let events = w.loaded.world.contact_events().iter();
            Ok(events.map(|e| (kind(e.kind), e.time, name(e.pair.a.at()), name(e.pair.b.at()))).collect())
        })
    }

    /// Names of the pairs that touch, and of sensors with what is within them.
    fn touching(&self, py: Python<'_>, sensors: bool) -> PyResult<Vec<(String, String)>> {
        self.lock(py, |w| {
            let world = &w.loaded.world;
            Ok(if sensors { pairs(w, world.sensed()) } else { pairs(w, world.touching()) })
        })
    }
}
