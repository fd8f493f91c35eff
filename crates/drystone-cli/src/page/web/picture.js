// Bodies, ground, shadows and overlays, drawn by WebGL 2. One context draws all views, each onto a canvas of its own.
const BODY = `#version 300 es
layout(location=0) in vec3 p; layout(location=1) in vec3 n; layout(location=2) in vec3 at; layout(location=3) in vec4 turn; layout(location=4) in vec3 size; layout(location=5) in vec3 paint;
uniform mat4 view, light; out vec3 world, normal, colour; out vec4 lit; out vec2 tile;
vec3 turned(vec3 v) { return v + 2.0 * cross(turn.xyz, cross(turn.xyz, v) + turn.w * v); }
void main() {
  world = turned(p * size) + at; normal = turned(n / size); colour = paint;
  tile = vec2(dot(world, turned(vec3(1, 0, 0))), dot(world, turned(vec3(0, 0, 1))));
  lit = light * vec4(world, 1); gl_Position = view * vec4(world, 1);
}`;
const SHADE = `#version 300 es
precision highp float; precision highp sampler2DShadow;
in vec3 world, normal, colour; in vec4 lit; in vec2 tile; uniform sampler2DShadow shadow; uniform vec3 sun, eye, haze, rule; uniform float grid, far; out vec4 o;
void main() {
  vec3 n = normalize(normal), c = colour, l = lit.xyz * 0.5 + 0.5; if (dot(n, eye - world) < 0.0) n = -n;
  float open = 1.0;
  if (all(lessThan(abs(l - 0.5), vec3(0.5)))) { open = 0.0; for (int i = -1; i < 2; i++) for (int k = -1; k < 2; k++) open += texture(shadow, vec3(l.xy + vec2(i, k) / 1536.0, l.z - 0.0012)) / 9.0; }
  if (grid > 0.0) {
    vec2 s = tile / grid, w = fwidth(s), d = abs(fract(s - 0.5) - 0.5) / max(w, 1e-6), ten = abs(fract(s / 10.0 - 0.5) - 0.5) * 10.0 / max(w, 1e-6);
    float fine = (1.0 - min(min(d.x, d.y), 1.0)) * (1.0 - smoothstep(0.15, 0.5, max(w.x, w.y))), wide = 1.0 - min(min(ten.x, ten.y), 1.0);
    c = mix(c, rule, max(0.55 * fine, 0.9 * wide * (1.0 - smoothstep(0.8, 4.0, max(w.x, w.y)))));
  }
  c *= 0.5 + 0.12 * n.y + 0.5 * max(dot(n, sun), 0.0) * open;
  o = vec4(mix(c, haze, smoothstep(0.15, 1.0, distance(world, eye) / far)), 1);
}`;
const DEPTH = `#version 300 es
precision highp float; void main() {}`;
const LINE = `#version 300 es
layout(location=0) in vec3 p; layout(location=1) in vec3 paint; uniform mat4 view; out vec3 colour;
void main() { colour = paint; gl_Position = view * vec4(p, 1); gl_PointSize = 5.0; }`;
const FLAT = `#version 300 es
precision highp float; in vec3 colour; out vec4 o; void main() { o = vec4(colour, 1); }`;
const SKY = `#version 300 es
out vec2 s; void main() { s = vec2(gl_VertexID & 1, gl_VertexID >> 1) * 4.0 - 1.0; gl_Position = vec4(s, 1, 1); }`;
const AIR = `#version 300 es
precision highp float; in vec2 s; uniform vec3 x, y, z, haze, sky; uniform vec2 wide; out vec4 o;
void main() { vec3 d = normalize(x * s.x * wide.x + y * s.y * wide.y - z); o = vec4(mix(haze, sky, smoothstep(0.0, 0.45, abs(d.y))), 1); }`;

