//! Copying a group from the world into a problem.

use super::carriers::runs;
use super::curvature::TouchingPoint;
use super::gathered_edge::{NO_LOCAL, each_contact};
use super::linking_forces::LinkingForces;
use super::output::SolvedEdge;
use super::task::Task;
use super::touching_side::TouchingSide;
use super::worker::{Shared, Worker};
use drystone_core::{
    BodyIndex, BodyPair, ConstraintRow, ContactPoint, ContactSurface, Edge, Executor, GroupBody, GroupJoint,
    GroupProblem, GroupRow, Level, Manifold, PairMaterial, piece_length, run_each,
};
use drystone_math::{Placement, Pose, Real, Registers, SymmetricMat3, Twist, Vec3, tangent_basis};
use pulp::{Simd, WithSimd};
use std::sync::Arc;

/// The index that stands for the world frame in a problem.
pub(super) const WORLD: BodyIndex = BodyIndex(u32::MAX);

/// The world as a body of a problem.
const THE_WORLD: GroupBody = GroupBody {
    index: WORLD,
    inverse_mass: 0.0,
    inverse_inertia: SymmetricMat3::ZERO,
    pose: Pose::IDENTITY,
    velocity: Twist::ZERO,
    external: Twist::ZERO,
};

/// Number of bodies in a group from which on more than one thread is worth while.
const MANY: usize = 1024;

/// Gathers the contacts of some edges, with whatever vector registers the processor has. Nothing is reordered or fused: the bits are the same on all processors.
struct Edges<'a> {
    worker: &'a mut Worker,
    shared: Shared<'a>,
    slots: &'a [u32],
    layer: Option<u32>,
}

impl WithSimd for Edges<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _simd: S) {
        for &slot in self.slots {
            self.worker.take_edge(self.shared, slot, self.layer);
        }
    }
}

impl Worker {
    /// Copies a task's bodies, contacts and joint rows from the world into `self.problem`.
    pub(super) fn gather(&mut self, shared: Shared<'_>, task: Task, executor: &dyn Executor) {
        // several threads overwrite what is there
        let GroupProblem { contacts, bodies, .. } = &mut self.problem;
        let (contacts, bodies) = (core::mem::take(contacts), core::mem::take(bodies));
        self.problem.clear();
        self.problem.contacts = contacts;
        self.problem.bodies = bodies;
        self.curvatures.clear();
        if !matches!(task, Task::Group(_)) {
            self.problem.bodies.clear();
            self.places.clear();
        }
        self.edges.clear();
        self.own_bodies = 0;
        self.take_surroundings(shared, &task);
        self.local.resize(shared.configuration.bodies.len(), NO_LOCAL);
        let (edges, joints, layer): (&[u32], &[u32], _) = match &task {
            Task::Edge(slot) => (core::slice::from_ref(slot), &[], None),
            &Task::Group(g) => {
                let groups = &shared.graph.groups;
                // the group's bodies in their own order, so that local indices do not depend on contacts
                self.take_bodies(shared, groups.group_bodies(g as usize), executor);
                let edges = groups.group_edges(g as usize);
                self.own_bodies = if edges.is_empty() { self.problem.bodies.len() } else { 0 };
                (edges, groups.group_joints(g as usize), None)
            }
            &Task::Layer { group, layer } => {
                let here = shared.plan.layer(group, layer);
                for &body in here.free {
                    self.take_body(shared, body, Some(layer));
                }
                (here.edges, here.joints, Some(layer))
            }
        };
        if layer.is_some() || !self.gather_side_by_side(shared, edges, executor) {
            self.problem.contacts.clear();
            Registers::new().dispatch(Edges { worker: self, shared, slots: edges, layer });
        }
        if self.constraint_solver.follows_contacts() {
            self.take_radii(shared);
        }
        for &link in joints {
            self.take_link(shared, link, layer);
        }
        for body in &self.problem.bodies {
            if body.index != WORLD {
                self.local[body.index.at()] = NO_LOCAL;
            }
        }
    }

