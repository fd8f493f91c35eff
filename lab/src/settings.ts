/** Controls for every module and setting of a pane, made from the catalogue. */

import { make } from "./dom";
import { catalogue, type Parameter, type Value } from "./engine";
import type { Pane } from "./pane";

/** The modules' names as people say them. */
const TITLES: Record<string, string> = {
  time_control: "Time control",
  motion_solver: "Motion solver",
  constraint_solver: "Constraint solver",
  collision_solver: "Collision solver",
  broad_phase: "Broad phase",
  narrow_phase: "Narrow phase",
  contact_determination: "Contact determination",
  stc_analysis: "Coherence analysis",
  lcp: "Complementarity solver",
  sleep_policy: "Sleep policy",
};

export class Settings {
  readonly element = make("div", { className: "settings" });
  private open = new Set<string>(["lcp"]);

  constructor(private readonly changed: () => void) {}

  /** Shows a pane's modules as they are. */
  show(pane: Pane): void {
    const chosen = pane.chosen();
    if (!chosen) {
      this.element.replaceChildren(make("p", { className: "lead" }, "This pane has no world, and so no settings: ", pane.failure));
      return;
    }
    const preset = catalogue.paradigms.find((p) => p.name === chosen.paradigm);
    this.element.replaceChildren(
      make("p", { className: "lead" }, make("b", {}, chosen.paradigm), ` · ${preset?.summary ?? ""}`),
      make("p", { className: "source" }, preset?.source ?? ""),
    );
    for (const [table, list] of Object.entries(catalogue.modules)) {
      const present = chosen.modules[table];
      const implementation = list.find((i) => i.name === present.name) ?? list[0];
      const name = make("select", { id: `choice-${table}`, "aria-label": TITLES[table] ?? table });
      for (const i of list) name.append(make("option", { value: i.name, title: i.summary }, i.name));
      name.value = present.name;
      name.addEventListener("change", () => this.choose(pane, table, name.value));
      const details = make(
        "details",
        { open: this.open.has(table) },
        make("summary", {}, TITLES[table] ?? table, make("span", { className: "value" }, present.name)),
        make("div", { className: "row whole-width" }, make("label", { htmlFor: name.id }, "implementation"), name),
        make("p", { className: "help" }, implementation.summary),
      );
      details.dataset["table"] = table;
      details.addEventListener("toggle", () => (details.open ? this.open.add(table) : this.open.delete(table)));
      for (const p of implementation.parameters) details.append(this.control(pane, table, p, present.settings[p.name]));
      this.element.append(details);
    }
  }

  private control(pane: Pane, table: string, p: Parameter, value: Value): HTMLElement {
    const set = (v: Value) => this.set(pane, table, p.name, v);
    let input: HTMLElement;
    if (p.type === "bool") {
      input = make("input", { type: "checkbox", checked: value === true });
      input.addEventListener("change", () => set((input as HTMLInputElement).checked));
    } else if (p.type === "choice") {
      const select = make("select");
      for (const o of p.options ?? []) select.append(make("option", { value: o }, o));
      select.value = String(value);
      select.addEventListener("change", () => set(select.value));
      input = select;
    } else {
      const [min, max] = p.range ?? [-Infinity, Infinity];
      const field = make("input", { type: "number", value: String(value), step: p.type === "integer" ? "1" : "any" });
      if (Number.isFinite(min)) field.min = String(min);
      if (Number.isFinite(max)) field.max = String(max);
      field.addEventListener("change", () => {
        if (field.checkValidity() && field.value !== "") set(Number(field.value));
        else field.reportValidity();
      });
      input = field;
    }
    const changed = value !== p.default ? " changed" : "";
    const label = make("label", { title: `${p.summary}; ${p.allowed}` }, p.name.replaceAll("_", " "));
    label.htmlFor = input.id = `setting-${table}-${p.name}`;
    const row = make("div", { className: `row${changed}` }, label, input, make("small", {}, p.summary));
    row.dataset["key"] = p.name;
    return row;
  }

  private choose(pane: Pane, table: string, name: string): void {
    const before = structuredClone(pane.state.choices);
    // settings are those of the implementation that is left
    pane.state.choices[table] = { name };
    this.apply(pane, before);
  }

  private set(pane: Pane, table: string, key: string, value: Value): void {
    const before = structuredClone(pane.state.choices);
    const choice = (pane.state.choices[table] ??= {});
    choice.settings = { ...choice.settings, [key]: value };
    this.apply(pane, before);
  }

  private apply(pane: Pane, before: Pane["state"]["choices"]): void {
    if (!pane.apply()) pane.state.choices = before;
    this.show(pane);
    this.changed();
  }
}
