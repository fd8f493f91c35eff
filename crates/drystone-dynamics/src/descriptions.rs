//! The solvers of the velocity-based problem under the names that scene files use: one for each set that friction is kept in, and the older name that stands for
//! any of the three, depending on its settings.

use crate::corrector::ProjectionSettings;
use crate::{FrictionModel, GeometricStiffness, RowParameters};
use drystone_core::catalogue::{Implementation, Parameter, Settings, chosen, read_if};
use drystone_core::{choice, parameters, settings};
use drystone_math::Real;

settings! {
    /// The friction pyramid.
    #[derive(Debug, Clone, Copy, PartialEq)]
    pub(crate) struct PyramidSettings {
        /// directions of the friction pyramid (even)
        facets: usize = integer(4, 4, 64),
    }
}

choice! {
    /// Solver of cone problems: contact by contact in place, or a solver of `drystone-lcp`.
    pub(crate) enum ConeMethod {
        Sweep = "sweep",
        NonsmoothGaussSeidel = "nonsmooth-gauss-seidel",
        Admm = "cone-admm",
        AcceleratedProjectedGradient = "cone-accelerated-projected-gradient",
        Staggering = "staggering",
        NonsmoothNewton = "nonsmooth-newton",
        ProximalNonsmoothNewton = "proximal-nonsmooth-newton",
    }
}

settings! {
    /// Coulomb's cone.
    #[derive(Debug, Clone, Copy, PartialEq)]
    pub(crate) struct ConeSettings {
        /// solver of cone friction; all except sweep solve only groups of plain contacts and leave the others to sweep
        solver: ConeMethod = choice(Sweep),
        /// maximum iterations of the cone solver; 0: as many as the sweeps of the lcp table's solver, or a hundred if it makes none
        iterations: usize = integer(0, 0, 1_000_000_000),
        /// residual (m/s, N s) at which it stops; 0: all iterations are made
        tolerance: Real = real(1e-9, 0.0, 1e12),
    }
}

/// Settings that do not depend on the set that friction is kept in.
const COMMON: &[Parameter] = parameters!(
    &chosen(
        RowParameters::PARAMETERS,
        ["stabilization", "erp", "cfm", "restitution", "restitution_law", "resting_factor"],
    ),
    ProjectionSettings::PARAMETERS,
    &chosen(RowParameters::PARAMETERS, ["warm_start_scale", "orthogonal_joints", "joint_start", "load_start"]),
    GeometricStiffness::PARAMETERS,
    &chosen(RowParameters::PARAMETERS, ["spring_rule"]),
);

const SOURCE: &str = "Erleben 2005, sections 4.3 to 4.6, 4.14 to 4.16, 6.1 and 6.4; Anitescu-Potra, Stewart-Trinkle";

/// Friction in boxes and discs.
pub(crate) const BOXED: Implementation = Implementation {
    name: "boxed",
    summary: "velocity-based complementarity: one boxed problem for the impulses of a group, friction in boxes or discs",
    source: SOURCE,
    parameters: parameters!(&chosen(RowParameters::PARAMETERS, ["friction", "box_limit", "reuse_forces"]), COMMON),
};

/// The full friction pyramid.
pub(crate) const PYRAMID: Implementation = Implementation {
    name: "pyramid",
    summary: "velocity-based complementarity with the full friction pyramid: auxiliary variables, unsymmetric matrix",
    source: SOURCE,
    parameters: parameters!(PyramidSettings::PARAMETERS, COMMON),
};

/// Coulomb's cone.
pub(crate) const CONE: Implementation = Implementation {
    name: "cone",
    summary: "velocity-based complementarity with Coulomb's exact cone, contact by contact; groups with joints as boxed, with discs",
    source: SOURCE,
    parameters: parameters!(ConeSettings::PARAMETERS, COMMON),
};

choice! {
    /// Sets of friction that have a solver of their own; the boxed problem has all [others](FrictionModel).
    enum OwnSolver {
        Pyramid = "pyramid",
        Cone = "cone",
    }
}

/// All sets of friction.
const FRICTION: &[&str] = {
    const ALL: [&str; FrictionModel::NAMES.len() + OwnSolver::NAMES.len()] = {
        let (boxed, own) = (FrictionModel::NAMES, OwnSolver::NAMES);
        let mut all = [""; FrictionModel::NAMES.len() + OwnSolver::NAMES.len()];
        let mut i = 0;
        while i < all.len() {
            all[i] = if i < boxed.len() { boxed[i] } else { own[i - boxed.len()] };
            i += 1;
        }
        all
    };
    &ALL
};

