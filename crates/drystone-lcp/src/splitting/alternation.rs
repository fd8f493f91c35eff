/// Changes that return at least this fraction of the last way are damped: ten that return less leave a thousandth of the error. At twice of it, cycles would stay.
const RETURN: f64 = 0.5;

/// The last two ways of a multiplier that bounds others, each the sum of changes of one sign: enough to see that its updates go to and fro.
///
/// Friction at its bound may change the normal velocity by more than the normal impulse does (Painlevé's rod). Updates in turn then alternate between no impulse and
/// too much, whatever their number. Three ways of alternating sign, the third at least half as long as the second, are taken for that: the last update is replaced by
/// the step of the secant method, which ends on the way.
///
/// # Source
/// The secant method; Aitken's process for one unknown; the paradox: Painlevé 1895.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Alternation {
    way: f64,
    before: f64,
    /// The last change that an update asked for, and what was made of it.
    asked: f64,
    step: f64,
}

impl Alternation {
    /// The value to take for an update from `old` to `new`: `new` itself unless the updates alternate.
    #[inline(always)]
    pub fn damped(&mut self, old: f64, new: f64) -> f64 {
        let (asked, way) = (new - old, self.way);
        if asked == 0.0 {
            return new;
        }
        let cycles = asked * way < 0.0 && way * self.before < 0.0 && asked.abs() >= RETURN * way.abs();
        let to = if cycles { old + asked * self.step / (self.asked - asked) } else { new };
        let step = to - old;
        let (way, before) = if step * way > 0.0 { (way + step, self.before) } else { (step, way) };
        *self = Self { way, before, asked, step };
        to
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_alternating_update_ends_at_its_fixed_point() {
        // x <- max(0, 1 - slope x): its fixed point is 1 / (1 + slope)
        for k in 0..200 {
            let slope = 0.95 + 0.05 * f64::from(k);
            let (mut x, mut alternation) = (0.0, Alternation::default());
            for _ in 0..60 {
                x = alternation.damped(x, f64::max(0.0, 1.0 - slope * x));
            }
            assert!((x - 1.0 / (1.0 + slope)).abs() < 1e-12, "{slope}: {x}");
        }
    }

    #[test]
    fn updates_that_converge_are_left_alone() {
        for slope in [-0.99, -0.5, 0.0, 0.3, 0.45] {
            let (mut x, mut alternation) = (0.0, Alternation::default());
            for _ in 0..20 {
                let new = 1.0 - slope * x;
                assert_eq!(alternation.damped(x, new), new, "{slope}");
                x = new;
            }
        }
    }
}
