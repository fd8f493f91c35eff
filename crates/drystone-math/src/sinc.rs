use crate::{Real, elementary};

/// `sin(x) / x`, by its series `1 - x^2 / 6` for `|x| < 1e-4`.
///
/// # Source
/// C-12; thesis (4.230). The next term of the series is below 1e-18 there, so the patch is exact in double precision.
pub fn sinc(x: Real) -> Real {
    if x.abs() < 1e-4 { 1.0 - x * x / 6.0 } else { elementary::sin(x) / x }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// C-12.
    #[test]
    fn continuous_at_the_patch() {
        assert_eq!(sinc(0.0), 1.0);
        for x in [1e-4, -1e-4] {
            let inside: Real = sinc(x * (1.0 - 1e-12));
            assert!((inside - x.sin() / x).abs() < 2e-16);
        }
    }
}
