use proptest::prelude::*;

use super::*;

fn names(text: &str, intended: &Use) -> (Verdict, Vec<&'static str>) {
    let judgement = judge(text, intended);
    (judgement.verdict, judgement.findings.iter().map(|finding| finding.name).collect())
}

fn disk(key_bits: u32) -> Use {
    Use { key_bits: Some(key_bits), sector_size: Some(4096), device_size: Some(1 << 40), ..Use::default() }
}

#[test]
fn what_everybody_uses_is_safe() {
    for (text, bits) in [
        ("aes-xts-plain64", 512),
        ("capi:xts(aes)-plain64", 512),
        ("aria-xts-plain64", 512),
        ("serpent-xts-plain64", 512),
        ("xchacha12,aes-adiantum-plain64", 256),
        ("capi:adiantum(xchacha20,aes)-plain64", 256),
    ] {
        assert_eq!(names(text, &disk(bits)), (Verdict::Safe, vec![]), "{text}");
    }
}

#[test]
fn what_should_be_known_is_said() {
    for (text, bits, name) in [
        ("aes-xts-plain64", 256, "halved-key"),
        ("aes-xts-plain64", 384, "unstandardized-key"),
        ("lea-xts-plain64", 512, "not-in-linux"),
        ("aes-cbc-essiv:sha256", 256, "malleable"),
        ("aes-xts-plain", 512, "short-numbers"),
        ("aes-xts-essiv:sha256", 512, "needless-essiv"),
        ("aes-hctr2-plain64", 256, "few-kernels"),
        ("frobnicate-xts-plain64", 512, "unknown-cipher"),
    ] {
        assert_eq!(names(text, &disk(bits)), (Verdict::WorksBut, vec![name]), "{text}");
    }
}

#[test]
fn what_does_not_protect_is_refused() {
    for (text, bits, name) in [
        ("chacha20-plain64", 256, "stream-cipher"),
        ("capi:chacha20-plain64", 256, "stream-cipher"),
        ("chacha20-poly1305-generic", 256, "aead-without-tags"),
        ("aes-gcm-random", 256, "aead-without-tags"),
        ("capi:rfc7539(chacha20,poly1305)-random", 256, "aead-without-tags"),
        ("aes-ctr-plain64", 256, "stream-cipher"),
        ("aes-ecb", 256, "ecb"),
        ("aes-cbc-plain", 256, "watermarks"),
        ("aes-cbc-plain64", 256, "watermarks"),
        ("aes", 256, "watermarks"),
        ("aes-xts", 512, "no-vector"),
        ("aes-xts-null", 512, "same-vector"),
        ("aes-xts-plain64", 128, "key-size"),
        ("aes-xts-plain64", 513, "key-size"),
        ("xchacha12,aes-adiantum-plain64", 512, "key-size"),
        ("des3_ede-xts-plain64", 384, "short-blocks"),
        ("cipher_null-ecb", 0, "no-encryption"),
        ("", 0, "unreadable"),
    ] {
        let (verdict, found) = names(text, &disk(bits));
        assert_eq!(verdict, Verdict::Refused, "{text}: {found:?}");
        assert_eq!(found.first(), Some(&name), "{text}");
    }
}

#[test]
fn sizes_are_judged() {
    let big = Use { device_size: Some(3 << 40), ..disk(512) };
    assert_eq!(names("aes-xts-plain", &big), (Verdict::Refused, vec!["numbers-wrap"]));
    for sector in [256, 8192, 3000] {
        let odd = Use { sector_size: Some(sector), ..disk(512) };
        assert_eq!(names("aes-xts-plain64", &odd), (Verdict::Refused, vec!["sector-size"]), "{sector}");
    }
    let small_page = Use { page_size: Some(2048), ..disk(512) };
    assert_eq!(names("aes-xts-plain64", &small_page), (Verdict::Refused, vec!["sector-size"]));
    let small = Use { sector_size: Some(512), ..disk(512) };
    assert_eq!(names("aes-xts-plain64", &small), (Verdict::WorksBut, vec!["small-sectors"]));
    let fine = Use { block_size: Some(512), ..disk(512) };
    assert_eq!(names("aes-xts-plain64", &fine), (Verdict::WorksBut, vec!["sector-over-block"]));
    let ragged = Use { device_size: Some(4097), ..disk(512) };
    assert_eq!(names("aes-xts-plain64", &ragged), (Verdict::Refused, vec!["size"]));
}

#[test]
fn what_cryptsetup_hands_on() {
    let hmac = Integrity::from_name("hmac-sha256").unwrap();
    for (typed, integrity, handed_on) in [
        ("aes-gcm-random", Integrity::Aead, "capi:gcm(aes)-random"),
        ("aes-ccm-random", Integrity::Aead, "capi:rfc4309(ccm(aes))-random"),
        ("aegis128-random", Integrity::Aead, "capi:aegis128-random"),
        ("capi:aegis128-random", Integrity::Aead, "capi:aegis128-random"),
        ("aes-xts-plain64", hmac, "capi:authenc(hmac(sha256),xts(aes))-plain64"),
        ("aes-cbc-essiv:sha3-256", hmac, "capi:authenc(hmac(sha256),cbc(aes))-essiv:sha3-256"),
        ("capi:cbc(aes)-essiv:sha3-256", hmac, "capi:authenc(hmac(sha256),cbc(aes))-essiv:sha3-256"),
        ("aes", hmac, "capi:authenc(hmac(sha256),aes)"),
    ] {
        assert_eq!(tags::handed_on(typed, integrity), handed_on, "{typed}");
    }
}

/// See `tests/dm-crypt.txt`.
#[test]
fn what_dm_crypt_takes_is_told_from_what_it_refuses() {
    let lines = include_str!("../../tests/dm-crypt.txt").lines().filter(|line| !line.starts_with('#'));
    for line in lines {
        let words: Vec<&str> = line.split_whitespace().collect();
        let [linux, spec, bits, sector, worst, tags @ ..] = &words[..] else { panic!("{line}") };
        let integrity = tags.first().map(|tags| {
            let name = tags.split(':').nth(1).unwrap();
            Integrity::from_name(name).unwrap()
        });
        let sector = sector.parse().unwrap();
        let intended = Use {
            key_bits: Some(bits.parse().unwrap()),
            sector_size: Some(sector),
            // What is said of small sectors is another matter.
            block_size: Some(sector),
            integrity,
            ..Use::default()
        };
        let judgement = judge(spec, &intended);
        assert_eq!(judgement.findings.first().map_or("-", |finding| finding.name), *worst, "{line}");
        let is_mapped = judgement.is_mapped();
        let is_taken = matches!(*linux, "taken" | "elsewhere");
        assert!(*linux == "absent" || is_mapped == is_taken, "{line}: {judgement:?}");
    }
}

proptest! {
    #[test]
    fn nothing_panics(
        text in "[a-z0-9():,-]{0,30}|(capi:)?(authenc\\(hmac\\(sha256\\),)?[a-z0-9():,-]{0,30}|[^a]{0,9}",
        bits: u32, sector: u32, size: u64, tags: bool, mac: bool,
    ) {
        let name = if mac { "hmac-sha1" } else { "aead" };
        let intended = Use {
            integrity: tags.then(|| Integrity::from_name(name).unwrap()),
            key_bits: Some(bits),
            sector_size: Some(sector),
            device_size: Some(size),
            ..Use::default()
        };
        for finding in judge(&text, &intended).findings {
            prop_assert!(!finding.reason.is_empty() && !finding.remedy.is_empty());
        }
    }
}
