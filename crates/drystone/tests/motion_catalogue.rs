//! Motion, scripts and interaction in a running world: entries of the catalogue's sections C, M and N that go beyond single bodies.

use drystone::prelude::*;
use drystone::{ModuleChoice, ModuleKind};
use drystone_core::{BodyIndex, BodyPair, BroadPhase, BroadPhaseInput, ScriptedMotion, ScriptedState};
use drystone_geometry::Aabb;
use drystone_math::Wrench;
use drystone_motion::force::{Anchor, Damping, SpringDamper, TimeDependentWrench};
use drystone_motion::script::{CubicSpline, Orientation, Sinusoid, SpacePath, SplineScript, VelocitySpline};
use std::sync::{Arc, Mutex};

const G: f64 = 9.81;

fn cube(half: f64) -> Shape {
    Shape::cuboid(half, half, half).unwrap()
}

fn moved_by(name: &str) -> ModuleChoice {
    ModuleChoice { kind: ModuleKind::MotionSolver, name: Some(name.to_owned()), settings: Vec::new() }
}

#[test]
fn a_blow_restarts_every_motion_solver() {
    // C-21: after a velocity jump, and after a return to an earlier instant, the run equals that of a world started there
    for name in [
        "semi-implicit-euler",
        "implicit-gyroscopic",
        "torque-free-rk4",
        "dormand-prince",
        "adams-moulton",
        "lie-midpoint",
    ] {
        let fresh = |position: Vec3, orientation: Quat, velocity: Twist| {
            let mut world = World::builder().choose(moved_by(name)).build().unwrap();
            let body = Body::dynamic(cube(0.5)).mass(2.0).inertia([1.0, 2.0, 2.5]).at(position).oriented(orientation);
            let body = body.linear_velocity(velocity.linear).angular_velocity(velocity.angular);
            (world.add(body).unwrap(), world)
        };
        let (body, mut world) = fresh(Vec3::ZERO, Quat::IDENTITY, Twist::new(Vec3::X, Vec3::new(0.5, 2.0, -1.0)));
        let start = world.snapshot();
        for _ in 0..20 {
            world.advance(0.01).unwrap();
        }
        world.apply_impulse(body, Vec3::new(1.0, 3.0, -2.0), world.position(body).unwrap() + Vec3::Y * 0.4).unwrap();
        let pose = world.pose(body).unwrap();
        let (twin, mut again) = fresh(pose.position, pose.orientation, world.velocity(body).unwrap());
        for _ in 0..10 {
            world.advance(0.01).unwrap();
            again.advance(0.01).unwrap();
            assert!((world.position(body).unwrap() - again.position(twin).unwrap()).length() < 1e-14, "{name}");
            let (u, v) = (world.velocity(body).unwrap(), again.velocity(twin).unwrap());
            assert!((u.linear - v.linear).length() < 1e-13 && (u.angular - v.angular).length() < 1e-12, "{name}");
        }
        world.restore(&start).unwrap();
        let (twin, mut again) = fresh(Vec3::ZERO, Quat::IDENTITY, Twist::new(Vec3::X, Vec3::new(0.5, 2.0, -1.0)));
        for _ in 0..10 {
            world.advance(0.01).unwrap();
            again.advance(0.01).unwrap();
        }
        assert_eq!((world.pose(body), world.velocity(body)), (again.pose(twin), again.velocity(twin)), "{name}");
    }
}

/// A broad phase that only records the boxes it is given.
struct Boxes(Arc<Mutex<Vec<Aabb>>>);

impl BroadPhase for Boxes {
    fn name(&self) -> &'static str {
        "boxes"
    }

    fn find_pairs(&mut self, input: BroadPhaseInput<'_>, pairs: &mut Vec<BodyPair>) {
        pairs.clear();
        *self.0.lock().unwrap() = input.boxes.to_vec();
    }
}

