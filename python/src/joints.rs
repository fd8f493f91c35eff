//! Joints, forces and scripts of a world.

use crate::error::{Done, Fail};
use crate::fragment::Fragment;
use crate::world::{Inner, NativeWorld, force_id, joint_id, key_of};
use drystone_core::{BodyIndex, JointStrength};
use drystone_joints::Motor;
use drystone_math::{Pose, Vec3};
use drystone_motion::force::{Anchor, Axes, PointWrench, Targets};
use drystone_scene::{ForceKind, JointEntry, ScriptKind};
use pyo3::prelude::*;

/// Puts the joint that an entry describes in the place of one; the poses it was built at stay.
fn rebuild(w: &mut Inner, joint: u64, entry: JointEntry) -> Done<()> {
    let source = entry.source().map_err(|e| Fail::Input(e.to_string()))?;
    w.world().set_joint(joint_id(joint), source)?;
    w.joints.insert(joint_id(joint), entry);
    Ok(())
}

/// One of the free coordinates of a joint.
#[derive(Clone, Copy)]
pub(crate) enum FreeCoordinate {
    First,
    Second,
}

/// Another motor of a coordinate.
pub(crate) fn drive(w: &mut Inner, joint: u64, motor: Motor, coordinate: FreeCoordinate) -> Done<()> {
    let mut entry = w.joints.get(joint_id(joint)).cloned().ok_or_else(missing)?;
    match coordinate {
        FreeCoordinate::First => entry.description.motor = Some(motor),
        FreeCoordinate::Second => entry.description.motor2 = Some(motor),
    }
    rebuild(w, joint, entry)
}

fn missing() -> Fail {
    Fail::Input("no such joint".to_owned())
}

/// A force of a fragment, about the world's bodies.
fn moved(kind: ForceKind, fragment: &Fragment) -> ForceKind {
    let body = |b: BodyIndex| fragment.column(b.at());
    let targets = |t: Targets| match t {
        Targets::These(list) => Targets::These(list.into_iter().map(body).collect()),
        all @ Targets::All => all,
    };
    match kind {
        ForceKind::Spring(mut f) => {
            f.anchors = f.anchors.map(|a| match a {
                Anchor::Body { body: b, point } => Anchor::Body { body: body(b), point },
                world @ Anchor::World(_) => world,
            });
            ForceKind::Spring(f)
        }
        ForceKind::Damping(mut f) => {
            f.targets = targets(f.targets);
            ForceKind::Damping(f)
        }
        ForceKind::Drag(mut f) => {
            f.targets = targets(f.targets);
            ForceKind::Drag(f)
        }
        ForceKind::Wrench(mut f) => {
            f.body = body(f.body);
            ForceKind::Wrench(f)
        }
        ForceKind::Outside(maker, settings, of) => ForceKind::Outside(maker, settings, targets(of)),
        other @ ForceKind::PointGravity(_) => other,
    }
}

#[pymethods]
impl NativeWorld {
    fn joints(&self, py: Python<'_>) -> PyResult<Vec<u64>> {
        self.lock(py, |w| Ok(w.world().joints().iter().map(|j| key_of(*j)).collect()))
    }

    fn joint_names(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        self.lock(py, |w| Ok(w.loaded.joint_names.clone()))
    }

    fn add_joint(&self, py: Python<'_>, entry: &str) -> PyResult<u64> {
        self.lock(py, |w| {
            let fragment = Fragment::of(w, "joints", entry)?;
            let Some(joint) = fragment.scene.joints.first() else { return Err(missing()) };
            if !joint.name.is_empty() && w.loaded.joint_names.contains(&joint.name) {
                return Err(Fail::Input(format!(
                    "joints: found the name '{}' again; allowed: a name that no other joint has",
                    joint.name
                )));
            }
            let columns = joint.bodies.map(|b| b.map(|b| fragment.column(b)));
            // the poses of the state itself, not of its text
            let poses = columns.map(|c| c.map_or(Pose::IDENTITY, |c| w.loaded.world.state().pose(c)));
            let entry = JointEntry { poses, bodies: columns.map(|c| c.map(BodyIndex::at)), ..joint.clone() };
            let source = entry.source().map_err(|e| Fail::Input(e.to_string()))?;
            let ids = columns.map(|c| c.map(|c| w.loaded.world.bodies()[c.at()]));
            let id = w.world().add_joint(ids, source)?;
            w.world().set_strength(id, entry.strength)?;
            if let ([Some(a), Some(b)], true) = (ids, entry.collide) {
                w.world().unignore_pair(a, b)?;
            }
            w.loaded.joint_names.push(entry.name.clone());
            w.joints.insert(id, entry);
            Ok(key_of(id))
        })
    }

    fn remove_joint(&self, py: Python<'_>, joint: u64) -> PyResult<()> {
        self.lock(py, |w| {
            let id = joint_id(joint);
            let place = w.world().joints().iter().position(|j| *j == id).ok_or_else(missing)?;
            w.world().remove_joint(id)?;
            w.loaded.joint_names.remove(place);
            w.joints.remove(id);
            Ok(())
        })
    }

    /// A motor's speed or a servo's target, of coordinate 1 or 2, with the largest force.
    fn set_motor(
        &self,
        py: Python<'_>,
        joint: u64,
        servo: bool,
        value: f64,
        max_force: f64,
        second: bool,
    ) -> PyResult<()> {
        let motor = if servo {
            Motor::Position { target: value, max_force }
        } else {
            Motor::Velocity { velocity: value, max_force }
        };
        let coordinate = if second { FreeCoordinate::Second } else { FreeCoordinate::First };
        self.lock(py, |w| drive(w, joint, motor, coordinate))
    }

