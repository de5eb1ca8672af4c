//! `fieldtest ima sign`: every file of a tree with its signature.

mod forecast;
mod inputs;
mod maker;
mod summary;
mod written;

use std::cell::RefCell;
use std::io::{self, IsTerminal as _, Write};
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use anyhow::{Result, anyhow, bail};
use fieldtest_frame::measuring;
use fieldtest_ima::store::{Store, attribute, sidecar};
use fieldtest_ima::tree::{self, Addressed, Job, SignReport, SignedFile};

pub(super) use self::maker::Maker;
pub(super) use self::summary::{Missing, complete, missing_of};
use self::written::Stopped;
pub(super) use self::written::{archive, manifest};
use super::shown::{self, Spinner};
use super::{fits_store, lengths, may_administer, no_file, options, tar_options};
use crate::args::{ImaSign, ImaStore};
use crate::interrupt;
use crate::outcome::{Outcome, coded, usage};
use crate::output::{self, Format};

pub(crate) fn run(args: &ImaSign, format: Format) -> Result<Outcome> {
    check(args)?;
    if matches!(args.kept.store, ImaStore::Manifest | ImaStore::Tar) {
        let thing = if args.kept.store == ImaStore::Tar { "the archive" } else { "the manifest" };
        let forms = [Format::Json, Format::Csv, Format::Md];
        format.apart_from(args.output.as_deref(), thing, &forms, "--output")?;
    }
    if args.kept.store != ImaStore::Tar
        && !args.force
        && let Some((store, of)) = Addressed::around(&args.tree)
    {
        return Err(coded(
            "addressed",
            anyhow!("cannot sign {}: {of}; to sign it anyway: --force", shown::path(&store)),
        ));
    }
    let maker = Maker::new(&args.key, args.certificate.as_deref(), &args.how)?;
    let store = match args.kept.store {
        ImaStore::Xattr | ImaStore::Tar => Store::Attribute(args.walk.attribute.clone()),
        ImaStore::Sidecar => Store::Sidecar(sidecar::SUFFIX.to_owned()),
        ImaStore::Manifest => Store::Returned,
    };
    let forced = |job: Job| if args.force { job.replacing_foreign() } else { job };
    let jobs = [forced(maker.job(store)?)];
    let evm = match args.evm {
        true => Some(forced(maker.over_content(Store::Attribute(attribute::EVM.to_owned()))?)),
        false => None,
    };
    let signer = maker.signer()?;
    maker.warn();
    let interrupted = interrupt::flag();
    if args.kept.store == ImaStore::Xattr && !args.no_plan {
        let length =
            lengths::xattr_of_key(&maker.key.file.algorithm, signer.public_key(), maker.key.algorithm);
        let [content] = &jobs;
        forecast::check(args, content, &maker.title(), length)?;
    }
    // People are told the first of each kind, programs all.
    let missing = (format != Format::Human).then(RefCell::default);
    let work = Work { args, jobs: &jobs, evm: evm.as_ref(), interrupted, missing: missing.as_ref() };
    let report = match args.kept.store {
        ImaStore::Xattr | ImaStore::Sidecar => work.in_place().map(Some),
        ImaStore::Manifest => to_output(args, |out| work.manifest(out)),
        ImaStore::Tar => to_output(args, |out| work.archive(out)),
    };
    let Some(report) = report? else {
        output::message("interrupted; the incomplete output was removed");
        return Ok(Outcome::Interrupted);
    };
    let broken = report.broken_evm.count;
    if broken > 0 {
        output::message(&format!(
            "warning: {} had EVM signatures over the previous security.ima, which are wrong now ({}); make \
             new ones with --evm",
            shown::count(broken, "file"),
            shown::first(&report.broken_evm),
        ));
    }
    if report.elsewhere.count > 0 {
        output::message(&format!("warning: {}", shown::elsewhere(&report.elsewhere)));
    }
    let over = if args.how.verity { " over fs-verity digests" } else { "" };
    let (title, version) = (maker.title(), maker.version.number());
    let by = format!("{title} in version {version}{over} by key {}", signer.id());
    summary::show(args, &by, &report, &missing.unwrap_or_default().into_inner(), format)?;
    Ok(match report {
        SignReport { interrupted: true, .. } => Outcome::Interrupted,
        report if report.is_complete() => Outcome::Fine,
        _ => Outcome::Failed,
    })
}

/// Xattrs, or families of them, that the kernel has for something else (xattr(7), `include/uapi/linux/xattr.h`).
const OTHERS: [(&str, &str); 6] = [
    ("security.selinux", "a file's SELinux label"),
    ("security.capability", "a program's capabilities"),
    ("security.apparmor", "a file's AppArmor label"),
    ("security.SMACK64*", "a file's Smack label"),
    ("system.*", "access control lists and the like"),
    ("trusted.overlay.*", "notes of overlays about their layers"),
];

