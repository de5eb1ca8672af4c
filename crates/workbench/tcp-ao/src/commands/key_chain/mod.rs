//! `fieldtest tcp-ao keys`: a chain of fresh master keys, written for the system that is to use it.

mod bird;
mod chain;
mod gobgp;
mod linux;
mod own;
mod rfc8177;
#[cfg(test)]
mod tests;

use anyhow::{Context, Result};
use fieldtest_catalog::mac::{self, Algorithm};
use fieldtest_tcp_ao::Mkt;
use fieldtest_tcp_ao::mkt::MktError;
use jiff::{SignedDuration, Timestamp, Unit};
use zeroize::Zeroizing;

use self::chain::{Chain, Fill, Key, Schedule};
use crate::args::{KeyChain, System};
use crate::outcome::{Outcome, usage};
use crate::output::{self, Existing};

pub(crate) fn run(args: &KeyChain) -> Result<Outcome> {
    let chain = chain(args, Timestamp::now(), &mut |bytes| {
        getrandom::fill(bytes).context("the system gives no random bytes for keys")
    })?;
    let (text, warnings) = write(&chain, args.system)?;
    match &args.output {
        Some(path) => {
            output::secret_file(path, Existing::Replace, text.as_bytes())?;
            let number = output::count(chain.keys.len(), "key");
            output::message(&format!("{}: {number} of {}", path.display(), chain.facts.name));
        }
        None => output::data(&text)?,
    }
    for warning in warnings {
        output::message(&warning);
    }
    Ok(Outcome::Fine)
}

/// The chain that was asked for. Time and randomness come from outside.
fn chain(args: &KeyChain, now: Timestamp, fill: Fill<'_>) -> Result<Chain> {
    let algorithm = mac::find(&args.algorithm).map_err(usage)?;
    let facts = algorithm.facts;
    if facts.kind.is_tcp_md5() {
        return Err(usage(format!(
            "{} is no MAC of TCP-AO and has no key identifiers; `fieldtest list mac` shows those that are",
            facts.name
        )));
    }
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    if args.name.is_empty() || !args.name.chars().all(plain) {
        return Err(usage(format!("“{}” is no name of a chain; use letters, digits, -, _ and .", args.name)));
    }
    let start =
        args.start.as_deref().map_or(Ok(now), str::parse::<Timestamp>).map_err(|error| {
            usage(format!("the start must be a time such as 2026-12-31T23:59:59Z: {error}"))
        })?;
    let schedule = Schedule {
        // Configurations have no fractions of seconds.
        start: start.round(Unit::Second)?,
        lifetime: days(args.lifetime),
        overlap: days(args.overlap),
    };
    let bytes = args.key_bytes.map_or_else(|| chain::suitable_key_bytes(facts), usize::from);
    let usual = if args.system == System::Bird { bird::MAC_LENGTH } else { facts.kind.tag };
    let chain = Chain {
        name: args.name.clone(),
        facts,
        mac_length: args.mac_length.map_or(usual, usize::from),
        exclude_options: args.exclude_options,
        peer: args.peer,
        keys: chain::keys(args.first_id, args.count, bytes, schedule, fill)?,
    };
    check(&chain, algorithm)?;
    Ok(chain)
}

fn days(number: u32) -> SignedDuration {
    SignedDuration::from_hours(24 * i64::from(number))
}

/// Whether the algorithm takes such keys and gives such MACs.
fn check(chain: &Chain, algorithm: &Algorithm) -> Result<()> {
    let Some(implementation) = algorithm.implementations.first() else {
        // Without code for it, only what is usual is known to work.
        let most = algorithm.facts.kind.tag;
        return match chain.mac_length <= most {
            true => Ok(()),
            false => Err(usage(MktError::MacLength { asked: chain.mac_length, most })),
        };
    };
    for Key { id, secret, .. } in &chain.keys {
        Mkt::new(*id, *id, secret, implementation.code.clone(), chain.mac_length).map_err(usage)?;
    }
    Ok(())
}

/// The configuration of a system, and what its user should know beside it.
fn write(chain: &Chain, system: System) -> Result<(Zeroizing<String>, Vec<String>)> {
    // A text that grows leaves copies of its keys behind, so there is room from the beginning.
    let room = 4096 + chain.keys.iter().map(|key| 1024 + 8 * key.secret.len()).sum::<usize>();
    let mut text = Zeroizing::new(String::with_capacity(room));
    let mut warnings = match system {
        System::Fieldtest => own::write_keys(chain, &mut text),
        System::Gateway => own::write_gateway_keys(chain, &mut text),
        System::Linux => linux::write(chain, &mut text)?,
        System::Bird => bird::write(chain, &mut text)?,
        System::Gobgp => gobgp::write(chain, &mut text)?,
        System::Rfc8177 => rfc8177::write(chain, &mut text)?,
    };
    if chain.facts.kind.needs_nonce {
        warnings.push(format!(
            "{} is not secure where a nonce repeats, and TCP-AO has no nonces: use these keys for measurements alone",
            chain.facts.name
        ));
    }
    Ok((text, warnings))
}

/// Puts lines into the text, each behind what makes it a comment.
fn comment(out: &mut String, mark: &str, lines: impl IntoIterator<Item = String>) {
    for line in lines {
        out.push_str(mark);
        out.push_str(&line);
        out.push('\n');
    }
}
