//! `fieldtest disk format`: a new container, empty or filled with an image.

use std::fs;
use std::os::unix::fs::FileTypeExt as _;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anyhow::{Context, Result};
use fieldtest_disk::copy::{Copied, Holes, import};
use fieldtest_disk::format::{Parameters, Version, format_in_place, format_into};
use fieldtest_disk::judge::{Finding, Use, Verdict, judge};
use fieldtest_disk::{
    Access, CipherSpec, Container, Error, Integrity, KeyslotParameters, Secret, SpecError, VolumeKey, hold,
    shared,
};
use fieldtest_frame::measuring;

use super::copy;
use super::passphrase;
use super::remedies::{exists, explained, stopped};
use super::same_storage::{apart, apart_from_key};
use super::shown::{self, size};
use super::slot;
use crate::algorithms::{Content, knows, longest_key, unknown};
use crate::args::{DiskFormat, DiskType};
use crate::ended::Ended;
use crate::interrupt;
use crate::outcome::{Outcome, coded, of_option, usage};
use crate::output::{self, Existing, Format, Output};
use crate::progress::Progress;

pub(super) fn run(args: &DiskFormat, format: Format) -> Result<Outcome> {
    interrupt::left(format!("interrupted; {NOTHING}"));
    // All that can be refused is refused before a passphrase is asked for.
    let content = content(args)?;
    let parameters = parameters(args, &content)?;
    if let Some(header) = args.header.as_deref() {
        output::check_beside(("the header", header), ("the data", &args.image))?;
        // Also by a second name of a file.
        apart(header, &args.image)?;
    }
    let place = Place::of(args)?;
    apart_from_key(&args.key, args.volume_key_file.as_deref(), &args.image)?;
    if let (Some(image), true) = (&args.from, args.header.is_some()) {
        // The new file for the data has its name before the image is read: in the image's place, it was
        // filled with itself, and the image was lost.
        apart(image, &args.image)?;
    }
    // Before a key is derived for it.
    args.from.as_deref().map(length).transpose()?;
    if let (Place::There, Some(image)) = (place, &args.from) {
        apart(image, &args.image)?;
        let (length, room) = (length(image)?, length(&args.image)?.saturating_sub(parameters.data_offset()));
        let needed = match &args.header {
            Some(_) => length,
            None => parameters.space(length, &content).map_err(explained)?,
        };
        if needed > room {
            return Err(usage(format!(
                "{} has {}, but {} has space only for {}; nothing was written",
                image.display(),
                size(length),
                args.image.display(),
                size(room)
            )));
        }
    }
    let data_size = match place {
        Place::New(size) => Some(size),
        Place::There => None,
    };
    let intended = Use {
        sector_size: Some(parameters.sector_size),
        // Of larger sectors, which LUKS1 cannot have, nothing is to be said.
        block_size: (args.version == DiskType::Luks1).then_some(512),
        device_size: data_size,
        integrity: parameters.integrity,
        ..Use::default()
    };
    judged(&content, intended, args.force)?;
    content.prove()?;
    let key = volume_key(args, &content, parameters.key_len)?;
    parameters.check_key(&key).map_err(explained)?;
    let passphrase = passphrase::new(&args.key, &args.image)?;
    let replaces = args.from.as_deref().filter(|image| shared(image, &args.image));
    let filled = interrupt::in_order(|asked| {
        let (content, parameters) = (&content, &parameters);
        let new = New { args, content, parameters, passphrase: &passphrase, key: &key, asked };
        let made = match place {
            _ if args.header.is_some() => new.apart(place),
            Place::New(data_size) => new.beside(data_size),
            Place::There => new.in_place(),
        };
        interrupt::left("");
        made
    })?;
    output::message(&format!(
        "{}: a container with {}, a {}-bit key, {}-byte sectors",
        args.image.display(),
        content.name(),
        content.key_len * 8,
        parameters.sector_size
    ));
    if let Some(Filled { sentence, .. }) = &filled {
        output::message(sentence);
    }
    if let Some(image) = replaces {
        output::message(&format!(
            "the container has replaced {}, whose plaintext is not wiped: its blocks stay on the disk until they are overwritten",
            image.display()
        ));
    }
    account(args, &content, filled.as_ref(), format)
}

/// What is said of a new container that was not completed.
const NOTHING: &str = "nothing was made";

struct Filled {
    copied: Copied,
    taken: Duration,
    sentence: String,
}

