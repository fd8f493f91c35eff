//! Broad phases: exhaustive, sweep-and-prune and companions