const MAP = 2048;
const rgb = c => [1, 3, 5].map(i => parseInt(c.slice(i, i + 2), 16) / 255);
const STONES = ["#b98a5e", "#5f8fb4", "#7da35f", "#a57bb0", "#c9a24a", "#c06a5a", "#6aa7a0", "#8d8579"].map(rgb);
const CATEGORIES = ["#4477aa", "#ee6677", "#228833", "#ccbb44", "#66ccee", "#aa3377", "#ee8866", "#99a4ae"].map(rgb);
const isDark = () => { const chosen = document.documentElement.dataset.theme; return chosen ? chosen === "dark" : matchMedia("(prefers-color-scheme: dark)").matches; };
const themed = () => isDark()
  ? { haze: rgb("#22262c"), sky: rgb("#14161a"), ground: rgb("#41474f"), rule: rgb("#717a85"), fixed: rgb("#6d757f"), asleep: rgb("#48678f"), contact: rgb("#ff5d4d"), normal: rgb("#ffd34d"), joint: rgb("#6fe0b0"), hand: rgb("#ffffff") }
  : { haze: rgb("#eef0f1"), sky: rgb("#c9d8e6"), ground: rgb("#e3e1da"), rule: rgb("#a9a79f"), fixed: rgb("#a4a9af"), asleep: rgb("#8ea3bd"), contact: rgb("#e6352b"), normal: rgb("#b36200"), joint: rgb("#0a8f5b"), hand: rgb("#222222") };

