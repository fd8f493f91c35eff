//! What a page of `drystone view` may ask for: orders, one a line, and the frames that come of them.

use drystone::Registry;
use drystone_cli::live::{Order, Stage};
use drystone_cli::{Overrides, load};
use std::time::Duration;

/// Orders after these are not looked at: they take time and show nothing new.
const MOST_ORDERS: usize = 12;

/// Each order is read or refused in words; each frame is a table with the time.
pub(crate) fn orders(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let loaded = load("three-balls", &Overrides::default()).unwrap_or_else(|e| panic!("{e}"));
    let mut stage = Stage::new(&Registry::default(), loaded);
    for line in text.lines().take(MOST_ORDERS) {
        match serde_json::from_str::<Order>(line) {
            Ok(order) => {
                if let Err(refused) = stage.obey(&order) {
                    assert!(!refused.is_empty());
                }
                stage.keep_up(Duration::from_millis(5));
            }
            Err(refused) => assert!(!refused.to_string().is_empty()),
        }
        let frame = stage.frame();
        assert!(frame.is_object(), "{frame}");
    }
}