    /// Sets what a problem contains about the world around its group.
    pub(super) fn take_surroundings(&mut self, shared: Shared<'_>, task: &Task) {
        self.problem.gravity = shared.configuration.gravity.length();
        self.problem.up = -shared.configuration.gravity.normalize_or_zero();
        self.problem.spent = shared.spent;
        self.problem.others = shared.others_than(task);
    }

    #[inline(always)]
    fn local_of(&mut self, shared: Shared<'_>, body: BodyIndex, layer: Option<u32>) -> u32 {
        let known = self.local[body.at()];
        if known == NO_LOCAL { self.take_body(shared, body, layer) } else { known }
    }

    /// Copies the first bodies of a problem over those of the last one, in parallel if there are many.
    fn take_bodies(&mut self, shared: Shared<'_>, bodies: &[BodyIndex], executor: &dyn Executor) {
        let Self { problem, places, local, .. } = self;
        let length = piece_length(executor, bodies.len(), MANY);
        if length >= bodies.len() {
            problem.bodies.clear();
            places.clear();
            // written where they stay: one that is made elsewhere and copied would wait for what was just written
            problem.bodies.extend(bodies.iter().map(|&body| group_body(shared, body, None)));
            places.extend(bodies.iter().map(|body| Placement::from(&shared.frames[body.at()])));
        } else {
            problem.bodies.resize(bodies.len(), THE_WORLD);
            places.resize(bodies.len(), Placement::from(&Pose::IDENTITY));
            let into = problem.bodies.chunks_mut(length).zip(places.chunks_mut(length));
            run_each(executor, bodies.chunks(length).zip(into), |(bodies, (into, places))| {
                for ((&body, into), place) in bodies.iter().zip(into).zip(places) {
                    (*into, *place) = (group_body(shared, body, None), Placement::from(&shared.frames[body.at()]));
                }
            });
        }
        for (body, place) in bodies.iter().zip(0..) {
            local[body.at()] = place;
        }
    }

    /// The local index of a body, which is copied into the problem if it is new. In a layer, bodies of its lower height are fixated.
    pub(super) fn take_body(&mut self, shared: Shared<'_>, body: BodyIndex, layer: Option<u32>) -> u32 {
        let known = self.local[body.at()];
        if known != NO_LOCAL {
            return known;
        }
        self.problem.bodies.push(group_body(shared, body, layer));
        self.places.push(Placement::from(&shared.frames[body.at()]));
        let index = self.problem.bodies.len() as u32 - 1;
        self.local[body.at()] = index;
        index
    }

    #[inline(always)]
    fn take_edge(&mut self, shared: Shared<'_>, slot: u32, layer: Option<u32>) {
        let edge = &shared.graph.edges[slot as usize];
        let bodies = [self.local_of(shared, edge.pair.a, layer), self.local_of(shared, edge.pair.b, layer)];
        let Self { problem, places, edges, .. } = self;
        let places = bodies.map(|i| &places[i as usize]);
        let first = problem.contacts.len();
        edges.push(SolvedEdge::of(edge, slot));
        let of_layer = |p: &ContactPoint| edge.manifold.memory(p.key).layer_impulse;
        let impulse = |p: &ContactPoint| if layer.is_some() { of_layer(p) } else { p.impulse };
        let contacts = &mut problem.contacts;
        each_contact(edge, slot, (bodies, places), impulse, |c| contacts.push(c));
        if shared.level == Level::Acceleration {
            self.bend_contacts(shared, edge, first);
        }
        if !edge.material.is_plain() {
            let frames = [edge.pair.a, edge.pair.b].map(|body| &shared.frames[body.at()]);
            for k in first..self.problem.contacts.len() {
                let surface = self.take_surface(&edge.material, frames, self.problem.contacts[k].normal);
                self.problem.contacts[k].surface = surface;
            }
        }
        if shared.carriers.carry(shared.configuration, edge.pair) {
            self.take_carriers(shared, edge.pair, first);
        }
        if edge.manifold.is_stiff() {
            self.take_stiffness(&edge.manifold, first);
        }
        if edge.material.facets != 0 {
            self.take_facets(edge.material.facets, first);
        }
    }

