use crate::MassProperties;
use drystone_math::{Real, SymmetricMat3, Vec3};

/// Volume, centre and second moments of the solid inside closed surfaces made of triangles.
///
/// Each triangle and the first corner seen span a tetrahedron with a sign; by the divergence theorem their sum is that
/// of the solid. Exact for polyhedra up to rounding.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct SolidIntegrals {
    origin: Option<Vec3>,
    volume: Real,
    first: Vec3,
    diagonal: Vec3,
    products: Vec3,
}

impl SolidIntegrals {
    pub(crate) fn add(&mut self, a: Vec3, b: Vec3, c: Vec3) {
        // relative to a point of the surface: far from the origin, nothing cancels
        let o = *self.origin.get_or_insert(a);
        let (a, b, c) = (a - o, b - o, c - o);
        let six = a.dot(b.cross(c));
        let s = a + b + c;
        self.volume += six / 6.0;
        self.first += s * (six / 24.0);
        let w = six / 120.0;
        self.diagonal += (s * s + a * a + b * b + c * c) * w;
        let yzx = |v: Vec3| Vec3::new(v.y, v.z, v.x);
        self.products += (s * yzx(s) + a * yzx(a) + b * yzx(b) + c * yzx(c)) * w;
    }

    /// Mass properties at a density (kg/m^3).
    pub(crate) fn mass_properties(&self, density: Real) -> MassProperties {
        let v = self.volume;
        let c = if v == 0.0 { Vec3::ZERO } else { self.first / v };
        // about the centre: second moments less those of the whole volume at the centre
        let d = (self.diagonal - c * c * v) * density;
        let yzx = Vec3::new(c.y, c.z, c.x);
        // (xy, yz, zx)
        let p = (self.products - c * yzx * v) * density;
        let inertia = SymmetricMat3 {
            diagonal: Vec3::new(d.y + d.z, d.z + d.x, d.x + d.y),
            off_diagonal: -Vec3::new(p.y, p.z, p.x),
        };
        MassProperties { mass: v * density, center: c + self.origin.unwrap_or(Vec3::ZERO), inertia }
    }
}
