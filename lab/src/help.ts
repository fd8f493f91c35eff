/** What the schema of scene files says about a place in a scene's text (TOML). */

/** A node of a JSON schema, as far as scene files use it. */
interface Node {
  $ref?: string;
  type?: string;
  description?: string;
  default?: unknown;
  const?: unknown;
  enum?: unknown[];
  required?: string[];
  properties?: Record<string, Node>;
  additionalProperties?: Node | boolean;
  items?: Node;
  anyOf?: Node[];
  oneOf?: Node[];
  minItems?: number;
  maxItems?: number;
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: number;
  exclusiveMaximum?: number;
  $defs?: Record<string, Node>;
}

/** A key that a table may have. */
export interface KeyHelp {
  name: string;
  description: string;
  /** What is allowed, in words. */
  allowed: string;
  required: boolean;
  present: boolean;
  /** A value that it may have, as TOML. */
  value: string;
}

/** What is known about the place of the caret. */
export interface Help {
  /** From the root to the table, and to the key where the caret is on one. */
  path: string[];
  description: string;
  /** Of the key, nothing for a table. */
  allowed: string;
  /** The keys of the table that the caret is in. */
  keys: KeyHelp[];
  /** What is written of a key so far. */
  typed: string;
}

/** Where the caret is: the table's path (numbers are places in lists), the key on whose value or name it is, and the table's own strings. */
interface Place {
  table: string[];
  key: string | null;
  typed: string;
  strings: Map<string, string>;
  present: Set<string>;
}

interface Level {
  path: string[];
  /** What closes it; a header's table is closed by nothing. */
  close: "" | "}" | "]";
  key: string[] | null;
  strings: Map<string, string>;
  present: Set<string>;
}

const level = (path: string[], close: Level["close"]): Level => ({ path, close, key: null, strings: new Map(), present: new Set() });

/** Reads the text as TOML, leniently, and stops at the caret; what follows in the same table is read for its keys. */
export function placeOf(text: string, caret: number): Place {
  let stack = [level([], "")];
  let found: { level: Level; key: string[] | null; typed: string } | null = null;
  const words = /"""[\s\S]*?(?:"""|$)|'''[\s\S]*?(?:'''|$)|"(?:\\.|[^"\\\n])*"?|'[^'\n]*'?|#[^\n]*|\n|[[\]{}=,]|[^\s[\]{}=,"'#]+|[^\S\n]+/g;
  let word = "";
  let begun = -1;
  const top = () => stack[stack.length - 1];
  const inValue = () => top().key !== null || top().close === "]";
  for (let m = words.exec(text); m; m = words.exec(text)) {
    const [token] = m;
    if (!found && m.index >= caret) found = here(top(), word, begun, caret);
    const t = top();
    if (token === "\n") {
      if (t.close === "") {
        t.key = null;
        word = "";
      }
    } else if (token === "[" && t.close === "" && t.key === null && /(^|\n)[^\S\n]*$/.test(text.slice(0, m.index))) {
      // a header, to the end of its line
      const line = /^[^\n]*/.exec(text.slice(m.index))?.[0] ?? "";
      const name = /^\[\[?([^\]\n]*)\]?\]?/.exec(line)?.[1] ?? "";
      if (found?.level === t) return place(found);
      stack = [level(keys(name), "")];
      word = "";
      words.lastIndex = m.index + line.length;
      if (!found && caret <= m.index + line.length) found = { level: top(), key: null, typed: "" };
    } else if (token === "{" || token === "[") {
      stack.push(level([...t.path, ...(t.key ?? [])], token === "{" ? "}" : "]"));
      word = "";
    } else if (token === "}" || token === "]") {
      if (stack.length > 1) {
        const closed = stack.pop();
        if (found && found.level === closed) return place(found);
      }
      word = "";
    } else if (token === "=") {
      t.key = keys(word);
      if (t.key.length > 0) t.present.add(t.key[0]);
      word = "";
    } else if (token === ",") {
      if (t.close === "}") t.key = null;
      word = "";
    } else if (token.startsWith("#") || /^\s+$/.test(token)) {
      continue;
    } else {
      if (inValue()) {
        const string = /^(["'])(.*)\1$/.exec(token);
        if (string && t.key?.length === 1) t.strings.set(t.key[0], string[2]);
      }
      word = token;
      begun = m.index;
      if (!found && caret > m.index && caret <= m.index + token.length && !inValue()) {
        found = { level: t, key: null, typed: token.slice(0, caret - m.index) };
        // a whole key is one that is explained
        if (/^\s*=/.test(text.slice(m.index + token.length))) found = { level: t, key: keys(token), typed: "" };
      }
    }
  }
  return place(found ?? here(top(), word, begun, caret));
}

