// The built page in headless Chromium: it loads, runs, is dragged, thrown at, set otherwise, edited and shared.
import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { after, before, test } from "node:test";
import { open } from "./browser.mjs";

let browser;
let page;

before(async () => {
  browser = await open({ fragment: "#scene=domino-row&paradigms=velocity-lcp,load-propagation" });
  page = browser.page;
});

after(async () => {
  await browser?.close();
});

/** What the page's panes are like. */
const panes = () =>
  page.evaluate(() =>
    lab.panes.map((p) => ({
      time: p.time,
      failure: p.failure,
      paradigm: p.chosen().paradigm,
      poses: [...p.session.poses()],
      bodies: p.info.kinds.length,
    })),
  );

/** What stands in the panes, whether they have a world or none. */
const panesOrEmpty = () => page.evaluate(() => lab.panes.map((p) => ({ time: p.time, failure: p.failure })));

/** The share of a canvas' pixels that differ from the one in its corner. */
const painted = (pane) =>
  page.evaluate((index) => {
    const source = lab.panes[index].view.canvas;
    const copy = document.createElement("canvas");
    [copy.width, copy.height] = [200, 200];
    const pen = copy.getContext("2d");
    pen.drawImage(source, 0, 0, 200, 200);
    const { data } = pen.getImageData(0, 0, 200, 200);
    let other = 0;
    for (let i = 0; i < data.length; i += 4) other += Math.abs(data[i] - data[0]) + Math.abs(data[i + 1] - data[1]) + Math.abs(data[i + 2] - data[2]) > 24;
    return other / 40000;
  }, pane);

const largestMove = (a, b) => Math.max(...a.map((v, i) => Math.abs(v - b[i])));


for (const scene of ["domino-row", "newtons-cradle", "car"]) {
  test(`${scene}: five seconds in two panes, the same clock`, async () => {
    await page.evaluate((name) => lab.open(name), scene);
    const start = await panes();
    assert.equal(start.length, 2);
    // slow machines need longer than five seconds for five seconds: a frame shows 50 ms of the page's time at most
    await page.evaluate(() => (lab.setSpeed(4), lab.play(true)));
    await page.waitForFunction(() => lab.panes.every((p) => p.time >= 5 || p.failure !== ""), undefined, { timeout: 200000, polling: 200 });
    await page.evaluate(() => (lab.setSpeed(1), lab.play(false)));
    const end = await panes();
    assert.deepEqual(end.map((p) => p.failure), ["", ""]);
    assert.ok(Math.abs(end[0].time - end[1].time) < 1e-9, "the panes show the same instant");
    for (const i of [0, 1]) {
      assert.ok(largestMove(start[i].poses, end[i].poses) > 0.01, `pane ${i} moves`);
      // the five balls of the cradle are 1.1 % of the picture, with room for their swing; nothing of a blank one
      const share = await painted(i);
      assert.ok(share > 0.005, `pane ${i} is not blank: ${share}`);
    }
  });
}

test("a body that is dragged follows, in both panes", async () => {
  await page.evaluate(() => lab.open("newtons-cradle"));
  await page.evaluate(() => lab.step());
  const from = await panes();
  const body = from[0].bodies - 1;
  const at = await page.evaluate((b) => {
    const v = lab.panes[0].view;
    return v.project(v.camera.position.clone().fromArray(lab.panes[0].session.poses(), 7 * b));
  }, body);
  await page.mouse.move(at[0], at[1]);
  await page.mouse.down();
  await page.mouse.move(at[0] + 60, at[1] - 40, { steps: 4 });
  const held = await page.evaluate(() => lab.panes.map((p) => p.session.held().length));
  assert.deepEqual(held, [6, 6], "both panes hold it");
  const t = from[0].time;
  await page.waitForFunction((since) => lab.panes[0].time > since + 0.3, t, { timeout: 60000 });
  const during = await panes();
  await page.mouse.up();
  await page.evaluate(() => lab.play(false));
  for (const i of [0, 1]) {
    const moved = largestMove(from[i].poses.slice(7 * body, 7 * body + 3), during[i].poses.slice(7 * body, 7 * body + 3));
    assert.ok(moved > 0.02, `pane ${i}: the body went ${moved} m`);
  }
  assert.deepEqual(await page.evaluate(() => lab.panes.map((p) => p.session.held().length)), [0, 0], "both let go");
});

