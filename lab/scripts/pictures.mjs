// Makes the README's pictures: docs/lab.png from the built page, docs/report.png from a report that is named:
//   drystone compare falling-on-tower --paradigms real-time,velocity-lcp --duration 2 --out report
//   node scripts/pictures.mjs report/report.html
import { fileURLToPath, pathToFileURL } from "node:url";
import { resolve } from "node:path";
import { open } from "../tests/browser.mjs";

const docs = (name) => fileURLToPath(new URL(`../../docs/${name}`, import.meta.url));

const browser = await open({ fragment: "#scene=wall&paradigms=real-time,velocity-lcp", width: 1360, height: 760 });
const { page } = browser;
// a ball at the middle of the wall
await page.click("text=throw");
const box = await page.locator("[data-pane='0'] canvas").boundingBox();
await page.mouse.click(box.x + box.width / 2, box.y + 0.53 * box.height);
await page.keyboard.press("Escape");
await page.waitForFunction(() => lab.panes.every((p) => p.time >= 1.3 || p.failure !== ""), undefined, { timeout: 300000, polling: 100 });
await page.evaluate(() => lab.play(false));
// frames per second are this machine's, without a graphics card
await page.addStyleTag({ content: ".rate { visibility: hidden }" });
await page.waitForTimeout(300);
await page.screenshot({ path: docs("lab.png") });
const report = process.argv[2];
if (report) {
  await page.setViewportSize({ width: 1160, height: 1000 });
  await page.goto(pathToFileURL(resolve(report)).href);
  await page.waitForTimeout(2500);
  await page.screenshot({ path: docs("report.png") });
}
console.log(browser.complaints.length === 0 ? "no complaints" : browser.complaints.join("\n"));
await browser.close();
