//! Every kind of joint under the preset `mechanism`, against closed forms and equations of motion in independent coordinates.

use drystone::core::{BodyFrame, JointMemory, State};
use drystone::prelude::*;
use drystone_joints::{AxisFreedom, JointDescription, KINDS, Motor, Spring, build};
use drystone_motion::force::{Anchor, SpringDamper};

const G: f64 = 9.80665;
const H: f64 = 5e-4;

fn world(gravity: impl Into<Vec3>) -> World {
    World::builder().paradigm(Paradigm::MECHANISM).gravity(gravity).build().unwrap()
}

fn falling() -> World {
    world([0.0, 0.0, -G])
}

/// A rod of 4 m along its x axis, as a mass with inertia: its shape does not matter, since nothing touches it.
fn rod(at: impl Into<Vec3>) -> Body {
    Body::dynamic(Shape::cuboid(0.1, 0.1, 0.1).unwrap()).mass(1.0).inertia([0.04, 0.1, 0.1]).at(at)
}

fn on(kind: &str, anchor: impl Into<Vec3>, axis: impl Into<Vec3>) -> JointDescription<'_> {
    JointDescription { anchor: Some(anchor.into()), axis: Some(axis.into()), ..JointDescription::new(kind) }
}

fn join(world: &mut World, bodies: [Option<BodyId>; 2], d: &JointDescription<'_>) -> JointId {
    let poses = bodies.map(|b| b.map_or(Pose::IDENTITY, |b| world.pose(b).unwrap()));
    world.add_joint(bodies, build(d, &poses[0], &poses[1]).unwrap()).unwrap()
}

/// Steps for `seconds`, and hands the world to `check` after each step.
fn run(world: &mut World, seconds: f64, h: f64, mut check: impl FnMut(&World)) {
    for _ in 0..(seconds / h).round() as usize {
        world.advance(h).unwrap();
        check(world);
    }
}

/// The classical Runge-Kutta method for `x'' = f(x, x')`, in steps of 1e-4 s.
fn integrate<const N: usize>(
    mut x: [f64; N],
    mut v: [f64; N],
    seconds: f64,
    f: impl Fn([f64; N], [f64; N]) -> [f64; N],
) -> [f64; N] {
    let h = 1e-4;
    let add = |a: [f64; N], b: [f64; N], s: f64| core::array::from_fn(|i| a[i] + s * b[i]);
    for _ in 0..(seconds / h).round() as usize {
        let a1 = f(x, v);
        let (v2, a2) = (add(v, a1, 0.5 * h), f(add(x, v, 0.5 * h), add(v, a1, 0.5 * h)));
        let (v3, a3) = (add(v, a2, 0.5 * h), f(add(x, v2, 0.5 * h), add(v, a2, 0.5 * h)));
        let (v4, a4) = (add(v, a3, h), f(add(x, v3, h), add(v, a3, h)));
        x = core::array::from_fn(|i| x[i] + h / 6.0 * (v[i] + 2.0 * v2[i] + 2.0 * v3[i] + v4[i]));
        v = core::array::from_fn(|i| v[i] + h / 6.0 * (a1[i] + 2.0 * a2[i] + 2.0 * a3[i] + a4[i]));
    }
    x
}

/// `x(t)` of `x'' = a - k x - 2 c x'` from rest at zero, underdamped.
fn oscillator(a: f64, k: f64, c: f64, t: f64) -> f64 {
    let (w, middle) = ((k - c * c).sqrt(), a / k);
    middle - middle * (-c * t).exp() * ((w * t).cos() + c / w * (w * t).sin())
}

