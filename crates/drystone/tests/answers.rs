//! What a constraint solver may answer (velocities, displacements over the step, accelerations), and which time controls it fits.

use drystone::core::{
    BodyFrame, ConstraintSolver, DetectMode, Executor, GroupAnswer, GroupProblem, Kernel, Levels, Resolves, Restore,
    Save, Scope, SolveReport, Step, StepFailure, TimeControl, TimeReport,
};
use drystone::prelude::*;
use drystone::{ModuleChoice, ModuleKind, WorldBuilder};
use std::sync::atomic::{AtomicUsize, Ordering};

const H: f64 = 0.01;

/// A block on a floor.
fn world(build: impl FnOnce(WorldBuilder) -> WorldBuilder) -> (World, BodyId) {
    let mut world = build(World::builder()).build().unwrap();
    world.add(Body::fixed(Shape::cuboid(5.0, 0.5, 5.0).unwrap()).at([0.0, -0.5, 0.0])).unwrap();
    let block = world.add(Body::dynamic(Shape::cuboid(0.5, 0.5, 0.5).unwrap()).mass(2.0).at([0.0, 0.5, 0.0])).unwrap();
    (world, block)
}

/// Position-based dynamics in its simplest form: predicted positions are moved out of overlap contact by
/// contact, and velocities follow from the displacements. Bodies are treated as points that do not turn.
#[derive(Clone, Copy)]
struct PositionBased;

impl ConstraintSolver for PositionBased {
    fn name(&self) -> &'static str {
        "position-based"
    }

    fn levels(&self) -> Levels {
        Levels::VELOCITY
    }

    fn resolves(&self) -> Resolves {
        Resolves { restitution: true, positions: true, instants: false }
    }

    fn solve(
        &mut self,
        problem: &GroupProblem,
        step: Step,
        _executor: &dyn Executor,
        answer: &mut GroupAnswer,
    ) -> SolveReport {
        let way = problem.bodies.iter().map(|b| Twist::new((b.velocity + b.external).linear * step.h, Vec3::ZERO));
        answer.displacement.extend(way);
        for _ in 0..50 {
            for c in &problem.contacts {
                let [a, b] = c.bodies.map(|i| i as usize);
                let weights = [a, b].map(|i| problem.bodies[i].inverse_mass);
                let gap = c.separation + c.normal.dot(answer.displacement[b].linear - answer.displacement[a].linear);
                let push = -gap.min(0.0) / (weights[0] + weights[1]);
                answer.displacement[a].linear -= c.normal * (push * weights[0]);
                answer.displacement[b].linear += c.normal * (push * weights[1]);
            }
        }
        for (i, b) in problem.bodies.iter().enumerate().filter(|(_, b)| b.is_movable()) {
            answer.velocity[i] = Twist::new(answer.displacement[i].linear / step.h, b.velocity.angular);
        }
        SolveReport::default()
    }

    fn fork(&self) -> Box<dyn ConstraintSolver> {
        Box::new(*self)
    }
}

#[test]
fn a_solver_of_positions_runs_in_a_world() {
    let (mut world, block) = world(|b| b.constraint_solver(PositionBased));
    world.set_pose(block, Vec3::Y * 0.8, Quat::IDENTITY).unwrap();
    for k in 0..200 {
        world.advance(H).unwrap();
        // the block stays out of the floor to rounding in the very step that reaches it, without a corrector or slop
        assert!(world.position(block).unwrap().y > 0.5 - 1e-12, "step {k}");
    }
    assert!(
        (world.position(block).unwrap().y - 0.5).abs() < 1e-12 && world.velocity(block).unwrap().linear.length() < 1e-9
    );
}

/// Moves bodies with contacts by a fixed displacement per step, if `displaces`, whatever velocity it returns for them.
#[derive(Clone, Copy)]
struct Conveyor {
    displaces: bool,
}

