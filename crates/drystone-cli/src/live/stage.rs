use super::{Choose, Order};
use crate::Failure;
use crate::page::Look;
use crate::replay::Note;
use drystone::{Registry, StepReport};
use drystone_math::Vec3;
use drystone_session::{Hand, Kept, Loaded, catalogue_json_of, chosen_modules, module_choices, poses};
use serde_json::{Map, Value, json};
use std::time::{Duration, Instant};

/// Longest time that steps are taken before the page is answered again.
const BUDGET: Duration = Duration::from_millis(25);
/// Most simulated time that is made up for (s): a scene that is too slow for its clock falls behind.
const ARREARS: f64 = 0.1;
/// Most steps of one order.
const STEPS: u32 = 1000;

/// A loaded scene with a clock and a hand.
pub struct Stage {
    registry: Registry,
    loaded: Loaded,
    look: Look,
    start: Kept,
    hand: Hand,
    playing: bool,
    speed: f64,
    /// Simulated time that is due (s).
    due: f64,
    report: StepReport,
    step_ms: f64,
    failure: Option<String>,
}

impl Stage {
    /// A scene at its start, standing still.
    pub fn new(registry: &Registry, loaded: Loaded) -> Self {
        Self {
            registry: registry.clone(),
            look: Look::of(&loaded),
            start: loaded.keep(),
            loaded,
            hand: Hand::default(),
            playing: false,
            speed: 1.0,
            due: 0.0,
            report: StepReport::default(),
            step_ms: 0.0,
            failure: None,
        }
    }

    /// The scene's name.
    pub fn name(&self) -> &str {
        &self.loaded.name
    }

    /// Returns true if it runs.
    pub fn is_playing(&self) -> bool {
        self.playing
    }

    /// Takes the steps that are due after some time of the clock, for 25 ms at most.
    pub fn keep_up(&mut self, passed: Duration) {
        if !self.playing {
            return;
        }
        self.due = (self.due + passed.as_secs_f64() * self.speed).min(ARREARS * self.speed.max(1.0));
        let watch = Instant::now();
        while self.playing && self.due >= self.loaded.time_step && watch.elapsed() < BUDGET {
            self.due -= self.loaded.time_step;
            self.step();
        }
    }

    fn step(&mut self) {
        let watch = Instant::now();
        let advanced = self.loaded.advance(self.loaded.time_step);
        self.step_ms = 1e3 * watch.elapsed().as_secs_f64();
        match advanced {
            Ok(report) => self.report = report,
            Err(error) => {
                self.playing = false;
                let names = (&self.loaded.names, &self.loaded.joint_names);
                self.failure = Some(Failure::of_step(&error, names.0, names.1).to_string());
            }
        }
    }

    /// Does what is asked.
    ///
    /// # Errors
    /// In words, where it cannot be done; nothing has changed then.
    pub fn obey(&mut self, order: &Order) -> Result<(), String> {
        let world = &mut self.loaded.world;
        match order {
            Order::Play(on) => {
                (self.playing, self.due) = (*on, 0.0);
                self.failure = None;
            }
            Order::Step(count) => {
                self.playing = false;
                self.failure = None;
                let watch = Instant::now();
                for _ in 0..(*count).min(STEPS) {
                    if self.failure.is_some() || watch.elapsed() > 40 * BUDGET {
                        break;
                    }
                    self.step();
                }
            }
            Order::Reset => {
                self.hand.release(world);
                self.loaded.come_back(&self.start).map_err(|e| e.to_string())?;
                (self.report, self.due, self.failure) = (StepReport::default(), 0.0, None);
            }
            Order::Speed(speed) if speed.is_finite() && *speed > 0.0 => self.speed = speed.min(100.0),
            Order::Speed(speed) => return Err(format!("speed: found {speed}; allowed: above zero")),
            Order::Choose(chosen) => self.choose(chosen)?,
            Order::Grab(grab) => {
                if !self.hand.grab(world, grab.body, Vec3::from_array(grab.point)) {
                    return Err(format!("body {} cannot be held; allowed: a dynamic body", grab.body));
                }
            }
            Order::Drag(to) => self.hand.drag(world, Vec3::from_array(*to)),
            Order::Release => self.hand.release(world),
        }
        Ok(())
    }

    fn choose(&mut self, chosen: &Choose) -> Result<(), String> {
        let preset = self.registry.paradigm(&chosen.paradigm).map_err(|e| e.to_string())?;
        let choices = module_choices(&self.registry, &preset, &chosen.modules)?;
        self.loaded.world.set_paradigm(preset, &choices).map_err(|e| e.to_string())?;
        preset.name.clone_into(&mut self.loaded.paradigm);
        self.failure = None;
        Ok(())
    }

    /// Data that stay constant while it runs: name, description, bodies and joints, and the available modules.
    pub fn scene(&self) -> Value {
        json!({
            "name": self.loaded.name, "description": self.loaded.description, "timeStep": self.loaded.time_step,
            "warnings": self.loaded.warnings, "scenery": self.look.to_json(),
            "catalogue": catalogue_json_of(&self.registry),
        })
    }

    /// Present frame.
    pub fn frame(&self) -> Value {
        let world = &self.loaded.world;
        let note = Note::of(world);
        let (energy, r) = (world.energy(), &self.report);
        let modules: Map<String, Value> =
            chosen_modules(world).into_iter().map(|(table, m)| (table, m["name"].clone())).collect();
        let held = self.hand.held(world).map(|p| p.map(<[f64; 3]>::from).concat()).unwrap_or_default();
        // hundredths of a millimetre are enough to look at
        let rounded = |v: f64| (v * 1e5).round() / 1e5;
        json!({
            "time": world.time(), "playing": self.playing, "speed": self.speed, "failure": self.failure,
            "paradigm": world.paradigm().name, "modules": modules,
            "poses": poses(world).into_iter().map(rounded).collect::<Vec<_>>(),
            "contacts": note.contacts.concat(),
            "groups": note.groups, "layers": note.layers, "asleep": note.asleep,
            "broken": (0..world.configuration().joints.len()).map(|j| world.state().is_broken(j)).collect::<Vec<_>>(),
            "held": held,
            "figures": {
                "energy (J)": energy.kinetic + energy.potential, "kinetic energy (J)": energy.kinetic,
                "penetration (m)": r.penetration,
                "joint error (m)": world.configuration().largest_joint_error(world.state()).linear,
                "residual / g h": r.residual, "solver iterations": r.lcp.iterations, "contacts": r.contacts,
                "groups": r.groups, "asleep": r.sleeping, "time per step (ms)": self.step_ms,
            },
        })
    }
}
