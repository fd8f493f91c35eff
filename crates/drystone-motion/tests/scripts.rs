//! Scripted motion: everything that a script reports about its motion must be true of it.

use drystone_core::{ScriptedMotion, ScriptedState};
use drystone_math::{Pose, Quat, Real, Twist, Vec3};
use drystone_motion::ode::AdaptiveRungeKutta4;
use drystone_motion::script::{
    AngleSpline, CubicSpline, FiniteDifferences, FunctionOfTime, Gaze, Key, KeyFrames, LengthMethod, Orientation,
    RotationSpline, ScriptError, Sinusoid, SpacePath, SplineScript, Target, VelocitySpline,
};

/// O-32: a simple and an advanced space spline.
fn paths() -> [SpacePath; 2] {
    let simple = [[0.0, 0.0, 0.0], [1.0, 2.0, 0.0], [3.0, 2.0, 1.0], [4.0, 0.0, 2.0], [6.0, 0.0, 2.0]];
    let advanced = [
        [0.0, 0.0, 0.0],
        [2.0, 1.0, 0.0],
        [2.0, 3.0, 1.0],
        [0.0, 3.0, 2.0],
        [-1.0, 1.0, 2.0],
        [1.0, 0.0, 3.0],
        [3.0, 1.0, 3.0],
        [3.0, 3.0, 1.0],
        [5.0, 3.5, 0.0],
    ];
    let path = |points: &[[Real; 3]]| {
        let points: Vec<Vec3> = points.iter().copied().map(Vec3::from_array).collect();
        SpacePath::new(CubicSpline::open(&points).unwrap()).unwrap()
    };
    [path(&simple), path(&advanced)]
}

/// Constant speed, and an exaggerated ease in and out, over two seconds.
fn velocities(length: Real) -> [VelocitySpline; 2] {
    let ease: Vec<[Real; 2]> = [[0.0, 0.0], [0.4, 0.0], [0.8, 0.02], [1.2, 0.98], [1.6, 1.0], [2.0, 1.0]]
        .iter()
        .map(|p| [p[0], p[1] * length])
        .collect();
    [VelocitySpline::constant(0.0, 0.5 * length, length).unwrap(), VelocitySpline::new(&ease).unwrap()]
}

fn tumbling() -> RotationSpline {
    let keys = [0.0, 0.9, 1.3, 2.4].map(|x: Real| Quat::from_rotation_x(x) * Quat::from_rotation_z(x * x));
    RotationSpline::through(&[0.0, 0.7, 1.2, 2.0], &keys).unwrap()
}

fn scripts() -> Vec<SplineScript> {
    paths()
        .into_iter()
        .flat_map(|path| velocities(path.length()).map(|progress| (path.clone(), progress)))
        .map(|(path, progress)| SplineScript { path, progress, orientation: Orientation::Spline(tumbling()) })
        .collect()
}

/// Checks velocity against differences of the pose, and acceleration against differences of the velocity.
fn check_derivatives(motion: &dyn ScriptedMotion, times: impl Iterator<Item = Real>, tolerance: Real) {
    let d = 1e-5;
    for t in times {
        let [a, b, c] = [t - d, t, t + d].map(|t| motion.evaluate(t));
        let v = (c.pose.position - a.pose.position) / (2.0 * d);
        let turn = c.pose.orientation * a.pose.orientation.conjugate();
        let w = turn.xyz() * (2.0 / (2.0 * d)) * turn.w.signum();
        let dv = (c.velocity.linear - a.velocity.linear) / (2.0 * d);
        let dw = (c.velocity.angular - a.velocity.angular) / (2.0 * d);
        let off =
            [b.velocity.linear - v, b.velocity.angular - w, b.acceleration.linear - dv, b.acceleration.angular - dw];
        for (k, off) in off.iter().enumerate() {
            let scale = 1.0 + b.acceleration.linear.length() + b.acceleration.angular.length();
            assert!(off.length() < tolerance * scale, "{k} at {t}: {off}");
        }
    }
}

