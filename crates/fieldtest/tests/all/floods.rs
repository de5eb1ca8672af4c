//! Peers that send without end: what reads from them ends when its user says so.

use std::fs;
use std::io::Write as _;
use std::net::{SocketAddr, TcpListener, TcpStream, UdpSocket};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;

use crate::disk::{end, serve, with_container};
use crate::scratch::{Run, Scratch, wait_until};
use crate::study::interrupt;

/// Whatever has a socket, and what bounds that which it reads; a new one joins them, and the tests below.
const READERS: [(&str, &str); 12] = [
    ("carriers/disk/src/serve/listener.rs", "a while, after which it looks at the signal: here"),
    ("carriers/dns-internet/src/ask.rs", "one message of 64 KiB"),
    ("carriers/dns-internet/src/internet.rs", "reads nothing: it looks for free ports"),
    ("carriers/dns-internet/src/sys.rs", "a packet at a time, in a thread that looks at a flag after each"),
    ("carriers/dns-internet/src/transfer.rs", "zones of its own name server"),
    ("carriers/dns-internet/src/usage.rs", "reads nothing: its tests send"),
    ("carriers/dns-load/src/engine/connection.rs", "16 KiB, after which it looks at the signal: here"),
    ("carriers/dns-load/src/engine/no_tls.rs", "reads nothing"),
    ("carriers/dns-load/src/engine/tls.rs", "a record, as `connection.rs`: here, and in its crate's tests"),
    ("carriers/dns-load/src/engine/udp.rs", "a burst of datagrams, after which it looks at the signal: here"),
    ("carriers/dns-load/src/target.rs", "reads nothing: it looks for its own address"),
    ("engine/src/process.rs", "a message of bounded length before a deadline: in the tests of engines"),
];

fn sources(directory: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(directory).expect("a directory").map(|entry| entry.expect("an entry").path()) {
        if entry.is_dir() {
            sources(&entry, found);
        } else if entry.extension().is_some_and(|it| it == "rs") {
            found.push(entry);
        }
    }
}

#[test]
fn every_reader_of_a_socket_is_known() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut files = Vec::new();
    sources(&crates, &mut files);
    let reads = |file: &PathBuf| {
        let text = fs::read_to_string(file).expect("a source");
        ["TcpStream", "UdpSocket", "UnixStream", "TcpListener", "UnixListener", "libc::recv"]
            .iter()
            .any(|it| text.contains(it))
    };
    let name = |file: &PathBuf| file.strip_prefix(&crates).expect("inside").display().to_string();
    let of_programs = |name: &String| name.contains("/src/") && !name.contains("/tests/");
    let mut found: Vec<String> =
        files.iter().filter(|file| reads(file)).map(name).filter(of_programs).collect();
    found.sort_unstable();
    assert_eq!(found, READERS.map(|(file, _)| file));
}

/// Sends what looks like short messages over UDP and TCP to each that asks, until `is_over`; how many octets it sent so far.
fn flood(is_over: &Arc<AtomicBool>) -> (SocketAddr, Arc<AtomicU64>) {
    let messages = [&[0, 12][..], &[0; 12]].concat().repeat(1_000);
    // A port that is free for TCP may be one that another test's client has for UDP.
    let both = || {
        let listener = TcpListener::bind("127.0.0.1:0").ok()?;
        Some((UdpSocket::bind(listener.local_addr().ok()?).ok()?, listener))
    };
    let (udp, listener) = (0..100).find_map(|_| both()).expect("a port that is free for UDP and TCP");
    let address = udp.local_addr().expect("its address");
    let sent = Arc::new(AtomicU64::new(0));
    let send = {
        let (is_over, sent) = (Arc::clone(is_over), Arc::clone(&sent));
        move |send: &dyn Fn(&[u8]) -> bool| {
            while !is_over.load(Ordering::Relaxed) && send(&messages) {
                sent.fetch_add(messages.len() as u64, Ordering::Relaxed);
            }
        }
    };
    let over_tcp = send.clone();
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let send = over_tcp.clone();
            thread::spawn(move || send(&|octets| (&stream).write_all(octets).is_ok()));
        }
    });
    thread::spawn(move || {
        let mut query = [0; 512];
        if let Ok((_, client)) = udp.recv_from(&mut query) {
            send(&|octets| udp.send_to(octets, client).is_ok());
        }
    });
    (address, sent)
}

#[test]
fn a_load_on_a_server_that_sends_without_end() {
    let scratch = Scratch::new();
    scratch.write("questions", "a.test A\nb.test A\n");
    for transport in ["udp", "tcp", "tls"] {
        let is_over = Arc::new(AtomicBool::new(false));
        let (server, sent) = flood(&is_over);
        let server = server.to_string();
        let load = format!("dnssec load {server} --questions questions --transport {transport}");
        let child = scratch.command(&format!("{load} --seconds 100 --clients 4")).spawn();
        let child = child.expect("the program starts");
        wait_until("much is sent", || sent.load(Ordering::Relaxed) > 1 << 22);
        interrupt(&child);
        let run = Run::of(child);
        is_over.store(true, Ordering::Relaxed);
        assert_eq!(run.code, Some(130), "{transport}: {run:?}");
    }
}

#[test]
fn a_server_of_a_client_that_sends_without_end() {
    let scratch = with_container("lea-xts-plain64");
    let (server, uri) = serve(&scratch, "--listen 127.0.0.1:0");
    let mut client = TcpStream::connect(uri.trim_start_matches("nbd://")).expect("a connection");
    let sending = thread::spawn(move || {
        // The client's flags, then again and again NBD_OPT_LIST, of which no reply is read.
        let mut next = client.write_all(&[0, 0, 0, 1]);
        while next.is_ok() {
            next = client.write_all(b"IHAVEOPT\0\0\0\x03\0\0\0\0");
        }
    });
    end(server);
    sending.join().expect("no panic");
}
