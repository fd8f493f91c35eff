use super::manifests::Package;

const BEGIN: &str = "<!-- layers: begin -->";
const END: &str = "<!-- layers: end -->";

/// A row of the layer table in ARCHITECTURE.md: `| L3 | crate | what it may use | and in tests | … |`.
struct Row {
    layer: u32,
    name: String,
    uses: Vec<Target>,
    in_tests: Vec<Target>,
}

/// Who may be depended on.
enum Target {
    Layer(u32),
    Crate(String),
}

impl Target {
    fn covers(&self, row: &Row) -> bool {
        match self {
            Self::Layer(layer) => *layer == row.layer,
            Self::Crate(name) => *name == row.name,
        }
    }
}

/// Arrows between packages go where the table lets them: down, and nowhere else.
pub(crate) fn check(architecture: &str, packages: &[Package]) -> Vec<String> {
    let rows = match parse(architecture) {
        Ok(rows) => rows,
        Err(fault) => return vec![fault],
    };
    let row_of = |name: &str| rows.iter().find(|r| r.name == name);
    let mut faults = Vec::new();
    // the table itself: arrows point down
    for row in &rows {
        for target in &row.uses {
            let down = match target {
                Target::Layer(layer) => *layer < row.layer,
                Target::Crate(name) => row_of(name).is_some_and(|r| r.layer < row.layer),
            };
            if !down {
                faults.push(format!("ARCHITECTURE.md: {} may only use what lies below L{}", row.name, row.layer));
            }
        }
        if !packages.iter().any(|p| p.name == row.name) {
            faults.push(format!("ARCHITECTURE.md: the layer table names {}, which does not exist", row.name));
        }
    }
    // the packages: within the table
    for package in packages {
        let Some(row) = row_of(&package.name) else {
            faults.push(format!("ARCHITECTURE.md: the layer table lacks {}", package.name));
            continue;
        };
        for edge in &package.edges {
            let Some(to) = row_of(&edge.to) else { continue };
            let normal = row.uses.iter().any(|t| t.covers(to));
            let test = edge.dev && row.in_tests.iter().any(|t| t.covers(to));
            if !normal && !test {
                let kind = if edge.dev { "in tests " } else { "" };
                faults.push(format!(
                    "{} (L{}) must not {kind}depend on {} (L{})",
                    row.name, row.layer, to.name, to.layer
                ));
            }
        }
    }
    faults
}

fn parse(architecture: &str) -> Result<Vec<Row>, String> {
    let table = architecture
        .split_once(BEGIN)
        .and_then(|(_, rest)| rest.split_once(END))
        .ok_or(format!("ARCHITECTURE.md: no table between {BEGIN} and {END}"))?
        .0;
    let mut rows = Vec::new();
    for line in table.lines().filter(|l| l.starts_with("| L")) {
        let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
        let [layer, name, uses, in_tests, ..] = cells[..] else {
            return Err(format!("ARCHITECTURE.md: a row of the layer table needs four cells: {line}"));
        };
        rows.push(Row {
            layer: number(layer).ok_or(format!("ARCHITECTURE.md: no layer: {layer}"))?,
            name: name.trim_matches('`').to_owned(),
            uses: targets(uses),
            in_tests: targets(in_tests),
        });
    }
    Ok(rows)
}

fn targets(cell: &str) -> Vec<Target> {
    let words = cell.split([',', ' ']).map(|w| w.trim_matches('`')).filter(|w| !w.is_empty() && *w != "-");
    words.map(|w| number(w).map_or_else(|| Target::Crate(w.to_owned()), Target::Layer)).collect()
}

fn number(word: &str) -> Option<u32> {
    word.strip_prefix('L')?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::manifests::Edge;

    const TABLE: &str = "<!-- layers: begin -->\n| layer | crate | uses | in tests |\n|---|---|---|---|\n\
        | L0 | `math` | - | - |\n| L1 | `shape` | L0 | - |\n| L1 | `lcp` | - | `shape` |\n<!-- layers: end -->";

    fn package(name: &str, to: &str, dev: bool) -> Package {
        Package::for_test(name, vec![Edge { to: to.to_owned(), dev }])
    }

    fn faults(edges: &[(&str, &str, bool)]) -> Vec<String> {
        let mut packages: Vec<Package> = edges.iter().map(|(a, b, dev)| package(a, b, *dev)).collect();
        for name in ["math", "shape", "lcp"] {
            if !packages.iter().any(|p| p.name == name) {
                packages.push(package(name, "outside", false));
            }
        }
        check(TABLE, &packages)
    }

    #[test]
    fn arrows_point_down() {
        assert!(faults(&[("shape", "math", false)]).is_empty());
        assert_eq!(faults(&[("math", "shape", false)]), ["math (L0) must not depend on shape (L1)"]);
        assert_eq!(faults(&[("shape", "lcp", false)]), ["shape (L1) must not depend on lcp (L1)"]);
    }

    #[test]
    fn tests_may_do_what_the_table_says() {
        assert!(faults(&[("lcp", "shape", true)]).is_empty());
        assert_eq!(faults(&[("lcp", "shape", false)]).len(), 1);
        assert_eq!(faults(&[("shape", "lcp", true)]), ["shape (L1) must not in tests depend on lcp (L1)"]);
    }

    #[test]
    fn crates_and_rows_match() {
        let extra =
            check(TABLE, &[package("math", "x", false), package("lcp", "x", false), package("new", "x", false)]);
        assert_eq!(extra.len(), 2, "{extra:?}");
        assert_eq!(check("no table", &[]).len(), 1);
    }
}
