//! Where the servers' programs are.

use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Result, anyhow};
use fieldtest_catalog::{ENGINE_LIBRARIES, ENGINES};
use fieldtest_dns_internet::internet::Programs;
use fieldtest_dns_internet::online::Knot;
use fieldtest_dns_internet::resolver::{Resolver, Software};
use fieldtest_dnssec::codepoints::CodePoints;

use crate::args::World;
use crate::outcome::usage;

/// What `lab/resolvers/build.sh` leaves, below the directory that this program's own is in: resolvers that know every algorithm. Not below the
/// directory in which somebody happens to be, where anybody may have left anything.
/// Those of Debian 12 come first, then those of Debian 13.
const BUILT: [&str; 2] = ["lab/resolvers/bin", "lab/resolvers/debian-13/bin"];
/// The environment variable by which these know algorithms by other numbers than the catalog's.
pub(crate) const NUMBERS: &str = "FIELDTEST_DNSSEC";
/// Where servers are that are in no user's path.
const BESIDE_PATH: [&str; 3] = ["/usr/local/sbin", "/usr/sbin", "/sbin"];

pub(super) fn find(args: &World, table: &CodePoints, is_private: bool) -> Result<Programs> {
    let named = args.servers.nsd.as_deref().unwrap_or("nsd".as_ref());
    let nsd = at(named)?.ok_or_else(|| {
        anyhow!("{} is not installed; install NSD, or give the program with --nsd", named.display())
    })?;
    let mut resolver = one(args.resolver.as_deref(), !args.no_aggressive_use, is_private)?;
    if args.resolver_threads > 1 && !resolver.software.has_threads() {
        return Err(usage(format!(
            "{} has processes, not threads; omit --resolver-threads, or select another resolver",
            resolver.software.name()
        )));
    }
    resolver.threads = args.resolver_threads;
    let mut environment = attached()?;
    let numbers: Vec<String> =
        table.iter().map(|(name, code_point)| format!("{code_point}={name}")).collect();
    environment.push((NUMBERS, numbers.join(" ").into()));
    Ok(Programs { nsd, knot: None, resolver, environment })
}

/// What has a server of `lab/resolvers` attach the engines that are attached here. Shared objects are loaded by this program for it, too.
///
/// # Errors
/// Paths that no list of paths can have.
pub(crate) fn attached() -> Result<Vec<(&'static str, OsString)>> {
    let descriptions = fieldtest_catalog::descriptions();
    if descriptions.is_empty() {
        return Ok(Vec::new());
    }
    let list = |paths: &[PathBuf]| {
        env::join_paths(paths).map_err(|_| {
            let all: Vec<_> = paths.iter().map(|path| path.display().to_string()).collect();
            usage(format!(
                "a server accepts engines as paths separated by colons, but one of these paths contains a colon: {}",
                all.join(", ")
            ))
        })
    };
    let mut environment = vec![(ENGINES, list(&descriptions)?)];
    let own = env::current_exe().ok();
    if let Some(own) = own.as_deref().and_then(Path::parent) {
        let path = env::var_os("PATH").unwrap_or_default();
        let path: Vec<PathBuf> = std::iter::once(own.to_path_buf()).chain(env::split_paths(&path)).collect();
        environment.extend([(ENGINE_LIBRARIES, "yes".into()), ("PATH", list(&path)?)]);
    }
    Ok(environment)
}

pub(super) fn knot() -> Result<Knot> {
    let program = |name: &str| {
        installed(name).ok_or_else(|| {
            anyhow!("{name} is not installed, but compact denial needs it; install Knot DNS (Debian: knot)")
        })
    };
    Ok(Knot { server: program("knotd")?, keys: program("keymgr")? })
}

/// The resolver that was named, or Unbound.
///
/// # Errors
/// There is none of this name, or it cannot do what is asked.
pub(super) fn one(named: Option<&Path>, aggressive: bool, is_private: bool) -> Result<Resolver> {
    let typed = named
        .map(|name| format!("no program '{}' is installed; give another with --resolver", name.display()));
    let named = named.unwrap_or(Software::Unbound.program().as_ref());
    let program = at(named)?.ok_or_else(|| {
        let name = named.display();
        anyhow!(typed.unwrap_or_else(|| {
            format!(
                "{name} is not installed; build Unbound and BIND with lab/resolvers/build.sh, install it, or give a program with \
                 --resolver"
            )
        }))
    })?;
    // A build under a name of somebody's own.
    let software = Software::of_program(&program).unwrap_or(Software::Unbound);
    if !aggressive && !software.can_ask_always() {
        return Err(usage(format!(
            "{} has no switch for aggressive use; omit --no-aggressive-use, or select another resolver",
            software.name()
        )));
    }
    if !is_private && !software.knows_ports() {
        return Err(usage(format!(
            "{} cannot use name servers at high ports; give it a network namespace, or select Unbound with --resolver",
            software.name()
        )));
    }
    Ok(Resolver { aggressive, ..Resolver::new(software, program) })
}

