import "./style.css";
import { findBook } from "./chapter";
import { button, make, tell, untell } from "./dom";
import { start } from "./engine";
import { Lab } from "./lab";
import { decode } from "./link";
import { RacePage } from "./race";
import { isDark } from "./theme";

async function main(): Promise<void> {
  const app = document.getElementById("app");
  if (!app) return;
  try {
    await start();
  } catch (error) {
    app.replaceChildren(make("p", { className: "loading" }, `The engine could not be loaded: ${String(error)}`));
    return;
  }
  const lab = new Lab();
  const race = new RacePage();
  const recolour = () => {
    lab.recolour();
    race.redraw();
  };
  const pages = [button("lab", "scenes side by side", () => show(0), "tab here"), button("solvers", "all complementarity solvers on one problem", () => show(1), "tab")];
  const show = (which: number) => {
    pages.forEach((b, i) => {
      b.classList.toggle("here", i === which);
      b.setAttribute("aria-pressed", String(i === which));
    });
    const [here, there] = which === 0 ? [lab.element, race.element] : [race.element, lab.element];
    if (there.isConnected) there.replaceWith(here);
    untell();
    if (which === 1) lab.play(false);
  };
  lab.onproblem = (text) => {
    show(1);
    race.load(text);
  };
  const theme = button("◐ theme", "light or dark", () => {
    document.documentElement.dataset["theme"] = isDark() ? "light" : "dark";
    recolour();
  }, "quiet");
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", recolour);
  const head = make(
    "header",
    { className: "top" },
    make("h1", {}, "Drystone lab"),
    make("p", {}, "the same scene, the same clock, another method in each pane"),
    ...pages,
    theme,
  );
  app.replaceChildren(head, make("div", { className: "notes" }), lab.element);
  const state = await decode(location.hash);
  document.documentElement.classList.toggle("embedded", state?.embed === true);
  lab.start(state);
  if (state === null && location.hash.length > 1) tell("the link cannot be read: it is cut off, or of another kind; this is the wall", true);
  // another link in the address bar, and the way back from it; what the page writes there itself is no change
  addEventListener("hashchange", () => location.reload());
  void findBook();
  // for tests and for the curious
  Object.assign(window, { lab, race });
}

void main();