test("another paradigm while it runs, and every setting as a control", async () => {
  await page.evaluate(() => lab.open("domino-row"));
  await page.evaluate(() => lab.step());
  await page.selectOption("[data-pane='1'] header select", "mechanism");
  const changed = await panes();
  assert.equal(changed[1].paradigm, "mechanism");
  assert.ok(changed[1].time > 0, "the world goes on from where it was");
  await page.click("[data-pane='0'] header button.quiet");
  const missing = await page.evaluate(() => {
    const chosen = lab.panes[0].chosen();
    const keys = Object.entries(chosen.modules).flatMap(([table, m]) => Object.keys(m.settings).map((k) => `${table}.${k}`));
    return keys.filter((k) => {
      const [table, key] = k.split(".");
      return !document.querySelector(`[data-table='${table}'] [data-key='${key}'] :is(input, select)`);
    });
  });
  assert.deepEqual(missing, []);
  await page.fill("[data-table='lcp'] [data-key='iterations'] input", "33");
  await page.press("[data-table='lcp'] [data-key='iterations'] input", "Tab");
  assert.equal(await page.evaluate(() => lab.panes[0].chosen().modules.lcp.settings.iterations), 33);
});

test("a fault in the text is told at its line, and the panes stay as they are", async () => {
  await page.click("[data-tab='scene']");
  const text = await page.inputValue(".editor textarea");
  const line = text.split("\n").findIndex((l) => l.startsWith("time_step")) + 1;
  assert.ok(line > 0);
  await page.fill(".editor textarea", text.replace(/^time_step.*$/m, "time_step = -1"));
  await page.click(".editor .primary");
  await page.waitForSelector(".faults li");
  assert.match(await page.textContent(".faults"), new RegExp(`line ${line}`));
  assert.equal((await page.textContent(".numbers .bad")).trim(), String(line));
  assert.equal((await panes())[0].failure, "");
  await page.fill(".editor textarea", text);
  await page.click(".editor .primary");
  await page.waitForFunction(() => document.querySelectorAll(".faults li").length === 0);
});

test("the schema helps where the caret is", async () => {
  await page.evaluate(() => lab.open("domino-row"));
  await page.click("[data-tab='scene']");
  const said = async (text, mark = "|") => {
    const at = text.indexOf(mark);
    await page.evaluate(
      async ([t, k]) => {
        const area = document.querySelector(".editor textarea");
        area.value = t;
        area.focus();
        area.setSelectionRange(k, k);
        area.dispatchEvent(new Event("click"));
        // it is told with the next frame
        await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
      },
      [text.replace(mark, ""), at],
    );
    return page.evaluate(() => ({
      text: document.querySelector(".editor .schema").textContent,
      keys: [...document.querySelectorAll(".editor .schema .key")].map((k) => k.textContent),
    }));
  };
  const body = await said('[[bodies]]\nname = "a"\n|\nmass = 2.0\n');
  assert.ok(body.keys.includes("linear_velocity") && body.keys.includes("shape"), body.keys.join());
  const friction = await said('[materials.default]\nfric|tion = 0.5\n');
  assert.match(friction.text, /materials › default › friction/);
  assert.match(friction.text, /coefficient/i);
  const typed = await said("[simulation]\nti|");
  assert.ok(typed.keys.every((k) => k.startsWith("ti")) && typed.keys.includes("time_step"), typed.keys.join());
  const inner = await said('[[bodies]]\nname = "a"\nshape = { box = { |half_extents = [1.0, 1.0, 1.0] } }\n');
  assert.match(inner.text, /bodies › shape › box/);
  const solver = await said('[simulation.lcp]\nsolver = "lemke"\n|\n');
  assert.ok(!solver.keys.includes("relaxation"), `keys of lemke alone: ${solver.keys.join()}`);
  assert.match((await said("[simulation.lpc]\n|\n")).text, /no key lpc/);
  // a key that is put in is a key, and its value is chosen to be written over
  await said('[scene]\nname = "x"\n|\n');
  await page.click(".editor .schema .key:text-is('gravity')");
  const put = await page.evaluate(() => {
    const area = document.querySelector(".editor textarea");
    return [area.value, area.value.slice(area.selectionStart, area.selectionEnd)];
  });
  assert.match(put[0], /^gravity = \[.*\]$/m);
  assert.ok(put[1].startsWith("["), put[1]);
});

