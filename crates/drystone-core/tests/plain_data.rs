//! The plain data of a step, checked by the closed forms and laws that it represents.

use drystone_core::catalogue::{Implementation, Parameter, Settings, Value, chosen, joined};
use drystone_core::{
    BodyIndex, BodyProperties, Closing, Configuration, ContactPoint, Edge, Energy, FeatureKey, ForceField, Groups,
    Impact, Momentum, MotionBound, NormalOwner, PairMaterial, SleepMemory, SleepObservation, SleepPolicy, State, Turn,
    kinetic_energy,
};
use drystone_geometry::Shape;
use drystone_math::{Pose, Quat, Real, Twist, Vec3, Wrench};

/// A brick of 2 kg, 1 x 2 x 3 m; its moments of inertia are `m (b^2 + c^2) / 12`.
fn brick() -> BodyProperties {
    let shape = Shape::cuboid(0.5, 1.0, 1.5).unwrap();
    let mass = shape.mass_properties(2.0 / 6.0).unwrap();
    BodyProperties::dynamic(shape, &mass).unwrap()
}

const MOMENTS: Vec3 = Vec3::new(2.0 * 13.0 / 12.0, 2.0 * 10.0 / 12.0, 2.0 * 5.0 / 12.0);

#[test]
fn energy_and_momentum_of_a_brick_that_turns_as_it_flies() {
    // a quarter turn about z: its y axis lies along -x
    let q = Quat::from_rotation_z(core::f64::consts::FRAC_PI_2);
    let (v, w, at) = (Vec3::new(3.0, 0.0, -1.0), Vec3::new(2.0, 0.0, 5.0), Vec3::new(0.0, 4.0, 0.0));
    let (mut c, mut s) = (Configuration::default(), State::default());
    c.gravity = Vec3::new(0.0, -9.81, 0.0);
    c.bodies.push(brick());
    c.bodies[0].gravity_scale = 0.5;
    s.push(Pose::new(at, q), Twist::new(v, w));
    let kinetic = 0.5 * (2.0 * 10.0 + MOMENTS.y * 4.0 + MOMENTS.z * 25.0);
    let energy = Energy::of(&c, &s);
    assert!((kinetic_energy(&c.bodies[0], &s, 0) - kinetic).abs() < 1e-12);
    assert!((energy.kinetic - kinetic).abs() < 1e-12 && (energy.potential - 2.0 * 0.5 * 9.81 * 4.0).abs() < 1e-12);
    assert_eq!(energy.total(), energy.kinetic + energy.potential);
    // the bound assumes that the spin is about an axis with all of the moments
    let bound = Energy::bound(&c, &s, [BodyIndex(0)].into_iter());
    let most = 0.5 * (2.0 * 10.0 + MOMENTS.element_sum() * 29.0);
    assert!((bound.kinetic - most).abs() < 1e-12 && bound.kinetic >= energy.kinetic);
    assert_eq!(bound.potential, energy.potential);
    let momentum = Momentum::of(&c, &s);
    let angular = at.cross(v * 2.0) + Vec3::new(MOMENTS.y * 2.0, 0.0, MOMENTS.z * 5.0);
    assert!((momentum.linear - v * 2.0).length() < 1e-12 && (momentum.angular - angular).length() < 1e-12);
    // a scripted body, which cannot be pushed, has no energy
    c.bodies.push(BodyProperties::scripted(Shape::sphere(1.0).unwrap()));
    s.push(Pose::IDENTITY, Twist::new(v, w));
    assert_eq!((Energy::of(&c, &s), Momentum::of(&c, &s)), (energy, momentum));
}

#[test]
fn a_free_body_moves_as_fast_as_its_farthest_point_at_most() {
    let (v, g) = (Vec3::new(3.0, 0.0, 0.0), Vec3::new(0.0, -9.81, 0.0));
    let straight = MotionBound::of(&brick(), Quat::IDENTITY, Twist::new(v, Vec3::ZERO), g);
    assert_eq!((straight.velocity, straight.acceleration, straight.spin), (v, g, 0.0));
    // about its axis of least moment it keeps turning the same way
    let w = Vec3::Z * 2.0;
    let turning = MotionBound::of(&brick(), Quat::IDENTITY, Twist::new(v, w), g);
    assert_eq!((turning.velocity, turning.acceleration), (v, g));
    let corner = Vec3::new(0.5, 1.0, 1.5).length();
    assert!((turning.spin - 2.0 * corner).abs() < 1e-12, "{}", turning.spin);
    // no point has moved farther than the bound, at any time
    for t in [0.1, 0.5, 2.0] {
        let place = Quat::from_scaled_axis(w * t) * Vec3::new(0.5, 1.0, 1.5) + v * t + g * (0.5 * t * t);
        assert!((place - Vec3::new(0.5, 1.0, 1.5)).length() <= turning.way(t), "{t}");
    }
}

