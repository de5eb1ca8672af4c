//! What the columns hold whose names alone do not say it.

/// Names of columns, or their beginnings, and what they hold.
pub(super) const COLUMNS: &[(&str, &str)] = &[
    ("tag", "bytes of the MAC in the option"),
    (
        "full SYN",
        "bytes of options in a SYN with maximum segment size, window scale, SACK permitted, timestamps and TCP-AO; the header has room for 40",
    ),
    (
        "options of a full SYN",
        "bytes of options in a SYN with maximum segment size, window scale, SACK permitted, timestamps and TCP-AO; the header has room for 40",
    ),
    ("SACK blocks", "how many blocks of selective acknowledgement still fit beside TCP-AO"),
    ("payload", "bytes that a segment carries at an MTU of 1500 over IPv4, with timestamps"),
    ("144 single", "a segment with 144 bytes of MAC input, one at a time"),
    ("1496 single", "a segment with 1496 bytes of MAC input, one at a time"),
    ("83 bytes", "bytes of MAC input: a BGP KEEPALIVE"),
    ("144 bytes", "bytes of MAC input: the case of the kernel developers' figures"),
    ("172 bytes", "bytes of MAC input"),
    ("1496 bytes", "bytes of MAC input: a full packet"),
    ("unprepared", "a segment whose traffic key is prepared anew, as Linux does"),
    ("option", "bytes of the whole TCP-AO option"),
];
