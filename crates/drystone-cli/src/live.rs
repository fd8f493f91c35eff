//! A scene that runs while one watches: the world behind the page of `drystone view`, and the server that it is told by.

mod http;
mod order;
mod server;
mod stage;

pub use order::{Choose, Grab, Order};
pub use server::Viewer;
pub use stage::Stage;
