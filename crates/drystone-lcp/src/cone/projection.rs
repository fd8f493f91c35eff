/// The projection of (r_n, r_t) on Coulomb's cone |r_t| <= mu r_n.
pub fn project_on_cone(r: [f64; 3], mu: f64) -> [f64; 3] {
    let tangential = libm::hypot(r[1], r[2]);
    if tangential <= mu * r[0] {
        return r;
    }
    if mu * tangential <= -r[0] {
        return [0.0; 3];
    }
    let normal = (r[0] + mu * tangential) / (1.0 + mu * mu);
    let scale = if tangential > 0.0 { mu * normal / tangential } else { 0.0 };
    [normal, scale * r[1], scale * r[2]]
}

/// Projects the tangential part on the disc of the given radius; the normal part is kept.
pub(crate) fn project_on_disc(t: [f64; 2], radius: f64) -> [f64; 2] {
    let size = libm::hypot(t[0], t[1]);
    if size <= radius || size == 0.0 { t } else { [t[0] * radius / size, t[1] * radius / size] }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inside_polar_and_between() {
        assert_eq!(project_on_cone([2.0, 0.5, 0.0], 0.5), [2.0, 0.5, 0.0]);
        assert_eq!(project_on_cone([-2.0, 1.0, 1.0], 0.5), [0.0; 3]);
        let p = project_on_cone([0.0, 1.0, 0.0], 1.0);
        assert!((p[0] - 0.5).abs() < 1e-15 && (p[1] - 0.5).abs() < 1e-15);
        assert_eq!(project_on_cone([1.0, 3.0, 4.0], 0.0), [1.0, 0.0, 0.0]);
    }
}
