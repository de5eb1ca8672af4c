//! `fieldtest disk slot`: who can open a container.

use std::path::Path;
use std::time::Duration;

use anyhow::{Context, Result};
use fieldtest_disk::header::json::Segment;
use fieldtest_disk::{
    Access, CipherSpec, Container, Cost, Error, Hash, Integrity, Iv, KeyslotParameters, Priority, Secret,
    SpecError, Unlocked, VolumeKey,
};

use super::opened::{self, Header};
use super::passphrase;
use super::remedies::{explained, explained_of};
use super::same_storage::key_apart;
use super::shown;
use crate::algorithms::{Content, Default, longest_key};
use crate::args::{
    DiskKdf, DiskNewKey, DiskNewSlot, DiskPriority, DiskSlot, DiskSlotUnlock, SLOT_CIPHER, SLOT_HASH,
};
use crate::interrupt;
use crate::outcome::{Outcome, coded, of_option, usage};
use crate::output::{self, Format};
use crate::progress::Progress;

pub(super) fn run(command: &DiskSlot, format: Format) -> Result<Outcome> {
    interrupt::left("interrupted; nothing was changed");
    match command {
        DiskSlot::Add(args) => {
            let image = &args.unlock.image;
            key_apart(args.new.new_key_file.as_deref(), &[image])?;
            let mut container = open_for(&args.slot, Some(&args.new), image)?;
            let key = match &args.volume_key_file {
                Some(file) => {
                    let key = passphrase::volume_key(file)?;
                    container.recognises(&key).map_err(explained_of(image))?;
                    key
                }
                None => {
                    passphrase::one_from_input(&args.unlock.key, &args.new)?;
                    unlocked(&container, &args.unlock)?.1.key
                }
            };
            let new = passphrase::another(&args.new, image)?;
            let mut parameters = of_container(&args.slot, &container)?;
            parameters.number = args.new_key_slot;
            parameters.priority = args.priority.map(priority).unwrap_or_default();
            let number = changing(image, || container.add_key(&key, &new, &parameters, &Default))?;
            done(image, "added", number, format)
        }
        DiskSlot::Change(args) => {
            let image = &args.unlock.image;
            key_apart(args.new.new_key_file.as_deref(), &[image])?;
            let mut container = open_for(&args.slot, Some(&args.new), image)?;
            passphrase::one_from_input(&args.unlock.key, &args.new)?;
            let (_, Unlocked { slot, key }) = unlocked(&container, &args.unlock)?;
            let new = passphrase::another(&args.new, image)?;
            let number = changed(&mut container, image, slot, &key, &new, &args.slot)?;
            done(image, "changed", number, format)
        }
        DiskSlot::Convert(args) => {
            let image = &args.unlock.image;
            let mut container = open_for(&args.slot, None, image)?;
            let (same, Unlocked { slot, key }) = unlocked(&container, &args.unlock)?;
            let number = changed(&mut container, image, slot, &key, &same, &args.slot)?;
            done(image, "converted", number, format)
        }
        DiskSlot::Kill(args) => {
            let mut container = opened::open(&args.image, Access::Write, Header::IsChanged)?;
            container.may_remove(args.number).map_err(explained_of(&args.image))?;
            // A key of a remaining keyslot is asked for, so that a wrong number locks nobody out.
            if !args.force {
                let passphrase = passphrase::remaining(&args.key, &args.image, args.number)?;
                let progress = Progress::new();
                progress.say("trying the passphrase");
                let beside = container.unlock_beside(&passphrase, args.number, &Default);
                beside.map_err(|error| stays(explained_of(&args.image)(error), args.number))?;
            }
            let tokens = tokens_of(&container, &[args.number]);
            changing(&args.image, || container.remove_key(args.number))?;
            if let Some(tokens) = tokens {
                output::message(&format!(
                    "{0}: {tokens} is unusable without its keyslot; remove it with: cryptsetup token remove --token-id \
                     NUMBER {0}",
                    args.image.display()
                ));
            }
            done(&args.image, "destroyed", args.number, format)
        }
        DiskSlot::Priority(args) => {
            let mut container = opened::open(&args.image, Access::Write, Header::IsChanged)?;
            changing(&args.image, || container.set_priority(args.number, priority(args.priority)))?;
            done(&args.image, "given a priority", args.number, format)
        }
    }
}

