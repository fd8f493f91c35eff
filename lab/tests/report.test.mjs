// A report of `drystone compare` under fingers: real touches, as a tablet's browser sends them.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import { launch } from "./browser.mjs";

// the binary that is tested: DRYSTONE, or the workspace's
const binary = process.env.DRYSTONE ?? new URL("../../target/release/drystone", import.meta.url).pathname;
const folder = mkdtempSync(join(tmpdir(), "drystone-report-"));
let browser, page, fingers;
const complaints = [];

before(async () => {
  execFileSync(binary, ["compare", "falling-on-tower", "--paradigms", "velocity-lcp,real-time", "--duration", "1", "--out", folder], { stdio: "ignore" });
  browser = await launch();
  const context = await browser.newContext({ viewport: { width: 820, height: 1100 }, hasTouch: true, isMobile: true });
  page = await context.newPage();
  page.on("pageerror", (e) => complaints.push(String(e)));
  await page.goto(`${pathToFileURL(join(folder, "report.html"))}#t=0.5`);
  await page.waitForFunction(() => document.documentElement.dataset.drawn === "yes", undefined, { timeout: 60000 });
  // notes where one looks from, each time that it changes
  await page.evaluate(() => {
    window.seen = [];
    for (const verb of ["turn", "move", "nearer"]) {
      const plain = Eye.prototype[verb];
      Eye.prototype[verb] = function (...a) {
        plain.apply(this, a);
        window.seen.push({ verb, yaw: this.yaw, pitch: this.pitch, distance: this.distance, centre: [...this.centre] });
      };
    }
  });
  fingers = await context.newCDPSession(page);
});

after(async () => {
  await browser?.close();
  rmSync(folder, { recursive: true });
});

const send = (type, points) =>
  fingers.send("Input.dispatchTouchEvent", { type, touchPoints: points.map(([x, y], id) => ({ x, y, id })) });

/** Fingers go from their places to others in eight moves; what was seen, and how far the page scrolled. */
async function drag(from, to) {
  await page.evaluate(() => { window.seen.length = 0; window.scrollTo(0, 0); });
  await send("touchStart", from);
  for (let k = 1; k <= 8; k++) await send("touchMove", from.map(([x, y], i) => [x + ((to[i][0] - x) * k) / 8, y + ((to[i][1] - y) * k) / 8]));
  await send("touchEnd", []);
  return page.evaluate(() => ({ seen: window.seen, scrolled: window.scrollY }));
}

/** The middle of the first picture, in the window. */
const middle = async () => {
  await page.evaluate(() => window.scrollTo(0, 0));
  const box = await page.locator("canvas").first().boundingBox();
  return [box.x + box.width / 2, box.y + box.height / 2];
};

const picture = async () => (await page.locator("canvas").first().screenshot()).toString("base64");

test("one finger turns and the page stands still", async () => {
  const [x, y] = await middle(), before = await picture();
  const { seen, scrolled } = await drag([[x - 60, y]], [[x + 60, y + 40]]);
  assert.ok(seen.length > 1 && seen.every((s) => s.verb === "turn"), JSON.stringify(seen.map((s) => s.verb)));
  const [first, last] = [seen[0], seen.at(-1)];
  assert.ok(last.yaw < first.yaw && last.pitch > first.pitch && last.distance === first.distance);
  assert.equal(scrolled, 0);
  assert.notEqual(await picture(), before);
});

test("two fingers apart come closer, together go away", async () => {
  const [x, y] = await middle();
  const apart = (await drag([[x - 30, y], [x + 30, y]], [[x - 120, y], [x + 120, y]])).seen;
  const near = apart.at(-1).distance;
  // the gap grows from 60 to 240: four times as near
  const together = (await drag([[x - 120, y], [x + 120, y]], [[x - 30, y], [x + 30, y]])).seen;
  const ratio = together.at(-1).distance / near;
  assert.ok(Math.abs(ratio - 4) < 0.05, `${ratio}`);
  assert.ok([...apart, ...together].every((s) => s.verb !== "turn"));
});

test("two fingers side by side move and turn nothing", async () => {
  const [x, y] = await middle();
  const { seen, scrolled } = await drag([[x - 40, y], [x + 40, y]], [[x + 20, y + 50], [x + 100, y + 50]]);
  const [first, last] = [seen[0], seen.at(-1)];
  assert.equal(last.yaw, first.yaw);
  assert.ok(Math.abs(last.distance / first.distance - 1) < 0.2, "as near as before");
  assert.ok(Math.hypot(...last.centre.map((c, i) => c - first.centre[i])) > 0.01 * last.distance);
  assert.equal(scrolled, 0);
});

test("a finger beside the pictures scrolls, buttons take a tap", async () => {
  assert.equal(await page.locator("#play").textContent(), "play");
  await page.locator("#play").tap();
  assert.equal(await page.locator("#play").textContent(), "pause");
  const { seen } = await drag([[400, 1000]], [[400, 700]]);
  assert.equal(seen.length, 0);
  await page.waitForFunction(() => window.scrollY > 0 || document.documentElement.scrollHeight <= window.innerHeight);
  assert.deepEqual(complaints, []);
  if (process.env.PICTURE) await page.screenshot({ path: process.env.PICTURE, fullPage: true });
});

test("ten seconds of five hundred bodies are less than 3 MB", () => {
  const bodies = [];
  for (let k = 0; k < 500; k++) {
    const [x, y, z] = [k % 5, Math.floor(k / 25), Math.floor(k / 5) % 5];
    const shape = k % 2 ? { box: { half_extents: [0.4, 0.3, 0.5] } } : { sphere: { radius: 0.45 } };
    bodies.push({ name: `b${k}`, shape, position: [1.2 * x + 0.01 * (k % 7), 1 + 1.3 * y, 1.2 * z + 0.01 * (k % 3)] });
  }
  const floor = { name: "floor", kind: "fixed", shape: { plane: { normal: [0, 1, 0], offset: 0 } } };
  const scene = { scene: { name: "five-hundred", duration: 10 }, simulation: { time_step: 1 / 60 }, bodies: [floor, ...bodies] };
  const file = join(folder, "five-hundred.json");
  writeFileSync(file, JSON.stringify(scene));
  execFileSync(binary, ["compare", file, "--paradigms", "real-time", "--out", join(folder, "many")], { stdio: "ignore" });
  const { size } = statSync(join(folder, "many", "report.html"));
  assert.ok(size < 3e6, `${size} bytes`);
});
