/** One pane's picture: bodies, ground, overlays. */

import * as THREE from "three";
import { OrbitControls } from "three/addons/controls/OrbitControls.js";
import { toCreasedNormals } from "three/addons/utils/BufferGeometryUtils.js";
import type { Session } from "./engine";
import { Overlay } from "./overlay";
import { palette, type Palette } from "./theme";

/** What can be drawn over the bodies. */
export interface Shown {
  contacts: boolean;
  impulses: boolean;
  boxes: boolean;
  joints: boolean;
  colour: "body" | "group" | "layer" | "sleep";
}

/** Where a ray from the screen meets a body. */
export interface Hit {
  body: number;
  point: THREE.Vector3;
}

/** Beyond this many metres a surface is taken for the ground: it is not what the camera looks at. */
const GROUND = 40;

export class View {
  readonly canvas: HTMLCanvasElement;
  readonly camera = new THREE.PerspectiveCamera(40, 1, 0.05, 400);
  readonly controls: OrbitControls;
  private readonly renderer: THREE.WebGLRenderer;
  private readonly scene = new THREE.Scene();
  private readonly sun = new THREE.DirectionalLight(0xfff4e6, 3);
  private readonly sky = new THREE.HemisphereLight(0xffffff, 0xb5aa99, 1.9);
  private readonly overlay: Overlay;
  private batches: { mesh: THREE.InstancedMesh; bodies: number[]; ground: boolean }[] = [];
  private kinds: string[] = [];
  private colours: Palette = palette();
  private readonly place = new THREE.Matrix4();
  private readonly at = new THREE.Vector3();
  private readonly turn = new THREE.Quaternion();
  private static readonly one = new THREE.Vector3(1, 1, 1);

  constructor(host: HTMLElement) {
    this.renderer = new THREE.WebGLRenderer({ antialias: true, preserveDrawingBuffer: true });
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = THREE.PCFShadowMap;
    this.canvas = this.renderer.domElement;
    host.append(this.canvas);
    this.sun.castShadow = true;
    this.sun.shadow.mapSize.set(2048, 2048);
    this.sun.shadow.bias = -2e-4;
    this.sun.shadow.normalBias = 0.02;
    this.scene.add(this.sun, this.sun.target, this.sky);
    this.overlay = new Overlay(this.scene);
    this.controls = new OrbitControls(this.camera, this.canvas);
    this.controls.enableDamping = false;
    this.controls.maxPolarAngle = 0.495 * Math.PI;
    new ResizeObserver(() => this.resize()).observe(host);
    this.recolour();
  }

  /** Shows nothing. */
  clear(): void {
    for (const batch of this.batches) {
      this.scene.remove(batch.mesh);
      batch.mesh.geometry.dispose();
      (batch.mesh.material as THREE.Material).dispose();
      batch.mesh.dispose();
    }
    this.batches = [];
    this.overlay.clear();
    this.renderer.render(this.scene, this.camera);
  }

  /** Takes over the surfaces of a session's bodies. */
  load(session: Session, kinds: string[]): void {
    this.clear();
    this.kinds = kinds;
    const of = session.surfaceOf();
    for (let s = 0; s < session.surfaceCount(); s++) {
      const bodies = [...of.keys()].filter((b) => of[b] === s);
      const { geometry, ground } = surface(session.surfacePositions(s), session.surfaceTriangles(s));
      const material = new THREE.MeshStandardMaterial({ roughness: 0.85, metalness: 0, side: THREE.DoubleSide });
      if (ground) material.map = gridTexture(this.colours);
      const mesh = new THREE.InstancedMesh(geometry, material, bodies.length);
      mesh.castShadow = !ground;
      mesh.receiveShadow = true;
      mesh.frustumCulled = false;
      this.scene.add(mesh);
      this.batches.push({ mesh, bodies, ground });
    }
  }

