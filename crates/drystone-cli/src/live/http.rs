//! The network's side of `drystone view`. It reads requests and writes answers on a thread of its own; what it knows of the scene is what the
//! simulating thread has published.

use super::Order;
use http_body_util::{BodyExt, Full, Limited};
use hyper::body::{Body, Bytes, Incoming};
use hyper::header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, HOST, HeaderName, HeaderValue};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use serde_json::json;
use std::collections::VecDeque;
use std::convert::Infallible;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::SyncSender;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::oneshot;
use tokio::task::AbortHandle;
use tokio::time::timeout;

/// Most bytes of an order, and of the head of a request.
const MOST_BYTES: usize = 65_536;
/// Most connections at a time; a further one takes the place of the oldest.
const MOST_CONNECTIONS: usize = 256;
/// Longest time for the head of a request, and for its body.
const TO_SEND: Duration = Duration::from_secs(5);
/// Age at which a connection takes no further request, and the time that the last answer then has.
const AGE: Duration = Duration::from_secs(60);
const LAST_ANSWER: Duration = Duration::from_secs(10);
/// Longest time that an order may wait for the simulating thread.
const TO_OBEY: Duration = Duration::from_secs(60);
/// Time between two looks at whether the server is to stop.
const LOOK: Duration = Duration::from_millis(50);

/// An order, and where its answer goes: the frame after it, or why it cannot be done.
pub(super) struct Asked {
    pub(super) order: Order,
    pub(super) answer: oneshot::Sender<Result<Bytes, String>>,
}

/// Data that the simulating thread publishes, and the queue of orders to it.
pub(super) struct Published {
    pub(super) port: u16,
    pub(super) page: Bytes,
    pub(super) scene: Bytes,
    pub(super) orders: SyncSender<Asked>,
    pub(super) last: Mutex<Last>,
}

/// The last published frame.
pub(super) struct Last {
    pub(super) frame: Bytes,
    /// True if somebody has it, so that a newer one is wanted.
    pub(super) is_taken: bool,
    /// When somebody last asked for one.
    pub(super) asked_at: Instant,
}

