//! Damaged snapshots, orders and requests: each is refused in words or obeyed, and the next one is answered.
//!
//! The same functions are fuzz targets: see `fuzz`.
#![cfg(feature = "view")]

#[path = "../../../fuzz/entries/http.rs"]
mod http;
#[path = "../../../fuzz/entries/orders.rs"]
mod orders;
#[path = "../../../fuzz/entries/snapshot.rs"]
mod snapshot;

use crate::mutate;
use mutate::campaign;

const ORDERS: &str = r#"{"play": true}
{"step": 3}
{"speed": 0.5}
{"grab": {"body": 0, "point": [0.1, 0.2, 0.3]}}
{"drag": [0.5, 1.0, 0.0]}
"release"
{"choose": {"paradigm": "velocity-lcp", "modules": {"broad_phase": {"name": "hash-grid"}}}}
"reset"
"#;

const REQUEST: &str =
    "POST /do HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: 11\r\n\r\n{\"step\": 3}";

#[test]
fn damaged_snapshots() {
    let snapshot = snapshot::world().snapshot();
    campaign("JSON", snapshot.to_json().as_bytes(), 500, snapshot::snapshot);
    campaign("bytes", &snapshot.to_bytes(), 200, snapshot::snapshot);
    // the control: undamaged ones are read
    assert!(snapshot::world().read_snapshot(&snapshot.to_bytes()).is_ok());
    assert!(snapshot::world().read_snapshot(snapshot.to_json().as_bytes()).is_ok());
}

#[test]
fn damaged_orders() {
    campaign("orders", ORDERS.as_bytes(), 60, orders::orders);
}

#[test]
fn damaged_requests() {
    campaign("request", REQUEST.as_bytes(), 60, http::http);
}
