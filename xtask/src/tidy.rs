//! The rules that no compiler checks. Every fault is reported, not only the first.

mod code_blocks;
mod exceptions;
mod experiments;
mod functions;
mod layers;
mod links;
mod manifests;
mod modules;
mod provenance;
mod references;
mod rust_text;
mod sources;
mod test_files;
pub(crate) mod tree;
mod wording;

/// Checks the whole repository.
pub(crate) fn run() -> Result<(), String> {
    let root = crate::root::root();
    let files = tree::text_files(&root)?;
    let packages = manifests::read()?;
    let architecture = files.iter().find(|f| f.path == "ARCHITECTURE.md").map_or("", |f| f.text.as_str());

    let mut faults = Vec::new();
    faults.extend(layers::check(architecture, &packages));
    faults.extend(manifests::check(&packages, &files));
    faults.extend(sources::check(&files));
    faults.extend(functions::check(&files));
    faults.extend(modules::check(&files));
    faults.extend(wording::check(&files));
    faults.extend(links::check(&root, &files));
    faults.extend(code_blocks::check(&files));
    faults.extend(provenance::check(&files));
    faults.extend(references::check(&files));
    faults.extend(experiments::check(&files));
    faults.extend(test_files::check(&files));
    if faults.is_empty() {
        println!("tidy: {} packages, {} text files", packages.len(), files.len());
        return Ok(());
    }
    faults.sort();
    Err(format!("{}\ntidy: {} fault(s)", faults.join("\n"), faults.len()))
}
