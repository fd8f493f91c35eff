use super::{Format, tables};
use crate::model::declare::{Declared, Kind, Range, Table};
use crate::model::{FORCE_KINDS, JOINT, ModuleCatalogue, OUTSIDE_FORCE, OUTSIDE_JOINT, SIMULATION};
use drystone_core::ModuleKind;
use drystone_core::catalogue::{Implementation, Parameter, ParameterKind, Value};
use serde_json::{Map, Value as Json, json};

/// The schema of a format.
pub(super) fn schema(format: Format, catalogue: &ModuleCatalogue) -> Json {
    let root = format.root();
    let mut definitions = Map::new();
    for table in tables(root) {
        definitions.insert(table.name.to_owned(), table_schema(table, catalogue));
    }
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$ref": format!("#/$defs/{}", root.name),
        "$defs": definitions,
    })
}

fn reference(table: &Table) -> Json {
    json!({ "$ref": format!("#/$defs/{}", table.name) })
}

fn table_schema(table: &'static Table, catalogue: &ModuleCatalogue) -> Json {
    let mut properties = Map::new();
    for key in table.keys {
        properties.insert(key.name().to_owned(), key_schema(*key, catalogue));
    }
    let mut schema = json!({
        "title": table.name,
        "type": "object",
        "description": table.doc,
        "additionalProperties": false,
    });
    if core::ptr::eq(table, &raw const SIMULATION) {
        for (kind, implementations) in &catalogue.modules {
            properties.insert(kind.table().to_owned(), module(*kind, implementations));
        }
    }
    if table.one {
        schema["minProperties"] = json!(1);
        schema["maxProperties"] = json!(1);
    } else {
        let required: Vec<&str> = table.keys.iter().filter(|k| k.is_required()).map(|k| k.name()).collect();
        // what a file may stand for is not required beside it
        let file = table.keys.iter().any(|k| k.name() == "file");
        if !required.is_empty() && !file {
            schema["required"] = json!(required);
        }
    }
    schema["properties"] = Json::Object(properties);
    schema
}

fn key_schema(key: &dyn Declared, catalogue: &ModuleCatalogue) -> Json {
    let mut schema = kind_schema(key.kind(), catalogue);
    let unit = if key.unit().is_empty() { String::new() } else { format!(" ({})", key.unit()) };
    if let Some(object) = schema.as_object_mut() {
        object.insert("description".to_owned(), json!(format!("{}{unit}", key.doc())));
        if let Some(default) = key.default() {
            object.insert("default".to_owned(), default);
        }
    }
    schema
}

fn number(range: Range) -> Json {
    match range {
        Range::Any => json!({ "type": "number" }),
        Range::Positive => json!({ "type": "number", "exclusiveMinimum": 0 }),
        Range::NotNegative => json!({ "type": "number", "minimum": 0 }),
        Range::Fraction => json!({ "type": "number", "minimum": 0, "maximum": 1 }),
    }
}

fn list(of: &Json, least: usize, exactly: Option<usize>) -> Json {
    let mut schema = json!({ "type": "array", "items": of });
    if least > 0 {
        schema["minItems"] = json!(least);
    }
    if let Some(n) = exactly {
        schema["maxItems"] = json!(n);
    }
    schema
}

