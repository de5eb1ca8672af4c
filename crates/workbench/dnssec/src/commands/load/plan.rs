//! From what was typed to a schedule and how it is sent.

use std::io::{self, Write as _};
use std::net::{IpAddr, SocketAddr};
use std::path::Path;
use std::time::Duration;

use anyhow::{Context as _, Result};
use fieldtest_dns_load::arrivals::{self, Arrivals, Rate};
use fieldtest_dns_load::clients::Clients;
use fieldtest_dns_load::engine::{Bounds, Fallback, Options};
use fieldtest_dns_load::query::{self, Flags};
use fieldtest_dns_load::read::capture::{self, Choice, LeftOut, Why};
use fieldtest_dns_load::read::{ReadError, csv, text};
use fieldtest_dns_load::schedule::{Made, Paced, Schedule, Survey, survey};
use fieldtest_dns_load::target::{Target, TargetError};
use fieldtest_dns_load::traffic::{Mix, Questions, Traffic, TrafficError};
use fieldtest_frame::input;

use crate::args::{Load, Spacing, Transport, Truncated};
use crate::commands::check_included;
use crate::outcome::{coded, of_option, usage};
use crate::output;

/// The port of DNS, and that of DNS over TLS (RFC 7858, section 3.1).
const PORTS: [u16; 2] = [53, 853];
const RATE: f64 = 1_000.0;
const SECONDS: f64 = 10.0;
const CLIENTS: u32 = 1_000;
/// Sockets where nobody says how many.
const SOCKETS: u32 = 1_000;
/// The longest timeout that makes sense, in seconds: servers' own are shorter.
const LONGEST_TIMEOUT: f64 = 60.0;
/// The share of NXDOMAIN among the answers of a.root-servers.net on 2025-06-10 (RSSAC002, `rcode-volume`).
const MISSING: f64 = 45.0;
/// Ours: no root server publishes the types that it is asked for.
const TYPES: &str = "A:60,AAAA:25,NS:5,DS:5,HTTPS:5";

type Make = Box<dyn Fn() -> Result<Schedule, ReadError> + Sync>;

pub(super) struct Plan {
    pub(super) schedule: Make,
    pub(super) options: Options,
    pub(super) time: Duration,
    pub(super) told: String,
    /// What the capture holds that is replayed.
    pub(super) recorded: Option<Recorded>,
}

/// What a capture holds, as far as it was read.
pub(super) struct Recorded {
    pub(super) queries: u64,
    /// Of these, those that stood behind later ones.
    pub(super) out_of_order: u64,
    pub(super) left_out: LeftOut,
    /// Addresses from which a resolver seems to ask, with how many of the queries.
    pub(super) resolvers: Vec<(IpAddr, u64)>,
}

impl Recorded {
    /// What is to be known before it is replayed.
    fn warnings(&self, file: &Path) -> Vec<String> {
        let (mut warnings, lost) = (Vec::new(), self.left_out.lost());
        if !lost.is_empty() {
            let is_cut = lost.by_reason().any(|(why, _)| why == Why::Cut);
            warnings.push(format!(
                "warning: {} of {} in {} that are or may be queries {} not replayed: {lost}{}",
                lost.sum(),
                lost.sum() + self.queries,
                file.display(),
                if lost.sum() == 1 { "is" } else { "are" },
                if is_cut { "; capture whole packets, with tcpdump's -s 0" } else { "" }
            ));
        }
        for (address, queries) in &self.resolvers {
            warnings.push(format!(
                "warning: {} of {} queries in {} are from {address}, which queries several servers without RD, as a resolver does; to \
                 replay only its clients' queries, give --capture-server the address that they query",
                output::grouped(&queries.to_string()),
                output::grouped(&self.queries.to_string()),
                file.display()
            ));
        }
        if self.out_of_order > 0 {
            warnings.push(format!(
                "queries recorded after later ones: {}; they are sent in the order of their times",
                self.out_of_order
            ));
        }
        warnings
    }
}

