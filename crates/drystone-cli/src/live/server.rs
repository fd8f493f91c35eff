use super::Stage;
use super::http::{self, Asked, Last, Published};
use crate::{Failure, page};
use hyper::body::Bytes;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, sync_channel};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use tokio::runtime::{Builder, Runtime};

/// Most orders that wait for the simulating thread.
const WAITING: usize = 64;
/// A scene that nobody has looked at for so long stands still.
const UNWATCHED: Duration = Duration::from_secs(2);

/// A server of one scene on this machine's loopback address, 127.0.0.1, and on no other.
///
/// | request | answers |
/// |---|---|
/// | `GET /` | the page |
/// | `GET /scene` | what does not change: bodies, surfaces, presets and modules |
/// | `GET /frame` | how it stands: time, poses, contacts, figures, modules in use |
/// | `POST /do` | does an [`Order`](super::Order) (JSON), and answers as `/frame` |
///
/// A request that names another host, or an order that does not say it is JSON, is refused: a page from elsewhere in the same browser can
/// then neither read nor change anything. Requests are read and answered on a thread of their own, with limits on size, time and number: whoever sends
/// too slowly, or does not read, delays neither the scene nor other connections.
pub struct Viewer {
    listener: TcpListener,
    port: u16,
}

impl Viewer {
    /// Listens on a port; 0 takes a free one.
    ///
    /// # Errors
    /// [`Failure::Input`] where the port is taken or not allowed.
    pub fn bind(port: u16) -> Result<Self, Failure> {
        let wanted = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
        let listener = TcpListener::bind(wanted).map_err(|e| {
            Failure::Input(format!("{wanted} cannot be listened on: {e}; allowed: a free port, or --port 0 for any"))
        })?;
        let port = listener.local_addr().map_or(port, |a| a.port());
        Ok(Self { listener, port })
    }

    /// The port.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Runs the scene and answers, until told to stop.
    ///
    /// # Errors
    /// [`Failure::Input`] where the system does not let connections be taken.
    pub fn serve(&self, stage: &mut Stage, stop: &AtomicBool) -> Result<(), Failure> {
        let refused = |e: std::io::Error| Failure::Input(format!("no connection can be taken: {e}"));
        let (orders, received) = sync_channel(WAITING);
        let now = Instant::now();
        let published = Arc::new(Published {
            port: self.port,
            page: page::live(stage.name()).into(),
            scene: stage.scene().to_string().into(),
            orders,
            last: Mutex::new(Last { frame: frame(stage), is_taken: false, asked_at: now }),
        });
        let network = Builder::new_current_thread().enable_io().enable_time().build().map_err(refused)?;
        let listener = self.listener(&network).map_err(refused)?;
        let done = AtomicBool::new(false);
        std::thread::scope(|scope| {
            // set even if a step panics, so that the other thread ends
            let _done = Raised(&done);
            let serving = http::serve(listener, Arc::clone(&published), [stop, &done]);
            let network = &network;
            scope.spawn(move || network.block_on(serving));
            simulate(stage, &received, &published, stop);
        });
        network.shutdown_background();
        Ok(())
    }

    fn listener(&self, network: &Runtime) -> std::io::Result<tokio::net::TcpListener> {
        let listener = self.listener.try_clone()?;
        listener.set_nonblocking(true)?;
        let _inside = network.enter();
        tokio::net::TcpListener::from_std(listener)
    }
}

/// Raises a flag when it is dropped.
struct Raised<'a>(&'a AtomicBool);

impl Drop for Raised<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

fn frame(stage: &Stage) -> Bytes {
    stage.frame().to_string().into()
}

/// The simulating thread: takes orders, steps by the clock, and publishes frames when the last one has been taken.
fn simulate(stage: &mut Stage, orders: &Receiver<Asked>, published: &Published, stop: &AtomicBool) {
    let mut last = Instant::now();
    // whether the scene has moved on since the last frame
    let mut is_stale = false;
    while !stop.load(Ordering::Relaxed) {
        let patience = Duration::from_millis(if stage.is_playing() { 2 } else { 100 });
        let mut next = orders.recv_timeout(patience).ok();
        while let Some(Asked { order, answer }) = next {
            let obeyed = stage.obey(&order).map(|()| {
                let now = frame(stage);
                published.last().frame.clone_from(&now);
                is_stale = false;
                now
            });
            // who has gone away needs no answer
            let _ = answer.send(obeyed);
            next = orders.try_recv().ok();
        }
        let now = Instant::now();
        let asked_at = published.last().asked_at;
        if stage.is_playing() && now.saturating_duration_since(asked_at) < UNWATCHED {
            stage.keep_up(now.duration_since(last));
            is_stale = true;
        }
        last = now;
        if is_stale && (published.last().is_taken || !stage.is_playing()) {
            let now = frame(stage);
            let mut last = published.last();
            (last.frame, last.is_taken) = (now, false);
            is_stale = false;
        }
    }
}
