//! Headers of LUKS2, specifications of ciphers, what clients send to a server, and superblock and journal of dm-integrity.

use std::fs;
use std::io::{Read as _, Write as _};
use std::net::Shutdown;
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, OnceLock};
use std::thread;

use fieldtest_disk::format::Parameters;
use fieldtest_disk::header::json::Metadata;
use fieldtest_disk::header::luks1::{Luks1, Slot};
use fieldtest_disk::judge::{Use, judge};
use fieldtest_disk::serve::{Address, Export, Server};
use fieldtest_disk::{
    Access, CipherSpec, Container, Cost, Hash, Integrity, NewContainer, SectorCipher, Volume, VolumeKey,
};
use fieldtest_kinds::cipher::Cipher;
use serde_json::Value;
use sha2::{Digest as _, Sha256};

use super::{Target, texts};
use crate::fakes::FakeCipher;
use crate::scratch;

pub(super) const TARGETS: &[Target] = &[
    Target { name: "luks-json", run: json, seeds: documents },
    Target { name: "luks-header", run: header, seeds: headers },
    Target { name: "cipher-spec", run: spec, seeds: specs },
    Target { name: "nbd", run: conversation, seeds: conversations },
    Target { name: "integrity", run: integrity, seeds: journals },
];

fn cipher(_: &CipherSpec, key_len: usize) -> Option<Arc<dyn Cipher>> {
    Some(Arc::new(FakeCipher(key_len)))
}

const COPY: usize = 0x4000;

/// Metadata in two copies whose checksums are right, so that all that is behind them is tried.
fn json(input: &[u8]) {
    let _ = Metadata::parse(input, COPY as u64);
    let room = COPY - 4096;
    if input.len() >= room {
        return;
    }
    let copies = [(&b"LUKS\xba\xbe"[..], 0), (&b"SKUL\xba\xbe"[..], COPY as u64)].map(|(magic, offset)| {
        let mut copy = vec![0; COPY];
        let mut put = |at: usize, bytes: &[u8]| copy[at..at + bytes.len()].copy_from_slice(bytes);
        put(0, magic);
        put(6, &2_u16.to_be_bytes());
        put(8, &(COPY as u64).to_be_bytes());
        put(16, &3_u64.to_be_bytes());
        put(72, b"sha256");
        put(168, b"01234567-89ab-4def-8123-456789abcdef");
        put(256, &offset.to_be_bytes());
        put(4096, input);
        let checksum = Sha256::digest(&copy);
        copy[448..480].copy_from_slice(&checksum);
        copy
    });
    open(&[copies.concat(), vec![0; 1 << 15]].concat());
}

/// The beginning of a file as it is.
fn header(input: &[u8]) {
    open(input);
}

fn open(file: &[u8]) {
    let path = scratch::file("container", file);
    let container = match Container::open(&path, Access::Read) {
        Ok(container) => container,
        Err(error) => return drop(error.to_string()),
    };
    let _ = (format!("{:?}", container.condition()), format!("{:?}", container.header()).len());
    // What a key slot costs to try is its owner's business; only cheap ones are tried here.
    let document: Value =
        serde_json::from_slice(&container.header().metadata.to_json()).expect("what it wrote");
    if let Err(error) = container.reencryption() {
        let _ = error.to_string();
    }
    let digests = || document["digests"].as_object().into_iter().flat_map(|digests| digests.values());
    let slots = || document["keyslots"].as_object().into_iter().flat_map(|slots| slots.values());
    let number = |value: &Value| value.as_u64().unwrap_or(0);
    let each = slots().map(|slot| number(&slot["kdf"]["iterations"]));
    let each = each.chain(digests().map(|digest| number(&digest["iterations"])));
    let iterations = each.fold(0, u64::saturating_add);
    let cheap = slots().all(|slot| slot["kdf"]["type"] == "pbkdf2" && number(&slot["af"]["stripes"]) < 5000);
    if cheap
        && iterations < 10_000
        && let Err(error) = container.unlock(b"passphrase", None, &cipher)
    {
        let _ = error.to_string();
    }
}

