//! `fieldtest disk reencrypt`: another cipher and another key for the data that is there.

use anyhow::{Result, anyhow, bail};
use fieldtest_disk::judge::Use;
use fieldtest_disk::reencrypt::{BothKeys, Options, Plan, Resilience, Standing};
use fieldtest_disk::{Access, CipherSpec, Container, Error, Hash, Secret, VolumeKey};

use super::format;
use super::opened::{self, Header, Percent};
use super::passphrase;
use super::remedies::{explained, explained_of, in_words, is_full, remedy};
use super::same_storage::key_apart;
use super::shown::{self, size};
use super::slot;
use crate::algorithms::{Content, Default, longest_key};
use crate::args::{DiskReencrypt, DiskResilience};
use crate::ended::Ended;
use crate::interrupt;
use crate::outcome::{Outcome, coded, usage};
use crate::output::{self, Format};
use crate::progress::Progress;

pub(super) fn run(args: &DiskReencrypt, format: Format) -> Result<Outcome> {
    let image = args.image.display();
    interrupt::left("interrupted; nothing was changed");
    let header = args.header.as_deref().unwrap_or(&args.image);
    key_apart(args.key.key_file.as_deref(), &[header, &args.image])?;
    let mut container = opened::open(header, Access::Write, Header::IsChanged)?;
    if args.header.is_none() && container.is_detached() {
        return Err(explained(Error::DetachedHeader(args.image.clone())));
    }
    let zone =
        args.hotzone_size.as_deref().map(|size| shown::parse_size("--hotzone-size", size)).transpose()?;
    let standing = container.reencryption().map_err(explained_of(header))?;
    let passphrase = match (&standing, args.resume) {
        (Some(_), false) => bail!(coded(
            "under-way",
            anyhow!("{image}: a re-encryption is under way; resume it with: {}", again(args))
        )),
        (None, true) => bail!(coded(
            "not-under-way",
            anyhow!("{image}: no re-encryption is under way; start one with --cipher")
        )),
        (Some(standing), true) => {
            // Data that was encrypted wrongly is lost: that the code is here is looked for before.
            known(standing)?;
            // This program marks it in the header when it begins with one; cryptsetup does not.
            if standing.resilience == Resilience::None {
                output::message(&format!(
                    "{image}: the re-encryption has no protection (resilience 'none'): if cryptsetup was killed during it, some data is \
                     already lost; compare the data with a backup afterwards"
                ));
            }
            passphrase::existing(&args.key, &args.image)?
        }
        (None, false) => begin(args, &mut container, zone)?,
    };
    if args.init_only {
        output::message(&format!(
            "{image}: the re-encryption is initialised, and no data is re-encrypted yet; resume it with: {}",
            again(args)
        ));
        return Ok(Outcome::Fine);
    }
    let Some(standing) = container.reencryption().map_err(explained_of(header))? else {
        bail!(
            "{image}: its header does not contain the re-encryption that was started; restore a backup of the header"
        );
    };
    let keys = {
        let progress = Progress::new();
        progress.say("trying the passphrase");
        container.reencryption_keys(&passphrase, &Default).map_err(explained_of(header))?
    };
    let contents = contents(&standing, &keys)?;
    go_on(args, &mut container, keys, zone)?;
    let (old, new) = (contents.0.map(|content| content.name()), contents.1.name());
    let slots = container.header().metadata.keyslots().keys().filter(|slot| container.holds_data_key(**slot));
    let slots = slots.map(u32::to_string).collect::<Vec<_>>().join(", ");
    let opens = format!(
        "the given passphrase or key file opens it, in keyslot {slots}; the old keyslots are deleted"
    );
    output::message(&match old {
        Some(old) => format!("{image}: re-encrypted from {old} to {new}; {opens}"),
        None => format!(
            "{image}: all data was already encrypted with {new}, and only the header was unfinished; it is finished now; {opens}"
        ),
    });
    let facts = [("container", image.to_string()), ("before", standing.from), ("now", standing.to)];
    super::account("what was done", facts, format)
}

/// Both ciphers of a re-encryption, proven; of one that is only not said to be done, the new one.
fn contents(standing: &Standing, keys: &BothKeys) -> Result<(Option<Content>, Content)> {
    let find = |spec: &str, key: &VolumeKey| {
        let content = Content::find(&spec.parse()?, key.bytes().len())?;
        content.prove()?;
        anyhow::Ok(content)
    };
    let old = keys.old.as_ref().map(|key| find(&standing.from, key)).transpose()?;
    Ok((old, find(&standing.to, &keys.new)?))
}

fn again(args: &DiskReencrypt) -> String {
    let header = args.header.as_ref().map(|header| format!("--header {} ", header.display()));
    format!("fieldtest disk reencrypt --resume {}{}", header.unwrap_or_default(), args.image.display())
}

/// Whether both ciphers of a re-encryption are here with any key.
fn known(standing: &Standing) -> Result<()> {
    for spec in [&standing.from, &standing.to] {
        let spec: CipherSpec = spec.parse()?;
        Content::find(&spec, longest_key(&spec)).map_err(|error| anyhow::anyhow!("{error}"))?;
    }
    Ok(())
}

