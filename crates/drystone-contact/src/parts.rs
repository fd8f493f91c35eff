//! Contacts that the narrow phase found itself, and those of the parts of compounds.

use crate::ClippingManifold;
use crate::closest_point::owner_of;
use crate::reduction::{Placed, reduce_by_direction};
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

/// Points of all parts before they are reduced, and of one pair of parts.
#[derive(Default)]
struct Scratch {
    all: Vec<Found>,
    own: Manifold,
}

thread_local! {
    static SCRATCH: Cell<Option<Box<Scratch>>> = const { Cell::new(None) };
}

impl ClippingManifold {
    /// Adds what the narrow phase found: its own contacts, and of each pair of parts the contacts of a pair of shapes. All together are reduced, as one face may bear many parts.
    pub(crate) fn take_over(
        self,
        [a, b]: [PosedShape<'_>; 2],
        proximity: &Proximity,
        seeds: &[ContactSeed],
        envelope: Real,
        manifold: &mut Manifold,
    ) {
        let mut scratch = SCRATCH.take().unwrap_or_default();
        let Scratch { all, own } = &mut *scratch;
        all.clear();
        let owner = owner_of(a.shape, b.shape, proximity);
        for s in seeds {
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
        let size = a.shape.bounding_radius().min(b.shape.bounding_radius());
        reduce_by_direction(all.len(), |i| all[i].placed, NOISE * size, |i| manifold.points.push(all[i].point));
        SCRATCH.set(Some(scratch));
    }
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
