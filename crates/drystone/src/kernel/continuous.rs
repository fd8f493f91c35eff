//! Bodies whose ways are swept.

use super::engine::Engine;
use drystone_core::{BodyIndex, BodyPair, PosedShape};
use drystone_math::{Pose, Real};
use drystone_narrow_phase::{Sweep, sweep};

impl Engine {
    /// After a drift: stops continuous bodies that moved far at the first thing on their straight way. Their velocity stays, and what they
    /// meet is a contact of the next detection. What they touched at the start is left to its contacts.
    ///
    /// # Source
    /// Mirtich 1996 (conservative advancement); that the rest of the step is lost is common in games' engines.
    pub(super) fn stop_continuous(&mut self) {
        for k in 0..self.motion.fast.starts.len() {
            let (body, from) = self.motion.fast.starts[k];
            if !self.data.configuration.body(body).continuous {
                continue;
            }
            let end = self.data.state.pose(body);
            let way = end.position - from;
            let frame = self.derived.frames[body.at()];
            let start = Pose::new(frame.position - way, frame.orientation);
            let shape = &self.data.configuration.body(body).shape;
            let moving = PosedShape { shape, pose: start };
            let bounds = shape.aabb(&start).swept(way);
            let mut free: Real = 1.0;
            for other in (0..self.data.configuration.bodies.len()).map(BodyIndex::new) {
                let properties = self.data.configuration.body(other);
                let pose = self.derived.frames[other.at()];
                let meets = BodyPair::new(body, other).is_some_and(|pair| self.may_meet(pair));
                if !meets || properties.sensor || !properties.shape.aabb(&pose).overlaps(&bounds) {
                    continue;
                }
                let until = match sweep(moving, way, PosedShape { shape: &properties.shape, pose }) {
                    Ok(Sweep::Touch(hit)) => hit.fraction,
                    Ok(Sweep::NotBefore(fraction)) => fraction,
                    Ok(Sweep::Free) | Err(_) => 1.0,
                };
                if until * way.length() > self.derived.envelope {
                    free = free.min(until);
                }
            }
            if free < 1.0 {
                let properties = self.data.configuration.body(body);
                self.data.state.set_pose(body, Pose::new(from + way * free, end.orientation));
                self.derived.frames[body.at()] = properties.frame(&self.data.state.pose(body));
            }
        }
    }
}
