//! A network namespace of this program's own: nothing outside hears of what happens in it, and it ends with the program.

use std::fs;
use std::io;
use std::net::Ipv4Addr;
use std::process::Command;

use crate::{InternetError, sys};

/// Octets of the largest packet, as on Ethernet.
pub(crate) const MTU: u16 = 1_500;

/// What a thread entered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Entered {
    /// A network namespace.
    Network,
    /// A user namespace, and a network namespace of that.
    UserAndNetwork,
}

/// Puts this thread, and every thread and process that it starts, into a network namespace of their own, with a loopback interface
/// that is up and has this address by name, since some servers listen at no other. Where that is not allowed, into a user namespace too, in which this user is root; for that the process may have one
/// thread only, so it is to be called early.
///
/// # Errors
/// What the system says; the thread is where it was then.
pub fn enter(address: Ipv4Addr) -> Result<Entered, InternetError> {
    let told = |source| InternetError::System { what: "a private network namespace", source };
    if sys::unshare_network(false).is_ok() {
        return sys::loopback_up(MTU.into(), address).map(|()| Entered::Network).map_err(told);
    }
    // In a child process first: some systems give a user namespace and then no rights in it, and a thread
    // cannot leave one.
    sys::try_apart(move || enter_as_user(address)).map_err(told)?;
    enter_as_user(address).map(|()| Entered::UserAndNetwork).map_err(told)
}

fn enter_as_user(address: Ipv4Addr) -> io::Result<()> {
    let (user, group) = sys::ids();
    sys::unshare_network(true)?;
    // Groups cannot be dropped in a namespace that its own user mapped (user_namespaces(7)).
    fs::write("/proc/self/setgroups", "deny")?;
    fs::write("/proc/self/uid_map", format!("0 {user} 1"))?;
    fs::write("/proc/self/gid_map", format!("0 {group} 1"))?;
    sys::loopback_up(MTU.into(), address)
}

/// What becomes of packets between the resolver and name servers.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Way {
    /// Milliseconds that each packet takes.
    pub delay: f64,
    /// Percent of the packets that are lost.
    pub loss: f64,
}

/// Makes packets to and from name servers late and lossy, in the namespace that was [entered](enter), by `tc` and the kernel's netem.
///
/// # Errors
/// What `tc` says; kernels without `sch_netem` refuse.
pub fn slow(way: Way, servers: &str) -> Result<(), InternetError> {
    let Way { delay, loss } = way;
    let (delay, loss) = (format!("{delay}ms"), format!("{loss}%"));
    // Band 3 of a queue by priority is for them alone; the map sends all else to band 1.
    let map = ["0"; 16];
    let mut root = vec!["qdisc", "add", "dev", "lo", "root", "handle", "1:", "prio", "bands", "3", "priomap"];
    root.extend(map);
    let late = [
        "qdisc", "add", "dev", "lo", "parent", "1:3", "netem", "limit", "100000", "delay", &delay, "loss",
        &loss,
    ];
    let of = |end| {
        [
            "filter", "add", "dev", "lo", "parent", "1:", "protocol", "ip", "u32", "match", "ip", end,
            servers, "flowid", "1:3",
        ]
    };
    for words in [&root[..], &late, &of("dst"), &of("src")] {
        tc(words).map_err(|source| InternetError::System { what: "cannot shape the network", source })?;
    }
    Ok(())
}

fn tc(words: &[&str]) -> io::Result<()> {
    let output = Command::new("tc").args(words).output();
    let output = match output {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            return Err(io::Error::other("tc is not installed; install iproute2"));
        }
        other => other?,
    };
    if output.status.success() {
        return Ok(());
    }
    // Kernels without netem: `Error: Specified qdisc kind is unknown.`
    let said = String::from_utf8_lossy(&output.stderr);
    let said = said.lines().next().unwrap_or_default().trim().trim_end_matches('.');
    let remedy = "load the kernel modules sch_netem and sch_prio, or omit --delay and --loss";
    Err(io::Error::other(format!("'tc {}' failed ({said}); {remedy}", words[0])))
}
