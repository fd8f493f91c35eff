//! Bundled scenes are part of the binary: a new or changed one must rebuild it.

fn main() {
    println!("cargo::rerun-if-changed=../../scenes");
}
