//! Validating resolvers: what each of them reads, and how it is started.
//!
//! All validate from the root's key on, may ask loopback addresses, and tell nobody of themselves. Caches and limits are those that each has
//! by default, but for connections and TTLs: each has room for those of all clients, and keeps no record for longer than its TTL. docs/internet.md names every setting.

use std::ffi::OsString;
use std::fmt::Write as _;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use fieldtest_text::words;

use crate::certificate::Certificate;
use crate::plan::{Level, Plan};

words! {
    /// Software that resolves and validates.
    #[non_exhaustive]
    pub enum Software as name {
        /// Unbound, of NLnet Labs.
        Unbound = "Unbound",
        /// BIND 9's `named`, of ISC.
        Bind = "BIND",
        /// Knot Resolver's `kresd`, of CZ.NIC, up to 5.
        KnotResolver = "Knot Resolver",
        /// PowerDNS Recursor.
        PowerDns = "PowerDNS Recursor",
    }
}

impl Software {
    /// What its program is called.
    pub fn program(self) -> &'static str {
        match self {
            Software::Unbound => "unbound",
            Software::Bind => "named",
            Software::KnotResolver => "kresd",
            Software::PowerDns => "pdns_recursor",
        }
    }

    /// What a program is by its file's name.
    pub fn of_program(program: &Path) -> Option<Software> {
        let name = program.file_name()?.to_str()?;
        Software::ALL.into_iter().find(|software| name.starts_with(software.program()))
    }

    /// The word by which its program tells its version.
    pub fn version_word(self) -> &'static str {
        match self {
            Software::PowerDns => "--version",
            _ => "-V",
        }
    }

    /// Whether it can be told not to make answers of cached NSEC and NSEC3 records (RFC 8198).
    pub fn can_ask_always(self) -> bool {
        self != Software::KnotResolver
    }

    /// Whether it can have several threads. Knot Resolver has processes instead, each with a loop of its own.
    pub fn has_threads(self) -> bool {
        self != Software::KnotResolver
    }

    /// Whether it answers clients over TLS. PowerDNS Recursor leaves that to a dnsdist before it.
    pub fn speaks_tls(self) -> bool {
        self != Software::PowerDns
    }

    /// Whether it can be told at which port the name servers of a zone are, and validates what they say. BIND can too, with
    /// static-stub zones, which hide the delegations that are to be followed.
    pub fn knows_ports(self) -> bool {
        self == Software::Unbound
    }
}

/// A resolver that can be run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Resolver {
    /// What it is.
    pub software: Software,
    /// Its program.
    pub program: PathBuf,
    /// Whether it may make answers of NSEC and NSEC3 records that it has cached: aggressive use (RFC 8198).
    pub aggressive: bool,
    /// Whether every algorithm of a zone's DS records has to validate, and not one of them: Unbound's `harden-algo-downgrade`, which
    /// is against RFC 6840, section 5.11. The others have no such switch.
    pub every_algorithm: bool,
    /// Threads that resolve; above 1 only where [`Software::has_threads`].
    pub threads: u16,
    /// Connections that clients may have at once.
    pub connections: u32,
    /// With what it answers over TLS (RFC 7858), if it does; only where [`Software::speaks_tls`].
    pub tls: Option<Certificate>,
}

/// Connections by default: truncated answers, which large signatures cause, need more than servers are used
/// to.
const CONNECTIONS: u32 = 100;

/// Files that a server needs beside those of clients' connections. Unbound has up to 4,096 ports from which it asks, and makes do with fewer.
const OWN: u64 = 500;

/// Where a resolver finds the name servers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Finds {
    /// By a root hint and by delegations, as elsewhere.
    Hints,
    /// Told zone by zone, as ports other than 53 stand in no delegation.
    Stubs,
}

pub(crate) struct Knows<'a> {
    pub(crate) plan: &'a Plan,
    pub(crate) address: SocketAddr,
    /// The port for TLS, at the same address.
    pub(crate) tls: u16,
    pub(crate) servers: &'a dyn Fn(Level) -> SocketAddr,
    pub(crate) finds: Finds,
    pub(crate) anchor: &'a str,
    pub(crate) directory: &'a Path,
}

