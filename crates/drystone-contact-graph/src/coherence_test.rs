use drystone_core::{BodyIndex, BodyKind, BodyPath, BodyPaths, BodyProperties, Edge, EdgeAction, FrameView, Measured};
use drystone_geometry::Shape;
use drystone_math::{Pose, Real, Vec3};

/// The fraction of the tolerances that paths may use up before a pair is looked at again: what they say is rounded.
const MARGIN: Real = 0.99;

/// Data of a body for the test: looked up once per frame, because a body has many pairs.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Tested {
    /// Radius of a ball about the frame's origin (m).
    radius: Real,
    is_dynamic: bool,
    /// True if it is known to stand still. A scripted body may be moved by anyone at any time: only its pose can tell.
    is_still: bool,
    /// True if contact points wander over the shape's surface as it turns.
    is_round: bool,
}

impl Tested {
    #[inline]
    pub(crate) fn of(frame: FrameView<'_>, body: BodyIndex) -> Self {
        let BodyProperties { kind, shape, .. } = frame.configuration.body(body);
        Self {
            radius: shape.bounding_radius(),
            is_dynamic: *kind == BodyKind::Dynamic,
            is_still: match kind {
                BodyKind::Fixed | BodyKind::Passive => true,
                BodyKind::Dynamic => frame.state.sleeping[body.at()],
                BodyKind::Scripted => false,
            },
            is_round: !matches!(shape, Shape::Box(_) | Shape::Plane(_) | Shape::Convex(_)),
        }
    }
}

/// Decides what to do with an overlapping pair.
///
/// # Source
/// H-08, H-22; Erleben 2005, Figure 5.4. Differs in: "unchanged" has a tolerance, because no body of a simulation is ever at exactly the same place, and the
/// separations of reused contacts are evaluated anew.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct CoherenceTest {
    /// True if contacts are reused at all.
    pub reuse: bool,
    /// Largest relative motion since the last test, as a fraction of the smaller body's bounding radius; zero requires none at all. If a surface is round it is
    /// a hundred times less, because its contact points wander as it turns.
    pub distance: Real,
    /// Largest relative rotation since the last test (rad); a hundred times less if a surface is round.
    pub angle: Real,
}

impl CoherenceTest {
    /// The action for an edge whose boxes overlap.
    ///
    /// A pair that was never tested is tested even if both bodies sleep: a restored scene begins like this.
    pub fn decide(&self, frame: FrameView<'_>, edge: &Edge) -> EdgeAction {
        let bodies = [edge.pair.a, edge.pair.b].map(|body| Tested::of(frame, body));
        self.measure(frame, (edge, bodies.each_ref()), &BodyPaths::default()).0
    }

    /// The action and, if contacts are reused, how far the bodies have moved relative to each other, by the paths of all bodies so far.
    #[inline(always)]
    pub(crate) fn measure(
        &self,
        frame: FrameView<'_>,
        (edge, [first, second]): (&Edge, [&Tested; 2]),
        paths: &BodyPaths,
    ) -> (EdgeAction, Option<Measured>) {
        if !first.is_dynamic && !second.is_dynamic {
            return (EdgeAction::Skip, None);
        }
        if !edge.is_tested {
            return (EdgeAction::Test, None);
        }
        if first.is_still && second.is_still {
            return (EdgeAction::Skip, None);
        }
        if !self.reuse {
            return (EdgeAction::Test, None);
        }
        let radii = [first.radius, second.radius];
        let size = radii[0].min(radii[1]);
        let part = if first.is_round || second.is_round { 0.01 } else { 1.0 };
        let within = (self.distance * size * part, self.angle * part);
        let frames = [edge.pair.a, edge.pair.b].map(|body| &frame.frames[body.at()]);
        let Some((moved, apart)) = Self::unmoved(&edge.tested_at, frames, within, radii) else {
            return (EdgeAction::Test, None);
        };
        let lever = edge.tested_at.position.length() + apart.way + size;
        let dynamic = [first.is_dynamic, second.is_dynamic];
        let at = paths.of(edge.pair);
        (EdgeAction::Reuse, Some(Measured { at, moved, apart, lever, scale: [size * part, part], dynamic }))
    }

    /// A bound on how far the bodies of an edge have moved relative to each other (m), if the paths alone show that its contacts are to be reused.
    #[inline]
    pub(crate) fn surely_moved(
        &self,
        frame: FrameView<'_>,
        (edge, known): (&Edge, &Measured),
        paths: &BodyPaths,
    ) -> Option<Real> {
        let awake = |end: usize, body: BodyIndex| known.dynamic[end] && !frame.state.sleeping[body.at()];
        let asked = self.reuse && edge.overlapping && edge.is_tested;
        if !asked || !(awake(0, edge.pair.a) || awake(1, edge.pair.b)) {
            return None;
        }
        let further = known.further(paths.of(edge.pair))?;
        let [size, one] = known.scale;
        let within = known.apart.way + further.way <= MARGIN * self.distance * size
            && known.apart.turn + further.turn <= MARGIN * self.angle * one;
        within.then_some(known.moved + further.way)
    }

    /// If the second body is still where it was as seen from the first, to within a distance (m) and an angle (rad): a bound on how far a point has moved (m),
    /// and how far the body has, with the chord of its turn.
    #[inline]
    fn unmoved(
        then: &Pose,
        [frame_a, frame_b]: [&Pose; 2],
        (distance, angle): (Real, Real),
        [a, b]: [Real; 2],
    ) -> Option<(Real, BodyPath)> {
        // most of what moves is recognised by its place alone
        let position = frame_a.local_point(frame_b.position);
        let square = (position - then.position).length_squared();
        if square > distance * distance {
            return None;
        }
        let now = Pose::new(position, frame_a.orientation.conjugate() * frame_b.orientation);
        if *then == now {
            return Some((0.0, BodyPath::default()));
        }
        // |sin(angle / 2)| of the rotation between the two
        let turn = then.orientation.conjugate() * now.orientation;
        let sine = Vec3::new(turn.x, turn.y, turn.z).length();
        if 2.0 * sine > angle || angle <= 0.0 {
            return None;
        }
        // seen from the body that is not a plane, or from the larger one: the other's points are within its radius
        let here = square.sqrt();
        let way = if b <= a { here } else { now.inverse().position.distance(then.inverse().position) };
        // a chord is at most twice the sine of half the angle times the radius
        let moved = if sine == 0.0 { way } else { way + 2.0 * sine * a.min(b) };
        Some((moved, BodyPath { way: here, turn: 2.0 * sine }))
    }
}
