//! From what was typed to an internet: zones and how each level is signed, programs, a place, a directory that does not stay.

mod folder;
mod levels;
mod programs;

pub(crate) use fieldtest_dns_internet::KNOWING;
pub(crate) use folder::Folder;
use levels::OfLevels;
pub(crate) use levels::no_word;
pub(crate) use programs::{
    NUMBERS, apart, attached, first_here, name, named_or_here, tool, version, version_of,
};

use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use anyhow::{Context, Result};
use fieldtest_catalog::Wanted;
use fieldtest_catalog::signature::{self, Implementation};
use fieldtest_dns_internet::ask::ask;
use fieldtest_dns_internet::certificate::Certificate;
use fieldtest_dns_internet::internet::{Internet, Place, Programs, RESOLVER, SERVERS_NETWORK, address};
use fieldtest_dns_internet::namespace::{self, Entered, Way};
use fieldtest_dns_internet::online::Online;
use fieldtest_dns_internet::zones::{self, Burden, Files, Signing, Terms};
use fieldtest_dns_internet::{InternetError, Level, Plan, Shape};
use fieldtest_dns_load::engine;
use fieldtest_dns_load::query::Transport;
use fieldtest_dnssec::codepoints::{CodePoint, CodePoints};
use fieldtest_dnssec::{Name, Rtype, Zone};
use fieldtest_frame::input;

use crate::outcome::{coded, usage};
use crate::output;
use crate::typed;
use crate::words::Denial;
use crate::{algorithms, args};

/// How long a resolver may take for one answer: those that ask again and again take long.
const WAIT: Duration = Duration::from_secs(10);

/// The most connections of clients to a resolver: each has a buffer for the longest message there.
const MOST_CONNECTIONS: u32 = 10_000;
/// Those for truncated answers: clients share so many sockets.
const MOST_OVER_UDP: u32 = 1_000;

/// The most milliseconds that a packet may take: beyond, no resolver waits.
const LONGEST_DELAY: f64 = 10_000.0;

/// What all internets of a command have alike.
#[derive(Debug)]
pub(crate) struct World {
    pub(crate) plan: Plan,
    pub(crate) programs: Programs,
    pub(crate) place: Place,
    pub(crate) entered: Option<Entered>,
    pub(crate) way: Way,
    root: Option<Zone>,
    table: CodePoints,
    knot_version: String,
    /// Algorithms that stay whatever is measured, by level.
    fixed: [Option<String>; 3],
    denials: [Denial; 3],
    /// Of each level: whether its zones have one key for everything, and a second algorithm that signs them too.
    combined: [bool; 3],
    beside: [Option<String>; 3],
}

impl World {
    /// Checks what was typed, and goes into a network namespace where that is allowed. To be called before anything that starts a
    /// thread.
    pub(crate) fn enter(args: &args::World) -> Result<World> {
        let way = Way { delay: args.delay.unwrap_or(0.0), loss: args.loss.unwrap_or(0.0) };
        if !(0.0..=LONGEST_DELAY).contains(&way.delay) {
            return Err(usage(format!(
                "invalid --delay '{}': expected 0 to {LONGEST_DELAY} milliseconds",
                way.delay
            )));
        }
        if !(0.0..100.0).contains(&way.loss) {
            return Err(usage(format!(
                "invalid --loss '{}': expected percent from 0 to below 100",
                way.loss
            )));
        }
        let shape = Shape { tlds: args.tlds, domains: args.domains, hosts: args.hosts };
        let mut plan = Plan::new(shape, None).map_err(usage)?;
        let table = typed::code_points(&args.servers.code_points)?;
        let OfLevels { fixed, denials, combined, beside } = OfLevels::read(args)?;
        // Reading a zone starts threads.
        let (place, entered) = place(args.servers.shared_network, way)?;
        let root = args.root.as_deref();
        let root =
            root.map(|path| input::announced(path, |path| fieldtest_dnssec::load(path, None))).transpose()?;
        if root.is_some() {
            plan = Plan::new(shape, root.as_ref()).map_err(usage)?;
        }
        let mut programs = programs::find(args, &table, place.is_private())?;
        let mut knot_version = String::new();
        if denials.contains(&Denial::Compact) {
            let knot = programs::knot()?;
            knot_version = version(&knot.server, "--version");
            programs.knot = Some(knot);
        }
        Ok(World {
            plan,
            programs,
            place,
            entered,
            way,
            root,
            table,
            knot_version,
            fixed,
            denials,
            combined,
            beside,
        })
    }