pub(super) fn target(args: &Load) -> Result<Target> {
    let typed = args.server.as_str();
    let port = PORTS[usize::from(args.transport == Some(Transport::Tls))];
    let address: Option<SocketAddr> =
        typed.parse().ok().or_else(|| Some(SocketAddr::new(typed.parse::<IpAddr>().ok()?, port)));
    let address = address.filter(|address| address.port() != 0).ok_or_else(|| {
        usage(format!("invalid server '{typed}': expected an address and a port of 1 to 65535, such as 127.0.0.1:5300 or [::1]:5300 (names are not looked up)"))
    })?;
    match Target::here(address) {
        Err(TargetError::Elsewhere(ip)) if args.beyond_this_machine => {
            let words = format!(
                "{ip} is not on this machine. Load without the consent of its operator, and of the networks between, is an attack. \
                 Type the address again to send it there:"
            );
            output::message(&words);
            io::stderr().flush().ok();
            let mut line = String::new();
            io::stdin().read_line(&mut line).context("cannot read the confirmation")?;
            Target::beyond(address, &line).map_err(usage)
        }
        Err(TargetError::Elsewhere(ip)) => Err(usage(format!(
            "{ip} is not an address of this machine; if the operator of the server agrees, give --beyond-this-machine"
        ))),
        Ok(_) if args.beyond_this_machine => {
            let what = "--beyond-this-machine has no effect: the server is on this machine; remove it";
            Err(coded("no-effect", usage(what)))
        }
        other => other.map_err(usage),
    }
}

/// All the rest. Whatever is replayed is read once, so that nothing is sent of what cannot be sent to its end.
pub(super) fn read(args: &Load, target: Target) -> Result<Plan> {
    check_options(args)?;
    let bounds = Bounds::of(&target);
    let longest = bounds.time.as_secs_f64();
    let seconds = args.seconds.unwrap_or(SECONDS);
    let until = match (args.seconds, is_replay(args)) {
        (None, true) => Duration::from_nanos(u64::MAX),
        _ => within(seconds, longest, "--seconds")?,
    };
    let speed = args.speed.unwrap_or(1.0);
    if !(1e-3..=1e6).contains(&speed) {
        return Err(usage(format!("invalid --speed '{speed}': expected 0.001 to 1000000")));
    }
    let flags = Flags { recursion_desired: args.rd, authentic_data: args.ad, checking_disabled: args.cd };
    let mut clients = Clients::new(args.clients.unwrap_or(CLIENTS), args.seed)
        .map_err(|error| of_option("--clients", error))?
        .with_flags(flags);
    if let Some(sizes) = &args.edns {
        clients = clients.with_edns(sizes).map_err(|error| of_option("--edns", error))?;
    }
    if let Some(percent) = args.dnssec_ok {
        clients = clients.with_dnssec_ok(percent).map_err(|error| of_option("--dnssec-ok", error))?;
    }
    let transport = args.transport.map(query::Transport::from);
    let mut recorded = None;
    let (schedule, told, number, time) = if let Some(file) = args.csv.clone() {
        let transport = transport.unwrap_or_default();
        let schedule: Make = Box::new(move || {
            Ok(Box::new(Paced::new(csv::open(&file, clients.clone(), transport)?, speed, until)))
        });
        let found = survey(schedule()?)?;
        replay(schedule, found, bounds)?
    } else if let Some(file) = args.capture.clone() {
        let choice = Choice { servers: args.capture_server.clone(), transport, clients: Some(clients) };
        let mut queries = capture::open(&file, &choice)?;
        let found = survey(Paced::new(&mut queries, speed, until)).map_err(|error| match error {
            ReadError::BothSides { .. } => usage(error),
            other => other.into(),
        })?;
        if let Some(problem) = queries.problem() {
            output::message(&format!(
                "warning: cannot read all of {} ({problem}); the rest is replayed",
                file.display()
            ));
        }
        let (out_of_order, left_out) = (queries.out_of_order(), queries.left_out().clone());
        let resolvers = queries.resolvers();
        let held = Recorded { queries: found.queries, out_of_order, left_out, resolvers };
        held.warnings(&file).iter().for_each(|warning| output::message(warning));
        recorded = Some(held);
        let schedule: Make =
            Box::new(move || Ok(Box::new(Paced::new(capture::open(&file, &choice)?, speed, until))));
        replay(schedule, found, bounds)?
    } else {
        let rate = rate(args, bounds)?;
        let spacing = match args.spacing {
            Some(Spacing::Even) => arrivals::Spacing::Even,
            Some(Spacing::Poisson) | None => arrivals::Spacing::Poisson,
        };
        let number = clients.number();
        let arrivals = Arrivals::new(rate, spacing, until, args.seed);
        let made =
            Made::new(arrivals, clients, questions(args)?, args.seed).over(transport.unwrap_or_default());
        let rates = args.rate.clone().unwrap_or_else(|| RATE.to_string());
        let told = format!("{rates} queries a second for {seconds} s by {number} clients");
        let schedule: Make = Box::new(move || Ok(Box::new(made.clone())));
        (schedule, told, number, until)
    };
    let mut options = Options::new(target);
    options.timeout = within(args.timeout, LONGEST_TIMEOUT, "--timeout")?;
    options.sockets = args.sockets.unwrap_or(number.min(SOCKETS)) as usize;
    options.threads = args.threads.into();
    options.keep_connections = !args.fresh_connections;
    options.resume_sessions = args.resume_sessions;
    options.fallback = match args.truncated {
        Some(Truncated::Fresh) | None => Fallback::Fresh,
        Some(Truncated::Kept) => Fallback::Kept,
        Some(Truncated::Ignore) => Fallback::Ignored,
    };
    let over =
        if args.transport == Some(Transport::Tls) { " over TLS, its certificate not verified" } else { "" };
    let told = format!("{}{over}: {told}", target.address());
    Ok(Plan { schedule, options, time, told, recorded })
}