  /** Points the camera and the light at what moves, and where it can swing. */
  frame(poses: Float64Array, joints: Float64Array): void {
    const box = new THREE.Box3();
    for (const { mesh, bodies, ground } of this.batches) {
      if (ground) continue;
      mesh.geometry.computeBoundingSphere();
      const reach = mesh.geometry.boundingSphere?.radius ?? 0;
      for (const b of bodies) {
        if (this.kinds[b] === "fixed" && reach > 0.4 * GROUND) continue;
        this.at.fromArray(poses, 7 * b);
        box.union(new THREE.Box3().setFromCenterAndSize(this.at, new THREE.Vector3(reach, reach, reach).multiplyScalar(1.2)));
      }
    }
    if (box.isEmpty()) box.set(new THREE.Vector3(-1, 0, -1), new THREE.Vector3(1, 1, 1));
    // what hangs on the world swings about its anchor
    for (let j = 0; j + 10 <= joints.length; j += 10) {
      const [anchor, a, b] = [0, 3, 6].map((k) => new THREE.Vector3().fromArray(joints, j + k));
      if (!a.equals(anchor) && !b.equals(anchor)) continue;
      const arm = Math.max(a.distanceTo(anchor), b.distanceTo(anchor));
      box.union(new THREE.Box3(anchor.clone().subScalar(0.8 * arm), new THREE.Vector3(0.8 * arm, 0, 0.8 * arm).add(anchor)));
    }
    this.reachGround(box, poses);
    const centre = box.getCenter(new THREE.Vector3());
    const size = Math.max(box.getSize(new THREE.Vector3()).length(), 0.2);
    this.resize();
    // the ball around what moves fits the narrower of the two angles of view, with a margin
    const up = THREE.MathUtils.degToRad(0.5 * this.camera.fov);
    const narrow = Math.min(up, Math.atan(Math.tan(up) * this.camera.aspect));
    const back = (0.54 * size) / Math.sin(narrow);
    this.controls.target.copy(centre);
    this.camera.near = size / 200;
    this.camera.far = Math.max(size * 60, 150);
    this.camera.position.copy(centre).add(new THREE.Vector3(0.5, 0.36, 1).normalize().multiplyScalar(back));
    this.camera.updateProjectionMatrix();
    this.controls.update();
    const light = this.sun.shadow.camera;
    const reach = 0.9 * size;
    Object.assign(light, { left: -reach, right: reach, top: reach, bottom: -reach, near: 0.01 * size, far: 6 * size });
    light.updateProjectionMatrix();
    this.sun.target.position.copy(centre);
    this.sun.position.copy(centre).add(new THREE.Vector3(0.6, 1.5, 0.8).normalize().multiplyScalar(3 * size));
    this.scene.fog = new THREE.Fog(this.colours.background, back + 2 * size + 10, 4 * back + 10 * size + 60);
  }

  /** Extends a box down to ground that is near below it: there its bodies will fall. */
  private reachGround(box: THREE.Box3, poses: Float64Array): void {
    const centre = box.getCenter(new THREE.Vector3());
    const near = 2 * box.getSize(new THREE.Vector3()).length();
    for (const { mesh, bodies } of this.batches.filter((b) => b.ground)) {
      const corners = mesh.geometry.getAttribute("position");
      const corner = (i: number) => new THREE.Vector3().fromBufferAttribute(corners, i);
      for (const b of bodies) {
        this.place.compose(this.at.fromArray(poses, 7 * b), this.turn.fromArray(poses, 7 * b + 3), View.one);
        const [a, c, d] = [0, 1, 2].map((i) => corner(i).applyMatrix4(this.place));
        const below = new THREE.Ray(centre, new THREE.Vector3(0, -1, 0)).intersectPlane(new THREE.Plane().setFromCoplanarPoints(a, c, d), new THREE.Vector3());
        if (below && box.min.y - below.y < near) box.expandByPoint(below);
      }
    }
  }

  /** Looks the way another pane does. */
  follow(other: View): void {
    this.camera.position.copy(other.camera.position);
    this.camera.quaternion.copy(other.camera.quaternion);
    this.controls.target.copy(other.controls.target);
  }

  /** Brings bodies, colours and overlays to a session's state, and draws. */
  draw(session: Session, poses: Float64Array, shown: Shown): void {
    const colour = this.bodyColour(session, shown.colour);
    for (const { mesh, bodies, ground } of this.batches) {
      bodies.forEach((b, i) => {
        this.at.fromArray(poses, 7 * b);
        this.turn.fromArray(poses, 7 * b + 3);
        mesh.setMatrixAt(i, this.place.compose(this.at, this.turn, View.one));
        mesh.setColorAt(i, ground ? this.colours.ground : colour(b));
      });
      mesh.instanceMatrix.needsUpdate = true;
      if (mesh.instanceColor) mesh.instanceColor.needsUpdate = true;
    }
    this.overlay.draw(session, shown, this.camera.position.distanceTo(this.controls.target), this.colours);
    this.renderer.render(this.scene, this.camera);
  }

  /** The first body under a point of the canvas, in the order of the eye. */
  pick(x: number, y: number): Hit | null {
    const ray = this.ray(x, y);
    let best: Hit | null = null;
    let nearest = Infinity;
    for (const { mesh, bodies } of this.batches) {
      mesh.computeBoundingSphere();
      for (const hit of ray.intersectObject(mesh, false)) {
        const body = bodies[hit.instanceId ?? -1];
        if (body !== undefined && hit.distance < nearest) {
          nearest = hit.distance;
          best = { body, point: hit.point.clone() };
        }
      }
    }
    return best;
  }