pub(crate) fn tool(named: &Path) -> Result<PathBuf> {
    at(named)?.ok_or_else(|| {
        anyhow!(
            "cannot start the signer '{}': it is not installed; build BIND with lab/resolvers/build.sh, install bind9-utils, or \
             give the program's path",
            named.display()
        )
    })
}

/// What a path names, and what is here by a name.
fn at(named: &Path) -> Result<Option<PathBuf>> {
    match named.to_str().filter(|name| !name.contains('/')) {
        Some(name) => Ok(here(name)),
        // It is started in a directory of its own.
        None => Ok(Some(std::path::absolute(named)?).filter(|path| path.is_file())),
    }
}

/// What people call a resolver, those that `lab/resolvers/build.sh` made by that.
pub(crate) fn name(resolver: &Resolver) -> String {
    let name = resolver.software.name();
    let is_in = |built: &&str| resolver.program.parent().is_some_and(|directory| directory.ends_with(built));
    match BUILT.iter().position(is_in) {
        None => name.to_owned(),
        Some(0) => format!("{name} of lab/resolvers"),
        Some(_) => format!("{name} of lab/resolvers, Debian 13"),
    }
}

/// Every resolver that is here and can be run: those of `lab/resolvers`, which know every algorithm, and those that are installed.
fn all_here(is_private: bool) -> Vec<Resolver> {
    let can_run = |software: &Software| is_private || software.knows_ports();
    let both = |software: Software| {
        let found = built(software.program()).chain(installed(software.program()));
        found.map(move |program| Resolver::new(software, program))
    };
    Software::ALL.into_iter().filter(can_run).flat_map(both).collect()
}

/// The resolvers that were named, or every one that is here.
pub(crate) fn named_or_here(named: &[PathBuf], is_private: bool) -> Result<Vec<Resolver>> {
    match named {
        [] => Ok(all_here(is_private)),
        named => named.iter().map(|named| one(Some(named), true, is_private)).collect(),
    }
}

/// A name that no other has: those behind the first have numbers.
pub(crate) fn apart(own: String, is_taken: impl Fn(&str) -> bool) -> String {
    let numbered = (2..).map(|number| format!("{own} {number}"));
    std::iter::once(own.clone()).chain(numbered).find(|name| !is_taken(name)).unwrap_or(own)
}

/// The name of a resolver that is here, so that nobody needs Unbound who has another one.
pub(crate) fn first_here() -> Option<PathBuf> {
    all_here(true).first().map(|resolver| PathBuf::from(resolver.software.program()))
}

/// One of `lab/resolvers`, or one that is installed.
fn here(name: &str) -> Option<PathBuf> {
    built(name).next().or_else(|| installed(name))
}

fn built(name: &str) -> impl Iterator<Item = PathBuf> {
    let own = env::current_exe().ok();
    let target = own.as_deref().and_then(Path::parent).and_then(Path::parent).map(Path::to_path_buf);
    let paths = target.into_iter().flat_map(|target| BUILT.map(|built| target.join(built)));
    let name = name.to_owned();
    paths.map(move |path| path.join(&name)).filter(|path| path.is_file())
}

fn installed(name: &str) -> Option<PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    let beside = BESIDE_PATH.into_iter().map(PathBuf::from);
    env::split_paths(&path).chain(beside).map(|directory| directory.join(name)).find(|path| path.is_file())
}

pub(crate) fn version_of(resolver: &Resolver) -> String {
    version(&resolver.program, resolver.software.version_word())
}

/// What a program calls itself, by the first line that it writes for `word`: `1.17.1` of `Version 1.17.1`, `3.2.6` of `knotd (Knot DNS), version 3.2.6`, `PowerDNS Recursor 4.8.8` without
/// the moment before it and the copyright behind it.
pub(crate) fn version(program: &Path, word: &str) -> String {
    let output = Command::new(program).arg(word).output().ok();
    // NSD says it on standard error.
    let first = output.and_then(|output| {
        let text = [output.stdout, output.stderr].concat();
        String::from_utf8_lossy(&text).lines().next().map(|line| line.trim().to_owned())
    });
    let version = first.map(|line| {
        let line = line.strip_prefix("Version ").unwrap_or(&line);
        let line = line.rsplit_once(", version ").map_or(line, |(_, number)| number);
        let name = Software::ALL.into_iter().find_map(|software| line.find(software.name()));
        let line = &line[name.unwrap_or(0)..];
        line.split(" (").next().unwrap_or(line).to_owned()
    });
    version.filter(|version| !version.is_empty()).unwrap_or_else(|| "an unknown version".to_owned())
}
