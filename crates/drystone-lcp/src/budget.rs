use crate::OperatorRef;

/// Multiplications that a solve may take unless told otherwise: about a second.
pub(crate) const WORK: f64 = 1e9;
/// Multiplications for an entry of a matrix that is formed from its factors.
pub(crate) const ENTRY: f64 = 12.0;

/// Start of a solve's count, and the fraction of the remaining multiplications that it may take; the rest is left to
/// others.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Share {
    /// Multiplications taken before any solve that has this share.
    before: f64,
    /// Multiplications taken so far.
    pub spent: f64,
    /// The fraction of what was left then that belongs to others, from 0 to 1.
    others: f64,
}

impl Share {
    /// All of what `spent` leaves except the fraction `others`, from 0 to 1.
    pub fn new(spent: f64, others: f64) -> Self {
        Self { before: spent, spent, others }
    }

    /// Largest count if all together may take `work`.
    pub fn most(self, work: f64) -> f64 {
        work - self.others * (work - self.before).max(0.0)
    }
}

/// Count of the permitted multiplications that a solver's solves have taken: a bound on time that needs no clock.
///
/// Each solve counts from zero, unless [`Self::share`] makes the following ones continue the count, so that several solves of one problem
/// together are bounded by the `work` of one. A step that is not paid for is not begun.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Budget {
    most: f64,
    share: Share,
    ended: bool,
    shared: bool,
}

impl Budget {
    /// Default limit on the multiplications of a solver's solves.
    pub const USUAL: f64 = WORK;

    /// Continues the count from what a share has spent, through all solves from here on.
    pub fn share(&mut self, share: Share) {
        *self = Self { shared: true, share, ..Self::default() };
    }

    /// Each solve counts from zero again.
    pub fn part(&mut self) {
        self.shared = false;
    }

    /// Returns true if solves share the budget.
    pub fn is_shared(&self) -> bool {
        self.shared
    }

    /// The share with the present count, for another solver to continue from.
    pub fn taken(&self) -> Share {
        self.share
    }

    /// Multiplications counted so far.
    pub fn spent(&self) -> f64 {
        self.share.spent
    }

    /// Returns true if some work was left undone because the budget did not allow it.
    pub fn is_spent(&self) -> bool {
        self.ended
    }

    /// Begins a solve that may take `most`.
    pub(crate) fn begin(&mut self, most: f64) {
        if !self.shared {
            (self.share, self.ended) = (Share::default(), false);
        }
        self.most = self.share.most(most);
    }

    /// Remaining multiplications.
    pub(crate) fn left(&self) -> f64 {
        (self.most - self.share.spent).max(0.0)
    }

    /// Returns true if this many multiplications may be begun; if not, the budget counts as spent.
    pub(crate) fn allows(&mut self, multiplications: f64) -> bool {
        self.ended |= self.share.spent + multiplications > self.most;
        !self.ended
    }

    /// Pays for this many multiplications; false if they must not be begun.
    pub(crate) fn pays(&mut self, multiplications: f64) -> bool {
        let allowed = self.allows(multiplications);
        if allowed {
            self.share.spent += multiplications;
        }
        allowed
    }

    /// Counts work already done; false if nothing is left.
    pub(crate) fn count(&mut self, multiplications: f64) -> bool {
        self.share.spent += multiplications;
        self.ended |= self.share.spent > self.most;
        !self.ended
    }

    /// Pays for the dense matrix of an operator that is not dense yet.
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
        // a third of the remaining six belongs to others, however often the share is passed on
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