test("the schema knows every place of the bundled scenes", async () => {
  const folder = new URL("../../scenes/", import.meta.url);
  const scenes = readdirSync(folder).filter((name) => name.endsWith(".toml") && !name.endsWith(".expect.toml"));
  assert.ok(scenes.length > 50);
  const texts = scenes.map((name) => [name, readFileSync(new URL(name, folder), "utf8")]);
  const strange = await page.evaluate((all) => {
    const wrong = [];
    for (const [name, text] of all) {
      for (const line of [...text.matchAll(/^[^#\n]*[^#\s][^\n]*$/gm)].slice(0, 60)) {
        const help = lab.helpAt(text, line.index + 1);
        if (!help || /no key/.test(help.description)) wrong.push(`${name}: ${line[0].slice(0, 60)} -> ${help?.path}`);
      }
    }
    return wrong;
  }, texts);
  assert.deepEqual(strange.slice(0, 5), []);
});

test("the chosen solver's way through the problem of the step is drawn", async () => {
  // before the first step: no multipliers to begin with
  await page.evaluate(() => lab.open("box-stack"));
  await page.click("[data-tab='curves']");
  await page.waitForFunction(() => /rows, \d+ iterations/.test(document.querySelector(".residuals").textContent), undefined, { timeout: 30000 });
  const told = await page.evaluate(() => lab.panes.map((p) => p.iterations()));
  for (const t of told) {
    assert.equal(t.history.length, t.iterations + 1);
    assert.ok(t.history.at(-1) < t.history[0], JSON.stringify(t).slice(0, 300));
  }
  // a ball in the air has no problem
  const none = await page.evaluate(() => {
    lab.run('[[bodies]]\nname = "ball"\nshape = { sphere = { radius = 1.0 } }\n', "");
    return lab.panes[0].iterations();
  });
  assert.match(none.none, /no complementarity problem/);
  // and the page says so, though the time is that of the scene before
  await page.waitForFunction(() => /no complementarity problem/.test(document.querySelector(".residuals").textContent), undefined, { timeout: 30000 });
  await page.evaluate(() => lab.open("domino-row"));
});

test("a thrown ball is a body, and reset takes it away", async () => {
  const before = (await panes())[0].bodies;
  await page.click("text=throw");
  const box = await page.locator("[data-pane='0'] canvas").boundingBox();
  await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
  await page.waitForFunction((n) => lab.panes.every((p) => p.session.bodyCount() === n), before + 1);
  await page.keyboard.press("Escape");
  await page.evaluate(() => lab.reset());
  assert.equal((await panes())[0].bodies, before);
});

test("an instant that was kept comes back with the same bits", async () => {
  await page.evaluate(() => lab.open("domino-row"));
  const hashes = () => page.evaluate(() => lab.panes.map((p) => p.session.hash()));
  for (let i = 0; i < 5; i++) await page.evaluate(() => lab.step());
  await page.click("text=keep");
  for (let i = 0; i < 10; i++) await page.evaluate(() => lab.step());
  const first = await hashes();
  await page.click("text=back");
  for (let i = 0; i < 10; i++) await page.evaluate(() => lab.step());
  assert.deepEqual(await hashes(), first);
});

test("overlays are drawn", async () => {
  await page.evaluate(() => lab.open("ragdoll"));
  for (const key of ["contacts", "impulses", "boxes", "joints"]) await page.check(`.overlays label:has-text("${key}") input`);
  await page.evaluate(() => lab.step());
  await page.waitForTimeout(500);
  assert.ok((await painted(0)) > 0.02);
  // a joint's frame as both bodies carry it: one place, and an axis of a hinge in common
  const frames = await page.evaluate(() => [...lab.panes[0].session.jointFrames()]);
  assert.ok(frames.length > 0 && frames.length % 14 === 0);
  for (let j = 0; j < frames.length; j += 14) assert.ok(Math.hypot(frames[j] - frames[j + 7], frames[j + 1] - frames[j + 8], frames[j + 2] - frames[j + 9]) < 1e-3);
  for (const key of ["contacts", "impulses", "boxes", "joints"]) await page.uncheck(`.overlays label:has-text("${key}") input`);
});

test("a shared address opens the same page", async () => {
  await page.evaluate(() => lab.open("newtons-cradle"));
  // the address that the page was opened with is no answer
  await page.evaluate(() => history.replaceState(null, "", "#"));
  await page.click("text=share");
  await page.waitForFunction(() => location.hash.length > 40);
  const fragment = await page.evaluate(() => location.hash);
  const other = await open({ fragment, width: 420, height: 860, touch: true });
  try {
    const seen = await other.page.evaluate(() => [lab.panes[0].info.name, lab.panes.map((p) => p.state.paradigm)]);
    assert.deepEqual(seen, await page.evaluate(() => [lab.panes[0].info.name, lab.panes.map((p) => p.state.paradigm)]));
    const wide = await other.page.evaluate(() => document.documentElement.scrollWidth <= innerWidth);
    assert.ok(wide, "nothing sticks out on a phone");
    assert.deepEqual(other.complaints, []);
  } finally {
    await other.close();
  }
});

/** A page of its own, closed whatever comes of it; nothing may have been complained about. */
async function aside(options, look) {
  const other = await open(options);
  try {
    await look(other.page);
    assert.deepEqual(other.complaints, []);
  } finally {
    await other.close();
  }
}

/** What a page shows: its scene, and the presets of its panes. */
const shown = (page) => page.evaluate(() => [lab.panes[0].info.name, ...lab.panes.map((p) => p.state.paradigm)]);

/** Waits until all panes have come to a time (s). */
const until = (page, time) =>
  page.waitForFunction((t) => lab.panes.every((p) => p.time >= t || p.failure !== ""), time, { timeout: 120000, polling: 100 });

test("a file that is dropped on the page is the scene, and one that is none says where", () =>
  aside({ fragment: "#scene=newtons-cradle" }, async (page) => {
    const drop = (name, text) =>
      page.evaluate(([name, text]) => {
        const dataTransfer = new DataTransfer();
        dataTransfer.items.add(new File([text], name, { type: "text/plain" }));
        const over = new DragEvent("dragover", { dataTransfer, bubbles: true, cancelable: true });
        document.querySelector("canvas").dispatchEvent(over);
        // a page that does not take it is left for the file
        const taken = over.defaultPrevented;
        document.querySelector("canvas").dispatchEvent(new DragEvent("drop", { dataTransfer, bubbles: true, cancelable: true }));
        return taken;
      }, [name, text]);
    const scene = readFileSync(new URL("../../scenes/car.toml", import.meta.url), "utf8").replace(/name += "car"/, 'name = "dropped"');
    assert.ok(scene.includes('name = "dropped"'));
    assert.ok(await drop("dropped.toml", scene));
    await page.waitForFunction(() => lab.panes[0].info.name === "dropped", undefined, { timeout: 30000 });
    await drop("faulty.toml", scene.replace("[simulation]", "[simulations]"));
    await page.waitForFunction(() => document.querySelector(".faults, .fault")?.textContent?.includes("simulations"), undefined, { timeout: 30000 });
    assert.equal((await shown(page))[0], "dropped");
    // what cannot be a scene is told, and takes nothing away
    const text = await page.inputValue(".editor textarea");
    for (const [name, what, says] of [["photo.png", "\u0000PNG", /photo\.png is no text/], ["huge.toml", "# ".padEnd(9e6, "x"), /huge\.toml has 9 MB/], ["nothing.toml", " \n", /nothing\.toml is empty/]]) {
      await drop(name, what);
      await page.waitForFunction((n) => document.querySelector(".notes").textContent.includes(n), name, { timeout: 30000 });
      assert.match(await page.textContent(".notes"), says);
      assert.deepEqual([(await shown(page))[0], await page.inputValue(".editor textarea")], ["dropped", text]);
    }
    // a scene with faults is told by its file's name, and what runs keeps its name
    await page.evaluate(() => lab.open("car"));
    await drop("odd.toml", "[simulations]\n");
    await page.waitForFunction(() => /odd\.toml has faults/.test(document.querySelector(".notes").textContent), undefined, { timeout: 30000 });
    assert.deepEqual([(await shown(page))[0], await page.inputValue(".bar .scene select")], ["car", "car"]);
    // the solvers' page refuses what is no problem, and keeps its own
    await page.click(".top button:text-is('solvers')");
    const problem = await page.inputValue(".race textarea");
    const dropHere = (name, text) =>
      page.evaluate(([n, t]) => {
        const dataTransfer = new DataTransfer();
        dataTransfer.items.add(new File([t], n));
        document.querySelector(".race").dispatchEvent(new DragEvent("drop", { dataTransfer, bubbles: true, cancelable: true }));
      }, [name, text]);
    for (const [name, what, says] of [["photo.png", "\u0000PNG", /photo\.png is no text/], ["nothing.txt", "", /nothing\.txt is empty/], ["huge.txt", "1 ".padEnd(50e6, "1"), /huge\.txt has 50 MB/]]) {
      await dropHere(name, what);
      await page.waitForFunction((n) => document.querySelector(".notes").textContent.includes(n), name, { timeout: 30000 });
      assert.match(await page.textContent(".notes"), says);
      assert.equal(await page.inputValue(".race textarea"), problem);
    }
    await page.click(".top button:text-is('lab')");
    await drop("two.json", JSON.stringify({ scene: { name: "json" }, bodies: [{ name: "ball", shape: { sphere: { radius: 1 } } }] }));
    await page.waitForFunction(() => lab.panes[0].info.name === "json", undefined, { timeout: 30000 });
  }));

test("another link in the address bar opens, the way back leads back, and reloading while it runs begins the same page anew", () =>
  aside({ fragment: "#scene=newtons-cradle&paradigms=mechanism" }, async (page) => {
    assert.deepEqual(await shown(page), ["newtons-cradle", "mechanism"]);
    const follow = async (act, name) => {
      await act();
      await page.waitForFunction((n) => "lab" in window && lab.panes[0]?.info?.name === n, name, { timeout: 60000 });
    };
    await follow(() => page.evaluate(() => (location.hash = "#scene=domino-row&paradigms=real-time,velocity-lcp")), "domino-row");
    assert.deepEqual(await shown(page), ["domino-row", "real-time", "velocity-lcp"]);
    await page.evaluate(() => lab.play(true));
    await until(page, 0.1);
    await page.evaluate(() => (window.old = true));
    await page.reload();
    await page.waitForFunction(() => "lab" in window && !("old" in window), undefined, { timeout: 60000 });
    assert.deepEqual(await shown(page), ["domino-row", "real-time", "velocity-lcp"]);
    await page.evaluate(() => lab.play(true));
    await until(page, 0.1);
    await follow(() => page.goBack(), "newtons-cradle");
    assert.deepEqual(await shown(page), ["newtons-cradle", "mechanism"]);
  }));

test("four panes run side by side", () =>
  aside({ fragment: "#scene=domino-row&paradigms=real-time,velocity-lcp,xpbd,substep-soft", width: 1280, height: 800 }, async (page) => {
    const seen = (await shown(page)).slice(1);
    assert.deepEqual(seen, ["real-time", "velocity-lcp", "xpbd", "substep-soft"]);
    await page.evaluate(() => lab.play(true));
    await until(page, 0.3);
    await page.evaluate(() => lab.play(false));
    const frames = await page.evaluate(() =>
      lab.panes.map((p) => {
        const { left, top, width, height } = p.view.canvas.getBoundingClientRect();
        return { left, top, width, height, failure: p.failure, time: p.time };
      }),
    );
    for (const [i, a] of frames.entries()) {
      assert.ok(a.width > 200 && a.height > 100 && a.failure === "" && a.time === frames[0].time, JSON.stringify(a));
      for (const b of frames.slice(i + 1)) {
        assert.ok(a.left + a.width <= b.left + 1 || a.top + a.height <= b.top + 1 || b.left + b.width <= a.left + 1, "panes do not overlap");
      }
    }
    if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/four.png` });
  }));

test("on a phone 390 pixels wide all of it can be reached by a finger", () =>
  aside({ fragment: "#scene=newtons-cradle&paradigms=mechanism,real-time", width: 390, height: 844, touch: true }, async (page) => {
    const fits = async (where) => {
      const cut = await page.evaluate(() => {
        const shown = [...document.querySelectorAll("button, select, input, textarea, canvas, h1, p, td, summary")].filter((e) => e.checkVisibility() && e.getBoundingClientRect().width > 0);
        // long lines of a table of solvers and of a problem's numbers scroll in their own boxes; nothing else does sideways
        const wide = shown.filter((e) => e.getBoundingClientRect().right > innerWidth + 1 || e.getBoundingClientRect().left < -1);
        const small = shown.filter((e) => /BUTTON|SELECT/.test(e.tagName) && !e.matches(".key") && Math.min(e.offsetHeight, e.offsetWidth) < 40);
        const words = (e) => `${e.tagName} ${e.className} ${e.textContent.slice(0, 30)}`;
        return { wide: wide.map(words), small: small.map((e) => `${words(e)} ${e.offsetWidth} x ${e.offsetHeight}`) };
      });
      assert.deepEqual(cut, { wide: [], small: [] }, where);
      assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `${where}: nothing sticks out`);
    };
    const shot = async (name) => {
      if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/phone-${name}.png`, fullPage: true });
    };
    await fits("the lab");
    // the scene's name is whole
    const name = await page.evaluate(() => {
      const select = document.querySelector(".bar .scene select");
      const pen = document.createElement("canvas").getContext("2d");
      pen.font = getComputedStyle(select).font;
      return [pen.measureText("newtons-cradle").width, select.clientWidth - 40];
    });
    assert.ok(name[0] < name[1], `${name}`);
    // what is told covers no pane, goes at a touch, and with its scene
    await page.evaluate(() => lab.run("[scene]\nname = \"two\"\n[simulation]\nparadigm = \"ode\"\n[[bodies]]\nname = \"a\"\nkind = \"fixed\"\nshape = { plane = { normal = [0, 1, 0], offset = 0 } }\n[[bodies]]\nname = \"b\"\nposition = [0, 0.2, 0]\nshape = { sphere = { radius = 0.5 } }\n", ""));
    await page.evaluate(() => (lab.play(false), lab.save()));
    const covers = await page.evaluate(() => {
      const note = document.querySelector(".note").getBoundingClientRect();
      return [...document.querySelectorAll(".stage")].some((e) => e.getBoundingClientRect().top < note.bottom && note.top < e.getBoundingClientRect().bottom);
    });
    assert.equal(covers, false);
    await shot("told");
    // at once: a note goes by itself too
    assert.equal(await page.evaluate(() => (lab.save(), document.querySelectorAll(".note .close").forEach((b) => b.click()), document.querySelectorAll(".note").length)), 0);
    await page.evaluate(() => (lab.save(), lab.open("newtons-cradle")));
    assert.doesNotMatch((await page.textContent(".notes")) ?? "", /kept/);
    await page.tap("button[aria-label^='play']");
    await until(page, 0.2);
    await shot("lab");
    for (const tool of ["throw balls: then click where to", "another pane"]) assert.ok(!(await page.isVisible(`[aria-label='${tool}']`)));
    await page.tap("[aria-label='more tools']");
    await fits("all tools");
    assert.equal(await page.getAttribute("[aria-label='more tools']", "aria-expanded"), "true");
    await page.tap("[aria-label='throw balls: then click where to']");
    await page.tap("[aria-label='throw balls: then click where to']");
    await shot("tools");
    await page.tap("[aria-label='more tools']");
    for (const tab of ["settings", "scene"]) {
      await page.tap(`[data-tab='${tab}']`);
      await fits(tab);
      await shot(tab);
    }
    await page.tap("button.tab:has-text('solvers')");
    await page.waitForSelector(".race textarea");
    assert.equal(await page.$(".note"), null, "what was told of the lab stays there");
    await fits("the solvers");
    await page.tap(".race .primary");
    await page.waitForFunction(() => document.querySelectorAll(".race tbody tr").length > 15 && document.querySelector(".race .primary").textContent === "race", undefined, { timeout: 60000 });
    await fits("a race's result");
    await shot("solvers");
  }));

