//! What is made here is accepted by cryptsetup, and the other way round.
//!
//! cryptsetup does all of this on plain files and in user space; mapping a container would need the kernel.

use std::fs::{self, File};
use std::os::unix::fs::{FileExt, OpenOptionsExt as _};
use std::path::Path;

use crate::common::*;
use fieldtest_disk::format::{NewContainer, Parameters, Version, format_in_place};
use fieldtest_disk::reencrypt::{Options, Plan, Resilience};
use fieldtest_disk::{
    Access, Container, Cost, Error, Hash, KeyslotParameters, Secret, SectorCipher, Unlocked, VolumeKey,
    read_key_file,
};

const DATA: usize = 3 << 20;

/// A folder with the passphrase in a file.
fn folder() -> tempfile::TempDir {
    let directory = quick_folder();
    fs::write(directory.path().join("key"), PASSPHRASE).unwrap();
    directory
}

/// A container with known data.
fn filled(directory: &Path, data: &[u8], parameters: &Parameters) -> VolumeKey {
    let path = directory.join("container");
    let key = VolumeKey::generate(parameters.key_len).unwrap();
    let new = NewContainer::create(&path, data.len() as u64, PASSPHRASE, key, parameters, &ciphers).unwrap();
    new.volume(&ciphers).unwrap().write_at(data, 0).unwrap();
    new.keep(false).unwrap()
}

