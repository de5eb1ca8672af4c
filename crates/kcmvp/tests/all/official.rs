//! KISA's published answers, whole files to the byte: requests are made anew from the rules that the files follow and from the
//! texts in `texts.txt`, and the digest of what answers them is that of the official file.

use fieldtest_catalog::cipher;
use fieldtest_kcmvp::{Asked, Code, Mode, answer};
use sha2::{Digest as _, Sha256};

/// The file, its SHA-256, and whether it ends with an empty line.
const FILES: [(&str, &str, bool); 12] = [
    ("LEA128(CBC)KAT", "867df8eca93e66389ac2bdfbb980cfdf0efc237c07ec974245e4d8a5bd4d1781", false),
    ("LEA128(CBC)MMT", "9d7fe2bf031996ab9f1c03e60acca338f1fc78eeb413b90c7356979c2d3717a8", false),
    ("LEA128(CBC)MCT", "198270da296264f8c5affea4f69a8435ce30a7d957b04e85fd972204b027fcce", false),
    ("LEA128(CTR)KAT", "a19dab473974771554bf43800217dd4890fdf6ca2613bcd1bd7a2e6286678e2d", false),
    ("LEA128(CTR)MMT", "adf94774ac856ceb7da707ea1bda4beb5b40e12eb7885c81a9fd05861b3d0dc9", false),
    ("LEA128(CTR)MCT", "4cbfde7db77c31e2fe1449c2acb3e66176a6da3161394125b00886d5b166474d", false),
    ("ARIA128(ECB)KAT", "d9484ff2cf2b4c471dc4e13b51d240aa217ebb31e636ac900b0189908dd0b920", true),
    ("ARIA192(ECB)KAT", "8968b7d8de020f306db7ab683bff8ddfaf53f04ea690d47501bb62a71eb6742d", true),
    ("ARIA256(ECB)KAT", "a089c072b9af214aa8476b8c1143762266b7632a00208d24eed799e0dd43c455", true),
    ("ARIA128(ECB)MMT", "6e38a525799175a85d01e05f35bde8966b602601d43fc2a27304716c25b6d763", true),
    ("ARIA192(ECB)MMT", "5fa68e8a6e6a9ac3a664dbbad91e6b6c8c82947ad8aa5accfa09f2116d07a020", true),
    ("ARIA256(ECB)MMT", "fb4938517798bb41d8a5b2cdeb07ead008635b44072855c17b7a81b638add686", true),
];

/// The blocks without a pattern of a known-answer test: in ECB the file has others, which the catalog knows too.
fn without_a_pattern(asked: Asked, next: &mut dyn FnMut(usize) -> String) -> Vec<String> {
    let known = match (asked.mode, asked.bits) {
        (Mode::Ecb, 128) => include_str!("../../../catalog/vectors/cipher/kat-aria-128.txt"),
        (Mode::Ecb, 192) => include_str!("../../../catalog/vectors/cipher/kat-aria-192.txt"),
        (Mode::Ecb, _) => include_str!("../../../catalog/vectors/cipher/kat-aria-256.txt"),
        _ => return (0..20).map(|_| next(16)).collect(),
    };
    known.lines().filter_map(|line| line.strip_prefix("block ")).map(str::to_ascii_uppercase).collect()
}

#[test]
fn official_files_are_reproduced_to_the_byte() {
    for (name, digest, ends_with_empty_line) in FILES {
        let asked: Asked = name.parse().expect(name);
        let mut request = request(name, asked).join("\r\n\r\n") + "\r\n";
        if ends_with_empty_line {
            request += "\r\n";
        }
        let algorithm = cipher::find(&asked.algorithm()).expect("an algorithm");
        for implementation in &algorithm.implementations {
            let answered = answer(request.as_bytes(), asked, Code::Cipher(&*implementation.code));
            let answered =
                answered.unwrap_or_else(|error| panic!("{name}, {}: {error}", implementation.name));
            let found = data_encoding::HEXLOWER.encode(&Sha256::digest(&answered.text));
            assert_eq!(found, digest, "{name} by {}", implementation.name);
        }
    }
}

/// The questions, each without an empty line behind it.
fn request(name: &str, asked: Asked) -> Vec<String> {
    let mut text = texts(&asked.cipher.to_ascii_uppercase());
    let key_len = asked.bits / 8;
    let start = if name.contains("CTR") { "CTR" } else { "IV" };
    let has_start = !name.contains("ECB");
    let question = |key: &str, began: &str, plaintext: &str| {
        let began = if has_start { format!("{start} = {began}\r\n") } else { String::new() };
        format!("KEY = {key}\r\n{began}PT = {plaintext}")
    };
    let mut next = |bytes: usize| text.drain(..2 * bytes).collect::<String>();
    let beginning = |next: &mut dyn FnMut(usize) -> String, blocks: usize| {
        let key = next(key_len);
        let began = if has_start { next(16) } else { String::new() };
        question(&key, &began, &next(16 * blocks))
    };
    match &name[name.len() - 3..] {
        "MCT" => vec![beginning(&mut next, 1)],
        "MMT" => (1..=10).map(|blocks| beginning(&mut next, blocks)).collect(),
        _ => {
            let (no_key, no_block) = ("00".repeat(key_len), "00".repeat(16));
            // The counter is what is encrypted.
            let of_block = |block: &str| match start == "CTR" {
                true => question(&no_key, block, &no_block),
                false => question(&no_key, &no_block, block),
            };
            let mut all: Vec<String> = (1..=128).map(|ones| of_block(&leading_ones(ones, 16))).collect();
            all.extend(
                (1..=asked.bits).map(|ones| question(&leading_ones(ones, key_len), &no_block, &no_block)),
            );
            all.extend(without_a_pattern(asked, &mut next).iter().map(|block| of_block(block)));
            all
        }
    }
}

fn leading_ones(ones: usize, bytes: usize) -> String {
    (0..bytes).map(|at| format!("{:02X}", !(0xff_u16 >> ones.saturating_sub(8 * at).min(8)) as u8)).collect()
}

fn texts(cipher: &str) -> String {
    let lines = include_str!("texts.txt").lines().skip_while(|line| *line != cipher).skip(1);
    lines.take_while(|line| !matches!(*line, "LEA" | "ARIA")).collect()
}