function here(at: Level, word: string, begun: number, caret: number): { level: Level; key: string[] | null; typed: string } {
  const typing = at.key === null && at.close !== "]" && begun >= 0 && begun + word.length === caret;
  return { level: at, key: at.key, typed: typing ? word : "" };
}

function place({ level: at, key, typed }: { level: Level; key: string[] | null; typed: string }): Place {
  const inner = key ?? [];
  const table = [...at.path, ...inner.slice(0, -1)];
  return { table, key: inner.at(-1) ?? null, typed, strings: at.strings, present: at.present };
}

/** The parts of a dotted key. */
function keys(text: string): string[] {
  return text.split(".").map((k) => k.trim().replace(/^(["'])(.*)\1$/, "$2")).filter((k) => k !== "");
}

/** The schema of scene files, to be asked. */
export class SceneHelp {
  private readonly root: Node;

  constructor(json: string) {
    this.root = JSON.parse(json) as Node;
  }

  /** What there is to say about a place in a text; nothing where the text is JSON. */
  at(text: string, caret: number): Help | null {
    if (text.trimStart().startsWith("{")) return null;
    const { table, key, typed, strings, present } = placeOf(text, caret);
    let nodes = this.alternatives(this.root);
    let described = this.root;
    for (const name of table) {
      const next = this.inside(nodes, name);
      if (!next) return { path: [...table, ...(key ? [key] : [])], description: `there is no key ${name} here`, allowed: "", keys: [], typed };
      described = next;
      nodes = this.alternatives(next);
    }
    nodes = chosen(nodes, strings);
    if (key === null && table.length > 0 && !this.isTable(described)) {
      return { path: table, description: described.description ?? "", allowed: this.allowed(described), keys: [], typed: "" };
    }
    const all = this.keysOf(nodes, present);
    const own = key === null ? null : this.inside(nodes, key);
    const words = key === null
      ? [described.description ?? nodes[0]?.description ?? "", nodes.length === 1 && nodes[0] !== described ? nodes[0].description ?? "" : ""]
      : [own ? own.description ?? this.alternatives(own)[0]?.description ?? "" : `there is no key ${key} here`];
    return {
      path: [...table, ...(key === null ? [] : [key])],
      description: [...new Set(words.filter((w) => w !== ""))].join(" · "),
      allowed: own ? this.allowed(own) : "",
      keys: own && own.type === undefined && this.isTable(own) ? this.keysOf(this.alternatives(own), new Set()) : all,
      typed,
    };
  }

  private isTable(node: Node): boolean {
    return this.alternatives(node).some((n) => n.properties);
  }

  /** What a reference or a choice stands for; the things in a list for the list. */
  private alternatives(node: Node): Node[] {
    if (node.$ref !== undefined) {
      const target = this.root.$defs?.[node.$ref.replace("#/$defs/", "")];
      return target ? this.alternatives(target) : [];
    }
    if (node.items && node.type === "array") return this.alternatives(node.items);
    const choices = node.anyOf ?? node.oneOf;
    return choices ? choices.flatMap((c) => this.alternatives(c)) : [node];
  }

  private inside(nodes: Node[], name: string): Node | null {
    for (const node of nodes) {
      const found = node.properties?.[name];
      if (found) return found;
    }
    const free = nodes.find((n) => typeof n.additionalProperties === "object")?.additionalProperties;
    return typeof free === "object" ? free : null;
  }

  private keysOf(nodes: Node[], present: Set<string>): KeyHelp[] {
    const found = new Map<string, KeyHelp>();
    for (const node of nodes) {
      for (const [name, p] of Object.entries(node.properties ?? {})) {
        const before = found.get(name);
        if (before) {
          // what tells the alternatives apart has one value in each
          if (p.const !== undefined && !before.allowed.includes(JSON.stringify(p.const))) before.allowed += `, ${JSON.stringify(p.const)}`;
          continue;
        }
        const required = nodes.every((n) => n.required?.includes(name) === true);
        const description = p.description ?? this.alternatives(p)[0]?.description ?? "";
        found.set(name, { name, description, allowed: this.allowed(p), required, present: present.has(name), value: this.example(p) });
      }
    }
    return [...found.values()];
  }

  /** What is allowed, in words. */
  private allowed(node: Node): string {
    if (node.$ref !== undefined || node.anyOf || node.oneOf) {
      const choices = node.anyOf ?? node.oneOf ?? this.alternatives(node);
      const kinds = choices.map((c) => {
        const inner = this.alternatives(c);
        const told = inner.find((n) => n.properties)?.properties;
        const tag = Object.entries(told ?? {}).find(([, p]) => p.const !== undefined);
        if (tag) return `${tag[0]} = ${JSON.stringify(tag[1].const)}`;
        return told ? `{ ${Object.keys(told).slice(0, 6).join(", ")}${Object.keys(told).length > 6 ? ", …" : ""} }` : this.allowed(inner[0] ?? {});
      });
      return [...new Set(kinds)].join(" or ");
    }
    const bounds = [
      node.exclusiveMinimum !== undefined ? `above ${node.exclusiveMinimum}` : "",
      node.minimum !== undefined ? `at least ${node.minimum}` : "",
      node.exclusiveMaximum !== undefined ? `below ${node.exclusiveMaximum}` : "",
      node.maximum !== undefined ? `at most ${node.maximum}` : "",
    ].filter((b) => b !== "");
    let kind = node.type ?? "";
    if (node.const !== undefined) kind = JSON.stringify(node.const);
    else if (node.enum) kind = node.enum.map((v) => JSON.stringify(v)).join(", ");
    else if (node.type === "array") kind = `[${node.minItems === node.maxItems && node.minItems !== undefined ? `${node.minItems} x ` : ""}${this.allowed(node.items ?? {})}]`;
    else if (node.type === "object") kind = `{ ${Object.keys(node.properties ?? {}).join(", ")} }`;
    const otherwise = node.default !== undefined ? `; ${JSON.stringify(node.default)} where it is left out` : "";
    return [kind, ...bounds].filter((w) => w !== "").join(", ") + otherwise;
  }

  /** A value that is allowed, as TOML. */
  private example(node: Node): string {
    if (node.default !== undefined && node.default !== null) return toml(node.default);
    if (node.const !== undefined) return toml(node.const);
    if (node.enum) return toml(node.enum[0]);
    if (node.$ref !== undefined || node.anyOf || node.oneOf) {
      const first = this.alternatives(node)[0];
      return first ? this.example(first) : "";
    }
    if (node.type === "array") return `[${Array.from({ length: node.minItems ?? 1 }, () => this.example(node.items ?? {})).join(", ")}]`;
    if (node.type === "object" || node.properties) {
      const needed = node.required ?? [];
      const inner = Object.entries(node.properties ?? {}).filter(([name], i) => (needed.length > 0 ? needed.includes(name) : i === 0));
      return `{ ${inner.map(([name, p]) => `${name} = ${this.example(p)}`).join(", ")} }`;
    }
    if (node.type === "string") return '""';
    if (node.type === "boolean") return "true";
    const least = node.minimum ?? node.exclusiveMinimum;
    return node.type === "integer" ? String(least ?? 1) : String(Math.max(1, least ?? 1)) + ".0";
  }
}

/** Those alternatives that fit the strings which stand in the table: `kind = "hinge"` rules out all others. */
function chosen(nodes: Node[], strings: Map<string, string>): Node[] {
  const fits = (n: Node) =>
    Object.entries(n.properties ?? {}).every(([name, p]) => p.const === undefined || !strings.has(name) || strings.get(name) === p.const);
  const left = nodes.filter(fits);
  return left.length > 0 ? left : nodes;
}

function toml(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(toml).join(", ")}]`;
  if (typeof value === "object" && value !== null) return `{ ${Object.entries(value).map(([k, v]) => `${k} = ${toml(v)}`).join(", ")} }`;
  return JSON.stringify(value);
}