#[test]
fn derivatives_are_right() {
    // M-02, M-10
    // times that do not fall on knots
    let times = || (1..80).map(|k| 0.0247 * Real::from(k));
    for script in scripts() {
        check_derivatives(&script, times(), 1e-6);
    }
    let shaking = Sinusoid {
        middle: Pose::new(Vec3::Y, Quat::from_rotation_x(0.3)),
        travel: Vec3::new(0.1, 0.0, 0.2),
        turn: Vec3::new(0.0, 0.4, 0.1),
        frequency: 3.0,
        phase: 0.5,
    };
    check_derivatives(&shaking, times(), 1e-6);
    let spin = Orientation::Spin { start: Quat::from_rotation_z(1.0), velocity: Vec3::new(1.0, 2.0, -1.0) };
    let [path, _] = paths();
    let [progress, _] = velocities(path.length());
    check_derivatives(&SplineScript { path, progress, orientation: spin }, times(), 1e-6);
    let falling = FunctionOfTime(|t: Real| ScriptedState {
        pose: Pose::from_position(Vec3::NEG_Y * (4.905 * t * t)),
        velocity: Twist::new(Vec3::NEG_Y * (9.81 * t), Vec3::ZERO),
        acceleration: Twist::new(Vec3::NEG_Y * 9.81, Vec3::ZERO),
    });
    check_derivatives(&falling, times(), 1e-6);
}

#[test]
fn integrating_accelerations_back_gives_the_positions() {
    // M-13
    // M-12, O-32: r' = v, v' = a(t) by the adaptive fourth-order method, with the positions checked at each of its steps
    let mut counts = Vec::new();
    for (k, script) in scripts().into_iter().enumerate() {
        let worst = |tolerance: Real| {
            let start = script.evaluate(0.0);
            let (r, v) = (start.pose.position, start.velocity.linear);
            let slope = |t: Real, y: &[Real; 6]| {
                let a = script.evaluate(t.min(2.0)).acceleration.linear;
                [y[3], y[4], y[5], a.x, a.y, a.z]
            };
            let (mut worst, mut steps) = (0.0_f64, 0);
            AdaptiveRungeKutta4::new(tolerance).integrate(&slope, 0.0, 2.0, &[r.x, r.y, r.z, v.x, v.y, v.z], |t, y| {
                let exact = script.evaluate(t.min(2.0)).pose.position;
                worst = worst.max(Vec3::new(y[0], y[1], y[2]).distance(exact));
                steps += 1;
            });
            (worst, steps)
        };
        let [coarse, fine] = [1e-5, 1e-9].map(worst);
        println!("{k}: {coarse:?} {fine:?}");
        assert!(coarse.0 < 3e-3 && fine.0 < 1e-6, "{k}: {coarse:?} {fine:?}");
        counts.push((coarse.1, fine.1));
    }
    // steps are denser where the path bends sharply or the speed changes: the plain combination takes the fewest
    assert!(counts.iter().all(|c| c.1 > c.0 && c.0 >= counts[0].0), "{counts:?}");
}

#[test]
fn constant_speed_gives_equal_distances() {
    // M-05, M-08
    for path in paths() {
        let [progress, _] = velocities(path.length());
        for k in 0..=100 {
            let p = progress.evaluate(0.02 * Real::from(k));
            let s = path.length() * 0.01 * Real::from(k);
            assert!((path.length_to(path.parameter(p.s)) - s).abs() < 1e-10 * path.length());
            assert!((path.evaluate(s).tangent.length() - 1.0).abs() < 1e-12);
        }
    }
}

#[test]
fn both_ways_of_measuring_agree() {
    // M-07
    let points: Vec<Vec3> =
        (0..7).map(|i| Vec3::new(Real::from(i), Real::from(i * i % 5), Real::from(i % 3))).collect();
    let spline = CubicSpline::open(&points).unwrap();
    let exact = SpacePath::new(spline.clone()).unwrap();
    let cut = SpacePath::with_method(spline, LengthMethod::DeCasteljau, 1e-8).unwrap();
    assert!((exact.length() - cut.length()).abs() < 1e-5 * exact.length());
    for k in 1..20 {
        let s = 0.05 * Real::from(k) * exact.length();
        assert!(exact.evaluate(s).position.distance(cut.evaluate(s).position) < 1e-5);
    }
}

