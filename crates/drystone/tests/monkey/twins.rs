//! Runs of the same world that are repeated, interrupted and taken back: all of them must have the same bits.

use crate::habitat::{Calls, Habitat};
use drystone::Snapshot;
use drystone::prelude::*;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Steps of a run.
const STEPS: usize = 50;

/// How a run is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Detour {
    /// Step by step, once more.
    Again,
    /// On two threads.
    Threads,
    /// Each step is made, taken back by a snapshot in memory, and made again.
    Memory,
    /// The same by a snapshot in bytes.
    Bytes,
    /// The same by a snapshot in JSON.
    #[cfg(feature = "json")]
    Json,
    /// From every fourth step on three steps are made and taken back.
    Far,
    /// At each of a few steps another world, on which the same calls were made but no step, goes on from a snapshot in bytes.
    Fresh,
}

impl Detour {
    pub(crate) const ALL: &'static [Self] = &[
        Self::Again,
        Self::Threads,
        Self::Memory,
        Self::Bytes,
        #[cfg(feature = "json")]
        Self::Json,
        Self::Far,
        Self::Fresh,
    ];
}

/// A run: a preset, a seed and the calls that are made.
#[derive(Clone, Copy)]
pub(crate) struct Run {
    pub(crate) paradigm: Paradigm,
    pub(crate) seed: u64,
    pub(crate) calls: Calls,
}

/// What a step left: its snapshot in bytes, or why it failed.
type Left = Result<Vec<u8>, String>;

/// The parts in which two snapshots differ, for a message; without the feature `json` they have no names.
#[cfg(not(feature = "json"))]
fn differing(_: &World, _: &World) -> String {
    "other bytes".to_owned()
}

#[cfg(feature = "json")]
fn differing(one: &World, other: &World) -> String {
    use serde_json::Value;
    fn walk(a: &Value, b: &Value, path: &str, found: &mut Vec<String>) {
        match (a, b) {
            (Value::Object(x), Value::Object(y)) if x.len() == y.len() => {
                for (name, v) in x {
                    walk(v, &b[name], &format!("{path}/{name}"), found);
                }
            }
            (Value::Array(x), Value::Array(y)) if x.len() == y.len() => {
                for k in 0..x.len() {
                    walk(&a[k], &b[k], &format!("{path}/{k}"), found);
                }
            }
            _ if a == b => {}
            (Value::Array(x), Value::Array(y)) => found.push(format!("{path}: {} and {} entries", x.len(), y.len())),
            _ => found.push(format!("{path}: {a} and {b}")),
        }
    }
    let [a, b] = [one, other].map(|w| serde_json::from_str(&w.snapshot().to_json()).unwrap_or(Value::Null));
    let mut found = Vec::new();
    walk(&a, &b, "", &mut found);
    found.truncate(5);
    found.join(", ")
}

impl Run {
    fn begin(self, threads: usize) -> Habitat {
        Habitat::new(self.seed, self.paradigm, threads, self.calls)
    }

    /// The plain run of so many steps, or until one fails.
    pub(crate) fn plain(self, steps: usize) -> Vec<Left> {
        let mut habitat = self.begin(1);
        let mut all = Vec::new();
        for step in 0..steps {
            habitat.calls(step);
            let left = habitat.step().map(|()| habitat.world.snapshot().to_bytes());
            all.push(left);
            if all.last().is_some_and(Result::is_err) {
                break;
            }
        }
        all
    }

    /// The plain run after a step.
    fn plain_until(self, last: usize) -> Habitat {
        let mut habitat = self.begin(1);
        for step in 0..=last {
            habitat.calls(step);
            let _ = habitat.step();
        }
        habitat
    }

    /// The same run by a detour: the first step that leaves something else than in the plain run, and the world after it; and the number of steps made.
    pub(crate) fn compare(self, plain: &[Left], detour: Detour) -> (Option<(usize, String)>, u64) {
        let mut habitat = self.begin(if detour == Detour::Threads { 2 } else { 1 });
        let mut steps = 0;
        for (step, before) in plain.iter().enumerate() {
            habitat.calls(step);
            if let Err(refused) = self.go_round(&mut habitat, detour, step, &mut steps) {
                return (Some((step, refused)), steps);
            }
            let left = habitat.step().map(|()| habitat.world.snapshot().to_bytes());
            steps += 1;
            if left != *before {
                let told = left.err().unwrap_or_else(|| differing(&self.plain_until(step).world, &habitat.world));
                return (Some((step, told)), steps);
            }
        }
        (None, steps)
    }

    /// Makes the detour before a step.
    fn go_round(self, habitat: &mut Habitat, detour: Detour, step: usize, steps: &mut u64) -> Result<(), String> {
        let snapshot = habitat.world.snapshot();
        let ahead = match detour {
            Detour::Far if step.is_multiple_of(4) => 3,
            Detour::Fresh if step % 11 == 5 => 0,
            Detour::Again | Detour::Threads | Detour::Far | Detour::Fresh => return Ok(()),
            _ => 1,
        };
        for _ in 0..ahead {
            *steps += 1;
            // also a failed step is taken back
            let _ = habitat.step();
        }
        if detour == Detour::Fresh {
            let mut other = self.begin(1);
            for step in 0..=step {
                other.calls(step);
            }
            *habitat = other;
        }
        let read = |bytes: &[u8]| habitat.world.read_snapshot(bytes).map_err(|e| format!("not read: {e}"));
        let read: Snapshot = match detour {
            Detour::Bytes | Detour::Fresh => read(&snapshot.to_bytes())?,
            #[cfg(feature = "json")]
            Detour::Json => read(snapshot.to_json().as_bytes())?,
            _ => snapshot,
        };
        habitat.world.restore(&read).map_err(|e| format!("not restored: {e}"))
    }

    /// Compares a run with all of its detours. Returns what differs, in words, and the number of steps made.
    pub(crate) fn check(self) -> (Vec<String>, u64) {
        let named = |what: &str| format!("{} with seed {}, {what}", self.paradigm.name, self.seed);
        let caught = |e: Box<dyn std::any::Any + Send>| {
            let said = e.downcast_ref::<String>().cloned();
            named(&format!(
                "panic: {}",
                said.or_else(|| Some((*e.downcast_ref::<&str>()?).to_owned())).unwrap_or_default()
            ))
        };
        let plain = match catch_unwind(AssertUnwindSafe(|| self.plain(STEPS))) {
            Ok(plain) => plain,
            Err(panic) => return (vec![caught(panic)], 0),
        };
        let mut steps = plain.len() as u64;
        let mut found = Vec::new();
        for &detour in Detour::ALL {
            match catch_unwind(AssertUnwindSafe(|| self.compare(&plain, detour))) {
                Ok((difference, made)) => {
                    steps += made;
                    found.extend(difference.map(|(step, told)| named(&format!("by {detour:?}, step {step}: {told}"))));
                }
                Err(panic) => found.push(caught(panic)),
            }
        }
        (found, steps)
    }
}
