//! Lengths of messages that are hashed at once, for the benchmarks of hash functions.

/// So many of each of these lengths, 1 MiB together at most, and lengths as they occur, with what each is called.
pub(crate) fn batches(lengths: &[usize], counts: &[usize]) -> Vec<(String, Vec<usize>)> {
    let pairs = lengths.iter().flat_map(|&length| counts.iter().map(move |&count| (length, count)));
    let small = pairs.filter(|(length, count)| length * count <= 1 << 20);
    let alike = small.map(|(length, count)| (format!("{length} bytes x{count}"), vec![length; count]));
    let git = [256 << 10, 1 << 20, 4 << 20];
    alike
        .chain(git.map(|total| (format!("like Git's objects, {} KiB", total >> 10), like_git(total))))
        .collect()
}

/// Lengths of about `total` bytes together: half of them below 8 KiB, which have a twentieth of all bytes, as in the
/// repository of Git itself.
fn like_git(total: usize) -> Vec<usize> {
    let mut lengths = vec![];
    let mut seed = 1_u32;
    while lengths.iter().sum::<usize>() < total {
        // The multiplier and the increment of Numerical Recipes.
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let uniform = f64::from(seed >> 8) / f64::from(1 << 24);
        // 200 bytes to 8 KiB and 8 to 128 KiB, their logarithms uniform.
        let (least, factor) = if seed >> 31 == 0 { (200.0, 41.0) } else { (8192.0, 16.0_f64) };
        lengths.push((least * factor.powf(uniform * 2.0 % 1.0)) as usize);
    }
    lengths
}
