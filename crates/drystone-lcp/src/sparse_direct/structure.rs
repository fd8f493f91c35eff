//! Which entries of A and of its factors may differ from zero.
use super::ordering::minimum_degree;
use crate::{FactoredOperator, LcpOperator, NO_BODY, ProblemView, SparseOperator};

/// No parent in the elimination tree.
pub(crate) const NONE: u32 = u32::MAX;
/// Entries of the factors above which the analysis gives up.
const LARGEST: usize = 200_000_000;

/// Largest number of analyses that are kept, and of entries of A that they may have in total.
const KEPT: usize = 32;
const KEPT_ENTRIES: usize = 20_000_000;

/// Writes the parts of everything that an analysis depends on.
fn write_key<P: Pattern>(op: &P, problem: &ProblemView<'_>, mut write: impl FnMut(&[u32])) {
    write(&[problem.len() as u32, problem.dependency.len() as u32]);
    op.fingerprint(&mut write);
    write(problem.dependency);
}

/// An operator whose entries are mostly zero, as the analysis sees it.
pub(crate) trait Pattern: LcpOperator {
    /// Writes what the pattern depends on, part by part, so that one met before is recognised.
    fn fingerprint(&self, write: impl FnMut(&[u32]));

    /// Sets of rows that are coupled with each other; two rows in none together have A_ij = A_ji = 0.
    fn cliques(&self) -> Vec<Vec<u32>>;

    /// Returns true if A_ij = A_ji throughout.
    fn is_symmetric(&self) -> bool;

    /// Entry of J G J^T, G the weights of bodies of equal mass: it distinguishes nearly dependent rows from light bodies beside heavy
    /// ones. `None` if the operator has no bodies.
    fn geometric_entry(&self, _i: usize, _j: usize) -> Option<f64> {
        None
    }
}

impl Pattern for FactoredOperator {
    fn fingerprint(&self, mut write: impl FnMut(&[u32])) {
        for row in self.factored_rows() {
            write(&row.bodies);
        }
    }

    /// The rows of each body.
    fn cliques(&self) -> Vec<Vec<u32>> {
        let mut rows = vec![Vec::new(); self.bodies()];
        for (i, row) in self.factored_rows().iter().enumerate() {
            for body in row.bodies {
                if body != NO_BODY {
                    rows[body as usize].push(i as u32);
                }
            }
        }
        rows
    }

    fn is_symmetric(&self) -> bool {
        true
    }

    fn geometric_entry(&self, i: usize, j: usize) -> Option<f64> {
        Some(self.equal_mass_entry(i, j))
    }
}

impl Pattern for SparseOperator {
    fn fingerprint(&self, mut write: impl FnMut(&[u32])) {
        for i in 0..self.rows() {
            let (columns, _) = self.row(i);
            write(&[columns.len() as u32]);
            write(columns);
        }
    }

    /// One clique per off-diagonal entry.
    fn cliques(&self) -> Vec<Vec<u32>> {
        let mut pairs = Vec::new();
        for i in 0..self.rows() as u32 {
            for &j in self.row(i as usize).0 {
                if i != j {
                    pairs.push([i.min(j), i.max(j)]);
                }
            }
        }
        pairs.sort_unstable();
        pairs.dedup();
        pairs.into_iter().map(|p| p.to_vec()).collect()
    }

    fn is_symmetric(&self) -> bool {
        (0..self.rows()).all(|i| {
            let (columns, values) = self.row(i);
            columns.iter().zip(values).all(|(&j, &v)| self.entry(j as usize, i) == v)
        })
    }
}

/// The pattern of A and of its factors in the order of elimination. Rows have two numbers: the problem's and their place.
#[derive(Debug, Default)]
pub(crate) struct Structure {
    key: Vec<u32>,
    /// True if the factors are small enough for `work`, the most multiplications of one factorisation.
    complete: bool,
    work: f64,
    /// Multiplications that finding the order of elimination took.
    pub(crate) taken: f64,
    /// The problem's row at each place.
    pub(crate) row_at: Vec<u32>,
    /// The place of each of the problem's rows.
    pub(crate) place_of: Vec<u32>,
    /// Neighbours of a place: `columns[starts[k]..starts[k + 1]]`, ascending places, itself included.
    pub(crate) starts: Vec<usize>,
    pub(crate) columns: Vec<u32>,
    /// The elimination tree.
    pub(crate) parent: Vec<u32>,
    /// First index of each place's column in the factors; one entry more than there are places.
    pub(crate) column_starts: Vec<usize>,
}

