//! Drystone under any choice of modules.

use crate::scenes::{DT, Form, Scene};
use crate::{Engine, EngineError, median};
use drystone::core::catalogue::Value;
use drystone::core::{BodyId, Material, Module, StepObserver};
use drystone::geometry::Shape;
use drystone::math::Pose;
use drystone::{Body, ModuleChoice, ModuleKind, Paradigm, PhaseTimes, StepReport, World, WorldBuilder};
use drystone_joints::JointDescription;

/// The sleep policy that lets nobody sleep.
const NEVER: &str = "never";

/// A paradigm with some of its modules chosen or set differently, and a name for it in tables.
#[derive(Debug, Clone, PartialEq)]
pub struct Variant {
    /// What it is called.
    pub name: String,
    /// The paradigm.
    pub paradigm: Paradigm,
    /// What differs from it.
    pub choices: Vec<ModuleChoice>,
    /// Whether all is computed in each step, what stands still too.
    pub in_full: bool,
}

impl Default for Variant {
    /// Velocity-based complementarity at 10 iterations; nobody sleeps, no residual is measured.
    fn default() -> Self {
        Self::named("drystone", Paradigm::VELOCITY_LCP)
    }
}

impl Variant {
    /// A paradigm without sleeping; but for `real-time` at 10 iterations and without measuring residuals.
    pub fn named(name: &str, paradigm: Paradigm) -> Self {
        let awake = ModuleChoice { kind: ModuleKind::SleepPolicy, name: Some(NEVER.to_owned()), settings: Vec::new() };
        let mut choices = vec![awake];
        // real-time is what it is: one set of settings for all scenes
        if paradigm != Paradigm::REAL_TIME {
            let lcp = [("iterations", 10), ("measure", 0)].map(|(key, v)| (key.to_owned(), Value::Integer(v)));
            choices.push(ModuleChoice { kind: ModuleKind::Lcp, name: None, settings: lcp.into() });
        }
        Self { name: name.to_owned(), paradigm, choices, in_full: false }
    }

    /// The same where the paradigm's own policy says who sleeps, unless one was chosen by hand.
    #[must_use]
    pub fn sleeping(&self) -> Self {
        let mut variant = self.clone();
        variant.choices.retain(|c| c.kind != ModuleKind::SleepPolicy || c.name.as_deref() != Some(NEVER));
        variant
    }

    /// The same in a world that computes all of each step, and another name for it.
    #[must_use]
    pub fn in_full(&self, name: &str) -> Self {
        Self { name: name.to_owned(), in_full: true, ..self.clone() }
    }

    /// Parses `name=paradigm,table.key=value,...`.
    ///
    /// # Errors
    /// A sentence that says what is wrong.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut parts = text.split(',');
        let head = parts.next().unwrap_or_default();
        let (name, paradigm) = head.split_once('=').ok_or(format!("'{head}': wanted name=paradigm"))?;
        let mut variant = Self::named(name, Paradigm::by_name(paradigm).map_err(|e| e.to_string())?);
        for part in parts {
            variant.set(part)?;
        }
        Ok(variant)
    }

    /// Takes in `table.key=value`, or `table.kind=name` for another implementation.
    ///
    /// # Errors
    /// A sentence that says what is wrong with the text; keys and values are checked when the world is built.
    pub fn set(&mut self, text: &str) -> Result<(), String> {
        let parts = text.split_once('=').and_then(|(path, value)| Some((path.split_once('.')?, value)));
        let ((table, key), value) = parts.ok_or(format!("'{text}': wanted table.key=value"))?;
        let tables = || ModuleKind::ALL.map(ModuleKind::table).join(", ");
        let kind = ModuleKind::from_table(table).ok_or_else(|| format!("no table '{table}'; allowed: {}", tables()))?;
        if key == "kind" {
            // settings made so far were another implementation's
            self.choices.retain(|c| c.kind != kind);
            self.choices.push(ModuleChoice { kind, name: Some(value.to_owned()), settings: Vec::new() });
        } else {
            let settings = vec![(key.to_owned(), parse_value(value))];
            self.choices.push(ModuleChoice { kind, name: None, settings });
        }
        Ok(())
    }

    /// A builder with these choices, for one thread.
    pub fn builder(&self) -> WorldBuilder {
        self.choices.iter().fold(World::builder().paradigm(self.paradigm), |b, c| b.choose(c.clone()))
    }
}