impl Resolver {
    /// As it is by default, with one thread, asked without TLS.
    pub fn new(software: Software, program: PathBuf) -> Resolver {
        Resolver {
            software,
            program,
            aggressive: true,
            every_algorithm: false,
            threads: 1,
            connections: CONNECTIONS,
            tls: None,
        }
    }

    /// The files that it reads, by their names in its directory.
    pub(crate) fn files(&self, knows: &Knows<'_>) -> Vec<(&'static str, String)> {
        let configuration = match self.software {
            Software::Unbound => self.unbound(knows),
            Software::Bind => self.bind(knows),
            Software::KnotResolver => self.knot_resolver(knows),
            Software::PowerDns => self.power_dns(knows),
        };
        let mut files = vec![
            (self.configuration(), configuration),
            ("anchor", knows.anchor.to_owned()),
            ("hints", hints((knows.servers)(Level::Root))),
        ];
        if let Some(Certificate { certificate, key }) = &self.tls {
            files.extend([(CERTIFICATE, certificate.clone()), (KEY, key.clone())]);
        }
        match self.software {
            Software::Bind => files.push(("localhost", LOCALHOST.to_owned())),
            Software::PowerDns => {
                files
                    .push(("anchors.lua", "clearTA()\nreadTrustAnchorsFromFile(\"anchor\", 0)\n".to_owned()));
            }
            _ => {}
        }
        files
    }

    /// The words that start it in the foreground, with what is in this directory.
    pub(crate) fn words(&self, directory: &Path) -> Vec<OsString> {
        let threads = self.threads.to_string();
        let words: &[&str] = match self.software {
            Software::Unbound => &["-d", "-c"],
            Software::Bind => &["-f", "-n", &threads, "-c"],
            Software::KnotResolver => &["-n", "-c"],
            Software::PowerDns => {
                let mut word = OsString::from("--config-dir=");
                word.push(directory);
                return vec![word];
            }
        };
        let configuration = directory.join(self.configuration());
        words.iter().map(OsString::from).chain([configuration.into()]).collect()
    }

