use super::evaluated::EvaluatedAt;
use drystone_core::{
    BodyProperties, ClosingBound, Configuration, DetectMode, Edge, EdgeAction, MotionBound, ScriptedMotion,
};
use drystone_geometry::{Aabb, Shape};
use drystone_math::{Pose, Real, Vec3};

/// Number of instants at which a scripted body's motion is sampled when its box is swept, not counting the first.
const SWEEP_SAMPLES: u32 = 8;

/// The box that a scripted body does not leave for `h` seconds: the boxes at instants in between, grown by how far its points can get from one instant to the next
/// at the largest speeds and accelerations found there (I-07).
pub(super) fn swept_box(shape: &Shape, motion: &dyn ScriptedMotion, t: Real, h: Real) -> Aabb {
    let part = h / Real::from(SWEEP_SAMPLES);
    let radius = shape.bounding_radius();
    let (mut swept, mut speed, mut bend): (Aabb, Real, Real) = (Aabb::EMPTY, 0.0, 0.0);
    for k in 0..=SWEEP_SAMPLES {
        let s = motion.evaluate(t + part * Real::from(k));
        swept = swept.union(&shape.aabb(&s.pose));
        let spin = s.velocity.angular.length();
        speed = speed.max(s.velocity.linear.length() + spin * radius);
        bend = bend.max(s.acceleration.linear.length() + (s.acceleration.angular.length() + spin * spin) * radius);
    }
    swept.grown(0.5 * part * (speed + 0.5 * part * bend))
}

/// An upper bound on how far a point of either body has moved relative to the other since the pair was tested (m), used if the bound from the coherence analysis is
/// not good enough.
fn moved(edge: &Edge, relative: &Pose, bodies: [&BodyProperties; 2]) -> Real {
    if !edge.is_tested {
        return Real::INFINITY;
    }
    // seen from the larger body, which may be a plane: the points of the other are within its own radius
    let [a, b] = bodies.map(|body| body.shape.bounding_radius());
    let (then, now) = if b <= a { (edge.tested_at, *relative) } else { (edge.tested_at.inverse(), relative.inverse()) };
    let turn = then.orientation.conjugate() * now.orientation;
    let sine = Vec3::new(turn.x, turn.y, turn.z).length();
    let way = now.position.distance(then.position);
    // a chord is at most twice the sine of half the angle times the radius
    if sine == 0.0 { way } else { way + 2.0 * sine * a.min(b) }
}

/// Distance by which pairs can close within the look-ahead time: by their relative velocity, by rotation, and by
/// gravity if only one of the bodies falls.
#[derive(Clone, Copy)]
pub(super) struct Reach<'a> {
    pub(super) configuration: &'a Configuration,
    /// Motion bounds for the points of each body.
    pub(super) bounds: &'a [MotionBound],
    pub(super) frames: &'a [Pose],
    pub(super) mode: DetectMode,
}

impl Reach<'_> {
    /// Sets the reach of some edges. A pair whose contacts were to be kept is tested after all if it can close by more than was searched when they were found, or if
    /// contacts are not what is asked for.
    ///
    /// Contacts that are kept stay fresh if their separations were evaluated at the present poses of both bodies, also if they are skipped. Returns how many pairs are to be tested.
    pub(super) fn set_all(self, edges: &mut [Edge], evaluated: &EvaluatedAt) -> u32 {
        let mut tested = 0;
        for edge in edges {
            let was_fresh = edge.fresh;
            self.set(edge);
            edge.fresh = was_fresh && edge.action != EdgeAction::Test && evaluated.is_unmoved(edge.pair);
            tested += u32::from(edge.action == EdgeAction::Test);
        }
        tested
    }

    /// The same for one pair.
    pub(super) fn set(self, edge: &mut Edge) {
        let Self { configuration, bounds, frames, mode } = self;
        let h = mode.look_ahead;
        (edge.reach, edge.fresh) = (0.0, false);
        let measured = core::mem::replace(&mut edge.moved, Real::INFINITY);
        if edge.action == EdgeAction::Skip {
            return;
        }
        let (a, b) = (edge.pair.a, edge.pair.b);
        if h > 0.0 {
            // the direction in which they are closest is not known yet: any side
            let way = ClosingBound::of(&bounds[a.at()], &bounds[b.at()], None).way(h);
            if way.is_finite() {
                edge.reach = way;
            }
        }
        if edge.action == EdgeAction::Reuse {
            let within = |moved: Real| edge.reach + moved <= edge.searched;
            // the analysis gives only a bound; the actual distance is computed if that is not good enough
            let known = within(measured) || {
                let relative = frames[b.at()].relative_to(&frames[a.at()]);
                within(moved(edge, &relative, [configuration.body(a), configuration.body(b)]))
            };
            if !known || mode.short_circuit || mode.proximity_only {
                edge.action = EdgeAction::Test;
            }
        }
    }
}