#[test]
fn a_scripted_body_stays_in_its_swept_box() {
    // I-07, M-01
    let points = [[0.0; 3], [0.0, 2.0, 1.0], [3.0, 3.0, 0.0], [3.0, 0.0, -1.0], [6.0, 0.0, 0.0]];
    let points: Vec<Vec3> = points.into_iter().map(Vec3::from_array).collect();
    let path = SpacePath::new(CubicSpline::open(&points).unwrap()).unwrap();
    let ease: Vec<[f64; 2]> = [[0.0, 0.0], [0.2, 0.0], [0.4, 0.02], [0.6, 0.98], [0.8, 1.0], [1.0, 1.0]]
        .map(|p| [p[0], p[1] * path.length()])
        .to_vec();
    let orientation = Orientation::Spin { start: Quat::IDENTITY, velocity: Vec3::new(3.0, 20.0, -8.0) };
    let along = || SplineScript {
        path: path.clone(),
        progress: VelocitySpline::new(&ease).unwrap(),
        orientation: orientation.clone(),
    };
    let shaking = || Sinusoid {
        middle: Pose::from_position(Vec3::Y),
        travel: Vec3::new(0.5, 0.0, 0.3),
        turn: Vec3::new(0.0, 1.5, 0.0),
        frequency: 6.0,
        phase: 0.0,
    };
    let rod = || Shape::cuboid(0.6, 0.05, 0.1).unwrap();
    for h in [1.0 / 240.0, 0.02, 0.04] {
        let boxes = Arc::new(Mutex::new(Vec::new()));
        let mut world = World::builder().contact_envelope(0.0).broad_phase(Boxes(boxes.clone())).build().unwrap();
        let [a, b] = [world.add(Body::scripted(rod())).unwrap(), world.add(Body::scripted(rod())).unwrap()];
        world.add_script(a, along()).unwrap();
        world.add_script(b, shaking()).unwrap();
        let motions: [Box<dyn ScriptedMotion>; 2] = [Box::new(along()), Box::new(shaking())];
        while world.time() < 1.0 {
            let from = world.time();
            world.advance(h).unwrap();
            for (motion, swept) in motions.iter().zip(boxes.lock().unwrap().iter()) {
                let at = |k: i32| motion.evaluate(from + h * 0.05 * f64::from(k));
                for k in 0..=20 {
                    let here = rod().aabb(&at(k).pose);
                    assert!(swept.grown(1e-9).contains(&here), "{h} at {from}: {here:?} in {swept:?}");
                }
            }
        }
    }
}

#[test]
fn a_scripted_paddle_hits_with_the_velocity_of_its_point() {
    // M-01: a ball struck elastically half a metre from the axis of a turning paddle leaves at twice the paddle's speed there
    let mut world = World::builder().gravity(Vec3::ZERO).build().unwrap();
    let elastic = world.add_material(Material { friction: 0.0, restitution: 1.0, ..Material::default() }).unwrap();
    let paddle = world.add(Body::scripted(Shape::cuboid(1.0, 0.5, 0.05).unwrap()).material(elastic)).unwrap();
    let spin = 2.0;
    let turning = move |t: f64| ScriptedState {
        pose: Pose::new(Vec3::ZERO, Quat::from_rotation_y(-0.5 - spin * (t - 0.25))),
        velocity: Twist::new(Vec3::ZERO, Vec3::NEG_Y * spin),
        acceleration: Twist::ZERO,
    };
    world.add_script(paddle, drystone_motion::script::FunctionOfTime(turning)).unwrap();
    // in front of the paddle at x = 0.5, z > 0, where the paddle arrives with v_z = 2 rad/s * 0.5 m
    let ball = Body::dynamic(Shape::sphere(0.05).unwrap()).mass(1.0).material(elastic);
    let ball = world.add(ball.at([0.5, 0.0, 0.4])).unwrap();
    let mut speed = Vec3::ZERO;
    for _ in 0..1000 {
        world.advance(5e-4).unwrap();
        speed = world.velocity(ball).unwrap().linear;
        if speed != Vec3::ZERO {
            break;
        }
    }
    let touch = world.contacts().next().unwrap();
    let reach = (touch.position - touch.normal * touch.position.dot(touch.normal)).length();
    let expected = 2.0 * spin * reach;
    assert!((speed.length() / expected - 1.0).abs() < 5e-3, "{} against {expected}", speed.length());
}