const WAY: Twist = Twist { linear: Vec3::new(0.02, 0.0, 0.01), angular: Vec3::new(0.0, 0.03, 0.0) };

impl ConstraintSolver for Conveyor {
    fn name(&self) -> &'static str {
        "conveyor"
    }

    fn resolves(&self) -> Resolves {
        Resolves { restitution: true, positions: true, instants: false }
    }

    fn solve(
        &mut self,
        problem: &GroupProblem,
        _step: Step,
        _executor: &dyn Executor,
        answer: &mut GroupAnswer,
    ) -> SolveReport {
        for (body, velocity) in problem.bodies.iter().zip(&mut answer.velocity).filter(|(b, _)| b.is_movable()) {
            *velocity = Twist::new(Vec3::Z * 0.1, body.velocity.angular);
        }
        if self.displaces {
            answer.displacement.resize(problem.bodies.len(), WAY);
        }
        SolveReport::default()
    }

    fn fork(&self) -> Box<dyn ConstraintSolver> {
        Box::new(*self)
    }
}

/// Solves once and drifts in two parts; with `again` the last part is taken back and repeated.
struct InParts {
    parts: [f64; 2],
    again: bool,
}

impl TimeControl for InParts {
    fn name(&self) -> &'static str {
        "in-parts"
    }

    fn advance(&mut self, kernel: &mut dyn Kernel, h: f64) -> Result<TimeReport, StepFailure> {
        kernel.detect(Scope::All, DetectMode::default())?;
        kernel.solve(Scope::All, h, h)?;
        kernel.drift(Scope::All, self.parts[0] * h)?;
        let middle = kernel.save(Scope::All, Save::Motion);
        kernel.drift(Scope::All, self.parts[1] * h)?;
        if self.again {
            kernel.restore(Scope::All, middle, Restore::All);
            kernel.drift(Scope::All, self.parts[1] * h)?;
        }
        kernel.set_time(kernel.time() + h);
        Ok(TimeReport::default())
    }
}

#[test]
fn a_way_in_the_answer_takes_the_place_of_the_drift() {
    for (parts, again) in [([0.5, 0.5], false), ([0.3, 0.7], true), ([1.0, 0.0], true)] {
        let control = |displaces| {
            let (mut world, block) =
                world(|b| b.constraint_solver(Conveyor { displaces }).time_control(InParts { parts, again }));
            world.advance(H).unwrap();
            (world.pose(block).unwrap(), world.velocity(block).unwrap())
        };
        let (moved, velocity) = control(true);
        assert!((moved.position - (Vec3::Y * 0.5 + WAY.linear)).length() < 1e-15, "{parts:?}: {}", moved.position);
        let turned = Quat::from_scaled_axis(WAY.angular);
        assert!(moved.orientation.angle_between(turned) < 1e-7, "{parts:?}: {}", moved.orientation);
        assert_eq!(velocity.linear, Vec3::Z * 0.1);
        // the negative control: without a displacement the block goes where its velocity takes it
        let (drifted, _) = control(false);
        assert!((drifted.position - Vec3::new(0.0, 0.5, 0.1 * H)).length() < 1e-15, "{}", drifted.position);
    }
    // a displacement is used up by its step: a body that no longer touches anything moves by its velocity again
    let (mut world, block) = world(|b| b.constraint_solver(Conveyor { displaces: true }));
    world.advance(H).unwrap();
    world.set_pose(block, Vec3::Y * 3.0, Quat::IDENTITY).unwrap();
    world.set_velocity(block, Twist::new(Vec3::X, Vec3::ZERO)).unwrap();
    world.advance(H).unwrap();
    assert!((world.position(block).unwrap().x - H).abs() < 1e-12);
}

/// Halves all velocities in each step, by accelerations.
#[derive(Clone, Copy)]
struct Still;

