/// A loop over plain arrays that is compiled once for each width of vector registers. Implementations are `#[inline(always)]`.
pub(crate) trait Work {
    type Output;

    fn run(self) -> Self::Output;
}

/// Runs the loop for the registers that the processor has: the same operations in the same order, several side by side.
#[cfg(feature = "simd")]
pub(crate) fn vectorised<W: Work>(work: W) -> W::Output {
    struct Adapter<W>(W);

    impl<W: Work> pulp::WithSimd for Adapter<W> {
        type Output = W::Output;

        #[inline(always)]
        fn with_simd<S: pulp::Simd>(self, _: S) -> W::Output {
            self.0.run()
        }
    }

    // code written number by number gains nothing from registers of more than 256 bits
    #[cfg(target_arch = "x86_64")]
    return match pulp::x86::V3::try_new() {
        Some(simd) => pulp::Simd::vectorize(simd, Adapter(work)),
        None => pulp::Simd::vectorize(pulp::Scalar, Adapter(work)),
    };
    #[cfg(not(target_arch = "x86_64"))]
    pulp::Arch::new().dispatch(Adapter(work))
}

/// Runs the loop for the registers that the target is compiled for.
#[cfg(not(feature = "simd"))]
pub(crate) fn vectorised<W: Work>(work: W) -> W::Output {
    work.run()
}
