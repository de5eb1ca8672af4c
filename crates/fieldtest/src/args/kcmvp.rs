//! What is typed for the Korean validation programme.

use std::path::PathBuf;

use clap::{Args as ClapArgs, Subcommand};

/// What is done with requests of KCMVP.
#[derive(Debug, Subcommand)]
pub(crate) enum Kcmvp {
    /// Write response files for KCMVP requests
    ///
    /// Answer for ARIA, LEA and AES in ECB, CBC, CTR, GCM, CCM and CMAC.
    Answer(KcmvpAnswer),
}

#[derive(Debug, ClapArgs)]
pub(crate) struct KcmvpAnswer {
    /// Request files, whose names identify the test: LEA128(CBC)MMT.req, CMACGenARIA256.req; - for standard input
    #[arg(required = true, value_name = "FILE.req")]
    pub(crate) requests: Vec<PathBuf>,
    /// Name of the test, if the file has another name
    #[arg(long = "as", value_name = "NAME")]
    pub(crate) name: Option<String>,
    /// Implementation that answers [default: `fieldtest`, this project's own]
    #[arg(long, short, value_name = "NAME")]
    pub(crate) implementation: Option<String>,
    /// Write the answers to FILE [default: next to the request, with the suffix .rsp]
    #[arg(long, short, value_name = "FILE.rsp")]
    pub(crate) output: Option<PathBuf>,
}
