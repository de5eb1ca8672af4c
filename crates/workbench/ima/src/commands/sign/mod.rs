//! `fieldtest ima sign`: every file of a tree with its signature.

mod forecast;
mod inputs;
mod summary;

use std::cell::RefCell;
use std::io::{self, IsTerminal as _, Write};
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use anyhow::{Result, anyhow, bail};
use fieldtest_frame::measuring;
use fieldtest_ima::signer::SignError;
use fieldtest_ima::store::manifest::Writer;
use fieldtest_ima::store::{Store, attribute, sidecar};
use fieldtest_ima::tar::{self, TarError};
use fieldtest_ima::tree::{self, Done, Job, SignOutcome, SignReport, SignedFile, TreeError};
use fieldtest_ima::{HashAlgorithm, Signer, Version, hash_algorithm};
use fieldtest_kinds::signature::PublicKeyForm;

use self::summary::Missing;
use super::keys::{self, SigningKey};
use super::shown::{self, Spinner};
use super::{archive, fits_store, lengths, may_administer, options, tar_options};
use crate::args::{ImaSign, ImaStore};
use crate::interrupt;
use crate::outcome::{Outcome, usage};
use crate::output::{self, Format};

pub(crate) fn run(args: &ImaSign, format: Format) -> Result<Outcome> {
    check(args)?;
    if matches!(args.walk.store, ImaStore::Manifest | ImaStore::Tar) {
        let thing = if args.walk.store == ImaStore::Tar { "the archive" } else { "the manifest" };
        let forms = [Format::Json, Format::Csv, Format::Md];
        format.apart_from(args.output.as_deref(), thing, &forms, "--output")?;
    }
    let digest = digest(&args.hash)?;
    let key = keys::private(&args.key, args.implementation.as_deref(), digest)?;
    let version = version(args, &key);
    let store = match args.walk.store {
        ImaStore::Xattr | ImaStore::Tar => Store::Attribute(args.walk.attribute.clone()),
        ImaStore::Sidecar => Store::Sidecar(sidecar::SUFFIX.to_owned()),
        ImaStore::Manifest => Store::Returned,
    };
    let job = |store| {
        let signer = signer(args, &key, version)?;
        let job = Job::new(key.implementation.code.as_ref(), signer, digest, store);
        let job = job.map_err(|error| refused(args, error))?;
        Ok::<_, anyhow::Error>(if args.force { job.replacing_foreign() } else { job })
    };
    let content = job(store)?;
    let jobs = [match args.verity {
        true => content.over_verity().map_err(|error| refused(args, error))?,
        false => content,
    }];
    let evm = if args.evm { Some(job(Store::Attribute(attribute::EVM.to_owned()))?) } else { None };
    let signer = signer(args, &key, version)?;
    if key.algorithm.facts.kind.ima.is_none() {
        let name = keys::title(&key);
        output::message(&format!("no Linux verifies {name} in IMA; these signatures are for trying out"));
    }
    let interrupted = interrupt::flag();
    if args.walk.store == ImaStore::Xattr && !args.no_plan {
        let length = lengths::xattr_of_key(&key.file.algorithm, signer.public_key(), key.algorithm);
        let [content] = &jobs;
        forecast::check(args, content, &keys::title(&key), length)?;
    }
    // People are told the first of each kind, programs all.
    let missing = (format != Format::Human).then(RefCell::default);
    let work = Work { args, jobs: &jobs, evm: evm.as_ref(), interrupted, missing: missing.as_ref() };
    let report = match args.walk.store {
        ImaStore::Xattr | ImaStore::Sidecar => work.in_place().map(Some),
        ImaStore::Manifest => to_output(args, |out| work.manifest(out)),
        ImaStore::Tar => to_output(args, |out| work.archive(out)),
    };
    let Some(report) = report? else {
        output::message("interrupted; what was written is not complete and was not kept");
        return Ok(Outcome::Interrupted);
    };
    let broken = report.broken_evm.count;
    if broken > 0 {
        output::message(&format!(
            "warning: {} had EVM signatures over the security.ima that was there before, which are wrong now ({}); make \
             new ones with --evm",
            shown::count(broken, "file"),
            shown::first(&report.broken_evm),
        ));
    }
    let over = if args.verity { " over fs-verity digests" } else { "" };
    let (title, version) = (keys::title(&key), version.number());
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
    ("trusted.overlay.*", "what overlays note of their layers"),
];

fn is_among(name: &str, family: &str) -> bool {
    family.strip_suffix('*').map_or(name == family, |start| name.starts_with(start))
}

