//! Time control, saving and restoring, events and sleep. One binary, a module per file.

mod determinism;
mod evaluation;
mod events;
mod happenings;
mod history;
mod hybrid_and_split;
mod impulse;
mod replacing;
mod restoring;
mod retroactive;
mod reuse;
mod roll_back;
mod rollback;
mod scripts_that_fail;
mod sleeping;
mod snapshot_bytes;
mod timewarp;
