//! Output of commands: to standard output, to standard error, and to files that are never seen half written.

mod distinct;
mod file;

pub(crate) use distinct::refuse_same;
pub(crate) use file::{Output, write_file};

use crate::Failure;
use std::io::{ErrorKind, Write};

/// Writes to standard output. A reader that went away (`drystone list | head`) is no fault of anybody; a full disk is.
///
/// # Errors
/// [`Failure::Write`] where standard output takes no more.
pub(crate) fn print(text: &str) -> Result<(), Failure> {
    let mut out = std::io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(Failure::Write { path: "standard output".to_owned(), error })
        }
        _ => Ok(()),
    }
}

/// Prints warnings to standard error, one per line.
pub(crate) fn warn(warnings: &[String]) {
    for warning in warnings {
        eprintln!("{warning}");
    }
}
