//! What becomes of queries is counted for what it is: by a server that does to each name what the name says.

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream, UdpSocket};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use fieldtest_dns_load::Outcome;
use fieldtest_dns_load::arrivals::{Arrivals, Rate, Spacing};
use fieldtest_dns_load::clients::Clients;
use fieldtest_dns_load::engine::{self, Bounds, Fallback, LoadError, Options};
use fieldtest_dns_load::query::Transport;
use fieldtest_dns_load::read::text;
use fieldtest_dns_load::schedule::Made;
use fieldtest_dns_load::target::Target;

pub(crate) type Failure = Box<dyn std::error::Error>;

/// Long enough for a busy machine to answer.
const TIMEOUT: Duration = Duration::from_millis(800);
/// How much later a late answer is.
const BEYOND: Duration = Duration::from_millis(100);
/// Queries of every name.
pub(crate) const EACH: u64 = 20;

/// The first label of a query's name, which says what is to be done.
fn wish(query: &[u8]) -> String {
    let length = usize::from(query[12]);
    String::from_utf8_lossy(&query[13..13 + length]).into_owned()
}

/// The query as its own answer: flags, response code.
fn answer(query: &[u8], flags: u8, low: u8) -> Vec<u8> {
    let mut answer = query.to_vec();
    answer[2] |= 0x80 | flags;
    answer[3] |= low;
    answer
}

/// A server on a free port; it ends with the test's process.
fn serve() -> Result<SocketAddr, Failure> {
    serve_at("127.0.0.1")
}

fn serve_at(host: &str) -> Result<SocketAddr, Failure> {
    // A port that is free for TCP may be one that another test's client has for UDP.
    let both = || {
        let tcp = TcpListener::bind((host, 0)).ok()?;
        Some((UdpSocket::bind(tcp.local_addr().ok()?).ok()?, tcp))
    };
    let (udp, tcp) = (0..100).find_map(|_| both()).ok_or("no port is free for UDP and TCP")?;
    let address = udp.local_addr()?;
    thread::spawn(move || {
        let mut buffer = [0; 4_096];
        while let Ok((length, client)) = udp.recv_from(&mut buffer) {
            let query = &buffer[..length];
            let send = |octets: &[u8]| drop(udp.send_to(octets, client));
            match wish(query).as_str() {
                "drop" => {}
                "late" => {
                    let (udp, octets) = (udp.try_clone(), answer(query, 0, 0));
                    thread::spawn(move || {
                        thread::sleep(TIMEOUT + BEYOND);
                        udp.map(|udp| udp.send_to(&octets, client))
                    });
                }
                "twice" => {
                    send(&answer(query, 0, 0));
                    send(&answer(query, 0, 0));
                }
                "wrong-id" => {
                    let mut other = answer(query, 0, 0);
                    other[0] ^= 0x80;
                    send(&other);
                }
                "wrong-name" => {
                    let mut other = answer(query, 0, 0);
                    other[14] ^= 1;
                    send(&other);
                    send(&answer(query, 0, 0));
                }
                "servfail" => send(&answer(query, 0, 2)),
                "authentic" => send(&answer(query, 0, 0x20)),
                "slow" => {
                    thread::sleep(Duration::from_millis(5));
                    send(&answer(query, 0, 0));
                }
                "truncated" | "truncated-close" | "truncated-drop" => send(&answer(query, 2, 0)),
                _ => send(&answer(query, 0, 0)),
            }
        }
    });
    thread::spawn(move || {
        for stream in tcp.incoming().flatten() {
            thread::spawn(move || serve_connection(stream));
        }
    });
    Ok(address)
}

