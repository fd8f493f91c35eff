use drystone_scene::figures::FrameLine;
use std::fmt::Write;

/// Size of a panel, and of the margin to its left and above (px).
const PANEL: [f64; 2] = [640.0, 150.0];
const MARGIN: [f64; 2] = [90.0, 34.0];

/// Contribution of a recorded frame to the curves.
#[derive(Debug, Clone, Copy)]
struct Sample {
    time: f64,
    kinetic: f64,
    potential: f64,
    penetration: f64,
    residual: Option<f64>,
}

/// Energy, penetration and residual of a run over time, as a drawing.
#[derive(Debug, Default)]
pub(crate) struct Plot {
    samples: Vec<Sample>,
}

struct Curve {
    name: &'static str,
    color: &'static str,
    points: Vec<[f64; 2]>,
}

impl Plot {
    pub(crate) fn push(&mut self, frame: &FrameLine) {
        let FrameLine { time, kinetic, potential, penetration, residual, .. } = *frame;
        self.samples.push(Sample { time, kinetic, potential, penetration, residual });
    }

    /// As SVG, readable on light and on dark ground.
    pub(crate) fn to_svg(&self, title: &str) -> String {
        let of = |name, color, value: &dyn Fn(&Sample) -> Option<f64>| Curve {
            name,
            color,
            points: self.samples.iter().filter_map(|s| Some([s.time, value(s)?])).collect(),
        };
        let panels = [
            (
                "energy (J)",
                vec![
                    of("total", "#1f77b4", &|s| Some(s.kinetic + s.potential)),
                    of("kinetic", "#d62728", &|s| Some(s.kinetic)),
                    of("potential", "#2ca02c", &|s| Some(s.potential)),
                ],
            ),
            ("deepest penetration (m)", vec![of("penetration", "#9467bd", &|s| Some(s.penetration))]),
            ("residual, fraction of what gravity adds per step", vec![of("residual", "#ff7f0e", &|s| s.residual)]),
        ];
        let (width, height) = (MARGIN[0] + PANEL[0] + 20.0, 3.0 * (PANEL[1] + MARGIN[1]) + 60.0);
        let mut out = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" font-family=\"sans-serif\" font-size=\"12\">\n\
             <rect width=\"{width}\" height=\"{height}\" fill=\"#fff\"/>\n\
             <text x=\"{}\" y=\"20\" font-size=\"15\">{}</text>\n",
            MARGIN[0],
            escaped(title)
        );
        let last = self.samples.last().map_or(1.0, |s| s.time);
        let first = self.samples.first().map_or(0.0, |s| s.time);
        for (k, (name, curves)) in panels.iter().enumerate() {
            panel(&mut out, name, curves, [first, last], 30.0 + k as f64 * (PANEL[1] + MARGIN[1]));
        }
        let bottom = height - 12.0;
        let _ = writeln!(out, "<text x=\"{}\" y=\"{bottom}\" text-anchor=\"end\">time (s)</text>", width - 20.0);
        out + "</svg>\n"
    }
}

/// One panel with its curves, from `top` downwards.
fn panel(out: &mut String, name: &str, curves: &[Curve], time: [f64; 2], top: f64) {
    let values = || curves.iter().flat_map(|c| &c.points).map(|p| p[1]).filter(|v| v.is_finite());
    let (mut low, mut high) = values().fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), v| (l.min(v), h.max(v)));
    if low > high {
        (low, high) = (0.0, 1.0);
    }
    if high - low < 1e-12 * high.abs().max(1e-12) {
        (low, high) = (low - 0.5, high + 0.5);
    }
    let (x0, y0) = (MARGIN[0], top + MARGIN[1] - 12.0);
    let span = (time[1] - time[0]).max(1e-300);
    let x = |t: f64| x0 + (t - time[0]) / span * PANEL[0];
    let y = |v: f64| y0 + (high - v) / (high - low) * PANEL[1];
    let _ = writeln!(out, "<text x=\"{x0}\" y=\"{}\">{name}</text>", y0 - 5.0);
    let (w, h) = (PANEL[0], PANEL[1]);
    let _ = writeln!(out, "<rect x=\"{x0}\" y=\"{y0}\" width=\"{w}\" height=\"{h}\" fill=\"none\" stroke=\"#888\"/>");
    for (value, at) in [(high, y0 + 10.0), (low, y0 + h)] {
        let _ = writeln!(out, "<text x=\"{}\" y=\"{at:.1}\" text-anchor=\"end\">{value:.4e}</text>", x0 - 6.0);
    }
    for (value, anchor) in [(time[0], "start"), (time[1], "end")] {
        let (at, below) = (x(value), y0 + h + 13.0);
        let _ = writeln!(out, "<text x=\"{at:.1}\" y=\"{below:.1}\" text-anchor=\"{anchor}\">{value:.3}</text>");
    }
    for (k, curve) in curves.iter().enumerate() {
        let color = curve.color;
        let finite = curve.points.iter().filter(|p| p[1].is_finite());
        let points: Vec<String> = finite.map(|p| format!("{:.2},{:.2}", x(p[0]), y(p[1]))).collect();
        let _ = writeln!(
            out,
            "<polyline fill=\"none\" stroke=\"{color}\" stroke-width=\"1.5\" points=\"{}\"/>",
            points.join(" ")
        );
        if curves.len() > 1 {
            let (at, above) = (x0 + w - 70.0 * (curves.len() - k) as f64, y0 - 5.0);
            let _ = writeln!(out, "<text x=\"{at}\" y=\"{above}\" fill=\"{color}\">{}</text>", curve.name);
        }
    }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A constant quantity is a level line in the middle of its panel, half above and half below.
    #[test]
    fn a_level_curve_stands_in_the_middle() {
        let mut plot = Plot::default();
        for time in [0.0, 0.5, 1.0] {
            plot.push(&FrameLine { time, penetration: 3.0, ..FrameLine::default() });
        }
        let svg = plot.to_svg("level");
        let own = svg.split("deepest penetration").nth(1).unwrap();
        let top: f64 = own.split(" y=\"").nth(1).unwrap().split('"').next().unwrap().parse().unwrap();
        let middle = top + 0.5 * PANEL[1];
        let right = MARGIN[0] + PANEL[0];
        let line = own.split("points=\"").nth(1).unwrap().split('"').next().unwrap();
        let x = |part: f64| MARGIN[0] + part * PANEL[0];
        assert_eq!(line, format!("{:.2},{middle:.2} {:.2},{middle:.2} {right:.2},{middle:.2}", x(0.0), x(0.5)));
        assert!(own.contains(">3.5000e0<") && own.contains(">2.5000e0<"), "{own}");
    }
}
