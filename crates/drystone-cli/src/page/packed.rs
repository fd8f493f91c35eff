use base64::Engine;

/// Compression level of zlib, at which replays of moving piles are within a percent of the smallest.
const LEVEL: u8 = 6;

/// Bytes as a text that a page unpacks: zlib (RFC 1950), then base64.
pub(crate) fn packed(bytes: &[u8]) -> String {
    base64::engine::general_purpose::STANDARD.encode(miniz_oxide::deflate::compress_to_vec_zlib(bytes, LEVEL))
}

/// Position of a value between two others, as sixteen bits.
pub(crate) fn sixteen_bits(value: f64, [low, high]: [f64; 2]) -> u16 {
    let part = if high > low { (value - low) / (high - low) } else { 0.0 };
    (part.clamp(0.0, 1.0) * f64::from(u16::MAX)).round() as u16
}
