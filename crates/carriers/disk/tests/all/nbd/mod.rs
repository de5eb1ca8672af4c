//! The server against a client that was written for it, one that talks nonsense, and libnbd's programs.
#![cfg(feature = "nbd")]

mod client;
mod peers;

use std::fs;
use std::io::{Read as _, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::thread;

use fieldtest_disk::serve::{Address, Export, ListenError, Served, Server};
use fieldtest_disk::{Access, Volume};
use proptest::prelude::*;

use self::client::{Client, FLUSH, READ, TRIM, WRITE, WRITE_ZEROES};
use crate::common::*;

const DATA: usize = 8 << 20;

fn volume(path: &Path, access: Access) -> Volume {
    let container = path.join("container");
    create(&container, DATA as u64, &usual());
    volume_of(&container, access)
}

/// A directory, the place of a socket in it, and a volume.
fn set_up(access: Access) -> (tempfile::TempDir, PathBuf, Volume) {
    let directory = tempfile::tempdir().unwrap();
    let (socket, volume) = (directory.path().join("socket"), volume(directory.path(), access));
    (directory, socket, volume)
}

fn serving<T>(volume: &Volume, socket: &Path, export: &Export, work: impl FnOnce() -> T) -> (T, Served) {
    let server = Server::listen(&Address::Unix(socket.to_owned())).unwrap();
    let stop = AtomicBool::new(false);
    thread::scope(|scope| {
        let running = scope.spawn(|| server.run(volume, export, &stop).unwrap());
        // The server must end even if `work` panics, else the test would hang.
        let raised = Raise(&stop);
        let done = work();
        drop(raised);
        (done, running.join().unwrap())
    })
}

#[test]
fn requests_are_answered() {
    let (_directory, socket, volume) = set_up(Access::Write);
    let data = pattern(10_000, 12);
    let ((), served) = serving(&volume, &socket, &Export::default(), || {
        assert_eq!(fs::metadata(&socket).unwrap().permissions().mode() & 0o777, 0o600);
        let (mut one, size, flags) = Client::go(&socket);
        assert_eq!((size, flags), (DATA as u64, 0b1_0100_1101));
        let (mut two, ..) = Client::go(&socket);
        assert_eq!(one.request(0, WRITE, 777, 10_000, &data), (0, vec![]));
        assert_eq!(two.request(0, READ, 777, 10_000, b""), (0, data.clone()));
        assert_eq!(two.request(1, WRITE, 0, 4, b"abcd"), (0, vec![]));
        assert_eq!(one.request(1, WRITE_ZEROES, 1, 2, b""), (0, vec![]));
        assert_eq!(one.request(2, WRITE_ZEROES, 5000, 100, b""), (0, vec![]));
        assert_eq!(two.request(0, FLUSH, 0, 0, b""), (0, vec![]));
        assert_eq!(two.request(0, READ, 0, 4, b""), (0, b"a\0\0d".to_vec()));
        assert_eq!(one.request(0, READ, 0, 0, b""), (0, vec![]));
        // Errors, after each of which the connection goes on.
        let end = DATA as u64;
        assert_eq!(one.request(0, READ, end, 1, b"").0, 22);
        assert_eq!(one.request(0, READ, u64::MAX, 2, b"").0, 22);
        assert_eq!(one.request(0, READ, 0, u32::MAX, b"").0, 22);
        assert_eq!(one.request(4, READ, 0, 1, b"").0, 22);
        assert_eq!(one.request(0, WRITE, end - 1, 2, b"xx").0, 28);
        assert_eq!(one.request(0, WRITE_ZEROES, end - 1, 2, b"").0, 28);
        assert_eq!(one.request(0, TRIM, 0, 4096, b"").0, 22);
        assert_eq!(one.request(0, 99, 0, 0, b"").0, 22);
        let mut all = pattern(DATA, 13);
        assert_eq!(one.request(0, WRITE, 0, u32::try_from(DATA).unwrap(), &all).0, 0);
        assert_eq!(two.request(0, READ, 1, u32::try_from(DATA - 1).unwrap(), b"").1, all.split_off(1));
        one.0.write_all(&[&[0x25, 0x60, 0x95, 0x13, 0, 0, 0, 2][..], &[0; 20]].concat()).unwrap();
        assert!(one.is_gone(), "after its farewell");
    });
    assert_eq!(served, Served { connections: 2 });
    assert!(!socket.exists());
}

#[test]
fn options_are_haggled() {
    let (_directory, socket, volume) = set_up(Access::Read);
    let export = Export { name: "disk".into(), ..Export::default() };
    let ((), served) = serving(&volume, &socket, &export, || {
        let mut client = Client::greet(&socket, 3);
        client.option(5, b"");
        let (kind, reason) = client.reply(5);
        assert_eq!(kind, 0x8000_0001, "no TLS");
        assert!(reason.starts_with(b"TLS is not supported"));
        client.option(8, b"x");
        assert_eq!(client.reply(8).0, 0x8000_0003);
        client.option(3, b"");
        assert_eq!(client.reply(3), (2, b"\0\0\0\x04disk".to_vec()));
        assert_eq!(client.reply(3), (1, vec![]));
        client.option(3, b"x");
        assert_eq!(client.reply(3).0, 0x8000_0003);
        client.option(6, b"\0\0\0\x05other\0\0");
        assert_eq!(client.reply(6).0, 0x8000_0006);
        client.option(6, b"\0\0\xff\xffother\0\0");
        assert_eq!(client.reply(6).0, 0x8000_0003);
        client.option(6, &[0; 100_000]);
        assert_eq!(client.reply(6).0, 0x8000_0009);
        client.option(6, b"\0\0\0\x04disk\0\x02\0\x03\0\x01");
        assert_eq!(client.reply(6).1.len(), 12);
        assert_eq!(client.reply(6).1, b"\0\x01disk");
        assert_eq!(client.reply(6).1, b"\0\x03\0\0\0\x01\0\0\x10\0\x02\0\0\0");
        assert_eq!(client.reply(6), (1, vec![]));
        client.option(2, b"");
        assert_eq!(client.reply(2), (1, vec![]));
        assert!(client.is_gone());
        // The old way to choose an export, with and without the zeros behind.
        for (flags, zeros) in [(1, 124), (3, 0)] {
            let mut client = Client::greet(&socket, flags);
            client.option(1, b"disk");
            let mut answer = vec![0; 10 + zeros];
            client.0.read_exact(&mut answer).unwrap();
            assert_eq!(answer[..10], [&(DATA as u64).to_be_bytes()[..], &[1, 3]].concat());
            assert_eq!(client.request(0, WRITE, 0, 1, b"x").0, 1, "it is open for reading only");
            assert_eq!(client.request(0, READ, 0, 512, b"").0, 0);
        }
        let mut client = Client::greet(&socket, 3);
        client.option(1, b"other");
        assert!(client.is_gone());
        assert!(Client::greet(&socket, 7).is_gone(), "unknown flags");
    });
    assert_eq!(served, Served { connections: 2 });
}

/// What never comes is not waited for.
#[test]
fn an_option_without_end_is_refused_at_once() {
    let (_directory, socket, volume) = set_up(Access::Read);
    serving(&volume, &socket, &Export::default(), || {
        for length in [(1_u32 << 20) + 1, u32::MAX] {
            for number in [1_u32, 3, 7, 99] {
                let begun = std::time::Instant::now();
                let mut client = Client::greet(&socket, 3);
                let head = [&b"IHAVEOPT"[..], &number.to_be_bytes(), &length.to_be_bytes()].concat();
                client.0.write_all(&head).unwrap();
                // To this one there is no reply.
                if number != 1 {
                    assert_eq!(client.reply(number), (0x8000_0009, vec![]));
                }
                assert!(client.is_gone());
                assert!(begun.elapsed() < std::time::Duration::from_secs(5), "{:?}", begun.elapsed());
            }
        }
        // As long as it may be, it is passed over.
        let mut client = Client::greet(&socket, 3);
        client.option(99, &vec![0; 1 << 20]);
        assert_eq!(client.reply(99), (0x8000_0009, vec![]));
        client.option(3, b"");
        assert_eq!(client.reply(3).0, 2);
    });
}

#[test]
fn reads_come_in_chunks_for_who_asks() {
    let (_directory, socket, volume) = set_up(Access::Write);
    let data = pattern(1 << 20, 8);
    volume.write_at(&data, 0).unwrap();
    serving(&volume, &socket, &Export::default(), || {
        let mut client = Client::greet(&socket, 3);
        client.option(8, b"");
        assert_eq!(client.reply(8), (1, vec![]));
        client.option(7, &[0; 6]);
        client.reply(7);
        client.reply(7);
        let mut read = vec![0; 600_000];
        client.send(READ, 1000, 600_000);
        let mut last = false;
        while !last {
            let (flags, kind, content) = client.chunk();
            assert_eq!(kind, 1);
            let at = u64::from_be_bytes(content[..8].try_into().unwrap()) as usize - 1000;
            read[at..at + content.len() - 8].copy_from_slice(&content[8..]);
            last = flags == 1;
        }
        assert!(read == data[1000..601_000]);
        client.send(READ, DATA as u64, 1);
        assert_eq!(client.chunk(), (1, 0x8001, vec![0, 0, 0, 22, 0, 0]));
        client.send(READ, 0, 0);
        assert_eq!(client.chunk(), (1, 0, vec![]));
        // Others are answered as ever.
        assert_eq!(client.request(0, WRITE, 0, 1, b"x").0, 0);
        assert_eq!(client.request(0, TRIM, 0, 4096, b"").0, 22, "it was not offered");
    });
}

#[test]
fn what_is_given_up_becomes_holes() {
    let (directory, socket, volume) = set_up(Access::Write);
    let data = pattern(DATA, 8);
    volume.write_at(&data, 0).unwrap();
    volume.flush().unwrap();
    let used = || {
        use std::os::unix::fs::MetadataExt as _;
        fs::metadata(directory.path().join("container")).unwrap().blocks() * 512
    };
    let before = used();
    let export = Export { discard: true, ..Export::default() };
    serving(&volume, &socket, &export, || {
        let (mut client, _, flags) = Client::go(&socket);
        assert_eq!(flags & 1 << 5, 1 << 5);
        assert_eq!(client.request(0, TRIM, 1000, 4 << 20, b"").0, 0);
        assert_eq!(client.request(0, TRIM, DATA as u64, 1, b"").0, 28);
    });
    assert!(used() + (3 << 20) < before, "{} and {before}", used());
    // Sectors that are not whole in it are as they were.
    let read = beginning(&volume, DATA);
    assert!(read[..4096] == data[..4096] && read[(4 << 20)..] == data[(4 << 20)..]);
    assert!(read[4096..8192] != data[4096..8192]);
}

#[test]
fn sockets_are_shared_with_nobody() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("socket");
    let listen = |path: &Path| Server::listen(&Address::Unix(path.to_owned()));
    let first = listen(&path).unwrap();
    assert!(matches!(listen(&path), Err(ListenError::Busy(_))));
    drop(first);
    // One that a server which is gone has left.
    drop(std::os::unix::net::UnixListener::bind(&path).unwrap());
    drop(listen(&path).unwrap());
    let link = directory.path().join("link");
    for target in ["socket", "nowhere"] {
        std::os::unix::fs::symlink(target, &link).unwrap();
        let refused = listen(&link);
        let expected = directory.path().join(target);
        assert!(matches!(refused, Err(ListenError::Link { target, .. }) if target == expected));
        fs::remove_file(&link).unwrap();
    }
    // Nobody can be asked whether somebody reads these.
    let messages = std::os::unix::net::UnixDatagram::bind(&link).unwrap();
    assert!(matches!(listen(&link), Err(ListenError::Busy(_))));
    drop(messages);
    fs::write(&path, b"a file").unwrap();
    assert!(matches!(listen(&path), Err(ListenError::NoSocket(_))));
    let open = Server::listen(&Address::Tcp("0.0.0.0:0".parse().unwrap()));
    assert!(matches!(open, Err(ListenError::NotLoopback(_))));
    let local = Server::listen(&Address::Tcp("127.0.0.1:0".parse().unwrap())).unwrap();
    assert!(matches!(local.address(), Address::Tcp(address) if address.port() != 0));
}

