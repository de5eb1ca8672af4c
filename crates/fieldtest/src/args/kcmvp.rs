//! What is typed for the Korean validation programme.

use std::path::PathBuf;

use clap::{Args as ClapArgs, Subcommand};

/// What is done with requests of KCMVP.
#[derive(Debug, Subcommand)]
pub(crate) enum Kcmvp {
    /// Write response files (.rsp) to request files (.req): ARIA, LEA and AES in ECB, CBC, CTR, GCM, CCM and CMAC
    Answer(KcmvpAnswer),
}

#[derive(Debug, ClapArgs)]
pub(crate) struct KcmvpAnswer {
    /// Request files, whose names say what they ask for: LEA128(CBC)MMT.req, CMACGenARIA256.req; - is standard input
    #[arg(required = true, value_name = "FILE.req")]
    pub(crate) requests: Vec<PathBuf>,
    /// What the request's name would say, where it says something else
    #[arg(long = "as", value_name = "NAME")]
    pub(crate) name: Option<String>,
    /// Who answers; if absent `fieldtest`, this project's own
    #[arg(long, short, value_name = "NAME")]
    pub(crate) implementation: Option<String>,
    /// Where the answers go; if absent beside the request, with .rsp at its name's end
    #[arg(long, short, value_name = "FILE.rsp")]
    pub(crate) output: Option<PathBuf>,
}
