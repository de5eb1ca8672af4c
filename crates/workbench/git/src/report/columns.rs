//! What the columns hold whose names alone do not say it.

/// Names of columns, or their beginnings, and what they hold.
pub(super) const COLUMNS: &[(&str, &str)] = &[
    ("digest", "bytes of an object's name"),
    ("collision", "bits of work to find two objects of one name"),
    ("one at a time", "messages of a repository's lengths, each by itself"),
    ("many at once", "the same messages side by side in vector registers, or on several cores"),
    ("whole map", "the time to compute the new name of every object"),
    ("more per object", "what trees and the pack's index grow by, against the names that the repository has"),
    ("available in", "how many of the places that were looked at have it"),
    ("hash,", "every object decoded and hashed"),
    ("map,", "the new names of all objects, in two walks and the trees"),
    ("hashing is", "the share of the processor's time that is not decoding"),
    ("trees", "bytes of names in trees, before compression"),
    ("pack index", "bytes of the index, version 2"),
    ("both names", "a list of every object's old and new name"),
    ("best library", "the figure of the fastest library, as many times as this project's own code takes"),
    ("long", "messages of which the length does not matter any more"),
];
