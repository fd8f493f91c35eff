/** A scene's text with its faults at their lines, and the schema's help for the place of the caret. */

import { button, make } from "./dom";
import { check, sceneSchema, type Fault } from "./engine";
import { SceneHelp, type Help, type KeyHelp } from "./help";

export class Editor {
  readonly element = make("div", { className: "editor" });
  private readonly numbers = make("pre", { className: "numbers", "aria-hidden": "true" });
  private readonly area = make("textarea", { spellcheck: false, "aria-label": "scene (TOML)", wrap: "off" });
  private readonly list = make("ul", { className: "faults", "aria-live": "polite" });
  private readonly aid = make("section", { className: "schema", "aria-label": "what the format says about this place", "aria-live": "polite" });
  /** Read once it is needed: the schema is long. */
  private schema: SceneHelp | null = null;
  private offered: KeyHelp[] = [];
  private timer = 0;
  private frame = 0;
  private asked = 0;

  constructor(private readonly run: (text: string) => void) {
    const start = button("run this scene", "load the text into all panes (Ctrl+Enter)", () => this.run(this.text), "primary");
    this.element.append(
      make("div", { className: "text" }, this.numbers, this.area),
      this.list,
      this.aid,
      make("div", { className: "buttons" }, start, make("span", { className: "help" }, "Ctrl+Enter runs it, Ctrl+Space puts in a key")),
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
      const ctrl = e.ctrlKey || e.metaKey;
      if (e.key === "Enter" && ctrl) this.run(this.text);
      if (e.key === " " && ctrl) {
        e.preventDefault();
        this.advise();
        const [first] = this.offered;
        if (first) this.insert(first);
      }
      e.stopPropagation();
    });
    for (const event of ["input", "keyup", "click", "focus"]) {
      this.area.addEventListener(event, () => {
        cancelAnimationFrame(this.asked);
        this.asked = requestAnimationFrame(() => this.advise());
      });
    }
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
      ...faults.map((f) => make("li", {}, make("button", { type: "button", onclick: () => this.goTo(f.line) }, f.message))),
    );
    this.renumber(faults);
  }

  /** What the schema says about a place in a text. */
  helpAt(text: string, caret: number): Help | null {
    this.schema ??= new SceneHelp(sceneSchema());
    return this.schema.at(text, caret);
  }

  /** Shows what the schema says about the place of the caret. */
  private advise(): void {
    const help = this.helpAt(this.area.value, this.area.selectionStart);
    this.offered = [];
    if (!help) {
      this.aid.replaceChildren();
      return;
    }
    const offered = help.keys.filter((k) => k.name.startsWith(help.typed));
    this.offered = offered.filter((k) => !k.present || k.name === help.typed);
    const chips = offered.map((k) => {
      const chip = button(k.name, `${k.description}; ${k.allowed}`, () => this.insert(k), k.present ? "key there" : k.required ? "key needed" : "key");
      return chip;
    });
    const told = help.typed !== "" && offered.length === 1 ? offered[0] : null;
    const path = [...help.path, ...(told ? [told.name] : [])];
    this.aid.replaceChildren(
      make("p", {}, make("b", {}, path.join(" › ") || "a scene"), ` ${told ? told.description : help.description}`),
      ...((told?.allowed ?? help.allowed) !== "" ? [make("p", { className: "allowed" }, told?.allowed ?? help.allowed)] : []),
      make("div", { className: "keys" }, ...chips),
    );
  }

  /** Puts a key in, in place of what is typed of it, else on a line of its own or where the caret is inside braces. */
  private insert(key: KeyHelp): void {
    const help = this.helpAt(this.area.value, this.area.selectionStart);
    if (!help) return;
    const [text, caret] = [this.area.value, this.area.selectionStart];
    const line = text.slice(text.lastIndexOf("\n", caret - 1) + 1, caret);
    const piece = `${key.name} = ${key.value}`;
    this.area.focus();
    if (help.typed !== "") {
      this.area.setSelectionRange(caret - help.typed.length, caret);
      this.put(piece);
    } else if (line.trim() === "") this.put(piece);
    else if (/[{,]\s*$/.test(line) && line.includes("{")) this.put(`${piece.replace(/^/, line.endsWith(" ") ? "" : " ")} `);
    else {
      const end = text.indexOf("\n", caret);
      const at = end < 0 ? text.length : end;
      this.area.setSelectionRange(at, at);
      this.put(`\n${piece}`);
    }
    // the value is what is changed next
    const now = this.area.selectionStart;
    this.area.setSelectionRange(now - key.value.length, now);
    this.advise();
  }

  /** As if it were typed, so that it can be undone. */
  private put(text: string): void {
    if (document.execCommand("insertText", false, text)) return;
    this.area.setRangeText(text, this.area.selectionStart, this.area.selectionEnd, "end");
    this.area.dispatchEvent(new Event("input"));
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
    this.advise();
  }
}
