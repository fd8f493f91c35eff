// Parts of the page: elements, overlays to switch on, keys.
const COLOURS = ["#b5651d", "#2b7bba", "#3f9a57", "#9a55b5", "#c0392b", "#8a8a2a", "#16877f", "#6b6b6b", "#d17fa8", "#5257c9", "#2f5d50", "#a38b00", "#444c99"];
const make = (tag, parent, text, set = {}) => { const e = document.createElement(tag); if (text !== undefined) e.textContent = text; for (const k in set) e.setAttribute(k, set[k]); parent.append(e); return e; };
const short = v => typeof v !== "number" ? "–" : v === 0 ? "0" : Math.abs(v) >= 1e4 || Math.abs(v) < 1e-3 ? v.toExponential(2) : +v.toPrecision(4) + "";

function heading(text) {
  const h = make("h1", document.body); make("span", h, text);
  const word = /(?:^#|,)(dark|light)(?:,|$)/.exec(location.hash); if (word) document.documentElement.dataset.theme = word[1];
  const theme = make("button", h, isDark() ? "light" : "dark", { type: "button", title: "light or dark" });
  theme.onclick = () => { document.documentElement.dataset.theme = isDark() ? "light" : "dark"; theme.textContent = isDark() ? "light" : "dark"; theme.dispatchEvent(new Event("themed", { bubbles: true })); };
}

/// Overlays drawn on the bodies. Keys: c, n, j, and 1 to 4 for colours.
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
