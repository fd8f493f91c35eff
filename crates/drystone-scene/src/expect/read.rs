use super::{Bounds, Expectation, Expectations, Guarded, Measure, Order, Ordering, Run};
use crate::document::Document;
use crate::fault::{FaultKind, SceneFaults};
use crate::model::declare::{Chosen, InContext, Key, Kind, Range, Table, texts};
use crate::model::{Cursor, Fields, Reading};
use drystone_math::Real;
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
        if let Some(f) = Cursor::root(&document.root).fields(&FILE, &mut r) {
            for c in f.find(&EXPECT, &mut r).and_then(|c| c.items(&mut r)).unwrap_or_default() {
                all.expect.extend(read_expectation(&c, &mut r));
            }
            for c in f.find(&ORDERING, &mut r).and_then(|c| c.items(&mut r)).unwrap_or_default() {
                all.ordering.extend(read_ordering(&c, &mut r));
            }
            f.finish(&mut r);
        }
        r.faults.into_result(Some(all))
    }
}

const ANY: Kind = Kind::Number(Range::Any);
static EXPECT: Key<InContext> =
    Key::section("expect", Kind::List(&Kind::Table(&EXPECTATION), 0, None), "what must come out of single runs");
static ORDERING: Key<InContext> = Key::section(
    "ordering",
    Kind::List(&Kind::Table(&ORDERED_RUNS), 0, None),
    "figures that must fall or rise from run to run",
);
static FIGURE: Key<Option<String>> = Key::optional("figure", Kind::Text, "", "path of a figure of `run --json`");
static BODY: Key<Option<String>> =
    Key::optional("body", Kind::Text, "", "a body's name, `*` for any text; with `quantity`, in the place of `figure`");
static QUANTITY: Key<Option<String>> = Key::optional("quantity", Kind::Text, "", "what of the body, like `position.y`");
static MIN: Key<Option<Real>> = Key::optional("min", ANY, "", "least value");
static MAX: Key<Option<Real>> = Key::optional("max", ANY, "", "largest value");
static NEAR: Key<Option<Real>> = Key::optional("near", ANY, "", "the value, within `tolerance`");
static TOLERANCE: Key<Option<Real>> =
    Key::optional("tolerance", Kind::Number(Range::NotNegative), "", "how far from `near` it may be");
static FRACTION: Key<Real> =
    Key::or("fraction", Kind::Number(Range::Fraction), 1.0, "", "fraction of the bodies for which it must hold");
static WHY: Key<Option<String>> = Key::optional("why", Kind::Text, "", "the reason, for whoever sees it fail");
static EXPERIMENT: Key<Option<String>> =
    Key::optional("experiment", Kind::Text, "", "the experiment of the source texts that it guards");
static CONTROL: Key<bool> =
    Key::or("control", Kind::Flag, false, "", "whether the run goes without what the experiment credits");
static PARADIGM: Key<Option<String>> = Key::optional("paradigm", Kind::Text, "", "another preset than the scene's");
static SET: Key<Vec<String>> =
    Key::or("set", Kind::List(&Kind::Text, 0, None), Vec::new(), "", "values that are set: texts PATH=VALUE");
static DURATION: Key<Option<Real>> =
    Key::optional("duration", Kind::Number(Range::Positive), "s", "simulated time; the scene's where it is left out");
impl Chosen for Order {
    const CHOICES: &'static [(&'static str, Self)] = &[("falling", Self::Falling), ("rising", Self::Rising)];
}
static ORDER: Key<Order> = Key::required("order", Kind::Choice(&texts::<Order, 2>()), "", "which way");
static RUNS: Key<InContext> = Key {
    name: "runs",
    kind: Kind::List(&Kind::Table(&RUN), 2, None),
    unit: "",
    doc: "the runs, in order",
    default: None,
};

