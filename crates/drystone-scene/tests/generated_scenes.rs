//! The bundled scenes that a generator wrote equal what it writes today.

#[allow(dead_code, reason = "the example's main is not called here")]
#[path = "../examples/generate.rs"]
mod generate;

#[test]
fn the_files_are_what_the_generators_write() {
    for name in ["brick-tower", "tower-impact", "card-house-5", "domino-row"] {
        let path = format!("{}/../../scenes/{name}.toml", env!("CARGO_MANIFEST_DIR"));
        let file = std::fs::read_to_string(&path).unwrap();
        assert!(Some(file) == generate::scene(name), "{name}: run the example 'generate' again");
    }
}
