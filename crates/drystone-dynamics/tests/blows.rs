//! A heavy ball falls on a light one that lies on the floor beside others: what lies below
//! carries it, and large errors left by few sweeps are followed up.

use drystone_core::{ConstraintSolver, ContactImpulse, GroupProblem, OneThread, Step};
use drystone_dynamics::{ContactSweeps, FrictionModel, RowParameters, SweepParameters, VelocityLevel};
use drystone_lcp::{EliminatedGaussSeidel, LcpSolver, ProjectedGaussSeidel, SparsePrincipalPivoting};
use drystone_math::Vec3;
use drystone_testkit::problem::{Group, contact, cube, pin};

const H: f64 = 1.0 / 60.0;
const FALL: f64 = 10.0;

/// The light ball has 1 kg, the heavy one `ratio` times as much; a row of twenty other balls lies beside the light one.
fn blow(ratio: f64, gravity: f64) -> GroupProblem {
    let up = if gravity > 0.0 { Vec3::Y } else { Vec3::ZERO };
    let mut p = GroupProblem { gravity, up, ..GroupProblem::default() };
    p.bodies.push(cube(0, 0.0, Vec3::NEG_Y));
    for i in 1..=21 {
        p.bodies.push(cube(i, 1.0, Vec3::new(f64::from(i - 1), 0.5, 0.0)));
        p.contacts.push(contact([0, i], Vec3::X * f64::from(i - 1), Vec3::Y, i, 0));
        if i > 1 {
            p.contacts.push(contact([i - 1, i], Vec3::new(f64::from(i) - 1.5, 0.5, 0.0), Vec3::X, 30 + i, 0));
        }
    }
    let mut heavy = cube(22, ratio, Vec3::Y * 1.5);
    heavy.velocity.linear = Vec3::NEG_Y * FALL;
    p.bodies.push(heavy);
    p.contacts.push(contact([1, 22], Vec3::Y, Vec3::Y, 60, 0));
    for body in &mut p.bodies[1..] {
        body.external.linear = Vec3::NEG_Y * (gravity * H);
    }
    p.contacts.sort_by_key(|c| c.edge);
    p
}

/// The same, with a ball joint between two of the other balls.
fn blow_beside_a_joint(ratio: f64) -> GroupProblem {
    let mut p = blow(ratio, 9.81);
    pin(&mut p, [5, 6], Vec3::new(4.5, 0.5, 0.0));
    p
}

/// The speed of the fastest body after the solve (m/s): nothing bounces, so all should stand still.
fn left(problem: GroupProblem, parameters: SweepParameters) -> f64 {
    let joints = Box::new(ProjectedGaussSeidel::with_iterations(10));
    left_by(&mut ContactSweeps::new(parameters, joints), problem)
}

fn left_by(solver: &mut dyn ConstraintSolver, problem: GroupProblem) -> f64 {
    left_after(solver, problem, Step::new(H, H))
}

/// The same after sweeps alone: a single iteration is too few for Newton's method.
fn left_by_one_sweep(problem: GroupProblem, parameters: &SweepParameters) -> f64 {
    let joints = Box::new(ProjectedGaussSeidel::with_iterations(10));
    let step = Step { most_iterations: 1, ..Step::new(H, H) };
    left_after(&mut ContactSweeps::new(SweepParameters { sweeps: 1, ..parameters.clone() }, joints), problem, step)
}

fn left_after(solver: &mut dyn ConstraintSolver, problem: GroupProblem, step: Step) -> f64 {
    let mut group = Group::from(problem);
    let Group { problem, answer } = &mut group;
    answer.start(problem);
    solver.solve(problem, step, &OneThread, answer);
    answer.velocity.iter().fold(0.0, |most, v| most.max(v.linear.length()))
}

#[test]
fn what_is_at_rest_carries_whatever_comes_down_on_it() {
    for ratio in [1.0, 10.0, 100.0, 1e4] {
        let fastest = left(blow(ratio, 9.81), SweepParameters::default());
        assert!(fastest < 1e-9, "{ratio}: {fastest} m/s");
        // the control: without passing loads down, one sweep does not get there
        let few = SweepParameters { moving_load_sweeps: 0, ..Default::default() };
        let swept = left_by_one_sweep(blow(ratio, 9.81), &few);
        assert!(ratio < 2.0 || swept > 1.0, "{ratio}: {swept} m/s");
    }
}