test("the keyboard presses what it has come to, keeps its place, and reaches faults; no name of a module is cut", () =>
  aside({ fragment: "#scene=newtons-cradle&paradigms=mechanism", width: 1280, height: 800 }, async (page) => {
    // one Tab on from play: a control that was reached with the keyboard
    await page.focus("[aria-label='play (space)']");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Space");
    await page.waitForFunction(() => lab.panes[0].time > 0, undefined, { timeout: 10000 });
    assert.equal(await page.textContent(".play"), "▶", "the space bar pressed step, it did not play");
    await page.focus("[data-tab='curves']");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    assert.equal(await page.evaluate(() => document.activeElement.dataset.tab), "settings");
    const settings = await page.evaluate(() => {
      const select = document.querySelector("[data-table='lcp'] select");
      const pen = document.createElement("canvas").getContext("2d");
      pen.font = getComputedStyle(select).font;
      const nameless = [...document.querySelectorAll(".settings :is(input, select)")].filter((e) => e.labels.length === 0).length;
      return { text: pen.measureText(select.value).width, room: select.clientWidth - 40, nameless };
    });
    assert.ok(settings.text < settings.room && settings.nameless === 0, JSON.stringify(settings));
    await page.click("[data-tab='scene']");
    await page.fill(".editor textarea", "\n\n[scenes]\n");
    await page.waitForSelector(".faults button");
    await page.focus(".faults button");
    await page.keyboard.press("Enter");
    assert.equal(await page.evaluate(() => document.activeElement.tagName), "TEXTAREA");
  }));

