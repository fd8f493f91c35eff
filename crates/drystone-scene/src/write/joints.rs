use super::values::{pose, real, reals, vector, vectors};
use super::{Said, SavedScene, cannot};
use drystone_joints::{AxisFreedom, JointDescription, JointKind, JointRecipe, Motor, Spring};
use drystone_math::Real;
use serde_json::{Map, Value as Json, json};

/// `[[joints]]`.
pub(super) fn joints(scene: &SavedScene<'_>, names: &[String]) -> Said<Vec<Json>> {
    let mut all = Vec::new();
    for (i, (joint, tag)) in scene.configuration.joints.iter().zip(&scene.joints).enumerate() {
        let what = if tag.name.is_empty() { format!("joint {i}") } else { format!("joint {:?}", tag.name) };
        let kind = joint.source.kind();
        let Some(recipe) = JointRecipe::of(joint.source.as_ref()) else {
            return cannot(format!("{what} of the kind {kind}, which was made in another way than by a description"));
        };
        let mut said = Map::new();
        let mut put = |key: &str, value: Json| said.insert(key.to_owned(), value);
        if !tag.name.is_empty() {
            put("name", json!(tag.name));
        }
        let bodies = joint.bodies.map(|b| b.map_or("world", |b| names[b.at()].as_str()));
        put("kind", json!(recipe.description.kind));
        put("bodies", json!(bodies));
        put("made_at", json!([pose(&what, &recipe.poses[0])?, pose(&what, &recipe.poses[1])?]));
        // between a body and the world there is nothing to collide with
        let usual = JointKind::from_name(kind).is_some_and(JointKind::collides);
        let collides = if joint.pair().is_some() { !joint.insulates } else { usual };
        put("collide", json!(collides));
        for (key, most) in [("break_force", joint.strength.force), ("break_torque", joint.strength.torque)] {
            if most != Real::INFINITY {
                put(key, real(&what, most)?);
            }
        }
        if tag.data != 0 {
            put("user_data", json!(format!("{:x}", tag.data)));
        }
        said.extend(description(&what, &recipe.description)?);
        all.push(Json::Object(said));
    }
    Ok(all)
}

/// Keys of a description beyond those that all joints of its kind have.
fn description(what: &str, d: &JointDescription<'_>) -> Said<Map<String, Json>> {
    let mut said = Map::new();
    let mut put = |key: &str, value: Option<Said<Json>>| -> Said<()> {
        if let Some(value) = value {
            said.insert(key.to_owned(), value?);
        }
        Ok(())
    };
    let usual = JointDescription::new(d.kind);
    let number = |v: Real, usual: Real| (v != usual).then(|| real(what, v));
    for (key, v) in [("anchor", d.anchor), ("anchor2", d.anchor2), ("axis", d.axis), ("axis2", d.axis2)] {
        put(key, v.map(|v| vector(what, v)))?;
    }
    for (key, bounds) in [("limits", d.limits), ("limits2", d.limits2), ("twist", d.twist)] {
        put(key, bounds.map(|b| limits(what, b)))?;
    }
    for (key, m) in [("motor", d.motor), ("motor2", d.motor2)] {
        put(key, m.map(|m| motor(what, m)))?;
    }
    for (key, s) in [("spring", d.spring), ("spring2", d.spring2), ("suspension", d.suspension)] {
        put(key, s.map(|s| spring(what, s)))?;
    }
    let numbers = [
        ("limit_restitution", d.limit_restitution, usual.limit_restitution),
        ("limit_cfm", d.limit_cfm, usual.limit_cfm),
        ("friction", d.friction, usual.friction),
        ("friction2", d.friction2, usual.friction2),
        ("erp", d.erp, usual.erp),
        ("cfm", d.cfm, usual.cfm),
    ];
    for (key, v, usual) in numbers {
        put(key, number(v, usual))?;
    }
    let lengths = [
        ("cone", d.cone),
        ("cone2", d.cone2),
        ("length", d.length),
        ("lead", d.lead),
        ("radius", d.radius),
        ("ratio", d.ratio),
        ("offset", d.offset),
    ];
    for (key, v) in lengths {
        put(key, v.map(|v| real(what, v)))?;
    }
    put("teeth", d.teeth.map(|t| Ok(json!(t))))?;
    put("pulleys", d.pulleys.map(|p| vectors(what, &p)))?;
    for (key, axes) in [("translations", &d.translations), ("rotations", &d.rotations)] {
        if *axes != [AxisFreedom::Free; 3] {
            put(key, Some(axes.iter().map(|a| freedom(what, *a)).collect::<Said<Vec<Json>>>().map(Json::Array)))?;
        }
    }
    Ok(said)
}

/// Bounds, of which one may be infinite.
fn limits(what: &str, [lower, upper]: [Real; 2]) -> Said<Json> {
    let mut said = Map::new();
    if lower != Real::NEG_INFINITY {
        said.insert("lower".to_owned(), real(what, lower)?);
    }
    if upper != Real::INFINITY {
        said.insert("upper".to_owned(), real(what, upper)?);
    }
    if said.is_empty() { cannot(format!("limits of {what} that are both infinite")) } else { Ok(Json::Object(said)) }
}

fn motor(what: &str, motor: Motor) -> Said<Json> {
    let (key, aim, most) = match motor {
        Motor::Velocity { velocity, max_force } => ("velocity", velocity, max_force),
        Motor::Position { target, max_force } => ("target", target, max_force),
    };
    let most = if most == Real::INFINITY { json!("unlimited") } else { real(what, most)? };
    Ok(json!({ key: real(what, aim)?, "max_force": most }))
}

fn spring(what: &str, s: Spring) -> Said<Json> {
    Ok(json!({ "stiffness": real(what, s.stiffness)?, "damping": real(what, s.damping)?, "rest": real(what, s.rest)? }))
}

fn freedom(what: &str, axis: AxisFreedom) -> Said<Json> {
    match axis {
        AxisFreedom::Free => Ok(json!("free")),
        AxisFreedom::Locked => Ok(json!("locked")),
        AxisFreedom::Limited(lower, upper) => reals(what, &[lower, upper]),
    }
}
