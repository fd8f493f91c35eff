//! Seeded damage to files, for tests without a fuzzer.

/// A small generator of numbers.
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 16) as usize % n.max(1)
    }
}

/// Words that readers stumble over.
const WORDS: [&[u8]; 16] = [
    b"nan",
    b"-inf",
    b"1e308",
    b"1e-320",
    b"-1",
    b"0",
    b"4294967295",
    b"18446744073709551616",
    b"/",
    b"//",
    b" ",
    b"\n",
    b"\"",
    b"{}",
    b"[]",
    b"\xff\xff\xff\x7f",
];

/// Damages a file in one to four places.
fn mutate(seed: &[u8], r: &mut Random) -> Vec<u8> {
    let mut bytes = seed.to_vec();
    for _ in 0..=r.below(4) {
        let n = bytes.len();
        if n == 0 {
            break;
        }
        let at = r.below(n);
        let length = r.below(24).min(n - at);
        let word = WORDS[r.below(WORDS.len())];
        match r.below(7) {
            0 => bytes[at] = r.below(256) as u8,
            1 => bytes[at] ^= 1 << r.below(8),
            2 => bytes.truncate(at),
            3 => drop(bytes.drain(at..at + length)),
            4 => {
                let part = bytes[at..at + length].to_vec();
                let to = r.below(n);
                drop(bytes.splice(to..to, part));
            }
            5 => drop(bytes.splice(at..at, word.iter().copied())),
            _ => {
                // a word in place of a number or a name
                let end = bytes[at..].iter().position(|b| b" ,\n]}".contains(b)).map_or(n, |e| at + e);
                drop(bytes.splice(at..end, word.iter().copied()));
            }
        }
    }
    bytes
}

/// Runs an entry function on a file and on damaged copies of it.
///
/// # Panics
/// Where the entry function does, with the file.
pub(crate) fn campaign(name: &str, seed: &[u8], rounds: u32, entry: fn(&[u8])) {
    let mut r = Random(0x9E37_79B9_7F4A_7C15 ^ seed.len() as u64);
    for round in 0..rounds {
        let bytes = if round == 0 { seed.to_vec() } else { mutate(seed, &mut r) };
        let outcome = std::panic::catch_unwind(|| entry(&bytes));
        assert!(outcome.is_ok(), "{name}, round {round}:\n{}", String::from_utf8_lossy(&bytes));
    }
}