#[test]
fn idle_clients_keep_nobody_out() {
    let (_directory, socket, volume) = set_up(Access::Write);
    let (clients, _) = serving(&volume, &socket, &Export::default(), || {
        let (mut in_use, ..) = Client::go(&socket);
        assert_eq!(in_use.request(0, READ, 0, 16, b"").0, 0);
        let silent: Vec<_> = (0..20).map(|_| UnixStream::connect(&socket).unwrap()).collect();
        let idle: Vec<_> = (0..20).map(|_| Client::go(&socket).0).collect();
        let (mut next, ..) = Client::go(&socket);
        assert_eq!(next.request(0, READ, 0, 16, b"").0, 0);
        // More than there are places: those that have asked for nothing make room.
        let crowd: Vec<_> = (0..230).map(|_| UnixStream::connect(&socket).unwrap()).collect();
        let (mut last, ..) = Client::go(&socket);
        assert_eq!(last.request(0, READ, 0, 16, b"").0, 0);
        assert_eq!(in_use.request(0, READ, 0, 16, b"").0, 0, "who is in use stays");
        (silent, idle, crowd)
    });
    drop(clients);
}

#[test]
fn long_requests_go_piece_by_piece() {
    let (_directory, socket, volume) = set_up(Access::Write);
    let data = pattern(3_000_001, 15);
    serving(&volume, &socket, &Export::default(), || {
        let (mut client, ..) = Client::go(&socket);
        let length = u32::try_from(data.len()).unwrap();
        assert_eq!(client.request(0, WRITE, 262_143, length, &data), (0, vec![]));
        assert!(client.request(0, READ, 262_143, length, b"") == (0, data.clone()));
        assert_eq!(client.request(0, READ, 5, 0, b""), (0, vec![]));
        assert_eq!(client.request(0, WRITE, 5, 0, b""), (0, vec![]));
        // What is refused is taken nevertheless, and the next request understood; sums that wrap are beyond the end.
        for offset in [DATA as u64 - 1, u64::MAX - 5, u64::MAX] {
            assert_eq!(client.request(0, WRITE, offset, length, &data).0, 28);
            assert_eq!(client.request(0, READ, offset, length, b"").0, 22);
            assert_eq!(client.request(0, WRITE_ZEROES, offset, u32::MAX, b"").0, 28);
        }
        assert_eq!(client.request(0, READ, 262_143, 4, b""), (0, data[..4].to_vec()));
    });
}

