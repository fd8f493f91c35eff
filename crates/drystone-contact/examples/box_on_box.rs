//! The contact points of two stacked boxes, by the improved and by the old method of thesis 6.3.

use drystone_contact::ClippingManifold;
use drystone_core::{ContactDetermination, Manifold, NarrowPhase, PosedShape};
use drystone_geometry::Shape;
use drystone_math::{Pose, Quat, Vec3};
use drystone_narrow_phase::{Primitives, PrimitivesOld};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let cube = Shape::cuboid(0.5, 0.5, 0.5)?;
    // the upper box hangs over and is tilted by a milliradian
    let tilt = Quat::from_scaled_axis(Vec3::new(0.2e-3, 0.3e-3, 1.0e-3));
    let lower = PosedShape { shape: &cube, pose: Pose::IDENTITY };
    let upper = PosedShape { shape: &cube, pose: Pose::new(Vec3::new(0.4, 0.9995, 0.3), tilt) };
    let phases: [&dyn NarrowPhase; 2] = [&Primitives, &PrimitivesOld];
    for phase in phases {
        let (mut seeds, mut manifold) = (Vec::new(), Manifold::default());
        let proximity = phase.query(lower, upper, 1e-3, &mut [0; 4], &mut seeds)?;
        ClippingManifold::default().determine(lower, upper, &proximity, &seeds, 1e-3, &mut manifold);
        println!("{}:", phase.name());
        for p in &manifold.points {
            let (normal, position, separation) = p.world(&lower.pose, &upper.pose);
            println!("  at {position:.4}, normal {normal:.4}, separation {separation:.2e} m");
        }
    }
    Ok(())
}
