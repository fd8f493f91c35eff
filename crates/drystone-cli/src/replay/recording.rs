use super::Surface;
use drystone_core::{BodyKind, Configuration};
use drystone_scene::figures::FrameLine;

/// Surfaces of a scene's bodies and where they were at the recorded times.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Recording {
    /// Names of the bodies.
    pub names: Vec<String>,
    /// Whether a body moves at all.
    pub moves: Vec<bool>,
    /// Each distinct surface once.
    pub surfaces: Vec<Surface>,
    /// Which surface a body has.
    pub surface_of: Vec<usize>,
    /// The frames.
    pub frames: Vec<FrameLine>,
}

impl Recording {
    /// Of a scene before its first step.
    pub fn new(configuration: &Configuration, names: &[String]) -> Self {
        let mut recording = Self { names: names.to_vec(), ..Self::default() };
        let mut shapes: Vec<&drystone_geometry::Shape> = Vec::new();
        for body in &configuration.bodies {
            let known = shapes.iter().position(|s| **s == body.shape);
            recording.surface_of.push(known.unwrap_or(shapes.len()));
            recording.moves.push(!matches!(body.kind, BodyKind::Fixed | BodyKind::Passive));
            if known.is_none() {
                shapes.push(&body.shape);
                recording.surfaces.push(Surface::of(&body.shape));
            }
        }
        recording
    }

    /// Takes a frame in.
    pub fn push(&mut self, frame: &FrameLine) {
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
}