fn account(args: &DiskFormat, content: &Content, filled: Option<&Filled>, format: Format) -> Result<Outcome> {
    let made = [
        ("container", args.image.display().to_string()),
        ("specification", content.spec.to_string()),
        ("cipher", content.algorithm().to_owned()),
        ("implementation", content.implementation().to_owned()),
        ("bits of the key", (content.key_len * 8).to_string()),
        ("bytes of a sector", sector_size(args).to_string()),
    ];
    let filled = args.from.as_ref().zip(filled).map(|(image, filled)| {
        [
            ("filled from", image.display().to_string()),
            ("bytes", filled.copied.bytes.to_string()),
            ("bytes left out as holes", filled.copied.left_out.to_string()),
            ("seconds", format!("{:.6}", filled.taken.as_secs_f64())),
        ]
    });
    super::account("what was made", made.into_iter().chain(filled.into_iter().flatten()), format)
}

#[derive(Debug, Clone, Copy)]
enum Place {
    /// In a new file for so many bytes of content, which takes its name when it is complete.
    New(u64),
    /// In the file or device that is there, whose size it keeps.
    There,
}

impl Place {
    fn of(args: &DiskFormat) -> Result<Place> {
        output::check_place(&args.image)?;
        let found = fs::metadata(&args.image).ok();
        let device = found.as_ref().is_some_and(|found| found.file_type().is_block_device());
        let size = match (&args.size, &args.from) {
            (Some(_), _) if device => {
                return Err(usage(
                    "--size applies only to files; a container on a device has the size of the device",
                ));
            }
            (Some(size), _) => shown::parse_size("--size", size)?,
            (None, Some(image)) if !device => {
                let length = length(image)?;
                length.next_multiple_of(u64::from(sector_size(args).max(1)))
            }
            (None, _) if found.is_some() && args.header.is_some() && !args.overwrite => {
                return Err(exists(&args.image));
            }
            (None, _) if found.is_some() => return Ok(Place::There),
            (None, _) => {
                return Err(coded(
                    "no-size",
                    usage(format!(
                        "{} does not exist yet; give the size of its data with --size, such as --size 64M, \
                     or an image with --from",
                        args.image.display()
                    )),
                ));
            }
        };
        // Neither is standard output, even where it leads to a file.
        if output::is_stream(&args.image)? {
            anyhow::bail!(coded(
                "no-storage",
                anyhow::anyhow!(
                    "{} is neither a file nor a block device; choose another name",
                    args.image.display()
                )
            ));
        }
        if found.is_some() && !args.overwrite {
            return Err(exists(&args.image));
        }
        // Not longer than this yet: the container that is replaced may be the image that fills the new one.
        hold(&args.image).map_err(explained)?;
        Ok(Place::New(size))
    }
}

/// Bytes of an image, or of whatever else a container can be made in.
fn length(image: &Path) -> Result<u64> {
    let cannot = || format!("cannot read the image {}", image.display());
    let kind = fs::metadata(image).with_context(cannot)?.file_type();
    if kind.is_dir() {
        anyhow::bail!(coded(
            "directory",
            anyhow::anyhow!(
                "{} is a directory; make an image of it first, such as with: mkfs.ext4 -d {} IMAGE SIZE",
                image.display(),
                image.display()
            )
        ));
    }
    // Opening a pipe would wait for somebody to write.
    if !kind.is_file() && !kind.is_block_device() {
        return Err(Error::NoStorage(image.to_owned()).into());
    }
    let mut file = fs::File::open(image).with_context(cannot)?;
    // Other than its metadata, this knows the size of a device.
    std::io::Seek::seek(&mut file, std::io::SeekFrom::End(0)).with_context(cannot)
}

fn content(args: &DiskFormat) -> Result<Content> {
    let implementation = args.work.implementation.as_deref();
    measuring::known_implementation(implementation)?;
    let spec = spec(&args.cipher)?;
    let integrity = integrity(args.integrity.as_deref())?;
    let key_len = match args.key_size {
        Some(bits) => super::key_len(bits)?,
        None if integrity == Some(Integrity::Aead) => LONGEST_AEAD_KEY,
        None => longest_key(&spec),
    };
    let found = Content::find_with(&spec, key_len, integrity, implementation);
    found.map_err(|error| match refusal(&spec, integrity) {
        // That there is no code for it is the lesser reason.
        // With tags it names those ciphers that have them, which says more.
        Some(found)
            if (!args.force || IMPOSSIBLE.contains(&found.name))
                && (spec.as_str().contains('-') || knows(spec.cipher()))
                && integrity != Some(Integrity::Aead) =>
        {
            refused(&spec, found)
        }
        _ => error,
    })
}

/// The specification that `--cipher` names.
pub(super) fn spec(typed: &str) -> Result<CipherSpec> {
    typed.parse().map_err(|error: SpecError| of_option("--cipher", error))
}

