//! What is typed after `fieldtest dnssec downgrade`.

use std::path::PathBuf;

use clap::Args as ClapArgs;
use fieldtest_frame::arguments::StudyRun;

use super::CodePoints;

#[derive(Debug, ClapArgs)]
pub(crate) struct Downgrade {
    /// The algorithm that is to protect, and that is stripped
    #[arg(long, value_name = "NAME", default_value = "ml-dsa-44")]
    pub(crate) strong: String,
    /// The algorithm beside it, which the attacker may have broken
    #[arg(long, value_name = "NAME", default_value = "ecdsa-p256")]
    pub(crate) weak: String,
    /// What the root and the TLD above are signed with; the weak algorithm if absent, which every resolver should know
    #[arg(long, value_name = "NAME")]
    pub(crate) parents: Option<String>,
    /// A validating resolver, a path or a name: `unbound`, `named`, `kresd` or `pdns_recursor`; may be repeated. All that are here if absent
    #[arg(long = "resolver", value_name = "PROGRAM", help_heading = "Servers")]
    pub(crate) resolvers: Vec<PathBuf>,
    /// The name servers: NSD; the one that is installed if absent
    #[arg(long, value_name = "PROGRAM", help_heading = "Servers")]
    pub(crate) nsd: Option<PathBuf>,
    /// Use high ports of 127.53.0.0/16 and not a network namespace; Unbound alone can be asked then
    #[arg(long, help_heading = "Network")]
    pub(crate) shared_network: bool,
    #[command(flatten)]
    pub(crate) code_points: CodePoints,
    #[command(flatten)]
    pub(crate) run: StudyRun,
}
