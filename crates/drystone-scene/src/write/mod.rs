//! A world written as a scene, so that the scene read back is the same world.

mod bodies;
mod forces;
mod joints;
mod scripts;
mod shapes;
mod values;

use crate::{BudgetSize, Document, FrameBudget, SceneFaults};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use drystone_core::{Configuration, Grain, MaterialIndex, PairGrain, State};
use drystone_math::{Real, Vec3};
use serde_json::{Map, Value as Json, json};
use thiserror::Error;
use values::{real, vector};

/// Something of a world that a scene cannot say.
#[derive(Debug, Clone, PartialEq, Error)]
#[error("a scene cannot say this of the world: {0}")]
pub struct Unsayable(pub String);

type Said<T> = Result<T, Unsayable>;

fn cannot<T>(what: impl Into<String>) -> Said<T> {
    Err(Unsayable(what.into()))
}

/// The name and data that a program attached to a body or a joint.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Tag<'a> {
    /// Its name; empty where it has none.
    pub name: &'a str,
    /// Its data; zero where there is none.
    pub data: u128,
}

/// A world as plain values, to be written as a scene.
pub struct SavedScene<'a> {
    /// Data that no step changes.
    pub configuration: &'a Configuration,
    /// The present state.
    pub state: &'a State,
    /// Unit normal of the plane of a 2D world.
    pub plane: Option<Vec3>,
    /// Of the bodies, in the order of the columns.
    pub bodies: Vec<Tag<'a>>,
    /// Of the joints, in the order of the configuration.
    pub joints: Vec<Tag<'a>>,
    /// The scene's name, where its numbers come from, and what it shows; left out where empty.
    pub texts: [&'a str; 3],
    /// Simulated time and time between frames (s).
    pub times: [Real; 2],
    /// Time step (s).
    pub time_step: Real,
    /// Cost limit of a time step.
    pub budget: Option<FrameBudget>,
    /// The preset.
    pub paradigm: &'a str,
    /// Differences from it: the tables of `[simulation]`, as JSON.
    pub modules: Map<String, Json>,
    /// The distance within which surfaces count as touching (m), where it was set.
    pub contact_envelope: Option<Real>,
    /// The largest length and energy of a run that does not diverge, relative to the scene's.
    pub limits: [Real; 2],
    /// The snapshot of the present instant.
    pub snapshot: &'a [u8],
}

impl SavedScene<'_> {
    /// The scene. Read back, it builds bodies, joints, forces, scripts and surfaces with the same bits, and goes on from the snapshot.
    ///
    /// # Errors
    /// [`Unsayable`], which names the first thing that the format has no words for: a force, joint, script or module of a program's own, for instance.
    pub fn document(&self) -> Result<Document, Unsayable> {
        let names = self.names()?;
        let mut root = Map::new();
        root.insert("scene".to_owned(), self.info()?);
        root.insert("simulation".to_owned(), self.simulation()?);
        let (materials, pairs) = materials(self.configuration)?;
        root.insert("materials".to_owned(), materials);
        let count = 0..names.len();
        let bodies: Said<Vec<Json>> = count.map(|i| bodies::body(self, i, &names[i])).collect();
        let sections = [
            ("material_pairs", pairs),
            ("bodies", bodies?),
            ("ignore_pairs", self.ignored(&names)),
            ("joints", joints::joints(self, &names)?),
            ("forces", forces::forces(self.configuration, &names)?),
            ("scripts", scripts::scripts(self.configuration, &names)?),
        ];
        for (name, list) in sections.into_iter().filter(|(_, list)| !list.is_empty()) {
            root.insert(name.to_owned(), Json::Array(list));
        }
        root.insert("resume".to_owned(), json!({ "snapshot": STANDARD.encode(self.snapshot) }));
        let told = |faults: SceneFaults| Unsayable(faults.to_string());
        Document::from_json_str(&Json::Object(root).to_string()).map_err(told)
    }

    /// Names of the bodies: their own, or `body` with a number that no other has.
    fn names(&self) -> Said<Vec<String>> {
        let mut taken: std::collections::BTreeSet<&str> = self.bodies.iter().map(|b| b.name).collect();
        taken.insert("world");
        let mut number = 0;
        let mut free = || loop {
            let name = format!("body{number}");
            number += 1;
            if !taken.contains(name.as_str()) {
                return name;
            }
        };
        let mut seen = std::collections::BTreeSet::new();
        let named = |tag: &Tag<'_>| {
            if tag.name.is_empty() {
                return Ok(free());
            }
            if tag.name == "world" || !seen.insert(tag.name.to_owned()) {
                return cannot(format!("a second body is named {:?}; a scene names each body differently", tag.name));
            }
            Ok(tag.name.to_owned())
        };
        self.bodies.iter().map(named).collect()
    }

    fn info(&self) -> Said<Json> {
        let mut info = Map::new();
        let texts = ["name", "source", "description"].into_iter().zip(self.texts);
        for (key, text) in texts.filter(|(_, text)| !text.is_empty()) {
            info.insert(key.to_owned(), json!(text));
        }
        info.insert("duration".to_owned(), real("duration", self.times[0])?);
        info.insert("frame".to_owned(), real("frame", self.times[1])?);
        info.insert("gravity".to_owned(), vector("gravity", self.configuration.gravity)?);
        if let Some(normal) = self.plane {
            info.insert("plane".to_owned(), vector("plane", normal)?);
        }
        Ok(Json::Object(info))
    }

    fn simulation(&self) -> Said<Json> {
        let mut all = Map::new();
        all.insert("paradigm".to_owned(), json!(self.paradigm));
        all.insert("time_step".to_owned(), real("time step", self.time_step)?);
        if let Some(envelope) = self.contact_envelope {
            all.insert("contact_envelope".to_owned(), real("contact envelope", envelope)?);
        }
        if let Some(FrameBudget { size, steps, fewest_iterations }) = &self.budget {
            let mut budget = Map::new();
            match size {
                BudgetSize::Operations(most) => budget.insert("operations".to_owned(), real("budget", *most)?),
                BudgetSize::Seconds(most) => budget.insert("seconds".to_owned(), real("budget", *most)?),
            };
            budget.insert("steps".to_owned(), json!(steps));
            if let Some(fewest) = fewest_iterations {
                budget.insert("fewest_iterations".to_owned(), json!(fewest));
            }
            all.insert("budget".to_owned(), Json::Object(budget));
        }
        match self.limits {
            [length, energy] if length == Real::INFINITY && energy == Real::INFINITY => {
                all.insert("limits".to_owned(), json!({ "enabled": false }));
            }
            [length, energy] if [length, energy] != [1.0; 2] => {
                let limits =
                    json!({ "length": real("limit of length", length)?, "energy": real("limit of energy", energy)? });
                all.insert("limits".to_owned(), limits);
            }
            _ => {}
        }
        all.extend(self.modules.clone());
        Ok(Json::Object(all))
    }

    fn ignored(&self, names: &[String]) -> Vec<Json> {
        let rules = self.configuration.ignored_pairs.rules();
        rules.map(|pair| json!({ "between": [names[pair.a.at()], names[pair.b.at()]] })).collect()
    }
}