fn parse_value(text: &str) -> Value {
    if let Ok(v) = text.parse::<bool>() {
        Value::Bool(v)
    } else if let Ok(v) = text.parse::<i64>() {
        Value::Integer(v)
    } else if let Ok(v) = text.parse::<f64>() {
        Value::Real(v)
    } else {
        Value::Text(text.to_owned())
    }
}

/// Builds a scene's world; the ids are in the scene's order.
///
/// # Errors
/// For choices that do not fit, and joints that cannot be made.
pub fn build_world(scene: &Scene, builder: WorldBuilder) -> Result<(World, Vec<BodyId>), EngineError> {
    let mut world = builder.build()?;
    let surface = world.add_material(Material { friction: scene.friction, restitution: 0.0, ..Material::default() })?;
    let mut ids = Vec::with_capacity(scene.pieces.len());
    for piece in &scene.pieces {
        let shape = match piece.form {
            Form::Box(half) => Shape::cuboid(half.x, half.y, half.z)?,
            Form::Ball(radius) => Shape::sphere(radius)?,
        };
        let body = if piece.fixed { Body::fixed(shape) } else { Body::dynamic(shape).density(piece.density) };
        let body = body.at(piece.pose.position).oriented(piece.pose.orientation).material(surface);
        let body = body.angular_velocity(piece.spin);
        ids.push(world.add(body)?);
    }
    for link in &scene.links {
        let place = |piece: Option<usize>| piece.map_or(Pose::IDENTITY, |i| scene.pieces[i].pose);
        let joint = JointDescription { anchor: Some(link.anchor), ..JointDescription::new("ball") };
        let joint = drystone_joints::build(&joint, &place(link.pieces[0]), &place(link.pieces[1]))?;
        world.add_joint(link.pieces.map(|piece| piece.map(|i| ids[i])), joint)?;
    }
    Ok((world, ids))
}

/// Sees nothing; but a world that is watched leaves nothing out.
struct Onlooker;

impl StepObserver for Onlooker {
    fn call(&mut self, _from: Module, _to: Module) {}
}

/// A world, and what its steps reported.
pub struct DrystoneEngine {
    name: String,
    world: World,
    ids: Vec<BodyId>,
    reports: Vec<StepReport>,
}

impl DrystoneEngine {
    /// Puts a scene into a world.
    ///
    /// # Errors
    /// As [`build_world`].
    pub fn new(variant: &Variant, scene: &Scene) -> Result<Self, EngineError> {
        Self::on_threads(variant, scene, 1)
    }

    /// The same on a number of threads.
    ///
    /// # Errors
    /// As [`build_world`].
    pub fn on_threads(variant: &Variant, scene: &Scene, threads: usize) -> Result<Self, EngineError> {
        let (mut world, ids) = build_world(scene, variant.builder().threads(threads))?;
        if variant.in_full {
            world.observe(Some(Box::new(Onlooker)));
        }
        Ok(Self { name: variant.name.clone(), world, ids, reports: Vec::new() })
    }

    /// The median over the steps of something measured in each.
    fn typical(&self, of: impl Fn(&PhaseTimes) -> f64) -> f64 {
        let values: Vec<f64> = self.reports.iter().map(|r| of(&r.times)).collect();
        median(&values).unwrap_or(0.0)
    }
}

/// What the seams between the modules cost in a step (s): gathering and scattering, graph upkeep, and all that belongs to no
/// module.
pub fn seam_seconds(times: &PhaseTimes) -> f64 {
    times.gather_scatter + times.stc_analysis + times.time_control
}

impl Engine for DrystoneEngine {
    fn name(&self) -> &str {
        &self.name
    }

