//! `fieldtest disk copy`: whole images out of a container, or into one that is there.

use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use anyhow::{Result, anyhow, bail};
use fieldtest_disk::copy::{Copied, Holes, Options, export_to, import};
use fieldtest_disk::{Access, Container, Error, hold};

use super::opened::{Opened, Percent};
use super::remedies::{Begun, exists, explained, stopped};
use super::same_storage::{apart, apart_from_key};
use super::shown::{exact, size};
use crate::algorithms::Content;
use crate::args::{DiskCopy, DiskWork};
use crate::interrupt;
use crate::outcome::{Outcome, coded, usage};
use crate::output::{self, Existing, Format, Output};

pub(super) fn run(args: &DiskCopy, format: Format) -> Result<Outcome> {
    let DiskCopy { source, destination, .. } = args;
    let are_apart = || {
        apart(source, destination)?;
        apart_from_key(&args.unlock.key, args.unlock.volume_key_file.as_deref(), destination)
    };
    if let Some(header) = &args.unlock.header {
        [source, destination].into_iter().try_for_each(|data| apart(header, data))?;
        are_apart()?;
        return match args.into {
            true => into(args, format),
            false => out(args, destination.symlink_metadata().is_ok(), format),
        };
    }
    match (is_container(source)?, is_container(destination)?) {
        (Some(true), Some(true)) => Err(usage(format!(
            "{} and {} are both containers; copy the data from one to an image, and from there into the other",
            source.display(),
            destination.display()
        ))),
        (Some(true), there) => {
            are_apart()?;
            out(args, there.is_some(), format)
        }
        (Some(false), Some(true)) => {
            are_apart()?;
            into(args, format)
        }
        (Some(false), _) => Err(coded(
            "not-luks",
            usage(format!(
                "neither {} nor {} is a LUKS container; make one of the image with: \
             fieldtest disk format --from {} CONTAINER",
                source.display(),
                destination.display(),
                source.display()
            )),
        )),
        (None, _) => bail!(coded(
            "missing",
            anyhow!("cannot read {}: there is no such file; check the path", source.display())
        )),
    }
}

/// Whether a file is a container; nothing if it is not there.
fn is_container(path: &Path) -> Result<Option<bool>> {
    // A dangling link is something that is there.
    match (path.symlink_metadata(), Container::open(path, Access::Read)) {
        (_, Ok(_)) => Ok(Some(true)),
        (Ok(_), Err(Error::NotLuks(_) | Error::NoStorage(_))) => Ok(Some(false)),
        (Err(error), Err(_)) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        (_, Err(error)) => Err(explained(error)),
    }
}

fn out(args: &DiskCopy, there: bool, format: Format) -> Result<Outcome> {
    let destination = &args.destination;
    output::check_place(destination)?;
    // An image is written at any offset, and its holes read as zeros.
    if output::is_stream(destination)? {
        bail!(
            "{} is not a regular file; copy to a file, or serve the container with: fieldtest disk serve",
            destination.display()
        );
    }
    if there && !args.overwrite {
        return Err(exists(destination));
    }
    // Not longer than this yet, so that nothing is asked for in vain.
    hold(destination).map_err(explained)?;
    let before = untouched(destination, there);
    interrupt::left(format!("interrupted; {before}"));
    let implementation = args.work.implementation.as_deref();
    let opened = Opened::open(&args.source, Access::Read, &args.unlock, implementation)?;
    if args.unlock.header.is_none() && args.source.is_file() {
        let odd =
            Container::open(&args.source, Access::Read).and_then(|it| it.odd_bytes()).map_err(explained)?;
        if odd > 0 {
            output::message(&format!(
                "{}: the last {} are left out, less than a sector; if it was cut off, copy the whole container again",
                args.source.display(),
                output::count(usize::try_from(odd)?, "byte")
            ));
        }
    }
    let existing = if args.overwrite { Existing::Replace } else { Existing::Refuse };
    // It has no name until it is complete: whatever ends the program, no plaintext is left behind.
    let image = Output::create(destination, existing)?.secret();
    let (copied, taken) = interrupt::in_order(|asked| {
        let done =
            timed(&args.work, asked, |options| export_to(&opened.volume, image.file(), destination, options));
        let done = done.map_err(|error| stopped(error, |_| before))?;
        // Whoever has the file open that is replaced, or mounted, would go on with one that has no name any more.
        let _replaced = hold(destination).map_err(explained)?;
        image.commit_durably()?;
        interrupt::left(format!("interrupted; {} is complete", destination.display()));
        anyhow::Ok(done)
    })?;
    let way = format!("from {} to {}", args.source.display(), destination.display());
    let mut text = sentence(&way, &copied, taken, &opened.content, &args.work);
    if copied.left_out > 0 {
        text.push_str(&format!(", {} of which are zeros and became holes", size(copied.left_out)));
    }
    output::message(&text);
    account(args, &copied, taken, &opened.content, format)
}