#[test]
fn a_sprung_slider_oscillates_as_the_closed_form_to_order_two() {
    let axis = Vec3::new(0.6, 0.0, -0.8);
    let worst = |h: f64| {
        let mut world = falling();
        let body = world.add(rod([2.0, 1.0, 0.0]).oriented(Quat::from_rotation_x(0.4))).unwrap();
        let spring = Some(Spring { stiffness: 60.0, damping: 3.0, rest: 0.0 });
        join(&mut world, [None, Some(body)], &JointDescription { spring, ..on("slider", Vec3::ZERO, axis) });
        let mut worst = 0.0_f64;
        run(&mut world, 2.0, h, |world| {
            let exact = Vec3::new(2.0, 1.0, 0.0) + axis * oscillator(0.8 * G, 60.0, 1.5, world.time());
            worst = worst.max(world.position(body).unwrap().distance(exact));
        });
        worst
    };
    let errors = [2e-3, 1e-3, H].map(worst);
    assert!(errors[2] < 2e-6, "{errors:?}");
    assert!(errors[0] / errors[1] > 3.4 && errors[1] / errors[2] > 3.8, "{errors:?}");
}

#[test]
fn a_torsion_spring_turns_back_as_the_closed_form_and_bears_its_torque() {
    // about the end of the rod: 4.1 kg m^2; the spring is wound up by more than a turn
    let inertia = 0.1 + 4.0;
    let (k, c) = (4.0, 0.5);
    let worst = |h: f64| {
        let mut world = world(Vec3::ZERO);
        let body = world.add(rod([2.0, 0.0, 0.0])).unwrap();
        let spring = Some(Spring { stiffness: k, damping: c, rest: 7.5 });
        let hinge = JointDescription { spring, ..on("hinge", Vec3::ZERO, Vec3::Y) };
        let hinge = join(&mut world, [None, Some(body)], &hinge);
        let mut worst = 0.0_f64;
        run(&mut world, 2.0, h, |world| {
            let t = world.time();
            let exact = |t| oscillator(7.5 * k / inertia, k / inertia, 0.5 * c / inertia, t);
            let place = Quat::from_rotation_y(exact(t)) * Vec3::X * 2.0;
            worst = worst.max(world.position(body).unwrap().distance(place));
            // the reaction is the mean over the step, so it is compared with the spring's torque at its middle
            let (m, d) = (t - 0.5 * h, 1e-5);
            let rate = (exact(m + d) - exact(m - d)) / (2.0 * d);
            let torque = k * (7.5 - exact(m)) - c * rate;
            let found = world.joint_reaction(hinge).unwrap().torque.y;
            assert!((found - torque).abs() < 3e-3, "{t}: {found} {torque}");
        });
        worst
    };
    let errors = [2e-3, 1e-3].map(worst);
    assert!(errors[1] < 1e-4 && errors[0] / errors[1] > 3.4, "{errors:?}");
}

#[test]
fn a_stiff_spring_is_damped_instead_of_ringing() {
    // the period is a tenth of the step: the trapezoidal rule alone would keep the oscillation alive
    let h = 0.01;
    let mut world = world(Vec3::ZERO);
    let body = world.add(rod(Vec3::ZERO)).unwrap();
    let k = (std::f64::consts::TAU / (0.1 * h)).powi(2);
    let spring = Some(Spring { stiffness: k, damping: 0.0, rest: 0.01 });
    join(&mut world, [None, Some(body)], &JointDescription { spring, ..on("slider", Vec3::ZERO, Vec3::X) });
    run(&mut world, 0.2, h, |_| {});
    let (x, v) = (world.position(body).unwrap().x, world.velocity(body).unwrap().linear.x);
    assert!((x - 0.01).abs() < 1e-6 && v.abs() < 1e-4, "{x} {v}");
}

