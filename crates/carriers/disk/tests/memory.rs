//! Where the volume key is in this process's memory while a container is open and served: this binary has one test, so
//! that nobody else's copies are counted.
#![cfg(feature = "nbd")]

mod common;

use std::fs::{self, File};
use std::os::unix::fs::FileExt as _;
use std::os::unix::net::UnixStream;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use std::io::{Read as _, Write as _};

use common::*;
use fieldtest_disk::format::Parameters;
use fieldtest_disk::serve::{Address, Export, Server};
use fieldtest_disk::{Access, Container};

struct Mapping {
    name: String,
    locked: bool,
    dumped: bool,
    start: u64,
    bytes: Vec<u8>,
}

/// All memory that is this process's own and can be written to (proc(5), `smaps`).
fn memory() -> Vec<Mapping> {
    let smaps = fs::read_to_string("/proc/self/smaps").unwrap();
    let file = File::open("/proc/self/mem").unwrap();
    let mut mappings: Vec<Mapping> = Vec::new();
    let mut writable = false;
    for line in smaps.lines() {
        let first = line.split(' ').next().unwrap();
        if let Some((start, end)) = first.split_once('-') {
            let bounds = [start, end].map(|bound| u64::from_str_radix(bound, 16).unwrap());
            writable = line.split(' ').nth(1).is_some_and(|rights| rights.starts_with("rw"));
            let mut bytes = vec![0; if writable { (bounds[1] - bounds[0]) as usize } else { 0 }];
            // What the kernel keeps to itself cannot be read.
            writable = writable && file.read_exact_at(&mut bytes, bounds[0]).is_ok();
            let name = line.split_whitespace().nth(5).unwrap_or("anonymous").to_owned();
            if writable {
                mappings.push(Mapping { name, locked: false, dumped: true, start: bounds[0], bytes });
            }
        } else if let (true, Some(flags), Some(last)) =
            (writable, line.strip_prefix("VmFlags:"), mappings.last_mut())
        {
            last.locked = flags.split(' ').any(|flag| flag == "lo");
            last.dumped = !flags.split(' ').any(|flag| flag == "dd");
        }
    }
    mappings
}

/// Copies of the key's pieces of a length, by where they are. The key is given as its complement, so that this search
/// leaves no copy of its own.
fn copies(complement: &[u8], length: usize) -> Vec<(String, bool, bool)> {
    let mut found = Vec::new();
    let mut mappings = memory();
    // The buffers of this search hold the memory that was read before them.
    let own: Vec<(u64, u64)> =
        mappings.iter().map(|mapping| (mapping.bytes.as_ptr() as u64, mapping.bytes.len() as u64)).collect();
    for mapping in &mappings {
        for piece in complement.chunks(length) {
            for (at, window) in mapping.bytes.windows(piece.len()).enumerate() {
                let address = mapping.start + at as u64;
                let ours = own.iter().any(|(start, length)| (*start..start + length).contains(&address));
                if window[0] == !piece[0] && !ours && window.iter().zip(piece).all(|(a, b)| *a == !*b) {
                    found.push((mapping.name.clone(), mapping.locked, mapping.dumped));
                }
            }
        }
    }
    // What they held must not be found by the next search.
    mappings.iter_mut().for_each(|mapping| {
        mapping.bytes.fill(0);
        std::hint::black_box(&mapping.bytes);
    });
    found
}

/// Copies of a register's width that may come to the swap space, after this thread's registers were saved on its stack:
/// a signal does that, and so does the dynamic linker.
fn unlocked_copies(complement: &[u8]) -> Vec<String> {
    signal_hook::low_level::raise(signal_hook::consts::SIGUSR1).unwrap();
    let found = copies(complement, 16).into_iter().filter(|(_, locked, _)| !locked);
    found.map(|(name, ..)| name).collect()
}

#[test]
fn the_volume_key_is_where_it_belongs() {
    let folder = quick_folder();
    let (path, socket) = (folder.path().join("container"), folder.path().join("socket"));
    let parameters = Parameters { keyslot: cheap(true), ..usual() };
    let complement: Vec<u8> = {
        let key = create(&path, 1 << 20, &parameters);
        key.bytes().iter().map(|byte| !byte).collect()
    };
    fieldtest_disk::wipe_stack();
    assert_eq!(copies(&complement, 32), [], "of a key that was dropped nothing is left");
    let signalled = std::sync::Arc::new(AtomicBool::new(false));
    signal_hook::flag::register(signal_hook::consts::SIGUSR1, std::sync::Arc::clone(&signalled)).unwrap();

    let container = Container::open(&path, Access::Write).unwrap();
    let unlocked = container.unlock(PASSPHRASE, None, &ciphers).unwrap();
    let found = copies(&complement, 32);
    assert_eq!(found.len(), 2, "both halves once: {found:?}");
    // Where not a page may be locked, there is nothing to be seen.
    let lockable = !fieldtest_disk::some_may_be_swapped();
    if !lockable {
        missing("this process may lock no memory (ulimit -l)");
    }
    assert!(found.iter().all(|(_, locked, dumped)| (*locked || !lockable) && !*dumped), "{found:?}");
    if lockable {
        assert_eq!(unlocked_copies(&complement), [""; 0], "a key slot was opened");
    }

    let volume = container.into_volume(&unlocked.key, &ciphers).unwrap();
    drop(unlocked);
    if lockable {
        assert_eq!(unlocked_copies(&complement), [""; 0], "the key is prepared");
    }
    let mut sector = [0; 4096];
    volume.read_at(&mut sector, 0).unwrap();
    fieldtest_disk::wipe_stack();
    if lockable {
        assert_eq!(unlocked_copies(&complement), [""; 0], "a sector was decrypted");
        assert!(signalled.load(Ordering::Relaxed));
    }
    let server = Server::listen(&Address::Unix(socket.clone())).unwrap();
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| server.run(&volume, &Export::default(), &stop));
        let raised = Raise(&stop);
        // Greeting, flags, NBD_OPT_EXPORT_NAME of nothing; then a read of the first 4096 bytes.
        let mut client = UnixStream::connect(&socket).unwrap();
        client.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
        client.read_exact(&mut [0; 18]).unwrap();
        client.write_all(b"\0\0\0\x03IHAVEOPT\0\0\0\x01\0\0\0\0").unwrap();
        client.read_exact(&mut [0; 10]).unwrap();
        client.write_all(b"\x25\x60\x95\x13\0\0\0\0a cookie\0\0\0\0\0\0\0\0\0\0\x10\0").unwrap();
        client.read_exact(&mut [0; 16 + 4096]).unwrap();
        // What the cipher holds begins with the key, once for each half. What its code left on the stack is gone as soon
        // as the connection has been idle for a moment.
        let started = Instant::now();
        let found = loop {
            let found = copies(&complement, 32);
            if found.len() <= 2 || started.elapsed() > Duration::from_secs(20) {
                break found;
            }
            std::thread::sleep(Duration::from_millis(100));
        };
        drop(raised);
        assert!(found.len() <= 2, "{found:?}");
        assert!(found.iter().all(|(_, locked, _)| *locked || !lockable), "{found:?}");
    });
}
