/** Curves of all panes over time. */

import { make, short } from "./dom";
import { figureNames } from "./engine";
import type { Pane } from "./pane";
import { paintResiduals } from "./residuals";
import { isDark } from "./theme";

/** What is drawn, and on which scale. */
const CURVES: [key: string, logarithmic: boolean][] = [
  ["energy", false],
  ["penetration", true],
  ["joint", true],
  ["residual", true],
  ["ms", false],
  ["contacts", false],
  ["iterations", false],
];

/** While the worlds run, the history of iterations may take one part in this many of the time. */
const SHARE = 25;

/** What lies below this is drawn at the bottom of a logarithmic scale. */
const LEAST = 1e-12;

/** Least range of a linear scale, of the value that it is about. */
const LEAST_RANGE = 1e-8;

export class Curves {
  readonly element = make("div", { className: "curves" });
  private readonly plots = CURVES.map(([key, logarithmic]) => {
    const at = figureNames.findIndex(([k]) => k === key);
    const [, label, unit] = figureNames[at];
    const canvas = make("canvas", { role: "img", "aria-label": `${label} of all panes over time` });
    const figure = make("figure", {}, make("figcaption", {}, unit ? `${label} (${unit})` : label), canvas);
    this.element.append(figure);
    return { at, logarithmic, canvas, figure };
  });
  private readonly canvas = make("canvas", { role: "img", "aria-label": "residual over iterations" });
  private readonly said = make("span");
  private readonly residuals = make("figure", { className: "residuals" }, make("figcaption", {}, "residual over iterations, largest problem of the next step", this.said), this.canvas);
  private last = 0;
  /** What the history of iterations was made of, when, and how long it took (ms). */
  private made = { of: "", at: -Infinity, took: 0 };

  constructor() {
    this.element.append(this.residuals);
  }

  /** At most ten times a second: curves are slow to draw and slow to read. */
  draw(panes: Pane[], now: number, playing: boolean): void {
    if (now - this.last < 100 || this.element.offsetParent === null) return;
    this.last = now;
    for (const plot of this.plots) {
      const series = panes.map((p) => ({ colour: p.colour, time: p.history[0], values: p.history[plot.at] }));
      const flat = series.every((s) => s.values.every((v) => !Number.isFinite(v) || v === 0));
      plot.figure.classList.toggle("empty", flat);
      if (!flat) paint(plot.canvas, series, plot.logarithmic);
    }
    this.drawResiduals(panes, now, playing);
  }

  /** How the solver of each pane goes through its problem; it is solved once more for that, so not at every step of a world that runs. */
  private drawResiduals(panes: Pane[], now: number, playing: boolean): void {
    const of = JSON.stringify([panes.map((p) => [p.index, p.loads, p.time, p.state]), isDark(), this.canvas.clientWidth]);
    if (of === this.made.of || (playing && now - this.made.at < SHARE * this.made.took + 400)) return;
    const begun = performance.now();
    const told = panes.map((p) => p.iterations());
    this.made = { of, at: now, took: performance.now() - begun };
    const curves = told.flatMap((t, i) => ("history" in t ? [{ colour: panes[i].colour, points: t.history.map((v, k): [number, number] => [k, v ?? NaN]) }] : []));
    const words = told.map((t) => ("history" in t ? `${t.solver}: ${t.rows} rows, ${t.iterations} ${t.iterations === 1 ? "iteration" : "iterations"}, ${t.status}` : t.none));
    this.said.replaceChildren(...words.map((w, i) => make("small", { style: `color:${panes[i].colour}` }, w)));
    this.canvas.hidden = curves.length === 0;
    if (curves.length > 0) paintResiduals(this.canvas, curves, "iterations");
  }
}

/** A number on a scale, with the digits that tell it from its neighbours. */
function tick(value: number, range: number): string {
  const digits = Math.ceil(1 - Math.log10(Math.max(range, 1e-300)));
  const size = Math.abs(value);
  if (size >= 1e6 || (size > 0 && size < 1e-3)) return value.toExponential(1);
  return value.toFixed(Math.min(Math.max(digits, 0), 9));
}

interface Series {
  colour: string;
  time: number[];
  values: number[];
}

function paint(canvas: HTMLCanvasElement, series: Series[], logarithmic: boolean): void {
  const [width, height] = [canvas.clientWidth, canvas.clientHeight];
  const scale = Math.min(devicePixelRatio, 2);
  if (canvas.width !== Math.round(width * scale)) canvas.width = Math.round(width * scale);
  if (canvas.height !== Math.round(height * scale)) canvas.height = Math.round(height * scale);
  const pen = canvas.getContext("2d");
  if (!pen) return;
  pen.setTransform(scale, 0, 0, scale, 0, 0);
  pen.clearRect(0, 0, width, height);
  const shape = (v: number) => (logarithmic ? Math.log10(Math.max(v, LEAST)) : v);
  let [lo, hi, from, to] = [Infinity, -Infinity, Infinity, -Infinity];
  for (const s of series) {
    if (s.time.length === 0) continue;
    from = Math.min(from, s.time[0]);
    to = Math.max(to, s.time[s.time.length - 1]);
    for (const v of s.values) {
      if (!Number.isFinite(v) || (logarithmic && v <= 0)) continue;
      lo = Math.min(lo, shape(v));
      hi = Math.max(hi, shape(v));
    }
  }
  if (!(hi >= lo)) return;
  // what cannot be told apart by the digits on the scale is a straight line
  const least = LEAST_RANGE * Math.max(Math.abs(lo), Math.abs(hi));
  if (!logarithmic && hi > lo && hi - lo < least) [lo, hi] = [0.5 * (lo + hi - least), 0.5 * (lo + hi + least)];
  else if (hi - lo < 1e-9 * Math.max(1, Math.abs(hi))) [lo, hi] = [lo - 0.5 * Math.max(1e-9, Math.abs(lo)), hi + 0.5 * Math.max(1e-9, Math.abs(hi))];
  const left = 54;
  const x = (t: number) => left + ((t - from) / Math.max(to - from, 1e-9)) * (width - left - 4);
  const y = (v: number) => height - 8 - ((shape(v) - lo) / (hi - lo)) * (height - 16);
  pen.font = "10px system-ui, sans-serif";
  pen.textAlign = "right";
  pen.textBaseline = "middle";
  for (const part of [0, 0.5, 1]) {
    const v = lo + part * (hi - lo);
    const real = logarithmic ? 10 ** v : v;
    const at = height - 8 - part * (height - 16);
    pen.strokeStyle = isDark() ? "#363a41" : "#dfe1e3";
    pen.beginPath();
    pen.moveTo(left, at);
    pen.lineTo(width - 4, at);
    pen.stroke();
    pen.fillStyle = isDark() ? "#9aa0a8" : "#6b7076";
    pen.fillText(logarithmic ? short(real) : tick(real, hi - lo), left - 5, at);
  }
  pen.lineWidth = 1.4;
  pen.lineJoin = "round";
  for (const s of series) {
    pen.strokeStyle = s.colour;
    pen.beginPath();
    let down = false;
    s.values.forEach((v, i) => {
      if (!Number.isFinite(v) || (logarithmic && v <= 0)) {
        down = false;
        return;
      }
      if (down) pen.lineTo(x(s.time[i]), y(v));
      else pen.moveTo(x(s.time[i]), y(v));
      down = true;
    });
    pen.stroke();
  }
}
