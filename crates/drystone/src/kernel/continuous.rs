//! Bodies whose ways are swept.

use super::data::WorldData;
use super::derived::Derived;
use super::tunnelling::FastBodies;
use drystone_core::{BodyIndex, BodyPair, PosedShape};
use drystone_math::{Pose, Real};
use drystone_narrow_phase::{Sweep, sweep};

/// After a drift: stops continuous bodies that moved far at the first thing on their straight way. Their velocity stays, and what they
/// meet is a contact of the next detection. What they touched at the start is left to its contacts.
///
/// # Source
/// Mirtich 1996 (conservative advancement); that the rest of the step is lost is common in games' engines.
pub(super) fn stop_continuous(fast: &FastBodies, data: &mut WorldData, derived: &mut Derived) {
    for &(body, from) in &fast.starts {
        if !data.configuration.body(body).continuous {
            continue;
        }
        let end = data.state.pose(body);
        let way = end.position - from;
        let frame = derived.frames[body.at()];
        let start = Pose::new(frame.position - way, frame.orientation);
        let shape = &data.configuration.body(body).shape;
        let moving = PosedShape { shape, pose: start };
        let bounds = shape.aabb(&start).swept(way);
        let mut free: Real = 1.0;
        for other in (0..data.configuration.bodies.len()).map(BodyIndex::new) {
            let properties = data.configuration.body(other);
            let pose = derived.frames[other.at()];
            let meets = BodyPair::new(body, other).is_some_and(|pair| derived.may_meet(&data.configuration, pair));
            if !meets || properties.sensor || !properties.shape.aabb(&pose).overlaps(&bounds) {
                continue;
            }
            let until = match sweep(moving, way, PosedShape { shape: &properties.shape, pose }) {
                Ok(Sweep::Touch(hit)) => hit.fraction,
                Ok(Sweep::NotBefore(fraction)) => fraction,
                Ok(Sweep::Free) | Err(_) => 1.0,
            };
            if until * way.length() > derived.envelope {
                free = free.min(until);
            }
        }
        if free < 1.0 {
            let properties = data.configuration.body(body);
            data.state.set_pose(body, Pose::new(from + way * free, end.orientation));
            derived.frames[body.at()] = properties.frame(&data.state.pose(body));
        }
    }
}
