/** The engine, and what it says about itself. */

import init, { Race, Session, catalogue as catalogueText, check as checkText, sceneSchema, sceneText } from "./engine/drystone_web.js";
import wasm from "./engine/drystone_web_bg.wasm?url";

export { Race, Session, sceneSchema, sceneText };

export type Value = boolean | number | string;

export interface Parameter {
  name: string;
  type: "bool" | "integer" | "real" | "choice";
  default: Value;
  allowed: string;
  summary: string;
  range?: [number, number];
  options?: string[];
}

export interface Implementation {
  name: string;
  summary: string;
  source: string;
  parameters: Parameter[];
}

export interface Paradigm {
  name: string;
  summary: string;
  source: string;
  modules: Record<string, string>;
}

export interface Catalogue {
  paradigms: Paradigm[];
  modules: Record<string, Implementation[]>;
  scenes: { name: string; description: string }[];
}

export interface Fault {
  line: number | null;
  path: string;
  message: string;
}

export interface SceneInfo {
  name: string;
  description: string;
  duration: number;
  timeStep: number;
  paradigm: string;
  bodies: string[];
  kinds: string[];
  joints: string[];
  warnings: string[];
}

/** What a pane chooses otherwise than its preset: `{table: {name?, settings?}}`. */
export type Choices = Record<string, { name?: string; settings?: Record<string, Value> }>;

export interface Chosen {
  paradigm: string;
  modules: Record<string, { name: string; settings: Record<string, Value> }>;
}

export let catalogue: Catalogue;
export let figureNames: [key: string, label: string, unit: string][];

export async function start(): Promise<void> {
  await init({ module_or_path: wasm });
  catalogue = JSON.parse(catalogueText()) as Catalogue;
  figureNames = JSON.parse(Session.figureNames()) as typeof figureNames;
}

/** Every fault of a scene's text. */
export function check(text: string): Fault[] {
  return JSON.parse(checkText(text)) as Fault[];
}

/** The faults in what a failed call threw. */
export function faultsOf(error: unknown): Fault[] {
  const text = typeof error === "string" ? error : error instanceof Error ? error.message : String(error);
  try {
    const parsed: unknown = JSON.parse(text);
    if (Array.isArray(parsed)) return parsed as Fault[];
  } catch {
    // a sentence, not a list
  }
  return [{ line: null, path: "", message: text }];
}
