use crate::{BodyIndex, BodyPair, Gone};
use drystone_math::{Pose, Quat, Real};

/// Path of a body's frame: how far it has travelled and how far it has turned. Both lengths only grow; the difference of two readings bounds the motion between
/// them.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct BodyPath {
    /// Distance travelled by the frame's origin (m).
    pub way: Real,
    /// Sum of the chords of its turns, on a ball of radius one: no less than the chord of all of them together.
    pub turn: Real,
}

impl BodyPath {
    /// The sum of two paths.
    #[inline]
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self { way: self.way + other.way, turn: self.turn + other.turn }
    }

    /// Extends the path by the motion of a frame from `before` to `now`, and sets `before` to `now`.
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

    /// Difference from an earlier reading.
    #[inline]
    #[must_use]
    pub fn since(self, earlier: Self) -> Self {
        Self { way: self.way - earlier.way, turn: self.turn - earlier.turn }
    }
}

/// The paths of all bodies, from the frames that were passed in.
///
/// They are not part of a world's state: conclusions drawn from them are those that a look at the frames would give. Bringing a frame back is one more stretch
/// of its path, so paths that were copied together with the data that refers to them stay right.
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

    /// Copies into the existing lists: no allocation if they are long enough.
    fn clone_from(&mut self, source: &Self) {
        self.frames.clone_from(&source.frames);
        self.paths.clone_from(&source.paths);
    }
}

impl BodyPaths {
    /// Extends the paths to the present frames, in column order; the paths of new bodies begin here.
    pub fn go_on(&mut self, frames: &[Pose]) {
        self.frames.truncate(frames.len());
        for ((path, before), now) in self.paths.iter_mut().zip(&mut self.frames).zip(frames) {
            path.go_on(before, now);
        }
        self.frames.extend_from_slice(&frames[self.frames.len()..]);
        self.paths.resize(frames.len(), BodyPath::default());
    }

    /// As [`Self::go_on`], if all bodies except `some` are where they were.
    pub fn go_on_some(&mut self, frames: &[Pose], some: &[BodyIndex]) {
        if self.frames.len() != frames.len() {
            return self.go_on(frames);
        }
        for i in some.iter().map(|body| body.at()) {
            self.paths[i].go_on(&mut self.frames[i], &frames[i]);
        }
    }

    /// The sum of the paths of both bodies of a pair; zero for bodies that were never seen.
    #[inline]
    pub fn of(&self, pair: BodyPair) -> BodyPath {
        let [a, b] = [pair.a, pair.b].map(|body| self.paths.get(body.at()).copied().unwrap_or_default());
        a.plus(b)
    }

    /// Takes bodies out; those after them move up.
    pub fn remove(&mut self, gone: &Gone) {
        gone.close_up(&mut self.frames);
        gone.close_up(&mut self.paths);
    }
}

/// A sum that is never rounded down: otherwise the small motion of a creeping body would be lost in the length of its path.
#[inline]
fn longer(path: Real, by: Real) -> Real {
    (path + by).next_up()
}

/// An upper bound, close for small rotations, on the chord of the rotation between two orientations, on a ball of radius one.
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
        // a body that does not move adds nothing to its path
        paths.go_on(&frames(7.0));
        assert_eq!(paths.of(pair).since(between), BodyPath::default());
        // moving back counts as movement
        paths.go_on(&frames(0.0));
        assert!(paths.of(pair).way >= 2.0 * end.position.distance(start.position));
    }

    #[test]
    fn bodies_come_and_go() {
        let at = |x: Real| Pose::from_position(Vec3::X * x);
        let mut paths = BodyPaths::default();
        paths.go_on(&[at(0.0), at(1.0)]);
        paths.go_on(&[at(0.0), at(3.0), at(9.0)]);
        paths.remove(&Gone::new([0]));
        let pair = BodyPair::new(BodyIndex(0), BodyIndex(1)).unwrap();
        assert!((paths.of(pair).way - 2.0).abs() < 1e-15);
        paths.go_on(&[at(3.0)]);
        paths.go_on(&[at(3.0), at(5.0)]);
        assert!((paths.of(pair).way - 2.0).abs() < 1e-15, "a new body has no path yet");
    }
}
