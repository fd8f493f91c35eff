use super::values::{real, vector};
use super::{Said, cannot};
use drystone_core::{BodyIndex, Configuration, ForceField};
use drystone_math::Real;
use drystone_motion::force::{Anchor, Axes, Damping, Drag, PointGravity, PointWrench, SpringDamper, Targets};
use serde_json::{Value as Json, json};

/// `[[forces]]`.
pub(super) fn forces(configuration: &Configuration, names: &[String]) -> Said<Vec<Json>> {
    let mut all = Vec::new();
    for (i, field) in configuration.forces.iter().enumerate() {
        let Some(said) = force(field.as_ref(), names) else {
            return cannot(format!("force {i}, which is of a program's own kind"));
        };
        all.push(said?);
    }
    Ok(all)
}

/// A force of one of the format's kinds; `None` for any other.
fn force(field: &dyn ForceField, names: &[String]) -> Option<Said<Json>> {
    let any = field.as_any()?;
    let spring = any.downcast_ref::<SpringDamper>().map(|f| spring(f, names));
    let damping = any.downcast_ref::<Damping>().map(|f| {
        let said =
            json!({ "kind": "damping", "linear": real("damping", f.linear)?, "angular": real("damping", f.angular)? });
        with_targets(said, &f.targets, names)
    });
    let drag = any.downcast_ref::<Drag>().map(|f| {
        let said = json!({
            "kind": "drag",
            "viscous": real("drag", f.viscous)?,
            "quadratic": real("drag", f.quadratic)?,
            "angular": real("drag", f.angular)?,
            "wind": vector("wind", f.wind)?,
        });
        with_targets(said, &f.targets, names)
    });
    let gravity = any.downcast_ref::<PointGravity>().map(|f| {
        let what = "point gravity";
        Ok(json!({
            "kind": "point-gravity",
            "center": vector(what, f.center)?,
            "strength": real(what, f.strength)?,
            "softening": real(what, f.softening)?,
        }))
    });
    let wrench = any.downcast_ref::<PointWrench>().map(|f| {
        Ok(json!({
            "kind": "wrench",
            "body": name(f.body, names)?,
            "point": vector("wrench", f.point)?,
            "force": vector("wrench", f.force)?,
            "torque": vector("wrench", f.torque)?,
            "axes": if f.axes == Axes::World { "world" } else { "body" },
        }))
    });
    spring.or(damping).or(drag).or(gravity).or(wrench)
}

fn name(body: BodyIndex, names: &[String]) -> Said<Json> {
    match names.get(body.at()) {
        Some(name) => Ok(json!(name)),
        None => cannot("a force on a body that does not exist"),
    }
}

fn with_targets(mut said: Json, targets: &Targets, names: &[String]) -> Said<Json> {
    if let Targets::These(list) = targets {
        said["bodies"] = list.iter().map(|b| name(*b, names)).collect::<Said<Vec<Json>>>()?.into();
    }
    Ok(said)
}

fn spring(f: &SpringDamper, names: &[String]) -> Said<Json> {
    let end = |anchor: &Anchor| match *anchor {
        Anchor::World(point) => Ok((json!("world"), vector("spring", point)?)),
        Anchor::Body { body, point } => Ok((name(body, names)?, vector("spring", point)?)),
    };
    let [(a, at_a), (b, at_b)] = [end(&f.anchors[0])?, end(&f.anchors[1])?];
    let mut said = json!({
        "kind": "spring",
        "bodies": [a, b],
        "anchors": [at_a, at_b],
        "stiffness": real("spring", f.stiffness)?,
        "damping": real("spring", f.damping)?,
        "rest_length": real("spring", f.rest_length)?,
    });
    if f.max_force != Real::INFINITY {
        said["max_force"] = real("spring", f.max_force)?;
    }
    Ok(said)
}
