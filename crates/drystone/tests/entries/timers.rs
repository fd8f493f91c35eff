//! Timers together with triggers and touches (H-12, N-15): one log, ordered by time.

use drystone::prelude::*;

const H: f64 = 0.01;

/// A ball falls through a sensor, bounces and comes back while two timers run. Returns each event as a word with its time (s).
fn bounce(paradigm: Paradigm) -> Vec<(String, f64)> {
    let mut world = World::builder().paradigm(paradigm).gravity([0.0, -10.0, 0.0]).build().unwrap();
    let elastic = world.add_material(Material { restitution: 1.0, friction: 0.0, ..Material::default() }).unwrap();
    world.add(Body::fixed(Shape::plane(Vec3::Y, 0.0).unwrap()).material(elastic)).unwrap();
    let gate = Body::fixed(Shape::cuboid(1.0, 0.1, 1.0).unwrap()).at([0.0, 0.5, 0.0]).sensor(true);
    world.add(gate).unwrap();
    let ball = Body::dynamic(Shape::sphere(0.1).unwrap()).at([0.0, 1.35, 0.0]).material(elastic);
    world.add(ball).unwrap();
    let regular = world.add_timer(0.25, Some(0.25)).unwrap();
    world.add_timer(0.47, None).unwrap();
    let mut log = Vec::new();
    for _ in 0..95 {
        world.advance(H).unwrap();
        log.extend(world.drain_events().filter_map(|e| {
            let what = match e {
                Event::Entered { .. } => "in",
                Event::Left { .. } => "out",
                Event::TouchBegan(_) => "touch",
                Event::TouchEnded { .. } => "apart",
                Event::Tick { timer, count: 1, .. } => {
                    if timer == regular {
                        "tick"
                    } else {
                        "alarm"
                    }
                }
                _ => return None,
            };
            Some((what.to_owned(), e.time()))
        }));
    }
    log
}

#[test]
fn a_bounce_through_a_trigger_gives_its_log() {
    // the ball falls from 1.35 m at 10 m/s^2: its lower side enters the gate after 0.65 m, its upper side leaves after 1.05 m, and it touches the
    // floor after 1.25 m
    let fall = |way: f64| (2.0 * way / 10.0_f64).sqrt();
    let [into, out, down] = [0.65, 1.05, 1.25].map(fall);
    let wanted = [
        ("tick", 0.25),
        ("in", into),
        ("out", out),
        ("alarm", 0.47),
        ("touch", down),
        ("tick", 0.5),
        ("apart", down),
        ("in", 2.0 * down - out),
        ("out", 2.0 * down - into),
        ("tick", 0.75),
    ];
    for paradigm in [Paradigm::REAL_TIME, Paradigm::VELOCITY_LCP, Paradigm::RETROACTIVE] {
        let log = bounce(paradigm);
        // a touch that ends in the step in which it began is reported at that step's end
        let sorted = |mut list: Vec<(String, i64)>| {
            list.sort();
            list
        };
        let names = |list: &[(String, f64)]| list.iter().map(|(w, _)| w.clone()).collect::<Vec<_>>();
        let expected: Vec<_> = wanted.iter().map(|(w, t)| ((*w).to_owned(), *t)).collect();
        let count = |list: &[(String, f64)]| sorted(names(list).into_iter().map(|w| (w, 0)).collect());
        assert_eq!(count(&log), count(&expected), "{}: {log:?}", paradigm.name);
        for what in ["tick", "alarm", "in", "out", "touch", "apart"] {
            let of =
                |list: &[(String, f64)]| list.iter().filter(|(w, _)| w == what).map(|(_, t)| *t).collect::<Vec<_>>();
            // ticks are exact up to rounding; the other events are only as exact as the times at which bodies are examined
            let tolerance = if ["tick", "alarm"].contains(&what) { 1e-12 } else { 2.0 * H + 1e-9 };
            for (found, time) in of(&log).iter().zip(of(&expected)) {
                assert!((found - time).abs() <= tolerance, "{}: {what} at {found}, expected {time}", paradigm.name);
            }
        }
        assert!(log.windows(2).all(|w| w[0].1 <= w[1].1 + H + 1e-9), "{log:?}");
    }
}

#[test]
fn each_tick_is_told_once_whatever_the_step_and_also_while_all_sleep() {
    for steps in [7_u32, 10, 100, 333] {
        let mut world = World::builder().build().unwrap();
        world.add(Body::fixed(Shape::plane(Vec3::Y, 0.0).unwrap())).unwrap();
        let timer = world.add_timer(0.1, Some(0.1)).unwrap();
        let (mut ticks, mut last) = (0, 0.0);
        for _ in 0..steps {
            world.advance(1.0 / f64::from(steps)).unwrap();
            for e in world.drain_events() {
                let Event::Tick { time, count, .. } = e else { continue };
                assert!(time > last && time <= 1.0 + 1e-9);
                (ticks, last) = (ticks + count, time);
            }
        }
        assert_eq!((ticks, last), (10, 1.0), "{steps}");
        world.remove_timer(timer).unwrap();
        world.advance(1.0).unwrap();
        assert!(world.events().is_empty() && world.remove_timer(timer).is_err());
    }
    let mut world = World::builder().build().unwrap();
    for (first, period) in [(f64::NAN, None), (0.0, Some(0.0)), (0.0, Some(-1.0)), (0.0, Some(f64::INFINITY))] {
        assert!(world.add_timer(first, period).is_err(), "{first} {period:?}");
    }
    // a period far below the step gives one event with a count
    world.add_timer(0.0, Some(1e-300)).unwrap();
    world.advance(0.01).unwrap();
    assert!(matches!(world.events(), [Event::Tick { count, .. }] if *count > 1_000_000));
}