fn into(args: &DiskCopy, format: Format) -> Result<Outcome> {
    let DiskCopy { source, destination, .. } = args;
    if !args.overwrite {
        bail!(
            "{} is a container whose data would be overwritten, which cannot be undone; \
             to do so, give --overwrite",
            destination.display()
        );
    }
    interrupt::left(format!("interrupted; nothing was written into {}", destination.display()));
    let implementation = args.work.implementation.as_deref();
    let opened = Opened::open(destination, Access::Write, &args.unlock, implementation)?;
    let (copied, taken) = interrupt::in_order(|asked| {
        let done =
            timed(&args.work, asked, |options| import(source, &opened.volume, Holes::Encrypt, options));
        let done = done.map_err(|error| stopped(error, |done| begun(source, destination, done)))?;
        interrupt::left(format!("interrupted; all of {} is in {}", source.display(), destination.display()));
        anyhow::Ok(done)
    })?;
    let way = format!("from {} into {}", source.display(), destination.display());
    let mut text = sentence(&way, &copied, taken, &opened.content, &args.work);
    let rest = opened.volume.size().saturating_sub(copied.bytes);
    if rest > 0 {
        text.push_str(&format!("; the last {} of the container are unchanged", size(rest)));
    }
    output::message(&text);
    account(args, &copied, taken, &opened.content, format)
}

/// What is said of a file that has not been begun, or that has no name yet.
fn untouched(path: &Path, there: bool) -> String {
    match there {
        true => format!("{} is unchanged, and nothing else is left", path.display()),
        false => format!("{} was not made, and nothing else is left", path.display()),
    }
}

/// What is said of a container that has the beginning of an image.
fn begun(image: &Path, container: &Path, done: Begun) -> String {
    let name = container.display();
    let image = image.display();
    let has = match done {
        Begun { reached: 0, .. } => {
            return format!("{name} opens and is unchanged; nothing of {image} was written");
        }
        done => beginning(&image, done),
    };
    format!(
        "{name} opens and has {has}, followed by its old data; {}copy it again to complete it",
        done.first
    )
}

/// What there is of an image. Blocks are begun in their order, and each that is begun is completed, unless it fails.
pub(super) fn beginning(image: &dyn std::fmt::Display, Begun { whole, reached, .. }: Begun) -> String {
    let some = format!("{} some of it and some old data", exact(reached - whole));
    match (whole, whole == reached) {
        (0, false) => format!("the beginning of {image}: in the first {some}"),
        (_, true) => format!("the first {} of {image}", exact(whole)),
        (_, false) => format!("the first {} of {image}, in the next {some}", exact(whole)),
    }
}

fn account(
    args: &DiskCopy,
    copied: &Copied,
    taken: Duration,
    content: &Content,
    format: Format,
) -> Result<Outcome> {
    let facts = [
        ("from", args.source.display().to_string()),
        ("to", args.destination.display().to_string()),
        ("bytes", copied.bytes.to_string()),
        ("bytes left out as holes", copied.left_out.to_string()),
        ("seconds", format!("{:.6}", taken.as_secs_f64())),
        ("cipher", content.algorithm().to_owned()),
        ("implementation", content.implementation().to_owned()),
        ("threads", args.work.threads.or_all().to_string()),
    ];
    super::account("what was copied", facts, format)
}

/// Copies with progress, until it is done or interrupted, and says how long it took.
pub(super) fn timed(
    work: &DiskWork,
    asked: &AtomicBool,
    copy: impl FnOnce(Options<'_>) -> fieldtest_disk::Result<Copied>,
) -> Result<(Copied, Duration)> {
    let percent = Percent::new();
    let options = Options {
        threads: Some(work.threads.or_all()),
        interrupted: Some(asked),
        progress: Some(&|done, total| percent.show(done, total)),
    };
    let start = Instant::now();
    let copied = copy(options).map_err(|error| match error {
        // With their numbers of bytes, for whoever knows what those mean.
        Error::Interrupted { .. } | Error::Incomplete { .. } => error.into(),
        error => explained(error),
    })?;
    Ok((copied, start.elapsed()))
}

/// What was copied and how fast, until it was durable.
pub(super) fn sentence(
    way: &str,
    copied: &Copied,
    taken: Duration,
    content: &Content,
    work: &DiskWork,
) -> String {
    let threads = work.threads.or_all();
    let seconds = taken.as_secs_f64();
    format!(
        "{} {way} in {seconds:.3} s, {:.2} GB/s, with {} on {}",
        size(copied.bytes),
        copied.bytes as f64 / seconds.max(1e-9) / 1e9,
        content.name(),
        output::count(threads.get(), "thread")
    )
}
