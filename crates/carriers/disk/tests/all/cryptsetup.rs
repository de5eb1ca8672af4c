//! What is made here is accepted by cryptsetup, and the other way round.
//!
//! cryptsetup does all of this on plain files and in user space; mapping a container would need the kernel.

use std::fs::{self, File};
use std::os::unix::fs::{FileExt, OpenOptionsExt as _};
use std::path::Path;

use crate::common::*;
use fieldtest_disk::format::{NewContainer, Parameters, Version, format_in_place};
use fieldtest_disk::reencrypt::{Options, Resilience};
use fieldtest_disk::{
    Access, Container, Cost, Error, Hash, KeyslotParameters, Secret, SectorCipher, Unlocked, VolumeKey,
    read_key_file,
};

const DATA: usize = 3 << 20;

/// The parameters whose headers are to be accepted.
fn variants() -> Vec<Parameters> {
    let mut variants = Vec::new();
    for (key_len, sector_size, pbkdf2) in
        [(64, 4096, false), (32, 512, true), (64, 512, false), (64, 2048, true)]
    {
        let variant = parameters("aes-xts-plain64", key_len, sector_size);
        variants.push(Parameters { keyslot: cheap(pbkdf2), ..variant });
    }
    let mut hashes = usual();
    hashes.keyslot.hash = Hash::Sha512;
    hashes.digest_hash = Hash::Sha512;
    hashes.header_size = 64 << 10;
    hashes.label = "a label".into();
    hashes.subsystem = "a subsystem".into();
    variants.push(hashes);
    variants
}

#[test]
fn cryptsetup_accepts_and_decrypts_our_containers() {
    if !installed("cryptsetup") {
        return;
    }
    let data = pattern(DATA, 3);
    for variant in variants() {
        let directory = folder_with_key();
        let path = directory.path();
        let key = filled(&path.join("container"), &data, &variant);
        accepts(path, &key);
        assert!(decrypted(path, data.len()) == data, "{variant:?}");
    }
}

/// Key derivation, splitter and digest, of LUKS2 and of LUKS1.
#[test]
fn every_hash_function_is_that_of_cryptsetup() {
    if !installed("cryptsetup") {
        return;
    }
    for &hash in Hash::ALL {
        let directory = folder_with_key();
        let path = directory.path();
        let container = path.join("container");
        for version in [Version::Luks2, Version::Luks1] {
            let sector_size = if version == Version::Luks1 { 512 } else { 4096 };
            let keyslot =
                KeyslotParameters { hash, ..KeyslotParameters::new(Cost::Pbkdf2 { hash, iterations: 1000 }) };
            let ours = parameters("aes-xts-plain64", 64, sector_size);
            let ours = Parameters { version, keyslot, digest_hash: hash, ..ours };
            let key = create(&container, 1 << 20, &ours);
            cryptsetup(path, "open --test-passphrase --key-file key container");
            File::create(&container).unwrap().set_len(18 << 20).unwrap();
            let kind = if version == Version::Luks1 { "luks1" } else { "luks2" };
            let theirs = format!("--type {kind} --hash {} --disable-locks container key", hash.name());
            cryptsetup(path, &format!("luksFormat {FAST} {theirs}"));
            let opened = Container::open(&container, Access::Read).unwrap();
            let unlocked = opened.unlock(PASSPHRASE, None, &ciphers).unwrap();
            assert_ne!(unlocked.key.bytes(), key.bytes());
            drop(opened);
            fs::remove_file(&container).unwrap();
        }
    }
}

/// cryptsetup makes containers that nobody makes here: with an XTS key of two equal halves, and with an empty key file.
#[test]
fn what_is_not_made_here_is_read() {
    if !installed("cryptsetup") {
        return;
    }
    let directory = folder_with_key();
    let path = directory.path();
    let container = path.join("container");
    File::create(&container).unwrap().set_len(18 << 20).unwrap();
    let key = VolumeKey::new(Secret::copy(&[7; 64]).unwrap());
    fs::write(path.join("halves"), key.bytes()).unwrap();
    fs::write(path.join("empty"), "").unwrap();
    let theirs = "--disable-locks --volume-key-file halves --key-size 512 container empty";
    cryptsetup(path, &format!("luksFormat {FAST} --type luks2 --sector-size 512 {theirs}"));

    let passphrase = read_key_file(&path.join("empty"), 0, None).unwrap();
    let unlock = |access| {
        let opened = Container::open(&container, access).unwrap();
        let key = opened.unlock(&passphrase, None, &ciphers).unwrap().key;
        (opened, key)
    };
    // What somebody wrote under it, by a kernel.
    let data = pattern(8192, 5);
    let sectors = SectorCipher::find(&"aes-xts-plain64".parse().unwrap(), 64, 512, &ciphers).unwrap();
    let (opened, found) = unlock(Access::Read);
    assert_eq!(found.bytes(), key.bytes());
    let mut encrypted = data.clone();
    sectors.with_key_to_read(key.bytes()).unwrap().encrypt(0, &mut encrypted).unwrap();
    let file = File::options().write(true).open(&container).unwrap();
    file.write_all_at(&encrypted, opened.header().metadata.segments()[&0].offset).unwrap();
    let read = |opened: Container, key: &VolumeKey| {
        beginning(&opened.into_volume(key, &ciphers).unwrap(), data.len())
    };
    assert!(read(opened, &key) == data);
    let (opened, _) = unlock(Access::Write);
    assert!(matches!(opened.into_volume(&key, &ciphers), Err(Error::EqualHalves(at)) if at == container));

    // Away from it.
    let (mut opened, key) = unlock(Access::Write);
    let unlocked = Unlocked { slot: Some(0), key };
    let plan = plan(Resilience::Journal);
    let new = VolumeKey::generate(64).unwrap();
    opened.begin_reencryption(&unlocked, &new, &passphrase, &plan, None, &ciphers).unwrap();
    let keys = opened.reencryption_keys(&passphrase, &ciphers).unwrap();
    opened.reencrypt(keys, None, &ciphers, &Options::default()).unwrap();
    drop(opened);
    let (opened, key) = unlock(Access::Write);
    assert_eq!(key.bytes(), new.bytes());
    assert!(read(opened, &key) == data);

    // Nothing is made so.
    let parameters = parameters("aes-xts-plain64", 64, 512);
    let equal = VolumeKey::new(Secret::copy(&[7; 64]).unwrap());
    let made = NewContainer::create(&path.join("new"), 4096, PASSPHRASE, equal, &parameters, &ciphers);
    assert!(matches!(made, Err(Error::Parameters(why)) if why.contains("two halves")));
    assert!(!path.join("new").exists());
}

