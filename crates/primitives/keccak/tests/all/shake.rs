//! SHAKE of pieces against RustCrypto's, on every path.

use fieldtest_keccak::Path;
use fieldtest_keccak::shake::{RATE_128, RATE_256, Shake, Shake256, four};
use shake::{ExtendableOutput, Update, XofReader};

#[test]
fn pieces_are_hashed_as_one_message() {
    let message: [u8; 400] = core::array::from_fn(|i| (i * i) as u8);
    for path in Path::available() {
        for length in 0..400 {
            let (one, two) = message[..length].split_at(length / 3);
            let mut expected = [0; 300];
            shake::Shake256::default().chain(&message[..length]).finalize_xof().read(&mut expected);
            assert_eq!(Shake::<RATE_256>::of(path, &[one, two]).digest(), expected, "{length}");
            let mut digest = [0; 77];
            Shake256::of(path, &[one, &[], two]).finish(&mut digest);
            assert_eq!(digest, expected[..77], "{length}");

            let mut expected = [0; 3 * RATE_128];
            shake::Shake128::default().chain(&message[..length]).finalize_xof().read(&mut expected);
            let mut output = Shake::<RATE_128>::of(path, &[one, &[], two]).output();
            assert_eq!(output.block(), expected[..RATE_128], "{length}");
            for block in expected[RATE_128..].chunks(RATE_128) {
                let words: Vec<u8> = output.words().iter().flat_map(|word| word.to_le_bytes()).collect();
                assert_eq!(words, block, "{length}");
            }
        }
    }
}

#[test]
fn four_side_by_side_are_four() {
    for path in Path::available() {
        for length in [0, 1, 7, 16, 100, 134, 135, 136, 137, 271, 272] {
            let seed: Vec<u8> = (0..length).map(|at| at as u8).collect();
            let mut words = [[0; 4]; 40];
            four(path, &[&seed[..length / 2], &seed[length / 2..]], &mut words);
            for number in 0..4_u8 {
                let mut expected = [0; 320];
                Shake256::of(path, &[&seed, &[number]]).finish(&mut expected);
                let bytes: Vec<u8> =
                    words.iter().flat_map(|four| four[usize::from(number)].to_le_bytes()).collect();
                assert_eq!(bytes, expected, "{} {length} {number}", path.name());
            }
        }
    }
}

/// The empty message (NIST, `SHAKE256_Msg0.pdf`).
#[test]
fn empty_message() {
    let digest: [u8; 8] = Shake256::of(Path::best(), &[]).digest();
    assert_eq!(digest, [0x46, 0xb9, 0xdd, 0x2b, 0x0b, 0xa8, 0x8d, 0x13]);
}
