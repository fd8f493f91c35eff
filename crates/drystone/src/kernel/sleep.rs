//! Which bodies fall asleep, and whether all of them sleep.

use super::carriers::runs;
use super::data::WorldData;
use super::derived::Derived;
use super::forces::Forces;
use crate::Stages;
use drystone_core::{
    BodyIndex, Configuration, ConstraintRow, Executor, Joint, SleepObservation, SleepPolicy, State, make_room, marked,
    piece_length, reach, run_each,
};
use drystone_math::{Pose, Real, Twist};
use std::sync::atomic::{AtomicBool, Ordering};

/// Two bodies that overlap by more than this fraction of the smaller one's reach are still being separated, however slowly.
const DEEP: Real = 1e-3;
/// The same as a multiple of the penetration that the correction leaves alone.
const SLOPS: Real = 100.0;
/// A group that has been slow for a long time is no longer being separated if it overlaps by less than this multiple of both limits.
const LASTING: Real = 10.0;
/// Up to this many bodies a second thread is not worth while.
const FEW_BODIES: usize = 1024;

/// To be called after a step of `h` seconds: determines which bodies are sleepy, and which groups fall asleep. `rows` is scratch. Returns whether everything stayed as it was.
pub(super) fn update_sleep(
    (data, derived): (&mut WorldData, &mut Derived),
    forces: &Forces,
    rows: &mut Vec<ConstraintRow>,
    (stages, executor): (&Stages, &dyn Executor),
    h: Real,
) -> bool {
    let policy = stages.sleep_policy.as_ref();
    let unchanged = note_sleepy(data, &derived.awake, policy, h, executor);
    let slop = stages.position_corrector.slop();
    make_room(&mut derived.fallen, derived.dynamic.len());
    let groups = &data.graph.groups;
    for g in marked(&groups.awake) {
        let bodies = groups.group_bodies(g);
        let calm = bodies.iter().all(|b| data.state.sleepy[b.at()]);
        let crept = calm && bodies.iter().any(|b| data.state.sleep_memory[b.at()].only_slow);
        // a group guided by joints alone may swing arbitrarily slowly
        let guided = !groups.group_joints(g).is_empty() && groups.group_edges(g).is_empty();
        let calm = calm && !(crept && guided);
        let parts = if crept { LASTING } else { 1.0 };
        let calm = calm && !is_deep(data, g, parts, slop) && !lies_on_belt(data, g);
        if calm && (!policy.asks_for_support() || is_at_rest(data, g, rows)) {
            derived.fallen.extend_from_slice(bodies);
        }
    }
    for &body in &groups.free {
        // nothing holds it: it rests only if nothing pulls at it
        let rests = || forces.change[body.at()] == Twist::ZERO && data.state.velocity(body) == Twist::ZERO;
        let is_sleepy = data.state.sleepy[body.at()] && !data.state.sleeping[body.at()];
        if is_sleepy && (!policy.asks_for_support() || rests()) {
            derived.fallen.push(body);
        }
    }
    if derived.fallen.is_empty() {
        return unchanged;
    }
    for k in 0..derived.fallen.len() {
        let body = derived.fallen[k];
        data.put_to_sleep(body);
        derived.lay_down(&data.configuration, body);
    }
    derived.drop_asleep(&data.state);
    false
}