/// The three solvers under one name, told apart by the setting `friction`.
pub(crate) const VELOCITY_COMPLEMENTARITY: Implementation = Implementation {
    name: "velocity-complementarity",
    summary: "boxed, pyramid or cone, chosen by the setting friction; errors removed by projection",
    source: SOURCE,
    parameters: parameters!(
        &[Parameter::choice(
            "friction",
            FrictionModel::Disc.name(),
            FRICTION,
            "admissible friction impulses: none, constant box, box or disc scaled by the normal impulse, pyramid with auxiliary variables, Coulomb's cone contact by contact (groups with joints: as disc)",
        )],
        &read_if::<1>(PyramidSettings::PARAMETERS, "friction", &[OwnSolver::Pyramid.name()]),
        &chosen(RowParameters::PARAMETERS, ["box_limit", "reuse_forces"]),
        &read_if::<3>(&CONE_BY_ALIAS, "friction", &[OwnSolver::Cone.name()]),
        COMMON,
    ),
};

/// Keys of `velocity-complementarity` that have another name in the solver that they belong to.
const ALIASES: [(&str, &str); 3] =
    [("cone_solver", "solver"), ("cone_iterations", "iterations"), ("cone_tolerance", "tolerance")];

const CONE_BY_ALIAS: [Parameter; 3] = {
    let mut all = chosen(ConeSettings::PARAMETERS, [ALIASES[0].1, ALIASES[1].1, ALIASES[2].1]);
    let mut i = 0;
    while i < all.len() {
        all[i].name = ALIASES[i].0;
        i += 1;
    }
    all
};

/// Returns true if a solver of this crate with these settings poses a complementarity problem with bounds only: rows
/// and numbers, without cones or auxiliary variables.
pub fn poses_boxed_problem(name: &str, settings: &Settings) -> bool {
    let meant = if name == VELOCITY_COMPLEMENTARITY.name { meant(settings).0.name } else { name };
    meant == BOXED.name || (meant == crate::SWEEPS_DESCRIPTION.name && settings.text("friction") != CONE.name)
}

/// Which of the three solvers `velocity-complementarity` stands for, and those of its settings that this solver reads.
pub(crate) fn meant(settings: &Settings) -> (&'static Implementation, Settings) {
    let solver = match OwnSolver::from_name(settings.text("friction")) {
        Some(OwnSolver::Pyramid) => &PYRAMID,
        Some(OwnSolver::Cone) => &CONE,
        None => &BOXED,
    };
    let mut own = Settings::defaults(solver);
    for (parameter, value) in settings.iter() {
        let key = ALIASES.iter().find(|(old, _)| *old == parameter.name).map_or(parameter.name, |(_, new)| new);
        if own.has(key) {
            let set = own.set(key, value);
            debug_assert!(set.is_ok(), "{key} is declared once");
        }
    }
    (solver, own)
}

#[cfg(test)]
mod tests {
    use super::*;
    use drystone_core::catalogue::Value;

    #[test]
    fn the_one_name_stands_for_three() {
        let with = |set: &[(&str, Value)]| {
            let mut settings = Settings::defaults(&VELOCITY_COMPLEMENTARITY);
            for (key, value) in set {
                settings.set(key, value).unwrap();
            }
            let (solver, own) = meant(&settings);
            (solver.name, own)
        };
        let text = |v: &str| Value::Text(v.to_owned());
        // defaults are the same under either name
        for solver in [&BOXED, &PYRAMID, &CONE] {
            let friction = if solver.name == BOXED.name { "disc" } else { solver.name };
            assert_eq!(with(&[("friction", text(friction))]), (solver.name, Settings::defaults(solver)));
        }
        let (name, own) =
            with(&[("friction", text("scaled-box")), ("erp", Value::Real(0.3)), ("facets", Value::Integer(8))]);
        assert_eq!(
            (name, own.text("friction"), own.real("erp"), own.has("facets")),
            ("boxed", "scaled-box", 0.3, false)
        );
        let set =
            [("friction", text("cone")), ("cone_solver", text("staggering")), ("cone_iterations", Value::Integer(7))];
        let (name, own) = with(&set);
        assert_eq!((name, own.text("solver"), own.integer("iterations")), ("cone", "staggering", 7));
        let (name, own) =
            with(&[("friction", text("pyramid")), ("facets", Value::Integer(8)), ("slop", Value::Real(1e-3))]);
        assert_eq!((name, own.integer("facets"), own.real("slop")), ("pyramid", 8, 1e-3));
    }
}
