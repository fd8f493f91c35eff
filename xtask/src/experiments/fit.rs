/// The line `y = intercept + slope x` with the least squares of errors.
pub(crate) struct Line {
    pub(crate) slope: f64,
    pub(crate) intercept: f64,
    /// The part of the variance of y that the line explains.
    pub(crate) r_squared: f64,
}

/// Fits a line through points (x, y); `None` where x does not vary.
pub(crate) fn line(points: &[(f64, f64)]) -> Option<Line> {
    let n = points.len() as f64;
    let mean = |f: fn(&(f64, f64)) -> f64| points.iter().map(f).sum::<f64>() / n;
    let (mx, my) = (mean(|p| p.0), mean(|p| p.1));
    let sxx: f64 = points.iter().map(|p| (p.0 - mx).powi(2)).sum();
    let syy: f64 = points.iter().map(|p| (p.1 - my).powi(2)).sum();
    let sxy: f64 = points.iter().map(|p| (p.0 - mx) * (p.1 - my)).sum();
    if points.is_empty() || sxx == 0.0 {
        return None;
    }
    let slope = sxy / sxx;
    let r_squared = if syy == 0.0 { 1.0 } else { sxy * sxy / (sxx * syy) };
    Some(Line { slope, intercept: my - slope * mx, r_squared })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_found_again() {
        let points: Vec<(f64, f64)> = (0..5).map(|i| (f64::from(i), 3.0 + 2.0 * f64::from(i))).collect();
        let l = line(&points).unwrap();
        assert!(
            (l.slope - 2.0).abs() < 1e-12 && (l.intercept - 3.0).abs() < 1e-12 && (l.r_squared - 1.0).abs() < 1e-12
        );
        assert!(line(&[(1.0, 2.0), (1.0, 3.0)]).is_none());
    }
}
