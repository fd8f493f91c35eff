//! Contacts that the narrow phase found itself, and those of the parts of compounds.

use crate::ClippingManifold;
use crate::blocked::{Push, blocking};
use crate::closest_point::owner_of;
use crate::reduction::{Placed, TOUCHING, reduce_by_direction};
use drystone_core::{ContactDetermination, ContactPoint, ContactSeed, Manifold, PosedShape, Proximity};
use drystone_math::{Pose, Real};
use std::cell::Cell;

/// In units of the size of the smaller shape: lengths below this are noise.
const NOISE: Real = 1e-6;

/// A contact point, and what its reduction needs.
#[derive(Clone, Copy)]
struct Found {
    point: ContactPoint,
    placed: Placed,
}

/// Points of all parts before they are reduced, and of one pair of parts; pairs of parts by depth, and their pushes.
#[derive(Default)]
struct Scratch {
    all: Vec<Found>,
    own: Manifold,
    deepest: Vec<ContactSeed>,
    pushes: Vec<Push>,
}

thread_local! {
    static SCRATCH: Cell<Option<Box<Scratch>>> = const { Cell::new(None) };
}

impl ClippingManifold {
    /// Adds what the narrow phase found: its own contacts, and of each pair of parts the contacts of a pair of shapes. All together are reduced, as one face may bear many parts. Of
    /// parts that overlap so that they block every motion, the deepest that do are added, one contact for each pair.
    pub(crate) fn take_over(
        self,
        [a, b]: [PosedShape<'_>; 2],
        proximity: &Proximity,
        seeds: &[ContactSeed],
        envelope: Real,
        manifold: &mut Manifold,
    ) {
        let mut scratch = SCRATCH.take().unwrap_or_default();
        let Scratch { all, own, deepest, pushes } = &mut *scratch;
        all.clear();
        let owner = owner_of(a.shape, b.shape, proximity);
        let size = a.shape.bounding_radius().min(b.shape.bounding_radius());
        let blocked = self.reduce && block(seeds, size, deepest, pushes);
        if blocked {
            let whole = |s: &ContactSeed| {
                ContactPoint::from_world(&a.pose, &b.pose, s.position, s.normal, s.separation, s.key, owner)
            };
            manifold.points.extend(deepest.iter().map(whole));
        }
        for s in seeds.iter().filter(|s| !blocked || s.parts.is_none()) {
            if let Some(parts) = s.parts.zip(s.proximity()) {
                let Some([x, y]) = a.part(parts.0.part_a).zip(b.part(parts.0.part_b)).map(<[_; 2]>::from) else {
                    continue;
                };
                self.determine(x.0, y.0, &parts.1, &[], envelope, own);
                all.extend(own.points.iter().map(|p| Found {
                    placed: placed(p, [&x.0.pose, &y.0.pose], self.reduce),
                    point: ContactPoint {
                        key: p.key.of_parts(parts.0.part_a, parts.0.part_b),
                        ..on_whole(p, [&x.1, &y.1])
                    },
                }));
            } else if s.separation <= envelope {
                // samples state the same many times over by the nature of the method
                let is_reduced = if s.key.is_sample() { self.reduce_samples } else { self.reduce };
                let (position, normal, separation) = (s.position, s.normal, s.separation);
                all.push(Found {
                    point: ContactPoint::from_world(&a.pose, &b.pose, position, normal, separation, s.key, owner),
                    placed: Placed { position, normal, separation, is_reduced },
                });
            }
        }
        reduce_by_direction(all.len(), |i| all[i].placed, NOISE * size, |i| manifold.points.push(all[i].point));
        SCRATCH.set(Some(scratch));
    }
}

/// Lists the deepest pairs of parts that block every motion of the bodies, given the size of the smaller (m); false if those that overlap leave one.
fn block(seeds: &[ContactSeed], size: Real, deepest: &mut Vec<ContactSeed>, pushes: &mut Vec<Push>) -> bool {
    deepest.clear();
    deepest.extend(seeds.iter().filter(|s| s.parts.is_some() && s.separation < -TOUCHING * NOISE * size));
    deepest.sort_unstable_by(|x, y| x.separation.total_cmp(&y.separation).then(x.key.0.cmp(&y.key.0)));
    let Some(first) = deepest.first().map(|s| s.position) else { return false };
    pushes.clear();
    pushes.extend(deepest.iter().map(|s| {
        let (force, torque) = (s.normal, (s.position - first).cross(s.normal) / size);
        [force.x, force.y, force.z, torque.x, torque.y, torque.z]
    }));
    let count = blocking(pushes);
    deepest.truncate(count.unwrap_or(0));
    count.is_some()
}

fn placed(p: &ContactPoint, [a, b]: [&Pose; 2], is_reduced: bool) -> Placed {
    let (normal, position, _) = p.world(a, b);
    Placed { position, normal, separation: p.separation, is_reduced }
}

/// A point of two parts as a point of the whole shapes, given the frames of the parts in theirs.
fn on_whole(p: &ContactPoint, [a, b]: [&Pose; 2]) -> ContactPoint {
    ContactPoint {
        anchor_a: a.point(p.anchor_a),
        anchor_b: b.point(p.anchor_b),
        normal: [a.direction(p.normal[0]), b.direction(p.normal[1])],
        ..*p
    }
}