    /// Has the resolver answer so many clients over this.
    pub(crate) fn answer(&mut self, transport: Transport, clients: u32) -> Result<()> {
        let resolver = &mut self.programs.resolver;
        let is_over_udp = transport == Transport::Udp;
        if !is_over_udp && clients > MOST_CONNECTIONS {
            return Err(usage(format!(
                "invalid --clients '{clients}': expected at most {MOST_CONNECTIONS}, the limit of simultaneous connections"
            )));
        }
        // Over UDP, clients share 1,000 sockets for truncated answers. More would only cost files: Unbound
        // reserves twice as many as set.
        resolver.connections = clients.min(if is_over_udp { MOST_OVER_UDP } else { MOST_CONNECTIONS });
        if transport == Transport::Tls {
            if !resolver.software.speaks_tls() {
                return Err(usage(format!(
                    "{} does not answer over TLS; select another resolver with --resolver",
                    resolver.software.name()
                )));
            }
            resolver.tls = Some(Certificate::new()?);
        }
        let needed = resolver.open_files();
        let Some(limit) = engine::most_files().filter(|limit| *limit < needed) else { return Ok(()) };
        let fits = (1..resolver.connections).rev().find(|fewer| {
            resolver.connections = *fewer;
            resolver.open_files() <= limit
        });
        let fewer = fits.map_or_else(String::new, |fits| format!(", or give --clients {fits}"));
        let name = resolver.software.name();
        Err(coded(
            "too-few-files",
            usage(format!(
                "cannot start {name} for --clients {clients}: it needs {needed} open files, and the hard limit is {limit}; raise it (ulimit -Hn){fewer}"
            )),
        ))
    }

    pub(crate) fn code(&self, algorithm: &str) -> Result<(CodePoint, &'static Implementation)> {
        let algorithm = signature::find(algorithm).map_err(usage)?;
        let name = &algorithm.facts.name;
        let implementation = algorithm.served(Wanted::only(None)).map_err(usage)?;
        let number = self.table.get(name);
        let number = number.ok_or_else(|| {
            usage(format!("{name} has no DNSSEC number in this table; {}", algorithms::to_number(name)))
        })?;
        Ok((number.clone(), implementation))
    }

    /// The algorithms that levels are signed with where others have this one, with their numbers in DNSKEY records.
    pub(crate) fn numbers(&self, algorithm: &str) -> Vec<String> {
        let of = |level: Level| self.fixed[level as usize].as_deref().unwrap_or(algorithm);
        let mut names: Vec<&str> = Level::ALL.map(of).to_vec();
        names.dedup();
        let number = |name: &str| {
            let name = signature::find(name).map_or(name, |algorithm| &algorithm.facts.name);
            let number =
                self.table.get(name).map_or_else(|| "without a number".to_owned(), ToString::to_string);
            format!("{name} ({number})")
        };
        names.into_iter().map(number).collect()
    }

    /// A number that no algorithm of this table has, among those that IANA reserves (RFC 6014, section 2).
    pub(crate) fn unknown_number(&self) -> Result<u8> {
        let is_free = |number: &u8| self.table.algorithm(&CodePoint::Number(*number)).is_none();
        (123..=251)
            .find(is_free)
            .ok_or_else(|| usage("every reserved number is taken; give fewer with --code-point"))
    }

    /// Whether resolvers know an algorithm by their usual library: it is RSA, ECDSA or EdDSA under a number of an RFC.
    pub(crate) fn is_usual(&self, algorithm: &str) -> bool {
        // The numbers of RFC 8624, section 3.1.
        matches!(self.table.get(algorithm), Some(CodePoint::Number(1..=16)))
    }

    pub(crate) fn fixed(&self) -> impl Iterator<Item = &str> {
        self.fixed.iter().chain(&self.beside).flatten().map(String::as_str)
    }

