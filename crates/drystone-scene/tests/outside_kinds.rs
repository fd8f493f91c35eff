//! Kinds of joints and forces added to those of the format: schema and reader agree on their keys and on which are required.

use drystone_core::catalogue::{Implementation, Parameter, Settings};
use drystone_core::{BodyFrame, ConstraintRow, ConstraintSource, ForceField, JointError};
use drystone_joints::{JointDescription, JointMaker};
use drystone_math::{Pose, Vec3};
use drystone_motion::force::{ForceMaker, PointGravity};
use drystone_scene::{Format, ModuleCatalogue, Scene, schema};
use std::sync::Arc;

const TWIG: Implementation = Implementation {
    name: "twig",
    summary: "bends",
    source: "a tree",
    parameters: &[Parameter::real("length", 1.0, 0.5, 2.0, "how long")],
};
const PUFF: Implementation = Implementation {
    name: "puff",
    summary: "blows",
    source: "the wind",
    parameters: &[Parameter::integer("gusts", 3, 1, 9, "how many")],
};

/// A joint without rows: it holds nothing.
struct Twig;

impl ConstraintSource for Twig {
    fn kind(&self) -> &'static str {
        TWIG.name
    }

    fn rows(&self, _: [&BodyFrame; 2], _: &[f64], _: &mut Vec<ConstraintRow>) {}

    fn error(&self, _: [&BodyFrame; 2], _: &[f64]) -> JointError {
        JointError::default()
    }
}

/// A catalogue with a joint and a force from outside.
fn catalogue() -> ModuleCatalogue {
    let make = Arc::new(|_: &JointDescription<'_>, _: [&Pose; 2], _: &Settings| {
        Ok(Box::new(Twig) as Box<dyn ConstraintSource>)
    });
    let joint = JointMaker { described: TWIG, collides: false, make };
    let make = |_: &Settings, _| -> Box<dyn ForceField> {
        Box::new(PointGravity { center: Vec3::ZERO, strength: 0.0, softening: 1.0 })
    };
    let force = ForceMaker { described: PUFF, make: Arc::new(make) };
    ModuleCatalogue { joints: vec![joint], forces: vec![force], ..ModuleCatalogue::default() }
}

const BODY: &str = "[[bodies]]\nname = \"ball\"\nshape = { sphere = { radius = 0.5 } }\n";

/// The alternative for this kind in the schema of a list.
fn alternative(schema: &serde_json::Value, kind: &str) -> serde_json::Value {
    fn find(json: &serde_json::Value, kind: &str, found: &mut Vec<serde_json::Value>) {
        if json["properties"]["kind"]["const"] == kind {
            found.push(json.clone());
        }
        match json {
            serde_json::Value::Array(all) => all.iter().for_each(|one| find(one, kind, found)),
            serde_json::Value::Object(all) => all.values().for_each(|one| find(one, kind, found)),
            _ => {}
        }
    }
    let mut found = Vec::new();
    find(schema, kind, &mut found);
    assert_eq!(found.len(), 1, "{kind}");
    found.remove(0)
}

#[test]
fn the_schema_has_the_kinds_and_asks_for_what_the_reader_asks_for() {
    let catalogue = catalogue();
    let schema = schema(Format::Scene, &catalogue);
    for (described, list, least) in [
        (TWIG, "joints", &["kind = \"twig\"", "bodies = [\"ball\", \"world\"]"][..]),
        (PUFF, "forces", &["kind = \"puff\""]),
    ] {
        let one = alternative(&schema, described.name);
        let parameter = described.parameters[0].name;
        assert!(one["properties"][parameter]["default"].is_number(), "{one}");
        let said = one["description"].as_str().unwrap();
        assert!(said.contains(described.summary) && said.contains(described.source), "{said}");
        let mut required: Vec<&str> = one["required"].as_array().unwrap().iter().filter_map(|k| k.as_str()).collect();
        required.sort_unstable();
        let mut asked: Vec<&str> = least.iter().map(|line| line.split(" = ").next().unwrap()).collect();
        asked.sort_unstable();
        assert_eq!(required, asked);
        // the reader accepts the minimum, and requires all of it
        let reads = |lines: &[&str]| {
            let text = format!("{BODY}[[{list}]]\n{}\n", lines.join("\n"));
            Scene::from_toml_str(&text, &catalogue).map_err(|e| e.to_string())
        };
        reads(least).unwrap();
        reads(&[least, &[&*format!("{parameter} = 1")]].concat()).unwrap();
        assert!(reads(&[least, &[&*format!("{parameter} = 0")]].concat()).is_err(), "{parameter} = 0");
        for left_out in 0..least.len() {
            let rest: Vec<&str> = least.iter().enumerate().filter(|(k, _)| *k != left_out).map(|(_, l)| *l).collect();
            assert!(reads(&rest).is_err(), "{rest:?}");
        }
    }
}
