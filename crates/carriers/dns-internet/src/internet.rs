//! Zones that are served and resolved: name servers of each level, and a resolver that may be had afresh.

use std::ffi::OsString;
use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpListener, UdpSocket};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use fieldtest_dnssec::Name;

use crate::InternetError;
use crate::config;
use crate::online::{self, Knot};
use crate::plan::{Level, Plan};
use crate::resolver::{Finds, Knows, Resolver, Software};
use crate::server::Server;
use crate::usage;
use crate::wire::{Watch, ipv4};
use crate::zones::Files;

const PORT: u16 = 53;
/// The last algorithm that usual libraries know, Ed448 (RFC 8624, section 3.1). With a root key of an unknown
/// one, Knot Resolver 5 prints a stack traceback and ends, so that is an error of its own.
const USUAL: u8 = 16;
/// That of DNS over TLS (RFC 7858, section 3.1).
const TLS: u16 = 853;
/// The address of the resolver. It and those of each level's name servers are loopback addresses, which nothing leaves by.
pub const RESOLVER: Ipv4Addr = Ipv4Addr::new(127, 53, 0, 53);
const SERVERS: [Ipv4Addr; 3] =
    [Ipv4Addr::new(127, 53, 129, 1), Ipv4Addr::new(127, 53, 130, 1), Ipv4Addr::new(127, 53, 131, 1)];
/// What tells Unbound and BIND of `lab/resolvers` where to count, and the file that they do that in.
const COUNTS: &str = "FIELDTEST_VERIFICATIONS";
const VERIFICATIONS: &str = "verifications";
/// What has the name servers' addresses and no others.
pub const SERVERS_NETWORK: &str = "127.53.128.0/17";

/// Where an internet is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    port: u16,
    /// Of the resolver, over TLS.
    tls: u16,
}

impl Place {
    /// In a [namespace](crate::namespace::enter) of the program's own.
    pub const PRIVATE: Place = Place { port: PORT, tls: TLS };

    /// Among everything else of this machine, at high ports that are free.
    ///
    /// # Errors
    /// The system has none, or does not give addresses of 127/8.
    pub fn shared() -> Result<Place, InternetError> {
        let all = || [RESOLVER].into_iter().chain(SERVERS);
        let is_free = |port: u16| -> io::Result<()> {
            all().try_for_each(|ip| {
                UdpSocket::bind((ip, port))?;
                TcpListener::bind((ip, port)).map(drop)
            })
        };
        let mut last = None;
        for _ in 0..20 {
            let port = UdpSocket::bind((RESOLVER, 0)).and_then(|socket| Ok(socket.local_addr()?.port()));
            let tls =
                || TcpListener::bind((RESOLVER, 0)).and_then(|listener| Ok(listener.local_addr()?.port()));
            let both = port.and_then(|port| is_free(port).and_then(|()| Ok(Place { port, tls: tls()? })));
            match both {
                Ok(place) if place.port != place.tls => return Ok(place),
                Ok(_) => {}
                Err(error) => last = Some(error),
            }
        }
        let source = last.unwrap_or_else(|| io::Error::other("no port is free"));
        Err(InternetError::System { what: "a port for name servers", source })
    }

    /// Whether it is a namespace of the program's own.
    pub fn is_private(self) -> bool {
        self.port == PORT
    }

    /// Where the resolver is.
    pub fn resolver(self) -> SocketAddr {
        SocketAddr::new(IpAddr::V4(RESOLVER), self.port)
    }

    /// Where it answers over TLS, if it does.
    pub fn resolver_over_tls(self) -> SocketAddr {
        SocketAddr::new(IpAddr::V4(RESOLVER), self.tls)
    }

    /// Where the name servers of a level are.
    pub fn servers(self, level: Level) -> SocketAddr {
        SocketAddr::new(IpAddr::V4(address(level)), self.port)
    }

    /// Datagrams that the kernel lost by now for want of room in a socket's buffer, be it a client's, the resolver's or a name server's; `None` where others' would be among them.
    pub fn overflowed(self) -> Option<u64> {
        self.is_private().then(usage::overflowed).flatten()
    }

