//! Conjugate directions of successive sweeps.

/// Extrapolates the result of a sweep that began at `before` along the Fletcher-Reeves direction. False, with x unchanged, if the change has grown or was
/// the first (`last_square` infinite, `direction` zero): then the directions begin anew.
///
/// # Source
/// Silcowitz-Hansen, Niebles, Erleben: A nonsmooth nonlinear conjugate gradient method for interactive contact force problems, 2010.
pub(crate) fn extrapolate(x: &mut [f64], before: &[f64], direction: &mut [f64], last_square: &mut f64) -> bool {
    let square: f64 = x.iter().zip(before).map(|(x, b)| (x - b) * (x - b)).sum();
    let beta = if square <= *last_square && *last_square > 0.0 { square / *last_square } else { 0.0 };
    *last_square = square;
    let goes_on = beta > 0.0;
    for ((x, before), direction) in x.iter_mut().zip(before).zip(direction) {
        let descent = *x - before;
        if goes_on {
            *x += beta * *direction;
        }
        *direction = beta * *direction + descent;
    }
    goes_on
}