#[test]
fn a_spring_between_points_is_of_order_two_with_its_damper() {
    let (k, c, rest) = (50.0, 2.0, 1.5);
    let place = |h: f64| {
        let mut world = falling();
        let body = world.add(rod([2.0, 0.0, 0.0]).linear_velocity([0.0, 1.0, 0.0])).unwrap();
        let index = world.bodies().iter().position(|b| *b == body).unwrap();
        let anchors =
            [Anchor::Body { body: drystone_core::BodyIndex::new(index), point: Vec3::ZERO }, Anchor::World(Vec3::ZERO)];
        let max_force = f64::INFINITY;
        world.add_force(SpringDamper { anchors, rest_length: rest, stiffness: k, damping: c, max_force });
        run(&mut world, 2.0, h, |_| {});
        world.position(body).unwrap()
    };
    let exact = integrate([2.0, 0.0, 0.0], [0.0, 1.0, 0.0], 2.0, |x, v| {
        let length = x.iter().map(|x| x * x).sum::<f64>().sqrt();
        let rate = x.iter().zip(v).map(|(x, v)| x * v).sum::<f64>() / length;
        let pull = (k * (length - rest) + c * rate) / length;
        [-pull * x[0], -pull * x[1], -pull * x[2] - G]
    });
    let errors = [2e-3, 1e-3, H].map(|h| place(h).distance(Vec3::from_array(exact)));
    assert!(errors[2] < 1e-5 && errors[0] / errors[1] > 3.4 && errors[1] / errors[2] > 3.8, "{errors:?}");
}

#[test]
fn a_cylindrical_joint_slides_and_swings_at_once() {
    // along the tilted axis the rod falls freely; about it, it is a pendulum in the remaining part of gravity
    let (axis, across) = (Vec3::new(0.0, 0.6, 0.8), Vec3::new(0.0, -0.8, 0.6));
    let mut world = falling();
    let body = world.add(rod([2.0, 0.0, 0.0]).oriented(Quat::from_rotation_x(-(0.6_f64).asin()))).unwrap();
    join(&mut world, [None, Some(body)], &on("cylindrical", Vec3::ZERO, axis));
    let pull = G * 0.6;
    let [angle] = integrate([0.0], [0.0], 2.0, |x, _| [-pull * 2.0 / 4.1 * x[0].cos()]);
    run(&mut world, 2.0, H, |_| {});
    let exact = axis * (-0.5 * 0.8 * G * 4.0) + Vec3::X * (2.0 * angle.cos()) + across * (2.0 * angle.sin());
    let found = world.position(body).unwrap();
    assert!(found.distance(exact) < 1e-5, "{found} {exact}");
}

#[test]
fn a_rod_keeps_a_ball_on_a_cone() {
    // steady rotation: w^2 = g / (L cos)
    let (length, tilt) = (2.0, 0.5_f64);
    let w = (G / (length * tilt.cos())).sqrt();
    let start = Vec3::new(length * tilt.sin(), 0.0, -length * tilt.cos());
    for kind in ["distance", "rope"] {
        let mut world = falling();
        let body = world.add(rod(start).linear_velocity([0.0, w * start.x, 0.0])).unwrap();
        let rod = JointDescription { anchor2: Some(start), ..on(kind, Vec3::ZERO, Vec3::X) };
        let joint = join(&mut world, [None, Some(body)], &JointDescription { axis: None, ..rod });
        run(&mut world, 2.0, H, |world| {
            let tension = world.joint_reaction(joint).unwrap().force.length();
            assert!(world.time() < 0.01 || (tension - G / tilt.cos()).abs() < 1e-2, "{kind}: {tension}");
        });
        let exact = Quat::from_rotation_z(2.0 * w) * start;
        let found = world.position(body).unwrap();
        assert!(found.distance(exact) < 1e-4, "{kind}: {found} {exact}");
    }
}

