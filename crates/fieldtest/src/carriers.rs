//! The carriers that this program has: the one list of them.

use std::sync::LazyLock;

use fieldtest_frame::carrier::Carrier;
use fieldtest_report::{Chapter, Chapters};

/// In the order of help, studies and reports. Each is a feature of this crate.
pub const CARRIERS: &[&dyn Carrier] = &[
    #[cfg(feature = "dnssec")]
    &fieldtest_workbench_dnssec::Dnssec,
    #[cfg(feature = "tcp-ao")]
    &fieldtest_workbench_tcp_ao::TcpAo,
    #[cfg(feature = "ima")]
    &fieldtest_workbench_ima::Ima,
    #[cfg(feature = "git")]
    &fieldtest_workbench_git::Git,
    #[cfg(feature = "disk")]
    &fieldtest_workbench_disk::Disk,
];

/// What reports say of their studies, in the same order.
pub fn chapters() -> Chapters {
    static ALL: LazyLock<Vec<&dyn Chapter>> =
        LazyLock::new(|| CARRIERS.iter().map(|carrier| carrier.chapter()).collect());
    &ALL
}