impl Published {
    pub(super) fn last(&self) -> std::sync::MutexGuard<'_, Last> {
        self.last.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Takes connections until told to stop.
pub(super) async fn serve(listener: TcpListener, published: Arc<Published>, stop: [&AtomicBool; 2]) {
    let mut open: VecDeque<AbortHandle> = VecDeque::new();
    while !stop.iter().any(|s| s.load(Ordering::Relaxed)) {
        let stream = match timeout(LOOK, listener.accept()).await {
            Ok(Ok((stream, _))) => stream,
            // there may be no more file handles: connections that end give theirs back
            Ok(Err(_)) => {
                tokio::time::sleep(LOOK).await;
                continue;
            }
            Err(_) => continue,
        };
        open.retain(|connection| !connection.is_finished());
        if open.len() >= MOST_CONNECTIONS
            && let Some(oldest) = open.pop_front()
        {
            oldest.abort();
        }
        open.push_back(tokio::spawn(connection(stream, Arc::clone(&published))).abort_handle());
    }
}

/// Answers the requests of one connection. Whoever goes away, sends too slowly or does not read loses the connection, and nobody else notices.
async fn connection(stream: TcpStream, published: Arc<Published>) {
    let service = service_fn(|request| {
        let published = Arc::clone(&published);
        async move { Ok::<_, Infallible>(respond(&published, request).await) }
    });
    let mut server = http1::Builder::new();
    server.timer(TokioTimer::new()).header_read_timeout(TO_SEND).max_buf_size(MOST_BYTES);
    let mut connection = std::pin::pin!(server.serve_connection(TokioIo::new(stream), service));
    if timeout(AGE, connection.as_mut()).await.is_err() {
        connection.as_mut().graceful_shutdown();
        let _ = timeout(LAST_ANSWER, connection).await;
    }
}

/// Status, media type and body of an answer.
type Answer = (StatusCode, &'static str, Bytes);

const HTML: &str = "text/html; charset=utf-8";
const JSON: &str = "application/json; charset=utf-8";
const POLICY: &str = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; connect-src 'self'";

async fn respond(published: &Published, request: Request<Incoming>) -> Response<Full<Bytes>> {
    let (status, kind, body) = answer(published, request).await;
    let mut response = Response::new(Full::new(body));
    *response.status_mut() = status;
    for (name, value) in [(CONTENT_TYPE, kind), (CACHE_CONTROL, "no-store"), (CONTENT_SECURITY_POLICY, POLICY)] {
        response.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    response
}

fn refused(status: StatusCode, why: &str) -> Answer {
    (status, JSON, json!({ "error": why }).to_string().into())
}

async fn answer(published: &Published, request: Request<Incoming>) -> Answer {
    let header = |name: HeaderName| request.headers().get(name).and_then(|v| v.to_str().ok()).unwrap_or_default();
    let port = published.port;
    if ![format!("127.0.0.1:{port}"), format!("localhost:{port}")].iter().any(|own| own == header(HOST)) {
        return refused(StatusCode::FORBIDDEN, "this server answers to 127.0.0.1 alone");
    }
    let path = request.uri().path_and_query().map_or("", |p| p.as_str());
    match (request.method(), path) {
        (&Method::GET, "/") => (StatusCode::OK, HTML, published.page.clone()),
        (&Method::GET, "/scene") => (StatusCode::OK, JSON, published.scene.clone()),
        (&Method::GET, "/frame") => {
            let mut last = published.last();
            (last.is_taken, last.asked_at) = (true, Instant::now());
            (StatusCode::OK, JSON, last.frame.clone())
        }
        (&Method::POST, "/do") => {
            if !header(CONTENT_TYPE).starts_with("application/json") {
                let why = "an order is JSON; allowed: Content-Type: application/json";
                return refused(StatusCode::UNSUPPORTED_MEDIA_TYPE, why);
            }
            obeyed(published, request.into_body()).await.unwrap_or_else(|refusal| refusal)
        }
        (&Method::GET | &Method::POST, _) => {
            refused(StatusCode::NOT_FOUND, "there is nothing here; allowed: /, /scene, /frame, and POST /do")
        }
        _ => refused(StatusCode::METHOD_NOT_ALLOWED, "allowed: GET and POST"),
    }
}

/// Reads an order and hands it on.
///
/// # Errors
/// The answer that refuses it.
async fn obeyed(published: &Published, body: Incoming) -> Result<Answer, Answer> {
    let too_long = || refused(StatusCode::PAYLOAD_TOO_LARGE, "an order has 65536 bytes at most");
    if body.size_hint().lower() > MOST_BYTES as u64 {
        return Err(too_long());
    }
    let read = timeout(TO_SEND, Limited::new(body, MOST_BYTES).collect()).await;
    let read = read.map_err(|_| refused(StatusCode::REQUEST_TIMEOUT, "the order did not come to its end"))?;
    let text = read.map_err(|_| too_long())?.to_bytes();
    let order = serde_json::from_slice(&text);
    let order = order.map_err(|e| refused(StatusCode::BAD_REQUEST, &format!("no order: {e}")))?;
    published.last().asked_at = Instant::now();
    let (answer, told) = oneshot::channel();
    let busy = || refused(StatusCode::SERVICE_UNAVAILABLE, "the scene is busy with a step");
    published.orders.try_send(Asked { order, answer }).map_err(|_| busy())?;
    match timeout(TO_OBEY, told).await {
        Ok(Ok(Ok(frame))) => Ok((StatusCode::OK, JSON, frame)),
        Ok(Ok(Err(why))) => Err(refused(StatusCode::UNPROCESSABLE_ENTITY, &why)),
        _ => Err(busy()),
    }
}