test("a long scene of one's own goes into a link with its settings; a link that is cut off says so", async () => {
  const bodies = Array.from({ length: 300 }, (_, i) => `[[bodies]]\nname = "b${i}"\nshape = { sphere = { radius = ${(0.1 + i * 1e-3).toFixed(4)} } }\nposition = [${(1.7 * i).toFixed(3)}, ${Math.sin(i).toFixed(5)}, 0.0]\n`);
  const text = `[scene]\nname = "long"\n\n${bodies.join("\n")}`;
  await page.evaluate((t) => lab.run(t, ""), text);
  await page.evaluate(() => {
    lab.panes[0].state.choices = { lcp: { settings: { iterations: 33 } } };
    history.replaceState(null, "", "#");
  });
  await page.click("text=share");
  await page.waitForFunction(() => location.hash.length > 40);
  const fragment = await page.evaluate(() => location.hash);
  assert.ok(fragment.length < text.length / 2, `${fragment.length} of ${text.length}`);
  const other = await open({ fragment });
  try {
    const seen = await other.page.evaluate(() => [lab.panes[0].info.kinds.length, document.querySelector(".editor textarea")?.value, lab.panes[0].chosen().modules.lcp.settings.iterations]);
    assert.deepEqual([seen[0], seen[2]], [300, 33]);
  } finally {
    await other.close();
  }
  const cut = await open({ fragment: fragment.slice(0, fragment.length / 2) });
  try {
    const told = await cut.page.waitForSelector(".note.error");
    assert.match(await told.textContent(), /link cannot be read/);
    assert.ok(await cut.page.evaluate(() => lab.panes.length > 0 && lab.panes[0].failure === ""));
  } finally {
    await cut.close();
  }
  await page.evaluate(() => {
    lab.panes[0].state.choices = {};
    lab.open("domino-row");
  });
});