fn is_replay(args: &Load) -> bool {
    args.csv.is_some() || args.capture.is_some()
}

/// Refuses options that would do nothing, each with the reason. Not clap's `requires`, which it waives where
/// the required option conflicts with another that is there: three options were accepted without effect.
fn check_options(args: &Load) -> Result<()> {
    let (is_made, is_captured) = (!is_replay(args), args.capture.is_some());
    let over_udp = !matches!(args.transport, Some(Transport::Tcp | Transport::Tls));
    let over_streams = !over_udp || is_captured && args.transport.is_none();
    let of_a_zone = "questions are generated only with --zone";
    let of_a_rate = "a replay has the times and clients of the recording";
    let of_streams = "it applies to connections; add --transport tcp or --transport tls";
    let of_captures = "only captures contain several servers";
    let of_tls = "only TLS has sessions; add --transport tls";
    let of_udp = "nothing is sent over UDP";
    let of_edns = "no client has EDNS, which DO is a part of; change --edns";
    let has_edns =
        args.edns.as_deref().is_none_or(|sizes| !sizes.split(',').all(|it| it.starts_with("none")));
    for (option, is_typed, has_effect, why) in [
        ("--missing", args.missing.is_some(), args.zone.is_some(), of_a_zone),
        ("--zipf", args.zipf.is_some(), args.zone.is_some(), of_a_zone),
        ("--types", args.types.is_some(), args.zone.is_some(), of_a_zone),
        ("--rate", args.rate.is_some(), is_made, of_a_rate),
        ("--spacing", args.spacing.is_some(), is_made, of_a_rate),
        ("--clients", args.clients.is_some(), is_made, of_a_rate),
        ("--speed", args.speed.is_some(), !is_made, "nothing is replayed; use --rate"),
        ("--capture-server", !args.capture_server.is_empty(), is_captured, of_captures),
        ("--fresh-connections", args.fresh_connections, over_streams, of_streams),
        ("--resume-sessions", args.resume_sessions, args.transport == Some(Transport::Tls), of_tls),
        ("--truncated", args.truncated.is_some(), over_udp, of_udp),
        ("--dnssec-ok", args.dnssec_ok.is_some(), has_edns, of_edns),
        ("--sockets", args.sockets.is_some(), over_udp, of_udp),
    ] {
        if is_typed && !has_effect {
            // One remedy, where the reason has none of its own.
            let remedy = if why.contains("; ") { "" } else { "; remove it" };
            return Err(coded("no-effect", usage(format!("{option} has no effect: {why}{remedy}"))));
        }
    }
    Ok(())
}

/// A replay that was read once: itself, what it is in words, its clients and its time.
fn replay(schedule: Make, found: Survey, bounds: Bounds) -> Result<(Make, String, u32, Duration)> {
    let time = Duration::from_nanos(found.last);
    if time >= bounds.time {
        return Err(usage(format!(
            "the replay takes {} s, but load is sent for at most {most} s; raise --speed, or replay only the beginning with --seconds \
             {most}",
            time.as_secs(),
            most = bounds.time.as_secs()
        )));
    }
    if found.busiest > bounds.rate {
        return Err(usage(format!(
            "the replay has {} queries in one second, but this server is sent at most {}; lower --speed",
            found.busiest, bounds.rate
        )));
    }
    let told = format!(
        "{} {} of {} in {:.1} s",
        found.queries,
        if found.queries == 1 { "query" } else { "queries" },
        output::count(found.clients as usize, "client"),
        time.as_secs_f64()
    );
    Ok((schedule, told, found.clients.max(1), time))
}

