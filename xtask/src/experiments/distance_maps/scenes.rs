use std::fmt::Write;
use std::path::Path;

/// A scene of thesis tables 6.6 and 6.7, with its figures there: brute force first, then sphere trees.
pub(super) struct Scene {
    pub(super) name: &'static str,
    pub(super) thesis_times: [&'static str; 2],
    pub(super) thesis_gain: f64,
    pub(super) thesis_contacts: [&'static str; 2],
    /// Too long to run more than once.
    pub(super) is_long: bool,
    duration: f64,
    bodies: fn(&mut Bodies),
}

/// The nine scenes. The thesis names and shows them, but gives no sizes: those are ours.
pub(super) const SCENES: &[Scene] = &[
    Scene {
        name: "sliding-boxes",
        thesis_times: ["0 / .0063 / .0200", "0 / .0059 / .0200"],
        thesis_gain: 1.07,
        thesis_contacts: ["362 / 362 / 362", "362 / 362 / 362"],
        is_long: false,
        duration: 2.0,
        bodies: sliding_boxes,
    },
    Scene {
        name: "billiard-balls",
        thesis_times: ["0 / .0114 / .0300", "0 / .0029 / .0200"],
        thesis_gain: 3.9,
        thesis_contacts: ["6 / 65.7 / 187", "6 / 65.0 / 187"],
        is_long: false,
        duration: 2.0,
        bodies: billiard_balls,
    },
    Scene {
        name: "see-saw",
        thesis_times: ["0 / .0018 / .0100", "0 / .0017 / .0200"],
        thesis_gain: 1.06,
        thesis_contacts: ["3 / 47.6 / 82", "16 / 44.8 / 82"],
        is_long: false,
        duration: 2.0,
        bodies: see_saw,
    },
    Scene {
        name: "flip-over",
        thesis_times: ["0 / .0024 / .0200", "0 / .0019 / .0200"],
        thesis_gain: 1.26,
        thesis_contacts: ["62 / 88.8 / 350", "62 / 89.6 / 350"],
        is_long: false,
        duration: 2.0,
        bodies: flip_over,
    },
    Scene {
        name: "box-stack",
        thesis_times: ["0 / .0075 / .0200", "0 / .0071 / .0200"],
        thesis_gain: 1.06,
        thesis_contacts: ["596 / 596 / 596", "596 / 596 / 596"],
        is_long: false,
        duration: 2.0,
        bodies: |b| stack(b, SENSIBLE),
    },
    Scene {
        name: "oversampled-box-stack",
        thesis_times: [".0600 / .0738 / .0900", ".0600 / .0774 / .1000"],
        thesis_gain: 0.95,
        thesis_contacts: ["4517 / 4517 / 4517", "4517 / 4517 / 4517"],
        is_long: false,
        duration: 2.0,
        bodies: |b| stack(b, OVERSAMPLED),
    },
    Scene {
        name: "wall",
        thesis_times: [".1400 / .1594 / .1910", ".1400 / .1608 / .1910"],
        thesis_gain: 0.99,
        thesis_contacts: ["7315 / 7410.9 / 7431", "7303 / 7409.8 / 7431"],
        is_long: true,
        duration: 1.0,
        bodies: |b| wall(b, SENSIBLE, 0.0),
    },
    Scene {
        name: "wall-blow-up",
        thesis_times: [".0300 / .3785 / .8210", ".0300 / .3888 / .6400"],
        thesis_gain: 0.97,
        thesis_contacts: ["1811 / 16600 / 26416", "1811 / 19735 / 27688"],
        is_long: true,
        duration: 0.5,
        bodies: |b| wall(b, OVERSAMPLED, 0.01),
    },
    // the thesis does not say how large its cows are, and it is their size that decides how many samples the envelope reaches
    Scene {
        name: "cow-pile-2m",
        thesis_times: ["1.2420 / 9.0709 / 15.9930", ".0300 / .3899 / .7510"],
        thesis_gain: 23.3,
        thesis_contacts: ["862 / 5395 / 14835", "784 / 5008 / 13391"],
        is_long: true,
        duration: 3.0,
        bodies: |b| cow_pile(b, 2.0),
    },
    Scene {
        name: "cow-pile",
        thesis_times: ["1.2420 / 9.0709 / 15.9930", ".0300 / .3899 / .7510"],
        thesis_gain: 23.3,
        thesis_contacts: ["862 / 5395 / 14835", "784 / 5008 / 13391"],
        is_long: true,
        duration: 3.0,
        bodies: |b| cow_pile(b, 2.5),
    },
    Scene {
        name: "cow-pile-3m",
        thesis_times: ["1.2420 / 9.0709 / 15.9930", ".0300 / .3899 / .7510"],
        thesis_gain: 23.3,
        thesis_contacts: ["862 / 5395 / 14835", "784 / 5008 / 13391"],
        is_long: true,
        duration: 3.0,
        bodies: |b| cow_pile(b, 3.0),
    },
];

/// A distance of samples along edges that leaves only vertices and faces (m).
const SENSIBLE: f64 = 10.0;
/// Samples at the diagonal of a cell.
const OVERSAMPLED: f64 = 0.0;

/// The bodies of a scene being written.
pub(super) struct Bodies<'a> {
    text: String,
    cow: Option<&'a Path>,
    lacks_cow: bool,
}

impl Scene {
    /// The scene file; `None` where it wants the cow and there is none.
    pub(super) fn text(&self, cow: Option<&Path>) -> Option<String> {
        let mut b = Bodies { text: String::new(), cow, lacks_cow: false };
        let _ = write!(
            b.text,
            "[scene]\nname = \"{}\"\nduration = {:.1}\n\n[materials.default]\nfriction = 0.25\nrestitution = 0.1\ndensity = 10.0\n\n\
             [simulation]\nparadigm = \"load-propagation\"\ntime_step = 0.01\n\n\
             [simulation.narrow_phase]\nkind = \"sdf-map\"\n\n[simulation.sleep_policy]\nkind = \"never\"\n\n\
             [simulation.stc_analysis]\nreuse = false\n",
            self.name, self.duration
        );
        (self.bodies)(&mut b);
        (!b.lacks_cow).then_some(b.text)
    }
}

impl Bodies<'_> {
    fn add(&mut self, kind: &str, shape: &str, place: &str) {
        let name = self.text.matches("[[bodies]]").count();
        let _ =
            write!(self.text, "\n[[bodies]]\nname = \"b{name}\"\nkind = \"{kind}\"\nshape = {{ {shape} }}\n{place}\n");
    }