impl ConstraintSolver for Still {
    fn name(&self) -> &'static str {
        "still"
    }

    fn levels(&self) -> Levels {
        Levels::ACCELERATION
    }

    fn solve(
        &mut self,
        problem: &GroupProblem,
        step: Step,
        executor: &dyn Executor,
        answer: &mut GroupAnswer,
    ) -> SolveReport {
        assert_eq!(step.level, drystone::core::Level::Acceleration);
        let stop = |b: &drystone::core::GroupBody| Twist::ZERO - b.velocity * (0.5 / step.h);
        answer.acceleration.extend(problem.bodies.iter().map(stop));
        // the executor does each piece of work once, whatever the number of threads
        let done: [AtomicUsize; 3] = Default::default();
        let [mut one, mut two, mut three] = [0, 1, 2].map(|i| {
            let done = &done;
            move || {
                done[i].fetch_add(i + 1, Ordering::Relaxed);
            }
        });
        executor.run(&mut [&mut one, &mut two, &mut three]);
        assert_eq!(done.map(AtomicUsize::into_inner), [1, 2, 3]);
        SolveReport::default()
    }

    fn fork(&self) -> Box<dyn ConstraintSolver> {
        Box::new(*self)
    }
}

/// A time control that asks for accelerations.
struct Accelerating;

impl TimeControl for Accelerating {
    fn name(&self) -> &'static str {
        "accelerating"
    }

    fn needs(&self) -> Levels {
        Levels::ACCELERATION
    }

    fn advance(&mut self, kernel: &mut dyn Kernel, h: f64) -> Result<TimeReport, StepFailure> {
        kernel.detect(Scope::All, DetectMode::default())?;
        kernel.solve(Scope::All, h, h)?;
        kernel.drift(Scope::All, h)?;
        kernel.set_time(kernel.time() + h);
        Ok(TimeReport::default())
    }
}

#[test]
fn accelerations_change_velocities_by_the_step() {
    for threads in [1, 2] {
        let (mut world, block) = world(|b| b.constraint_solver(Still).time_control(Accelerating).threads(threads));
        world.set_velocity(block, Twist::new(Vec3::X, Vec3::ZERO)).unwrap();
        for halved in [0.5, 0.25, 0.125] {
            world.advance(H).unwrap();
            assert!((world.velocity(block).unwrap().linear.x - halved).abs() < 1e-15);
        }
    }
}

#[test]
fn a_solver_that_does_not_fit_its_time_control_is_refused_by_name() {
    let refused = World::builder().constraint_solver(Still).build().map(drop).unwrap_err();
    let words = "time control 'fixed' asks for velocities, constraint solver 'still' solves for accelerations";
    assert_eq!(refused.to_string(), words);
    assert!(matches!(refused, WorldError::Levels { constraint_solver: "still", .. }));
    assert!(World::builder().time_control(Accelerating).build().is_err());
    // so is a later change of paradigm, if its modules do not fit those that stay
    let (mut world, _) = world(|b| b.constraint_solver(Still).time_control(Accelerating));
    let fixed = ModuleChoice { kind: ModuleKind::TimeControl, name: Some("fixed".into()), settings: Vec::new() };
    assert!(matches!(world.set_paradigm(Paradigm::VELOCITY_LCP, &[fixed]), Err(WorldError::Levels { .. })));
    world.set_paradigm(Paradigm::VELOCITY_LCP, &[]).unwrap();
    world.advance(H).unwrap();
}

/// Evaluates its group at other poses, and leaves all velocities as they are.
#[derive(Clone, Copy)]
struct Asking;

