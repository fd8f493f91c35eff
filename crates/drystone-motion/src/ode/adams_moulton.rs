use super::{RungeKuttaStep, distance, is_finite, plus};
use drystone_math::Real;

/// The multistep method of Adams, Bashforth and Moulton, order four, in the mode predict-evaluate-correct-evaluate.
///
/// It costs two evaluations per step whatever the order, and relies on its history: four slopes at equal distances. If the motion is not smooth, the history is
/// misleading, so it is dropped at every discontinuity and built anew by three Runge-Kutta steps; the same happens if the step changes. The error is a fixed
/// fraction of what the corrector changes (Milne).
///
/// # Source
/// C-06, C-21; Baraff 1989 section 2 (off-line integration, restarted after each discontinuity); thesis section 3.4.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AdamsMoulton {
    /// Largest estimated error of an entry in a step; zero takes `steps` equal ones.
    pub tolerance: Real,
    /// Steps that an interval without discontinuity is cut into at first.
    pub steps: u32,
    /// Most steps that such an interval is cut into, whatever their errors.
    pub finest: u32,
}

/// The result of a run.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MultistepRun<const N: usize> {
    /// y at the end.
    pub y: [Real; N],
    /// Number of steps, including those of the starts.
    pub steps: u32,
    /// Number of times the history was dropped.
    pub restarts: u32,
}

/// The slopes at the last four places, the newest first.
struct History<const N: usize> {
    slopes: [[Real; N]; 4],
    known: usize,
}

impl<const N: usize> History<N> {
    fn push(&mut self, slope: [Real; N]) {
        self.slopes.rotate_right(1);
        self.slopes[0] = slope;
        self.known = (self.known + 1).min(4);
    }

    fn combination(&self, weights: [Real; 4]) -> [Real; N] {
        core::array::from_fn(|i| weights.iter().zip(&self.slopes).map(|(w, k)| w * k[i]).sum::<Real>() / 24.0)
    }
}

impl AdamsMoulton {
    /// y at the time `to`, from `y` at `from`. `breaks`, ascending, are the times at which f or its derivatives jump: impulses,
    /// contacts that come or go. f is evaluated from the side of the interval at hand.
    pub fn integrate<const N: usize>(
        &self,
        f: &impl Fn(Real, &[Real; N]) -> [Real; N],
        from: Real,
        to: Real,
        y: &[Real; N],
        breaks: &[Real],
    ) -> MultistepRun<N> {
        let mut run = MultistepRun { y: *y, steps: 0, restarts: 0 };
        let mut start = from;
        for end in breaks.iter().copied().filter(|b| *b > from && *b < to).chain([to]) {
            run.restarts += u32::from(start != from);
            self.smooth(f, start, end, &mut run);
            start = end;
        }
        run
    }