fn serve_connection(mut stream: TcpStream) -> std::io::Result<()> {
    let mut served = 0;
    loop {
        let mut length = [0; 2];
        stream.read_exact(&mut length)?;
        let mut query = vec![0; usize::from(u16::from_be_bytes(length))];
        stream.read_exact(&mut query)?;
        match wish(&query).as_str() {
            "truncated-close" => return Ok(()),
            "truncated-drop" => {}
            "flood" => {
                let short = [&[0, 12][..], &[0; 12]].concat().repeat(1_000);
                loop {
                    stream.write_all(&short)?;
                }
            }
            // Ends the connection without warning after three answers.
            "three" if served == 3 => return Ok(()),
            _ => {
                let answer = answer(&query, 0, 0);
                // In two pieces, as segments may come.
                stream.write_all(&length)?;
                stream.write_all(&answer[..5])?;
                thread::sleep(Duration::from_millis(1));
                stream.write_all(&answer[5..])?;
            }
        }
        served += 1;
    }
}

/// Questions for one name, evenly spaced.
fn made(name: &str, rate: f64, time: Duration, clients: u32) -> Result<Made, Failure> {
    let list = text::read(format!("{name}.test. A\n").as_bytes(), "names".as_ref())?;
    let arrivals = Arrivals::new(Rate::constant(rate)?, Spacing::Even, time, 1);
    Ok(Made::new(arrivals, Clients::new(clients, 1)?, list.into(), 1))
}

pub(crate) fn load(
    address: SocketAddr,
    name: &str,
    transport: Transport,
    change: impl Fn(&mut Options),
) -> Result<Outcome, Failure> {
    let made = made(name, 100.0, Duration::from_millis(EACH * 10), 4)?.over(transport);
    let mut options = Options::new(Target::here(address)?);
    options.timeout = TIMEOUT;
    change(&mut options);
    let outcome = engine::run(&|| Ok(Box::new(made.clone())), &options, &AtomicBool::new(false))?;
    assert_eq!(outcome.sent, EACH);
    assert_eq!(outcome.answered + outcome.timed_out + outcome.connection_failed, EACH, "{outcome:?}");
    assert_eq!(outcome.seconds.iter().map(|second| second.due).sum::<u64>(), EACH);
    assert_eq!(outcome.rcodes.iter().sum::<u64>(), outcome.answered);
    assert_eq!(outcome.latency().len(), outcome.answered);
    let failed: u64 = outcome.seconds.iter().map(|second| second.connection_failed).sum();
    assert_eq!((outcome.waiting().len(), failed), (EACH, outcome.connection_failed), "{outcome:?}");
    Ok(outcome)
}

#[test]
fn over_udp() -> Result<(), Failure> {
    let address = serve()?;
    let udp = |name| load(address, name, Transport::Udp, |_| {});
    let fine = udp("fine")?;
    assert_eq!((fine.answered, fine.rcodes[0], fine.connections), (EACH, EACH, 0));
    assert_eq!(fine.up[0], fine.down[0]);
    assert_eq!(fine.sizes.iter().sum::<u64>(), EACH);
    let dropped = udp("drop")?;
    assert_eq!((dropped.timed_out, dropped.late), (EACH, 0));
    assert!(dropped.latency().is_empty() && dropped.waiting().len() == EACH);
    assert!(dropped.waiting().min() >= TIMEOUT.as_nanos() as u64 * 99 / 100, "{dropped:?}");
    assert!(dropped.took >= TIMEOUT.as_nanos() as u64);
    let servfail = udp("servfail")?;
    assert_eq!(servfail.rcodes[2], EACH);
    assert_eq!(udp("authentic")?.authentic, EACH);
    // The last answers may come when nobody waits any more.
    let twice = udp("twice")?;
    assert!(twice.answered == EACH && (EACH - 1..=EACH).contains(&twice.duplicates), "{twice:?}");
    let wrong = udp("wrong-id")?;
    assert_eq!((wrong.timed_out, wrong.unexpected, wrong.mismatched), (EACH, EACH, 0));
    let wrong = udp("wrong-name")?;
    assert_eq!((wrong.answered, wrong.mismatched, wrong.unexpected), (EACH, EACH, 0));
    let late = udp("late")?;
    assert_eq!((late.timed_out, late.answered, late.unexpected), (EACH, 0, 0));
    // The run ends with the last timeout, a tenth of a second before the last late answer.
    assert!((5..EACH).contains(&late.late), "{late:?}");
    Ok(())
}

