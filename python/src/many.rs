//! Many worlds stepped side by side.

use crate::error::{Done, Fail, detached, guarded};
use crate::joints::{FreeCoordinate, drive};
use crate::report::StepReport;
use crate::world::{Inner, NativeWorld, body_id, force_id};
use drystone_core::BodyIndex;
use drystone_joints::Motor;
use drystone_math::Vec3;
use drystone_motion::force::{Axes, PointWrench};
use numpy::{PyReadonlyArray2, PyReadwriteArray2, PyUntypedArrayMethods};
use pyo3::prelude::*;
use rayon::prelude::*;
use std::cell::RefCell;
use std::sync::Arc;

/// Numbers of a body in a row of observations: position, orientation, velocities.
const NUMBERS: usize = 13;

thread_local! {
    /// The pool of the last call from this thread, of its process and size, so that a loop of steps does not start threads anew.
    static POOL: RefCell<Option<([usize; 2], Arc<rayon::ThreadPool>)>> = const { RefCell::new(None) };
}

fn pool(threads: usize) -> Done<Arc<rayon::ThreadPool>> {
    // a process that was forked has none of its parent's threads
    let wanted = [std::process::id() as usize, threads];
    POOL.with_borrow_mut(|kept| {
        if let Some((of, pool)) = kept
            && *of == wanted
        {
            return Ok(pool.clone());
        }
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        let pool = Arc::new(pool.map_err(|e| Fail::Input(format!("no pool of {threads} threads: {e}")))?);
        *kept = Some((wanted, pool.clone()));
        Ok(pool)
    })
}

/// What columns of an action do, in every world.
#[derive(FromPyObject)]
pub(crate) enum Actuator {
    /// (joint, servo, largest force, column).
    Motor(u64, bool, f64, usize),
    /// (force, body, column of each of force and torque or -1, whether in the body's axes).
    Wrench(u64, u64, [i64; 6], bool),
}

impl Actuator {
    fn act(&self, w: &mut Inner, action: &[f64]) -> Done<()> {
        let column = |c: usize| {
            let value = action.get(c).copied().unwrap_or_default();
            if value.is_finite() {
                Ok(value)
            } else {
                Err(Fail::Input(format!("actions[{c}]: found {value}; allowed: a finite number")))
            }
        };
        match *self {
            Self::Motor(joint, servo, max_force, c) => {
                let value = column(c)?;
                let motor = if servo {
                    Motor::Position { target: value, max_force }
                } else {
                    Motor::Velocity { velocity: value, max_force }
                };
                drive(w, joint, motor, FreeCoordinate::First)
            }
            Self::Wrench(force, body, columns, body_axes) => {
                let mut values = [0.0; 6];
                for (value, c) in values.iter_mut().zip(columns) {
                    if let Ok(c) = usize::try_from(c) {
                        *value = column(c)?;
                    }
                }
                let body = w.world().body_index(body_id(body))?;
                let [fx, fy, fz, tx, ty, tz] = values;
                let (force_value, torque) = (Vec3::new(fx, fy, fz), Vec3::new(tx, ty, tz));
                let axes = if body_axes { Axes::Body } else { Axes::World };
                // at the centre of mass, whose place in the body frame is not its origin
                let point = w.world().configuration().body(body).center;
                let wrench = PointWrench { body, point, force: force_value, torque, axes };
                Ok(w.world().set_force(force_id(force), wrench)?)
            }
        }
    }
}

/// Writes the bodies' poses and velocities, one behind the other.
fn observe(w: &Inner, into: &mut [f64]) {
    let (configuration, state) = (w.loaded.world.configuration(), w.loaded.world.state());
    for (i, row) in into.chunks_exact_mut(NUMBERS).enumerate().take(state.len()) {
        let at = BodyIndex::new(i);
        let frame = configuration.body(at).frame(&state.pose(at));
        row[..3].copy_from_slice(&frame.position.to_array());
        row[3..7].copy_from_slice(&frame.orientation.to_array());
        row[7..10].copy_from_slice(&state.linear_velocity[i].to_array());
        row[10..].copy_from_slice(&state.angular_velocity[i].to_array());
    }
}

/// Each of the worlds by `steps` steps of `dt`, on `threads` threads, after `actions` (n, a) were taken to its actuators: a report, or the
/// words of a failure, each. Where `out` (n, bodies x 13) is given it gets what the bodies did. A world's result does not depend on the
/// others nor on the number of threads; `which` leaves out those where it is false.
#[pyfunction]
pub(crate) fn advance_all(
    py: Python<'_>,
    worlds: Vec<Py<NativeWorld>>,
    dt: f64,
    steps: u64,
    threads: usize,
    actuators: Vec<Actuator>,
    actions: Option<PyReadonlyArray2<'_, f64>>,
    out: Option<PyReadwriteArray2<'_, f64>>,
    which: Option<Vec<bool>>,
) -> PyResult<Vec<(Option<StepReport>, Option<String>)>> {
    let n = worlds.len();
    let width = actions.as_ref().map_or(0, |a| a.shape()[1]);
    let actions = match &actions {
        Some(a) if a.shape()[0] != n => {
            return Err(Fail::Input(format!("actions: found {} rows; allowed: {n}", a.shape()[0])).into());
        }
        Some(a) => a.as_slice().map_err(|_| Fail::Input("actions: allowed: a C-contiguous array".to_owned()))?,
        None => &[],
    };
    let mut out = out;
    let columns = out.as_ref().map_or(0, |o| o.shape()[1]);
    let target: &mut [f64] = match &mut out {
        Some(o) if o.shape()[0] != n => {
            return Err(Fail::Input(format!("out: found {} rows; allowed: {n}", o.shape()[0])).into());
        }
        Some(o) => o.as_slice_mut().map_err(|_| Fail::Input("out: allowed: a C-contiguous array".to_owned()))?,
        None => &mut [],
    };
    let mut parts: Vec<&mut [f64]> = if columns > 0 { target.chunks_exact_mut(columns).collect() } else { Vec::new() };
    parts.resize_with(n, Default::default);
    let mut tasks: Vec<(usize, &NativeWorld, &mut [f64])> =
        worlds.iter().zip(parts).enumerate().map(|(i, (w, part))| (i, w.get(), part)).collect();

    let one = |(i, world, part): &mut (usize, &NativeWorld, &mut [f64])| {
        guarded(|| {
            let mut inner = world.locked()?;
            let mut report = drystone::StepReport::default();
            if which.as_ref().is_none_or(|w| w.get(*i).copied().unwrap_or(false)) {
                for actuator in &actuators {
                    actuator.act(&mut inner, &actions[*i * width..(*i + 1) * width])?;
                }
                for _ in 0..steps {
                    report = inner.step(dt)?;
                }
            }
            observe(&inner, part);
            Ok(StepReport::from(report))
        })
    };
    let done: Vec<Done<StepReport>> = detached(py, || {
        if threads <= 1 {
            return Ok(tasks.iter_mut().map(one).collect());
        }
        let pool = pool(threads)?;
        Ok(pool.install(|| tasks.par_iter_mut().map(one).collect()))
    })?;
    done.into_iter()
        .map(|report| match report {
            Ok(report) => Ok((Some(report), None)),
            Err(Fail::Step { text, .. }) => Ok((None, Some(text))),
            Err(other) => Err(other.into()),
        })
        .collect()
}
