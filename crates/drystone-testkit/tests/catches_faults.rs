//! A suite is worth something only if it fails for a faulty implementation: each fault here
//! must be caught, and the same implementation without it must pass.

use drystone_core::{
    BodyFrame, BodyIndex, BodyPair, BroadPhase, BroadPhaseInput, CollisionSolver, Configuration, ConstraintRow,
    ConstraintSource, ContactSeed, DetectMode, GroupAnswer, GroupProblem, GroupRow, JointError, Kernel, MotionSolver,
    NarrowCache, NarrowPhase, PosedShape, Proximity, ResolveReport, Scope, State, StepFailure, TimeControl, TimeReport,
    UnsupportedPair, run_each,
};
use drystone_geometry::Shape;
use drystone_math::{Quat, Real, Twist, Vec3, Wrench};
use drystone_testkit::problem::{relative_velocity, rigid_row};
use drystone_testkit::{
    NarrowPhaseTolerance, SourceExpectations, brute_force, check_broad_phase, check_collision_solver,
    check_constraint_source, check_motion_solver, check_narrow_phase, check_time_control,
};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;

/// Which fault an implementation has; zero means none.
#[derive(Clone, Copy, PartialEq)]
struct Faulty(u32);

fn faults(count: u32, check: impl Fn(Faulty)) {
    check(Faulty(0));
    for fault in 1..=count {
        let caught = catch_unwind(AssertUnwindSafe(|| check(Faulty(fault)))).is_err();
        assert!(caught, "fault {fault} was not caught");
    }
}

impl BroadPhase for Faulty {
    fn name(&self) -> &'static str {
        "faulty"
    }
    fn find_pairs(&mut self, input: BroadPhaseInput<'_>, pairs: &mut Vec<BodyPair>) {
        *pairs = brute_force(input);
        match self.0 {
            1 => drop(pairs.pop()),
            2 => pairs.reverse(),
            3 => pairs.extend(pairs.first().copied()),
            4 => pairs.retain(|p| input.filters[p.a.at()].movable),
            5 => {
                // in the order in which pieces are done
                let done = Mutex::new(Vec::new());
                run_each(input.executor, pairs.chunks(512), |piece| done.lock().unwrap().extend_from_slice(piece));
                *pairs = done.into_inner().unwrap();
            }
            _ => {}
        }
    }
}

impl TimeControl for Faulty {
    fn name(&self) -> &'static str {
        "faulty"
    }
    fn advance(&mut self, kernel: &mut dyn Kernel, dt: Real) -> Result<TimeReport, StepFailure> {
        let t = kernel.time();
        if self.0 != 1 {
            kernel.detect(Scope::All, DetectMode::default())?;
        }
        let solved = kernel.solve(Scope::All, if self.0 == 2 { 0.5 * dt } else { dt }, dt);
        if self.0 != 3 {
            solved?;
        }
        kernel.drift(if self.0 == 4 { Scope::Free } else { Scope::All }, dt)?;
        if self.0 == 5 {
            kernel.drift(Scope::All, dt)?;
            kernel.drift(Scope::All, -dt)?;
        }
        kernel.set_time(if self.0 == 6 { t + 0.5 * dt + 0.499_999_999 * dt } else { t + dt });
        Ok(TimeReport::default())
    }
}

impl MotionSolver for Faulty {
    fn name(&self) -> &'static str {
        "faulty"
    }
    fn kick(
        &self,
        configuration: &Configuration,
        _state: &State,
        bodies: &[BodyIndex],
        wrenches: &[Wrench],
        h: Real,
        change: &mut [Twist],
    ) {
        for b in bodies.iter().map(|b| b.at()) {
            let mass = configuration.bodies[b].inverse_mass;
            let mass = if self.0 == 1 { 1.0 } else { mass };
            change[b] = Twist::new(wrenches[b].force * (mass * h), Vec3::ZERO);
        }
        if self.0 == 2 {
            change[3].linear = Vec3::NEG_Y * h;
        }
    }
    fn drift(&self, _configuration: &Configuration, state: &mut State, bodies: &[BodyIndex], h: Real) {
        for b in bodies.iter().map(|b| b.at()) {
            state.position[b] += state.linear_velocity[b] * h;
            let w = state.angular_velocity[b] * (0.5 * h);
            let q = state.orientation[b];
            let turned = q + Quat::from_xyzw(w.x, w.y, w.z, 0.0) * q;
            state.orientation[b] = if self.0 == 3 { turned } else { turned.normalize() };
        }
        if self.0 == 4 {
            state.position[2].x += h;
        }
        if self.0 == 5 {
            state.time += h;
        }
    }
}

impl NarrowPhase for Faulty {
    fn name(&self) -> &'static str {
        "faulty"
    }
    fn supports(&self, a: &Shape, b: &Shape) -> bool {
        matches!((a, b), (Shape::Sphere(_), Shape::Sphere(_)))
    }
    fn query(
        &self,
        a: PosedShape<'_>,
        b: PosedShape<'_>,
        envelope: Real,
        cache: &mut NarrowCache,
        _seeds: &mut Vec<ContactSeed>,
    ) -> Result<Proximity, UnsupportedPair> {
        let (ra, rb) = (a.shape.bounding_radius(), b.shape.bounding_radius());
        let d = b.pose.position - a.pose.position;
        let mut normal = d.normalize();
        let mut distance = d.length() - ra - rb;
        cache[0] += 1;
        match self.0 {
            1 => normal = -normal,
            2 => normal *= 1.1,
            3 => distance += 0.01 * ra,
            4 if cache[0] > 1 => distance += 0.1,
            5 => distance += 0.01 * a.pose.position.x,
            _ => {}
        }
        let witness_a = a.pose.position + normal * ra;
        let relation = Proximity::relation_of(if self.0 == 6 { 200.0 } else { distance }, envelope);
        Ok(Proximity {
            relation,
            distance,
            normal,
            witness_a,
            witness_b: witness_a + normal * distance,
            ..Proximity::default()
        })
    }
}