#[test]
fn a_rope_catches_a_falling_ball_on_its_sphere() {
    // free fall until the rope is taut, then motion on the sphere without bouncing
    let (length, x) = (1.0_f64, 0.5);
    let start = Vec3::new(x, 0.0, 0.0);
    let mut world = falling();
    let body = world.add(rod(start)).unwrap();
    let d = JointDescription { anchor2: Some(start), length: Some(length), ..JointDescription::new("rope") };
    join(&mut world, [None, Some(body)], &JointDescription { anchor: Some(Vec3::ZERO), ..d });
    let caught = (2.0 * (length * length - x * x).sqrt() / G).sqrt();
    let h = 0.01;
    run(&mut world, 2.0, h, |world| {
        let (t, p) = (world.time(), world.position(body).unwrap());
        if t < caught - h {
            assert!(p.distance(start - Vec3::Z * (0.5 * G * t * t)) < 1e-12, "{t}: {p}");
        } else if t > caught + 2.0 * h {
            assert!((p.length() - length).abs() < 1e-4, "{t}: {}", p.length());
        } else {
            assert!(p.length() < length + 1e-4);
        }
    });
}

#[test]
fn a_puck_flies_in_its_plane_and_a_bead_along_its_wire() {
    // planar: a parabola in the tilted plane, with the spin about the normal kept
    let normal = Vec3::new(0.0, 0.6, 0.8);
    let slope = Vec3::new(0.0, 0.8, -0.6);
    let mut world = falling();
    let puck =
        world.add(rod(Vec3::ZERO).linear_velocity([1.0, 0.0, 0.0]).angular_velocity(normal * 3.0).inertia([0.1; 3]));
    let puck = puck.unwrap();
    join(&mut world, [None, Some(puck)], &on("planar", Vec3::ZERO, normal));
    // point-on-line: a ball slides down a wire and spins freely
    let spin = Vec3::new(1.0, 2.0, 3.0);
    let bead = world.add(rod([5.0, 0.0, 0.0]).angular_velocity(spin).inertia([0.1; 3])).unwrap();
    join(&mut world, [None, Some(bead)], &on("point-on-line", [5.0, 0.0, 0.0], slope));
    // point-on-plane: the centre stays in the plane, all else is free
    let skate =
        world.add(rod([9.0, 0.0, 0.0]).angular_velocity(spin).linear_velocity([1.0, 0.0, 0.0]).inertia([0.1; 3]));
    let skate = skate.unwrap();
    join(&mut world, [None, Some(skate)], &on("point-on-plane", [9.0, 0.0, 0.0], normal));
    run(&mut world, 2.0, H, |_| {});
    let slid = slope * (0.5 * 0.6 * G * 4.0);
    for (body, exact) in [(puck, Vec3::X * 2.0 + slid), (bead, Vec3::X * 5.0 + slid), (skate, Vec3::X * 11.0 + slid)] {
        let found = world.position(body).unwrap();
        assert!(found.distance(exact) < 1e-9, "{found} {exact}");
    }
    for (body, w) in [(puck, normal * 3.0), (bead, spin), (skate, spin)] {
        assert!((world.velocity(body).unwrap().angular - w).length() < 1e-9);
    }
}

#[test]
fn a_cardan_pendulum_follows_its_equations() {
    // R = Rx(alpha) Ry(beta), the rod along the body's z; kinetic energy T = (A (alpha'^2 cos^2 + beta'^2) + C alpha'^2 sin^2) / 2
    let (a, c, arm) = (0.1 + 4.0, 0.04, 2.0);
    let start = [0.9_f64, 0.5];
    let turned = |x: [f64; 2]| Quat::from_rotation_x(x[0]) * Quat::from_rotation_y(x[1]);
    let exact = integrate(start, [0.0; 2], 2.0, |[p, q], [u, v]| {
        let inertia = a * q.cos().powi(2) + c * q.sin().powi(2);
        let first = (-G * arm * p.sin() * q.cos() - 2.0 * (c - a) * q.sin() * q.cos() * u * v) / inertia;
        let second = ((c - a) * u * u * q.sin() * q.cos() - G * arm * p.cos() * q.sin()) / a;
        [first, second]
    });
    let q = turned(start);
    let worst = |h: f64| {
        let mut world = falling();
        let body = world.add(rod(q * Vec3::NEG_Z * arm).oriented(q).inertia([0.1, 0.1, 0.04])).unwrap();
        // the cross of the joint: x of the world, y of the body
        let cross = JointDescription { axis2: Some(q * Vec3::Y), ..on("universal", Vec3::ZERO, Vec3::X) };
        join(&mut world, [None, Some(body)], &cross);
        run(&mut world, 2.0, h, |_| {});
        world.position(body).unwrap().distance(turned(exact) * Vec3::NEG_Z * arm)
    };
    let errors = [2e-3, 1e-3, H].map(worst);
    assert!(errors[2] < 1e-5 && errors[0] / errors[2] > 12.0, "{errors:?}");
}

