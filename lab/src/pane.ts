/** One pane: a session under one preset and its picture. */

import { Vector3 } from "three";
import { Session, catalogue, faultsOf, figureNames, type Choices, type Chosen, type SceneInfo } from "./engine";
import { button, choice, make, short, tell } from "./dom";
import { paneColours } from "./theme";
import { View, type Shown } from "./view";

/** How many figures are remembered for the curves. */
const MEMORY = 1200;

/** What a pane is: enough to make it again. */
export interface PaneState {
  paradigm: string;
  choices: Choices;
}

/** What a complementarity solver did with one problem. */
export interface Iterations {
  solver: string;
  rows: number;
  status: string;
  iterations: number;
  /** The residual of the start value and after each iteration. */
  history: (number | null)[];
}

/** What the page does when something happens in a pane. */
export interface PaneEvents {
  changed(): void;
  /** It had no world, and shall have one. */
  restart(): void;
  removed(pane: Pane): void;
  selected(pane: Pane): void;
  looked(pane: Pane): void;
}

export class Pane {
  readonly element = make("section", { className: "pane" });
  readonly view: View;
  session: Session | null = null;
  info: SceneInfo | null = null;
  /** Why it stands still, in words. */
  failure = "";
  /** How often a scene was loaded. */
  loads = 0;
  /** One list for each figure. */
  readonly history: number[][] = figureNames.map(() => []);
  private poses: Float64Array = new Float64Array();
  private readonly select: HTMLSelectElement;
  private readonly status = make("span", { className: "status" });
  private readonly changed = make("span", { className: "changed" });
  private readonly stage = make("div", { className: "stage" });

  constructor(
    readonly index: number,
    readonly state: PaneState,
    private readonly events: PaneEvents,
  ) {
    const presets: [string, string][] = catalogue.paradigms.map((p) => [p.name, p.name]);
    this.select = choice(presets, state.paradigm, "paradigm of this pane", (name) => this.setParadigm(name));
    const head = make(
      "header",
      {},
      make("span", { className: "swatch", style: `background:${this.colour}` }),
      this.select,
      this.changed,
      button("settings", "all settings of this pane", () => events.selected(this), "quiet"),
      button("×", "close this pane", () => events.removed(this), "quiet close"),
    );
    this.element.append(head, this.stage);
    this.element.dataset["pane"] = String(index);
    this.view = new View(this.stage);
    // over the picture: why a pane stands still is a sentence, too long for the line above
    this.stage.append(this.status);
    this.view.controls.addEventListener("change", () => events.looked(this));
  }

  get colour(): string {
    return paneColours[this.index % paneColours.length];
  }

  /** What it is called in curves: the preset, and what is changed. */
  get title(): string {
    return [this.state.paradigm, ...this.changes].join(", ");
  }

  /** What differs from the preset, in words. */
  private get changes(): string[] {
    return Object.entries(this.state.choices).flatMap(([table, c]) => [
      ...(c.name ? [`${table} = ${c.name}`] : []),
      ...Object.entries(c.settings ?? {}).map(([k, v]) => `${table}.${k} = ${v}`),
    ]);
  }

  /** Loads a scene that has no faults; where the preset does not take it, the pane is empty and says why. */
  load(text: string): void {
    this.loads += 1;
    this.session?.free();
    [this.session, this.info, this.failure] = [null, null, ""];
    for (const list of this.history) list.length = 0;
    try {
      this.session = new Session(text, this.state.paradigm, "[]");
    } catch (error) {
      this.failure = faultsOf(error)[0].message;
      this.view.clear();
      return;
    }
    this.info = JSON.parse(this.session.info()) as SceneInfo;
    if (Object.keys(this.state.choices).length > 0) this.apply();
    this.view.load(this.session, this.info.kinds);
    this.poses = this.session.poses();
    this.view.frame(this.poses, this.session.joints());
    this.record();
  }

  /** Preset and choices to the running world. */
  apply(): boolean {
    try {
      this.session?.choose(this.state.paradigm, JSON.stringify(this.state.choices));
      this.failure = "";
      return true;
    } catch (error) {
      tell(faultsOf(error)[0].message, true);
      return false;
    }
  }

  setParadigm(name: string): void {
    this.state.paradigm = name;
    this.state.choices = {};
    this.select.value = name;
    if (this.session) this.apply();
    else this.events.restart();
    this.events.changed();
  }

  chosen(): Chosen | null {
    return this.session ? (JSON.parse(this.session.modules()) as Chosen) : null;
  }

  /** Simulated time (s). */
  get time(): number {
    return this.session?.time() ?? 0;
  }

  /** Time step (s). */
  get timeStep(): number {
    return this.session?.timeStep() ?? 0.01;
  }

  /** One step; false where it failed. */
  step(): boolean {
    const session = this.session;
    if (!session || this.failure) return false;
    try {
      session.step();
    } catch (error) {
      this.failure = faultsOf(error)[0].message;
    }
    this.record();
    return this.failure === "";
  }

  draw(shown: Shown): void {
    if (this.session) {
      this.poses = this.session.poses();
      this.view.draw(this.session, this.poses, shown);
    }
    const last = (key: string) => this.history[figureNames.findIndex(([k]) => k === key)].at(-1) ?? NaN;
    const ms = last("ms") < 0.05 ? "< 0.1" : short(last("ms"));
    const text = this.failure || `${ms} ms · ${last("contacts")} contacts`;
    if (this.status.textContent !== text) {
      this.status.textContent = text;
      this.status.title = this.failure || "time of the last step, and its contact points";
    }
    const changes = this.changes.join(", ");
    if (this.changed.title !== changes) {
      this.changed.title = changes;
      // a module's name says by itself what it is
      this.changed.textContent = changes.replaceAll(/\w+ = (?=[a-z])/g, "");
    }
    this.status.classList.toggle("error", this.failure !== "");
  }

  /** How the chosen solver goes through the largest problem of the next step, or why there is nothing to tell. */
  iterations(): Iterations | { none: string } {
    try {
      const told = this.failure === "" ? this.session?.iterationHistory() : undefined;
      return told ? (JSON.parse(told) as Iterations) : { none: `${this.state.paradigm}: no complementarity problem in the next step` };
    } catch (error) {
      return { none: faultsOf(error)[0].message };
    }
  }

  /** Where a point of a body, given in another pane, is in this one. */
  alike(body: number, point: Vector3, from: Pane): Vector3 {
    const [here, there] = [this.poses, from.poses];
    const turnBack = [-there[7 * body + 3], -there[7 * body + 4], -there[7 * body + 5], there[7 * body + 6]];
    const local = point.clone().sub(new Vector3().fromArray(there, 7 * body));
    rotate(local, turnBack);
    rotate(local, [...here.slice(7 * body + 3, 7 * body + 7)]);
    return local.add(new Vector3().fromArray(here, 7 * body));
  }

  dispose(): void {
    this.view.dispose();
    this.session?.free();
    this.element.remove();
  }

  private record(): void {
    const figures = this.session?.figures();
    if (!figures) return;
    this.history.forEach((list, i) => {
      list.push(figures[i]);
      if (list.length > MEMORY) list.splice(0, list.length - MEMORY);
    });
  }
}

function rotate(v: Vector3, q: number[]): void {
  const axis = new Vector3(q[0], q[1], q[2]);
  const t = axis.clone().cross(v).multiplyScalar(2);
  v.add(t.clone().multiplyScalar(q[3])).add(axis.cross(t));
}
