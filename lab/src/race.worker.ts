/** Solves beside the page, so that the page never stands still. */

import init, { Race } from "./engine/drystone_web.js";
import wasm from "./engine/drystone_web_bg.wasm?url";
import type { Ask, Reply } from "./solving";

const ready = init({ module_or_path: wasm });
let race: Race | null = null;

function answer(ask: Ask): Reply {
  if (ask.kind === "problem") {
    race?.free();
    race = null;
    race = typeof ask.problem === "string" ? new Race(ask.problem) : Race.ofHdf5(ask.problem.name, ask.problem.bytes);
    return { info: race.info(), solvers: race.solvers() };
  }
  if (!race) throw new Error("no problem was given");
  return { answer: race.solve(ask.solver, ask.iterations, ask.tolerance) };
}

addEventListener("message", (event: MessageEvent<Ask>) => {
  void ready.then(() => {
    let reply: Reply;
    try {
      reply = answer(event.data);
    } catch (error) {
      reply = { error: error instanceof Error ? error.message : String(error) };
    }
    postMessage(reply);
  });
});
