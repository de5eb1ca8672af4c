//! The known-answer tests (KAT) of the ECB mode from the Korean Cryptographic Module Validation Program's criteria, V3.0:
//! the files LEA128(ECB)KAT.txt, LEA196(ECB)KAT.txt (sic) and LEA256(ECB)KAT.txt, as
//! <https://github.com/RyuaNerin/go-krypto> carries them in lea/test_{128,196,256}_test.go (MIT licence).
//!
//! A file has three parts: the key zero and each block that begins with ones and ends in zeros (128 vectors); each key
//! that begins with ones and ends in zeros, and the block zero (as many vectors as the key has bits); and the key zero
//! with twenty blocks without a pattern. The first two parts are made anew here, the blocks of the third are typed in.
//! All ciphertexts of a file, in its order, are compared by their SHA-256 and by a few values.

use data_encoding::HEXLOWER;
use fieldtest_lea::{Block, Lea, Path};
use sha2::{Digest, Sha256};

/// Ones, and then zeros, in `BYTES` bytes.
fn leading_ones<const BYTES: usize>(ones: usize) -> [u8; BYTES] {
    std::array::from_fn(|byte| {
        let here = ones.saturating_sub(8 * byte).min(8);
        !(0xff_u32 >> here) as u8
    })
}

fn block(hex: &str) -> Block {
    HEXLOWER.decode(hex.as_bytes()).unwrap().try_into().unwrap()
}

/// Encrypts one block by the path, at every place of groups of every size: a group of one block takes another way than
/// the blocks of a longer one.
fn encrypt_everywhere(path: Path, key: &Lea, plaintext: Block) -> Block {
    let mut alone = [plaintext];
    key.encrypt_on(path, &mut alone);
    for count in [3, 8, 16, 32, 45] {
        let mut blocks = vec![plaintext; count];
        key.encrypt_on(path, &mut blocks);
        assert_eq!(blocks, vec![alone[0]; count], "{}, {count} blocks", path.name());
        key.decrypt_on(path, &mut blocks);
        assert_eq!(blocks, vec![plaintext; count], "{}, {count} blocks", path.name());
    }
    key.decrypt_on(path, &mut alone);
    assert_eq!(alone[0], plaintext, "{}", path.name());
    key.encrypt_on(path, &mut alone);
    alone[0]
}

