//! Columns of the state stay with their bodies.

use drystone_core::{BodyIndex, Flight, Gone, State, Turn};
use drystone_math::{Pose, Twist, Vec3};

/// Body `k` has `k` in all of its columns; those at these places still have a turn to come.
fn state(bodies: [u32; 4], turns: &[u32]) -> State {
    let mut s = State::default();
    for k in bodies {
        let v = Vec3::splat(f64::from(k));
        s.push(Pose::from_position(v), Twist::new(v * 2.0, v * 3.0));
    }
    for (i, k) in bodies.into_iter().enumerate() {
        s.sleeping[i] = k == 2;
        s.sleepy[i] = k == 1;
        s.flight[i] = if k == 3 { Flight::Unknown } else { s.flight[i] };
        if turns.contains(&k) {
            s.add_turn(BodyIndex::new(i), &turn(k));
        }
    }
    s
}

fn turn(k: u32) -> Turn {
    Turn { shift: Twist::new(Vec3::X * f64::from(k + 1), Vec3::Y), within: 0.5, ..Turn::default() }
}

#[test]
fn a_body_that_goes_takes_its_own_columns_alone() {
    for gone in 0..4_u32 {
        let mut s = state([0, 1, 2, 3], &[1, 3]);
        s.displacement = (0..4).map(turn).collect();
        s.remove(&Gone::new([gone]));
        assert_eq!(s.len(), 3);
        let left: Vec<u32> = (0..4).filter(|k| *k != gone).collect();
        for (i, &k) in left.iter().enumerate() {
            assert_eq!(s.position[i].x, f64::from(k));
            assert_eq!((s.linear_velocity[i].x, s.angular_velocity[i].x), (2.0 * f64::from(k), 3.0 * f64::from(k)));
            assert_eq!((s.sleeping[i], s.sleepy[i]), (k == 2, k == 1));
            assert_eq!(s.displacement[i], turn(k));
        }
        let turns: Vec<_> = left.iter().enumerate().filter(|(_, k)| [1, 3].contains(*k)).collect();
        let expected: Vec<_> = turns.iter().map(|(i, k)| (BodyIndex::new(*i), turn(**k))).collect();
        assert_eq!(s.turns, expected);
    }
}

#[test]
fn what_is_forgotten_of_a_body_is_kept_of_the_others() {
    let mut s = state([0, 1, 2, 3], &[0, 1, 3]);
    s.forget_turn(BodyIndex(1));
    assert_eq!(s.turns, [(BodyIndex(0), turn(0)), (BodyIndex(3), turn(3))]);
}

/// The spin before a turn is available as long as the turn is still to come, and only then.
#[test]
fn a_turn_that_has_come_has_no_spin_before_it() {
    let mut s = state([0, 1, 2, 3], &[]);
    let body = BodyIndex(2);
    s.add_turn(body, &Turn { shift: Twist::new(Vec3::ZERO, Vec3::Y), within: 0.5, ..Turn::default() });
    // the shift (u - v) t of the turn over its time t, on top of the spin after it
    assert_eq!(s.approach_spin(body), Some(Vec3::new(6.0, 8.0, 6.0)));
    assert_eq!(s.take_turn(body, 0.5), Some(Twist::new(Vec3::ZERO, Vec3::Y)));
    assert!(s.approach_spin(body).is_none() && !s.turns_later(body));
    s.add_turn(body, &Turn { shift: Twist::new(Vec3::ZERO, Vec3::Y), within: 0.0, ..Turn::default() });
    assert!(s.approach_spin(body).is_none(), "no time is left for it to come in");
}
