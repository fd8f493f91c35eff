use drystone_core::Manifold;
use drystone_math::Real;

/// Keeps only the deepest point of a manifold that reaches deeper than `depth` (m).
///
/// # Source
/// H-24; Erleben 2005, section 5.6, "reduction".
pub(crate) fn keep_deepest(manifold: &mut Manifold, depth: Real) {
    let points = &mut manifold.points;
    if points.len() < 2 || manifold.points.iter().all(|p| p.separation >= -depth) {
        return;
    }
    let points = &mut manifold.points;
    let mut deepest = 0;
    for i in 1..points.len() {
        if points[i].separation < points[deepest].separation {
            deepest = i;
        }
    }
    points.swap(0, deepest);
    points.truncate(1);
}