/// It neither keeps the thread from its timeouts nor from its end.
#[test]
fn a_server_that_sends_without_end() -> Result<(), Failure> {
    let address = serve()?;
    for kept in [true, false] {
        let outcome = load(address, "flood", Transport::Tcp, |options| options.keep_connections = kept)?;
        assert_eq!((outcome.timed_out, outcome.connection_failed), (EACH, 0));
        assert!(outcome.unexpected > EACH, "{outcome:?}");
    }
    Ok(())
}

#[test]
fn over_ipv6() -> Result<(), Failure> {
    if UdpSocket::bind("[::1]:0").is_err() {
        let _ = writeln!(std::io::stderr(), "SKIPPED over IPv6: this machine has no ::1");
        return Ok(());
    }
    let address = serve_at("::1")?;
    let outcome = load(address, "truncated", Transport::Udp, |_| {})?;
    assert_eq!((outcome.answered, outcome.asked_again, outcome.fallback.len()), (EACH, EACH, EACH));
    assert_eq!(load(address, "fine", Transport::Tcp, |_| {})?.tcp.len(), EACH);
    Ok(())
}

#[test]
fn truncated_answers_are_asked_again() -> Result<(), Failure> {
    let address = serve()?;
    for (fallback, connections) in [(Fallback::Fresh, EACH), (Fallback::Kept, 4)] {
        let outcome = load(address, "truncated", Transport::Udp, |options| options.fallback = fallback)?;
        assert_eq!((outcome.truncated, outcome.asked_again, outcome.fallback.len()), (EACH, EACH, EACH));
        assert_eq!(
            (outcome.connections, outcome.udp.len(), outcome.tcp.len()),
            (connections, 0, 0),
            "{fallback:?}"
        );
        assert_eq!(outcome.up[1], outcome.up[0] + 2 * EACH, "two bytes of length");
        // The server waits for a millisecond between two pieces.
        assert!(outcome.fallback.min() >= 1_000_000, "both ways are one latency");
    }
    let ignored = load(address, "truncated", Transport::Udp, |options| options.fallback = Fallback::Ignored)?;
    assert_eq!((ignored.truncated, ignored.asked_again, ignored.connections), (EACH, 0, 0));
    let closed = load(address, "truncated-close", Transport::Udp, |_| {})?;
    assert_eq!((closed.asked_again, closed.connection_failed, closed.timed_out), (EACH, EACH, 0));
    assert_eq!(closed.connection_errors.values().sum::<u64>(), EACH);
    for fallback in [Fallback::Fresh, Fallback::Kept] {
        let silent = load(address, "truncated-drop", Transport::Udp, |options| options.fallback = fallback)?;
        assert_eq!((silent.timed_out, silent.connection_failed), (EACH, 0));
    }
    Ok(())
}

#[test]
fn over_tcp() -> Result<(), Failure> {
    let address = serve()?;
    let kept = load(address, "fine", Transport::Tcp, |_| {})?;
    assert_eq!((kept.tcp.len(), kept.connections, kept.up[0]), (EACH, 4, 0));
    let fresh = load(address, "fine", Transport::Tcp, |options| options.keep_connections = false)?;
    assert_eq!((fresh.tcp.len(), fresh.connections), (EACH, EACH));
    // Every fourth query of a client meets the end of its connection and is sent again.
    let short = load(address, "three", Transport::Tcp, |_| {})?;
    assert_eq!((short.answered, short.connection_failed), (EACH, 0), "{short:?}");
    assert!(short.resent > 0 && short.connections == 4 + short.resent, "{short:?}");
    Ok(())
}

