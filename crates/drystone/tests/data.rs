//! Values as data: each value written by serde reads back equal, and reading refuses what the constructor refuses.
use drystone::PhaseTimes;
use drystone::prelude::*;
use drystone_core::{CombineRule, Energy, Grain, Momentum, Softness};
use drystone_geometry::{Aabb, MapSettings, MassProperties, MeshShape, Ray, TriangleMesh};
use drystone_math::SymmetricMat3;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::fmt::Debug;

/// Writes a value as text, asserts that it reads back equal, and returns the text.
fn again<T: Serialize + DeserializeOwned + PartialEq + Debug>(value: &T) -> String {
    let text = serde_json::to_string(value).unwrap();
    assert_eq!(&serde_json::from_str::<T>(&text).unwrap(), value, "{text}");
    text
}

#[test]
fn poses_twists_and_matrices() {
    let pose = Pose { position: Vec3::new(0.1, -2.0, 1e-300), orientation: Quat::from_rotation_y(0.3) };
    again(&pose);
    again(&Twist { linear: Vec3::X, angular: Vec3::new(0.1, 0.2, 0.3) });
    let text = again(&SymmetricMat3 { diagonal: Vec3::new(1.0, 2.0, 3.0), off_diagonal: Vec3::new(0.1, 0.2, 0.3) });
    assert_eq!(text, r#"{"diagonal":[1.0,2.0,3.0],"off_diagonal":[0.1,0.2,0.3]}"#);
}

#[test]
fn shapes_of_all_kinds() -> Result<(), Box<dyn std::error::Error>> {
    let corners = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z, Vec3::new(0.7, 0.6, 0.5)];
    let shapes = [
        Shape::sphere(0.3)?,
        Shape::cuboid(0.1, 0.2, 0.3)?,
        Shape::capsule(0.1, 0.7)?,
        Shape::plane(Vec3::new(0.0, 0.6, 0.8), -0.1)?,
        Shape::cylinder(0.1, 0.2)?,
        Shape::cone(0.1, 0.2)?,
        Shape::convex(&corners)?,
        Shape::mesh(MeshShape::new(TriangleMesh::cuboid(Vec3::ONE, 2), None)?),
        Shape::compound(vec![
            (Shape::sphere(0.1)?, Pose::from_position(Vec3::X)),
            (Shape::convex(&corners)?, Pose::from_position(Vec3::NEG_X)),
        ])?,
    ];
    for shape in &shapes {
        let text = again(shape);
        assert!(text.starts_with(&format!("{{\"{}\":", shape.kind())), "{text}");
    }
    assert_eq!(again(&shapes[0]), r#"{"sphere":{"radius":0.3}}"#);
    Ok(())
}

#[test]
fn what_a_constructor_refuses_is_refused_in_its_words() -> Result<(), Box<dyn std::error::Error>> {
    let cases = [
        (r#"{"sphere":{"radius":-1.0}}"#, "radius must be a finite length above zero, found -1"),
        (r#"{"plane":{"normal":[0.0,0.0,0.0],"offset":0.0}}"#, "must have a length above zero"),
        (r#"{"convex":{"points":[[0.0,0.0,0.0],[1.0,0.0,0.0]]}}"#, "2 points span no volume"),
        (r#"{"mesh":{"vertices":[],"triangles":[[0,1,2]]}}"#, ""),
        (r#"{"compound":{"parts":[]}}"#, "a compound needs at least one part"),
        (r#"{"spere":{"radius":1.0}}"#, "unknown variant `spere`"),
        (r#"{"sphere":{"radius":1.0,"height":2.0}}"#, "unknown field `height`"),
    ];
    for (text, words) in cases {
        let error = serde_json::from_str::<Shape>(text).unwrap_err().to_string();
        assert!(error.contains(words), "{text}: {error}");
    }
    let mapped = MeshShape::new(TriangleMesh::cuboid(Vec3::ONE, 1), Some(MapSettings::new(8)))?;
    let error = serde_json::to_string(&Shape::mesh(mapped)).unwrap_err().to_string();
    assert!(error.contains("distance map"), "{error}");
    Ok(())
}

#[test]
fn materials_bodies_and_boxes() {
    let grain = Some(Grain { direction: Vec3::Z, across: 0.9 });
    let brushed = Material { friction: 0.5, grain, friction_rule: CombineRule::GeometricMean, ..Material::default() };
    assert!(again(&brushed).contains(r#""friction_rule":"geometric-mean""#));
    again(&Softness::Spring { stiffness: 1e5, damping: 0.1 });
    assert_eq!(again(&BodyKind::Scripted), "\"scripted\"");
    again(&MassProperties { mass: 2.0, center: Vec3::X, inertia: SymmetricMat3::from_diagonal(Vec3::ONE) });
    again(&Aabb::from_center(Vec3::X, Vec3::ONE));
    again(&Energy::default());
    again(&Momentum::default());
}

#[test]
fn reports_events_and_answers_of_a_world() -> Result<(), Box<dyn std::error::Error>> {
    let mut world = World::builder().build()?;
    world.add(Body::fixed(Shape::plane(Vec3::Y, 0.0)?))?;
    let ball = world.add(Body::dynamic(Shape::sphere(0.5)?).at([0.0, 0.6, 0.0]))?;
    let (mut events, mut report) = (Vec::new(), StepReport::default());
    for _ in 0..40 {
        report = world.advance(0.01)?;
        events.extend(world.drain_events());
    }
    let text = again(&report);
    assert!(text.contains("\"contacts\":1"), "{text}");
    again::<PhaseTimes>(&report.times);
    assert!(events.iter().any(|e| matches!(e, Event::TouchBegan(_))));
    for event in &events {
        again(event);
    }
    let hit: Hit = world.query().ray(Vec3::new(0.0, 9.0, 0.0), Vec3::NEG_Y, 100.0)?.unwrap();
    assert_eq!(hit.body, ball);
    again(&hit);
    let ray = Ray { origin: Vec3::ZERO, direction: Vec3::X, length: 3.0 };
    again(&ray);
    // an identity that was written names the same body when read
    let named: BodyId = serde_json::from_str(&again(&ball))?;
    assert!(world.position(named).is_some());
    Ok(())
}