    /// Sets the number of sides of the friction pyramids, for the contacts from `first` on.
    #[cold]
    fn take_facets(&mut self, facets: u32, first: usize) {
        // the column exists as soon as one contact needs it
        self.problem.contact_facets.resize(first, 0);
        self.problem.contact_facets.resize(self.problem.contacts.len(), facets);
    }

    /// Sets the stiffness that the last solve used for the points of an edge, whose contacts begin at `first`.
    #[cold]
    fn take_stiffness(&mut self, manifold: &Manifold, first: usize) {
        let stiffness = manifold.points.iter().map(|p| manifold.memory(p.key).stiffness);
        for (k, stiffness) in stiffness.enumerate().filter(|(_, stiffness)| *stiffness != [0.0; 2]) {
            // the column exists as soon as one contact needs it
            self.problem.contact_stiffness.resize(first + k, [0.0; 2]);
            self.problem.contact_stiffness.push(stiffness);
        }
    }

    /// Sets the radii of the surfaces at the contacts.
    fn take_radii(&mut self, shared: Shared<'_>) {
        let GroupProblem { contacts, contact_radii, .. } = &mut self.problem;
        contact_radii.extend(contacts.iter().map(|c| {
            let edge = &shared.graph.edges[c.edge as usize];
            let p = &edge.manifold.points[c.point as usize];
            let [a, b] = [edge.pair.a, edge.pair.b].map(|body| &shared.configuration.body(body).shape);
            [TouchingSide::radius_at(a, p.anchor_a, p.normal[0]), TouchingSide::radius_at(b, p.anchor_b, -p.normal[1])]
        }));
    }

    /// Treats the contacts of an edge, from `first` on, as contacts of surfaces that roll on each other, with their curvature.
    fn bend_contacts(&mut self, shared: Shared<'_>, edge: &Edge, first: usize) {
        let pair = [edge.pair.a, edge.pair.b];
        let shapes = pair.map(|body| &shared.configuration.body(body).shape);
        let frames = pair.map(|body| &shared.frames[body.at()]);
        for (contact, p) in self.problem.contacts[first..].iter_mut().zip(&edge.manifold.points) {
            let touching = TouchingPoint::of(p, frames, shapes, contact.normal);
            (contact.normal, contact.position) = (touching.normal, touching.position);
            let curvature = touching.curvature(contact.bodies.map(|i| &self.problem.bodies[i as usize]));
            self.problem.contact_curvature.push(curvature);
        }
    }

    /// The place in the problem of the friction of a contact with more than one coefficient.
    fn take_surface(&mut self, material: &PairMaterial, frames: [&Pose; 2], normal: Vec3) -> u32 {
        let grain = material.world_grain(frames[0], frames[1], normal);
        let (tangent, across) = grain.unwrap_or_else(|| (tangent_basis(normal).0, material.friction));
        let PairMaterial { rolling, spinning, .. } = *material;
        self.problem.surfaces.push(ContactSurface { tangent, across, rolling, spinning });
        self.problem.surfaces.len() as u32 - 1
    }

