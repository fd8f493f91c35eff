// Curves with axes, units and a legend, to be taken away as SVG, PNG or CSV.

/// An axis over values: linear, or logarithmic where all values are above zero (or zero, which is then left out) and span three decades.
function axis(values, from, to, decades = 3) {
  const all = values.filter(v => typeof v === "number" && isFinite(v)), above = all.filter(v => v > 0).sort((a, b) => a - b);
  // a few values close to zero do not make an axis logarithmic
  const low = above[Math.floor(above.length / 20)], log = above.length > 1 && all.every(v => v >= 0) && Math.log10(above.at(-1) / low) >= decades;
  let lo = log ? Math.log10(low) : Math.min(...all), hi = log ? Math.log10(above.at(-1)) : Math.max(...all);
  if (!(hi > lo)) { const half = Math.abs(lo) * 0.05 || 0.5; lo -= half; hi += half; }
  if (log) { lo = Math.floor(lo); hi = Math.ceil(hi); }
  const place = v => from + (v - lo) / (hi - lo) * (to - from), ticks = [];
  const rough = (hi - lo) / 4, power = 10 ** Math.floor(Math.log10(rough)), step = log ? Math.max(1, Math.ceil(rough)) : power * [1, 2, 5, 10].find(m => m * power >= rough * 0.999);
  for (let k = Math.ceil(lo / step - 1e-9); k * step <= hi + 1e-9 * step; k++) { const v = log ? 10 ** (k * step) : k * step; ticks.push([v, short(Math.abs(v) < 1e-12 * Math.abs(hi - lo) && !log ? 0 : v)]); }
  return { log, ticks, at: v => typeof v !== "number" || !isFinite(v) || log && v <= 0 ? null : Math.max(Math.min(from, to), Math.min(Math.max(from, to), place(log ? Math.log10(v) : v))) };
}
/// An axis of names.
function names(all, from, to) {
  const at = name => from + (all.indexOf(name) + 0.5) / all.length * (to - from);
  return { log: false, ticks: all.map(name => [name, name.length > 14 ? name.slice(0, 13) + "…" : name]), at };
}

/// Names without what all of them share: from lists of values, those that differ.
function shortened(lists) {
  const differs = k => lists.some(list => list[k]?.[1] !== lists[0][k]?.[1]);
  return lists.map(list => list.filter((_, k) => differs(k)).map(([name, value]) => name === "scene" || name === "paradigm" ? value : name + "=" + value).join(" "));
}

