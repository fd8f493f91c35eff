/** The page where all complementarity solvers race on one problem. */

import { button, choice, make, short } from "./dom";
import { Race } from "./engine";
import { Solving } from "./solving";
import { isDark } from "./theme";

interface Solver {
  name: string;
  method: string;
  source: string;
  cost: string;
  fails: string;
}

interface Answer {
  status: string;
  iterations: number;
  residual: number | null;
  ms: number;
  history: (number | null)[];
}

interface Run {
  solver: Solver;
  colour: string;
  answer: Answer | null;
  /** Why it has no answer. */
  refused: string;
  shown: boolean;
}

const SAMPLES: [string, string][] = [
  ["stack", "two stacks of eight cubes"],
  ["heavy-top", "each cube ten times as heavy as the one below"],
  ["chain", "a chain with a heavy end"],
  ["random", "random, positive definite"],
  ["ill-conditioned", "random, condition 1e6"],
];

const EXAMPLE = "A\n2 1\n1 2\nb\n-5 -6\n";

export class RacePage {
  readonly element = make("main", { className: "race" });
  private readonly area = make("textarea", { spellcheck: false, "aria-label": "problem", wrap: "off", value: EXAMPLE });
  private readonly about = make("p", { className: "about" });
  private readonly table = make("tbody");
  private readonly iterations = make("canvas");
  private readonly time = make("canvas");
  private readonly limit = make("input", { type: "number", value: "200", min: "1", max: "100000", step: "1" });
  private readonly seconds = make("input", { type: "number", value: "5", min: "0.1", max: "600", step: "any" });
  private readonly go = button("race", "all solvers on this problem (Ctrl+Enter)", () => this.solving ? this.halt() : void this.race(), "primary");
  private runs: Run[] = [];
  /** The race under way. */
  private solving: Solving | null = null;

  constructor() {
    const sample = choice([["", "samples…"], ...SAMPLES], "", "a problem of a known kind", (kind) => {
      if (kind !== "") this.load(Race.sample(kind) ?? "");
      sample.value = "";
    });
    const file = make("input", { type: "file", accept: ".json,.txt", hidden: true });
    file.addEventListener("change", () => void file.files?.[0]?.text().then((text) => this.load(text)));
    this.area.addEventListener("keydown", (e) => {
      if (e.key === "Enter" && (e.ctrlKey || e.metaKey)) void this.race();
      e.stopPropagation();
    });
    const plot = (title: string, canvas: HTMLCanvasElement) => make("figure", {}, make("figcaption", {}, title), canvas);
    const heads = ["", "solver", "status", "iterations", "residual", "ms"].map((h) => make("th", {}, h));
    this.element.append(
      make(
        "section",
        { className: "problem card" },
        make("p", { className: "help" }, "w = A x + b, lo ≤ x ≤ hi. Paste numbers under the headings A, b, lo and hi, or drop a file that ", make("code", {}, "drystone run --lcp-dump"), " wrote."),
        this.area,
        make(
          "div",
          { className: "set" },
          this.go,
          sample,
          button("open…", "open a problem file", () => file.click()),
          file,
          make("label", { className: "toggle" }, "at most ", this.limit, " iterations and "),
          make("label", { className: "toggle" }, this.seconds, " s each"),
        ),
        this.about,
      ),
      make(
        "section",
        { className: "card results" },
        make("div", { className: "plots" }, plot("residual over iterations", this.iterations), plot("residual at the end over time (ms)", this.time)),
        make("div", { className: "scroll" }, make("table", {}, make("thead", {}, make("tr", {}, ...heads)), this.table)),
      ),
    );
    const hint = "“race” runs every solver that takes the problem, and shows here how each of them comes nearer to an answer.";
    this.table.append(make("tr", {}, make("td", { colSpan: heads.length, className: "hint" }, hint)));
    addEventListener("drop", (e) => {
      if (this.element.isConnected) void e.dataTransfer?.files[0]?.text().then((text) => this.load(text));
    });
    new ResizeObserver(() => this.draw()).observe(this.element);
  }

  /** Takes a problem's text, and races. */
  load(text: string): void {
    this.area.value = text;
    void this.race();
  }

  redraw(): void {
    this.draw();
  }

  /** Ends the race under way. */
  private halt(): void {
    this.solving?.end();
    this.solving = null;
    this.go.textContent = "race";
  }