/// What is typed in of a file.
struct File {
    /// The third part's plaintexts.
    without_pattern: [&'static str; 20],
    /// Places in the file, from 0, and the ciphertexts there.
    values: [(usize, &'static str); 5],
    /// The SHA-256 of all ciphertexts.
    digest: &'static str,
}

fn check<const BYTES: usize>(file: &File) {
    for path in Path::available() {
        let zero = Lea::new(&[0; BYTES]).unwrap();
        let text = (1..=128).map(|ones| encrypt_everywhere(path, &zero, leading_ones(ones)));
        let keys = (1..=8 * BYTES).map(|ones| {
            let key = Lea::new(&leading_ones::<BYTES>(ones)).unwrap();
            encrypt_everywhere(path, &key, [0; 16])
        });
        let others = file.without_pattern.iter().map(|hex| encrypt_everywhere(path, &zero, block(hex)));
        let answers: Vec<Block> = text.chain(keys).chain(others).collect();

        for (place, ciphertext) in file.values {
            assert_eq!(HEXLOWER.encode(&answers[place]), ciphertext, "{}, {place}", path.name());
        }
        let digest = Sha256::digest(answers.as_flattened());
        assert_eq!(HEXLOWER.encode(&digest), file.digest, "{}", path.name());
    }
}

/// 276 vectors.
#[test]
fn lea_128() {
    check::<16>(&File {
        without_pattern: [
            "6e52ba79c8e46a76e58ea46586a4ba5b",
            "3c006e246ff712daa58ceeb601e4e227",
            "0afa4d21af942db8877687ed5dd509c8",
            "eb0eeea7e69822d53b37a65e99733722",
            "2f492a29b7209b36b3ffc69ff6fcb55b",
            "67f81c5d028981201f389f84f7ed0dd8",
            "64a71b38e870fd19f1912b225b02073e",
            "3724c0efcbb277e5d9f5a1cf2538ad71",
            "317ce6f64b6d9a88c9947c1f94cd4796",
            "e3fca40449fc4e49f2d874e72a3e5f14",
            "1e30540de7fdbcacc470823da747bd8e",
            "f4e68f45854d4c76f148df750ee56ae9",
            "b42b2d22c409a9ad698d05259e57b04b",
            "f14c4859868fbb945eadac21d9171819",
            "7ad639e0eb7aaab24153cd7e80e46af8",
            "629598ea54a8e1cac26ea19294bbafcc",
            "f9973fec633607e3d32ba1f156d831bb",
            "cf29479df8820741a4f5877147b97829",
            "b7d709f134270869a77b4a26271a4ebc",
            "c1701d1c790374218ca92565f8f9bb59",
        ],
        values: [
            (0, "ce8dcf04dd60982b1d8f5035fd534de2"),
            (127, "5311e9cf5a38d30ffab396f4befd4a62"),
            (128, "4d83e55d4ba87093b609c574e4f65a23"),
            (255, "35760b28a6575bfc90408a80872b0bb2"),
            (275, "3b8e8acb7031747bb78e7d68379bfa8b"),
        ],
        digest: "3a072934220e6a64c8a7173f050747352991bc25d8b21c499f8bffd0eb878845",
    });
}

/// 340 vectors.
#[test]
fn lea_192() {
    check::<24>(&File {
        without_pattern: [
            "724f8279123b9307658a109101466a15",
            "fef995090770b941b0bf2b120a859bb8",
            "76718ff5b60510fb4a9aa28cf9a57a60",
            "ae38ecc785cc238f263d14285216b406",
            "bb0f694719d4bf967a085d4fd98a37e3",
            "f3f7057f5670f3e8bb9d9aaa95f12f71",
            "ea30fab7622f0a9f9edc2821ca7d0968",
            "763dc878a1e4931417e6a4dffe9f72c1",
            "abdd298cba9f58e05d1cea4cf40758b5",
            "de121dfc8fb169dbe3201910b2a7e7be",
            "a51dde1048ab121f60d28d167eaf8c94",
            "d47eec51485edf05c753e385dc91f52f",
            "81f8018935db9e254e05f8c891fe0dca",
            "008a1dc0f3735b596a88e986a2e603de",
            "e6767b40a8b765bad0be13a9547b4422",
            "093d9891b97847a075c7135b2c2d7b91",
            "7da0327dcac8cfa58e04c603f0ae9763",
            "98a0450cc1f60aa28f16494ba3eec411",
            "ee7d0f88c29545b02fdff91c8c1f6f54",
            "54b90c7934750c27617f739f2fb24626",
        ],
        values: [
            (0, "f0de5f8374905bb31e0110adf109edd2"),
            (127, "793ae0f13e152cd264eeef7d88735ffb"),
            (128, "694b918eb7f7ddabf49311ceb83c5d53"),
            (319, "147ecd0c84ababb0b22f07c53b30fba2"),
            (339, "f4b75c83491a2be33a9f2c722cda78e0"),
        ],
        digest: "09334d16667993334ebba62ef35b4ea0c763cec380908769f706fedb9f2ca4c1",
    });
}

/// 404 vectors.
#[test]
fn lea_256() {
    check::<32>(&File {
        without_pattern: [
            "754b4a785d91bb98e5867cbd7ce81acf",
            "c0f2bced9ee960a7bbf2676e13265448",
            "e1e8d1c9be76f33e0cbfbe2b9575ecf8",
            "7062eae725ff2449104382f20bb932ea",
            "47d5a9657b88e4f54112f4ffbc18b96c",
            "7ff6eea0aa5665b0560294cf34f6510a",
            "70bada36dcee18264a26252139f90b92",
            "b555cf027815ae4455d6a6efd7063812",
            "253d6d2228d11737f0a55978544169d4",
            "d92895f4d665846dd568bf393b106f68",
            "2c096913a9586792fb3498ee55185c99",
            "b516485d0b6e71939d5fe795aa3d7f76",
            "4dc4d6f0a5ac929d337deb6a83a56b4a",
            "0fc8f1276057fc1e766426eb6ab5efa2",
            "5217bca165f420c2602859d528111e4d",
            "b0e598391d49ae76281f8523c49f4756",
            "01a9240d3159976849ddeb158a83fd0b",
            "6016437b8a6b0d037b370b26002310f9",
            "2423151e510381f6b743a813f12491ec",
            "e603fcd5eee6a32e3755c1da666bd1f3",
        ],
        values: [
            (0, "ba91d622baf683d7bfcf1785fbe32a44"),
            (127, "b1e765f6262fe1fb5615b91a7322eabb"),
            (128, "4f6156c0c35f9ddfd2a1774814ea76a2"),
            (383, "611e921af6dfecd184c940e604be93d4"),
            (403, "bc2637d1b2b3785a039e343e12484789"),
        ],
        digest: "a1c1c2116e1e58c6f5d9845225c6064878e663f484d66b63fc667e6e41394f83",
    });
}
