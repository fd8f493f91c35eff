use crate::Real;

/// The value clamped to computed bounds: unlike `clamp`, it does not panic if a bound is NaN or the lower one is above the upper. A value
/// that is NaN stays NaN, and is caught where states are checked.
#[inline(always)]
pub fn bounded(x: Real, low: Real, high: Real) -> Real {
    let x = if x < low { low } else { x };
    if x > high { high } else { x }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_clamp_and_never_a_panic() {
        for x in [-2.0, -1.0, -0.0, 0.0, 0.5, 1.0, 3.0, Real::INFINITY, Real::NEG_INFINITY] {
            assert_eq!(bounded(x, -1.0, 1.0).to_bits(), x.clamp(-1.0, 1.0).to_bits());
        }
        // zeros at a bound keep their sign
        assert_eq!(bounded(-0.0, 0.0, 1.0).to_bits(), Real::clamp(-0.0, 0.0, 1.0).to_bits());
        assert_eq!(bounded(0.0, -1.0, -0.0).to_bits(), Real::clamp(0.0, -1.0, -0.0).to_bits());
        assert!(bounded(Real::NAN, -1.0, 1.0).is_nan());
        assert_eq!(
            [bounded(5.0, Real::NAN, Real::NAN), bounded(5.0, 2.0, Real::NAN), bounded(0.0, 2.0, 1.0)],
            [5.0, 5.0, 1.0]
        );
    }
}