  /** The point in the plane across the line of sight through `through` that lies under a point of the canvas. */
  across(x: number, y: number, through: THREE.Vector3): THREE.Vector3 {
    const normal = this.camera.getWorldDirection(new THREE.Vector3());
    const plane = new THREE.Plane().setFromNormalAndCoplanarPoint(normal, through);
    return this.ray(x, y).ray.intersectPlane(plane, new THREE.Vector3()) ?? through.clone();
  }

  /** A ray from the eye through a point of the canvas (client pixels). */
  ray(x: number, y: number): THREE.Raycaster {
    const r = this.canvas.getBoundingClientRect();
    const point = new THREE.Vector2(((x - r.left) / r.width) * 2 - 1, 1 - ((y - r.top) / r.height) * 2);
    const ray = new THREE.Raycaster();
    ray.setFromCamera(point, this.camera);
    return ray;
  }

  /** Where a point of the world is on the page (client pixels). */
  project(point: THREE.Vector3): [number, number] {
    const r = this.canvas.getBoundingClientRect();
    const p = point.clone().project(this.camera);
    return [r.left + (p.x * 0.5 + 0.5) * r.width, r.top + (0.5 - p.y * 0.5) * r.height];
  }

  /** Takes the theme's colours. */
  recolour(): void {
    this.colours = palette();
    this.scene.background = this.colours.background;
    if (this.scene.fog) this.scene.fog.color = this.colours.background;
    for (const { mesh, ground } of this.batches) {
      if (ground) (mesh.material as THREE.MeshStandardMaterial).map = gridTexture(this.colours);
    }
  }

  dispose(): void {
    this.controls.dispose();
    this.renderer.dispose();
    this.canvas.remove();
  }

  private resize(): void {
    const host = this.canvas.parentElement;
    if (!host || host.clientWidth === 0 || host.clientHeight === 0) return;
    this.renderer.setPixelRatio(Math.min(devicePixelRatio, 2));
    this.renderer.setSize(host.clientWidth, host.clientHeight, false);
    this.camera.aspect = host.clientWidth / host.clientHeight;
    this.camera.updateProjectionMatrix();
  }

  private bodyColour(session: Session, by: Shown["colour"]): (body: number) => THREE.Color {
    const c = this.colours;
    const own = (b: number) => (this.kinds[b] === "fixed" || this.kinds[b] === "scripted" ? c.fixed : c.bodies[b % c.bodies.length]);
    if (by === "body") return own;
    if (by === "sleep") {
      const asleep = session.asleep();
      return (b) => (asleep[b] === 1 ? c.asleep : own(b));
    }
    const numbers = by === "group" ? session.groups() : session.layers();
    return (b) => (numbers[b] < 0 ? c.fixed : c.categories[numbers[b] % c.categories.length]);
  }
}

/** A surface as geometry with creases where it has edges; four corners that are far apart are a piece of ground. */
function surface(positions: Float32Array, triangles: Uint32Array): { geometry: THREE.BufferGeometry; ground: boolean } {
  const geometry = new THREE.BufferGeometry();
  geometry.setAttribute("position", new THREE.BufferAttribute(positions, 3));
  geometry.setIndex(new THREE.BufferAttribute(triangles, 1));
  const corner = (i: number) => new THREE.Vector3().fromArray(positions, 3 * i);
  const ground = positions.length === 12 && corner(0).distanceTo(corner(2)) > GROUND;
  if (ground) {
    const reach = corner(0).distanceTo(corner(1));
    geometry.setAttribute("uv", new THREE.Float32BufferAttribute([0, 0, reach, 0, reach, reach, 0, reach], 2));
    geometry.computeVertexNormals();
    return { geometry, ground };
  }
  return { geometry: toCreasedNormals(geometry, 0.6), ground };
}

/** A metre of ground, with its lines. */
function gridTexture(colours: Palette): THREE.Texture {
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = 128;
  const pen = canvas.getContext("2d");
  if (pen) {
    pen.fillStyle = "#fff";
    pen.fillRect(0, 0, 128, 128);
    pen.strokeStyle = colours.grid;
    pen.lineWidth = 2;
    pen.strokeRect(0, 0, 128, 128);
  }
  const texture = new THREE.CanvasTexture(canvas);
  texture.wrapS = texture.wrapT = THREE.RepeatWrapping;
  texture.anisotropy = 8;
  texture.colorSpace = THREE.SRGBColorSpace;
  return texture;
}
