//! A scene of the population as a drystone scene file.

use super::scene::{Form, GRAVITY, Joint, JointKind, PointSpring, PopulationScene, RigidBody};
use crate::scenes::DT;
use drystone::Paradigm;
use drystone::math::{Pose, Quat, Vec3};
use serde_json::{Map, Value, json};

impl PopulationScene {
    /// The scene file under a preset in which nobody sleeps, for a run of `steps` steps.
    pub fn document(&self, paradigm: Paradigm, steps: usize) -> Value {
        let kinds = self.kinds.join(", ");
        let mut file = json!({
            "scene": {
                "name": self.name(),
                "source": "cargo bench -p drystone-benches --bench peers",
                "description": format!("random scene {}: {kinds}", self.seed),
                "duration": steps as f64 * DT,
                "frame": DT,
                "gravity": GRAVITY.to_array(),
            },
            "materials": { "default": { "friction": self.friction, "restitution": self.restitution } },
            "bodies": self.bodies.iter().enumerate().map(|(i, body)| body_entry(i, body)).collect::<Vec<_>>(),
            "simulation": { "paradigm": paradigm.name, "time_step": DT, "sleep_policy": "never" },
        });
        // an empty list of joints or forces is a fault
        let joints: Vec<Value> = self.joints.iter().map(joint_entry).collect();
        let forces: Vec<Value> = self.springs.iter().map(|spring| self.spring_entry(spring)).collect();
        for (key, list) in [("joints", joints), ("forces", forces)] {
            if !list.is_empty() {
                file[key] = list.into();
            }
        }
        file
    }

    fn spring_entry(&self, spring: &PointSpring) -> Value {
        let anchors = [0, 1].map(|end| self.local_point(spring.bodies[end], spring.points[end]).to_array());
        json!({
            "kind": "spring",
            "bodies": spring.bodies.map(body_name),
            "anchors": anchors,
            "stiffness": spring.spring.stiffness,
            "damping": spring.spring.damping,
            "rest_length": spring.rest_length(),
        })
    }
}

/// The name of a body in the file; `None` is the world.
fn body_name(body: Option<usize>) -> String {
    body.map_or("world".to_owned(), |i| format!("b{i}"))
}

fn body_entry(index: usize, body: &RigidBody) -> Value {
    let mut entry = Map::new();
    entry.insert("name".to_owned(), body_name(Some(index)).into());
    entry.insert("shape".to_owned(), shape_entry(&body.form));
    place(&mut entry, body.pose);
    match body.mass {
        Some(mass) => {
            entry.insert("mass".to_owned(), mass.into());
        }
        None => {
            entry.insert("kind".to_owned(), "fixed".into());
        }
    }
    for (key, vector) in [("linear_velocity", body.velocity), ("angular_velocity", body.spin)] {
        if vector != Vec3::ZERO {
            entry.insert(key.to_owned(), json!(vector.to_array()));
        }
    }
    entry.into()
}

fn place(entry: &mut Map<String, Value>, pose: Pose) {
    entry.insert("position".to_owned(), json!(pose.position.to_array()));
    if pose.orientation != Quat::IDENTITY {
        entry.insert("orientation".to_owned(), json!(pose.orientation.to_array()));
    }
}

fn shape_entry(form: &Form) -> Value {
    let points = |points: &[Vec3]| points.iter().map(Vec3::to_array).collect::<Vec<_>>();
    match form {
        Form::Box(half) => json!({ "box": { "half_extents": half.to_array() } }),
        Form::Ball(radius) => json!({ "sphere": { "radius": radius } }),
        Form::Capsule { radius, half_height } => json!({ "capsule": { "radius": radius, "half_height": half_height } }),
        Form::Cylinder { radius, half_height } => {
            json!({ "cylinder": { "radius": radius, "half_height": half_height } })
        }
        Form::Hull(corners) => json!({ "convex": { "points": points(corners) } }),
        Form::Mesh { vertices, triangles } => {
            json!({ "mesh": { "vertices": points(vertices), "triangles": triangles } })
        }
        Form::HeightField { columns, heights, step } => {
            let rows: Vec<_> = heights.chunks(*columns).collect();
            json!({ "height-field": { "heights": rows, "step": step } })
        }
        Form::Compound(parts) => {
            let part = |(form, pose): &(Form, Pose)| {
                let mut entry = Map::new();
                entry.insert("shape".to_owned(), shape_entry(form));
                place(&mut entry, *pose);
                Value::from(entry)
            };
            json!({ "compound": { "parts": parts.iter().map(part).collect::<Vec<_>>() } })
        }
    }
}

fn joint_entry(joint: &Joint) -> Value {
    let kind = match joint.kind {
        JointKind::Ball => "ball",
        JointKind::Hinge => "hinge",
        JointKind::Slider => "slider",
    };
    let mut entry = json!({ "kind": kind, "bodies": joint.bodies.map(body_name), "anchor": joint.anchor.to_array() });
    if joint.kind != JointKind::Ball {
        entry["axis"] = json!(joint.axis.to_array());
    }
    if let Some([lower, upper]) = joint.limits {
        entry["limits"] = json!({ "lower": lower, "upper": upper });
    }
    if let Some(motor) = joint.motor {
        entry["motor"] = json!({ "velocity": motor.speed, "max_force": motor.max_force });
    }
    if let Some(spring) = joint.spring {
        entry["spring"] = json!({ "stiffness": spring.stiffness, "damping": spring.damping });
    }
    entry
}
