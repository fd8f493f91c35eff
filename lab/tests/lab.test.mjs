// The built page in headless Chromium: it loads, runs, is dragged, thrown at, set otherwise, edited and shared.
import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { after, before, test } from "node:test";
import { open } from "./browser.mjs";

let browser;
let page;

before(async () => {
  browser = await open({ fragment: "#scene=domino-row&paradigms=velocity-lcp,shock-propagation" });
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
    let last = performance.now();
    window.beat = setInterval(() => {
      window.longest = Math.max(window.longest, performance.now() - last);
      last = performance.now();
    }, 20);
    race.load(`A\n${a.join("\n")}\nb\n${b.join(" ")}\n`);
  });
  await page.waitForFunction(() => document.querySelector(".race .primary").textContent === "race" && document.querySelectorAll(".race tbody tr").length > 15, undefined, { timeout: 120000 });
  const [told, answered, longest] = await page.evaluate(() => {
    clearInterval(window.beat);
    const texts = [...document.querySelectorAll(".race tbody tr")].map((r) => r.textContent);
    return [texts.filter((t) => t.includes("stopped after 0.1 s")).length, texts.filter((t) => !t.includes("stopped after")).length, window.longest];
  });
  assert.ok(told > 0 && answered > 0, `${told} stopped, ${answered} answered`);
  assert.ok(longest < 3000, `the page stood still for ${longest} ms`);
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
