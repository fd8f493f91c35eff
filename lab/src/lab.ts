/** The page of panes: the same scene, the same clock, another paradigm in each. */

import { Vector3 } from "three";
import { Curves } from "./curves";
import { button, choice, make, short, tell, untell } from "./dom";
import { Editor } from "./editor";
import type { Help } from "./help";
import { catalogue, check, sceneText, type Fault } from "./engine";
import { encode, type SharedState } from "./link";
import { Pane, type PaneState } from "./pane";
import { Settings } from "./settings";
import type { Shown } from "./view";

/** Most panes side by side. */
const MOST = 4;
/** Of a frame's 16 ms, what stepping may take (ms). */
const BUDGET = 11;
/** Largest file of a scene (bytes). */
const LARGEST = 8e6;
const SPEEDS = ["0.1", "0.25", "0.5", "1", "2", "4"];
const DEFAULT_PARADIGMS = ["velocity-lcp", "load-propagation"];

type Tab = "curves" | "settings" | "scene";

export class Lab {
  readonly element = make("main", { className: "lab" });
  readonly panes: Pane[] = [];
  private readonly grid = make("div", { className: "panes" });
  private readonly curves = new Curves();
  private readonly settings = new Settings(() => this.remember());
  private readonly editor = new Editor((text) => this.run(text, ""));
  private readonly clock = make("output", { className: "clock" }, "0.00 s");
  private readonly rate = make("output", { className: "rate" });
  private readonly drawer = make("aside", { className: "drawer" });
  /** In a frame of another page: where all of the lab is. */
  private readonly whole = make("a", { className: "whole", target: "_blank", rel: "noopener" }, "open in the lab ↗");
  private playButton!: HTMLButtonElement;
  private sceneSelect!: HTMLSelectElement;
  private speedSelect!: HTMLSelectElement;
  private throwButton!: HTMLButtonElement;
  private tab: Tab = "curves";
  private selected: Pane | null = null;
  private text = "";
  /** The bundled scene that the text is, or nothing. */
  private scene = "";
  private playing = false;
  private speed = 1;
  private time = 0;
  private throwing = false;
  private saved = 0;
  private readonly shown: Shown = { contacts: false, impulses: false, boxes: false, joints: false, colour: "body" };
  private frames: number[] = [];
  /** What is done with a step's complementarity problem. */
  onproblem: (text: string) => void = () => undefined;

  constructor() {
    this.element.append(this.bar(), make("div", { className: "work" }, this.grid, this.drawer));
    this.showTab(this.tab);
    this.listen();
  }

  /** Begins with what an address says, or with the wall. */
  start(state: SharedState | null): void {
    this.element.classList.toggle("embed", state?.embed === true);
    this.whole.href = location.href.replace(/&embed\b/, "");
    const panes = state?.panes.length ? state.panes : DEFAULT_PARADIGMS.map((paradigm) => ({ paradigm, choices: {} }));
    if (state?.speed && Number.isFinite(state.speed)) this.setSpeed(state.speed);
    Object.assign(this.shown, state?.shown);
    const known = new Set(catalogue.paradigms.map((p) => p.name));
    const missing: string[] = [];
    for (const pane of panes.slice(0, MOST)) {
      if (known.has(pane.paradigm)) this.add(pane);
      else missing.push(`there is no paradigm ${pane.paradigm}`);
    }
    if (this.panes.length === 0) this.add({ paradigm: DEFAULT_PARADIGMS[0], choices: {} });
    const scene = state?.scene ?? "wall";
    const text = state?.text ?? sceneText(scene) ?? "";
    if (text === "") missing.push(`there is no scene ${scene}`);
    this.run(text || (sceneText("wall") ?? ""), state?.text ? "" : scene);
    for (const words of missing) tell(words, true);
    requestAnimationFrame((now) => this.tick(now));
  }

  /** Takes the theme's colours. */
  recolour(): void {
    for (const pane of this.panes) pane.view.recolour();
  }

