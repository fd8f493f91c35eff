use super::index::PlacedBodies;
use crate::World;
use core::ops::ControlFlow;
use drystone_core::{BodyIndex, BodyPair, Configuration, NarrowPhase, PosedShape, ProxyFilter, State};
use drystone_geometry::Shape;
use drystone_math::Real;
use drystone_narrow_phase::Combined;
use std::collections::VecDeque;

/// Bodies count as touching if they are nearer than this, in bounding radii of the smaller one.
const TOUCHING: Real = 0.01;

/// Most neighbours that are looked at per body. Bodies that do not overlap have fewer: a pile of loose boxes has about 16. A pair of touching
/// bodies is missed only if both have more.
const MOST_NEIGHBOURS: usize = 32;
/// Overlaps deeper than this, in bounding radii of the smaller body, are not of a stack but of bodies that were put into each other.
const DEEP: Real = 0.1;
/// Most of these that are looked at per body: their distances take longest, and further ones tell nothing new.
const MOST_DEEP: usize = 4;

/// Demands of a world on a method at one moment: figures that decide whether a method copes with it.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Demands {
    /// Number of dynamic bodies.
    pub bodies: u32,
    /// The largest ratio of masses among dynamic bodies that touch, directly or through other dynamic bodies; 1 if none do.
    pub mass_ratio: Real,
    /// The same among bodies linked by joints and springs.
    pub linked_mass_ratio: Real,
    /// The largest number of bodies through which a force passes, from contact to contact, between an immovable body and a dynamic one: the levels of a stack.
    pub levels: u32,
    /// The same along joints and springs: the links of a hanging chain.
    pub links: u32,
    /// Deepest overlap of two bodies, in bounding radii of the smaller one.
    pub overlap: Real,
    /// Widest gap of a joint, in bounding radii of the smaller of its bodies.
    pub gap: Real,
    /// Closed loops of joints, with the world counting as one body.
    pub loops: u32,
    /// Driving joints and forces: running motors, springs, dampers.
    pub driven: u32,
    /// Dynamic bodies that are triangle meshes: two of them may touch in some hundred points.
    pub meshes: u32,
    /// The largest number of joints and springs between two bodies of a linked set of which no body is linked to an immovable one: for a figure with limbs, from hand to foot.
    pub limbs: u32,
    /// Distance by which a body falls in a step, from one velocity to the next: gravity times the square of the time
    /// step (m); zero if no time step is given.
    pub fall: Real,
}

impl World {
    /// Demands of this world on a method as its bodies stand now, sleeping or not. This changes nothing, not even the
    /// results of the next step.
    ///
    /// # Cost
    /// One query of the narrow phase for each pair of bodies whose boxes overlap; at most 32 for each body, and four if it overlaps them deeply, so
    /// that the cost is linear in bodies even if all of them lie on one spot.
    pub fn demands(&self) -> Demands {
        self.demands_in_steps(0.0)
    }

    /// The same if the world is simulated in steps of this length (s).
    pub fn demands_in_steps(&self, time_step: Real) -> Demands {
        let data = self.engine.data();
        let configuration = &data.configuration;
        let dynamic = || configuration.bodies.iter().filter(|b| b.is_dynamic());
        let (touching, overlap) = touching(configuration, &self.queries.placed(self));
        let touching = || touching.iter().map(|pair| pair.map(|i| Some(BodyIndex::new(i as usize))));
        let linked = || (0..configuration.link_count()).filter_map(|k| configuration.link_bodies(k));
        Demands {
            bodies: dynamic().count() as u32,
            mass_ratio: mass_ratio(configuration, touching()),
            linked_mass_ratio: mass_ratio(configuration, linked()),
            levels: furthest(configuration, touching()),
            links: furthest(configuration, linked()),
            overlap,
            gap: widest_gap(configuration, &data.state),
            loops: loops(configuration),
            driven: driven(configuration, &data.state),
            meshes: dynamic().filter(|b| matches!(b.shape, Shape::Mesh(_))).count() as u32,
            limbs: limbs(configuration, linked()),
            fall: configuration.gravity.length() * time_step * time_step,
        }
    }
}

