//! What the columns hold whose names alone do not say it.

/// Names of columns, or their beginnings, and what they hold.
pub(super) const COLUMNS: &[(&str, &str)] = &[
    ("key", "bytes of the volume key"),
    ("512 page", "4096 bytes in sectors of 512, with one call"),
    ("4096 page", "4096 bytes in one sector, with one call"),
    ("seal", "a page encrypted, with a tag for each sector"),
    ("open", "a page's tags verified, and it decrypted"),
    ("a bit garbles", "bytes of plaintext that one changed bit of ciphertext changes"),
    ("disk", "whether the mode protects a disk, and if not, why"),
    ("time", "whether the time depends on the key or the data: constant, or tables looked up by secrets"),
    ("specification", "the cipher as dm-crypt and the LUKS2 header name it"),
    ("beside a sector", "bytes that are stored with each sector: its tag and its nonce"),
    ("beside the data", "bytes of the container that are not the data's"),
    ("format", "header, key slots and volume key written"),
    ("fill", "the data encrypted and written"),
    ("read", "the container read and decrypted"),
    ("in all", "all of it, by the clock on the wall"),
    ("converted", "core cycles per byte that the published ticks are, where that can be inferred"),
    ("encrypt here", "a page encrypted on this machine, by portable code or by the fastest"),
    ("decrypt here", "a page decrypted on this machine, by portable code or by the fastest"),
    ("unlock", "from a passphrase to the volume key"),
];
