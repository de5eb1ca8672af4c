//! What the columns hold whose names alone do not say it.

/// Names of columns, or their beginnings, and what they hold.
pub(super) const COLUMNS: &[(&str, &str)] = &[
    ("level", "the category of security that NIST's documents claim"),
    ("xattr", "bytes of the extended attribute: a header and the signature"),
    ("here", "the file system of the directory that was measured in"),
    ("sign tree", "the time to sign every file of the tree"),
    ("kernel verifies", "what a kernel takes to verify a file, as published, of another machine"),
    ("RPM files", "the most that one package can hold with their signatures"),
    ("memory", "what each measured file adds to the kernel's measurement list, which is never swapped out"),
    ("verify one file", "a file read, hashed and verified by itself"),
    ("in the kernel (published)", "what a kernel takes to verify a file, as published, of another machine"),
    ("storage for a file on ext4", "bytes on disk that the signature of one file takes, in whole blocks"),
];