  /** Loads a bundled scene into all panes. */
  open(scene: string): boolean {
    this.play(false);
    return this.run(sceneText(scene) ?? "", scene);
  }

  /** Loads a scene's text into all panes. */
  run(text: string, scene: string): boolean {
    const faults = check(text);
    untell();
    this.editor.text = text;
    if (faults.length > 0) {
      // what runs is still the scene before
      this.sceneSelect.value = this.scene;
      this.failed(faults);
      return false;
    }
    this.scene = scene;
    this.sceneSelect.value = scene;
    this.text = text;
    this.reset();
    return true;
  }

  /** What the schema of scenes says about a place in a text. */
  helpAt(text: string, caret: number): Help | null {
    return this.editor.helpAt(text, caret);
  }

  /** Back to the beginning. */
  reset(): void {
    this.time = 0;
    for (const pane of this.panes) pane.load(this.text);
    const [first, ...others] = this.panes.filter((p) => p.session);
    for (const pane of others) pane.view.follow(first.view);
    const info = first?.info;
    if (info) this.sceneSelect.title = info.description;
    for (const warning of info?.warnings ?? []) tell(warning);
    if (this.tab === "settings" && this.selected) this.settings.show(this.selected);
  }

  play(on: boolean): void {
    this.playing = on;
    this.playButton.textContent = on ? "❚❚" : "▶";
    this.playButton.title = on ? "pause (space)" : "play (space)";
    this.playButton.setAttribute("aria-label", this.playButton.title);
  }

  /** One time step of every pane. */
  step(): void {
    this.play(false);
    for (const pane of this.panes) pane.step();
    this.time = Math.max(0, ...this.panes.map((p) => p.session?.time() ?? 0));
  }

  private tick(now: number): void {
    requestAnimationFrame((next) => this.tick(next));
    const last = this.frames.at(-1) ?? now;
    this.frames.push(now);
    if (this.frames.length > 60) this.frames.shift();
    if (this.playing) {
      // a page that was hidden does not catch up
      const wanted = this.time + (Math.min(now - last, 50) / 1000) * this.speed;
      this.time = this.advance(wanted);
    }
    // beside the other page nothing is drawn: it has the processor for itself
    if (!this.element.isConnected) return;
    for (const pane of this.panes) pane.draw(this.shown);
    this.curves.draw(this.panes, now, this.playing);
    this.clock.textContent = `${this.time.toFixed(2)} s`;
    const span = (this.frames.at(-1) ?? 0) - this.frames[0];
    if (this.frames.length > 10) this.rate.textContent = `${Math.round((1000 * (this.frames.length - 1)) / span)} fps`;
  }

  /** Steps all panes side by side, step for step, until `wanted` or until the frame's share of time is spent; how far they came. */
  private advance(wanted: number): number {
    const end = performance.now() + BUDGET;
    for (;;) {
      const running = this.panes.filter((p) => p.session && p.failure === "");
      if (running.length === 0) {
        this.play(false);
        return this.time;
      }
      const behind = running.filter((p) => p.time < wanted - 0.5 * p.timeStep);
      if (behind.length === 0) return wanted;
      const least = Math.min(...behind.map((p) => p.time));
      if (performance.now() > end) return Math.max(this.time, least);
      for (const pane of behind) if (pane.time < least + 0.5 * pane.timeStep) pane.step();
    }
  }

  private add(state: PaneState): void {
    if (this.panes.length >= MOST) return;
    const free = [0, 1, 2, 3].find((i) => !this.panes.some((p) => p.index === i)) ?? 0;
    const pane = new Pane(free, state, {
      changed: () => {
        this.remember();
        if (this.tab === "settings" && this.selected) this.settings.show(this.selected);
      },
      restart: () => this.reset(),
      removed: (p) => this.remove(p),
      selected: (p) => {
        this.selected = p;
        this.showTab("settings");
      },
      looked: (p) => {
        for (const other of this.panes) if (other !== p) other.view.follow(p.view);
      },
    });
    this.panes.push(pane);
    this.grid.append(pane.element);
    this.grid.dataset["count"] = String(this.panes.length);
    this.hands(pane);
    this.selected ??= pane;
  }