#[test]
fn the_velocity_after_a_bounce_leads_to_the_parabola_from_there() {
    let h = 0.02;
    let closing = Closing { gap: 0.05, before: -4.0, after: -4.0 - 9.81 * h, horizon: h };
    let at = closing.arrival().unwrap();
    let hit = Impact { at, approach: closing.before + closing.force_until(at) };
    // leaving at 2 m/s, it gains gravity until the middle of the next drift, which is half a step after the end of this one
    let leaving = 2.0;
    let middle = closing.velocity_for(&hit, leaving);
    assert!((middle - (leaving - 9.81 * h * (0.5 - at))).abs() < 1e-15, "{middle}");
    // if the bodies already touch, the velocity is the leaving velocity itself
    let touching = Closing { gap: 0.0, ..closing };
    assert_eq!(touching.velocity_for(&Impact { at: 0.0, approach: -4.0 }, leaving), leaving);
}

#[test]
fn a_contact_is_where_it_was_found_and_moves_with_its_bodies() {
    let a = Pose::new(Vec3::new(1.0, 2.0, 3.0), Quat::from_rotation_x(0.7));
    let b = Pose::new(Vec3::new(-1.0, 0.5, 2.0), Quat::from_rotation_y(-1.1));
    let (at, n, gap) = (Vec3::new(0.3, 1.0, 2.5), Vec3::new(0.6, 0.0, 0.8), -0.02);
    let point = ContactPoint::from_world(&a, &b, at, n, gap, FeatureKey(7), NormalOwner::A);
    assert_eq!((point.separation, point.key, point.owner), (gap, FeatureKey(7), NormalOwner::A));
    let (normal, middle, separation) = point.world(&a, &b);
    assert!((normal - n).length() < 1e-14 && (middle - at).length() < 1e-14 && (separation - gap).abs() < 1e-14);
    // B moved away along the normal: the separation grows by that much, and the midpoint moves by half of it
    let away = Pose::new(b.position + n * 0.1, b.orientation);
    let (_, middle, separation) = point.world(&a, &away);
    assert!((separation - gap - 0.1).abs() < 1e-14 && (middle - at - n * 0.05).length() < 1e-14);
}

#[test]
fn turns_add_up_and_come_in_time() {
    let shift = |y: Real| Twist::new(Vec3::Y * y, Vec3::Z * (2.0 * y));
    let mut turn = Turn { shift: shift(0.3), within: 0.1, ..Turn::default() };
    turn.add(&Turn { shift: shift(0.1), within: 0.25, ..Turn::default() });
    assert!((turn.shift.linear.y - 0.4).abs() < 1e-15 && (turn.shift.angular.z - 0.8).abs() < 1e-15);
    assert_eq!(turn.within, 0.25);
    // after two drifts all of it has been applied
    let came = [turn.take(0.1), turn.take(0.2)];
    assert!((came[0].linear.y - 0.16).abs() < 1e-15 && (came[0].linear.y + came[1].linear.y - 0.4).abs() < 1e-15);
    assert!(turn.is_none());
}

#[test]
fn each_group_has_its_own() {
    let bodies = |of: &[u32]| of.iter().map(|&b| BodyIndex(b)).collect::<Vec<_>>();
    let groups = Groups {
        bodies: bodies(&[0, 3, 1, 4, 5]),
        edges: vec![2, 0, 1],
        joints: vec![0],
        body_starts: vec![0, 2, 5],
        edge_starts: vec![0, 1, 3],
        joint_starts: vec![0, 0, 1],
        awake: vec![true, false],
        fixated: vec![false, true],
        ..Groups::default()
    };
    assert_eq!([groups.group_bodies(0), groups.group_bodies(1)], [&bodies(&[0, 3])[..], &bodies(&[1, 4, 5])]);
    assert_eq!([groups.group_edges(0), groups.group_edges(1)], [&[2][..], &[0, 1]]);
    assert_eq!([groups.group_joints(0), groups.group_joints(1)], [&[][..], &[0]]);
    assert!(groups.len() == 2 && !groups.is_empty() && Groups::default().is_empty());
    // bodies beyond the end of the column count as not fixated
    assert_eq!([0, 1, 2].map(|b| groups.is_fixated(BodyIndex(b))), [false, true, false]);
    assert_eq!(groups.clone(), groups);
    let mut cleared = groups;
    cleared.clear();
    assert_eq!(cleared, Groups::default());
}

