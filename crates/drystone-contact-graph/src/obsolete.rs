use drystone_geometry::Aabb;
use drystone_math::Real;

/// Returns true if two boxes are so far apart that it does not pay to remember the pair: by `factor` times their
/// largest edge, along an axis.
///
/// # Source
/// H-05; Erleben 2005, section 5.2.1, with factor two. Differs in: an infinite edge, such as a plane's, does not count, because otherwise every body that ever
/// met a plane would be remembered for ever.
pub fn is_obsolete(a: &Aabb, b: &Aabb, factor: Real) -> bool {
    let largest = |x: &Aabb| x.size().to_array().into_iter().filter(|e| e.is_finite()).fold(0.0, Real::max);
    let gap = a.axis_distance(b);
    gap > 0.0 && gap >= factor * largest(a).max(largest(b))
}