  private remove(pane: Pane): void {
    if (this.panes.length === 1) return;
    this.panes.splice(this.panes.indexOf(pane), 1);
    pane.dispose();
    if (this.selected === pane) this.selected = this.panes[0];
    this.grid.dataset["count"] = String(this.panes.length);
    this.remember();
    this.showTab(this.tab);
  }

  /** Another pane, under the first preset that none has. */
  private more(): void {
    if (this.panes.length >= MOST) {
      tell(`${MOST} panes are the most`);
      return;
    }
    const used = new Set(this.panes.map((p) => p.state.paradigm));
    const next = catalogue.paradigms.find((p) => !used.has(p.name)) ?? catalogue.paradigms[0];
    this.add({ paradigm: next.name, choices: {} });
    this.reset();
    this.remember();
  }

  /** Dragging and throwing with the pointer, mouse or finger. */
  private hands(pane: Pane): void {
    const canvas = pane.view.canvas;
    let looked = 0;
    let held: { body: number; point: Vector3; panes: { pane: Pane; offset: Vector3 }[] } | null = null;
    canvas.addEventListener(
      "pointerdown",
      (e) => {
        if (e.button !== 0 || e.shiftKey) return;
        if (this.throwing) {
          e.stopImmediatePropagation();
          this.throwBall(pane, e);
          return;
        }
        const hit = pane.view.pick(e.clientX, e.clientY);
        if (!hit || pane.info?.kinds[hit.body] !== "dynamic") return;
        // the same body at the same place of it, in every pane
        const panes = this.panes.flatMap((p) => {
          const at = p === pane ? hit.point : p.alike(hit.body, hit.point, pane);
          return p.session?.grab(hit.body, at.x, at.y, at.z) ? [{ pane: p, offset: at.clone().sub(hit.point) }] : [];
        });
        if (panes.length === 0) return;
        held = { body: hit.body, point: hit.point, panes };
        for (const p of this.panes) p.view.controls.enabled = false;
        canvas.setPointerCapture(e.pointerId);
        if (!this.playing) this.play(true);
      },
      // before the camera's own listener
      { capture: true },
    );
    canvas.addEventListener("pointermove", (e) => {
      if (!held) {
        if (e.pointerType === "mouse" && e.buttons === 0) {
          if (e.timeStamp - looked < 120) return;
          looked = e.timeStamp;
          const over = this.throwing ? "crosshair" : pane.info?.kinds[pane.view.pick(e.clientX, e.clientY)?.body ?? -1] === "dynamic" ? "grab" : "";
          canvas.style.cursor = over;
        }
        return;
      }
      const to = pane.view.across(e.clientX, e.clientY, held.point);
      for (const { pane: p } of held.panes) p.session?.drag(to.x, to.y, to.z);
    });
    const release = () => {
      if (!held) return;
      for (const { pane: p } of held.panes) p.session?.release();
      held = null;
      for (const p of this.panes) p.view.controls.enabled = true;
    };
    canvas.addEventListener("pointerup", release);
    canvas.addEventListener("pointercancel", release);
  }

  private throwBall(pane: Pane, e: PointerEvent): void {
    const ray = pane.view.ray(e.clientX, e.clientY).ray;
    const distance = pane.view.camera.position.distanceTo(pane.view.controls.target);
    const radius = 0.03 * distance;
    const from = ray.at(0.15 * distance, new Vector3());
    const speed = 1.2 * distance;
    const velocity = ray.direction.clone().multiplyScalar(speed);
    // as dense as what it is thrown at, or a little more
    const failed = this.panes.flatMap((p) => {
      try {
        p.session?.throwBall(new Float64Array(from.toArray()), new Float64Array(velocity.toArray()), radius, 400);
        if (p.session && p.info) {
          p.info.kinds.push("dynamic");
          p.view.load(p.session, p.info.kinds);
        }
        return [];
      } catch (error) {
        return [String(error)];
      }
    });
    if (failed.length > 0) tell(failed[0], true);
    this.play(true);
  }

