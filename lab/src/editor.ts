/** A scene's text with its faults at their lines. */

import { button, make } from "./dom";
import { check, type Fault } from "./engine";

export class Editor {
  readonly element = make("div", { className: "editor" });
  private readonly numbers = make("pre", { className: "numbers", "aria-hidden": "true" });
  private readonly area = make("textarea", { spellcheck: false, "aria-label": "scene (TOML)", wrap: "off" });
  private readonly list = make("ul", { className: "faults" });
  private timer = 0;
  private frame = 0;

  constructor(private readonly run: (text: string) => void) {
    const start = button("run this scene", "load the text into all panes (Ctrl+Enter)", () => this.run(this.text), "primary");
    this.element.append(
      make("div", { className: "text" }, this.numbers, this.area),
      this.list,
      make("div", { className: "buttons" }, start, make("span", { className: "help" }, "Ctrl+Enter runs it")),
    );
    this.area.addEventListener("input", () => {
      // a browser tells a long text that is put in line by line
      cancelAnimationFrame(this.frame);
      this.frame = requestAnimationFrame(() => this.renumber([]));
      clearTimeout(this.timer);
      this.timer = window.setTimeout(() => this.inspect(), 300);
    });
    this.area.addEventListener("scroll", () => (this.numbers.scrollTop = this.area.scrollTop));
    this.area.addEventListener("keydown", (e) => {
      if (e.key === "Enter" && (e.ctrlKey || e.metaKey)) this.run(this.text);
      e.stopPropagation();
    });
  }

  get text(): string {
    return this.area.value;
  }

  set text(text: string) {
    this.area.value = text;
    this.inspect();
  }

  /** Looks for faults and shows them. */
  inspect(): void {
    this.show(check(this.text));
  }

  show(faults: Fault[]): void {
    this.list.replaceChildren(
      ...faults.map((f) => make("li", { onclick: () => this.goTo(f.line) }, f.message)),
    );
    this.renumber(faults);
  }

  private renumber(faults: Fault[]): void {
    cancelAnimationFrame(this.frame);
    const bad = new Set(faults.map((f) => f.line));
    const lines = this.area.value.split("\n").length;
    this.numbers.replaceChildren();
    for (let i = 1; i <= lines; i++) this.numbers.append(make("span", { className: bad.has(i) ? "bad" : "" }, `${i}\n`));
    this.numbers.scrollTop = this.area.scrollTop;
  }

  private goTo(line: number | null): void {
    if (line === null) return;
    const before = this.area.value.split("\n").slice(0, line - 1).join("\n").length;
    const start = line === 1 ? 0 : before + 1;
    const end = this.area.value.indexOf("\n", start);
    this.area.focus();
    this.area.setSelectionRange(start, end < 0 ? this.area.value.length : end);
    this.area.scrollTop = (line - 5) * parseFloat(getComputedStyle(this.area).lineHeight);
  }
}