fn kind_schema(kind: &Kind, catalogue: &ModuleCatalogue) -> Json {
    match kind {
        Kind::Flag => json!({ "type": "boolean" }),
        Kind::Text | Kind::Name(_) => json!({ "type": "string" }),
        Kind::Choice(names) => json!({ "enum": names }),
        Kind::Integer { least, most } => {
            let mut schema = json!({ "type": "integer" });
            if *least > i64::MIN {
                schema["minimum"] = json!(least);
            }
            if *most < i64::MAX {
                schema["maximum"] = json!(most);
            }
            schema
        }
        Kind::Number(range) => number(*range),
        Kind::Vector(n, range) => list(&number(*range), *n, Some(*n)),
        Kind::Direction => list(&number(Range::Any), 3, Some(3)),
        Kind::List(of, least, exactly) => list(&kind_schema(of, catalogue), *least, *exactly),
        Kind::Table(table) if core::ptr::eq(*table, &raw const JOINT) && !catalogue.joints.is_empty() => {
            let kinds = catalogue.joints.iter().map(|m| outside(&OUTSIDE_JOINT, &m.described, catalogue));
            json!({ "anyOf": core::iter::once(reference(table)).chain(kinds).collect::<Vec<_>>() })
        }
        Kind::Table(table) => reference(table),
        Kind::Named(table) => json!({ "type": "object", "additionalProperties": reference(table) }),
        Kind::Either(kinds) => {
            json!({ "anyOf": kinds.iter().map(|k| kind_schema(k, catalogue)).collect::<Vec<_>>() })
        }
        Kind::Tagged(tag, tables) => {
            let one = |(name, table): &(&'static str, &'static Table)| {
                let mut schema = table_schema(table, catalogue);
                schema["properties"][tag] = json!({ "const": name });
                let mut required = schema["required"].as_array().cloned().unwrap_or_default();
                required.push(json!(tag));
                schema["required"] = Json::Array(required);
                schema
            };
            let mut all: Vec<Json> = tables.iter().map(one).collect();
            if core::ptr::eq(kind, &raw const FORCE_KINDS) {
                all.extend(catalogue.forces.iter().map(|m| outside(&OUTSIDE_FORCE, &m.described, catalogue)));
            }
            json!({ "oneOf": all })
        }
        Kind::Preset => json!({ "enum": catalogue.paradigms }),
    }
}

/// A joint or force of a kind from outside: the keys that any has, and its own.
fn outside(table: &'static Table, described: &Implementation, catalogue: &ModuleCatalogue) -> Json {
    let mut schema = table_schema(table, catalogue);
    schema["description"] = json!(match described.source {
        "" => described.summary.to_owned(),
        source => format!("{} ({source})", described.summary),
    });
    for p in described.parameters {
        schema["properties"][p.name] = parameter(p);
    }
    schema["properties"]["kind"] = json!({ "const": described.name });
    let mut required = schema["required"].as_array().cloned().unwrap_or_default();
    required.retain(|key| key != "kind");
    required.push(json!("kind"));
    schema["required"] = Json::Array(required);
    schema
}

/// A table of `[simulation]`: the settings of the implementation that it names; of any where it names none, which is then the preset's.
fn module(kind: ModuleKind, implementations: &[Implementation]) -> Json {
    let name_key = kind.name_key();
    let variants = implementations.iter().map(|i| {
        let mut properties = Map::new();
        properties.insert(name_key.to_owned(), json!({ "const": i.name }));
        for p in i.parameters {
            properties.insert(p.name.to_owned(), parameter(p));
        }
        let description = format!("{} ({})", i.summary, i.source);
        json!({ "description": description, "properties": properties, "required": [name_key], "additionalProperties": false })
    });
    let mut any = Map::new();
    for p in implementations.iter().flat_map(|i| i.parameters) {
        let one = parameter(p);
        let known = any.entry(p.name).or_insert_with(|| json!({ "anyOf": [] }));
        if let Some(list) = known["anyOf"].as_array_mut()
            && !list.contains(&one)
        {
            list.push(one);
        }
    }
    let unnamed = json!({
        "description": "settings of the preset's own implementation",
        "properties": any,
        "additionalProperties": false,
    });
    let named = variants.chain([unnamed]).map(|mut object| {
        object["type"] = json!("object");
        object
    });
    // a bare name is a table with the name alone
    let names: Vec<&str> = implementations.iter().map(|i| i.name).collect();
    let all: Vec<Json> = core::iter::once(json!({ "enum": names })).chain(named).collect();
    json!({ "anyOf": all })
}

fn parameter(p: &Parameter) -> Json {
    let mut schema = match p.kind {
        ParameterKind::Bool { .. } => json!({ "type": "boolean" }),
        ParameterKind::Integer { min, max, .. } => json!({ "type": "integer", "minimum": min, "maximum": max }),
        ParameterKind::Real { min, max, .. } => json!({ "type": "number", "minimum": min, "maximum": max }),
        ParameterKind::Choice { options, .. } => json!({ "enum": options }),
    };
    schema["description"] = json!(p.description());
    schema["default"] = match p.default_value() {
        Value::Bool(v) => json!(v),
        Value::Integer(v) => json!(v),
        Value::Real(v) => json!(v),
        Value::Text(v) => json!(v),
    };
    schema
}