impl Structure {
    /// Analyses the pattern unless it is that of the last call or among `others`, to which the last one is moved; false if the factors would be too
    /// large.
    pub(crate) fn prepare<P: Pattern>(
        &mut self,
        others: &mut Vec<Self>,
        op: &P,
        problem: &ProblemView<'_>,
        work: f64,
    ) -> bool {
        if self.is_of(op, problem, work) {
            return self.complete;
        }
        if let Some(k) = others.iter().position(|other| other.is_of(op, problem, work)) {
            others[..=k].rotate_right(1);
            std::mem::swap(self, &mut others[0]);
            return self.complete;
        }
        // The oldest ones are dropped; the memory of one of them is reused.
        let mut fresh = Self::default();
        let mut kept = self.columns.len();
        let keep = others.iter().take(KEPT - 1).take_while(|other| {
            kept += other.columns.len();
            kept <= KEPT_ENTRIES
        });
        let keep = keep.count();
        if others.len() > keep {
            fresh = others.swap_remove(keep);
            others.truncate(keep);
        }
        let last = std::mem::replace(self, fresh);
        if !last.key.is_empty() {
            others.insert(0, last);
        }
        self.key.clear();
        write_key(op, problem, |part| self.key.extend_from_slice(part));
        self.work = work;
        self.analyse(op, problem);
        self.complete
    }

    /// Returns true if this is the analysis of such a problem.
    fn is_of<P: Pattern>(&self, op: &P, problem: &ProblemView<'_>, work: f64) -> bool {
        let mut rest = &self.key[..];
        let mut same = self.work == work;
        write_key(op, problem, |part| {
            same = same && rest.starts_with(part);
            rest = rest.get(part.len()..).unwrap_or(&[]);
        });
        same && rest.is_empty()
    }

    fn analyse<P: Pattern>(&mut self, op: &P, problem: &ProblemView<'_>) {
        self.complete = false;
        for places in [&mut self.row_at, &mut self.place_of, &mut self.columns, &mut self.parent] {
            places.clear();
        }
        self.starts.clear();
        self.column_starts.clear();
        let groups = Groups::new(op, problem);
        self.complete = self.place(&groups) && self.pattern(&groups) && self.factors();
    }

    /// Puts the rows in the order of elimination, each group's next to each other; false if that would take too much
    /// work.
    fn place(&mut self, groups: &Groups) -> bool {
        let n = groups.of_row.len();
        let weights: Vec<u32> = groups.rows.iter().map(|r| r.len() as u32).collect();
        let Some(order) = minimum_degree(&weights, groups.cliques.clone(), self.work, &mut self.taken) else {
            return false;
        };
        self.row_at.clear();
        self.row_at.extend(order.iter().flat_map(|&g| &groups.rows[g as usize]));
        self.place_of.clear();
        self.place_of.resize(n, 0);
        for (place, &row) in self.row_at.iter().enumerate() {
            self.place_of[row as usize] = place as u32;
        }
        true
    }

    /// The neighbours of each place.
    fn pattern(&mut self, groups: &Groups) -> bool {
        let mut of_group: Vec<Vec<u32>> = vec![Vec::new(); groups.rows.len()];
        for (c, clique) in groups.cliques.iter().enumerate() {
            for &g in clique {
                of_group[g as usize].push(c as u32);
            }
        }
        let mut seen = vec![NONE; groups.rows.len()];
        self.starts.clear();
        self.columns.clear();
        self.starts.push(0);
        for &row in &self.row_at {
            let own = groups.of_row[row as usize];
            let first = self.columns.len();
            seen[own as usize] = row;
            self.columns.extend(groups.rows[own as usize].iter().map(|&r| self.place_of[r as usize]));
            for &c in &of_group[own as usize] {
                for &g in &groups.cliques[c as usize] {
                    if seen[g as usize] != row {
                        seen[g as usize] = row;
                        self.columns.extend(groups.rows[g as usize].iter().map(|&r| self.place_of[r as usize]));
                    }
                }
            }
            self.columns[first..].sort_unstable();
            self.starts.push(self.columns.len());
            if self.columns.len() > LARGEST {
                return false;
            }
        }
        true
    }