    fn configuration(&self) -> &'static str {
        match self.software {
            Software::Unbound => "unbound.conf",
            Software::Bind => "named.conf",
            Software::KnotResolver => "kresd.conf",
            Software::PowerDns => "recursor.conf",
        }
    }

    /// Room for the connections of clients, at least so much. Twice as much as they take, since Unbound ends
    /// idle ones sooner where more than half is in use.
    fn room(&self, least: u32) -> u32 {
        self.connections.saturating_mul(2).max(least)
    }

    /// Files that it has to be allowed to open. Known before the start, since Unbound does not begin without
    /// room for all connections that its settings allow at each address; the others open them as connections
    /// come.
    pub fn open_files(&self) -> u64 {
        if self.software != Software::Unbound {
            return u64::from(self.connections) + OWN;
        }
        let addresses = if self.tls.is_some() { 2 } else { 1 };
        u64::from(self.threads) * (addresses * u64::from(self.room(CONNECTIONS)) + OWN)
    }

    fn unbound(&self, knows: &Knows<'_>) -> String {
        let (ip, port) = (knows.address.ip(), knows.address.port());
        let directory = knows.directory.display();
        let mut text = format!(
            "server:\n    username: \"\"\n    chroot: \"\"\n    directory: \"{directory}\"\n    pidfile: \"\"\n    use-syslog: no\n    \
             interface: {ip}@{port}\n    outgoing-interface: {ip}\n    access-control: 127.0.0.0/8 allow\n    do-ip6: no\n    \
             do-not-query-localhost: no\n    num-threads: {}\n    \
             incoming-num-tcp: {}\n    outgoing-num-tcp: 50\n    cache-min-ttl: 0\n    trust-anchor-signaling: no\n    ede: yes\n    trust-anchor-file: \
             \"{directory}/anchor\"\n    aggressive-nsec: {}\n    harden-algo-downgrade: {}\n",
            self.threads,
            self.room(CONNECTIONS),
            yes(self.aggressive),
            yes(self.every_algorithm)
        );
        if self.tls.is_some() {
            let _ = write!(
                text,
                "    interface: {ip}@{port}\n    tls-port: {port}\n    tls-service-pem: \"{directory}/{CERTIFICATE}\"\n    \
                 tls-service-key: \"{directory}/{KEY}\"\n",
                port = knows.tls
            );
        }
        match knows.finds {
            Finds::Hints => {
                let _ = writeln!(text, "    root-hints: \"{directory}/hints\"");
            }
            Finds::Stubs => {
                for zone in knows.plan.zones() {
                    let server = (knows.servers)(zone.level);
                    let _ = write!(
                        text,
                        "stub-zone:\n    name: \"{}\"\n    stub-addr: {}@{}\n",
                        zone.name,
                        server.ip(),
                        server.port()
                    );
                }
            }
        }
        text.push_str("remote-control:\n    control-enable: no\n");
        text
    }

    fn bind(&self, knows: &Knows<'_>) -> String {
        let (ip, port) = (knows.address.ip(), knows.address.port());
        // Flags, protocol and algorithm, then the key: as in the record.
        let fields: Vec<&str> = knows
            .anchor
            .split_ascii_whitespace()
            .skip_while(|word| *word != "DNSKEY")
            .skip(1)
            .filter(|word| !matches!(*word, "(" | ")"))
            .collect();
        // BIND 9.18 lets ten connections wait by default; the client of an eleventh tries again a second
        // later.
        let room = self.room(1_000);
        let (numbers, key) = fields.split_at(fields.len().min(3));
        let directory = knows.directory.display();
        let (declared, listens) = match self.tls {
            None => (String::new(), String::new()),
            Some(_) => (
                format!(
                    "tls own {{ cert-file \"{directory}/{CERTIFICATE}\"; key-file \"{directory}/{KEY}\"; }};\n"
                ),
                format!("    listen-on port {} tls own {{ {ip}; }};\n", knows.tls),
            ),
        };
        format!(
            "{declared}options {{\n    directory \"{directory}\";\n    listen-on port {port} {{ {ip}; }};\n{listens}    listen-on-v6 {{ none; }};\n    \
             query-source address {ip};\n    recursion yes;\n    allow-query {{ 127.0.0.0/8; }};\n    empty-zones-enable no;\n    \
             dnssec-validation yes;\n    synth-from-dnssec {};\n    tcp-clients {room};\n    tcp-listen-queue {room};\n    min-cache-ttl 0;\n    min-ncache-ttl 0;\n    pid-file none;\n    session-keyfile none;\n    \
             trust-anchor-telemetry no;\n}};\ncontrols {{ }};\nlogging {{ category default {{ default_stderr; }}; }};\n\
             trust-anchors {{ . static-key {} \"{}\"; }};\nzone \".\" {{ type hint; file \"hints\"; }};\n\
             zone \"localhost\" {{ type primary; file \"localhost\"; }};\n",
            yes(self.aggressive),
            numbers.join(" "),
            key.concat(),
        )
    }

    fn power_dns(&self, knows: &Knows<'_>) -> String {
        let (ip, port) = (knows.address.ip(), knows.address.port());
        format!(
            "daemon=no\ndisable-syslog=yes\nloglevel=3\nquiet=yes\nwrite-pid=no\nsocket-dir=.\nthreads={}\n\
             pdns-distributes-queries=no\nlocal-address={ip}\nlocal-port={port}\nquery-local-address={ip}\n\
             allow-from=127.0.0.0/8\ndont-query=\nhint-file=hints\nlua-config-file=anchors.lua\ndnssec=validate\n\
             security-poll-suffix=\nextended-resolution-errors=yes\nminimum-ttl-override=0\nmax-tcp-clients={}\naggressive-nsec-cache-size={}\n",
            self.threads,
            self.room(1_000),
            if self.aggressive { 100_000 } else { 0 }
        )
    }

    /// Aggressive use has no switch there. `min_ttl(0)`, since Knot Resolver 5 keeps records for at least
    /// five seconds by default: with a TTL of 1 s, a roll in the right order had 10.9% SERVFAIL in one step
    /// (November 2026).
    fn knot_resolver(&self, knows: &Knows<'_>) -> String {
        let (ip, port) = (knows.address.ip(), knows.address.port());
        let tls = match self.tls {
            None => String::new(),
            Some(_) => format!(
                "net.listen('{ip}', {}, {{ kind = 'tls' }})\nnet.tls('{CERTIFICATE}', '{KEY}')\n",
                knows.tls
            ),
        };
        format!(
            "log_target('stderr')\nnet.ipv6 = false\nnet.listen('{ip}', {port}, {{ kind = 'dns' }})\n{tls}net.outgoing_v4('{ip}')\n\
         option('ALLOW_LOCAL', true)\ncache.size = 100 * MB\ncache.min_ttl(0)\n\
         for _, name in ipairs({{ 'ta_update', 'ta_signal_query', 'priming', 'detect_time_skew' }}) do modules.unload(name) end\n\
         modules.load('hints')\nhints.root_file('hints')\ntrust_anchors.add_file('anchor', true)\n"
        )
    }
}

