//! The carriers that this program has: the one list of them.

use std::sync::LazyLock;

use fieldtest_frame::carrier::Carrier;
use fieldtest_report::{StudySection, StudySections};
use fieldtest_study::Studied;

/// In the order of help, studies and reports. Each is a feature of this crate.
pub static CARRIERS: &[&Carrier] = &[
    #[cfg(feature = "dnssec")]
    &fieldtest_workbench_dnssec::CARRIER,
    #[cfg(feature = "tcp-ao")]
    &fieldtest_workbench_tcp_ao::CARRIER,
    #[cfg(feature = "ima")]
    &fieldtest_workbench_ima::CARRIER,
    #[cfg(feature = "git")]
    &fieldtest_workbench_git::CARRIER,
    #[cfg(feature = "disk")]
    &fieldtest_workbench_disk::CARRIER,
];

/// Their tables in study files.
pub fn studied() -> Vec<Studied> {
    CARRIERS.iter().map(|carrier| carrier.study).collect()
}

/// What reports say of their studies, in the same order.
pub fn study_sections() -> StudySections {
    static ALL: LazyLock<Vec<&StudySection>> =
        LazyLock::new(|| CARRIERS.iter().map(|carrier| carrier.study_section).collect());
    &ALL
}
