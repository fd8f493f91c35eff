//! The generator, and that both engines receive the same scene.

use super::*;
use drystone::Paradigm;
use drystone::math::{Pose, Quat, Real, Vec3};
use rapier3d_f64::prelude::RigidBodyHandle;

/// Scenes of the property tests: every kind is among them.
const SEEDS: core::ops::Range<u64> = 100..160;

fn scene_of(bodies: Vec<RigidBody>, joints: Vec<Joint>) -> PopulationScene {
    PopulationScene { seed: 0, kinds: Vec::new(), friction: 0.5, restitution: 0.0, bodies, joints, springs: Vec::new() }
}

fn block(position: Vec3) -> RigidBody {
    RigidBody {
        form: Form::Box(Vec3::new(0.5, 0.1, 0.1)),
        pose: Pose::new(position, Quat::IDENTITY),
        mass: Some(2.0),
        velocity: Vec3::ZERO,
        spin: Vec3::ZERO,
    }
}

fn engines(scene: &PopulationScene) -> [Box<dyn PopulationEngine>; 3] {
    [
        Box::new(DrystoneRun::new(scene, Paradigm::REAL_TIME, &[]).unwrap()),
        Box::new(RapierDoubleRun::new(scene).unwrap()),
        Box::new(RapierSingleRun::new(scene).unwrap()),
    ]
}

fn states(engine: &dyn PopulationEngine) -> Vec<BodyState> {
    let mut states = Vec::new();
    engine.states(&mut states);
    states
}

#[test]
fn a_seed_gives_the_same_scene_every_time() {
    for seed in SEEDS {
        assert_eq!(PopulationScene::draw(seed), PopulationScene::draw(seed));
        assert_ne!(PopulationScene::draw(seed).bodies, PopulationScene::draw(seed + 1).bodies);
    }
}

#[test]
fn scenes_have_every_kind_and_small_ones_dominate() {
    let scenes: Vec<PopulationScene> = (0..400).map(PopulationScene::draw).collect();
    for kind in kinds::KINDS {
        assert!(scenes.iter().any(|scene| scene.kinds.contains(&kind.name)), "{}", kind.name);
    }
    let mut counts: Vec<usize> = scenes.iter().map(|scene| scene.moving().count()).collect();
    counts.sort_unstable();
    assert!(counts[0] >= 3 && counts[399] > 1000 && counts[399] <= 2200, "{} to {}", counts[0], counts[399]);
    assert!((50..200).contains(&counts[200]), "median {}", counts[200]);
    let passive = scenes.iter().filter(|scene| scene.is_passive()).count();
    assert!((200..400).contains(&passive), "{passive} passive");
}

#[test]
fn nothing_overlaps_and_no_joint_gapes_at_the_start() {
    for seed in SEEDS {
        let scene = PopulationScene::draw(seed);
        let run = DrystoneRun::new(&scene, Paradigm::REAL_TIME, &[]).unwrap();
        let start = states(&run);
        let judge = Judge::new(&scene, run.world(), &start).unwrap();
        let (depth, gap) = (judge.depth(&start), judge.gap(&start));
        // parry finds cylinders on a plane to about 1e-8
        assert!(depth < 1e-7 && gap < 1e-9, "seed {seed}, {:?}: depth {depth}, gap {gap}", scene.kinds);
        assert!(judge.energy(&start) > 0.0);
    }
}

#[test]
fn a_lifted_body_opens_a_gap_and_gains_energy() {
    let scene = scene_of(vec![block(Vec3::Y)], vec![Joint::ball([None, Some(0)], Vec3::new(-0.5, 1.0, 0.0))]);
    let run = DrystoneRun::new(&scene, Paradigm::REAL_TIME, &[]).unwrap();
    let mut now = states(&run);
    let judge = Judge::new(&scene, run.world(), &now).unwrap();
    now[0].pose.position.y += 0.003;
    let mut observed = Observed::default();
    judge.observe(&mut observed, &now);
    judge.observe_depth(&mut observed, &now);
    let quality = judge.score(&observed, &now);
    assert!((quality.gap - 0.003).abs() < 1e-12 && (quality.gain - 0.003).abs() < 1e-9, "{quality:?}");
}