    fn step(&mut self) -> Result<(), EngineError> {
        let report = self.world.advance(DT)?;
        self.reports.push(report);
        Ok(())
    }

    fn poses(&self, poses: &mut Vec<Pose>) {
        poses.clear();
        poses.extend(self.ids.iter().map(|id| self.world.pose(*id).unwrap_or(Pose::IDENTITY)));
    }

    fn contacts(&self) -> usize {
        self.reports.last().map_or(0, |r| r.contacts as usize)
    }

    fn asleep(&self) -> usize {
        self.ids.iter().filter(|id| self.world.is_asleep(**id) == Some(true)).count()
    }

    fn remarks(&self) -> Vec<String> {
        let ms = |of: fn(&PhaseTimes) -> f64| 1e3 * self.typical(of);
        let phases = format!(
            "phases (ms on the wall): broad {:.3}, narrow {:.3}, contacts {:.3}, graph {:.3}, constraints {:.3}, impacts {:.3}, \
             motion {:.3}, rest {:.3}; of these gather and scatter {:.3}",
            ms(|t| t.broad_phase),
            ms(|t| t.narrow_phase),
            ms(|t| t.contact_determination),
            ms(|t| t.stc_analysis),
            ms(|t| t.constraint_solver),
            ms(|t| t.collision_solver),
            ms(|t| t.motion_solver),
            ms(|t| t.time_control),
            ms(|t| t.gather_scatter),
        );
        // by the same clock: on a busy machine the wall's is longer than the caller's
        let computed: Vec<f64> = self
            .reports
            .iter()
            .map(|r| &r.times)
            .filter(|t| t.total() > 0.0)
            .map(|t| seam_seconds(t) / t.total())
            .collect();
        let seams = match median(&computed).map(|share| 100.0 * share) {
            _ if 2 * computed.len() < self.reports.len() => {
                "in most steps nothing moves, and nothing is computed".to_owned()
            }
            Some(share) if share < 10.0 => {
                format!("seams (gather and scatter, graph, rest): {share:.1} %, under a tenth of the step")
            }
            Some(share) => {
                format!("seams (gather and scatter, graph, rest): {share:.1} %, NOT under a tenth of the step")
            }
            None => "no step".to_owned(),
        };
        let visits: Vec<f64> = self.reports.iter().map(|r| r.lcp.iterations as f64).collect();
        let visits = format!("sweeps per step, over all groups: {:.1}", median(&visits).unwrap_or(0.0));
        let mut remarks = vec![phases, seams, visits];
        if let Some(last) = self.reports.last().filter(|r| r.lcp.residuals > 0) {
            remarks.push(format!("residual of the last step: {:.3e} at most", last.lcp.residual_max));
        }
        remarks
    }

    fn warmed_up(&mut self) {
        self.reports.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variants_are_read_and_checked() {
        let v = Variant::parse("x=shock-propagation,lcp.iterations=20,lcp.omega=1.3").unwrap();
        assert_eq!((v.name.as_str(), v.paradigm.name), ("x", "shock-propagation"));
        assert!(v.builder().build().is_ok());
        assert!(Variant::parse("x").is_err());
        assert!(Variant::parse("x=no-such-paradigm").is_err());
        assert!(Variant::parse("x=velocity-lcp,lpc.iterations=1").unwrap_err().contains("lcp"));
        assert!(Variant::parse("x=velocity-lcp,lcp.iterations=maybe").unwrap().builder().build().is_err());
    }

    #[test]
    fn a_column_keeps_standing() {
        let scene = Scene::by_name("column-30").unwrap();
        let mut engine = DrystoneEngine::new(&Variant::default(), &scene).unwrap();
        for _ in 0..5 {
            engine.step().unwrap();
        }
        let mut poses = Vec::new();
        engine.poses(&mut poses);
        let quality = crate::quality::Quality::of(&scene, &poses, &poses);
        assert!(quality.holds && engine.contacts() >= 30 && engine.remarks().len() == 3);
    }
}
