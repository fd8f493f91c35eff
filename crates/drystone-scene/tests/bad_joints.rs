//! A bad joint in a file is refused, with its name, whatever its kind: bodies, anchors, axes, limits, motors, strengths, numbers.

#[allow(dead_code, reason = "the other tests of the folder use the rest")]
use crate::common::catalogue;
use drystone_joints::KINDS;
use drystone_scene::Scene;
use std::fmt::Write as _;

/// A scene with a ball, a box and two fixed bodies, and one joint of this kind between `bodies`; `more` is appended to the joint.
fn scene(kind: &str, bodies: &str, leave_out: &str, more: &str) -> String {
    let two = ["universal", "hinge2", "gear", "rack-and-pinion", "six-dof"].contains(&kind);
    let long = ["distance", "rope", "revolute-spherical"].contains(&kind);
    let mut joint = String::new();
    for (key, value, there) in [
        ("anchor", "[0, 0, 0]", true),
        ("axis", "[0, 1, 0]", true),
        ("axis2", "[0, 0, 1]", two),
        ("teeth", "[3, 5]", kind == "gear"),
        ("lead", "0.1", kind == "screw"),
        ("radius", "0.1", kind == "rack-and-pinion"),
        ("pulleys", "[[0, 3, 0], [1, 3, 0]]", kind == "pulley"),
        ("length", "1.0", long),
    ] {
        let given = more.lines().any(|l| l.split(['=', ' ']).next() == Some(key));
        if there && key != leave_out && !given {
            writeln!(joint, "{key} = {value}").unwrap();
        }
    }
    format!(
        "[scene]\nname = \"bad\"\nsource = \"none\"\ndescription = \"a bad joint\"\nduration = 1.0\n\
         [simulation]\nparadigm = \"velocity-lcp\"\ntime_step = 0.01\n\
         [[bodies]]\nname = \"a\"\nshape = {{ sphere = {{ radius = 0.5 }} }}\n\
         [[bodies]]\nname = \"b\"\nshape = {{ box = {{ half_extents = [1, 1, 1] }} }}\nposition = [5, 0, 0]\n\
         [[bodies]]\nname = \"f\"\nkind = \"fixed\"\nshape = {{ sphere = {{ radius = 0.5 }} }}\nposition = [9, 0, 0]\n\
         [[bodies]]\nname = \"g\"\nkind = \"fixed\"\nshape = {{ sphere = {{ radius = 0.5 }} }}\nposition = [12, 0, 0]\n\
         [[joints]]\nname = \"elbow\"\nkind = \"{kind}\"\nbodies = {bodies}\n{joint}{more}\n"
    )
}

fn message(text: &str) -> String {
    Scene::from_toml_str(text, &catalogue()).err().map(|e| e.to_string()).unwrap_or_default()
}

