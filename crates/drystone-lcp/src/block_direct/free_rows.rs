//! The equations of the free rows of a factored problem, factorised.
use super::factors::side_by_side::Numbers;
use super::factors::{BlockFactors, Weighing};
use super::graph::{BlockGraph, Graphs};
use crate::pivoting::principal::Side;
use crate::sparse_direct::factors::DEPENDENT;
use crate::{Budget, FactoredOperator};

/// A row that keeps at most this fraction of its diagonal entry, in the matrix of bodies of equal mass, is redundant.
const REDUNDANT: f64 = 1e-6;
/// The compliance given to redundant rows, as a fraction of their diagonal entries.
const YIELDING: f64 = 1e-7;
/// See [`FreeRows::left_of_held`].
const HELD: f64 = 1e-9;
const HELD_BY_YIELDING: f64 = 10.0 * YIELDING;

/// Treatment of rows that depend on each other.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Redundancy {
    /// The system is not factorised.
    Refused,
    /// All rows yield a little; solving again for the remaining error removes that.
    Yielding,
    /// All rows yield by this fraction of their diagonal entries, redundant or not.
    Damped(f64),
}

/// `A_FF`, F the free rows, as L D L^T of blocks. Its analysis is kept for problems met again.
#[derive(Debug, Default)]
pub(crate) struct FreeRows {
    graphs: Graphs,
    factors: BlockFactors,
    geometry: BlockFactors,
    yields: bool,
    /// The free rows to which the factors belong; empty if there are no valid factors.
    factorised: Vec<bool>,
}

impl FreeRows {
    /// Factorises; returns whether it did. It does not if the factors fill in too much, the budget does not pay, or redundant rows are
    /// refused.
    pub(crate) fn factorise(
        &mut self,
        op: &FactoredOperator,
        sides: &[Side],
        redundancy: Redundancy,
        budget: &mut Budget,
    ) -> bool {
        self.forget();
        let factorised = self.factorise_anew(op, sides, redundancy, budget);
        if factorised && !self.yields {
            self.factorised.extend(sides.iter().map(|side| *side == Side::Free));
        }
        factorised
    }

    /// The same if A is bit for bit that of the last factorisation: the factors stay if the free rows are the same. The budget is charged the same.
    pub(crate) fn factorise_again(
        &mut self,
        op: &FactoredOperator,
        sides: &[Side],
        redundancy: Redundancy,
        budget: &mut Budget,
    ) -> bool {
        let free = sides.iter().map(|side| *side == Side::Free);
        match self.graphs.last() {
            Some(graph) if !sides.is_empty() && free.eq(self.factorised.iter().copied()) => {
                budget.pays(graph.multiplications)
            }
            _ => self.factorise(op, sides, redundancy, budget),
        }
    }

    /// Marks the factors as invalid.
    pub(crate) fn forget(&mut self) {
        self.factorised.clear();
    }

    fn factorise_anew(
        &mut self,
        op: &FactoredOperator,
        sides: &[Side],
        redundancy: Redundancy,
        budget: &mut Budget,
    ) -> bool {
        let Self { graphs, factors, geometry, yields, .. } = self;
        *yields = false;
        let Some(graph) = graphs.of(op, sides) else { return false };
        if !budget.pays(graph.multiplications) {
            return false;
        }
        factors.read(op, graph, Weighing::Inertia);
        if let Redundancy::Damped(fraction) = redundancy {
            factors.yields(graph, fraction);
            *yields = true;
            return factors.factorise(graph) > 0.0;
        }
        let least = factors.factorise(graph);
        if least.is_nan() {
            return false;
        }
        if least > DEPENDENT && !is_redundant(op, graph, factors, geometry) {
            return true;
        }
        if redundancy == Redundancy::Refused || !budget.pays(graph.multiplications) {
            return false;
        }
        factors.read(op, graph, Weighing::Inertia);
        factors.yields(graph, YIELDING);
        *yields = true;
        factors.factorise(graph) > 0.0
    }

    /// The change of the free rows' multipliers that takes out their w, as (row, change), in the order of elimination.
    pub(crate) fn changes<'a>(&'a self, w: &[f64], right: &'a mut Vec<f64>) -> impl Iterator<Item = (usize, f64)> + 'a {
        let graph = self.graphs.last();
        right.clear();
        if let Some(graph) = graph {
            self.factors.solve(graph, w, right);
        }
        let rows = graph.map_or(&[][..], |graph| &graph.rows);
        rows.iter().copied().zip(right.iter().copied())
    }

    /// The free rows in the order of elimination.
    pub(crate) fn order(&self) -> &[usize] {
        self.graphs.last().map_or(&[], |graph| &graph.rows)
    }

    /// Solves `A_FF` for several right-hand sides in place, in the order of elimination. For code that is compiled for wide registers.
    #[inline(always)]
    pub(crate) fn solve_side_by_side(&self, x: &mut [Numbers]) {
        if let Some(graph) = self.graphs.last() {
            self.factors.solve_side_by_side(graph, x);
        }
    }

    /// The remaining response of a row that the free rows hold, as a fraction of its response without them: rounding, and the yielding of
    /// redundant rows.
    pub(crate) fn left_of_held(&self) -> f64 {
        if self.yields { HELD_BY_YIELDING } else { HELD }
    }

    /// Number of free rows of the last problem.
    pub(crate) fn rows(&self) -> usize {
        self.graphs.last().map_or(0, |graph| graph.rows.len())
    }

    /// Numbers in the factors of the last problem.
    pub(crate) fn entries(&self) -> usize {
        self.graphs.last().map_or(0, |graph| graph.values)
    }

    /// Multiplications of a solution.
    pub(crate) fn solution_cost(&self) -> f64 {
        self.graphs.last().map_or(0.0, |graph| graph.solution_multiplications)
    }
}

/// Returns true if free rows depend on each other, or nearly so. Small pivots of A may belong to a heavy body among
/// light ones.
fn is_redundant(
    op: &FactoredOperator,
    graph: &BlockGraph,
    factors: &BlockFactors,
    geometry: &mut BlockFactors,
) -> bool {
    if factors.suspects.is_empty() {
        return false;
    }
    let geometric = if graph.is_forest {
        // rows of different blocks are independent
        factors.least_alone(op, graph)
    } else {
        geometry.read(op, graph, Weighing::EqualMasses);
        geometry.factorise(graph)
    };
    geometric.is_nan() || geometric <= REDUNDANT
}
