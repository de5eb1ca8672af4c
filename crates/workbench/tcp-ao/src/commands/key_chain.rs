//! `fieldtest tcp-ao keys`: a chain of fresh master keys, written for the system that is to use it.

#[cfg(test)]
mod tests;

use std::io;

use anyhow::Result;
use fieldtest_catalog::kind::Mac;
use fieldtest_catalog::{Wanted, mac};
use fieldtest_tcp_ao::Mkt;
use fieldtest_tcp_ao::key_chain::{
    self, Algorithm, Chain, ChainError, Fill, Key, Refusal, Schedule, Warning, keys,
};
use fieldtest_tcp_ao::mkt::MktError;
use jiff::{SignedDuration, Timestamp, Unit};
use zeroize::Zeroizing;

use crate::args::{CHAIN, KeyChain, System};
use crate::outcome::{Outcome, of_option, usage};
use crate::output;

type Facts = fieldtest_catalog::Facts<Mac>;

/// Bytes of a key where the algorithm does not suggest more: 256 bits of entropy.
const KEY_BYTES: usize = 32;

pub(crate) fn run(args: &KeyChain) -> Result<Outcome> {
    let (chain, facts) = chain(args, Timestamp::now(), &mut |bytes| {
        getrandom::fill(bytes).map_err(|error| io::Error::other(error.to_string()))
    })?;
    let (text, warnings) = write(&chain, args.system, facts)?;
    match &args.output {
        Some(path) => {
            output::secret_file(path, text.as_bytes())?;
            let number = output::count(chain.keys.len(), "key");
            output::message(&format!("{}: {number} of {}", path.display(), chain.algorithm.name));
        }
        None => output::data(&text)?,
    }
    for warning in warnings {
        output::message(&warning);
    }
    Ok(Outcome::Fine)
}

/// The chain that was asked for. Time and randomness come from outside.
fn chain(args: &KeyChain, now: Timestamp, fill: Fill<'_>) -> Result<(Chain<'static>, &'static Facts)> {
    let algorithm = mac::find(&args.algorithm).map_err(usage)?;
    let facts = algorithm.facts;
    if facts.kind.is_tcp_md5() {
        return Err(usage(format!(
            "{} is not a MAC for TCP-AO and has no key identifiers; `fieldtest list mac` shows all",
            facts.name
        )));
    }
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    if args.name.is_empty() || !args.name.chars().all(plain) {
        return Err(usage(format!("invalid --name '{}': expected letters, digits, -, _ and .", args.name)));
    }
    if args.name != CHAIN && !matches!(args.system, System::Gobgp | System::Rfc8177) {
        return Err(usage("--name has no effect: only --for gobgp and rfc8177 name key chains; remove it"));
    }
    let start = args.start.as_deref().map_or(Ok(now), |typed| {
        let time = typed.parse::<Timestamp>().ok().filter(|time| *time >= Timestamp::UNIX_EPOCH);
        time.ok_or_else(|| {
            usage(format!(
                "invalid --start '{typed}': expected a time from 1970 to 9999-12-30T22:00:00Z, such as 2026-12-31T23:59:59Z"
            ))
        })
    })?;
    // Three keys would be accepted at one time, and the first still when its successor's successor is in use.
    if args.overlap > args.lifetime {
        return Err(usage(format!(
            "invalid --overlap '{}': expected at most the days of --lifetime, {}",
            args.overlap, args.lifetime
        )));
    }
    let schedule = Schedule {
        // Configurations have no fractions of seconds.
        start: start.round(Unit::Second)?,
        lifetime: days(args.lifetime),
        overlap: days(args.overlap),
    };
    let bytes = args.key_bytes.map_or_else(|| suitable_key_bytes(facts), usize::from);
    let usual = if args.system == System::Bird { key_chain::BIRD_MAC_LENGTH } else { facts.kind.tag };
    let chain = Chain {
        name: args.name.clone(),
        algorithm: named(facts),
        mac_length: args.mac_length.map_or(usual, usize::from),
        exclude_options: args.exclude_options,
        peer: args.peer,
        keys: keys(args.first_id, args.count, bytes, schedule, fill).map_err(unmade)?,
    };
    check(&chain, algorithm)?;
    Ok((chain, facts))
}