const CERTIFICATE: &str = "certificate.pem";
const KEY: &str = "key.pem";
/// What is asked for to see that a resolver answers; others know it by themselves (RFC 6761, section 6.3).
const LOCALHOST: &str =
    "$TTL 3600\n@ SOA localhost. root.localhost. 1 3600 600 86400 3600\n@ NS localhost.\n@ A 127.0.0.1\n";

/// The root's name server, for a resolver that is to find all else by itself.
fn hints(root: SocketAddr) -> String {
    format!(". 3600000 IN NS a.root.\na.root. 3600000 IN A {}\n", root.ip())
}

fn yes(is: bool) -> &'static str {
    if is { "yes" } else { "no" }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_program_is() {
        for software in Software::ALL {
            let path = Path::new("/usr/sbin").join(software.program());
            assert_eq!(Software::of_program(&path), Some(software));
        }
        assert_eq!(Software::of_program(Path::new("/opt/unbound-1.19")), Some(Software::Unbound));
        assert_eq!(Software::of_program(Path::new("/usr/sbin/dnsmasq")), None);
    }

    fn configuration(resolver: &Resolver) -> String {
        let address = SocketAddr::from(([127, 0, 0, 1], 53));
        let plan = Plan::new(crate::Shape::default(), None).expect("a plan");
        let knows = Knows {
            plan: &plan,
            address,
            tls: 853,
            servers: &|_| address,
            finds: if resolver.tls.is_none() { Finds::Stubs } else { Finds::Hints },
            anchor: ". 1 IN DNSKEY 257 3 13 AA==",
            directory: Path::new("/tmp"),
        };
        resolver.files(&knows).swap_remove(0).1
    }

    #[test]
    fn each_has_room_for_all_clients_and_keeps_nothing_beyond_its_ttl() {
        for (software, setting) in [
            (Software::Unbound, "incoming-num-tcp: 6000\n"),
            (Software::Bind, "tcp-clients 6000;"),
            (Software::Bind, "tcp-listen-queue 6000;"),
            (Software::PowerDns, "max-tcp-clients=6000\n"),
            (Software::Unbound, "cache-min-ttl: 0\n"),
            (Software::Bind, "min-cache-ttl 0;"),
            (Software::KnotResolver, "cache.min_ttl(0)\n"),
            (Software::PowerDns, "minimum-ttl-override=0\n"),
        ] {
            let resolver = Resolver { connections: 3_000, ..Resolver::new(software, PathBuf::new()) };
            assert!(configuration(&resolver).contains(setting), "{software:?}");
        }
    }

    #[test]
    fn the_document_names_every_setting() -> std::io::Result<()> {
        let document = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../docs/internet.md");
        let document = std::fs::read_to_string(document)?;
        let tls = || Certificate { certificate: String::new(), key: String::new() };
        for software in Software::ALL {
            for tls in [None, Some(tls())] {
                let text = configuration(&Resolver { tls, ..Resolver::new(software, PathBuf::new()) });
                for line in text.lines() {
                    let is_other = |it: char| !(it.is_ascii_alphanumeric() || "-_.".contains(it));
                    let word = line.trim_start().split(is_other).next().unwrap_or_default();
                    let is_section = ["", "server", "options", "for"].contains(&word);
                    assert!(is_section || document.contains(&format!("`{word}`")), "{software:?}: {word}");
                }
            }
        }
        Ok(())
    }
}
