/** Short ways to make elements. */

type Child = Node | string;
type Properties = Record<string, unknown>;

/** An element with properties (those that begin with `on` are listeners, `data-…` and `aria-…` attributes) and children. */
export function make<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  properties: Properties = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [key, value] of Object.entries(properties)) {
    if (key.startsWith("on") && typeof value === "function") element.addEventListener(key.slice(2), value as EventListener);
    else if (key.includes("-")) element.setAttribute(key, String(value));
    else (element as unknown as Properties)[key] = value;
  }
  element.append(...children);
  return element;
}

/** A button with a tooltip. */
export function button(text: string, title: string, onclick: () => void, className = ""): HTMLButtonElement {
  return make("button", { type: "button", title, "aria-label": title, className, onclick }, text);
}

/** A list to choose from: values with what is shown for them. */
export function choice(
  options: [string, string][],
  value: string,
  title: string,
  changed: (value: string) => void,
): HTMLSelectElement {
  const select = make("select", { title, "aria-label": title });
  for (const [v, text] of options) select.append(make("option", { value: v }, text));
  select.value = value;
  select.addEventListener("change", () => changed(select.value));
  return select;
}

/** A few digits of a number. */
export function short(value: number): string {
  if (!Number.isFinite(value)) return "–";
  if (value === 0) return "0";
  const size = Math.abs(value);
  return size >= 1e4 || size < 1e-3 ? value.toExponential(1) : String(+value.toPrecision(3));
}

/** A line for the user that goes away by itself, or at a click on its cross. */
export function tell(text: string, isError = false): void {
  const note = make("div", { className: isError ? "note error" : "note", role: isError ? "alert" : "status" }, make("span", {}, text));
  note.append(button("×", "close this message", () => note.remove(), "close"));
  document.querySelector(".notes")?.append(note);
  // long ones take longer to read
  setTimeout(() => note.remove(), Math.max(isError ? 8000 : 4000, 60 * text.length));
}

/** Takes away what was told: it was about what is not shown any more. */
export function untell(): void {
  document.querySelector(".notes")?.replaceChildren();
}