#[test]
fn a_spring_keeps_its_amplitude() {
    // C-07: over a thousand oscillations the energy stays within order h of the start, and the period within order h^2
    let (k, mass, h) = (100.0, 1.0, 0.01);
    let mut world = World::builder().gravity(Vec3::ZERO).build().unwrap();
    let body = world.add(Body::dynamic(cube(0.1)).mass(mass).at([0.3, 0.0, 0.0])).unwrap();
    let anchors = [Anchor::World(Vec3::ZERO), Anchor::Body { body: BodyIndex(0), point: Vec3::ZERO }];
    world.add_force(SpringDamper { anchors, rest_length: 0.0, stiffness: k, damping: 0.0, max_force: f64::INFINITY });
    let start = world.energy().total();
    let mut worst = 0.0_f64;
    let (mut crossings, mut first, mut last, mut before) = (0, 0.0, 0.0, 0.3);
    for _ in 0..62_832 {
        world.advance(h).unwrap();
        worst = worst.max((world.energy().total() / start - 1.0).abs());
        let x = world.position(body).unwrap().x;
        if before < 0.0 && x >= 0.0 {
            last = world.time() - h * x / (x - before);
            if crossings == 0 {
                first = last;
            }
            crossings += 1;
        }
        before = x;
    }
    let w = f64::sqrt(k / mass);
    assert!(worst < 0.6 * w * h, "{worst}");
    let period = (last - first) / f64::from(crossings - 1);
    // the exact period of the trapezoidal rule for springs: tan(w' h / 2) = w h / 2
    let exact = std::f64::consts::PI * h / (0.5 * w * h).atan();
    assert!((period - exact).abs() < 1e-6, "{period} against {exact}");
}

#[test]
fn locked_freedoms_never_move_in_a_heap() {
    // C-15, N-09
    let mut world = World::builder().build().unwrap();
    world.add(Body::fixed(Shape::plane(Vec3::Y, 0.0).unwrap())).unwrap();
    let hung = world.add(Body::dynamic(cube(0.5)).at([0.0, 0.7, 0.0]).locked(true, false)).unwrap();
    let upright = world.add(Body::dynamic(cube(0.5)).at([0.9, 0.6, 0.1]).locked(false, true)).unwrap();
    let stuck = world.add(Body::dynamic(cube(0.5)).at([-1.1, 0.6, 0.0]).locked(true, true)).unwrap();
    for i in 0..4 {
        let place = [0.4 * f64::from(i) - 0.7, 2.0 + 1.1 * f64::from(i), 0.2];
        world.add(Body::dynamic(cube(0.5)).at(place)).unwrap();
    }
    let mut turned = 0.0_f64;
    for _ in 0..300 {
        world.advance(0.01).unwrap();
        turned = turned.max(world.velocity(hung).unwrap().angular.length());
    }
    assert_eq!(world.position(hung).unwrap(), Vec3::new(0.0, 0.7, 0.0));
    assert_eq!(world.pose(upright).unwrap().orientation, Quat::IDENTITY);
    assert_eq!(world.pose(stuck).unwrap(), Pose::from_position(Vec3::new(-1.1, 0.6, 0.0)));
    assert!(turned > 0.0 && world.position(upright).unwrap().y < 0.6);
    assert!(world.bodies().iter().all(|b| world.pose(*b).unwrap().position.is_finite()));
}