    fn plane(&mut self) {
        self.add("fixed", "plane = { normal = [0, 1, 0], offset = 0.0 }", "");
    }
}

/// A cube of that edge (m) as the thesis' box mesh.
fn cube(edge: f64, spacing: f64) -> String {
    format!(
        "mesh = {{ file = \"cube.obj\", scale = {edge:?}, sdf = {{ resolution = 64, spacing = {spacing:?}, band = 6.0 }} }}"
    )
}

fn ball(radius: f64) -> String {
    format!(
        "mesh = {{ file = \"ball.obj\", scale = {radius:?}, sdf = {{ resolution = 64, spacing = {SENSIBLE:?}, band = 6.0 }} }}"
    )
}

/// Three boxes slide down a large one.
fn sliding_boxes(b: &mut Bodies) {
    let turn = "orientation = { axis = [0, 0, 1], degrees = 20 }";
    b.add("fixed", &cube(10.0, 0.3), &format!("position = [0.0, -5.0, 0.0]\n{turn}"));
    let (s, c) = 20.0_f64.to_radians().sin_cos();
    for (k, mass) in [(-1.0, 5.0), (0.0, 10.0), (1.0, 20.0)] {
        // half a box above the face, near its upper end
        let (x, y) = (3.0 * c - 5.5 * s, 3.0 * s + 5.5 * c - 5.0);
        b.add("dynamic", &cube(1.0, 0.1), &format!("position = [{x}, {y}, {}]\nmass = {mass:?}\n{turn}", 2.0 * k));
    }
}

