use crate::OperatorRef;

/// Multiplications that a solve may take unless told otherwise: about a second.
pub(crate) const WORK: f64 = 1e9;
/// Multiplications of an entry of a matrix that is formed from its factors.
pub(crate) const ENTRY: f64 = 12.0;

/// Where a solve begins to count, and what part of the multiplications that are left it may take: others beside it have the rest.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Share {
    /// What was taken before any that has this share.
    before: f64,
    /// What was taken by now.
    pub spent: f64,
    /// The part of what was left then that others have, from 0 to 1.
    others: f64,
}

impl Share {
    /// Of what `spent` leaves all but the part `others`, from 0 to 1.
    pub fn new(spent: f64, others: f64) -> Self {
        Self { before: spent, spent, others }
    }

    /// How far it may count where `work` is what all may take together.
    pub fn most(self, work: f64) -> f64 {
        work - self.others * (work - self.before).max(0.0)
    }
}

/// What a solver's solves have taken of the multiplications that they may take: a bound on time that looks at no clock.
///
/// Each solve counts from zero, until [`Self::share`] makes those that follow count on: what needs several solves of a problem is then bounded by
/// the `work` of one. A step that is not paid for is not begun.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Budget {
    most: f64,
    share: Share,
    ended: bool,
    shared: bool,
}

impl Budget {
    /// What a solver's solves may take unless it is told otherwise.
    pub const USUAL: f64 = WORK;

    /// Counts on from what a share has spent, through all solves from here on.
    pub fn share(&mut self, share: Share) {
        *self = Self { shared: true, share, ..Self::default() };
    }

    /// Each solve counts from zero again.
    pub fn part(&mut self) {
        self.shared = false;
    }

    /// Whether solves share it.
    pub fn is_shared(&self) -> bool {
        self.shared
    }

    /// The share with what was counted, for another solver to go on from.
    pub fn taken(&self) -> Share {
        self.share
    }

    /// Multiplications that were counted.
    pub fn spent(&self) -> f64 {
        self.share.spent
    }

    /// Whether something was left undone that it did not pay for.
    pub fn is_spent(&self) -> bool {
        self.ended
    }

    /// At the start of a solve that may take `most`.
    pub(crate) fn begin(&mut self, most: f64) {
        if !self.shared {
            (self.share, self.ended) = (Share::default(), false);
        }
        self.most = self.share.most(most);
    }

    /// What is left.
    pub(crate) fn left(&self) -> f64 {
        (self.most - self.share.spent).max(0.0)
    }

    /// Whether so many multiplications may be begun; where not, that is the end of it.
    pub(crate) fn allows(&mut self, multiplications: f64) -> bool {
        self.ended |= self.share.spent + multiplications > self.most;
        !self.ended
    }

    /// Pays for so many multiplications; false where they are not to be begun.
    pub(crate) fn pays(&mut self, multiplications: f64) -> bool {
        let allowed = self.allows(multiplications);
        if allowed {
            self.share.spent += multiplications;
        }
        allowed
    }

    /// Takes account of what was done already; false where nothing is left.
    pub(crate) fn count(&mut self, multiplications: f64) -> bool {
        self.share.spent += multiplications;
        self.ended |= self.share.spent > self.most;
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
        budget.share(Share::default());
        for left in [10.0, 6.0, 2.0] {
            budget.begin(10.0);
            assert!(budget.left() == left && budget.pays(4.0) == (left > 4.0));
        }
        budget.share(Share::new(7.0, 0.0));
        budget.begin(10.0);
        assert!(budget.left() == 3.0 && !budget.pays(4.0));
        // of the six that are left a third is for others, however often it is handed on
        budget.share(Share::new(4.0, 1.0 / 3.0));
        budget.begin(10.0);
        assert!((budget.left() - 4.0).abs() < 1e-12 && budget.pays(3.0));
        let on = budget.taken();
        budget.share(on);
        budget.begin(10.0);
        assert!((budget.left() - 1.0).abs() < 1e-12 && !budget.pays(1.5));
        budget.part();
        budget.begin(10.0);
        assert!(!budget.is_spent() && budget.left() == 10.0);
    }
}
