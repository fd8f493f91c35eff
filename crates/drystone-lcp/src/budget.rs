use crate::OperatorRef;

/// Multiplications that a solve may take unless told otherwise: about a second.
pub(crate) const WORK: f64 = 1e9;
/// Multiplications of an entry of a matrix that is formed from its factors.
pub(crate) const ENTRY: f64 = 12.0;

/// What a solver's solves have taken of the multiplications that they may take: a bound on time that looks at no clock.
///
/// Each solve counts from zero, until [`Self::share`] makes those that follow count on: what needs several solves of a problem is then bounded by
/// the `work` of one. A step that is not paid for is not begun.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Budget {
    most: f64,
    spent: f64,
    ended: bool,
    shared: bool,
}

impl Budget {
    /// What a solver's solves may take unless it is told otherwise.
    pub const USUAL: f64 = WORK;

    /// Counts on from `spent`, through all solves from here on.
    pub fn share(&mut self, spent: f64) {
        *self = Self { shared: true, spent, ..Self::default() };
    }

    /// Each solve counts from zero again.
    pub fn part(&mut self) {
        self.shared = false;
    }

    /// Whether solves share it.
    pub fn is_shared(&self) -> bool {
        self.shared
    }

    /// Multiplications that were counted.
    pub fn spent(&self) -> f64 {
        self.spent
    }

    /// Whether something was left undone that it did not pay for.
    pub fn is_spent(&self) -> bool {
        self.ended
    }

    /// At the start of a solve that may take `most`.
    pub(crate) fn begin(&mut self, most: f64) {
        if !self.shared {
            (self.spent, self.ended) = (0.0, false);
        }
        self.most = most;
    }

    /// What is left.
    pub(crate) fn left(&self) -> f64 {
        (self.most - self.spent).max(0.0)
    }

    /// Whether so many multiplications may be begun; where not, that is the end of it.
    pub(crate) fn allows(&mut self, multiplications: f64) -> bool {
        self.ended |= self.spent + multiplications > self.most;
        !self.ended
    }

    /// Pays for so many multiplications; false where they are not to be begun.
    pub(crate) fn pays(&mut self, multiplications: f64) -> bool {
        let allowed = self.allows(multiplications);
        if allowed {
            self.spent += multiplications;
        }
        allowed
    }

    /// Takes account of what was done already; false where nothing is left.
    pub(crate) fn count(&mut self, multiplications: f64) -> bool {
        self.spent += multiplications;
        self.ended |= self.spent > self.most;
        !self.ended
    }

    /// Pays for the dense matrix of an operator that is none yet.
    pub(crate) fn pays_for_dense(&mut self, operator: &OperatorRef<'_>) -> bool {
        let rows = operator.rows() as f64;
        matches!(operator, OperatorRef::Dense(_)) || self.pays(ENTRY * rows * rows)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_shared_is_counted_through() {
        let mut budget = Budget::default();
        budget.begin(10.0);
        assert!(budget.pays(6.0) && !budget.pays(5.0) && budget.is_spent());
        budget.begin(10.0);
        assert!(budget.spent() == 0.0 && budget.pays(10.0));
        budget.share(0.0);
        for left in [10.0, 6.0, 2.0] {
            budget.begin(10.0);
            assert!(budget.left() == left && budget.pays(4.0) == (left > 4.0));
        }
        budget.share(7.0);
        budget.begin(10.0);
        assert!(budget.left() == 3.0 && !budget.pays(4.0));
        budget.part();
        budget.begin(10.0);
        assert!(!budget.is_spent() && budget.left() == 10.0);
    }
}
