//! What is allowed in a scene and yet hardly meant.

use drystone::World;
use drystone_core::{BodyProperties, Configuration, JointError};
use drystone_math::Real;

/// Joints that begin further off than this are told of (m, rad).
const APART: [Real; 2] = [1e-3, 1e-3];
/// By how much a moment of inertia may exceed the sum of the others, as a fraction: a plate's, written with three digits.
const WRITTEN: Real = 0.01;
/// A step in which what falls comes further than this is told of (m).
const FALL: Real = 1.0;

/// What there is to say of a world at its start, a sentence each; bodies and joints are called by their names.
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

/// Bodies with moments of inertia that no distribution of mass has, about whatever axes they are given: the first of them, and how many there are.
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

/// Bodies that are to be swept where nothing sweeps: the first of them, and how many there are.
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

/// That there are others.
fn more(others: usize, what: &str) -> String {
    if others == 0 { String::new() } else { format!(", and {others} more {what}") }
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
    let others = more(apart.len() - 1, "by less");
    Some(format!("{place} begins {by} off{others}: bodies are pulled to where it holds them"))
}
