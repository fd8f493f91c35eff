use drystone_lcp::{BoxedProblem, DenseOperator, LcpDump};

/// Reads a problem and its start value (zeros where it has none): a JSON dump where it begins with a brace, else headings with numbers.
pub(crate) fn read(text: &str) -> Result<(BoxedProblem, Vec<f64>), String> {
    if text.trim_start().starts_with('{') { dump(text) } else { blocks(text) }
}

fn dump(text: &str) -> Result<(BoxedProblem, Vec<f64>), String> {
    let dump: LcpDump = serde_json::from_str(text).map_err(|e| e.to_string())?;
    if dump.format != LcpDump::FORMAT {
        return Err(format!("format '{}'; allowed: '{}'", dump.format, LcpDump::FORMAT));
    }
    let (problem, mut start) = dump.into_problem().map_err(|e| e.to_string())?;
    let n = problem.b.len();
    if start.is_empty() {
        start.resize(n, 0.0);
    }
    if start.len() != n {
        return Err(format!("warm_start has {} numbers, b has {n}", start.len()));
    }
    Ok((problem, start))
}

/// The numbers below each heading, with the lines they stand on.
#[derive(Default)]
struct Blocks {
    a: Vec<(usize, Vec<f64>)>,
    b: Vec<f64>,
    lo: Vec<f64>,
    hi: Vec<f64>,
}

fn blocks(text: &str) -> Result<(BoxedProblem, Vec<f64>), String> {
    let mut found = Blocks::default();
    let mut heading = String::new();
    for (i, line) in text.lines().enumerate() {
        let line = line.split('#').next().unwrap_or_default().trim();
        let Some(first) = line.split([' ', '\t', ',']).next().filter(|w| !w.is_empty()) else { continue };
        if ["A", "b", "lo", "hi"].contains(&first.trim_end_matches(':')) {
            first.trim_end_matches(':').clone_into(&mut heading);
        } else {
            let numbers = numbers(line).map_err(|e| format!("line {}: {e}", i + 1))?;
            match heading.as_str() {
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

fn assemble(found: Blocks) -> Result<(BoxedProblem, Vec<f64>), String> {
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
    Ok((BoxedProblem::boxed(matrix, found.b, lo, hi), vec![0.0; n]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_with_numbers_are_a_problem() {
        let (problem, start) = read("A\n 2, 1\n 1 2 # symmetric\n\nb: \n -5 -6\nhi\n inf 1\n").unwrap();
        assert_eq!(
            (problem.b.as_slice(), problem.lo.as_slice(), start.as_slice()),
            (&[-5.0, -6.0][..], &[0.0; 2][..], &[0.0; 2][..])
        );
        assert_eq!(problem.hi, [f64::INFINITY, 1.0]);
        assert_eq!(problem.operator.view().to_dense().row(1), [1.0, 2.0]);
    }

    #[test]
    fn faults_name_their_line() {
        for (text, part) in [
            ("A\n1 x\nb\n1\n", "line 2"),
            ("1 2\n", "line 1"),
            ("A\n1 2\nb\n1\n", "line 2: 2 numbers"),
            ("A\n1\n", "b has no numbers"),
            ("A\n1\nb\n1\nlo\n1 2\n", "lo has 2"),
            ("{\"format\": \"other\", \"b\": [], \"lo\": [], \"hi\": []}", "format 'other'"),
        ] {
            let error = read(text).unwrap_err();
            assert!(error.contains(part), "{text}: {error}");
        }
    }
}
