//! Two peers play over a link that delays and loses messages: each guesses the other's inputs, and makes frames anew when they turn out otherwise.

use drystone::prelude::*;
use drystone::{BodyView, History};
use drystone_testkit::Random;

const DT: f64 = 1.0 / 60.0;
/// Frames of a game.
const FRAMES: u64 = 240;
/// How long a shot lives (frames).
const LIFE: u64 = 25;

/// What a player does in a frame.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
struct Input {
    push: Vec3,
    shoots: bool,
    grabs: bool,
}

/// The inputs of a player, which often stay as they are for a while.
fn inputs(seed: u64) -> Vec<Input> {
    let mut random = Random::new(seed);
    let mut push = Vec3::ZERO;
    let mut input = || {
        if random.below(8) == 0 {
            push = Vec3::new(random.range(-1.0, 1.0), 0.0, random.range(-1.0, 1.0));
        }
        Input { push, shoots: random.below(12) == 0, grabs: random.below(20) == 0 }
    };
    (0..FRAMES).map(|_| input()).collect()
}

/// A world with two players and some boxes; all else that the game needs to know is in it.
struct Game {
    world: World,
    players: [BodyId; 2],
    boxes: [BodyId; 3],
}

fn game(paradigm: Paradigm) -> Game {
    let mut world = World::builder().paradigm(paradigm).build().unwrap();
    world.add(Body::fixed(Shape::plane(Vec3::Y, 0.0).unwrap())).unwrap();
    let mut add = |shape: Shape, x: f64, y: f64| world.add(Body::dynamic(shape).at([x, y, 0.0]).mass(2.0)).unwrap();
    let players = [-1.0, 1.0].map(|x| add(Shape::sphere(0.3).unwrap(), x, 0.3));
    let boxes = [0.2, 0.6, 1.0].map(|y| add(Shape::cuboid(0.2, 0.2, 0.2).unwrap(), 0.0, y));
    Game { world, players, boxes }
}

/// What the inputs of a frame do to the world.
fn act(
    world: &mut World,
    players: [BodyId; 2],
    boxes: [BodyId; 3],
    frame: u64,
    inputs: [Input; 2],
) -> Result<(), WorldError> {
    let dead = |v: &BodyView<'_>| v.user_data != 0 && v.user_data <= u128::from(frame);
    let dead: Vec<_> = world.iter_bodies().filter(dead).map(|v| v.id).collect();
    for shot in dead {
        world.remove(shot)?;
    }
    for (k, (player, input)) in players.into_iter().zip(inputs).enumerate() {
        let place = world.position(player).unwrap();
        world.apply_impulse(player, input.push * 0.3, place)?;
        if input.shoots {
            let shot = Body::dynamic(Shape::sphere(0.1)?).at(place + Vec3::Y * 0.45).mass(0.2);
            let shot = world.add(shot.linear_velocity(Vec3::new(-8.0 * place.x.signum(), 1.0, 0.0)))?;
            world.set_user_data(shot, u128::from(frame + LIFE))?;
        }
        let name = format!("grip of player {k}");
        match world.joint_named(&name) {
            Some(grip) if input.grabs => world.remove_joint(grip)?,
            None if input.grabs => {
                let grip = world.join(Joint::ball(player, boxes[k]).anchor(place))?;
                world.tag_joint(grip, name, 0)?;
            }
            _ => {}
        }
    }
    Ok(())
}

/// One side of the game.
struct Peer {
    game: Game,
    history: History,
    own: usize,
    /// By player: what is known of the inputs.
    known: [Vec<Input>; 2],
    /// By frame: the inputs that were taken.
    taken: Vec<[Input; 2]>,
    /// Frames that were made anew, and how many of them had other bodies or joints than the present.
    again: [u64; 2],
}

impl Peer {
    fn new(paradigm: Paradigm, own: usize) -> Self {
        let (known, taken) = (<[Vec<Input>; 2]>::default(), Vec::new());
        Self { game: game(paradigm), history: History::new(90), own, known, taken, again: [0; 2] }
    }

    /// The inputs of a frame, the other player's guessed to be what they last were if they are not known.
    fn guess(known: &[Vec<Input>; 2], frame: u64) -> [Input; 2] {
        [0, 1].map(|k| {
            let last = Input { shoots: false, grabs: false, ..known[k].last().copied().unwrap_or_default() };
            known[k].get(frame as usize).copied().unwrap_or(last)
        })
    }