#[test]
fn a_hinged_rod_with_a_ball_at_its_end_is_a_pendulum_about_its_axis() {
    let axis = Vec3::new(0.0, 0.6, 0.8);
    let across = axis.cross(Vec3::X);
    let mut world = falling();
    let body = world.add(rod([1.5, 0.0, 0.0]).inertia([0.1; 3]).angular_velocity([1.0, 2.0, 3.0])).unwrap();
    // the hinge's anchor may be anywhere on its axis
    let d = JointDescription { anchor2: Some(Vec3::X * 1.5), ..on("revolute-spherical", axis * 3.0, axis) };
    let joint = join(&mut world, [None, Some(body)], &d);
    let down = Vec3::NEG_Z * G - axis * (-G * axis.z);
    let [angle] = integrate([0.0], [0.0], 2.0, |x, _| {
        let tangent = across * x[0].cos() - Vec3::X * x[0].sin();
        [tangent.dot(down) / 1.5]
    });
    run(&mut world, 2.0, H, |_| {});
    let exact = (Vec3::X * angle.cos() + across * angle.sin()) * 1.5;
    let found = world.position(body).unwrap();
    assert!(found.distance(exact) < 1e-5, "{found} {exact}");
    // the spin about the ball is free, and the hinge bears the component of the load along its axis
    assert!((world.velocity(body).unwrap().angular - Vec3::new(1.0, 2.0, 3.0)).length() < 1e-9);
    let reaction = world.joint_reaction(joint).unwrap();
    assert!(reaction.point.length() < 1e-12 && (reaction.force.dot(axis) - G * axis.z).abs() < 1e-9, "{reaction:?}");
}

#[test]
fn an_actuated_slider_moves_at_its_speed_and_bears_the_weight() {
    let axis = Vec3::new(0.6, 0.0, 0.8);
    let mut world = falling();
    let body = world.add(rod(Vec3::ZERO).linear_velocity(axis * 0.5)).unwrap();
    let motor = Some(Motor::Velocity { velocity: 0.5, max_force: 1e6 });
    let ram = join(&mut world, [None, Some(body)], &JointDescription { motor, ..on("slider", Vec3::ZERO, axis) });
    run(&mut world, 2.0, H, |world| {
        let reaction = world.joint_reaction(ram).unwrap();
        assert!((reaction.force - Vec3::Z * G).length() < 1e-9, "{reaction:?}");
    });
    assert!(world.position(body).unwrap().distance(axis) < 1e-10);
}

#[test]
fn a_pendulum_bears_its_reaction_in_sign_and_size() {
    // at an angle theta below level: toward the hinge m (g sin + L w^2), across the rod m (g cos - L w'), and no moment
    let mut world = falling();
    let body = world.add(rod([2.0, 0.0, 0.0])).unwrap();
    let hinge = join(&mut world, [None, Some(body)], &on("hinge", Vec3::ZERO, Vec3::Y));
    let mut before = None;
    run(&mut world, 2.0, H, |world| {
        let found = world.joint_reaction(hinge).unwrap();
        let p = world.position(body).unwrap();
        // the reaction is the mean over the step, so it belongs to the step's middle
        let middle = before.replace(p).map(|b: Vec3| (b + p) * 0.5);
        let Some(m) = middle else { return };
        let (sin, cos) = (-m.z / m.length(), m.x / m.length());
        let w2 = 2.0 * G * 2.0 * sin / 4.1;
        let inward = -m.normalize() * (G * sin + 2.0 * w2);
        let along = Vec3::new(sin, 0.0, cos) * (G * cos * (1.0 - 4.0 / 4.1));
        assert!((found.force - inward - along).length() < 1e-3, "{:?}: {} {}", m, found.force, inward + along);
        assert!(found.torque.length() < 1e-5);
    });
}

