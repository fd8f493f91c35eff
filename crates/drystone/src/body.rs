use crate::WorldError;
use drystone_core::{BodyKind, BodyProperties, CollisionGroups, MaterialIndex};
use drystone_geometry::{MassProperties, Shape};
use drystone_math::{Pose, Quat, Real, SymmetricMat3, Twist, Vec3};

/// Describes a body to be added to a [`crate::World`].
#[derive(Debug, Clone)]
pub struct Body {
    kind: BodyKind,
    shape: Shape,
    position: Vec3,
    orientation: Quat,
    velocity: Twist,
    mass: Mass,
    inertia: Option<Vec3>,
    products: Option<Vec3>,
    center: Option<Vec3>,
    material: MaterialIndex,
    layer: i64,
    spin_axis: Option<Vec3>,
    lock: [bool; 2],
    can_sleep: bool,
    sensor: bool,
    groups: CollisionGroups,
    gravity_scale: Real,
    damping: [Real; 2],
    continuous: bool,
    surface_velocity: Twist,
}

#[derive(Debug, Clone, Copy)]
enum Mass {
    Density(Real),
    Total(Real),
}

impl Body {
    fn new(kind: BodyKind, shape: Shape) -> Self {
        Self {
            kind,
            shape,
            position: Vec3::ZERO,
            orientation: Quat::IDENTITY,
            velocity: Twist::ZERO,
            mass: Mass::Density(1000.0),
            inertia: None,
            products: None,
            center: None,
            material: MaterialIndex::default(),
            layer: 0,
            spin_axis: None,
            lock: [false; 2],
            can_sleep: true,
            sensor: false,
            groups: CollisionGroups::default(),
            gravity_scale: 1.0,
            damping: [0.0; 2],
            continuous: false,
            surface_velocity: Twist::ZERO,
        }
    }

    /// A body that moves under forces and impulses; it has the density of water unless set otherwise.
    pub fn dynamic(shape: Shape) -> Self {
        Self::new(BodyKind::Dynamic, shape)
    }

    /// A body that never moves.
    pub fn fixed(shape: Shape) -> Self {
        Self::new(BodyKind::Fixed, shape)
    }

    /// A body moved by a script, or at the velocity that it is given.
    pub fn scripted(shape: Shape) -> Self {
        Self::new(BodyKind::Scripted, shape)
    }

    /// Places the origin of the body frame (m).
    #[must_use]
    pub fn at(mut self, position: impl Into<Vec3>) -> Self {
        self.position = position.into();
        self
    }

    /// Sets the orientation of the body frame, by any quaternion of length above zero.
    #[must_use]
    pub fn oriented(mut self, orientation: Quat) -> Self {
        self.orientation = orientation;
        self
    }

    /// Sets the velocity of the centre of mass (m/s).
    #[must_use]
    pub fn linear_velocity(mut self, velocity: impl Into<Vec3>) -> Self {
        self.velocity.linear = velocity.into();
        self
    }

    /// Sets the angular velocity, world frame (rad/s).
    #[must_use]
    pub fn angular_velocity(mut self, velocity: impl Into<Vec3>) -> Self {
        self.velocity.angular = velocity.into();
        self
    }

    /// Sets the density (kg/m^3).
    #[must_use]
    pub fn density(mut self, density: Real) -> Self {
        self.mass = Mass::Density(density);
        self
    }

    /// Sets the mass (kg); the inertia is scaled with it.
    #[must_use]
    pub fn mass(mut self, mass: Real) -> Self {
        self.mass = Mass::Total(mass);
        self
    }

    /// Sets the diagonal of the inertia about the centre of mass, body axes (kg m^2).
    #[must_use]
    pub fn inertia(mut self, diagonal: impl Into<Vec3>) -> Self {
        self.inertia = Some(diagonal.into());
        self
    }

    /// Sets the entries xy, xz and yz of the inertia about the centre of mass, body axes (kg m^2). The diagonal is the one set by [`Self::inertia`] or that of the
    /// homogeneous solid.
    #[must_use]
    pub fn products_of_inertia(mut self, [xy, xz, yz]: [Real; 3]) -> Self {
        self.products = Some(Vec3::new(yz, xz, xy));
        self
    }

    /// Sets the centre of mass, in the body frame (m). The inertia is understood to be about this point, and its values stay as they are.
    #[must_use]
    pub fn center_of_mass(mut self, center: impl Into<Vec3>) -> Self {
        self.center = Some(center.into());
        self
    }

    /// Sets the surface, from [`crate::World::add_material`].
    #[must_use]
    pub fn material(mut self, material: MaterialIndex) -> Self {
        self.material = material;
        self
    }

    /// Sets the collision layer: bodies on different layers do not collide.
    #[must_use]
    pub fn layer(mut self, layer: i64) -> Self {
        self.layer = layer;
        self
    }

    /// Sets the axis, in the body frame, about which the orientation update is to be exact: a wheel's axle, for instance.
    #[must_use]
    pub fn spin_axis(mut self, axis: impl Into<Vec3>) -> Self {
        self.spin_axis = Some(axis.into());
        self
    }

    /// Locks the body's translation, or its rotation (C-15, N-09).
    #[must_use]
    pub fn locked(mut self, translation: bool, rotation: bool) -> Self {
        self.lock = [translation, rotation];
        self
    }

