/** What is drawn over the bodies: contacts, impulses, boxes, joints. */

import * as THREE from "three";
import type { Session } from "./engine";
import type { Palette } from "./theme";
import type { Shown } from "./view";

/** Lines that are given anew each frame. */
class Lines {
  readonly object: THREE.LineSegments;
  private points: number[] = [];
  private capacity = 0;

  constructor() {
    this.object = new THREE.LineSegments(new THREE.BufferGeometry(), new THREE.LineBasicMaterial({ depthTest: false, transparent: true, opacity: 0.9 }));
    this.object.frustumCulled = false;
    this.object.renderOrder = 2;
  }

  begin(colour: THREE.Color): void {
    (this.object.material as THREE.LineBasicMaterial).color.copy(colour);
    this.points.length = 0;
  }

  line(ax: number, ay: number, az: number, bx: number, by: number, bz: number): void {
    this.points.push(ax, ay, az, bx, by, bz);
  }

  end(): void {
    const geometry = this.object.geometry;
    if (this.points.length > this.capacity) {
      this.capacity = 2 * this.points.length;
      geometry.setAttribute("position", new THREE.BufferAttribute(new Float32Array(this.capacity), 3));
    }
    const positions = geometry.getAttribute("position") as THREE.BufferAttribute | undefined;
    if (positions) {
      (positions.array as Float32Array).set(this.points);
      positions.needsUpdate = true;
    }
    geometry.setDrawRange(0, this.points.length / 3);
    this.object.visible = this.points.length > 0;
  }
}

/** Dots that are given anew each frame. */
class Dots {
  readonly object: THREE.Points;
  private capacity = 0;

  constructor() {
    const material = new THREE.PointsMaterial({ size: 7, sizeAttenuation: false, depthTest: false, transparent: true });
    this.object = new THREE.Points(new THREE.BufferGeometry(), material);
    this.object.frustumCulled = false;
    this.object.renderOrder = 3;
  }

  draw(points: number[], colour: THREE.Color): void {
    const material = this.object.material as THREE.PointsMaterial;
    material.color.copy(colour);
    // thousands of them would hide what they are on
    material.size = Math.min(7, Math.max(3, 160 / Math.sqrt(points.length / 3 + 1)));
    const geometry = this.object.geometry;
    if (points.length > this.capacity) {
      this.capacity = 2 * points.length;
      geometry.setAttribute("position", new THREE.BufferAttribute(new Float32Array(this.capacity), 3));
    }
    const positions = geometry.getAttribute("position") as THREE.BufferAttribute | undefined;
    if (positions) {
      (positions.array as Float32Array).set(points);
      positions.needsUpdate = true;
    }
    geometry.setDrawRange(0, points.length / 3);
    this.object.visible = points.length > 0;
  }
}

/** The twelve edges of a box, as pairs of corners; bit k of a corner says which end of axis k it is at. */
const EDGES = [0, 1, 2, 3, 4, 5, 6, 7, 0, 2, 1, 3, 4, 6, 5, 7, 0, 4, 1, 5, 2, 6, 3, 7];

export class Overlay {
  private readonly contacts = new Dots();
  private readonly impulses = new Lines();
  private readonly boxes = new Lines();
  private readonly joints = new Lines();
  private readonly anchors = new Dots();
  /** The axes of the joints' frames: x, y, z. */
  private readonly axes = [new Lines(), new Lines(), new Lines()];
  private readonly hand = new Lines();
  /** Where the hand draws to, while it does. */
  private largest = 0;

  constructor(scene: THREE.Scene) {
    scene.add(
      this.contacts.object,
      this.impulses.object,
      this.boxes.object,
      this.joints.object,
      this.anchors.object,
      ...this.axes.map((a) => a.object),
      this.hand.object,
    );
  }

  /** Forgets the scale of the scene before. */
  clear(): void {
    this.largest = 0;
  }

