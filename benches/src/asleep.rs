//! What a step takes once a scene sleeps: every engine lets bodies sleep by its own policy.

use crate::scenes::{STEPS_PER_SECOND, Scene};
use crate::{Clock, Engine, EngineError, Watch, median};

/// Rounds of the measurement, the engines in turn.
const ROUNDS: usize = 21;

/// Steps of a round where all sleep: the clock is asked twice in a round, and takes as long as a step.
const STEPS_ASLEEP: usize = 200;

/// Steps of a round where somebody is awake.
const STEPS_AWAKE: usize = 10;

/// What a scene takes in one engine.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Row {
    /// Moving bodies of the scene.
    pub moving: usize,
    /// How many of them sleep in the end.
    pub asleep: usize,
    /// Seconds of simulated time after which all slept, where they do.
    pub after: Option<f64>,
    /// Seconds of a processor per step then, and else at the end.
    pub step: f64,
}

/// Steps a scene in each engine until all bodies sleep, or for `most` steps, and measures what a step takes from there
/// on. A row per engine.
///
/// # Errors
/// Where an engine gives up.
pub fn measure(scene: &Scene, engines: &mut [Box<dyn Engine>], most: usize) -> Result<Vec<Row>, EngineError> {
    let moving = scene.moving().count();
    let mut after = Vec::new();
    for engine in engines.iter_mut() {
        let mut done = 0;
        while done < most && engine.asleep() < moving {
            engine.step()?;
            done += 1;
        }
        after.push((engine.asleep() == moving).then(|| done as f64 / STEPS_PER_SECOND as f64));
    }
    let mut rounds = vec![Vec::new(); engines.len()];
    for _ in 0..ROUNDS {
        for ((engine, rounds), after) in engines.iter_mut().zip(&mut rounds).zip(&after) {
            let count = if after.is_some() { STEPS_ASLEEP } else { STEPS_AWAKE };
            // what it notes of its steps fills the same memory in each round
            engine.warmed_up();
            // the first step finds the caches as another engine left them
            engine.step()?;
            let watch = Watch::start(Clock::Processor);
            for _ in 0..count {
                engine.step()?;
            }
            rounds.push(watch.seconds() / count as f64);
        }
    }
    let rows = engines.iter().zip(&rounds).zip(after);
    Ok(rows
        .map(|((engine, rounds), after)| Row {
            moving,
            asleep: engine.asleep(),
            after,
            step: median(rounds).unwrap_or(f64::NAN),
        })
        .collect())
}

impl core::fmt::Display for Row {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        let time = 1e6 * self.step;
        let decimals = if time < 10.0 { 2 } else { 0 };
        write!(f, "{time:.decimals$} | ")?;
        match self.after {
            _ if self.asleep < self.moving => write!(f, "{} of {}", self.asleep, self.moving),
            Some(after) => write!(f, "all {} after {after:.1} s", self.moving),
            // the last of them while it was measured
            None => write!(f, "all {} late", self.moving),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Sleep;
    use crate::drystone_engine::{DrystoneEngine, Variant};
    use crate::rapier::{RapierDouble, RapierSingle};

    fn engines(scene: &Scene, sleep: Sleep) -> [Box<dyn Engine>; 3] {
        let awake = Variant::named("own", drystone::Paradigm::REAL_TIME);
        let own = if sleep == Sleep::Never { awake } else { awake.sleeping() };
        [
            Box::new(DrystoneEngine::new(&own, scene).unwrap()),
            Box::new(RapierDouble::new(scene, sleep)),
            Box::new(RapierSingle::new(scene, sleep)),
        ]
    }

    #[test]
    fn a_column_falls_asleep_where_it_may() {
        let scene = Scene::by_name("column-10").unwrap();
        for row in measure(&scene, &mut engines(&scene, Sleep::ByDefault), 300).unwrap() {
            assert!(row.asleep == 10 && row.after.is_some() && row.step > 0.0, "{row}");
        }
        for row in measure(&scene, &mut engines(&scene, Sleep::Never), 60).unwrap() {
            assert!(row.asleep == 0 && row.after.is_none(), "{row}");
            assert!(format!("{row}").contains("0 of 10"));
        }
    }
}
