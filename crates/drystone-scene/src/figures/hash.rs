use drystone_core::State;

/// Sixteen hexadecimal digits over the bit patterns of all bodies' positions, orientations and velocities, in the
/// order of the columns.
///
/// # Source
/// FNV-1a in 64 bits (Fowler, Noll, Vo), over the bytes of each number from the lowest up.
pub fn state_hash(state: &State) -> String {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    let mut take = |x: f64| {
        for byte in x.to_bits().to_le_bytes() {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    };
    for i in 0..state.len() {
        state.position[i].to_array().into_iter().for_each(&mut take);
        state.orientation[i].to_array().into_iter().for_each(&mut take);
        state.linear_velocity[i].to_array().into_iter().for_each(&mut take);
        state.angular_velocity[i].to_array().into_iter().for_each(&mut take);
    }
    format!("{hash:016x}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use drystone_math::{Pose, Twist, Vec3};

    #[test]
    fn one_bit_changes_it() {
        let mut a = State::default();
        a.push(Pose::IDENTITY, Twist::default());
        let mut b = a.clone();
        assert_eq!(state_hash(&a), state_hash(&b));
        assert_eq!(state_hash(&a).len(), 16);
        b.linear_velocity[0] = Vec3::new(0.0, 0.0, f64::from_bits(1));
        assert_ne!(state_hash(&a), state_hash(&b));
        // the empty state is the offset basis
        assert_eq!(state_hash(&State::default()), "cbf29ce484222325");
    }
}