    /// Takes in what the other peer sent.
    fn receive(&mut self, told: &[Input]) {
        let Self { game: Game { world, players, boxes }, history, own, known, taken, again } = self;
        let other = &mut known[1 - *own];
        if told.len() <= other.len() {
            return;
        }
        other.extend_from_slice(&told[other.len()..]);
        let wrong = (0..taken.len()).find(|f| taken[*f] != Self::guess(known, *f as u64));
        let Some(wrong) = wrong else { return };
        let counts = |world: &World| [world.bodies().len(), world.joints().len()];
        let before = (history.frame(), counts(world));
        let mut first = true;
        let remade = history.replay(world, wrong as u64, DT, |world, frame| {
            if std::mem::take(&mut first) {
                again[1] += u64::from(counts(world) != before.1);
            }
            taken[frame as usize] = Self::guess(known, frame);
            act(world, *players, *boxes, frame, taken[frame as usize])
        });
        remade.unwrap();
        assert_eq!(history.frame(), before.0);
        again[0] += before.0 - wrong as u64;
    }

    /// Makes the next frame.
    fn advance(&mut self, input: Input) {
        let Self { game: Game { world, players, boxes }, history, own, known, taken, .. } = self;
        known[*own].push(input);
        let frame = history.advance(world, DT, |world, frame| {
            taken.push(Self::guess(known, frame));
            act(world, *players, *boxes, frame, taken[frame as usize])
        });
        frame.unwrap();
    }
}

/// A message that is under way: when it arrives, to whom, and what it says.
type Message = (u64, usize, Vec<Input>);

#[test]
fn two_peers_over_a_bad_link_have_the_same_bits() {
    for (seed, paradigm) in [(1, Paradigm::REAL_TIME), (2, Paradigm::VELOCITY_LCP), (3, Paradigm::SUBSTEP_SOFT)] {
        let played = [inputs(10 * seed), inputs(10 * seed + 1)];
        let mut peers = [0, 1].map(|k| Peer::new(paradigm, k));
        let (mut link, mut random): (Vec<Message>, _) = (Vec::new(), Random::new(seed));
        for tick in 0..FRAMES + 100 {
            for (k, peer) in peers.iter_mut().enumerate() {
                for (_, _, told) in link.extract_if(.., |(at, to, _)| *at <= tick && *to == k) {
                    peer.receive(&told);
                }
                if let Some(input) = played[k].get(tick as usize) {
                    peer.advance(*input);
                }
                // a third of all messages is lost, and what is not arrives up to twelve frames later
                if random.below(3) > 0 {
                    link.push((tick + 1 + random.below(12) as u64, 1 - k, peer.known[k].clone()));
                }
            }
        }
        let mut alone = game(paradigm);
        for frame in 0..FRAMES {
            let inputs = [0, 1].map(|k| played[k][frame as usize]);
            act(&mut alone.world, alone.players, alone.boxes, frame, inputs).unwrap();
            alone.world.advance(DT).unwrap();
        }
        let bytes = alone.world.snapshot().to_bytes();
        for (k, peer) in peers.iter().enumerate() {
            assert!(peer.game.world.snapshot().to_bytes() == bytes, "peer {k} under {}", paradigm.name);
            assert_eq!(peer.game.world.bodies(), alone.world.bodies());
            assert_eq!(peer.game.world.joints(), alone.world.joints());
            // the control: many frames were made anew, and across shots, deaths and grips
            assert!(peer.again[0] > 100 && peer.again[1] > 10, "{:?}", peer.again);
        }
    }
}

/// What was removed is back with its keys, its name and its motion, and what was added is gone.
#[test]
fn what_was_removed_comes_back_and_what_was_added_goes() {
    let mut game = game(Paradigm::default());
    let [player, other] = game.players;
    game.world.set_name(player, "first").unwrap();
    let grip = game.world.join(Joint::ball(player, other).anchor([0.0, 0.3, 0.0])).unwrap();
    let mut history = History::new(9);
    for _ in 0..4 {
        history.advance(&mut game.world, DT, |_, _| Ok(())).unwrap();
    }
    let (bodies, joints) = (game.world.bodies().to_vec(), game.world.joints().to_vec());
    let place = game.world.pose(player);
    history.record(&game.world);
    game.world.remove(player).unwrap();
    let new = game.world.add(Body::dynamic(Shape::sphere(0.2).unwrap()).at([0.0, 5.0, 0.0])).unwrap();
    game.world.advance(DT).unwrap();
    history.rewind_to(&mut game.world, 4).unwrap();
    assert_eq!((game.world.bodies(), game.world.joints()), (&bodies[..], &joints[..]));
    assert_eq!((game.world.pose(player), game.world.body_named("first")), (place, Some(player)));
    assert!(game.world.pose(new).is_none() && game.world.joint_bodies(grip) == Some([Some(player), Some(other)]));
    game.world.advance(DT).unwrap();
    // a frame that is not recorded is refused, and nothing happens
    assert!(matches!(history.rewind_to(&mut game.world, 77), Err(WorldError::OutOfRange { .. })));
}