#[test]
fn where_nobody_listens() -> Result<(), Failure> {
    // The system never gives out this port: one that was taken and given back may be another test's by now.
    let address = SocketAddr::from(([127, 0, 0, 1], 1));
    let nobody = load(address, "fine", Transport::Udp, |_| {})?;
    assert!(nobody.timed_out == EACH && nobody.unreachable > 0, "{nobody:?}");
    let nobody = load(address, "fine", Transport::Tcp, |_| {})?;
    assert_eq!((nobody.connection_failed, nobody.connections, nobody.refused_here), (EACH, 0, 0));
    assert!(
        nobody.waiting().min() >= TIMEOUT.as_nanos() as u64 * 99 / 100,
        "no quicker than silence: {nobody:?}"
    );
    // Two of a client may wait for the same connection.
    let refused = nobody.connection_errors.get("connection refused").copied().unwrap_or_default();
    assert!((1..=EACH).contains(&refused) && nobody.connection_errors.len() == 1, "{nobody:?}");
    Ok(())
}

/// The server takes five milliseconds for each query, one after the other, and is asked every two: who waits for it is counted with
/// all that waits before him.
#[test]
fn waiting_is_in_the_latency() -> Result<(), Failure> {
    let address = serve()?;
    let made = made("slow", 500.0, Duration::from_millis(200), 1)?;
    let options = Options::new(Target::here(address)?);
    let outcome = engine::run(&|| Ok(Box::new(made.clone())), &options, &AtomicBool::new(false))?;
    assert_eq!(outcome.answered, 100);
    // The last one waits until 500 ms, and was due at 199.
    assert!(outcome.udp.max() > 250_000_000, "{}", outcome.udp.max());
    assert!(outcome.udp.value_at_quantile(0.5) > 120_000_000, "{}", outcome.udp.value_at_quantile(0.5));
    Ok(())
}

#[test]
fn threads_share_the_clients() -> Result<(), Failure> {
    let address = serve()?;
    let outcome = load(address, "fine", Transport::Udp, |options| options.threads = 3)?;
    assert_eq!(outcome.answered, EACH);
    Ok(())
}

#[test]
fn a_run_ends_when_it_is_told_to() -> Result<(), Failure> {
    let address = serve()?;
    let made = made("drop", 100.0, Duration::from_secs(60), 10)?;
    let mut options = Options::new(Target::here(address)?);
    options.timeout = Duration::from_secs(30);
    let stop = AtomicBool::new(false);
    let (outcome, after) = thread::scope(|scope| {
        let run = scope.spawn(|| engine::run(&|| Ok(Box::new(made.clone())), &options, &stop));
        thread::sleep(Duration::from_millis(300));
        stop.store(true, Ordering::Relaxed);
        let told = Instant::now();
        (run.join().expect("no panic"), told.elapsed())
    });
    let outcome = outcome?;
    assert!(after < options.timeout / 3, "{after:?}");
    assert!(outcome.interrupted && outcome.unfinished == outcome.sent && outcome.sent > 10, "{outcome:?}");
    Ok(())
}

#[test]
fn more_than_the_bounds_is_not_sent() -> Result<(), Failure> {
    let address = serve()?;
    let made = made("drop", 100.0, Duration::from_secs(10), 10)?;
    let mut options = Options::new(Target::here(address)?);
    options.timeout = TIMEOUT;
    let run = |bounds| {
        let options = options.clone().at_most(bounds);
        engine::run(&|| Ok(Box::new(made.clone())), &options, &AtomicBool::new(false))
    };
    let short = Bounds { time: Duration::from_millis(200), ..Bounds::BEYOND };
    assert_eq!(run(short)?.sent, 20);
    let slow = Bounds { rate: 99, ..Bounds::BEYOND };
    assert!(matches!(run(slow), Err(LoadError::TooFast { rate: 99, second: 0 })));
    Ok(())
}
