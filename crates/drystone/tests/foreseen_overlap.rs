//! Overlap that a solve foresees is removed by the projection right after its step, and by no other one.

use drystone::core::{DetectMode, Kernel, Restore, Save, Scope, StepFailure, TimeControl, TimeReport};
use drystone::prelude::*;

const H: f64 = 1.0 / 60.0;

/// What a step does between its solve and its projection.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Between {
    /// Only a drift, as it should be.
    Drift,
    /// Something else too, as in all that follow.
    Detection,
    Return,
    HalfSteps,
    Prediction,
    AnotherSolve,
}

/// Fixed steps; `asks` says whether they announce that a projection will follow.
#[derive(Debug, Clone, Copy)]
struct Steps {
    asks: bool,
    between: Between,
}

impl TimeControl for Steps {
    fn name(&self) -> &'static str {
        "steps"
    }

    fn advance(&mut self, kernel: &mut dyn Kernel, dt: f64) -> Result<TimeReport, StepFailure> {
        let mut report = TimeReport::default();
        let mode = DetectMode { look_ahead: dt, ..DetectMode::default() };
        report.detected(&kernel.detect(Scope::All, mode)?);
        if self.asks {
            kernel.expect_projection();
        }
        report.solve.merge(&kernel.solve(Scope::All, dt, dt)?);
        match self.between {
            Between::HalfSteps => {
                kernel.drift(Scope::All, 0.5 * dt)?;
                kernel.drift(Scope::All, 0.5 * dt)?;
            }
            Between::AnotherSolve => {
                kernel.solve(Scope::All, 0.0, dt)?;
                kernel.drift(Scope::All, dt)?;
            }
            _ => kernel.drift(Scope::All, dt)?,
        }
        match self.between {
            Between::Detection => {
                kernel.detect(Scope::All, mode)?;
            }
            Between::Return => {
                let here = kernel.save(Scope::All, Save::Contacts);
                kernel.restore(Scope::All, here, Restore::All);
                kernel.release(here);
            }
            Between::Prediction => kernel.predict(Scope::All, 0.0)?,
            _ => {}
        }
        report.correction.merge(&kernel.project(Scope::All)?);
        kernel.set_time(kernel.time() + dt);
        report.sub_steps += 1;
        Ok(report)
    }
}

/// 256 balls on a floor, a few millimetres deep in it and in each other, that move in different directions, in a world with `threads` threads.
fn raft(steps: Option<Steps>, threads: usize) -> World {
    let builder = World::builder().paradigm(Paradigm::REAL_TIME).threads(threads);
    let builder = match steps {
        Some(steps) => builder.time_control(steps),
        None => builder,
    };
    let mut world = builder.build().unwrap();
    let floor = Body::fixed(Shape::cuboid(50.0, 1.0, 50.0).unwrap()).at([0.0, -1.0, 0.0]);
    world.add(floor).unwrap();
    for i in 0..16_u32 {
        for k in 0..16_u32 {
            let n = f64::from(i * 16 + k);
            let (x, z) = (0.499 * f64::from(i), 0.499 * f64::from(k));
            let ball = Body::dynamic(Shape::sphere(0.25).unwrap()).at([x, 0.247, z]);
            world.add(ball.linear_velocity([(2.0 * n).sin(), 0.0, (3.0 * n).cos()])).unwrap();
        }
    }
    world
}

/// After `count` steps: the positions of all bodies, how many groups were corrected in the last step, and the deepest overlap (m).
fn after(steps: Option<Steps>, count: usize, threads: usize) -> (Vec<Vec3>, u64, f64) {
    let mut world = raft(steps, threads);
    let mut corrected = 0;
    for _ in 0..count {
        corrected = world.advance(H).unwrap().calls.correction.lcp.solves;
    }
    let places = world.bodies().iter().map(|body| world.position(*body).unwrap()).collect();
    (places, corrected, world.penetration().unwrap())
}

#[test]
fn it_is_used_where_nothing_is_in_between() {
    for between in [
        Between::Drift,
        Between::Detection,
        Between::Return,
        Between::HalfSteps,
        Between::Prediction,
        Between::AnotherSolve,
    ] {
        let [asked, unasked] = [true, false].map(|asks| after(Some(Steps { asks, between }), 1, 1));
        assert_eq!(asked.0 == unasked.0, between != Between::Drift, "{between:?}");
        assert!(asked.1 == 1 && unasked.1 == 1, "{between:?}: the group is corrected once, by whoever knows how");
        assert!(asked.2 < 1.1 * unasked.2, "{between:?}: {} {}", asked.2, unasked.2);
    }
}

#[test]
fn a_pile_that_moves_comes_out_of_its_overlap_on_any_number_of_threads() {
    let (one, _, left) = after(None, 60, 1);
    assert_eq!(one, after(None, 60, 3).0);
    // the control: it is as good as detecting again at the end of each step
    let (other, _, left_otherwise) = after(Some(Steps { asks: false, between: Between::Drift }), 60, 1);
    assert_ne!(one, other);
    assert!(left < 1.5 * left_otherwise + 1e-4, "{left} {left_otherwise}");
}

/// A moving pile, whose overlap the solve foresees, and a single ball at rest in
/// the floor, whose overlap is measured afterwards: one projection removes both.
#[test]
fn groups_of_which_it_is_not_said_are_corrected_beside_those_of_which_it_is() {
    let after = |asks: bool| {
        let mut world = raft(Some(Steps { asks, between: Between::Drift }), 1);
        let alone = Body::dynamic(Shape::sphere(0.25).unwrap()).at([-20.0, 0.247, 0.0]);
        let alone = world.add(alone).unwrap();
        let corrected = world.advance(H).unwrap().calls.correction.lcp.solves;
        (corrected, world.position(alone).unwrap().y, world.position(world.bodies()[1]).unwrap())
    };
    let [said, seen] = [true, false].map(after);
    assert!(said.0 == 2 && seen.0 == 2, "both groups are corrected: {} {}", said.0, seen.0);
    assert!((said.1 - 0.25).abs() < 1e-5 && said.1 == seen.1, "the ball alone is lifted: {} {}", said.1, seen.1);
    assert_ne!(said.2, seen.2, "and the pile as its solve said");
}