    /// Takes the rows of a joint, or of a force that acts by rows.
    fn take_link(&mut self, shared: Shared<'_>, link: u32, layer: Option<u32>) {
        // one that broke after the groups were found
        if shared.state.is_broken(link as usize) {
            return;
        }
        let held = shared.configuration.joints.get(link as usize);
        let Some(ends) = shared.configuration.link_bodies(link as usize) else { return };
        if held.is_none() && shared.linking_forces == LinkingForces::ByWrenches {
            return;
        }
        let mut local = |end: Option<BodyIndex>| match end {
            Some(body) => self.local_of(shared, body, layer),
            None => self.take_world(),
        };
        let bodies = [local(ends[0]), local(ends[1])];
        let frames = shared.state.body_frames(ends);
        let first = self.problem.rows.len() as u32;
        self.joint_rows.clear();
        let Some(held) = held else {
            let force = link as usize - shared.configuration.joints.len();
            shared.configuration.forces[force].rows(shared.configuration, shared.state, &mut self.joint_rows);
            shared.linking_forces.fit(&mut self.joint_rows, shared.h);
            // a force remembers nothing, and is not evaluated again
            return self.take_rows(shared, link, (ends, bodies), layer);
        };
        let memory = shared.state.joint_memory.of(link as usize);
        held.source.rows([&frames[0], &frames[1]], memory, &mut self.joint_rows);
        shared.linking_forces.fit(&mut self.joint_rows, shared.h);
        self.take_rows(shared, link, (ends, bodies), layer);
        let remembered = self.problem.joint_memory.len() as u32;
        self.problem.joint_memory.extend_from_slice(memory);
        self.problem.joints.push(GroupJoint {
            bodies,
            joint: link,
            source: Arc::clone(&held.source),
            rows: first..self.problem.rows.len() as u32,
            memory: remembered..self.problem.joint_memory.len() as u32,
        });
    }

    /// Takes the rows of a joint or a force, together with the results of the last solve for them, and with the corrections of their curvature from the drift and
    /// from a look at the end of the step.
    fn take_rows(
        &mut self,
        shared: Shared<'_>,
        link: u32,
        (ends, bodies): ([Option<BodyIndex>; 2], [u32; 2]),
        layer: Option<u32>,
    ) {
        let turning = shared.turning(ends);
        let mut known = shared.known_of(link as usize);
        if layer.is_some() {
            // a layer's multipliers are not those of the whole group
            known.impulses = &[];
        }
        let stiffness = shared.graph.joint_stiffness.get(link as usize).filter(|k| !k.is_empty());
        let Self { problem, joint_rows, curvatures, .. } = self;
        for (place, row) in joint_rows.iter().enumerate() {
            let bare = bare_curvature(row, turning);
            curvatures.push(bare);
            let row = ConstraintRow { curvature: bare + number(known.corrections, place), ..*row };
            let (impulse, at) = (number(known.impulses, place), place as u32);
            problem.rows.push(GroupRow { bodies, row, impulse, joint: link, place: at });
            if !shared.beginnings.is_empty() {
                problem.row_beginnings.push(number(known.beginnings, place));
            }
            if let Some(stiffness) = stiffness.and_then(|k| k.get(place)) {
                problem.row_stiffness.resize(problem.rows.len() - 1, 0.0);
                problem.row_stiffness.push(*stiffness);
            }
        }
    }

    /// The local index of the world frame.
    fn take_world(&mut self) -> u32 {
        if let Some(i) = self.problem.bodies.iter().position(|b| b.index == WORLD) {
            return i as u32;
        }
        self.problem.bodies.push(THE_WORLD);
        self.places.push(Placement::from(&Pose::IDENTITY));
        self.problem.bodies.len() as u32 - 1
    }
}

/// Data about the rows of a link since its last solve: one number per row, or fewer numbers than rows.
pub(super) struct Known<'a> {
    pub(super) impulses: &'a [Real],
    /// The multipliers before the first solve of the step, if the step is solved again.
    pub(super) beginnings: &'a [Real],
    /// The corrections of their curvature from a look at the end of the step.
    pub(super) corrections: &'a [Real],
}

