//! What the monkey does with two worlds.

use crate::numbers::Random;
use crate::parts;
use drystone::prelude::*;
use drystone::{History, Snapshot};
use drystone_core::{BodyIndex, JointStrength, MaterialIndex};
use drystone_motion::script::Sinusoid;
use std::fmt::Write;

/// The most bodies of a world: few, since the cost of a step is not what is tested.
const MOST_BODIES: usize = 8;

/// A world with the ids that the monkey knows in it, including those of removed things.
struct Cage {
    world: World,
    bodies: Vec<BodyId>,
    joints: Vec<JointId>,
    forces: Vec<ForceId>,
    materials: Vec<MaterialIndex>,
    history: History,
}

pub(crate) struct Monkey {
    r: Random,
    cages: Vec<Cage>,
    snapshots: Vec<Snapshot>,
    /// The index of the world of the last call.
    at: usize,
    /// A description of the last call, for messages.
    pub(crate) last: String,
    pub(crate) steps: u64,
    pub(crate) failed: u64,
    pub(crate) refused: u64,
}

fn cage(r: &mut Random) -> Cage {
    let mut builder = World::builder().paradigm(Paradigm::ALL[r.below(Paradigm::ALL.len())]).threads(1 + r.below(2));
    if r.one_in(4) {
        builder = builder.gravity(r.vector());
    }
    if r.one_in(8) {
        builder = builder.contact_envelope(0.1 * r.size());
    }
    for _ in 0..r.below(3) {
        builder = builder.choose(parts::choice(r));
    }
    let world = builder.build().unwrap_or_else(|_| World::builder().build().expect("the default world is built"));
    let mut cage = Cage {
        world,
        bodies: Vec::new(),
        joints: Vec::new(),
        forces: Vec::new(),
        materials: Vec::new(),
        history: History::new(3),
    };
    let floor = Body::fixed(Shape::plane(Vec3::Y, -1.0).expect("a unit normal"));
    cage.bodies.extend(cage.world.add(floor));
    cage
}

impl Monkey {
    pub(crate) fn new(seed: u64) -> Self {
        let mut r = Random(seed);
        let cages = vec![cage(&mut r), cage(&mut r)];
        Self { r, cages, snapshots: Vec::new(), at: 0, last: String::new(), steps: 0, failed: 0, refused: 0 }
    }

    /// Makes one random call, and checks what must hold after it.
    pub(crate) fn act(&mut self) {
        let which = self.r.below(2);
        let n = self.r.below(46);
        self.at = which;
        self.last = format!("world {which}, kind {n}");
        let ok = match n {
            0..=15 => self.step(which),
            16..=21 => self.add(which),
            22..=31 => self.push(which),
            32..=37 => self.join(which),
            38..=41 => self.exchange(which),
            _ => self.change(which),
        };
        self.refused += u64::from(!ok);
        self.look(which);
    }

    fn step(&mut self, which: usize) -> bool {
        let dt = match self.r.below(12) {
            0 => self.r.number(),
            1 => 1e-5,
            2 => 0.2,
            _ => 0.01,
        };
        self.last = format!("world {which} under {}, advance({dt:e})", self.cages[which].world.paradigm().name);
        let world = &mut self.cages[which].world;
        match world.advance(dt) {
            Ok(report) => {
                self.steps += 1;
                assert!(report.penetration.is_finite() && !report.residual.is_some_and(f64::is_nan), "{report:?}");
                let bad = (0..world.state().len()).find(|i| world.state().check_body(BodyIndex::new(*i)).is_err());
                assert_eq!(bad, None, "a body from which no step can go on, after one that was done");
                assert!(world.time().is_finite());
                if self.r.one_in(4) {
                    let bytes = world.snapshot().to_bytes();
                    let read = world.read_snapshot(&bytes).map(|s| s.to_bytes());
                    assert_eq!(read, Ok(bytes), "a snapshot that is written and not read");
                }
                true
            }
            Err(WorldError::Step(_)) => {
                self.failed += 1;
                let broken = (0..world.state().len()).any(|i| world.state().check_body(BodyIndex::new(i)).is_err());
                assert!(!broken || world.advance(0.01).is_err(), "a failure was forgotten");
                assert!(!broken || world.penetration().is_err(), "a failure was forgotten");
                // a world that cannot go on is of no more use, and is replaced now and then
                if self.r.one_in(3) {
                    self.cages[which] = cage(&mut self.r);
                }
                true
            }
            Err(_) => false,
        }
    }

