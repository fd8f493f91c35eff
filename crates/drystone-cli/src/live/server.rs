use super::{Order, Stage};
use crate::{Failure, page};
use serde_json::{Value, json};
use std::io::Read;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use tiny_http::{Header, Method, Request, Response, Server};

/// Most bytes of an order.
const LIMIT: u64 = 65_536;
/// A scene that nobody has looked at for so long stands still.
const UNWATCHED: Duration = Duration::from_secs(2);

/// A server of one scene on this machine's loopback address, 127.0.0.1, and on no other.
///
/// | request | answers |
/// |---|---|
/// | `GET /` | the page |
/// | `GET /scene` | what does not change: bodies, surfaces, presets and modules |
/// | `GET /frame` | how it stands: time, poses, contacts, figures, modules in use |
/// | `POST /do` | does an [`Order`] (JSON), and answers as `/frame` |
///
/// A request that names another host, or an order that does not say it is JSON, is refused: a page from elsewhere in the same browser can
/// then neither read nor change anything.
pub struct Viewer {
    server: Server,
    port: u16,
}

impl Viewer {
    /// Listens on a port; 0 takes a free one.
    ///
    /// # Errors
    /// [`Failure::Input`] where the port is taken or not allowed.
    pub fn bind(port: u16) -> Result<Self, Failure> {
        let wanted = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
        let server = Server::http(wanted).map_err(|e| {
            Failure::Input(format!("{wanted} cannot be listened on: {e}; allowed: a free port, or --port 0 for any"))
        })?;
        let port = server.server_addr().to_ip().map_or(port, |a| a.port());
        Ok(Self { server, port })
    }

    /// The port.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Runs the scene and answers, until told to stop.
    ///
    /// # Errors
    /// [`Failure::Input`] where no connection can be taken any more.
    pub fn serve(&self, stage: &mut Stage, stop: &AtomicBool) -> Result<(), Failure> {
        let (mut last, mut seen) = (Instant::now(), Instant::now());
        while !stop.load(Ordering::Relaxed) {
            let patience = Duration::from_millis(if stage.is_playing() { 2 } else { 100 });
            let mut next = self.server.recv_timeout(patience).map_err(|e| Failure::Input(e.to_string()))?;
            while let Some(request) = next {
                seen = Instant::now();
                self.answer(request, stage);
                next = self.server.try_recv().map_err(|e| Failure::Input(e.to_string()))?;
            }
            let now = Instant::now();
            if now.duration_since(seen) < UNWATCHED {
                stage.keep_up(now.duration_since(last));
            }
            last = now;
        }
        Ok(())
    }

    fn answer(&self, mut request: Request, stage: &mut Stage) {
        let (status, kind, text) = self.answered(&mut request, stage);
        let mut response = Response::from_string(text).with_status_code(status);
        let policy = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; connect-src 'self'";
        for (name, value) in
            [("Content-Type", kind), ("Cache-Control", "no-store"), ("Content-Security-Policy", policy)]
        {
            if let Ok(header) = Header::from_bytes(name, value) {
                response.add_header(header);
            }
        }
        // who has gone away needs no answer
        let _ = request.respond(response);
    }

    fn answered(&self, request: &mut Request, stage: &mut Stage) -> (u16, &'static str, String) {
        let told = |status, value: &Value| (status, "application/json; charset=utf-8", value.to_string());
        let refused = |status, why: &str| told(status, &json!({ "error": why }));
        let header = |name: &'static str| {
            let found = request.headers().iter().find(|h| h.field.equiv(name));
            found.map(|h| h.value.as_str().to_owned()).unwrap_or_default()
        };
        let host = header("Host");
        if ![format!("127.0.0.1:{}", self.port), format!("localhost:{}", self.port)].contains(&host) {
            return refused(403, "this server answers to 127.0.0.1 alone");
        }
        match (request.method(), request.url()) {
            (Method::Get, "/") => (200, "text/html; charset=utf-8", page::live(stage.name())),
            (Method::Get, "/scene") => told(200, &stage.scene()),
            (Method::Get, "/frame") => told(200, &stage.frame()),
            (Method::Post, "/do") => {
                if !header("Content-Type").starts_with("application/json") {
                    return refused(415, "an order is JSON; allowed: Content-Type: application/json");
                }
                let mut text = String::new();
                if let Err(e) = request.as_reader().take(LIMIT).read_to_string(&mut text) {
                    return refused(400, &e.to_string());
                }
                let order: Order = match serde_json::from_str(&text) {
                    Ok(order) => order,
                    Err(e) => return refused(400, &format!("no order: {e}")),
                };
                match stage.obey(&order) {
                    Ok(()) => told(200, &stage.frame()),
                    Err(why) => refused(422, &why),
                }
            }
            (Method::Get | Method::Post, _) => {
                refused(404, "there is nothing here; allowed: /, /scene, /frame, and POST /do")
            }
            _ => refused(405, "allowed: GET and POST"),
        }
    }
}
