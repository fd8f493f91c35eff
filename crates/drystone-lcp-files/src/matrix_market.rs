use crate::numbers::Numbers;
use crate::texts::Texts;
use crate::{FileError, FileProblem};
use drystone_lcp::{BoxedProblem, SparseOperator};
use std::path::Path;

/// Bounds of at least this magnitude mean none.
const NO_BOUND: f64 = 1e300;

/// Reads `A.mtx`, `b.mtx` and optionally `lo.mtx`, `hi.mtx` of a folder; w = A x + b; without bounds it is an LCP.
pub(crate) fn read(folder: &Path, texts: &Texts<'_>) -> Result<FileProblem, FileError> {
    let path = folder.join("A.mtx");
    let a = table(&path, texts)?;
    if a.rows != a.columns {
        return Err(FileError::malformed(&path, format!("{} rows and {} columns: not square", a.rows, a.columns)));
    }
    let n = a.rows;
    let operator = SparseOperator::from_triplets(n, &a.triplets)
        .map_err(|source| FileError::Problem { path: path.clone(), source })?;
    let b = vector(&folder.join("b.mtx"), n, texts)?;
    let bound = |name: &str, none: f64| -> Result<Vec<f64>, FileError> {
        let path = folder.join(name);
        if !texts.has(&path) {
            return Ok(vec![none; n]);
        }
        let values = vector(&path, n, texts)?;
        Ok(values.into_iter().map(|v| if v.abs() >= NO_BOUND { v.signum() * f64::INFINITY } else { v }).collect())
    };
    let (lo, hi) = (bound("lo.mtx", 0.0)?, bound("hi.mtx", f64::INFINITY)?);
    Ok(FileProblem::Boxed { problem: BoxedProblem::boxed(operator, b, lo, hi), start: None })
}

struct Table {
    rows: usize,
    columns: usize,
    triplets: Vec<(usize, usize, f64)>,
}

fn vector(path: &Path, n: usize, texts: &Texts<'_>) -> Result<Vec<f64>, FileError> {
    let table = table(path, texts)?;
    if table.rows * table.columns != n || (table.columns != 1 && table.rows != 1) {
        return Err(FileError::malformed(path, format!("{} x {}, expected {n} x 1", table.rows, table.columns)));
    }
    let mut values = vec![0.0; n];
    for (i, j, value) in table.triplets {
        values[i.max(j)] += value;
    }
    Ok(values)
}

/// Order in which entries are listed.
enum Layout {
    /// With their places.
    Coordinate,
    /// All of them, column by column.
    Array,
}

/// Symmetry: the entries that the listed ones imply across the diagonal.
#[derive(Clone, Copy)]
enum Mirror {
    General,
    Symmetric,
    SkewSymmetric,
}

impl Mirror {
    /// The sign of an entry across the diagonal, if that is not listed itself.
    fn sign(self) -> Option<f64> {
        match self {
            Self::General => None,
            Self::Symmetric => Some(1.0),
            Self::SkewSymmetric => Some(-1.0),
        }
    }

    /// The first row of a column that an array lists.
    fn first_row(self, column: usize) -> usize {
        match self {
            Self::General => 0,
            Self::Symmetric => column,
            Self::SkewSymmetric => column + 1,
        }
    }
}

/// The first line of a file.
struct Header {
    layout: Layout,
    is_pattern: bool,
    mirror: Mirror,
}

impl Header {
    fn read(path: &Path, line: &str) -> Result<Self, FileError> {
        let malformed = |what: String| Err(FileError::malformed(path, what));
        let words: Vec<String> = line.split_whitespace().map(str::to_lowercase).collect();
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let [banner, "matrix", layout, field, symmetry] = words[..] else {
            return malformed("line 1 is no '%%MatrixMarket matrix ...' header".to_owned());
        };
        if banner != "%%matrixmarket" {
            return malformed("line 1 does not begin with %%MatrixMarket".to_owned());
        }
        if !["real", "integer", "double", "pattern"].contains(&field) {
            return malformed(format!("field '{field}' is not real, integer or pattern"));
        }
        let mirror = match symmetry {
            "general" => Mirror::General,
            "symmetric" => Mirror::Symmetric,
            "skew-symmetric" => Mirror::SkewSymmetric,
            other => return malformed(format!("symmetry '{other}' is not general, symmetric or skew-symmetric")),
        };
        let layout = match layout {
            "coordinate" => Layout::Coordinate,
            "array" => Layout::Array,
            other => return malformed(format!("layout '{other}' is not coordinate or array")),
        };
        Ok(Self { layout, is_pattern: field == "pattern", mirror })
    }
}

/// One Matrix Market file: coordinate or array; real, integer or pattern; general, symmetric or skew-symmetric.
fn table(path: &Path, texts: &Texts<'_>) -> Result<Table, FileError> {
    let text = texts.read(path)?;
    let (header, body) = text.split_once('\n').unwrap_or((&text, ""));
    let Header { layout, is_pattern, mirror } = Header::read(path, header)?;
    // comments become empty lines, so that the other lines keep their numbers
    let is_remark = |line: &str| line.trim_start().starts_with('%');
    let numbers: String = body.lines().flat_map(|line| [if is_remark(line) { "" } else { line }, "\n"]).collect();
    let mut numbers = Numbers::from_line(path, &numbers, 2);
    let (rows, columns) = (numbers.count("rows")?, numbers.count("columns")?);
    let mut triplets = Vec::new();
    let mut put = |i: usize, j: usize, value: f64| {
        triplets.push((i, j, value));
        if let (Some(sign), true) = (mirror.sign(), i != j) {
            triplets.push((j, i, sign * value));
        }
    };
    match layout {
        Layout::Coordinate => {
            for _ in 0..numbers.count("entries")? {
                let (i, j) = (numbers.count("row")?, numbers.count("column")?);
                if i == 0 || j == 0 || i > rows || j > columns {
                    return Err(
                        numbers.malformed(format!("entry ({i}, {j}) of a {rows} x {columns} matrix, counted from 1"))
                    );
                }
                let value = if is_pattern { 1.0 } else { numbers.real("entry")? };
                put(i - 1, j - 1, value);
            }
        }
        Layout::Array => {
            for j in 0..columns {
                for i in mirror.first_row(j)..rows {
                    put(i, j, numbers.real("entry")?);
                }
            }
        }
    }
    if !numbers.at_end() {
        return Err(numbers.malformed("more numbers than the header announces"));
    }
    Ok(Table { rows, columns, triplets })
}