/// Writes down what is to be done, and gives the passphrase that opens both keys.
fn begin(args: &DiskReencrypt, container: &mut Container, zone: Option<u64>) -> Result<Secret> {
    let Some(cipher) = &args.cipher else { return Err(usage("no new cipher given; add --cipher")) };
    let header = args.header.as_deref().unwrap_or(&args.image);
    container.may_be_reencrypted().map_err(explained_of(header))?;
    let spec = format::spec(cipher)?;
    let key_len = args.key_size.map_or_else(|| Ok(longest_key(&spec)), super::key_len)?;
    let content = Content::find(&spec, key_len)?;
    let before = opened::encrypted(container).and_then(|segment| segment.sector_size).unwrap_or(512);
    let sector_size = args.sector_size.unwrap_or(before);
    if let Some(zone) = zone.filter(|zone| *zone < u64::from(before.max(sector_size))) {
        return Err(usage(format!(
            "invalid --hotzone-size '{zone}': expected at least one sector of {} bytes; nothing was changed",
            before.max(sector_size)
        )));
    }
    let intended = Use { sector_size: Some(sector_size), ..Use::default() };
    format::judged(&content, intended, args.force)?;
    content.prove()?;
    opened::content(container, None, None)?.prove()?;
    let keyslot = slot::parameters(&args.slot, &content.spec, key_len)?;
    keyslot.check().map_err(explained_of(header))?;
    let data = args.header.as_ref().map(|_| args.image.as_path());
    if let Some(space) = container.space(data).map_err(explained)?
        && space.needed > space.free
        && !args.force
    {
        bail!(coded(
            "holes",
            anyhow!(
                "{}: filling its holes takes {}, but its file system has only {} free; free some space, or copy it to a larger \
             file system, keeping the holes; nothing was changed",
                args.image.display(),
                size(space.needed),
                size(space.free)
            )
        ));
    }
    let passphrase = passphrase::existing(&args.key, &args.image)?;
    let unlocked = opened::tried(container, header, &passphrase, args.key_slot, &Default)?;
    let slots = container.header().metadata.keyslots().keys();
    let others: Vec<u32> = slots
        .copied()
        .filter(|slot| Some(*slot) != unlocked.slot && container.holds_data_key(*slot))
        .collect();
    let tokens = slot::tokens_of(container, &others);
    if !others.is_empty() && !args.drop_other_slots {
        bail!(coded(
            "other-slots",
            anyhow!(
                "{}: only the keyslot of this passphrase gets the new key, and these are lost: {}{}; to accept that, give \
             --drop-other-slots, and add them again afterwards with: fieldtest disk slot add",
                args.image.display(),
                others.iter().map(u32::to_string).collect::<Vec<_>>().join(", "),
                tokens.map_or_else(String::new, |tokens| format!(", which makes unusable: {tokens}"))
            )
        ));
    }
    let plan = Plan {
        encryption: spec,
        sector_size: Some(sector_size),
        resilience: match args.resilience {
            DiskResilience::Journal => Resilience::Journal,
            DiskResilience::Checksum => Resilience::Checksum(Hash::Sha256),
            DiskResilience::None => Resilience::None,
        },
        keyslot,
        digest_iterations: None,
    };
    let new = VolumeKey::generate(key_len)?;
    slot::changing(header, || {
        container.begin_reencryption(&unlocked, &new, &passphrase, &plan, data, &Default)
    })?;
    if let Some(tokens) = tokens {
        output::message(&format!(
            "{0}: {tokens} will be unusable when all is done, since its keyslot is gone; remove it then with: cryptsetup token \
             remove --token-id NUMBER {0}",
            header.display()
        ));
    }
    Ok(passphrase)
}

/// Does it, until it is done or interrupted.
fn go_on(args: &DiskReencrypt, container: &mut Container, keys: BothKeys, zone: Option<u64>) -> Result<()> {
    interrupt::in_order(|asked| {
        interrupt::left("");
        let percent = Percent::new();
        let options = Options {
            zone,
            interrupted: Some(asked),
            progress: Some(&|done, total| percent.show(done, total)),
        };
        let data = args.header.as_ref().map(|_| args.image.as_path());
        container.reencrypt(keys, data, &Default, &options).map_err(|error| match error {
            Error::Interrupted { done, total } => Ended::interrupted(format!(
                "interrupted; {} of {} have the new key; resume with: {}",
                size(done),
                size(total),
                again(args)
            ))
            .into(),
            error if is_full(&error) => anyhow!(
                "{}; nothing is lost, but it opens only when all is done: free some space, or copy it to a larger file system, keeping the holes, then resume with: {}",
                in_words(error),
                again(args)
            ),
            error @ Error::Medium { .. } => {
                anyhow!("{}; it opens only when all is done; resume with: {}", in_words(error), again(args))
            }
            error @ Error::Io { .. } => {
                let first = remedy(&error).unwrap_or("fix that");
                anyhow!(
                    "{}; it opens only when all is done: {first}, then resume with: {}",
                    in_words(error),
                    again(args)
                )
            }
            error => explained_of(&args.image)(error),
        })
    })
}
