// A scene that runs while one watches.
(async () => {
  const ask = async (path, body) => {
    const answer = await fetch(path, body === undefined ? {} : { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) });
    const told = await answer.json();
    if (!answer.ok) throw new Error(told.error);
    return told;
  };
  const eye = new Eye(), info = await ask("scene"), scene = await scenery(info.scenery);
  heading(info.name);
  make("p", document.body, info.description);
  const bar = make("div", document.body, undefined, { class: "bar" }), button = (text, act, id) => { const b = make("button", bar, text, { type: "button", id }); b.onclick = act; return b; };
  const fault = make("div", document.body, "", { class: "fault", role: "status", id: "fault" });
  const work = make("div", document.body, undefined, { class: "work" }), views = make("div", work, undefined, { class: "views", "data-count": 1 }), side = make("div", work, undefined, { class: "side" });
  make("p", document.body, "Drag a body, or beside one to turn; two fingers or shift move, wheel or pinch comes closer. Keys: space plays, . steps, r begins anew, arrows turn, + and - come closer, f fits, c n j contacts, normals and joints, 1 to 4 colours.");
  let frame = null, dirty = true;
  const take = told => { frame = { ...told, poses: Float32Array.from(told.poses) }; dirty = true; show(); };
  const tell = async body => { try { take(await ask("do", body)); fault.textContent = frame.failure || ""; } catch (e) { fault.textContent = e.message; choosing(); } };
  const play = button("play", () => tell({ play: !frame.playing }), "play");
  button("step", () => tell({ step: 1 }), "step"); button("reset", () => tell("reset"), "reset");
  const clock = make("span", bar, "", { class: "clock", id: "clock" });
  const speed = make("select", make("label", bar, "speed"), undefined, { id: "speed" }); [["1/8", 0.125], ["1/4", 0.25], ["1", 1], ["4", 4]].forEach(([name, v]) => make("option", speed, name, { value: v })); speed.value = 1; speed.onchange = () => tell({ speed: +speed.value });
  const overlay = overlays(bar, () => { dirty = true; });

  // paradigm and modules: what differs from the preset is sent along
  const choose = (text, table, options) => { const s = make("select", make("label", side, text), undefined, { id: table }); options.forEach(o => make("option", s, o.name, { title: o.summary })); return s; };
  const paradigm = choose("paradigm", "paradigm", info.catalogue.paradigms);
  const selects = Object.entries(info.catalogue.modules).map(([table, options]) => [table, choose(table.replaceAll("_", " "), table, options)]);
  const choosing = () => { paradigm.value = frame.paradigm; for (const [table, s] of selects) s.value = frame.modules[table]; };
  paradigm.onchange = () => tell({ choose: { paradigm: paradigm.value } });
  for (const [table, s] of selects) s.onchange = () => {
    const own = info.catalogue.paradigms.find(p => p.name === frame.paradigm).modules, modules = {};
    for (const [t, other] of selects) if (t === table || frame.modules[t] !== own[t]) modules[t] = { name: other.value };
    tell({ choose: { paradigm: frame.paradigm, modules } });
  };
  const figures = make("table", side, undefined, { class: "figures" }), cells = {};
  const plots = make("div", document.body, undefined, { class: "plots" }), history = { time: [] };
  const curves = {};

  function show() {
    play.textContent = frame.playing ? "pause" : "play"; clock.textContent = frame.time.toFixed(2) + " s";
    if (document.activeElement?.tagName !== "SELECT" || document.activeElement === speed) choosing();
    if (frame.failure) fault.textContent = frame.failure;
    for (const [name, v] of Object.entries(frame.figures)) {
      if (!cells[name]) { const row = make("tr", figures); make("td", row, name); cells[name] = make("td", row, ""); history[name] = []; curves[name] = new Plot(plots, name, [name]); }
      cells[name].textContent = short(v);
    }
    const last = history.time.at(-1);
    if (last !== undefined && frame.time < last) for (const k in history) history[k].length = 0;
    if (frame.time !== last) {
      history.time.push(frame.time); for (const [name, v] of Object.entries(frame.figures)) history[name].push(v);
      if (history.time.length > 900) for (const k in history) history[k].splice(0, 300);
    }
  }

  take(await ask("frame"));
  eye.fit([{ scene, poses: [frame.poses] }]); eye.distance *= 1.25;
  eye.changed = () => { dirty = true; };
  const painter = new Painter(), figure = make("figure", views);
  if (!painter.gl) { make("p", figure, "The picture needs WebGL 2."); return; }
  const canvas = make("canvas", figure, undefined, { tabindex: 0, role: "img", "aria-label": info.name, id: "picture" }), model = painter.model(scene, eye.floor);
  let depth = 0, sending = false, wish = null;
  const drag = async () => { if (sending) return; sending = true; while (wish) { const to = wish; wish = null; await tell({ drag: to }); } sending = false; };
  eye.follow(canvas, (what, e) => {
    const [from, way] = eye.ray(canvas, e.clientX, e.clientY);
    if (what === "down") {
      const hit = picked(scene, frame.poses, [from, way]); if (!hit) return false;
      depth = dot(sub(hit.point, from), times(eye.camera(1).z, -1)); tell({ grab: { body: hit.body, point: hit.point } });
    } else if (what === "move") { wish = add(from, times(way, depth / dot(way, times(eye.camera(1).z, -1)))); drag(); }
    else { wish = null; tell("release"); }
    return true;
  });
  addEventListener("resize", () => { dirty = true; }); addEventListener("themed", () => { dirty = true; });
  keys(eye, overlay, { " ": () => tell({ play: !frame.playing }), ".": () => tell({ step: 1 }), r: () => tell("reset") });
  if (/(?:^#|,)play/.test(location.hash)) await tell({ play: true });
  let plotted = 0;
  for (;;) {
    await new Promise(requestAnimationFrame);
    if (frame.playing || frame.held.length) try { take(await ask("frame")); } catch { fault.textContent = "the program has ended"; await new Promise(r => setTimeout(r, 1000)); }
    if (dirty) { dirty = false; painter.draw(model, frame, eye, overlay.shown, canvas); document.documentElement.dataset.drawn = "yes"; }
    if (performance.now() - plotted > 250) { plotted = performance.now(); for (const name in curves) if (history.time.length) curves[name].draw([{ time: history.time, values: history[name] }]); }
  }
})();
