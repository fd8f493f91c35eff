//! The order in which a step calls modules and evaluates scripts (M-15, A-17).

use drystone::prelude::*;
use drystone_core::{Module, ScriptedState, StepObserver};
use drystone_motion::script::FunctionOfTime;
use std::sync::{Arc, Mutex};

/// One recorded call: of a module, or of a script for a time (s).
#[derive(Debug, Clone, Copy, PartialEq)]
enum Asked {
    Module(Module),
    Script(f64),
}

#[derive(Clone, Default)]
struct Trace(Arc<Mutex<Vec<Asked>>>);

impl StepObserver for Trace {
    fn call(&mut self, _: Module, to: Module) {
        self.0.lock().unwrap().push(Asked::Module(to));
    }
}

#[test]
fn scripts_say_where_their_bodies_are_before_anything_looks_or_pushes() {
    // M-15: scripts are evaluated for the start of a step before detection and solve, and for its end before the step is over
    const H: f64 = 0.01;
    for preset in [Paradigm::VELOCITY_LCP, Paradigm::LOAD_PROPAGATION, Paradigm::REAL_TIME, Paradigm::MECHANISM] {
        let mut world = World::builder().paradigm(preset).build().unwrap();
        let lift = world.add(Body::scripted(Shape::cuboid(2.0, 0.1, 2.0).unwrap())).unwrap();
        let (trace, seen) = (Trace::default(), Trace::default());
        let told = seen.clone();
        let motion = FunctionOfTime(move |t: f64| {
            told.0.lock().unwrap().push(Asked::Script(t));
            ScriptedState {
                pose: Pose::from_position(Vec3::Y * t),
                velocity: Twist::new(Vec3::Y, Vec3::ZERO),
                acceleration: Twist::ZERO,
            }
        });
        world.add_script(lift, motion).unwrap();
        let cube = Body::dynamic(Shape::cuboid(0.5, 0.5, 0.5).unwrap()).at([0.0, 0.6, 0.0]);
        let cube = world.add(cube).unwrap();
        world.observe(Some(Box::new(Shared { trace: trace.clone(), scripts: seen.clone() })));
        for _ in 0..20 {
            world.advance(H).unwrap();
        }
        trace.0.lock().unwrap().clear();
        seen.0.lock().unwrap().clear();
        let start = world.time();
        world.advance(H).unwrap();
        let calls = trace.0.lock().unwrap().clone();
        let place = |wanted: fn(&Asked) -> bool| calls.iter().position(wanted);
        let first_script = place(|a| matches!(a, Asked::Script(_))).unwrap();
        let detection = place(|a| *a == Asked::Module(Module::BroadPhase)).unwrap();
        let solve = place(|a| *a == Asked::Module(Module::ConstraintSolver)).unwrap();
        assert!(first_script < detection && detection < solve, "{}: {calls:?}", preset.name);
        let times: Vec<f64> = calls
            .iter()
            .chain(seen.0.lock().unwrap().iter())
            .filter_map(|a| if let Asked::Script(t) = a { Some(*t) } else { None })
            .collect();
        assert!((times[0] - start).abs() < 1e-12, "{}: {times:?}", preset.name);
        assert!(times.iter().any(|t| (t - start - H).abs() < 1e-12), "{}: {times:?}", preset.name);
        // and the cube rides up with the lift
        let rise = world.velocity(cube).unwrap().linear.y;
        assert!((rise - 1.0).abs() < 0.02, "{}: {rise}", preset.name);
    }
}

/// An observer that, at each call of a module, first records the script evaluations since the previous call.
struct Shared {
    trace: Trace,
    scripts: Trace,
}

impl StepObserver for Shared {
    fn call(&mut self, from: Module, to: Module) {
        self.trace.0.lock().unwrap().append(&mut self.scripts.0.lock().unwrap());
        self.trace.call(from, to);
    }
}
