//! A scope selects, from all pairs of a detection, exactly those that it names.

use drystone::core::{BodyIndex, BodyPair, DetectMode, Kernel, Scope, StepFailure, TimeControl, TimeReport};
use drystone::prelude::*;
use std::sync::{Arc, Mutex};

type Pairs = Vec<BodyPair>;

/// All pairs, those in each body's scope, and those in each pair's scope.
#[derive(Debug, Clone, Default)]
struct Found {
    all: Pairs,
    bodies: Vec<Pairs>,
    pairs: Vec<Pairs>,
}

/// Detects pairs, and records them.
struct Look {
    found: Arc<Mutex<Found>>,
}

impl TimeControl for Look {
    fn name(&self) -> &'static str {
        "look"
    }

    fn advance(&mut self, kernel: &mut dyn Kernel, dt: f64) -> Result<TimeReport, StepFailure> {
        kernel.detect(Scope::All, DetectMode { look_ahead: dt, ..DetectMode::default() })?;
        let mut of = |scope| kernel.pairs(scope).iter().map(|r| r.pair).collect::<Pairs>();
        let all = of(Scope::All);
        let bodies = (0..5).map(|k| of(Scope::Body(BodyIndex(k)))).collect();
        let pairs = all.iter().map(|pair| of(Scope::Pair(*pair))).collect();
        *self.found.lock().unwrap() = Found { all, bodies, pairs };
        kernel.set_time(kernel.time() + dt);
        Ok(TimeReport::default())
    }
}

#[test]
fn a_body_has_the_pairs_that_it_is_in_and_a_pair_itself() {
    let found = Arc::new(Mutex::new(Found::default()));
    let mut world = World::builder().time_control(Look { found: Arc::clone(&found) }).build().unwrap();
    world.add(Body::fixed(Shape::plane(Vec3::Y, 0.0).unwrap())).unwrap();
    // three balls on the floor that touch each other, and one apart from them
    for [x, z] in [[0.0, 0.0], [1.0, 0.0], [0.5, 0.75_f64.sqrt()], [9.0, 0.0]] {
        world.add(Body::dynamic(Shape::sphere(0.5).unwrap()).at([x, 0.5, z])).unwrap();
    }
    world.advance(0.01).unwrap();
    let Found { all, bodies, pairs } = found.lock().unwrap().clone();
    assert_eq!(all.len(), 4 + 3, "{all:?}");
    for (k, own) in (0..).zip(&bodies) {
        let expected: Pairs = all.iter().filter(|p| p.a.0 == k || p.b.0 == k).copied().collect();
        assert_eq!(*own, expected, "body {k}");
    }
    for (pair, own) in all.iter().zip(&pairs) {
        assert_eq!(*own, [*pair]);
    }
}