#[test]
fn a_copy_of_an_edge_has_all_that_the_edge_has() {
    let pair = drystone_core::BodyPair::new(BodyIndex(4), BodyIndex(2)).unwrap();
    let mut edge = Edge::new(pair, PairMaterial::default());
    (edge.touching, edge.reach, edge.cache) = (true, 0.25, [1, 2, 3, 4]);
    let point = ContactPoint::from_world(
        &Pose::IDENTITY,
        &Pose::IDENTITY,
        Vec3::X,
        Vec3::Y,
        -0.1,
        FeatureKey(9),
        NormalOwner::B,
    );
    edge.manifold.points.push(point);
    let copy = edge.clone();
    assert_eq!((copy.pair, copy.touching, copy.reach, copy.cache), (pair, true, 0.25, [1, 2, 3, 4]));
    assert_eq!(copy.manifold.points.iter().copied().collect::<Vec<_>>(), [point]);
}

/// A force linked to bodies by rows, or one that acts on all.
struct Pull(Option<[Option<BodyIndex>; 2]>);

impl ForceField for Pull {
    fn accumulate(&self, _: &Configuration, _: &State, _: &mut [Wrench]) {}

    fn linked_bodies(&self) -> Option<[Option<BodyIndex>; 2]> {
        self.0
    }
}

#[test]
fn links_are_joints_and_forces_behind_them() {
    let mut c = Configuration::default();
    assert_eq!((c.link_count(), c.link_bodies(0)), (0, None));
    c.bodies.extend([brick(), brick()]);
    let ends = [Some(BodyIndex(1)), None];
    for linked in [None, Some(ends), Some([None, Some(BodyIndex(2))])] {
        c.forces.push(Box::new(Pull(linked)));
    }
    // the second acts through rows, the third names a body that does not exist
    assert_eq!(c.link_count(), 3);
    assert_eq!([0, 1, 2, 3].map(|k| c.link_bodies(k)), [None, Some(ends), None, None]);
}

const DESCRIPTION: Implementation = Implementation {
    name: "x",
    summary: "",
    source: "",
    parameters: &joined::<3>(&[
        &[Parameter::integer("iterations", 10, 1, 100, ""), Parameter::real("omega", 1.5, 0.0, 2.0, "")],
        &[Parameter::switch("warm", true, "")],
    ]),
};

#[test]
fn settings_have_what_was_declared_and_say_it_as_scene_files_do() {
    let settings = Settings::defaults(&DESCRIPTION);
    let said: Vec<_> = settings.iter().map(|(p, v)| (p.name, v.to_string())).collect();
    assert_eq!(said, [("iterations", "10".into()), ("omega", "1.5".into()), ("warm", "true".to_owned())]);
    assert_eq!(Value::Text("forward".into()).to_string(), "\"forward\"");
    assert!(settings.has("warm") && !settings.has("cold"));
    assert!(settings.switch("warm") && !settings.switch("cold"));
    assert_eq!((settings.integer("iterations"), settings.real("omega")), (10, 1.5));
    assert_eq!((settings.integer("none"), settings.real("none"), settings.text("none")), (0, 0.0, ""));
}

/// A policy that says nothing about support.
struct Never;

impl SleepPolicy for Never {
    fn name(&self) -> &'static str {
        "never"
    }

    fn is_sleepy(&self, _: &SleepObservation, _: Real, _: &mut SleepMemory) -> bool {
        false
    }
}

#[test]
fn a_policy_that_says_nothing_lets_only_what_is_held_up_sleep() {
    assert!(Never.asks_for_support());
}

#[test]
fn parameters_are_chosen_by_their_whole_names() {
    let all = [("ab", 1.0), ("aa", 2.0), ("ba", 3.0), ("a", 4.0)]
        .map(|(name, default)| Parameter::real(name, default, 0.0, 9.0, ""));
    let names = ["aa", "a", "ba"];
    assert_eq!(chosen(&all, names), [all[1], all[3], all[2]]);
}
