/// Finds the largest of many keys that change one by one: a complete binary tree of winners.
///
/// Equal keys go to the smaller index. Keys at or below zero never win.
#[derive(Debug, Clone, Default)]
pub(super) struct Tournament {
    leaves: usize,
    keys: Vec<f64>,
    winners: Vec<u32>,
}

impl Tournament {
    const NOBODY: u32 = u32::MAX;

    /// Starts with `count` keys of zero; keeps its memory.
    pub(super) fn reset(&mut self, count: usize) {
        self.leaves = count.next_power_of_two().max(1);
        self.keys.clear();
        self.keys.resize(count, 0.0);
        self.winners.clear();
        self.winners.resize(2 * self.leaves, Self::NOBODY);
    }

    /// Changes a key.
    ///
    /// # Cost
    /// One comparison per level.
    pub(super) fn set(&mut self, index: usize, key: f64) {
        if self.keys[index] == key {
            return;
        }
        self.keys[index] = key;
        let mut node = self.leaves + index;
        self.winners[node] = if key > 0.0 { index as u32 } else { Self::NOBODY };
        while node > 1 {
            node /= 2;
            let (left, right) = (self.winners[2 * node], self.winners[2 * node + 1]);
            self.winners[node] = if right == Self::NOBODY
                || (left != Self::NOBODY && self.keys[left as usize] >= self.keys[right as usize])
            {
                left
            } else {
                right
            };
        }
    }

    /// The index of the largest key above zero.
    pub(super) fn best(&self) -> Option<usize> {
        let winner = self.winners[1];
        (winner != Self::NOBODY).then_some(winner as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn follows_changes() {
        for count in [1, 2, 5, 8] {
            let mut t = Tournament::default();
            t.reset(count);
            assert_eq!(t.best(), None);
            for i in 0..count {
                t.set(i, 1.0 + (i % 3) as f64);
            }
            assert_eq!(t.best(), Some(2.min(count - 1)));
            for i in 0..count {
                t.set(i, -1.0);
            }
            assert_eq!(t.best(), None);
        }
    }
}
