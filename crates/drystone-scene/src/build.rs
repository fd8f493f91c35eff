use crate::Scene;
use crate::fault::{FaultKind, Location, SceneFaults};
use crate::model::{ForceEntry, FrameBudget, IgnoreEntry, ModuleChoice};
use drystone_core::{BodyIndex, BodyPair, Configuration, Joint, MaterialIndex, Materials, PairMaterial, Script, State};
use drystone_math::{Pose, Real, Twist, Vec3};

/// A scene ready to be simulated.
pub struct BuiltScene {
    /// Bodies, joints, forces and their properties, constant during a step; bodies in file order, repeats expanded.
    pub configuration: Configuration,
    /// The initial state: poses of the centres of mass.
    pub state: State,
    /// Unit normal of the plane that the world is; `None` where it has all three dimensions.
    pub plane: Option<Vec3>,
    /// Names of the bodies, in the order of the columns.
    pub names: Vec<String>,
    /// Names of the joints, in the order of the configuration; empty where a joint has none.
    pub joint_names: Vec<String>,
    /// Choices of single modules by the scene.
    pub modules: Vec<ModuleChoice>,
    /// Name of the preset.
    pub paradigm: String,
    /// Place in the scene that names it.
    pub paradigm_location: Location,
    /// Time step (s).
    pub time_step: Real,
    /// The distance within which surfaces count as touching (m); `None` if it follows from the bodies.
    pub contact_envelope: Option<Real>,
    /// Cost limit of a time step; `None` for one step at any cost.
    pub budget: Option<FrameBudget>,
    /// True if a run that diverges is stopped.
    pub limits: bool,
    /// The largest length and energy of such a run, relative to the scene's; `None` for the usual ones.
    pub largest: [Option<Real>; 2],
    /// The snapshot from which the world goes on.
    pub resume: Option<Vec<u8>>,
    /// User data of the bodies, in the order of the columns.
    pub body_data: Vec<u128>,
    /// Simulated time (s).
    pub duration: Real,
    /// Time between recorded frames (s).
    pub frame: Real,
    /// The scene's name.
    pub name: String,
    /// Source of its numbers.
    pub source: String,
    /// Description of what it shows.
    pub description: String,
}

impl Scene {
    /// Expands the repeats and puts configuration and initial state together.
    ///
    /// # Errors
    /// If the scene asks for something that this build lacks.
    pub fn build(&self) -> Result<BuiltScene, SceneFaults> {
        let mut configuration = Configuration {
            materials: self.build_materials()?,
            gravity: self.info.gravity,
            ..Configuration::default()
        };
        let mut state = State::default();
        let (mut names, mut body_data) = (Vec::new(), Vec::new());
        for entry in &self.bodies {
            for i in 0..entry.copies {
                state.push(entry.center_pose(i), entry.velocity);
                configuration.bodies.push(entry.properties.clone());
                names.push(entry.copy_name(i));
                body_data.push(entry.user_data);
            }
        }
        let joint_names = self.build_attachments(&mut configuration, &mut state)?;
        Ok(BuiltScene {
            configuration,
            state,
            plane: self.info.plane,
            names,
            joint_names,
            modules: self.simulation.modules.clone(),
            paradigm: self.simulation.paradigm.clone(),
            paradigm_location: self.simulation.paradigm_location.clone(),
            time_step: self.simulation.time_step,
            budget: self.simulation.budget,
            contact_envelope: self.simulation.contact_envelope,
            limits: self.simulation.limits,
            largest: self.simulation.largest,
            resume: self.resume.clone(),
            body_data,
            duration: self.info.duration,
            frame: self.info.frame,
            name: self.info.name.clone(),
            source: self.info.source.clone(),
            description: self.info.description.clone(),
        })
    }

    fn build_materials(&self) -> Result<Materials, SceneFaults> {
        let fault = |what: String| SceneFaults::from(self.fault_at(&Location::default(), what));
        let mut materials = Materials::default();
        for (m, index) in self.materials.iter().zip(0..) {
            let index = MaterialIndex(index);
            // the default one is there already
            let known = materials.contains(index);
            let put = if known { materials.set(index, m.surface) } else { materials.push(m.surface).map(drop) };
            put.map_err(|e| fault(format!("materials.{}: {e}", m.name)))?;
        }
        for p in &self.material_pairs {
            let [a, b] = p.between.map(|i| MaterialIndex(i as u32));
            // what the override leaves out stays as it combines
            let combined = materials.pair(a, b);
            let pair = PairMaterial {
                friction: p.friction.unwrap_or(combined.friction),
                restitution: p.restitution.unwrap_or(combined.restitution),
                rolling: p.rolling.unwrap_or(combined.rolling),
                spinning: p.spinning.unwrap_or(combined.spinning),
                facets: p.facets.unwrap_or(combined.facets),
                // one coefficient for the pair means it in all directions
                grain: p.grain.unwrap_or_else(|| combined.grain.filter(|_| p.friction.is_none())),
            };
            materials.set_pair(a, b, pair).map_err(|e| fault(format!("material_pairs: {e}")))?;
        }
        Ok(materials)
    }

    /// Adds joints, forces and scripts; returns the names of the joints.
    fn build_attachments(
        &self,
        configuration: &mut Configuration,
        state: &mut State,
    ) -> Result<Vec<String>, SceneFaults> {
        let mut faults = SceneFaults::default();
        let mut joint_names = Vec::with_capacity(self.joints.len());
        for j in &self.joints {
            let bodies = j.bodies.map(|b| b.map(BodyIndex::new));
            match j.source() {
                Ok(source) => {
                    let joint = Joint { strength: j.strength, ..Joint::new(bodies, source) };
                    if j.collide {
                        configuration.joints.push(joint);
                    } else {
                        configuration.add_insulating_joint(joint);
                    }
                    joint_names.push(j.name.clone());
                }
                Err(e) => faults.push(j.location.clone(), FaultKind::Other(e.to_string())),
            }
        }
        for [a, b] in self.ignore_pairs.iter().flat_map(IgnoreEntry::pairs) {
            configuration.ignore(BodyPair { a: BodyIndex::new(a), b: BodyIndex::new(b) });
        }
        configuration.forces.extend(self.forces.iter().map(ForceEntry::field));
        for s in &self.scripts {
            let body = BodyIndex::new(s.body);
            let motion = s.scripted();
            let start = motion.evaluate(0.0);
            let Some(properties) = configuration.bodies.get(s.body) else {
                faults.push(s.location.clone(), FaultKind::Other("the script's body does not exist".to_owned()));
                continue;
            };
            let arm = start.pose.direction(properties.center);
            state.set_pose(body, Pose::new(start.pose.position + arm, start.pose.orientation));
            state.set_velocity(body, Twist::new(start.velocity.at(arm), start.velocity.angular));
            configuration.scripts.push(Script { body, motion: motion.into() });
        }
        faults.into_result(Some(joint_names))
    }
}
