//! What a connection to `drystone view` may send.

use drystone::Registry;
use drystone_cli::live::{Stage, Viewer};
use drystone_cli::{Overrides, load};
use std::io::{Read, Write};
use std::net::{Shutdown, TcpStream};
use std::sync::OnceLock;
use std::sync::atomic::AtomicBool;
use std::sync::mpsc::channel;
use std::time::Duration;

/// Longest time that an answer may take: well above that of the slowest order.
const PATIENCE: Duration = Duration::from_secs(20);

/// The port of a server that lives as long as the program.
fn port() -> u16 {
    static PORT: OnceLock<u16> = OnceLock::new();
    *PORT.get_or_init(|| {
        let (tell, told) = channel();
        std::thread::spawn(move || {
            let loaded = load("three-balls", &Overrides::default()).unwrap_or_else(|e| panic!("{e}"));
            let mut stage = Stage::new(&Registry::default(), loaded);
            let viewer = Viewer::bind(0).unwrap_or_else(|e| panic!("{e}"));
            let _ = tell.send(viewer.port());
            let _ = viewer.serve(&mut stage, &AtomicBool::new(false));
        });
        told.recv().unwrap_or_default()
    })
}

/// A connection over which some bytes were sent.
fn sent(bytes: &[u8]) -> std::io::Result<TcpStream> {
    let mut stream = TcpStream::connect(("127.0.0.1", port()))?;
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    stream.write_all(bytes)?;
    Ok(stream)
}

/// All that comes back.
fn answered(mut stream: TcpStream) -> std::io::Result<Vec<u8>> {
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer)?;
    Ok(answer)
}

/// Whatever one connection sends, the next one is answered.
pub(crate) fn http(bytes: &[u8]) {
    // the server may close before all is sent: that is no fault
    drop(sent(bytes).and_then(|stream| stream.shutdown(Shutdown::Write).and_then(|()| answered(stream))));
    let request = format!("GET / HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nConnection: close\r\n\r\n", port());
    let answer = sent(request.as_bytes()).and_then(answered).unwrap_or_else(|e| panic!("not answered: {e}"));
    assert!(answer.starts_with(b"HTTP/1.1 200"), "{}", String::from_utf8_lossy(&answer[..answer.len().min(200)]));
}
