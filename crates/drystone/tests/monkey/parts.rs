//! Random shapes, bodies, surfaces, joints, forces and choices of modules.

use crate::numbers::Random;
use drystone::prelude::*;
use drystone::{ModuleChoice, ModuleKind, registry};
use drystone_core::catalogue::{ParameterKind, Value};
use drystone_core::{BodyIndex, CombineRule, ConstraintSource, Grain, PairGrain, PairMaterial};
use drystone_geometry::{MeshShape, TriangleMesh};
use drystone_joints::{AxisFreedom, JointDescription, KINDS, Motor, Spring, build};
use drystone_motion::force::{Anchor, Axes, Damping, Drag, PointGravity, PointWrench, SpringDamper, Targets};

pub(crate) fn shape(r: &mut Random) -> Option<Shape> {
    match r.below(11) {
        0 => Shape::sphere(r.size()).ok(),
        1 | 2 => Shape::cuboid(r.size(), r.size(), r.size()).ok(),
        3 => Shape::capsule(r.size(), r.size()).ok(),
        4 => Shape::cylinder(r.size(), r.size()).ok(),
        5 => Shape::cone(r.size(), r.size()).ok(),
        6 => Shape::plane(r.vector(), r.number()).ok(),
        7 => {
            let points: Vec<Vec3> = (0..4 + r.below(6)).map(|_| r.vector()).collect();
            Shape::convex(&points).ok()
        }
        8 => {
            let corners: Vec<Vec3> = (0..4).map(|_| r.vector()).collect();
            let mut mesh = TriangleMesh::new(corners, vec![[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]]).ok()?;
            mesh.mend(0.0);
            MeshShape::new(mesh, None).ok().map(Shape::mesh)
        }
        9 => {
            let parts = (0..=r.below(3)).map(|_| Some((shape(r)?, Pose::from_position(r.vector()))));
            Shape::compound(parts.collect::<Option<Vec<_>>>()?).ok()
        }
        _ => Shape::cuboid(0.5, 0.5, 0.5).ok(),
    }
}

pub(crate) fn body(r: &mut Random, materials: &[drystone_core::MaterialIndex]) -> Option<Body> {
    let shape = shape(r)?;
    let mut body = match r.below(8) {
        0 => Body::fixed(shape),
        1 => Body::scripted(shape),
        _ => Body::dynamic(shape),
    };
    body = body.at(r.vector());
    if r.one_in(2) {
        body = body.oriented(r.quaternion());
    }
    if r.one_in(2) {
        body = body.linear_velocity(r.vector()).angular_velocity(r.vector());
    }
    if r.one_in(4) {
        body = body.mass(r.size());
    }
    if r.one_in(8) {
        body = body.density(r.size());
    }
    if r.one_in(10) {
        body = body.inertia([r.size(), r.size(), r.size()]);
    }
    if r.one_in(10) {
        body = body.spin_axis(r.vector());
    }
    if r.one_in(8) {
        body = body.locked(r.one_in(2), r.one_in(2));
    }
    if r.one_in(8) {
        body = body.layer(r.below(3) as i64 - 1);
    }
    if r.one_in(2)
        && let Some(m) = r.pick(materials)
    {
        body = body.material(m);
    }
    Some(body)
}

pub(crate) fn material(r: &mut Random) -> Material {
    let rule = |r: &mut Random| CombineRule::NAMES[r.below(CombineRule::NAMES.len())].1;
    Material {
        friction: r.size(),
        restitution: 0.5 * r.size(),
        rolling: if r.one_in(3) { r.size() } else { 0.0 },
        spinning: if r.one_in(3) { r.size() } else { 0.0 },
        grain: r.one_in(4).then(|| Grain { direction: r.vector(), across: r.size() }),
        facets: 0,
        friction_rule: rule(r),
        restitution_rule: rule(r),
    }
}

pub(crate) fn pair_material(r: &mut Random) -> PairMaterial {
    let grain = PairGrain { on_second: r.one_in(2), direction: r.vector(), across: r.size() };
    PairMaterial {
        friction: r.size(),
        restitution: 0.5 * r.size(),
        rolling: r.size(),
        spinning: r.size(),
        grain: r.one_in(3).then_some(grain),
        facets: 8,
    }
}