    /// Begins to count packets; `None` where others' would be among them.
    ///
    /// # Errors
    /// As [`Watch::begin`].
    pub fn watch(self) -> Result<Option<Watch>, InternetError> {
        let servers = Level::ALL.map(|level| ipv4(self.servers(level).ip()));
        self.is_private().then(|| Watch::begin(RESOLVER, servers)).transpose()
    }
}

/// The address of a level's name servers, which delegations name.
pub fn address(level: Level) -> Ipv4Addr {
    match level {
        Level::Root => SERVERS[0],
        Level::Tld => SERVERS[1],
        Level::Domain => SERVERS[2],
    }
}

/// The programs that are run.
#[derive(Debug, Clone)]
pub struct Programs {
    /// NSD.
    pub nsd: PathBuf,
    /// Knot, where a level's answers are signed as they are given.
    pub knot: Option<Knot>,
    /// The validating resolver.
    pub resolver: Resolver,
    /// What its environment has beside this program's.
    pub environment: Vec<(&'static str, OsString)>,
}

/// Signatures that a resolver verified.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Verifications {
    /// How many.
    pub number: u64,
    /// Nanoseconds of processor that they took.
    pub processor: u64,
}

/// Name servers that serve a plan's zones, and perhaps a resolver. All of them end when this is dropped.
#[derive(Debug)]
pub struct Internet<'a> {
    plan: &'a Plan,
    place: Place,
    programs: &'a Programs,
    anchor: String,
    directory: PathBuf,
    resolver: Option<Server>,
    servers: Vec<Server>,
}

