use super::SignedDistanceMap;
use drystone_math::{Mat3, Pose, Real, Vec3};

/// Added to a number of at least one half, this leaves its integer part in the low bits: 2^23 - 1/2.
const WHOLE: f32 = 8_388_607.5;

/// A ball in single precision: its centre and its radius (m), grown so that it holds all that it held before.
pub(super) type Ball = [f32; 4];

/// Relative error of a length in cells in single precision, with room to spare.
const ROUNDING: Real = 1e-6;

/// The ball in single precision.
pub(super) fn ball(center: Vec3, radius: Real) -> Ball {
    let c = center.to_array().map(|x| x as f32);
    let moved = (Vec3::from_array(c.map(Real::from)) - center).length();
    [c[0], c[1], c[2], ((radius + moved) * (1.0 + ROUNDING)) as f32]
}

/// A map seen from the frame of points that are to be looked up in it, prepared to skip whatever is certainly farther
/// away than a level: four numbers at a time and one byte of the map per ball.
///
/// # Source
/// Thesis 6.2.2 (J-18). Differs in: a ball whose centre is outside the map is skipped by the value at the nearest point of the
/// map's box together with the way to it; the thesis tests the box alone.
#[derive(Debug, Clone, Copy)]
pub struct PlacedMap<'a> {
    map: &'a SignedDistanceMap,
    turn: Mat3,
    shift: Vec3,
    /// The same as columns; the fourth number of each is unused.
    columns: [[f32; 4]; 4],
    last: [f32; 4],
    per_cell: f32,
    /// Largest distance of a point (cells), rounding included.
    level: f32,
}

impl<'a> PlacedMap<'a> {
    /// The map for points in another frame: `pose` is the pose of that frame in the map's, no point is farther from its
    /// origin than `extent` (m), and values up to `level` (m) are sought.
    pub fn new(map: &'a SignedDistanceMap, pose: &Pose, extent: Real, level: Real) -> Self {
        let per_cell = 1.0 / map.cell();
        let turn = Mat3::from_quat(pose.orientation) * per_cell;
        let shift = (pose.position - map.origin()) * per_cell;
        let column = |v: Vec3| [v.x as f32, v.y as f32, v.z as f32, 0.0];
        let rounding = ROUNDING * (4.0 * extent * per_cell + 4.0 * shift.length() + 100.0);
        Self {
            map,
            turn,
            shift,
            columns: [column(turn.x_axis), column(turn.y_axis), column(turn.z_axis), column(shift)],
            last: column(map.last()),
            per_cell: (per_cell * (1.0 + ROUNDING)) as f32,
            level: (level * per_cell + rounding) as f32,
        }
    }

    /// A point in units of the map's cells, from its lowest corner.
    #[inline]
    pub fn place(&self, point: Vec3) -> Vec3 {
        self.turn * point + self.shift
    }

    /// The map.
    pub fn map(&self) -> &'a SignedDistanceMap {
        self.map
    }

    /// Returns true if a ball about a point (m) may hold points with values up to the level.
    #[inline]
    pub fn ball_may_reach(&self, center: Vec3, radius: Real) -> bool {
        self.may_reach(ball(center, radius))
    }

    /// Returns true if the ball may hold points with values up to the level, judged by the least of the eight values
    /// around its centre, or around the point of the map's box nearest to it. The surface lies in the box, so the
    /// square of its distance is at least the square of the way to the box plus the square of the way on from there.
    #[inline]
    pub(super) fn may_reach(&self, ball: Ball) -> bool {
        let [x, y, z, t] = &self.columns;
        let u: [f32; 4] = core::array::from_fn(|k| (x[k] * ball[0] + y[k] * ball[1]) + (z[k] * ball[2] + t[k]));
        let in_box: [f32; 4] = core::array::from_fn(|k| u[k].max(0.0).min(self.last[k]));
        let away: [f32; 4] = core::array::from_fn(|k| (u[k] - in_box[k]) * (u[k] - in_box[k]));
        let away = away[0] + away[1] + away[2];
        let reach = ball[3] * self.per_cell + self.level;
        if away > reach * reach {
            return false;
        }
        // a point in the first or last cell is looked up at the middle of that cell
        let whole: [f32; 4] = core::array::from_fn(|k| in_box[k].max(0.5).min(self.last[k] - 0.5) + WHOLE);
        let cell = core::array::from_fn(|k| (whole[k].to_bits() & 0x7f_ffff) as usize);
        let least = self.map.floor(cell);
        least * least + away <= reach * reach
    }
}