    /// Limits of coordinate 1 or 2; none where `limits` is none.
    fn set_joint_limits(&self, py: Python<'_>, joint: u64, limits: Option<[f64; 2]>, second: bool) -> PyResult<()> {
        self.lock(py, |w| {
            let mut entry = w.joints.get(joint_id(joint)).cloned().ok_or_else(missing)?;
            let place = if second { &mut entry.description.limits2 } else { &mut entry.description.limits };
            *place = limits;
            rebuild(w, joint, entry)
        })
    }

    /// Force (N) and torque (N m) above which it breaks.
    fn set_joint_strength(&self, py: Python<'_>, joint: u64, force: f64, torque: f64) -> PyResult<()> {
        self.lock(py, |w| Ok(w.world().set_strength(joint_id(joint), JointStrength { force, torque })?))
    }

    /// (value, speed) of coordinate 1 or 2, or None where the joint has none.
    fn joint_coordinate(&self, py: Python<'_>, joint: u64, second: bool) -> PyResult<Option<(f64, f64)>> {
        self.lock(py, |w| {
            w.world().joint_error(joint_id(joint)).ok_or_else(missing)?;
            let world = &w.loaded.world;
            let id = joint_id(joint);
            let found = if second { world.second_joint_coordinate(id) } else { world.joint_coordinate(id) };
            Ok(found.map(|c| (c.value, c.speed)))
        })
    }

    fn joint_kind(&self, py: Python<'_>, joint: u64) -> PyResult<&'static str> {
        self.lock(py, |w| w.joints.get(joint_id(joint)).map(|j| j.description.kind).ok_or_else(missing))
    }

    /// Names of its bodies.
    fn joint_bodies(&self, py: Python<'_>, joint: u64) -> PyResult<[String; 2]> {
        self.lock(py, |w| {
            let id = joint_id(joint);
            let place = w.world().joints().iter().position(|j| *j == id).ok_or_else(missing)?;
            let bodies = w.loaded.world.configuration().joints[place].bodies;
            Ok(bodies.map(|b| b.map_or_else(|| "world".to_owned(), |b| w.loaded.names[b.at()].clone())))
        })
    }

    /// (linear m, angular rad).
    fn joint_error(&self, py: Python<'_>, joint: u64) -> PyResult<(f64, f64)> {
        self.lock(py, |w| {
            let e = w.world().joint_error(joint_id(joint)).ok_or_else(missing)?;
            Ok((e.linear, e.angular))
        })
    }

    /// (force, torque, point), or None before the first step.
    fn joint_reaction(&self, py: Python<'_>, joint: u64) -> PyResult<Option<([f64; 3], [f64; 3], [f64; 3])>> {
        self.lock(py, |w| {
            w.world().joint_error(joint_id(joint)).ok_or_else(missing)?;
            let reaction = w.world().joint_reaction(joint_id(joint));
            Ok(reaction.map(|r| (r.force.to_array(), r.torque.to_array(), r.point.to_array())))
        })
    }

    fn joint_broken(&self, py: Python<'_>, joint: u64) -> PyResult<bool> {
        self.lock(py, |w| w.world().is_broken(joint_id(joint)).ok_or_else(missing))
    }

    fn mend_joint(&self, py: Python<'_>, joint: u64) -> PyResult<()> {
        self.lock(py, |w| Ok(w.world().mend_joint(joint_id(joint))?))
    }

    fn add_force(&self, py: Python<'_>, entry: &str) -> PyResult<u64> {
        self.lock(py, |w| {
            let fragment = Fragment::of(w, "forces", entry)?;
            let Some(force) = fragment.scene.forces.first() else {
                return Err(Fail::Input("no such force".to_owned()));
            };
            let field = moved(force.kind.clone(), &fragment).field();
            Ok(key_of(w.world().add_boxed_force(field)))
        })
    }

    fn remove_force(&self, py: Python<'_>, force: u64) -> PyResult<()> {
        self.lock(py, |w| Ok(w.world().remove_force(force_id(force))?))
    }

    /// A wrench in the place of a force: on a body, at a point of its frame, in the world's axes or its own.
    fn set_wrench(
        &self,
        py: Python<'_>,
        force: u64,
        body: u64,
        point: [f64; 3],
        values: [f64; 6],
        body_axes: bool,
    ) -> PyResult<()> {
        self.lock(py, |w| {
            if !values.iter().chain(&point).all(|v| v.is_finite()) {
                return Err(Fail::Input("a wrench must be finite".to_owned()));
            }
            let body = w.column(body)?;
            let axes = if body_axes { Axes::Body } else { Axes::World };
            let [fx, fy, fz, tx, ty, tz] = values;
            let wrench = PointWrench {
                body,
                point: Vec3::from_array(point),
                force: Vec3::new(fx, fy, fz),
                torque: Vec3::new(tx, ty, tz),
                axes,
            };
            Ok(w.world().set_force(force_id(force), wrench)?)
        })
    }

    fn add_script(&self, py: Python<'_>, entry: &str) -> PyResult<()> {
        self.lock(py, |w| {
            let fragment = Fragment::of(w, "scripts", entry)?;
            let Some(script) = fragment.scene.scripts.first() else {
                return Err(Fail::Input("no such script".to_owned()));
            };
            let body = w.loaded.world.bodies()[fragment.column(script.body).at()];
            let world = w.world();
            Ok(match script.motion.clone() {
                ScriptKind::Spline(m) => world.add_script(body, m)?,
                ScriptKind::Sinusoid(m) => world.add_script(body, m)?,
                ScriptKind::Keys(m) => world.add_script(body, m)?,
            })
        })
    }
}
