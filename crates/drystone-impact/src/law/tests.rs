use super::*;
use drystone_math::{Quat, SymmetricMat3, skew};

/// Rounding errors of a hundred operations on quantities near one.
const ROUNDING: Real = 1e-10;

/// A small deterministic sequence in [-1, 1).
pub(super) struct Numbers(pub(super) u64);

impl Numbers {
    fn next(&mut self) -> Real {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as Real / (1_u64 << 52) as Real - 1.0
    }

    fn vector(&mut self) -> Vec3 {
        Vec3::new(self.next(), self.next(), self.next())
    }

    /// An oblique impact of two bodies of random inertia.
    pub(super) fn impact(&mut self) -> ImpactContact {
        let mut k = Mat3::from_diagonal(Vec3::splat(1.5));
        for _ in 0..2 {
            let inverse = SymmetricMat3::from_diagonal(Vec3::splat(1.2) + self.vector() + self.vector() * 0.1);
            let axis = self.vector().normalize_or(Vec3::X);
            let r = skew(self.vector() * 2.0);
            k -= r * inverse.rotated(Quat::from_axis_angle(axis, self.next() * 3.0)).to_mat3() * r;
        }
        let normal = self.vector().normalize_or(Vec3::Y);
        let u = self.vector() * 2.0;
        let approach = self.next().abs() + 0.01;
        ImpactContact {
            collision_matrix: (k + k.transpose()) * 0.5,
            relative_velocity: u - normal * (normal.dot(u) + approach),
            normal,
            friction: (self.next() + 1.0) * 0.6,
            restitution: (self.next() + 1.0) * 0.5,
        }
    }
}

fn laws() -> Vec<Box<dyn CollisionLaw>> {
    LAWS.iter().map(|d| law_by_name(d.name, &Settings::defaults(d)).unwrap()).collect()
}

#[test]
fn separating_or_immovable_bodies_get_nothing() {
    let mut c = Numbers(7).impact();
    for law in laws() {
        c.relative_velocity = c.normal * 0.5;
        assert_eq!(law.impulse(&c), Vec3::ZERO, "{}", law.name());
        let held = ImpactContact { collision_matrix: Mat3::ZERO, relative_velocity: -c.normal, ..c };
        assert_eq!(law.impulse(&held), Vec3::ZERO, "{}", law.name());
    }
}

/// D-02, D-03, D-09.
#[test]
fn without_friction_all_agree_with_newton() {
    let mut numbers = Numbers(3);
    for _ in 0..100 {
        let c = ImpactContact { friction: 0.0, ..numbers.impact() };
        let expected = Newton.impulse(&c);
        for law in laws() {
            let p = law.impulse(&c);
            assert!((p - expected).length() < ROUNDING * expected.length(), "{}: {p} {expected}", law.name());
        }
    }
}

#[test]
fn impulses_are_in_the_friction_cone_and_no_law_but_newton_friction_adds_energy() {
    let mut numbers = Numbers(11);
    let mut slid = 0;
    for _ in 0..2000 {
        let c = numbers.impact();
        for law in laws() {
            let p = law.impulse(&c);
            let (p_n, p_t) = split(p, c.normal);
            let slack = ROUNDING * p.length();
            assert!(p.is_finite() && p_n > 0.0 && p_t.length() <= c.friction * p_n + slack, "{}: {p}", law.name());
            let scale = c.relative_velocity.length_squared();
            let gain = energy_gain(&c, p);
            assert!(gain <= ROUNDING * scale || law.name() == "newton-friction", "{}: {gain}", law.name());
            slid += u32::from(p_t.length() > c.friction * p_n - slack);
        }
    }
    assert!(slid > 1000, "{slid}");
}

