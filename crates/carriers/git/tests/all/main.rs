//! All tests of the crate: one program, so that the libraries are linked once.

mod busy;
mod carried_over;
mod convert_repository;
mod copies;
#[path = "../common/counting.rs"]
mod counting;
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
#[path = "../common/repositories.rs"]
mod repositories;
mod sample;
mod special_files;
mod stays_behind;
mod submodules;
mod unsound;
mod verify_settings;
mod walk;