fn is_among(name: &str, family: &str) -> bool {
    family.strip_suffix('*').map_or(name == family, |start| name.starts_with(start))
}

/// Refuses the name of an xattr that is for something else.
pub(super) fn check_attribute(name: &str) -> Result<()> {
    if name == attribute::EVM {
        return Err(usage(format!(
            "{name} is for EVM signatures, which cover metadata, not contents; make those with --evm, and omit \
             --attribute"
        )));
    }
    if let Some((_, what)) = OTHERS.iter().find(|(other, _)| is_among(name, other)) {
        return Err(usage(format!(
            "{name} holds {what}, which signatures would destroy; omit --attribute, or use {}",
            attribute::USER_IMA
        )));
    }
    Ok(())
}

/// What was typed, before anything is read.
fn check(args: &ImaSign) -> Result<()> {
    fits_store(args.kept.store, &args.walk, &args.tree, args.evm)?;
    measuring::known_implementation(args.how.implementation.as_deref())?;
    if args.no_plan && args.kept.store != ImaStore::Xattr {
        return Err(usage("--no-plan has no effect: only xattrs on a file system are predicted; remove it"));
    }
    let in_place = matches!(args.kept.store, ImaStore::Xattr | ImaStore::Sidecar);
    if args.output.is_some() && in_place {
        return Err(usage("--output is for a manifest or an archive; add --store manifest or --store tar"));
    }
    if let Some(output) = &args.output {
        output::check_place(output)?;
    } else if args.kept.store == ImaStore::Tar && io::stdout().is_terminal() {
        return Err(usage("cannot write an archive to a terminal; give a file with --output, or use a pipe"));
    }
    inputs::are_kept(args)?;
    let name = &args.walk.attribute;
    check_attribute(name)?;
    if args.kept.store == ImaStore::Xattr && name.starts_with("security.") && !may_administer() {
        bail!(
            "setting {name} needs CAP_SYS_ADMIN: run it as root; or write a list with --store manifest, or test it \
             with --attribute {}",
            attribute::USER_IMA
        );
    }
    Ok(())
}

/// Lets `write` write to the file that was named or to standard output. Nothing, and no file, where the user ended it.
fn to_output(
    args: &ImaSign,
    write: impl FnOnce(&mut dyn Write) -> Result<SignReport>,
) -> Result<Option<SignReport>> {
    let path = args.output.as_deref().unwrap_or(Path::new(output::STDOUT));
    let written = output::whole_file(path, |out| {
        let report = write(out)?;
        if report.interrupted { Err(anyhow!(Stopped)) } else { Ok(report) }
    });
    match written {
        Ok(report) => Ok(Some(report)),
        Err(error) if error.is::<Stopped>() => Ok(None),
        Err(error) => Err(error),
    }
}

/// What is to be done, whatever the store.
struct Work<'a> {
    args: &'a ImaSign,
    jobs: &'a [Job],
    evm: Option<&'a Job>,
    interrupted: &'a AtomicBool,
    /// Where files that are not signed are kept, if they are asked for.
    missing: Option<&'a RefCell<Vec<Missing>>>,
}

impl Work<'_> {
    fn observe(&self, progress: &mut Spinner, file: &SignedFile<'_>) {
        progress.show(&file.progress);
        if let Some(missing) = self.missing {
            missing.borrow_mut().extend(summary::missing_of(file));
        }
    }

    fn in_place(&self) -> Result<SignReport> {
        let mut progress = Spinner::new();
        let report = tree::sign(&self.args.tree, self.jobs, self.evm, &self.options(), |file| {
            self.observe(&mut progress, &file);
            Ok(())
        })?;
        self.has_files(report)
    }

    /// Refuses a report on a tree without files.
    fn has_files(&self, report: SignReport) -> Result<SignReport> {
        match report.files == 0 && !report.interrupted {
            true => Err(no_file(&self.args.tree)),
            false => Ok(report),
        }
    }

    fn manifest(&self, out: &mut dyn Write) -> Result<SignReport> {
        let mut progress = Spinner::new();
        let name = self.args.walk.attribute.as_str();
        let observe = |file: &SignedFile<'_>| self.observe(&mut progress, file);
        let report = written::manifest(&self.args.tree, name, self.jobs, &self.options(), out, observe)?;
        inputs::is_outside(&report)?;
        self.has_files(report)
    }

    fn archive(&self, out: &mut dyn Write) -> Result<SignReport> {
        let mut progress = Spinner::new();
        let options = tar_options(&self.args.walk, self.interrupted);
        let observe = |file: &SignedFile<'_>| self.observe(&mut progress, file);
        written::archive(&self.args.tree, self.jobs, &options, out, observe)
    }

    fn options(&self) -> tree::Options<'_> {
        let output = inputs::written(self.args).map(|file| (file.dev(), file.ino()));
        tree::Options { output, ..options(&self.args.walk, self.interrupted) }
    }
}