impl CollisionSolver for Faulty {
    fn name(&self) -> &'static str {
        "faulty"
    }
    fn resolve(&mut self, problem: &GroupProblem, _horizon: Real, answer: &mut GroupAnswer) -> ResolveReport {
        let mut report = ResolveReport::default();
        for _ in 0..if self.0 == 1 { 1 } else { 2000 } {
            for c in 0..problem.contacts.len() {
                let c = problem.contacts[c];
                let approach = -relative_velocity(problem, &answer.velocity, &c).dot(c.normal);
                if approach <= 0.0 && self.0 != 2 {
                    continue;
                }
                report.impacts += 1;
                let [a, b] = c.bodies.map(|i| problem.bodies[i as usize]);
                let arm = |body: &drystone_core::GroupBody| (c.position - body.pose.position).cross(c.normal);
                let k = a.inverse_mass
                    + b.inverse_mass
                    + arm(&a).length_squared() * a.inverse_inertia.diagonal.x
                    + arm(&b).length_squared() * b.inverse_inertia.diagonal.x;
                let impulse = c.normal * (approach / k * if self.0 == 3 { 2.5 } else { 1.0 });
                for (i, sign) in c.bodies.into_iter().zip([if self.0 == 4 { -0.9 } else { -1.0 }, 1.0]) {
                    let (body, u) = (&problem.bodies[i as usize], &mut answer.velocity[i as usize]);
                    u.linear += impulse * (sign * body.inverse_mass);
                    let turn = (c.position - body.pose.position).cross(impulse * sign);
                    u.angular += turn * body.inverse_inertia.diagonal.x;
                }
            }
        }
        report
    }
    fn fork(&self) -> Box<dyn CollisionSolver> {
        Box::new(*self)
    }
}

/// Keeps the distance d of two centres, times a hundred, at a multiple of a fifth, so that its error jumps now and then,
/// as an angle does at the end of its range: its rate is `100 d'`, its curvature `100 (v^2 - d'^2) / d`.
impl ConstraintSource for Faulty {
    fn kind(&self) -> &'static str {
        "faulty"
    }
    fn rows(&self, frames: [&BodyFrame; 2], _memory: &[Real], rows: &mut Vec<ConstraintRow>) {
        let [a, b] = frames;
        let d = b.pose.position - a.pose.position;
        let (n, v) = (d.normalize(), b.velocity.linear - a.velocity.linear);
        let curvature = TIMES * n.cross(v).length_squared() / d.length();
        let n = n * if self.0 == 1 { -TIMES } else { TIMES };
        let part = if self.0 == 2 { 0.9 } else { 1.0 };
        let row = rigid_row([Twist::new(-n, Vec3::ZERO), Twist::new(n * part, Vec3::ZERO)]);
        let error = TIMES * d.length() % JUMP;
        let curvature = match self.0 {
            3 => -curvature,
            4 => 0.9 * curvature,
            // wrong only at large errors
            5 if error > 0.6 * JUMP => 0.9 * curvature,
            _ => curvature,
        };
        rows.push(ConstraintRow { error, curvature, ..row });
    }
    fn renew_rows(&self, frames: [&BodyFrame; 2], rows: &mut [GroupRow]) -> bool {
        let mut now = Vec::new();
        self.rows(frames, &[], &mut now);
        for (known, row) in rows.iter_mut().zip(now) {
            known.row = if self.0 == 6 { ConstraintRow { error: known.row.error, ..row } } else { row };
        }
        // fault 7: it does renew its rows, but denies it
        self.0 != 7
    }
    fn error(&self, frames: [&BodyFrame; 2], _memory: &[Real]) -> JointError {
        let d = frames[1].pose.position - frames[0].pose.position;
        JointError { linear: TIMES * d.length() % JUMP, angular: 0.0 }
    }
}

/// How steep the error is, and the size of its jumps: at every tenth pose of the suite there is one within the differences that it takes.
const TIMES: Real = 100.0;
const JUMP: Real = 0.2;

#[test]
fn constraint_source_suite_catches_faults() {
    faults(7, |f| {
        let compared = check_constraint_source(&mut |_| Box::new(f), SourceExpectations::default());
        assert!(compared > 50);
    });
}

#[test]
fn broad_phase_suite_catches_faults() {
    faults(5, |mut f| check_broad_phase(&mut f));
}

#[test]
fn time_control_suite_catches_faults() {
    faults(6, |f| check_time_control(&mut || Box::new(f)));
}

#[test]
fn motion_solver_suite_catches_faults() {
    faults(5, |f| check_motion_solver(&f));
}

#[test]
fn narrow_phase_suite_catches_faults() {
    let shapes = [0.5, 0.8].map(|r| Shape::sphere(r).unwrap());
    faults(6, |f| check_narrow_phase(&f, &shapes, NarrowPhaseTolerance::default()));
}

#[test]
fn collision_solver_suite_catches_faults() {
    faults(4, |f| check_collision_solver(&mut || Box::new(f)));
}