/// A path accepted by `regular` has a derivative everywhere, and one with a cusp is refused.
#[test]
fn regular_paths_are_proved_to_have_a_derivative_everywhere() {
    // M-11
    // the loop pulled tight, with its third point moved along x so that there is no cusp
    let moved = |by: Real| {
        let points = [Vec3::ZERO, Vec3::new(1.0, 1.0, 0.0), Vec3::new(by, 1.0, 0.0), Vec3::X];
        CubicSpline::open(&points).unwrap()
    };
    for by in [-1.0, -0.1, -1e-3, 1e-3, 0.1, 1.0] {
        let path = SpacePath::regular(moved(by)).unwrap_or_else(|e| panic!("{by}: {e}"));
        assert!(path.irregular_at().is_empty(), "{by}");
    }
    // the control: without the proof the cusp is accepted
    assert!(SpacePath::new(moved(0.0)).is_ok());
    assert!(matches!(SpacePath::regular(moved(0.0)), Err(ScriptError::Cusp { .. })));
    // and for any proved path the accelerations at constant speed are finite
    let mut state = 1_u64;
    let mut random = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as Real / (1_u64 << 53) as Real - 0.5
    };
    let mut proved = 0;
    for number in 0..300 {
        let points: Vec<Vec3> = (0..6).map(|_| Vec3::new(random(), random(), 0.0)).collect();
        let Ok(path) = SpacePath::regular(CubicSpline::open(&points).unwrap()) else { continue };
        proved += 1;
        assert!(path.irregular_at().is_empty(), "{number}");
        for k in 0..=200 {
            let p = path.evaluate(path.length() * 0.005 * Real::from(k));
            assert!(
                p.curvature.is_finite() && p.tangent.dot(p.curvature).abs() < 1e-6 * (1.0 + p.curvature.length()),
                "{number}"
            );
        }
    }
    assert!(proved > 290, "{proved} of 300");
}

/// A path as long as numbers allow is measured, and a longer one is refused; neither is halved for ever.
#[test]
fn a_path_too_long_for_its_squared_speed_is_refused() {
    for method in [LengthMethod::Quadrature, LengthMethod::DeCasteljau] {
        let path = |far: Real, at: usize| {
            let mut points = [Vec3::ZERO, Vec3::X, Vec3::new(1.0, 1.0, 0.0), Vec3::new(2.0, 1.0, 0.0), Vec3::Z];
            points[at] *= far;
            CubicSpline::open(&points).and_then(|spline| SpacePath::with_method(spline, method, 1e-9))
        };
        for at in 1..5 {
            let length = path(1e145, at).unwrap().length();
            assert!(length > 1e143 && length < 1e147, "{length}");
            for far in [1e152, 1e154, 1e160, 1e200] {
                assert!(matches!(path(far, at), Err(ScriptError::TooLong { .. })), "{far} at {at}, {method:?}");
            }
            // the spline's own control points may be out of range already
            assert!(path(1e308, at).is_err());
        }
    }
}

#[test]
fn a_cusp_is_reported_and_gives_no_bad_numbers() {
    // M-11
    // a loop pulled tight: C(t) = (t^3 - t, ...) has a vanishing derivative in the middle of these points
    let cusp = [Vec3::ZERO, Vec3::new(1.0, 1.0, 0.0), Vec3::new(0.0, 1.0, 0.0), Vec3::X];
    let path = SpacePath::new(CubicSpline::open(&cusp).unwrap()).unwrap();
    let at = path.irregular_at();
    assert!(at.len() == 1 && (at[0] - 0.5 * path.length()).abs() < 1e-6, "{at:?}");
    assert!(paths().iter().all(|p| p.irregular_at().is_empty()));
    for k in -5..=1005 {
        let p = path.evaluate(path.length() * 0.001 * Real::from(k));
        assert!(p.position.is_finite() && p.tangent.is_finite() && p.curvature.is_finite(), "{k}");
        assert!((p.tangent.length() - 1.0).abs() < 1e-9);
    }
    // coincident control points make the derivative vanish at the end of a curve
    let stopped = [Vec3::ZERO, Vec3::ZERO, Vec3::X, Vec3::new(2.0, 1.0, 0.0)];
    let path = SpacePath::new(CubicSpline::open(&stopped).unwrap()).unwrap();
    assert_eq!(path.irregular_at().len(), 1);
    assert!((path.evaluate(0.0).tangent - Vec3::X).length() < 1e-3);
    assert!(SpacePath::new(CubicSpline::open(&[Vec3::X; 4]).unwrap()).is_err());
}

/// Three control points in one place hold the curve there for a moment, and between two such places it is straight: corners at known lengths.
/// Each is reported once, though two pieces meet in it, and at the same fraction of the path in any unit of length.
#[test]
fn corners_are_found_once_at_every_scale() {
    let [a, b, c, d] = [Vec3::ZERO, Vec3::X, Vec3::new(1.0, 2.0, 0.0), Vec3::new(1.0, 2.0, 1.0)];
    for scale in [1e-4, 1.0, 1e4] {
        let points = [a, b, b, b, c, c, c, d].map(|p| p * scale);
        let path = SpacePath::new(CubicSpline::open(&points).unwrap()).unwrap();
        assert!((path.length() - 4.0 * scale).abs() < 1e-6 * scale, "{}", path.length());
        let at = path.irregular_at();
        assert_eq!(at.len(), 2, "{scale}: {at:?}");
        for (found, known) in at.iter().zip([1.0, 3.0]) {
            assert!((found - known * scale).abs() < 1e-6 * scale, "{scale}: {found}");
        }
    }
}

