use super::{Bounds, Expectation, Expectations, Guarded, Measure, Order, Ordering, Run};
use crate::document::Document;
use crate::fault::{FaultKind, SceneFaults};
use crate::model::{Cursor, Fields, Reading};
use std::path::Path;

impl Expectations {
    /// Reads a file.
    ///
    /// # Errors
    /// Every fault of the file.
    pub fn from_path(path: impl AsRef<Path>) -> Result<Self, SceneFaults> {
        Self::from_document(&Document::from_path(path)?)
    }

    /// Reads TOML text.
    ///
    /// # Errors
    /// Every fault of the text.
    pub fn from_toml_str(text: &str) -> Result<Self, SceneFaults> {
        Self::from_document(&Document::from_toml_str(text)?)
    }

    fn from_document(document: &Document) -> Result<Self, SceneFaults> {
        let mut r = Reading::new(document);
        let mut all = Self::default();
        if let Some(mut f) = Cursor::root(&document.root).fields(&mut r) {
            for c in f.get("expect").and_then(|c| c.items(&mut r)).unwrap_or_default() {
                all.expect.extend(read_expectation(&c, &mut r));
            }
            for c in f.get("ordering").and_then(|c| c.items(&mut r)).unwrap_or_default() {
                all.ordering.extend(read_ordering(&c, &mut r));
            }
            f.finish(&mut r);
        }
        r.faults.into_result(Some(all))
    }
}

fn read_expectation(c: &Cursor<'_>, r: &mut Reading) -> Option<Expectation> {
    let mut f = c.fields(r)?;
    let measure = read_measure(&mut f, r);
    let run = read_run(&mut f, r);
    let min = f.get("min").map(|c| c.real(r));
    let max = f.get("max").map(|c| c.real(r));
    let near = f.get("near").map(|c| c.real(r));
    let tolerance = f.get("tolerance").map(|c| c.not_negative(r));
    let fraction =
        f.get("fraction").map_or(Some(1.0), |c| c.real_where(|v| (0.0..=1.0).contains(&v), "a number from 0 to 1", r));
    let why = f.get("why").map_or(Some(""), |c| c.text(r));
    let guarded = read_guarded(&mut f, r);
    f.finish(r);
    let bounds = match (min, max, near, tolerance) {
        (None, None, Some(near), Some(tolerance)) => {
            let (near, tolerance) = (near?, tolerance?);
            Bounds { min: near - tolerance, max: near + tolerance }
        }
        (None, None, _, _) | (_, _, Some(_), _) | (_, _, _, Some(_)) => {
            let allowed = "min, max or both, or near with tolerance".to_owned();
            r.fault(c, FaultKind::Value { found: "other bounds".to_owned(), allowed });
            return None;
        }
        (min, max, None, None) => {
            Bounds { min: min.unwrap_or(Some(f64::NEG_INFINITY))?, max: max.unwrap_or(Some(f64::INFINITY))? }
        }
    };
    Some(Expectation {
        run: run?,
        measure: measure?,
        bounds,
        fraction: fraction?,
        why: why?.to_owned(),
        guarded: guarded?,
    })
}

fn read_ordering(c: &Cursor<'_>, r: &mut Reading) -> Option<Ordering> {
    let mut f = c.fields(r)?;
    let measure = read_measure(&mut f, r);
    let order = f.require("order", "one of falling, rising", r).and_then(|c| {
        Some(if c.choice(&["falling", "rising"], r)? == "falling" { Order::Falling } else { Order::Rising })
    });
    let runs = f.require("runs", "a list of two runs or more", r).and_then(|c| {
        let items = c.items(r)?;
        if items.len() < 2 {
            r.wrong(&c, "a list of two runs or more");
            return None;
        }
        let runs: Vec<_> = items
            .iter()
            .map(|c| {
                let mut f = c.fields(r)?;
                let run = read_run(&mut f, r);
                f.finish(r);
                run
            })
            .collect();
        runs.into_iter().collect::<Option<Vec<Run>>>()
    });
    let why = f.get("why").map_or(Some(""), |c| c.text(r));
    let guarded = read_guarded(&mut f, r);
    f.finish(r);
    Some(Ordering { runs: runs?, measure: measure?, order: order?, why: why?.to_owned(), guarded: guarded? })
}