#[test]
fn the_order_of_the_bodies_does_not_change_the_motion() {
    // kinds whose two halves are alike; in the others, a line, plane, pinion or fixed point belongs to one of the two bodies
    let alike = [
        "ball",
        "hinge",
        "slider",
        "cylindrical",
        "universal",
        "hinge2",
        "fixed",
        "distance",
        "rope",
        "screw",
        "six-dof",
    ];
    let one_sided =
        ["planar", "point-on-plane", "point-on-line", "revolute-spherical", "rack-and-pinion", "pulley", "gear"];
    assert_eq!(alike.len() + one_sided.len(), KINDS.len());
    for kind in alike {
        let mut d = on(kind, [0.3, 0.1, -0.2], [0.3, 1.0, -0.5]);
        match kind {
            "universal" | "hinge2" => d.axis2 = Some(Vec3::new(0.3, 1.0, -0.5).cross(Vec3::X)),
            "screw" => d.lead = Some(0.4),
            "distance" | "rope" => (d.axis, d.anchor2) = (None, Some(Vec3::new(0.7, 0.2, 0.1))),
            "ball" | "fixed" => d.axis = None,
            "six-dof" => (d.rotations, d.translations[1]) = ([AxisFreedom::Locked; 3], AxisFreedom::Locked),
            _ => {}
        }
        let end = |swap: bool, h: f64| {
            let mut world = falling();
            // the bodies move as one rigid body, so that no joint acts on them suddenly at the start, and turn at right angles to the gear's axis
            let (w, anchor) = (Vec3::new(0.3, 1.0, -0.5).cross(Vec3::new(2.0, 0.5, 3.0)), Vec3::new(0.3, 0.1, -0.2));
            let turned = Quat::from_scaled_axis(Vec3::new(0.2, 0.5, -0.4));
            let moving = |at: Vec3| rod(at).angular_velocity(w).linear_velocity(w.cross(at - anchor));
            let a = world.add(moving(Vec3::ZERO)).unwrap();
            let b = world.add(moving(Vec3::new(1.0, 0.2, 0.1)).oriented(turned).mass(2.0)).unwrap();
            if swap {
                let axes = matches!(kind, "universal" | "hinge2");
                let (axis, axis2) = if axes { (d.axis2, d.axis) } else { (d.axis, d.axis2) };
                let (anchor, anchor2) = if d.anchor2.is_some() { (d.anchor2, d.anchor) } else { (d.anchor, None) };
                join(&mut world, [Some(b), Some(a)], &JointDescription { axis, axis2, anchor, anchor2, ..d });
            } else {
                join(&mut world, [Some(a), Some(b)], &d);
            }
            run(&mut world, 0.25, h, |_| {});
            [a, b].map(|b| (world.position(b).unwrap(), world.velocity(b).unwrap()))
        };
        let off = |h: f64| -> f64 {
            let pairs = end(false, h).into_iter().zip(end(true, h));
            pairs
                .map(|((p, u), (q, v))| {
                    p.distance(q) + (u.linear - v.linear).length() + (u.angular - v.angular).length()
                })
                .sum()
        };
        // rows in the axes of one body or the other differ by the constraint error at the midpoint, and by the slop of 1e-6 m
        let found = [1e-3, 5e-4].map(off);
        assert!(found[1] < 1e-4 && (found[1] < 2e-6 || found[0] / found[1] > 3.5), "{kind}: {found:?}");
    }
}