#[test]
fn both_engines_receive_the_same_masses() {
    for seed in SEEDS {
        let scene = PopulationScene::draw(seed);
        let own = DrystoneRun::new(&scene, Paradigm::REAL_TIME, &[]).unwrap();
        let peer = RapierDoubleRun::new(&scene).unwrap();
        for (i, body) in scene.moving() {
            let properties = own.world().properties(own.world().bodies()[i]).unwrap();
            let collider = peer.world().bodies[peer.handles()[i]].colliders()[0];
            let other = peer.world().colliders[collider].mass_properties();
            let inertia = other.reconstruct_inertia_matrix();
            let mass = body.mass.unwrap();
            assert!((properties.mass - mass).abs() < 1e-12 * mass && (other.mass() - mass).abs() < 1e-12 * mass);
            let c = other.local_com;
            let off = (properties.center - Vec3::new(c.x, c.y, c.z)).length();
            // the two hulls of the same points may differ by a corner
            let tolerance = if matches!(body.form, Form::Hull(_)) { 0.1 * body.form.reach() } else { 1e-9 };
            assert!(off < tolerance, "seed {seed}, body {i}, {:?}: {off}", body.form);
            for axis in [Vec3::X, Vec3::Y, Vec3::Z] {
                let column = inertia * rapier3d_f64::math::Vector::new(axis.x, axis.y, axis.z);
                let (a, b) = (properties.inertia.mul_vec(axis), Vec3::new(column.x, column.y, column.z));
                // parry's inertia of hulls and compounds differs, up to a factor of 2: it has no products of inertia
                let exact = !matches!(body.form, Form::Hull(_) | Form::Compound(_));
                assert!(!exact || (a - b).length() < 1e-9 * mass, "seed {seed}, {:?}: {a} and {b}", body.form);
            }
        }
    }
}

#[test]
fn both_engines_receive_the_same_anchors() {
    for seed in SEEDS {
        let scene = PopulationScene::draw(seed);
        let own = DrystoneRun::new(&scene, Paradigm::REAL_TIME, &[]).unwrap();
        let peer = RapierDoubleRun::new(&scene).unwrap();
        let (world, bodies) = (own.world(), &peer.world().bodies);
        let joints: Vec<_> = peer.world().impulse_joints.iter().map(|(_, joint)| joint).collect();
        assert_eq!(
            (world.joints().len(), joints.len()),
            (scene.joints.len(), scene.joints.len() + scene.springs.len())
        );
        // drystone reads the anchors from its scene file
        let document = scene.document(Paradigm::REAL_TIME, 1);
        let anchors = scene.joints.iter().map(|joint| serde_json::json!(joint.anchor.to_array()));
        assert!(anchors.enumerate().all(|(i, anchor)| document["joints"][i]["anchor"] == anchor), "seed {seed}");
        for (wanted, (id, found)) in scene.joints.iter().zip(world.joints().iter().zip(joints)) {
            let places = world.joint_bodies(*id).unwrap().map(|end| end.map(|end| world.body_index(end).unwrap().at()));
            assert_eq!(places, wanted.bodies, "seed {seed}");
            let at = |body: RigidBodyHandle, local| bodies[body].position().transform_point(local);
            let ends = [at(found.body1(), found.data.local_anchor1()), at(found.body2(), found.data.local_anchor2())];
            for end in ends {
                assert!((Vec3::new(end.x, end.y, end.z) - wanted.anchor).length() < 1e-9, "seed {seed}");
            }
        }
    }
}

/// Steps a scene in all engines and returns a figure of each.
fn after(scene: &PopulationScene, steps: usize, figure: impl Fn(&[BodyState]) -> Real) -> [Real; 3] {
    engines(scene).map(|mut engine| {
        (0..steps).for_each(|_| engine.step().unwrap());
        figure(&states(&*engine))
    })
}

fn assert_close(found: [Real; 3], wanted: Real, tolerance: Real) {
    assert!(found.iter().all(|value| (value - wanted).abs() < tolerance), "{found:?}, wanted {wanted}");
}

#[test]
fn motors_turn_the_same_way_at_the_same_speed() {
    for axis in [Vec3::Y, Vec3::NEG_Y] {
        let hinge = Joint::new(JointKind::Hinge, [None, Some(0)], Vec3::Y, axis);
        let motor = Some(Motor { speed: 2.0, max_force: 1e4 });
        let scene = scene_of(vec![block(Vec3::Y)], vec![Joint { motor, ..hinge }]);
        assert_close(after(&scene, 30, |now| now[0].velocity.angular.dot(axis)), 2.0, 0.01);
        let slider = Joint::new(JointKind::Slider, [None, Some(0)], Vec3::Y, axis);
        let scene = scene_of(vec![block(Vec3::Y)], vec![Joint { motor, ..slider }]);
        assert_close(after(&scene, 30, |now| now[0].velocity.linear.dot(axis)), 2.0, 0.01);
    }
}