    fn add(&mut self, which: usize) -> bool {
        let Self { r, cages, .. } = self;
        let c = &mut cages[which];
        if c.world.bodies().len() >= MOST_BODIES {
            let body = r.pick(&c.bodies);
            return body.is_some_and(|b| c.world.remove(b).is_ok());
        }
        let Some(body) = parts::body(r, &c.materials) else { return false };
        let added = c.world.add(body);
        c.bodies.extend(added.as_ref().ok());
        added.is_ok()
    }

    fn push(&mut self, which: usize) -> bool {
        let Self { r, cages, last, .. } = self;
        let c = &mut cages[which];
        let Some(body) = r.pick(&c.bodies) else { return false };
        let n = r.below(11);
        *last = format!("push {n} in world {which}");
        let w = &mut c.world;
        match n {
            0 | 1 => w.set_pose(body, r.vector(), r.quaternion()).is_ok(),
            2 | 3 => w.set_velocity(body, r.twist()).is_ok(),
            4 => w.apply_impulse(body, r.vector() * 100.0, r.vector()).is_ok(),
            5 => w.set_passive(body, r.one_in(2)).is_ok(),
            6 => w.remove(body).is_ok(),
            7 => {
                let [travel, turn] = [r.vector(), r.vector()];
                let middle = Pose::from_position(r.vector());
                w.add_script(body, Sinusoid { middle, travel, turn, frequency: r.size(), phase: r.number() }).is_ok()
            }
            8 => {
                let column = w.body_index(body).unwrap_or(BodyIndex::new(99));
                let old = if r.one_in(3) { r.pick(&c.forces) } else { None };
                let force = parts::force(r, w, column, old);
                c.forces.extend(force);
                force.is_some()
            }
            9 => r.pick(&c.forces).is_some_and(|f| w.remove_force(f).is_ok()),
            _ => {
                let seen = (w.position(body), w.pose(body), w.velocity(body), w.is_sleepy(body));
                seen.0.is_some() == seen.3.is_some()
            }
        }
    }

    fn join(&mut self, which: usize) -> bool {
        let Self { r, cages, last, .. } = self;
        let c = &mut cages[which];
        let [a, b] = [r.pick(&c.bodies), if r.one_in(4) { None } else { r.pick(&c.bodies) }];
        let place = |b: Option<BodyId>| b.and_then(|b| c.world.pose(b)).unwrap_or(Pose::IDENTITY);
        let poses = [place(a), place(b)];
        let n = r.below(10);
        *last = format!("join {n} in world {which}");
        let w = &mut c.world;
        let old = r.pick(&c.joints);
        match n {
            0..=2 => {
                let Some(source) = parts::joint(r, [&poses[0], &poses[1]]) else { return false };
                let added = w.add_joint([a, b], source);
                c.joints.extend(added.as_ref().ok());
                added.is_ok()
            }
            3 => {
                let source = parts::joint(r, [&poses[0], &poses[1]]);
                old.zip(source).is_some_and(|(j, s)| w.set_joint(j, s).is_ok())
            }
            4 => old.is_some_and(|j| w.remove_joint(j).is_ok()),
            5 => {
                let strength = JointStrength { force: 10.0 * r.size(), torque: 10.0 * r.size() };
                old.is_some_and(|j| w.set_strength(j, strength).is_ok())
            }
            6 => old.is_some_and(|j| w.mend_joint(j).is_ok()),
            7 => a.zip(b).is_some_and(|(a, b)| w.ignore_pair(a, b).is_ok()),
            8 => a.zip(b).is_some_and(|(a, b)| w.unignore_pair(a, b).is_ok()),
            _ => old.is_some_and(|j| {
                let seen = (w.joint_error(j), w.joint_impulses(j).map(<[f64]>::len), w.is_broken(j));
                w.joint_reaction(j);
                seen.0.is_some() && seen.2.is_some()
            }),
        }
    }