#[test]
fn a_hinge_stops_after_four_hundred_degrees_either_way_and_after_a_rewind() {
    let limit = 400.0_f64.to_radians();
    for sign in [1.0, -1.0] {
        let mut world = world(Vec3::ZERO);
        let wheel = Body::dynamic(Shape::cuboid(0.5, 0.5, 0.5).unwrap()).mass(1.0);
        let wheel = world.add(wheel.angular_velocity([0.0, 3.0 * sign, 0.0])).unwrap();
        let d = JointDescription { limits: Some([-limit, limit]), ..on("hinge", Vec3::ZERO, Vec3::Y) };
        join(&mut world, [None, Some(wheel)], &d);
        let h = 0.01;
        let mut turned = 0.0;
        let go = |world: &mut World, seconds: f64, turned: &mut f64| {
            run(world, seconds, h, |world| *turned += world.velocity(wheel).unwrap().angular.y * h);
        };
        go(&mut world, 1.5, &mut turned);
        let early = (world.snapshot(), turned);
        go(&mut world, 2.0, &mut turned);
        let place = world.pose(wheel).unwrap();
        let angle = 2.0 * (place.orientation.y * sign).atan2(place.orientation.w);
        let off = (angle - limit).rem_euclid(std::f64::consts::TAU);
        assert!(off.min(std::f64::consts::TAU - off) < 1e-3 && (turned * sign - limit).abs() < 0.05, "{off} {turned}");
        // sent back to the other end: its turn count is then another than at the snapshot
        world.set_velocity(wheel, Twist::new(Vec3::ZERO, Vec3::Y * (-3.0 * sign))).unwrap();
        go(&mut world, 6.0, &mut turned);
        assert!((turned * sign + limit).abs() < 0.1, "{turned}");
        world.restore(&early.0).unwrap();
        run(&mut world, 2.0, h, |_| {});
        assert_eq!(world.pose(wheel).unwrap(), place, "the same bits as the first time");
    }
}

#[test]
fn asking_joints_in_the_middle_of_a_run_changes_nothing() {
    let limit = 400.0_f64.to_radians();
    let run_asked = |asks: bool| {
        let mut world = world(Vec3::ZERO);
        let wheel = Body::dynamic(Shape::cuboid(0.5, 0.5, 0.5).unwrap()).mass(1.0);
        let wheel = world.add(wheel.angular_velocity([0.0, 4.0, 0.0])).unwrap();
        let d = JointDescription { limits: Some([-limit, limit]), ..on("hinge", Vec3::ZERO, Vec3::Y) };
        let joint = join(&mut world, [None, Some(wheel)], &d);
        let mut most = 0.0_f64;
        for k in 0..300 {
            if asks {
                // poses far ahead, far behind, and tilted
                for angle in [2.0, -3.0, 7.0, 0.1 * f64::from(k)] {
                    let pose = Pose::new(Vec3::X * angle, Quat::from_rotation_y(angle) * Quat::from_rotation_x(angle));
                    let frames = [BodyFrame::WORLD, BodyFrame { pose, velocity: Twist::new(Vec3::Y, Vec3::Y * angle) }];
                    let (source, memory) = (&world.configuration().joints[0].source, world.state().joint_memory.of(0));
                    let mut rows = Vec::new();
                    source.rows([&frames[0], &frames[1]], memory, &mut rows);
                    source.error([&frames[0], &frames[1]], memory);
                    source.remember([&frames[0], &frames[1]], &mut memory.to_vec());
                }
                world.joint_error(joint).unwrap();
            }
            world.advance(0.01).unwrap();
            most = most.max(world.state().joint_memory.of(0)[0]);
        }
        // the wheel went round and was stopped by its limit, so there were turns to count
        assert!((most - limit).abs() < 1e-3, "{most}");
        world.state().clone()
    };
    let (alone, asked) = (run_asked(false), run_asked(true));
    assert_eq!(alone, asked);
    // states are compared with their joint memory: without it the same state is a different one
    let forgetful = State { joint_memory: JointMemory::default(), ..asked };
    assert_ne!(alone, forgetful);
}
