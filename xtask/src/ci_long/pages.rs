use crate::root::{binary, cargo, target};
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

/// Opens a report and a scene of `drystone view` in headless Chromium: both have to draw their pictures and curves.
pub(crate) fn run() -> Result<(), String> {
    let built = cargo(&["build", "--release", "-p", "drystone-cli"]).status().map_err(|e| e.to_string())?;
    if !built.success() {
        return Err(format!("the binary could not be built: {built}"));
    }
    let (binary, folder) = (binary(), target().join("ci-pages"));
    let compared = Command::new(&binary)
        .args(["compare", "falling-on-tower", "--paradigms", "velocity-lcp,load-propagation", "--duration", "1"])
        .arg("--out")
        .arg(&folder)
        .stdout(Stdio::null())
        .status()
        .map_err(|e| e.to_string())?;
    if !compared.success() {
        return Err(format!("compare: {compared}"));
    }
    let report = format!("file://{}#contacts,normals,layer,t=0.5", folder.join("report.html").display());
    drawn(&report, &folder, 6)?;
    let mut served = Served::start(&binary)?;
    let address = served.address()?;
    drawn(&format!("{address}#play,contacts"), &folder, 3)
}

/// Milliseconds that a page's scripts get: a page that is fed by a server is late where the machine has other work.
const PATIENCE: [u32; 3] = [5_000, 20_000, 60_000];

/// Looks at a page once its scripts have run.
fn drawn(address: &str, folder: &Path, curves: usize) -> Result<(), String> {
    let mut outcome = Ok(());
    for patience in PATIENCE {
        outcome = drawn_in(patience, address, folder, curves);
        if outcome.is_ok() {
            break;
        }
    }
    outcome
}

fn drawn_in(patience: u32, address: &str, folder: &Path, curves: usize) -> Result<(), String> {
    let browser = std::env::var_os("CHROMIUM").unwrap_or_else(|| "chromium".into());
    let output = Command::new(browser)
        .args([
            "--headless",
            "--no-sandbox",
            "--use-gl=angle",
            "--use-angle=swiftshader",
            "--enable-unsafe-swiftshader",
            // a page that draws once per frame gets its frames: else time may run out before the first
            "--run-all-compositor-stages-before-draw",
        ])
        .arg(format!("--user-data-dir={}", folder.join("profile").display()))
        .arg(format!("--virtual-time-budget={patience}"))
        .args(["--dump-dom", address])
        .output()
        .map_err(|e| format!("chromium could not be started: {e}"))?;
    let page = String::from_utf8_lossy(&output.stdout);
    let found = page.matches("<polyline").count();
    println!("   {address}: drawn, {found} curves");
    if !page.contains("data-drawn=\"yes\"") || found < curves {
        return Err(format!("{address} is not drawn, or has {found} curves, fewer than {curves}"));
    }
    Ok(())
}

/// A scene being served; ends when dropped.
struct Served(Child);

impl Served {
    fn start(binary: &Path) -> Result<Self, String> {
        let mut command = Command::new(binary);
        command.args(["view", "box-stack", "--port", "0"]).stdout(Stdio::piped());
        command.spawn().map(Self).map_err(|e| format!("view could not be started: {e}"))
    }

    /// What it prints as its address.
    fn address(&mut self) -> Result<String, String> {
        let out = self.0.stdout.take().ok_or("view: no output")?;
        let mut line = String::new();
        BufReader::new(out).read_line(&mut line).map_err(|e| e.to_string())?;
        let address = line.split_whitespace().find(|w| w.starts_with("http://"));
        address.map(str::to_owned).ok_or(format!("view printed no address: {line}"))
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        // it may have ended by itself
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
