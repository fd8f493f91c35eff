//! A minimum-degree ordering of the vertices of a graph given as a cover by cliques.
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Multiplications that take as long as visiting a vertex in a clique: three visits, and updating its place in the
/// heap.
const VISIT: f64 = 16.0;

/// A clique of the graph, given or made by an elimination.
struct Clique {
    members: Vec<u32>,
    weight: u64,
    alive: bool,
}

/// An order of elimination with little fill: always the vertex of least approximate degree, ties by index.
///
/// `weights` is the number of rows that a vertex stands for, `cliques` covers all edges. Eliminating a vertex joins the cliques that it is in (for bodies
/// and contacts: it makes one body of two), so no edge is ever stored. `None` as soon as the factorisation in this order, or finding the order, turns out
/// to take more than `limit` multiplications; `taken` is set to what finding it took.
///
/// # Cost
/// About the number of memberships times the logarithm of the number of vertices, if cliques stay small.
///
/// # Source
/// Amestoy, Davis, Duff: An approximate minimum degree ordering algorithm, 1996, section 4 (the degree bound, aggressive absorption).
pub(crate) fn minimum_degree(weights: &[u32], cliques: Vec<Vec<u32>>, limit: f64, taken: &mut f64) -> Option<Vec<u32>> {
    let n = weights.len();
    let weight_of = |members: &[u32]| weight_of(members, weights);
    let (mut of, mut all) = memberships(weights, cliques);
    *taken = VISIT * of.iter().map(Vec::len).sum::<usize>() as f64;
    let mut degree: Vec<u64> =
        (0..n).map(|v| of[v].iter().map(|&c| all[c as usize].weight - u64::from(weights[v])).sum::<u64>()).collect();
    let mut heap: BinaryHeap<Reverse<(u64, u32)>> = (0..n).map(|v| Reverse((degree[v], v as u32))).collect();
    let mut done = vec![false; n];
    let (mut marked, mut touched) = (vec![usize::MAX; n], vec![usize::MAX; all.len() + n]);
    let mut left = vec![0_u64; all.len() + n];
    let mut order = Vec::with_capacity(n);
    let mut work = 0.0;
    while let Some(Reverse((found, vertex))) = heap.pop() {
        let v = vertex as usize;
        if done[v] || found != degree[v] {
            continue;
        }
        done[v] = true;
        let (own, others) = (f64::from(weights[v]), degree[v] as f64);
        work += own * (others + own) * (others + own);
        if work > limit || *taken > limit {
            return None;
        }
        let stamp = order.len();
        order.push(vertex);
        let members = join(&mut all, std::mem::take(&mut of[v]), |u| {
            !done[u as usize] && std::mem::replace(&mut marked[u as usize], stamp) != stamp
        });
        if members.is_empty() {
            continue;
        }
        let (joined, joined_weight) = (all.len() as u32, weight_of(&members));
        // How many members each other clique has outside the new one.
        for &u in &members {
            *taken += VISIT * (of[u as usize].len() + 1) as f64;
            of[u as usize].retain(|&c| all[c as usize].alive);
            for &c in &of[u as usize] {
                let c = c as usize;
                if touched[c] != stamp {
                    touched[c] = stamp;
                    left[c] = all[c].weight;
                }
                left[c] -= u64::from(weights[u as usize]);
            }
        }
        for &u in &members {
            let u = u as usize;
            of[u].retain(|&c| left[c as usize] > 0);
            let outside: u64 = of[u].iter().map(|&c| left[c as usize]).sum();
            degree[u] = joined_weight - u64::from(weights[u]) + outside;
            of[u].push(joined);
            heap.push(Reverse((degree[u], u as u32)));
        }
        all.push(Clique { members, weight: joined_weight, alive: true });
    }
    Some(order)
}

fn weight_of(members: &[u32], weights: &[u32]) -> u64 {
    members.iter().map(|&v| u64::from(weights[v as usize])).sum()
}

/// The cliques that each vertex is in, and the cliques.
fn memberships(weights: &[u32], cliques: Vec<Vec<u32>>) -> (Vec<Vec<u32>>, Vec<Clique>) {
    let mut of: Vec<Vec<u32>> = vec![Vec::new(); weights.len()];
    let mut all: Vec<Clique> = Vec::with_capacity(cliques.len() + weights.len());
    for members in cliques {
        for &v in &members {
            of[v as usize].push(all.len() as u32);
        }
        all.push(Clique { weight: weight_of(&members, weights), members, alive: true });
    }
    (of, all)
}

/// The members of some cliques that `is_new` accepts, each at its first place; afterwards the cliques are dead.
fn join(all: &mut [Clique], cliques: Vec<u32>, mut is_new: impl FnMut(u32) -> bool) -> Vec<u32> {
    let mut members = Vec::new();
    for c in cliques {
        let clique = &mut all[c as usize];
        if clique.alive {
            clique.alive = false;
            members.extend(std::mem::take(&mut clique.members).into_iter().filter(|u| is_new(*u)));
        }
    }
    members
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every vertex in a clique with every other: the factors are affordable, but finding the order costs more than they
    /// do.
    #[test]
    fn an_order_that_takes_too_long_to_find_is_none() {
        let n = 60_u32;
        let pairs = || (0..n).flat_map(|a| (0..a).map(move |b| vec![a, b])).collect::<Vec<_>>();
        let mut taken = 0.0;
        assert!(minimum_degree(&vec![1; n as usize], pairs(), 1e8, &mut taken).is_some());
        let factors = f64::from(n).powi(3) / 3.0;
        assert!(taken > 2.0 * factors, "{taken} {factors}");
        let limit = 0.6 * taken;
        assert!(minimum_degree(&vec![1; n as usize], pairs(), limit, &mut taken).is_none());
        // at most one elimination beyond it
        assert!(taken < limit + VISIT * f64::from(n * (n + 1)), "{taken} {limit}");
    }

    #[test]
    fn a_star_is_eliminated_from_its_tips() {
        let edges = (1..6).map(|v| vec![0, v]).collect();
        let order = minimum_degree(&[1; 6], edges, 1e3, &mut 0.0).unwrap();
        assert!(order.iter().position(|&v| v == 0).unwrap() >= 4, "{order:?}");
    }

    #[test]
    fn a_ring_stays_sparse_and_every_vertex_comes_once() {
        let n = 50_u32;
        let ring = || (0..n).map(|v| vec![v, (v + 1) % n]).collect();
        let mut taken = 0.0;
        assert!(minimum_degree(&vec![3; n as usize], ring(), 1e3, &mut taken).is_none());
        let mut order = minimum_degree(&vec![3; n as usize], ring(), 1e5, &mut taken).unwrap();
        assert!(taken > 1e3 && taken < 1e4, "{taken}");
        order.sort_unstable();
        assert_eq!(order, (0..n).collect::<Vec<_>>());
    }
}