/// Everything that cryptsetup does with a container without a kernel that has its cipher.
#[track_caller]
fn accepts(path: &Path, key: &VolumeKey) {
    cryptsetup(path, "isLuks --type luks2 container");
    cryptsetup(path, "open --test-passphrase --key-file key container");
    shows_key(path, key);
}

#[test]
fn cryptsetup_accepts_the_header_of_a_cipher_that_no_kernel_has() {
    if !installed("cryptsetup") {
        return;
    }
    let directory = folder_with_key();
    let path = directory.path();
    let lea = parameters("lea-xts-plain64", 64, 4096);
    let key = filled(&path.join("container"), &pattern(DATA, 4), &lea);
    accepts(path, &key);
    let dump = cryptsetup(path, "luksDump container");
    assert!(dump.contains("cipher: lea-xts-plain64") && dump.contains("sector: 4096 [bytes]"), "{dump}");
}

#[test]
fn keys_that_were_added_and_removed_are_those_that_cryptsetup_knows() {
    if !installed("cryptsetup") {
        return;
    }
    let directory = folder_with_key();
    let path = directory.path();
    fs::write(path.join("second"), b"second").unwrap();
    fs::write(path.join("third"), b"third").unwrap();
    let key = filled(&path.join("container"), &pattern(DATA, 5), &usual());
    let open = || Container::open(&path.join("container"), Access::Write).unwrap();
    open().add_key(&key, b"second", &cheap(true), &ciphers).unwrap();
    cryptsetup(path, "open --test-passphrase --key-file second container");
    open().remove_key(0).unwrap();
    cryptsetup(path, "open --test-passphrase --key-file second container");
    cryptsetup(path, &format!("luksAddKey {FAST} --key-file second container third"));
    assert_eq!(open().unlock(b"third", None, &ciphers).unwrap().key.bytes(), key.bytes());
    cryptsetup(path, "luksKillSlot --batch-mode --key-file third container 1");
    let container = open();
    assert!(container.condition().is_good());
    assert!(container.unlock(b"second", None, &ciphers).is_err());
    container.unlock(b"third", None, &ciphers).unwrap();
}

#[test]
fn a_container_that_we_repaired_is_good_for_cryptsetup() {
    if !installed("cryptsetup") {
        return;
    }
    let directory = folder_with_key();
    let path = directory.path();
    let key = filled(&path.join("container"), &pattern(DATA, 6), &usual());
    let file = fs::OpenOptions::new().write(true).open(path.join("container")).unwrap();
    file.write_all_at(&[0; 4096], 0).unwrap();
    Container::open(&path.join("container"), Access::Write).unwrap().repair().unwrap();
    // Without the second copy, so that it is the repaired one that is read.
    file.write_all_at(&[0; 16_384], 16_384).unwrap();
    accepts(path, &key);
}

