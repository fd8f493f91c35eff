use super::data::{Figure, Run, Take};
use crate::experiments::runner::{Figures, Runner};
use crate::experiments::table::readable;
use serde_json::Value;
use std::collections::BTreeMap;
use std::rc::Rc;

/// Runs scenes, each run once.
pub(crate) struct Measurer<'a> {
    runner: &'a Runner,
    done: BTreeMap<(String, Vec<String>), Rc<Figures>>,
}

/// A body at the end of a run.
pub(crate) struct Place {
    /// Where it started.
    pub(crate) start: [f64; 3],
    pub(crate) position: [f64; 3],
    pub(crate) sleeping: bool,
}

impl<'a> Measurer<'a> {
    pub(crate) fn new(runner: &'a Runner) -> Self {
        Self { runner, done: BTreeMap::new() }
    }

    /// The figures of a run.
    pub(crate) fn figures(&mut self, run: &Run) -> Result<Rc<Figures>, String> {
        self.with(run, run.options())
    }

    /// A figure to three digits, as text.
    pub(crate) fn text(&mut self, figure: &Figure) -> Result<String, String> {
        self.number(figure).map(written)
    }

    /// Where the bodies of a name are at the end, in the order of the scene.
    pub(crate) fn places(&mut self, run: &Run, body: &str) -> Result<Vec<Place>, String> {
        let start = self.start(run)?;
        let figures = self.figures(run)?;
        let bodies = all_bodies(&figures).zip(all_bodies(&start));
        let places: Vec<Place> = bodies
            .filter(|(end, _)| matches(body, end))
            .map(|(end, start)| Place {
                start: triple(&start["position"]),
                position: triple(&end["position"]),
                sleeping: end["sleeping"] == true,
            })
            .collect();
        if places.is_empty() { Err(format!("{}: no body matches {body}", run.scene)) } else { Ok(places) }
    }

    /// A figure.
    pub(crate) fn number(&mut self, figure: &Figure) -> Result<f64, String> {
        let missing = || format!("{}: {}: no such figure", figure.run.scene, figure.what);
        if let Some(path) = &figure.path {
            let figures = self.figures(&figure.run)?;
            return number_at(&figures, path).ok_or_else(missing);
        }
        let (Some(body), Some(quantity)) = (&figure.body, &figure.quantity) else { return Err(missing()) };
        let (figures, start) = (self.figures(&figure.run)?, self.start(&figure.run)?);
        let values = quantities(&figures, &start, (body, quantity)).ok_or_else(missing)?;
        Ok(match figure.take {
            Take::Largest => values.iter().copied().fold(f64::NEG_INFINITY, f64::max),
            Take::Least => values.iter().copied().fold(f64::INFINITY, f64::min),
            Take::Mean => values.iter().sum::<f64>() / values.len() as f64,
            Take::Count => values.iter().filter(|v| **v != 0.0).count() as f64,
        })
    }

    /// A figure of a run with these options, as a list of one.
    pub(super) fn values_of_figure(
        &mut self,
        scene: &str,
        options: Vec<String>,
        path: &str,
    ) -> Result<Vec<f64>, String> {
        let figures = self.of_scene(scene, options)?;
        number_at(&figures, path).map(|v| vec![v]).ok_or_else(|| format!("{scene}: no figure {path}"))
    }

    /// A quantity of all bodies of a name at the end of a run with these options.
    pub(super) fn values_of_bodies(
        &mut self,
        scene: &str,
        options: Vec<String>,
        (body, quantity): (&str, &str),
    ) -> Result<Vec<f64>, String> {
        let mut before = options.clone();
        if let Some(duration) = before.iter().position(|o| o == "--duration") {
            before.drain(duration..duration + 2);
        }
        before.extend(["--steps".to_owned(), "0".to_owned()]);
        let (start, figures) = (self.of_scene(scene, before)?, self.of_scene(scene, options)?);
        quantities(&figures, &start, (body, quantity)).ok_or_else(|| format!("{scene}: no {quantity} of {body}"))
    }

    /// The same run before its first step.
    fn start(&mut self, run: &Run) -> Result<Rc<Figures>, String> {
        let mut options = Run { duration: None, ..run.clone() }.options();
        options.extend(["--steps".to_owned(), "0".to_owned()]);
        self.with(run, options)
    }

    fn with(&mut self, run: &Run, options: Vec<String>) -> Result<Rc<Figures>, String> {
        self.of_scene(&run.scene, options)
    }

    fn of_scene(&mut self, scene: &str, options: Vec<String>) -> Result<Rc<Figures>, String> {
        let key = (scene.to_owned(), options);
        if let Some(done) = self.done.get(&key) {
            return Ok(done.clone());
        }
        let figures = self.runner.figures(scene, &key.1)?;
        let figures = Rc::new(figures.map_err(|why| format!("{scene} {}: {why}", key.1.join(" ")))?);
        self.done.insert(key, figures.clone());
        Ok(figures)
    }
}

/// Three digits, integers as they are.
pub(crate) fn written(value: f64) -> String {
    if value.fract() == 0.0 && value.abs() < 1e6 { format!("{value}") } else { readable(&format!("{value:.2e}")) }
}

/// A figure by the path of its keys.
fn number_at(figures: &Figures, path: &str) -> Option<f64> {
    let inner = |v: &'_ Value, key: &str| v.get(key).or_else(|| v.get(key.parse::<usize>().ok()?)).cloned();
    path.split('.').try_fold(figures.value().clone(), |v, key| inner(&v, key))?.as_f64()
}

/// A quantity of all bodies of a name, given the figures at the end and before the first step; `None` if there is none.
fn quantities(figures: &Figures, start: &Figures, (body, quantity): (&str, &str)) -> Option<Vec<f64>> {
    let bodies = all_bodies(figures).zip(all_bodies(start)).filter(|(end, _)| matches(body, end));
    let values: Option<Vec<f64>> = bodies.map(|(end, start)| value_of(end, start, quantity)).collect();
    values.filter(|v| !v.is_empty())
}

fn all_bodies(figures: &Figures) -> impl Iterator<Item = &Value> {
    figures.value()["final"].as_array().into_iter().flatten()
}

fn matches(pattern: &str, body: &Value) -> bool {
    let name = body["name"].as_str().unwrap_or_default();
    match pattern.strip_suffix("[*]") {
        None => name == pattern || pattern == "*",
        Some(base) => name.strip_prefix(base).is_some_and(|rest| rest.starts_with('[')),
    }
}

fn triple(value: &Value) -> [f64; 3] {
    [0, 1, 2].map(|i| value[i].as_f64().unwrap_or(f64::NAN))
}

fn value_of(body: &Value, start: &Value, quantity: &str) -> Option<f64> {
    if quantity == "sleeping" {
        return body["sleeping"].as_bool().map(f64::from);
    }
    let (vector, part) = quantity.split_once('.').unwrap_or((quantity, "length"));
    let values = if vector == "displacement" {
        let (end, start) = (triple(&body["position"]), triple(&start["position"]));
        [end[0] - start[0], end[1] - start[1], end[2] - start[2]]
    } else {
        triple(body.get(vector)?)
    };
    Some(match part {
        "length" => values.iter().map(|v| v * v).sum::<f64>().sqrt(),
        "horizontal" => values[0].hypot(values[2]),
        "x" => values[0],
        "y" => values[1],
        "z" => values[2],
        _ => return None,
    })
}
