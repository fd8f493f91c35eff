// Runs scenes with the engine built for wasm32, in Node: a JSON list of [scene, preset or null, steps] comes in, a list of hashes of the
// final states goes out, "fails" where a step failed and "refused" where a preset does not take the scene.
import { readFileSync } from "node:fs";
import { Session, initSync, sceneText } from "../src/engine/drystone_web.js";

initSync({ module: readFileSync(new URL("../src/engine/drystone_web_bg.wasm", import.meta.url)) });

function run([scene, preset, steps]) {
  let session;
  try {
    session = new Session(sceneText(scene), preset ?? undefined, "[]");
  } catch {
    return "refused";
  }
  try {
    for (let i = 0; i < steps; i++) session.step();
    return session.hash();
  } catch {
    return "fails";
  } finally {
    session.free();
  }
}

console.log(JSON.stringify(JSON.parse(readFileSync(0, "utf8")).map(run)));
