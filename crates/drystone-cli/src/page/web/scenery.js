// What bodies look like, and where they are, out of what the program wrote.
async function unpack(text) {
  const bytes = Uint8Array.from(atob(text), c => c.charCodeAt(0));
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"))).arrayBuffer();
}

async function scenery(written) {
  const surfaces = await Promise.all(written.surfaces.map(async s => {
    if (s.plane) return { plane: s.plane };
    const [p, t] = [new Int16Array(await unpack(s.p)), new Uint32Array(await unpack(s.t))];
    return creased(Float32Array.from(p, v => v / 32767), t);
  }));
  const moves = written.kinds.map(k => k === "dynamic" || k === "scripted");
  // how far a body reaches from its own origin
  const reach = written.surfaceOf.map((s, b) => surfaces[s].plane ? 0 : Math.hypot(...written.scales.slice(3 * b, 3 * b + 3)));
  return { ...written, surfaces, moves, reach, count: written.surfaceOf.length };
}

/// Corners with normals, smooth where faces meet at less than 35 degrees, edges elsewhere.
function creased(p, t) {
  const faces = t.length / 3, normals = new Float32Array(t.length), around = new Map();
  const at = i => [p[3 * i], p[3 * i + 1], p[3 * i + 2]], key = i => at(i).map(v => Math.round(v * 1e4)).join();
  for (let f = 0; f < faces; f++) {
    const [a, b, c] = [0, 1, 2].map(k => at(t[3 * f + k])), n = cross(sub(b, a), sub(c, a));
    normals.set(n, 3 * f);
    for (let k = 0; k < 3; k++) { const id = key(t[3 * f + k]); if (!around.has(id)) around.set(id, []); around.get(id).push(f); }
  }
  const of = f => [normals[3 * f], normals[3 * f + 1], normals[3 * f + 2]];
  const positions = new Float32Array(9 * faces), smooth = new Float32Array(9 * faces);
  for (let f = 0; f < faces; f++) for (let k = 0; k < 3; k++) {
    const i = t[3 * f + k], own = of(f), size = Math.hypot(...own) || 1;
    let sum = own;
    for (const g of around.get(key(i))) { const n = of(g); if (g !== f && dot(own, n) > 0.82 * size * Math.hypot(...n)) sum = add(sum, n); }
    positions.set(at(i), 9 * f + 3 * k); smooth.set(unit(sum), 9 * f + 3 * k);
  }
  return { positions, normals: smooth };
}

/// The motion of a recorded run: poses at any time, and what was noted of contacts, groups, layers and sleep.
async function motion(run) {
  const [n, frames, notes] = [run.scenery.surfaceOf.length, run.time.length, run.notes], columns = 7 * n;
  const bytes = await unpack(run.motion), range = new Float32Array(bytes, 0, 2 * columns), raw = new Uint8Array(bytes, 8 * columns);
  const poses = Array.from({ length: frames }, () => new Float32Array(columns));
  for (let c = 0; c < columns; c++) for (let f = 0, v = 0; f < frames; f++) {
    const i = c * frames + f;
    v = v + raw[i] + 256 * raw[columns * frames + i] & 65535;
    poses[f][c] = range[2 * c] + v / 65535 * (range[2 * c + 1] - range[2 * c]);
  }
  const total = notes.counts.reduce((a, b) => a + b, 0), marks = new Uint8Array(await unpack(notes.contacts)), points = new Float32Array(6 * total);
  for (let k = 0; k < 3; k++) for (let i = 0; i < total; i++) {
    points[6 * i + k] = notes.low[k] + (marks[2 * k * total + i] + 256 * marks[(2 * k + 1) * total + i]) / 65535 * (notes.high[k] - notes.low[k]);
    points[6 * i + 3 + k] = (marks[(6 + k) * total + i] << 24 >> 24) / 127;
  }
  const numbers = new Int16Array(await unpack(notes.numbers)), starts = [0];
  notes.counts.forEach((c, i) => starts.push(starts[i] + c));
  const before = (times, t) => { let lo = 0, hi = times.length - 1; while (lo < hi) { const mid = lo + hi + 1 >> 1; if (times[mid] <= t) lo = mid; else hi = mid - 1; } return lo; };
  const blend = new Float32Array(columns);
  return {
    poses,
    at(t) {
      const k = before(run.time, t), next = Math.min(k + 1, frames - 1), u = poses[k], v = poses[next];
      const part = next > k ? clamp((t - run.time[k]) / (run.time[next] - run.time[k]), 0, 1) : 0;
      for (let b = 0; b < n; b++) {
        const o = 7 * b, same = u[o + 3] * v[o + 3] + u[o + 4] * v[o + 4] + u[o + 5] * v[o + 5] + u[o + 6] * v[o + 6] < 0 ? -1 : 1;
        for (let i = 0; i < 7; i++) blend[o + i] = u[o + i] + part * ((i < 3 ? 1 : same) * v[o + i] - u[o + i]);
        const l = Math.hypot(blend[o + 3], blend[o + 4], blend[o + 5], blend[o + 6]) || 1;
        for (let i = 3; i < 7; i++) blend[o + i] /= l;
      }
      const m = before(notes.time, t), all = notes.time.length, slice = part => numbers.subarray((part * all + m) * n, (part * all + m + 1) * n);
      return {
        poses: blend, contacts: points.subarray(6 * starts[m], 6 * starts[m + 1]), groups: slice(0), layers: slice(1), asleep: slice(2),
        broken: run.broken.map(when => when !== null && when <= t),
      };
    },
  };
}
