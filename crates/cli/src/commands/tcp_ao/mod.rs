//! `fieldtest tcp-ao`: the TCP authentication option.

pub(crate) mod gateway;
mod key_chain;
mod keys;
mod sign;
mod study;
mod verify;

use std::sync::Arc;

use anyhow::Result;
use fieldtest_catalog::mac;
use fieldtest_kinds::mac::Mac;
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
            format.only_human("fieldtest tcp-ao keys writes what --for names")?;
            key_chain::run(&args)
        }
        TcpAo::Gateway(args) => {
            format.only_human("fieldtest tcp-ao gateway carries packets")?;
            carry(&args)
        }
    }
}

/// Finds an algorithm by its name, and the bytes of its usual MAC.
fn resolve(name: &str, implementation: Option<&str>) -> Result<(Arc<dyn Mac>, usize)> {
    let algorithm = mac::find(name).map_err(usage)?;
    if algorithm.facts.kind.is_tcp_md5() {
        return Err(usage(format!("{name} is no MAC of TCP-AO; `fieldtest list mac` shows those that are")));
    }
    let named = implementation.and_then(|name| algorithm.implementation(name).ok());
    let implementation = named.or(algorithm.implementations.first()).ok_or_else(|| {
        usage(format!("{name} has no implementation here; `fieldtest list mac` shows those that have one"))
    })?;
    Ok((Arc::clone(&implementation.code), algorithm.facts.kind.tag))
}

fn carry(args: &args::Gateway) -> Result<Outcome> {
    super::known_implementation(args.implementation.as_deref())?;
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
            anyhow::bail!("{} is no regular file and can be read only once", args.keys.display())
        }
        _ => read(),
    };
    gateway::run(&args.sides, read()?, settings, again)?;
    Ok(Outcome::Fine)
}