test("the solvers race, on a sample and on a step's problem", async () => {
  await page.click("text=solvers");
  await page.click("text=race >> nth=0");
  await page.waitForFunction(() => document.querySelectorAll(".race tbody tr").length > 15, undefined, { timeout: 60000 });
  // x = (4/3, 7/3) solves the example with both above zero
  const best = await page.evaluate(() => document.querySelector(".race tbody tr").textContent);
  assert.match(best, /converged/);
  await page.click(".top button:text-is('lab')");
  await page.evaluate(() => lab.open("box-stack"));
  await page.evaluate(() => lab.step());
  await page.click("text=race step");
  await page.waitForFunction(() => /rows/.test(document.querySelector(".race .about")?.textContent ?? ""), undefined, { timeout: 60000 });
  assert.match(await page.textContent(".race .about"), /bounded by another|discs/);
});

test("a solver that exceeds its time is stopped, the page answers meanwhile, and the race goes on", async () => {
  await page.evaluate(() => {
    // dense and badly conditioned: every pivot of the dense methods costs n^2
    const n = 400;
    const a = Array.from({ length: n }, (_, i) => Array.from({ length: n }, (_, j) => 1 / (1 + Math.abs(i - j)) + (i === j ? 1e-6 : 0)).join(" "));
    const b = Array.from({ length: n }, (_, i) => Math.sin(7 * i));
    document.querySelector(".race input[max='600']").value = "0.1";
    window.longest = 0;
    window.begun = performance.now();
    let last = performance.now();
    window.beat = setInterval(() => {
      window.longest = Math.max(window.longest, performance.now() - last);
      last = performance.now();
    }, 20);
    race.load(`A\n${a.join("\n")}\nb\n${b.join(" ")}\n`);
  });
  await page.waitForFunction(() => document.querySelector(".race .primary").textContent === "race" && document.querySelectorAll(".race tbody tr").length > 15, undefined, { timeout: 120000 });
  const [told, answered, longest, took] = await page.evaluate(() => {
    clearInterval(window.beat);
    const texts = [...document.querySelectorAll(".race tbody tr")].map((r) => r.textContent);
    return [texts.filter((t) => t.includes("stopped after 0.1 s")).length, texts.filter((t) => !t.includes("stopped after")).length, window.longest, performance.now() - window.begun];
  });
  assert.ok(told > 0 && answered > 0, `${told} stopped, ${answered} answered`);
  // solvers on the page's own thread would take all of it; a busy machine some seconds
  assert.ok(longest < 0.5 * took, `the page stood still for ${longest} of ${took} ms`);
});