impl<'a> Internet<'a> {
    /// Starts the name servers, a process for each level, and waits until they answer. What they need goes into `directory`, which is
    /// there. The calling thread has to live as long as this.
    ///
    /// # Errors
    /// A server cannot be started or does not answer; [`InternetError::Interrupted`] once `stop` is set.
    pub fn serve(
        plan: &'a Plan,
        files: &Files,
        place: Place,
        programs: &'a Programs,
        directory: &Path,
        stop: &AtomicBool,
    ) -> Result<Internet<'a>, InternetError> {
        let mut servers = Vec::new();
        for level in Level::ALL {
            let address = place.servers(level);
            let knot = programs.knot.as_ref().filter(|_| files.online[level as usize]);
            let (name, program, words, remedy, text) = match knot {
                Some(Knot { server, .. }) => {
                    let own = directory.join(format!("knot-{level}"));
                    std::fs::create_dir_all(&own)
                        .map_err(|source| InternetError::File { path: own.clone(), source })?;
                    let text = config::knot(plan, files, level, address, &own);
                    ("Knot", server, &["-c"][..], online::REMEDY, text)
                }
                None => {
                    let text = config::nsd(plan, files, level, address, directory);
                    (
                        "NSD",
                        &programs.nsd,
                        &["-d", "-c"][..],
                        "install NSD, or give its path with --nsd",
                        text,
                    )
                }
            };
            let file = format!("{}-{level}", name.to_lowercase());
            let path = directory.join(format!("{file}.conf"));
            write(&path, &text)?;
            let (log, name) =
                (directory.join(format!("{file}.log")), format!("{name} for the level {level}"));
            let server = Server::start(&name, program, |command| command.args(words).arg(&path), log, remedy);
            servers.push(server?);
        }
        for (level, server) in Level::ALL.into_iter().zip(&mut servers) {
            let zone = plan.of_level(level).last().map_or(Name::ROOT, |(_, zone)| zone.name);
            server.wait_until(
                place.servers(level),
                &zone,
                |said| said.authoritative && said.rcode == 0,
                stop,
            )?;
        }
        Ok(Internet {
            plan,
            place,
            programs,
            anchor: files.anchor.clone(),
            directory: directory.to_path_buf(),
            resolver: None,
            servers,
        })
    }

    /// Starts a resolver that knows nothing yet but the root's key, in place of the one before, and waits until it answers.
    ///
    /// # Errors
    /// As [`serve`](Self::serve).
    pub fn resolve_afresh(&mut self, stop: &AtomicBool) -> Result<(), InternetError> {
        self.resolver = None;
        let programs = self.programs;
        let Resolver { software, program, .. } = &programs.resolver;
        // Whatever one before it cached goes with its directory.
        let directory = self.directory.join("resolver");
        let refused = |source| InternetError::File { path: directory.clone(), source };
        match std::fs::remove_dir_all(&directory) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(refused(error)),
            _ => std::fs::create_dir(&directory).map_err(refused)?,
        }
        let place = self.place;
        let knows = Knows {
            plan: self.plan,
            address: place.resolver(),
            tls: place.tls,
            servers: &|level| place.servers(level),
            finds: if place.is_private() { Finds::Hints } else { Finds::Stubs },
            anchor: &self.anchor,
            directory: &directory,
        };
        for (name, text) in programs.resolver.files(&knows) {
            write(&directory.join(name), &text)?;
        }
        let counted = self.directory.join(VERIFICATIONS);
        std::fs::write(&counted, [0; 16])
            .map_err(|source| InternetError::File { path: counted.clone(), source })?;
        let resolver = self.resolver.insert(Server::start(
            software.name(),
            program,
            |command| {
                command
                    .env(COUNTS, &counted)
                    .envs(programs.environment.iter().map(|(name, value)| (name, value)))
                    .current_dir(&directory)
                    .args(programs.resolver.words(&directory))
            },
            self.directory.join("resolver.log"),
            "install it, or select another one with --resolver",
        )?);
        // Asked for `localhost`, which it answers by itself: any other name would fill its caches.
        let itself = Name::ROOT.child(b"localhost").unwrap_or(Name::ROOT);
        let begun = resolver.wait_until(self.place.resolver(), &itself, |_| true, stop);
        let number = self.anchor.split_ascii_whitespace().skip_while(|word| *word != "DNSKEY").nth(3);
        match (begun, number.and_then(|number| number.parse().ok()).filter(|number| *number > USUAL)) {
            (Err(InternetError::Server { .. }), Some(number)) if *software == Software::KnotResolver => {
                Err(InternetError::UnknownAlgorithm { program: program.clone(), number })
            }
            (begun, _) => begun,
        }
    }

    /// Has the name servers of a level read their zones again. They take a while; who has to know asks them for the serial.
    pub fn reload(&self, level: Level) {
        if let Some(server) = self.servers.get(level as usize) {
            server.reload();
        }
    }

    /// The plan that is served.
    pub fn plan(&self) -> &'a Plan {
        self.plan
    }

    /// Where it is.
    pub fn place(&self) -> Place {
        self.place
    }

    /// The name servers, from the root down.
    pub fn servers(&self) -> &[Server] {
        &self.servers
    }

    /// The resolver, if there is one.
    pub fn resolver(&self) -> Option<&Server> {
        self.resolver.as_ref()
    }

    /// How many signatures the resolver verified by now and what that took; nothing where it does not count them, as only those of
    /// `lab/resolvers` do.
    pub fn verifications(&self) -> Option<Verifications> {
        let octets = std::fs::read(self.directory.join(VERIFICATIONS)).ok()?;
        let (number, processor) = octets.split_at_checked(8)?;
        let read = |octets: &[u8]| Some(u64::from_ne_bytes(octets.try_into().ok()?));
        let found = Verifications { number: read(number)?, processor: read(processor)? };
        (found.number > 0).then_some(found)
    }

    /// Whether a server has ended; [`check`](Self::check) says which. For whoever waits for something else meanwhile.
    pub fn has_ended(&self) -> bool {
        self.servers.iter().chain(&self.resolver).any(Server::has_ended)
    }

    /// Whether everything runs still.
    ///
    /// # Errors
    /// Which server has ended, with the last lines of its log.
    pub fn check(&mut self) -> Result<(), InternetError> {
        self.servers.iter_mut().chain(&mut self.resolver).try_for_each(Server::check)
    }
}

fn write(path: &Path, text: &str) -> Result<(), InternetError> {
    std::fs::write(path, text).map_err(|source| InternetError::File { path: path.to_path_buf(), source })
}