/// The parameters whose headers are to be accepted.
fn variants() -> Vec<Parameters> {
    let mut variants = Vec::new();
    for (key_len, sector_size, pbkdf2) in
        [(64, 4096, false), (32, 512, true), (64, 512, false), (64, 2048, true)]
    {
        let mut variant = parameters("aes-xts-plain64", key_len, sector_size);
        variant.keyslot = cheap(pbkdf2);
        variants.push(variant);
    }
    let mut hashes = parameters("aes-xts-plain64", 64, 4096);
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
        let directory = folder();
        let path = directory.path();
        let key = filled(path, &data, &variant);
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
        let directory = folder();
        let path = directory.path();
        let container = path.join("container");
        for version in [Version::Luks2, Version::Luks1] {
            let sector_size = if version == Version::Luks1 { 512 } else { 4096 };
            let mut ours = parameters("aes-xts-plain64", 64, sector_size);
            ours.version = version;
            ours.keyslot =
                KeyslotParameters { hash, ..KeyslotParameters::new(Cost::Pbkdf2 { hash, iterations: 1000 }) };
            ours.digest_hash = hash;
            let key = create(&container, 1 << 20, &ours);
            run(path, "cryptsetup", &["open", "--test-passphrase", "--key-file", "key", "container"]);
            File::create(&container).unwrap().set_len(18 << 20).unwrap();
            let kind = if version == Version::Luks1 { "luks1" } else { "luks2" };
            let fast = ["--pbkdf", "pbkdf2", "--pbkdf-force-iterations", "1000", "--batch-mode"];
            let theirs =
                ["luksFormat", "--type", kind, "--hash", hash.name(), "--disable-locks", "container", "key"];
            run(path, "cryptsetup", &[&fast[..], &theirs].concat());
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
    let directory = folder();
    let path = directory.path();
    let container = path.join("container");
    File::create(&container).unwrap().set_len(18 << 20).unwrap();
    let key = VolumeKey::new(Secret::copy(&[7; 64]).unwrap());
    fs::write(path.join("halves"), key.bytes()).unwrap();
    fs::write(path.join("empty"), "").unwrap();
    let fast = ["--pbkdf", "pbkdf2", "--pbkdf-force-iterations", "1000", "--batch-mode", "--disable-locks"];
    let theirs = ["--volume-key-file", "halves", "--key-size", "512", "container", "empty"];
    run(
        path,
        "cryptsetup",
        &[&["luksFormat", "--type", "luks2", "--sector-size", "512"], &fast[..], &theirs].concat(),
    );

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
        let mut found = vec![0; data.len()];
        opened.into_volume(key, &ciphers).unwrap().read_at(&mut found, 0).unwrap();
        found
    };
    assert!(read(opened, &key) == data);
    let (opened, _) = unlock(Access::Write);
    assert!(matches!(opened.into_volume(&key, &ciphers), Err(Error::EqualHalves(at)) if at == container));

    // Away from it.
    let (mut opened, key) = unlock(Access::Write);
    let unlocked = Unlocked { slot: Some(0), key };
    let plan = Plan {
        encryption: "aes-xts-plain64".parse().unwrap(),
        sector_size: None,
        resilience: Resilience::Journal,
        keyslot: cheap(true),
        digest_iterations: Some(1000),
    };
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

/// The beginning of what cryptsetup makes of the file `container` when it takes the encryption away.
#[track_caller]
fn decrypted(path: &Path, len: usize) -> Vec<u8> {
    let decrypt = ["reencrypt", "--decrypt", "--force-offline-reencrypt", "--batch-mode"];
    let files = ["--header", "header", "--key-file", "key", "container"];
    run(path, "cryptsetup", &[&decrypt[..], &files].concat());
    let mut plaintext = vec![0; len];
    File::open(path.join("container")).unwrap().read_exact_at(&mut plaintext, 0).unwrap();
    plaintext
}

/// Everything that cryptsetup does with a container without a kernel that has its cipher.
#[track_caller]
fn accepts(path: &Path, key: &VolumeKey) {
    run(path, "cryptsetup", &["isLuks", "--type", "luks2", "container"]);
    run(path, "cryptsetup", &["open", "--test-passphrase", "--key-file", "key", "container"]);
    let dump = ["luksDump", "--dump-volume-key", "--batch-mode", "--key-file", "key"];
    let dump = run(path, "cryptsetup", &[&dump[..], &["container"]].concat());
    let (_, shown) = dump.split_once("MK dump:").unwrap();
    let shown: String = shown.chars().filter(char::is_ascii_hexdigit).collect();
    assert_eq!(shown, data_encoding::HEXLOWER.encode(key.bytes()));
}

#[test]
fn cryptsetup_accepts_the_header_of_a_cipher_that_no_kernel_has() {
    if !installed("cryptsetup") {
        return;
    }
    let directory = folder();
    let path = directory.path();
    let key = filled(path, &pattern(DATA, 4), &parameters("lea-xts-plain64", 64, 4096));
    accepts(path, &key);
    let dump = run(path, "cryptsetup", &["luksDump", "container"]);
    assert!(dump.contains("cipher: lea-xts-plain64") && dump.contains("sector: 4096 [bytes]"), "{dump}");
}

#[test]
fn keys_that_were_added_and_removed_are_those_that_cryptsetup_knows() {
    if !installed("cryptsetup") {
        return;
    }
    let directory = folder();
    let path = directory.path();
    fs::write(path.join("second"), b"second").unwrap();
    fs::write(path.join("third"), b"third").unwrap();
    let key = filled(path, &pattern(DATA, 5), &parameters("aes-xts-plain64", 64, 4096));
    let open = || Container::open(&path.join("container"), Access::Write).unwrap();
    open().add_key(&key, b"second", &cheap(true), &ciphers).unwrap();
    run(path, "cryptsetup", &["open", "--test-passphrase", "--key-file", "second", "container"]);
    open().remove_key(0).unwrap();
    run(path, "cryptsetup", &["open", "--test-passphrase", "--key-file", "second", "container"]);
    let fast = ["--pbkdf", "pbkdf2", "--pbkdf-force-iterations", "1000", "--key-file", "second"];
    run(path, "cryptsetup", &[&["luksAddKey"], &fast[..], &["container", "third"]].concat());
    assert_eq!(open().unlock(b"third", None, &ciphers).unwrap().key.bytes(), key.bytes());
    run(path, "cryptsetup", &["luksKillSlot", "--batch-mode", "--key-file", "third", "container", "1"]);
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
    let directory = folder();
    let path = directory.path();
    let key = filled(path, &pattern(DATA, 6), &parameters("aes-xts-plain64", 64, 4096));
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
    let argon2 = [
        "--pbkdf",
        "argon2id",
        "--pbkdf-force-iterations",
        "4",
        "--pbkdf-memory",
        "64",
        "--pbkdf-parallel",
        "1",
    ];
    let pbkdf2 = ["--pbkdf", "pbkdf2", "--pbkdf-force-iterations", "1000"];
    let argon2i = [&["--pbkdf", "argon2i"], &argon2[2..]].concat();
    // It moves the data by half of the reduction, and the end of the image is lost by as much as the whole.
    let (reduction, kept) = (32 << 20, DATA);
    let data = pattern(reduction + kept, 7);
    for (sector, bits, kdf, hash) in [
        ("4096", "512", &argon2[..], "sha256"),
        ("512", "256", &pbkdf2, "sha512"),
        ("512", "512", &argon2i, "sha1"),
        ("2048", "512", &pbkdf2, "sha384"),
    ] {
        let directory = folder();
        let path = directory.path();
        fs::write(path.join("container"), &data).unwrap();
        let encrypt =
            ["reencrypt", "--encrypt", "--batch-mode", "--type", "luks2", "--reduce-device-size", "32M"];
        let cipher =
            ["--cipher", "aes-xts-plain64", "--key-size", bits, "--sector-size", sector, "--hash", hash];
        let file = ["--key-file", "key", "container"];
        run(path, "cryptsetup", &[&encrypt[..], &cipher, kdf, &file].concat());
        let container = Container::open(&path.join("container"), Access::Read).unwrap();
        assert!(container.condition().is_good());
        let key = container.unlock(PASSPHRASE, None, &ciphers).unwrap().key;
        let volume = container.into_volume(&key, &ciphers).unwrap();
        assert_eq!(volume.sector_size().to_string(), sector);
        let mut read = vec![0; usize::try_from(volume.size()).unwrap()];
        volume.read_at(&mut read, 0).unwrap();
        assert!(read[..kept] == data[..kept], "{sector} {bits} {kdf:?}");
    }
}

#[test]
fn what_cryptsetup_formats_is_read_and_written_here_and_decrypted_there() {
    if !installed("cryptsetup") {
        return;
    }
    let directory = folder();
    let path = directory.path();
    File::create(path.join("container")).unwrap().set_len(20 << 20).unwrap();
    let format =
        ["luksFormat", "--batch-mode", "--type", "luks2", "--sector-size", "4096", "--label", "theirs"];
    let kdf = ["--pbkdf", "pbkdf2", "--pbkdf-force-iterations", "1000"];
    run(path, "cryptsetup", &[&format[..], &kdf, &["container", "key"]].concat());
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
    let directory = folder();
    let path = directory.path();
    let kdf = ["--pbkdf", "pbkdf2", "--pbkdf-force-iterations", "1000", "--key-file", "key", "container"];
    let begin = ["reencrypt", "--init-only", "--force-offline-reencrypt", "--batch-mode"];
    let format = ["luksFormat", "--batch-mode", "--type", "luks2"];
    for how in [&["--encrypt", "--reduce-device-size", "32M"][..], &["--decrypt", "--header", "header"]] {
        File::create(path.join("container")).unwrap().set_len(64 << 20).unwrap();
        if how[0] == "--decrypt" {
            run(path, "cryptsetup", &[&format[..], &kdf].concat());
        }
        run(path, "cryptsetup", &[&begin[..], how, &kdf].concat());
        let header = path.join(if how[0] == "--decrypt" { "header" } else { "container" });
        let container = Container::open(&header, Access::Read).unwrap();
        match (how[0], container.reencryption()) {
            ("--encrypt", Err(Error::Unsupported { .. })) => {}
            ("--decrypt", Err(Error::Requirement { is_resumed: false, .. })) => {}
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
    let directory = folder();
    let path = directory.path();
    File::create(path.join("container")).unwrap().set_len(4 << 20).unwrap();
    let format = ["luksFormat", "--batch-mode", "--type", "luks2", "--header", "header"];
    let kdf = ["--pbkdf", "pbkdf2", "--pbkdf-force-iterations", "1000"];
    run(path, "cryptsetup", &[&format[..], &kdf, &["container", "key"]].concat());
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
    let directory = folder();
    let path = directory.path();
    File::create(path.join("container")).unwrap().set_len(20 << 20).unwrap();
    let device = run(path, "losetup", &["--find", "--show", "container"]);
    let device = Path::new(device.trim());
    let key = VolumeKey::generate(64).unwrap();
    let wanted = parameters("aes-xts-plain64", 64, 4096);
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