  /** `distance`: from the eye to what it looks at, to which arrows are drawn in proportion. */
  draw(session: Session, shown: Shown, distance: number, colours: Palette): void {
    const points: number[] = [];
    this.impulses.begin(colours.impulse);
    if (shown.contacts || shown.impulses) this.drawContacts(session.contacts(), shown, distance, points);
    this.impulses.end();
    this.contacts.draw(points, colours.contact);
    this.boxes.begin(colours.box);
    if (shown.boxes) this.drawBoxes(session.boxes());
    this.boxes.end();
    const anchors: number[] = [];
    this.joints.begin(colours.joint);
    if (shown.joints) this.drawJoints(session.joints(), anchors);
    this.joints.end();
    this.axes.forEach((axis, k) => axis.begin(colours.axes[k]));
    if (shown.joints) this.drawFrames(session.jointFrames(), 0.035 * distance);
    this.axes.forEach((axis) => axis.end());
    this.anchors.draw(anchors, colours.joint);
    this.drawHand(session, colours);
  }

  private drawContacts(all: Float64Array, shown: Shown, distance: number, points: number[]): void {
    const size = (i: number) => Math.hypot(all[i + 6], all[i + 7], all[i + 8]);
    for (let i = 0; i < all.length; i += 12) this.largest = Math.max(this.largest, size(i));
    const scale = this.largest > 0 ? (0.12 * distance) / this.largest : 0;
    for (let i = 0; i < all.length; i += 12) {
      const [x, y, z] = [all[i], all[i + 1], all[i + 2]];
      if (shown.contacts) points.push(x, y, z);
      const length = size(i) * scale;
      if (!shown.impulses || length === 0) continue;
      const [dx, dy, dz] = [all[i + 6] * scale, all[i + 7] * scale, all[i + 8] * scale];
      const tip = [x + dx, y + dy, z + dz];
      this.impulses.line(x, y, z, tip[0], tip[1], tip[2]);
      // two barbs, in a plane that is not along the arrow
      const side = new THREE.Vector3(dx, dy, dz).cross(Math.abs(dz) < 0.9 * length ? new THREE.Vector3(0, 0, 1) : new THREE.Vector3(1, 0, 0));
      side.normalize().multiplyScalar(0.16 * length);
      for (const s of [1, -1]) {
        this.impulses.line(
          tip[0], tip[1], tip[2],
          tip[0] - 0.28 * dx + s * side.x, tip[1] - 0.28 * dy + s * side.y, tip[2] - 0.28 * dz + s * side.z,
        );
      }
    }
    // the scale follows what there is, slowly
    this.largest *= 0.995;
  }

  private drawBoxes(all: Float64Array): void {
    for (let i = 0; i < all.length; i += 6) {
      const corner = (c: number, axis: number) => all[i + axis + ((c >> axis) & 1 ? 3 : 0)];
      for (let e = 0; e < EDGES.length; e += 2) {
        const [a, b] = [EDGES[e], EDGES[e + 1]];
        this.boxes.line(corner(a, 0), corner(a, 1), corner(a, 2), corner(b, 0), corner(b, 1), corner(b, 2));
      }
    }
  }

  private drawJoints(all: Float64Array, anchors: number[]): void {
    for (let i = 0; i < all.length; i += 10) {
      if (all[i + 9] === 1) continue;
      const [x, y, z] = [all[i], all[i + 1], all[i + 2]];
      anchors.push(x, y, z);
      this.joints.line(x, y, z, all[i + 3], all[i + 4], all[i + 5]);
      this.joints.line(x, y, z, all[i + 6], all[i + 7], all[i + 8]);
    }
  }

  /** Each frame as both bodies carry it, the second one shorter: where a joint is free, they part. */
  private drawFrames(all: Float64Array, length: number): void {
    for (let i = 0; i < all.length; i += 7) {
      const turn = new THREE.Quaternion().fromArray(all, i + 3);
      const reach = (i / 7) % 2 === 0 ? length : 0.7 * length;
      this.axes.forEach((lines, k) => {
        const tip = new THREE.Vector3().setComponent(k, reach).applyQuaternion(turn);
        lines.line(all[i], all[i + 1], all[i + 2], all[i] + tip.x, all[i + 1] + tip.y, all[i + 2] + tip.z);
      });
    }
  }

  private drawHand(session: Session, colours: Palette): void {
    this.hand.begin(colours.contact);
    const held = session.held();
    if (held.length === 6) this.hand.line(held[0], held[1], held[2], held[3], held[4], held[5]);
    this.hand.end();
  }
}
