//! `drystone view`: a scene served to a page over HTTP on the loopback address.
#![cfg(feature = "view")]

use drystone::Registry;
use drystone_cli::live::{Order, Stage, Viewer};
use drystone_cli::{Overrides, load};
use serde_json::{Value, json};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::channel;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// A scene being served; the server ends when this is dropped.
struct Served {
    port: u16,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Served {
    fn new(scene: &'static str) -> Self {
        let (sender, receiver) = channel();
        let stop = Arc::new(AtomicBool::new(false));
        let told = Arc::clone(&stop);
        let thread = std::thread::spawn(move || {
            let mut stage = Stage::new(&Registry::default(), load(scene, &Overrides::default()).unwrap());
            let viewer = Viewer::bind(0).unwrap();
            sender.send(viewer.port()).unwrap();
            viewer.serve(&mut stage, &told).unwrap();
        });
        Self { port: receiver.recv().unwrap(), stop, thread: Some(thread) }
    }

    /// Status and body of the answer to a request.
    fn ask(&self, head: &str, body: &str) -> (u16, String) {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        let length = body.len();
        let host = if head.contains("Host:") { String::new() } else { format!("Host: 127.0.0.1:{}\r\n", self.port) };
        write!(stream, "{head}\r\n{host}Connection: close\r\nContent-Length: {length}\r\n\r\n{body}").unwrap();
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).unwrap();
        let answer = String::from_utf8(answer).unwrap();
        let status = answer.split(' ').nth(1).unwrap().parse().unwrap();
        let (head, mut body) = answer.split_once("\r\n\r\n").unwrap();
        let mut whole = String::new();
        if head.to_lowercase().contains("transfer-encoding: chunked") {
            while let Some((size, rest)) = body.split_once("\r\n") {
                let size = usize::from_str_radix(size, 16).unwrap();
                whole.push_str(&rest[..size]);
                body = &rest[size + 2..];
                if size == 0 {
                    break;
                }
            }
        } else {
            body.clone_into(&mut whole);
        }
        (status, whole)
    }

    fn get(&self, path: &str) -> Value {
        let (status, body) = self.ask(&format!("GET {path} HTTP/1.1"), "");
        assert_eq!(status, 200, "{body}");
        serde_json::from_str(&body).unwrap()
    }

    fn order(&self, order: &Value) -> (u16, Value) {
        let (status, body) = self.ask("POST /do HTTP/1.1\r\nContent-Type: application/json", &order.to_string());
        (status, serde_json::from_str(&body).unwrap())
    }

