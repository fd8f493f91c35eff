//! Members of kinds, and their runs.

use crate::sketch::Sketch;
use drystone::math::{Pose, Quat, Real, Twist, Vec3};
use std::time::Instant;

/// Whether a run came out right; if not, why.
pub(crate) type Verdict = Result<(), String>;

/// Ends a judgement with a reason unless a condition holds.
#[macro_export]
macro_rules! ensure {
    ($holds:expr, $($why:tt)+) => {
        // a comparison with what is no number does not hold
        let holds: bool = $holds;
        if !holds {
            return Err(format!($($why)+));
        }
    };
}

/// What is done to a world before each step, from the time (s) and the length of the step (s).
type Hook = Box<dyn FnMut(&mut dyn Engine, Real, Real)>;

/// One scene of a kind, with its right outcome.
pub(crate) struct Member {
    pub(crate) scene: Sketch,
    /// Simulated time (s).
    pub(crate) duration: Real,
    /// Least time between recorded frames (s).
    pub(crate) every: Real,
    /// Whether depths are measured, ten times a second.
    pub(crate) depth: bool,
    pub(crate) hook: Option<Hook>,
    pub(crate) judge: Box<dyn Fn(&Run) -> Verdict>,
}

impl Member {
    pub(crate) fn new(scene: Sketch, duration: Real, judge: impl Fn(&Run) -> Verdict + 'static) -> Self {
        Self { scene, duration, every: 0.0, depth: false, hook: None, judge: Box::new(judge) }
    }

    /// Measures depths too.
    pub(crate) fn with_depth(self) -> Self {
        Self { depth: true, ..self }
    }

    /// Does something before each step.
    pub(crate) fn with_hook(self, hook: impl FnMut(&mut dyn Engine, Real, Real) + 'static) -> Self {
        Self { hook: Some(Box::new(hook)), ..self }
    }

    /// Does something once, before the first step that begins at a time or later.
    pub(crate) fn at(self, time: Real, act: impl FnOnce(&mut dyn Engine) + 'static) -> Self {
        let (mut act, mut before) = (Some(act), self.hook);
        let hook: Hook = Box::new(move |engine, t, dt| {
            if let Some(before) = &mut before {
                before(engine, t, dt);
            }
            if t >= time - 1e-9
                && let Some(act) = act.take()
            {
                act(engine);
            }
        });
        Self { hook: Some(hook), ..self }
    }

    /// The text of the scene as it is run here.
    pub(crate) fn text(&self) -> String {
        self.scene.value.to_string()
    }

    /// The text of the scene for the command line, at a constant step.
    pub(crate) fn file(&self, name: &str, criterion: &str, step: Real) -> String {
        let mut scene = self.scene.with_scripts();
        scene["scene"]["name"] = name.into();
        let acted = if self.hook.is_some() { " (what is done to it while it runs is not in this file)" } else { "" };
        scene["scene"]["description"] = format!("passes if: {criterion}{acted}").into();
        scene["scene"]["duration"] = self.duration.into();
        scene["scene"]["frame"] = step.into();
        scene["simulation"] = serde_json::json!({ "time_step": step });
        serde_json::to_string_pretty(&scene).expect("values are text")
    }
}

/// A world of some engine; bodies are counted in the order of the scene.
pub(crate) trait Engine {
    fn advance(&mut self, dt: Real) -> Verdict;
    fn names(&self) -> &[String];
    /// Pose of a body's frame; the last one if it was removed.
    fn pose(&self, body: usize) -> Pose;
    /// Velocity of the centre of mass, and angular velocity.
    fn velocity(&self, body: usize) -> Twist;
    fn asleep(&self, body: usize) -> bool;
    /// Kinetic and potential energy (J).
    fn energy(&self) -> [Real; 2];
    /// Largest gap of a joint (m).
    fn gap(&self) -> Real;
    /// Depth of the deepest overlap (m).
    fn depth(&mut self) -> Real;
    fn set_pose(&mut self, body: usize, pose: Pose);
    fn set_velocity(&mut self, body: usize, velocity: Twist);
    fn remove(&mut self, body: usize);
    fn set_gravity(&mut self, gravity: Vec3);
    /// Sets the friction of all surfaces.
    fn set_friction(&mut self, friction: Real);
    /// Removes a joint by its name.
    fn cut(&mut self, joint: &str);
    /// Pulls the origin of a body towards a point by a spring and damper (N/m, N s/m) for one step.
    fn drag(&mut self, body: usize, target: Vec3, spring: [Real; 2]);
}

/// An instant of a run.
#[derive(Debug, Clone)]
pub(crate) struct Frame {
    /// Simulated time (s).
    pub(crate) time: Real,
    pub(crate) poses: Vec<Pose>,
    pub(crate) velocities: Vec<Twist>,
    pub(crate) asleep: Vec<bool>,
    /// Kinetic and potential energy (J).
    pub(crate) energy: [Real; 2],
    /// Largest gap of a joint (m).
    pub(crate) gap: Real,
    /// Depth of the deepest overlap (m), as last measured.
    pub(crate) depth: Real,
}

impl Frame {
    fn of(engine: &dyn Engine, time: Real, depth: Real) -> Self {
        let all = 0..engine.names().len();
        Self {
            time,
            poses: all.clone().map(|i| engine.pose(i)).collect(),
            velocities: all.clone().map(|i| engine.velocity(i)).collect(),
            asleep: all.map(|i| engine.asleep(i)).collect(),
            energy: engine.energy(),
            gap: engine.gap(),
            depth,
        }
    }

