/** The page where all complementarity solvers race on one problem. */

import { button, choice, make, short, tell } from "./dom";
import { Race } from "./engine";
import { type Problem, Solving } from "./solving";
import { chapterOf } from "./chapter";
import { paintResiduals } from "./residuals";
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
  /** How the residual fell: by a factor, or as a power of the iterations. */
  rate: { linear: boolean; factor: number; order: number } | null;
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

/** Largest file of a problem (bytes): its text stands in the page. */
const LARGEST = 32e6;

const EXAMPLE = "A\n2 1\n1 2\nb\n-5 -6\n";

export class RacePage {
  readonly element = make("main", { className: "race" });
  private readonly area = make("textarea", { spellcheck: false, "aria-label": "problem", wrap: "off", value: EXAMPLE });
  private readonly about = make("p", { className: "about" });
  private readonly table = make("tbody");
  private readonly iterations = make("canvas", { role: "img", "aria-label": "residual over iterations" });
  private readonly time = make("canvas", { role: "img", "aria-label": "residual over time" });
  private readonly limit = make("input", { type: "number", value: "200", min: "1", max: "100000", step: "1" });
  private readonly seconds = make("input", { type: "number", value: "5", min: "0.1", max: "600", step: "any" });
  private readonly go = button("race", "all solvers on this problem (Ctrl+Enter)", () => this.solving ? this.halt() : void this.race(), "primary");
  private runs: Run[] = [];
  /** What was opened and is no text; stands while the text is empty. */
  private binary: Problem = "";
  /** The race under way. */
  private solving: Solving | null = null;

  constructor() {
    const sample = choice([["", "samples…"], ...SAMPLES], "", "a problem of a known kind", (kind) => {
      if (kind !== "") this.load(Race.sample(kind) ?? "");
      sample.value = "";
    });
    const file = make("input", { type: "file", accept: ".json,.txt,.mtx,.dlm,.dat,.hdf5,.h5", multiple: true, hidden: true });
    file.addEventListener("change", () => {
      void this.take([...(file.files ?? [])]);
      // the same file again is a change too
      file.value = "";
    });
    this.area.addEventListener("keydown", (e) => {
      if (e.key === "Enter" && (e.ctrlKey || e.metaKey)) void this.race();
      e.stopPropagation();
    });
    const plot = (title: string, canvas: HTMLCanvasElement) => make("figure", {}, make("figcaption", {}, title), canvas);
    const heads = ["", "solver", "status", "iterations", "residual", "it falls", "ms"].map((h) => make("th", {}, h));
    this.element.append(
      make(
        "section",
        { className: "problem card" },
        make(
          "p",
          { className: "help" },
          "w = A x + b, lo ≤ x ≤ hi. Paste numbers under the headings A, b, lo and hi, or open or drop what ",
          make("code", {}, "drystone lcp solve"),
          " reads: A.mtx with its companions (dense or sparse), A.dlm with its own, Siconos' .dat and FCLIB's .hdf5 (friction with cones too), a dump of ",
          make("code", {}, "run --lcp-dump"),
          ".",
        ),
        this.area,
        make(
          "div",
          { className: "set" },
          this.go,
          sample,
          button("open…", "open a problem file", () => file.click()),
          file,
        ),
        make(
          "div",
          { className: "set limits" },
          make("label", { className: "toggle" }, "at most ", this.limit, " iterations,"),
          make("label", { className: "toggle" }, this.seconds, " s each"),
        ),
        this.about,
      ),
      make(
        "section",
        { className: "card results" },
        make("div", { className: "plots" }, plot("residual over iterations", this.iterations), plot("residual over time (ms); a solver's iterations share its time equally", this.time)),
        make("div", { className: "scroll" }, make("table", {}, make("thead", {}, make("tr", {}, ...heads)), this.table)),
      ),
    );
    const hint = "“race” runs every solver that takes the problem, and shows here how each of them comes nearer to an answer.";
    this.table.append(make("tr", {}, make("td", { colSpan: heads.length, className: "hint" }, hint)));
    addEventListener("drop", (e) => {
      if (this.element.isConnected) void this.take([...(e.dataTransfer?.files ?? [])]);
    });
    new ResizeObserver(() => this.draw()).observe(this.element);
  }

