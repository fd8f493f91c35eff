use std::path::Path;

/// Rows of cells, printed aligned and written as CSV.
pub(crate) struct Table {
    header: Vec<String>,
    rows: Vec<Vec<String>>,
}

impl Table {
    pub(crate) fn new(header: &[&str]) -> Self {
        Self { header: header.iter().map(|h| (*h).to_owned()).collect(), rows: Vec::new() }
    }

    pub(crate) fn row(&mut self, cells: Vec<String>) {
        self.rows.push(cells);
    }

    /// Some of the columns, each by its name and with another heading, as a table in Markdown.
    pub(crate) fn markdown(&self, columns: &[(&str, &str)]) -> String {
        let places: Vec<_> = columns.iter().map(|(name, _)| self.header.iter().position(|h| h == name)).collect();
        let headings: Vec<&str> = columns.iter().map(|(_, heading)| *heading).collect();
        let mut out = format!("| {} |\n|{}\n", headings.join(" | "), "---|".repeat(columns.len()));
        for row in &self.rows {
            let cell = |place: &Option<usize>| place.and_then(|i| row.get(i)).map_or("", String::as_str);
            let cells: Vec<String> = places.iter().map(|p| readable(cell(p))).collect();
            out.extend(["| ", &cells.join(" | "), " |\n"]);
        }
        out
    }

    /// Prints the table and writes the file.
    pub(crate) fn finish(&self, csv: &Path) -> Result<(), String> {
        let lines = || std::iter::once(&self.header).chain(&self.rows);
        let width = |i: usize| lines().filter_map(|l| l.get(i)).map(String::len).max().unwrap_or(0);
        for line in lines() {
            let cells: Vec<String> = line.iter().enumerate().map(|(i, c)| format!("{c:>w$}", w = width(i))).collect();
            println!("{}", cells.join("  "));
        }
        let quoted =
            |c: &String| if c.contains([',', '"']) { format!("\"{}\"", c.replace('"', "\"\"")) } else { c.clone() };
        let text: String = lines().map(|l| l.iter().map(quoted).collect::<Vec<_>>().join(",") + "\n").collect();
        std::fs::write(csv, text).map_err(|e| format!("{}: {e}", csv.display()))
    }
}

/// A number in scientific notation that is neither large nor small, written out with as many digits.
pub(crate) fn readable(cell: &str) -> String {
    let Some((mantissa, exponent)) = cell.split_once('e') else { return cell.to_owned() };
    match (cell.parse::<f64>(), exponent.parse::<i32>()) {
        (Ok(0.0), _) => "0".to_owned(),
        (Ok(value), Ok(exponent @ -2..=3)) => {
            let digits = mantissa.chars().filter(char::is_ascii_digit).count() as i32;
            format!("{value:.*}", (digits - 1 - exponent).max(0) as usize)
        }
        _ => cell.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_for_readers() {
        let cells = ["0.00e0", "1.01e1", "-4.15e0", "2.80e-2", "4.01e-7", "1.44e3", "wall", "never"];
        let read = ["0", "10.1", "-4.15", "0.0280", "4.01e-7", "1440", "wall", "never"];
        assert_eq!(cells.map(readable), read);
    }

    #[test]
    fn columns_are_chosen_by_name() {
        let mut table = Table::new(&["a", "b_ms", "c"]);
        table.row(vec!["x".to_owned(), "7".to_owned(), "1.5e0".to_owned()]);
        assert_eq!(
            table.markdown(&[("c", "depth, m"), ("a", "name")]),
            "| depth, m | name |\n|---|---|\n| 1.5 | x |\n"
        );
    }
}
