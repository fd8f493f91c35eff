use crate::equal_steps;
use drystone_core::catalogue::Implementation;
use drystone_core::{Bouncing, DetectMode, Kernel, Save, Scope, StepFailure, TimeControl, TimeReport, choice};

pub(crate) const DESCRIPTION: Implementation = Implementation {
    name: "synchronized",
    summary: "bodies fly to the end of the frame, where the smallest displacement removes overlap; collisions and friction act there",
    source: "Milenkovic and Schmidl 2001; Schmidl 2002; Erleben 2005, section 2.4.4", // A-24, E-36
    parameters: Synchronized::PARAMETERS,
};

choice! {
    /// Velocities at the end of a frame.
    #[derive(Default)]
    pub enum ArrivalVelocities {
        /// Those with which bodies arrive, to collide there.
        #[default]
        Collisions = "collisions",
        /// The way of the frame over its time.
        Positions = "positions",
    }
}

in_equal_steps! {
    /// Collision synchronisation: all collisions of a frame happen at its end.
    ///
    /// Nothing is looked for within a frame: bodies that touch at its start are constrained, all others move as if alone, into each other. The positions of the frame's end are those
    /// without overlap that are nearest in the norm of kinetic energy, a quadratic program that is solved again with the contacts at its solution until nothing overlaps. There, before the next
    /// frame, bodies bounce, and velocities are brought in line with contacts, friction and joints.
    ///
    /// # Source
    /// A-24, E-36; Milenkovic and Schmidl 2001.
    Synchronized {
        /// maximum projections per frame, each with newly found contacts
        projections: u32 = integer(5, 1, 1_000_000),
        /// overlap at which projections end (m)
        overlap: f64 = real(1e-5, 0.0, 1e6),
        /// velocities at the end of the frame: those of arrival, to collide there, or displacement over time (nothing bounces)
        velocities: ArrivalVelocities = choice(Collisions),
    }
}

impl Synchronized {
    /// Takes overlap and joint error out of the positions; the contacts known afterwards are those at the new positions.
    fn project(&self, kernel: &mut dyn Kernel, report: &mut TimeReport) -> Result<(), StepFailure> {
        let before = report.penetration;
        for projection in 0..=self.projections {
            let found = kernel.detect(Scope::All, DetectMode::default())?;
            let overlap = found.deepest.map_or(0.0, |p| p.depth);
            report.detected(&found);
            // the overlap that is left counts, not that of bodies moved as if alone
            report.penetration = before.max(overlap);
            let done = overlap <= self.overlap && projection > 0;
            if done || projection == self.projections {
                break;
            }
            report.correction.merge(&kernel.correct(Scope::All)?);
        }
        Ok(())
    }
}

impl TimeControl for Synchronized {
    fn name(&self) -> &'static str {
        DESCRIPTION.name
    }

    fn only_corrects(&self) -> bool {
        true
    }

    fn bouncing(&self) -> Bouncing {
        match self.velocities {
            ArrivalVelocities::Collisions => Bouncing::ByEither,
            ArrivalVelocities::Positions => Bouncing::Nowhere,
        }
    }

    fn advance(&mut self, kernel: &mut dyn Kernel, dt: f64) -> Result<TimeReport, StepFailure> {
        let mut report = TimeReport::default();
        equal_steps(kernel.time(), dt, self.sub_steps, |t, h, end| {
            kernel.script(t)?;
            // the contacts at the end of the last frame, where its collisions happen
            report.detected(&kernel.detect(Scope::All, DetectMode::default())?);
            report.resolve.merge(&kernel.resolve(Scope::All, h)?);
            report.solve.merge(&kernel.solve(Scope::All, h, h)?);
            let start = kernel.save(Scope::All, Save::Motion);
            kernel.drift(Scope::All, h)?;
            kernel.script(end)?;
            self.project(kernel, &mut report)?;
            if self.velocities == ArrivalVelocities::Positions {
                kernel.velocities_from(start, h);
                kernel.turn_spins(Scope::All, h);
            }
            kernel.release(start);
            kernel.set_time(end);
            report.sub_steps += 1;
            Ok(())
        })?;
        Ok(report)
    }
}
