//! Settings of modules as the Python package hands them over.

use crate::error::{Done, Fail};
use drystone::{ModuleChoice, ModuleKind};
use drystone_core::catalogue::Value;
use serde_json::Value as Json;

/// `[[table, kind or null, {key: value}], …]`.
pub(crate) fn module_choices(text: &str) -> Done<Vec<ModuleChoice>> {
    let wrong = |what: &str| Fail::Input(format!("settings: {what}"));
    let list: Vec<(String, Option<String>, serde_json::Map<String, Json>)> =
        serde_json::from_str(text).map_err(|e| wrong(&e.to_string()))?;
    list.into_iter()
        .map(|(table, name, settings)| {
            let kind = ModuleKind::from_table(&table).ok_or_else(|| {
                let all: Vec<_> = ModuleKind::ALL.iter().map(|k| k.table()).collect();
                wrong(&format!("found the table '{table}'; allowed: {}", all.join(", ")))
            })?;
            let settings = settings
                .into_iter()
                .map(|(key, value)| {
                    let value = match value {
                        Json::Bool(v) => Value::Bool(v),
                        Json::String(v) => Value::Text(v),
                        Json::Number(v) => {
                            v.as_i64().map_or_else(|| Value::Real(v.as_f64().unwrap_or(f64::NAN)), Value::Integer)
                        }
                        other => {
                            return Err(wrong(&format!(
                                "{table}.{key}: found {other}; allowed: a number, a text or a truth value"
                            )));
                        }
                    };
                    Ok((key, value))
                })
                .collect::<Done<_>>()?;
            Ok(ModuleChoice { kind, name, settings })
        })
        .collect()
}