/// What makes the tags of sectors.
pub(super) fn integrity(name: Option<&str>) -> Result<Option<Integrity>> {
    let Some(name) = name else { return Ok(None) };
    let known = ["aead", "hmac-sha1", "hmac-sha256", "hmac-sha512"];
    let found = Integrity::from_name(name);
    found.map(Some).map_err(|error| super::unknown("--integrity", name, &known, &error))
}

/// Bytes of the longest key of a cipher that authenticates.
const LONGEST_AEAD_KEY: usize = 32;

/// Why a specification is refused whatever it is used for, if it is.
fn refusal(spec: &CipherSpec, integrity: Option<Integrity>) -> Option<Finding> {
    let judgement = judge(spec.as_str(), &Use { integrity, ..Use::default() });
    judgement.findings.into_iter().find(|found| found.verdict == Verdict::Refused)
}

/// Findings about what no container can have, so that it is no experiment either.
const IMPOSSIBLE: [&str; 4] = ["size", "sector-size", "unknown-mode", "aead-without-tags"];

fn refused(spec: &CipherSpec, Finding { name, reason, remedy, .. }: Finding) -> anyhow::Error {
    if name == "unknown-mode" && !spec.mode().is_empty() {
        return unknown(spec);
    }
    if IMPOSSIBLE.contains(&name) {
        return usage(format!("{reason}; {remedy}"));
    }
    explained(Error::RefusedSpec { spec: spec.to_string(), reason, remedy })
}

fn parameters(args: &DiskFormat, content: &Content) -> Result<Parameters> {
    let integrity = integrity(args.integrity.as_deref())?;
    if args.version == DiskType::Luks1 {
        slot::fits_luks1(&args.slot, ", or give --type luks2")?;
        let absent = [
            ("--label", args.label.is_some(), "LUKS1 has no labels"),
            ("--integrity", integrity.is_some(), "LUKS1 has no tags"),
            ("--sector-size", sector_size(args) != 512, "LUKS1 has sectors of 512 bytes only"),
        ];
        if let Some((option, _, why)) = absent.iter().find(|(_, is_given, _)| *is_given) {
            return Err(usage(format!("cannot use {option}: {why}; leave it out, or give --type luks2")));
        }
    }
    let keyslot = KeyslotParameters {
        number: args.key_slot,
        ..slot::parameters(&args.slot, &content.spec, content.key_len)?
    };
    // Those of LUKS1 have the content's cipher, which is judged.
    if args.version == DiskType::Luks2 && !args.force {
        keyslot.check().map_err(explained)?;
    }
    Ok(Parameters {
        version: match args.version {
            DiskType::Luks1 => Version::Luks1,
            DiskType::Luks2 => Version::Luks2,
        },
        detached: args.header.is_some(),
        digest_hash: slot::hash(&args.slot.hash)?,
        sector_size: sector_size(args),
        keyslot,
        label: args.label.clone().unwrap_or_default(),
        accept_refused: args.force,
        integrity,
        ..Parameters::new(content.spec.clone(), content.key_len + integrity.map_or(0, Integrity::key_len))
    })
}

fn sector_size(args: &DiskFormat) -> u32 {
    args.sector_size.unwrap_or(match args.version {
        DiskType::Luks1 => 512,
        DiskType::Luks2 => 4096,
    })
}

/// The volume key that is named, or a new one.
fn volume_key(args: &DiskFormat, content: &Content, length: usize) -> Result<VolumeKey> {
    let Some(file) = &args.volume_key_file else { return Ok(VolumeKey::generate(length)?) };
    let key = passphrase::volume_key(file)?;
    match key.bytes().len() == length {
        true => Ok(key),
        false => Err(usage(format!(
            "{} has {} bytes, but {} needs keys of {length}; give a file of that length",
            file.display(),
            key.bytes().len(),
            content.name(),
        ))),
    }
}

/// Says what should be known of the specification, and refuses what does not protect.
pub(super) fn judged(content: &Content, intended: Use, force: bool) -> Result<()> {
    let intended = Use { key_bits: u32::try_from(content.key_len * 8).ok(), ..intended };
    for found in judge(content.spec.as_str(), &intended).findings {
        if IMPOSSIBLE.contains(&found.name) || found.verdict == Verdict::Refused && !force {
            return Err(refused(&content.spec, found));
        }
        output::message(&format!("{}: {}; {}", content.spec, found.reason, found.remedy));
    }
    Ok(())
}

/// All that a container is made of.
struct New<'a> {
    args: &'a DiskFormat,
    content: &'a Content,
    parameters: &'a Parameters,
    passphrase: &'a Secret,
    key: &'a VolumeKey,
    asked: &'a AtomicBool,
}

