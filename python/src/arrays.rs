//! State, contacts and events as NumPy arrays. All of them are copies: a world's columns move when bodies are added.

use crate::error::{Done, Fail};
use crate::world::{Inner, NativeWorld};
use drystone_core::BodyIndex;
use numpy::{PyArray1, PyArray2, PyArrayMethods, PyReadwriteArray2, PyUntypedArrayMethods};
use pyo3::prelude::*;

/// A column of the state.
#[derive(Clone, Copy)]
enum Column {
    Position,
    Orientation,
    LinearVelocity,
    AngularVelocity,
}

impl Column {
    fn of(name: &str) -> Done<Self> {
        Ok(match name {
            "positions" => Self::Position,
            "orientations" => Self::Orientation,
            "linear_velocities" => Self::LinearVelocity,
            "angular_velocities" => Self::AngularVelocity,
            _ => return Err(Fail::Input(format!("no column '{name}'"))),
        })
    }

    fn width(self) -> usize {
        if matches!(self, Self::Orientation) { 4 } else { 3 }
    }

    /// Writes the rows, one behind the other.
    fn write(self, w: &Inner, into: &mut [f64]) {
        let (configuration, state) = (w.loaded.world.configuration(), w.loaded.world.state());
        for (i, row) in into.chunks_exact_mut(self.width()).enumerate() {
            match self {
                Self::Position => {
                    let at = BodyIndex::new(i);
                    let frame = configuration.body(at).frame(&state.pose(at));
                    row.copy_from_slice(&frame.position.to_array());
                }
                Self::Orientation => row.copy_from_slice(&state.orientation[i].to_array()),
                Self::LinearVelocity => row.copy_from_slice(&state.linear_velocity[i].to_array()),
                Self::AngularVelocity => row.copy_from_slice(&state.angular_velocity[i].to_array()),
            }
        }
    }
}

/// Rows of three numbers as an array.
pub(crate) fn rows<'py>(py: Python<'py>, flat: Vec<f64>, width: usize) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let n = flat.len() / width;
    PyArray1::from_vec(py, flat).reshape([n, width])
}

#[pymethods]
impl NativeWorld {
    /// A column of the state as a new array, a row a body.
    fn column<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let column = Column::of(name)?;
        let flat = self.lock(py, |w| {
            let mut flat = vec![0.0; w.loaded.world.state().len() * column.width()];
            column.write(w, &mut flat);
            Ok(flat)
        })?;
        rows(py, flat, column.width())
    }

    /// Writes a column into an array that is there.
    fn column_into(&self, py: Python<'_>, name: &str, mut into: PyReadwriteArray2<'_, f64>) -> PyResult<()> {
        let column = Column::of(name)?;
        let shape = [into.shape()[0], into.shape()[1]];
        let slice = into
            .as_slice_mut()
            .map_err(|_| Fail::Input("out: found strides; allowed: a C-contiguous array".to_owned()))?;
        self.lock(py, |w| {
            let expected = [w.loaded.world.state().len(), column.width()];
            if shape != expected {
                return Err(Fail::Input(format!("out: found the shape {shape:?}; allowed: {expected:?}")));
            }
            column.write(w, slice);
            Ok(())
        })
    }

    /// Which bodies sleep.
    fn sleeping<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<bool>>> {
        let flags = self.lock(py, |w| Ok(w.world().state().sleeping.clone()))?;
        Ok(PyArray1::from_vec(py, flags.into_iter().collect()))
    }

    /// (bodies (m, 2), positions (m, 3), normals (m, 3), separations (m, 1), normal impulses (m, 1), friction impulses (m, 3)).
    fn contacts<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyArray2<i64>>, Vec<Bound<'py, PyArray2<f64>>>)> {
        let (bodies, columns) = self.lock(py, |w| {
            let world = &w.loaded.world;
            let (mut bodies, mut columns) = (Vec::new(), [const { Vec::new() }; 5]);
            for c in world.contacts() {
                for b in c.bodies {
                    bodies.push(world.body_index(b)?.at() as i64);
                }
                columns[0].extend(c.position.to_array());
                columns[1].extend(c.normal.to_array());
                columns[2].push(c.separation);
                columns[3].push(c.impulse.normal);
                columns[4].extend(c.impulse.friction.to_array());
            }
            Ok((bodies, columns))
        })?;
        let n = bodies.len() / 2;
        let bodies = PyArray1::from_vec(py, bodies).reshape([n, 2])?;
        let columns: PyResult<_> =
            columns.into_iter().zip([3, 3, 1, 1, 3]).map(|(c, width)| rows(py, c, width)).collect();
        Ok((bodies, columns?))
    }
}