impl<'a> Shared<'a> {
    pub(super) fn known_of(self, link: usize) -> Known<'a> {
        Known {
            impulses: self.graph.joint_impulses.get(link).map_or(&[], |k| k.as_slice()),
            beginnings: self.beginnings.get(link).map_or(&[], |k| k.as_slice()),
            corrections: self.curvature_corrections.of_joint(link),
        }
    }

    /// The angular accelerations that the drift causes in the ends of a link (rad/s^2).
    #[inline(always)]
    pub(super) fn turning(self, ends: [Option<BodyIndex>; 2]) -> [Vec3; 2] {
        let of = |end: Option<BodyIndex>| end.map_or(Vec3::ZERO, |body| self.drift_acceleration[body.at()]);
        [of(ends[0]), of(ends[1])]
    }
}

/// The number at a place; zero if it is not known.
pub(super) fn number(of: &[Real], place: usize) -> Real {
    of.get(place).copied().unwrap_or(0.0)
}

/// The curvature of a row without what was learnt since the step began, if the drift gives its ends these angular accelerations.
#[inline(always)]
pub(super) fn bare_curvature(row: &ConstraintRow, turning: [Vec3; 2]) -> Real {
    // a motor's row concerns only its speed: curvature plays no part in it
    if !row.correctable && row.curvature == 0.0 {
        return row.curvature;
    }
    row.curvature + row.jacobian.iter().zip(turning).map(|(j, a)| j.angular.dot(a)).sum::<Real>()
}

/// A body as a group's own copy; in a layer, bodies of its lower height are fixated.
#[inline(always)]
pub(super) fn group_body(shared: Shared<'_>, body: BodyIndex, layer: Option<u32>) -> GroupBody {
    let properties = shared.configuration.body(body);
    let asleep = shared.graph.groups.is_fixated(body);
    let pose = shared.state.pose(body);
    let fixated = asleep || layer.is_some_and(|l| shared.graph.layers.heights[body.at()] <= l);
    let moves = properties.is_dynamic() && !fixated;
    // for a scripted body the change is its acceleration, if it is asked for
    let [velocity, external] =
        shared.carriers.sped_up(body).unwrap_or_else(|| [shared.state.velocity(body), shared.change[body.at()]]);
    GroupBody {
        index: body,
        inverse_mass: if moves { properties.inverse_mass } else { 0.0 },
        inverse_inertia: if moves { properties.inverse_inertia.rotated(pose.orientation) } else { SymmetricMat3::ZERO },
        pose,
        velocity: if asleep { Twist::ZERO } else { velocity },
        external: if fixated { Twist::ZERO } else { external },
    }
}

impl Worker {
    /// Gives the contacts of an edge, from `first` on, the bodies that carry others as they move for these.
    #[cold]
    pub(super) fn take_carriers(&mut self, shared: Shared<'_>, pair: BodyPair, first: usize) {
        let Self { problem, places, .. } = self;
        for (side, of) in [pair.a, pair.b].into_iter().enumerate() {
            if shared.carriers.ride_of(of).is_none() && !runs(shared.configuration, of) {
                continue;
            }
            let mut seen: Option<(Vec3, u32)> = None;
            for k in first..problem.contacts.len() {
                let contact = problem.contacts[k];
                let [own, other] = [contact.bodies[side], contact.bodies[1 - side]].map(|i| i as usize);
                let partner = problem.bodies[other];
                if !partner.is_movable() {
                    break;
                }
                // points of a face share their normal
                if seen.is_none_or(|(normal, _)| normal != contact.normal) {
                    let own = problem.bodies[own];
                    let copy = shared.carriers.seen_from(shared.configuration, &own, &partner, contact.normal);
                    seen = Some((contact.normal, problem.bodies.len() as u32));
                    problem.bodies.push(copy);
                    places.push(Placement::from(&shared.frames[of.at()]));
                }
                if let Some((_, copy)) = seen {
                    problem.contacts[k].bodies[side] = copy;
                }
            }
        }
    }
}
