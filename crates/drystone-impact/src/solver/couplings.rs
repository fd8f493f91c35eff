use drystone_core::GroupProblem;

/// Which contacts and rows each body of a group takes part in: item `i` is contact `i`, or row `i - contacts`.
#[derive(Debug, Clone, Default)]
pub(super) struct Couplings {
    starts: Vec<u32>,
    items: Vec<u32>,
}

impl Couplings {
    /// Reads a group; keeps its memory.
    pub(super) fn read(&mut self, problem: &GroupProblem) {
        let pairs = || problem.contacts.iter().map(|c| c.bodies).chain(problem.rows.iter().map(|r| r.bodies));
        // counting sort by body
        self.starts.clear();
        self.starts.resize(problem.bodies.len() + 1, 0);
        for body in pairs().flatten() {
            self.starts[body as usize + 1] += 1;
        }
        for i in 1..self.starts.len() {
            self.starts[i] += self.starts[i - 1];
        }
        self.items.clear();
        self.items.resize(2 * (problem.contacts.len() + problem.rows.len()), 0);
        for (item, body) in pairs().enumerate().flat_map(|(i, p)| p.map(|b| (i, b))) {
            let place = &mut self.starts[body as usize];
            self.items[*place as usize] = item as u32;
            *place += 1;
        }
        // the starts have moved to the ends: shift them back
        self.starts.rotate_right(1);
        self.starts[0] = 0;
    }

    /// The items of a body, ascending.
    pub(super) fn of(&self, body: u32) -> &[u32] {
        let b = body as usize;
        &self.items[self.starts[b] as usize..self.starts[b + 1] as usize]
    }
}