  /** Takes a problem's files: one below the other, each after a line with its name, where a dump and pasted numbers need none. */
  private async take(files: File[]): Promise<void> {
    if (files.length === 0) return;
    const large = files.find((f) => f.size > LARGEST);
    if (large) {
      tell(`${large.name} has ${Math.round(large.size / 1e6)} MB: a problem here has at most ${LARGEST / 1e6}`, true);
      return;
    }
    const hdf5 = files.find((f) => /\.(hdf5|h5)$/i.test(f.name));
    if (hdf5) {
      const bytes = new Uint8Array(await hdf5.arrayBuffer());
      this.load("", { name: hdf5.name, bytes }, `${hdf5.name}: ${bytes.length} bytes of HDF5`);
      return;
    }
    const texts = await Promise.all(files.map(async (f) => ({ name: f.name, text: await f.text() })));
    const strange = texts.find(({ text }) => text.includes("\0") || text.includes("\ufffd") || text.trim() === "");
    if (strange) {
      tell(`${strange.name} is ${strange.text.trim() === "" ? "empty" : "no text"}: nothing was read, what stands here is as it was`, true);
      return;
    }
    const plain = texts.length === 1 && /\.(json|txt)$/i.test(texts[0].name);
    this.load(plain ? texts[0].text : texts.map(({ name, text }) => `=== ${name}\n${text}`).join("\n"));
  }

  /** Takes a problem's text, or what is no text with words that stand in its place, and races. */
  load(text: string, binary: Problem = "", words = ""): void {
    this.area.value = text;
    this.area.placeholder = words;
    this.binary = binary;
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
    const solving = new Solving(this.area.value || this.binary);
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
    const info = JSON.parse(read.info) as { rows: number; kind: string; dependent: number; discs: number; cones: number; residualOfZero: number };
    const parts = [`${info.rows} rows`, info.kind === "lcp" ? "a standard LCP" : info.kind === "boxed" ? "with bounds" : `${info.cones} contacts with friction cones`];
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
        const name = make("td", { className: "name" }, make("b", { style: `color:${r.colour}` }, r.solver.name), make("small", {}, r.solver.method), make("small", {}, `fails: ${r.solver.fails}`), explained(r.solver.name), make("small", {}, r.solver.source));
        const a = r.answer;
        const cells = a
          ? [a.status, String(a.iterations), short(a.residual ?? NaN), rateOf(a), a.ms < 0.05 ? "< 0.1" : a.ms.toFixed(1)].map((t) => make("td", {}, t))
          : [make("td", { colSpan: 5, className: "refused" }, r.refused)];
        return make("tr", {}, make("td", {}, show), name, ...cells);
      }),
    );
  }

  private draw(): void {
    const shown = this.runs.filter((r) => r.shown && r.answer);
    const history = (r: Run) => (r.answer?.history ?? []).map((v) => v ?? NaN);
    const overIterations = (r: Run) => history(r).map((v, i): [number, number] => [i, v]);
    // a solver's clock is read at its end: its iterations share the time equally
    const overTime = (r: Run) => {
      const [ms, values] = [Math.max(r.answer?.ms ?? 0, 0.01), history(r)];
      const points = values.slice(1).map((v, i): [number, number] => [(ms * (i + 1)) / (values.length - 1), v]);
      return [...points, [ms, r.answer?.residual ?? NaN] as [number, number]];
    };
    paintResiduals(this.iterations, shown.map((r) => ({ colour: r.colour, points: overIterations(r) })), "iterations");
    paintResiduals(this.time, shown.map((r) => ({ colour: r.colour, points: overTime(r) })), "ms");
  }
}

/** How fast the residual fell, in words. */
function rateOf({ rate }: Answer): string {
  if (!rate) return "–";
  return rate.linear ? `x ${short(rate.factor)} each` : `as 1/k^${short(rate.order)}`;
}

/** What the book's chapter says of a solver. */
function explained(name: string): HTMLElement {
  const said = chapterOf(name);
  const element = make("small", {});
  if (said) element.append(`chapter: ${said.idea}; take it for ${said.use} `);
  element.append(make("a", { href: "../lcp.html", className: "chapter", target: "_blank", rel: "noopener" }, "chapter ↗"));
  return element;
}

const wordsOf = (error: unknown) => (error instanceof Error ? error.message : String(error));