class Painter {
  constructor() {
    this.canvas = document.createElement("canvas");
    const gl = this.gl = this.canvas.getContext("webgl2", { antialias: true, preserveDrawingBuffer: true });
    if (!gl) return;
    this.body = this.program(BODY, SHADE); this.depth = this.program(BODY, DEPTH); this.line = this.program(LINE, FLAT); this.sky = this.program(SKY, AIR);
    this.shadow = gl.createTexture(); gl.bindTexture(gl.TEXTURE_2D, this.shadow);
    gl.texStorage2D(gl.TEXTURE_2D, 1, gl.DEPTH_COMPONENT24, MAP, MAP);
    for (const [k, v] of [[gl.TEXTURE_COMPARE_MODE, gl.COMPARE_REF_TO_TEXTURE], [gl.TEXTURE_MIN_FILTER, gl.LINEAR], [gl.TEXTURE_MAG_FILTER, gl.LINEAR], [gl.TEXTURE_WRAP_S, gl.CLAMP_TO_EDGE], [gl.TEXTURE_WRAP_T, gl.CLAMP_TO_EDGE]]) gl.texParameteri(gl.TEXTURE_2D, k, v);
    this.target = gl.createFramebuffer(); gl.bindFramebuffer(gl.FRAMEBUFFER, this.target);
    gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.DEPTH_ATTACHMENT, gl.TEXTURE_2D, this.shadow, 0); gl.bindFramebuffer(gl.FRAMEBUFFER, null);
    this.lines = this.lineList(); this.nothing = gl.createVertexArray();
    gl.enable(gl.DEPTH_TEST);
  }

  program(vertex, fragment) {
    const gl = this.gl, made = gl.createProgram();
    for (const [kind, text] of [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]]) { const s = gl.createShader(kind); gl.shaderSource(s, text); gl.compileShader(s); gl.attachShader(made, s); }
    gl.linkProgram(made);
    if (!gl.getProgramParameter(made, gl.LINK_STATUS)) throw new Error(gl.getProgramInfoLog(made));
    const place = new Map();
    return { made, at: name => { if (!place.has(name)) place.set(name, gl.getUniformLocation(made, name)); return place.get(name); } };
  }

  lineList() {
    const gl = this.gl, array = gl.createVertexArray(), buffer = gl.createBuffer();
    gl.bindVertexArray(array); gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
    for (const i of [0, 1]) { gl.enableVertexAttribArray(i); gl.vertexAttribPointer(i, 3, gl.FLOAT, false, 24, 12 * i); }
    return { array, buffer };
  }

  /// Buffers for the bodies of a scene: a batch for each surface, drawn at once.
  model(scene, floor) {
    const gl = this.gl, square = creased(new Float32Array([-1, 0, -1, -1, 0, 1, 1, 0, 1, 1, 0, -1]), [0, 1, 2, 0, 2, 3]);
    const batch = (surface, bodies, plane) => {
      const array = gl.createVertexArray(); gl.bindVertexArray(array);
      for (const [i, list] of [[0, surface.positions], [1, surface.normals]]) { gl.bindBuffer(gl.ARRAY_BUFFER, gl.createBuffer()); gl.bufferData(gl.ARRAY_BUFFER, list, gl.STATIC_DRAW); gl.enableVertexAttribArray(i); gl.vertexAttribPointer(i, 3, gl.FLOAT, false, 0, 0); }
      const buffer = gl.createBuffer(); gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
      let offset = 0; for (const [i, width] of [[2, 3], [3, 4], [4, 3], [5, 3]]) { gl.enableVertexAttribArray(i); gl.vertexAttribPointer(i, width, gl.FLOAT, false, 52, offset); gl.vertexAttribDivisor(i, 1); offset += 4 * width; }
      return { array, buffer, bodies, plane, count: surface.positions.length / 3, data: new Float32Array(13 * bodies.length) };
    };
    const of = s => [...scene.surfaceOf.keys()].filter(b => scene.surfaceOf[b] === s);
    const batches = scene.surfaces.map((s, i) => batch(s.plane ? square : s, of(i), s.plane)).filter(b => b.bodies.length);
    // where no body is a plane, one is drawn below all
    if (!batches.some(b => b.plane)) batches.push(batch(square, [-1], [0, 1, 0, floor]));
    return { scene, batches };
  }

  fill(model, batch, frame, eye, paint, ground) {
    const { poses } = frame, { scales } = model.scene;
    batch.bodies.forEach((b, i) => {
      let pose = b < 0 ? [0, 0, 0, 0, 0, 0, 1] : poses.subarray(7 * b, 7 * b + 7), size = b < 0 ? null : scales.slice(3 * b, 3 * b + 3);
      if (batch.plane) {
        // a plane has no end: the piece around the point looked at, out to the horizon
        const q = pose.slice(3), n = turned(q, batch.plane.slice(0, 3)), on = add([pose[0], pose[1], pose[2]], times(n, batch.plane[3]));
        const foot = add(eye.centre, times(n, dot(sub(on, eye.centre), n)));
        pose = [...foot, ...turnOfUp(n)]; size = [80 * eye.distance, 1, 80 * eye.distance];
      }
      batch.data.set(pose, 13 * i); batch.data.set(size, 13 * i + 7); batch.data.set(batch.plane ? ground : paint(b), 13 * i + 10);
    });
    const gl = this.gl; gl.bindBuffer(gl.ARRAY_BUFFER, batch.buffer); gl.bufferData(gl.ARRAY_BUFFER, batch.data, gl.DYNAMIC_DRAW);
  }

  /// Draws a frame and puts it onto a canvas.
  draw(model, frame, eye, shown, canvas) {
    const gl = this.gl, ratio = Math.min(devicePixelRatio || 1, 2), [w, h] = [Math.max(1, Math.round(canvas.clientWidth * ratio)), Math.max(1, Math.round(canvas.clientHeight * ratio))];
    if (this.canvas.width !== w || this.canvas.height !== h) { this.canvas.width = w; this.canvas.height = h; }
    if (canvas.width !== w || canvas.height !== h) { canvas.width = w; canvas.height = h; }
    const c = themed(), camera = eye.camera(w / h), paint = painted(model.scene, frame, shown.colour, c);
    const sun = unit([0.55, 1.1, 0.75]), sx = unit(cross([0, 1, 0], sun)), sy = cross(sun, sx), reach = eye.reach, from = add(eye.middle, times(sun, 2 * reach));
    const light = product(parallel(1.05 * reach, 0.2 * reach, 5 * reach), seen(from, sx, sy, sun));
    for (const b of model.batches) this.fill(model, b, frame, eye, paint, c.ground);

    gl.bindFramebuffer(gl.FRAMEBUFFER, this.target); gl.viewport(0, 0, MAP, MAP); gl.clear(gl.DEPTH_BUFFER_BIT);
    gl.useProgram(this.depth.made); gl.uniformMatrix4fv(this.depth.at("view"), false, light);
    for (const b of model.batches) if (!b.plane) { gl.bindVertexArray(b.array); gl.drawArraysInstanced(gl.TRIANGLES, 0, b.count, b.bodies.length); }
    gl.bindFramebuffer(gl.FRAMEBUFFER, null); gl.viewport(0, 0, w, h); gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);

    gl.disable(gl.DEPTH_TEST); gl.useProgram(this.sky.made); gl.bindVertexArray(this.nothing);
    for (const k of ["x", "y", "z"]) gl.uniform3fv(this.sky.at(k), camera[k]);
    gl.uniform3fv(this.sky.at("haze"), c.haze); gl.uniform3fv(this.sky.at("sky"), c.sky); gl.uniform2f(this.sky.at("wide"), camera.aspect / camera.f, 1 / camera.f);
    gl.drawArrays(gl.TRIANGLES, 0, 3); gl.enable(gl.DEPTH_TEST);

    const at = this.body.at; gl.useProgram(this.body.made); gl.bindTexture(gl.TEXTURE_2D, this.shadow);
    gl.uniformMatrix4fv(at("view"), false, camera.view); gl.uniformMatrix4fv(at("light"), false, light);
    for (const [k, v] of [["sun", sun], ["eye", camera.eye], ["haze", c.haze], ["rule", c.rule]]) gl.uniform3fv(at(k), v);
    gl.uniform1f(at("far"), 25 * eye.distance);
    for (const b of model.batches) { gl.uniform1f(at("grid"), b.plane ? 10 ** Math.round(Math.log10(eye.distance / 6)) : 0); gl.bindVertexArray(b.array); gl.drawArraysInstanced(gl.TRIANGLES, 0, b.count, b.bodies.length); }
    this.overlay(model.scene, frame, shown, eye, camera, c);
    canvas.getContext("2d").drawImage(this.canvas, 0, 0);
  }

  overlay(scene, frame, shown, eye, camera, c) {
    const lines = [], dots = [], put = (list, p, colour) => list.push(...p, ...colour), length = 0.035 * eye.distance;
    if (shown.contacts || shown.normals) for (let i = 0; i + 5 < frame.contacts.length; i += 6) {
      const p = frame.contacts.slice(i, i + 3), n = frame.contacts.slice(i + 3, i + 6);
      if (shown.contacts) put(dots, p, c.contact);
      if (shown.normals) { put(lines, p, c.normal); put(lines, add(p, times(n, length)), c.normal); }
    }
    if (shown.joints) scene.joints.forEach(([a, b, ...anchor], j) => {
      const pose = k => frame.poses.subarray(7 * k, 7 * k + 7), origin = k => [...pose(k).subarray(0, 3)], base = a >= 0 ? a : b;
      if (base < 0) return;
      const p = add(origin(base), turned(pose(base).subarray(3), anchor)), colour = frame.broken[j] ? c.contact : c.joint;
      put(dots, p, colour);
      for (const k of [a, b]) if (k >= 0) { put(lines, p, colour); put(lines, origin(k), colour); }
    });
    if (frame.held && frame.held.length === 6) { put(lines, frame.held.slice(0, 3), c.hand); put(lines, frame.held.slice(3), c.hand); put(dots, frame.held.slice(3), c.hand); }
    if (!lines.length && !dots.length) return;
    const gl = this.gl; gl.disable(gl.DEPTH_TEST); gl.useProgram(this.line.made); gl.uniformMatrix4fv(this.line.at("view"), false, camera.view);
    gl.bindVertexArray(this.lines.array); gl.bindBuffer(gl.ARRAY_BUFFER, this.lines.buffer);
    for (const [kind, list] of [[gl.LINES, lines], [gl.POINTS, dots]]) if (list.length) { gl.bufferData(gl.ARRAY_BUFFER, new Float32Array(list), gl.DYNAMIC_DRAW); gl.drawArrays(kind, 0, list.length / 6); }
    gl.enable(gl.DEPTH_TEST);
  }
}

/// The colour of each body: its material's, in a shade of its own, or that of its group, layer or sleep.
function painted(scene, frame, by, c) {
  const own = b => {
    if (!scene.moves[b]) return c.fixed;
    const shade = 1.12 + 0.14 * Math.sin(b * 2.4) + (scene.kinds[b] === "scripted" ? 0.15 : 0);
    return STONES[scene.materialOf[b] % STONES.length].map(v => Math.min(1, v * shade));
  };
  if (by === "sleep") return b => frame.asleep[b] ? c.asleep : own(b);
  if (by === "body") return own;
  const numbers = by === "group" ? frame.groups : frame.layers;
  return b => numbers[b] < 0 ? c.fixed : CATEGORIES[numbers[b] % CATEGORIES.length];
}