/// The pairs that touch, one of them dynamic, and the deepest overlap in radii of the smaller body. A pair may occur twice.
fn touching(configuration: &Configuration, placed: &PlacedBodies) -> (Vec<[u32; 2]>, Real) {
    let (mut pairs, mut deepest, mut found) = (Vec::new(), 0.0_f64, Vec::with_capacity(MOST_NEIGHBOURS));
    let filter = |i: usize| {
        let body = &configuration.bodies[i];
        ProxyFilter { groups: body.groups, ..ProxyFilter::new(body.is_dynamic(), body.layer) }
    };
    // bodies all of whose neighbours have been looked at
    let mut is_done = vec![false; configuration.bodies.len()];
    for (i, body) in configuration.bodies.iter().enumerate().filter(|(_, b)| b.is_dynamic()) {
        let radius = body.shape.bounding_radius();
        found.clear();
        placed.tree.overlapping_until(&placed.boxes, &placed.boxes[i].grown(TOUCHING * radius), |k| {
            if k as usize != i {
                found.push(k as usize);
            }
            if found.len() < MOST_NEIGHBOURS { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        });
        is_done[i] = found.len() < MOST_NEIGHBOURS;
        let mut deep = 0;
        for &k in &found {
            if deep == MOST_DEEP {
                is_done[i] = false;
                break;
            }
            let other = &configuration.bodies[k];
            let pair = BodyPair::new(BodyIndex::new(i), BodyIndex::new(k));
            let is_seen = k < i && is_done[k];
            if is_seen || !filter(i).admits(&filter(k)) || pair.is_none_or(|pair| configuration.ignores(pair)) {
                continue;
            }
            let size = radius.min(other.shape.bounding_radius());
            let [a, b] = [i, k].map(|n| PosedShape { shape: &configuration.bodies[n].shape, pose: placed.frames[n] });
            // a pair that no algorithm supports is refused elsewhere
            let Ok(proximity) = Combined.query(a, b, TOUCHING * size, &mut [0; 4], &mut Vec::new()) else { continue };
            if proximity.distance <= TOUCHING * size {
                pairs.push([i as u32, k as u32]);
                deepest = deepest.max(-proximity.distance / size);
                deep += usize::from(proximity.distance < -DEEP * size);
            }
        }
    }
    (pairs, deepest)
}

/// The largest number of bodies on the shortest path along some pairs (`None` is the world) from something immovable to a dynamic body; zero if nothing holds any of them.
fn furthest(configuration: &Configuration, pairs: impl Iterator<Item = [Option<BodyIndex>; 2]>) -> u32 {
    let count = configuration.bodies.len();
    let mut neighbours = vec![Vec::new(); count];
    let mut level = vec![None; count];
    let mut queue = VecDeque::new();
    for pair in pairs {
        match pair {
            [Some(a), Some(b)] => {
                neighbours[a.at()].push(b.at());
                neighbours[b.at()].push(a.at());
            }
            // held by the world
            [Some(held), None] | [None, Some(held)] if level[held.at()].is_none() => {
                level[held.at()] = Some(1);
                queue.push_back(held.at());
            }
            _ => {}
        }
    }
    for (i, body) in configuration.bodies.iter().enumerate().filter(|(_, b)| !b.is_dynamic()) {
        // what the world holds comes after what does not move
        if !body.sensor {
            level[i] = Some(0);
            queue.push_front(i);
        }
    }
    let mut most = 0;
    while let Some(at) = queue.pop_front() {
        let next = level[at].unwrap_or(0);
        most = most.max(next);
        for &neighbour in &neighbours[at] {
            if level[neighbour].is_none() {
                level[neighbour] = Some(next + 1);
                queue.push_back(neighbour);
            }
        }
    }
    most
}

/// The longest of the shortest paths along some pairs (`None` is the world) within a set of bodies none of which is held. Exact if they form a tree, otherwise a lower bound.
fn limbs(configuration: &Configuration, pairs: impl Iterator<Item = [Option<BodyIndex>; 2]>) -> u32 {
    let count = configuration.bodies.len();
    let mut neighbours = vec![Vec::new(); count];
    let is_held = |end: Option<BodyIndex>| end.is_none_or(|b| !configuration.body(b).is_dynamic());
    let mut held = vec![false; count];
    for pair in pairs {
        if let [Some(a), Some(b)] = pair.map(|end| end.filter(|_| !is_held(end))) {
            neighbours[a.at()].push(b.at());
            neighbours[b.at()].push(a.at());
        } else {
            pair.into_iter().flatten().for_each(|b| held[b.at()] = true);
        }
    }
    let mut seen = vec![false; count];
    let mut most = 0;
    for i in 0..count {
        if seen[i] || neighbours[i].is_empty() {
            continue;
        }
        let first = outwards(&neighbours, i);
        let mut is_loose = true;
        for &(body, _) in &first {
            seen[body] = true;
            is_loose &= !held[body];
        }
        if !is_loose {
            continue;
        }
        // in a tree, the body furthest from any body is an end of the longest path
        let far = |ways: &[(usize, u32)]| ways.last().copied().unwrap_or((i, 0));
        most = most.max(far(&outwards(&neighbours, far(&first).0)).1);
    }
    most
}

/// All bodies that pairs lead to from one body, nearest first, each with the number of pairs that it takes.
fn outwards(neighbours: &[Vec<usize>], from: usize) -> Vec<(usize, u32)> {
    let mut seen = vec![false; neighbours.len()];
    seen[from] = true;
    let mut found = vec![(from, 0)];
    let mut next = 0;
    while let Some(&(at, way)) = found.get(next) {
        next += 1;
        for &neighbour in &neighbours[at] {
            if !core::mem::replace(&mut seen[neighbour], true) {
                found.push((neighbour, way + 1));
            }
        }
    }
    found
}

/// The largest ratio of masses within a set of dynamic bodies that pairs connect.
fn mass_ratio(configuration: &Configuration, pairs: impl Iterator<Item = [Option<BodyIndex>; 2]>) -> Real {
    let is_dynamic = |b: &BodyIndex| configuration.body(*b).is_dynamic();
    let mut parent: Vec<usize> = (0..configuration.bodies.len()).collect();
    for pair in pairs {
        if let [Some(a), Some(b)] = pair.map(|b| b.filter(is_dynamic)) {
            let [a, b] = [a, b].map(|b| root(&mut parent, b.at()));
            parent[a] = b;
        }
    }
    let mut masses = vec![[Real::INFINITY, 0.0]; parent.len()];
    for (i, body) in configuration.bodies.iter().enumerate().filter(|(_, b)| b.is_dynamic()) {
        let [least, most] = &mut masses[root(&mut parent, i)];
        (*least, *most) = (least.min(body.mass), most.max(body.mass));
    }
    masses.into_iter().map(|[least, most]| most / least).fold(1.0, Real::max)
}

/// The widest gap of a joint, in radii of the smaller of its dynamic bodies.
fn widest_gap(configuration: &Configuration, state: &State) -> Real {
    let gaps = configuration.joints.iter().enumerate().map(|(k, joint)| {
        let ends = joint.bodies.into_iter().flatten().map(|b| configuration.body(b)).filter(|b| b.is_dynamic());
        let size = ends.map(|b| b.shape.bounding_radius()).fold(Real::INFINITY, Real::min);
        configuration.joint_error(state, k).linear / size
    });
    gaps.fold(0.0, Real::max)
}

/// The number of joints and springs that demand a speed or yield.
fn driven(configuration: &Configuration, state: &State) -> u32 {
    let mut rows = Vec::new();
    let joints = configuration.joints.iter().enumerate().filter(|(k, joint)| {
        let [a, b] = joint.bodies.map(|b| state.body_frame(b));
        rows.clear();
        joint.source.rows([&a, &b], state.joint_memory.of(*k), &mut rows);
        rows.iter().any(|row| row.target != 0.0 || row.softness.is_soft())
    });
    let springs = configuration.forces.iter().filter(|f| f.linked_bodies().is_some());
    (joints.count() + springs.count()) as u32
}

/// The number of joints beyond a tree that connects the same bodies.
fn loops(configuration: &Configuration) -> u32 {
    // the last one stands for the world and everything immovable
    let world = configuration.bodies.len();
    let mut parent: Vec<usize> = (0..=world).collect();
    let mut loops = 0;
    for joint in &configuration.joints {
        let ends = joint.bodies.map(|b| b.filter(|b| configuration.body(*b).is_dynamic()).map_or(world, BodyIndex::at));
        let [a, b] = ends.map(|end| root(&mut parent, end));
        if a == b {
            loops += 1;
        } else {
            parent[a] = b;
        }
    }
    loops
}

/// The representative of a set; shortens the path to it.
fn root(parent: &mut [usize], mut at: usize) -> usize {
    while parent[at] != at {
        parent[at] = parent[parent[at]];
        at = parent[at];
    }
    at
}