#[test]
fn what_cryptsetup_encrypts_opens_here() {
    if !installed("cryptsetup") {
        return;
    }
    let argon2 = "--batch-mode --pbkdf-force-iterations 4 --pbkdf-memory 64 --pbkdf-parallel 1 --pbkdf";
    let [argon2id, argon2i] = ["argon2id", "argon2i"].map(|name| format!("{argon2} {name}"));
    // It moves the data by half of the reduction, and the end of the image is lost by as much as the whole.
    let (reduction, kept) = (32 << 20, DATA);
    let data = pattern(reduction + kept, 7);
    for (sector, bits, kdf, hash) in [
        ("4096", "512", &*argon2id, "sha256"),
        ("512", "256", FAST, "sha512"),
        ("512", "512", &argon2i, "sha1"),
        ("2048", "512", FAST, "sha384"),
    ] {
        let directory = folder_with_key();
        let path = directory.path();
        fs::write(path.join("container"), &data).unwrap();
        let cipher =
            format!("--cipher aes-xts-plain64 --key-size {bits} --sector-size {sector} --hash {hash}");
        let encrypt = format!("reencrypt --encrypt --type luks2 --reduce-device-size 32M {cipher} {kdf}");
        cryptsetup(path, &format!("{encrypt} --key-file key container"));
        let container = Container::open(&path.join("container"), Access::Read).unwrap();
        assert!(container.condition().is_good());
        let key = container.unlock(PASSPHRASE, None, &ciphers).unwrap().key;
        let volume = container.into_volume(&key, &ciphers).unwrap();
        assert_eq!(volume.sector_size().to_string(), sector);
        let read = beginning(&volume, usize::try_from(volume.size()).unwrap());
        assert!(read[..kept] == data[..kept], "{sector} {bits} {kdf:?}");
    }
}

#[test]
fn what_cryptsetup_formats_is_read_and_written_here_and_decrypted_there() {
    if !installed("cryptsetup") {
        return;
    }
    let directory = folder_with_key();
    let path = directory.path();
    File::create(path.join("container")).unwrap().set_len(20 << 20).unwrap();
    let what = "--type luks2 --sector-size 4096 --label theirs container key";
    cryptsetup(path, &format!("luksFormat {FAST} {what}"));
    let container = Container::open(&path.join("container"), Access::Write).unwrap();
    assert_eq!(container.header().binary.label, b"theirs");
    let key = container.unlock(PASSPHRASE, None, &ciphers).unwrap().key;
    let volume = container.into_volume(&key, &ciphers).unwrap();
    let data = pattern(usize::try_from(volume.size()).unwrap(), 8);
    volume.write_at(&data, 0).unwrap();
    drop(volume);
    assert!(decrypted(path, data.len()) == data);
}

/// Re-encryptions that nobody goes on with here are seen to be that.
#[test]
fn what_cryptsetup_began_is_known() {
    if !installed("cryptsetup") {
        return;
    }
    let directory = folder_with_key();
    let path = directory.path();
    let with_key = format!("{FAST} --key-file key container");
    for (how, header) in
        [("--encrypt --reduce-device-size 32M", "container"), ("--decrypt --header header", "header")]
    {
        File::create(path.join("container")).unwrap().set_len(64 << 20).unwrap();
        if header == "header" {
            cryptsetup(path, &format!("luksFormat --type luks2 {with_key}"));
        }
        cryptsetup(path, &format!("reencrypt --init-only --force-offline-reencrypt {how} {with_key}"));
        let container = Container::open(&path.join(header), Access::Read).unwrap();
        match (header, container.reencryption()) {
            ("container", Err(Error::Unsupported { .. })) => {}
            ("header", Err(Error::Requirement { is_resumed: false, .. })) => {}
            other => panic!("{other:?}"),
        }
        assert!(container.header().metadata.requirements()[0].starts_with("online-reencrypt"));
    }
}

#[test]
fn a_detached_header_opens_its_data() {
    if !installed("cryptsetup") {
        return;
    }
    let directory = folder_with_key();
    let path = directory.path();
    File::create(path.join("container")).unwrap().set_len(4 << 20).unwrap();
    cryptsetup(path, &format!("luksFormat {FAST} --type luks2 --header header container key"));
    let header = Container::open(&path.join("header"), Access::Read).unwrap();
    let key = header.unlock(PASSPHRASE, None, &ciphers).unwrap().key;
    let volume = header.into_volume_on(&path.join("container"), &key, &ciphers).unwrap();
    assert_eq!(volume.size(), 4 << 20);
}

/// A block device is formatted as it is, and not while somebody else has it.
#[test]
fn a_block_device_becomes_a_container() {
    if !installed("cryptsetup") || !installed("losetup") {
        return;
    }
    if !is_root() || !Path::new("/dev/loop-control").exists() {
        return missing("loop devices, which need root");
    }
    let directory = folder_with_key();
    let path = directory.path();
    File::create(path.join("container")).unwrap().set_len(20 << 20).unwrap();
    let device = run(path, "losetup", &["--find", "--show", "container"]);
    let device = Path::new(device.trim());
    let key = VolumeKey::generate(64).unwrap();
    let wanted = usual();
    let held = fs::OpenOptions::new().read(true).custom_flags(0o200).open(device).unwrap();
    let busy = format_in_place(device, PASSPHRASE, &key, &wanted, false, &ciphers);
    drop(held);
    let made = format_in_place(device, PASSPHRASE, &key, &wanted, false, &ciphers);
    let size =
        Container::open(device, Access::Read).and_then(|c| c.into_volume(&key, &ciphers)).map(|v| v.size());
    run(path, "losetup", &["--detach", device.to_str().unwrap()]);
    assert!(matches!(busy, Err(Error::InUse(_))), "{busy:?}");
    made.unwrap();
    assert_eq!(size.unwrap(), 4 << 20);
    accepts(path, &key);
}