fn spec(input: &[u8]) {
    let Ok(text) = std::str::from_utf8(input) else { return };
    match text.parse::<CipherSpec>() {
        Ok(spec) => {
            assert_eq!(spec.as_str(), text);
            let _ = SectorCipher::find(&spec, 64, 4096, &cipher);
        }
        Err(error) => drop(error.to_string()),
    }
    for (sector_size, integrity) in [(512, ""), (4096, ""), (512, "aead"), (4096, "hmac-sha256")] {
        let uses = Use {
            key_bits: Some(256),
            sector_size: Some(sector_size),
            block_size: Some(512),
            device_size: Some(1 << 50),
            integrity: Integrity::from_name(integrity).ok(),
            ..Use::default()
        };
        for finding in judge(text, &uses).findings {
            assert!(!finding.reason.is_empty() && !finding.remedy.is_empty());
        }
    }
}

/// One server for all conversations, in another thread; a panic there ends the process as one here does.
fn server() -> &'static PathBuf {
    static SOCKET: OnceLock<PathBuf> = OnceLock::new();
    SOCKET.get_or_init(|| {
        let disk = scratch::file("disk", &[0; 1 << 16]);
        let spec: CipherSpec = "aes-xts-plain64".parse().expect("a specification");
        let key = SectorCipher::find(&spec, 32, 512, &cipher).and_then(|cipher| cipher.with_key(&[0; 32]));
        let volume = Volume::open_plain(&disk, Access::Write, 0, key.expect("a key")).expect("a volume");
        let socket = scratch::folder().join("nbd");
        let server = Server::listen(&Address::Unix(socket.clone())).expect("a socket");
        thread::spawn(move || server.run(&volume, &Export::default(), &AtomicBool::new(false)));
        socket
    })
}

/// What a client sends, all at once. The conversation ends when it has no more to say.
fn conversation(input: &[u8]) {
    let mut client = UnixStream::connect(server()).expect("a server");
    let mut reader = client.try_clone().expect("a descriptor");
    let answers = thread::spawn(move || {
        let mut buffer = vec![0; 1 << 16];
        while reader.read(&mut buffer).is_ok_and(|length| length > 0) {}
    });
    // The server may hang up first.
    let _ = client.write_all(input);
    let _ = client.shutdown(Shutdown::Write);
    answers.join().expect("the end of the conversation");
}

/// A container whose sectors have tags.
struct Tagged {
    key: VolumeKey,
    file: Vec<u8>,
    /// Where the superblock lies.
    at: usize,
}

/// One for all inputs.
fn tagged() -> &'static Tagged {
    static TAGGED: OnceLock<Tagged> = OnceLock::new();
    TAGGED.get_or_init(|| {
        let integrity = Integrity::Hmac(Hash::Sha256);
        let spec = "aes-xts-random".parse().expect("a specification");
        let mut parameters = Parameters::new(spec, 32 + integrity.key_len());
        parameters.keyslot.cost = Cost::Pbkdf2 { hash: Hash::Sha256, iterations: 1000 };
        parameters.keyslots_size = 64 * 4096;
        parameters.digest_iterations = Some(1000);
        parameters.integrity = Some(integrity);
        parameters.sector_size = 512;
        let key = VolumeKey::generate(parameters.key_len).expect("randomness");
        let path = scratch::folder().join("tagged-new");
        let new = NewContainer::create(&path, 32 << 10, b"passphrase", key, &parameters, &cipher);
        let key = new.and_then(|new| new.keep(true)).expect("a container");
        let file = fs::read(&path).expect("a container");
        Tagged { key, file, at: usize::try_from(parameters.data_offset()).expect("few bytes") }
    })
}

/// What stands where superblock, journal, tags and data belong: read, brought to its place, written over.
fn integrity(input: &[u8]) {
    let tagged = tagged();
    let mut file = tagged.file.clone();
    let there = &mut file[tagged.at..];
    let length = input.len().min(there.len());
    there[..length].copy_from_slice(&input[..length]);
    let path = scratch::file("tagged", &file);
    for access in [Access::Read, Access::Write] {
        let volume = Container::open(&path, access).and_then(|it| it.into_volume(&tagged.key, &cipher));
        let volume = match volume {
            Ok(volume) => volume,
            Err(error) => return drop(error.to_string()),
        };
        let mut sector = vec![0; volume.sector_size()];
        for at in (0..volume.size()).step_by(sector.len()) {
            if let Err(error) = volume.read_at(&mut sector, at) {
                let _ = error.to_string();
            }
        }
        if access == Access::Write && volume.size() > 0 {
            sector.fill(7);
            volume.write_at(&sector, 0).and_then(|()| volume.flush()).expect("room for a sector");
            let mut again = vec![0; sector.len()];
            volume.read_at(&mut again, 0).expect("the sector that was written");
            assert_eq!(again, sector);
        }
    }
}