    pub(crate) fn total(&self) -> Real {
        self.energy[0] + self.energy[1]
    }
}

/// What became of a scene.
pub(crate) struct Run {
    pub(crate) names: Vec<String>,
    pub(crate) frames: Vec<Frame>,
    /// Wall time of the slowest step (s).
    pub(crate) slowest: f64,
}

impl Run {
    /// Runs a member; `step` gives the length of each step (s), `deadline` is when patience ends.
    pub(crate) fn of(
        member: &mut Member,
        engine: &mut dyn Engine,
        step: &mut dyn FnMut() -> Real,
        deadline: Instant,
    ) -> Result<Self, String> {
        let (mut time, mut depth, mut next_depth) = (0.0, 0.0, 0.1);
        let mut frames = vec![Frame::of(engine, time, depth)];
        let mut slowest = 0.0;
        while time < member.duration - 1e-9 {
            let dt = step();
            for driven in &member.scene.driven {
                let [from, to] = [time, time + dt].map(|t| Vec3::from_array((driven.path)(t)));
                engine.set_velocity(driven.body, Twist::new((to - from) / dt, Vec3::ZERO));
            }
            if let Some(hook) = &mut member.hook {
                hook(engine, time, dt);
            }
            let start = Instant::now();
            engine.advance(dt)?;
            slowest = f64::max(slowest, start.elapsed().as_secs_f64());
            time += dt;
            if member.depth && time >= next_depth {
                depth = engine.depth();
                next_depth += 0.1;
            }
            let last = frames.last().map_or(0.0, |f| f.time);
            if time - last >= member.every - 1e-9 || time >= member.duration - 1e-9 {
                frames.push(Frame::of(engine, time, depth));
            }
            if Instant::now() > deadline {
                return Err(format!("patience ended after {time:.2} s of simulated time"));
            }
        }
        let run = Self { names: engine.names().to_vec(), frames, slowest };
        let finite = run.last().poses.iter().all(Pose::is_finite);
        if finite { Ok(run) } else { Err("a pose is not finite".to_owned()) }
    }

    /// The place of a body in the scene.
    pub(crate) fn index(&self, name: &str) -> usize {
        self.names.iter().position(|n| n == name).unwrap_or_else(|| panic!("no body {name}"))
    }

    /// The bodies whose name begins so.
    pub(crate) fn all(&self, prefix: &str) -> Vec<usize> {
        (0..self.names.len()).filter(|i| self.names[*i].starts_with(prefix)).collect()
    }

    pub(crate) fn first(&self) -> &Frame {
        &self.frames[0]
    }

    pub(crate) fn last(&self) -> &Frame {
        self.frames.last().expect("the start is a frame")
    }

    /// The first frame at a time or later; the last if there is none.
    pub(crate) fn at(&self, time: Real) -> &Frame {
        self.frames.iter().find(|f| f.time >= time - 1e-9).unwrap_or(self.last())
    }

    /// The frames from a time on.
    pub(crate) fn from(&self, time: Real) -> impl Iterator<Item = &Frame> {
        self.frames.iter().filter(move |f| f.time >= time - 1e-9)
    }

    /// Largest distance of a body from its place at the start, over frames from a time on (m).
    pub(crate) fn moved(&self, body: usize, from: Real) -> Real {
        let start = self.first().poses[body].position;
        self.from(from).map(|f| (f.poses[body].position - start).length()).fold(0.0, Real::max)
    }

    /// Largest speed of bodies over frames from a time on (m/s).
    pub(crate) fn fastest(&self, bodies: &[usize], from: Real) -> Real {
        let frames = self.from(from).flat_map(|f| bodies.iter().map(move |i| f.velocities[*i].linear.length()));
        frames.fold(0.0, Real::max)
    }

    /// Largest gap of a joint in any frame (m).
    pub(crate) fn gap(&self) -> Real {
        self.frames.iter().map(|f| f.gap).fold(0.0, Real::max)
    }

    /// Largest depth that was measured from a time on (m).
    pub(crate) fn depth(&self, from: Real) -> Real {
        self.from(from).map(|f| f.depth).fold(0.0, Real::max)
    }

    /// Largest rise of the energy above its value at the start (J).
    pub(crate) fn gain(&self) -> Real {
        let start = self.first().total();
        self.frames.iter().map(|f| f.total() - start).fold(0.0, Real::max)
    }

    /// Largest kinetic energy (J).
    pub(crate) fn top_kinetic(&self) -> Real {
        self.frames.iter().map(|f| f.energy[0]).fold(0.0, Real::max)
    }
}

/// Angle between two directions (rad).
pub(crate) fn angle(a: Vec3, b: Vec3) -> Real {
    a.cross(b).length().atan2(a.dot(b))
}

/// Angle between a body's own axis y and the vertical (rad).
pub(crate) fn tilt(orientation: Quat) -> Real {
    angle(orientation * Vec3::Y, Vec3::Y)
}

/// Angle between the vertical and the nearest of a body's own axes, either way round (rad).
pub(crate) fn off_face(orientation: Quat) -> Real {
    let axes = [Vec3::X, Vec3::Y, Vec3::Z].map(|a| (orientation * a).y.abs());
    axes.into_iter().fold(0.0, Real::max).min(1.0).acos()
}