fn read_guarded(f: &mut Fields<'_>, r: &mut Reading) -> Option<Guarded> {
    let experiment = f.get("experiment").map_or(Some(""), |c| c.text(r));
    let control = f.get("control").map_or(Some(false), |c| c.boolean(r));
    Some(Guarded { experiment: experiment?.to_owned(), control: control? })
}

fn read_run(f: &mut Fields<'_>, r: &mut Reading) -> Option<Run> {
    let paradigm = f.get("paradigm").map_or(Some(None), |c| c.text(r).map(|t| Some(t.to_owned())));
    let set = f.get("set").map_or(Some(Vec::new()), |c| {
        let items = c.items(r)?;
        let texts: Vec<_> = items
            .iter()
            .map(|i| {
                let text = i.text(r)?;
                if !text.contains('=') {
                    r.wrong(i, "a text of the form PATH=VALUE");
                    return None;
                }
                Some(text.to_owned())
            })
            .collect();
        texts.into_iter().collect()
    });
    let duration = f.get("duration").map_or(Some(None), |c| c.positive(r).map(Some));
    Some(Run { paradigm: paradigm?, set: set?, duration: duration? })
}

fn read_measure(f: &mut Fields<'_>, r: &mut Reading) -> Option<Measure> {
    let figure = f.get("figure").map(|c| c.text(r));
    let body = f.get("body").map(|c| c.text(r));
    let quantity = f.get("quantity").map(|c| c.text(r));
    match (figure, body, quantity) {
        (Some(figure), None, None) => Some(Measure::Figure(figure?.to_owned())),
        (None, Some(body), Some(quantity)) => {
            Some(Measure::Bodies { body: body?.to_owned(), quantity: quantity?.to_owned() })
        }
        _ => {
            let allowed = "figure, or body with quantity".to_owned();
            let at = f.cursor().clone();
            r.fault(&at, FaultKind::Value { found: "another measure".to_owned(), allowed });
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::InitialPositions;
    use super::*;
    use serde_json::json;

    const TEXT: &str = r#"
[[expect]]
figure = "penetration.final"
max = 0.01
[[expect]]
body = "box[*]"
quantity = "position.y"
near = 2.0
tolerance = 0.1
fraction = 0.5
experiment = "none"
control = true
[[ordering]]
figure = "penetration.final"
order = "falling"
runs = [{ set = ["a.b=1"] }, {}]
"#;

    #[test]
    fn holds_and_fails() {
        let e = Expectations::from_toml_str(TEXT).unwrap();
        assert_eq!(e.runs().len(), 2);
        assert_eq!(e.expect[1].guarded, Guarded { experiment: "none".to_owned(), control: true });
        let figures = |depth: f64, y: f64| {
            json!({"penetration": {"final": depth}, "final": [
                {"name": "box[0]", "position": [0.0, y, 0.0]}, {"name": "box[1]", "position": [0.0, 2.05, 0.0]},
                {"name": "boxes", "position": [0.0, 9.0, 0.0]}]})
        };
        let with = Run { set: vec!["a.b=1".to_owned()], ..Run::default() };
        let runs = [(Run::default(), figures(0.001, 7.0)), (with.clone(), figures(0.002, 7.0))];
        assert_eq!(e.failures(&runs, &InitialPositions::default()), Vec::<String>::new());
        let mut bad = e.clone();
        bad.expect[1].fraction = 1.0;
        let runs = [(Run::default(), figures(0.02, 7.0)), (with, figures(0.002, 7.0))];
        assert_eq!(bad.failures(&runs, &InitialPositions::default()).len(), 3);
    }

    #[test]
    fn faults_are_named() {
        for (text, word) in [
            ("[[expect]]\nfigure = 'x'", "bounds"),
            ("[[expect]]\nmax = 1", "figure"),
            ("[[expect]]\nfigure = 'x'\nmaximum = 1", "maximum"),
            ("[[ordering]]\nfigure = 'x'\norder = 'up'\nruns = []", "falling"),
        ] {
            let message = Expectations::from_toml_str(text).unwrap_err().to_string();
            assert!(message.contains(word), "{message}");
        }
    }
}
