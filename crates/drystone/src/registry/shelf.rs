use super::RegistryError;
use drystone_core::catalogue::Implementation;
use std::sync::Arc;

/// The implementations of one module, each with its description and maker.
pub(super) struct Shelf<F: ?Sized> {
    described: Vec<Implementation>,
    make: Vec<Arc<F>>,
}

impl<F: ?Sized> Clone for Shelf<F> {
    fn clone(&self) -> Self {
        Self { described: self.described.clone(), make: self.make.clone() }
    }
}

impl<F: ?Sized> Shelf<F> {
    /// The implementations that a crate describes and makes by name.
    pub(super) fn of(described: &'static [Implementation], make: impl Fn(&'static str) -> Arc<F>) -> Self {
        Self { described: described.to_vec(), make: described.iter().map(|d| make(d.name)).collect() }
    }

    /// Adds an implementation.
    pub(super) fn add(
        &mut self,
        table: &'static str,
        described: Implementation,
        make: Arc<F>,
    ) -> Result<(), RegistryError> {
        check_name(table, described.name, &self.described)?;
        self.described.push(described);
        self.make.push(make);
        Ok(())
    }

    /// Replaces the implementation of the same name.
    pub(super) fn replace(&mut self, described: Implementation, make: Arc<F>) {
        if let Some(at) = self.described.iter().position(|d| d.name == described.name) {
            self.described[at] = described;
            self.make[at] = make;
        }
    }

    pub(super) fn described(&self) -> &[Implementation] {
        &self.described
    }

    /// The maker of the implementation with this name.
    pub(super) fn get(&self, name: &str) -> Option<&F> {
        let at = self.described.iter().position(|d| d.name == name)?;
        Some(&*self.make[at])
    }
}

/// Checks that a name can be added to those that are known.
pub(super) fn check_name<'a>(
    table: &'static str,
    name: &'static str,
    known: impl IntoIterator<Item = &'a Implementation>,
) -> Result<(), RegistryError> {
    let word = |w: &str| !w.is_empty() && w.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit());
    if !name.split('-').all(word) {
        return Err(RegistryError::Name { table, found: name });
    }
    if known.into_iter().any(|d| d.name == name) {
        return Err(RegistryError::Taken { table, name });
    }
    Ok(())
}
