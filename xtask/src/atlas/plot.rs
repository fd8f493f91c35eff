use std::fmt::Write;

const WIDTH: f64 = 460.0;
const HEIGHT: f64 = 300.0;
const LEFT: f64 = 62.0;
const RIGHT: f64 = 130.0;
const TOP: f64 = 28.0;
const BOTTOM: f64 = 44.0;
const COLOURS: [&str; 6] = ["#0b5394", "#cc4125", "#38761d", "#b45f06", "#674ea7", "#555555"];

/// An axis of a chart.
pub(crate) struct Axis {
    pub(crate) label: String,
    pub(crate) logarithmic: bool,
}

/// Points under a name, joined in their order.
pub(crate) struct Line {
    pub(crate) name: String,
    pub(crate) points: Vec<[f64; 2]>,
}

/// A rectangle: its centre, half its extent, and whether it is filled.
pub(crate) struct Tile {
    pub(crate) centre: [f64; 2],
    pub(crate) half: [f64; 2],
    pub(crate) filled: bool,
}

/// Lines in a frame with axes, as SVG. Points that are not numbers, or not positive on a logarithmic axis, are left out.
pub(crate) fn lines(title: &str, axes: &[Axis; 2], lines: &[Line]) -> String {
    let scaled: Vec<Vec<[f64; 2]>> =
        lines.iter().map(|l| l.points.iter().filter_map(|p| scale(axes, p)).collect()).collect();
    let ranges = [0, 1].map(|i| range(scaled.iter().flatten().map(|p| p[i])));
    let place = |p: &[f64; 2]| {
        let part = [0, 1].map(|i| (p[i] - ranges[i].0) / (ranges[i].1 - ranges[i].0));
        [LEFT + part[0] * (WIDTH - LEFT - RIGHT), HEIGHT - BOTTOM - part[1] * (HEIGHT - TOP - BOTTOM)]
    };
    let mut out = head(title, WIDTH, HEIGHT);
    let (right, bottom) = (WIDTH - RIGHT, HEIGHT - BOTTOM);
    let _ = writeln!(out, r#"<path d="M{LEFT},{TOP}V{bottom}H{right}" fill="none" stroke="black"/>"#);
    for (i, axis) in axes.iter().enumerate() {
        let scale = if axis.logarithmic { Scale::Logarithmic } else { Scale::Linear };
        for tick in ticks(ranges[i], scale) {
            let mut p = [ranges[0].0, ranges[1].0];
            p[i] = tick;
            let [x, y] = place(&p);
            let text = label(if axis.logarithmic { 10f64.powf(tick) } else { tick });
            let _ = if i == 0 {
                writeln!(out, r#"<text x="{x:.1}" y="{:.1}" text-anchor="middle">{text}</text>"#, bottom + 15.0)
            } else {
                writeln!(out, r#"<text x="{:.1}" y="{:.1}" text-anchor="end">{text}</text>"#, LEFT - 5.0, y + 4.0)
            };
        }
    }
    let middle = LEFT.midpoint(right);
    let _ = writeln!(
        out,
        r#"<text x="{middle}" y="{}" text-anchor="middle">{}</text>"#,
        HEIGHT - 8.0,
        escape(&axes[0].label)
    );
    let y = TOP.midpoint(bottom);
    let _ = writeln!(
        out,
        r#"<text transform="translate(14,{y}) rotate(-90)" text-anchor="middle">{}</text>"#,
        escape(&axes[1].label)
    );
    for (i, (line, points)) in lines.iter().zip(&scaled).enumerate() {
        let colour = COLOURS[i % COLOURS.len()];
        let places: Vec<String> = points.iter().map(&place).map(|[x, y]| format!("{x:.1},{y:.1}")).collect();
        let _ = writeln!(out, r#"<polyline points="{}" fill="none" stroke="{colour}"/>"#, places.join(" "));
        for at in points.iter().map(&place) {
            let _ = writeln!(out, r#"<circle cx="{:.1}" cy="{:.1}" r="2" fill="{colour}"/>"#, at[0], at[1]);
        }
        let y = TOP + 14.0 * i as f64 + 6.0;
        let _ = writeln!(out, r#"<text x="{}" y="{y}" fill="{colour}">{}</text>"#, right + 8.0, escape(&line.name));
    }
    out + "</svg>\n"
}

/// Panels of tiles, one above another, all to the same scale.
pub(crate) fn tiles(title: &str, panels: &[(String, Vec<Tile>)]) -> String {
    const PANEL: f64 = 150.0;
    let all = || panels.iter().flat_map(|(_, tiles)| tiles);
    let bound = |i: usize| range(all().flat_map(move |t| [t.centre[i] - t.half[i], t.centre[i] + t.half[i]]));
    let (x, y) = (bound(0), bound(1));
    let scale = ((WIDTH - 20.0) / (x.1 - x.0)).min((PANEL - 30.0) / (y.1 - y.0));
    let mut out = head(title, WIDTH, TOP + PANEL * panels.len() as f64);
    for (i, (name, tiles)) in panels.iter().enumerate() {
        let floor = TOP + PANEL * (i + 1) as f64 - 8.0;
        let _ = writeln!(out, r#"<text x="10" y="{}">{}</text>"#, floor - PANEL + 20.0, escape(name));
        for t in tiles {
            let left = 10.0 + (t.centre[0] - t.half[0] - x.0) * scale;
            let top = floor - (t.centre[1] + t.half[1] - y.0) * scale;
            let size = t.half.map(|h| 2.0 * h * scale);
            let fill = if t.filled { "#9fc5e8" } else { "#f4b183" };
            let _ = writeln!(
                out,
                r#"<rect x="{left:.1}" y="{top:.1}" width="{:.1}" height="{:.1}" fill="{fill}" stroke="black" stroke-width="0.4"/>"#,
                size[0], size[1]
            );
        }
    }
    out + "</svg>\n"
}

fn head(title: &str, width: f64, height: f64) -> String {
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" font-family=\"sans-serif\" \
         font-size=\"11\">\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n<text x=\"{LEFT}\" y=\"16\" \
         font-weight=\"bold\">{}</text>\n",
        escape(title)
    )
}

fn scale(axes: &[Axis; 2], point: &[f64; 2]) -> Option<[f64; 2]> {
    let scaled = [0, 1].map(|i| if axes[i].logarithmic { point[i].log10() } else { point[i] });
    scaled.iter().all(|v| v.is_finite()).then_some(scaled)
}

/// Least and largest, apart from each other.
fn range(values: impl Iterator<Item = f64>) -> (f64, f64) {
    let (low, high) = values.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), v| (l.min(v), h.max(v)));
    if low < high {
        (low, high)
    } else if low == high {
        (low - 0.5, high + 0.5)
    } else {
        (0.0, 1.0)
    }
}

/// How far along an axis a value lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Scale {
    Linear,
    Logarithmic,
}

/// Round numbers, or whole powers of ten.
fn ticks((low, high): (f64, f64), scale: Scale) -> Vec<f64> {
    let rough = (high - low) / 4.0;
    let power = 10f64.powf(rough.log10().floor());
    let mut step = [1.0, 2.0, 5.0, 10.0].map(|m| m * power).into_iter().find(|s| *s >= rough).unwrap_or(rough);
    if scale == Scale::Logarithmic {
        step = step.max(1.0).round();
    }
    let (first, last) = ((low / step).ceil() as i64, (high / step + 1e-9).floor() as i64);
    (first..=last).map(|i| i as f64 * step).collect()
}

fn label(value: f64) -> String {
    if value == 0.0 || (1e-3..1e5).contains(&value.abs()) {
        let text = format!("{value:.3}");
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    } else {
        format!("{value:.0e}")
    }
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_and_inside() {
        assert_eq!(ticks((0.0, 10.0), Scale::Linear), [0.0, 5.0, 10.0]);
        assert_eq!(ticks((1.0, 4.0), Scale::Logarithmic), [1.0, 2.0, 3.0, 4.0]);
        assert_eq!(ticks((-0.2, 0.3), Scale::Linear), [-0.2, 0.0, 0.2]);
    }

    #[test]
    fn points_that_cannot_be_drawn_are_left_out() {
        let axes = [("x", true), ("y", false)].map(|(l, logarithmic)| Axis { label: l.to_owned(), logarithmic });
        let line =
            Line { name: "a < b".to_owned(), points: vec![[0.0, 1.0], [1.0, 2.0], [10.0, f64::NAN], [100.0, 3.0]] };
        let svg = lines("t", &axes, &[line]);
        assert_eq!(svg.matches("<circle").count(), 2);
        assert!(svg.contains("a &lt; b") && !svg.contains("NaN") && !svg.contains("inf"));
    }
}
