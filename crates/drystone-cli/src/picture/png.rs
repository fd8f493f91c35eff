/// Compression level of zlib: low, because a picture of a floor and bodies compresses easily.
const LEVEL: u8 = 6;

/// Rows of red, green and blue as a PNG file.
///
/// # Source
/// W3C, Portable Network Graphics (PNG) specification, third edition 2025: sections 5.3 (chunks), 9 (filters), 11.2 (IHDR, IDAT, IEND).
pub(crate) fn to_png(rgb: &[u8], [width, height]: [usize; 2]) -> Vec<u8> {
    let mut file = b"\x89PNG\r\n\x1a\n".to_vec();
    let mut header = Vec::with_capacity(13);
    header.extend((width as u32).to_be_bytes());
    header.extend((height as u32).to_be_bytes());
    // eight bits, red green blue, the only compression, the only set of filters, not interlaced
    header.extend([8, 2, 0, 0, 0]);
    chunk(&mut file, *b"IHDR", &header);
    let mut rows = Vec::with_capacity(rgb.len() + height);
    let mut above = vec![0; 3 * width];
    for row in rgb.chunks_exact((3 * width).max(1)) {
        // filter 2: what changes from the row above
        rows.push(2);
        rows.extend(row.iter().zip(&above).map(|(byte, up)| byte.wrapping_sub(*up)));
        above.copy_from_slice(row);
    }
    chunk(&mut file, *b"IDAT", &miniz_oxide::deflate::compress_to_vec_zlib(&rows, LEVEL));
    chunk(&mut file, *b"IEND", &[]);
    file
}

fn chunk(file: &mut Vec<u8>, kind: [u8; 4], data: &[u8]) {
    file.extend((data.len() as u32).to_be_bytes());
    file.extend(kind);
    file.extend(data);
    let mut check = crc32fast::Hasher::new();
    check.update(&kind);
    check.update(data);
    file.extend(check.finalize().to_be_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_reader_has_the_same_pixels() {
        let size = [7, 5];
        let rgb: Vec<u8> = (0..3 * 7 * 5).map(|k| (k * k % 251) as u8).collect();
        let file = to_png(&rgb, size);
        let mut reader = png::Decoder::new(std::io::Cursor::new(file)).read_info().unwrap();
        let mut found = vec![0; reader.output_buffer_size().unwrap()];
        let frame = reader.next_frame(&mut found).unwrap();
        assert_eq!((frame.width, frame.height, frame.color_type), (7, 5, png::ColorType::Rgb));
        assert_eq!(found, rgb);
    }
}
