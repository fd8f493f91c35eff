// Vectors are lists of three numbers; matrices sixteen, column by column; quaternions x, y, z, w.
const add = (a, b) => [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
const sub = (a, b) => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
const times = (a, s) => [a[0] * s, a[1] * s, a[2] * s];
const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const unit = a => times(a, 1 / (Math.hypot(...a) || 1));
const clamp = (v, lo, hi) => Math.min(hi, Math.max(lo, v));
const turned = (q, v) => { const u = [q[0], q[1], q[2]], t = times(cross(u, v), 2); return add(add(v, times(t, q[3])), cross(u, t)); };
const product = (a, b) => a.map((_, i) => [0, 1, 2, 3].reduce((s, k) => s + a[k * 4 + i % 4] * b[(i >> 2) * 4 + k], 0));
const perspective = (f, aspect, near, far) => [f / aspect, 0, 0, 0, 0, f, 0, 0, 0, 0, (far + near) / (near - far), -1, 0, 0, 2 * far * near / (near - far), 0];
const parallel = (reach, near, far) => [1 / reach, 0, 0, 0, 0, 1 / reach, 0, 0, 0, 0, 2 / (near - far), 0, 0, 0, (far + near) / (near - far), 1];
/// The world seen from a point, with axes to the right, up, and towards the eye.
const seen = (eye, x, y, z) => [x[0], y[0], z[0], 0, x[1], y[1], z[1], 0, x[2], y[2], z[2], 0, -dot(x, eye), -dot(y, eye), -dot(z, eye), 1];
/// The turn that takes y to a unit vector.
const turnOfUp = n => { if (n[1] < -0.999999) return [1, 0, 0, 0]; const q = [n[2], 0, -n[0], 1 + n[1]], l = Math.hypot(...q); return q.map(v => v / l); };
