use drystone_core::{BodyIndex, BodyKind, Edge, EdgeAction, FrameView};
use drystone_math::{Pose, Real, Vec3};

/// Decides what is to be done with an overlapping pair.
///
/// # Source
/// H-08, H-22; seed `004_1a7b6777e6ce649b.txt`, Figure 5.4. Differs in: "unchanged" has a tolerance, for no body of a
/// simulation is ever at exactly the same place, and the separations of reused contacts are evaluated anew.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct CoherenceTest {
    /// Whether contacts are reused at all.
    pub reuse: bool,
    /// Largest relative motion since the last test (m); zero asks for none at all.
    pub distance: Real,
    /// Largest relative rotation since the last test (rad).
    pub angle: Real,
}

impl CoherenceTest {
    /// The action for an edge whose boxes overlap.
    ///
    /// A pair that was never tested is tested even where both bodies sleep: a restored scene begins so.
    pub fn decide(&self, frame: FrameView<'_>, edge: &Edge) -> EdgeAction {
        let kind = |b: BodyIndex| frame.configuration.body(b).kind;
        let (a, b) = (edge.pair.a, edge.pair.b);
        if kind(a) != BodyKind::Dynamic && kind(b) != BodyKind::Dynamic {
            return EdgeAction::Skip;
        }
        let Some(tested_at) = edge.tested_at else {
            return EdgeAction::Test;
        };
        // a scripted body may be moved by anyone at any time: only its pose tells
        let still = |b: BodyIndex| match kind(b) {
            BodyKind::Fixed => true,
            BodyKind::Dynamic => frame.state.sleeping[b.at()],
            BodyKind::Scripted => false,
        };
        if still(a) && still(b) {
            return EdgeAction::Skip;
        }
        let relative = frame.frames[b.at()].relative_to(&frame.frames[a.at()]);
        if self.reuse && self.unmoved(&tested_at, &relative) { EdgeAction::Reuse } else { EdgeAction::Test }
    }

    fn unmoved(&self, then: &Pose, now: &Pose) -> bool {
        if then == now {
            return true;
        }
        if (now.position - then.position).length_squared() > self.distance * self.distance {
            return false;
        }
        // |sin(angle / 2)| of the rotation between the two
        let turn = then.orientation.conjugate() * now.orientation;
        let sine = Vec3::new(turn.x, turn.y, turn.z).length();
        2.0 * sine <= self.angle && self.angle > 0.0
    }
}
