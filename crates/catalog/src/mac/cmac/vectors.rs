//! Known answers of CMAC: RFC 4493, NIST's examples, TCP-AO's own, the Wycheproof project's, and for LEA KISA's, with longer
//! messages of Crypto++'s.

use fieldtest_kinds::mac::Mac;

use super::super::kats::{segments, tags, wycheproof};
use crate::kat::KnownAnswers;
use crate::kat::table;
use crate::{KatResult, KatError};

pub(super) fn prove_128(mac: &dyn Mac) -> Result<KatResult, KatError> {
    let mut tcp_ao = KnownAnswers::from("RFC 9235, sections 5 and 7");
    let rows = include_str!("../../../vectors/mac/rfc9235-aes-128-cmac-96.txt");
    segments(&mut tcp_ao, mac, b"testvector", rows)?;
    let rfc = examples(mac, "RFC 4493, section 4", 16)?;
    Ok(KatResult::of([tcp_ao, rfc, wycheproof(mac, "aes_cmac", Some(16))?]))
}

pub(super) fn prove_256(mac: &dyn Mac) -> Result<KatResult, KatError> {
    let nist = examples(mac, "SP 800-38B, appendix D.3", 32)?;
    Ok(KatResult::of([nist, wycheproof(mac, "aes_cmac", Some(32))?]))
}

pub(super) fn prove_192(mac: &dyn Mac) -> Result<KatResult, KatError> {
    let nist = examples(mac, "SP 800-38B, appendix D.2", 24)?;
    Ok(KatResult::of([nist, wycheproof(mac, "aes_cmac", Some(24))?]))
}

/// The file has keys of all three lengths, and an implementation takes one of them.
pub(super) fn prove_aria(mac: &dyn Mac) -> Result<KatResult, KatError> {
    let key = [16, 24, 32].into_iter().find(|bytes| mac.prepare(&vec![0; *bytes]).is_ok());
    Ok(KatResult::of([wycheproof(mac, "aria_cmac", key)?]))
}

pub(super) fn prove_lea_128(mac: &dyn Mac) -> Result<KatResult, KatError> {
    prove_lea(mac, 16)
}

pub(super) fn prove_lea_192(mac: &dyn Mac) -> Result<KatResult, KatError> {
    prove_lea(mac, 24)
}

pub(super) fn prove_lea_256(mac: &dyn Mac) -> Result<KatResult, KatError> {
    prove_lea(mac, 32)
}

fn prove_lea(mac: &dyn Mac, key_len: usize) -> Result<KatResult, KatError> {
    let mut kisa = KnownAnswers::from("KISA's reference vectors (lea_vs.c)");
    tags(&mut kisa, mac, of_keys(include_str!("../../../vectors/mac/kisa-lea-cmac.txt"), key_len))?;
    let mut set = KnownAnswers::unofficial("tags made with Crypto++ 8.7 (a cross-check)");
    let rows = table::rows(include_str!("../../../vectors/mac/cryptopp-lea-cmac.txt"));
    let counting = |length: usize| (0..=u8::MAX).cycle().take(length).collect::<Vec<u8>>();
    let vectors = rows.map(|row| (counting(row.count(0)), counting(row.count(1)), row.bytes(2)));
    tags(&mut set, mac, vectors.filter(|(key, ..)| key.len() == key_len))?;
    Ok(KatResult::of([kisa, set]))
}

/// The published examples with keys of this length.
fn examples(mac: &dyn Mac, origin: &str, key_len: usize) -> Result<KnownAnswers, KatError> {
    let mut set = KnownAnswers::from(origin);
    tags(&mut set, mac, of_keys(include_str!("../../../vectors/mac/cmac-aes.txt"), key_len))?;
    Ok(set)
}

/// Key, message and tag of the rows with keys of this length.
fn of_keys(rows: &'static str, key_len: usize) -> impl Iterator<Item = (Vec<u8>, Vec<u8>, Vec<u8>)> {
    let vectors = table::rows(rows).map(|row| (row.bytes(0), row.bytes(1), row.bytes(2)));
    vectors.filter(move |(key, ..)| key.len() == key_len)
}

#[cfg(test)]
mod tests {
    use crate::mac;

    /// aria_cmac_test.json has 21 valid tests for each length of keys, and 81 invalid ones; KISA has ten for each.
    #[test]
    fn tests_for_other_keys_do_not_count() {
        for (name, vectors) in [
            ("aria-128-cmac-128", 102),
            ("aria-192-cmac-128", 102),
            ("aria-256-cmac-128", 102),
            ("lea-192-cmac-128", 10),
        ] {
            let code = mac::find(name).expect(name).implementation("fieldtest").expect(name);
            assert_eq!(code.kat().expect(name).vectors, vectors, "{name}");
        }
    }
}