#[test]
fn every_kind_refuses_every_fault_by_the_name_of_the_joint() {
    let pair = "[\"a\", \"b\"]";
    let mut cases = 0;
    for kind in KINDS.iter().map(|k| k.name) {
        let good = scene(kind, pair, "", "");
        assert_eq!(message(&good), "", "{kind}");
        let mut bad = |bodies: &str, leave_out: &str, more: &str, word: &str| {
            let message = message(&scene(kind, bodies, leave_out, more));
            assert!(message.contains("elbow"), "{kind}, {bodies}, {more}: no joint named in: {message}");
            assert!(message.contains(word), "{kind}, {more}: '{word}' not in: {message}");
            cases += 1;
        };
        // bodies
        bad("[\"a\", \"a\"]", "", "", "bodies");
        bad("[\"world\", \"world\"]", "", "", "bodies");
        bad("[\"f\", \"g\"]", "", "", "bodies");
        bad("[\"world\", \"f\"]", "", "", "bodies");
        bad("[\"a\", \"nobody\"]", "", "", "nobody");
        bad("[\"a\"]", "", "", "bodies");
        bad("3", "", "", "bodies");
        // keys that every kind needs or must not have
        for (more, word) in [
            ("anchor = [0, nan, 0]", "anchor"),
            ("anchor = [0, 0]", "anchor"),
            ("axis = [0, 0, 0]", "axis"),
            ("axis = [inf, 0, 0]", "axis"),
            ("limits = { lower = 1, upper = -1 }", "limits"),
            ("limits = { lower = nan }", "limits"),
            ("limits = {}", "limits"),
            ("motor = { velocity = 1.0, max_force = -1.0 }", "motor"),
            ("motor = { velocity = nan, max_force = 1.0 }", "motor"),
            ("motor = { max_force = 1.0 }", "motor"),
            ("friction = -0.1", "friction"),
            ("friction = nan", "friction"),
            ("spring = { stiffness = -1.0 }", "spring"),
            ("spring = { stiffness = 1.0, damping = nan }", "spring"),
            ("erp = 1.5", "erp"),
            ("erp = nan", "erp"),
            ("cfm = -1.0", "cfm"),
            ("limit_restitution = 2.0", "limit_restitution"),
            ("break_force = -1.0", "break_force"),
            ("break_torque = nan", "break_torque"),
            ("strength = 4", "strength"),
            ("axle = [0, 1, 0]", "axle"),
            ("cone = -1.0", "cone"),
            ("length = 0.0", "length"),
            ("teeth = [0, 3]", "teeth"),
            ("lead = 0.0", "lead"),
            ("radius = nan", "radius"),
            ("pulleys = [[0, 1, 0]]", "pulleys"),
            ("ratio = -1.0", "ratio"),
            ("translations = [\"free\"]", "translations"),
            ("rotations = [\"fre\", \"locked\", \"free\"]", "rotations"),
            ("collide = 1", "collide"),
        ] {
            bad(pair, "", more, word);
        }
        if !["fixed", "slider", "gear"].contains(&kind) {
            bad(pair, "anchor", "", "anchor");
        }
        if !["ball", "fixed", "distance", "rope", "pulley", "six-dof"].contains(&kind) {
            bad(pair, "axis", "", "axis");
        }
        if ["universal", "hinge2", "rack-and-pinion"].contains(&kind) {
            bad(pair, "axis2", "", "axis2");
            bad(pair, "", "axis2 = [0, -2, 0]", "parallel");
        }
        let drives = ["hinge", "slider", "screw", "cylindrical", "universal", "hinge2", "point-on-line", "distance"]
            .contains(&kind);
        if !drives {
            bad(pair, "", "motor = { velocity = 1.0, max_force = 1.0 }", "motor");
            bad(pair, "", "limits = { lower = -1, upper = 1 }", "limits");
        }
    }
    assert!(cases > 550, "{cases}");
    // a kind that does not exist
    let message = message(&scene("hinge", pair, "", "").replace("\"hinge\"", "\"hingr\""));
    assert!(
        message.contains("hingr") && message.contains("elbow") && message.contains("revolute-spherical"),
        "{message}"
    );
}

#[test]
fn limits_of_angles_may_be_in_degrees() {
    let of = |kind: &str, limits: &str| {
        let scene = Scene::from_toml_str(&scene(kind, "[\"a\", \"b\"]", "", limits), &catalogue());
        scene.map(|s| [s.joints[0].description.limits, s.joints[0].description.limits2]).map_err(|e| e.to_string())
    };
    let wanted = Some([-30.0_f64.to_radians(), 45.0_f64.to_radians()]);
    assert_eq!(of("hinge", "limits = { degrees = [-30, 45] }"), Ok([wanted, None]));
    assert_eq!(of("cylindrical", "limits2 = { degrees = [-30, 45] }"), Ok([None, wanted]));
    for (kind, limits, word) in [
        ("slider", "limits = { degrees = [-30, 45] }", "a length"),
        ("cylindrical", "limits = { degrees = [-30, 45] }", "a length"),
        ("hinge", "limits = { degrees = [45, -30] }", "lower at most upper"),
        ("hinge", "limits = { degrees = [-30, 45], lower = 0 }", "or with degrees"),
        ("hinge", "limits = { degrees = 45 }", "degrees"),
    ] {
        let said = of(kind, limits).unwrap_err();
        assert!(said.contains(word), "{kind}, {limits}: {said}");
    }
}
