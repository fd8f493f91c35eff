use super::Measure;
use drystone_core::{BodyIndex, Configuration, State};
use drystone_math::elementary::hypot;
use serde_json::Value;
use std::collections::BTreeMap;
use thiserror::Error;

/// Initial positions of bodies: displacements are measured from them.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct InitialPositions(BTreeMap<String, [f64; 3]>);

impl InitialPositions {
    /// Of a configuration in its initial state; `names` are the bodies', in the order of the columns.
    pub fn of(configuration: &Configuration, state: &State, names: &[String]) -> Self {
        let place = |(i, name): (usize, &String)| {
            let index = BodyIndex::new(i);
            let frame = configuration.body(index).frame(&state.pose(index));
            (name.clone(), frame.position.to_array())
        };
        Self(names.iter().enumerate().take(state.len()).map(place).collect())
    }
}

/// Why something cannot be measured.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum MeasureError {
    /// No such figure, or not a number.
    #[error("the figures have no number '{0}'")]
    Figure(String),
    /// No body of that name.
    #[error("no body matches '{0}'")]
    Body(String),
    /// No such quantity of a body.
    #[error("a body has no quantity '{0}'")]
    Quantity(String),
}

/// The values of a measure, with the names of what has them.
pub(super) fn measure(
    measure: &Measure,
    figures: &Value,
    initial: &InitialPositions,
) -> Result<Vec<(String, f64)>, MeasureError> {
    match measure {
        Measure::Figure(path) => {
            let value = path.split('.').try_fold(figures, |at, key| {
                // a list is entered with a number
                at.get(key).or_else(|| at.get(key.parse::<usize>().ok()?))
            });
            let number = value.and_then(number).ok_or_else(|| MeasureError::Figure(path.clone()))?;
            Ok(vec![(path.clone(), number)])
        }
        Measure::Bodies { body, quantity } => {
            let all = figures.get("final").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
            let matching = all.iter().filter_map(|b| Some((b.get("name")?.as_str()?, b)));
            let values: Result<Vec<_>, _> = matching
                .filter(|(name, _)| matches(body, name))
                .map(|(name, b)| {
                    let value = quantity_of(b, name, quantity, initial);
                    value.map(|v| (name.to_owned(), v)).ok_or_else(|| MeasureError::Quantity(quantity.clone()))
                })
                .collect();
            let values = values?;
            if values.is_empty() { Err(MeasureError::Body(body.clone())) } else { Ok(values) }
        }
    }
}

fn number(value: &Value) -> Option<f64> {
    value.as_f64().or_else(|| value.as_bool().map(f64::from))
}

/// Returns true if a name is the pattern, or a copy of a body that the pattern names.
fn matches(pattern: &str, name: &str) -> bool {
    match pattern.strip_suffix("[*]") {
        None => pattern == name || pattern == "*",
        Some(base) => name.strip_prefix(base).is_some_and(|rest| rest.starts_with('[') && rest.ends_with(']')),
    }
}

fn quantity_of(body: &Value, name: &str, quantity: &str, initial: &InitialPositions) -> Option<f64> {
    let (vector, part) = quantity.split_once('.').unwrap_or((quantity, "length"));
    if quantity == "sleeping" {
        return number(body.get("sleeping")?);
    }
    let displaced = vector == "displacement";
    let mut values: Vec<f64> =
        body.get(if displaced { "position" } else { vector })?.as_array()?.iter().map(number).collect::<Option<_>>()?;
    if displaced {
        values.iter_mut().zip(initial.0.get(name)?).for_each(|(v, start)| *v -= start);
    }
    let part = match part {
        "length" => return Some(values.iter().map(|v| v * v).sum::<f64>().sqrt()),
        "horizontal" => return Some(hypot(*values.first()?, *values.get(2)?)),
        "x" => 0,
        "y" => 1,
        "z" => 2,
        "w" => 3,
        _ => return None,
    };
    values.get(part).copied()
}
