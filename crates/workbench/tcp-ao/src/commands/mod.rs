//! `fieldtest tcp-ao`: the TCP authentication option.

pub(crate) mod gateway;
mod key_chain;
mod keys;
mod sign;
mod study;
mod verify;

use std::path::Path;

use anyhow::Result;
use fieldtest_frame::{measuring, text};
use fieldtest_tcp_ao::gateway::{Policy, Settings};

use crate::args::{self, TcpAo, Unprotected};
use crate::outcome::{Outcome, usage};
use crate::output::Format;

pub(crate) fn run(command: TcpAo, format: Format) -> Result<Outcome> {
    match command {
        TcpAo::Study(args) => study::run(args, format),
        TcpAo::Verify(args) => verify::run(&args, format),
        TcpAo::Sign(args) => {
            format.only_human("fieldtest tcp-ao sign writes a capture")?;
            sign::run(&args)
        }
        TcpAo::Keys(args) => {
            format.only_human("fieldtest tcp-ao keys writes the format of --for")?;
            key_chain::run(&args)
        }
        TcpAo::Gateway(args) => {
            format.only_human("fieldtest tcp-ao gateway carries packets")?;
            carry(&args)
        }
    }
}

/// Why nothing of a capture could be done.
fn no_tcp(verb: &str, capture: &Path) -> String {
    format!(
        "cannot {verb} {}: it contains no TCP segment; give a capture of a connection",
        text::path(capture)
    )
}

fn carry(args: &args::Gateway) -> Result<Outcome> {
    measuring::known_implementation(args.implementation.as_deref())?;
    if args.sides.inner == args.sides.outer && args.sides.inner_namespace.is_none() {
        return Err(usage(format!(
            "--inner and --outer are both '{}'; give two interfaces",
            args.sides.inner
        )));
    }
    let read = || gateway::keys::read(&args.keys, args.implementation.as_deref());
    let settings = Settings {
        policy: match args.unprotected {
            Unprotected::Drop => Policy::Required,
            Unprotected::Pass => Policy::Optional,
        },
        accept_icmp_errors: args.accept_icmp_errors,
        count_hop: !args.keep_ttl,
        ..Settings::default()
    };
    // A pipe was read to its end at the beginning, and reading it again would wait for whoever writes into it.
    let again = || match std::fs::metadata(&args.keys) {
        Ok(kind) if !kind.is_file() => {
            anyhow::bail!(
                "{} is not a regular file and can be read only once; copy it to a file first",
                args.keys.display()
            )
        }
        _ => read(),
    };
    gateway::run(&args.sides, read()?, settings, again)?;
    Ok(Outcome::Fine)
}
