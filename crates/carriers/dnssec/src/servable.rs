//! Whether an RRset can be sent at all: a DNS message has at most 65,535 octets (RFC 1035, section 4.2.2).

use crate::rtype::Rtype;
use crate::sizes::fit::LONGEST_MESSAGE;
use crate::sizes::{AlgorithmSize, Composer, Edns};

/// Fixed parts of an answer that no compression makes shorter: header, question without name, OPT.
const AROUND: u64 = 12 + 4 + 11;
/// Type, class, TTL and RDATA length.
const RECORD: u64 = 10;

/// The octets of an answer with this RRset and RRSIG records of these lengths, if no message holds them. What is beyond
/// the limit is not counted to its end: the true length is at least as much.
pub(crate) fn excess<'m>(
    owner: &'m [u8],
    rtype: Rtype,
    rdata: impl Iterator<Item = &'m [u8]> + Clone,
    signatures: impl Iterator<Item = usize> + Clone,
) -> Option<u64> {
    let record = |len: usize| owner.len() as u64 + RECORD + len as u64;
    let all = rdata.clone().map(<[u8]>::len).chain(signatures.clone());
    if AROUND + owner.len() as u64 + all.map(record).sum::<u64>() <= LONGEST_MESSAGE {
        return None;
    }
    // Compression may still make it fit.
    let mut composer = Composer::new(Some(AlgorithmSize::new(0, 0)));
    composer.question(owner);
    composer.opt(Edns::default());
    for len in signatures {
        composer.opaque(owner, len as u64);
    }
    for rdata in rdata {
        if composer.length().base > LONGEST_MESSAGE {
            break;
        }
        composer.record(owner, rtype, rdata);
    }
    Some(composer.length().base).filter(|octets| *octets > LONGEST_MESSAGE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_limit() {
        let owner = b"\x01a\0";
        let of = |count: usize, len: usize, signatures: &[usize]| {
            let rdata = vec![0u8; len];
            excess(owner, Rtype::TXT, std::iter::repeat_n(&rdata[..], count), signatures.iter().copied())
        };
        // Header 12, question 7, OPT 11, record 2 + 10 + RDATA.
        assert_eq!(of(1, 65_535 - 42, &[]), None);
        assert_eq!(of(1, 65_535 - 41, &[]), Some(65_536));
        assert_eq!(of(1, 65_535, &[]), Some(65_577));
        assert_eq!(of(2, 65_535 - 42 - 12 - 112, &[100]), Some(30 + 112 + 2 * (65_535 - 42 - 112)));
        // 4,094 addresses fit, and another one does not.
        assert_eq!(of((65_535 - 30) / 16, 4, &[]), None);
        assert!(of((65_535 - 30) / 16 + 1, 4, &[]).is_some());
        // Names that compress.
        let name = b"\x3faaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\x01a\0";
        let names = std::iter::repeat_n(&name[..], 3_000);
        assert_eq!(excess(owner, Rtype::NS, names.clone(), std::iter::empty()), None);
        assert!(excess(owner, Rtype::SRV, names, std::iter::empty()).is_some());
    }
}
