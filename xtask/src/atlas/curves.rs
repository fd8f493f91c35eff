use super::data::{Curve, Figure, Kind, Run, Series, Take};
use super::measure::Measurer;
use super::plot::{Axis, Line, Tile, lines, tiles};
use crate::experiments::runner::set;

/// The picture of an experiment, as SVG.
pub(crate) fn draw(measurer: &mut Measurer, curve: &Curve, title: &str) -> Result<String, String> {
    let axis = |label: &str, logarithmic: bool| Axis { label: label.to_owned(), logarithmic };
    match &curve.kind {
        Kind::Profile { body } => {
            let line = |s: &Series| {
                let places = measurer.places(&s.run, body)?;
                let points = places.iter().map(|p| {
                    let aside = [0, 2].map(|i| p.position[i] - p.start[i]);
                    [aside[0].hypot(aside[1]), p.position[1]]
                });
                Ok(Line { name: s.name.clone(), points: points.collect() })
            };
            let all: Result<Vec<_>, String> = curve.series.iter().map(line).collect();
            Ok(lines(title, &[axis("moved aside, m", false), axis("height, m", false)], &all?))
        }
        Kind::Side { body, half } => {
            let panel = |s: &Series| {
                let places = measurer.places(&s.run, body)?;
                let tile = |p: &super::measure::Place| Tile {
                    centre: [p.position[0], p.position[1]],
                    half: *half,
                    filled: p.sleeping,
                };
                Ok((s.name.clone(), places.iter().map(tile).collect()))
            };
            let all: Result<Vec<_>, String> = curve.series.iter().map(panel).collect();
            Ok(tiles(title, &all?))
        }
        Kind::Sweep { setting, values, figure, label } => {
            let line = |s: &Series| swept(measurer, s, (setting.as_str(), values.as_slice()), figure);
            let all: Result<Vec<_>, String> = curve.series.iter().map(line).collect();
            let name = setting.rsplit('.').next().unwrap_or(setting);
            Ok(lines(title, &[axis(name, true), axis(label, true)], &all?))
        }
        Kind::Time { values, body, quantity, label } => {
            let figure = |s: &Series, t: f64| Figure {
                what: label.clone(),
                run: Run { duration: Some(t), ..s.run.clone() },
                path: None,
                body: Some(body.clone()),
                quantity: Some(quantity.clone()),
                take: Take::Largest,
                long: true,
            };
            let line = |s: &Series| {
                let point = |t: &f64| Ok([*t, measurer.number(&figure(s, *t))?]);
                let points: Result<Vec<_>, String> = values.iter().map(point).collect();
                Ok(Line { name: s.name.clone(), points: points? })
            };
            let all: Result<Vec<_>, String> = curve.series.iter().map(line).collect();
            Ok(lines(title, &[axis("time, s", false), axis(label, false)], &all?))
        }
    }
}

/// A figure of a run over the values of a setting.
fn swept(measurer: &mut Measurer, s: &Series, (setting, values): (&str, &[f64]), figure: &str) -> Result<Line, String> {
    let point = |v: &f64| {
        let mut run = s.run.clone();
        run.set.extend(set(setting, v).into_iter().skip(1));
        let figures = measurer.figures(&run)?;
        let keys: Vec<&str> = figure.split('.').collect();
        Ok([*v, figures.number(&keys)])
    };
    let points: Result<Vec<_>, String> = values.iter().map(point).collect();
    Ok(Line { name: s.name.clone(), points: points? })
}
