//! Forces follow the bodies they name when others are removed, and are removed together with their own.

use super::{ball, steps};
use drystone::WorldError;
use drystone::prelude::*;
use drystone_core::{BodyIndex, Configuration, State};
use drystone_math::Wrench;
use drystone_motion::force::{Axes, BodiesField, Damping, PointWrench, SpringDamper, Targets, TimeDependentWrench};

/// Three balls in a row, without gravity.
fn row() -> (World, [BodyId; 3]) {
    let mut w = World::builder().gravity([0.0; 3]).build().unwrap();
    let ids = [0.0, 3.0, 6.0].map(|x| w.add(ball().at([x, 0.0, 0.0])).unwrap());
    (w, ids)
}

#[test]
fn a_force_stays_with_its_body_when_one_before_it_is_removed() {
    let (mut w, [first, held, other]) = row();
    let column = w.body_index(held).unwrap();
    let up = Vec3::new(3.0, 10.0, 0.0);
    w.add_force(SpringDamper::mouse(column, Vec3::ZERO, up, 1000.0, 0.0, f64::INFINITY));
    let removed = w.remove(first).unwrap();
    assert!(removed.forces.is_empty() && removed.joints.is_empty());
    steps(&mut w, 10);
    // 10 kN on 524 kg for a tenth of a second
    let speed = w.velocity(held).unwrap().linear.y;
    assert!((1.8..2.0).contains(&speed), "{speed}");
    assert_eq!(w.velocity(other).unwrap(), Twist::ZERO);
}

/// Every kind of force that names a body, acting on the middle ball: the first ball is removed, then the middle one.
#[test]
fn every_kind_of_force_follows_its_body_and_goes_with_it() {
    let wrench = Wrench::new(Vec3::Y * 100.0, Vec3::ZERO);
    let add: [fn(&mut World, BodyIndex, Wrench) -> drystone_core::ForceId; 5] = [
        |w, body, f| {
            let force = PointWrench { body, point: Vec3::ZERO, force: f.force, torque: f.torque, axes: Axes::World };
            w.add_force(force)
        },
        |w, body, f| w.add_force(TimeDependentWrench { body, wrench: move |_| f }),
        |w, body, _| {
            let far = Vec3::new(3.0, 1.0, 0.0);
            w.add_force(SpringDamper::mouse(body, Vec3::ZERO, far, 100.0, 0.0, f64::INFINITY))
        },
        |w, body, f| {
            let push = move |at: &[BodyIndex], _: &Configuration, _: &State, w: &mut [Wrench]| w[at[0].at()] += f;
            w.add_force(BodiesField { bodies: vec![body], field: push })
        },
        |w, body, _| w.add_force(Damping { linear: -1.0, angular: 0.0, targets: Targets::These(vec![body]) }),
    ];
    for (k, add) in add.into_iter().enumerate() {
        let (mut w, [first, held, other]) = row();
        w.set_velocity(held, Twist::new(Vec3::Y, Vec3::ZERO)).unwrap();
        let column = w.body_index(held).unwrap();
        let force = add(&mut w, column, wrench);
        w.remove(first).unwrap();
        w.advance(0.01).unwrap();
        assert!(w.velocity(held).unwrap().linear.y > 1.0, "kind {k}: {:?}", w.velocity(held));
        assert_eq!(w.velocity(other).unwrap(), Twist::ZERO, "kind {k}");
        let removed = w.remove(held).unwrap();
        assert_eq!(removed.forces, [force], "kind {k}");
        assert_eq!(w.remove_force(force), Err(WorldError::Missing("force")));
        assert!(w.configuration().forces.is_empty());
        w.advance(0.01).unwrap();
        assert_eq!(w.velocity(other).unwrap(), Twist::ZERO, "kind {k}");
    }
}

/// A force on several bodies goes on acting on those that are left; a spring needs both of its ends.
#[test]
fn a_force_goes_when_nothing_is_left_that_it_acts_on() {
    let (mut w, [a, b, c]) = row();
    let at = [a, b, c].map(|id| w.body_index(id).unwrap());
    let damped = w.add_force(Damping { linear: 1.0, angular: 0.0, targets: Targets::These(vec![at[0], at[2]]) });
    let anchor = |body| drystone_motion::force::Anchor::Body { body, point: Vec3::ZERO };
    let anchors = [anchor(at[2]), anchor(at[1])];
    let spring = SpringDamper { anchors, rest_length: 0.0, stiffness: 1.0, damping: 0.0, max_force: f64::INFINITY };
    let spring = w.add_force(spring);
    assert!(w.remove(a).unwrap().forces.is_empty());
    assert_eq!(w.remove(b).unwrap().forces, [spring]);
    assert_eq!(w.remove(c).unwrap().forces, [damped]);
}
