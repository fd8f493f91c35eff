// A page of the built lab in headless Chromium, served from dist.
import { accessSync } from "node:fs";
import { chromium } from "playwright-core";
import { preview } from "vite";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";

const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** The distribution's browser, or the one named by CHROMIUM. */
function browserPath() {
  for (const path of [process.env.CHROMIUM, "/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"]) {
    try {
      if (path) {
        accessSync(path);
        return path;
      }
    } catch {
      // the next one
    }
  }
  throw new Error("no Chromium found: install the distribution's `chromium`, or name one in the environment variable CHROMIUM");
}

/** A headless Chromium that draws without a graphics card. */
export const launch = () =>
  chromium.launch({
    executablePath: browserPath(),
    args: [
      "--headless", "--no-sandbox", "--disable-quic", "--no-first-run", "--disable-background-networking",
      "--disable-component-update", "--disable-sync", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader",
    ],
  });

export async function open({ fragment = "", width = 1100, height = 680, touch = false, dark = false } = {}) {
  const server = await preview({ root, preview: { port: 0, host: "127.0.0.1" }, logLevel: "silent" });
  const browser = await launch();
  const context = await browser.newContext({
    viewport: { width, height }, hasTouch: touch, isMobile: touch, colorScheme: dark ? "dark" : "light",
  });
  const page = await context.newPage();
  const complaints = [];
  page.on("console", (m) => {
    if (m.type() === "error" || (m.type() === "warning" && !/GPU stall|swiftshader|software WebGL/i.test(m.text()))) complaints.push(m.text());
  });
  page.on("pageerror", (e) => complaints.push(String(e)));
  const address = server.httpServer.address();
  await page.goto(`http://127.0.0.1:${address.port}/${fragment}`);
  await page.waitForFunction(() => "lab" in window || document.querySelector(".loading")?.textContent?.includes("could not"), undefined, { timeout: 60000 });
  return {
    page,
    complaints,
    close: async () => {
      await browser.close();
      await new Promise((done) => server.httpServer.close(done));
    },
  };
}
