//! The carriers that this program has: the one list of them.

use std::sync::LazyLock;

use fieldtest_frame::carrier::Carrier;
use fieldtest_report::{Chapter, Chapters};
use fieldtest_workbench_disk::Disk;
use fieldtest_workbench_dnssec::Dnssec;
use fieldtest_workbench_git::Git;
use fieldtest_workbench_ima::Ima;
use fieldtest_workbench_tcp_ao::TcpAo;

/// In the order of help, studies and reports.
pub const CARRIERS: &[&dyn Carrier] = &[&Dnssec, &TcpAo, &Ima, &Git, &Disk];

/// What reports say of their studies, in the same order.
pub fn chapters() -> Chapters {
    static ALL: LazyLock<Vec<&dyn Chapter>> =
        LazyLock::new(|| CARRIERS.iter().map(|carrier| carrier.chapter()).collect());
    &ALL
}
