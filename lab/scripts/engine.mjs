// Builds the engine for wasm32 and writes it, with its JavaScript side, into src/engine. Needs a Rust toolchain with that target.
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const lab = dirname(dirname(fileURLToPath(import.meta.url)));
const root = dirname(lab);
const target = "wasm32-unknown-unknown";

/** Whether Rust's library for the target is there; true where that cannot be found out. */
function hasTarget() {
  const asked = spawnSync("rustc", ["--print", "target-libdir", "--target", target], { cwd: root, encoding: "utf8" });
  return asked.status !== 0 || existsSync(asked.stdout.trim());
}

function cargo(...words) {
  const done = spawnSync("cargo", words, { cwd: root, stdio: "inherit" });
  if (done.error) throw new Error(`cargo could not be started: ${done.error.message}`);
  if (done.status !== 0) {
    console.error(`\ncargo ${words.join(" ")} failed: what is wrong is above.`);
    if (!hasTarget()) console.error(`Rust's library for ${target} is not installed: rustup target add ${target}`);
    process.exit(1);
  }
}

cargo("build", "--release", "--target", target, "-p", "drystone-web");
const built = join(process.env.CARGO_TARGET_DIR ?? join(root, "target"), target, "release", "drystone_web.wasm");
if (!existsSync(built)) throw new Error(`${built} was not built`);
cargo("run", "--release", "--quiet", "--manifest-path", join(lab, "bindgen", "Cargo.toml"), "--", built, join(lab, "src", "engine"));