#[test]
fn contacts_name_the_smaller_body_first_and_keep_momentum() {
    // C-19, C-20: whichever body is added first, the normal points from the first of the pair to the second
    for swap in [false, true] {
        let mut world = World::builder().gravity(Vec3::ZERO).build().unwrap();
        let left = Body::dynamic(cube(0.5)).mass(1.0).linear_velocity([2.0, 0.0, 0.0]);
        let right = Body::dynamic(Shape::sphere(0.5).unwrap()).mass(3.0).at([1.05, 0.2, 0.1]);
        let ids = if swap { [right, left] } else { [left, right] }.map(|b| world.add(b).unwrap());
        let before = world.momentum();
        let mut seen = 0;
        for _ in 0..20 {
            world.advance(0.01).unwrap();
            for c in world.contacts() {
                seen += 1;
                assert_eq!(c.bodies, ids);
                let [p, q] = ids.map(|b| world.position(b).unwrap());
                assert!(c.normal.dot(q - p) > 0.0);
            }
        }
        let after = world.momentum();
        assert!(seen > 0 && world.velocity(ids[usize::from(!swap)]).unwrap().linear.x > 0.1);
        assert!((after.linear - before.linear).length() < 1e-12);
        assert!((after.angular - before.angular).length() < 1e-2 * before.linear.length());
    }
}

#[test]
fn a_body_added_on_the_way_changes_nothing_for_the_others() {
    // N-03
    let build = || {
        let mut world = World::builder().build().unwrap();
        world.add(Body::fixed(Shape::plane(Vec3::Y, 0.0).unwrap())).unwrap();
        for i in 0..3 {
            world.add(Body::dynamic(cube(0.5)).at([0.1 * f64::from(i), 0.6 + 1.1 * f64::from(i), 0.0])).unwrap();
        }
        world
    };
    let (mut plain, mut edited) = (build(), build());
    let run = |world: &mut World, steps: usize| {
        for _ in 0..steps {
            world.advance(0.01).unwrap();
        }
    };
    run(&mut plain, 50);
    run(&mut edited, 50);
    let before: Vec<_> = edited.bodies().iter().map(|b| (edited.pose(*b), edited.velocity(*b))).collect();
    let guest = edited.add(Body::dynamic(cube(0.5)).at([20.0, 0.6, 0.0])).unwrap();
    let after: Vec<_> = edited.bodies().iter().take(4).map(|b| (edited.pose(*b), edited.velocity(*b))).collect();
    assert_eq!(before, after);
    run(&mut plain, 50);
    run(&mut edited, 50);
    edited.remove(guest).unwrap();
    run(&mut plain, 50);
    run(&mut edited, 50);
    for (a, b) in plain.bodies().iter().zip(edited.bodies()) {
        assert_eq!((plain.pose(*a), plain.velocity(*a)), (edited.pose(*b), edited.velocity(*b)));
    }
}

#[test]
fn layers_pass_through_each_other() {
    // N-08
    for (layer, meets) in [(0, true), (1, false)] {
        let mut world = World::builder().build().unwrap();
        world.add(Body::fixed(cube(0.5))).unwrap();
        let falling = world.add(Body::dynamic(cube(0.5)).at([0.0, 1.2, 0.0]).layer(layer)).unwrap();
        for _ in 0..100 {
            world.advance(0.01).unwrap();
        }
        let y = world.position(falling).unwrap().y;
        assert!(if meets { (y - 1.0).abs() < 0.02 } else { (y - 1.2 + 0.5 * G).abs() < 0.1 }, "{layer}: {y}");
    }
}

#[test]
fn damping_means_nothing_without_inertia() {
    // C-18: in a first-order world the body moves at F / m, damped or not
    let mut world = World::builder().paradigm(Paradigm::FIRST_ORDER).gravity(Vec3::ZERO).build().unwrap();
    let body = world.add(Body::dynamic(cube(0.5)).mass(2.0)).unwrap();
    let push = |_: f64| Wrench::new(Vec3::X * 3.0, Vec3::ZERO);
    world.add_force(TimeDependentWrench { body: BodyIndex(0), wrench: push });
    world.add_force(Damping { linear: 0.5, angular: 0.5, ..Damping::default() });
    for _ in 0..50 {
        world.advance(0.02).unwrap();
    }
    let x = world.position(body).unwrap().x;
    assert!((x - 1.5).abs() < 1e-12, "{x}");
}