/// The name of a material.
fn material_name(index: MaterialIndex) -> String {
    if index == MaterialIndex::default() { "default".to_owned() } else { format!("material{}", index.0) }
}

fn materials(configuration: &Configuration) -> Said<(Json, Vec<Json>)> {
    let mut table = Map::new();
    for (m, i) in configuration.materials.iter().zip(0..) {
        let [rule, restitution_rule] = [m.friction_rule, m.restitution_rule].map(|rule| {
            let named = drystone_core::CombineRule::NAMES.iter().find(|(_, r)| *r == rule);
            json!(named.map_or("", |(name, _)| *name))
        });
        let said = json!({
            "friction": real("friction", m.friction)?,
            "restitution": real("restitution", m.restitution)?,
            "rolling_friction": real("rolling friction", m.rolling)?,
            "spinning_friction": real("spinning friction", m.spinning)?,
            "friction_facets": m.facets,
            "friction_rule": rule,
            "restitution_rule": restitution_rule,
            "grain": grain(m.grain)?,
        });
        table.insert(material_name(MaterialIndex(i)), said);
    }
    let pair = |(&(a, b), p): (&(MaterialIndex, MaterialIndex), &drystone_core::PairMaterial)| {
        Ok(json!({
            "between": [material_name(a), material_name(b)],
            "friction": real("friction of a pair", p.friction)?,
            "restitution": real("restitution of a pair", p.restitution)?,
            "rolling_friction": real("rolling friction of a pair", p.rolling)?,
            "spinning_friction": real("spinning friction of a pair", p.spinning)?,
            "friction_facets": p.facets,
            "grain": pair_grain(p.grain)?,
        }))
    };
    let pairs: Said<Vec<Json>> = configuration.materials.set_pairs().map(pair).collect();
    Ok((Json::Object(table), pairs?))
}

fn grain(grain: Option<Grain>) -> Said<Json> {
    let Some(g) = grain else { return Ok(json!("none")) };
    let direction = values::unit_vector("direction of a grain", g.direction)?;
    Ok(json!({ "direction": direction, "across": real("grain", g.across)? }))
}

fn pair_grain(of_pair: Option<PairGrain>) -> Said<Json> {
    let Some(g) = of_pair else { return Ok(json!("none")) };
    let mut said = grain(Some(Grain { direction: g.direction, across: g.across }))?;
    said["on"] = json!(u8::from(g.on_second));
    Ok(said)
}