    fn tell(&self, order: &Value) -> Value {
        let (status, told) = self.order(order);
        assert_eq!(status, 200, "{told}");
        told
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn place(frame: &Value, body: usize) -> [f64; 3] {
    [0, 1, 2].map(|k| frame["poses"][7 * body + k].as_f64().unwrap())
}

#[test]
fn a_scene_is_watched_stepped_played_and_begun_anew() {
    let served = Served::new("box-stack");
    let (status, page) = served.ask("GET / HTTP/1.1", "");
    assert_eq!(status, 200);
    assert!(page.contains("<title>box-stack</title>") && page.contains("fetch(path"), "the page asks its server");
    let scene = served.get("/scene");
    assert_eq!(scene["scenery"]["surfaceOf"].as_array().unwrap().len(), 26);
    assert!(scene["catalogue"]["modules"]["lcp"].as_array().unwrap().len() > 10);

    let start = served.get("/frame");
    assert_eq!(start["time"], 0.0);
    assert_eq!(start["poses"].as_array().unwrap().len(), 26 * 7);
    let stepped = served.tell(&json!({ "step": 3 }));
    assert!((stepped["time"].as_f64().unwrap() - 0.03).abs() < 1e-12);
    assert_eq!(stepped["contacts"].as_array().unwrap().len(), 25 * 4 * 6, "four points under each of the boxes");
    // time stands still until the scene is told to play
    assert_eq!(served.get("/frame")["time"], stepped["time"]);
    served.tell(&json!({ "play": true }));
    let watch = Instant::now();
    let mut last = 0.0;
    while last < 0.2 && watch.elapsed() < Duration::from_secs(20) {
        last = served.get("/frame")["time"].as_f64().unwrap();
    }
    assert!(last >= 0.2, "{last}");
    let paused = served.tell(&json!({ "play": false }));
    assert_eq!(served.get("/frame")["time"], paused["time"]);
    let anew = served.tell(&json!("reset"));
    assert_eq!((&anew["time"], &anew["poses"]), (&start["time"], &start["poses"]));
}

#[test]
fn paradigm_and_solver_change_while_it_runs() {
    let served = Served::new("box-stack");
    served.tell(&json!({ "choose": { "paradigm": "velocity-lcp" } }));
    let before = served.tell(&json!({ "step": 5 }));
    assert_eq!(before["paradigm"], "velocity-lcp");
    let modules = json!({ "lcp": { "name": "projected-gauss-seidel", "settings": { "iterations": 3 } } });
    let after = served.tell(&json!({ "choose": { "paradigm": "load-propagation", "modules": modules } }));
    assert_eq!((&after["paradigm"], &after["time"]), (&json!("load-propagation"), &before["time"]));
    assert_eq!(after["modules"]["lcp"], "projected-gauss-seidel");
    assert_ne!(after["modules"]["time_control"], before["modules"]["time_control"]);
    assert_eq!(after["poses"], before["poses"], "bodies stay where they are");
    let next = served.tell(&json!({ "step": 1 }));
    let heights: Vec<i64> = next["layers"].as_array().unwrap().iter().map(|l| l.as_i64().unwrap()).collect();
    assert!(heights.contains(&20), "the new time control asks for layers: {heights:?}");
    // a name that does not exist is an error, and nothing changes
    let wrong = json!({ "choose": { "paradigm": "load-propagation", "modules": { "lcp": { "name": "magic" } } } });
    let (status, told) = served.order(&wrong);
    assert_eq!(status, 422);
    assert!(told["error"].as_str().unwrap().contains("magic"), "{told}");
    assert_eq!(served.get("/frame")["modules"], next["modules"]);
}

#[test]
fn a_body_is_dragged_by_the_mouse() {
    let (dragged, free) = (Served::new("two-balls"), Served::new("two-balls"));
    let start = dragged.get("/frame");
    let kinds = dragged.get("/scene")["scenery"]["kinds"].as_array().unwrap().clone();
    let first = |kind: &str| kinds.iter().position(|k| k == kind).unwrap();
    let body = first("dynamic");
    let [x, y, z] = place(&start, body);
    let held = dragged.tell(&json!({ "grab": { "body": body, "point": [x, y, z] } }));
    assert_eq!(held["held"].as_array().unwrap().len(), 6);
    dragged.tell(&json!({ "drag": [x + 1.0, y + 1.0, z] }));
    let (pulled, alone) = (dragged.tell(&json!({ "step": 30 })), free.tell(&json!({ "step": 30 })));
    let (there, here) = (place(&pulled, body), place(&alone, body));
    assert!(there[0] - here[0] > 0.1 && there[1] - here[1] > 0.1, "{there:?} against {here:?}");
    let let_go = dragged.tell(&json!("release"));
    assert_eq!(let_go["held"], json!([]));
    // a fixed body cannot be grabbed
    let ground = first("fixed");
    assert_eq!(dragged.order(&json!({ "grab": { "body": ground, "point": [0, 0, 0] } })).0, 422);
}

#[test]
fn what_is_no_order_is_refused_in_words() {
    let served = Served::new("two-balls");
    for (head, body, status) in [
        ("GET /etc/passwd HTTP/1.1", "", 404),
        ("DELETE / HTTP/1.1", "", 405),
        ("GET /frame HTTP/1.1\r\nHost: elsewhere.example", "", 403),
        // a form on another site could send this without the user's consent
        ("POST /do HTTP/1.1\r\nContent-Type: text/plain", r#"{"play":true}"#, 415),
        ("POST /do HTTP/1.1\r\nContent-Type: application/json", "{", 400),
        ("POST /do HTTP/1.1\r\nContent-Type: application/json", r#"{"fly":1}"#, 400),
        ("POST /do HTTP/1.1\r\nContent-Type: application/json", r#"{"speed":-1}"#, 422),
        ("POST /do HTTP/1.1\r\nContent-Type: application/json", r#"{"drag":[1e999,0,0]}"#, 400),
    ] {
        let (found, answer) = served.ask(head, body);
        assert_eq!(found, status, "{head}: {answer}");
        assert!(answer.contains("error"), "{answer}");
    }
    assert_eq!(served.get("/frame")["playing"], false);
}

#[test]
fn a_port_that_is_taken_is_said() {
    let served = Served::new("two-balls");
    let error = Viewer::bind(served.port).err().unwrap().to_string();
    assert!(error.contains(&format!("127.0.0.1:{}", served.port)) && error.contains("--port 0"), "{error}");
}

/// A stage takes exactly the steps that are due after this much clock time, at any speed, and none while paused.
#[test]
fn a_stage_takes_the_steps_that_are_due() {
    let mut stage = Stage::new(&Registry::default(), load("simple-pendulum", &Overrides::default()).unwrap());
    let h = load("simple-pendulum", &Overrides::default()).unwrap().time_step;
    let passes = |stage: &mut Stage, steps: f64| {
        stage.keep_up(Duration::from_secs_f64(steps * h));
        (stage.frame()["time"].as_f64().unwrap() / h).round()
    };
    assert_eq!(passes(&mut stage, 3.5), 0.0);
    stage.obey(&Order::Play(true)).unwrap();
    assert_eq!([3.5, 0.4, 0.2, 0.0].map(|steps| passes(&mut stage, steps)), [3.0, 3.0, 4.0, 4.0]);
    stage.obey(&Order::Speed(2.0)).unwrap();
    assert_eq!(passes(&mut stage, 1.1), 6.0);
    stage.obey(&Order::Play(false)).unwrap();
    assert_eq!(passes(&mut stage, 3.5), 6.0);
}

/// Clients that send too much, too slowly or never, that do not read, or that reset their connections. None of them stops the scene, or keeps others
/// from being answered; nothing of theirs is stored without bound.
#[test]
fn the_scene_and_other_clients_do_not_notice_an_attack() {
    let served = Served::new("two-balls");
    served.tell(&json!({ "play": true }));
    let connect = || TcpStream::connect(("127.0.0.1", served.port)).unwrap();
    let head = |line: &str, more: &str| format!("{line} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\n{more}\r\n", served.port);
    let post = |more: &str| head("POST /do", &format!("Content-Type: application/json\r\n{more}"));
    // who is well behaved gets answers soon, and sees the scene go on
    let goes_on = |attack: &str| {
        let watch = Instant::now();
        let before = served.get("/frame")["time"].as_f64().unwrap();
        let mut after = before;
        while after <= before && watch.elapsed() < Duration::from_secs(3) {
            after = served.get("/frame")["time"].as_f64().unwrap();
        }
        assert!(after > before, "{attack}: the scene stands still");
        assert!(watch.elapsed() < Duration::from_secs(3), "{attack}: {:?}", watch.elapsed());
    };
    goes_on("none");
    let mut open = Vec::new();
    for announced in ["1000000000000000", "9000000000000000000", "65537"] {
        let mut stream = connect();
        write!(stream, "{}", post(&format!("Content-Length: {announced}\r\n"))).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(3))).unwrap();
        let mut answer = [0; 12];
        stream.read_exact(&mut answer).unwrap();
        assert_eq!(&answer, b"HTTP/1.1 413", "{announced}");
        open.push(stream);
    }
    goes_on("bodies that are announced and never sent");
    // a body and a head that stay incomplete, and connections that say nothing: more of them than the server holds
    for k in 0..400 {
        let mut stream = connect();
        let part = [post("Content-Length: 100\r\n"), "GET /frame HT".to_owned(), String::new()][k % 3].clone();
        // it may be taken off already
        let _ = stream.write_all(part.as_bytes());
        open.push(stream);
    }
    goes_on("requests that do not end");
    // nobody reads these answers
    for _ in 0..100 {
        let mut stream = connect();
        let _ = stream.write_all(head("GET /scene", "").repeat(20).as_bytes());
        open.push(stream);
    }
    goes_on("answers that are not read");
    drop(open);
    for line in [false, true] {
        let mut stream = connect();
        stream.set_write_timeout(Some(Duration::from_secs(3))).unwrap();
        let begin = if line { "GET /".to_owned() } else { head("GET /frame", "").trim_end().to_owned() + "\r\nX: " };
        let endless = vec![b'a'; 1 << 20];
        let taken =
            stream.write_all(begin.as_bytes()).and_then(|()| (0..64).try_for_each(|_| stream.write_all(&endless)));
        assert!(taken.is_err(), "64 MB of a head were taken in");
    }
    goes_on("heads without end");
    // closed with an answer unread: the connection is reset
    for _ in 0..300 {
        let mut stream = connect();
        let _ = stream.write_all(head("GET /scene", "").as_bytes());
    }
    goes_on("resets");
    assert_eq!(served.tell(&json!({ "play": false }))["playing"], false);
}
