use drystone_core::catalogue::Settings;
use drystone_core::{ContactSeed, NarrowCache, NarrowPhase, PosedShape, Proximity, UnsupportedPair};
use drystone_geometry::Shape;
use drystone_math::Real;
use drystone_narrow_phase::Combined;

/// The narrow phase of a scene: the one that it names, and [`Combined`] for pairs that this one has no algorithm for, so that one made for boxes can be tried on a
/// scene with a floor.
struct NamedFirst {
    named: Box<dyn NarrowPhase>,
    rest: Combined,
}

impl NarrowPhase for NamedFirst {
    fn name(&self) -> &'static str {
        self.named.name()
    }

    fn supports(&self, a: &Shape, b: &Shape) -> bool {
        self.named.supports(a, b) || self.rest.supports(a, b)
    }

    fn query(
        &self,
        a: PosedShape<'_>,
        b: PosedShape<'_>,
        envelope: Real,
        cache: &mut NarrowCache,
        seeds: &mut Vec<ContactSeed>,
    ) -> Result<Proximity, UnsupportedPair> {
        if self.named.supports(a.shape, b.shape) {
            return self.named.query(a, b, envelope, cache, seeds);
        }
        self.rest.query(a, b, envelope, cache, seeds)
    }
}

/// Combines a narrow phase with [`Combined`] for the pairs that it has no algorithm for.
pub(super) fn with_the_rest(named: Box<dyn NarrowPhase>) -> Box<dyn NarrowPhase> {
    if named.name() == Combined::DESCRIPTION.name {
        return named;
    }
    let rest = Combined::from_settings(&Settings::defaults(&Combined::DESCRIPTION));
    Box::new(NamedFirst { named, rest })
}
