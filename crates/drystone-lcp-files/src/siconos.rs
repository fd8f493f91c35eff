use crate::numbers::Numbers;
use crate::texts::Texts;
use crate::{FileError, FileProblem};
use drystone_lcp::{BoxedProblem, ConeProblem, SparseOperator};
use std::path::Path;

/// Reads Siconos' text format: an LCP (n, matrix, q) or a frictional-contact problem (dimension, contacts, matrix, q, mu).
/// Dense matrices and blocks are in column order; anything after the last expected number is a comment.
pub(crate) fn read(path: &Path, texts: &Texts<'_>) -> Result<FileProblem, FileError> {
    let text = texts.read(path)?;
    let mut numbers = Numbers::new(path, &text);
    let (first, second, third) =
        (numbers.count("size or dimension")?, numbers.count("storage or contacts")?, numbers.count("rows or storage")?);
    if third == first {
        let m = matrix(&mut numbers, second, third)?;
        check_rows(&numbers, m.rows, first)?;
        let q = numbers.reals(first, "q")?;
        let operator = operator(path, &m)?;
        return Ok(FileProblem::Boxed { problem: BoxedProblem::lcp(operator, q), start: None });
    }
    let (dimension, contacts) = (first, second);
    if dimension != 2 && dimension != 3 {
        return Err(numbers.malformed(format!("neither an LCP nor frictional contact: dimension {dimension}")));
    }
    let rows = numbers.count("rows")?;
    let m = matrix(&mut numbers, third, rows)?;
    check_rows(&numbers, m.rows, dimension * contacts)?;
    let q = numbers.reals(m.rows, "q")?;
    let mu = numbers.reals(contacts, "mu")?;
    Ok(FileProblem::Cone(ConeProblem { operator: operator(path, &m)?.into(), q, mu, dimension }))
}

struct Matrix {
    rows: usize,
    triplets: Vec<(usize, usize, f64)>,
}

fn check_rows(numbers: &Numbers<'_>, rows: usize, expected: usize) -> Result<(), FileError> {
    if rows == expected { Ok(()) } else { Err(numbers.malformed(format!("{rows} rows, expected {expected}"))) }
}

fn operator(path: &Path, m: &Matrix) -> Result<SparseOperator, FileError> {
    SparseOperator::from_triplets(m.rows, &m.triplets)
        .map_err(|source| FileError::Problem { path: path.to_path_buf(), source })
}

/// After storage and rows: columns, then the dense numbers or the sparse blocks.
fn matrix(numbers: &mut Numbers<'_>, storage: usize, rows: usize) -> Result<Matrix, FileError> {
    let columns = numbers.count("columns")?;
    if rows != columns {
        return Err(numbers.malformed(format!("{rows} rows and {columns} columns: not square")));
    }
    let mut triplets = Vec::new();
    match storage {
        0 => {
            let (again_rows, again_columns) = (numbers.count("rows")?, numbers.count("columns")?);
            if (again_rows, again_columns) != (rows, columns) {
                return Err(numbers.malformed(format!("{rows} x {columns}, then {again_rows} x {again_columns}")));
            }
            for j in 0..columns {
                for i in 0..rows {
                    let value = numbers.real("entry")?;
                    if value != 0.0 {
                        triplets.push((i, j, value));
                    }
                }
            }
        }
        1 => blocks(numbers, rows, &mut triplets)?,
        other => return Err(numbers.malformed(format!("storage {other} is neither 0 (dense) nor 1 (sparse blocks)"))),
    }
    Ok(Matrix { rows, triplets })
}

fn blocks(numbers: &mut Numbers<'_>, rows: usize, triplets: &mut Vec<(usize, usize, f64)>) -> Result<(), FileError> {
    let count = numbers.count("blocks")?;
    let (block_rows, block_columns) = (numbers.count("block rows")?, numbers.count("block columns")?);
    let row_ends = numbers.counts(block_rows, "block row size")?;
    let column_ends = numbers.counts(block_columns, "block column size")?;
    for ends in [&row_ends, &column_ends] {
        if ends.last().copied().unwrap_or(0) != rows || ends.windows(2).any(|w| w[0] > w[1]) {
            return Err(numbers.malformed("block sizes do not sum to the number of rows"));
        }
    }
    let (starts, listed) = (numbers.count("row starts")?, numbers.count("block columns")?);
    let starts = numbers.counts(starts, "row start")?;
    let listed = numbers.counts(listed, "block column")?;
    if listed.len() < count || starts.iter().any(|&s| s > count) {
        return Err(numbers.malformed("index lists do not fit the number of blocks"));
    }
    let first = |ends: &[usize], k: usize| if k == 0 { 0 } else { ends[k - 1] };
    let mut block_row = 0;
    for (k, &block_column) in listed.iter().enumerate().take(count) {
        while starts.get(block_row + 1).is_some_and(|&end| end <= k) {
            block_row += 1;
        }
        if block_row >= block_rows || block_column >= block_columns {
            return Err(numbers.malformed(format!("block {k} lies outside of the matrix")));
        }
        let (top, left) = (first(&row_ends, block_row), first(&column_ends, block_column));
        let (height, width) = (row_ends[block_row] - top, column_ends[block_column] - left);
        let number = numbers.count("number of a block")?;
        if number != k {
            return Err(numbers.malformed(format!("block {k} is numbered {number}")));
        }
        for j in 0..width {
            for i in 0..height {
                triplets.push((top + i, left + j, numbers.real("entry")?));
            }
        }
    }
    Ok(())
}