/// Asks the policy about each awake body; returns whether all its answers are the same as before.
fn note_sleepy(
    data: &mut WorldData,
    awake: &[BodyIndex],
    policy: &dyn SleepPolicy,
    h: Real,
    executor: &dyn Executor,
) -> bool {
    let WorldData { configuration, state, .. } = data;
    if !policy.lets_sleep() && !awake.iter().any(|b| state.sleepy[b.at()]) {
        return true;
    }
    // what the policy writes is separate from what it is given
    let State { position, orientation, linear_velocity, angular_velocity, sleeping, sleepy, sleep_memory, .. } = state;
    let settled = AtomicBool::new(true);
    let (mut rest, mut from) = ((sleep_memory.as_mut_slice(), sleepy.as_mut_slice()), 0);
    let length = piece_length(executor, awake.len(), FEW_BODIES);
    // the pieces of both columns that the bodies of each piece of the list stand in
    let pieces = awake.chunks(length).map(|bodies| {
        let end = bodies.last().map_or(from, |last| last.at() + 1);
        let (memory, memories) = core::mem::take(&mut rest.0).split_at_mut(end - from);
        let (own, others) = core::mem::take(&mut rest.1).split_at_mut(end - from);
        rest = (memories, others);
        (bodies, memory, own, core::mem::replace(&mut from, end))
    });
    run_each(executor, pieces, |(bodies, memory, sleepy, first)| {
        for i in bodies.iter().map(|b| b.at()).filter(|i| !sleeping[*i]) {
            let (memory, sleepy) = (&mut memory[i - first], &mut sleepy[i - first]);
            let body = &configuration.bodies[i];
            let velocity = Twist::new(linear_velocity[i], angular_velocity[i]);
            let observation = SleepObservation {
                mass: body.mass,
                kinetic_energy: body.kinetic_energy(orientation[i], velocity),
                velocity,
                gyration: ((body.inertia.diagonal.element_sum() / 3.0) / body.mass).sqrt(),
                pose: Pose::new(position[i], orientation[i]),
            };
            let before = (*memory, *sleepy);
            *sleepy = policy.is_sleepy(&observation, h, memory) && body.can_sleep;
            if before != (*memory, *sleepy) {
                settled.store(false, Ordering::Relaxed);
            }
        }
    });
    settled.into_inner()
}

/// Returns true if bodies of a group overlap so deeply that the next steps will move them, even though their velocities
/// may not show it.
fn is_deep(data: &WorldData, group: usize, times: Real, slop: Real) -> bool {
    let WorldData { configuration, graph, .. } = data;
    graph.groups.group_edges(group).iter().any(|&slot| {
        let edge = &graph.edges[slot as usize];
        let [a, b] = [edge.pair.a, edge.pair.b].map(|body| reach(configuration.body(body)));
        edge.manifold.least_separation() < -times * (DEEP * a.min(b)).max(SLOPS * slop)
    })
}

/// Returns true if a group touches a running surface: bodies at rest on it are about to move, or are held against it.
fn lies_on_belt(data: &WorldData, group: usize) -> bool {
    data.graph.groups.group_edges(group).iter().any(|&slot| {
        let pair = data.graph.edges[slot as usize].pair;
        [pair.a, pair.b].into_iter().any(|body| runs(&data.configuration, body))
    })
}

/// Returns true if a group is supported by something at rest, and nothing drives it: no script, no motor.
fn is_at_rest(data: &WorldData, group: usize, rows: &mut Vec<ConstraintRow>) -> bool {
    let WorldData { configuration, state, graph, .. } = data;
    let touching = graph.groups.group_edges(group).iter().map(|&slot| {
        let pair = graph.edges[slot as usize].pair;
        [Some(pair.a), Some(pair.b)]
    });
    let links = graph.groups.group_joints(group);
    let held = links.iter().filter_map(|&link| configuration.link_bodies(link as usize));
    let mut supported = false;
    for body in touching.chain(held).flatten() {
        match body {
            Some(b) if configuration.body(b).is_dynamic() => {}
            Some(b) if state.velocity(b) != Twist::ZERO => return false,
            _ => supported = true,
        }
    }
    supported && !links.iter().any(|&joint| is_driven(configuration, state, joint, rows))
}

/// Returns true if a step would change nothing but the clock: everything that can move sleeps or `rests`, nothing else
/// moves, and nothing was edited.
///
/// # Cost
/// A look at each of the bodies that may be awake, which are given, and at each with a velocity of its own.
pub(super) fn is_still(
    data: &WorldData,
    derived: &Derived,
    awake: &[BodyIndex],
    rests: impl Fn(BodyIndex) -> bool,
) -> bool {
    let WorldData { configuration, state, .. } = data;
    let unscripted = &derived.unscripted;
    derived.is_current(state)
        && configuration.scripts.is_empty()
        && awake.iter().all(|b| state.sleeping[b.at()] || rests(*b))
        && unscripted.iter().all(|b| state.velocity(*b) == Twist::ZERO)
}

/// Returns true if a joint has a motor that should turn; `rows` is scratch.
fn is_driven(configuration: &Configuration, state: &State, joint: u32, rows: &mut Vec<ConstraintRow>) -> bool {
    // a force drives nothing
    let Some(Joint { bodies, source, .. }) = configuration.joints.get(joint as usize) else { return false };
    let frames = bodies.map(|b| state.body_frame(b));
    rows.clear();
    source.rows([&frames[0], &frames[1]], state.joint_memory.of(joint as usize), rows);
    rows.iter().any(|r| r.target != 0.0)
}
