use super::engine::Engine;
use drystone_contact_graph::EventLog;
use drystone_core::{BodyIndex, BodyPair, ContactGraph, EdgeEntry, Restore, Save, SaveToken, Scope, State};

/// A saved instant.
#[derive(Default)]
pub(super) struct Saved {
    state: State,
    tunnelled: u64,
    /// Whether what follows was saved too.
    with_contacts: bool,
    graph: ContactGraph,
    events: EventLog,
}

impl Saved {
    fn take(&mut self, what: Save, engine: &Engine) {
        self.state.clone_from(&engine.state);
        self.tunnelled = engine.tunnelled;
        self.with_contacts = what == Save::Contacts;
        if !self.with_contacts {
            return;
        }
        self.graph.clone_from(&engine.graph);
        self.events.clone_from(&engine.events);
    }
}

impl Engine {
    /// Saves an instant of the frame.
    pub(super) fn save(&mut self, what: Save) -> SaveToken {
        if self.saves == self.saved.len() {
            self.saved.push(Saved::default());
        }
        let mut saved = core::mem::take(&mut self.saved[self.saves]);
        saved.take(what, self);
        self.saved[self.saves] = saved;
        self.saves += 1;
        SaveToken(self.saves as u32 - 1)
    }

    /// Brings back a part of a saved instant; nothing for a token that is not of this frame.
    pub(super) fn restore(&mut self, scope: Scope, token: SaveToken, what: Restore) {
        let at = token.0 as usize;
        if at >= self.saves {
            return;
        }
        let saved = core::mem::take(&mut self.saved[at]);
        self.list_restored(scope);
        if what == Restore::All && scope == Scope::All {
            self.state.clone_from(&saved.state);
            self.tunnelled = saved.tunnelled;
        }
        if what != Restore::Velocities {
            self.restore_joint_memory(scope, &saved.state);
        }
        for &body in &self.listed {
            if what != Restore::Velocities {
                self.state.set_pose(body, saved.state.pose(body));
                self.frames[body.at()] = self.configuration.body(body).frame(&saved.state.pose(body));
                self.state.restore_turn(body, &saved.state);
            }
            if what != Restore::Poses {
                self.state.set_velocity(body, saved.state.velocity(body));
            }
        }
        if what == Restore::All && saved.with_contacts {
            if scope == Scope::All {
                self.graph.clone_from(&saved.graph);
                self.events.clone_from(&saved.events);
            } else {
                self.restore_edges(&saved);
                self.restore_joints(&saved);
                self.events.restore_bodies(&saved.events, &self.listed);
            }
        }
        self.saved[at] = saved;
    }

    /// The bodies that a restore brings back, into `listed`, ascending: all of them, or a group's.
    fn list_restored(&mut self, scope: Scope) {
        if scope == Scope::All {
            self.listed.clear();
            self.listed.extend((0..self.state.len()).map(BodyIndex::new));
        } else {
            self.list_bodies(scope);
        }
    }

    /// What is known of the pairs of the listed bodies. Groups stay those of the last detection.
    fn restore_edges(&mut self, saved: &Saved) {
        let Self { graph, listed, .. } = self;
        let concerns = |pair: BodyPair| [pair.a, pair.b].iter().any(|b| listed.binary_search(b).is_ok());
        for k in 0..graph.order.len() {
            let EdgeEntry { pair, slot } = graph.order[k];
            if concerns(pair) && saved.graph.order.binary_search_by_key(&pair, |e| e.pair).is_err() {
                // not known then: to be tested as a new one
                let edge = &mut graph.edges[slot as usize];
                (edge.tested_at, edge.touching, edge.was_touching) = (None, false, false);
                edge.cache = Default::default();
                edge.seeds.clear();
                edge.manifold.points.clear();
            }
        }
        for old in saved.graph.order.iter().filter(|e| concerns(e.pair)) {
            let edge = &saved.graph.edges[old.slot as usize];
            let slot = match graph.order.binary_search_by_key(&old.pair, |e| e.pair) {
                Ok(k) => graph.order[k].slot,
                Err(k) => {
                    let slot = graph.allocate(old.pair, edge.material);
                    graph.order.insert(k, EdgeEntry { pair: old.pair, slot });
                    slot
                }
            };
            graph.edges[slot as usize].clone_from(edge);
        }
    }

    /// What joints remember of the poses of the listed bodies.
    fn restore_joint_memory(&mut self, scope: Scope, saved: &State) {
        let Self { listed, configuration, state, .. } = self;
        if scope == Scope::All {
            state.joint_memory.clone_from(&saved.joint_memory);
            return;
        }
        for (k, joint) in configuration.joints.iter().enumerate() {
            if joint.bodies.iter().flatten().any(|b| listed.binary_search(b).is_ok()) {
                state.joint_memory.restore(k, &saved.joint_memory);
            }
        }
    }

    /// What is known of the joints of the listed bodies.
    fn restore_joints(&mut self, saved: &Saved) {
        let Self { graph, listed, configuration, state, .. } = self;
        for (k, joint) in configuration.joints.iter().enumerate() {
            if !joint.bodies.iter().flatten().any(|b| listed.binary_search(b).is_ok()) {
                continue;
            }
            if let (Some(now), Some(then)) = (graph.joint_impulses.get_mut(k), saved.graph.joint_impulses.get(k)) {
                now.clone_from(then);
            }
            if let (Some(now), Some(then)) = (graph.joint_reactions.get_mut(k), saved.graph.joint_reactions.get(k)) {
                *now = *then;
            }
            if state.is_broken(k) && !saved.state.is_broken(k) {
                state.mend_joint(k);
            }
        }
    }
}
