//! Boxes of bodies, and the pairs of them that overlap.

use super::data::WorldData;
use super::derived::Derived;
use super::reach::swept_box;
use super::records::{Rooms, bound_of};
use super::sensors::Sensors;
use crate::Stages;
use drystone_core::{
    BodyIndex, BodyKind, BodyPair, BroadPhaseInput, ContactSet, DetectMode, Executor, MotionBound, Moving,
    piece_length, retain_each, run_each,
};
use drystone_geometry::Aabb;
use drystone_math::{Real, Vec3};

/// Relative rounding error of the distance between two balls.
const BALL_ROUNDING: Real = 1e-9;

/// Number of pairs per body from which on it pays to look for pairs that are apart.
pub(super) const CROWDED: usize = 3;

/// Up to this many bodies, or pairs of them, a second thread is not worth while.
const FEW_BODIES: usize = 1024;
const FEW_PAIRS: usize = 8192;

/// A ball about the origin of a body's frame.
#[derive(Clone, Copy, Default)]
pub(super) struct Ball {
    center: Vec3,
    /// Infinite for scripted bodies and for unbounded shapes.
    radius: Real,
}

/// Updates the boxes of the bodies that may have moved, including the room for the time looked ahead. If it is known which bodies move, the others keep their boxes.
pub(super) fn place_boxes(
    data: &WorldData,
    derived: &mut Derived,
    (bounds, rooms): (&mut Vec<MotionBound>, &mut Rooms),
    mode: DetectMode,
    scripted_at: Real,
    (moving, executor): (Option<Moving<'_>>, &dyn Executor),
) {
    let keep = mode.contacts == ContactSet::Union;
    let WorldData { configuration, state, .. } = data;
    let margin = 0.5 * mode.envelope.unwrap_or(derived.envelope);
    let Derived { frames, boxes, .. } = derived;
    bounds.resize(boxes.len(), MotionBound::default());
    let place = |i: usize, bound: &mut MotionBound, boxed: &mut Aabb| {
        let body = &configuration.bodies[i];
        *bound = MotionBound::default();
        if mode.look_ahead > 0.0 {
            *bound = bound_of(data, BodyIndex::new(i));
        }
        if matches!(body.kind, BodyKind::Fixed | BodyKind::Passive) || state.sleeping[i] {
            (bound.spin, bound.growth) = (0.0, 0.0);
            return;
        }
        let mut aabb = body.shape.aabb(&frames[i]).grown(margin);
        if mode.look_ahead > 0.0 {
            let way = (bound.velocity + bound.acceleration * mode.look_ahead) * mode.look_ahead;
            // a body that rises and falls back within the time is higher in between than at its end
            aabb = aabb.swept(way).swept(bound.velocity * mode.look_ahead).grown(bound.turned(mode.look_ahead));
        }
        // pairs that existed must remain
        *boxed = if keep { boxed.union(&aabb) } else { aabb };
    };
    if let Some(moving) = moving {
        for i in moving.bodies.iter().map(|body| body.at()) {
            place(i, &mut bounds[i], &mut boxes[i]);
        }
    } else {
        let length = piece_length(executor, boxes.len(), FEW_BODIES);
        let pieces = bounds.chunks_mut(length).zip(boxes.chunks_mut(length)).zip((0..).step_by(length));
        run_each(executor, pieces, |((bounds, boxes), first)| {
            for (i, (bound, boxed)) in (first..).zip(bounds.iter_mut().zip(boxes)) {
                place(i, bound, boxed);
            }
        });
    }
    if mode.look_ahead > 0.0 {
        for script in &configuration.scripts {
            let shape = &configuration.body(script.body).shape;
            let swept = swept_box(shape, script.motion.as_ref(), scripted_at, mode.look_ahead);
            boxes[script.body.at()] = swept.grown(margin);
        }
    }
    match moving {
        Some(moving) => rooms.begin_some(state, moving.bodies, |i| bounds[i].way(mode.look_ahead)),
        None => rooms.begin(state, bounds.iter().map(|b| b.way(mode.look_ahead))),
    }
}

/// Drops pairs of bodies that are too far apart to meet: the boxes of neighbours in a pile overlap at their corners, but the balls around the bodies do not. `balls` is scratch.
pub(super) fn drop_distant(
    data: &WorldData,
    derived: &Derived,
    (pairs, balls, rooms): (&mut Vec<BodyPair>, &mut Vec<Ball>, &Rooms),
    (envelope, moving, executor): (Real, Option<Moving<'_>>, &dyn Executor),
) {
    let bodies = &data.configuration.bodies;
    let ball = |i: usize| {
        let (body, way) = (&bodies[i], rooms.ways()[i]);
        let bounded = body.kind != BodyKind::Scripted;
        let radius = if bounded { body.shape.bounding_radius() + 0.5 * envelope + way } else { Real::INFINITY };
        Ball { center: derived.frames[i].position, radius }
    };
    let near = |a: Ball, b: Ball| {
        let reach = (a.radius + b.radius) * (1.0 + BALL_ROUNDING);
        // NaN counts as near
        let apart = a.center.distance_squared(b.center) > reach * reach;
        !apart
    };
    if moving.is_some() {
        // few pairs: each computes its own balls
        pairs.retain(|pair| near(ball(pair.a.at()), ball(pair.b.at())));
    } else {
        balls.resize(bodies.len(), Ball::default());
        let length = piece_length(executor, bodies.len(), FEW_BODIES);
        run_each(executor, balls.chunks_mut(length).zip((0..).step_by(length)), |(balls, first)| {
            for (into, i) in balls.iter_mut().zip(first..) {
                *into = ball(i);
            }
        });
        retain_each(executor, pairs, FEW_PAIRS, |pair| near(balls[pair.a.at()], balls[pair.b.at()]));
    }
}

/// Runs the broad phase, for moving bodies only if they are known; pairs with a sensor go to the sensors.
pub(super) fn find_pairs(
    data: &WorldData,
    derived: &Derived,
    pairs: &mut Vec<BodyPair>,
    sensors: &mut Sensors,
    (moving, stages, executor): (Option<Moving<'_>>, &mut Stages, &dyn Executor),
) {
    let Derived { boxes, filters, .. } = derived;
    let input = BroadPhaseInput { boxes, filters, executor };
    match moving {
        Some(moving) => stages.broad_phase.find_moving_pairs(input, moving, pairs),
        None => stages.broad_phase.find_pairs(input, pairs),
    }
    if derived.has_passive {
        let present = |b: BodyIndex| data.configuration.body(b).kind != BodyKind::Passive;
        pairs.retain(|p| present(p.a) && present(p.b));
    }
    sensors.take_pairs(&data.configuration, pairs, moving);
}