/// The tokens that nobody can use without some key slots, in words.
pub(super) fn tokens_of(container: &Container, gone: &[u32]) -> Option<String> {
    let tokens: Vec<String> = container
        .tokens_of(gone)
        .iter()
        .map(|(number, kind)| format!("{number} ({})", shown::text(kind)))
        .collect();
    (!tokens.is_empty()).then(|| format!("token {}", tokens.join(", ")))
}

/// Why a key slot is not destroyed.
fn stays(error: anyhow::Error, number: u32) -> anyhow::Error {
    coded(
        "slot-kept",
        anyhow::anyhow!(
            "{error}; keyslot {number} is unchanged: to destroy it, give a passphrase or key file of a remaining one, or \
         --force"
        ),
    )
}

/// Opens a key slot, and says with what.
fn unlocked(container: &Container, unlock: &DiskSlotUnlock) -> Result<(Secret, Unlocked)> {
    let passphrase = passphrase::existing(&unlock.key, &unlock.image)?;
    let unlocked = opened::tried(container, &unlock.image, &passphrase, unlock.key_slot, &Default)?;
    Ok((passphrase, unlocked))
}

/// Puts another key slot in the place of one, which is tried when that one was.
fn changed(
    container: &mut Container,
    image: &Path,
    slot: Option<u32>,
    key: &VolumeKey,
    passphrase: &[u8],
    new: &DiskNewSlot,
) -> Result<u32> {
    let mut parameters = of_container(new, container)?;
    // A passphrase opened one.
    let slot = slot.unwrap_or_default();
    if let Some(before) = container.header().metadata.keyslots().get(&slot) {
        parameters.priority = Priority::of(before);
    }
    if container.is_changed_in_place(slot, key).map_err(explained_of(image))? {
        output::message(&format!(
            "{}: no other keyslot is free, so keyslot {slot} is overwritten in place: a power failure meanwhile loses it, \
             but no other keyslot",
            image.display()
        ));
    }
    changing(image, || container.change_key(slot, key, passphrase, &parameters, &Default))
}

/// Changes a header; a signal that comes meanwhile finds it changed.
pub(super) fn changing<T>(name: &Path, change: impl FnOnce() -> fieldtest_disk::Result<T>) -> Result<T> {
    interrupt::in_order(|_| {
        interrupt::left("");
        let progress = Progress::new();
        progress.say("deriving the keyslot's key");
        change().map_err(explained_of(name))
    })
}

fn priority(wanted: DiskPriority) -> Priority {
    match wanted {
        DiskPriority::Prefer => Priority::Prefer,
        DiskPriority::Normal => Priority::Normal,
        DiskPriority::Ignore => Priority::Ignore,
    }
}

fn done(image: &Path, what: &str, number: u32, format: Format) -> Result<Outcome> {
    output::message(&format!("{}: keyslot {number} is {what}", image.display()));
    let facts = [
        ("container", image.display().to_string()),
        ("keyslot", number.to_string()),
        ("done", what.to_owned()),
    ];
    super::account("what was done", facts, format)
}

/// Refuses what was typed and no keyslot of LUKS1 has.
pub(super) fn fits_luks1(args: &DiskNewSlot, other: &str) -> Result<()> {
    match args.kdf {
        Some(DiskKdf::Argon2id) => Err(usage(format!(
            "cannot use --kdf argon2id: LUKS1 supports only pbkdf2; leave --kdf out{other}"
        ))),
        _ if args.kdf_memory.is_some() => Err(memory_of_pbkdf2()),
        _ => Ok(()),
    }
}

fn memory_of_pbkdf2() -> anyhow::Error {
    coded("no-effect", usage("--kdf-memory has no effect: PBKDF2 needs no memory; remove it"))
}

/// The function that `--hash` names.
pub(super) fn hash(name: &str) -> Result<Hash> {
    let known: Vec<&str> = Hash::ALL.iter().map(|hash| hash.name()).collect();
    Hash::from_name(name).map_err(|error| super::unknown("--hash", name, &known, &error))
}