  private bar(): HTMLElement {
    const scenes: [string, string][] = [["", "own scene"], ...catalogue.scenes.map((s): [string, string] => [s.name, s.name])];
    this.sceneSelect = choice(scenes, "", "scene", (name) => {
      if (name !== "") this.open(name);
      this.remember();
    });
    const file = make("input", { type: "file", accept: ".toml,.json", hidden: true });
    file.addEventListener("change", () => {
      void this.take(file.files?.[0]);
      // the same file again is a change too
      file.value = "";
    });
    this.playButton = button("▶", "play (space)", () => this.play(!this.playing), "primary play");
    this.speedSelect = choice(SPEEDS.map((s) => [s, `${s}×`]), "1", "speed", (s) => this.setSpeed(Number(s)));
    this.throwButton = button("throw", "throw balls: then click where to", () => this.aim(!this.throwing));
    // where the bar has no room for all of it
    const more = button("⋯", "more tools", () => {
      const open = bar.classList.toggle("all");
      more.setAttribute("aria-expanded", String(open));
    }, "more");
    more.setAttribute("aria-expanded", "false");
    const colours: [string, string][] = [["body", "colour: body"], ["group", "colour: group"], ["layer", "colour: layer"], ["sleep", "colour: sleep"]];
    const bar = make(
      "nav",
      { className: "bar" },
      make("div", { className: "set own scene" }, this.sceneSelect, button("open…", "open a scene file (or drop one on the page)", () => file.click()), file),
      make(
        "div",
        { className: "set time" },
        this.playButton,
        button("step", "one time step (.)", () => this.step()),
        button("reset", "back to the beginning (r)", () => this.reset()),
        this.speedSelect,
        this.clock,
        this.rate,
        more,
      ),
      make(
        "div",
        { className: "set own tools" },
        this.throwButton,
        button("keep", "keep this instant, to come back to", () => this.save()),
        button("back", "back to the kept instant", () => this.restore()),
        button("+ pane", "another pane", () => this.more()),
        button("race step", "all solvers on the largest problem of the next step of the first pane", () => this.problem()),
      ),
      make(
        "div",
        { className: "set overlays tools" },
        ...(["contacts", "impulses", "boxes", "joints"] as const).map((key) => this.toggle(key)),
        choice(colours, this.shown.colour, "what the colours of the bodies mean", (v) => (this.shown.colour = v as Shown["colour"])),
      ),
      make("div", { className: "set own tools" }, button("share", "copy a link to this scene and these settings", () => void this.share())),
      this.whole,
    );
    return bar;
  }

  private toggle(key: "contacts" | "impulses" | "boxes" | "joints"): HTMLElement {
    const box = make("input", { type: "checkbox", checked: this.shown[key] });
    box.addEventListener("change", () => (this.shown[key] = box.checked));
    return make("label", { className: "toggle" }, box, key);
  }

  private showTab(tab: Tab): void {
    const held = document.activeElement?.matches(".tabs .tab") ?? false;
    this.tab = tab;
    const tabs: [Tab, string][] = [["curves", "Curves"], ["settings", "Settings"], ["scene", "Scene"]];
    const heads = tabs.map(([t, title]) => {
      const head = button(title, title, () => this.showTab(t), t === tab ? "tab here" : "tab");
      head.dataset["tab"] = t;
      head.setAttribute("aria-pressed", String(t === tab));
      return head;
    });
    const body = { curves: this.curves.element, settings: this.settings.element, scene: this.editor.element }[tab];
    this.drawer.replaceChildren(make("div", { className: "tabs" }, ...heads), make("div", { className: "page" }, body));
    // the heads are new ones: the keyboard stays where it was
    if (held) heads.find((h) => h.dataset["tab"] === tab)?.focus();
    if (tab !== "settings" || !this.selected) return;
    const panes: [string, string][] = this.panes.map((p, i) => [String(i), `pane ${i + 1}: ${p.state.paradigm}`]);
    const at = this.panes.indexOf(this.selected);
    const pick = choice(panes, String(at), "the pane that is set", (v) => {
      this.selected = this.panes[Number(v)];
      this.settings.show(this.selected);
    });
    body.before(pick);
    this.settings.show(this.selected);
  }