fn days(number: u32) -> SignedDuration {
    SignedDuration::from_hours(24 * i64::from(number))
}

/// Whether the algorithm takes such keys and gives such MACs.
fn check(chain: &Chain<'_>, algorithm: &mac::Algorithm) -> Result<()> {
    let Ok(implementation) = algorithm.served(Wanted::Any) else {
        // Without code for it, only what is usual is known to work.
        let most = algorithm.facts.kind.tag;
        return match chain.mac_length <= most {
            true => Ok(()),
            false => Err(unfit(MktError::MacLength { asked: chain.mac_length, most })),
        };
    };
    for Key { id, secret, .. } in &chain.keys {
        Mkt::new(*id, *id, secret, implementation.code.clone(), chain.mac_length).map_err(unfit)?;
    }
    Ok(())
}

fn unfit(error: MktError) -> anyhow::Error {
    match error {
        MktError::MacLength { .. } => of_option("--mac-length", error),
        other => usage(other),
    }
}

/// The configuration of a system, and what its user should know beside it.
fn write(chain: &Chain<'_>, system: System, facts: &Facts) -> Result<(Zeroizing<String>, Vec<String>)> {
    let known: Vec<Algorithm<'_>> = mac::all().iter().map(|it| named(it.facts)).collect();
    let written = key_chain::write(chain, system.into(), &known).map_err(refused)?;
    let mut warnings: Vec<String> = written.warnings.iter().map(warned).collect();
    if facts.kind.needs_nonce {
        warnings.push(format!(
            "{} is not secure if a nonce repeats, but TCP-AO has no nonces: use these keys only for measurements",
            facts.name
        ));
    }
    Ok((written.text, warnings))
}

/// A MAC as key chains know it.
fn named(facts: &Facts) -> Algorithm<'_> {
    Algorithm {
        name: &facts.name,
        tag: facts.kind.tag,
        derivation: &facts.kind.derivation,
        linux: facts.kind.tcp_ao.linux.as_deref(),
        rfc8177: facts.kind.tcp_ao.rfc8177.as_deref(),
    }
}

/// The bytes of a key that suit the algorithm: as many as its traffic keys have, or 32 where these are shorter.
fn suitable_key_bytes(facts: &Facts) -> usize {
    facts.kind.traffic_key.map_or(KEY_BYTES, |bytes| bytes.max(KEY_BYTES))
}

/// A refusal with the option that changes it.
fn refused(refusal: Refusal) -> anyhow::Error {
    let remedy = match &refusal {
        Refusal::KeyLength { most } => format!("choose --key-bytes {most} or fewer"),
        Refusal::LongMac { most } => format!("choose --mac-length {most} or less"),
        Refusal::MacLength { system: "BIRD", .. } => "leave --mac-length out".to_owned(),
        Refusal::MacLength { .. } => "choose such a --mac-length".to_owned(),
        Refusal::Options => "leave --exclude-options out".to_owned(),
        _ => return usage(refusal.to_string()),
    };
    // In the place of the library's, which names no option.
    let said = refusal.to_string();
    usage(format!("{}; {remedy}", said.split("; ").next().unwrap_or_default()))
}

/// A warning with the option that heeds it.
fn warned(warning: &Warning) -> String {
    match warning {
        Warning::ShortMac { length, .. } => format!("{warning} (--mac-length {length})"),
        _ => warning.to_string(),
    }
}

/// What is wrong with a chain: without randomness it is the system's fault, else that of who typed it.
fn unmade(error: ChainError) -> anyhow::Error {
    match error {
        ChainError::Random(_) => error.into(),
        _ => usage(error),
    }
}

impl From<System> for key_chain::System {
    fn from(system: System) -> key_chain::System {
        match system {
            System::Fieldtest => key_chain::System::Fieldtest,
            System::Gateway => key_chain::System::Gateway,
            System::Linux => key_chain::System::Linux,
            System::Bird => key_chain::System::Bird,
            System::Gobgp => key_chain::System::Gobgp,
            System::Rfc8177 => key_chain::System::Rfc8177,
        }
    }
}
