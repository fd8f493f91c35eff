// Where one looks from: mouse, touch and keys.
class Eye {
  constructor() { this.yaw = 0.5; this.pitch = 0.3; this.distance = 10; this.reach = 5; this.middle = this.centre = [0, 0, 0]; this.floor = 0; this.changed = () => {}; }

  /// Fits what moves over some poses; what flies off counts to eight times the size of where it began.
  fit(scenes) {
    let lo = [Infinity, Infinity, Infinity], hi = lo.map(v => -v), bound = null;
    const take = (scene, poses, all) => {
      for (let b = 0; b < scene.count; b++) {
        if (!(all || scene.moves[b]) || scene.reach[b] === 0) continue;
        for (let k = 0; k < 3; k++) {
          let [low, high] = [poses[7 * b + k] - scene.reach[b], poses[7 * b + k] + scene.reach[b]];
          if (bound) { low = clamp(low, bound.lo[k], bound.hi[k]); high = clamp(high, bound.lo[k], bound.hi[k]); }
          lo[k] = Math.min(lo[k], low); hi[k] = Math.max(hi[k], high);
        }
      }
    };
    const any = scenes.some(({ scene }) => scene.moves.some((m, b) => m && scene.reach[b] > 0));
    scenes.forEach(({ scene, poses }) => poses.length && take(scene, poses[0], !any));
    if (lo[0] > hi[0]) { lo = [-1, 0, -1]; hi = [1, 1, 1]; }
    const size = 8 * Math.hypot(...sub(hi, lo));
    bound = { lo: lo.map(v => v - size), hi: hi.map(v => v + size) };
    scenes.forEach(({ scene, poses }) => poses.forEach(p => take(scene, p, !any)));
    this.middle = times(add(lo, hi), 0.5); this.reach = Math.max(0.5 * Math.hypot(...sub(hi, lo)), 1e-4); this.floor = lo[1];
    this.home();
  }

  // the ball around what moves fits the angle of view: sqrt(1 + f^2) of its radius away, and a little
  home() { this.centre = this.middle; this.distance = 2.2 * this.reach; this.yaw = 0.5; this.pitch = 0.3; this.changed(); }

  camera(aspect) {
    const [cy, sy, cp, sp] = [Math.cos(this.yaw), Math.sin(this.yaw), Math.cos(this.pitch), Math.sin(this.pitch)];
    const z = [sy * cp, sp, cy * cp], x = [cy, 0, -sy], y = [-sy * sp, cp, -cy * sp], back = this.distance * Math.max(1, 1.15 / aspect);
    const eye = add(this.centre, times(z, back)), f = 1.9;
    return { eye, x, y, z, f, aspect, view: product(perspective(f, aspect, back * 0.02, back * 120), seen(eye, x, y, z)) };
  }

  turn(dx, dy) { this.yaw -= dx; this.pitch = clamp(this.pitch + dy, -1.5, 1.5); this.changed(); }
  move(dx, dy) { const c = this.camera(1); this.centre = add(this.centre, add(times(c.x, -dx * this.distance), times(c.y, dy * this.distance))); this.changed(); }
  nearer(factor) { this.distance = clamp(this.distance * factor, 1e-3 * this.reach, 50 * this.reach); this.changed(); }

  /// The ray through a place on a canvas (page coordinates): from where, and which way.
  ray(canvas, px, py) {
    const r = canvas.getBoundingClientRect(), c = this.camera(r.width / r.height);
    const [u, v] = [(px - r.left) / r.width * 2 - 1, 1 - (py - r.top) / r.height * 2];
    return [c.eye, unit(add(add(times(c.x, u * c.aspect / c.f), times(c.y, v / c.f)), times(c.z, -1)))];
  }

  /// One pointer turns, two move and come closer, the wheel comes closer; `hold` may take a pointer for something else.
  follow(canvas, hold = () => false) {
    const pointers = new Map(); let held = null;
    canvas.addEventListener("pointerdown", e => {
      canvas.setPointerCapture(e.pointerId);
      if (pointers.size === 0 && !e.shiftKey && e.button === 0 && hold("down", e)) { held = e.pointerId; return; }
      pointers.set(e.pointerId, [e.clientX, e.clientY]);
    });
    canvas.addEventListener("pointermove", e => {
      if (e.pointerId === held) { hold("move", e); return; }
      const last = pointers.get(e.pointerId); if (!last) return;
      const d = [e.clientX - last[0], e.clientY - last[1]], size = canvas.clientHeight;
      if (pointers.size > 1) {
        const other = [...pointers].find(([id]) => id !== e.pointerId)[1], gap = p => Math.hypot(p[0] - other[0], p[1] - other[1]) || 1;
        this.nearer(gap(last) / gap([e.clientX, e.clientY])); this.move(0.5 * d[0] / size, 0.5 * d[1] / size);
      } else if (e.shiftKey || e.buttons === 2) this.move(d[0] / size, d[1] / size);
      else this.turn(d[0] * 0.008, d[1] * 0.008);
      pointers.set(e.pointerId, [e.clientX, e.clientY]);
    });
    for (const end of ["pointerup", "pointercancel"]) canvas.addEventListener(end, e => { if (e.pointerId === held) { held = null; hold("up", e); } pointers.delete(e.pointerId); });
    canvas.addEventListener("contextmenu", e => e.preventDefault());
    canvas.addEventListener("wheel", e => { e.preventDefault(); this.nearer(Math.exp(e.deltaY * 0.001)); }, { passive: false });
  }
}

/// The first body that moves under a ray, and where it is met.
function picked(scene, poses, [from, way]) {
  let best = null;
  for (let b = 0; b < scene.count; b++) {
    if (scene.kinds[b] !== "dynamic") continue;
    const at = poses.subarray(7 * b, 7 * b + 3), q = poses.subarray(7 * b + 3, 7 * b + 7), away = sub(at, from), along = dot(away, way);
    if (dot(away, away) - along * along > scene.reach[b] ** 2) continue;
    const back = [-q[0], -q[1], -q[2], q[3]], size = scene.scales.slice(3 * b, 3 * b + 3), shrink = v => v.map((x, k) => x / size[k]);
    const o = shrink(turned(back, sub(from, at))), d = shrink(turned(back, way)), p = scene.surfaces[scene.surfaceOf[b]].positions;
    for (let i = 0; i + 8 < p.length; i += 9) {
      const a = p.subarray(i, i + 3), e = sub(p.subarray(i + 3, i + 6), a), g = sub(p.subarray(i + 6, i + 9), a), h = cross(d, g), det = dot(e, h);
      if (Math.abs(det) < 1e-14) continue;
      const s = sub(o, a), u = dot(s, h) / det, r = cross(s, e), v = dot(d, r) / det, t = dot(g, r) / det;
      if (u >= 0 && v >= 0 && u + v <= 1 && t > 0 && (!best || t < best.t)) best = { body: b, t, point: add(from, times(way, t)) };
    }
  }
  return best;
}