    /// An interval without discontinuities, with a history of its own.
    fn smooth<const N: usize>(
        &self,
        f: &impl Fn(Real, &[Real; N]) -> [Real; N],
        from: Real,
        to: Real,
        run: &mut MultistepRun<N>,
    ) {
        // places are counted in steps, so that the last one is the end of the interval
        let (mut count, mut at) = (u64::from(self.steps.max(1)), 0);
        let finest = u64::from(self.finest);
        let mut history = History { slopes: [[0.0; N]; 4], known: 0 };
        // the slope at an end belongs to this interval, not to the next
        let inside = |t: Real| t.clamp(from, to);
        while at < count && is_finite(&run.y) {
            let h = (to - from) / count as Real;
            let t = from + h * at as Real;
            if history.known == 0 {
                history.push(f(inside(t), &run.y));
            }
            let (next, error) = if history.known < 4 {
                let g = |t: Real, y: &[Real; N]| f(inside(t), y);
                let whole = RungeKuttaStep::new(&g, t, &run.y, h).end();
                let error = if self.tolerance > 0.0 {
                    let half = RungeKuttaStep::new(&g, t, &run.y, 0.5 * h).end();
                    distance(&whole, &RungeKuttaStep::new(&g, t + 0.5 * h, &half, 0.5 * h).end()) * (16.0 / 15.0)
                } else {
                    0.0
                };
                (whole, error)
            } else {
                let predicted = plus(&run.y, h, &history.combination([55.0, -59.0, 37.0, -9.0]));
                let slope = f(inside(t + h), &predicted);
                let known = &history.slopes;
                let mean = core::array::from_fn(|i| {
                    (9.0 * slope[i] + 19.0 * known[0][i] - 5.0 * known[1][i] + known[2][i]) / 24.0
                });
                let corrected = plus(&run.y, h, &mean);
                (corrected, distance(&corrected, &predicted) * (19.0 / 270.0))
            };
            if self.tolerance > 0.0 && error > self.tolerance && 2 * count <= finest {
                // too coarse: the old slopes are at the wrong distances
                (count, at) = (2 * count, 2 * at);
                run.restarts += u32::from(history.known > 1);
                history.known = 0;
                continue;
            }
            run.y = next;
            run.steps += 1;
            at += 1;
            history.push(f(inside(from + h * at as Real), &run.y));
            // too fine by a factor of two: an error of order five falls by 32
            let fine = self.tolerance > 0.0 && history.known == 4 && error < self.tolerance / 64.0;
            if fine && at % 2 == 0 && count % 2 == 0 && count - at >= 16 {
                (count, at) = (count / 2, at / 2);
                run.restarts += 1;
                history.known = 0;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ode::AdaptiveRungeKutta4;

    fn pendulum(_: Real, y: &[Real; 2]) -> [Real; 2] {
        [y[1], -9.81 * y[0].sin()]
    }

    fn fixed(steps: u32) -> AdamsMoulton {
        AdamsMoulton { tolerance: 0.0, steps, finest: steps }
    }

    #[test]
    fn it_is_of_order_four_and_costs_two_evaluations_a_step() {
        let exact = AdaptiveRungeKutta4::new(1e-14).integrate(&pendulum, 0.0, 2.0, &[1.0, 0.5], |_, _| {});
        let error = |steps| distance(&fixed(steps).integrate(&pendulum, 0.0, 2.0, &[1.0, 0.5], &[]).y, &exact);
        let order = (error(200) / error(400)).log2();
        assert!((order - 4.0).abs() < 0.3, "{order}");

        let calls = core::cell::Cell::new(0);
        let counted = |t: Real, y: &[Real; 2]| {
            calls.set(calls.get() + 1);
            pendulum(t, y)
        };
        fixed(400).integrate(&counted, 0.0, 2.0, &[1.0, 0.5], &[]);
        assert!(calls.get() < 2 * 400 + 20, "{}", calls.get());
    }

    #[test]
    fn the_tolerance_is_kept_with_fewer_evaluations_than_by_runge_kutta() {
        let exact = AdaptiveRungeKutta4::new(1e-14).integrate(&pendulum, 0.0, 4.0, &[1.0, 0.5], |_, _| {});
        let calls = core::cell::Cell::new(0);
        let counted = |t: Real, y: &[Real; 2]| {
            calls.set(calls.get() + 1);
            pendulum(t, y)
        };
        let adaptive = AdamsMoulton { tolerance: 1e-10, steps: 16, finest: 1 << 20 };
        let run = adaptive.integrate(&counted, 0.0, 4.0, &[1.0, 0.5], &[]);
        let by_adams = calls.replace(0);
        assert!(distance(&run.y, &exact) < 1e-7, "{run:?}");
        let end = AdaptiveRungeKutta4::new(1e-10).integrate(&counted, 0.0, 4.0, &[1.0, 0.5], |_, _| {});
        assert!(distance(&end, &exact) < 1e-7 && by_adams < 3 * calls.get() / 2, "{by_adams} {}", calls.get());
    }

    /// C-06.
    #[test]
    fn the_history_is_dropped_at_a_discontinuity() {
        // a motor that is switched over at a time that no step hits
        let jump = 0.503;
        let f = |t: Real, _: &[Real; 1]| [if t < jump { t.cos() } else { -3.0 + t.cos() }];
        let exact = 1.0_f64.sin() - 3.0 * (1.0 - jump);
        // from either side: the interval before the jump must not see what comes after it
        let before = |t: Real, _: &[Real; 1]| [t.cos()];
        let first = fixed(50).integrate(&before, 0.0, jump, &[0.0], &[]);
        let second = fixed(50).integrate(&|t: Real, _: &[Real; 1]| [t.cos() - 3.0], jump, 1.0, &first.y, &[]);
        assert!((second.y[0] - exact).abs() < 1e-9);
        // with the break the slope at its very place is the only one from the wrong side
        let known = fixed(50).integrate(&f, 0.0, 1.0, &[0.0], &[jump]);
        assert_eq!(known.restarts, 1);
        let blind = fixed(100).integrate(&f, 0.0, 1.0, &[0.0], &[]);
        assert_eq!(blind.restarts, 0);
        let errors = [known.y[0] - exact, blind.y[0] - exact].map(f64::abs);
        assert!(errors[1] > 3e-3, "{errors:?}");
        // error control finds it alone, at a price
        let adaptive =
            AdamsMoulton { tolerance: 1e-9, steps: 100, finest: 1 << 20 }.integrate(&f, 0.0, 1.0, &[0.0], &[]);
        assert!((adaptive.y[0] - exact).abs() < 1e-4 && adaptive.restarts > 4, "{adaptive:?}");
    }

    #[test]
    fn an_impulse_between_two_intervals_leaves_no_trace_of_the_old_slopes() {
        // a body thrown up again: velocity jumps, the run goes on as a fresh one does, to the last bit
        let fall = |_: Real, y: &[Real; 2]| [y[1], -9.81 - 0.1 * y[1]];
        let adams = fixed(32);
        let first = adams.integrate(&fall, 0.0, 1.0, &[0.0, 5.0], &[]).y;
        let thrown = [first[0], first[1] + 7.0];
        let again = adams.integrate(&fall, 1.0, 2.0, &thrown, &[]);
        let fresh = adams.integrate(&|t: Real, y: &[Real; 2]| fall(t, y), 1.0, 2.0, &thrown, &[]);
        assert_eq!(again, fresh);
        // v' = -g - c v has the closed form
        let (c, terminal) = (0.1_f64, -98.1);
        let exact = terminal + (thrown[1] - terminal) * (-c).exp();
        assert!((again.y[1] - exact).abs() < 1e-9, "{} {exact}", again.y[1]);
    }
}
