//! `fieldtest tcp-ao gateway`: TCP-AO for a host whose kernel has none, between two TUN interfaces.

pub(crate) mod keys;
mod tun;

use std::fs::File;
use std::io::ErrorKind;
use std::os::fd::AsFd;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow};
use fieldtest_tcp_ao::MktSet;
use fieldtest_tcp_ao::gateway::{Action, Gateway, Settings};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGUSR1};
use tun::Tun;

use crate::args::Sides;
use crate::outcome::{coded, in_one_sentence};
use crate::output;

/// As long as the kernel lets a packet be.
const LONGEST_PACKET: usize = 65_536;
/// Packets from one side before the other side is looked at.
const BURST: usize = 64;
/// How long a signal may go unnoticed when it comes at the wrong moment.
const PATIENCE: Duration = Duration::from_secs(1);
const SWEEP_INTERVAL: Duration = Duration::from_secs(60);

/// Carries packets between the two interfaces until SIGINT or SIGTERM. On SIGHUP `reload` gives the keys anew; if it
/// fails, they stay as they are.
pub(crate) fn run(
    sides: &Sides,
    keys: MktSet,
    settings: Settings,
    mut reload: impl FnMut() -> Result<MktSet>,
) -> Result<()> {
    let signals = Signals::handle()?;
    let namespace = sides.inner_namespace.as_deref().map(|path| {
        File::open(path).with_context(|| format!("cannot open the namespace {}", path.display()))
    });
    let inner = open(&sides.inner, namespace.transpose()?.as_ref())?;
    let outer = open(&sides.outer, None)?;
    let mut gateway = Gateway::new(keys, settings);
    let mut carrier = Carrier { packet: vec![0; LONGEST_PACKET], out: Vec::with_capacity(LONGEST_PACKET) };
    let report_every = sides.report_every.map(Duration::from_secs);
    let [mut reported, mut swept] = [Instant::now(); 2];
    output::message(&format!("carrying packets between {} and {}", sides.inner, sides.outer));

    while !signals.end.load(Ordering::Relaxed) {
        tun::wait(&[inner.as_fd(), outer.as_fd()], PATIENCE).context("cannot wait for packets")?;
        let now = Instant::now();
        carrier
            .carry(&inner, &outer, |packet, out| gateway.outbound(packet, now, out))
            .with_context(|| format!("cannot read {} any longer", sides.inner))?;
        carrier
            .carry(&outer, &inner, |packet, out| gateway.inbound(packet, now, out))
            .with_context(|| format!("cannot read {} any longer", sides.outer))?;
        if signals.reload.swap(false, Ordering::Relaxed) {
            match reload() {
                Ok(keys) => {
                    let changes = gateway.set_keys(keys);
                    output::message(&format!(
                        "keys of open connections: {} added, {} removed, {} connections still use an old one, {} conflicts",
                        changes.added, changes.removed, changes.waiting, changes.conflicts
                    ));
                }
                Err(error) => {
                    output::message(&format!("the keys are unchanged: {}", in_one_sentence(&error)))
                }
            }
        }
        let due = report_every.is_some_and(|interval| now - reported >= interval);
        if signals.report.swap(false, Ordering::Relaxed) || due {
            report(&gateway);
            reported = now;
        }
        if now - swept >= SWEEP_INTERVAL {
            gateway.sweep(now);
            swept = now;
        }
    }
    report(&gateway);
    Ok(())
}

struct Carrier {
    packet: Vec<u8>,
    out: Vec<u8>,
}

impl Carrier {
    /// Takes what waits at one interface through the gateway.
    fn carry(
        &mut self,
        from: &Tun,
        to: &Tun,
        mut take: impl FnMut(&[u8], &mut Vec<u8>) -> Action,
    ) -> std::io::Result<()> {
        for _ in 0..BURST {
            let Some(length) = from.read(&mut self.packet)? else { break };
            match take(self.packet.get(..length).unwrap_or_default(), &mut self.out) {
                Action::Forward => to.write(&self.out),
                Action::Reply => from.write(&self.out),
                Action::Drop(_) => false,
            };
        }
        Ok(())
    }
}

fn open(name: &str, namespace: Option<&File>) -> Result<Tun> {
    Tun::open(name, namespace).map_err(|error| {
        let why = match error.kind() {
            ErrorKind::ResourceBusy => "another program uses it; give another one".to_owned(),
            // TUNSETIFF of a name that another kind of interface has.
            ErrorKind::InvalidInput => "it is not a TUN interface; give another one".to_owned(),
            ErrorKind::NotFound | ErrorKind::PermissionDenied => {
                format!("this needs /dev/net/tun and network administration rights (root): {error}")
            }
            _ => error.to_string(),
        };
        coded("io", anyhow!("cannot open the TUN interface {name}: {why}"))
    })
}

fn report(gateway: &Gateway) {
    output::message(&gateway.counters().to_string());
    for connection in gateway.connections() {
        output::message(&format!(
            "{} {}: signs with key {}, asks for key {}",
            connection.pair,
            if connection.established { "established" } else { "opening" },
            connection.current_key,
            connection.rnext_key
        ));
    }
}

struct Signals {
    end: Arc<AtomicBool>,
    reload: Arc<AtomicBool>,
    report: Arc<AtomicBool>,
}

impl Signals {
    fn handle() -> Result<Signals> {
        let signals = Signals { end: Arc::default(), reload: Arc::default(), report: Arc::default() };
        for (signal, flag) in [
            (SIGINT, &signals.end),
            (SIGTERM, &signals.end),
            (SIGHUP, &signals.reload),
            (SIGUSR1, &signals.report),
        ] {
            signal_hook::flag::register(signal, Arc::clone(flag)).context("cannot handle signals")?;
        }
        Ok(signals)
    }
}