const download = (name, blob) => { const a = document.createElement("a"); a.href = URL.createObjectURL(blob); a.download = name; a.click(); setTimeout(() => URL.revokeObjectURL(a.href), 1000); };
const cell = text => /[",\n]/.test(text) ? '"' + text.replaceAll('"', '""') + '"' : text;

/// Curves of runs over one axis, with a legend below: draw([{ time, values, ends? }]), where ends are [least, most] of each value.
class Plot {
  constructor(parent, key, names, along = "time (s)") {
    this.figure = make("figure", parent); this.key = key; this.names = names; this.along = along;
    const head = make("figcaption", this.figure); this.title = make("span", head, key);
    const buttons = make("span", head, undefined, { class: "take" });
    for (const kind of ["SVG", "PNG", "CSV"]) make("button", buttons, kind, { type: "button", title: "save as " + kind }).onclick = () => this.take(kind);
    const row = make("div", this.figure, undefined, { class: "plot" });
    this.svg = document.createElementNS("http://www.w3.org/2000/svg", "svg"); row.append(this.svg);
    for (const [k, v] of [["viewBox", "0 0 420 230"], ["role", "img"]]) this.svg.setAttribute(k, v);
    if (names.length > 1) { const legend = make("ul", row, undefined, { class: "legend" }); names.forEach((name, i) => { const item = make("li", legend); make("span", item, "", { class: "swatch", style: "background:" + COLOURS[i % COLOURS.length] }); item.append(name); }); }
  }

  draw(runs, categories) {
    const [W, H, L, R, B, T] = [420, 230, 74, 12, 44, 12], svg = this.svg; svg.replaceChildren(); this.runs = runs;
    svg.setAttribute("aria-label", this.key + " against " + this.along); this.title.textContent = this.key;
    const values = runs.flatMap(r => [...r.values, ...(r.ends || []).flat()]), known = values.filter(v => typeof v === "number" && isFinite(v));
    this.figure.hidden = known.length === 0 || known.every(v => v === 0);
    if (this.figure.hidden) return;
    const x = this.x = categories ? names(categories, L, W - R) : axis(runs.flatMap(r => r.time), L, W - R, this.along === "time (s)" ? Infinity : 1), y = axis(values, H - B, T);
    const put = (tag, set, text) => { const e = document.createElementNS(svg.namespaceURI, tag); for (const k in set) e.setAttribute(k, set[k]); if (text) e.textContent = text; svg.append(e); return e; };
    for (const [v, text] of y.ticks) { put("line", { x1: L, x2: W - R, y1: y.at(v), y2: y.at(v), class: "rule" }); put("text", { x: L - 6, y: y.at(v) + 4, "text-anchor": "end" }, text); }
    for (const [v, text] of x.ticks) { put("line", { x1: x.at(v), x2: x.at(v), y1: H - B, y2: H - B + 4, class: "rule" }); put("text", { x: x.at(v), y: H - B + 17, "text-anchor": "middle" }, text); }
    const scale = axis => axis.log ? ", log scale" : "";
    put("text", { x: (L + W - R) / 2, y: H - 6, "text-anchor": "middle" }, this.along + scale(x));
    put("text", { transform: `translate(13 ${(H - B + T) / 2}) rotate(-90)`, "text-anchor": "middle" }, this.key + scale(y));
    runs.forEach((r, i) => {
      const stroke = COLOURS[i % COLOURS.length], at = r.time.map((t, k) => [x.at(t), y.at(r.values[k])]).map(([a, b]) => a === null || b === null ? null : [a, b]);
      put("polyline", { points: at.filter(Boolean).map(p => p.map(v => v.toFixed(1)).join()).join(" "), fill: "none", stroke, "stroke-width": 1.6 });
      if (!r.marks) return;
      at.forEach((p, k) => { if (!p) return; put("circle", { cx: p[0], cy: p[1], r: 3, fill: stroke }); const ends = r.ends?.[k]?.map(y.at); if (ends) put("path", { d: `M${p[0] - 4} ${ends[0]}h8m-4 0V${ends[1]}m-4 0h8`, stroke, fill: "none" }); });
    });
    this.cursor = this.along === "time (s)" ? put("line", { y1: T, y2: H - B, class: "now", visibility: "hidden" }) : null;
  }

  at(t) { if (this.cursor && this.x && !this.figure.hidden) { for (const [k, v] of [["x1", this.x.at(t)], ["x2", this.x.at(t)], ["visibility", "visible"]]) this.cursor.setAttribute(k, v); } }

  /// The drawing by itself, on white, with its legend.
  alone() {
    const svg = this.svg.cloneNode(true), many = this.names.length > 1, height = 230 + (many ? 18 * this.names.length + 8 : 0);
    svg.querySelector(".now")?.remove();
    for (const [k, v] of [["xmlns", this.svg.namespaceURI], ["viewBox", "0 0 420 " + height], ["width", 420], ["height", height], ["font-family", "sans-serif"], ["font-size", 12]]) svg.setAttribute(k, v);
    const put = (tag, set, text) => { const e = document.createElementNS(this.svg.namespaceURI, tag); for (const k in set) e.setAttribute(k, set[k]); if (text) e.textContent = text; return e; };
    svg.prepend(put("rect", { width: 420, height, fill: "#fff" }));
    svg.querySelectorAll(".rule").forEach(e => e.setAttribute("stroke", "#ccc"));
    if (many) this.names.forEach((name, i) => svg.append(put("rect", { x: 74, y: 234 + 18 * i, width: 10, height: 10, fill: COLOURS[i % COLOURS.length] }), put("text", { x: 90, y: 243 + 18 * i }, name)));
    return [new XMLSerializer().serializeToString(svg), height];
  }

  csv() {
    const rows = this.runs.flatMap((r, i) => r.time.map((t, k) => [this.names[i] ?? "", t, r.values[k] ?? "", ...(r.ends?.[k] ?? [])]));
    const head = ["run", this.along, this.key, ...(this.runs.some(r => r.ends) ? ["least", "most"] : [])];
    return [head, ...rows].map(row => row.map(v => cell(String(v))).join()).join("\n") + "\n";
  }

  async take(kind) {
    const name = this.key.replace(/\W+/g, "-").replace(/^-|-$/g, "") + "." + kind.toLowerCase();
    if (kind === "CSV") return download(name, new Blob([this.csv()], { type: "text/csv" }));
    const [text, height] = this.alone(), drawing = new Blob([text], { type: "image/svg+xml" });
    if (kind === "SVG") return download(name, drawing);
    const image = new Image(), canvas = document.createElement("canvas"), url = URL.createObjectURL(drawing);
    image.src = url; await image.decode();
    canvas.width = 3 * 420; canvas.height = 3 * height; canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height); URL.revokeObjectURL(url);
    canvas.toBlob(blob => download(name, blob));
  }
}

/// A figure of the table against a swept setting: a curve for each combination of everything else.
function against(parent, runs, repeated) {
  const keys = runs[0]?.keys.map(([name]) => name) ?? [], swept = keys.filter((name, k) => name !== "scene" && name !== "paradigm" && new Set(runs.map(r => r.keys[k]?.[1])).size > 1);
  if (!swept.length) return;
  make("h2", parent, "Against settings");
  const bar = make("div", parent, undefined, { class: "bar" }), place = make("div", parent, undefined, { class: "plots" });
  const chooser = (label, all) => { const select = make("select", make("label", bar, label)); all.forEach(name => make("option", select, name, { value: name })); select.onchange = show; return select; };
  const figures = runs[0].table.map(([label]) => label), figure = chooser("figure", figures), along = chooser("against", swept);
  figure.id = "figure"; along.id = "along";
  function show() {
    const k = keys.indexOf(along.value), row = figures.indexOf(figure.value), curves = new Map();
    for (const r of runs) { const rest = r.keys.filter((_, other) => other !== k), name = JSON.stringify(rest); if (!curves.has(name)) curves.set(name, { rest, runs: [] }); curves.get(name).runs.push(r); }
    const number = r => r.keys[k][1].trim() === "" ? NaN : Number(r.keys[k][1]), named = runs.some(r => isNaN(number(r)));
    const lines = [...curves.values()].map(({ runs }) => {
      if (!named) runs.sort((a, b) => number(a) - number(b));
      const ends = figure.value === repeated && runs.every(r => r.repeated) ? runs.map(r => r.repeated) : undefined;
      return { marks: true, time: runs.map(r => named ? r.keys[k][1] : number(r)), values: runs.map(r => r.table[row][1]), ends };
    });
    place.replaceChildren();
    new Plot(place, figure.value, shortened([...curves.values()].map(c => c.rest)), along.value).draw(lines, named ? [...new Set(runs.map(r => r.keys[k][1]))] : undefined);
    if (place.firstChild.hidden) make("p", place, "Nothing but zero, or not measured.");
  }
  show();
}
