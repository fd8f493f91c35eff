//! Format of the modules' times: a key per module, whose sum is the step.

use drystone_core::{Module, PhaseTimes};
use schemars::{Schema, SchemaGenerator, json_schema};
use serde::Serializer;
use serde::ser::SerializeMap;
use serde_json::{Map, Value, json};

/// As one object of numbers.
pub(super) fn serialize<S: Serializer>(times: &PhaseTimes, serializer: S) -> Result<S::Ok, S::Error> {
    let mut object = serializer.serialize_map(Some(PhaseTimes::MODULES.len()))?;
    for module in PhaseTimes::MODULES {
        object.serialize_entry(module.name(), &times.of(module))?;
    }
    object.end()
}

/// Its schema.
pub(super) fn schema(_: &mut SchemaGenerator) -> Schema {
    let names = PhaseTimes::MODULES.map(Module::name);
    let one = |name: &str| {
        let mut words = name.replace("stc", "STC").replace('_', " ");
        words[..1].make_ascii_uppercase();
        (name.to_owned(), json!({ "type": "number", "format": "double", "description": words + " (ms)." }))
    };
    let properties: Map<String, Value> = names.into_iter().map(one).collect();
    json_schema!({ "type": "object", "properties": properties, "required": names })
}