#[test]
fn a_motor_is_stopped_at_the_same_limit() {
    let hinge = Joint::new(JointKind::Hinge, [None, Some(0)], Vec3::Y, Vec3::Y);
    let motor = Motor { speed: -2.0, max_force: 10.0 };
    let scene = scene_of(vec![block(Vec3::Y)], vec![Joint { motor: Some(motor), limits: Some([-0.4, 0.9]), ..hinge }]);
    let angle = |now: &[BodyState]| 2.0 * now[0].pose.orientation.y.atan2(now[0].pose.orientation.w);
    assert_close(after(&scene, 120, angle), -0.4, 0.01);
}

#[test]
fn springs_hold_the_same_weight() {
    let spring = Spring { stiffness: 200.0, damping: 40.0 };
    // a weight of 2 kg stretches 200 N/m by 9.81 cm
    let slider = Joint::new(JointKind::Slider, [None, Some(0)], Vec3::Y, Vec3::Y);
    let scene = scene_of(vec![block(Vec3::Y)], vec![Joint { spring: Some(spring), ..slider }]);
    assert_close(after(&scene, 240, |now| now[0].pose.position.y), 1.0 - 0.0981, 2e-3);
    let mut scene = scene_of(vec![block(Vec3::Y)], Vec::new());
    scene.springs.push(PointSpring { bodies: [None, Some(0)], points: [Vec3::Y * 3.0, Vec3::Y], spring });
    assert_close(after(&scene, 240, |now| now[0].pose.position.y), 1.0 - 0.0981, 2e-3);
}

#[test]
fn both_engines_stand_on_the_same_ground() {
    let heights = (0..35).map(|k| 0.2 * f64::from(k % 7 * 3 % 5) + 0.1 * f64::from(k / 7)).collect();
    let field = Form::HeightField { columns: 7, heights, step: 0.5 };
    let fixed = RigidBody { form: field, mass: None, ..block(Vec3::ZERO) };
    let own = DrystoneRun::new(&scene_of(vec![fixed.clone()], Vec::new()), Paradigm::REAL_TIME, &[]).unwrap();
    let shape = rapier_run::judge_shape(&fixed.form).unwrap();
    for (x, z) in (0..100).map(|k| (0.028 * f64::from(k) - 1.4, 0.9 - 0.018 * f64::from(k * 7 % 100))) {
        let from = Vec3::new(x, 5.0, z);
        let hit = own.world().query().ray(from, Vec3::NEG_Y, 10.0).unwrap().unwrap();
        let vector = rapier3d_f64::math::Vector::new;
        let ray = rapier3d_f64::parry::query::Ray::new(vector(x, 5.0, z), vector(0.0, -1.0, 0.0));
        let distance = shape.cast_local_ray(&ray, 10.0, true).unwrap();
        assert!((hit.distance - distance).abs() < 1e-9, "at {x}, {z}: {} and {distance}", hit.distance);
    }
}

#[test]
fn a_scene_is_run_and_scored() {
    let plan = Plan {
        paradigms: vec![Paradigm::REAL_TIME, Paradigm::SUBSTEP_SOFT],
        settings: Vec::new(),
        steps: 90,
        repeats: 2,
        clock: crate::Clock::Wall,
    };
    let scene = (1..400).map(PopulationScene::draw).find(|s| s.joints.len() > 3 && s.bodies.len() < 30).unwrap();
    let record = run_scene(&scene, &plan).unwrap();
    let names: Vec<&str> = record.runs.iter().map(|run| run.engine.as_str()).collect();
    assert_eq!(names, ["real-time", "substep-soft", "rapier-f64", "rapier-f32"]);
    assert!(record.runs.iter().all(|run| run.times.len() == 89 && run.failure.is_none()));
    let population = Population { scenes: vec![record] };
    for style in [Style::Text, Style::Markdown] {
        let rows = Population::rows(&population.scenes[0], style);
        assert!(rows.lines().count() >= 4 && !population.percentiles(style).is_empty());
    }
    let json = population.json();
    assert_eq!(json["scenes"][0]["runs"].as_array().unwrap().len(), 4);
    assert!(json["percentiles"]["real-time"]["/f64"]["median"].is_number());
}
