//! `drystone query` on a scene: what rays, points and moved shapes meet.

use crate::{Failure, catalogue_of, open};
use drystone::{Hit, QueryError, Registry, WorldBuilder};
use drystone_scene::{Document, Scene, SceneQuestions};
use schemars::JsonSchema;
use serde::Serialize;

/// An answer, its entries null where nothing is met.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Hit")]
pub(crate) struct Answer {
    /// Name of the body.
    body: Option<String>,
    /// Along a ray's unit direction; of a point signed, negative inside; the way of a sweep until it touches (m).
    distance: Option<f64>,
    /// On the body's surface (m).
    position: Option<[f64; 3]>,
    /// Out of the body, of unit length.
    normal: Option<[f64; 3]>,
}

/// All answers, in the order of the questions.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Answers {
    /// Of each ray.
    rays: Vec<Answer>,
    /// Of each point.
    points: Vec<Answer>,
    /// Of each sweep.
    sweeps: Vec<Answer>,
}

impl Answers {
    /// One JSON object.
    pub(crate) fn to_json(&self) -> Result<String, Failure> {
        Ok(serde_json::to_string(self).map_err(|e| Failure::Input(e.to_string()))? + "\n")
    }

    /// One line per question.
    pub(crate) fn to_table(&self) -> String {
        let header = ["question", "body", "distance (m)", "position", "normal"];
        let vector =
            |v: Option<[f64; 3]>| v.map_or_else(|| "-".to_owned(), |[x, y, z]| format!("{x:.6} {y:.6} {z:.6}"));
        let mut rows = Vec::new();
        for (kind, list) in [("ray", &self.rays), ("point", &self.points), ("sweep", &self.sweeps)] {
            for (i, a) in list.iter().enumerate() {
                let distance = a.distance.map_or_else(|| "-".to_owned(), |d| format!("{d:.9}"));
                let body = a.body.clone().unwrap_or_else(|| "-".to_owned());
                rows.push(vec![format!("{kind} {i}"), body, distance, vector(a.position), vector(a.normal)]);
            }
        }
        crate::table::aligned(&header, &rows)
    }
}

/// Answers a file's questions.
pub(crate) fn answer(document: Document, registry: &Registry) -> Result<Answers, Failure> {
    let modules = catalogue_of(registry);
    let document = match SceneQuestions::scene_name(&document) {
        Some(name) => {
            let named = open(name)?;
            Scene::from_document(named.clone(), &modules)?;
            document.with_scene(named)
        }
        None => document,
    };
    let SceneQuestions { scene, rays, points, sweeps } = SceneQuestions::read(&document, &modules)?;
    let built = scene.build()?;
    let names = built.names;
    let world = WorldBuilder::default()
        .build_with(built.configuration, built.state)
        .map_err(|e| Failure::Input(format!("{}: {e}", built.name)))?;
    let query = world.query();
    let name = |hit: &Hit| {
        let column = world.body_index(hit.body).map_err(|e| Failure::Input(e.to_string()))?;
        Ok::<_, Failure>(names.get(column.at()).cloned())
    };
    let put = |list: &str, number: usize, found: Result<Option<Hit>, QueryError>| {
        let hit = found.map_err(|e| Failure::Input(format!("{list}[{number}]: {e}")))?;
        Ok::<_, Failure>(Answer {
            body: hit.as_ref().map(&name).transpose()?.flatten(),
            distance: hit.map(|h| h.distance),
            position: hit.map(|h| plain(h.position.to_array())),
            normal: hit.map(|h| plain(h.normal.to_array())),
        })
    };
    let rays = rays.iter().enumerate().map(|(i, q)| put("rays", i, query.ray(q.origin, q.direction, q.length)));
    let points = points.iter().enumerate().map(|(i, q)| put("points", i, query.nearest(*q, f64::INFINITY)));
    let sweeps = sweeps.iter().enumerate();
    let sweeps = sweeps.map(|(i, q)| put("sweeps", i, query.sweep(&q.shape, q.pose, q.translation)));
    Ok(Answers {
        rays: rays.collect::<Result<_, _>>()?,
        points: points.collect::<Result<_, _>>()?,
        sweeps: sweeps.collect::<Result<_, _>>()?,
    })
}

/// Three numbers; no minus before a zero.
fn plain(v: [f64; 3]) -> [f64; 3] {
    v.map(|x| x + 0.0)
}