#[test]
fn what_is_far_off_is_followed_until_it_is_not() {
    // with gravity: to twice the speed that it adds in a step; without: to a fiftieth of the speed of the blow
    for (gravity, far) in [(9.81, 2.0 * 9.81 * H), (0.0, 0.02 * FALL)] {
        let own = SweepParameters { moving_load_sweeps: 0, ..SweepParameters::default() };
        let followed = left(blow(10.0, gravity), own.clone());
        assert!(followed < 1.5 * far, "{gravity}: {followed} m/s");
        let few = left_by_one_sweep(blow(10.0, gravity), &own);
        assert!(few > 5.0 * far, "{gravity}: {few} m/s after one sweep");
    }
}

#[test]
fn what_sweeps_beside_joints_leave_far_off_is_pivoted() {
    for ratio in [10.0, 54.0, 200.0, 1e4] {
        let joints = Box::new(SparsePrincipalPivoting::default());
        let mut solver = ContactSweeps::new(SweepParameters::default(), joints);
        let fastest = left_by(&mut solver, blow_beside_a_joint(ratio));
        assert!(fastest < 1e-2, "{ratio}: {fastest} m/s");
        // the control: sweeps alone
        let parameters = RowParameters { friction: FrictionModel::Box, ..RowParameters::default() };
        let lcp = Box::new(EliminatedGaussSeidel { iterations: 30, far: 0.0, ..EliminatedGaussSeidel::default() });
        let swept = left_by(&mut VelocityLevel::boxed(parameters, lcp, None), blow_beside_a_joint(ratio));
        assert!(ratio < 100.0 || swept > 0.4, "{ratio}: {swept} m/s");
    }
}

/// This many cubes of 1 kg on the floor, with four points each, under a heavy body that is leaving them; nothing else touches them. The
/// solve starts from the impulses that a blow left in the last step: 700 N s of the heavy body on an edge of the first cube, at this
/// slope to the vertical and with this fraction of the possible friction, and the reaction of the floor.
fn after_a_blow(cubes: u32, slope: f64, rubbed: f64) -> GroupProblem {
    let mut p = GroupProblem { gravity: 9.81, up: Vec3::Y, ..GroupProblem::default() };
    let normal = Vec3::new(slope, 1.0, 0.0).normalize();
    let across = Vec3::new(normal.y, -normal.x, 0.0);
    p.bodies.push(cube(0, 0.0, Vec3::NEG_Y));
    for i in 1..=cubes {
        let middle = Vec3::X * (1.5 * f64::from(i));
        p.bodies.push(cube(i, 1.0, middle + Vec3::Y * 0.5));
        let edge = middle + Vec3::new(0.5, 1.0, 0.0);
        let mut top = contact([i, cubes + 1], edge, if i == 1 { normal } else { Vec3::Y }, 1000 + i, 0);
        top.impulse = ContactImpulse::ZERO;
        let mut borne = Vec3::ZERO;
        if i == 1 {
            let friction = across * (rubbed * top.friction * 700.0);
            top.impulse = ContactImpulse { normal: 700.0, friction };
            borne = normal * 700.0 + friction;
        }
        // the point where the floor bears the blow without any turning: distance from the middle, in halves of the edge
        let off = if borne.y > 0.0 { (0.5 * borne.y - borne.x) / (0.5 * borne.y) } else { 0.0 };
        for (k, (x, z)) in [(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)].into_iter().enumerate() {
            let mut c = contact([0, i], middle + Vec3::new(x, 0.0, z), Vec3::Y, i, k as u32);
            c.impulse =
                ContactImpulse { normal: 0.25 * borne.y * (1.0 + 2.0 * x * off), friction: Vec3::X * (0.25 * borne.x) };
            p.contacts.push(c);
        }
        p.contacts.push(top);
    }
    let mut heavy = cube(cubes + 1, 1000.0, Vec3::new(5.0, 1.5, 0.0));
    heavy.velocity.linear = Vec3::Y;
    p.bodies.push(heavy);
    for body in &mut p.bodies[1..] {
        body.external.linear = Vec3::NEG_Y * (9.81 * H);
    }
    p.contacts.sort_by_key(|c| c.edge);
    p
}

/// The speed of the cube that was struck (m/s, rad/s), and the deviation of the heavy body from its free motion (m/s).
fn left_of_a_blow(cubes: u32, slope: f64, rubbed: f64) -> [f64; 2] {
    let mut group = Group::from(after_a_blow(cubes, slope, rubbed));
    let Group { problem, answer } = &mut group;
    answer.start(problem);
    let joints = Box::new(ProjectedGaussSeidel::with_iterations(10));
    ContactSweeps::new(SweepParameters::default(), joints).solve(problem, Step::new(H, H), &OneThread, answer);
    let (v, heavy) = (answer.velocity[1], answer.velocity[cubes as usize + 1]);
    [v.linear.length().max(v.angular.length()), (heavy.linear.y - (1.0 - 9.81 * H)).abs()]
}