#[test]
fn restitution_of_the_velocity_is_exact() {
    let mut numbers = Numbers(5);
    for _ in 0..500 {
        let c = numbers.impact();
        let goal = -c.restitution * c.normal.dot(c.relative_velocity);
        for law in laws().into_iter().filter(|l| ["newton", "newton-friction", "chatterjee-ruina"].contains(&l.name()))
        {
            let after = c.normal.dot(c.relative_velocity + c.collision_matrix * law.impulse(&c));
            assert!((after - goal).abs() < ROUNDING, "{}: {after} {goal}", law.name());
        }
    }
}

/// D-09.
#[test]
fn a_slip_that_stops_and_can_stick_stays_stopped() {
    // a ball with much friction: K is diagonal, the slip stops, and the contact sticks
    let k = Mat3::from_diagonal(Vec3::new(3.5, 1.0, 3.5));
    let c = ImpactContact {
        collision_matrix: k,
        relative_velocity: Vec3::new(1.0, -2.0, 0.5),
        normal: Vec3::Y,
        friction: 0.9,
        restitution: 0.5,
    };
    let after = c.relative_velocity + k * RouthMirtich.impulse(&c);
    assert!(after.x.abs() < 1e-7 && after.z.abs() < 1e-7 && (after.y - 1.0).abs() < ROUNDING, "{after}");
    // with little friction sliding is straight and has a closed form
    let c = ImpactContact { friction: 0.05, ..c };
    let p = RouthMirtich.impulse(&c);
    let slip = Vec3::new(1.0, 0.0, 0.5).normalize();
    assert!((p - (Vec3::Y - slip * 0.05) * 3.0).length() < ROUNDING, "{p}");
}

#[test]
fn the_incremental_law_takes_steps_that_are_fine_enough() {
    // the reference: a plain integration in tiny steps of the normal impulse
    let mut numbers = Numbers(23);
    for _ in 0..20 {
        let c = numbers.impact();
        let (mut u, mut p) = (c.relative_velocity, Vec3::ZERO);
        let dp = -c.normal.dot(u) / c.normal.dot(c.collision_matrix * c.normal) / 2e5;
        let mut goal = Real::INFINITY;
        while c.normal.dot(p) < goal {
            let (v, slip) = split(u, c.normal);
            if v >= 0.0 && goal == Real::INFINITY {
                goal = (1.0 + c.restitution) * c.normal.dot(p);
            }
            // regularised friction: it sticks if the slip is below 1e-4
            let d = (c.normal - slip * (c.friction / slip.length().max(1e-4))) * dp;
            u += c.collision_matrix * d;
            p += d;
            if c.normal.dot(p) > 100.0 {
                break;
            }
        }
        let found = RouthMirtich.impulse(&c);
        assert!((found - p).length() < 2e-3 * p.length(), "{found} {p}");
    }
}

/// A rod of 1 m and 3 kg that falls at 3 m/s on its rounded end, at 0.8 rad to the horizontal; its centre
/// moves at `first` along the floor. Returns its speed along the floor after the impact.
fn rod(law: &dyn CollisionLaw, first: Real, friction: Real) -> Real {
    let (mass, inertia) = (3.0, 0.25);
    let r = Vec3::new(-0.5 * (0.8_f64).cos(), -0.5 * (0.8_f64).sin() - 0.05, 0.0);
    let turning = skew(r) * (1.0 / inertia);
    let k = Mat3::from_diagonal(Vec3::splat(1.0 / mass)) - turning * skew(r);
    let relative_velocity = Vec3::new(first, -3.0, 0.0);
    let c = ImpactContact { collision_matrix: k, relative_velocity, normal: Vec3::Y, friction, restitution: 0.0 };
    first + law.impulse(&c).x / mass
}

