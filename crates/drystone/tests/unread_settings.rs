//! A setting that is documented as read only if another has certain values has no effect otherwise, and some effect if it has.

use drystone::core::catalogue::{Implementation, Parameter, ParameterKind, Value};
use drystone::prelude::*;
use drystone::{ModuleChoice, ModuleKind, Registry, WorldError};
use drystone_joints::JointDescription;

const STEPS: u32 = 40;

/// Settings without any effect in this scene, and why.
const NOT_SHOWN: &[(&str, &str)] = &[
    ("sweep-and-prune: exchange_limit", "what it takes to find the pairs, not which"),
    ("runge-kutta: tolerance", "the values tried are 0 and 1 m, at which no step is halved"),
];

/// A pile that partly slides and partly bounces, rods that strike the ground, a tumbling body, and, with `joints`, a chain of two.
fn fill(world: &mut World, joints: bool) -> Result<(), WorldError> {
    world.add(Body::fixed(Shape::plane(Vec3::Y, 0.0)?))?;
    for i in 0..4 {
        let place = [f64::from(i % 2) * 1.05, 0.49 + 0.99 * f64::from(i / 2), 0.0];
        let body = Body::dynamic(Shape::cuboid(0.5, 0.5, 0.5)?).at(place);
        world.add(body.linear_velocity([0.3 * f64::from(i), 0.0, 0.2]))?;
    }
    let bouncing = world.add_material(Material { restitution: 0.8, friction: 1.0, ..Material::default() })?;
    for i in 0..3 {
        let ball = Body::dynamic(Shape::sphere(0.5)?).at([5.0 + 0.9 * f64::from(i), 0.6, 0.0]).material(bouncing);
        world.add(ball.linear_velocity([1.0, -2.0, 0.0]))?;
    }
    // rods that strike the ground with one end, leaning either way
    for (i, lean) in [0.5, 0.8, -0.5, -0.8].into_iter().enumerate() {
        let rod = Body::dynamic(Shape::cuboid(0.05, 0.6, 0.05)?).at([0.0, 0.8, 5.0 + 2.0 * i as f64]);
        let rod = rod.oriented(Quat::from_rotation_z(lean)).material(bouncing);
        world.add(rod.linear_velocity([2.0, -3.0, 0.0]))?;
    }
    let brick = Body::dynamic(Shape::cuboid(0.5, 0.2, 0.1)?).at([-8.0, 3.0, 0.0]);
    world.add(brick.angular_velocity([0.1, 5.0, 0.2]))?;
    if joints {
        let mut above = None;
        for i in 0..2 {
            let place = Vec3::new(-4.0 + f64::from(i), 3.0, 0.0);
            let bob = world.add(Body::dynamic(Shape::sphere(0.2)?).at(place))?;
            let ball = JointDescription { anchor: Some(place - Vec3::X * 0.5), ..JointDescription::new("ball") };
            let pose = |b: Option<BodyId>| b.map_or(Pose::IDENTITY, |b| world.pose(b).unwrap());
            let source = drystone_joints::build(&ball, &pose(above), &Pose::from_position(place)).unwrap();
            world.add_joint([above, Some(bob)], source)?;
            above = Some(bob);
        }
    }
    Ok(())
}

/// The state after some steps under the first preset that accepts the module with these settings.
fn run(kind: ModuleKind, module: &str, settings: &[(&str, Value)]) -> Option<Vec<u64>> {
    let settings = settings.iter().map(|(k, v)| ((*k).to_owned(), v.clone())).collect();
    let choice = ModuleChoice { kind, name: Some(module.to_owned()), settings };
    let attempt = |preset: Paradigm, joints: bool| {
        let mut world = World::builder().paradigm(preset).choose(choice.clone()).build().ok()?;
        fill(&mut world, joints).ok()?;
        for _ in 0..STEPS {
            world.advance(0.01).ok()?;
        }
        let state = world.state();
        let columns = [&state.position, &state.linear_velocity, &state.angular_velocity]
            .into_iter()
            .flatten()
            .flat_map(Vec3::to_array);
        Some(columns.map(f64::to_bits).collect())
    };
    let presets = || [Paradigm::VELOCITY_LCP].into_iter().chain(Paradigm::ALL.iter().copied());
    let with = |joints: bool| presets().find_map(|preset| attempt(preset, joints));
    with(true).or_else(|| with(false))
}

/// Values to try for a parameter, its default first.
fn values(parameter: &Parameter) -> Vec<Value> {
    let others = match parameter.kind {
        ParameterKind::Bool { default } => vec![Value::Bool(!default)],
        ParameterKind::Integer { default, min, max } => {
            [min, default + 1, 2 * default, max.min(1000)].map(Value::Integer).to_vec()
        }
        ParameterKind::Real { default, min, max } => {
            [min, 0.5 * default, 2.0 * default, max.min(1.0)].map(Value::Real).to_vec()
        }
        ParameterKind::Choice { options, .. } => options.iter().map(|o| Value::Text((*o).to_owned())).collect(),
    };
    let default = parameter.default_value();
    let others = others.into_iter().filter(|v| *v != default && parameter.check(v).is_ok());
    core::iter::once(default.clone()).chain(others).collect()
}

/// What contradicts the condition of a parameter, in words.
fn faults(kind: ModuleKind, module: &Implementation, parameter: &Parameter) -> Vec<String> {
    let Some(condition) = parameter.condition else { return Vec::new() };
    let name = format!("{}: {}", module.name, parameter.name);
    let Some(other) = module.parameters.iter().find(|p| p.name == condition.key) else { return Vec::new() };
    let (mut faults, mut shown) = (Vec::new(), false);
    for at in values(other) {
        let holds = condition.holds(&at);
        let with = |value: &Value| run(kind, module.name, &[(other.name, at.clone()), (parameter.name, value.clone())]);
        let all: Vec<_> = values(parameter).iter().filter_map(with).collect();
        let differs = all.iter().any(|bits| *bits != all[0]);
        if all.len() < 2 {
            faults.push(format!("{name} is not taken with {} = {at}", other.name));
        } else if differs && !holds {
            faults.push(format!("{name} does something though {} is {at}", other.name));
        }
        shown |= differs && holds;
    }
    let listed = NOT_SHOWN.iter().any(|(n, _)| *n == name);
    if shown == listed {
        faults.push(format!("{name} {} something if {condition}", if shown { "does" } else { "never does" }));
    }
    faults
}

#[test]
fn what_is_said_to_be_unread_is() {
    let registry = Registry::default();
    let mut all = Vec::new();
    let mut conditions = 0;
    for kind in ModuleKind::ALL {
        for module in registry.implementations(kind) {
            for parameter in module.parameters {
                conditions += u32::from(parameter.condition.is_some());
                all.extend(faults(kind, module, parameter));
            }
        }
    }
    assert!(conditions > 20, "{conditions}");
    assert!(all.is_empty(), "{}", all.join("\n"));
}
