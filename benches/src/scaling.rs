//! How the time of a step grows with the number of bodies, and what a second thread saves.

use crate::drystone_engine::{DrystoneEngine, Variant};
use crate::rapier::RapierSingle;
use crate::scenes::Scene;
use crate::{Clock, Engine, EngineError, Sleep, Watch, median};
use drystone::math::Pose;

/// Steps in a round.
const ROUND: usize = 5;

/// What a pile of balls of some size takes.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// Balls.
    pub balls: u32,
    /// Contacts at the end.
    pub contacts: usize,
    /// Seconds per step on one thread, of a processor.
    pub own: f64,
    /// The same of rapier in single precision.
    pub peer: f64,
    /// How many times as fast two threads are as one, by the wall.
    pub gain: f64,
    /// Whether one thread and two end at the same bits.
    pub same_bits: bool,
}

/// Runs a pile in three engines in turn, the first half of the steps unmeasured.
///
/// # Errors
/// Where a world cannot be built, or a step fails.
pub fn measure(variant: &Variant, balls: u32, steps: usize) -> Result<Row, EngineError> {
    let scene = Scene::balls("balls", balls);
    let mut engines: [Box<dyn Engine>; 3] = [
        Box::new(DrystoneEngine::on_threads(variant, &scene, 1)?),
        Box::new(DrystoneEngine::on_threads(variant, &scene, 2)?),
        Box::new(RapierSingle::new(&scene, Sleep::Never)),
    ];
    let (mut rounds, mut walls) = ([const { Vec::new() }; 3], [const { Vec::new() }; 3]);
    for done in (0..steps).step_by(ROUND) {
        let count = ROUND.min(steps - done);
        for ((engine, rounds), walls) in engines.iter_mut().zip(&mut rounds).zip(&mut walls) {
            let (watch, wall) = (Watch::start(Clock::Processor), Watch::start(Clock::Wall));
            for _ in 0..count {
                engine.step()?;
            }
            if 2 * done >= steps {
                rounds.push(watch.seconds() / count as f64);
                walls.push(wall.seconds());
            }
        }
    }
    let [own, _, peer] = rounds.map(|r| median(&r).unwrap_or(f64::NAN));
    let gains: Vec<f64> = walls[0].iter().zip(&walls[1]).map(|(one, two)| one / two).collect();
    let gain = median(&gains).unwrap_or(f64::NAN);
    let mut poses: [Vec<Pose>; 2] = Default::default();
    for (engine, poses) in engines.iter().zip(&mut poses) {
        engine.poses(poses);
    }
    let same_bits = poses[0] == poses[1];
    Ok(Row { balls, contacts: engines[0].contacts(), own, peer, gain, same_bits })
}

/// The head of a table of rows.
pub const HEAD: &str = "| balls | contacts | ms per step | µs per ball | rapier-f32, ms per step | x rapier-f32 | two threads, times as fast | same bits |\n\
|---|---|---|---|---|---|---|---|";

impl core::fmt::Display for Row {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(
            f,
            "| {} | {} | {:.2} | {:.2} | {:.2} | {:.2} | {:.2} | {} |",
            self.balls,
            self.contacts,
            1e3 * self.own,
            1e6 * self.own / f64::from(self.balls),
            1e3 * self.peer,
            self.own / self.peer,
            self.gain,
            if self.same_bits { "yes" } else { "NO" },
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_do_not_change_bits() {
        let row = measure(&Variant::named("own", drystone::Paradigm::REAL_TIME), 64, 20).unwrap();
        assert!(row.same_bits && row.contacts > 0, "{row}");
        assert_eq!(format!("{row}").matches('|').count(), HEAD.lines().next().unwrap_or_default().matches('|').count());
    }
}
