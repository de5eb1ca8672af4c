//! What sample root zones have in common with the real one: counts taken from the root zone with serial 2026082201
//! (as archived in `kidmin/rza`, commit f2b593c784678a866567670df8bf63eb4dd590c0).

/// Delegations in that zone.
pub const DELEGATIONS: u32 = 1438;

/// How often a label has which length, in octets: the others.
pub const LABEL_LENGTHS: [(u8, u16); 15] = [
    (2, 248),
    (3, 216),
    (4, 205),
    (5, 155),
    (6, 158),
    (7, 123),
    (8, 78),
    (9, 41),
    (10, 30),
    (11, 21),
    (12, 4),
    (13, 2),
    (14, 2),
    (15, 3),
    (18, 1),
];

/// How often a label has which length: those that begin with `xn--`.
pub const INTERNATIONALISED_LENGTHS: [(u8, u16); 14] = [
    (8, 4),
    (9, 14),
    (10, 27),
    (11, 46),
    (12, 17),
    (13, 8),
    (14, 15),
    (15, 6),
    (16, 4),
    (17, 6),
    (20, 1),
    (22, 1),
    (23, 1),
    (24, 1),
];

/// How often a delegation has so many servers, and so many of them below its own name.
pub const SERVERS: [(u8, u8, u16); 47] = [
    (2, 0, 9),
    (2, 2, 5),
    (3, 0, 35),
    (3, 1, 14),
    (3, 2, 8),
    (3, 3, 22),
    (4, 0, 186),
    (4, 1, 8),
    (4, 2, 12),
    (4, 3, 9),
    (4, 4, 284),
    (5, 0, 69),
    (5, 1, 2),
    (5, 2, 7),
    (5, 3, 7),
    (5, 4, 3),
    (5, 5, 18),
    (6, 0, 32),
    (6, 1, 3),
    (6, 2, 5),
    (6, 3, 6),
    (6, 4, 4),
    (6, 5, 6),
    (6, 6, 521),
    (7, 0, 4),
    (7, 1, 3),
    (7, 2, 2),
    (7, 3, 3),
    (7, 5, 5),
    (7, 6, 2),
    (7, 7, 7),
    (8, 0, 34),
    (8, 2, 1),
    (8, 3, 1),
    (8, 6, 1),
    (8, 7, 1),
    (8, 8, 82),
    (9, 0, 2),
    (9, 3, 1),
    (9, 7, 1),
    (9, 8, 1),
    (9, 9, 3),
    (10, 0, 1),
    (10, 4, 1),
    (10, 10, 3),
    (12, 12, 1),
    // One of these three has its thirteen below its own name, but shares them with another, as sample zones do.
    (13, 0, 3),
];

/// How often a delegation has DS records of which digest types: 1 is SHA-1, 2 is SHA-256, 4 is SHA-384.
pub const DS: [(&[u8], u16); 9] = [
    (&[], 88),
    (&[1], 1),
    (&[1, 1], 1),
    (&[1, 2], 10),
    (&[2], 1224),
    (&[2, 2], 101),
    (&[2, 2, 2], 4),
    (&[2, 2, 4], 1),
    (&[2, 4], 8),
];

/// How often a server has so many IPv4 and so many IPv6 addresses. (Seven servers with uneven numbers of two or three
/// are counted as two of each.)
pub const ADDRESSES: [((u8, u8), u16); 4] = [((1, 1), 5620), ((1, 0), 277), ((0, 1), 2), ((2, 2), 15)];

/// How many different sets the servers of those 374 delegations form that have none below their own name.
pub const SHARED_SETS: (u16, u16) = (87, 374);
