use super::engine::Engine;
use crate::Stages;
use crate::profile::Stopwatch;
use drystone_core::{BodyIndex, Module, SleepObservation, kinetic_energy};
use drystone_math::Real;

impl Engine {
    /// After a step of `h` seconds: which bodies are sleepy, and which groups fall asleep.
    pub(crate) fn update_sleep(&mut self, stages: &Stages, h: Real) {
        let watch = Stopwatch::start();
        for i in 0..self.state.len() {
            let body = &self.configuration.bodies[i];
            if !body.is_dynamic() || self.state.sleeping[i] {
                continue;
            }
            let observation = SleepObservation {
                mass: body.mass,
                kinetic_energy: kinetic_energy(body, &self.state, i),
                velocity: self.state.velocity(BodyIndex::new(i)),
                pose: self.state.pose(BodyIndex::new(i)),
            };
            let calm = stages.sleep_policy.is_sleepy(&observation, h, &mut self.state.sleep_memory[i]);
            self.state.sleepy[i] = calm && body.can_sleep;
        }
        for g in 0..self.graph.groups.len() {
            let all = |e: &Self| e.graph.groups.group_bodies(g).iter().all(|b| e.state.sleepy[b.at()]);
            if self.graph.groups.awake[g] && all(self) {
                for k in 0..self.graph.groups.group_bodies(g).len() {
                    let body = self.graph.groups.group_bodies(g)[k];
                    self.put_to_sleep(body);
                }
            }
        }
        for k in 0..self.graph.groups.free.len() {
            let body = self.graph.groups.free[k];
            if self.state.sleepy[body.at()] && !self.state.sleeping[body.at()] {
                self.put_to_sleep(body);
            }
        }
        self.book(Module::CoherenceAnalysis, watch);
    }

    fn put_to_sleep(&mut self, body: BodyIndex) {
        self.state.sleeping[body.at()] = true;
        self.stop(body);
    }

    /// Wakes a body; its group follows at the next detection.
    pub(crate) fn wake(&mut self, body: BodyIndex) {
        self.state.sleeping[body.at()] = false;
        self.state.sleepy[body.at()] = false;
        self.state.sleep_memory[body.at()] = drystone_core::SleepMemory::default();
    }
}