/// What was typed, before anything is read.
fn check(args: &ImaSign) -> Result<()> {
    fits_store(&args.walk, &args.tree, args.evm)?;
    measuring::known_implementation(args.implementation.as_deref())?;
    let in_place = matches!(args.walk.store, ImaStore::Xattr | ImaStore::Sidecar);
    if args.output.is_some() && in_place {
        return Err(usage("--output is for a manifest or an archive: add --store manifest or --store tar"));
    }
    if let Some(output) = &args.output {
        output::check_place(output)?;
    } else if args.walk.store == ImaStore::Tar && io::stdout().is_terminal() {
        return Err(usage("a terminal cannot take an archive; name a file with --output, or use a pipe"));
    }
    inputs::are_kept(args)?;
    let name = &args.walk.attribute;
    if name == attribute::EVM {
        return Err(usage(format!(
            "{name} is for EVM signatures, which are over metadata and not over contents: make those with --evm, and leave \
             out --attribute"
        )));
    }
    if let Some((_, what)) = OTHERS.iter().find(|(other, _)| is_among(name, other)) {
        return Err(usage(format!(
            "{name} holds {what}, which signatures would destroy; leave out --attribute, or take {}",
            attribute::USER_IMA
        )));
    }
    if args.walk.store == ImaStore::Xattr && name.starts_with("security.") && !may_administer() {
        bail!(
            "setting {name} needs CAP_SYS_ADMIN: run it as root; or write a list with --store manifest, or try it out \
             with --attribute {}",
            attribute::USER_IMA
        );
    }
    Ok(())
}

fn digest(name: &str) -> Result<HashAlgorithm> {
    hash_algorithm::from_name(name).ok_or_else(|| {
        usage(format!(
            "no hash named “{name}” is computed here; take sha256, sha384, sha512, sha3-256, sha3-384 or sha3-512"
        ))
    })
}

/// Version 2 is what every kernel verifies; fs-verity digests and algorithms that sign messages alone have version 3
/// only.
fn version(args: &ImaSign, key: &SigningKey) -> Version {
    match args.signature_version {
        Some(2) => Version::V2,
        Some(_) => Version::V3,
        None if args.verity => Version::V3,
        None if key.implementation.code.public_key_form() == PublicKeyForm::Plain => Version::V3,
        None => Version::V2,
    }
}

fn signer(args: &ImaSign, key: &SigningKey, version: Version) -> Result<Signer> {
    let signer = Signer::from_file(key.implementation.code.as_ref(), &key.file, version);
    let mut signer = signer.map_err(|error| refused(args, error))?;
    if let Some(path) = &args.certificate {
        let certificates = keys::public(path)?;
        let own = certificates.iter().find(|certificate| certificate.bytes == signer.public_key());
        let Some(certificate) = own else {
            return Err(anyhow!(SignError::OtherPublicKey).context(shown::path(path)));
        };
        signer = signer.identified_by(certificate).map_err(|error| refused(args, error))?;
    }
    Ok(if args.hedged { signer.hedged() } else { signer })
}

/// The errors that are the fault of what was typed, as such.
fn refused(args: &ImaSign, error: SignError) -> anyhow::Error {
    match error {
        SignError::Version2
        | SignError::VerityVersion2
        | SignError::VerityHash(_)
        | SignError::WeakDigest(_) => usage(error),
        SignError::NotDeterministic => usage(
            "this implementation makes no deterministic signatures; choose another with --implementation, or allow \
             signatures that differ from run to run with --hedged",
        ),
        SignError::Implementation(error @ fieldtest_kinds::Error::Unsupported(_)) => usage(format!(
            "{}: {error}; choose another hash with --hash, or another implementation with --implementation",
            shown::path(&args.key)
        )),
        SignError::Unidentified => {
            let path = args.certificate.as_deref().map(shown::path).unwrap_or_default();
            anyhow!("{path}: {error}, or let `fieldtest ima keygen` make one")
        }
        error => anyhow!(error).context(shown::path(&args.key)),
    }
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

/// The user ended what is worth nothing in part.
#[derive(Debug)]
struct Stopped;

impl std::fmt::Display for Stopped {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("interrupted")
    }
}

impl std::error::Error for Stopped {}

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
        Ok(tree::sign(&self.args.tree, self.jobs, self.evm, &self.options(), |file| {
            self.observe(&mut progress, &file);
            Ok(())
        })?)
    }

    fn manifest(&self, out: &mut dyn Write) -> Result<SignReport> {
        let mut progress = Spinner::new();
        let name = self.args.walk.attribute.as_str();
        let mut list = Writer::new(out);
        let report = tree::sign(&self.args.tree, self.jobs, None, &self.options(), |file| {
            self.observe(&mut progress, &file);
            let SignOutcome::Read { jobs, .. } = file.outcome else { return Ok(()) };
            jobs.iter().try_for_each(|done| match done {
                Done::Returned(value) => list.file(file.path, [(name, value.as_slice())]),
                _ => Ok(()),
            })
        });
        let report = report.map_err(|error| match error {
            TreeError::Observer(error) => anyhow!(error),
            other => anyhow!(other),
        })?;
        list.finish()?;
        inputs::is_outside(&report)?;
        Ok(report)
    }

    fn archive(&self, out: &mut dyn Write) -> Result<SignReport> {
        let mut progress = Spinner::new();
        let (input, options) = (archive(&self.args.tree)?, tar_options(&self.args.walk, self.interrupted));
        let report = tar::sign(input, out, self.jobs, &options, |file| {
            self.observe(&mut progress, &file);
            Ok(())
        });
        report.map_err(|error| match error {
            TarError::Interrupted => anyhow!(Stopped),
            TarError::Output(error) => anyhow!(error),
            other => anyhow!(other).context(shown::path(&self.args.tree)),
        })
    }

    fn options(&self) -> tree::Options<'_> {
        let output = inputs::written(self.args).map(|file| (file.dev(), file.ino()));
        tree::Options { output, ..options(&self.args.walk, self.interrupted) }
    }
}
