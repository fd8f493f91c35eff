use super::{Elimination, MOST, MovingBody, MovingContact};
use core::ops::Range;
use drystone_core::GroupProblem;
use drystone_math::Real;

/// Regularization of the response of each point, relative to it: four points of a face depend on each other, and this
/// shares the load out evenly.
const SHARING: Real = 1e-3;

/// The points of a pair of bodies that share a normal: their normal impulses are found at once.
#[derive(Debug, Clone)]
pub(crate) struct Patch {
    /// Places of its points among the contacts.
    pub(crate) points: Range<usize>,
    response: [[Real; MOST]; MOST],
    whole: Option<Elimination>,
}

impl Patch {
    /// Cuts the contacts of a problem into patches of at most so many points.
    pub(crate) fn cut(problem: &GroupProblem, most: usize, patches: &mut Vec<Self>) {
        patches.clear();
        let mut start = 0;
        while let Some(first) = problem.contacts.get(start) {
            let alike = problem.contacts[start..].iter().take(most);
            let count = alike.take_while(|c| c.edge == first.edge && c.normal == first.normal).count().max(1);
            let points = start..start + count;
            patches.push(Self { points, response: [[0.0; MOST]; MOST], whole: None });
            start += count;
        }
    }

    /// Responses at the present poses.
    pub(crate) fn prepare<'a>(&mut self, bodies: &[MovingBody], points: impl Fn(usize) -> &'a MovingContact) {
        let count = self.points.len();
        for i in 0..count {
            let at = points(i);
            for j in 0..=i {
                let r = at.coupling(bodies, points(j));
                (self.response[i][j], self.response[j][i]) = (r, r);
            }
            if count > 1 {
                self.response[i][i] *= 1.0 + SHARING;
            }
        }
        self.whole = (count > 1).then(|| Elimination::of(self.response, count));
    }

    /// Impulses that change the rates of the points by `wanted`, none of them below zero: the points that would pull are left at zero, one after the other.
    pub(crate) fn solve(&self, wanted: &[Real; MOST], decay: &[Real; MOST], now: &[Real; MOST]) -> [Real; MOST] {
        self.solve_among([true; MOST], wanted, decay, now)
    }

    /// The same where only some of the points bear; the others have no impulse after it.
    pub(crate) fn solve_among(
        &self,
        mut bears: [bool; MOST],
        wanted: &[Real; MOST],
        decay: &[Real; MOST],
        now: &[Real; MOST],
    ) -> [Real; MOST] {
        let count = self.points.len();
        let mut after = [0.0; MOST];
        let Some(whole) = &self.whole else {
            let response = self.response[0][0];
            let step = if response > 0.0 { wanted[0] / response } else { 0.0 };
            after[0] = if bears[0] { (now[0] + step - decay[0] * now[0]).max(0.0) } else { 0.0 };
            return after;
        };
        let mut step = *wanted;
        if bears[..count].contains(&false) {
            step = self.step_of(bears, wanted, now);
        } else {
            whole.solve(&mut step);
        }
        for _ in 0..count {
            for i in 0..count {
                after[i] = if bears[i] { now[i] + step[i] - decay[i] * now[i] } else { 0.0 };
            }
            let least = (0..count).min_by(|&i, &j| after[i].total_cmp(&after[j]));
            match least.filter(|&i| after[i] < 0.0) {
                Some(pulls) => bears[pulls] = false,
                None => break,
            }
            step = self.step_of(bears, wanted, now);
        }
        after.map(|x| x.max(0.0))
    }

    /// The changes of the points that bear, the others going to zero.
    fn step_of(&self, bears: [bool; MOST], wanted: &[Real; MOST], now: &[Real; MOST]) -> [Real; MOST] {
        let count = self.points.len();
        let (mut matrix, mut step) = ([[0.0; MOST]; MOST], [0.0; MOST]);
        for i in 0..count {
            // a point that does not bear is a row by itself
            matrix[i][i] = if bears[i] { self.response[i][i] } else { 1.0 };
            if !bears[i] {
                continue;
            }
            step[i] = wanted[i];
            for j in 0..count {
                if bears[j] && j < i {
                    matrix[i][j] = self.response[i][j];
                } else if !bears[j] {
                    step[i] += self.response[i][j] * now[j];
                }
            }
        }
        Elimination::of(matrix, count).solve(&mut step);
        step
    }
}
