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
