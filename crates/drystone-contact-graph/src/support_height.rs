use crate::links::{Link, Links};
use drystone_core::{ContactGraph, Edge, FrameView, StackLayers};
use drystone_math::{Real, Vec3};

/// Sine of the slope from which a contact counts as carrying: flatter normals push sideways only.
const CARRYING: Real = 0.1;

/// Gravity-aware stack heights.
///
/// A body *carries* another if the mean contact normal between them points up by more than [`CARRYING`]. The height of a body that something carries is one
/// more than that of the highest body carrying it; all others keep their shortest-path height. If bodies carry each other in a ring (an arch's stones leaning
/// on both sides), the ring is cut at its lowest body, by the centre of mass along gravity. So a ball on the ridge of a canyon stands above the balls it rests
/// on, though it also touches the canyon's wall, and shock propagation treats it after them.
///
/// # Source
/// L-23, P-02; Erleben 2005, section 6.4.3, last paragraph: an idea there, without an algorithm.
#[derive(Debug, Clone, Default)]
pub(crate) struct SupportHeights {
    /// Number of bodies that carry it and have no final height yet.
    waiting: Vec<u32>,
    done: Vec<bool>,
    ready: Vec<u32>,
    by_altitude: Vec<(Real, u32)>,
    shortest: Vec<u32>,
}

impl SupportHeights {
    /// Replaces shortest-path heights (one per node, the world last) by gravity-aware ones.
    pub(crate) fn raise(&mut self, frame: FrameView<'_>, graph: &ContactGraph, links: &Links, heights: &mut Vec<u32>) {
        let Some(up) = (-frame.configuration.gravity).try_normalize() else { return };
        self.shortest.clone_from(heights);
        self.start(frame, graph, links, heights, up);
        // longest paths: a body is ready when all that carry it are done
        let mut lowest = 0;
        loop {
            while let Some(node) = self.ready.pop() {
                self.finish(node, frame, graph, links, heights, up);
            }
            // only rings are left: cut one at the lowest body
            while self.by_altitude.get(lowest).is_some_and(|(_, i)| self.done[*i as usize]) {
                lowest += 1;
            }
            let Some((_, body)) = self.by_altitude.get(lowest) else { break };
            self.ready.push(*body);
        }
    }

    fn start(&mut self, frame: FrameView<'_>, graph: &ContactGraph, links: &Links, heights: &mut [u32], up: Vec3) {
        let n = frame.configuration.bodies.len();
        self.waiting.clear();
        self.done.clear();
        self.ready.clear();
        self.by_altitude.clear();
        for node in 0..=n as u32 {
            let (i, fixed) = (node as usize, heights[node as usize] == 0);
            let carriers = links.of(node).iter().filter(|l| !fixed && carried_by(frame, graph, **l, up)).count() as u32;
            self.waiting.push(carriers);
            self.done.push(heights[i] == StackLayers::NONE);
            if heights[i] == StackLayers::NONE || fixed {
                if fixed {
                    self.ready.push(node);
                }
                continue;
            }
            self.by_altitude.push((frame.state.position[i].dot(up), node));
            if carriers == 0 {
                self.ready.push(node);
            } else {
                heights[i] = 0;
            }
        }
        self.by_altitude.sort_unstable_by(|x, y| x.0.total_cmp(&y.0).then(x.1.cmp(&y.1)));
    }

    fn finish(
        &mut self,
        node: u32,
        frame: FrameView<'_>,
        graph: &ContactGraph,
        links: &Links,
        heights: &mut [u32],
        up: Vec3,
    ) {
        let i = node as usize;
        if core::mem::replace(&mut self.done[i], true) {
            return;
        }
        // a ring was cut before anything that carries the body was done
        if heights[i] == 0 {
            heights[i] = self.shortest[i];
        }
        for link in links.of(node) {
            let b = link.to as usize;
            if self.done[b] || self.shortest[b] == 0 || !carried_by(frame, graph, link.back_to(node), up) {
                continue;
            }
            heights[b] = heights[b].max(heights[i] + 1);
            self.waiting[b] -= 1;
            if self.waiting[b] == 0 {
                self.ready.push(link.to);
            }
        }
    }
}

/// Returns true if the node at the beginning of a link is carried by the one at its other end.
fn carried_by(frame: FrameView<'_>, graph: &ContactGraph, link: Link, up: Vec3) -> bool {
    if link.slot == Link::JOINT {
        return false;
    }
    let edge = &graph.edges[link.slot as usize];
    let rise = mean_normal(frame, edge).dot(up);
    if link.backwards { rise > CARRYING } else { rise < -CARRYING }
}

/// Mean of the unit normals from A to B, world frame, as a unit vector.
fn mean_normal(frame: FrameView<'_>, edge: &Edge) -> Vec3 {
    let sum = edge.manifold.points.iter().fold(Vec3::ZERO, |s, p| s + p.normal[0]);
    frame.frames[edge.pair.a.at()].direction(sum).normalize_or_zero()
}
