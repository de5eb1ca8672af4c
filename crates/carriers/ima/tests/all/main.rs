//! All tests of the crate: one program, so that the libraries are linked once and slow file systems are waited for side by
//! side.

mod certificate;
#[path = "../common/mod.rs"]
mod common;
mod evmctl;
mod key_files;
mod signatures;
mod space_btrfs;
mod space_detection;
mod space_free;
mod space_images;
mod space_models;
mod space_prediction;
mod space_refuted;
mod space_sharing;
mod space_unseen;
mod tar_formats;
mod tree;
mod tree_ext4;
mod tree_pairs;
mod tree_sidecars;
#[path = "../tree_support/mod.rs"]
mod tree_support;
mod tree_tar;