impl New<'_> {
    /// A new file, which has no name until all went well. Says what it was filled with.
    fn beside(&self, data_size: u64) -> Result<Option<Filled>> {
        let New { args, content, parameters, key, .. } = *self;
        let new = self.image()?;
        let container = {
            let _progress = self.progress();
            let passphrase = self.passphrase;
            interrupt::endable(|| {
                format_into(new.file(), &args.image, data_size, passphrase, key, parameters, content)
            })
        };
        let container = container.map_err(explained)?;
        self.go_on()?;
        let filled = match &args.from {
            Some(image) => {
                let volume = container.into_volume(key, content).map_err(explained)?;
                Some(self.fill(image, &volume).map_err(|error| stopped(error, |_| NOTHING.into()))?)
            }
            None => None,
        };
        self.go_on()?;
        // Whoever has the file open that is replaced would go on with one that has no name any more.
        let _replaced = if args.overwrite { hold(&args.image).map_err(explained)? } else { None };
        new.commit_durably()?;
        Ok(filled)
    }

    /// The header in a file of its own, and the data from its first byte on. The header gets its name last: without
    /// it, the data is noise.
    fn apart(&self, place: Place) -> Result<Option<Filled>> {
        let New { args, content, parameters, passphrase, key, .. } = *self;
        let Some(path) = &args.header else { return Ok(None) };
        let header = Output::create(path, Existing::Refuse)?.secret();
        let made = {
            let _progress = self.progress();
            let sector = u64::from(parameters.sector_size);
            interrupt::endable(|| {
                format_into(header.file(), path, sector, passphrase, key, parameters, content)
            })
        };
        let container = made.map_err(explained)?;
        self.go_on()?;
        let data = match place {
            Place::New(size) => {
                let data = self.image()?;
                data.file().set_len(size)?;
                data.commit_durably()?;
                true
            }
            Place::There => false,
        };
        let volume = container.into_volume_on(&args.image, key, content).map_err(explained)?;
        let filled = match &args.from {
            Some(image) => self.fill(image, &volume).map(Some).map_err(|error| {
                stopped(error, |_| match data {
                    true => format!("no header was made; {} is unusable", args.image.display()),
                    false => format!("no header was made; {} may be overwritten", args.image.display()),
                })
            })?,
            None => None,
        };
        header.commit_durably()?;
        Ok(filled)
    }

    /// The file or device that is there: what it has around the container, who may use it, and that it is a device,
    /// belongs to it, so it is written where it lies.
    fn in_place(&self) -> Result<Option<Filled>> {
        let New { args, content, parameters, key, .. } = *self;
        {
            let _progress = self.progress();
            let made =
                format_in_place(&args.image, self.passphrase, key, parameters, args.overwrite, content);
            made.map_err(|error| match error {
                Error::Truncated { path, found, needed, .. } => coded("truncated", anyhow::anyhow!(
                    "{} already exists and has {found} bytes, but a container needs {needed}; to replace it, give --size and --overwrite",
                    path.display()
                )),
                other => explained(other),
            })?;
        }
        let Some(image) = &args.from else { return Ok(None) };
        let container = Container::open(&args.image, Access::Write).map_err(explained)?;
        let volume = container.into_volume(key, content).map_err(explained)?;
        let filled = self.fill(image, &volume);
        filled.map(Some).map_err(|error| {
            let (container, image) = (args.image.display(), image.display());
            stopped(error, |done| {
                format!(
                    "{container} is a new container and opens, but has only {}; {}copy all of it with: fieldtest \
                     disk copy --overwrite {image} {container}",
                    copy::beginning(&image, done),
                    done.first
                )
            })
        })
    }

    fn image(&self) -> Result<Output> {
        let existing = if self.args.overwrite { Existing::Replace } else { Existing::Refuse };
        Ok(Output::create(&self.args.image, existing)?.secret())
    }

    fn progress(&self) -> Progress {
        let progress = Progress::new();
        progress.say("deriving the keyslot's key");
        progress
    }

    fn fill(&self, image: &Path, volume: &fieldtest_disk::Volume) -> Result<Filled> {
        let holes = if self.args.leave_holes { Holes::Leave } else { Holes::Encrypt };
        let (copied, taken) =
            copy::timed(&self.args.work, self.asked, |options| import(image, volume, holes, options))?;
        let way = format!("from {} into it", image.display());
        let mut text = copy::sentence(&way, &copied, taken, self.content, &self.args.work);
        if copied.left_out > 0 {
            text.push_str(&format!(", {} of which were holes and read as noise", size(copied.left_out)));
        }
        Ok(Filled { copied, taken, sentence: text })
    }

    fn go_on(&self) -> Result<()> {
        match self.asked.load(Ordering::Relaxed) {
            true => Err(Ended::interrupted(format!("interrupted; {NOTHING}")).into()),
            false => Ok(()),
        }
    }
}