    /// Takes, restores, records and rewinds snapshots, also with those of the other world.
    fn exchange(&mut self, which: usize) -> bool {
        let Self { r, cages, snapshots, last, .. } = self;
        let n = r.below(5);
        *last = format!("exchange {n} in world {which}");
        let [one, other] = &mut cages[..] else { return false };
        let (c, foreign) = if which == 0 { (one, other) } else { (other, one) };
        match n {
            0 | 1 => {
                snapshots.truncate(6);
                snapshots.insert(0, c.world.snapshot());
                true
            }
            2 => {
                let at = r.below(snapshots.len());
                snapshots.get(at).is_some_and(|s| c.world.restore(s).is_ok())
            }
            3 => {
                c.history.record(if r.one_in(4) { &foreign.world } else { &c.world });
                true
            }
            _ => {
                let time = c.world.time() - 0.05 * r.number();
                c.history.rewind(&mut c.world, time).is_ok()
            }
        }
    }

    fn change(&mut self, which: usize) -> bool {
        let Self { r, cages, last, .. } = self;
        let c = &mut cages[which];
        let n = r.below(8);
        *last = format!("change {n} in world {which}");
        match n {
            0 => c.world.set_gravity(r.vector() * 5.0).is_ok(),
            1 => {
                let added = c.world.add_material(parts::material(r));
                c.materials.extend(added.as_ref().ok());
                added.is_ok()
            }
            2 => {
                let pair = r.pick(&c.materials).zip(r.pick(&c.materials));
                let surface = parts::pair_material(r);
                pair.is_some_and(|(a, b)| c.world.materials_mut().set_pair(a, b, surface).is_ok())
            }
            3 => {
                let surface = parts::material(r);
                r.pick(&c.materials).is_some_and(|m| c.world.materials_mut().set(m, surface).is_ok())
            }
            4..=6 => {
                let paradigm = Paradigm::ALL[r.below(Paradigm::ALL.len())];
                let choices: Vec<_> = (0..r.below(4)).map(|_| parts::choice(r)).collect();
                *last = format!("set_paradigm({}, {choices:?}) in world {which}", paradigm.name);
                c.world.set_paradigm(paradigm, &choices).is_ok()
            }
            _ => c.world.penetration().is_ok(),
        }
    }

    /// A description of the world of the last call, for a call that took long.
    pub(crate) fn tell(&self) -> String {
        let world = &self.cages[self.at].world;
        let mut told = format!("{} bodies, {} joints", world.bodies().len(), world.joints().len());
        let (edges, contacts) = (world.graph().iter().count(), world.contacts().count());
        write!(told, ", {edges} edges, {contacts} contacts; {:.2?}", world.times()).expect("text");
        for (kind, name, settings) in &world.modules().chosen {
            write!(told, "\n    {}: {name}", kind.table()).expect("text");
            for (parameter, value) in settings.iter() {
                write!(told, " {}={value}", parameter.name).expect("text");
            }
        }
        told
    }

    /// Checks what can be read at any time.
    fn look(&mut self, which: usize) {
        let world = &self.cages[which].world;
        let (bodies, columns) = (world.bodies().len(), world.state().len());
        assert_eq!((bodies, world.configuration().bodies.len()), (columns, columns));
        assert_eq!(world.joints().len(), world.configuration().joints.len());
        if self.r.one_in(8) {
            let _ = (world.energy(), world.momentum(), world.contacts().count(), world.times());
        }
    }
}
