//! The published vectors, on every path.

use data_encoding::HEXLOWER;
use fieldtest_aes_cmac::{Cmac, Cmac128, Cmac256, Lane, Path, tag_many_on};

/// A message and its tag.
type Example = (Vec<u8>, Vec<u8>);

/// The messages and tags under the one key of this length, of RFC 4493, section 4, and SP 800-38B, appendix D.3, and the
/// key. The file is the catalog's: key, message, tag.
fn examples<const N: usize>() -> ([u8; N], Vec<Example>) {
    let file = include_str!("../../../../catalog/vectors/mac/cmac-aes.txt");
    let hex = |digits: &str| HEXLOWER.decode(digits.trim_matches('-').as_bytes()).unwrap();
    let rows = file.lines().filter(|line| !line.starts_with('#'));
    let rows = rows.map(|row| row.split(' ').map(hex).collect::<Vec<_>>()).filter(|row| row[0].len() == N);
    let (keys, examples): (Vec<_>, Vec<_>) =
        rows.map(|row| (row[0].clone(), (row[1].clone(), row[2].clone()))).unzip();
    assert_eq!(examples.len(), 4);
    (keys[0][..].try_into().unwrap(), examples)
}

fn check<const ROUNDS: usize>(key: &Cmac<ROUNDS>, examples: &[Example]) {
    for path in Path::available() {
        for (message, expected) in examples {
            let mut tag = [0; 16];
            key.tag_on(path, message, &mut tag).unwrap();
            assert_eq!(tag[..], *expected, "{}, {} bytes", path.name(), message.len());
        }
        let mut jobs: Vec<_> = examples.iter().map(|(message, _)| (message, [0; 16])).collect();
        tag_many_on(path, &mut jobs, |(message, tag)| Lane { key, message, tag }).unwrap();
        for ((message, expected), (_, tag)) in examples.iter().zip(jobs) {
            assert_eq!(tag[..], *expected, "{}, {} bytes in a batch", path.name(), message.len());
        }
    }
}

#[test]
fn rfc_4493() {
    let (key, examples) = examples();
    check(&Cmac128::new(&key), &examples);
}

#[test]
fn sp_800_38b_aes_256() {
    let (key, examples) = examples();
    check(&Cmac256::new(&key), &examples);
}
