// What a frame of two panes costs: 200 bricks and a ball under two presets, in headless Chromium. Steps are timed by themselves, and frames as the
// page draws them; without a graphics card the second figure is that of a software renderer.
//   node scripts/frames.mjs [PRESET,PRESET] [SCENE]
import { open } from "../tests/browser.mjs";

const [presets = "real-time,load-propagation", scene = "wall"] = process.argv.slice(2);
const browser = await open({ fragment: `#scene=${scene}&paradigms=${presets}`, width: 1280, height: 800 });
const { page } = browser;
const steps = 300;
const seen = await page.evaluate((n) => {
  const start = performance.now();
  for (let i = 0; i < n; i++) for (const pane of lab.panes) pane.step();
  const gl = document.createElement("canvas").getContext("webgl2");
  const named = gl?.getExtension("WEBGL_debug_renderer_info");
  return {
    bodies: lab.panes.map((p) => p.info.kinds.length),
    timeStep: lab.panes[0].timeStep,
    ms: (performance.now() - start) / n,
    renderer: gl ? gl.getParameter(named ? named.UNMASKED_RENDERER_WEBGL : gl.RENDERER) : "none",
    failures: lab.panes.map((p) => p.failure),
  };
}, steps);
const frames = await page.evaluate(async () => {
  lab.reset();
  lab.play(true);
  const [start, times] = [performance.now(), []];
  while (performance.now() - start < 10000) times.push(await new Promise(requestAnimationFrame));
  lab.play(false);
  return times.length / 10;
});
console.log(`${seen.bodies.join(" and ")} bodies, ${presets.replace(",", " and ")}: ${seen.ms.toFixed(2)} ms for a step of both panes`);
console.log(`of a frame of 16.7 ms, ${(seen.ms / seen.timeStep / 60).toFixed(1)} ms go into steps in real time`);
console.log(`drawn by ${seen.renderer}: ${frames.toFixed(1)} frames per second`);
if (seen.failures.some((f) => f)) console.log(seen.failures.join("\n"));
await browser.close();