#[test]
fn what_a_blow_has_left_in_a_patch_is_taken_out_of_it() {
    // normals and friction of the patch have to adjust to each other over more than one visit
    for rubbed in [0.5, 1.0] {
        let [cube, heavy] = left_of_a_blow(6, 1.0, rubbed);
        assert!(cube < 1e-2, "{rubbed}: the cube stands: {cube} m/s");
        assert!(heavy < 1e-9, "{rubbed}: the heavy one goes on: {heavy} m/s");
    }
    // in large groups an error that is not far off is left: side by side one visit leaves 0.2 to 1 m/s
    for slope in [0.0, 0.8, 1.0, 1.2, 1.4] {
        for rubbed in [0.0, 0.25, 1.0] {
            let [cube, heavy] = left_of_a_blow(150, slope, rubbed);
            assert!(cube < 0.21, "{slope} {rubbed}: the cube stands: {cube} m/s");
            assert!(heavy < 1e-9, "{slope} {rubbed}: the heavy one goes on: {heavy} m/s");
        }
    }
}

/// A heavy body comes down between two cubes of 1 kg and drives them, and their neighbours, apart over a smooth floor.
fn wedge(ratio: f64) -> GroupProblem {
    let mut p = GroupProblem { gravity: 9.81, up: Vec3::Y, ..GroupProblem::default() };
    p.bodies.push(cube(0, 0.0, Vec3::NEG_Y));
    for i in 1..=8 {
        let x = f64::from(i) - 4.5;
        p.bodies.push(cube(i, 1.0, Vec3::new(x, 0.5, 0.0)));
        p.contacts.push(contact([0, i], Vec3::X * x, Vec3::Y, i, 0));
        if i > 1 && i != 5 {
            p.contacts.push(contact([i - 1, i], Vec3::new(x - 0.5, 0.5, 0.0), Vec3::X, 30 + i, 0));
        }
    }
    let mut heavy = cube(9, ratio, Vec3::Y * 1.5);
    heavy.velocity.linear = Vec3::NEG_Y * FALL;
    p.bodies.push(heavy);
    for (i, side) in [(4, -1.0), (5, 1.0)] {
        p.contacts.push(contact(
            [i, 9],
            Vec3::new(0.25 * side, 0.75, 0.0),
            Vec3::new(-side, 1.0, 0.0).normalize(),
            50 + i,
            0,
        ));
    }
    for body in &mut p.bodies[1..] {
        body.external.linear = Vec3::NEG_Y * (9.81 * H);
    }
    for c in &mut p.contacts {
        c.friction = 0.0;
    }
    p.contacts.sort_by_key(|c| c.edge);
    p
}

/// The largest deviation of a body's velocity from the exact answer (m/s): by momentum along the wedge, of
/// which nothing is lost, light bodies move sideways as fast as the heavy one moves down.
fn off_the_wedge(ratio: f64, step: Step, joints: Box<dyn LcpSolver>) -> f64 {
    let mut group = Group::from(wedge(ratio));
    let Group { problem, answer } = &mut group;
    answer.start(problem);
    ContactSweeps::new(SweepParameters::default(), joints).solve(problem, step, &OneThread, answer);
    let speed = ratio * (FALL + 9.81 * H) / (ratio + 8.0);
    let along = |i: usize| match i {
        1..=4 => Vec3::NEG_X,
        5..=8 => Vec3::X,
        9 => Vec3::NEG_Y,
        _ => Vec3::ZERO,
    };
    answer.velocity.iter().enumerate().fold(0.0, |off, (i, v)| off.max((v.linear - along(i) * speed).length()))
}

/// Sweeps over a chain of light bodies pass on the blow of a heavy one too slowly; Newton's method solves what they leave, whatever solves joints. The control
/// is a single iteration.
#[test]
fn what_sweeps_leave_far_off_goes_on_by_newtons_method() {
    for ratio in [1e3, 1e4] {
        for joints in [true, false].map(|direct| -> Box<dyn LcpSolver> {
            if direct {
                Box::new(SparsePrincipalPivoting::default())
            } else {
                Box::new(ProjectedGaussSeidel::with_iterations(10))
            }
        }) {
            let off = off_the_wedge(ratio, Step::new(H, H), joints);
            assert!(off < 1e-2, "{ratio}: off by {off} m/s");
        }
        let step = Step { most_iterations: 1, ..Step::new(H, H) };
        let swept = off_the_wedge(ratio, step, Box::new(ProjectedGaussSeidel::with_iterations(10)));
        assert!(swept > 0.5, "{ratio}: {swept} m/s");
    }
}
