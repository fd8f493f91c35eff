//! A scene that uses every section is read, changed by settings, and built.

use crate::common::{FULL, catalogue};
use drystone_core::catalogue::Value;
use drystone_core::{BodyIndex, BodyKind, MaterialIndex};
use drystone_math::{Pose, Vec3};
use drystone_scene::{Document, Scene, ShapePair};

#[test]
fn every_section() {
    let built = Scene::from_toml_str(FULL, &catalogue()).unwrap().build().unwrap();
    assert_eq!(built.name, "full");
    assert_eq!(built.paradigm, "shock-propagation");
    assert_eq!((built.duration, built.frame, built.time_step), (1.0, 0.01, 0.005));
    let names: Vec<&str> = built.names.iter().map(String::as_str).collect();
    assert_eq!(
        names,
        [
            "ground",
            "box[0]",
            "box[1]",
            "box[2]",
            "box[3]",
            "box[4]",
            "box[5]",
            "ball",
            "pill",
            "tray",
            "lift",
            "can",
            "hat",
            "stone",
            "tetrahedron",
            "dumbbell"
        ]
    );
    // x varies fastest, then y; every odd y-row is shifted
    assert_eq!(built.state.position[2], Vec3::new(2.0, 0.5, 0.0));
    assert_eq!(built.state.position[3], Vec3::new(0.5, 1.5, 0.0));
    assert_eq!(built.state.position[6], Vec3::new(2.0, 2.5, 0.0));
    let bodies = &built.configuration.bodies;
    assert_eq!(bodies[0].kind, BodyKind::Fixed);
    assert_eq!(bodies[1].mass, 20.0);
    assert!((bodies[1].inertia.diagonal - Vec3::splat(20.0 / 6.0)).length() < 1e-14);
    assert_eq!(bodies[7].inertia.diagonal, Vec3::new(1.0, 2.0, 3.0));
    assert_eq!(bodies[7].inverse_inertia.diagonal, Vec3::ZERO);
    assert_eq!(bodies[7].spin_axis, Some(Vec3::Z));
    assert!(!bodies[7].can_sleep && bodies[7].sensor && !bodies[8].sensor);
    assert!(bodies[7].continuous && bodies[7].gravity_scale == 0.5 && bodies[7].damping == [0.25, 0.125]);
    assert_eq!((bodies[7].groups.membership, bodies[7].groups.mask), (5, 3));
    assert_eq!((bodies[8].groups.membership, bodies[8].groups.mask), (1, u32::MAX));
    assert_eq!(bodies[8].kind, BodyKind::Scripted);
    // all six boxes with the tray, and a box with the pill
    let ignored = built.configuration.ignored_pairs.iter().map(|p| (p.a.0, p.b.0)).collect::<Vec<_>>();
    assert!(
        [(1, 9), (2, 9), (3, 9), (4, 9), (5, 9), (6, 9), (2, 8)].iter().all(|p| ignored.contains(p)),
        "{ignored:?}"
    );
    let pair = built.configuration.materials.pair(MaterialIndex(0), MaterialIndex(1));
    assert_eq!((pair.friction, pair.restitution), (0.03, 0.5));
    // what a material omits comes from the default material
    assert_eq!(built.configuration.materials.get(MaterialIndex(1)).restitution, 0.25);
    assert_eq!(built.state.velocity(BodyIndex(3)).angular, Vec3::new(0.0, 2.0, 0.0));
    // the position of a body is the origin of its frame; the state holds the centre of mass
    assert!((built.state.position[13] - Vec3::new(15.25, 5.25, 0.25)).length() < 1e-12);
    assert!((built.state.position[14] - Vec3::new(18.25, 5.25, 0.25)).length() < 1e-12);
    assert!((built.state.position[15] - Vec3::new(22.0, 5.0, 0.0)).length() < 1e-12);
    // a scripted body starts where its script starts
    assert_eq!(built.state.position[8], Vec3::new(0.0, 5.0, 0.0));
    assert_eq!(built.state.position[10], Vec3::new(30.0, 0.0, 0.0));
    assert_eq!(built.configuration.scripts.len(), 3);
    assert_eq!(built.configuration.forces.len(), 6);
    assert_eq!(built.configuration.joints.len(), 2);
    // one pair of a joint, and seven by name
    assert_eq!(built.configuration.ignored_pairs.len(), 8);
    assert_eq!(built.modules.len(), 2);
    assert_eq!(built.modules[1].kind.as_deref(), Some("projected-gauss-seidel"));
    assert_eq!(built.modules[1].settings[0].value, Value::Integer(20));
    assert_eq!(built.modules[1].settings[0].location.line, Some(168));
}