static RUN: Table = Table { name: "run", doc: "A run.", keys: &[&PARADIGM, &SET, &DURATION], one: false, example: "" };
static EXPECTATION: Table = Table {
    name: "expectation",
    doc: "A bound on a figure of a run.",
    keys: &[
        &FIGURE,
        &BODY,
        &QUANTITY,
        &PARADIGM,
        &SET,
        &DURATION,
        &MIN,
        &MAX,
        &NEAR,
        &TOLERANCE,
        &FRACTION,
        &WHY,
        &EXPERIMENT,
        &CONTROL,
    ],
    one: false,
    example: "",
};
static ORDERED_RUNS: Table = Table {
    name: "ordering",
    doc: "A figure that falls or rises from run to run.",
    keys: &[&FIGURE, &BODY, &QUANTITY, &ORDER, &RUNS, &WHY, &EXPERIMENT, &CONTROL],
    one: false,
    example: "",
};
static FILE: Table = Table {
    name: "expectations",
    doc: "What must come out of a scene.",
    keys: &[&EXPECT, &ORDERING],
    one: false,
    example: "",
};

fn read_expectation(c: &Cursor<'_>, r: &mut Reading) -> Option<Expectation> {
    let f = c.fields(&EXPECTATION, r)?;
    let measure = read_measure(&f, r);
    let run = read_run(&f, r);
    let [min, max, near, tolerance] = [&MIN, &MAX, &NEAR, &TOLERANCE].map(|key| f.read(key, r));
    let (fraction, why) = (f.read(&FRACTION, r), f.read(&WHY, r));
    let guarded = read_guarded(&f, r);
    f.finish(r);
    let bounds = match (min?, max?, near?, tolerance?) {
        (None, None, Some(near), Some(tolerance)) => Bounds { min: near - tolerance, max: near + tolerance },
        (None, None, _, _) | (_, _, Some(_), _) | (_, _, _, Some(_)) => {
            let allowed = "min, max or both, or near with tolerance".to_owned();
            r.fault(c, FaultKind::Value { found: "other bounds".to_owned(), allowed });
            return None;
        }
        (min, max, None, None) => Bounds { min: min.unwrap_or(Real::NEG_INFINITY), max: max.unwrap_or(Real::INFINITY) },
    };
    let why = why?.unwrap_or_default();
    Some(Expectation { run: run?, measure: measure?, bounds, fraction: fraction?, why, guarded: guarded? })
}

fn read_ordering(c: &Cursor<'_>, r: &mut Reading) -> Option<Ordering> {
    let f = c.fields(&ORDERED_RUNS, r)?;
    let measure = read_measure(&f, r);
    let order = f.read(&ORDER, r);
    let runs = f.find(&RUNS, r).and_then(|c| {
        let items = c.items(r)?;
        if items.len() < 2 {
            r.wrong(&c, "a list of two runs or more");
            return None;
        }
        let runs: Vec<_> = items
            .iter()
            .map(|c| {
                let f = c.fields(&RUN, r)?;
                let run = read_run(&f, r);
                f.finish(r);
                run
            })
            .collect();
        runs.into_iter().collect::<Option<Vec<Run>>>()
    });
    let why = f.read(&WHY, r);
    let guarded = read_guarded(&f, r);
    f.finish(r);
    let why = why?.unwrap_or_default();
    Some(Ordering { runs: runs?, measure: measure?, order: order?, why, guarded: guarded? })
}

fn read_guarded(f: &Fields<'_>, r: &mut Reading) -> Option<Guarded> {
    let (experiment, control) = (f.read(&EXPERIMENT, r), f.read(&CONTROL, r));
    Some(Guarded { experiment: experiment?.unwrap_or_default(), control: control? })
}

fn read_run(f: &Fields<'_>, r: &mut Reading) -> Option<Run> {
    let (paradigm, set, duration) = (f.read(&PARADIGM, r), f.read(&SET, r), f.read(&DURATION, r));
    let set = set?;
    if set.iter().any(|text| !text.contains('=')) {
        r.wrong(&f.named(SET.name)?, "texts of the form PATH=VALUE");
        return None;
    }
    Some(Run { paradigm: paradigm?, set, duration: duration? })
}

fn read_measure(f: &Fields<'_>, r: &mut Reading) -> Option<Measure> {
    let (figure, body, quantity) = (f.read(&FIGURE, r), f.read(&BODY, r), f.read(&QUANTITY, r));
    match (figure?, body?, quantity?) {
        (Some(figure), None, None) => Some(Measure::Figure(figure)),
        (None, Some(body), Some(quantity)) => Some(Measure::Bodies { body, quantity }),
        _ => {
            let allowed = "figure, or body with quantity".to_owned();
            r.fault(f.cursor(), FaultKind::Value { found: "another measure".to_owned(), allowed });
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
