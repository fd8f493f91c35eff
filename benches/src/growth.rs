//! How time and memory grow with the number of bodies, beside rapier.

use crate::drystone_engine::{DrystoneEngine, Variant};
use crate::rapier::{RapierDouble, RapierSingle};
use crate::scenes::{Family, Scene};
use crate::{Clock, Engine, EngineError, Sleep, Watch, median};

/// The engines, in the order of the figures.
pub const ENGINES: [&str; 3] = ["drystone", "rapier-f64", "rapier-f32"];

/// Rounds of a measurement, the engines in turn.
const ROUNDS: usize = 5;

/// What a scene takes in each of [`ENGINES`].
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// The family of the scene.
    pub family: &'static str,
    /// Bodies of the scene.
    pub bodies: usize,
    /// Seconds of a processor per step.
    pub step: [f64; 3],
    /// Memory in use per body after the warm-up (bytes).
    pub bytes: [f64; 3],
}

/// Builds an engine with a scene.
type Maker<'a> = dyn Fn(&Scene) -> Result<Box<dyn Engine>, EngineError> + 'a;

/// Steps a scene of a family in all engines; `live` tells how much memory the process has in use (bytes).
///
/// # Errors
/// Where an engine gives up.
pub fn measure(
    (family, bodies): (&Family, u32),
    variant: &Variant,
    steps: usize,
    live: &dyn Fn() -> usize,
) -> Result<Row, EngineError> {
    let scene = family.scene(bodies);
    let sleep = if family.sleeps { Sleep::ByDefault } else { Sleep::Never };
    let variant = if family.sleeps { variant.sleeping() } else { variant.clone() };
    let makers: [&Maker<'_>; 3] = [
        &|scene| Ok(Box::new(DrystoneEngine::new(&variant, scene)?)),
        &|scene| Ok(Box::new(RapierDouble::new(scene, sleep))),
        &|scene| Ok(Box::new(RapierSingle::new(scene, sleep))),
    ];
    let count = scene.pieces.len();
    let (mut engines, mut bytes) = (Vec::new(), [0.0; 3]);
    let warm_up = scene.warm_up.min(steps.max(2));
    let warm_up = if family.sleeps && steps > 2 { scene.warm_up } else { warm_up };
    for (make, bytes) in makers.iter().zip(&mut bytes) {
        let before = live();
        let mut engine = make(&scene)?;
        for _ in 0..warm_up {
            engine.step()?;
        }
        engine.warmed_up();
        *bytes = live().saturating_sub(before) as f64 / count as f64;
        engines.push(engine);
    }
    let mut rounds = [const { Vec::new() }; 3];
    for _ in 0..ROUNDS {
        for (engine, rounds) in engines.iter_mut().zip(&mut rounds) {
            // the first step finds the caches as another engine left them
            engine.step()?;
            let watch = Watch::start(Clock::Processor);
            for _ in 0..steps {
                engine.step()?;
            }
            rounds.push(watch.seconds() / steps as f64);
        }
    }
    let step = rounds.map(|rounds| median(&rounds).unwrap_or(f64::NAN));
    Ok(Row { family: family.name, bodies: count, step, bytes })
}

/// The power of the number of bodies with which a figure grows from one row to another.
pub fn slope(rows: [&Row; 2], figure: impl Fn(&Row) -> f64) -> f64 {
    let [from, to] = rows;
    (figure(to) / figure(from)).ln() / (to.bodies as f64 / from.bodies as f64).ln()
}

/// The head of a table of rows.
pub const HEAD: &str = "| scene | bodies | ms per step | slope | x rapier-f64 | x rapier-f32 | bytes per body | x rapier-f64 |\n\
|---|---|---|---|---|---|---|---|";

/// A row of the table; `before` is that of the same family with fewer bodies.
pub fn line(row: &Row, before: Option<&Row>) -> String {
    let slope = before.map_or("-".to_owned(), |before| format!("{:.2}", slope([before, row], |row| row.step[0])));
    format!(
        "| {} | {} | {:.4} | {slope} | {:.2} | {:.2} | {:.0} | {:.2} |",
        row.family,
        row.bodies,
        1e3 * row.step[0],
        row.step[0] / row.step[1],
        row.step[0] / row.step[2],
        row.bytes[0],
        row.bytes[0] / row.bytes[1],
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenes::Family;

    #[test]
    fn every_family_grows_and_steps() {
        for family in &Family::ALL {
            let small = family.scene(120);
            let large = family.scene(480);
            assert!(large.pieces.len() >= 2 * small.pieces.len(), "{}", family.name);
            let row = measure((family, 120), &Variant::named("own", drystone::Paradigm::REAL_TIME), 1, &|| 0).unwrap();
            assert!(row.step.iter().all(|s| *s >= 0.0), "{row:?}");
            assert_eq!(
                line(&row, Some(&row)).matches('|').count(),
                HEAD.lines().next().unwrap_or_default().matches('|').count()
            );
        }
    }

    #[test]
    fn a_slope_is_a_power() {
        let row = |bodies: usize, step: f64| Row { family: "x", bodies, step: [step; 3], bytes: [0.0; 3] };
        let quadratic = slope([&row(100, 1.0), &row(1000, 100.0)], |row| row.step[1]);
        assert!((quadratic - 2.0).abs() < 1e-12);
    }
}
