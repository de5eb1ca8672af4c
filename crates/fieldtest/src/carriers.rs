//! The carriers that this program has: the one list of them.

use fieldtest_frame::carrier::Carrier;
use fieldtest_report::Chapters;
use fieldtest_workbench_disk::{Disk, DiskChapter};
use fieldtest_workbench_dnssec::{Dnssec, DnssecChapter};
use fieldtest_workbench_git::{Git, GitChapter};
use fieldtest_workbench_ima::{Ima, ImaChapter};
use fieldtest_workbench_tcp_ao::{TcpAo, TcpAoChapter};

/// In the order of help, studies and reports.
pub const CARRIERS: [&dyn Carrier; 5] = [&Dnssec, &TcpAo, &Ima, &Git, &Disk];

/// What reports say of their studies.
pub const CHAPTERS: Chapters = &[&DnssecChapter, &TcpAoChapter, &ImaChapter, &GitChapter, &DiskChapter];
