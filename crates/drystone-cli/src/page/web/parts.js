// Parts of the page: elements, overlays to switch on, curves with their legends, keys.
const COLOURS = ["#b5651d", "#2b7bba", "#3f9a57", "#9a55b5", "#c0392b", "#8a8a2a", "#16877f", "#6b6b6b", "#d17fa8", "#5257c9", "#2f5d50", "#a38b00", "#444c99"];
const make = (tag, parent, text, set = {}) => { const e = document.createElement(tag); if (text !== undefined) e.textContent = text; for (const k in set) e.setAttribute(k, set[k]); parent.append(e); return e; };
const short = v => typeof v !== "number" ? "–" : v === 0 ? "0" : Math.abs(v) >= 1e4 || Math.abs(v) < 1e-3 ? v.toExponential(2) : +v.toPrecision(4) + "";

function heading(text) {
  const h = make("h1", document.body); make("span", h, text);
  const word = /(?:^#|,)(dark|light)(?:,|$)/.exec(location.hash); if (word) document.documentElement.dataset.theme = word[1];
  const theme = make("button", h, isDark() ? "light" : "dark", { type: "button", title: "light or dark" });
  theme.onclick = () => { document.documentElement.dataset.theme = isDark() ? "light" : "dark"; theme.textContent = isDark() ? "light" : "dark"; theme.dispatchEvent(new Event("themed", { bubbles: true })); };
}

/// What is drawn over the bodies. Keys: c, n, j, and 1 to 4 for colours.
function overlays(parent, changed) {
  const shown = { contacts: false, normals: false, joints: false, colour: "body" }, boxes = {};
  for (const k of ["contacts", "normals", "joints"]) {
    const label = make("label", parent), box = boxes[k] = make("input", label, undefined, { type: "checkbox", id: "show-" + k }); label.append(k);
    box.onchange = () => { shown[k] = box.checked; changed(); };
  }
  const label = make("label", parent, "colours by"), select = make("select", label, undefined, { id: "colours" }), by = ["body", "group", "layer", "sleep"];
  by.forEach(k => make("option", select, k));
  select.onchange = () => { shown.colour = select.value; changed(); };
  // the address says what is shown at first: #contacts,normals,joints,layer
  for (const word of location.hash.slice(1).split(",")) { if (boxes[word]) boxes[word].checked = shown[word] = true; if (by.includes(word)) select.value = shown.colour = word; }
  return { shown, key(k) { const box = { c: "contacts", n: "normals", j: "joints" }[k]; if (box) boxes[box].click(); else if (k >= "1" && k <= "4") { select.value = by[k - 1]; select.onchange(); } else return false; return true; } };
}

/// Keys of the page, unless an element that takes them has the focus.
function keys(eye, overlay, more) {
  addEventListener("keydown", e => {
    if (e.ctrlKey || e.metaKey || e.altKey || /^(SELECT|INPUT|TEXTAREA)$/.test(e.target.tagName) && e.target.type !== "checkbox") return;
    if (e.key === " " && e.target.tagName === "BUTTON") return;
    const step = 0.08, views = { ArrowLeft: () => eye.turn(-step, 0), ArrowRight: () => eye.turn(step, 0), ArrowUp: () => eye.turn(0, step), ArrowDown: () => eye.turn(0, -step), "+": () => eye.nearer(0.9), "-": () => eye.nearer(1.1), f: () => eye.home() };
    const act = more[e.key] || views[e.key];
    if (act) act(); else if (!overlay.key(e.key)) return;
    e.preventDefault();
  });
}

/// A curve per run over time, with a legend beside it: { key, runs: [{ name, time, values }] }.
class Plot {
  constructor(parent, key, names) {
    this.figure = make("figure", parent); make("figcaption", this.figure, key);
    const row = make("div", this.figure, undefined, { class: "plot" });
    this.svg = document.createElementNS("http://www.w3.org/2000/svg", "svg"); row.append(this.svg);
    for (const [k, v] of [["viewBox", "0 0 420 200"], ["role", "img"], ["aria-label", key + " over time"]]) this.svg.setAttribute(k, v);
    if (names.length > 1) { const legend = make("ul", row, undefined, { class: "legend" }); names.forEach((name, i) => { const item = make("li", legend); make("span", item, "", { class: "swatch", style: "background:" + COLOURS[i % COLOURS.length] }); item.append(name); }); }
  }

  draw(runs) {
    const [W, H, L, B, T] = [420, 200, 66, 24, 10], svg = this.svg; svg.replaceChildren();
    let lo = Infinity, hi = -Infinity, begin = Infinity, end = -Infinity;
    for (const r of runs) { for (const v of r.values) if (v !== null) { lo = Math.min(lo, v); hi = Math.max(hi, v); } begin = Math.min(begin, r.time[0]); end = Math.max(end, r.time.at(-1)); }
    this.figure.hidden = !(hi > -Infinity) || (hi === 0 && lo === 0);
    if (this.figure.hidden) return;
    if (!(end > begin)) end = begin + 1;
    const x = this.x = t => L + (t - begin) / (end - begin) * (W - L - 12), y = v => H - B - (hi > lo ? (v - lo) / (hi - lo) : 0.5) * (H - B - T);
    const put = (tag, set, text) => { const e = document.createElementNS(svg.namespaceURI, tag); for (const k in set) e.setAttribute(k, set[k]); if (text) e.textContent = text; svg.append(e); return e; };
    for (const v of hi > lo ? [lo, (lo + hi) / 2, hi] : [lo]) { put("line", { x1: L, x2: W - 12, y1: y(v), y2: y(v), class: "rule" }); put("text", { x: L - 6, y: y(v) + 4, "text-anchor": "end" }, short(v)); }
    for (const t of [begin, (begin + end) / 2, end]) put("text", { x: x(t), y: H - 6, "text-anchor": t === end ? "end" : "middle" }, short(t) + " s");
    runs.forEach((r, i) => { const points = r.time.flatMap((t, k) => r.values[k] === null ? [] : [x(t).toFixed(1) + "," + y(r.values[k]).toFixed(1)]); put("polyline", { points: points.join(" "), fill: "none", stroke: COLOURS[i % COLOURS.length], "stroke-width": 1.6 }); });
    this.cursor = put("line", { y1: T, y2: H - B, class: "now", visibility: "hidden" });
  }

  at(t) { if (this.cursor && this.x && !this.figure.hidden) { for (const [k, v] of [["x1", this.x(t)], ["x2", this.x(t)], ["visibility", "visible"]]) this.cursor.setAttribute(k, v); } }
}
