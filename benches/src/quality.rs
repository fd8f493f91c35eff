//! What became of a scene, judged from recorded poses by one scorer for all engines.
//!
//! Overlaps are measured by parry's separating-axis test in double precision, not by the engines.

use crate::scenes::{Fate, Form, Link, Scene};
use drystone::math::{Pose, Real, Vec3};
use rapier3d_f64::parry::math as parry_math;
use rapier3d_f64::parry::query::{ContactManifold, DefaultQueryDispatcher, PersistentQueryDispatcher};
use rapier3d_f64::parry::shape::{Ball, Cuboid, Shape};

/// How well a scene was kept.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Quality {
    /// How far the top body went down from where it began (m).
    pub sink: Real,
    /// How far the top body went sideways (m).
    pub lean: Real,
    /// The longest way of any body from its pose one second ago (m).
    pub creep: Real,
    /// The longest way of any body from where it began (m).
    pub moved: Real,
    /// The deepest overlap of two bodies (m).
    pub depth: Real,
    /// The widest gap of a joint (m).
    pub gap: Real,
    /// Whether the scene met its fate.
    pub holds: bool,
}

impl Quality {
    /// Scores the poses `now` of a scene, and those of one second `earlier`.
    pub fn of(scene: &Scene, earlier: &[Pose], now: &[Pose]) -> Self {
        let top = scene.top();
        let way = now[top].position - scene.pieces[top].pose.position;
        let longest = |from: &dyn Fn(usize) -> Vec3| {
            scene.moving().map(|(i, _)| (now[i].position - from(i)).length()).fold(0.0, larger)
        };
        let moved = longest(&|i| scene.pieces[i].pose.position);
        let finite = now.iter().all(Pose::is_finite);
        let holds = finite
            && match scene.fate {
                Fate::Stands(tolerance) => moved < tolerance,
                Fate::Falls(count) => scene.moving().take(count).all(|(i, _)| (now[i].orientation * Vec3::Y).y < 0.6),
                Fate::StaysIn(low, high) => scene.moving().all(|(i, _)| {
                    let p = now[i].position;
                    p.cmpge(low).all() && p.cmple(high).all()
                }),
            };
        Self {
            sink: -way.y,
            lean: Vec3::new(way.x, 0.0, way.z).length(),
            creep: longest(&|i| earlier[i].position),
            moved,
            gap: widest_gap(scene, now),
            depth: if finite { deepest_overlap(scene, now) } else { Real::NAN },
            holds,
        }
    }
}

/// How far the places that joints hold together are apart (m), zero where there are none.
fn widest_gap(scene: &Scene, now: &[Pose]) -> Real {
    let gap = |link: &Link| {
        let [a, b] = link.pieces.map(|piece| match piece {
            Some(i) => {
                let begin = scene.pieces[i].pose;
                now[i].position + now[i].orientation * (begin.orientation.inverse() * (link.anchor - begin.position))
            }
            None => link.anchor,
        });
        (b - a).length()
    };
    scene.links.iter().map(gap).fold(0.0, larger)
}

/// The larger of two numbers, and not a number where one of them is none.
fn larger(a: Real, b: Real) -> Real {
    if a.is_nan() || a > b { a } else { b }
}

/// The deepest overlap of two bodies at the given poses (m), zero where none overlaps.
pub fn deepest_overlap(scene: &Scene, poses: &[Pose]) -> Real {
    let shapes: Vec<Box<dyn Shape>> = scene
        .pieces
        .iter()
        .map(|p| -> Box<dyn Shape> {
            match p.form {
                Form::Box(half) => Box::new(Cuboid::new(vector(half))),
                Form::Ball(radius) => Box::new(Ball::new(radius)),
            }
        })
        .collect();
    let boxes: Vec<(Vec3, Vec3)> = scene.pieces.iter().zip(poses).map(|(p, pose)| bounds(&p.form, pose)).collect();
    let mut order: Vec<usize> = (0..poses.len()).collect();
    order.sort_by(|&i, &j| boxes[i].0.x.total_cmp(&boxes[j].0.x));

    let mut depth: Real = 0.0;
    let mut manifolds: Vec<ContactManifold<(), ()>> = Vec::new();
    for (k, &i) in order.iter().enumerate() {
        for &j in order[k + 1..].iter().take_while(|&&j| boxes[j].0.x <= boxes[i].1.x) {
            let both_fixed = scene.pieces[i].fixed && scene.pieces[j].fixed;
            let linked = scene.links.iter().any(|l| l.pieces == [Some(i), Some(j)] || l.pieces == [Some(j), Some(i)]);
            if both_fixed || linked || boxes[i].0.cmpgt(boxes[j].1).any() || boxes[j].0.cmpgt(boxes[i].1).any() {
                continue;
            }
            manifolds.clear();
            let relative = placement(&poses[i]).inv_mul(&placement(&poses[j]));
            let tested = DefaultQueryDispatcher.contact_manifolds(
                &relative,
                shapes[i].as_ref(),
                shapes[j].as_ref(),
                0.0,
                &mut manifolds,
                &mut None,
            );
            if tested.is_ok() {
                depth = manifolds.iter().flat_map(|m| &m.points).map(|p| -p.dist).fold(depth, Real::max);
            }
        }
    }
    depth
}

fn bounds(form: &Form, pose: &Pose) -> (Vec3, Vec3) {
    let reach = match form {
        Form::Ball(radius) => Vec3::splat(*radius),
        Form::Box(half) => {
            let axis = |unit: Vec3, h: Real| (pose.orientation * unit).abs() * h;
            axis(Vec3::X, half.x) + axis(Vec3::Y, half.y) + axis(Vec3::Z, half.z)
        }
    };
    (pose.position - reach, pose.position + reach)
}

fn vector(v: Vec3) -> parry_math::Vector {
    parry_math::Vector::new(v.x, v.y, v.z)
}

fn placement(pose: &Pose) -> parry_math::Pose {
    let q = pose.orientation;
    parry_math::Pose::from_parts(vector(pose.position), parry_math::Rotation::from_xyzw(q.x, q.y, q.z, q.w))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lowered_top_is_sink_and_overlap() {
        let scene = Scene::by_name("column-30").unwrap();
        let start: Vec<Pose> = scene.pieces.iter().map(|p| p.pose).collect();
        let mut now = start.clone();
        now[scene.top()].position += Vec3::new(0.003, -0.004, 0.0);
        let q = Quality::of(&scene, &start, &now);
        for (found, expected) in
            [(q.sink, 0.004), (q.lean, 0.003), (q.creep, 0.005), (q.moved, 0.005), (q.depth, 0.004)]
        {
            assert!((found - expected).abs() < 1e-9, "{q:?}");
        }
        assert!(q.holds);
        now[3].position.x += 1.0;
        assert!(!Quality::of(&scene, &start, &now).holds);
    }
}
