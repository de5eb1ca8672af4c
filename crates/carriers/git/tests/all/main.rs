//! All tests of the crate: one program, so that the libraries are linked once.

mod busy;
mod carried_over;
mod convert_repository;
mod copies;
mod damage;
mod delta_trees;
mod empty_tree;
#[path = "../common/git.rs"]
mod git;
mod git_reads;
#[path = "../common/hashes.rs"]
mod hashes;
mod large_blob;
mod outputs;
#[path = "../common/packs.rs"]
mod packs;
mod padding;
mod references;
mod reflogs;
mod sample;
mod special_files;
mod stays_behind;
mod submodules;
mod unsound;
#[path = "../common/verified.rs"]
mod verified;
mod verify_settings;
mod walk;