test("what lcp solve reads is taken, contacts with cones included, and what is no problem is refused in words", async () => {
  const market = "%%MatrixMarket matrix coordinate real symmetric\n2 2 3\n1 1 2\n2 1 1\n2 2 2\n";
  const files = [
    { name: "A.mtx", mimeType: "text/plain", buffer: Buffer.from(market) },
    { name: "b.mtx", mimeType: "text/plain", buffer: Buffer.from("%%MatrixMarket matrix array real general\n2 1\n-5\n-6\n") },
  ];
  const told = () => page.waitForFunction(() => document.querySelector(".race .primary").textContent === "race" && !/reading/.test(document.querySelector(".race .about").textContent), undefined, { timeout: 120000 });
  await page.evaluate(() => (document.querySelector(".race input[max='600']").value = "5"));
  await page.setInputFiles(".race input[type=file]", files);
  await page.waitForFunction(() => /2 rows/.test(document.querySelector(".race .about").textContent), undefined, { timeout: 60000 });
  await told();
  const lcp = await page.evaluate(() => [document.querySelector(".race .about").textContent, document.querySelector(".race tbody tr").textContent]);
  assert.match(lcp[0], /2 rows, a standard LCP/);
  assert.match(lcp[1], /converged/);
  assert.match(await page.textContent(".race tbody"), /chapter: row by row, each solved with the newest values/);
  const dat = { name: "one.dat", mimeType: "text/plain", buffer: Buffer.from("3 1 0 3 3 3 3\n1 0 0 0 1 0 0 0 1\n-1 0.2 0\n0.5\n") };
  await page.setInputFiles(".race input[type=file]", dat);
  await page.waitForFunction(() => /friction cones/.test(document.querySelector(".race .about").textContent), undefined, { timeout: 60000 });
  await told();
  assert.match(await page.textContent(".race tbody"), /nonsmooth-newton/);
  const hdf5 = readFileSync(new URL("../../crates/drystone-lcp/tests/data/global.hdf5", import.meta.url));
  const open = (name, buffer) => page.setInputFiles(".race input[type=file]", { name, mimeType: "application/x-hdf5", buffer });
  await open("global.hdf5", hdf5);
  await page.waitForFunction(() => /friction cones/.test(document.querySelector(".race .about").textContent) && document.querySelector(".race textarea").value === "", undefined, { timeout: 60000 });
  await told();
  assert.match(await page.textContent(".race tbody"), /nonsmooth-newton/);
  assert.match(await page.getAttribute(".race textarea", "placeholder"), /global\.hdf5: 2336 bytes/);
  await open("cut.hdf5", hdf5.subarray(0, 900));
  await page.waitForFunction(() => document.querySelector(".race .about").classList.contains("error"), undefined, { timeout: 20000 });
  assert.match(await page.textContent(".race .about"), /cut\.hdf5/);
  for (const [text, says] of [["A\n1 x\nb\n1", /line 2/], ["", /b has no numbers/], ["=== A.mtx\nfoo", /A\.mtx/], ["A\n1 0\n0 1\nb\n1 nan", /finite|NaN/i], ["{\"format\": 1}", /format|string/]]) {
    await page.evaluate((t) => race.load(t), text);
    await page.waitForFunction(() => document.querySelector(".race .about").classList.contains("error"), undefined, { timeout: 20000 });
    assert.match(await page.textContent(".race .about"), says, text);
  }
});