#[test]
fn beyond_the_ends_the_path_is_straight_and_the_body_rests() {
    // M-13
    let [path, _] = paths();
    let end = path.evaluate(path.length());
    let far = path.evaluate(path.length() + 2.0);
    assert!((far.position - end.position - end.tangent * 2.0).length() < 1e-12 && far.curvature == Vec3::ZERO);
    let [progress, _] = velocities(path.length());
    let script = SplineScript { path, progress, orientation: Orientation::Fixed(Quat::IDENTITY) };
    for t in [-1.0, 3.0] {
        let state = script.evaluate(t);
        assert_eq!((state.velocity, state.acceleration), (Twist::ZERO, Twist::ZERO));
    }
}

#[test]
fn bounds_hold_the_path() {
    for script in scripts() {
        for k in 0..10 {
            let (from, to) = (0.2 * Real::from(k), 0.2 * Real::from(k) + 0.35);
            let [low, high] = script.bounds(from, to);
            for i in 0..=50 {
                let p = script.evaluate(from + (to - from) * 0.02 * Real::from(i)).pose.position;
                assert!(p.cmpge(low - 1e-9).all() && p.cmple(high + 1e-9).all(), "{p} {low} {high}");
            }
            assert!((high - low).length() < 3.0 * script.path.length());
        }
    }
}

#[test]
fn key_frames_meet_their_keys_and_beat_finite_differences() {
    // M-03
    // samples of a known motion
    let known = Sinusoid {
        middle: Pose::IDENTITY,
        travel: Vec3::new(1.0, 0.5, 0.0),
        turn: Vec3::new(0.0, 1.0, 0.3),
        frequency: 0.5,
        phase: 0.0,
    };
    let keys: Vec<Key> = (0..=20)
        .map(|k| {
            let time = 0.1 * Real::from(k);
            Key { time, pose: known.evaluate(time).pose }
        })
        .collect();
    let (smooth, plain) = (KeyFrames::new(&keys).unwrap(), FiniteDifferences::new(&keys).unwrap());
    for key in &keys {
        for motion in [&smooth as &dyn ScriptedMotion, &plain] {
            let pose = motion.evaluate(key.time).pose;
            assert!(pose.position.distance(key.pose.position) < 1e-13);
            assert!((pose.orientation * key.pose.orientation.conjugate()).xyz().length() < 1e-11);
        }
    }
    let worst = |motion: &dyn ScriptedMotion| {
        (0..190).map(|k| 0.05 + 0.01 * Real::from(k)).fold((0.0, 0.0), |(p, v): (Real, Real), t| {
            let (a, b) = (motion.evaluate(t), known.evaluate(t));
            let off = (a.pose.position - b.pose.position).length();
            let rate =
                (a.velocity.linear - b.velocity.linear).length() + (a.velocity.angular - b.velocity.angular).length();
            (p.max(off), v.max(rate))
        })
    };
    let (good, bad) = (worst(&smooth), worst(&plain));
    assert!(good.0 < 0.05 * bad.0 && good.1 < 0.2 * bad.1, "{good:?} {bad:?}");
    check_derivatives(&smooth, (1..60).map(|k| 0.0331 * Real::from(k)), 1e-5);
    assert!(KeyFrames::new(&keys[..1]).is_err() && FiniteDifferences::new(&keys[..1]).is_err());
}

