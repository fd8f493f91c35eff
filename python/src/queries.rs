//! What rays, points and moved shapes meet in a world.

use crate::arrays::rows;
use crate::error::{Done, Fail};
use crate::fragment;
use crate::world::{Inner, NativeWorld};
use drystone::geometry::Shape;
use drystone::{Hit, Query, RayQuery};
use drystone_math::{Pose, Quat, Vec3};
use numpy::{PyArray1, PyArray2, PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::prelude::*;
use serde_json::{Value as Json, json};

/// Rows of bodies (-1: none), distances, positions, normals; NaN where nothing is met.
type Hits<'py> =
    (Bound<'py, PyArray1<i64>>, Bound<'py, PyArray1<f64>>, Bound<'py, PyArray2<f64>>, Bound<'py, PyArray2<f64>>);

/// The same, without Python's arrays.
#[derive(Default)]
struct Columns {
    bodies: Vec<i64>,
    distances: Vec<f64>,
    positions: Vec<f64>,
    normals: Vec<f64>,
}

impl Columns {
    fn push(&mut self, w: &Inner, hit: Option<Hit>) -> Done<()> {
        let none = [f64::NAN; 3];
        self.bodies.push(match &hit {
            Some(hit) => w.loaded.world.body_index(hit.body)?.at() as i64,
            None => -1,
        });
        self.distances.push(hit.map_or(f64::NAN, |h| h.distance));
        self.positions.extend(hit.map_or(none, |h| h.position.to_array()));
        self.normals.extend(hit.map_or(none, |h| h.normal.to_array()));
        Ok(())
    }

    fn arrays(self, py: Python<'_>) -> PyResult<Hits<'_>> {
        let (bodies, distances) = (PyArray1::from_vec(py, self.bodies), PyArray1::from_vec(py, self.distances));
        Ok((bodies, distances, rows(py, self.positions, 3)?, rows(py, self.normals, 3)?))
    }
}

/// The rows of an array (k, 3).
fn vectors(what: &str, array: &PyReadonlyArray2<'_, f64>) -> Done<Vec<Vec3>> {
    if array.shape()[1] != 3 {
        return Err(Fail::Input(format!("{what}: found the shape {:?}; allowed: (k, 3)", array.shape())));
    }
    Ok(array.as_array().rows().into_iter().map(|r| Vec3::new(r[0], r[1], r[2])).collect())
}

/// A shape from its table.
fn shape_of(table: &str) -> Done<Shape> {
    let shape: Json = serde_json::from_str(table).map_err(|e| Fail::Input(format!("shape: not JSON: {e}")))?;
    let scene = fragment::read(&json!({ "bodies": [{ "name": "shape", "kind": "fixed", "shape": shape }] }))?;
    let found = scene.bodies.first().map(|b| b.properties.shape.clone());
    found.ok_or_else(|| Fail::Input("no shape".to_owned()))
}

/// The world to be asked about the bodies in some rows, or all.
fn asked<'w>(w: &'w Inner, only: Option<Vec<usize>>) -> Query<'w> {
    let query = w.loaded.world.query();
    match only {
        Some(only) => {
            let ids = w.loaded.world.bodies();
            let keep: Vec<_> = only.into_iter().filter_map(|i| ids.get(i).copied()).collect();
            query.only(move |body| keep.contains(&body))
        }
        None => query,
    }
}

#[pymethods]
impl NativeWorld {
    fn rays<'py>(
        &self,
        py: Python<'py>,
        origins: PyReadonlyArray2<'py, f64>,
        directions: PyReadonlyArray2<'py, f64>,
        length: f64,
        only: Option<Vec<usize>>,
    ) -> PyResult<Hits<'py>> {
        let (origins, directions) = (vectors("origins", &origins)?, vectors("directions", &directions)?);
        let found = self.lock(py, |w| {
            let (query, mut columns) = (asked(w, only), Columns::default());
            let ray = |(origin, direction): (&Vec3, &Vec3)| RayQuery { origin: *origin, direction: *direction, length };
            let rays: Vec<_> = origins.iter().zip(&directions).map(ray).collect();
            for hit in query.rays(&rays)? {
                columns.push(w, hit)?;
            }
            Ok(columns)
        })?;
        found.arrays(py)
    }

    fn nearest<'py>(
        &self,
        py: Python<'py>,
        points: PyReadonlyArray2<'py, f64>,
        limit: f64,
        only: Option<Vec<usize>>,
    ) -> PyResult<Hits<'py>> {
        let points = vectors("points", &points)?;
        let found = self.lock(py, |w| {
            let (query, mut columns) = (asked(w, only), Columns::default());
            for point in &points {
                columns.push(w, query.nearest(*point, limit)?)?;
            }
            Ok(columns)
        })?;
        found.arrays(py)
    }

    /// Rows of the bodies that a placed shape overlaps.
    fn overlapping(
        &self,
        py: Python<'_>,
        shape: &str,
        position: [f64; 3],
        orientation: [f64; 4],
    ) -> PyResult<Vec<usize>> {
        let pose = Pose::new(Vec3::from_array(position), Quat::from_array(orientation));
        self.lock(py, |w| {
            let found = w.loaded.world.query().overlapping(&shape_of(shape)?, pose)?;
            found.into_iter().map(|b| Ok(w.loaded.world.body_index(b)?.at())).collect()
        })
    }

    /// What a shape meets when it is moved by each of the translations.
    fn sweeps<'py>(
        &self,
        py: Python<'py>,
        shape: &str,
        position: [f64; 3],
        orientation: [f64; 4],
        translations: PyReadonlyArray2<'py, f64>,
        only: Option<Vec<usize>>,
    ) -> PyResult<Hits<'py>> {
        let pose = Pose::new(Vec3::from_array(position), Quat::from_array(orientation));
        let translations = vectors("translations", &translations)?;
        let found = self.lock(py, |w| {
            let shape = shape_of(shape)?;
            let (query, mut columns) = (asked(w, only), Columns::default());
            for translation in &translations {
                columns.push(w, query.sweep(&shape, pose, *translation)?)?;
            }
            Ok(columns)
        })?;
        found.arrays(py)
    }
}
