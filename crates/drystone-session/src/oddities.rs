//! Oddities: values that a scene may have but hardly intends.

use drystone::World;
use drystone_core::{BodyProperties, Configuration, JointError};
use drystone_math::Real;

/// Joints with a larger initial error than this are reported (m, rad).
const APART: [Real; 2] = [1e-3, 1e-3];
/// The fraction by which a moment of inertia may exceed the sum of the others: that of a plate, written with three digits.
const WRITTEN: Real = 0.01;
/// A step in which a falling body travels further than this is reported (m).
const FALL: Real = 1.0;

/// The oddities of a world at its start, one sentence each; bodies and joints are given by their names.
pub(crate) fn oddities(world: &World, [bodies, joints]: [&[String]; 2], time_step: f64) -> Vec<String> {
    let configuration = world.configuration();
    let mut said = Vec::from_iter(impossible_inertia(configuration, bodies));
    said.extend(joints_apart(world, joints));
    said.extend(unswept(world, bodies));
    let falls = configuration.gravity.length() * time_step * time_step;
    if falls > FALL && !world.modules().is_first_order() {
        said.push(format!(
            "a step of {time_step} s: what falls comes {falls:.1} m further with each (simulation.time_step, 0.017 s is usual)"
        ));
    }
    said
}

/// Bodies with moments of inertia that no distribution of mass has, about any axes: the first of them, and how many there are.
fn impossible_inertia(configuration: &Configuration, names: &[String]) -> Option<String> {
    let odd = |body: &BodyProperties| {
        let moments = body.inertia.diagonal;
        let (least, most) = (moments.min_element(), moments.max_element());
        body.is_dynamic() && least > 0.0 && most.is_finite() && 2.0 * most > moments.element_sum() + WRITTEN * most
    };
    let mut all = configuration.bodies.iter().zip(names).filter(|(body, _)| odd(body));
    let (body, name) = all.next()?;
    let [x, y, z] = body.inertia.diagonal.to_array();
    Some(format!(
        "body '{name}' has moments of inertia of {x:.3e}, {y:.3e} and {z:.3e} kg m^2{}: no body has one above the sum of the others",
        more(all.count(), "alike")
    ))
}

/// Bodies that should be swept although no module sweeps: the first of them, and how many there are.
fn unswept(world: &World, names: &[String]) -> Option<String> {
    if world.modules().sweeps_ways() {
        return None;
    }
    let mut all = world.configuration().bodies.iter().zip(names).filter(|(body, _)| body.continuous);
    let (_, name) = all.next()?;
    Some(format!(
        "body '{name}' is continuous{}: this time control sweeps no ways, and fast bodies may go through others",
        more(all.count(), "alike")
    ))
}

/// Says that there are others, if there are.
fn more(others: usize, what: &str) -> String {
    if others == 0 { String::new() } else { format!(", and {others} more {what}") }
}

/// Joints whose bodies are not where the joint holds them: ropes and rods whose length differs from the distance of their ends, gears that do not mesh. The worst of
/// them, and how many there are.
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
    let others = more(apart.len() - 1, "by less");
    Some(format!("{place} begins {by} off{others}: bodies are pulled to where it holds them"))
}
