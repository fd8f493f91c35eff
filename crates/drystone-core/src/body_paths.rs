use crate::{BodyIndex, BodyPair};
use drystone_math::{Pose, Quat, Real};

/// Lengths that only grow: how far a body's frame has come, and how far it has turned. The difference of two of them bounds what lies between.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct BodyPath {
    /// The way of the frame's origin (m).
    pub way: Real,
    /// The chords of its turns, on a ball of radius one: no less than the chord of all of them together.
    pub turn: Real,
}

impl BodyPath {
    /// Both of two.
    #[inline]
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self { way: self.way + other.way, turn: self.turn + other.turn }
    }

    /// Goes on from where a frame was.
    #[inline]
    fn go_on(&mut self, before: &mut Pose, now: &Pose) {
        if before.position != now.position {
            self.way = longer(self.way, now.position.distance(before.position));
        }
        if before.orientation != now.orientation {
            self.turn = longer(self.turn, chord(before.orientation, now.orientation));
        }
        *before = *now;
    }

    /// What has been added since an earlier one.
    #[inline]
    #[must_use]
    pub fn since(self, earlier: Self) -> Self {
        Self { way: self.way - earlier.way, turn: self.turn - earlier.turn }
    }
}

/// The paths of all bodies, as far as their frames were seen.
///
/// They are no part of a world's state: what is concluded from them is what a look at the frames would say. A frame that is brought back is one more stretch of
/// its path, so that paths that were copied together with what refers to them stay right.
#[derive(Debug, Default)]
pub struct BodyPaths {
    frames: Vec<Pose>,
    paths: Vec<BodyPath>,
}

impl Clone for BodyPaths {
    fn clone(&self) -> Self {
        let mut copy = Self::default();
        copy.clone_from(self);
        copy
    }

    /// Copies into the lists that are there: no allocation where they are long enough.
    fn clone_from(&mut self, source: &Self) {
        self.frames.clone_from(&source.frames);
        self.paths.clone_from(&source.paths);
    }
}

impl BodyPaths {
    /// Goes on to the present frames, in column order; bodies that are new begin here.
    pub fn go_on(&mut self, frames: &[Pose]) {
        self.frames.truncate(frames.len());
        for ((path, before), now) in self.paths.iter_mut().zip(&mut self.frames).zip(frames) {
            path.go_on(before, now);
        }
        self.frames.extend_from_slice(&frames[self.frames.len()..]);
        self.paths.resize(frames.len(), BodyPath::default());
    }

    /// The same where all but some bodies are where they were.
    pub fn go_on_some(&mut self, frames: &[Pose], some: &[BodyIndex]) {
        if self.frames.len() != frames.len() {
            return self.go_on(frames);
        }
        for i in some.iter().map(|body| body.at()) {
            self.paths[i].go_on(&mut self.frames[i], &frames[i]);
        }
    }

    /// The paths of both bodies of a pair together; none of bodies that were never seen.
    #[inline]
    pub fn of(&self, pair: BodyPair) -> BodyPath {
        let [a, b] = [pair.a, pair.b].map(|body| self.paths.get(body.at()).copied().unwrap_or_default());
        a.plus(b)
    }

    /// Takes a body out; those after it move up by one.
    pub fn remove(&mut self, body: BodyIndex) {
        if body.at() < self.paths.len() {
            self.frames.remove(body.at());
            self.paths.remove(body.at());
        }
    }
}

/// A sum that is not rounded down: what a body creeps by would be lost in the length of a path.
#[inline]
fn longer(path: Real, by: Real) -> Real {
    (path + by).next_up()
}

/// An upper bound of the chord of the rotation between two orientations, on a ball of radius one, which is close for small ones.
#[inline]
fn chord(then: Quat, now: Quat) -> Real {
    2.0 * (now - then).length()
}

#[cfg(test)]
mod tests {
    use super::*;
    use drystone_math::Vec3;

    #[test]
    fn a_path_is_no_shorter_than_what_lies_between() {
        let frames = |k: Real| {
            let turned = Quat::from_scaled_axis(Vec3::new(0.1 * k, -0.2, 0.05 * k * k));
            [Pose::IDENTITY, Pose::new(Vec3::new(k, 1.0 / (1.0 + k), 0.1 * k * k), turned)]
        };
        let pair = BodyPair::new(BodyIndex(0), BodyIndex(1)).unwrap();
        let mut paths = BodyPaths::default();
        for k in 0..8 {
            paths.go_on(&frames(Real::from(k)));
        }
        let between = paths.of(pair).since(BodyPath::default());
        let [start, end] = [frames(0.0)[1], frames(7.0)[1]];
        let turn = start.orientation.conjugate() * end.orientation;
        assert!(between.way >= end.position.distance(start.position));
        assert!(between.turn >= 2.0 * Vec3::new(turn.x, turn.y, turn.z).length());
        // who does not move comes no further
        paths.go_on(&frames(7.0));
        assert_eq!(paths.of(pair).since(between), BodyPath::default());
        // and a way back is a way
        paths.go_on(&frames(0.0));
        assert!(paths.of(pair).way >= 2.0 * end.position.distance(start.position));
    }

    #[test]
    fn bodies_come_and_go() {
        let at = |x: Real| Pose::from_position(Vec3::X * x);
        let mut paths = BodyPaths::default();
        paths.go_on(&[at(0.0), at(1.0)]);
        paths.go_on(&[at(0.0), at(3.0), at(9.0)]);
        paths.remove(BodyIndex(0));
        let pair = BodyPair::new(BodyIndex(0), BodyIndex(1)).unwrap();
        assert!((paths.of(pair).way - 2.0).abs() < 1e-15);
        paths.go_on(&[at(3.0)]);
        paths.go_on(&[at(3.0), at(5.0)]);
        assert!((paths.of(pair).way - 2.0).abs() < 1e-15, "a new body has no path yet");
    }
}
