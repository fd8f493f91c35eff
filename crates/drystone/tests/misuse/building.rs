//! `build_with` accepts a configuration and a state that fit together and refuses all others.

use drystone::WorldError;
use drystone::prelude::*;
use drystone_core::{BodyIndex, BodyProperties, Configuration, Joint, Script, State};
use drystone_joints::{JointDescription, build};
use drystone_motion::script::Sinusoid;

fn one() -> (Configuration, State) {
    let (mut c, mut s) = (Configuration::default(), State::default());
    let shape = Shape::sphere(0.5).unwrap();
    let mass = shape.mass_properties(1.0).unwrap();
    c.bodies.push(BodyProperties::dynamic(shape, &mass).unwrap());
    s.push(Pose::IDENTITY, Twist::ZERO);
    (c, s)
}

fn script(body: u32) -> Script {
    let still = Sinusoid { middle: Pose::IDENTITY, travel: Vec3::ZERO, turn: Vec3::ZERO, frequency: 1.0, phase: 0.0 };
    Script { body: BodyIndex(body), motion: std::sync::Arc::new(still) }
}

fn joint(other: Option<BodyIndex>) -> Joint {
    let description = JointDescription { anchor: Some(Vec3::X), ..JointDescription::new("ball") };
    let source = build(&description, &Pose::IDENTITY, &Pose::IDENTITY).unwrap();
    Joint::new([Some(BodyIndex(0)), other], source)
}

type Spoil = fn(&mut Configuration, &mut State);

#[test]
fn what_does_not_fit_is_refused() {
    let spoilt: [(&str, Spoil); 7] = [
        ("state too short", |_, s| *s = State::default()),
        ("one column too short", |_, s| s.sleepy.truncate(0)),
        ("joint on a body that is not there", |c, _| c.joints.push(joint(Some(BodyIndex(7))))),
        ("joint of a body with itself", |c, _| c.joints.push(joint(Some(BodyIndex(0))))),
        ("script on a body that is not there", |c, _| c.scripts.push(script(5))),
        ("script on a dynamic body", |c, _| c.scripts.push(script(0))),
        ("a mass that is no number", |c, _| c.bodies[0].mass = f64::NAN),
    ];
    for (what, spoil) in spoilt {
        let (mut c, mut s) = one();
        spoil(&mut c, &mut s);
        let built = World::builder().build_with(c, s);
        assert!(matches!(built.map(|_| ()), Err(WorldError::Configuration(_))), "{what}");
    }
    let (mut c, s) = one();
    c.joints.push(joint(None));
    let mut fits = World::builder().build_with(c, s).unwrap();
    fits.advance(0.01).unwrap();
}

/// A body added by its properties moves like the same body added by its description, and is refused if one of its values is invalid.
#[test]
fn properties_are_checked() {
    let (c, _) = one();
    let (properties, falling) = (c.bodies[0].clone(), Twist::new(-Vec3::Y, Vec3::ZERO));
    let mut by_properties = World::builder().build().unwrap();
    by_properties.add_properties(properties.clone(), Pose::IDENTITY, falling).unwrap();
    let mut described = World::builder().build().unwrap();
    let body = Body::dynamic(Shape::sphere(0.5).unwrap()).density(1.0).linear_velocity(-Vec3::Y);
    described.add(body).unwrap();
    by_properties.advance(0.01).unwrap();
    described.advance(0.01).unwrap();
    assert_eq!(by_properties.state(), described.state());

    let mut no_mass = properties.clone();
    no_mass.mass = f64::NAN;
    let stretched = Pose::new(Vec3::ZERO, Quat::from_xyzw(0.0, 0.0, 0.0, 2.0));
    let odd = [
        (no_mass, Pose::IDENTITY, falling),
        (properties.clone(), stretched, falling),
        (properties, Pose::IDENTITY, Twist::new(Vec3::NAN, Vec3::ZERO)),
    ];
    for (properties, pose, velocity) in odd {
        let refused = by_properties.add_properties(properties, pose, velocity);
        assert!(matches!(refused, Err(WorldError::Property(_))));
    }
    assert_eq!(by_properties.bodies().len(), 1);
}

/// A given centre of mass, moments and products of inertia become the body's
/// properties; values that are not numbers, or not an inertia, are refused.
#[test]
fn where_the_mass_of_a_body_is() {
    let mut world = super::world();
    let bar = || Body::dynamic(Shape::cuboid(0.5, 0.1, 0.1).unwrap()).mass(2.0).inertia([0.3, 0.4, 0.5]);
    let id = world.add(bar().center_of_mass([0.1, 0.2, -0.1]).products_of_inertia([0.01, 0.02, 0.03])).unwrap();
    let properties = world.configuration().body(world.body_index(id).unwrap());
    assert_eq!(properties.center, Vec3::new(0.1, 0.2, -0.1));
    let tensor = properties.inertia.to_mat3();
    assert_eq!([tensor.x_axis.y, tensor.x_axis.z, tensor.y_axis.z], [0.01, 0.02, 0.03]);
    let frame = world.pose(id).unwrap();
    assert!((frame.position - Vec3::ZERO).length() < 1e-15, "{frame:?}");

    let refused = world.add(bar().center_of_mass([f64::NAN, 0.0, 0.0])).unwrap_err();
    assert!(refused.to_string().contains("centre of mass must be finite"), "{refused}");
    let refused = world.add(bar().products_of_inertia([1.0, 0.0, 0.0])).unwrap_err();
    assert!(refused.to_string().contains("inertia"), "{refused}");
    let refused = world.add(bar().products_of_inertia([f64::NAN, 0.0, 0.0])).unwrap_err();
    assert!(refused.to_string().contains("inertia"), "{refused}");
}
