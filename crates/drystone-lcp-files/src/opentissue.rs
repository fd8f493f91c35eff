use crate::numbers::Numbers;
use crate::texts::Texts;
use crate::{FileError, FileProblem};
use drystone_lcp::{BoxedProblem, NO_DEPENDENCY, SparseOperator};
use std::path::Path;

/// Upper bounds of at least this mean none.
const NO_BOUND: f64 = 1e300;

/// Reads OpenTissue's dump folder: `A.dlm`, `b.dlm`, and optionally `lo`, `hi`, `lambda`, `dep`, `factor`; w = A x + b.
/// For rows with `dep` >= 0 the constants in `lo` and `hi` do not count.
pub(crate) fn read(folder: &Path, texts: &Texts<'_>) -> Result<FileProblem, FileError> {
    let (n, triplets) = matrix(&folder.join("A.dlm"), texts)?;
    let operator = SparseOperator::from_triplets(n, &triplets)
        .map_err(|source| FileError::Problem { path: folder.to_path_buf(), source })?;
    let b = vector(&folder.join("b.dlm"), n, texts)?;
    let optional = |name: &str| {
        let path = folder.join(name);
        if texts.has(&path) { vector(&path, n, texts).map(Some) } else { Ok(None) }
    };
    let bounded =
        |v: Vec<f64>| v.into_iter().map(|v| if v.abs() >= NO_BOUND { v.signum() * f64::INFINITY } else { v }).collect();
    let lo = optional("lo.dlm")?.map_or_else(|| vec![0.0; n], bounded);
    let hi = optional("hi.dlm")?.map_or_else(|| vec![f64::INFINITY; n], bounded);
    let start = optional("lambda.dlm")?;
    let (mut dependency, mut mu) = (Vec::new(), Vec::new());
    if let Some(parents) = optional("dep.dlm")? {
        for (i, &parent) in parents.iter().enumerate() {
            dependency.push(match parent {
                -1.0 => NO_DEPENDENCY,
                p if p >= 0.0 && p < n as f64 && p.fract() == 0.0 => p as u32,
                p => {
                    return Err(FileError::malformed(
                        &folder.join("dep.dlm"),
                        format!("row {i} depends on row {p} of {n}"),
                    ));
                }
            });
        }
        mu = optional("factor.dlm")?.unwrap_or_else(|| vec![0.0; n]);
    }
    let problem = BoxedProblem { operator: operator.into(), b, lo, hi, dependency, mu, partner: Vec::new() };
    Ok(FileProblem::Boxed { problem, start })
}

type Triplets = Vec<(usize, usize, f64)>;

fn matrix(path: &Path, texts: &Texts<'_>) -> Result<(usize, Triplets), FileError> {
    let text = texts.read(path)?;
    let mut numbers = Numbers::new(path, &text);
    let (rows, columns) = (numbers.count("rows")?, numbers.count("columns")?);
    if rows != columns {
        return Err(numbers.malformed(format!("{rows} rows and {columns} columns: not square")));
    }
    let entries = numbers.count("entries")?;
    let mut triplets = Vec::new();
    for _ in 0..entries {
        triplets.push((numbers.count("row")?, numbers.count("column")?, numbers.real("entry")?));
    }
    if !numbers.at_end() {
        return Err(numbers.malformed(format!("more than the {entries} entries it announces")));
    }
    Ok((rows, triplets))
}

/// `length`, then `i value`; each index once.
fn vector(path: &Path, n: usize, texts: &Texts<'_>) -> Result<Vec<f64>, FileError> {
    let text = texts.read(path)?;
    let mut numbers = Numbers::new(path, &text);
    let length = numbers.count("length")?;
    if length != n {
        return Err(numbers.malformed(format!("length {length}, A has {n} rows")));
    }
    let mut values = vec![f64::NAN; n];
    for _ in 0..n {
        let i = numbers.count("index")?;
        let value = numbers.real("value")?;
        let Some(slot) = values.get_mut(i) else {
            return Err(numbers.malformed(format!("index {i} of {n}")));
        };
        if !slot.is_nan() {
            return Err(numbers.malformed(format!("index {i} occurs twice")));
        }
        *slot = value;
    }
    Ok(values)
}