/// A joint of any kind between two poses, or `None` if the random numbers do not make a valid one.
pub(crate) fn joint(r: &mut Random, poses: [&Pose; 2]) -> Option<Box<dyn ConstraintSource>> {
    let spring = |r: &mut Random| Spring { stiffness: 100.0 * r.size(), damping: r.size(), rest: r.number() };
    let mut d = JointDescription::new(KINDS[r.below(KINDS.len())].name);
    d.anchor = (!r.one_in(5)).then(|| poses[0].position + r.vector());
    d.axis = (!r.one_in(3)).then(|| r.vector());
    d.axis2 = r.one_in(3).then(|| r.vector());
    d.anchor2 = r.one_in(5).then(|| r.vector());
    d.limits = r.one_in(4).then(|| [-r.size(), r.size()]);
    d.motor = match r.below(6) {
        0 => Some(Motor::Velocity { velocity: r.number(), max_force: 10.0 * r.size() }),
        1 => Some(Motor::Position { target: r.number(), max_force: 10.0 * r.size() }),
        _ => None,
    };
    d.spring = r.one_in(6).then(|| spring(r));
    d.suspension = r.one_in(6).then(|| spring(r));
    d.friction = if r.one_in(6) { r.size() } else { 0.0 };
    d.cone = r.one_in(8).then(|| r.size());
    d.length = r.one_in(6).then(|| r.size());
    d.teeth = r.one_in(6).then(|| [r.below(9) as i32 - 4, r.below(9) as i32 - 4]);
    d.lead = r.one_in(6).then(|| r.number());
    d.radius = r.one_in(6).then(|| r.number());
    d.pulleys = r.one_in(6).then(|| [r.vector(), r.vector()]);
    d.ratio = r.one_in(12).then(|| r.number());
    d.offset = r.one_in(12).then(|| r.number());
    d.translations = [(); 3].map(|()| if r.one_in(2) { AxisFreedom::Locked } else { AxisFreedom::Free });
    d.limit_restitution = if r.one_in(6) { r.size() } else { 0.0 };
    d.cfm = if r.one_in(6) { r.size() } else { 0.0 };
    d.erp = if r.one_in(6) { r.number() } else { 0.2 };
    build(&d, poses[0], poses[1]).ok()
}

/// Adds a force of any kind, or replaces another force with it.
pub(crate) fn force(r: &mut Random, world: &mut World, column: BodyIndex, old: Option<ForceId>) -> Option<ForceId> {
    macro_rules! put {
        ($field:expr) => {{
            let field = $field;
            match old {
                Some(id) => world.set_force(id, field).ok().map(|()| id),
                None => Some(world.add_force(field)),
            }
        }};
    }
    let targets = |r: &mut Random| if r.one_in(2) { Targets::All } else { Targets::These(vec![column]) };
    match r.below(5) {
        0 => {
            let ends = [Anchor::Body { body: column, point: r.vector() }, Anchor::World(r.vector())];
            put!(SpringDamper {
                anchors: ends,
                rest_length: if r.one_in(2) { 0.0 } else { r.size() },
                stiffness: 100.0 * r.size(),
                damping: r.size(),
                max_force: 100.0 * r.size(),
            })
        }
        1 => put!(Damping { linear: r.size(), angular: r.size(), targets: targets(r) }),
        2 => put!(Drag {
            viscous: r.size(),
            quadratic: r.size(),
            angular: r.size(),
            wind: r.vector(),
            targets: targets(r),
        }),
        3 => put!(PointGravity { center: r.vector(), strength: r.number(), softening: r.size() }),
        _ => {
            let axes = if r.one_in(2) { Axes::World } else { Axes::Body };
            put!(PointWrench { body: column, point: r.vector(), force: r.vector() * 100.0, torque: r.vector(), axes })
        }
    }
}

/// A module by its name, with some settings that may be in range or beyond it.
pub(crate) fn choice(r: &mut Random) -> ModuleChoice {
    /// Cap on integer settings, since larger counts only cost more time.
    const MOST: i64 = 40;
    let kind = ModuleKind::ALL[r.below(ModuleKind::ALL.len())];
    let all = registry::implementations(kind);
    let implementation = &all[r.below(all.len())];
    let mut settings = Vec::new();
    for p in implementation.parameters {
        // iterations are always set: a solver's own default may take too long for this test
        if p.name != "iterations" && !r.one_in(4) {
            continue;
        }
        let value = match p.kind {
            ParameterKind::Bool { .. } => Value::Bool(r.one_in(2)),
            ParameterKind::Integer { min, max, .. } => Value::Integer(if r.one_in(20) {
                -1
            } else {
                min + r.below((max.min(MOST) - min).max(0) as usize + 1) as i64
            }),
            ParameterKind::Real { min, max, .. } => {
                Value::Real(if r.one_in(20) { r.number() } else { min + (max.min(min + 2.0) - min) * r.unit() })
            }
            ParameterKind::Choice { options, .. } => Value::Text(options[r.below(options.len())].to_owned()),
        };
        settings.push((p.name.to_owned(), value));
    }
    let name = if r.one_in(50) { "nobody" } else { implementation.name };
    ModuleChoice { kind, name: Some(name.to_owned()), settings }
}
