//! Shared by the examples that measure on dumps.

use drystone_lcp::BoxedProblem;
use drystone_lcp_files::{FileProblem, read_problem};
use std::path::Path;

/// In a problem where some b is below minus this, something is pressed together.
const APPROACH: f64 = 1e-6;

/// The largest problem (up to `most` rows) of a folder of dumps in which anything is pressed together, the last among equals.
pub(crate) fn largest_dump(folder: &Path, most: usize) -> Result<Option<BoxedProblem>, Box<dyn std::error::Error>> {
    let mut files = std::fs::read_dir(folder)?.map(|e| Ok(e?.path())).collect::<std::io::Result<Vec<_>>>()?;
    files.retain(|f| f.extension().is_some_and(|e| e == "json"));
    files.sort();
    let mut found: Option<BoxedProblem> = None;
    for file in files {
        if let FileProblem::Boxed { problem, .. } = read_problem(&file)?
            && problem.b.len() <= most
            && problem.b.iter().any(|b| *b < -APPROACH)
            && found.as_ref().is_none_or(|f| problem.b.len() >= f.b.len())
        {
            found = Some(problem);
        }
    }
    Ok(found)
}
