use schemars::JsonSchema;
use serde::Serialize;

/// Distribution of a quantity over the steps of a run.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, JsonSchema)]
pub struct Spread {
    /// Least.
    pub min: f64,
    /// The middle one; the mean of the two middle ones where their number is even.
    pub median: f64,
    /// Arithmetic mean.
    pub mean: f64,
    /// The one that 99 of 100 do not exceed (nearest rank).
    pub p99: f64,
    /// Largest.
    pub max: f64,
}

impl Spread {
    /// Of samples, which are sorted on the way; all zero where there is none.
    pub fn of(samples: &mut [f64]) -> Self {
        let n = samples.len();
        if n == 0 {
            return Self::default();
        }
        samples.sort_unstable_by(f64::total_cmp);
        let rank = (n * 99).div_ceil(100);
        Self {
            min: samples[0],
            median: 0.5 * (samples[(n - 1) / 2] + samples[n / 2]),
            mean: samples.iter().sum::<f64>() / n as f64,
            p99: samples[rank - 1],
            max: samples[n - 1],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_one_to_a_hundred() {
        let mut v: Vec<f64> = (1..=100).rev().map(f64::from).collect();
        assert_eq!(Spread::of(&mut v), Spread { min: 1.0, median: 50.5, mean: 50.5, p99: 99.0, max: 100.0 });
        assert_eq!(Spread::of(&mut []), Spread::default());
        assert_eq!(Spread::of(&mut [3.0]).p99, 3.0);
    }
}