  /** All solvers, one after the other, in a worker: the page stays alive, and each has its limit. */
  private async race(): Promise<void> {
    this.halt();
    const solving = new Solving(this.area.value);
    this.solving = solving;
    this.go.textContent = "stop";
    this.runs = [];
    this.list();
    this.draw();
    this.about.textContent = "reading…";
    this.about.classList.remove("error");
    let read: { info: string; solvers: string };
    try {
      read = await solving.read();
    } catch (error) {
      if (this.solving !== solving) return;
      this.halt();
      this.about.textContent = wordsOf(error);
      this.about.classList.add("error");
      return;
    }
    if (this.solving !== solving) return;
    const info = JSON.parse(read.info) as { rows: number; kind: string; dependent: number; discs: number; residualOfZero: number };
    const parts = [`${info.rows} rows`, info.kind === "lcp" ? "a standard LCP" : "with bounds"];
    if (info.dependent > 0) parts.push(`${info.dependent} of them bounded by another (friction)`);
    if (info.discs > 0) parts.push(`${info.discs} discs`);
    const summary = `${parts.join(", ")}; residual of zero ${short(info.residualOfZero)}.`;
    const solvers = JSON.parse(read.solvers) as Solver[];
    this.runs = solvers.map((solver, i) => ({
      solver,
      colour: `hsl(${Math.round((360 * i * 0.618) % 360)} ${isDark() ? "65% 66%" : "62% 42%"})`,
      answer: null,
      refused: "",
      shown: true,
    }));
    const limit = this.limit.checkValidity() ? Number(this.limit.value) : 200;
    const seconds = this.seconds.checkValidity() ? Number(this.seconds.value) : 5;
    for (const [i, run] of this.runs.entries()) {
      this.about.textContent = `${summary} Solver ${i + 1} of ${this.runs.length}: ${run.solver.name} …`;
      try {
        run.answer = JSON.parse(await solving.solve(run.solver.name, limit, 1e-10, seconds)) as Answer;
      } catch (error) {
        run.refused = wordsOf(error);
      }
      if (this.solving !== solving) return;
      this.list();
      this.draw();
    }
    this.about.textContent = summary;
    this.halt();
  }

  private list(): void {
    const best = (r: Run) => r.answer?.residual ?? Infinity;
    const rows = this.runs
      .filter((r) => r.answer || r.refused)
      .sort((a, b) => Number(best(a) > 1e-9) - Number(best(b) > 1e-9) || (best(a) > 1e-9 ? best(a) - best(b) : (a.answer?.ms ?? 0) - (b.answer?.ms ?? 0)));
    this.table.replaceChildren(
      ...rows.map((r) => {
        const show = make("input", { type: "checkbox", checked: r.shown, style: `accent-color:${r.colour}`, "aria-label": `curve of ${r.solver.name}` });
        show.addEventListener("change", () => {
          r.shown = show.checked;
          this.draw();
        });
        const name = make("td", { className: "name" }, make("b", { style: `color:${r.colour}` }, r.solver.name), make("small", {}, r.solver.method), make("small", {}, `fails: ${r.solver.fails}`), make("small", {}, r.solver.source));
        const a = r.answer;
        const cells = a
          ? [a.status, String(a.iterations), short(a.residual ?? NaN), a.ms < 0.05 ? "< 0.1" : a.ms.toFixed(1)].map((t) => make("td", {}, t))
          : [make("td", { colSpan: 4, className: "refused" }, r.refused)];
        return make("tr", {}, make("td", {}, show), name, ...cells);
      }),
    );
  }

  private draw(): void {
    const shown = this.runs.filter((r) => r.shown && r.answer);
    const curve = (r: Run) => (r.answer?.history ?? []).map((v, i): [number, number] => [i, v ?? NaN]);
    paint(this.iterations, shown.map((r) => ({ colour: r.colour, points: curve(r) })), false);
    paint(this.time, shown.map((r) => ({ colour: r.colour, points: [[Math.max(r.answer?.ms ?? 0, 0.01), r.answer?.residual ?? NaN]] })), true);
  }
}

const wordsOf = (error: unknown) => (error instanceof Error ? error.message : String(error));

/** Residuals below this are drawn on the lowest line. */
const LEAST = 1e-16;

function paint(canvas: HTMLCanvasElement, series: { colour: string; points: [number, number][] }[], dots: boolean): void {
  const [width, height] = [canvas.clientWidth, canvas.clientHeight];
  const scale = Math.min(devicePixelRatio, 2);
  canvas.width = Math.round(width * scale);
  canvas.height = Math.round(height * scale);
  const pen = canvas.getContext("2d");
  const all = series.flatMap((s) => s.points).filter(([, v]) => Number.isFinite(v));
  if (!pen || all.length === 0) return;
  pen.setTransform(scale, 0, 0, scale, 0, 0);
  const log = (v: number) => Math.log10(Math.max(v, LEAST));
  // iterations from 1 on a logarithmic scale: short methods and long ones both have room
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
    if (!dots) {
      pen.beginPath();
      s.points.filter(([, v]) => Number.isFinite(v)).forEach(([x, v], i) => (i === 0 ? pen.moveTo(px(x), py(v)) : pen.lineTo(px(x), py(v))));
      pen.stroke();
    }
    const last = s.points.findLast(([, v]) => Number.isFinite(v));
    if (last) {
      pen.beginPath();
      pen.arc(px(last[0]), py(last[1]), dots ? 4.5 : 2.5, 0, 7);
      pen.fill();
    }
  }
}
