//! FCLIB's HDF5: local (W, q, mu) and global (M, H, f, w, mu) frictional-contact problems.
use crate::{FileError, FileProblem};
use drystone_lcp::{ConeProblem, DenseOperator, RankRevealingFactors};
use hdf5_reader::{Hdf5File, group::Group};
use std::path::Path;

/// A pivot below this fraction of the largest entry of its block counts as zero.
const SINGULAR: f64 = 1e-14;

/// A matrix as triplets (row, column, value).
struct Triplets {
    rows: usize,
    columns: usize,
    entries: Vec<(usize, usize, f64)>,
}

/// A file with more rows or columns than this is considered malformed.
const LARGEST: usize = 1 << 24;

/// One file while it is read, for the names in messages.
struct Source<'a> {
    path: &'a Path,
    file: Hdf5File,
}

impl Source<'_> {
    fn wrong(&self, what: impl Into<String>) -> FileError {
        FileError::malformed(self.path, what)
    }

    fn integers(&self, name: &str) -> Result<Vec<i64>, FileError> {
        let set = self.file.dataset(name).map_err(|e| self.wrong(format!("{name}: {e}")))?;
        if let Ok(values) = set.read_array::<i32>() {
            return Ok(values.iter().map(|&v| i64::from(v)).collect());
        }
        let values = set.read_array::<i64>().map_err(|e| self.wrong(format!("{name}: {e}")))?;
        Ok(values.iter().copied().collect())
    }

    fn reals(&self, name: &str) -> Result<Vec<f64>, FileError> {
        let set = self.file.dataset(name).map_err(|e| self.wrong(format!("{name}: {e}")))?;
        let values = set.read_array::<f64>().map_err(|e| self.wrong(format!("{name}: {e}")))?;
        Ok(values.iter().copied().collect())
    }

    fn integer(&self, name: &str) -> Result<i64, FileError> {
        self.integers(name)?.first().copied().ok_or_else(|| self.wrong(format!("{name}: empty")))
    }

    fn size(&self, name: &str) -> Result<usize, FileError> {
        let value = self.integer(name)?;
        usize::try_from(value)
            .ok()
            .filter(|v| *v <= LARGEST)
            .ok_or_else(|| self.wrong(format!("{name} = {value} is no size")))
    }

    /// By `nz`: -1 compressed columns, -2 compressed rows, otherwise the number of triplets.
    fn matrix(&self, name: &str) -> Result<Triplets, FileError> {
        let at = |field: &str| format!("{name}/{field}");
        let (rows, columns) = (self.size(&at("m"))?, self.size(&at("n"))?);
        let form = self.integer(&at("nz"))?;
        let (p, i, x) = (self.integers(&at("p"))?, self.integers(&at("i"))?, self.reals(&at("x"))?);
        let index = |value: i64, limit: usize| {
            let found = usize::try_from(value).ok().filter(|v| *v < limit);
            found.ok_or_else(|| self.wrong(format!("{name}: index {value} is not below {limit}")))
        };
        let mut entries = Vec::new();
        if form >= 0 {
            let count = usize::try_from(form).unwrap_or(usize::MAX);
            if p.len() < count || i.len() < count || x.len() < count {
                return Err(self.wrong(format!("{name}: nz = {form}, but i, p and x are shorter")));
            }
            for k in 0..count {
                entries.push((index(i[k], rows)?, index(p[k], columns)?, x[k]));
            }
        } else if form == -1 || form == -2 {
            let (major, minor) = if form == -1 { (columns, rows) } else { (rows, columns) };
            if p.len() < major + 1 {
                return Err(self.wrong(format!("{name}: p has length {}, expected {}", p.len(), major + 1)));
            }
            let stored = i.len().min(x.len()) + 1;
            for j in 0..major {
                for k in index(p[j], stored)?..index(p[j + 1], stored)? {
                    let other = index(i[k], minor)?;
                    entries.push(if form == -1 { (other, j, x[k]) } else { (j, other, x[k]) });
                }
            }
        } else {
            return Err(self.wrong(format!("{name}: nz = {form} is no form of storage")));
        }
        Ok(Triplets { rows, columns, entries })
    }

    fn expect(&self, name: &str, found: usize, expected: usize) -> Result<(), FileError> {
        if found == expected {
            return Ok(());
        }
        Err(self.wrong(format!("{name} has length {found}, expected {expected}")))
    }

    /// W = H^T M^-1 H and q = H^T M^-1 f + w.
    fn global(&self, dimension: usize) -> Result<ConeProblem, FileError> {
        let (m, h) = (self.matrix("fclib_global/M")?, self.matrix("fclib_global/H")?);
        let f = self.reals("fclib_global/vectors/f")?;
        let mut q = self.reals("fclib_global/vectors/w")?;
        let mu = self.reals("fclib_global/vectors/mu")?;
        self.expect("columns of M", m.columns, m.rows)?;
        self.expect("rows of H", h.rows, m.rows)?;
        self.expect("f", f.len(), m.rows)?;
        self.expect("w", q.len(), h.columns)?;
        self.expect("columns of H", h.columns, dimension * mu.len())?;
        let mut columns = vec![Vec::new(); h.columns];
        for &(i, j, value) in &h.entries {
            columns[j].push((i, value));
        }
        let mut mass = BlockInverse::new(&m).ok_or_else(|| self.wrong("fclib_global/M is singular"))?;
        let product = |column: &[(usize, f64)], z: &[f64]| column.iter().map(|&(i, v)| v * z[i]).sum::<f64>();
        let mut z = f;
        mass.solve(&mut z);
        for (q, column) in q.iter_mut().zip(&columns) {
            *q += product(column, &z);
        }
        let mut w = DenseOperator::zeros(h.columns);
        for j in 0..h.columns {
            z.fill(0.0);
            for &(i, value) in &columns[j] {
                z[i] += value;
            }
            mass.solve(&mut z);
            for (i, column) in columns.iter().enumerate() {
                w.set(i, j, product(column, &z));
            }
        }
        Ok(ConeProblem { operator: w.into(), q, mu, dimension })
    }

    fn local(&self, dimension: usize) -> Result<ConeProblem, FileError> {
        let w = self.matrix("fclib_local/W")?;
        let q = self.reals("fclib_local/vectors/q")?;
        let mu = self.reals("fclib_local/vectors/mu")?;
        self.expect("columns of W", w.columns, w.rows)?;
        self.expect("q", q.len(), w.rows)?;
        self.expect("rows of W", w.rows, dimension * mu.len())?;
        let mut dense = DenseOperator::zeros(w.rows);
        for &(i, j, value) in &w.entries {
            let sum = dense.get(i, j) + value;
            dense.set(i, j, sum);
        }
        Ok(ConeProblem { operator: dense.into(), q, mu, dimension })
    }
}