/// A new container's, and one whose journal has been written to.
fn journals() -> Vec<Vec<u8>> {
    let tagged = tagged();
    let path = scratch::file("tagged", &tagged.file);
    let container = Container::open(&path, Access::Write).expect("a container");
    let volume = container.into_volume(&tagged.key, &cipher).expect("a volume");
    for number in [3_u64, 1, 60] {
        volume.write_at(&[7; 512], 512 * number).and_then(|()| volume.flush()).expect("room");
    }
    drop(volume);
    let written = fs::read(path).expect("a container");
    // Superblock and journal, and what follows them.
    [&tagged.file, &written].map(|file| file[tagged.at..][..1 << 16].to_vec()).to_vec()
}

fn documents() -> Vec<Vec<u8>> {
    let slot = r#"{"type":"luks2","key_size":64,"area":{"type":"raw","offset":"32768","size":"4096","encryption":"aes-xts-plain64","key_size":64},"kdf":{"type":"pbkdf2","hash":"sha256","iterations":1000,"salt":"AAAA"},"af":{"type":"luks1","stripes":4000,"hash":"sha256"}}"#;
    let small = slot.replace("4000,", "1,");
    let argon = slot.replace(
        r#""type":"pbkdf2","hash":"sha256","iterations":1000"#,
        r#""type":"argon2id","time":4,"memory":32768,"cpus":1"#,
    );
    let segment = r#"{"type":"crypt","offset":"65536","size":"dynamic","iv_tweak":"0","encryption":"aes-xts-plain64","sector_size":512}"#;
    let digest = r#"{"type":"pbkdf2","keyslots":["0"],"segments":["0"],"hash":"sha256","iterations":1000,"salt":"AAAA","digest":"AAAA"}"#;
    let config = r#"{"json_size":"12288","keyslots_size":"32768"}"#;
    let document = |slots: &str, segments: &str, digests: &str| {
        format!(
            r#"{{"keyslots":{slots},"tokens":{{}},"segments":{segments},"digests":{digests},"config":{config}}}"#
        )
    };
    let one = |what: &str| format!(r#"{{"0":{what}}}"#);
    let token = r#""tokens":{"0":{"type":"systemd-tpm2","keyslots":["0"]}}"#;
    texts(&[
        &document(&one(slot), &one(segment), &one(digest)),
        &document(&one(&small), &one(segment), &one(digest)),
        &document(&one(&argon), &one(segment), &one(digest)),
        &document("{}", &one(&segment.replace("dynamic", "1024")), "{}"),
        &document(&one(slot), &one(segment), &one(digest)).replace(r#""tokens":{}"#, token),
        &document(&one(slot), &one(segment), &one(digest)).replace(
            r#""32768"}"#,
            r#""32768","flags":["x"],"requirements":{"mandatory":["online-reencrypt"]}}"#,
        ),
        &document(
            r#"{"1":{"type":"reencrypt","key_size":1,"mode":"reencrypt","direction":"forward","area":{"type":"checksum","offset":"36864","size":"8192","hash":"sha256","sector_size":512}}}"#,
            &format!(
                r#"{{"0":{},"1":{},"2":{},"3":{}}}"#,
                segment.replace("dynamic", "1024").replace("512}", r#"512,"flags":["in-reencryption"]}"#),
                segment.replace("65536", "66560").replace(r#""iv_tweak":"0""#, r#""iv_tweak":"2""#),
                segment.replace("512}", r#"512,"flags":["backup-previous"]}"#),
                segment.replace("512}", r#"512,"flags":["backup-final"]}"#)
            ),
            &format!(
                r#"{{"0":{},"1":{},"2":{}}}"#,
                digest.replace(r#"["0"],"segments":["0"]"#, r#"[],"segments":["0","1","2"]"#),
                digest.replace(r#"["0"],"segments":["0"]"#, r#"[],"segments":["0","3"]"#),
                digest.replace(r#"["0"],"segments":["0"]"#, r#"["1"],"segments":[]"#)
            ),
        )
        .replace(
            r#""32768"}"#,
            r#""32768","requirements":{"mandatory":["online-reencrypt-v2"]}}"#,
        ),
        &document(&one(slot), &one(r#"{"type":"linear","offset":"65536","size":"dynamic"}"#), &one(digest)),
        "{}",
    ])
}

fn headers() -> Vec<Vec<u8>> {
    let mut first = vec![0; 512];
    first[..8].copy_from_slice(b"LUKS\xba\xbe\0\x02");
    first[8..16].copy_from_slice(&(COPY as u64).to_be_bytes());
    let mut second = vec![0; COPY];
    second.extend(b"SKUL\xba\xbe\0\x02");
    let old = [&b"LUKS\xba\xbe\0\x01"[..], &[0; 584]].concat();
    vec![first, second, old, luks1(), Vec::new()]
}

/// A header of LUKS1 with one key slot in use.
fn luks1() -> Vec<u8> {
    let slot = |active, area| Slot { active, iterations: 1000, salt: [2; 32], area };
    let header = Luks1 {
        encryption: "aes-cbc-essiv:sha256".into(),
        hash: "sha1".into(),
        payload: 72,
        key_bytes: 1,
        digest: [1; 20],
        digest_salt: [2; 32],
        digest_iterations: 1000,
        uuid: b"01234567-89ab-4def-8123-456789abcdef".to_vec(),
        slots: [8, 16, 24, 32, 40, 48, 56, 64].map(|area| slot(area == 8, area)),
    };
    let mut file = header.encode().expect("a header");
    file.resize(1 << 16, 0);
    file
}

fn specs() -> Vec<Vec<u8>> {
    texts(&[
        "aes-xts-plain64",
        "aes-cbc-essiv:sha256",
        "capi:xts(aes)-plain64",
        "capi:adiantum(xchacha12,aes)-plain64",
        "xchacha12,aes-adiantum-plain64",
        "aes:64-cbc-lmk",
        "aes-ecb",
        "lea-ctr-plain",
        "capi:authenc(hmac(sha256),xts(aes))-random",
        "cipher_null",
        "serpent-xts-benbi:7",
    ])
}

fn conversations() -> Vec<Vec<u8>> {
    let option = |number: u32, data: &[u8]| {
        [b"IHAVEOPT", &number.to_be_bytes()[..], &(data.len() as u32).to_be_bytes(), data].concat()
    };
    let request = |flags: u16, command: u16, offset: u64, length: u32| {
        let head = [0x2560_9513_u32.to_be_bytes().to_vec(), [flags, command].map(u16::to_be_bytes).concat()]
            .concat();
        [&head[..], &[7; 8], &offset.to_be_bytes(), &length.to_be_bytes()].concat()
    };
    let go = [&3_u32.to_be_bytes()[..], &option(7, &[0, 0, 0, 0, 0, 1, 0, 3])].concat();
    let name = [&3_u32.to_be_bytes()[..], &option(1, b"")].concat();
    vec![
        [
            &go[..],
            &request(0, 0, 0, 512),
            &request(1, 1, 1, 3),
            b"abc",
            &request(0, 3, 0, 0),
            &request(0, 2, 0, 0),
        ]
        .concat(),
        [&name[..], &request(0, 6, 100, 1000), &request(2, 6, 0, 65536), &request(0, 2, 0, 0)].concat(),
        [&go[..], &request(0, 0, u64::MAX, 2), &request(0, 1, 65535, 2), b"ab", &request(9, 9, 9, 9)]
            .concat(),
        [
            &1_u32.to_be_bytes()[..],
            &option(3, b""),
            &option(6, &[0, 0, 0, 0, 0, 0]),
            &option(99, b"x"),
            &option(2, b""),
        ]
        .concat(),
        [&go[..], &request(0, 0, 0, u32::MAX), &request(0, 1, 0, 0)].concat(),
    ]
}