#[test]
fn json_is_the_same_model() {
    let toml: toml::Table = toml::from_str(FULL).unwrap();
    let json = serde_json::to_string(&toml).unwrap();
    let a = Scene::from_toml_str(FULL, &catalogue()).unwrap().build().unwrap();
    let b = Scene::from_json_str(&json, &catalogue()).unwrap().build().unwrap();
    assert_eq!(a.state, b.state);
    assert_eq!(a.names, b.names);
}

#[test]
fn values_set_from_outside_are_checked() {
    let mut scene = Scene::from_toml_str(FULL, &catalogue()).unwrap();
    scene.set("materials.default.friction", "0.5", &catalogue()).unwrap();
    scene.set("bodies.box.mass", "3", &catalogue()).unwrap();
    scene.set("bodies[2].position", "[1, 2, 3]", &catalogue()).unwrap();
    assert_eq!(scene.materials[0].surface.friction, 0.5);
    assert_eq!(scene.bodies[1].properties.mass, 3.0);
    let message = scene.set("simulation.lcp.iterations", "0", &catalogue()).unwrap_err().to_string();
    assert!(message.contains("--set") && message.contains("iterations") && message.contains("from 1"), "{message}");
    assert_eq!(scene.bodies[2].pose.position, Vec3::new(1.0, 2.0, 3.0));
    // a fault in the file can be corrected by a setting
    let mut document = Document::from_toml_str(&FULL.replace("mass = 20.0", "mass = -1")).unwrap();
    assert!(Scene::from_document(document.clone(), &catalogue()).is_err());
    document.set("bodies.box.mass", "1").unwrap();
    assert!(Scene::from_document(document, &catalogue()).is_ok());
}

#[test]
fn pairs_of_placed_shapes() {
    let read = |text: &str| ShapePair::read_all(&Document::from_json_str(text).unwrap());
    let good = r#"{"pairs": [{"a": {"shape": {"sphere": {"radius": 1}}, "position": [1, 2, 3]},
        "b": {"shape": {"box": {"half_extents": [1, 1, 1]}}, "orientation": {"axis": [0, 1, 0], "degrees": 90}}}]}"#;
    let pairs = read(good).unwrap();
    assert_eq!(pairs[0].poses[0].position, Vec3::new(1.0, 2.0, 3.0));
    assert_eq!(pairs[0].shapes[1].kind(), "box");
    let faults = read(&good.replace("radius", "diameter").replace("degrees", "degres")).unwrap_err().to_string();
    assert!(faults.contains("diameter") && faults.contains("pairs[0].b.orientation"), "{faults}");
    assert!(read("{}").is_err());
}

#[test]
fn a_height_field_stands_about_the_origin() {
    let read = |shape: &str| {
        let text = format!("[[bodies]]\nname = 'ground'\nkind = 'fixed'\nshape = {{ height-field = {shape} }}\n");
        Scene::from_toml_str(&text, &catalogue()).map(|s| s.bodies[0].properties.shape.clone())
    };
    let shape = read("{ heights = [[0, 1, 2], [0, 1, 2]], step = 2.0, depth = 3.0 }").unwrap();
    let b = shape.aabb(&Pose::IDENTITY);
    assert!(
        (b.min - Vec3::new(-2.0, -3.0, -1.0)).length() < 1e-12 && (b.max - Vec3::new(2.0, 2.0, 1.0)).length() < 1e-12
    );
    assert!(read("{ heights = [[0, 1], [0, 1]], step = 1, sdf = { resolution = 8 } }").is_ok());
    for (faulty, word) in [
        ("{ step = 1 }", "heights"),
        ("{ heights = [[0, 1]], step = 1 }", "heights"),
        ("{ heights = [[0, 1], [0]], step = 1 }", "one length"),
        ("{ heights = [[0, 1], [0, nan]], step = 1 }", "heights[1][1]"),
        ("{ heights = [[0, 1], [0, 1]], step = 0 }", "step"),
        ("{ heights = [[0, 1], [0, 1]], step = 1, height = 1 }", "height"),
        ("{ heights = [[0, 1e300], [0, 1]], step = 1 }", "height-field"),
    ] {
        let message = read(faulty).unwrap_err().to_string();
        assert!(message.contains(word), "{faulty}: {message}");
    }
}

