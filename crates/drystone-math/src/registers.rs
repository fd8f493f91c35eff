use pulp::WithSimd;

/// The vector registers that the processor has, of up to 256 bits; it runs loops compiled for them.
///
/// Code written pair by pair or body by body is not compiled for wider registers: the compiler would gather numbers from scattered places, which costs more than it saves. Code
/// written side by side is, by [`crate::lanes::widest`].
#[derive(Debug, Clone, Copy)]
pub struct Registers {
    #[cfg(target_arch = "x86_64")]
    wide: Option<pulp::x86::V3>,
    #[cfg(not(target_arch = "x86_64"))]
    any: pulp::Arch,
}

impl Default for Registers {
    fn default() -> Self {
        Self::new()
    }
}

impl Registers {
    /// The registers of this processor.
    #[inline]
    #[must_use]
    pub fn new() -> Self {
        #[cfg(target_arch = "x86_64")]
        return Self { wide: pulp::x86::V3::try_new() };
        #[cfg(not(target_arch = "x86_64"))]
        Self { any: pulp::Arch::new() }
    }

    /// Runs the loop.
    #[inline(always)]
    pub fn dispatch<W: WithSimd>(self, work: W) -> W::Output {
        #[cfg(target_arch = "x86_64")]
        return match self.wide {
            Some(simd) => pulp::Simd::vectorize(simd, work),
            None => pulp::Simd::vectorize(pulp::Scalar, work),
        };
        #[cfg(not(target_arch = "x86_64"))]
        self.any.dispatch(work)
    }
}
