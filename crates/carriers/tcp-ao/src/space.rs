//! What fits beside the TCP-AO option: 40 bytes of options are all that a segment has.

use crate::option::HEAD;
use crate::tcp::{FIXED_HEADER, MAX_OPTIONS};

/// Bytes of the timestamps option with the no-operations that align it (RFC 7323, appendix A), as everybody
/// sends it. They decide: without them, a MAC of 16 bytes would leave room for one SACK block, and with them
/// for none.
pub const TIMESTAMPS: usize = 12;
/// Bytes of the options that a SYN usually has beside TCP-AO: maximum segment size (4), window scale with one
/// no-operation (4), and selective acknowledgement permitted and timestamps, which share their alignment (12).
pub const FULL_SYN: usize = 20;
/// Bytes of a SACK option without blocks, with the no-operations that align it (RFC 2018, section 3).
const SACK_HEAD: usize = 4;
const SACK_BLOCK: usize = 8;
const IPV4_HEADER: usize = 20;
const IPV6_HEADER: usize = 40;

/// Bytes of the TCP-AO option with a MAC of this length, filled up to a multiple of four.
pub fn ao_len(mac_len: usize) -> usize {
    (HEAD + mac_len).next_multiple_of(4)
}

/// Bytes of all options of a SYN with maximum segment size, window scale, selective acknowledgement permitted,
/// timestamps and TCP-AO. More than 40 do not fit.
pub fn full_syn_len(mac_len: usize) -> usize {
    FULL_SYN + ao_len(mac_len)
}

/// Blocks of selective acknowledgement that a data segment has room for, or `None` where not even the others fit.
pub fn sack_blocks(mac_len: usize, timestamps: bool) -> Option<usize> {
    let left = MAX_OPTIONS.checked_sub(data_options_len(mac_len, timestamps))?;
    Some(left.saturating_sub(SACK_HEAD) / SACK_BLOCK)
}

/// Bytes of payload in the longest data segment of a path with this MTU: what remains of the maximum segment size when
/// IP header, TCP header, timestamps and TCP-AO are taken off. `None` where they do not fit.
pub fn effective_mss(mtu: usize, v6: bool, mac_len: usize, timestamps: bool) -> Option<usize> {
    let options = data_options_len(mac_len, timestamps);
    let headers = if v6 { IPV6_HEADER } else { IPV4_HEADER } + FIXED_HEADER + options;
    mtu.checked_sub(headers).filter(|_| options <= MAX_OPTIONS)
}

fn data_options_len(mac_len: usize, timestamps: bool) -> usize {
    ao_len(mac_len) + if timestamps { TIMESTAMPS } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// MAC length, option length, full SYN, SACK blocks with timestamps, SACK blocks without.
    type Row = (usize, usize, usize, Option<usize>, Option<usize>);

    const TABLE: [Row; 6] = [
        (8, 12, 32, Some(1), Some(3)),
        (12, 16, 36, Some(1), Some(2)),
        (16, 20, 40, Some(0), Some(2)),
        (20, 24, 44, Some(0), Some(1)),
        (24, 28, 48, Some(0), Some(1)),
        (32, 36, 56, None, Some(0)),
    ];

    #[test]
    fn the_space_that_each_mac_leaves() {
        for (mac, option, syn, with, without) in TABLE {
            assert_eq!(ao_len(mac), option);
            assert_eq!(full_syn_len(mac), syn);
            assert_eq!(full_syn_len(mac) <= MAX_OPTIONS, mac <= 16);
            assert_eq!(sack_blocks(mac, true), with, "MAC of {mac} bytes with timestamps");
            assert_eq!(sack_blocks(mac, false), without, "MAC of {mac} bytes without timestamps");
        }
    }

    #[test]
    fn a_path_of_1500_bytes() {
        assert_eq!(effective_mss(1500, false, 12, true), Some(1432));
        assert_eq!(effective_mss(1500, false, 16, true), Some(1428));
        assert_eq!(effective_mss(1500, true, 12, true), Some(1412));
        assert_eq!(effective_mss(1500, false, 32, true), None);
        assert_eq!(effective_mss(40, false, 12, true), None);
    }
}