/// Opens a container for a new keyslot, and refuses early what it cannot have: the key derivation takes its time.
fn open_for(new: &DiskNewSlot, key: Option<&DiskNewKey>, image: &Path) -> Result<Container> {
    let container = opened::open(image, Access::Write, Header::IsChanged)?;
    if container.luks1().is_some() {
        fits_luks1(new, "")?;
    }
    key.map_or(Ok(()), passphrase::is_there)?;
    of_container(new, &container)?;
    Ok(container)
}

/// What a new key slot of a container is like.
fn of_container(args: &DiskNewSlot, container: &Container) -> Result<KeyslotParameters> {
    if let Some(header) = container.luks1() {
        // What was typed, as far as it is not what stands there if nothing is.
        let (asked, has) = (&args.keyslot_cipher, &header.encryption);
        if asked != has && ![SLOT_CIPHER, "same"].contains(&asked.as_str()) {
            return Err(usage(format!(
                "all LUKS1 keyslots use {has}, so none can use {asked}; each LUKS2 keyslot has its own"
            )));
        }
    }
    let unasked = container.luks1().filter(|_| args.hash == SLOT_HASH);
    let wanted = match unasked {
        Some(header) => wanted(&DiskNewSlot { hash: header.hash.clone(), ..args.clone() }, container)?,
        None => wanted(args, container)?,
    };
    // Key slots of LUKS1 have the content's cipher, whatever that is.
    if container.luks1().is_none() {
        wanted.check().map_err(|error| match error {
            Error::Parameters(what) => usage(what),
            other => explained(other),
        })?;
    }
    Ok(wanted)
}

fn wanted(args: &DiskNewSlot, container: &Container) -> Result<KeyslotParameters> {
    if args.keyslot_cipher != "same" {
        return parameters(args, &CipherSpec::default(), 64);
    }
    let segment = opened::encrypted(container);
    let spec = segment.and_then(|segment| segment.encryption.as_deref());
    match (spec, container.key_size()) {
        (Some(spec), Some(key_len)) => {
            let integrity = segment.map(Segment::authenticated_by).transpose().map_err(explained)?.flatten();
            let beside = integrity.map_or(0, Integrity::key_len);
            parameters(args, &spec.parse()?, (key_len as usize).saturating_sub(beside))
        }
        _ => Err(explained(Error::Unfit(
            "cannot use --keyslot-cipher same: the container has no encrypted data segment; give a cipher such as aes-xts-plain64".into(),
        ))),
    }
}

/// What a new key slot is like beside a content of this cipher.
pub(super) fn parameters(
    args: &DiskNewSlot,
    content: &CipherSpec,
    key_len: usize,
) -> Result<KeyslotParameters> {
    let time = Duration::from_millis(args.iter_time.into());
    let hash = hash(&args.hash)?;
    let memory = args.kdf_memory.unwrap_or(1_048_576);
    let cost = match args.kdf {
        // LUKS1 makes PBKDF2 of this.
        None | Some(DiskKdf::Argon2id) => Cost::Argon2idFor { time, memory },
        Some(DiskKdf::Pbkdf2) if args.kdf_memory.is_some() => return Err(memory_of_pbkdf2()),
        Some(DiskKdf::Pbkdf2) => Cost::Pbkdf2For { hash, time },
    };
    let mut keyslot = KeyslotParameters::new(cost);
    let (spec, key_len) = match args.keyslot_cipher.as_str() {
        // Its tags have no room in a key slot, and its vectors none.
        "same" if *content.iv() == Iv::Random => {
            return Err(usage(format!(
                "cannot encrypt keyslots with {content}: they have no space for tags and random vectors; give a cipher without them, \
                 such as --keyslot-cipher {}",
                match content.mode() {
                    "xts" => format!("{}-xts-plain64", content.cipher()),
                    _ => format!("{}-cbc-essiv:sha256", content.cipher()),
                }
            )));
        }
        "same" => (content.clone(), key_len),
        other => {
            let of_slots = |error: SpecError| of_option("--keyslot-cipher", error);
            let spec: CipherSpec = other.parse().map_err(of_slots)?;
            let key_len = longest_key(&spec);
            Content::find(&spec, key_len).context("cannot use --keyslot-cipher")?;
            (spec, key_len)
        }
    };
    keyslot.encryption = spec;
    keyslot.hash = hash;
    keyslot.key_len = u32::try_from(key_len)?;
    Ok(keyslot)
}
