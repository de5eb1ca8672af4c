//! Made-up records of all carriers. Each carrier's stand with the tests of its workbench, which has a section of its own
//! to test by them.

// The workbenches' own tests ask for more of them.
#![allow(dead_code)]

#[path = "../../../../workbench/disk/tests/synthetic/mod.rs"]
pub(crate) mod disk;
#[path = "../../../../workbench/dnssec/tests/synthetic/mod.rs"]
pub(crate) mod dnssec;
#[path = "../../../../workbench/git/tests/synthetic/mod.rs"]
pub(crate) mod git;
#[path = "../../../../workbench/ima/tests/synthetic/mod.rs"]
pub(crate) mod ima;
#[path = "../../../../workbench/tcp-ao/tests/synthetic/mod.rs"]
pub(crate) mod tcp_ao;

pub(crate) use dnssec::lines;
pub(crate) use fieldtest_testing::synthetic::{record, run};