    /// Makes and signs every zone with this algorithm, but for levels that have another one.
    pub(crate) fn sign(&self, algorithm: &str, directory: &Path, stop: &AtomicBool) -> Result<Files> {
        self.sign_on(algorithm, &terms(), directory, stop)
    }

    /// As [`sign`](Self::sign), where some zones are to change.
    pub(crate) fn sign_on(
        &self,
        algorithm: &str,
        terms: &Terms,
        directory: &Path,
        stop: &AtomicBool,
    ) -> Result<Files> {
        let of = |level: Level| self.fixed[level as usize].as_deref().unwrap_or(algorithm);
        self.sign_burdened(Level::ALL.map(of), terms, &|_| Burden::default(), directory, stop)
    }

    /// Makes and signs every zone with the algorithm of its level, from the root down.
    pub(crate) fn sign_levels(
        &self,
        levels: [&str; 3],
        directory: &Path,
        stop: &AtomicBool,
    ) -> Result<Files> {
        self.sign_burdened(levels, &terms(), &|_| Burden::default(), directory, stop)
    }

    /// As [`sign_levels`](Self::sign_levels), with what `burden` says of the zone at each place of the plan.
    pub(crate) fn sign_burdened(
        &self,
        levels: [&str; 3],
        terms: &Terms,
        burden: &(dyn Fn(usize) -> Burden + Sync),
        directory: &Path,
        stop: &AtomicBool,
    ) -> Result<Files> {
        let [root, tld, domain] = levels;
        let of = |level: Level, algorithm: &str| -> Result<Signing<'_>> {
            let (code_point, implementation) = self.code(algorithm)?;
            let beside = self.beside[level as usize].as_deref().map(|name| self.code(name)).transpose()?;
            if beside.as_ref().is_some_and(|(it, _)| it.number() == code_point.number()) {
                return Err(usage(format!(
                    "--double-sign gives the algorithm that already signs that level, {algorithm}; give another one"
                )));
            }
            Ok(Signing {
                online: self.online(level, algorithm)?,
                combined: self.combined[level as usize],
                beside: beside.map(|(number, it)| (it.code.as_ref(), number)),
                ..Signing::new(
                    implementation.code.as_ref(),
                    code_point,
                    self.denials[level as usize].of_zones().unwrap_or_default(),
                )
            })
        };
        let signing = [of(Level::Root, root)?, of(Level::Tld, tld)?, of(Level::Domain, domain)?];
        let signing = |level: Level| signing[level as usize].clone();
        std::fs::create_dir_all(directory)
            .with_context(|| format!("cannot create {}", directory.display()))?;
        let root = self.root.as_ref();
        Ok(zones::make_burdened(&self.plan, root, &signing, &address, terms, burden, directory, stop)?)
    }

    /// Refuses a resolver that does not know an algorithm: it treats such zones as unsigned, so its results
    /// would be those of no validation. It is asked in an internet whose zones are all signed with that one.
    pub(crate) fn refuse_unknown(&self, algorithm: &str, directory: &Path, stop: &AtomicBool) -> Result<()> {
        let files = self.sign(algorithm, &directory.join("zones"), stop)?;
        let mut internet = Internet::serve(&self.plan, &files, self.place, &self.programs, directory, stop)?;
        let begun = internet.resolve_afresh(stop);
        let knows = match begun {
            Err(InternetError::UnknownAlgorithm { .. }) => false,
            begun => {
                begun?;
                let host = self.plan.hosts().first().copied().unwrap_or(Name::ROOT);
                let said = ask(self.place.resolver(), &host, Rtype::A, WAIT);
                internet.check()?;
                said.is_ok_and(|said| said.authentic)
            }
        };
        match knows {
            true => Ok(()),
            false => Err(usage(self.told_unknown(algorithm))),
        }
    }

    /// What is said of a resolver that validates nothing of an algorithm.
    pub(crate) fn told_unknown(&self, algorithm: &str) -> String {
        format!(
            "{} cannot validate signatures by {}; {KNOWING}",
            self.programs.resolver.program.display(),
            self.numbers(algorithm).join(", ")
        )
    }

    pub(crate) fn signs_online(&self) -> bool {
        self.denials.contains(&Denial::Compact)
    }

    /// How the answers of a level are signed as they are given, if they are.
    fn online(&self, level: Level, algorithm: &str) -> Result<Option<Online<'_>>> {
        let Some(knot) =
            self.programs.knot.as_ref().filter(|_| self.denials[level as usize] == Denial::Compact)
        else {
            return Ok(None);
        };
        if !self.is_usual(algorithm) {
            return Err(usage(format!(
                "Knot signs the answers of the level {level} online and does not support {algorithm}; choose RSA, ECDSA or EdDSA, for that \
                 level only with --level {level}=ecdsa-p256"
            )));
        }
        // RSA's numbers (RFC 5702) say no size; its signatures are as long as its keys.
        let is_rsa = matches!(self.table.get(algorithm), Some(CodePoint::Number(5..=10)));
        let signature = signature::find(algorithm).map_err(usage)?.facts.kind.signature;
        Ok(Some(Online { knot, bits: is_rsa.then_some(signature as u32 * 8) }))
    }

    pub(crate) fn opts_out(&self, place: usize) -> bool {
        let level = self.plan.zones()[place].level;
        self.denials[level as usize] == Denial::Nsec3OptOut
    }

    pub(crate) fn place_told(&self) -> &'static str {
        if self.place.is_private() { "in a network namespace" } else { "on shared loopback addresses" }
    }

    pub(crate) fn told(&self) -> String {
        let Shape { tlds, domains, hosts } = self.plan.shape();
        let root = if self.root.is_some() { "a given root" } else { "a root" };
        let ways: Vec<String> = Level::ALL
            .into_iter()
            .map(|level| {
                let way = match self.denials[level as usize] {
                    Denial::Compact => {
                        format!("{} by Knot {}", Denial::Compact.in_words(), self.knot_version)
                    }
                    other => other.in_words().to_owned(),
                };
                let own = match &self.fixed[level as usize] {
                    Some(name) => format!("{level} {name}, {way}"),
                    None => format!("{level} {way}"),
                };
                let beside =
                    self.beside[level as usize].as_ref().map(|name| format!(", signed by {name} too"));
                let keys = if self.combined[level as usize] { ", one key for everything" } else { "" };
                format!("{own}{}{keys}", beside.unwrap_or_default())
            })
            .collect();
        let place = self.place_told();
        let way = match self.way {
            Way { delay: 0.0, loss: 0.0 } => String::new(),
            Way { delay, loss } => format!(", {delay} ms and {loss}% loss to name servers"),
        };
        let always = match self.programs.resolver.aggressive {
            true => "",
            false => ", no aggressive use of NSEC and NSEC3",
        };
        let threads = match self.programs.resolver.threads {
            1 => String::new(),
            threads => format!(", the resolver with {threads} threads"),
        };
        format!(
            "{root}, {tlds} TLDs with {domains} domains of {hosts} hosts each ({}), {place}{way}{always}{threads}",
            ways.join("; ")
        )
    }
}

pub(crate) fn terms() -> Terms {
    Terms::new(typed::validity())
}

/// A namespace, or shared addresses where that was asked for or there is none.
fn place(shared: bool, way: Way) -> Result<(Place, Option<Entered>)> {
    let entered = if shared { None } else { Some(namespace::enter(RESOLVER)) };
    match entered {
        Some(Ok(entered)) => {
            if way != Way::default() {
                namespace::slow(way, SERVERS_NETWORK)?;
            }
            Ok((Place::PRIVATE, Some(entered)))
        }
        Some(Err(error)) if way != Way::default() => {
            Err(anyhow::Error::new(error).context("delay and loss need a network namespace"))
        }
        refused => {
            if let Some(Err(error)) = refused {
                output::message(&format!(
                    "{error}; so name servers use high ports on this machine's loopback addresses, and packets are not counted"
                ));
            }
            Ok((Place::shared()?, None))
        }
    }
}

/// Whether somebody asked for the end, and nothing else went wrong.
pub(crate) fn is_interrupted(error: &anyhow::Error) -> bool {
    matches!(error.downcast_ref(), Some(InternetError::Interrupted))
}