/// A robot's link: its centre of mass and inertia come from its description, not from its shape.
#[test]
fn mass_properties_as_given() {
    let text = "[[bodies]]\nname = 'link'\nshape = { box = { half_extents = [1, 1, 1] } }\nposition = [0, 1, 0]\n\
                orientation = { axis = [0, 0, 1], degrees = 90 }\nmass = 2.0\ncenter_of_mass = [0.5, 0, 0]\n\
                inertia = [1, 2, 3]\nproducts_of_inertia = [0.1, 0.2, 0.3]\n";
    let built = Scene::from_toml_str(text, &catalogue()).unwrap().build().unwrap();
    let body = &built.configuration.bodies[0];
    assert_eq!(body.center, Vec3::new(0.5, 0.0, 0.0));
    assert!((built.state.position[0] - Vec3::new(0.0, 1.5, 0.0)).length() < 1e-15);
    // rows of the tensor: the off-diagonal entries are xy, xz, yz
    assert_eq!(body.inertia.mul_vec(Vec3::X), Vec3::new(1.0, 0.1, 0.2));
    assert_eq!(body.inertia.mul_vec(Vec3::Y), Vec3::new(0.1, 2.0, 0.3));
    let wrong = [
        (text.replace("inertia = [1, 2, 3]\n", ""), "together with inertia"),
        (text.replace("[0.1, 0.2, 0.3]", "[9, 9, 9]"), "inertia"),
        (text.replace("[0.5, 0, 0]", "[0.5, 0]"), "center_of_mass"),
    ];
    for (text, words) in wrong {
        let faults = Scene::from_toml_str(&text, &catalogue()).unwrap_err().to_string();
        assert!(faults.contains(words), "{words}: {faults}");
    }
}

/// A module given by its name alone, in the file or from outside, equals the table with that name.
#[test]
fn a_bare_name_is_a_table_with_the_name() {
    let modules = |text: &str, sets: &[(&str, &str)]| {
        let mut document = Document::from_toml_str(text).unwrap();
        for (path, value) in sets {
            document.set(path, value).unwrap();
        }
        let scene = Scene::from_document(document, &catalogue()).map_err(|e| e.to_string())?;
        let read = |m: &drystone_scene::ModuleChoice| {
            (m.module, m.kind.clone(), m.settings.iter().map(|s| (s.key.clone(), s.value.clone())).collect::<Vec<_>>())
        };
        Ok::<_, String>(scene.simulation.modules.iter().map(read).collect::<Vec<_>>())
    };
    let written = modules("bodies = []\n[simulation.lcp]\nsolver = 'projected-gauss-seidel'\niterations = 7\n", &[]);
    assert_eq!(written.as_ref().unwrap().len(), 1);
    let bare = "bodies = []\n[simulation]\nlcp = 'projected-gauss-seidel'\n";
    assert_eq!(modules(bare, &[("simulation.lcp.iterations", "7")]), written);
    let settings = "bodies = []\n[simulation.lcp]\niterations = 7\n";
    for path in ["simulation.lcp", "simulation.lcp.solver"] {
        assert_eq!(modules(settings, &[(path, "projected-gauss-seidel")]), written, "{path}");
        let fault = modules(settings, &[(path, "nobody")]).unwrap_err();
        assert!(fault.contains("simulation.lcp.solver") && fault.contains("\"nobody\""), "{fault}");
    }
    let fault = modules("bodies = []\n[simulation]\nlcp = 3\n", &[]).unwrap_err();
    assert!(fault.contains("found 3; allowed: the name of an implementation, or a table"), "{fault}");
}

/// The alternative name of a kind is read as that kind.
#[test]
fn a_wheel_is_a_hinge2() {
    let joint = |kind: &str| {
        let text = format!(
            "[scene]\nname = \"w\"\n[[bodies]]\nname = \"hub\"\nmass = 1.0\nshape = {{ sphere = {{ radius = 0.5 }} }}\n\
             [[joints]]\nkind = \"{kind}\"\nbodies = [\"hub\", \"world\"]\nanchor = [0, 0, 0]\naxis = [0, 1, 0]\naxis2 = [0, 0, 1]\n"
        );
        Scene::from_toml_str(&text, &catalogue()).unwrap().joints.remove(0)
    };
    for (other, present) in drystone_joints::ALIASES {
        let (read, expected) = (joint(other), joint(present));
        assert_eq!(read.description.kind, *present);
        assert_eq!(read, expected);
    }
}
