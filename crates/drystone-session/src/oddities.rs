//! What is allowed in a scene and yet hardly meant.

use drystone::World;
use drystone_core::{Configuration, JointError};
use drystone_math::Real;

/// Joints that begin further off than this are told of (m, rad).
const APART: [Real; 2] = [1e-3, 1e-3];
/// By how much the largest moment of inertia may exceed the sum of the others: rounding, as of a plate.
const PLATE: Real = 1e-6;
/// A step in which what falls comes further than this is told of (m).
const FALL: Real = 1.0;

/// What there is to say of a world at its start, a sentence each; bodies and joints are called by their names.
pub(crate) fn oddities(world: &World, [bodies, joints]: [&[String]; 2], time_step: f64) -> Vec<String> {
    let configuration = world.configuration();
    let mut said: Vec<String> = impossible_inertia(configuration, bodies).collect();
    said.extend(joints_apart(world, joints));
    let falls = configuration.gravity.length() * time_step * time_step;
    if falls > FALL && !world.modules().is_first_order() {
        said.push(format!(
            "a step of {time_step} s: what falls comes {falls:.1} m further with each (simulation.time_step, 0.017 s is usual)"
        ));
    }
    said
}

/// Bodies with moments of inertia that no distribution of mass has.
fn impossible_inertia<'a>(configuration: &'a Configuration, names: &'a [String]) -> impl Iterator<Item = String> + 'a {
    let moving = configuration.bodies.iter().zip(names).filter(|(b, _)| b.is_dynamic());
    moving.filter_map(|(body, name)| {
        let mut moments = body.inertia.diagonal.to_array();
        moments.sort_by(Real::total_cmp);
        let [least, middle, most] = moments;
        (least > 0.0 && most.is_finite() && most > (least + middle) * (1.0 + PLATE)).then(|| {
            format!(
                "body '{name}' has principal moments of inertia of {least:.3e}, {middle:.3e} and {most:.3e} kg m^2: no body has a largest one above the sum of the others"
            )
        })
    })
}

/// Joints whose bodies are not where they hold them: ropes and rods of another length than their ends are apart, gears that do not mesh. The worst of them, and how many there are.
fn joints_apart(world: &World, names: &[String]) -> Option<String> {
    let errors = (0..names.len()).map(|joint| world.configuration().joint_error(world.state(), joint));
    let off = |e: JointError| (e.linear / APART[0]).max(e.angular / APART[1]);
    let apart: Vec<_> = errors.enumerate().filter(|(_, e)| off(*e) > 1.0).collect();
    let (joint, worst) = apart.iter().copied().max_by(|a, b| off(a.1).total_cmp(&off(b.1)))?;
    let place = if names[joint].is_empty() { format!("joints[{joint}]") } else { format!("joint '{}'", names[joint]) };
    let by = if worst.linear / APART[0] >= worst.angular / APART[1] {
        format!("{:.3} m", worst.linear)
    } else {
        format!("{:.3} rad", worst.angular)
    };
    let others = match apart.len() - 1 {
        0 => String::new(),
        n => format!(", and {n} more by less"),
    };
    Some(format!("{place} begins {by} off{others}: bodies are pulled to where it holds them"))
}