/// A body that passes a point at a height of 2 m and a speed of 3 m/s while looking at it: the angle is an arc tangent.
#[test]
fn what_looks_at_a_point_turns_by_an_arc_tangent() {
    let points: Vec<Vec3> = (0..6).map(|k| Vec3::X * (2.0 * Real::from(k) - 5.0)).collect();
    let path = SpacePath::new(CubicSpline::open(&points).unwrap()).unwrap();
    let progress = VelocitySpline::constant(0.0, 3.0, 10.0).unwrap();
    let gaze = Gaze { target: Target::Point(Vec3::NEG_Y * 2.0), up: Vec3::Z };
    let script = SplineScript { path, progress, orientation: Orientation::Gaze(gaze) };
    for k in 1..20 {
        let t = Real::from(k) / 6.0;
        let at = script.evaluate(t);
        let (x, h, v) = (at.pose.position.x, 2.0, 3.0);
        let square = h * h + x * x;
        let looks = Vec3::new(-x, -h, 0.0).normalize();
        assert!((at.pose.orientation * Vec3::X - looks).length() < 1e-12, "{t}");
        assert!((at.pose.orientation * Vec3::Y - Vec3::Z).length() < 1e-12, "{t}: its y axis is up");
        // the angle from straight down is atan(-x / h)
        let (w, a) = (-v * h / square, 2.0 * v * v * h * x / (square * square));
        assert!((at.velocity.angular - Vec3::Z * w).length() < 1e-9, "{t}: {} {w}", at.velocity.angular);
        assert!((at.acceleration.angular - Vec3::Z * a).length() < 1e-8, "{t}: {} {a}", at.acceleration.angular);
    }
    // straight above the point no upright direction exists, but all numbers stay finite
    let over = SplineScript { orientation: Orientation::Gaze(Gaze { up: Vec3::Y, ..gaze }), ..script };
    let at = over.evaluate(5.0 / 3.0);
    assert!(at.pose.orientation.is_normalized() && at.velocity.angular.is_finite());
}

#[test]
fn gazes_have_the_derivatives_that_they_say() {
    for path in paths() {
        for progress in velocities(path.length()) {
            for target in [Target::Point(Vec3::new(1.5, 4.0, -3.0)), Target::Ahead(0.4)] {
                let orientation = Orientation::Gaze(Gaze { target, up: Vec3::new(0.1, 0.2, 1.0) });
                let script = SplineScript { path: path.clone(), progress: progress.clone(), orientation };
                check_derivatives(&script, (1..80).map(|k| 0.0247 * Real::from(k)), 1e-5);
            }
        }
    }
}

#[test]
fn angle_splines_have_the_derivatives_that_they_say_and_turn_steadily_through_steady_keys() {
    let times = [0.0, 0.5, 0.9, 1.6, 2.0];
    // through a pitch of more than a quarter turn, and whole turns of roll
    let wild = [[0.0, 0.0, 0.0], [1.0, 0.8, 3.0], [-0.5, 1.9, 7.0], [2.0, -0.4, 9.0], [3.0, 0.3, 9.5]];
    let wild: Vec<Vec3> = wild.into_iter().map(Vec3::from_array).collect();
    let path = &paths()[1];
    let script = |angles: &[Vec3]| SplineScript {
        path: path.clone(),
        progress: VelocitySpline::constant(0.0, 0.5 * path.length(), path.length()).unwrap(),
        orientation: Orientation::Angles(AngleSpline::through(&times, angles).unwrap()),
    };
    // across the keys too: the second derivative is continuous
    check_derivatives(&script(&wild), (1..80).map(|k| 0.0247 * Real::from(k)), 1e-4);
    let spline = AngleSpline::through(&times, &wild).unwrap();
    for (t, a) in times.iter().zip(&wild) {
        let q = Quat::from_rotation_z(a.x) * Quat::from_rotation_y(a.y) * Quat::from_rotation_x(a.z);
        assert!(spline.evaluate(*t).orientation.dot(q).abs() > 1.0 - 1e-14);
        for (below, above) in [(t - 1e-9, t + 1e-9)].into_iter().filter(|_| *t > 0.0 && *t < 2.0) {
            let jump = (spline.evaluate(below).acceleration - spline.evaluate(above).acceleration).length();
            assert!(jump < 1e-4, "{t}: {jump}");
        }
    }
    // angles that grow uniformly about one axis: no angular acceleration
    for k in 0..3 {
        let axis = [Vec3::Z, Vec3::Y, Vec3::X][k];
        let steady: Vec<Vec3> = times.iter().map(|t| Vec3::AXES[k] * (1.7 * t)).collect();
        let steady = AngleSpline::through(&times, &steady).unwrap();
        for t in [0.1, 0.7, 1.99] {
            let at = steady.evaluate(t);
            assert!((at.velocity - axis * 1.7).length() < 1e-13 && at.acceleration.length() < 1e-12, "{at:?}");
        }
        // at rest beyond the ends
        assert_eq!(steady.evaluate(2.5).velocity, Vec3::ZERO);
    }
    assert!(
        AngleSpline::through(&times, &wild[1..]).is_err()
            && AngleSpline::through(&[0.0, Real::NAN], &wild[..2]).is_err()
    );
}
