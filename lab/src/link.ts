/** The page's state in the address: what is behind the #. */

import type { Choices } from "./engine";
import type { PaneState } from "./pane";
import type { Shown } from "./view";

export interface SharedState {
  /** A bundled scene's name, or … */
  scene?: string;
  /** … a scene's text. */
  text?: string;
  panes: PaneState[];
  speed?: number;
  shown?: Partial<Shown>;
  /** Only the panes and a play button: for a book. */
  embed?: boolean;
}

async function through(data: BlobPart, stream: CompressionStream | DecompressionStream): Promise<Uint8Array> {
  return new Uint8Array(await new Response(new Blob([data]).stream().pipeThrough(stream)).arrayBuffer());
}

/** JSON, deflated, in the alphabet of addresses. */
export async function encode(state: SharedState): Promise<string> {
  const bytes = await through(JSON.stringify(state), new CompressionStream("deflate-raw"));
  let binary = "";
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** A pane in words: `velocity-lcp`, or `velocity-lcp:collision_solver=sequential:lcp.iterations=20` with modules and settings of its own. */
function pane(words: string): PaneState {
  const [paradigm, ...changes] = words.split(":");
  const choices: Choices = {};
  for (const change of changes) {
    const [path, value] = change.split("=", 2);
    const [table, key] = path.split(".", 2);
    const choice = (choices[table] ??= {});
    if (key === undefined) choice.name = value ?? "";
    else (choice.settings ??= {})[key] = parsed(value ?? "");
  }
  return { paradigm, choices };
}

function parsed(value: string): number | boolean | string {
  if (value === "true" || value === "false") return value === "true";
  return value !== "" && Number.isFinite(Number(value)) ? Number(value) : value;
}

/**
 * A fragment's state: one that `encode` wrote, or words a person can write, as in
 * `#scene=wall&paradigms=velocity-lcp,load-propagation&embed`. Nothing where it is neither.
 */
export async function decode(fragment: string): Promise<SharedState | null> {
  const text = fragment.replace(/^#/, "");
  if (text === "") return null;
  const words = new URLSearchParams(text);
  const scene = words.get("scene");
  if (scene) {
    const names = (words.get("paradigms") ?? "").split(",").filter((n) => n !== "");
    const speed = Number(words.get("speed") ?? "1");
    return { scene, panes: names.map(pane), speed, embed: words.has("embed") };
  }
  try {
    const binary = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
    const bytes = Uint8Array.from(binary, (c) => c.charCodeAt(0));
    const json = new TextDecoder().decode(await through(bytes, new DecompressionStream("deflate-raw")));
    const state = JSON.parse(json) as SharedState;
    return Array.isArray(state.panes) ? state : null;
  } catch {
    return null;
  }
}