    /// The elimination tree and the lengths of the factors' columns.
    fn factors(&mut self) -> bool {
        let n = self.row_at.len();
        self.parent.clear();
        self.parent.resize(n, NONE);
        let mut lengths = vec![0_usize; n];
        let mut flag = vec![NONE; n];
        for k in 0..n {
            flag[k] = k as u32;
            for &i in &self.columns[self.starts[k]..self.starts[k + 1]] {
                let mut i = i as usize;
                while i < k && flag[i] != k as u32 {
                    flag[i] = k as u32;
                    lengths[i] += 1;
                    if self.parent[i] == NONE {
                        self.parent[i] = k as u32;
                    }
                    i = self.parent[i] as usize;
                }
            }
        }
        self.column_starts.clear();
        self.column_starts.push(0);
        let mut end = 0;
        for length in lengths {
            end += length;
            self.column_starts.push(end);
        }
        end <= LARGEST
    }
}

/// Rows with the same neighbours, taken as one vertex: the rows of one pair of bodies, and a row with those it depends
/// on.
struct Groups {
    of_row: Vec<u32>,
    rows: Vec<Vec<u32>>,
    cliques: Vec<Vec<u32>>,
}

impl Groups {
    fn new<P: Pattern>(op: &P, problem: &ProblemView<'_>) -> Self {
        let n = problem.len();
        let cliques = op.cliques();
        let mut of: Vec<Vec<u32>> = vec![Vec::new(); n];
        for (c, clique) in cliques.iter().enumerate() {
            for &row in clique {
                of[row as usize].push(c as u32);
            }
        }
        // Rows in the same cliques; those in none stay alone.
        let mut leader: Vec<u32> = (0..n as u32).collect();
        let mut sorted: Vec<u32> = leader.clone();
        sorted.sort_by(|&i, &j| of[i as usize].cmp(&of[j as usize]).then(i.cmp(&j)));
        for pair in sorted.windows(2) {
            let [i, j] = [pair[0] as usize, pair[1] as usize];
            if of[i] == of[j] && !of[i].is_empty() {
                leader[j] = leader[i];
            }
        }
        for i in 0..n {
            if let Some(j) = problem.parent(i) {
                let (a, b) = (find(&mut leader, i as u32), find(&mut leader, j as u32));
                leader[a.max(b) as usize] = a.min(b);
            }
        }
        let mut group_of_leader = vec![NONE; n];
        let (mut of_row, mut rows) = (Vec::with_capacity(n), Vec::<Vec<u32>>::new());
        for i in 0..n as u32 {
            let l = find(&mut leader, i) as usize;
            if group_of_leader[l] == NONE {
                group_of_leader[l] = rows.len() as u32;
                rows.push(Vec::new());
            }
            of_row.push(group_of_leader[l]);
            rows[group_of_leader[l] as usize].push(i);
        }
        let cliques = cliques
            .into_iter()
            .map(|clique| {
                let mut groups: Vec<u32> = clique.into_iter().map(|row| of_row[row as usize]).collect();
                groups.sort_unstable();
                groups.dedup();
                groups
            })
            .filter(|groups| groups.len() > 1)
            .collect();
        Self { of_row, rows, cliques }
    }
}

/// The representative of a row's set; paths are halved on the way.
pub(crate) fn find(leader: &mut [u32], mut i: u32) -> u32 {
    while leader[i as usize] != i {
        leader[i as usize] = leader[leader[i as usize] as usize];
        i = leader[i as usize];
    }
    i
}
