"""Complementarity problems on arrays."""

import numpy as np
import pytest
import scipy.sparse

import drystone
from drystone import lcp


def problem(n=12, seed=1):
    rng = np.random.default_rng(seed)
    g = rng.normal(size=(n, n))
    return g @ g.T + np.eye(n), rng.normal(size=n)


def test_the_answer_is_complementary():
    a, b = problem()
    s = lcp.solve(a, b, solver="lemke")
    assert s.converged and s.residual < 1e-9
    np.testing.assert_allclose(s.w, a @ s.x + b, atol=1e-12)
    assert s.x.min() >= 0 and s.w.min() > -1e-9 and abs(s.x @ s.w) < 1e-9


@pytest.mark.parametrize("solver", [s["name"] for s in lcp.solvers("boxed") if s["name"] != "enumeration"])
def test_every_solver_finds_the_bounded_answer(solver):
    a, b = problem()
    s = lcp.solve(a, b, lo=-0.1, hi=np.full(12, 0.2), solver=solver, tolerance=1e-6, max_iterations=5000)
    assert s.converged, s
    assert s.x.min() >= -0.1 - 1e-9 and s.x.max() <= 0.2 + 1e-9


def test_sparse_and_dense_agree_to_the_bit_and_history_falls():
    a, b = problem()
    dense = lcp.solve(a, b, history=True, tolerance=1e-10)
    sparse = lcp.solve(scipy.sparse.csr_matrix(a), b, history=True, tolerance=1e-10)
    np.testing.assert_allclose(dense.x, sparse.x, atol=1e-12)
    assert len(dense.history) == dense.iterations + 1 and dense.history[-1] < 1e-10 < dense.history[0]
    assert len(lcp.solve(a, b).history) == 0
    # from the answer there is nothing left to do
    assert lcp.solve(a, b, x0=dense.x, tolerance=1e-9).iterations <= 1


def test_a_large_sparse_problem_stays_sparse():
    n = 20000
    a = scipy.sparse.diags([-1.0, 2.5, -1.0], [-1, 0, 1], shape=(n, n))
    s = lcp.solve(a, -np.ones(n), tolerance=1e-8)
    assert s.converged and s.x.min() > 0


def test_dependent_bounds_are_friction():
    a, b = np.eye(2), np.array([-2.0, -5.0])
    s = lcp.solve(a, b, dependency=[-1, 0], mu=[0.0, 0.5], tolerance=1e-12)
    np.testing.assert_allclose(s.x, [2.0, 1.0], atol=1e-12)


def test_cones():
    q = np.array([-1.0, -2.0, 0.0])
    s = lcp.solve_cone(np.eye(3), q, [0.3], tolerance=1e-10)
    assert s.converged
    assert np.hypot(*s.x[1:]) == pytest.approx(0.3 * s.x[0], abs=1e-9)


def test_errors_are_told():
    a, b = problem()
    with pytest.raises(drystone.InputError, match="no solver is named"):
        lcp.solve(a, b, solver="magic")
    with pytest.raises(drystone.InputError, match="shape"):
        lcp.solve(a[:, :5], b)
    with pytest.raises(drystone.LcpError, match="exceeds"):
        lcp.solve(a, b, lo=1.0, hi=0.0)
    with pytest.raises(drystone.LcpError, match="b\\[0\\]"):
        lcp.solve(a, np.full(12, np.nan))
    with pytest.raises(drystone.LcpError, match="parameter"):
        lcp.solve(a, b, parameters={"magic": 1})
    with pytest.raises(drystone.InputError, match="takes no problems"):
        lcp.solve(a, b, solver="nonsmooth-newton")
    assert lcp.solve(np.array([[-1.0]]), np.array([-1.0]), solver="lemke").status != "converged"