impl ConstraintSolver for Asking {
    fn name(&self) -> &'static str {
        "asking"
    }

    fn solve(
        &mut self,
        problem: &GroupProblem,
        _step: Step,
        _executor: &dyn Executor,
        answer: &mut GroupAnswer,
    ) -> SolveReport {
        let poses: Vec<Pose> = problem.bodies.iter().map(|b| b.pose).collect();
        let mut gaps = Vec::new();
        problem.gaps_at(&poses, &mut gaps);
        for (gap, c) in gaps.iter().zip(&problem.contacts) {
            assert!((gap - c.separation).abs() < 1e-12, "{gap} against {}", c.separation);
        }
        // all movable bodies are lifted by 1 cm and turned about the vertical: gaps to the fixed
        // ground grow by that much, gaps between bodies that move together stay as they were
        let turn = Quat::from_rotation_y(0.3);
        let lifted = |b: &drystone::core::GroupBody| {
            let place = turn * b.pose.position + Vec3::Y * 0.01;
            if b.is_movable() { Pose::new(place, turn * b.pose.orientation) } else { b.pose }
        };
        let poses: Vec<Pose> = problem.bodies.iter().map(lifted).collect();
        gaps.clear();
        problem.gaps_at(&poses, &mut gaps);
        for (gap, c) in gaps.iter().zip(&problem.contacts) {
            let moved = c.bodies.map(|i| problem.bodies[i as usize].is_movable());
            let higher = if moved == [true; 2] { 0.0 } else { 0.01 };
            assert!((gap - c.separation - higher).abs() < 1e-12, "{moved:?}: {gap} after {}", c.separation);
        }
        for joint in &problem.joints {
            let frames =
                |poses: &[Pose]| joint.bodies.map(|i| BodyFrame { pose: poses[i as usize], velocity: Twist::ZERO });
            let here: Vec<Pose> = problem.bodies.iter().map(|b| b.pose).collect();
            let mut rows = Vec::new();
            let [a, b] = frames(&here);
            problem.rows_at(joint, [&a, &b], &mut rows);
            let own = &problem.rows[joint.rows.start as usize..joint.rows.end as usize];
            assert_eq!(rows.len(), own.len());
            assert!(rows.iter().zip(own).all(|(r, o)| r.jacobian == o.row.jacobian && r.error == o.row.error));
            // a ball joint between a lifted body and the world is off by the way of its anchor
            rows.clear();
            let [a, b] = frames(&poses);
            problem.rows_at(joint, [&a, &b], &mut rows);
            let off: f64 = rows.iter().map(|r| r.error * r.error).sum();
            let arm = turn * Vec3::Y * 0.5 - Vec3::Y * 0.5 + Vec3::Y * 0.01;
            assert!((off.sqrt() - arm.length()).abs() < 1e-9, "{}", off.sqrt());
        }
        for (velocity, b) in answer.velocity.iter_mut().zip(&problem.bodies) {
            *velocity = b.velocity;
        }
        SolveReport::default()
    }

    fn fork(&self) -> Box<dyn ConstraintSolver> {
        Box::new(*self)
    }
}

#[test]
fn a_group_can_be_asked_at_other_poses() {
    let (mut world, block) = world(|b| b.constraint_solver(Asking));
    let cube = Body::dynamic(Shape::cuboid(0.5, 0.5, 0.5).unwrap()).mass(1.0).at([0.0, 1.5, 0.0]);
    world.add(cube).unwrap();
    let hung = Body::dynamic(Shape::sphere(0.1).unwrap()).mass(1.0).at([0.0, 8.0, 0.0]);
    let hung = world.add(hung).unwrap();
    let d = drystone_joints::JointDescription {
        anchor: Some(Vec3::Y * 8.5),
        ..drystone_joints::JointDescription::new("ball")
    };
    let pose = world.pose(hung).unwrap();
    let joint = drystone_joints::build(&d, &Pose::IDENTITY, &pose).unwrap();
    world.add_joint([None, Some(hung)], joint).unwrap();
    for _ in 0..3 {
        let report = world.advance(H).unwrap();
        assert!(report.calls.contacts >= 8, "{}", report.calls.contacts);
    }
    assert_eq!(world.position(block).unwrap(), Vec3::Y * 0.5);
}
