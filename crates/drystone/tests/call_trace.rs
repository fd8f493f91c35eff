//! Only the arrows of thesis Figure 2.3 occur between modules, and they occur in the order of the loop.

use drystone::prelude::*;
use drystone_core::{Module, StepObserver};
use std::sync::{Arc, Mutex};

#[derive(Clone, Default)]
struct Trace(Arc<Mutex<Vec<(Module, Module)>>>);

impl StepObserver for Trace {
    fn call(&mut self, from: Module, to: Module) {
        self.0.lock().unwrap().push((from, to));
    }
}

/// The arrows of A-12: none leads from the collision solver to detection.
/// Coherence analysis sits between the stages of detection (H-39), so each of them hands over to it.
const ARROWS: &[(Module, Module)] = &[
    (Module::User, Module::TimeControl),
    (Module::TimeControl, Module::MotionSolver),
    (Module::TimeControl, Module::BroadPhase),
    (Module::TimeControl, Module::CollisionSolver),
    (Module::TimeControl, Module::CoherenceAnalysis),
    (Module::MotionSolver, Module::ConstraintSolver),
    (Module::CollisionSolver, Module::MotionSolver),
    (Module::BroadPhase, Module::NarrowPhase),
    (Module::NarrowPhase, Module::ContactDetermination),
    (Module::BroadPhase, Module::CoherenceAnalysis),
    (Module::NarrowPhase, Module::CoherenceAnalysis),
    (Module::ContactDetermination, Module::CoherenceAnalysis),
];

#[test]
fn only_the_arrows_of_the_figure() {
    // H-14
    for paradigm in Paradigm::ALL {
        let mut world = World::builder().paradigm(*paradigm).build().unwrap();
        world.add(Body::fixed(Shape::plane(Vec3::Y, 0.0).unwrap())).unwrap();
        for i in 0..3 {
            let cube = Body::dynamic(Shape::cuboid(0.5, 0.5, 0.5).unwrap());
            world.add(cube.at([0.0, 0.5 + f64::from(i), 0.0])).unwrap();
        }
        let trace = Trace::default();
        world.observe(Some(Box::new(trace.clone())));
        world.advance(0.01).unwrap();
        let calls = trace.0.lock().unwrap();
        assert_eq!(calls.first(), Some(&(Module::User, Module::TimeControl)));
        for call in calls.iter() {
            assert!(ARROWS.contains(call), "{}: {} calls {}", paradigm.name, call.0, call.1);
        }
        // detection comes before forces, in this order of stages
        let place = |to: Module| calls.iter().position(|c| c.1 == to).unwrap();
        assert!(place(Module::BroadPhase) < place(Module::NarrowPhase));
        assert!(place(Module::NarrowPhase) < place(Module::ContactDetermination));
        // `impulse` works by impulses alone and never calls the constraint solver
        let forces = if paradigm.name == "impulse" { Module::CollisionSolver } else { Module::ConstraintSolver };
        assert!(place(Module::ContactDetermination) < place(forces));
    }
}
