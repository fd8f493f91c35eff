use crate::Loaded;
use crate::page::Look;
use drystone::World;
use drystone_scene::figures::FrameLine;
use drystone_session::{groups, layers};

/// Most notes of a run that are kept.
const NOTES: usize = 240;

/// Surfaces of a scene's bodies and where they were at the recorded times.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Recording {
    /// Appearance of bodies and joints.
    pub look: Look,
    /// The frames.
    pub frames: Vec<FrameLine>,
    /// Overlay data at some of the frames, evenly picked.
    pub notes: Vec<Note>,
    /// When each joint was first seen broken (s).
    pub broken: Vec<Option<f64>>,
    /// One frame in so many is noted.
    stride: usize,
}

/// Results of contact detection and time control at an instant.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Note {
    /// Simulated time (s).
    pub time: f64,
    /// Contact points (m) and their unit normals.
    pub contacts: Vec<[f32; 6]>,
    /// The contact group of each body, -1 for none.
    pub groups: Vec<i32>,
    /// The height of each body in its stack, -1 where there is none.
    pub layers: Vec<i32>,
    /// True for each body that is asleep.
    pub asleep: Vec<bool>,
}

impl Note {
    /// Of a world after a step.
    pub fn of(world: &World) -> Self {
        let contact = |c: drystone::ContactView| {
            let (p, n) = (c.position, c.normal);
            [p.x, p.y, p.z, n.x, n.y, n.z].map(|v| v as f32)
        };
        Self {
            time: world.time(),
            contacts: world.contacts().map(contact).collect(),
            groups: groups(world),
            layers: layers(world),
            asleep: world.state().sleeping.clone(),
        }
    }
}

impl Recording {
    /// Of a scene before its first step.
    pub fn new(loaded: &Loaded) -> Self {
        let broken = vec![None; loaded.world.configuration().joints.len()];
        Self { look: Look::of(loaded), broken, stride: 1, ..Self::default() }
    }

    /// Takes a frame in, with the world that it is of.
    pub fn push(&mut self, frame: &FrameLine, world: &World) {
        let stride = self.stride.max(1);
        if self.frames.len().is_multiple_of(stride) {
            self.notes.push(Note::of(world));
            if self.notes.len() > NOTES {
                let mut even = false;
                self.notes.retain(|_| {
                    even = !even;
                    even
                });
                self.stride = 2 * stride;
            }
        }
        for (j, broken) in self.broken.iter_mut().enumerate() {
            if broken.is_none() && world.state().is_broken(j) {
                *broken = Some(frame.time);
            }
        }
        self.frames.push(frame.clone());
    }

    /// At most `count` frames, evenly picked, the first and the last among them.
    pub fn picked(&self, count: usize) -> impl Iterator<Item = &FrameLine> {
        let last = self.frames.len().saturating_sub(1);
        let steps = count.saturating_sub(1).clamp(1, last.max(1));
        let all = if self.frames.is_empty() { 0 } else { steps.min(last) + 1 };
        (0..all).map(move |i| &self.frames[(i * last).checked_div(steps).unwrap_or(0)])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Overrides, load};

    #[test]
    fn frames_are_picked_evenly() {
        let at = |n: u32| Recording {
            frames: (0..n).map(|i| FrameLine { time: f64::from(i), ..FrameLine::default() }).collect(),
            ..Recording::default()
        };
        let times = |n, count| at(n).picked(count).map(|f| f.time).collect::<Vec<_>>();
        assert_eq!(times(11, 3), [0.0, 5.0, 10.0]);
        assert_eq!(times(3, 10), [0.0, 1.0, 2.0]);
        assert_eq!((times(1, 10), times(0, 10)), (vec![0.0], vec![]));
    }

    #[test]
    fn notes_of_a_long_run_are_thinned_and_stay_even() {
        let loaded = load("two-balls", &Overrides::default()).unwrap();
        let mut recording = Recording::new(&loaded);
        for _ in 0..1000 {
            recording.push(&FrameLine::default(), &loaded.world);
        }
        assert_eq!((recording.frames.len(), recording.stride), (1000, 8));
        assert_eq!(recording.notes.len(), 1000 / 8);
    }
}
