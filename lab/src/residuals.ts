/** How residuals fall, painted. */

import { short } from "./dom";
import { isDark } from "./theme";

/** Residuals below this are drawn on the lowest line. */
const LEAST = 1e-16;

/** A curve: its colour and its points; the last one has a dot. */
export interface Curve {
  colour: string;
  points: [number, number][];
}

/** Residuals, logarithmic, over iterations (from 0) or over time (ms, above 0), logarithmic too: short methods and long ones both have room. */
export function paintResiduals(canvas: HTMLCanvasElement, series: Curve[], over: "iterations" | "ms"): void {
  const dots = over === "ms";
  const [width, height] = [canvas.clientWidth, canvas.clientHeight];
  const scale = Math.min(devicePixelRatio, 2);
  canvas.width = Math.round(width * scale);
  canvas.height = Math.round(height * scale);
  const pen = canvas.getContext("2d");
  const all = series.flatMap((s) => s.points).filter(([, v]) => Number.isFinite(v));
  if (!pen || all.length === 0) return;
  pen.setTransform(scale, 0, 0, scale, 0, 0);
  const log = (v: number) => Math.log10(Math.max(v, LEAST));
  const across = (x: number) => Math.log10(dots ? x : x + 1);
  const hi = Math.ceil(Math.max(...all.map(([, v]) => log(v))) + 0.01);
  const lo = Math.floor(Math.min(hi - 1, ...all.map(([, v]) => log(v))));
  const from = dots ? Math.floor(Math.min(...all.map(([x]) => across(x)))) : 0;
  const to = Math.max(from + 1, dots ? Math.ceil(Math.max(...all.map(([x]) => across(x)))) : Math.max(...all.map(([x]) => across(x))));
  const [left, bottom] = [44, 20];
  const px = (x: number) => left + 6 + ((across(x) - from) / (to - from)) * (width - left - 26);
  const py = (v: number) => height - bottom - ((log(v) - lo) / (hi - lo)) * (height - bottom - 8);
  pen.font = "11px system-ui, sans-serif";
  pen.fillStyle = isDark() ? "#9aa0a8" : "#6b7076";
  pen.strokeStyle = isDark() ? "#363a41" : "#dfe1e3";
  pen.textAlign = "right";
  pen.textBaseline = "middle";
  const every = Math.max(1, Math.ceil((hi - lo) / 7));
  for (let e = lo; e <= hi; e += every) {
    pen.beginPath();
    pen.moveTo(left, py(10 ** e));
    pen.lineTo(width - 4, py(10 ** e));
    pen.stroke();
    pen.fillText(`1e${e}`, left - 4, py(10 ** e));
  }
  pen.textAlign = "center";
  for (let e = Math.ceil(from); e <= to; e++) pen.fillText(short(10 ** e), px(dots ? 10 ** e : 10 ** e - 1), height - 8);
  pen.lineWidth = 1.5;
  for (const s of series) {
    pen.strokeStyle = pen.fillStyle = s.colour;
    pen.beginPath();
    s.points.filter(([, v]) => Number.isFinite(v)).forEach(([x, v], i) => (i === 0 ? pen.moveTo(px(x), py(v)) : pen.lineTo(px(x), py(v))));
    pen.stroke();
    const last = s.points.findLast(([, v]) => Number.isFinite(v));
    if (last) {
      pen.beginPath();
      pen.arc(px(last[0]), py(last[1]), dots ? 4.5 : 2.5, 0, 7);
      pen.fill();
    }
  }
}