    /// Sets whether the body may fall asleep.
    #[must_use]
    pub fn can_sleep(mut self, can: bool) -> Self {
        self.can_sleep = can;
        self
    }

    /// Sets, as bits, which of 32 groups the body is in (`membership`) and which ones it collides with (`mask`). Two bodies collide if each is in a group of the
    /// other's mask. The default is to be in the first group and to collide with all.
    #[must_use]
    pub fn groups(mut self, membership: u32, mask: u32) -> Self {
        self.groups = CollisionGroups { membership, mask };
        self
    }

    /// Sets how strongly uniform gravity pulls on the body: 1 by default, 0 for not at all.
    #[must_use]
    pub fn gravity_scale(mut self, scale: Real) -> Self {
        self.gravity_scale = scale;
        self
    }

    /// Sets the rates at which the linear and angular velocity decay (1/s), zero or more: with no other influence, both fall as `exp(-rate * t)`. A scripted
    /// body keeps the velocity that it was given.
    #[must_use]
    pub fn damping(mut self, linear: Real, angular: Real) -> Self {
        self.damping = [linear, angular];
        self
    }

    /// Switches on continuous collision detection: the body is stopped at whatever it would pass through, and continues from there in the next step. A sensor
    /// that it passes within a step is entered and left at the times of its straight way.
    #[must_use]
    pub fn continuous(mut self, continuous: bool) -> Self {
        self.continuous = continuous;
        self
    }

    /// Lets the surface run along itself, in the body frame (m/s, and rad/s about its origin), as that of a conveyor belt or a driven roller does: it takes along what
    /// lies on it, by friction, while the body stays where it is. Only the part along the surface counts. A dynamic body carries nothing by it.
    #[must_use]
    pub fn surface_velocity(mut self, linear: impl Into<Vec3>, angular: impl Into<Vec3>) -> Self {
        self.surface_velocity = Twist::new(linear.into(), angular.into());
        self
    }

    /// Makes the body a sensor: it exerts no contact forces, and whatever enters or leaves it is reported ([`crate::Event::Entered`]). Two sensors do not sense each
    /// other, and a sensor that is not dynamic does not sense bodies that are not dynamic.
    #[must_use]
    pub fn sensor(mut self, sensor: bool) -> Self {
        self.sensor = sensor;
        self
    }

    /// Mass, centre and inertia: the homogeneous solid's, with what was set in their place.
    fn mass_properties(&self) -> Result<MassProperties, WorldError> {
        let unit = match self.mass {
            Mass::Density(d) => self.shape.mass_properties(d),
            Mass::Total(_) => self.shape.mass_properties(1.0),
        };
        let mut mass = unit.ok_or(WorldError::Unbounded(self.shape.kind()))?;
        if let Mass::Total(total) = self.mass {
            let scale = total / mass.mass;
            mass.inertia.diagonal *= scale;
            mass.inertia.off_diagonal *= scale;
            mass.mass = total;
        }
        if let Some(diagonal) = self.inertia {
            mass.inertia = SymmetricMat3::from_diagonal(diagonal);
        }
        if let Some(products) = self.products {
            mass.inertia.off_diagonal = products;
        }
        if let Some(center) = self.center {
            mass.center = center;
        }
        Ok(mass)
    }

    /// Checks everything; returns the properties, the pose of the centre of mass, and the velocity.
    pub(crate) fn build(self) -> Result<(BodyProperties, Pose, Twist), WorldError> {
        if !self.position.is_finite() {
            return Err(WorldError::NotFinite { what: "position" });
        }
        if !self.velocity.is_finite() {
            return Err(WorldError::NotFinite { what: "velocity" });
        }
        if self.center.is_some_and(|center| !center.is_finite()) {
            return Err(WorldError::NotFinite { what: "centre of mass" });
        }
        let length = self.orientation.length();
        if !(length.is_finite() && length > 1e-100) {
            return Err(WorldError::Orientation);
        }
        let orientation = if (length - 1.0).abs() < 1e-15 { self.orientation } else { self.orientation.normalize() };
        let frame = Pose::new(self.position, orientation);

        let mut properties = match self.kind {
            BodyKind::Fixed | BodyKind::Passive => BodyProperties::fixed(self.shape),
            BodyKind::Scripted => BodyProperties::scripted(self.shape),
            BodyKind::Dynamic => {
                let mass = self.mass_properties()?;
                BodyProperties::dynamic(self.shape, &mass)?
            }
        };
        if let Some(axis) = self.spin_axis {
            properties.spin_axis =
                Some(axis.try_normalize().ok_or(WorldError::NotFinite { what: "length of the spin axis" })?);
        }
        if self.lock[0] {
            properties.inverse_mass = 0.0;
        }
        if self.lock[1] {
            properties.inverse_inertia = SymmetricMat3::ZERO;
        }
        properties.material = self.material;
        properties.layer = self.layer;
        properties.can_sleep = self.can_sleep;
        properties.sensor = self.sensor;
        properties.groups = self.groups;
        properties.gravity_scale = self.gravity_scale;
        properties.damping = self.damping;
        properties.continuous = self.continuous;
        properties.surface_velocity = self.surface_velocity;
        let velocity = if self.kind == BodyKind::Fixed { Twist::ZERO } else { self.velocity };
        let center = Pose::new(frame.point(properties.center), orientation);
        Ok((properties, center, velocity))
    }
}