/// A rack of ten balls, hit by another.
fn billiard_balls(b: &mut Bodies) {
    b.plane();
    for row in 0..4 {
        for i in 0..=row {
            let z = 1.001 * (2.0 * f64::from(i) - f64::from(row));
            let x = 1.001 * 3.0_f64.sqrt() * f64::from(row);
            b.add("dynamic", &ball(1.0), &format!("position = [{x}, 1.0, {z}]"));
        }
    }
    b.add("dynamic", &ball(1.0), "position = [-6.0, 1.0, 0.1]\nlinear_velocity = [15.0, 0.0, 0.0]");
}

/// A light box on a plank over an edge, thrown by a heavy one that falls on the other end.
fn see_saw(b: &mut Bodies) {
    b.plane();
    b.add("fixed", &cube(1.0, 0.1), "position = [0.0, 0.0, 0.0]\norientation = { axis = [0, 0, 1], degrees = 45 }");
    let plank = "mesh = { file = \"plank.obj\", sdf = { resolution = 128, spacing = 0.1, band = 6.0 } }";
    b.add("dynamic", plank, "position = [0.0, 0.81, 0.0]");
    b.add("dynamic", &cube(0.8, 0.1), "position = [-2.4, 1.32, 0.0]\nmass = 1.0");
    b.add("dynamic", &cube(0.8, 0.1), "position = [2.4, 3.0, 0.0]\nmass = 20.0");
}

/// A box that runs into a low one and goes over it.
fn flip_over(b: &mut Bodies) {
    b.add("fixed", &cube(10.0, SENSIBLE), "position = [0.0, -5.0, 0.0]");
    b.add("fixed", &cube(0.5, 0.05), "position = [0.0, 0.25, 0.0]");
    b.add("dynamic", &cube(1.0, 0.05), "position = [-2.0, 0.5, 0.0]\nlinear_velocity = [9.0, 0.0, 0.0]");
}

/// Fifteen boxes upon each other and upon a large one.
fn stack(b: &mut Bodies, spacing: f64) {
    b.add("fixed", &cube(4.0, SENSIBLE), "position = [0.0, -2.0, 0.0]");
    b.add(
        "dynamic",
        &cube(1.0, spacing),
        "position = [0.0, 0.5, 0.0]\nrepeat = { count = [1, 15, 1], step = [1, 1, 1] }",
    );
}

/// Two hundred boxes, with gaps between neighbours; displaced by up to `displaced` (m), so that some overlap.
fn wall(b: &mut Bodies, spacing: f64, displaced: f64) {
    b.plane();
    for i in 0..200 {
        let (x, y) = (i % 20, i / 20);
        let shift = |k: u32| displaced * (f64::from(i * 3 + k) * 2.399).sin();
        let at = [
            f64::from(x) * (1.05 - displaced) + 0.5 * f64::from(y % 2) + shift(0),
            0.5 + f64::from(y) * (1.0 - displaced) + shift(1),
            shift(2),
        ];
        b.add("dynamic", &cube(1.0, spacing), &format!("position = [{}, {}, {}]", at[0], at[1], at[2]));
    }
}

/// 250 cows of that length (m) fall on a plane, sampled as in Table 6.5.
fn cow_pile(b: &mut Bodies, scale: f64) {
    b.plane();
    let Some(cow) = b.cow else {
        b.lacks_cow = true;
        return;
    };
    let shape = format!(
        "mesh = {{ file = {:?}, scale = {scale:?}, sdf = {{ resolution = 128, spacing = 1e-9 }} }}",
        cow.to_string_lossy()
    );
    for i in 0..250_u32 {
        let random = |k: u32| (f64::from(i * 7 + k) * 12.9898).sin() * 43758.5453 % 1.0;
        let at = [
            (f64::from(i % 5) - 2.0 + 0.1 * random(0)) * scale,
            (0.5 + 0.8 * f64::from(i / 25)) * scale,
            (f64::from(i / 5 % 5) - 2.0 + 0.1 * random(1)) * scale,
        ];
        let axis = [random(2), random(3), random(4) + 0.01];
        let degrees = 180.0 * random(5);
        b.add(
            "dynamic",
            &shape,
            &format!(
                "position = [{}, {}, {}]\norientation = {{ axis = [{}, {}, {}], degrees = {degrees} }}",
                at[0], at[1], at[2], axis[0], axis[1], axis[2]
            ),
        );
    }
}
