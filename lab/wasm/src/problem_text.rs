use drystone_lcp::{BoxedProblem, DenseOperator};
use drystone_lcp_files::{FileProblem, read_problem_texts};

/// What stands before the name of a file whose text follows.
const FILE: &str = "=== ";

/// Reads a problem: files one below the other, each after a line `=== NAME`; a JSON dump where it begins with a brace; Siconos' format where
/// it begins with a number; else headings `A`, `b`, `lo`, `hi` with numbers or Matrix Market texts below them.
pub(crate) fn read(text: &str) -> Result<FileProblem, String> {
    let start = text.trim_start();
    let given = |name: &str, text: &str| (name.to_owned(), text.to_owned());
    let files = if start.starts_with(FILE) {
        parted(text, |line| line.strip_prefix(FILE).map(|name| name.trim().to_owned()))
    } else if start.starts_with('{') {
        vec![given("problem.json", text)]
    } else if start.starts_with(|c: char| c.is_ascii_digit()) {
        vec![given("problem.dat", text)]
    } else if text.lines().any(|line| line.starts_with("%%MatrixMarket")) {
        parted(text, |line| heading(line).map(|h| format!("{h}.mtx")))
    } else {
        return blocks(text).map(|problem| FileProblem::Boxed { problem, start: None });
    };
    read_problem_texts(&files).map_err(|e| e.to_string())
}

/// The texts below lines that are names.
fn parted(text: &str, name: impl Fn(&str) -> Option<String>) -> Vec<(String, String)> {
    let mut files: Vec<(String, String)> = Vec::new();
    for line in text.lines() {
        if let Some(name) = name(line) {
            files.push((name, String::new()));
        } else if let Some((_, text)) = files.last_mut() {
            text.push_str(line);
            text.push('\n');
        }
    }
    files
}

/// What a line is the heading of.
fn heading(line: &str) -> Option<&str> {
    let first = line.trim().split([' ', '\t', ',']).next()?.trim_end_matches(':');
    ["A", "b", "lo", "hi"].contains(&first).then_some(first)
}

/// The numbers below each heading, with the lines they stand on.
#[derive(Default)]
struct Blocks {
    a: Vec<(usize, Vec<f64>)>,
    b: Vec<f64>,
    lo: Vec<f64>,
    hi: Vec<f64>,
}

fn blocks(text: &str) -> Result<BoxedProblem, String> {
    let mut found = Blocks::default();
    let mut under = "";
    for (i, line) in text.lines().enumerate() {
        let line = line.split('#').next().unwrap_or_default().trim();
        if line.is_empty() {
            continue;
        }
        if let Some(next) = heading(line) {
            under = next;
        } else {
            let numbers = numbers(line).map_err(|e| format!("line {}: {e}", i + 1))?;
            match under {
                "A" => found.a.push((i + 1, numbers)),
                "b" => found.b.extend(numbers),
                "lo" => found.lo.extend(numbers),
                "hi" => found.hi.extend(numbers),
                _ => return Err(format!("line {}: found numbers before a heading; allowed: A, b, lo, hi", i + 1)),
            }
        }
    }
    assemble(found)
}

fn numbers(line: &str) -> Result<Vec<f64>, String> {
    let words = line.split(|c: char| c.is_whitespace() || matches!(c, ',' | ';' | '[' | ']')).filter(|w| !w.is_empty());
    words.map(|w| w.parse().map_err(|_| format!("found {w:?}; allowed: a number, inf or -inf"))).collect()
}

fn assemble(found: Blocks) -> Result<BoxedProblem, String> {
    let n = found.b.len();
    if n == 0 {
        return Err(
            "b has no numbers: a problem is w = A x + b, as headings A and b with their numbers below".to_owned()
        );
    }
    if found.a.len() != n {
        return Err(format!("A has {} rows, b has {n} numbers", found.a.len()));
    }
    let mut matrix = DenseOperator::zeros(n);
    for (i, (line, row)) in found.a.iter().enumerate() {
        if row.len() != n {
            return Err(format!("line {line}: {} numbers; A has {n} columns", row.len()));
        }
        row.iter().enumerate().for_each(|(j, v)| matrix.set(i, j, *v));
    }
    let bound = |values: Vec<f64>, none: f64, what: &str| match values.len() {
        0 => Ok(vec![none; n]),
        found if found == n => Ok(values),
        found => Err(format!("{what} has {found} numbers, b has {n}")),
    };
    let (lo, hi) = (bound(found.lo, 0.0, "lo")?, bound(found.hi, f64::INFINITY, "hi")?);
    let problem = BoxedProblem::boxed(matrix, found.b, lo, hi);
    problem.view().validate().map_err(|e| e.to_string())?;
    Ok(problem)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_with_numbers_are_a_problem() {
        let read = read("A\n 2, 1\n 1 2 # symmetric\n\nb: \n -5 -6\nhi\n inf 1\n").unwrap();
        let FileProblem::Boxed { problem, start: None } = read else { panic!("boxed, without a start value") };
        assert_eq!((problem.b.as_slice(), problem.lo.as_slice()), (&[-5.0, -6.0][..], &[0.0; 2][..]));
        assert_eq!(problem.hi, [f64::INFINITY, 1.0]);
        assert_eq!(problem.operator.view().to_dense().row(1), [1.0, 2.0]);
    }

    #[test]
    fn what_lcp_solve_takes_is_taken() {
        let market = "%%MatrixMarket matrix coordinate real symmetric\n2 2 3\n1 1 2\n2 1 1\n2 2 2\n";
        let b = "%%MatrixMarket matrix array real general\n2 1\n-5\n-6\n";
        for text in [
            format!("=== A.mtx\n{market}=== b.mtx\n{b}"),
            format!("A\n{market}b\n{b}"),
            "=== some/A.dlm\n2 2 4\n0 0 2\n0 1 1\n1 0 1\n1 1 2\n=== some/b.dlm\n2\n0 -5\n1 -6\n".to_owned(),
            "=== p.dat\n2 0 2 2 2 2\n2 1\n1 2\n-5 -6\n".to_owned(),
            "2 0 2 2 2 2\n2 1\n1 2\n-5 -6\n".to_owned(),
        ] {
            let FileProblem::Boxed { problem, .. } = read(&text).unwrap() else { panic!("{text}") };
            assert_eq!(problem.b, [-5.0, -6.0], "{text}");
            assert_eq!(problem.operator.view().to_dense().row(0), [2.0, 1.0], "{text}");
        }
        let cone = read("3 1 0 3 3 3 3\n1 0 0 0 1 0 0 0 1\n-1 0.2 0\n0.5\n").unwrap();
        assert_eq!((cone.kind(), cone.variables()), ("friction", 3));
    }

    #[test]
    fn faults_name_their_line() {
        for (text, part) in [
            ("A\n1 x\nb\n1\n", "line 2"),
            ("1 2\n", "line 2: ends before"),
            ("x 2\n", "line 1"),
            ("A\n1 2\nb\n1\n", "line 2: 2 numbers"),
            ("A\n1\n", "b has no numbers"),
            ("A\n1\nb\n1\nlo\n1 2\n", "lo has 2"),
            ("A\nnan\nb\n1\n", "NaN"),
            ("=== A.mtx\n1\n", "A.mtx"),
            ("%%MatrixMarket matrix array real general\n1 1\n1\n", "no file"),
            ("{\"format\": \"other\", \"b\": [], \"lo\": [], \"hi\": []}", "format 'other'"),
        ] {
            let error = read(text).unwrap_err();
            assert!(error.contains(part), "{text}: {error}");
        }
    }
}
