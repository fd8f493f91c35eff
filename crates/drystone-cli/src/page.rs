//! The page on which bodies move: the report writes it with recorded runs inside, `drystone view` serves it with a world behind it.

mod look;
mod packed;
mod stones;

pub use look::Look;
pub(crate) use packed::{packed, sixteen_bits};
pub(crate) use stones::{FIXED, STONES};

use serde_json::Value;

/// Parts that both pages share.
const SHARED: [&str; 6] = [
    include_str!("page/web/algebra.js"),
    include_str!("page/web/scenery.js"),
    include_str!("page/web/picture.js"),
    include_str!("page/web/eye.js"),
    include_str!("page/web/parts.js"),
    include_str!("page/web/plots.js"),
];

/// A page with recorded runs, which needs nothing else.
pub(crate) fn report(title: &str, runs: &Value) -> String {
    page(title, runs, include_str!("page/web/report.js"))
}

/// A page that asks the server it came from.
#[cfg(feature = "view")]
pub(crate) fn live(title: &str) -> String {
    page(title, &Value::Null, include_str!("page/web/live.js"))
}

fn page(title: &str, data: &Value, script: &str) -> String {
    // a '<' could end the script element
    let data = data.to_string().replace('<', "\\u003c");
    let title = title.replace('&', "&amp;").replace('<', "&lt;");
    let scripts = SHARED.into_iter().chain([script]).collect::<Vec<_>>().join("\n");
    include_str!("page/web/shell.html")
        .replace("/*STYLE*/", include_str!("page/web/page.css"))
        .replace("/*SCRIPT*/", &scripts)
        .replace("/*TITLE*/", &title)
        .replace("/*DATA*/", &data)
}
