//! What front ends show of a world: frames, surfaces, problems, and what is odd about a scene.

use drystone_geometry::{Compound, Shape};
use drystone_math::{Pose, Quat, Vec3};
use drystone_scene::Document;
use drystone_session::{Overrides, ProblemTap, Surface, load, poses, prepare};
use std::sync::{Arc, Mutex};

/// Seven numbers per body, for its frame and not for its centre of mass, which may be elsewhere.
#[test]
fn poses_are_those_of_the_frames_of_scene_files() {
    let scene = "
[scene]
name = 'wedge'
duration = 1.0
[[bodies]]
name = 'tetrahedron'
shape = { convex = { points = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]] } }
position = [1, 2, 3]
orientation = { axis = [0, 0, 1], degrees = 90 }
[[bodies]]
name = 'ball'
shape = { sphere = { radius = 0.1 } }
position = [-4, 5, 6]
";
    let world =
        prepare(Document::from_toml_str(scene).unwrap(), &Overrides::default()).unwrap().finish().unwrap().world;
    let half = 0.5_f64.sqrt();
    let wanted = [1.0, 2.0, 3.0, 0.0, 0.0, half, half, -4.0, 5.0, 6.0, 0.0, 0.0, 0.0, 1.0];
    let found = poses(&world);
    assert_eq!(found.len(), wanted.len());
    for (k, (f, w)) in found.iter().zip(wanted).enumerate() {
        assert!((f - w).abs() < 1e-12, "{k}: {f} for {w}");
    }
    assert!(world.state().pose(drystone_core::BodyIndex::new(0)).position.distance(Vec3::new(1.0, 2.0, 3.0)) > 0.1);
}

/// The square drawn for a plane lies in the plane, about its point nearest to the origin,
/// wherever that is; the parts of a compound lie at their places.
#[test]
fn surfaces_lie_where_the_shapes_are() {
    let normal = Vec3::new(0.6, 0.8, 0.0);
    let square = Surface::of(&Shape::plane(normal, 3.0).unwrap());
    let corners: Vec<Vec3> = square.positions.iter().map(|p| Vec3::from_array(p.map(f64::from))).collect();
    let middle = corners.iter().copied().sum::<Vec3>() / corners.len() as f64;
    assert!(middle.distance(normal * 3.0) < 1e-5, "{middle}");
    assert!(corners.iter().all(|c| (c.dot(normal) - 3.0).abs() < 1e-5), "{corners:?}");

    let place = Pose::new(Vec3::new(1.0, 2.0, 3.0), Quat::from_axis_angle(Vec3::Z, 0.3));
    let part = Shape::cuboid(0.5, 0.25, 1.0).unwrap();
    let alone = Surface::of(&part);
    let moved = Surface::of(&Shape::Compound(Compound::new(vec![(part, place)]).unwrap().into()));
    assert_eq!(alone.triangles, moved.triangles);
    for (from, to) in alone.positions.iter().zip(&moved.positions) {
        let [from, to] = [from, to].map(|p| Vec3::from_array(p.map(f64::from)));
        assert!(place.point(from).distance(to) < 1e-6, "{from} {to}");
    }
}

/// Each problem is passed on with the name of the solver and its multipliers, which hold what rests: a stack's weight in the normals.
#[test]
fn problems_are_handed_on_with_their_solver() {
    let document = drystone_session::open("box-stack").unwrap();
    let overrides = Overrides { paradigm: Some("velocity-lcp".to_owned()), ..Overrides::default() };
    let prepared = prepare(document, &overrides).unwrap();
    let taken = Arc::new(Mutex::new(Vec::new()));
    let take = Arc::clone(&taken);
    let modules = prepared.modules().unwrap();
    let wanted = modules.name(drystone::ModuleKind::Lcp).to_owned();
    let tap = ProblemTap::new(modules, move |dump| take.lock().unwrap().push(dump)).unwrap();
    let mut tapped = prepared.constraint_solver(tap).finish().unwrap();
    let mut alone = load("box-stack", &overrides).unwrap();
    for _ in 0..30 {
        tapped.advance(tapped.time_step).unwrap();
        alone.advance(alone.time_step).unwrap();
    }
    assert_eq!(poses(&tapped.world), poses(&alone.world), "whoever looks on changes nothing");
    let taken = taken.lock().unwrap();
    assert!(!taken.is_empty());
    for dump in taken.iter() {
        assert_eq!(dump.solver, wanted);
        assert!(dump.multipliers.iter().any(|x| *x > 0.0));
    }
}