test("each preset can be chosen and steps, or says in its pane why not", async () => {
  await page.click(".top button:text-is('lab')");
  const presets = await page.evaluate(() => [...document.querySelectorAll("[data-pane='0'] header select option")].map((o) => o.value));
  assert.ok(presets.length >= 22, `${presets.length} presets`);
  for (const scene of ["box-stack", "ragdoll"]) {
    await page.evaluate((name) => lab.open(name), scene);
    for (const preset of presets) {
      await page.selectOption("[data-pane='0'] header select", preset);
      const seen = await page.evaluate(() => {
        lab.reset();
        for (let i = 0; i < 5; i++) lab.panes[0].step();
        const p = lab.panes[0];
        return { chosen: p.chosen()?.paradigm, failure: p.failure, time: p.time, faults: document.querySelectorAll(".faults li").length };
      });
      assert.equal(seen.faults, 0, `${scene} under ${preset}: a refusal is no fault of the text`);
      if (seen.failure === "") assert.ok(seen.chosen === preset && seen.time > 0, `${scene} under ${preset}: ${JSON.stringify(seen)}`);
      else assert.match(seen.failure, /takes no joints/, `${scene} under ${preset}`);
      assert.ok(scene !== "box-stack" || seen.failure === "", `${preset}: ${seen.failure}`);
    }
  }
  // from an empty pane, which says why in full, back to one that runs
  await page.selectOption("[data-pane='0'] header select", "penalty");
  await page.evaluate(() => lab.reset());
  assert.match((await panesOrEmpty())[0].failure, /takes no joints/);
  await page.click("[data-pane='0'] header button.quiet");
  assert.match(await page.textContent(".settings"), /no world.*takes no joints/);
  const told = await page.waitForSelector("[data-pane='0'] .status.error");
  assert.match(await told.textContent(), /takes no joints/);
  assert.ok(await told.evaluate((e) => e.scrollWidth <= e.clientWidth && e.scrollHeight <= e.clientHeight), "nothing of it is cut off");
  await page.selectOption("[data-pane='0'] header select", "velocity-lcp");
  await page.evaluate(() => lab.step());
  assert.deepEqual((await panesOrEmpty()).map((p) => p.failure), ["", ""]);
});

test("every pane that the book embeds opens, fits its frame and runs", async () => {
  const folder = new URL("../../docs/src/", import.meta.url);
  const frames = readdirSync(folder)
    .filter((name) => name.endsWith(".md"))
    .flatMap((name) => [...readFileSync(new URL(name, folder), "utf8").matchAll(/<iframe class="lab"[^>]* src="lab\/index\.html(#[^"]+)"[^>]* height="(\d+)"/g)])
    .map(([, fragment, height]) => ({ fragment: fragment.replaceAll("&amp;", "&"), height: Number(height) }));
  assert.ok(frames.length >= 4, `${frames.length} frames`);
  for (const { fragment, height } of frames) {
    const wanted = new URLSearchParams(fragment.slice(1));
    const book = await open({ fragment, width: 750, height });
    try {
      const shown = await book.page.evaluate(() => {
        for (let i = 0; i < 20; i++) lab.step();
        return {
          scene: lab.panes[0].info.name,
          titles: lab.panes.map((p) => [p.state.paradigm, p.failure, p.time > 0]),
          sizes: lab.panes.map((p) => [p.view.canvas.clientWidth, p.view.canvas.clientHeight]),
          modules: lab.panes.map((p) => Object.entries(p.state.choices).every(([table, c]) => c.name === undefined || p.chosen().modules[table].name === c.name)),
          sticksOut: [document.documentElement.scrollWidth > innerWidth, document.documentElement.scrollHeight > innerHeight],
          notes: document.querySelectorAll(".note.error").length,
        };
      });
      assert.equal(shown.scene, wanted.get("scene"));
      assert.deepEqual(shown.titles, wanted.get("paradigms").split(",").map((p) => [p.split(":")[0], "", true]));
      assert.deepEqual(shown.modules, shown.titles.map(() => true), fragment);
      assert.ok(shown.sizes.every(([w, h]) => w > 150 && h > 150), `${fragment}: ${shown.sizes}`);
      assert.deepEqual([shown.sticksOut, shown.notes, book.complaints], [[false, false], 0, []], fragment);
    } finally {
      await book.close();
    }
  }
});

test("nothing was complained about", () => assert.deepEqual(browser.complaints, []));