#[test]
fn a_server_ends_although_a_client_hangs() {
    let (_directory, socket, volume) = set_up(Access::Write);
    let (clients, _) = serving(&volume, &socket, &Export::default(), || {
        let idle = Client::go(&socket).0;
        let mut half = Client::go(&socket).0;
        half.0.write_all(&[0x25, 0x60, 0x95, 0x13, 0, 0, 0, 1]).unwrap();
        (idle, half, UnixStream::connect(&socket).unwrap())
    });
    drop(clients);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    /// Whatever a client sends, the server goes on for others.
    #[test]
    fn nonsense_harms_nobody(
        messages in prop::collection::vec(
            (any::<bool>(), 0..12_u32, prop::collection::vec(any::<u8>(), 0..80)), 1..12
        ),
    ) {
        let (_directory, socket, volume) = set_up(Access::Write);
        serving(&volume, &socket, &Export::default(), || {
            for (in_transmission, number, bytes) in &messages {
                let mut client = if *in_transmission {
                    let mut client = Client::go(&socket).0;
                    let kind = u16::try_from(*number).unwrap().to_be_bytes();
                    client.0.write_all(&[&0x2560_9513_u32.to_be_bytes()[..], &[0, 0], &kind].concat()).unwrap();
                    client
                } else {
                    let mut client = Client::greet(&socket, 3);
                    client.option(*number, bytes);
                    client
                };
                let _ = client.0.write_all(bytes);
            }
            let (mut client, size, _) = Client::go(&socket);
            assert_eq!(size, DATA as u64);
            assert_eq!(client.request(0, READ, 0, 16, b"").0, 0);
        });
    }
}