  private listen(): void {
    addEventListener("keydown", (e) => {
      const target = e.target as HTMLElement;
      if (["INPUT", "SELECT", "TEXTAREA"].includes(target.tagName) || e.ctrlKey || e.metaKey || !this.element.isConnected) return;
      // who came to a control with the keyboard presses it with the space bar
      if (e.key === " " && target.matches(":is(button, summary, a):focus-visible")) return;
      if (e.key === " ") {
        e.preventDefault();
        this.play(!this.playing);
      } else if (e.key === ".") this.step();
      else if (e.key === "r") this.reset();
      else if (e.key === "Escape") this.aim(false);
    });
    addEventListener("dragover", (e) => e.preventDefault());
    addEventListener("drop", (e) => {
      e.preventDefault();
      if (!this.element.isConnected) return;
      void this.take(e.dataTransfer?.files[0]);
    });
  }

  /** Loads a scene's file; one that cannot be a scene leaves all as it is. */
  private async take(file: File | undefined): Promise<void> {
    if (!file) return;
    if (file.size > LARGEST) {
      tell(`${file.name} has ${Math.round(file.size / 1e6)} MB: a scene here has at most ${LARGEST / 1e6}`, true);
      return;
    }
    const text = await file.text();
    if (text.includes("\0") || text.includes("\ufffd")) tell(`${file.name} is no text: a scene is TOML or JSON`, true);
    else if (text.trim() === "") tell(`${file.name} is empty: a scene is TOML or JSON`, true);
    else if (!this.run(text, "")) tell(`${file.name} has faults, told under Scene; the panes keep what they had`, true);
  }

  private aim(on: boolean): void {
    this.throwing = on;
    this.throwButton.classList.toggle("on", on);
    for (const pane of this.panes) pane.view.canvas.style.cursor = on ? "crosshair" : "";
  }

  private save(): void {
    for (const pane of this.panes) pane.session?.save();
    this.saved = this.time;
    tell(`kept: ${short(this.time)} s`);
  }

  private restore(): void {
    for (const pane of this.panes) {
      try {
        pane.session?.restore();
        pane.failure = "";
      } catch (error) {
        tell(String(error), true);
        return;
      }
    }
    this.time = this.saved;
  }

  /** Hands on the problem that the next step will solve. */
  private problem(): void {
    this.play(false);
    try {
      const text = (this.selected ?? this.panes[0]).session?.problem();
      if (text) this.onproblem(text);
      else tell("nothing touches: the next step has no problem");
    } catch (error) {
      tell(String(error), true);
    }
  }

  private setSpeed(speed: number): void {
    this.speed = speed;
    this.speedSelect.value = SPEEDS.includes(String(speed)) ? String(speed) : "1";
  }

  private failed(faults: Fault[]): void {
    this.showTab("scene");
    this.editor.show(faults);
    this.play(false);
  }

  /** What the page is, for a link. */
  private state(): SharedState {
    const scene = this.scene !== "" ? { scene: this.scene } : { text: this.text };
    return { ...scene, panes: this.panes.map((p) => p.state), speed: this.speed, shown: this.shown };
  }

  private async share(): Promise<void> {
    const fragment = await encode(this.state());
    history.replaceState(null, "", `#${fragment}`);
    try {
      await navigator.clipboard.writeText(location.href);
      tell("the link is copied");
    } catch {
      tell("the link is in the address bar");
    }
  }

  /** Keeps the address at what the page is. */
  private remember(): void {
    if (this.element.classList.contains("embed")) return;
    void encode(this.state()).then((fragment) => history.replaceState(null, "", `#${fragment}`));
  }
}

