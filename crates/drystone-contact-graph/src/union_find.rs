/// Disjoint sets of the numbers below n; the root of a set is its smallest member.
#[derive(Debug, Clone, Default)]
pub(crate) struct UnionFind {
    parent: Vec<u32>,
}

impl UnionFind {
    /// Every number alone.
    pub(crate) fn reset(&mut self, n: usize) {
        self.parent.clear();
        self.parent.extend(0..n as u32);
    }

    /// A number alone again, if nothing that stays has it for its root.
    pub(crate) fn part(&mut self, i: u32) {
        self.parent[i as usize] = i;
    }

    /// The smallest member of the set that holds `i`; halves the path on the way.
    pub(crate) fn find(&mut self, mut i: u32) -> u32 {
        while self.parent[i as usize] != i {
            let up = self.parent[self.parent[i as usize] as usize];
            self.parent[i as usize] = up;
            i = up;
        }
        i
    }

    /// The same as [`Self::find`], without shortening the path.
    pub(crate) fn root(&self, mut i: u32) -> u32 {
        while self.parent[i as usize] != i {
            i = self.parent[i as usize];
        }
        i
    }

    /// Joins two sets.
    pub(crate) fn union(&mut self, i: u32, j: u32) {
        let (i, j) = (self.find(i), self.find(j));
        // the smaller root stays: slower in theory than by size, but the order of groups costs nothing
        let (root, child) = (i.min(j), i.max(j));
        self.parent[child as usize] = root;
    }
}