#[test]
fn a_leaning_rod_is_slowed_by_friction_whatever_its_first_slip() {
    // the impact drives the foot back: friction opposes that once the first slip has ended, or from the start if there is none
    for first in [-1.0, -0.5, -1e-3, -1e-12, 0.0, 1e-12, 1e-3, 0.1, 0.5, 1.0, 3.0] {
        for friction in [0.05, 0.2, 0.4, 1.0] {
            let (found, expected) = (rod(&Poisson, first, friction), rod(&RouthMirtich, first, friction));
            assert!((found - expected).abs() < 1e-6, "{first} {friction}: {found}, expected {expected}");
        }
    }
    // by hand, with the normal impulse J: mu J / m
    let (r, inertia) = ((-0.5 * (0.8_f64).cos(), -0.5 * (0.8_f64).sin() - 0.05), 0.25);
    let normal = 3.0 / (1.0 / 3.0 + r.0 * r.0 / inertia - 0.2 * r.0 * r.1 / inertia);
    let found = rod(&Poisson, 0.0, 0.2);
    assert!((found - 0.2 * normal / 3.0).abs() < ROUNDING && found > 0.28, "{found}");
    // the control: with a single friction direction, friction acts along the slip that the impact causes
    assert!(rod(&NewtonFriction, 1e-3, 0.2) < -0.2 && rod(&NewtonFriction, 0.0, 0.2) == 0.0);
}

/// A ball whose slip outlasts compression and ends in restitution: the rest of the slip then stops exactly, whatever the
/// mass.
#[test]
fn poissons_restitution_stops_the_slip_that_compression_left() {
    for mass in [0.5, 1.0, 4.0] {
        let k = Mat3::from_diagonal(Vec3::new(3.5, 1.0, 3.5) / mass);
        // compression takes 3.5 mu times the 2 m/s of approach from the slip, restitution up to 0.8 times as much
        let slip = 3.5 * 0.2 * 2.0 * 1.5;
        let c = ImpactContact {
            collision_matrix: k,
            relative_velocity: Vec3::new(slip, -2.0, 0.0),
            normal: Vec3::Y,
            friction: 0.2,
            restitution: 0.8,
        };
        let after = c.relative_velocity + k * Poisson.impulse(&c);
        assert!((after - Vec3::Y * 1.6).length() < ROUNDING, "{mass}: {after}");
    }
}

#[test]
fn a_truncated_impulse_is_in_the_cone_and_within_the_energy_that_there_is() {
    // D-13, for any fraction of the slip that is reversed; without truncation (practically no bound on friction) the same impacts leave the
    // cone
    let mut numbers = Numbers(31);
    let mut outside = 0;
    for _ in 0..3000 {
        let c = numbers.impact();
        let law = ChatterjeeRuina { tangential_restitution: numbers.next() };
        let (p_n, p_t) = split(law.impulse(&c), c.normal);
        let scale = c.relative_velocity.length_squared();
        assert!(p_n > 0.0 && p_t.length() <= c.friction * p_n + ROUNDING * scale.sqrt(), "{p_n} {p_t}");
        assert!(energy_gain(&c, law.impulse(&c)) <= ROUNDING * scale, "{}", energy_gain(&c, law.impulse(&c)));
        let (whole_n, whole_t) = split(law.impulse(&ImpactContact { friction: 1e9, ..c }), c.normal);
        outside += u32::from(whole_t.length() > c.friction * whole_n);
    }
    assert!(outside > 1000, "{outside}");
}

#[test]
fn a_superball_reverses_its_slip() {
    let c = ImpactContact {
        collision_matrix: Mat3::from_diagonal(Vec3::new(3.5, 1.0, 3.5)),
        relative_velocity: Vec3::new(1.0, -2.0, 0.0),
        normal: Vec3::Y,
        friction: 10.0,
        restitution: 1.0,
    };
    let p = ChatterjeeRuina { tangential_restitution: 1.0 }.impulse(&c);
    let after = c.relative_velocity + c.collision_matrix * p;
    assert!((after - Vec3::new(-1.0, 2.0, 0.0)).length() < ROUNDING, "{after}");
    assert!(energy_gain(&c, p).abs() < ROUNDING);
}