/// A scripted path with a cusp gives a warning, one without gives none.
#[test]
fn cusps_are_among_the_warnings() {
    let warnings = |points: &str| {
        let scene = format!(
            "[scene]\nname = 'path'\nduration = 0.1\n[[bodies]]\nname = 'tool'\nkind = 'scripted'\nshape = {{ sphere = {{ radius = 0.1 }} }}\n\
             [[scripts]]\nbody = 'tool'\nspace_spline = {{ control_points = [{points}] }}\nvelocity_spline = {{ points = [[0, 0], [1, 1]] }}\n"
        );
        prepare(Document::from_toml_str(&scene).unwrap(), &Overrides::default()).unwrap().finish().unwrap().warnings
    };
    let told = |w: &[String]| w.iter().any(|w| w.contains("has a cusp at"));
    assert!(told(&warnings("[0, 0, 0], [1, 1, 0], [0, 1, 0], [1, 0, 0]")));
    assert!(!told(&warnings("[0, 0, 0], [1, 1, 0], [2, 1, 0], [3, 0, 0]")));
}

/// Odd but allowed input gives a warning, usual input gives none.
#[test]
fn odd_inertia_joints_and_steps_are_among_the_warnings() {
    let warnings = |inertia: &str, length: f64, step: f64, preset: &str| {
        let scene = format!(
            "[scene]\nname = 'odd'\nduration = 10.0\n[simulation]\nparadigm = '{preset}'\ntime_step = {step:?}\n\
             [[bodies]]\nname = 'bob'\nshape = {{ sphere = {{ radius = 0.1 }} }}\nmass = 1.0\ninertia = {inertia}\nposition = [0, 1, 0]\n\
             [[joints]]\nname = 'line'\nkind = 'rope'\nbodies = ['world', 'bob']\nanchor = [0, 3, 0]\nanchor2 = [0, 1, 0]\nlength = {length:?}\n"
        );
        let warnings = prepare(Document::from_toml_str(&scene).unwrap(), &Overrides::default()).unwrap().finish();
        warnings.unwrap().warnings
    };
    assert_eq!(warnings("[0.1, 0.2, 0.3]", 2.0, 0.01, "real-time"), Vec::<String>::new());
    assert_eq!(warnings("[0.1, 0.1, 0.1]", 5.0, 1.0, "first-order"), Vec::<String>::new());
    let told = |said: &[String], what: &str| said.iter().filter(|w| w.contains(what)).count();
    let odd = warnings("[0.1, 0.1, 0.5]", 1.5, 1.0, "real-time");
    assert_eq!(told(&odd, "body 'bob' has moments of inertia of 1.000e-1, 1.000e-1 and 5.000e-1"), 1, "{odd:?}");
    assert_eq!(told(&odd, "joint 'line' begins 0.500 m off"), 1, "{odd:?}");
    assert_eq!(told(&odd, "a step of 1 s: what falls comes 9.8 m further with each"), 1, "{odd:?}");
}

/// If a scene asks for something that its time control does not do, there is a warning, otherwise none.
#[test]
fn a_continuous_body_is_told_of_where_nothing_sweeps() {
    let warnings = |paradigm: &str| {
        let scene = format!(
            "scene = {{ name = \"s\" }}\nsimulation = {{ paradigm = \"{paradigm}\" }}\n[[bodies]]\nname = \"shot\"\nshape = {{ sphere = {{ radius = 0.1 }} }}\ncontinuous = true\n"
        );
        prepare(Document::from_toml_str(&scene).unwrap(), &Overrides::default()).unwrap().finish().unwrap().warnings
    };
    let told = |all: &[String]| all.iter().any(|w| w.contains("body 'shot' is continuous"));
    assert!(told(&warnings("acceleration-lcp")));
    assert!(!told(&warnings("impulse-split")) && !told(&warnings("real-time")));
}