/// M^-1 by blocks: rows that no entry couples are factored separately.
struct BlockInverse {
    blocks: Vec<(Vec<usize>, RankRevealingFactors)>,
    part: Vec<f64>,
    answer: Vec<f64>,
    between: Vec<f64>,
}

impl BlockInverse {
    /// `None` if M is singular.
    fn new(m: &Triplets) -> Option<Self> {
        let mut leader: Vec<usize> = (0..m.rows).collect();
        let find = |leader: &mut [usize], mut i: usize| {
            while leader[i] != i {
                leader[i] = leader[leader[i]];
                i = leader[i];
            }
            i
        };
        for &(i, j, value) in &m.entries {
            if value != 0.0 {
                let (a, b) = (find(&mut leader, i), find(&mut leader, j));
                leader[a.max(b)] = a.min(b);
            }
        }
        let (mut rows_of, mut place) = (vec![Vec::new(); m.rows], vec![0; m.rows]);
        let (mut block_of, mut count) = (vec![0; m.rows], 0);
        for i in 0..m.rows {
            let l = find(&mut leader, i);
            if l == i {
                block_of[i] = count;
                count += 1;
            }
            block_of[i] = block_of[l];
            place[i] = rows_of[block_of[i]].len();
            rows_of[block_of[i]].push(i);
        }
        rows_of.truncate(count);
        let mut dense: Vec<DenseOperator> = rows_of.iter().map(|rows| DenseOperator::zeros(rows.len())).collect();
        for &(i, j, value) in &m.entries {
            if value != 0.0 {
                let block = &mut dense[block_of[i]];
                let sum = block.get(place[i], place[j]) + value;
                block.set(place[i], place[j], sum);
            }
        }
        let factors = dense.iter().map(|block| RankRevealingFactors::new(block, SINGULAR));
        let blocks: Vec<_> = rows_of.into_iter().zip(factors).collect();
        let is_regular = blocks.iter().all(|(rows, factors)| factors.rank() == rows.len());
        is_regular.then(|| Self { blocks, part: Vec::new(), answer: Vec::new(), between: Vec::new() })
    }

    fn solve(&mut self, z: &mut [f64]) {
        for (rows, factors) in &self.blocks {
            self.part.clear();
            self.part.extend(rows.iter().map(|&i| z[i]));
            if self.part.iter().any(|v| *v != 0.0) {
                self.answer.clear();
                self.answer.resize(rows.len(), 0.0);
                factors.solve_with(&self.part, &mut self.answer, &mut self.between);
                for (&i, value) in rows.iter().zip(&self.answer) {
                    z[i] = *value;
                }
            }
        }
    }
}

/// Reads a local or a global problem; the names in the file say which it is.
pub(super) fn read(path: &Path) -> Result<FileProblem, FileError> {
    parsed(path, Hdf5File::open(path))
}

/// The same from the bytes of a file.
pub(super) fn read_bytes(name: &Path, bytes: Vec<u8>) -> Result<FileProblem, FileError> {
    parsed(name, Hdf5File::from_vec(bytes))
}

fn parsed(path: &Path, file: Result<Hdf5File, hdf5_reader::error::Error>) -> Result<FileProblem, FileError> {
    let file = file.map_err(|e| FileError::malformed(path, e.to_string()))?;
    let source = Source { path, file };
    let root = source.file.root_group().map_err(|e| source.wrong(e.to_string()))?;
    let (groups, _) = root.member_names().map_err(|e| source.wrong(e.to_string()))?;
    let kind = ["fclib_local", "fclib_global"].into_iter().find(|name| groups.iter().any(|g| g == name));
    let kind = kind.ok_or_else(|| source.wrong("neither fclib_local nor fclib_global"))?;
    let group: Group = root.group(kind).map_err(|e| source.wrong(e.to_string()))?;
    let (matrices, _) = group.member_names().map_err(|e| source.wrong(e.to_string()))?;
    // Bilateral constraints beside the contacts.
    if let Some(name) = matrices.iter().find(|m| ["G", "V", "R"].contains(&m.as_str())) {
        return Err(source.wrong(format!("{kind}/{name}: equality constraints, which are not read")));
    }
    let dimension = source.size(&format!("{kind}/spacedim"))?;
    if dimension != 2 && dimension != 3 {
        return Err(source.wrong(format!("{kind}/spacedim = {dimension}, expected 2 or 3")));
    }
    let problem = if kind == "fclib_local" { source.local(dimension)? } else { source.global(dimension)? };
    Ok(FileProblem::Cone(problem))
}