fn rate(args: &Load, bounds: Bounds) -> Result<Rate> {
    let typed = args.rate.clone().unwrap_or_else(|| RATE.to_string());
    let (from, to) = typed.split_once(':').unwrap_or((&typed, &typed));
    let number = |text: &str| {
        text.parse::<f64>().map_err(|_| {
            usage(format!(
                "invalid --rate '{typed}': expected one such as 5000, or 100:5000 for a rising rate"
            ))
        })
    };
    let rate = Rate::ramp(number(from)?, number(to)?).map_err(|error| of_option("--rate", error))?;
    if rate.highest() > bounds.rate as f64 {
        let most = bounds.rate;
        return Err(usage(format!("invalid --rate '{typed}': this server is sent at most {most} queries/s")));
    }
    Ok(rate)
}

fn questions(args: &Load) -> Result<Questions> {
    if let Some(file) = &args.questions {
        let list = input::announced(file, text::open)?;
        let text::PassedOver { lines, first, why } = list.passed_over();
        if *lines > 0 {
            let more = if *lines > first.len() as u64 { " and others" } else { "" };
            let numbers: Vec<String> = first.iter().map(u64::to_string).collect();
            output::message(&format!(
                "warning: skipped lines of {} that are not questions: {lines} (number {}{more}); the first: {why}",
                file.display(),
                numbers.join(", ")
            ));
        }
        return Ok(list.into());
    }
    let file: &Path = args
        .zone
        .as_deref()
        .ok_or_else(|| usage("no queries given; add --questions, --zone, --csv or --capture"))?;
    let types = args.types.as_deref().unwrap_or(TYPES);
    let mix = Mix::new(args.missing.unwrap_or(MISSING), args.zipf.unwrap_or(1.0), types);
    let mix = mix.map_err(|error| match error {
        TrafficError::Share(_) => of_option("--missing", error),
        TrafficError::Exponent(_) => of_option("--zipf", error),
        TrafficError::Types(_) => of_option("--types", error),
        other => usage(other),
    })?;
    let zone = input::announced(file, |file| fieldtest_dnssec::load(file, None))?;
    for written in [&args.output, &args.picture].into_iter().flatten() {
        check_included(written, zone.included())?;
    }
    let traffic = Traffic::new(&zone, &mix, args.seed).map_err(usage)?;
    Ok(Questions::of_traffic(traffic, args.seed))
}

/// A time above 0 and up to `longest` seconds.
fn within(seconds: f64, longest: f64, option: &str) -> Result<Duration> {
    if seconds > 0.0 && seconds <= longest {
        Ok(Duration::from_secs_f64(seconds))
    } else {
        Err(usage(format!("invalid {option} '{seconds}': expected seconds above 0, at most {longest}")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What of a capture is missing is said with how much of it; what never was a query is no reason to warn.
    #[test]
    fn a_capture_of_which_half_is_cut() {
        let file = std::env::temp_dir().join(format!("fieldtest-load-{}.pcap", std::process::id()));
        let query = [
            &[0x45, 0, 0, 45, 0, 0, 0, 0, 64, 17, 0, 0, 192, 0, 2, 1, 192, 0, 2, 53][..],
            &[0xc0, 0, 0, 53, 0, 25, 0, 0],
            &[0, 7, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 1],
        ]
        .concat();
        let packet = |second: u32, octets: &[u8]| {
            [
                &second.to_le_bytes(),
                &[0; 4],
                &(octets.len() as u32).to_le_bytes(),
                &(query.len() as u32).to_le_bytes(),
                octets,
            ]
            .concat()
        };
        let header =
            [&0xa1b2_c3d4_u32.to_le_bytes()[..], &[2, 0, 4, 0], &[0; 8], &[0xff, 0xff, 0, 0, 101, 0, 0, 0]]
                .concat();
        let mut icmp = query.clone();
        icmp[9] = 1;
        let whole = [header, packet(5, &query), packet(4, &query), packet(6, &query[..30]), packet(7, &icmp)]
            .concat();
        std::fs::write(&file, whole).expect("a file");
        let mut queries = capture::open(&file, &Choice::default()).expect("a capture");
        let found = survey(&mut queries).expect("queries");
        std::fs::remove_file(&file).expect("the file");
        let recorded = Recorded {
            queries: found.queries,
            out_of_order: queries.out_of_order(),
            left_out: queries.left_out().clone(),
            resolvers: queries.resolvers(),
        };
        let warnings = recorded.warnings("c.pcap".as_ref());
        let [left_out, order] = warnings.as_slice() else { panic!("{warnings:?}") };
        assert!(left_out.contains(" 1 of 3 in c.pcap ") && left_out.contains("-s 0"), "{left_out}");
        assert!(order.contains(": 1; "), "{order}");
        assert!(recorded.left_out.by_reason().eq([(Why::Cut, 1), (Why::OtherProtocol, 1)]));
    }
}
