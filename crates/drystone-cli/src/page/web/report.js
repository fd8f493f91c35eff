// The report: a table of figures, the runs side by side in 3-D, curves over time.
(async () => {
  const runs = data.runs, eye = new Eye(), brief = runs.length > 1 ? shortened(runs.map(r => r.keys)).map((name, i) => name || runs[i].name) : runs.map(r => r.name);
  heading(title); document.body.classList.add("report");
  // it goes below the pictures: they are what one looks at first
  const table = make("table", document.body), head = make("tr", table); make("th", head, "");
  runs.forEach((r, i) => make("th", head, brief[i], { title: r.name }));
  (runs[0] ? runs[0].table : []).forEach(([label], i) => { const row = make("tr", table); make("td", row, label); runs.forEach(r => make("td", row, short(r.table[i][1]))); });

  const bar = make("div", document.body, undefined, { class: "bar" });
  const play = make("button", bar, "pause", { type: "button", id: "play" }), slider = make("input", bar, undefined, { type: "range", id: "slider", min: 0, max: 1, step: 0.0005, value: 0, "aria-label": "time" }), clock = make("span", bar, "", { class: "clock", id: "clock" });
  const speed = make("select", make("label", bar, "speed")); [["1/8", 0.125], ["1/4", 0.25], ["1", 1], ["4", 4]].forEach(([name, v]) => make("option", speed, name, { value: v })); speed.value = 1;
  let dirty = true; const redraw = () => { dirty = true; };
  const overlay = overlays(bar, redraw), views = make("div", document.body, undefined, { class: "views", "data-count": runs.length });
  make("p", document.body, "Drag to turn, two fingers or shift to move, wheel or pinch to come closer. Keys: space plays, , and . step, arrows turn, + and - come closer, f fits, c n j contacts, normals and joints, 1 to 4 colours.");
  eye.changed = redraw;
  const painter = new Painter(), scenes = [];
  for (const r of runs) { const scene = await scenery(r.scenery); scenes.push({ run: r, scene, motion: await motion(r) }); }
  eye.fit(scenes.map(({ scene, motion }) => ({ scene, poses: motion.poses })));
  scenes.forEach((s, i) => {
    const figure = make("figure", views), caption = make("figcaption", figure); make("span", caption, "", { class: "swatch", style: "background:" + COLOURS[i % COLOURS.length] }); caption.append(brief[i]);
    if (!painter.gl) { make("p", figure, "The replay needs WebGL 2."); return; }
    s.canvas = make("canvas", figure, undefined, { tabindex: 0, role: "img", "aria-label": "replay of " + s.run.name }); s.model = painter.model(s.scene, eye.floor);
    eye.follow(s.canvas);
  });
  document.body.append(table);
  // what failed, and under which conditions all of it was measured, stands below the figures
  const below = make("div", document.body, undefined, { class: "below" });
  data.failed.forEach(({ name, message }) => make("p", below, name + " failed: " + message, { class: "fault" }));
  data.about.forEach(line => make("p", below, line));
  against(document.body, runs, data.repeated);
  make("h2", document.body, "Over time");
  const plots = make("div", document.body, undefined, { class: "plots" });
  const curves = (runs[0] ? Object.keys(runs[0].series) : []).map(key => { const p = new Plot(plots, key, brief); p.draw(runs.map(r => ({ time: r.time, values: r.series[key] }))); return p; });

  const end = Math.max(0, ...runs.map(r => r.time.at(-1) || 0));
  let now = 0, playing = end > 0, last = performance.now();
  const set = on => { playing = on; play.textContent = on ? "pause" : "play"; };
  const jump = t => { set(false); now = clamp(t, 0, end); dirty = true; };
  const frame = sign => { const all = runs[0] ? runs[0].time : [0]; const k = sign > 0 ? all.findIndex(t => t > now + 1e-9) : all.findLastIndex(t => t < now - 1e-9); jump(k < 0 ? (sign > 0 ? end : 0) : all[k]); };
  play.onclick = () => set(!playing);
  slider.oninput = () => jump(slider.value * end);
  addEventListener("resize", redraw); addEventListener("themed", redraw);
  keys(eye, overlay, { " ": () => set(!playing), ",": () => frame(-1), ".": () => frame(1), Home: () => jump(0), End: () => jump(end) });
  // #t=1.5 begins there, and stands
  const asked = /(?:^#|,)t=([\d.]+)/.exec(location.hash); if (asked) jump(+asked[1]);
  (function tick(stamp) {
    const passed = Math.min(0.1, (stamp - last) / 1000 || 0) * speed.value; last = stamp;
    if (playing) { now = end > 0 ? (now + passed) % end : 0; dirty = true; }
    if (dirty) {
      dirty = false; slider.value = end > 0 ? now / end : 0; clock.textContent = now.toFixed(2) + " s";
      for (const s of scenes) if (s.canvas) painter.draw(s.model, s.motion.at(now), eye, overlay.shown, s.canvas);
      curves.forEach(c => c.at(now));
      document.documentElement.dataset.drawn = "yes";
    }
    requestAnimationFrame(tick);
  })(last);
})();
